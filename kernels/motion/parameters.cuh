// SPDX-License-Identifier: BSD-2-Clause-Patent
// What both forms of motion take: pairs of reference pictures, and the filter of motion.md section 4.
#pragma once

#include "../common/batch.cuh"
#include "../common/cuda.cuh"
#include "../common/plane.cuh"

// The luma of a reference picture and of an earlier one.
struct MotionPair {
    Plane previous;
    Plane current;
    uint64_t *sum; // of the absolute blurred differences previous - current
};

struct MotionParameters {
    MotionPair pairs[BATCH_FRAMES];
    uint32_t frames;       // pairs in use
    uint32_t bits;         // of a sample
    uint32_t segment_rows; // of the fast form: rows that a warp walks down
    uint32_t unused;
};

// Taps of the low-pass filter in 65536ths: outermost, in between, centre. With their mirror images they add up to 65536.
constexpr int32_t MOTION_OUTER = 3571;
constexpr int32_t MOTION_INNER = 16004;
constexpr int32_t MOTION_CENTRE = 26386;

// The filter's sum in numbers of the type `Sum`, which must have room for 65536 times the largest |x|.
template <typename Sum, typename X>
__host__ __device__ __forceinline__ Sum motion_weighted(X a, X b, X centre, X d, X e)
{
    return MOTION_OUTER * static_cast<Sum>(a + e) + MOTION_INNER * static_cast<Sum>(b + d)
           + MOTION_CENTRE * static_cast<Sum>(centre);
}

// One output in 2^shift-ths of its inputs' unit, rounded, halves upwards.
template <typename Sum>
__host__ __device__ __forceinline__ int32_t motion_filter(int32_t a, int32_t b, int32_t centre, int32_t d, int32_t e,
                                                          uint32_t shift)
{
    const Sum half = static_cast<Sum>(1) << (shift - 1);
    return static_cast<int32_t>((motion_weighted<Sum>(a, b, centre, d, e) + half) >> shift);
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
// What all kernels of vif share: constants and borders, sections 4 and 5.2 of its specification.
#pragma once

#include "../common/cuda.cuh"
#include "../common/rounding.cuh"

namespace vif {

// Variance of the visual noise: 2 in squared steps of the 8-bit range, times 65536.
constexpr uint32_t NOISE = 131072;

// Keeps the gain's denominator above 0.
constexpr double EPSILON = 65536 * 1.0e-10;

// Logarithms are in units of 1/2048.
constexpr uint32_t OCTAVE = 2048;

// Sums of a scale: numerator, denominator, variance of flat samples, flat samples.
constexpr uint32_t SUMS = 4;

// Taps of a scale's filter, an odd number.
template <uint32_t SCALE>
constexpr uint32_t TAPS = (16u >> SCALE) + 1;

template <uint32_t SCALE>
constexpr uint32_t HALF = TAPS<SCALE> / 2;

template <uint32_t SCALE>
__device__ __forceinline__ uint32_t tap(uint32_t i)
{
    static constexpr uint32_t taps[4][17] = {
        {489, 935, 1640, 2640, 3896, 5274, 6547, 7455, 7784, 7455, 6547, 5274, 3896, 2640, 1640, 935, 489},
        {1244, 3663, 7925, 12590, 14692, 12590, 7925, 3663, 1244},
        {3571, 16004, 26386, 16004, 3571},
        {10904, 43728, 10904},
    };
    return taps[SCALE][i];
}

// The position within 0 to length - 1 that `position` is mirrored to. Twice is enough for all that a filter reads at the
// smallest sizes; farther away the position is any.
__host__ __device__ __forceinline__ uint32_t mirrored(int32_t position, uint32_t length)
{
    const int32_t last = static_cast<int32_t>(length) - 1;
    const int32_t once = abs(position);
    const int32_t twice = once > last ? abs(2 * last - once) : once;
    return twice < last ? twice : last;
}

} // namespace vif

// SPDX-License-Identifier: BSD-2-Clause-Patent
// The Daubechies-2 wavelet (adm.md sections 5.1 to 5.3): taps, borders, rounding.
#pragma once

#include "../common/cuda.cuh"
#include "../common/rounding.cuh"

namespace adm {

constexpr uint32_t TAPS = 4;

template <typename Number>
__host__ __device__ __forceinline__ Number low_pass(const Number (&samples)[TAPS])
{
    return 15826 * samples[0] + 27411 * samples[1] + 7345 * samples[2] - 4240 * samples[3];
}

template <typename Number>
__host__ __device__ __forceinline__ Number high_pass(const Number (&samples)[TAPS])
{
    return -4240 * samples[0] - 7345 * samples[1] + 27411 * samples[2] - 15826 * samples[3];
}

// Where a line of `length` samples is read for position `at`: mirrored at the start without repeating the first
// sample, at the end repeating the last.
__host__ __device__ __forceinline__ int32_t mirror(int32_t at, int32_t length)
{
    return at < 0 ? 1 : at >= length ? 2 * length - 1 - at : at;
}

// The position under tap `tap` of output `k`.
__host__ __device__ __forceinline__ uint32_t tap_position(uint32_t k, uint32_t tap, uint32_t length)
{
    return mirror(static_cast<int32_t>(2 * k + tap) - 1, static_cast<int32_t>(length));
}

} // namespace adm

// SPDX-License-Identifier: BSD-2-Clause-Patent
#pragma once

#include "cuda.cuh"

// value / 2^shift to the nearest, ties up.
template <typename Number>
__host__ __device__ __forceinline__ Number round_shift(Number value, uint32_t shift)
{
    return (value + ((Number{1} << shift) >> 1)) >> shift;
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
// Squares: exact ones of bytes and words, and T(x), a square as a product of two floats keeps it.
#pragma once

#include "cuda.cuh"

// An integer below 2^23 as a float, without the slow conversion: the bits are the mantissa of 2^23 + x.
__host__ __device__ __forceinline__ float exact_float(uint32_t x)
{
    return __uint_as_float(0x4b000000u | x) - 8388608.0f;
}

// T(x) of float_moment.md section 4: x^2 rounded to 24 significant bits, ties to even; at most 4294836224.
// x is an integer, |x| below 2^16.
__host__ __device__ __forceinline__ uint32_t rounded_square(float x)
{
    return static_cast<uint32_t>(x * x);
}

// The two 16-bit samples of a word as floats.
__host__ __device__ __forceinline__ float low_sample(uint32_t word)
{
    return exact_float(word & 0xffffu);
}

__host__ __device__ __forceinline__ float high_sample(uint32_t word)
{
    return exact_float(word >> 16);
}

// (a - b)^2 of two 16-bit samples.
__host__ __device__ __forceinline__ uint32_t squared_difference(uint32_t a, uint32_t b)
{
    const uint32_t difference = a - b;
    return difference * difference; // below 2^32, so that wrapping does no harm
}

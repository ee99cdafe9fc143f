// SPDX-License-Identifier: BSD-2-Clause-Patent
// Contrast sensitivity, masking thresholds, and the cubes that are pooled (adm.md sections 5.7 to 5.9), as specified.
// FINEST is for scale 0, whose words have 16 bits.
#pragma once

#include "parameters.cuh"
#include "wavelet.cuh"

namespace adm {

// The low bits that the reference keeps.
template <bool FINEST>
__host__ __device__ __forceinline__ int32_t wrap(int64_t value)
{
    return FINEST ? static_cast<int16_t>(value) : static_cast<int32_t>(value);
}

// A coefficient times the weight of its band.
template <bool FINEST>
__host__ __device__ __forceinline__ int32_t weigh(const Scale &scale, uint32_t band, int32_t coefficient)
{
    const int64_t product = static_cast<int64_t>(scale.weights[band]) * coefficient;
    if (!FINEST)
        return wrap<FINEST>(round_shift(product, 28));
    // The offset of d is one less than half a unit, as in the reference.
    return wrap<FINEST>(band < 2 ? round_shift(product, 15) : (product + 65535) >> 17);
}

// What a weighted coefficient adds to thresholds.
struct Masks {
    int32_t around; // to those of its neighbours: a thirtieth
    int32_t centre; // to its own: a fifteenth
};

template <bool FINEST>
__host__ __device__ __forceinline__ Masks masks(int32_t weighted)
{
    const int64_t magnitude = weighted < 0 ? static_cast<int32_t>(0u - weighted) : weighted;
    if (FINEST)
        return {wrap<FINEST>(round_shift(4369 * magnitude, 12)), wrap<FINEST>(round_shift(8738 * magnitude, 12))};
    // The reference means to add 2^31, which its variable holds as -2^31.
    constexpr int64_t offset = 1ll << 31;
    return {wrap<FINEST>((143165577 * magnitude - offset) >> 32), wrap<FINEST>((286331153 * magnitude - offset) >> 32)};
}

// The pooled cube of a reference coefficient; at scale 0 not yet rounded to the scale's unit.
template <bool FINEST>
__host__ __device__ __forceinline__ uint64_t reference_cube(const Scale &scale, uint32_t square_bits, int32_t reference)
{
    const uint64_t magnitude = reference < 0 ? 0u - reference : reference;
    if (FINEST)
        return magnitude * magnitude * magnitude;
    // A whole unit is added to the square where half of one is meant; scores depend on it.
    const uint64_t square = (magnitude * magnitude + (1ull << square_bits)) >> square_bits;
    return round_shift(square * magnitude, scale.denominator_shift);
}

// Bits dropped of a reference coefficient's square above scale 0.
__host__ __device__ __forceinline__ constexpr uint32_t reference_square_bits(uint32_t scale)
{
    return scale == 2 ? 30 : 31;
}

// How far a coefficient stands out of a threshold, 0 where it does not.
template <bool FINEST>
__host__ __device__ __forceinline__ int64_t excess(const Scale &scale, uint32_t band, int32_t coefficient,
                                                   int32_t threshold)
{
    const int64_t value = FINEST ? static_cast<int64_t>(scale.weights[band]) * coefficient
                                 : static_cast<int64_t>(weigh<FINEST>(scale, band, coefficient));
    const uint32_t shift = !FINEST ? 0 : band < 2 ? 10 : 12;
    const int32_t masked = static_cast<int32_t>(static_cast<uint32_t>(threshold) << shift);
    const int32_t difference = static_cast<int32_t>((value < 0 ? -value : value) - masked);
    return difference < 0 ? 0 : difference;
}

// The pooled cube of a coefficient of one part, masked by the other part's threshold.
template <bool FINEST>
__host__ __device__ __forceinline__ int64_t masked_cube(const Scale &scale, uint32_t band, int32_t coefficient,
                                                        int32_t threshold)
{
    const int64_t beyond = excess<FINEST>(scale, band, coefficient, threshold);
    const int32_t square = static_cast<int32_t>(round_shift(beyond * beyond, FINEST && band < 2 ? 29 : 30));
    return round_shift(square * beyond, scale.numerator_shifts[band < 2 ? 0 : 1]);
}

} // namespace adm

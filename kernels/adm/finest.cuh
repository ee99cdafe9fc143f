// SPDX-License-Identifier: BSD-2-Clause-Patent
// A position of scale 0 in single precision without a division, exact where the coefficients are not very large
// (adm.md sections 5.4 and 5.8); elsewhere the integers of the plain form.
//
// While |reference| is below 2^14 the ratio's roundings are too small to show: the restored part is the middle one of
// 0, the distorted coefficient, and the reference times the gain where the two are near. Weighted coefficients and what
// they add to thresholds are integers below 2^23, which single precision holds.
#pragma once

#include "decouple.cuh"
#include "masking.cuh"

namespace adm {

// Adding it to a float from 0 up to 2^23 rounds that to an integer, which is then in the lowest bits.
constexpr float INTEGERS = 8388608.0f;
constexpr uint32_t INTEGERS_BITS = 0x4b000000u;

// From here on the roundings of a reference coefficient's ratio may show.
constexpr float EXACT_BELOW = 16384.0f;

// Of a part in all bands, what is added to the thresholds around a position, and besides to its own.
template <typename Number>
struct Shares {
    Number around;
    Number rest;
};

// What a position hands to the walk: sums for thresholds, and what is measured against them.
template <typename Number>
struct Decoupled {
    Shares<Number> shares[PARTS];
    uint32_t magnitudes[PARTS][BANDS];
};

// What the host makes of a stream's options for scale 0.
struct FinestConstants {
    float gain;
    float exact_below; // single precision will do while the weighted coefficients of each part add up to less
    float factors[2];  // weights of h and v, and of d, in units of weighted coefficients
};

// The same for a warp.
struct FinestWeights {
    const FinestConstants &constants;
    uint32_t weights[BANDS];
    uint32_t biases[BANDS]; // what the bits of INTEGERS come to, times the weight

    __device__ __forceinline__ FinestWeights(const Stream &stream, const FinestConstants &constants)
        : constants(constants)
    {
#pragma unroll
        for (uint32_t band = 0; band < BANDS; ++band) {
            weights[band] = stream.scales[0].weights[band];
            biases[band] = INTEGERS_BITS * weights[band];
        }
    }

    __device__ __forceinline__ float factor(uint32_t band) const
    {
        return constants.factors[band < 2 ? 0 : 1];
    }
};

__host__ __device__ __forceinline__ float with_sign_of(float value, float other)
{
    return __uint_as_float(__float_as_uint(value) ^ (__float_as_uint(other) & 0x80000000u));
}

// 273 / 4096 and 546 / 4096, each one place up, so that ties go up: the thirtieth and the fifteenth of a weighted
// coefficient beyond once and twice its value.
constexpr float AROUND = 273.0f / 4096.0f + 0x1p-27f;
constexpr float CENTRE = 546.0f / 4096.0f + 0x1p-26f;

// Whether the distorted (h, v) points where the reference's does, and whether single precision can tell.
struct Direction {
    bool near;
    bool undecided;
};

// Single precision is off by less than `margin`, relative to the limit, some times over.
__host__ __device__ __forceinline__ Direction compare_directions(const float (&reference)[BANDS],
                                                                 const float (&distorted)[BANDS], float margin)
{
    const float along = __fmaf_rn(reference[0], distorted[0], reference[1] * distorted[1]);
    const float of_reference = __fmaf_rn(reference[0], reference[0], reference[1] * reference[1]);
    const float of_distorted = __fmaf_rn(distorted[0], distorted[0], distorted[1] * distorted[1]);
    const float limit = of_reference * COS_SQUARED * of_distorted;
    const float beyond = __fmaf_rn(along, fabsf(along), -limit); // negative where `along` is
    return {beyond >= 0.0f, fabsf(beyond) < limit * margin};
}

// The weighted coefficients of a part as they come in, band by band.
struct ShareSums {
    float weighted = -0.0f; // which the compiler may leave out, unlike 0
    float around = INTEGERS;
    float centre = INTEGERS;

    __host__ __device__ __forceinline__ void add(float coefficient, float factor)
    {
        const float rounded = __fmaf_rn(coefficient, factor, INTEGERS) - INTEGERS;
        weighted += rounded;
        around = __fmaf_rn(rounded, AROUND, around);
        centre = __fmaf_rn(rounded, CENTRE, centre);
    }

    __host__ __device__ __forceinline__ Shares<float> shares() const
    {
        return {weighted + (around - INTEGERS), weighted + (centre - around)};
    }
};

// The position by the integers of the plain form.
template <typename Number>
__device__ __noinline__ void decouple_exactly(Decoupled<Number> &result, const Stream &stream,
                                              const int32_t (&reference)[BANDS], const int32_t (&distorted)[BANDS])
{
    const Scale &scale = stream.scales[0];
    const bool near = is_near(reference, distorted);
    Masks sums[PARTS] = {{0, 0}, {0, 0}};
    for (uint32_t band = 0; band < BANDS; ++band) {
        const int32_t kept = restored(reference[band], distorted[band], near, stream.gain_limit);
        for (uint32_t part = 0; part < PARTS; ++part) {
            const int32_t coefficient = part == 0 ? kept : distorted[band] - kept;
            const Masks mask = masks<true>(weigh<true>(scale, band, coefficient));
            sums[part].around += mask.around;
            sums[part].centre += mask.centre;
            const uint32_t magnitude = coefficient < 0 ? 0u - coefficient : coefficient;
            result.magnitudes[part][band] = magnitude * scale.weights[band];
        }
    }
    for (uint32_t part = 0; part < PARTS; ++part)
        result.shares[part] = {static_cast<Number>(sums[part].around),
                               static_cast<Number>(sums[part].centre - sums[part].around)};
}

// The position in single precision. True where it may be wrong.
__device__ __forceinline__ bool decouple_quickly(Decoupled<float> &result, const FinestWeights &weights,
                                                 const int32_t (&reference)[BANDS], const int32_t (&distorted)[BANDS])
{
    float o[BANDS], t[BANDS];
#pragma unroll
    for (uint32_t band = 0; band < BANDS; ++band) {
        o[band] = static_cast<float>(reference[band]);
        t[band] = static_cast<float>(distorted[band]);
    }
    const Direction direction = compare_directions(o, t, 4e-6f);
    const float gain = direction.near ? weights.constants.gain : 1.0f;
    float largest = direction.undecided ? EXACT_BELOW : 0.0f;
    ShareSums sums[PARTS];
#pragma unroll
    for (uint32_t band = 0; band < BANDS; ++band) {
        const float magnitude = fabsf(o[band]);
        const float along = with_sign_of(t[band], o[band]);
        const float kept = fmaxf(fminf(along, magnitude * gain), 0.0f);
        const float coefficients[PARTS] = {kept, fabsf(along - kept)};
        largest = fmaxf(largest, magnitude);
#pragma unroll
        for (uint32_t part = 0; part < PARTS; ++part) {
            sums[part].add(coefficients[part], weights.factor(band));
            result.magnitudes[part][band] =
                __float_as_uint(coefficients[part] + INTEGERS) * weights.weights[band] - weights.biases[band];
        }
    }
#pragma unroll
    for (uint32_t part = 0; part < PARTS; ++part)
        result.shares[part] = sums[part].shares();
    return largest >= EXACT_BELOW || fmaxf(sums[0].weighted, sums[1].weighted) >= weights.constants.exact_below;
}

// By all lanes of a warp.
__device__ __forceinline__ Decoupled<float> decouple(const Stream &stream, const FinestWeights &weights,
                                                     const int32_t (&reference)[BANDS],
                                                     const int32_t (&distorted)[BANDS])
{
    Decoupled<float> result;
    const bool uncertain = decouple_quickly(result, weights, reference, distorted);
    if (__any_sync(FULL_WARP, uncertain)) {
        if (uncertain) {
            Decoupled<float> exact;
            decouple_exactly(exact, stream, reference, distorted);
            result = exact;
        }
    }
    return result;
}

} // namespace adm

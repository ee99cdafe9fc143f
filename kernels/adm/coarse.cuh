// SPDX-License-Identifier: BSD-2-Clause-Patent
// A position of the scales 1 to 3 in 32-bit integers (adm.md sections 5.4 and 5.8), for weights below 2^28 and whole
// gain limits.
#pragma once

#include "../common/ptx.cuh"
#include "decouple.cuh"
#include "finest.cuh"
#include "masking.cuh"

namespace adm {

// Constants of a scale for a stream. ANY: coefficients may be -2^31, which takes samples beyond their depth.
template <bool ANY>
struct CoarseWeights {
    uint32_t gain;
    uint32_t most; // what times the gain fits a word
    int32_t weights[BANDS];

    __device__ __forceinline__ CoarseWeights(const Stream &stream, uint32_t scale)
        : gain(static_cast<uint32_t>(stream.gain_limit)), most(0xffffffffu / gain)
    {
#pragma unroll
        for (uint32_t band = 0; band < BANDS; ++band)
            weights[band] = static_cast<int32_t>(stream.scales[scale].weights[band]);
    }
};

// An integer rounded to 15 bits.
struct Rounded {
    uint32_t mantissa; // from 2^14 up to 2^15
    float fraction;    // the same from 1 up to 2
    uint32_t exponent; // of the mantissa's highest bit less 1, modulo 32

    // The float of `magnitude` without its lowest bits has enough of them to round by.
    __device__ __forceinline__ explicit Rounded(uint32_t magnitude)
    {
        const uint32_t bits = (__float_as_uint(__uint2float_rz(magnitude)) + 0x100u) & ~0x1ffu;
        const uint32_t digits = bits & 0x7fffffu;
        mantissa = (digits | 0x800000u) >> 9;
        fraction = __uint_as_float(digits | 0x3f800000u);
        exponent = bits >> 23; // biased by 127, which is -1 here
    }
};

// floor(2^30 / mantissa). The approximation is good to one place of a float; made one place larger it is never too
// small, and by less than 1 too large.
__device__ __forceinline__ uint32_t reciprocal(const Rounded &number)
{
    const float approximate = approximate_reciprocal(number.fraction);
    constexpr float slightly_more = 65536.0f * (1.0f + 0x1p-22f);
    const uint32_t quotient = __float_as_uint(__fmaf_rz(approximate, slightly_more, INTEGERS)) - INTEGERS_BITS;
    const uint32_t left = (1u << 30) - quotient * number.mantissa;
    return quotient - (left >> 31);
}

// The restored part of a reference coefficient of this magnitude, from what of the distorted one goes its way.
// `sign`: all bits are that of the reference.
__device__ __forceinline__ uint32_t reduce(uint32_t magnitude, uint32_t along, uint32_t sign)
{
    const Rounded rounded(magnitude);
    // Beyond one and a half times the reference the ratio is 1 all the same, and the product might be too large.
    const uint64_t product = static_cast<uint64_t>(reciprocal(rounded)) * min(along, magnitude + (magnitude >> 1));
    const uint32_t four_times =
        __funnelshift_r(static_cast<uint32_t>(product), static_cast<uint32_t>(product >> 32), rounded.exponent);
    const uint32_t ratio = min((four_times + 2) >> 2, 1u << 15);
    // Ties go up, which is towards zero for negative coefficients.
    const uint64_t reduced = static_cast<uint64_t>(ratio) * magnitude + ((1u << 14) + sign);
    // Below 2^14 the ratio's roundings do not show.
    return magnitude < 1u << 14 ? min(along, magnitude) : static_cast<uint32_t>(reduced >> 15);
}

// The magnitude of a weighted coefficient.
__device__ __forceinline__ uint32_t weigh(int32_t coefficient, int32_t weight)
{
    const int64_t product = multiply_add_wide(weight, coefficient, 1 << 27);
    return static_cast<uint32_t>(abs(static_cast<int32_t>(product >> 28)));
}

// `factor` * weighted - 2^31, without its 32 lowest bits.
__device__ __forceinline__ uint32_t share(uint32_t weighted, uint32_t factor)
{
    return static_cast<uint32_t>((static_cast<uint64_t>(factor) * weighted - 0x80000000ull) >> 32);
}

__device__ __forceinline__ void add_part(Decoupled<int32_t> &result, uint32_t part, uint32_t band, uint32_t weighted)
{
    const uint32_t around = share(weighted, 143165577);
    result.shares[part].around += around;
    result.shares[part].rest += share(weighted, 286331153) - around;
    result.magnitudes[part][band] = weighted;
}

// Rare, so that it stays out of the way of what is not.
template <typename Number>
__device__ __noinline__ bool is_near_exactly(Number o_h, Number o_v, Number t_h, Number t_v)
{
    const int32_t reference[BANDS] = {o_h, o_v, 0}, distorted[BANDS] = {t_h, t_v, 0};
    return is_near(reference, distorted);
}

// By all lanes of a warp.
__device__ __forceinline__ bool is_near_quickly(const int32_t (&reference)[BANDS], const int32_t (&distorted)[BANDS])
{
    const float o[BANDS] = {static_cast<float>(reference[0]), static_cast<float>(reference[1]), 0.0f};
    const float t[BANDS] = {static_cast<float>(distorted[0]), static_cast<float>(distorted[1]), 0.0f};
    Direction direction = compare_directions(o, t, 6e-6f);
    if (__any_sync(FULL_WARP, direction.undecided)) {
        if (direction.undecided)
            direction.near = is_near_exactly(reference[0], reference[1], distorted[0], distorted[1]);
    }
    return direction.near;
}

// `value` where it is positive, else 0. It may be 2^31, of whose sign only `sign` tells.
template <bool ANY>
__device__ __forceinline__ uint32_t positive(uint32_t value, uint32_t sign)
{
    if (ANY)
        return static_cast<int32_t>(sign) < 0 ? 0 : value;
    return max(static_cast<int32_t>(value), 0);
}

// By all lanes of a warp.
template <bool ANY>
__device__ __forceinline__ Decoupled<int32_t> decouple(const Stream &, const CoarseWeights<ANY> &weights,
                                                       const int32_t (&reference)[BANDS],
                                                       const int32_t (&distorted)[BANDS])
{
    const bool near = is_near_quickly(reference, distorted);
    Decoupled<int32_t> result = {};
#pragma unroll
    for (uint32_t band = 0; band < BANDS; ++band) {
        const int32_t o = reference[band], t = distorted[band];
        const uint32_t magnitude = o < 0 ? 0u - o : o;
        const uint32_t sign = o >> 31; // all bits of it
        const uint32_t turned = (t ^ sign) - sign; // as if the reference were not negative
        const uint32_t along = positive<ANY>(turned, t ^ sign);
        uint32_t kept = reduce(magnitude, along, sign);
        if (near)
            kept = min(weights.gain * min(kept, weights.most), along);
        const int32_t part = static_cast<int32_t>((kept ^ sign) - sign);
        add_part(result, 0, band, weigh(part, weights.weights[band]));
        add_part(result, 1, band, weigh(t - part, weights.weights[band]));
    }
    return result;
}

} // namespace adm

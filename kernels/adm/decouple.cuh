// SPDX-License-Identifier: BSD-2-Clause-Patent
// Decoupling of the distorted picture into a restored and an additive part (adm.md section 5.4), as specified.
#pragma once

#include "parameters.cuh"
#include "wavelet.cuh"

namespace adm {

// The squared cosine of one degree in single precision.
constexpr float COS_SQUARED = 0.9996954202651978f;

// The dot product of two (h, v) as the specification rounds it. Its division by 2^12 changes no comparison.
__host__ __device__ __forceinline__ double dot(const int32_t (&a)[BANDS], const int32_t (&b)[BANDS])
{
    const int64_t sum = static_cast<int64_t>(a[0]) * b[0] + static_cast<int64_t>(a[1]) * b[1];
    return static_cast<double>(static_cast<float>(sum));
}

// Whether the distorted (h, v) points where the reference's does, within a degree.
__host__ __device__ __forceinline__ bool is_near(const int32_t (&reference)[BANDS], const int32_t (&distorted)[BANDS])
{
    const double along = dot(reference, distorted);
    return along >= 0.0
           && along * along >= COS_SQUARED * dot(reference, reference) * dot(distorted, distorted);
}

// How many bits of a reference coefficient the ratio leaves out.
__device__ __forceinline__ uint32_t bits_beyond_15(uint32_t magnitude)
{
    return magnitude < 1u << 15 ? 0 : 32 - 15 - __clz(static_cast<int>(magnitude));
}

// distorted / reference, from 0 to 1 in units of 2^-15, by a reciprocal of 15 bits.
__device__ __forceinline__ int32_t ratio(int32_t reference, int32_t distorted)
{
    constexpr int64_t one = 1 << 15;
    if (reference == 0)
        return one;
    const uint32_t magnitude = reference < 0 ? 0u - reference : reference;
    const uint32_t dropped = bits_beyond_15(magnitude);
    const uint32_t mantissa = static_cast<uint32_t>(round_shift(static_cast<uint64_t>(magnitude), dropped));
    const int64_t along = reference < 0 ? -static_cast<int64_t>(distorted) : distorted;
    const int64_t quotient = round_shift(static_cast<int64_t>((1u << 30) / mantissa) * along, 15 + dropped);
    return static_cast<int32_t>(quotient < 0 ? 0 : quotient > one ? one : quotient);
}

// What of the distorted coefficient is the reference's: reduced, or where the two point the same way (`near`)
// enhanced up to the gain limit.
__device__ __forceinline__ int32_t restored(int32_t reference, int32_t distorted, bool near, double gain_limit)
{
    const int32_t k = ratio(reference, distorted);
    const int32_t reduced =
        static_cast<int32_t>(round_shift(static_cast<int64_t>(k) * reference, 15));
    if (!near || k == 0 || reference == 0)
        return reduced;
    const double enhanced = reduced * gain_limit, most = distorted;
    const bool within = reference > 0 ? enhanced < most : enhanced > most;
    return __double2int_rz(within ? enhanced : most);
}

} // namespace adm

// SPDX-License-Identifier: BSD-2-Clause-Patent
// What samples add to the sums of a scale, section 5.6 of the specification, without a branch for each sample: values
// are set so that terms which do not count come out as 0.
#pragma once

#include "../common/cuda.cuh"
#include "../common/ptx.cuh"
#include "filter.cuh"

namespace vif {

// T[i] - 30720 - ((i - 32768) >> 4) of the specification's log table: one byte each.
struct LogBytes {
    uint8_t entry[32768];
};

// Sums of one lane over at most 2^15 samples.
struct LaneSums {
    uint32_t numerator;
    uint32_t denominator;
    uint64_t flat_variance;
    uint32_t flat;
};

// 2048 log2(v) and a constant, from the upper word of v as a double: exponent and leading bits stand there, from which
// the table has its distance.
__device__ __forceinline__ uint32_t shifted_log(const LogBytes &table, double value)
{
    const uint32_t high = static_cast<uint32_t>(__double2hiint(value));
    return table.entry[(high >> 5) & 0x7fffu] + (high >> 9);
}

// The shifted log of the noise, which terms of the denominator are relative to.
constexpr uint32_t NOISE_SHIFTED_LOG = (1023 + 17) * OCTAVE;

// Rounded toward zero, sums with 2^52 are integers, found in their lower words.
constexpr double TWO_TO_52 = 4503599627370496.0;
constexpr uint32_t HIGH_OF_TWO_TO_52 = 0x43300000;

// a / b rounded to nearest, for 2^17 <= b < 2^32 and 0 <= a < 2^32: the reciprocal by two steps of Newton's iteration,
// then one correction of the quotient, as compilers do it, less their checks.
__device__ __forceinline__ double quotient(double a, double b)
{
    double reciprocal = approximate_reciprocal(b);
    double error = __fma_rn(-b, reciprocal, 1.0);
    error = __fma_rn(error, error, error);
    reciprocal = __fma_rn(reciprocal, error, reciprocal);
    error = __fma_rn(-b, reciprocal, 1.0);
    reciprocal = __fma_rn(reciprocal, error, reciprocal);
    const double estimate = __dmul_rn(a, reciprocal);
    return __fma_rn(reciprocal, __fma_rn(-b, estimate, a), estimate);
}

// 2^52 + the noise + what is left of the distorted variance, `rest`, without its fraction and not below 0. Without
// IN_RANGE the rest is any number below 2^31, else one from -2^30 to 2^30.5.
template <bool IN_RANGE>
__device__ __forceinline__ double base_of(double rest)
{
    if (!IN_RANGE)
        return __dadd_rz(rest > 0.0 ? rest : 0.0, TWO_TO_52 + NOISE);
    const int32_t low = __double2loint(__dadd_rz(rest, TWO_TO_52 + NOISE));
    const int32_t noise = NOISE;
    return __hiloint2double(HIGH_OF_TWO_TO_52, low > noise ? low : noise);
}

template <uint32_t N>
__device__ __forceinline__ bool has_flat_samples(const int32_t (&references)[N])
{
    bool flat = false;
#pragma unroll
    for (uint32_t i = 0; i < N; ++i)
        flat |= references[i] < static_cast<int32_t>(NOISE);
    return flat;
}

template <uint32_t N>
__device__ __forceinline__ bool has_other_samples(const int32_t (&references)[N])
{
    bool other = false;
#pragma unroll
    for (uint32_t i = 0; i < N; ++i)
        other |= references[i] >= static_cast<int32_t>(NOISE);
    return other;
}

template <uint32_t N>
__device__ __forceinline__ void add_flat_samples(const int32_t (&references)[N], const int32_t (&distorted)[N],
                                                 LaneSums &sums)
{
#pragma unroll
    for (uint32_t i = 0; i < N; ++i) {
        if (references[i] < static_cast<int32_t>(NOISE)) {
            sums.flat_variance += static_cast<uint32_t>(distorted[i]);
            sums.flat += 1;
        }
    }
}

// Samples that are not flat, four at a time, so that not too much is in registers. With a reference of 0 the term of the
// denominator is 0; with a covariance of 0 the gain is, and so the term of the numerator.
template <bool IN_RANGE>
__device__ __forceinline__ void add_four_terms(const LogBytes &table, const int32_t *references,
                                               const int32_t *distorted, const int32_t *covariances, double gain_limit,
                                               LaneSums &sums)
{
    double gains[4], variances[4], bases[4];
    bool any_above = false;
#pragma unroll
    for (uint32_t i = 0; i < 4; ++i) {
        const bool counts = references[i] >= static_cast<int32_t>(NOISE);
        const int32_t positive = covariances[i] > 0 ? covariances[i] : 0;
        variances[i] = static_cast<double>(counts ? references[i] : 0);
        const double covariance = static_cast<double>(counts && distorted[i] > 0 ? positive : 0);
        sums.denominator += shifted_log(table, __dadd_rn(variances[i], NOISE)) - NOISE_SHIFTED_LOG;
        gains[i] = quotient(covariance, __dadd_rn(variances[i], EPSILON));
        const double rest = __dsub_rn(static_cast<double>(distorted[i]), __dmul_rn(gains[i], covariance));
        bases[i] = base_of<IN_RANGE>(rest);
        // Positive doubles are ordered as their upper words, as far as these tell.
        any_above |= __double2hiint(gains[i]) >= __double2hiint(gain_limit);
    }
    if (__any_sync(FULL_WARP, any_above)) {
#pragma unroll
        for (uint32_t i = 0; i < 4; ++i)
            gains[i] = gains[i] < gain_limit ? gains[i] : gain_limit;
    }
#pragma unroll
    for (uint32_t i = 0; i < 4; ++i) {
        const double top = __dadd_rz(__dmul_rn(__dmul_rn(gains[i], gains[i]), variances[i]), bases[i]);
        sums.numerator += shifted_log(table, __dadd_rn(top, -TWO_TO_52))
                          - shifted_log(table, __dadd_rn(bases[i], -TWO_TO_52));
    }
}

// What the samples of a window add: by their variances in the reference and in the distorted picture, these 0 or more,
// and the covariances. All lanes of the warp call it.
template <bool IN_RANGE, uint32_t N>
__device__ __forceinline__ void add_terms(const LogBytes &table, const int32_t (&references)[N],
                                          const int32_t (&distorted)[N], const int32_t (&covariances)[N],
                                          double gain_limit, LaneSums &sums)
{
    if (__any_sync(FULL_WARP, has_flat_samples(references))) {
        add_flat_samples(references, distorted, sums);
        if (!__any_sync(FULL_WARP, has_other_samples(references)))
            return;
    }
#pragma unroll
    for (uint32_t i = 0; i < N; i += 4)
        add_four_terms<IN_RANGE>(table, references + i, distorted + i, covariances + i, gain_limit, sums);
}

} // namespace vif

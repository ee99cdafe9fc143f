// SPDX-License-Identifier: BSD-2-Clause-Patent
// The wavelet of the fast form: vertically from staged rows, then horizontally, in 32 bits where these are enough.
#pragma once

#include "../common/ptx.cuh"
#include "parameters.cuh"
#include "staging.cuh"
#include "wavelet.cuh"

namespace adm {

// Two 16-bit taps in a word.
__host__ __device__ __forceinline__ constexpr uint32_t tap_pair(int32_t first, int32_t second)
{
    return (static_cast<uint32_t>(first) & 0xffffu) | static_cast<uint32_t>(second) << 16;
}

// What centres samples of any depth, once the sums are in units of 2^-16: half a unit, and for the low-pass the middle
// of the range times the sum of the taps.
constexpr uint32_t HALF = 1u << 15;
constexpr uint32_t CENTRED = HALF - 46342u * HALF;

// Digits of __byte_perm that take the first two, or the other two, columns of two rows of four bytes.
constexpr uint32_t FIRST_COLUMNS = 0x5140;
constexpr uint32_t SECOND_COLUMNS = 0x7362;

// Two columns of four rows: the bytes of the upper two rows, column by column, and those of the lower two.
struct ByteColumns {
    uint32_t above;
    uint32_t below;
};

__device__ __forceinline__ int32_t byte_low(const ByteColumns &columns, bool second)
{
    constexpr uint32_t above = tap_pair(15826, 27411), below = tap_pair(7345, -4240);
    constexpr int32_t start = static_cast<int32_t>(CENTRED) >> 8;
    return dot_halves(below, columns.below, second, dot_halves(above, columns.above, second, start)) >> 8;
}

__device__ __forceinline__ int32_t byte_high(const ByteColumns &columns, bool second)
{
    constexpr uint32_t above = tap_pair(-4240, -7345), below = tap_pair(27411, -15826);
    return dot_halves(below, columns.below, second, dot_halves(above, columns.above, second, HALF >> 8)) >> 8;
}

// Taps in units of 2^-16 for samples of some depth. Sums wrap, but what is left of them is right: no more than their 32
// lowest bits are ever looked at.
struct ScaledTaps {
    uint32_t low[TAPS];
    uint32_t high[TAPS];

    __device__ __forceinline__ explicit ScaledTaps(uint32_t middle)
    {
        const uint32_t unit = HALF / middle;
        const int32_t low_taps[TAPS] = {15826, 27411, 7345, -4240}, high_taps[TAPS] = {-4240, -7345, 27411, -15826};
#pragma unroll
        for (uint32_t tap = 0; tap < TAPS; ++tap) {
            low[tap] = low_taps[tap] * unit;
            high[tap] = high_taps[tap] * unit;
        }
    }
};

__device__ __forceinline__ int32_t dot_taps(const uint32_t (&taps)[TAPS], const uint32_t (&samples)[TAPS],
                                            uint32_t start)
{
    uint32_t sum = start;
#pragma unroll
    for (uint32_t tap = 0; tap < TAPS; ++tap)
        sum += taps[tap] * samples[tap];
    return static_cast<int32_t>(sum) >> 16;
}

// The same of wider numbers, whose sums need 64 bits.
__device__ __forceinline__ int64_t low_pass_wide(const int32_t (&samples)[TAPS], int32_t start)
{
    const int64_t first = multiply_add_wide(15826, samples[0], start);
    return multiply_add_wide(
        -4240, samples[3], multiply_add_wide(7345, samples[2], multiply_add_wide(27411, samples[1], first)));
}

__device__ __forceinline__ int64_t high_pass_wide(const int32_t (&samples)[TAPS], int32_t start)
{
    const int64_t first = multiply_add_wide(-4240, samples[0], start);
    return multiply_add_wide(
        -15826, samples[3], multiply_add_wide(27411, samples[2], multiply_add_wide(-7345, samples[1], first)));
}

// Samples of a row after the vertical pass.
template <uint32_t COLUMNS>
struct Lines {
    int32_t low[COLUMNS];
    int32_t high[COLUMNS];
};

using StepLines = Lines<STEP_SAMPLES>;

// The vertical pass of a step from this lane's four rows in a stage. One kind a scale.
struct FromBytes {
    using Sample = uint8_t;

    __device__ __forceinline__ explicit FromBytes(const Stream &) {}

    __device__ __forceinline__ StepLines operator()(const StagedRows<Sample> &rows) const
    {
        uint2 words[TAPS];
#pragma unroll
        for (uint32_t tap = 0; tap < TAPS; ++tap)
            words[tap] = rows.template read<uint2>(tap, 0);
        StepLines lines;
#pragma unroll
        for (uint32_t half = 0; half < 2; ++half) {
            uint32_t quad[TAPS];
#pragma unroll
            for (uint32_t tap = 0; tap < TAPS; ++tap)
                quad[tap] = half == 0 ? words[tap].x : words[tap].y;
#pragma unroll
            for (uint32_t i = 0; i < 4; ++i) {
                const uint32_t digits = i < 2 ? FIRST_COLUMNS : SECOND_COLUMNS;
                const ByteColumns columns = {__byte_perm(quad[0], quad[1], digits),
                                             __byte_perm(quad[2], quad[3], digits)};
                lines.low[4 * half + i] = byte_low(columns, i % 2 != 0);
                lines.high[4 * half + i] = byte_high(columns, i % 2 != 0);
            }
        }
        return lines;
    }
};

// The word `index` of 16 bytes.
__device__ __forceinline__ uint32_t word_of(const uint4 &words, uint32_t index)
{
    return index == 0 ? words.x : index == 1 ? words.y : index == 2 ? words.z : words.w;
}

// The 16-bit sample `index` of 16 bytes.
__device__ __forceinline__ uint32_t half_word(const uint4 &words, uint32_t index)
{
    const uint32_t word = word_of(words, index / 2);
    return index % 2 == 0 ? word & 0xffffu : word >> 16;
}

// A piece of the four rows.
template <typename Sample>
__device__ __forceinline__ void read_rows(uint4 (&words)[TAPS], const StagedRows<Sample> &rows, uint32_t piece)
{
#pragma unroll
    for (uint32_t tap = 0; tap < TAPS; ++tap)
        words[tap] = rows.template read<uint4>(tap, piece);
}

struct FromWords {
    using Sample = uint16_t;
    ScaledTaps taps;

    __device__ __forceinline__ explicit FromWords(const Stream &stream) : taps(stream.middle) {}

    __device__ __forceinline__ StepLines operator()(const StagedRows<Sample> &rows) const
    {
        uint4 words[TAPS];
        read_rows(words, rows, 0);
        StepLines lines;
#pragma unroll
        for (uint32_t i = 0; i < STEP_SAMPLES; ++i) {
            const uint32_t samples[TAPS] = {half_word(words[0], i), half_word(words[1], i), half_word(words[2], i),
                                            half_word(words[3], i)};
            lines.low[i] = dot_taps(taps.low, samples, CENTRED);
            lines.high[i] = dot_taps(taps.high, samples, HALF);
        }
        return lines;
    }
};

// From the low-pass band of scale 0: sums fit a word and are not rounded.
struct FromHalves {
    using Sample = int16_t;

    __device__ __forceinline__ explicit FromHalves(const Stream &) {}

    __device__ __forceinline__ StepLines operator()(const StagedRows<Sample> &rows) const
    {
        uint4 words[TAPS];
        read_rows(words, rows, 0);
        StepLines lines;
#pragma unroll
        for (uint32_t i = 0; i < STEP_SAMPLES; ++i) {
            int32_t samples[TAPS];
#pragma unroll
            for (uint32_t tap = 0; tap < TAPS; ++tap) {
                const int32_t word = static_cast<int32_t>(word_of(words[tap], i / 2));
                samples[tap] = i % 2 == 0 ? static_cast<int16_t>(word) : word >> 16;
            }
            lines.low[i] = low_pass(samples);
            lines.high[i] = high_pass(samples);
        }
        return lines;
    }
};

// From the low-pass bands of coarser scales.
struct FromIntegers {
    using Sample = int32_t;

    __device__ __forceinline__ explicit FromIntegers(const Stream &) {}

    __device__ __forceinline__ StepLines operator()(const StagedRows<Sample> &rows) const
    {
        StepLines lines;
#pragma unroll
        for (uint32_t half = 0; half < 2; ++half) {
            uint4 words[TAPS];
            read_rows(words, rows, half);
#pragma unroll
            for (uint32_t i = 0; i < 4; ++i) {
                int32_t samples[TAPS];
#pragma unroll
                for (uint32_t tap = 0; tap < TAPS; ++tap)
                    samples[tap] = static_cast<int32_t>(word_of(words[tap], i));
                lines.low[4 * half + i] = static_cast<int32_t>(low_pass_wide(samples, HALF) >> 16);
                lines.high[4 * half + i] = static_cast<int32_t>(high_pass_wide(samples, HALF) >> 16);
            }
        }
        return lines;
    }
};

// What a step needs of the one before: its last three columns.
constexpr uint32_t CARRIED = 3;
using CarriedLines = Lines<CARRIED>;

__device__ __forceinline__ CarriedLines carry(const StepLines &lines)
{
    CarriedLines last;
#pragma unroll
    for (uint32_t i = 0; i < CARRIED; ++i) {
        last.low[i] = lines.low[STEP_SAMPLES - CARRIED + i];
        last.high[i] = lines.high[STEP_SAMPLES - CARRIED + i];
    }
    return last;
}

// The columns under the taps of band column `column` of a step, -1 to 2.
__device__ __forceinline__ Lines<TAPS> under_taps(const CarriedLines &before, const StepLines &lines, uint32_t column)
{
    Lines<TAPS> under;
#pragma unroll
    for (uint32_t tap = 0; tap < TAPS; ++tap) {
        const uint32_t at = 2 * column + tap;
        const bool carried = at < CARRIED;
        under.low[tap] = carried ? before.low[carried ? at : 0] : lines.low[carried ? 0 : at - CARRIED];
        under.high[tap] = carried ? before.high[carried ? at : 0] : lines.high[carried ? 0 : at - CARRIED];
    }
    return under;
}

// The bands h, v and d at a position.
template <uint32_t SCALE>
__device__ __forceinline__ void details(const Lines<TAPS> &lines, int32_t (&bands)[BANDS])
{
    if (SCALE == 0) {
        bands[0] = (low_pass(lines.high) + static_cast<int32_t>(HALF)) >> 16;
        bands[1] = (high_pass(lines.low) + static_cast<int32_t>(HALF)) >> 16;
        bands[2] = (high_pass(lines.high) + static_cast<int32_t>(HALF)) >> 16;
    } else {
        constexpr uint32_t SHIFT = SCALE == 2 ? 16 : 15;
        constexpr int32_t OFFSET = 1 << (SHIFT - 1);
        bands[0] = static_cast<int32_t>(low_pass_wide(lines.high, OFFSET) >> SHIFT);
        bands[1] = static_cast<int32_t>(high_pass_wide(lines.low, OFFSET) >> SHIFT);
        bands[2] = static_cast<int32_t>(high_pass_wide(lines.high, OFFSET) >> SHIFT);
    }
}

} // namespace adm

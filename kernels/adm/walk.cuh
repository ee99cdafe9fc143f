// SPDX-License-Identifier: BSD-2-Clause-Patent
// The sums of a scale's rows: a warp has a strip of band rows, a lane a row, and walks along the columns. A row's sums
// stay in its lane, so that nothing is added across lanes; thresholds look at the rows above and below by shuffles and
// at the columns beside by keeping two. A step is four band columns.
#pragma once

#include "coarse.cuh"
#include "finest.cuh"
#include "lines.cuh"
#include "staging.cuh"

namespace adm {

constexpr uint32_t STEP_COLUMNS = STEP_SAMPLES / 2;

// What a lane adds up of a scale's positions.
template <uint32_t SCALE>
struct NumberOf {
    using Type = int32_t;
};

template <>
struct NumberOf<0> {
    using Type = float;
};

// Integers from some number on.
struct Range {
    int32_t first;
    uint32_t count;

    __device__ __forceinline__ Range(int32_t first, int32_t end) : first(first), count(end > first ? end - first : 0)
    {
    }

    __device__ __forceinline__ bool holds(int32_t value) const
    {
        return static_cast<uint32_t>(value - first) < count;
    }
};

// A rounding shift of products, whose half stays in registers: where the compiler knows it, it adds it afterwards.
struct CubeRounding {
    uint64_t half;
    uint32_t shift;

    __device__ __forceinline__ explicit CubeRounding(uint32_t shift)
        : half(as_it_is(static_cast<uint64_t>((1ull << shift) >> 1))), shift(shift)
    {
    }
};

// Roundings of a scale.
struct CubeRoundings {
    CubeRounding reference;
    CubeRounding edge; // of bands h and v
    CubeRounding diagonal;

    __device__ __forceinline__ explicit CubeRoundings(const Scale &scale)
        : reference(scale.denominator_shift), edge(scale.numerator_shifts[0]), diagonal(scale.numerator_shifts[1])
    {
    }
};

struct RowSums {
    uint64_t reference[BANDS];
    int64_t parts[PARTS][BANDS];
};

template <uint32_t SCALE>
__device__ __forceinline__ void add_reference_cubes(RowSums &sums, const CubeRounding &rounding,
                                                    const int32_t (&reference)[BANDS])
{
#pragma unroll
    for (uint32_t band = 0; band < BANDS; ++band) {
        const uint32_t magnitude = reference[band] < 0 ? 0u - reference[band] : reference[band];
        if (SCALE == 0) {
            sums.reference[band] = multiply_add_wide(magnitude * magnitude, magnitude, sums.reference[band]);
        } else {
            constexpr uint32_t BITS = reference_square_bits(SCALE);
            const uint64_t product = static_cast<uint64_t>(magnitude) * magnitude;
            const uint32_t square = static_cast<uint32_t>((product + (1ull << BITS)) >> BITS);
            sums.reference[band] += multiply_add_wide(square, magnitude, rounding.half) >> rounding.shift;
        }
    }
}

// The cube of what stands out of a threshold.
template <bool FINEST>
__device__ __forceinline__ int64_t masked_cube(uint32_t magnitude, uint32_t threshold, uint32_t band,
                                               const CubeRoundings &roundings)
{
    constexpr uint32_t EDGE_BITS = FINEST ? 29 : 30;
    const uint32_t bits = band < 2 ? EDGE_BITS : 30;
    const CubeRounding &rounding = band < 2 ? roundings.edge : roundings.diagonal;
    const uint32_t scaled = !FINEST ? threshold : threshold << (band < 2 ? 10 : 12);
    const int32_t beyond = max(static_cast<int32_t>(magnitude - scaled), 0);
    const uint64_t product = static_cast<uint64_t>(static_cast<uint32_t>(beyond)) * static_cast<uint32_t>(beyond);
    const int32_t square = static_cast<int32_t>((product + (1ull << (bits - 1))) >> bits);
    return multiply_add_wide(square, beyond, static_cast<int64_t>(rounding.half)) >> rounding.shift;
}

// The low 22 bits of a threshold; what else is in the word is shifted out of it.
__device__ __forceinline__ uint32_t threshold_bits(float threshold)
{
    return __float_as_uint(threshold + 1.5f * INTEGERS);
}

__device__ __forceinline__ uint32_t threshold_bits(int32_t threshold)
{
    return static_cast<uint32_t>(threshold);
}

// A number of this lane's row and of those above and below.
template <typename Number>
__device__ __forceinline__ Number add_rows_beside(Number value)
{
    return value + __shfl_up_sync(FULL_WARP, value, 1) + __shfl_down_sync(FULL_WARP, value, 1);
}

// What a lane keeps of the columns before: for column c of the walk, sums around c - 2 and c - 1, and all of c - 1.
template <typename Number>
struct Column {
    Number earlier[PARTS];
    Number around[PARTS];
    Number rest[PARTS];
    uint32_t magnitudes[PARTS][BANDS];
};

// Adds the cubes of the column before, now that both columns beside it are known.
template <bool FINEST, typename Number>
__device__ __forceinline__ void add_masked_cubes(RowSums &sums, const CubeRoundings &roundings,
                                                 const Column<Number> &column, const Number (&later)[PARTS])
{
    uint32_t thresholds[PARTS];
#pragma unroll
    for (uint32_t part = 0; part < PARTS; ++part)
        thresholds[part] =
            threshold_bits(column.earlier[part] + column.around[part] + later[part] + column.rest[part]);
#pragma unroll
    for (uint32_t part = 0; part < PARTS; ++part)
#pragma unroll
        for (uint32_t band = 0; band < BANDS; ++band)
            sums.parts[part][band] +=
                masked_cube<FINEST>(column.magnitudes[part][band], thresholds[1 - part], band, roundings);
}

template <typename Number>
__device__ __forceinline__ void move_on(Column<Number> &column, const Decoupled<Number> &here,
                                        const Number (&around)[PARTS])
{
#pragma unroll
    for (uint32_t part = 0; part < PARTS; ++part) {
        column.earlier[part] = column.around[part];
        column.around[part] = around[part];
        column.rest[part] = here.shares[part].rest;
#pragma unroll
        for (uint32_t band = 0; band < BANDS; ++band)
            column.magnitudes[part][band] = here.magnitudes[part][band];
    }
}

// Some steps of a strip.
struct Segment {
    int32_t first;
    int32_t end;
};

// The sums of this lane's row over the columns of a segment that are in the window.
template <uint32_t SCALE, typename Weights>
struct Accumulator {
    using Number = typename NumberOf<SCALE>::Type;

    const Stream &stream;
    const Weights &weights;
    const CubeRoundings roundings;
    const Range pooled;
    RowSums sums;
    Column<Number> column;

    __device__ __forceinline__ Accumulator(const Stream &stream, const Weights &weights, const Scale &scale,
                                           const Segment &segment)
        : stream(stream), weights(weights), roundings(scale),
          pooled(max(static_cast<int32_t>(scale.left), static_cast<int32_t>(STEP_COLUMNS) * segment.first),
                 min(static_cast<int32_t>(scale.right), static_cast<int32_t>(STEP_COLUMNS) * segment.end)),
          sums{}, column{}
    {
    }

    // Adds the reference's cubes of column `x` and the masked ones of the column before.
    __device__ __forceinline__ void add(int32_t x, const int32_t (&reference)[BANDS], const int32_t (&distorted)[BANDS])
    {
        const Decoupled<Number> here = decouple(stream, weights, reference, distorted);
        if (pooled.holds(x))
            add_reference_cubes<SCALE>(sums, roundings.reference, reference);
        const Number around[PARTS] = {add_rows_beside(here.shares[0].around), add_rows_beside(here.shares[1].around)};
        if (pooled.holds(x - 1))
            add_masked_cubes<SCALE == 0>(sums, roundings, column, around);
        move_on(column, here, around);
    }
};

// Walks through a segment.
template <uint32_t SCALE, typename Vertical, typename Weights>
__device__ __forceinline__ RowSums walk(const Stream &stream, const Weights &weights,
                                        const Stages<typename Vertical::Sample> &stages, const Segment &segment)
{
    constexpr int32_t STEPS = StageLayout<sizeof(typename Vertical::Sample)>::STEPS;
    const Vertical vertical(stream);
    Accumulator<SCALE, Weights> row(stream, weights, stream.scales[SCALE], segment);
    CarriedLines before[2] = {};
    // The step before the first brings its last columns, the one after the last the column beside.
    int32_t stage = (segment.first - 1 + STEPS) / STEPS - 1;
    bool fresh = true;
    stages.load(stage);
    for (int32_t step = segment.first - 1; step <= segment.end; ++step) {
        if (fresh) {
            stages.wait();
            if ((stage + 1) * STEPS <= segment.end)
                stages.load(stage + 1);
        }
        StepLines lines[2];
#pragma unroll
        for (uint32_t picture = 0; picture < 2; ++picture)
            lines[picture] = vertical(stages.rows(stage, step - stage * STEPS, picture));
        if (step >= segment.first) {
#pragma unroll
            for (uint32_t i = 0; i < STEP_COLUMNS; ++i) {
                if (i == 2 && step == segment.end)
                    break;
                int32_t reference[BANDS], distorted[BANDS];
                details<SCALE>(under_taps(before[0], lines[0], i), reference);
                details<SCALE>(under_taps(before[1], lines[1], i), distorted);
                row.add(static_cast<int32_t>(STEP_COLUMNS) * step - 1 + static_cast<int32_t>(i), reference, distorted);
            }
        }
        before[0] = carry(lines[0]);
        before[1] = carry(lines[1]);
        fresh = step + 1 == (stage + 1) * STEPS;
        if (fresh)
            ++stage;
    }
    return row.sums;
}

// Adds a lane's sums to those of its row, which other segments add to as well.
__device__ __forceinline__ void add_row_sums(const RowSums &sums, uint64_t *rows, uint32_t row, uint32_t row_count)
{
#pragma unroll
    for (uint32_t band = 0; band < BANDS; ++band) {
        atomic_add(rows + band * row_count + row, sums.reference[band]);
#pragma unroll
        for (uint32_t part = 0; part < PARTS; ++part)
            atomic_add(rows + ((1 + part) * BANDS + band) * row_count + row,
                       static_cast<uint64_t>(sums.parts[part][band]));
    }
}

// One of `shares` equal shares of a frame's positions at a scale.
struct Share {
    uint32_t index;
    uint32_t shares;
};

// A warp's share of a scale: the sums of the rows of some strips, or of parts of them.
template <uint32_t SCALE, typename Vertical, typename Weights>
__device__ __forceinline__ void sum_share(const Stream &stream, const Weights &weights,
                                          const Source &source, uint64_t *rows, const Share &share,
                                          WarpStages &memory)
{
    const Scale &scale = stream.scales[SCALE];
    const uint32_t row_count = scale.bottom - scale.top;
    const uint32_t strips = (row_count + STRIP_ROWS - 1) / STRIP_ROWS;
    const int32_t first_step = scale.left / STEP_COLUMNS;
    const int32_t steps = (scale.right + STEP_COLUMNS - 1) / STEP_COLUMNS - first_step;
    const uint64_t all = static_cast<uint64_t>(strips) * steps;
    int32_t at = static_cast<int32_t>(all * share.index / share.shares);
    const int32_t end = static_cast<int32_t>(all * (share.index + 1) / share.shares);
    while (at < end) {
        const uint32_t strip = at / steps;
        const int32_t start = at - static_cast<int32_t>(strip) * steps, count = min(end - at, steps - start);
        const int32_t first_row = static_cast<int32_t>(scale.top + strip * STRIP_ROWS) - 1;
        const Stages<typename Vertical::Sample> stages(memory, source, first_row);
        const Segment segment = {first_step + start, first_step + start + count};
        const RowSums sums = walk<SCALE, Vertical>(stream, weights, stages, segment);
        const uint32_t row = strip * STRIP_ROWS + lane_index() - 1;
        if (lane_index() > 0 && lane_index() <= STRIP_ROWS && row < row_count)
            add_row_sums(sums, rows, row, row_count);
        at += count;
    }
}

} // namespace adm

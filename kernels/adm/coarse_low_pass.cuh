// SPDX-License-Identifier: BSD-2-Clause-Patent
// The low-pass bands of the scales 1 and 2 in the fast form: as at scale 0, but of its four numbers of a row of scale 1 a
// lane makes two of scale 2 at once.
#pragma once

#include "low_pass.cuh"

namespace adm {

// Rows of scale 2 that a warp makes one below the other. Those of scale 1 above and below them are made twice.
constexpr uint32_t COARSE_ROWS = 4;
constexpr uint32_t COARSE_OUTPUTS = LANE_OUTPUTS / 2;

// A strip of a picture's bands: scale 0 is read, the scales 1 and 2 are made.
struct CoarseStrip {
    using Kind = LaneRows<int16_t>;

    const Kind kind;
    const Scale &finest;
    const Scale &finer;
    const Scale &coarse;
    LaneColumns columns;        // of scale 0
    const int16_t *finest_band; // each from the lane's first number of a row on
    int32_t *finer_band;
    int32_t *coarse_band;

    __device__ __forceinline__ CoarseStrip(const Stream &stream, const Frame &frame, uint32_t picture, uint32_t strip,
                                           uint32_t strips)
        : kind(stream), finest(stream.scales[0]), finer(stream.scales[1]), coarse(stream.scales[2]),
          columns(strip, strips, finest.width),
          finest_band(low_band<const int16_t>(frame, finest, picture) + columns.readable()),
          finer_band(low_band<int32_t>(frame, finer, picture) + columns.first / 2),
          coarse_band(low_band<int32_t>(frame, coarse, picture) + columns.first / 4)
    {
        // The last lane's first number, at which the one before it looks, may have a mirrored column under it.
        columns.at_border = columns.at_border || strip + 2 == strips;
    }

    __device__ __forceinline__ Kind::Row load(int32_t row) const
    {
        return *reinterpret_cast<const Kind::Row *>(finest_band + static_cast<uint64_t>(row) * finest.low_stride);
    }
};

// A lane's numbers in a row of scale 1.
struct FinerRow {
    int32_t numbers[LANE_OUTPUTS];
};

__device__ __forceinline__ FinerRow finer_row(const CoarseStrip &strip, const CoarseStrip::Kind::Pair &above,
                                              const CoarseStrip::Kind::Pair &below)
{
    int32_t lines[LANE_SAMPLES + 2];
    vertical_pass(strip.kind, above, below, strip.columns, lines);
    FinerRow row;
#pragma unroll
    for (uint32_t i = 0; i < LANE_OUTPUTS; ++i) {
        int32_t under[TAPS];
        under_output(lines, i, under);
        row.numbers[i] = static_cast<int32_t>(low_pass_wide(under, 1 << 14) >> 15);
    }
    return row;
}

// Rows of scale 1 one after the other, none of which, nor anything under them, is mirrored.
class InnerFinerRows {
    const CoarseStrip &strip;
    int32_t line; // of scale 0, the next to load
    CoarseStrip::Kind::Pair above;
    CoarseStrip::Kind::Row upper;
    CoarseStrip::Kind::Row lower;

    __device__ __forceinline__ void load_ahead()
    {
        upper = strip.load(line);
        lower = strip.load(line + 1);
        line += 2;
    }

public:
    __device__ __forceinline__ InnerFinerRows(const CoarseStrip &strip, int32_t first)
        : strip(strip), line(2 * first - 1)
    {
        load_ahead();
        above = strip.kind.pair(upper, lower);
        load_ahead();
    }

    __device__ __forceinline__ FinerRow next(bool is_last)
    {
        const CoarseStrip::Kind::Pair below = strip.kind.pair(upper, lower);
        if (!is_last)
            load_ahead();
        const FinerRow row = finer_row(strip, above, below);
        above = below;
        return row;
    }
};

// Rows of scale 1 one after the other, mirrored.
class MirroredFinerRows {
    const CoarseStrip &strip;
    int32_t row;

    __device__ __forceinline__ CoarseStrip::Kind::Pair pair(int32_t line) const
    {
        const int32_t height = static_cast<int32_t>(strip.finest.height);
        return strip.kind.pair(strip.load(mirror(line, height)), strip.load(mirror(line + 1, height)));
    }

public:
    __device__ __forceinline__ MirroredFinerRows(const CoarseStrip &strip, int32_t first) : strip(strip), row(first) {}

    __device__ __forceinline__ FinerRow next(bool)
    {
        const int32_t at = mirror(row, static_cast<int32_t>(strip.finer.height));
        ++row;
        return finer_row(strip, pair(2 * at - 1), pair(2 * at + 1));
    }
};

__device__ __forceinline__ void store_finer_row(const CoarseStrip &strip, const FinerRow &row, uint32_t y)
{
    if (strip.columns.writes() && y < strip.finer.height)
        *reinterpret_cast<int4 *>(strip.finer_band + static_cast<uint64_t>(y) * strip.finer.low_stride) =
            make_int4(row.numbers[0], row.numbers[1], row.numbers[2], row.numbers[3]);
}

// A row of scale 2 from the four rows under it.
__device__ __forceinline__ void make_coarse_row(const CoarseStrip &strip, const FinerRow (&above)[2],
                                                const FinerRow (&below)[2], uint32_t y)
{
    int32_t lines[LANE_OUTPUTS + 2], low[COARSE_OUTPUTS];
#pragma unroll
    for (uint32_t i = 0; i < LANE_OUTPUTS; ++i) {
        const int32_t under[TAPS] = {above[0].numbers[i], above[1].numbers[i], below[0].numbers[i],
                                     below[1].numbers[i]};
        lines[i + 1] = static_cast<int32_t>(low_pass_wide(under, HALF) >> 16);
    }
    bring_ends<LANE_OUTPUTS>(lines, strip.columns.first / 2, static_cast<int32_t>(strip.finer.width),
                             strip.columns.at_border);
#pragma unroll
    for (uint32_t i = 0; i < COARSE_OUTPUTS; ++i) {
        int32_t under[TAPS];
        under_output(lines, i, under);
        low[i] = static_cast<int32_t>(low_pass_wide(under, HALF) >> 16);
    }
    if (strip.columns.writes())
        *reinterpret_cast<int2 *>(strip.coarse_band + static_cast<uint64_t>(y) * strip.coarse.low_stride) =
            make_int2(low[0], low[1]);
}

// Some rows of scale 2, and those of scale 1 right under them.
template <typename Rows>
__device__ __forceinline__ void coarse_rows(const CoarseStrip &strip, uint32_t first, uint32_t count)
{
    Rows rows(strip, static_cast<int32_t>(2 * first) - 1);
    FinerRow above[2] = {rows.next(false), rows.next(false)};
    store_finer_row(strip, above[1], 2 * first);
    for (uint32_t y = first; y < first + count; ++y) {
        const bool is_last = y + 1 == first + count;
        const FinerRow below[2] = {rows.next(false), rows.next(is_last)};
        store_finer_row(strip, below[0], 2 * y + 1);
        if (!is_last)
            store_finer_row(strip, below[1], 2 * y + 2);
        make_coarse_row(strip, above, below, y);
        above[0] = below[0];
        above[1] = below[1];
    }
}

// The low-pass bands of the scales 1 and 2 of a picture, by all warps of the grid's x.
__device__ __forceinline__ void coarse_low_pass(const Stream &stream, const Frame &frame, uint32_t picture)
{
    const Scale &finest = stream.scales[0], &finer = stream.scales[1], &coarse = stream.scales[2];
    const uint32_t strips = (finer.width + WARP_OUTPUTS - 1) / WARP_OUTPUTS;
    const uint32_t segments = (coarse.height + COARSE_ROWS - 1) / COARSE_ROWS;
    for (uint32_t part = first_row(); part < strips * segments; part += row_step()) {
        const CoarseStrip strip(stream, frame, picture, part % strips, strips);
        const uint32_t first = part / strips * COARSE_ROWS, count = min(COARSE_ROWS, coarse.height - first);
        const uint32_t last = 2 * (first + count); // of scale 1
        if (first > 0 && last < finer.height && 2 * last + 2 < finest.height)
            coarse_rows<InnerFinerRows>(strip, first, count);
        else
            coarse_rows<MirroredFinerRows>(strip, first, count);
    }
}

} // namespace adm

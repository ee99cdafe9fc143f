// SPDX-License-Identifier: BSD-2-Clause-Patent
// The low-pass band of scale 0 in the fast form, and what those of the coarser scales share with it. A warp walks down a
// strip, and a lane has eight samples of each row, of which it makes four numbers of the band.
#pragma once

#include "lines.cuh"
#include "parameters.cuh"

namespace adm {

constexpr uint32_t LANE_SAMPLES = 8;
constexpr uint32_t LANE_OUTPUTS = LANE_SAMPLES / 2;
// The first and the last lane only serve their neighbours.
constexpr uint32_t WARP_OUTPUTS = (WARP_THREADS - 2) * LANE_OUTPUTS;

// A lane's samples of a row, and of two neighbouring rows: made ready once, looked at as the upper and the lower pair.
template <typename Sample>
struct LaneRows;

template <>
struct LaneRows<uint8_t> {
    using Row = uint2;
    struct Pair {
        uint32_t columns[LANE_SAMPLES / 2]; // two of them each
    };

    __device__ __forceinline__ explicit LaneRows(const Stream &) {}

    __device__ __forceinline__ Pair pair(const Row &upper, const Row &lower) const
    {
        return {{__byte_perm(upper.x, lower.x, FIRST_COLUMNS), __byte_perm(upper.x, lower.x, SECOND_COLUMNS),
                 __byte_perm(upper.y, lower.y, FIRST_COLUMNS), __byte_perm(upper.y, lower.y, SECOND_COLUMNS)}};
    }

    __device__ __forceinline__ int32_t low(const Pair &above, const Pair &below, uint32_t i) const
    {
        return byte_low({above.columns[i / 2], below.columns[i / 2]}, i % 2 != 0);
    }
};

template <>
struct LaneRows<uint16_t> {
    using Row = uint4;
    struct Pair {
        Row upper;
        Row lower;
    };
    ScaledTaps taps;

    __device__ __forceinline__ explicit LaneRows(const Stream &stream) : taps(stream.middle) {}

    __device__ __forceinline__ Pair pair(const Row &upper, const Row &lower) const
    {
        return {upper, lower};
    }

    __device__ __forceinline__ int32_t low(const Pair &above, const Pair &below, uint32_t i) const
    {
        const uint32_t samples[TAPS] = {half_word(above.upper, i), half_word(above.lower, i),
                                        half_word(below.upper, i), half_word(below.lower, i)};
        return dot_taps(taps.low, samples, CENTRED);
    }
};

// Numbers of the low-pass band of scale 0.
template <>
struct LaneRows<int16_t> {
    using Row = uint4;
    struct Pair {
        int32_t upper[LANE_SAMPLES];
        int32_t lower[LANE_SAMPLES];
    };

    __device__ __forceinline__ explicit LaneRows(const Stream &) {}

    __device__ __forceinline__ Pair pair(const Row &upper, const Row &lower) const
    {
        Pair pair;
#pragma unroll
        for (uint32_t i = 0; i < LANE_SAMPLES; ++i) {
            pair.upper[i] = static_cast<int16_t>(half_word(upper, i));
            pair.lower[i] = static_cast<int16_t>(half_word(lower, i));
        }
        return pair;
    }

    __device__ __forceinline__ int32_t low(const Pair &above, const Pair &below, uint32_t i) const
    {
        const int32_t samples[TAPS] = {above.upper[i], above.lower[i], below.upper[i], below.lower[i]};
        return low_pass(samples);
    }
};

// Rows one after the other, none of them beyond the picture.
struct InnerRows {
    const uint8_t *start;
    uint32_t pitch;

    __device__ __forceinline__ InnerRows(const Plane &plane, int32_t first)
        : start(row_of<uint8_t>(plane, first)), pitch(plane.pitch)
    {
    }

    __device__ __forceinline__ const uint8_t *next()
    {
        const uint8_t *const row = start;
        start += pitch;
        return row;
    }
};

// Rows one after the other, mirrored.
struct MirroredRows {
    const Plane &plane;
    int32_t row;

    __device__ __forceinline__ MirroredRows(const Plane &plane, int32_t first) : plane(plane), row(first) {}

    __device__ __forceinline__ const uint8_t *next()
    {
        const int32_t at = mirror(row, static_cast<int32_t>(plane.height));
        ++row;
        return row_of<uint8_t>(plane, at);
    }
};

// Which samples of a row a lane has.
struct LaneColumns {
    int32_t first; // may be outside the picture
    int32_t width;
    bool at_border; // the whole warp is

    __device__ __forceinline__ LaneColumns(uint32_t strip, uint32_t strips, uint32_t width)
        : first(static_cast<int32_t>(strip * (WARP_THREADS - 2) + lane_index()) * static_cast<int32_t>(LANE_SAMPLES)
                - static_cast<int32_t>(LANE_SAMPLES)),
          width(static_cast<int32_t>(width)), at_border(strip == 0 || strip + 1 == strips)
    {
    }

    // Where something can be read: a row's last samples are followed by others up to the pitch.
    __device__ __forceinline__ uint32_t readable() const
    {
        constexpr int32_t LANE = LANE_SAMPLES;
        return max(min(first, (width - 1) / LANE * LANE), 0);
    }

    __device__ __forceinline__ bool writes() const
    {
        return lane_index() > 0 && lane_index() < WARP_THREADS - 1 && first < width;
    }

    // Whether the lane's numbers, of 16 bits, are the last of a row and end in the middle of a chunk.
    __device__ __forceinline__ bool leaves_half_a_chunk() const
    {
        constexpr int32_t LANE = LANE_SAMPLES;
        return writes() && first + LANE >= width && first / LANE % 2 == 0;
    }
};

// A row's lines from the column before a lane's first up to the one after its last: brings the two at the ends from the
// lanes beside, or from where they are mirrored. All lanes of the warp call it.
template <uint32_t COUNT>
__device__ __forceinline__ void bring_ends(int32_t (&lines)[COUNT + 2], int32_t first, int32_t width, bool at_border)
{
    lines[0] = __shfl_up_sync(FULL_WARP, lines[COUNT], 1);
    lines[COUNT + 1] = __shfl_down_sync(FULL_WARP, lines[1], 1);
    if (!at_border)
        return;
    if (first == 0)
        lines[0] = lines[2];
#pragma unroll
    for (int32_t left = 1; left <= static_cast<int32_t>(COUNT); ++left) {
        if (first + left != width)
            continue;
        lines[left + 1] = lines[left];
        if (left < static_cast<int32_t>(COUNT))
            lines[left + 2] = lines[left - 1];
    }
}

// The lines under output `i` of a lane's.
template <uint32_t COUNT>
__device__ __forceinline__ void under_output(const int32_t (&lines)[COUNT], uint32_t i, int32_t (&under)[TAPS])
{
#pragma unroll
    for (uint32_t tap = 0; tap < TAPS; ++tap)
        under[tap] = lines[2 * i + tap];
}

// Two numbers' upper halves.
__device__ __forceinline__ uint32_t upper_halves(int32_t first, int32_t second)
{
    return __byte_perm(first, second, 0x7632);
}

// A row's lines from two pairs of rows.
template <typename Sample>
__device__ __forceinline__ void vertical_pass(const LaneRows<Sample> &rows, const typename LaneRows<Sample>::Pair &above,
                                              const typename LaneRows<Sample>::Pair &below, const LaneColumns &columns,
                                              int32_t (&lines)[LANE_SAMPLES + 2])
{
#pragma unroll
    for (uint32_t i = 0; i < LANE_SAMPLES; ++i)
        lines[i + 1] = rows.low(above, below, i);
    bring_ends<LANE_SAMPLES>(lines, columns.first, columns.width, columns.at_border);
}

// A row of the band of scale 0 from two pairs of rows. All lanes of the warp call it.
template <typename Sample>
__device__ __forceinline__ uint2 low_row(const LaneRows<Sample> &rows, const typename LaneRows<Sample>::Pair &above,
                                         const typename LaneRows<Sample>::Pair &below, const LaneColumns &columns)
{
    int32_t lines[LANE_SAMPLES + 2], low[LANE_OUTPUTS];
    vertical_pass(rows, above, below, columns, lines);
#pragma unroll
    for (uint32_t i = 0; i < LANE_OUTPUTS; ++i) {
        int32_t under[TAPS];
        under_output(lines, i, under);
        low[i] = low_pass(under) + static_cast<int32_t>(HALF);
    }
    return make_uint2(upper_halves(low[0], low[1]), upper_halves(low[2], low[3]));
}

// Some rows of a strip of the band, from `out` on. Rows gives the source rows from the first tap on.
template <typename Sample, typename Rows>
__device__ __forceinline__ void low_rows(const LaneRows<Sample> &kind, Rows rows, const LaneColumns &columns,
                                         int16_t *out, uint32_t stride, uint32_t count)
{
    using Row = typename LaneRows<Sample>::Row;
    const uint32_t offset = columns.readable() * sizeof(Sample);
    const auto load = [&] { return *reinterpret_cast<const Row *>(rows.next() + offset); };
    const bool writes = columns.writes(), leaves_half_a_chunk = columns.leaves_half_a_chunk();
    Row upper = load(), lower = load();
    typename LaneRows<Sample>::Pair above = kind.pair(upper, lower);
    upper = load();
    lower = load();
#pragma unroll 4
    for (; count > 0; --count) {
        const typename LaneRows<Sample>::Pair below = kind.pair(upper, lower);
        if (count > 1) {
            upper = load();
            lower = load();
        }
        const uint2 low = low_row<Sample>(kind, above, below, columns);
        if (writes)
            *reinterpret_cast<uint2 *>(out) = low;
        // The passes after this one read whole chunks.
        if (leaves_half_a_chunk)
            *reinterpret_cast<uint2 *>(out + LANE_OUTPUTS) = make_uint2(0, 0);
        out += stride;
        above = below;
    }
}

// The low-pass band of scale 0 of a picture, by all warps of the grid's x, `segment` rows at a time.
template <typename Sample>
__device__ __forceinline__ void finest_low_pass(const Stream &stream, const Frame &frame, uint32_t picture,
                                                uint32_t segment)
{
    const Scale &scale = stream.scales[0];
    const Plane &plane = frame.pictures[picture];
    const LaneRows<Sample> kind(stream);
    const uint32_t strips = (scale.width + WARP_OUTPUTS - 1) / WARP_OUTPUTS;
    const uint32_t segments = (scale.height + segment - 1) / segment;
    for (uint32_t part = first_row(); part < strips * segments; part += row_step()) {
        const uint32_t first = part / strips * segment, count = min(segment, scale.height - first);
        const LaneColumns columns(part % strips, strips, plane.width);
        int16_t *const out = low_band<int16_t>(frame, scale, picture) + static_cast<uint64_t>(first) * scale.low_stride
                             + columns.first / 2;
        const int32_t first_row = static_cast<int32_t>(2 * first) - 1;
        if (first > 0 && 2 * (first + count) < plane.height)
            low_rows(kind, InnerRows(plane, first_row), columns, out, scale.low_stride, count);
        else
            low_rows(kind, MirroredRows(plane, first_row), columns, out, scale.low_stride, count);
    }
}

} // namespace adm

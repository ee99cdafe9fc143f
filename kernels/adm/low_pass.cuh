// SPDX-License-Identifier: BSD-2-Clause-Patent
// The low-pass bands of the fast form. Scale 0: a warp walks down, and a lane has eight samples of each row, of which
// it makes four numbers. Scales 1 and 2: a block makes a tile of scale 2, by way of what is under it of scale 1, in
// shared memory.
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

// Rows one after the other, none of them beyond the picture.
struct InnerRows {
    const uint8_t *start;
    uint32_t pitch;

    __device__ __forceinline__ InnerRows(const Plane &plane, int32_t first)
        : start(static_cast<const uint8_t *>(plane.start) + static_cast<uint64_t>(first) * plane.pitch),
          pitch(plane.pitch)
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
        return static_cast<const uint8_t *>(plane.start) + static_cast<uint64_t>(at) * plane.pitch;
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

    // Puts what is mirrored to its place in lines from the column before the lane's first up to the one after its last.
    __device__ __forceinline__ void mirror_ends(int32_t (&lines)[LANE_SAMPLES + 2]) const
    {
        if (first == 0)
            lines[0] = lines[2];
#pragma unroll
        for (int32_t left = 1; left <= static_cast<int32_t>(LANE_SAMPLES); ++left) {
            if (first + left != width)
                continue;
            lines[left + 1] = lines[left];
            if (left < static_cast<int32_t>(LANE_SAMPLES))
                lines[left + 2] = lines[left - 1];
        }
    }
};

// Two numbers' upper halves.
__device__ __forceinline__ uint32_t upper_halves(int32_t first, int32_t second)
{
    return __byte_perm(first, second, 0x7632);
}

// A row of the band from two pairs of rows. All lanes of the warp call it.
template <typename Sample>
__device__ __forceinline__ uint2 low_row(const LaneRows<Sample> &rows, const typename LaneRows<Sample>::Pair &above,
                                         const typename LaneRows<Sample>::Pair &below, const LaneColumns &columns)
{
    int32_t lines[LANE_SAMPLES + 2];
#pragma unroll
    for (uint32_t i = 0; i < LANE_SAMPLES; ++i)
        lines[i + 1] = rows.low(above, below, i);
    lines[0] = __shfl_up_sync(FULL_WARP, lines[LANE_SAMPLES], 1);
    lines[LANE_SAMPLES + 1] = __shfl_down_sync(FULL_WARP, lines[1], 1);
    if (columns.at_border)
        columns.mirror_ends(lines);
    int32_t low[LANE_OUTPUTS];
#pragma unroll
    for (uint32_t i = 0; i < LANE_OUTPUTS; ++i) {
        const int32_t under[TAPS] = {lines[2 * i], lines[2 * i + 1], lines[2 * i + 2], lines[2 * i + 3]};
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
    const bool writes = columns.writes();
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

// A tile of scale 2, and what is under it: of scale 1 one column and row more at each side, of scale 0 two columns.
constexpr uint32_t TILE = 16;
constexpr uint32_t FINER = 2 * TILE + 2;
constexpr uint32_t FINEST_PAIRS = FINER + 2;
constexpr uint32_t TILE_THREADS = 8 * FINEST_PAIRS;

struct LowPassShared {
    // Scale 0 after the vertical pass. A number before each row, so that the taps' first pair is aligned.
    int32_t finest[FINER][2 * FINEST_PAIRS + 4];
    int32_t finer[FINER][FINER + 2];
    int32_t lines[TILE][FINER + 2]; // scale 1 after the vertical pass
};

// Where a tile is; INNER where nothing under it is mirrored.
template <bool INNER>
struct Tile {
    const Scale &finest;
    const Scale &finer;
    const Scale &coarse;
    int32_t x; // of its first number
    int32_t y;

    // Of what is under it of scale 1, and of the pairs of scale 0.
    __device__ __forceinline__ int32_t finer_x() const { return 2 * x - 1; }
    __device__ __forceinline__ int32_t finer_y() const { return 2 * y - 1; }
    __device__ __forceinline__ int32_t finest_x() const { return 4 * x - 4; }

    // Whether there is such a number of a band.
    __device__ __forceinline__ static bool has(int32_t at, uint32_t length)
    {
        return INNER || static_cast<uint32_t>(at) < length;
    }

    // The position under tap `tap` of output `k`.
    __device__ __forceinline__ static int32_t under(int32_t k, uint32_t tap, uint32_t length)
    {
        const int32_t at = 2 * k - 1 + static_cast<int32_t>(tap);
        return INNER ? at : mirror(at, static_cast<int32_t>(length));
    }
};

// A thread's place in rows of `width`: rows go in steps of 8.
struct PlaceInRows {
    uint32_t row;
    uint32_t column;

    __device__ __forceinline__ explicit PlaceInRows(uint32_t width)
        : row(threadIdx.x / width), column(threadIdx.x % width)
    {
    }
};
constexpr uint32_t ROW_STEP = 8;

template <bool INNER>
__device__ __forceinline__ void filter_finest_down(LowPassShared &shared, const Tile<INNER> &tile, const int16_t *band)
{
    const PlaceInRows place(FINEST_PAIRS);
    const int32_t x = tile.finest_x() + 2 * static_cast<int32_t>(place.column);
#pragma unroll
    for (uint32_t row = place.row; row < FINER; row += ROW_STEP) {
        const int32_t y = tile.finer_y() + static_cast<int32_t>(row);
        if (!tile.has(y, tile.finer.height) || !tile.has(x, tile.finest.width))
            continue;
        int32_t first[TAPS], second[TAPS];
#pragma unroll
        for (uint32_t tap = 0; tap < TAPS; ++tap) {
            const uint64_t line = tile.under(y, tap, tile.finest.height);
            const int32_t pair = *reinterpret_cast<const int32_t *>(band + line * tile.finest.low_stride + x);
            first[tap] = static_cast<int16_t>(pair);
            second[tap] = pair >> 16;
        }
        shared.finest[row][2 * place.column + 1] = low_pass(first);
        shared.finest[row][2 * place.column + 2] = low_pass(second);
    }
}

// Numbers of scale 1, of which those right under the tile go to the band.
template <bool INNER>
__device__ __forceinline__ void filter_finest_across(LowPassShared &shared, const Tile<INNER> &tile, int32_t *band)
{
    const PlaceInRows place(FINER);
    const int32_t x = tile.finer_x() + static_cast<int32_t>(place.column);
    if (place.row >= ROW_STEP)
        return;
#pragma unroll
    for (uint32_t row = place.row; row < FINER; row += ROW_STEP) {
        const int32_t y = tile.finer_y() + static_cast<int32_t>(row);
        if (!tile.has(y, tile.finer.height) || !tile.has(x, tile.finer.width))
            continue;
        int32_t under[TAPS];
#pragma unroll
        for (uint32_t tap = 0; tap < TAPS; ++tap)
            under[tap] = shared.finest[row][tile.under(x, tap, tile.finest.width) - tile.finest_x() + 1];
        const int32_t low = static_cast<int32_t>(low_pass_wide(under, 1 << 14) >> 15);
        shared.finer[row][place.column] = low;
        if (row >= 1 && row <= 2 * TILE && place.column >= 1 && place.column <= 2 * TILE)
            band[static_cast<uint64_t>(y) * tile.finer.low_stride + x] = low;
    }
}

template <bool INNER>
__device__ __forceinline__ void filter_finer_down(LowPassShared &shared, const Tile<INNER> &tile)
{
    const PlaceInRows place(FINER);
    if (place.row >= ROW_STEP || !tile.has(tile.finer_x() + static_cast<int32_t>(place.column), tile.finer.width))
        return;
#pragma unroll
    for (uint32_t row = place.row; row < TILE; row += ROW_STEP) {
        const int32_t y = tile.y + static_cast<int32_t>(row);
        if (!tile.has(y, tile.coarse.height))
            continue;
        int32_t under[TAPS];
#pragma unroll
        for (uint32_t tap = 0; tap < TAPS; ++tap)
            under[tap] = shared.finer[tile.under(y, tap, tile.finer.height) - tile.finer_y()][place.column];
        shared.lines[row][place.column] = static_cast<int32_t>(low_pass_wide(under, HALF) >> 16);
    }
}

template <bool INNER>
__device__ __forceinline__ void filter_finer_across(const LowPassShared &shared, const Tile<INNER> &tile, int32_t *band)
{
    const PlaceInRows place(TILE);
    const int32_t x = tile.x + static_cast<int32_t>(place.column), y = tile.y + static_cast<int32_t>(place.row);
    if (place.row >= TILE || !tile.has(x, tile.coarse.width) || !tile.has(y, tile.coarse.height))
        return;
    int32_t under[TAPS];
#pragma unroll
    for (uint32_t tap = 0; tap < TAPS; ++tap)
        under[tap] = shared.lines[place.row][tile.under(x, tap, tile.finer.width) - tile.finer_x()];
    band[static_cast<uint64_t>(y) * tile.coarse.low_stride + x] =
        static_cast<int32_t>(low_pass_wide(under, HALF) >> 16);
}

// A tile of a picture, by all threads of the block.
template <bool INNER>
__device__ __forceinline__ void coarse_low_pass(LowPassShared &shared, const Frame &frame, const Tile<INNER> &tile,
                                                uint32_t picture)
{
    filter_finest_down(shared, tile, low_band<const int16_t>(frame, tile.finest, picture));
    __syncthreads();
    filter_finest_across(shared, tile, low_band<int32_t>(frame, tile.finer, picture));
    __syncthreads();
    filter_finer_down(shared, tile);
    __syncthreads();
    filter_finer_across(shared, tile, low_band<int32_t>(frame, tile.coarse, picture));
}

// Whether nothing under a tile is mirrored or missing.
__device__ __forceinline__ bool is_inner(const Tile<false> &tile)
{
    const auto inside = [](int32_t first, uint32_t count, uint32_t length) {
        return first >= 0 && first + static_cast<int32_t>(count) <= static_cast<int32_t>(length);
    };
    return inside(tile.finest_x(), 2 * FINEST_PAIRS, tile.finest.width)
           && inside(2 * tile.finer_y() - 1, 2 * FINER + 2, tile.finest.height)
           && inside(tile.finer_x(), FINER, tile.finer.width) && inside(tile.finer_y(), FINER, tile.finer.height);
}

} // namespace adm

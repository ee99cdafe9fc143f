// SPDX-License-Identifier: BSD-2-Clause-Patent
// motion, the fast form (grid z: the pair). A warp takes 128 columns, a lane four of them, and walks down the rows of a
// segment with the differences of five rows in registers. V is never stored: lanes hand its margins to their
// neighbours. Lanes at a warp's ends lack a neighbour, so that tiles of columns overlap.
//
// As long as all differences of a segment stay below half of the samples' range, both sums of the filter fit 32 bits.
// After the first that does not, they have 64 bits: that takes samples above the depth's maximum too.
#include "motion/parameters.cuh"

#include "common/reduce.cuh"

constexpr uint32_t MOTION_LANE = 4;                                     // columns of a lane
constexpr uint32_t MOTION_TILE = MOTION_LANE * WARP_THREADS;            // of a warp
constexpr uint32_t MOTION_TILE_STEP = MOTION_TILE - 2 * MOTION_LANE;    // from a tile to the next
constexpr uint32_t MOTION_RING = 5;                                     // rows that the filter reaches
constexpr uint32_t MOTION_LAST_LANE = WARP_THREADS - 1;

// V of a lane's columns from two to the left of them to two to the right.
constexpr uint32_t MOTION_REACH = MOTION_LANE + 4;

// Samples of 8 bits. Differences are floats: these, the vertical filter in 256ths and V have at most 24 bits.
struct MotionBytes {
    using Word = uint32_t; // of a lane's columns
    using Difference = float;

    // V comes as the bits of 1.5 * 2^23 + V, which are this and V. It is a multiple of 65536, as the taps' sum is: the
    // horizontal sum in 32 bits does not show it.
    static constexpr uint32_t BIAS = 0x4b400000u;

    // The float 2^23 + one byte of a word: its bits.
    __device__ __forceinline__ static float lifted(uint32_t word, uint32_t byte)
    {
        return __uint_as_float(__byte_perm(word, 0x4b000000u, 0x7440u + byte));
    }

    __device__ __forceinline__ static void subtract(uint32_t previous, uint32_t current, float (&d)[MOTION_LANE])
    {
#pragma unroll
        for (uint32_t i = 0; i < MOTION_LANE; ++i)
            d[i] = lifted(previous, i) - lifted(current, i);
    }

    // A bit for each difference of at least 128 among the bits of `large_bits`.
    __device__ __forceinline__ static uint32_t magnitudes(uint32_t previous, uint32_t current,
                                                          const float (&)[MOTION_LANE])
    {
        return __vabsdiffu4(previous, current);
    }

    __device__ __forceinline__ static uint32_t large_bits(uint32_t)
    {
        return 0x80808080u;
    }

    template <typename Sum>
    __device__ __forceinline__ static uint32_t vertical(const float (&d)[MOTION_RING][MOTION_LANE], uint32_t i, uint32_t)
    {
        float sum = __fmaf_rn(d[2][i], MOTION_CENTRE / 256.0f, 0.5f);
        sum = __fmaf_rn(d[1][i] + d[3][i], MOTION_INNER / 256.0f, sum);
        sum = __fmaf_rn(d[0][i] + d[4][i], MOTION_OUTER / 256.0f, sum);
        return __float_as_uint(__fadd_rd(sum, 12582912.0f));
    }
};

// Samples of 9 to 16 bits.
struct MotionWords {
    using Word = uint2;
    using Difference = int32_t;

    static constexpr uint32_t BIAS = 0;

    __device__ __forceinline__ static void subtract(uint2 previous, uint2 current, int32_t (&d)[MOTION_LANE])
    {
        d[0] = static_cast<int32_t>(previous.x & 0xffffu) - static_cast<int32_t>(current.x & 0xffffu);
        d[1] = static_cast<int32_t>(previous.x >> 16) - static_cast<int32_t>(current.x >> 16);
        d[2] = static_cast<int32_t>(previous.y & 0xffffu) - static_cast<int32_t>(current.y & 0xffffu);
        d[3] = static_cast<int32_t>(previous.y >> 16) - static_cast<int32_t>(current.y >> 16);
    }

    // All bits of the absolute differences together.
    __device__ __forceinline__ static uint32_t magnitudes(uint2, uint2, const int32_t (&d)[MOTION_LANE])
    {
        return static_cast<uint32_t>(abs(d[0]) | abs(d[1]) | abs(d[2]) | abs(d[3]));
    }

    // Those of half of the range and more.
    __device__ __forceinline__ static uint32_t large_bits(uint32_t bits)
    {
        return ~0u << (bits - 1);
    }

    template <typename Sum>
    __device__ __forceinline__ static uint32_t vertical(const int32_t (&d)[MOTION_RING][MOTION_LANE], uint32_t i,
                                                        uint32_t bits)
    {
        return static_cast<uint32_t>(motion_filter<Sum>(d[0][i], d[1][i], d[2][i], d[3][i], d[4][i], bits));
    }
};

// Where a lane reads: its columns of both pictures, row after row, mirrored at the pictures' ends.
template <typename Word>
struct MotionWalk {
    const uint8_t *previous, *current;
    uint32_t previous_pitch, current_pitch;
    int32_t y; // of the row that is read next, before it is mirrored
    int32_t last;

    __device__ __forceinline__ MotionWalk(const MotionPair &pair, uint32_t column, int32_t y)
        : previous_pitch(pair.previous.pitch), current_pitch(pair.current.pitch), y(y),
          last(static_cast<int32_t>(pair.current.height) - 1)
    {
        const uint64_t row = static_cast<uint32_t>(y < 0 ? -y : y);
        const uint32_t offset = column / MOTION_LANE * static_cast<uint32_t>(sizeof(Word));
        previous = static_cast<const uint8_t *>(pair.previous.start) + row * previous_pitch + offset;
        current = static_cast<const uint8_t *>(pair.current.start) + row * current_pitch + offset;
    }

    __device__ __forceinline__ void read(Word &earlier, Word &later)
    {
        earlier = __ldg(reinterpret_cast<const Word *>(previous));
        later = __ldg(reinterpret_cast<const Word *>(current));
        // Outside of the picture mirrored rows come one above the other.
        const bool down = static_cast<uint32_t>(y) < static_cast<uint32_t>(last);
        previous += down ? static_cast<int64_t>(previous_pitch) : -static_cast<int64_t>(previous_pitch);
        current += down ? static_cast<int64_t>(current_pitch) : -static_cast<int64_t>(current_pitch);
        ++y;
    }
};

// What a warp has to do: columns from `first` on, rows from `start` to `end`.
struct MotionSegment {
    uint32_t first;
    int32_t start, end;
    bool leftmost, rightmost; // of the tiles
};

// One lane of a warp on its way down.
template <typename Samples>
struct MotionLane {
    typename Samples::Difference d[MOTION_RING][MOTION_LANE];
    uint32_t sums[MOTION_LANE];
    uint32_t large; // bits of all differences so far
    uint32_t bits;
    int32_t left;   // columns from the lane's first on
    bool at_start;  // the lane's first column is the picture's
    bool mirrors;   // some lane of the warp reaches over the picture's sides

    // Takes a row of samples into the ring.
    __device__ __forceinline__ void take(typename Samples::Word previous, typename Samples::Word current, uint32_t place)
    {
        Samples::subtract(previous, current, d[place]);
        large |= Samples::magnitudes(previous, current, d[place]);
    }

    __device__ __forceinline__ void advance()
    {
#pragma unroll
        for (uint32_t row = 0; row + 1 < MOTION_RING; ++row)
#pragma unroll
            for (uint32_t i = 0; i < MOTION_LANE; ++i)
                d[row][i] = d[row + 1][i];
    }

    // Puts mirrored columns in the place of those outside of the picture. v[2] is the lane's first column.
    __device__ __forceinline__ void mirror(uint32_t (&v)[MOTION_REACH]) const
    {
switch (left) {
        case 1: v[3] = v[1], v[4] = v[0]; break;
        case 2: v[4] = v[2], v[5] = v[1]; break;
        case 3: v[5] = v[3], v[6] = v[2]; break;
        case 4: v[6] = v[4], v[7] = v[3]; break;
        case 5: v[7] = v[5]; break;
        default: break;
        }
        if (at_start)
            v[0] = v[4], v[1] = v[3];
    }

    // Adds |H| of a row, with filter sums in numbers of the type `Sum`.
    template <typename Sum>
    __device__ __forceinline__ void add()
    {
        uint32_t v[MOTION_REACH];
#pragma unroll
        for (uint32_t i = 0; i < MOTION_LANE; ++i)
            v[2 + i] = Samples::template vertical<Sum>(d, i, bits);
        v[0] = shuffle_up(v[4], 1);
        v[1] = shuffle_up(v[5], 1);
        v[6] = shuffle_down(v[2], 1);
        v[7] = shuffle_down(v[3], 1);
        if (mirrors)
            mirror(v);
#pragma unroll
        for (uint32_t i = 0; i < MOTION_LANE; ++i)
            sums[i] = __sad(horizontal<Sum>(v + i), 0, sums[i]);
    }

    template <typename Sum>
    __device__ __forceinline__ static int32_t horizontal(const uint32_t *v)
    {
        if (sizeof(Sum) == 8) {
            const auto plain = [&](uint32_t i) { return static_cast<int32_t>(v[i] - Samples::BIAS); };
            return motion_filter<int64_t>(plain(0), plain(1), plain(2), plain(3), plain(4), 16);
        }
        return static_cast<int32_t>(motion_weighted<uint32_t>(v[0], v[1], v[2], v[3], v[4]) + 32768u) >> 16;
    }
};

// The lane's share of a segment's sum.
template <typename Samples>
__device__ __forceinline__ uint64_t motion_walk(const MotionPair &pair, const MotionSegment &segment, uint32_t bits)
{
    using Word = typename Samples::Word;
    const uint32_t width = pair.current.width, column = segment.first + lane_index() * MOTION_LANE;
    MotionLane<Samples> lane;
    lane.bits = bits;
    lane.large = 0;
    lane.left = static_cast<int32_t>(width) - static_cast<int32_t>(column);
    lane.at_start = column == 0;
    lane.mirrors = segment.leftmost || segment.rightmost;
    // Lanes outside of the picture read its last columns, and count for nothing.
    MotionWalk<Word> walk(pair, min(column, (width - 1) / MOTION_LANE * MOTION_LANE), segment.start - 2);
    Word previous, current;
#pragma unroll
    for (uint32_t row = 0; row + 1 < MOTION_RING; ++row) {
        walk.read(previous, current);
        lane.take(previous, current, row);
    }
#pragma unroll
    for (uint32_t i = 0; i < MOTION_LANE; ++i)
        lane.sums[i] = 0;
    walk.read(previous, current);
    const uint32_t large_bits = Samples::large_bits(bits);
#pragma unroll 5
    for (int32_t y = segment.start; y < segment.end; ++y) {
        lane.take(previous, current, MOTION_RING - 1);
        if (y + 1 < segment.end)
            walk.read(previous, current);
        if (__any_sync(FULL_WARP, (lane.large & large_bits) != 0))
            lane.template add<int64_t>();
        else
            lane.template add<int32_t>();
        lane.advance();
    }
    const bool whole = (lane_index() > 0 || segment.leftmost) && (lane_index() < MOTION_LAST_LANE || segment.rightmost);
    uint64_t sum = 0;
#pragma unroll
    for (int32_t i = 0; i < static_cast<int32_t>(MOTION_LANE); ++i)
        sum += whole && i < lane.left ? lane.sums[i] : 0;
    return sum;
}

// The work that falls to a warp: segment by segment, tile by tile.
template <typename Samples>
__device__ __forceinline__ void motion_walks(const MotionParameters &p)
{
    const uint32_t width = p.pairs[0].current.width, height = p.pairs[0].current.height;
    const uint32_t tiles = width <= MOTION_TILE ? 1 : (width - MOTION_TILE + MOTION_TILE_STEP - 1) / MOTION_TILE_STEP + 1;
    const uint32_t segments = (height + p.segment_rows - 1) / p.segment_rows;
    for (uint32_t frame = blockIdx.z; frame < p.frames; frame += gridDim.z) {
        uint64_t sums[1] = {0};
        for (uint32_t item = first_row(); item < tiles * segments; item += row_step()) {
            const uint32_t tile = item % tiles, start = item / tiles * p.segment_rows;
            const MotionSegment segment = {tile * MOTION_TILE_STEP, static_cast<int32_t>(start),
                                           static_cast<int32_t>(min(start + p.segment_rows, height)), tile == 0,
                                           tile + 1 == tiles};
            sums[0] += motion_walk<Samples>(p.pairs[frame], segment, p.bits);
        }
        block_add(sums, p.pairs[frame].sum);
    }
}

// Planes of 8 bits.
extern "C" __global__ void __launch_bounds__(BLOCK_THREADS) motion_walk_8(const __grid_constant__ MotionParameters p)
{
    motion_walks<MotionBytes>(p);
}
EXPORT_KERNEL(motion_walk_8, MotionParameters, 240);

// Planes of 9 to 16 bits.
extern "C" __global__ void __launch_bounds__(BLOCK_THREADS) motion_walk_16(const __grid_constant__ MotionParameters p)
{
    motion_walks<MotionWords>(p);
}
EXPORT_KERNEL(motion_walk_16, MotionParameters, 240);

// SPDX-License-Identifier: BSD-2-Clause-Patent
// Source rows of a warp's strip of band rows on their way through shared memory, a stage of 32 bytes of each row at a
// time, while the stage before is at work. Warps have their own stages: no barrier of the block is needed.
#pragma once

#include "../common/ptx.cuh"
#include "parameters.cuh"
#include "wavelet.cuh"

namespace adm {

// A lane has a band row. Those of the first and the last lane are only looked at by their neighbours.
constexpr uint32_t STRIP_ROWS = WARP_THREADS - 2;
// Source rows under them: two more than twice as many.
constexpr uint32_t STAGE_ROWS = 2 * WARP_THREADS + 2;
constexpr uint32_t STAGE_BYTES = 32;
// Source columns of a step, from which four band columns come.
constexpr uint32_t STEP_SAMPLES = 8;

// How a stage of one picture lies in shared memory: first the even ones of its rows, then the odd ones, so that lanes
// read rows that follow one another. Pieces of a row change places by the row's number, so that lanes that read a piece
// each at once find them in different banks.
template <uint32_t SAMPLE_BYTES>
struct StageLayout {
    static constexpr uint32_t PARITY = STAGE_ROWS / 2 * STAGE_BYTES;
    static constexpr uint32_t PICTURE = 2 * PARITY;
    static constexpr uint32_t PIECE = SAMPLE_BYTES == 1 ? 8 : 16; // bytes that a lane reads or copies at a time
    static constexpr uint32_t PIECES = STAGE_BYTES / PIECE;
    static constexpr uint32_t SAMPLES = STAGE_BYTES / SAMPLE_BYTES;
    static constexpr uint32_t STEPS = SAMPLES / STEP_SAMPLES;
    static constexpr uint32_t STEP_PIECES = PIECES / STEPS;

    // Where a piece of a row is.
    __device__ __forceinline__ static uint32_t offset(uint32_t row, uint32_t piece)
    {
        const uint32_t line = row / 2;
        return row % 2 * PARITY + line * STAGE_BYTES + (piece ^ (line / 4 % PIECES)) * PIECE;
    }
};

// A warp's shared memory, of one size for samples of all sizes.
struct WarpStages {
    uint8_t stages[2][2][StageLayout<1>::PICTURE]; // two of both pictures
};

// Both pictures of a frame at one scale.
struct Source {
    const uint8_t *pictures[2];
    uint32_t pitches[2]; // bytes
    int32_t width;
    int32_t height;

    // The row that is read for one from -1 on. Past the last one that is needed it may be any.
    __device__ __forceinline__ uint32_t mirrored_row(int32_t row) const
    {
        return min(abs(row), max(2 * height - 1 - row, 0));
    }
};

// A lane's four rows of a picture's stage, from one step on.
template <typename Sample>
struct StagedRows {
    using Layout = StageLayout<sizeof(Sample)>;
    const uint8_t *start;
    uint32_t step;

    // The words of a piece of the step, of the row under a tap. Words are of a piece's size.
    template <typename Words>
    __device__ __forceinline__ Words read(uint32_t tap, uint32_t piece) const
    {
        static_assert(sizeof(Words) == Layout::PIECE, "a piece");
        const uint32_t offset = Layout::offset(2 * lane_index() + tap, step * Layout::STEP_PIECES + piece);
        return *reinterpret_cast<const Words *>(start + offset);
    }
};

// A picture's part of a stage sample by sample, mirrored. Rare, so that it stays out of the way of what is not.
template <typename Sample>
__device__ __noinline__ void load_border(uint8_t *to, Source source, uint32_t picture, int32_t first_row,
                                         int32_t column)
{
    using Layout = StageLayout<sizeof(Sample)>;
    constexpr uint32_t PIECE_SAMPLES = Layout::PIECE / sizeof(Sample);
    for (uint32_t i = lane_index(); i < STAGE_ROWS * Layout::SAMPLES; i += WARP_THREADS) {
        const uint32_t sample = i % Layout::SAMPLES, row = i / Layout::SAMPLES;
        const int32_t at = mirror(column + static_cast<int32_t>(sample), source.width);
        const uint64_t from = source.mirrored_row(first_row + static_cast<int32_t>(row));
        const Sample *const samples =
            reinterpret_cast<const Sample *>(source.pictures[picture] + from * source.pitches[picture]);
        Sample *const piece = reinterpret_cast<Sample *>(to + Layout::offset(row, sample / PIECE_SAMPLES));
        piece[sample % PIECE_SAMPLES] = samples[min(max(at, 0), source.width - 1)];
    }
}

template <typename Sample>
class Stages {
    using Layout = StageLayout<sizeof(Sample)>;

  public:
    // For the strip whose first lane has band row `first`.
    __device__ __forceinline__ Stages(WarpStages &memory, const Source &source, int32_t first)
        : memory(memory), source(source), first_row(2 * first - 1)
    {
        // Lanes may still be reading the strip before.
        __syncwarp();
    }

    // Starts to bring the stage of this number, which may be -1, to its place.
    __device__ __forceinline__ void load(int32_t stage) const
    {
        const int32_t column = stage * static_cast<int32_t>(Layout::SAMPLES);
        if (column >= 0 && column + static_cast<int32_t>(Layout::SAMPLES) <= source.width) {
            load_inside(stage, column);
        } else {
            load_border<Sample>(place(stage, 0), source, 0, first_row, column);
            load_border<Sample>(place(stage, 1), source, 1, first_row, column);
        }
        commit_copies();
    }

    // Waits until the latest stage is there for all lanes.
    __device__ __forceinline__ void wait() const
    {
        wait_copies<0>();
        __syncwarp();
    }

    __device__ __forceinline__ StagedRows<Sample> rows(int32_t stage, uint32_t step, uint32_t picture) const
    {
        return {place(stage, picture), step};
    }

  private:
    __device__ __forceinline__ uint8_t *place(int32_t stage, uint32_t picture) const
    {
        return memory.stages[stage & 1][picture];
    }

    __device__ __forceinline__ void load_inside(int32_t stage, int32_t column) const
    {
        const uint32_t piece = lane_index() % Layout::PIECES;
        const uint32_t start = column * sizeof(Sample) + piece * Layout::PIECE;
        const uint8_t *const from[2] = {source.pictures[0] + start, source.pictures[1] + start};
        uint8_t *const to = place(stage, 0);
#pragma unroll 3
        for (uint32_t row = lane_index() / Layout::PIECES; row < STAGE_ROWS; row += WARP_THREADS / Layout::PIECES) {
            const uint64_t source_row = source.mirrored_row(first_row + static_cast<int32_t>(row));
            const uint32_t offset = Layout::offset(row, piece);
#pragma unroll
            for (uint32_t picture = 0; picture < 2; ++picture)
                copy_async<Layout::PIECE>(to + picture * Layout::PICTURE + offset,
                                          from[picture] + source_row * source.pitches[picture]);
        }
    }

    WarpStages &memory;
    const Source &source;
    int32_t first_row; // of the source
};

} // namespace adm

// SPDX-License-Identifier: BSD-2-Clause-Patent
// How a warp reads pictures: 32 rows of 16 columns at a time, copied to its own part of shared memory while it works on
// the columns before.
#pragma once

#include "../common/cuda.cuh"
#include "../common/plane.cuh"
#include "../common/ptx.cuh"
#include "filter.cuh"

namespace vif {

constexpr uint32_t STAGE_ROWS = 32;
constexpr uint32_t STAGE_COLUMNS = 16;

// Columns that a lane copies of a row.
constexpr uint32_t CHUNK_COLUMNS = 8;

// Both pictures' samples. Row r stands in place stage_place(r), so that lanes which read rows four apart do not meet in
// one bank.
template <typename Sample>
struct alignas(16) Stage {
    Sample picture[2][STAGE_ROWS][STAGE_COLUMNS];
};

__host__ __device__ __forceinline__ uint32_t stage_place(uint32_t row)
{
    return row % 4 * (STAGE_ROWS / 4) + row / 4;
}

__host__ __device__ __forceinline__ uint32_t stage_row(uint32_t place)
{
    return place % (STAGE_ROWS / 4) * 4 + place / (STAGE_ROWS / 4);
}

// What one lane copies: half of the columns in two places of both pictures.
template <typename Sample>
class StageCopies {
public:
    // Of the rows from `first_row` on, mirrored. Rows so far outside that no output reads them are any row.
    __device__ __forceinline__ StageCopies(const Plane *pictures, int32_t first_row) : width(pictures[0].width)
    {
#pragma unroll
        for (uint32_t i = 0; i < 2; ++i) {
            const int32_t row = first_row + static_cast<int32_t>(stage_row(place(i)));
            const uint32_t number = mirrored(row, pictures[0].height);
#pragma unroll
            for (uint32_t picture = 0; picture < 2; ++picture)
                rows[picture][i] = row_of<Sample>(pictures[picture], number);
        }
    }

    // Starts the copy of 16 columns from `first_column` on, mirrored.
    __device__ __forceinline__ void start(Stage<Sample> &stage, int32_t first_column) const
    {
        const int32_t column = first_column + static_cast<int32_t>(chunk_column());
        if (first_column >= 0 && first_column + static_cast<int32_t>(STAGE_COLUMNS) <= width)
            copy_inside(stage, column);
        else
            copy_border(stage, column);
        commit_copies();
    }

private:
    static __device__ __forceinline__ uint32_t chunk_column()
    {
        return lane_index() % 2 * CHUNK_COLUMNS;
    }

    static __device__ __forceinline__ uint32_t place(uint32_t i)
    {
        return lane_index() / 2 + i * STAGE_ROWS / 2;
    }

    __device__ __forceinline__ void copy_inside(Stage<Sample> &stage, int32_t column) const
    {
#pragma unroll
        for (uint32_t picture = 0; picture < 2; ++picture) {
#pragma unroll
            for (uint32_t i = 0; i < 2; ++i)
                copy_async<CHUNK_COLUMNS * sizeof(Sample)>(&stage.picture[picture][place(i)][chunk_column()],
                                                           rows[picture][i] + column);
        }
    }

    __device__ __forceinline__ void copy_border(Stage<Sample> &stage, int32_t column) const
    {
#pragma unroll 1
        for (uint32_t j = 0; j < CHUNK_COLUMNS; ++j) {
            const uint32_t from = mirrored(column + static_cast<int32_t>(j), width);
#pragma unroll
            for (uint32_t picture = 0; picture < 2; ++picture) {
#pragma unroll
                for (uint32_t i = 0; i < 2; ++i)
                    stage.picture[picture][place(i)][chunk_column() + j] = __ldg(rows[picture][i] + from);
            }
        }
    }

    const Sample *rows[2][2]; // by picture and place
    int32_t width;
};

} // namespace vif

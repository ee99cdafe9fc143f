// SPDX-License-Identifier: BSD-2-Clause-Patent
// Planes of samples and how a warp reads a row of one: 16 bytes a lane and load, several loads under way at once.
#pragma once

#include "cuda.cuh"

// Samples of 1 or 2 bytes in rows. Start and pitch are multiples of 16; bytes past the width hold anything.
struct Plane {
    const void *start;
    uint32_t pitch;  // bytes from one row to the next
    uint32_t width;  // samples
    uint32_t height; // rows
    uint32_t unused;
};

// Where row `y` begins.
template <typename Sample>
__host__ __device__ __forceinline__ const Sample *row_of(const Plane &plane, uint32_t y)
{
    return reinterpret_cast<const Sample *>(static_cast<const uint8_t *>(plane.start)
                                            + static_cast<uint64_t>(y) * plane.pitch);
}

// The same of a plane that kernels fill.
template <typename Sample>
__host__ __device__ __forceinline__ Sample *row_to_fill(const Plane &plane, uint32_t y)
{
    return const_cast<Sample *>(row_of<Sample>(plane, y));
}

// Bytes of one load, a chunk. A row's last chunk may reach past the width, never past the pitch.
constexpr uint32_t CHUNK_BYTES = 16;
constexpr uint32_t CHUNK_WORDS = 4;

// 16-bit samples of a chunk.
constexpr uint32_t CHUNK_SAMPLES_16 = 8;

// Loads that a lane has under way.
constexpr uint32_t LOADS = 4;

// The bytes of a word that lie within the width, if `bytes` are left from its first byte on.
__host__ __device__ __forceinline__ uint32_t mask_word(int32_t bytes)
{
    return bytes >= 4 ? 0xffffffffu : bytes <= 0 ? 0u : (1u << (8 * bytes)) - 1u;
}

// A chunk with zeros past its first `bytes` bytes.
__host__ __device__ __forceinline__ uint4 mask_chunk(uint4 chunk, int32_t bytes)
{
    chunk.x &= mask_word(bytes);
    chunk.y &= mask_word(bytes - 4);
    chunk.z &= mask_word(bytes - 8);
    chunk.w &= mask_word(bytes - 12);
    return chunk;
}

__host__ __device__ __forceinline__ uint4 zero_chunk()
{
    return make_uint4(0, 0, 0, 0);
}

// One row, read in chunks.
struct Row {
    const uint4 *start;
    uint32_t bytes; // within the width

    __device__ __forceinline__ Row(const Plane &plane, uint32_t y, uint32_t sample_bytes)
        : start(row_of<uint4>(plane, y)), bytes(plane.width * sample_bytes)
    {
    }

    __device__ __forceinline__ uint32_t chunks() const
    {
        return (bytes + CHUNK_BYTES - 1) / CHUNK_BYTES;
    }

    // The chunk of this number, zeros where there is none. What lies past the width is still in it: masking waits for
    // the load, so that all loads come first.
    __device__ __forceinline__ uint4 load(uint32_t chunk) const
    {
        return chunk < chunks() ? __ldg(start + chunk) : zero_chunk();
    }

    // The loaded chunk of this number without what lies past the width.
    __device__ __forceinline__ uint4 mask(uint32_t chunk, uint4 loaded) const
    {
        const int32_t left = static_cast<int32_t>(bytes) - static_cast<int32_t>(chunk * CHUNK_BYTES);
        return left >= static_cast<int32_t>(CHUNK_BYTES) ? loaded : mask_chunk(loaded, left);
    }
};

// Calls add(chunk) for the chunks of a row that fall to this lane, in any order.
template <typename Add>
__device__ __forceinline__ void for_each_chunk(const Row &row, Add add)
{
    for (uint32_t first = lane_index(); first < row.chunks(); first += LOADS * WARP_THREADS) {
        uint4 chunks[LOADS];
#pragma unroll
        for (uint32_t i = 0; i < LOADS; ++i)
            chunks[i] = row.load(first + i * WARP_THREADS);
#pragma unroll
        for (uint32_t i = 0; i < LOADS; ++i)
            add(row.mask(first + i * WARP_THREADS, chunks[i]));
    }
}

// The same for two rows of one width, side by side.
template <typename Add>
__device__ __forceinline__ void for_each_chunk(const Row &reference, const Row &distorted, Add add)
{
    for (uint32_t first = lane_index(); first < reference.chunks(); first += LOADS * WARP_THREADS) {
        uint4 left[LOADS], right[LOADS];
#pragma unroll
        for (uint32_t i = 0; i < LOADS; ++i) {
            left[i] = reference.load(first + i * WARP_THREADS);
            right[i] = distorted.load(first + i * WARP_THREADS);
        }
#pragma unroll
        for (uint32_t i = 0; i < LOADS; ++i) {
            const uint32_t chunk = first + i * WARP_THREADS;
            add(reference.mask(chunk, left[i]), distorted.mask(chunk, right[i]));
        }
    }
}

// The rows that fall to this warp: row = first_row(); row < height; row += row_step().
__device__ __forceinline__ uint32_t first_row()
{
    return blockIdx.x * BLOCK_WARPS + warp_index();
}

__device__ __forceinline__ uint32_t row_step()
{
    return gridDim.x * BLOCK_WARPS;
}

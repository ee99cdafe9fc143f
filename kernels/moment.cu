// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_moment: the sums of luma samples and of their squares, of both pictures in one launch (grid z: the picture).
// Squares of 16 bits whose sum may pass 2^53 take three launches: moment_16 with room for rows, moment_pairs_16,
// moment_walk_16.
#include "common/cuda.cuh"
#include "common/ordered.cuh"
#include "common/plane.cuh"
#include "common/ptx.cuh"
#include "common/reduce.cuh"
#include "common/squares.cuh"

// One picture's sums.
struct MomentSums {
    uint64_t samples;
    uint64_t squares;
};

struct MomentParameters {
    Plane luma[2];    // reference, distorted
    MomentSums *sums; // one a picture
    OrderedRows rows; // of the reference, then of the distorted picture; null if squares are taken in any order
    uint64_t start;   // what the ordered sums begin with: 0 but in tests
};

// The sums of one chunk of bytes: 32 bits hold them by far.
struct ByteSums {
    uint32_t samples;
    uint32_t squares;

    __device__ __forceinline__ void add(uint32_t word)
    {
        samples = dot_bytes(word, 0x01010101u, samples);
        squares = dot_bytes(word, word, squares);
    }
};

__device__ __forceinline__ void add_bytes(uint64_t (&sums)[2], uint4 chunk)
{
    ByteSums chunk_sums = {0, 0};
    chunk_sums.add(chunk.x);
    chunk_sums.add(chunk.y);
    chunk_sums.add(chunk.z);
    chunk_sums.add(chunk.w);
    sums[0] += chunk_sums.samples;
    sums[1] += chunk_sums.squares;
}

__device__ __forceinline__ void add_word(uint64_t (&sums)[2], uint32_t word)
{
    sums[0] += (word & 0xffffu) + (word >> 16);
    sums[1] += rounded_square(low_sample(word));
    sums[1] += rounded_square(high_sample(word));
}

__device__ __forceinline__ void add_words(uint64_t (&sums)[2], uint4 chunk)
{
    add_word(sums, chunk.x);
    add_word(sums, chunk.y);
    add_word(sums, chunk.z);
    add_word(sums, chunk.w);
}

// Adds the sums of both pictures' rows; add(sums, chunk) takes a chunk's samples in.
template <uint32_t SAMPLE_BYTES, typename Add>
__device__ __forceinline__ void add_moments(const MomentParameters &p, Add add)
{
    for (uint32_t picture = blockIdx.z; picture < 2; picture += gridDim.z) {
        const Plane &luma = p.luma[picture];
        uint64_t sums[2] = {0, 0};
        for (uint32_t y = first_row(); y < luma.height; y += row_step()) {
            uint64_t row[2] = {0, 0};
            for_each_chunk(Row(luma, y, SAMPLE_BYTES), [&](uint4 chunk) { add(row, chunk); });
            sums[0] += row[0];
            sums[1] += row[1];
            if (p.rows.sums != nullptr)
                write_warp_sum(row[1], p.rows.sums + picture * luma.height + y);
        }
        block_add(sums, &p.sums[picture].samples);
    }
}

// Luma of 8 bits. Takes no rows.
extern "C" __global__ void __launch_bounds__(BLOCK_THREADS) moment_8(const __grid_constant__ MomentParameters p)
{
    add_moments<1>(p, [](uint64_t (&sums)[2], uint4 chunk) { add_bytes(sums, chunk); });
}
EXPORT_KERNEL(moment_8, MomentParameters, 80);

// Luma of 9 to 16 bits.
extern "C" __global__ void __launch_bounds__(BLOCK_THREADS) moment_16(const __grid_constant__ MomentParameters p)
{
    add_moments<2>(p, [](uint64_t (&sums)[2], uint4 chunk) { add_words(sums, chunk); });
}
EXPORT_KERNEL(moment_16, MomentParameters, 80);

// The squares of a row as terms of an ordered sum.
struct MomentLine {
    using Chunk = uint4;
    Row luma;

    __device__ __forceinline__ uint32_t chunks() const
    {
        return luma.chunks();
    }

    __device__ __forceinline__ Chunk load(uint32_t chunk) const
    {
        return luma.load(chunk);
    }

    __device__ __forceinline__ void split(uint32_t chunk, const Chunk &loaded,
                                          uint32_t (&terms)[CHUNK_SAMPLES_16]) const
    {
        const uint4 masked = luma.mask(chunk, loaded);
        const uint32_t words[CHUNK_WORDS] = {masked.x, masked.y, masked.z, masked.w};
#pragma unroll
        for (uint32_t i = 0; i < CHUNK_WORDS; ++i) {
            terms[2 * i] = rounded_square(low_sample(words[i]));
            terms[2 * i + 1] = rounded_square(high_sample(words[i]));
        }
    }
};

struct MomentSource {
    const Plane &luma;

    __device__ __forceinline__ uint32_t height() const
    {
        return luma.height;
    }

    __device__ __forceinline__ MomentLine line(uint32_t y) const
    {
        return {Row(luma, y, 2)};
    }
};

// After moment_16.
extern "C" __global__ void __launch_bounds__(BLOCK_THREADS) moment_pairs_16(const __grid_constant__ MomentParameters p)
{
    for (uint32_t picture = blockIdx.z; picture < 2; picture += gridDim.z) {
        const Plane &luma = p.luma[picture];
        ordered_pairs(MomentSource{luma}, p.rows.from(picture * luma.height), p.start, p.sums[picture].squares);
    }
}
EXPORT_KERNEL(moment_pairs_16, MomentParameters, 80);

// After moment_pairs_16, one block a picture: replaces the squares by their ordered sum.
extern "C" __global__ void __launch_bounds__(BLOCK_THREADS) moment_walk_16(const __grid_constant__ MomentParameters p)
{
    for (uint32_t picture = blockIdx.z; picture < 2; picture += gridDim.z) {
        const Plane &luma = p.luma[picture];
        ordered_walk(MomentSource{luma}, p.rows.from(picture * luma.height), p.start, p.sums[picture].squares);
    }
}
EXPORT_KERNEL(moment_walk_16, MomentParameters, 80);

// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_psnr: the noise of luma above 8 bits, whose squares are rounded. At 8 bits it is the luma's error of psnr.cu.
// Noise that may pass 2^53 takes three launches: float_psnr_16 with room for rows, float_psnr_pairs_16,
// float_psnr_walk_16.
#include "common/cuda.cuh"
#include "common/ordered.cuh"
#include "common/plane.cuh"
#include "common/reduce.cuh"
#include "common/squares.cuh"

struct FloatPsnrParameters {
    Plane reference;
    Plane distorted;
    uint64_t *noise;
    OrderedRows rows; // null if the noise is summed in any order
    uint64_t start;   // what the ordered sum begins with: 0 but in tests
};

// The squared differences of the samples of a chunk.
__device__ __forceinline__ void chunk_terms(uint4 reference, uint4 distorted, uint32_t (&terms)[CHUNK_SAMPLES_16])
{
    const uint32_t left[CHUNK_WORDS] = {reference.x, reference.y, reference.z, reference.w};
    const uint32_t right[CHUNK_WORDS] = {distorted.x, distorted.y, distorted.z, distorted.w};
#pragma unroll
    for (uint32_t i = 0; i < CHUNK_WORDS; ++i) {
        terms[2 * i] = rounded_square(low_sample(left[i]) - low_sample(right[i]));
        terms[2 * i + 1] = rounded_square(high_sample(left[i]) - high_sample(right[i]));
    }
}

// A row of them as terms of an ordered sum.
struct NoiseLine {
    struct Chunk {
        uint4 reference;
        uint4 distorted;
    };
    Row reference;
    Row distorted;

    __device__ __forceinline__ uint32_t chunks() const
    {
        return reference.chunks();
    }

    __device__ __forceinline__ Chunk load(uint32_t chunk) const
    {
        return {reference.load(chunk), distorted.load(chunk)};
    }

    __device__ __forceinline__ void split(uint32_t chunk, const Chunk &loaded,
                                          uint32_t (&terms)[CHUNK_SAMPLES_16]) const
    {
        chunk_terms(reference.mask(chunk, loaded.reference), distorted.mask(chunk, loaded.distorted), terms);
    }
};

struct NoiseSource {
    const Plane &reference;
    const Plane &distorted;

    __device__ __forceinline__ uint32_t height() const
    {
        return reference.height;
    }

    __device__ __forceinline__ NoiseLine line(uint32_t y) const
    {
        return {Row(reference, y, 2), Row(distorted, y, 2)};
    }
};

// A lane's share of the noise of one row.
__device__ __forceinline__ uint64_t row_noise(const NoiseLine &line)
{
    uint64_t noise = 0;
    for_each_chunk(line.reference, line.distorted, [&](uint4 reference, uint4 distorted) {
        uint32_t terms[CHUNK_SAMPLES_16];
        chunk_terms(reference, distorted, terms);
#pragma unroll
        for (uint32_t i = 0; i < CHUNK_SAMPLES_16; ++i)
            noise += terms[i];
    });
    return noise;
}

// The exact sum of the noise.
extern "C" __global__ void __launch_bounds__(BLOCK_THREADS) float_psnr_16(const __grid_constant__ FloatPsnrParameters p)
{
    const NoiseSource source = {p.reference, p.distorted};
    uint64_t noise[1] = {0};
    for (uint32_t y = first_row(); y < source.height(); y += row_step()) {
        const uint64_t row = row_noise(source.line(y));
        noise[0] += row;
        if (p.rows.sums != nullptr)
            write_warp_sum(row, p.rows.sums + y);
    }
    block_add(noise, p.noise);
}
EXPORT_KERNEL(float_psnr_16, FloatPsnrParameters, 80);

// After float_psnr_16.
extern "C" __global__ void __launch_bounds__(BLOCK_THREADS)
    float_psnr_pairs_16(const __grid_constant__ FloatPsnrParameters p)
{
    ordered_pairs(NoiseSource{p.reference, p.distorted}, p.rows, p.start, *p.noise);
}
EXPORT_KERNEL(float_psnr_pairs_16, FloatPsnrParameters, 80);

// After float_psnr_pairs_16, one block: replaces the noise by its ordered sum.
extern "C" __global__ void __launch_bounds__(BLOCK_THREADS)
    float_psnr_walk_16(const __grid_constant__ FloatPsnrParameters p)
{
    ordered_walk(NoiseSource{p.reference, p.distorted}, p.rows, p.start, *p.noise);
}
EXPORT_KERNEL(float_psnr_walk_16, FloatPsnrParameters, 80);

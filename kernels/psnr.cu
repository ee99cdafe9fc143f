// SPDX-License-Identifier: BSD-2-Clause-Patent
// psnr: the squared error of up to three planes in one launch (grid z: the plane).
#include "common/cuda.cuh"
#include "common/plane.cuh"
#include "common/ptx.cuh"
#include "common/reduce.cuh"
#include "common/squares.cuh"

struct PsnrParameters {
    Plane reference[3];
    Plane distorted[3];
    uint64_t *errors; // one a plane
    uint32_t planes;
    uint32_t unused;
};

__device__ __forceinline__ uint32_t add_byte_errors(uint32_t error, uint32_t reference, uint32_t distorted)
{
    const uint32_t difference = __vabsdiffu4(reference, distorted);
    return dot_bytes(difference, difference, error);
}

// The squared error of one chunk of bytes, below 2^20.
__device__ __forceinline__ uint32_t byte_error(uint4 reference, uint4 distorted)
{
    uint32_t error = add_byte_errors(0, reference.x, distorted.x);
    error = add_byte_errors(error, reference.y, distorted.y);
    error = add_byte_errors(error, reference.z, distorted.z);
    return add_byte_errors(error, reference.w, distorted.w);
}

// Of the two samples of a word; each square may fill 32 bits.
__host__ __device__ __forceinline__ uint64_t word_error(uint32_t reference, uint32_t distorted)
{
    const uint64_t low = squared_difference(reference & 0xffffu, distorted & 0xffffu);
    return low + squared_difference(reference >> 16, distorted >> 16);
}

__host__ __device__ __forceinline__ uint64_t word_error(uint4 reference, uint4 distorted)
{
    return word_error(reference.x, distorted.x) + word_error(reference.y, distorted.y)
           + word_error(reference.z, distorted.z) + word_error(reference.w, distorted.w);
}

template <uint32_t SAMPLE_BYTES, typename Error>
__device__ __forceinline__ void add_errors(const PsnrParameters &p, Error error)
{
    for (uint32_t plane = blockIdx.z; plane < p.planes; plane += gridDim.z) {
        const Plane &reference = p.reference[plane], &distorted = p.distorted[plane];
        uint64_t sums[1] = {0};
        for (uint32_t y = first_row(); y < reference.height; y += row_step())
            for_each_chunk(Row(reference, y, SAMPLE_BYTES), Row(distorted, y, SAMPLE_BYTES),
                           [&](uint4 left, uint4 right) { sums[0] += error(left, right); });
        block_add(sums, p.errors + plane);
    }
}

// Planes of 8 bits.
extern "C" __global__ void __launch_bounds__(BLOCK_THREADS) psnr_8(const __grid_constant__ PsnrParameters p)
{
    add_errors<1>(p, [](uint4 reference, uint4 distorted) { return byte_error(reference, distorted); });
}
EXPORT_KERNEL(psnr_8, PsnrParameters, 160);

// Planes of 9 to 16 bits.
extern "C" __global__ void __launch_bounds__(BLOCK_THREADS) psnr_16(const __grid_constant__ PsnrParameters p)
{
    add_errors<2>(p, [](uint4 reference, uint4 distorted) { return word_error(reference, distorted); });
}
EXPORT_KERNEL(psnr_16, PsnrParameters, 160);

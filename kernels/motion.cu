// SPDX-License-Identifier: BSD-2-Clause-Patent
// motion, the plain form: section 4 of motion.md as it stands there (grid z: the pair). A block takes a row in parts of
// a column a thread. Sums have 64 bits, so that samples above the depth's maximum do no harm.
#include "motion/parameters.cuh"

#include "common/reduce.cuh"

// Columns of a part that the filter has both neighbours of.
constexpr uint32_t MOTION_PART = BLOCK_THREADS - 4;

// V of a part of a row, from two columns before its first on.
struct MotionRow {
    int32_t blurred[BLOCK_THREADS];
};

// The row or column that one up to two outside of 0..count is reflected to; `count` is at least 3.
__host__ __device__ __forceinline__ uint32_t motion_reflect(int32_t position, uint32_t count)
{
    const int32_t last = static_cast<int32_t>(count) - 1;
    const int32_t inside = position < 0 ? -position : position;
    return static_cast<uint32_t>(inside > last ? 2 * last - inside : inside);
}

template <typename Sample>
__device__ __forceinline__ int32_t motion_sample(const Plane &plane, uint32_t x, uint32_t y)
{
    return row_of<Sample>(plane, y)[x];
}

template <typename Sample>
__device__ __forceinline__ int32_t motion_difference(const MotionPair &pair, uint32_t x, int32_t y)
{
    const uint32_t row = motion_reflect(y, pair.current.height);
    return motion_sample<Sample>(pair.previous, x, row) - motion_sample<Sample>(pair.current, x, row);
}

// V: the difference filtered vertically.
template <typename Sample>
__device__ __forceinline__ int32_t motion_vertical(const MotionPair &pair, uint32_t x, int32_t y, uint32_t bits)
{
    return motion_filter<int64_t>(motion_difference<Sample>(pair, x, y - 2), motion_difference<Sample>(pair, x, y - 1),
                                  motion_difference<Sample>(pair, x, y), motion_difference<Sample>(pair, x, y + 1),
                                  motion_difference<Sample>(pair, x, y + 2), bits);
}

// |H|: the absolute value of V filtered horizontally, at the thread's column of the part.
__device__ __forceinline__ uint32_t motion_horizontal(const int32_t *blurred)
{
    const int32_t h = motion_filter<int64_t>(blurred[-2], blurred[-1], blurred[0], blurred[1], blurred[2], 16);
    return static_cast<uint32_t>(h < 0 ? -h : h);
}

// The thread's share of the sum over row y. All threads of the block call it.
template <typename Sample>
__device__ __forceinline__ uint64_t motion_row(const MotionPair &pair, int32_t y, uint32_t bits)
{
    MotionRow &row = block_shared<MotionRow>();
    const int32_t place = static_cast<int32_t>(threadIdx.x) - 2;
    const uint32_t width = pair.current.width;
    uint64_t sum = 0;
    for (uint32_t first = 0; first < width; first += MOTION_PART) {
        const int32_t x = static_cast<int32_t>(first) + place;
        const bool exists = x < static_cast<int32_t>(width) + 2;
        row.blurred[threadIdx.x] = exists ? motion_vertical<Sample>(pair, motion_reflect(x, width), y, bits) : 0;
        __syncthreads();
        if (place >= 0 && place < static_cast<int32_t>(MOTION_PART) && x < static_cast<int32_t>(width))
            sum += motion_horizontal(row.blurred + threadIdx.x);
        __syncthreads();
    }
    return sum;
}

template <typename Sample>
__device__ __forceinline__ void motion_pairs(const MotionParameters &p)
{
    for (uint32_t frame = blockIdx.z; frame < p.frames; frame += gridDim.z) {
        const MotionPair &pair = p.pairs[frame];
        uint64_t sums[1] = {0};
        for (uint32_t y = blockIdx.x; y < pair.current.height; y += gridDim.x)
            sums[0] += motion_row<Sample>(pair, static_cast<int32_t>(y), p.bits);
        block_add(sums, pair.sum);
    }
}

// Planes of 8 bits.
extern "C" __global__ void __launch_bounds__(BLOCK_THREADS) motion_8(const __grid_constant__ MotionParameters p)
{
    motion_pairs<uint8_t>(p);
}
EXPORT_KERNEL(motion_8, MotionParameters, 240);

// Planes of 9 to 16 bits.
extern "C" __global__ void __launch_bounds__(BLOCK_THREADS) motion_16(const __grid_constant__ MotionParameters p)
{
    motion_pairs<uint16_t>(p);
}
EXPORT_KERNEL(motion_16, MotionParameters, 240);

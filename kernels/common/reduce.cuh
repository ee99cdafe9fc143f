// SPDX-License-Identifier: BSD-2-Clause-Patent
// The reducer for exact integers, whose order does not matter.
#pragma once

#include "cuda.cuh"

// The sum over a warp, in lane 0.
__device__ __forceinline__ uint64_t warp_sum(uint64_t value)
{
#pragma unroll
    for (uint32_t lanes = WARP_THREADS / 2; lanes > 0; lanes /= 2)
        value += shuffle_down(value, lanes);
    return value;
}

__device__ __forceinline__ void write_warp_sum(uint64_t value, uint64_t *sum)
{
    const uint64_t total = warp_sum(value);
    if (lane_index() == 0)
        *sum = total;
}

template <uint32_t N>
struct WarpSums {
    uint64_t sum[N][BLOCK_WARPS];
};

// Adds the block's N sums to `results`: one atomic a sum. All threads of the block call it.
template <uint32_t N>
__device__ __forceinline__ void block_add(const uint64_t (&values)[N], uint64_t *results)
{
    WarpSums<N> &shared = block_shared<WarpSums<N>>();
#pragma unroll
    for (uint32_t i = 0; i < N; ++i) {
        const uint64_t sum = warp_sum(values[i]);
        if (lane_index() == 0)
            shared.sum[i][warp_index()] = sum;
    }
    __syncthreads();
    if (threadIdx.x < N) {
        uint64_t total = 0;
        for (uint32_t warp = 0; warp < BLOCK_WARPS; ++warp)
            total += shared.sum[threadIdx.x][warp];
        if (total != 0)
            atomic_add(results + threadIdx.x, total);
    }
    // A second call writes to the same place.
    __syncthreads();
}

struct BlockSum {
    uint64_t sum[BLOCK_WARPS];
};

// The sum over the block, in every thread. All threads of the block call it.
__device__ __forceinline__ uint64_t block_sum(uint64_t value)
{
    BlockSum &shared = block_shared<BlockSum>();
    const uint64_t sum = warp_sum(value);
    if (lane_index() == 0)
        shared.sum[warp_index()] = sum;
    __syncthreads();
    uint64_t total = 0;
    for (uint32_t warp = 0; warp < BLOCK_WARPS; ++warp)
        total += shared.sum[warp];
    __syncthreads();
    return total;
}

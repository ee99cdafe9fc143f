// SPDX-License-Identifier: BSD-2-Clause-Patent
// What every kernel needs first: fixed-width types, shared memory, the registration of kernels. Nothing from outside
// kernels/ is included anywhere else, so that the three compilers (nvcc, NVRTC, the host's for the emulator) see the
// same source.
#pragma once

#ifdef VMAF_EMULATOR

#include "../emulator/cuda.h"

#ifndef __grid_constant__
#define __grid_constant__
#endif

#else

#ifdef __CUDACC_RTC__
// NVRTC has no <stdint.h>.
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
#else
#include <stdint.h>
#endif

// One T for the whole block: every call with the same T gives the same object. Name a type for each use.
template <typename T>
__device__ __forceinline__ T &block_shared()
{
    __shared__ T shared;
    return shared;
}

// The block's one object of dynamic shared memory, as large as the host says: room for more than 48 KiB.
template <typename T>
__device__ __forceinline__ T &dynamic_shared()
{
    extern __shared__ uint4 dynamic_shared_memory[];
    return *reinterpret_cast<T *>(dynamic_shared_memory);
}

// Stands after each kernel. The size is that of the structure on the Rust side, which asserts the same.
#define EXPORT_KERNEL(kernel, Parameters, size)                                                                        \
    static_assert(sizeof(Parameters) == (size), "the two sides disagree about the parameters of " #kernel)

#endif

// Threads of a block, unless a kernel's file says another number.
constexpr uint32_t BLOCK_THREADS = 256;
constexpr uint32_t WARP_THREADS = 32;
constexpr uint32_t BLOCK_WARPS = BLOCK_THREADS / WARP_THREADS;
constexpr uint32_t FULL_WARP = 0xffffffffu;

// For the __launch_bounds__ of kernels that keep a multiprocessor for long with one block of BLOCK_THREADS: they take as
// few registers as if the block had so many threads. What is left lets other kernels in beside it, above all those of a
// caller's copies within the device, which would else wait for its end.
constexpr uint32_t ROOMY_BLOCK_THREADS = 384;

__device__ __forceinline__ uint32_t lane_index()
{
    return threadIdx.x % WARP_THREADS;
}

__device__ __forceinline__ uint32_t warp_index()
{
    return threadIdx.x / WARP_THREADS;
}

__device__ __forceinline__ void atomic_add(uint64_t *sum, uint64_t value)
{
    atomicAdd(reinterpret_cast<unsigned long long *>(sum), static_cast<unsigned long long>(value));
}

// Shuffles of the fixed-width type: on some platforms CUDA knows it only under its other name.
__device__ __forceinline__ uint64_t shuffle_up(uint64_t value, uint32_t lanes)
{
    return __shfl_up_sync(FULL_WARP, static_cast<unsigned long long>(value), lanes);
}

__device__ __forceinline__ uint32_t shuffle_up(uint32_t value, uint32_t lanes)
{
    return __shfl_up_sync(FULL_WARP, value, lanes);
}

__device__ __forceinline__ uint64_t shuffle_down(uint64_t value, uint32_t lanes)
{
    return __shfl_down_sync(FULL_WARP, static_cast<unsigned long long>(value), lanes);
}

__device__ __forceinline__ uint32_t shuffle_down(uint32_t value, uint32_t lanes)
{
    return __shfl_down_sync(FULL_WARP, value, lanes);
}

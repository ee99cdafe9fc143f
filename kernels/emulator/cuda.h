// SPDX-License-Identifier: BSD-2-Clause-Patent
// The part of CUDA C++ that the kernels use, on the host. kernels/common/cuda.cuh includes it in the emulator's build
// and nothing else does. Everything here means what the CUDA C++ Programming Guide says; where the guide leaves a
// result open, so that a kernel must not use it, the emulator gives a wrong one or ends the launch.
#pragma once

#include "atomics.h"
#include "copies.h"
#include "intrinsics.h"
#include "matrix.h"
#include "runtime.h"
#include "warp.h"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __restrict__ __restrict
#define __launch_bounds__(...)
#define __align__(bytes) alignas(bytes)
// Tables that device code only reads.
#define __constant__ static const

#define threadIdx (::emulator::current->index)
#define blockIdx (::emulator::geometry().block_index)
#define blockDim (::emulator::geometry().block)
#define gridDim (::emulator::geometry().grid)
const int warpSize = 32;

inline void __syncthreads(EMULATOR_PLACE) { emulator::barrier(false, {file, line}); }
inline int __syncthreads_count(int predicate, EMULATOR_PLACE) {
    return int(emulator::barrier(predicate != 0, {file, line}));
}
inline int __syncthreads_or(int predicate, EMULATOR_PLACE) {
    return emulator::barrier(predicate != 0, {file, line}) != 0;
}
inline int __syncthreads_and(int predicate, EMULATOR_PLACE) {
    return emulator::barrier(predicate == 0, {file, line}) == 0;
}

// A block runs on one thread of the host, so that its threads see each other's stores in order.
inline void __threadfence() { emulator::fence(); }
inline void __threadfence_block() {}

[[noreturn]] inline void __trap() { emulator::fail("trap in thread %u", threadIdx.x); }

// The block's variable of this type, with a pattern in it when the block begins: one for each type, as on the device,
// where it is a `__shared__` variable in this function.
template <typename T> inline T &block_shared() {
    static_assert(std::is_trivial<T>::value, "shared memory is not constructed");
    static const char key = 0;
    return *static_cast<T *>(emulator::shared(&key, sizeof(T), alignof(T)));
}

// The block's one object of dynamic shared memory.
template <typename T> inline T &dynamic_shared() {
    static_assert(std::is_trivial<T>::value, "shared memory is not constructed");
    return *static_cast<T *>(emulator::dynamic_shared(sizeof(T)));
}

// Makes a kernel known by its name. Stands right after it.
#define EXPORT_KERNEL(name, Parameters, size)                                                                          \
    static_assert(sizeof(Parameters) == (size), "the parameters of " #name " are " #size " bytes");                     \
    static const ::emulator::Kernel emulated_##name(                                                                   \
        #name, __FILE__, sizeof(Parameters),                                                                           \
        [](const void *parameters) { name(*static_cast<const Parameters *>(parameters)); })

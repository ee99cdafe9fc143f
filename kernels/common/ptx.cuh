// SPDX-License-Identifier: BSD-2-Clause-Patent
// The only inline PTX: instructions that CUDA C++ does not give in all its compilers. Each has a body for the emulator.
#pragma once

#include "cuda.cuh"

// sum + the dot product of the four bytes of each word; wraps. (NVRTC 12.0 knows __dp4a's name, but not its code.)
__device__ __forceinline__ uint32_t dot_bytes(uint32_t a, uint32_t b, uint32_t sum)
{
#ifdef VMAF_EMULATOR
    return __dp4a(a, b, sum);
#else
    uint32_t result;
    asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(sum));
    return result;
#endif
}

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

// sums += rows * columns, by a warp: 16x32 bytes by 32x8 bytes, sums of 32 bits. Which part of each a lane has is said by
// the PTX ISA, "Matrix Fragments for mma.m16n8k32".
struct ByteProduct {
    uint32_t (*sums)[4];
    const uint32_t (*rows)[4];
    const uint32_t (*columns)[2];
};

// Some products one after the other. Compute capability 8.0.
template <uint32_t N>
__device__ __forceinline__ void multiply_bytes(const ByteProduct (&products)[N])
{
#ifdef VMAF_EMULATOR
    emulator::ByteProduct parts[N];
    for (uint32_t i = 0; i < N; ++i)
        parts[i] = {*products[i].sums, *products[i].rows, *products[i].columns};
    emulator::multiply_bytes(parts, N);
#else
#pragma unroll
    for (uint32_t i = 0; i < N; ++i) {
        uint32_t(&sums)[4] = *products[i].sums;
        const uint32_t(&rows)[4] = *products[i].rows, (&columns)[2] = *products[i].columns;
        asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
            "{%10, %11, %12, %13};"
            : "=r"(sums[0]), "=r"(sums[1]), "=r"(sums[2]), "=r"(sums[3])
            : "r"(rows[0]), "r"(rows[1]), "r"(rows[2]), "r"(rows[3]), "r"(columns[0]), "r"(columns[1]), "r"(sums[0]),
              "r"(sums[1]), "r"(sums[2]), "r"(sums[3]));
    }
#endif
}

// sum + the dot product of a word's two signed halves with two bytes of another: the upper two where `upper`; wraps.
__device__ __forceinline__ int32_t dot_halves(uint32_t halves, uint32_t bytes, bool upper, int32_t sum)
{
#ifdef VMAF_EMULATOR
    return emulator::dot_halves(halves, upper ? bytes >> 16 : bytes, sum);
#else
    int32_t result;
    if (upper)
        asm("dp2a.hi.s32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(halves), "r"(bytes), "r"(sum));
    else
        asm("dp2a.lo.s32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(halves), "r"(bytes), "r"(sum));
    return result;
#endif
}

// a * b + c in 64 bits by one instruction. Left to itself, the compiler may add parts of c elsewhere.
__device__ __forceinline__ int64_t multiply_add_wide(int32_t a, int32_t b, int64_t c)
{
#ifdef VMAF_EMULATOR
    return static_cast<int64_t>(static_cast<uint64_t>(static_cast<int64_t>(a) * b) + static_cast<uint64_t>(c));
#else
    int64_t result;
    asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(result) : "r"(a), "r"(b), "l"(c));
    return result;
#endif
}

__device__ __forceinline__ uint64_t multiply_add_wide(uint32_t a, uint32_t b, uint64_t c)
{
#ifdef VMAF_EMULATOR
    return static_cast<uint64_t>(a) * b + c;
#else
    uint64_t result;
    asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(result) : "r"(a), "r"(b), "l"(c));
    return result;
#endif
}

// Starts a copy of 8 or 16 bytes, aligned to as many, from global to shared memory. Nobody may look at them before this
// thread has waited. Compute capability 8.0.
template <uint32_t BYTES>
__device__ __forceinline__ void copy_async(void *shared, const void *global)
{
    static_assert(BYTES == 8 || BYTES == 16, "8 or 16 bytes");
#ifdef VMAF_EMULATOR
    emulator::copy_async(shared, global, BYTES);
#else
    const uint32_t address = static_cast<uint32_t>(__cvta_generic_to_shared(shared));
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(address), "l"(global), "n"(BYTES) : "memory");
#endif
}

// Makes a group of the copies that this thread has started since the last one.
__device__ __forceinline__ void commit_copies()
{
#ifdef VMAF_EMULATOR
    emulator::commit_copies();
#else
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Waits until at most the latest `groups` groups of this thread are under way.
template <uint32_t GROUPS>
__device__ __forceinline__ void wait_copies()
{
#ifdef VMAF_EMULATOR
    emulator::wait_copies(GROUPS);
#else
    asm volatile("cp.async.wait_group %0;" ::"n"(GROUPS) : "memory");
#endif
}

// About 1 / value of a normal double: the 20 highest bits of the mantissa, the others are 0.
__device__ __forceinline__ double approximate_reciprocal(double value)
{
#ifdef VMAF_EMULATOR
    return emulator::approximate_reciprocal(value);
#else
    double result;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(result) : "d"(value));
    return result;
#endif
}

// 1 / value of a normal float; from 1 to 2 it is off by at most 2^-23.
__device__ __forceinline__ float approximate_reciprocal(float value)
{
#ifdef VMAF_EMULATOR
    return emulator::approximate_reciprocal(value);
#else
    float result;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(value));
    return result;
#endif
}

// The same value, of which the compiler does not know how it was made: it will not be made again or taken apart.
__device__ __forceinline__ uint32_t as_it_is(uint32_t value)
{
#ifndef VMAF_EMULATOR
    asm("" : "+r"(value));
#endif
    return value;
}

__device__ __forceinline__ uint64_t as_it_is(uint64_t value)
{
#ifndef VMAF_EMULATOR
    asm("" : "+l"(value));
#endif
    return value;
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
// Kernels that try the emulator itself: some right, most of them wrong in one way. src/gpu/emulator/tests/ runs them.
#include "cuda.h"

struct TestParameters {
    uint64_t *out;
    const uint64_t *in;
    uint32_t count;
    uint32_t choice;
};

struct BlockValues {
    uint64_t value[1024];
};

static uint32_t thread_number() { return blockIdx.x * blockDim.x + threadIdx.x; }

// Adds all of `in`: in shared memory, then by one atomic a block.
extern "C" __global__ void test_sum(const TestParameters p) {
    BlockValues &shared = block_shared<BlockValues>();
    uint64_t sum = 0;
    for (uint32_t i = thread_number(); i < p.count; i += blockDim.x * gridDim.x) {
        sum += p.in[i];
    }
    shared.value[threadIdx.x] = sum;
    __syncthreads();
    for (uint32_t half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            shared.value[threadIdx.x] += shared.value[threadIdx.x + half];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        atomicAdd(p.out, shared.value[0]);
    }
}
EXPORT_KERNEL(test_sum, TestParameters, 24);

// Gives each thread the value of the next one; without the barrier where `choice` is 1.
extern "C" __global__ void test_rotate(const TestParameters p) {
    BlockValues &shared = block_shared<BlockValues>();
    shared.value[threadIdx.x] = p.in[thread_number()];
    if (p.choice == 0) {
        __syncthreads();
    }
    p.out[thread_number()] = shared.value[(threadIdx.x + 1) % blockDim.x];
}
EXPORT_KERNEL(test_rotate, TestParameters, 24);

struct ManyValues {
    uint64_t value[8192]; // 64 KiB
};

// Gives each thread the value of the next one, through dynamic shared memory, as far apart there as possible.
extern "C" __global__ void test_dynamic(const TestParameters p) {
    ManyValues &shared = dynamic_shared<ManyValues>();
    const uint32_t step = 8192 / blockDim.x;
    shared.value[threadIdx.x * step + step - 1] = p.in[thread_number()];
    __syncthreads();
    p.out[thread_number()] = shared.value[(threadIdx.x + 1) % blockDim.x * step + step - 1];
}
EXPORT_KERNEL(test_dynamic, TestParameters, 24);

// The same within each warp.
extern "C" __global__ void test_rotate_warp(const TestParameters p) {
    BlockValues &shared = block_shared<BlockValues>();
    shared.value[threadIdx.x] = p.in[thread_number()];
    if (p.choice == 0) {
        __syncwarp();
    }
    p.out[thread_number()] = shared.value[threadIdx.x / 32 * 32 + (threadIdx.x + 1) % 32];
}
EXPORT_KERNEL(test_rotate_warp, TestParameters, 24);

// Uses one shared variable in turn for two values; without the barrier between them where `choice` is 1.
extern "C" __global__ void test_reuse(const TestParameters p) {
    BlockValues &shared = block_shared<BlockValues>();
    uint64_t sum = 0;
    for (uint32_t turn = 0; turn < p.count; turn++) {
        if (threadIdx.x == 0) {
            shared.value[0] = turn + 1;
        }
        __syncthreads();
        sum += shared.value[0];
        if (p.choice == 0) {
            __syncthreads();
        }
    }
    p.out[thread_number()] = sum;
}
EXPORT_KERNEL(test_reuse, TestParameters, 24);

// Every warp call, eleven words a thread.
extern "C" __global__ void test_warp(const TestParameters p) {
    const uint32_t all = 0xffffffff;
    const uint32_t lane = threadIdx.x % 32;
    const uint64_t mine = p.in[thread_number()];
    const uint32_t narrow = uint32_t(mine);
    uint64_t *const out = p.out + 11 * thread_number();
    out[0] = __shfl_sync(all, mine, int(lane * 7));
    out[1] = __shfl_up_sync(all, mine, 3);
    out[2] = __shfl_down_sync(all, mine, 5, 8);
    out[3] = __shfl_xor_sync(all, mine, 16);
    out[4] = uint64_t(__shfl_down_sync(all, double(narrow), 1));
    out[5] = __ballot_sync(all, narrow & 1);
    out[6] = uint64_t(__any_sync(all, narrow == 5)) << 1 | uint64_t(__all_sync(all, narrow < 1000));
    out[7] = __reduce_add_sync(all, narrow);
    out[8] = uint64_t(__reduce_min_sync(all, int(narrow) - 100));
    out[9] = __reduce_max_sync(all, narrow);
    // Half a warp at a time, each half by itself.
    const uint32_t half = lane < 16 ? 0x0000ffff : 0xffff0000;
    out[10] = __reduce_add_sync(half, narrow);
}
EXPORT_KERNEL(test_warp, TestParameters, 24);

// Ways to meet wrongly.
extern "C" __global__ void test_diverge(const TestParameters p) {
    const bool low = threadIdx.x < p.count;
    switch (p.choice) {
    case 0: // a barrier that some threads never reach
        if (low) {
            __syncthreads();
        }
        break;
    case 1: // two barriers
        if (low) {
            __syncthreads();
        } else {
            __syncthreads();
        }
        break;
    case 2: // lanes that the mask names do not come
        if (low) {
            __syncwarp();
        }
        break;
    case 3: // lanes make different calls
        if (low) {
            __syncwarp();
        } else {
            __ballot_sync(0xffffffff, 1);
        }
        break;
    case 4: // a lane that its own mask does not name
        __syncwarp(0x7fffffff);
        break;
    case 5: // one half waits at the barrier, the other in a warp call for all
        if (threadIdx.x % 2 == 0) {
            __syncthreads();
        } else {
            __syncwarp();
        }
        break;
    }
}
EXPORT_KERNEL(test_diverge, TestParameters, 24);

static uint64_t __noinline__ recurse(uint64_t depth, volatile uint64_t *value) {
    volatile uint64_t here = depth;
    return depth == 0 ? *value : recurse(depth - 1, &here) + here;
}

// Touches what it must not.
extern "C" __global__ void __attribute__((no_sanitize("undefined"))) test_touch(const TestParameters p) {
    if (thread_number() != 0) {
        return;
    }
    uint64_t zero = 0;
    switch (p.choice) {
    case 0: p.out[p.count] = 1; break;
    case 1: p.out[0] = p.in[p.count]; break;
    case 2: reinterpret_cast<volatile unsigned char *>(p.out)[p.count] = 1; break;
    case 3: p.out[0] = recurse(uint64_t(1) << 40, &zero); break;
    case 4: p.out[0] = uint32_t(p.in[0]) / p.count; break;
    case 5: __trap();
    case 6: p.out[-int64_t(p.count)] = 1; break;
    }
}
EXPORT_KERNEL(test_touch, TestParameters, 24);

// Adds one to a word from all threads: right only by chance, which the order of threads does not show.
extern "C" __global__ void test_lost_update(const TestParameters p) {
    const bool chosen = p.choice == 0 ? threadIdx.x == 0 : blockIdx.x == 0;
    if (chosen) {
        p.out[0] += 1;
    }
}
EXPORT_KERNEL(test_lost_update, TestParameters, 24);

// What shared memory holds at first; then leaves zeros there.
extern "C" __global__ void test_fresh(const TestParameters p) {
    BlockValues &shared = block_shared<BlockValues>();
    p.out[thread_number()] = shared.value[threadIdx.x];
    shared.value[threadIdx.x] = 0;
}
EXPORT_KERNEL(test_fresh, TestParameters, 24);

// Numbers blocks and threads in the order in which they run, and tells the geometry.
extern "C" __global__ void test_order(const TestParameters p) {
    const uint32_t block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const uint64_t turn = atomicAdd(p.out, uint64_t(1));
    p.out[1 + block * blockDim.x + threadIdx.x] = turn;
}
EXPORT_KERNEL(test_order, TestParameters, 24);

// Adds with all atomics, seven words.
extern "C" __global__ void test_atomics(const TestParameters p) {
    const uint32_t number = thread_number();
    atomicAdd(p.out, number);
    atomicMax(p.out + 1, number);
    atomicMin(p.out + 2, number);
    atomicOr(p.out + 3, uint64_t(1) << number % 64);
    atomicXor(p.out + 4, number);
    atomicAdd(reinterpret_cast<int *>(p.out + 5), -int(number));
    // The last block of all sees what the others did.
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        if (atomicInc(reinterpret_cast<unsigned *>(p.out + 6), gridDim.x - 1) == gridDim.x - 1) {
            p.out[7] = p.out[0];
        }
    }
}
EXPORT_KERNEL(test_atomics, TestParameters, 24);

// Copies words, each plus `choice`.
extern "C" __global__ void test_add(const TestParameters p) {
    for (uint32_t i = thread_number(); i < p.count; i += blockDim.x * gridDim.x) {
        p.out[i] = __ldg(p.in + i) + p.choice;
    }
}
EXPORT_KERNEL(test_add, TestParameters, 24);

// Each integer intrinsic of three words, 32 results for each three.
extern "C" __global__ void test_integers(const TestParameters p) {
    for (uint32_t i = thread_number(); i < p.count; i += blockDim.x * gridDim.x) {
        const uint64_t wide = p.in[3 * i], other = p.in[3 * i + 1];
        const uint32_t a = uint32_t(wide), b = uint32_t(other), c = uint32_t(p.in[3 * i + 2]);
        const uint64_t results[] = {
            __dp4a(a, b, c),
            uint32_t(__dp4a(int(a), int(b), int(c))),
            __dp2a_lo(a, b, c),
            __dp2a_hi(a, b, c),
            uint32_t(__dp2a_lo(int(a), int(b), int(c))),
            uint32_t(__dp2a_hi(int(a), int(b), int(c))),
            __byte_perm(a, b, c),
            __vabsdiffu4(a, b),
            uint32_t(__clz(int(a))),
            uint32_t(__clzll((long long)wide)),
            uint32_t(__ffs(int(a))),
            uint32_t(__popc(a)),
            __umulhi(a, b),
            uint32_t(__mulhi(int(a), int(b))),
            __umul64hi(wide, other),
            uint64_t(__mul64hi((long long)wide, (long long)other)),
            __funnelshift_r(a, b, c),
            __funnelshift_l(a, b, c),
            __brev(a),
            __vabsdiffu2(a, b),
            __vsadu4(a, b),
            __usad(a, b, c),
            __sad(int(a), int(b), c),
            min(a, b),
        };
        for (uint32_t k = 0; k < 24; k++) {
            p.out[24 * i + k] = results[k];
        }
    }
}
EXPORT_KERNEL(test_integers, TestParameters, 24);

// Conversions of a double and the float next to it, twelve results for each.
extern "C" __global__ void test_conversions(const TestParameters p) {
    for (uint32_t i = thread_number(); i < p.count; i += blockDim.x * gridDim.x) {
        const double wide = __longlong_as_double((long long)p.in[i]);
        const float narrow = __double2float_rn(wide);
        const uint64_t results[] = {
            uint32_t(__float2int_rz(narrow)),
            uint32_t(__float2int_rn(narrow)),
            uint32_t(__float2int_rd(narrow)),
            uint32_t(__float2int_ru(narrow)),
            __float2uint_rz(narrow),
            __float2uint_rn(narrow),
            uint64_t(__float2ll_rn(narrow)),
            uint32_t(__double2int_rz(wide)),
            uint32_t(__double2int_rn(wide)),
            __double2uint_rz(wide),
            uint64_t(__double2ll_rn(wide)),
            __double2ull_rz(wide),
        };
        for (uint32_t k = 0; k < 12; k++) {
            p.out[12 * i + k] = results[k];
        }
    }
}
EXPORT_KERNEL(test_conversions, TestParameters, 24);

// Two products of matrices by each warp, added to the same sums: sixteen words a thread, the sums first, and four results.
extern "C" __global__ void test_matrix(const TestParameters p) {
    const uint64_t *const in = p.in + 16 * thread_number();
    uint32_t words[16];
    for (uint32_t i = 0; i < 16; i++) {
        words[i] = uint32_t(in[i]);
    }
    const emulator::ByteProduct products[2] = {{words, words + 4, words + 8}, {words, words + 10, words + 14}};
    emulator::multiply_bytes(products, 2);
    for (uint32_t i = 0; i < 4; i++) {
        p.out[4 * thread_number() + i] = words[i];
    }
}
EXPORT_KERNEL(test_matrix, TestParameters, 24);

// Copies two words a thread to shared memory, each in a group, one more in none. Waits for all groups but `choice`; with
// 3 not at all.
extern "C" __global__ void test_copies(const TestParameters p) {
    BlockValues &shared = block_shared<BlockValues>();
    uint64_t *const mine = shared.value + 3 * threadIdx.x;
    const uint64_t *const in = p.in + 3 * thread_number();
    for (uint32_t i = 0; i < 2; i++) {
        emulator::copy_async(mine + i, in + i, 8);
        emulator::commit_copies();
    }
    emulator::copy_async(mine + 2, in + 2, 8);
    if (p.choice < 3) {
        emulator::wait_copies(p.choice);
    }
    for (uint32_t i = 0; i < 3; i++) {
        p.out[3 * thread_number() + i] = mine[i];
    }
}
EXPORT_KERNEL(test_copies, TestParameters, 24);

// An approximate reciprocal of each word as a double.
extern "C" __global__ void test_reciprocal(const TestParameters p) {
    for (uint32_t i = thread_number(); i < p.count; i += blockDim.x * gridDim.x) {
        const double value = __longlong_as_double((long long)p.in[i]);
        p.out[i] = uint64_t(__double_as_longlong(emulator::approximate_reciprocal(value)));
    }
}
EXPORT_KERNEL(test_reciprocal, TestParameters, 24);

// The sum of each two words as doubles, rounded toward zero.
extern "C" __global__ void test_sums_toward_zero(const TestParameters p) {
    for (uint32_t i = thread_number(); i < p.count; i += blockDim.x * gridDim.x) {
        const double a = __longlong_as_double((long long)p.in[2 * i]);
        const double b = __longlong_as_double((long long)p.in[2 * i + 1]);
        p.out[i] = uint64_t(__double_as_longlong(__dadd_rz(a, b)));
    }
}
EXPORT_KERNEL(test_sums_toward_zero, TestParameters, 24);

// The sums of pairs of floats, rounded towards minus infinity.
extern "C" __global__ void test_sums_down(const TestParameters p) {
    for (uint32_t i = thread_number(); i < p.count; i += blockDim.x * gridDim.x) {
        const float low = __uint_as_float(uint32_t(p.in[i])), high = __uint_as_float(uint32_t(p.in[i] >> 32));
        p.out[i] = __float_as_uint(__fadd_rd(low, high));
    }
}
EXPORT_KERNEL(test_sums_down, TestParameters, 24);

// SPDX-License-Identifier: BSD-2-Clause-Patent
// One block of threads: who may run, who waits for what, and what they share.
#pragma once

#include <cstdarg>
#include <vector>

#include "fibre.h"
#include "races.h"
#include "random.h"
#include "runtime.h"

namespace emulator {

// Stacks for the threads of one block at a time. Kept from launch to launch, as making them takes longer than most
// kernels run.
class Stacks {
  public:
    ~Stacks();
    // Has `count` fibres that are about to enter `body`.
    void prepare(size_t count, void (*body)());
    Fibre *take();
    void give(Fibre *fibre) { idle.push_back(fibre); }
    bool guards(const void *address) const;

  private:
    void add();
    std::vector<Fibre *> all;
    std::vector<Fibre *> idle;
};

// The threads of one block, as they run on this thread of the host. Used for all blocks of a launch in turn.
class Block {
  public:
    static const size_t most_threads = 1024;
    static const size_t static_bytes = 48 << 10; // of shared memory
    static const size_t most_shared_bytes = 99 << 10; // of both kinds: what 8.6, 8.9 and 12.0 have

    Block(const Kernel &kernel, const void *parameters, dim3 grid, uint32_t threads, size_t dynamic_bytes,
          Stacks &stacks, Races &races);

    // Runs the block of this index. False where it failed; then `message` tells why.
    bool run(uint3 index, uint64_t seed);

    uint32_t barrier(bool vote, Place place);
    uint64_t warp(const WarpCall &call);
    void maybe_switch();
    void *shared(const void *key, size_t bytes, size_t alignment);
    void *dynamic_shared(size_t bytes);
    void fence() { races.fence(number()); }
    void touch(const void *address, size_t bytes, bool write, bool atomic);
    Access access() const;
    [[noreturn]] void fail(const char *format, va_list arguments);
    // `address` tells what the message is about.
    [[noreturn]] void fail_at(uintptr_t address, const char *format, ...) __attribute__((format(printf, 3, 4)));

    const Kernel &kernel;
    Geometry geometry;
    char message[512] = "";
    uintptr_t fault = 0; // the address that a failure is about, if it is about one

  private:
    struct Variable {
        const void *key;
        void *start;
    };

    uint32_t number() const;
    void *variable(const void *key, size_t start, size_t bytes);
    static void run_threads();
    Thread *pick();
    void make_ready(Thread &thread);
    void park();
    void open_barrier();
    void check_call(const Thread &thread) const;
    void complete(Thread *lanes, const WarpCall &call);
    void multiply(const Thread *lanes) const;
    static uint64_t combine(const Thread *lanes, const WarpCall &call);
    [[noreturn]] void fail_stuck() const;

    const void *parameters;
    Stacks &stacks;
    Races &races;
    Fibre host;
    Random random;
    std::vector<Thread> threads;
    std::vector<uint32_t> ready; // threads that could go on, in no order
    std::vector<uint32_t> in_warp; // of each warp the lanes that wait in a warp call
    std::vector<uint32_t> calls;   // of each warp, done
    uint32_t barriers = 0;         // passed
    uint32_t live = 0;           // threads that have not ended
    uint32_t arrived = 0;        // threads at the barrier
    uint32_t votes = 0;
    uint32_t outcome = 0; // votes at the last barrier
    bool failed = false;
    std::vector<Variable> variables;
    size_t shared_used = 0; // of the static memory, after which the dynamic memory lies
    const size_t dynamic_bytes;
    struct alignas(128) Line {
        char bytes[128];
    };
    std::vector<Line> arena;
};

} // namespace emulator

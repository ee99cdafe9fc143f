// SPDX-License-Identifier: BSD-2-Clause-Patent
// What kernels need while they run: which thread they are, barriers, warps, shared memory, and how they are known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "vectors.h"

// Whether the build looks for races, see races.h.
#ifndef EMULATOR_RACES
#define EMULATOR_RACES 0
#endif

namespace emulator {

class Block;
struct Fibre;

// A line of a source file, for messages.
struct Place {
    const char *file;
    int line;
    bool operator!=(const Place &other) const { return line != other.line || file != other.file; }
};

// The last parameters of a function that wants to know where it is called: default arguments are evaluated there.
#define EMULATOR_PLACE const char *file = __builtin_FILE(), int line = __builtin_LINE()

// What lanes of a warp do together. Each gives a value and gets a result.
enum class WarpOperation { synchronize, shuffle, ballot, add, minimum, maximum, conjunction, disjunction, product };

const char *name(WarpOperation operation);

struct WarpCall {
    WarpOperation operation;
    uint32_t mask;
    uint64_t value;
    uint32_t source; // for shuffles: the lane whose value it wants
    Place place;
};

// A copy that a thread has started and not waited for.
struct Copy {
    void *to;
    const void *from;
    size_t bytes;
    uint32_t group;
};

enum class State : uint8_t { ready, at_barrier, in_warp, ended };

// One thread of a block.
struct Thread {
    uint3 index;
    State state;
    Block *block;
    Fibre *fibre; // where it runs; null before it begins
    Place place;  // of the barrier where it waits
    WarpCall call;
    uint64_t result; // of its last warp call
    std::vector<Copy> copies; // the earliest first
    uint32_t groups;          // of copies that are complete

    uint32_t warp() const { return index.x / 32; }
    uint32_t lane() const { return index.x % 32; }
};

// The thread that runs now. Not `thread_local`, whose accesses from other files go through a function.
extern __thread Thread *current;

struct Geometry {
    uint3 block_index;
    dim3 grid;
    dim3 block;
};
const Geometry &geometry();

// Waits for all threads of the block; gives the number of threads whose `vote` is true.
uint32_t barrier(bool vote, Place place);

// Waits for the lanes of the mask, which must make the same call.
uint64_t warp(const WarpCall &call);

// By seed lets other threads run first. Stands where threads meet without waiting: at atomics.
void maybe_switch();

// Tells what the current thread does to memory, where the build looks for races.
void touch(const void *address, size_t bytes, bool write, bool atomic);

// A fence for the whole device.
void fence();

// Ends the launch with this message.
[[noreturn]] void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Shared memory of this block for `key`: at every thread the same, with a pattern in it when the block begins.
void *shared(const void *key, size_t bytes, size_t alignment);

// The dynamic shared memory of this block, likewise, if the host gave as much.
void *dynamic_shared(size_t bytes);

// A kernel, known from program start on.
class Kernel {
  public:
    using Entry = void (*)(const void *parameters);
    Kernel(const char *name, const char *file, size_t bytes, Entry entry);
    static const Kernel *find(const char *image, const char *name);

    const char *const name;
    const char *const file;
    const size_t bytes; // of its parameters
    const Entry entry;  // runs it as the current thread

  private:
    bool is(const char *image, const char *name) const;
    const Kernel *const next;
};

} // namespace emulator

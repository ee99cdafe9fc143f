// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "block.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "matrix.h"

namespace emulator {

__thread Thread *current = nullptr;

const char *name(WarpOperation operation) {
    static const char *const names[] = {"synchronisation", "shuffle", "ballot", "sum", "minimum",
                                        "maximum",         "and",     "or",     "product"};
    return names[int(operation)];
}

Block::Block(const Kernel &kernel, const void *parameters, dim3 grid, uint32_t count, size_t dynamic_bytes,
             Stacks &stacks, Races &races)
    : kernel(kernel), geometry{{}, grid, {count, 1, 1}}, parameters(parameters), stacks(stacks), races(races),
      host(this_thread()), random(0), threads(count), in_warp((count + 31) / 32), calls((count + 31) / 32),
      dynamic_bytes(dynamic_bytes), arena((static_bytes + dynamic_bytes + sizeof(Line) - 1) / sizeof(Line)) {
    ready.reserve(count);
    for (uint32_t i = 0; i < count; i++) {
        threads[i].index = {i, 0, 0};
        threads[i].block = this;
    }
    stacks.prepare(count, run_threads);
}

bool Block::run(uint3 index, uint64_t seed) {
    geometry.block_index = index;
    random = Random(seed);
    ready.clear();
    for (Thread &thread : threads) {
        thread.fibre = nullptr;
        thread.copies.clear();
        thread.groups = 0;
        make_ready(thread);
    }
    live = uint32_t(threads.size());
    arrived = votes = 0;
    in_warp.assign(in_warp.size(), 0);
    variables.clear();
    shared_used = 0;
    current = pick();
    current->fibre = stacks.take();
    switch_fibre(host, *current->fibre);
    current = nullptr;
    return !failed;
}

// The body of every fibre: runs a thread to its end, then the next one that has not begun, on the same stack.
void Block::run_threads() {
    begun();
    for (;;) {
        Block &block = *current->block;
        block.kernel.entry(block.parameters);
        Fibre *const mine = current->fibre;
        current->state = State::ended;
        block.live--;
        Thread *const next = block.pick();
        if (next != nullptr && next->fibre == nullptr) {
            next->fibre = mine;
            current = next;
            continue;
        }
        block.stacks.give(mine);
        current = next;
        switch_fibre(*mine, next != nullptr ? *next->fibre : block.host);
    }
}

// Any thread that may go on; null when all have ended.
Thread *Block::pick() {
    if (ready.empty()) {
        if (live != 0) {
            fail_stuck();
        }
        return nullptr;
    }
    uint32_t &chosen = ready[random.below(uint32_t(ready.size()))];
    Thread *const thread = &threads[chosen];
    chosen = ready.back();
    ready.pop_back();
    return thread;
}

void Block::make_ready(Thread &thread) {
    thread.state = State::ready;
    ready.push_back(thread.index.x);
}

// Lets others run until the current thread is picked again.
void Block::park() {
    Thread *const me = current;
    Thread *const next = pick();
    if (next == me) {
        return;
    }
    if (next->fibre == nullptr) {
        next->fibre = stacks.take();
    }
    current = next;
    switch_fibre(*me->fibre, *next->fibre);
}

void Block::maybe_switch() {
    if ((random.next() & 7) == 0) {
        make_ready(*current);
        park();
    }
}

uint32_t Block::barrier(bool vote, Place place) {
    current->state = State::at_barrier;
    current->place = place;
    votes += vote;
    arrived++;
    if (arrived == threads.size()) {
        open_barrier();
    }
    park();
    return outcome; // stays until all have come to the next barrier
}

void Block::open_barrier() {
    const Place place = current->place;
    for (Thread &thread : threads) {
        if (thread.place != place) {
            emulator::fail("thread %u waits at the barrier of %s:%d and thread %u at that of %s:%d", current->index.x,
                           place.file, place.line, thread.index.x, thread.place.file, thread.place.line);
        }
        make_ready(thread);
    }
    outcome = votes;
    barriers++;
    arrived = votes = 0;
}

uint64_t Block::warp(const WarpCall &call) {
    Thread &me = *current;
    me.call = call;
    me.state = State::in_warp;
    if ((call.mask >> me.lane() & 1) == 0) {
        emulator::fail("thread %u is not in the mask %08x of its own warp call at %s:%d", me.index.x, call.mask,
                       call.place.file, call.place.line);
    }
    uint32_t &waiting = in_warp[me.warp()];
    waiting |= uint32_t(1) << me.lane();
    if ((waiting & call.mask) == call.mask) {
        waiting &= ~call.mask;
        calls[me.warp()]++;
        complete(&threads[me.warp() * 32], call);
    }
    park();
    return me.result;
}

// All lanes of the mask are there: gives each its result, so that none has to look at another's value later.
void Block::complete(Thread *lanes, const WarpCall &call) {
    const uint64_t together = call.operation == WarpOperation::shuffle ? 0 : combine(lanes, call);
    if (call.operation == WarpOperation::product) {
        multiply(lanes);
    }
    for (uint32_t rest = call.mask; rest != 0; rest &= rest - 1) {
        Thread &lane = lanes[__builtin_ctz(rest)];
        check_call(lane);
        lane.result = together;
        if (call.operation == WarpOperation::shuffle) {
            // A lane outside the mask has nothing certain to give.
            const bool certain = call.mask >> lane.call.source & 1;
            lane.result = certain ? lanes[lane.call.source].call.value : 0xdeadbeefdeadbeef;
        }
        make_ready(lane);
    }
}

void Block::check_call(const Thread &thread) const {
    const WarpCall &mine = current->call, &other = thread.call;
    if (mine.mask != other.mask || mine.operation != other.operation || mine.place != other.place) {
        emulator::fail("threads %u and %u of one warp meet in different calls: %s, mask %08x at %s:%d, and %s, mask %08x "
                       "at %s:%d",
                       current->index.x, thread.index.x, name(mine.operation), mine.mask, mine.place.file,
                       mine.place.line, name(other.operation), other.mask, other.place.file, other.place.line);
    }
}

// The products of matrices whose parts the lanes have.
void Block::multiply(const Thread *lanes) const {
    const ByteProducts *parts[32];
    for (uint32_t lane = 0; lane < 32; lane++) {
        check_call(lanes[lane]);
        parts[lane] = reinterpret_cast<const ByteProducts *>(lanes[lane].call.value);
    }
    multiply_parts(parts);
}

// What the lanes of the mask have together.
uint64_t Block::combine(const Thread *lanes, const WarpCall &call) {
    uint64_t total = call.operation == WarpOperation::ballot ? 0 : lanes[__builtin_ctz(call.mask)].call.value;
    if (call.operation == WarpOperation::add) {
        total = 0;
    }
    for (uint32_t rest = call.mask; rest != 0; rest &= rest - 1) {
        const uint32_t lane = uint32_t(__builtin_ctz(rest));
        const uint64_t value = lanes[lane].call.value;
        switch (call.operation) {
        case WarpOperation::ballot: total |= uint64_t(value != 0) << lane; break;
        case WarpOperation::add: total += value; break;
        case WarpOperation::minimum: total = value < total ? value : total; break;
        case WarpOperation::maximum: total = value > total ? value : total; break;
        case WarpOperation::conjunction: total &= value; break;
        case WarpOperation::disjunction: total |= value; break;
        case WarpOperation::synchronize:
        case WarpOperation::shuffle:
        case WarpOperation::product: break;
        }
    }
    return total;
}

void *Block::shared(const void *key, size_t bytes, size_t alignment) {
    for (const Variable &variable : variables) {
        if (variable.key == key) {
            return variable.start;
        }
    }
    const size_t start = (shared_used + alignment - 1) / alignment * alignment;
    if (start + bytes > static_bytes || start + bytes + dynamic_bytes > most_shared_bytes) {
        emulator::fail("more shared memory than a block may have");
    }
    shared_used = start + bytes;
    return variable(key, start, bytes);
}

void *Block::dynamic_shared(size_t bytes) {
    static const char key = 0;
    for (const Variable &variable : variables) {
        if (variable.key == &key) {
            return variable.start;
        }
    }
    if (bytes > dynamic_bytes) {
        emulator::fail("%zu bytes of dynamic shared memory, but the launch has %zu", bytes, dynamic_bytes);
    }
    return variable(&key, static_bytes, dynamic_bytes);
}

// A new variable of the block, with a pattern in it.
void *Block::variable(const void *key, size_t start, size_t bytes) {
    static const unsigned char patterns[] = {0xff, 0xa5, 0x7f, 0x5a};
    char *const memory = arena.data()->bytes + start;
    memset(memory, patterns[random.below(4)], bytes);
#if EMULATOR_RACES
    races.forget(memory, bytes);
#endif
    variables.push_back({key, memory});
    return memory;
}

// Nobody can go on, but not all have ended: says where they are.
void Block::fail_stuck() const {
    const Thread *barrier = nullptr, *warp = nullptr;
    uint32_t at_barrier = 0, at_warp = 0;
    for (const Thread &thread : threads) {
        if (thread.state == State::at_barrier) {
            barrier = &thread;
            at_barrier++;
        } else if (thread.state == State::in_warp) {
            warp = &thread;
            at_warp++;
        }
    }
    char where[256] = "";
    int used = 0;
    if (barrier != nullptr) {
        used = snprintf(where, sizeof where, "; thread %u waits at the barrier of %s:%d", barrier->index.x,
                        barrier->place.file, barrier->place.line);
    }
    if (warp != nullptr && used >= 0 && size_t(used) < sizeof where) {
        snprintf(where + used, sizeof where - used, "; thread %u waits for lanes %08x in the %s of %s:%d",
                 warp->index.x, warp->call.mask, name(warp->call.operation), warp->call.place.file,
                 warp->call.place.line);
    }
    emulator::fail("the threads wait for each other for ever: %u at a barrier, %u in a warp call, %zu ended%s", at_barrier,
                   at_warp, threads.size() - at_barrier - at_warp, where);
}

// The block's number within the launch.
uint32_t Block::number() const {
    const uint3 index = geometry.block_index;
    return (index.z * geometry.grid.y + index.y) * geometry.grid.x + index.x;
}

void Block::touch(const void *address, size_t bytes, bool write, bool atomic) {
    const size_t depth = size_t(static_cast<const char *>(address) - current->fibre->bottom);
    if (depth >= current->fibre->bytes) { // a thread's own variables are nobody else's
        races.touch(address, bytes, write, atomic);
    }
}

// The current thread's access as it would be now.
Access Block::access() const {
    return {number(), barriers, calls[current->warp()], uint16_t(current->index.x), 0, false};
}

void Block::fail_at(uintptr_t address, const char *format, ...) {
    const bool is_shared = address - reinterpret_cast<uintptr_t>(arena.data()) < arena.size() * sizeof(Line);
    fault = is_shared ? 0 : address;
    va_list arguments;
    va_start(arguments, format);
    fail(format, arguments);
}

void Block::fail(const char *format, va_list arguments) {
    vsnprintf(message, sizeof message, format, arguments);
    failed = true;
    abandon_for(host);
}

// What kernels call.

const Geometry &geometry() { return current->block->geometry; }

uint32_t barrier(bool vote, Place place) { return current->block->barrier(vote, place); }

uint64_t warp(const WarpCall &call) { return current->block->warp(call); }

void maybe_switch() { current->block->maybe_switch(); }

void fence() { current->block->fence(); }

void *shared(const void *key, size_t bytes, size_t alignment) { return current->block->shared(key, bytes, alignment); }

void *dynamic_shared(size_t bytes) { return current->block->dynamic_shared(bytes); }

void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    current->block->fail(format, arguments);
}

} // namespace emulator

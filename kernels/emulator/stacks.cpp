// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "block.h"

#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>

#include "emulator.h"

#if EMULATOR_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace emulator {

static const size_t guard_bytes = 64 << 10; // a multiple of every machine's page
static const size_t stack_bytes = 256 << 10;

Stacks::~Stacks() {
    for (Fibre *fibre : all) {
        munmap(fibre->bottom - guard_bytes, guard_bytes + stack_bytes);
        delete fibre;
    }
}

void Stacks::add() {
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *const start = mmap(nullptr, guard_bytes + stack_bytes, PROT_NONE, flags, -1, 0);
    char *const bottom = static_cast<char *>(start) + guard_bytes;
    if (start == MAP_FAILED || mprotect(bottom, stack_bytes, PROT_READ | PROT_WRITE) != 0) {
        fputs("the emulator has no memory for stacks\n", stderr);
        abort();
    }
    Fibre *const fibre = new Fibre;
    fibre->bottom = bottom;
    fibre->bytes = stack_bytes;
    all.push_back(fibre);
}

void Stacks::prepare(size_t count, void (*body)()) {
    while (all.size() < count) {
        add();
    }
    idle = all;
    for (size_t i = 0; i < all.size(); i++) {
        emulator::prepare(*all[i], body, i);
    }
}

Fibre *Stacks::take() {
    Fibre *const fibre = idle.back();
    idle.pop_back();
    return fibre;
}

bool Stacks::guards(const void *address) const {
    const char *const byte = static_cast<const char *>(address);
    for (const Fibre *fibre : all) {
        if (byte < fibre->bottom && fibre->bottom - byte <= ptrdiff_t(guard_bytes)) {
            return true;
        }
    }
    return false;
}

} // namespace emulator

int vmaf_emulator_sanitized(void) {
#if EMULATOR_ASAN
    return 1;
#else
    return 0;
#endif
}

int vmaf_emulator_finds_races(void) { return EMULATOR_RACES; }

void vmaf_emulator_forbid(const void *start, size_t bytes, int forbidden) {
#if EMULATOR_ASAN
    if (forbidden) {
        __asan_poison_memory_region(start, bytes);
    } else {
        __asan_unpoison_memory_region(start, bytes);
    }
#else
    (void)start, (void)bytes, (void)forbidden;
#endif
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
// Fibres: flows of control with stacks of their own that hand over to each other by a call.
#pragma once

#include <cstddef>

#if !defined(__x86_64__) && !defined(__aarch64__)
#define EMULATOR_UCONTEXT 1
#include <ucontext.h>
#endif

#if defined(__SANITIZE_ADDRESS__)
#define EMULATOR_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EMULATOR_ASAN 1
#endif
#endif

namespace emulator {

struct Fibre {
    char *bottom = nullptr; // lowest usable byte of the stack; an inaccessible page lies below
    size_t bytes = 0;
    void *saved = nullptr; // stack pointer while it does not run
#if EMULATOR_UCONTEXT
    ucontext_t context;
#endif
    void *sanitizer = nullptr; // what AddressSanitizer keeps for it while it does not run
};

// The calling thread's own stack, as a fibre to come back to.
Fibre this_thread();

// Lets the next switch to `fibre` enter `body`, which must not return. `colour` shifts the stack a little, as stacks
// that all begin at one offset in a page would fight for the same lines of the cache.
void prepare(Fibre &fibre, void (*body)(), size_t colour);

// Goes on with `to`; returns when somebody switches to `from`.
void switch_fibre(Fibre &from, Fibre &to);

// Goes on with `to` and never comes back; also from a signal handler.
[[noreturn]] void abandon_for(Fibre &to);

// Must be called first in a fibre's body.
void begun();

} // namespace emulator

// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "fibre.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <pthread.h>

#if EMULATOR_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

// void vmaf_emulator_switch(void **save, void *load): stores what a callee must preserve on the stack and the stack
// pointer in *save, then takes the same from the stack at `load`.
#if defined(__x86_64__)
asm(R"(
    .text
    .globl vmaf_emulator_switch
    .hidden vmaf_emulator_switch
    .type vmaf_emulator_switch, @function
vmaf_emulator_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size vmaf_emulator_switch, . - vmaf_emulator_switch
)");
static const size_t saved_words = 8; // six registers, where to go on, and no caller above that
static const size_t entry_word = 6;
#elif defined(__aarch64__)
asm(R"(
    .text
    .globl vmaf_emulator_switch
    .hidden vmaf_emulator_switch
    .type vmaf_emulator_switch, %function
vmaf_emulator_switch:
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
    .size vmaf_emulator_switch, . - vmaf_emulator_switch
)");
static const size_t saved_words = 20;
static const size_t entry_word = 11; // x30
#endif

#if !EMULATOR_UCONTEXT
extern "C" void vmaf_emulator_switch(void **save, void *load);
#endif

namespace emulator {

Fibre this_thread() {
    Fibre fibre;
#if EMULATOR_ASAN
    pthread_attr_t attributes;
    void *bottom = nullptr;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        pthread_attr_getstack(&attributes, &bottom, &fibre.bytes);
        pthread_attr_destroy(&attributes);
    }
    fibre.bottom = static_cast<char *>(bottom);
#endif
    return fibre;
}

void prepare(Fibre &fibre, void (*body)(), size_t colour) {
#if EMULATOR_ASAN
    __asan_unpoison_memory_region(fibre.bottom, fibre.bytes); // an abandoned fibre leaves its frames' marks there
#endif
    fibre.sanitizer = nullptr;
#if EMULATOR_UCONTEXT
    (void)colour;
    getcontext(&fibre.context);
    fibre.context.uc_stack.ss_sp = fibre.bottom;
    fibre.context.uc_stack.ss_size = fibre.bytes;
    fibre.context.uc_link = nullptr;
    makecontext(&fibre.context, body, 0);
#else
    const uintptr_t top = reinterpret_cast<uintptr_t>(fibre.bottom) + fibre.bytes - colour * 320 % 4096;
    void **words = reinterpret_cast<void **>(top & ~uintptr_t(15)) - saved_words;
    memset(words, 0, saved_words * sizeof *words);
    words[entry_word] = reinterpret_cast<void *>(body);
    fibre.saved = words;
#endif
}

void switch_fibre(Fibre &from, Fibre &to) {
#if EMULATOR_ASAN
    __sanitizer_start_switch_fiber(&from.sanitizer, to.bottom, to.bytes);
#endif
#if EMULATOR_UCONTEXT
    swapcontext(&from.context, &to.context);
#else
    vmaf_emulator_switch(&from.saved, to.saved);
#endif
#if EMULATOR_ASAN
    __sanitizer_finish_switch_fiber(from.sanitizer, nullptr, nullptr);
#endif
}

void abandon_for(Fibre &to) {
#if EMULATOR_ASAN
    __sanitizer_start_switch_fiber(nullptr, to.bottom, to.bytes);
#endif
#if EMULATOR_UCONTEXT
    setcontext(&to.context);
#else
    void *nobody = nullptr;
    vmaf_emulator_switch(&nobody, to.saved);
#endif
    abort();
}

void begun() {
#if EMULATOR_ASAN
    __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
#endif
}

} // namespace emulator

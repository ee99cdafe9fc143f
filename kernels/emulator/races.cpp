// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "races.h"

#include "block.h"

namespace emulator {

static const uintptr_t word_bytes = 4;

Races::Word &Races::word(uintptr_t number) {
    const uintptr_t page = number / page_words;
    if (page != last_number) {
        std::unique_ptr<Page> &found = pages[page];
        if (!found) {
            found = std::make_unique<Page>();
        }
        last_number = page;
        last_page = found.get();
    }
    return last_page->words[number % page_words];
}

void Races::forget(const void *address, size_t bytes) {
    const uintptr_t first = reinterpret_cast<uintptr_t>(address) / word_bytes;
    for (uintptr_t i = 0; i < (bytes + word_bytes - 1) / word_bytes; i++) {
        word(first + i) = {};
    }
}

void Races::touch(const void *address, size_t bytes, bool write, bool atomic) {
    const uintptr_t first = reinterpret_cast<uintptr_t>(address);
    Access access = current->block->access();
    access.atomic = atomic;
    for (uintptr_t at = first; at < first + bytes;) {
        const uintptr_t from = at % word_bytes;
        const uintptr_t until = from + (first + bytes - at) < word_bytes ? from + (first + bytes - at) : word_bytes;
        access.bytes = uint8_t((1 << until) - (1 << from));
        touch_word(at / word_bytes, write, access);
        at += until - from;
    }
}

void Races::touch_word(uintptr_t number, bool write, const Access &now) {
    Word &word = this->word(number);
    check(number, write, now, word.written, true);
    if (write) {
        check(number, write, now, word.read, false);
        word.written = now;
    } else if (word.read.bytes == 0 || are_ordered(word.read, now)) {
        word.read = now; // else the earlier reader stays: one of several is enough to find a write
    }
}

// Whether something lies between two accesses that puts them in this order for all threads.
bool Races::are_ordered(const Access &before, const Access &now) const {
    if (before.block != now.block) {
        return fenced.count(before.block) != 0 && fenced.count(now.block) != 0;
    }
    const bool same_warp = before.thread / 32 == now.thread / 32;
    return before.thread == now.thread || before.barrier != now.barrier || (same_warp && before.calls != now.calls);
}

void Races::check(uintptr_t number, bool write, const Access &now, const Access &before, bool before_wrote) const {
    if ((before.bytes & now.bytes) == 0 || (before.atomic && now.atomic) || are_ordered(before, now)) {
        return;
    }
    const uintptr_t address = number * word_bytes + uintptr_t(__builtin_ctz(before.bytes & now.bytes));
    current->block->fail_at(address, "thread %u %s what thread %u of %s block %s, with nothing between them", now.thread,
                            write ? "writes" : "reads", before.thread, before.block == now.block ? "its" : "another",
                            before_wrote ? "wrote" : "read");
}

void touch(const void *address, size_t bytes, bool write, bool atomic) {
    if (current != nullptr) {
        current->block->touch(address, bytes, write, atomic);
    }
}

} // namespace emulator

// What code compiled with -fsanitize=thread calls.
#if EMULATOR_RACES
#define EMULATOR_ACCESS(kind, bytes, write)                                                                            \
    extern "C" void __tsan_##kind##bytes(void *address) { emulator::touch(address, bytes, write, false); }
EMULATOR_ACCESS(read, 1, false)
EMULATOR_ACCESS(read, 2, false)
EMULATOR_ACCESS(read, 4, false)
EMULATOR_ACCESS(read, 8, false)
EMULATOR_ACCESS(read, 16, false)
EMULATOR_ACCESS(write, 1, true)
EMULATOR_ACCESS(write, 2, true)
EMULATOR_ACCESS(write, 4, true)
EMULATOR_ACCESS(write, 8, true)
EMULATOR_ACCESS(write, 16, true)
EMULATOR_ACCESS(unaligned_read, 2, false)
EMULATOR_ACCESS(unaligned_read, 4, false)
EMULATOR_ACCESS(unaligned_read, 8, false)
EMULATOR_ACCESS(unaligned_read, 16, false)
EMULATOR_ACCESS(unaligned_write, 2, true)
EMULATOR_ACCESS(unaligned_write, 4, true)
EMULATOR_ACCESS(unaligned_write, 8, true)
EMULATOR_ACCESS(unaligned_write, 16, true)
#undef EMULATOR_ACCESS
extern "C" void __tsan_read_range(void *address, size_t bytes) { emulator::touch(address, bytes, false, false); }
extern "C" void __tsan_write_range(void *address, size_t bytes) { emulator::touch(address, bytes, true, false); }
extern "C" void __tsan_init() {}
extern "C" void __tsan_func_entry(void *) {}
extern "C" void __tsan_func_exit() {}
#endif

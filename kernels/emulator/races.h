// SPDX-License-Identifier: BSD-2-Clause-Patent
// Races: two threads touch one byte, one of them writes, not both by atomics, and no barrier lies between. Orders by
// seed show many as wrong bits, but not, say, a sum without an atomic, as threads here do not run at the same time.
//
// The kernels must be compiled with -fsanitize=thread, which calls a function for every load and store. That the
// sanitizer's own library would define; races.cpp does instead, and knows what a barrier of a block is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "runtime.h"

namespace emulator {

// One load or store.
struct Access {
    uint32_t block;   // its number within the launch
    uint32_t barrier; // barriers of the block before it
    uint32_t calls;   // calls of the warp before it
    uint16_t thread;
    uint8_t bytes; // which of the word's, a bit each; 0 for no access
    bool atomic;
};

class Races {
  public:
    // Forgets what was done to `bytes` bytes: they are another variable from now on.
    void forget(const void *address, size_t bytes);

    // What a block did before its fence is in order with what another one does after its own: the way in which the
    // last block of all gathers what the others left.
    void fence(uint32_t block) { fenced.insert(block); }

    // The current thread touches `bytes` bytes. Ends the launch if it races with an earlier access.
    void touch(const void *address, size_t bytes, bool write, bool atomic);

  private:
    struct Word {
        Access written, read;
    };
    static const uintptr_t page_words = 1024;
    struct Page {
        Word words[page_words] = {};
    };

    Word &word(uintptr_t number);
    void touch_word(uintptr_t number, bool write, const Access &access);
    bool are_ordered(const Access &before, const Access &now) const;
    void check(uintptr_t number, bool write, const Access &now, const Access &before, bool before_wrote) const;

    std::unordered_map<uintptr_t, std::unique_ptr<Page>> pages;
    uintptr_t last_number = ~uintptr_t(0);
    Page *last_page = nullptr;
    std::unordered_set<uint32_t> fenced; // blocks
};

} // namespace emulator

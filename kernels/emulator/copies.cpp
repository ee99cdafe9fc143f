// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "copies.h"

#include <cstring>

namespace emulator {

// What the current thread does to memory by a copy.
static void touch_by_copy(const Copy &copy) {
#if EMULATOR_RACES
    touch(copy.to, copy.bytes, true, false);
    touch(copy.from, copy.bytes, false, false);
#else
    (void)copy;
#endif
}

void copy_async(void *to, const void *from, size_t bytes) {
    if ((reinterpret_cast<uintptr_t>(to) | reinterpret_cast<uintptr_t>(from)) % bytes != 0) {
        fail("thread %u copies %zu bytes that are not aligned to as many", current->index.x, bytes);
    }
    const Copy copy = {to, from, bytes, current->groups};
    touch_by_copy(copy);
    memset(to, 0xb7, bytes);
    current->copies.push_back(copy);
}

void commit_copies() { current->groups++; }

void wait_copies(uint32_t groups) {
    std::vector<Copy> &copies = current->copies;
    auto copy = copies.begin();
    for (; copy != copies.end() && copy->group + groups < current->groups; ++copy) {
        touch_by_copy(*copy);
        memcpy(copy->to, copy->from, copy->bytes);
    }
    copies.erase(copies.begin(), copy);
}

} // namespace emulator

// SPDX-License-Identifier: BSD-2-Clause-Patent
// Atomics on integers. Those on floating point are left out: their sums depend on the order of threads.
#pragma once

#include <type_traits>

#include "runtime.h"

namespace emulator {

// So that only the address chooses T.
template <typename T> struct Same {
    using Type = T;
};

// Threads of a block take turns on one thread of the host, so that plain loads and stores are atomic enough; others
// may come in between before and after it.
template <typename T, typename Change> __attribute__((no_sanitize("thread"))) T atomic(T *address, Change change) {
    static_assert(std::is_integral<T>::value && (sizeof(T) == 4 || sizeof(T) == 8), "atomics have 32 or 64 bits");
    maybe_switch();
#if EMULATOR_RACES
    touch(address, sizeof(T), true, true);
#endif
    const T before = *address;
    *address = change(before);
    return before;
}

} // namespace emulator

template <typename T> T atomicAdd(T *address, typename emulator::Same<T>::Type value) {
    using Unsigned = std::make_unsigned_t<T>; // sums wrap
    return emulator::atomic(address, [=](T before) { return T(Unsigned(before) + Unsigned(value)); });
}
template <typename T> T atomicSub(T *address, typename emulator::Same<T>::Type value) {
    using Unsigned = std::make_unsigned_t<T>;
    return emulator::atomic(address, [=](T before) { return T(Unsigned(before) - Unsigned(value)); });
}
template <typename T> T atomicMax(T *address, typename emulator::Same<T>::Type value) {
    return emulator::atomic(address, [=](T before) { return before > value ? before : value; });
}
template <typename T> T atomicMin(T *address, typename emulator::Same<T>::Type value) {
    return emulator::atomic(address, [=](T before) { return before < value ? before : value; });
}
template <typename T> T atomicAnd(T *address, typename emulator::Same<T>::Type value) {
    return emulator::atomic(address, [=](T before) { return before & value; });
}
template <typename T> T atomicOr(T *address, typename emulator::Same<T>::Type value) {
    return emulator::atomic(address, [=](T before) { return before | value; });
}
template <typename T> T atomicXor(T *address, typename emulator::Same<T>::Type value) {
    return emulator::atomic(address, [=](T before) { return before ^ value; });
}
template <typename T> T atomicExch(T *address, typename emulator::Same<T>::Type value) {
    return emulator::atomic(address, [=](T) { return value; });
}
template <typename T>
T atomicCAS(T *address, typename emulator::Same<T>::Type expected, typename emulator::Same<T>::Type value) {
    return emulator::atomic(address, [=](T before) { return before == expected ? value : before; });
}
inline unsigned atomicInc(unsigned *address, unsigned last) {
    return emulator::atomic(address, [=](unsigned before) { return before >= last ? 0 : before + 1; });
}

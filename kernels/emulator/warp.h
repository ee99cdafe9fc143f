// SPDX-License-Identifier: BSD-2-Clause-Patent
// What the lanes of a warp do together. All lanes of the mask must make the same call; the emulator ends the launch
// where they do not.
#pragma once

#include <cstring>
#include <type_traits>

#include "runtime.h"

namespace emulator {

template <typename T> uint64_t to_word(T value) {
    static_assert(std::is_arithmetic<T>::value && (sizeof(T) == 4 || sizeof(T) == 8), "lanes exchange 32 or 64 bits");
    uint64_t word = 0;
    memcpy(&word, &value, sizeof value);
    return word;
}

template <typename T> T from_word(uint64_t word) {
    T value;
    memcpy(&value, &word, sizeof value);
    return value;
}

// The value of lane `source`, or the lane's own where that is outside its segment of `width` lanes.
template <typename T> T shuffle(uint32_t mask, T value, bool inside, uint32_t source, Place place) {
    const uint32_t from = inside ? source : current->lane();
    return from_word<T>(warp({WarpOperation::shuffle, mask, to_word(value), from, place}));
}

inline uint32_t segment(int width) { return current->lane() & ~uint32_t(width - 1); }

inline uint64_t together(WarpOperation operation, uint32_t mask, uint64_t value, Place place) {
    return warp({operation, mask, value, 0, place});
}

} // namespace emulator

template <typename T> T __shfl_sync(unsigned mask, T value, int source, int width = 32, EMULATOR_PLACE) {
    const uint32_t from = emulator::segment(width) + (uint32_t(source) & uint32_t(width - 1));
    return emulator::shuffle(mask, value, true, from, {file, line});
}
template <typename T> T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, EMULATOR_PLACE) {
    const uint32_t from = emulator::current->lane() - delta;
    const bool inside = delta <= emulator::current->lane() - emulator::segment(width);
    return emulator::shuffle(mask, value, inside, from, {file, line});
}
template <typename T> T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, EMULATOR_PLACE) {
    const uint32_t from = emulator::current->lane() + delta;
    const bool inside = delta < 32 && from < emulator::segment(width) + uint32_t(width);
    return emulator::shuffle(mask, value, inside, from, {file, line});
}
template <typename T> T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32, EMULATOR_PLACE) {
    // Lanes may look into earlier segments, but not into later ones.
    const uint32_t from = emulator::current->lane() ^ uint32_t(lanes);
    const bool inside = from < emulator::segment(width) + uint32_t(width);
    return emulator::shuffle(mask, value, inside, from, {file, line});
}

inline void __syncwarp(unsigned mask = 0xffffffff, EMULATOR_PLACE) {
    emulator::together(emulator::WarpOperation::synchronize, mask, 0, {file, line});
}
inline unsigned __ballot_sync(unsigned mask, int predicate, EMULATOR_PLACE) {
    return unsigned(emulator::together(emulator::WarpOperation::ballot, mask, predicate != 0, {file, line}));
}
inline int __any_sync(unsigned mask, int predicate, EMULATOR_PLACE) {
    return emulator::together(emulator::WarpOperation::ballot, mask, predicate != 0, {file, line}) != 0;
}
inline int __all_sync(unsigned mask, int predicate, EMULATOR_PLACE) {
    return emulator::together(emulator::WarpOperation::ballot, mask, predicate != 0, {file, line}) == mask;
}

// The reductions have 32 bits, as on the device; sums wrap.
template <typename T> T __reduce_add_sync(unsigned mask, T value, EMULATOR_PLACE) {
    static_assert(sizeof(T) == 4, "reductions have 32 bits");
    return T(uint32_t(emulator::together(emulator::WarpOperation::add, mask, uint32_t(value), {file, line})));
}
inline unsigned __reduce_min_sync(unsigned mask, unsigned value, EMULATOR_PLACE) {
    return unsigned(emulator::together(emulator::WarpOperation::minimum, mask, value, {file, line}));
}
inline unsigned __reduce_max_sync(unsigned mask, unsigned value, EMULATOR_PLACE) {
    return unsigned(emulator::together(emulator::WarpOperation::maximum, mask, value, {file, line}));
}
// Signed numbers are ordered as unsigned ones when their highest bit is flipped.
inline int __reduce_min_sync(unsigned mask, int value, EMULATOR_PLACE) {
    const uint32_t flipped = uint32_t(value) ^ 0x80000000;
    return int(uint32_t(emulator::together(emulator::WarpOperation::minimum, mask, flipped, {file, line})) ^ 0x80000000);
}
inline int __reduce_max_sync(unsigned mask, int value, EMULATOR_PLACE) {
    const uint32_t flipped = uint32_t(value) ^ 0x80000000;
    return int(uint32_t(emulator::together(emulator::WarpOperation::maximum, mask, flipped, {file, line})) ^ 0x80000000);
}
inline unsigned __reduce_and_sync(unsigned mask, unsigned value, EMULATOR_PLACE) {
    return unsigned(emulator::together(emulator::WarpOperation::conjunction, mask, value, {file, line}));
}
inline unsigned __reduce_or_sync(unsigned mask, unsigned value, EMULATOR_PLACE) {
    return unsigned(emulator::together(emulator::WarpOperation::disjunction, mask, value, {file, line}));
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
// Numbers by seed (SplitMix64: Steele, Lea and Flood, 2014). Everything that the emulator does by chance comes from
// here, so that a seed repeats a run.
#pragma once

#include <cstdint>

namespace emulator {

class Random {
  public:
    explicit Random(uint64_t seed) : state(seed) {}

    uint64_t next() {
        uint64_t word = state += 0x9e3779b97f4a7c15;
        word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
        word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
        return word ^ (word >> 31);
    }

    // A number below `limit`.
    uint32_t below(uint32_t limit) { return uint32_t((next() >> 32) * limit >> 32); }

  private:
    uint64_t state;
};

} // namespace emulator

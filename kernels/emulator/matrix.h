// SPDX-License-Identifier: BSD-2-Clause-Patent
// The matrix units.
#pragma once

#include "runtime.h"

namespace emulator {

// A lane's part of a product of bytes: 16x8 sums, to which 16x32 by 32x8 is added.
struct ByteProduct {
    uint32_t *sums;
    const uint32_t *rows, *columns;
};

// Products that a lane has a part of, one after the other.
struct ByteProducts {
    const ByteProduct *first;
    uint32_t count;
};

// mma.m16n8k32 of unsigned bytes, by all lanes of a warp.
void multiply_parts(const ByteProducts *const (&lanes)[32]);

// One meeting of the warp for all: meetings take longer than products.
inline void multiply_bytes(const ByteProduct *products, uint32_t count, EMULATOR_PLACE) {
    const ByteProducts mine = {products, count};
    warp({WarpOperation::product, 0xffffffff, reinterpret_cast<uint64_t>(&mine), 0, {file, line}});
}

} // namespace emulator

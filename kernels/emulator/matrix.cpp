// SPDX-License-Identifier: BSD-2-Clause-Patent
// Not in the header, as what all lanes do together is nobody's access to memory (races.h).
#include "matrix.h"

#include <cstring>

namespace emulator {

// Lane 4 g + t has, byte after byte, columns 4 t to 4 t + 3 of rows g and g + 8 and the same 16 columns further on; of the
// second matrix the same places of column g; of the sums columns 2 t and 2 t + 1 of rows g and g + 8.
static void multiply(const ByteProduct *const (&lanes)[32]) {
    uint8_t rows[16][32];
    uint16_t columns[32][8];
    for (uint32_t lane = 0; lane < 32; lane++) {
        const uint32_t g = lane / 4, t = lane % 4;
        for (uint32_t word = 0; word < 4; word++) {
            memcpy(&rows[g + word % 2 * 8][4 * t + word / 2 * 16], &lanes[lane]->rows[word], 4);
        }
        for (uint32_t i = 0; i < 4; i++) {
            columns[4 * t + i][g] = lanes[lane]->columns[0] >> (8 * i) & 255;
            columns[4 * t + i + 16][g] = lanes[lane]->columns[1] >> (8 * i) & 255;
        }
    }
    uint32_t sums[16][8] = {};
    for (uint32_t row = 0; row < 16; row++) {
        for (uint32_t k = 0; k < 32; k++) {
            const uint16_t factor = rows[row][k];
            if (factor == 0) {
                continue; // as most of a band is
            }
            for (uint32_t column = 0; column < 8; column++) {
                sums[row][column] += uint16_t(factor * columns[k][column]);
            }
        }
    }
    for (uint32_t lane = 0; lane < 32; lane++) {
        for (uint32_t word = 0; word < 4; word++) {
            lanes[lane]->sums[word] += sums[lane / 4 + word / 2 * 8][lane % 4 * 2 + word % 2];
        }
    }
}

void multiply_parts(const ByteProducts *const (&lanes)[32]) {
    for (uint32_t i = 0; i < lanes[0]->count; i++) {
        const ByteProduct *parts[32];
        for (uint32_t lane = 0; lane < 32; lane++) {
            parts[lane] = lanes[lane]->first + i;
        }
        multiply(parts);
    }
}

} // namespace emulator

// SPDX-License-Identifier: BSD-2-Clause-Patent
// What a lane takes from the staged samples.
#pragma once

#include "../common/cuda.cuh"
#include "bands.cuh"
#include "staging.cuh"

namespace vif {

// Samples of a picture that lane 4 n + q has: of columns 2 n and 2 n + 1 rows 4 q to 4 q + 3, and the same 16 rows below.
// The even and the odd columns are one operand each of the vertical pass.
template <typename Sample>
struct LaneSamples;

// Each word has the bytes of one column, a row each.
template <>
struct LaneSamples<uint8_t> {
    static constexpr uint32_t PLANES = 1;
    uint32_t column[2][2]; // by parity of the column and half of the rows

    __device__ __forceinline__ void load(const Stage<uint8_t> &stage, uint32_t picture)
    {
        const uint32_t q = lane_index() % 4, n = lane_index() / 4;
#pragma unroll
        for (uint32_t half = 0; half < 2; ++half) {
            uint32_t pairs[4], columns[2];
#pragma unroll
            for (uint32_t k = 0; k < 4; ++k) {
                const uint32_t place = stage_place(16 * half + k) + q;
                pairs[k] = *reinterpret_cast<const uint16_t *>(&stage.picture[picture][place][2 * n]);
            }
            split_bytes(pairs, columns);
            column[0][half] = columns[0];
            column[1][half] = columns[1];
        }
    }

    __device__ __forceinline__ void planes(uint32_t parity, uint32_t (&planes)[1][2]) const
    {
        planes[0][0] = column[parity][0];
        planes[0][1] = column[parity][1];
    }
};

// Each word has the samples of both columns in one row.
template <>
struct LaneSamples<uint16_t> {
    static constexpr uint32_t PLANES = 2;
    uint32_t pair[2][4];    // by half of the rows and row
    uint32_t byte[2][2][2]; // by byte, parity of the column and half of the rows

    __device__ __forceinline__ void load(const Stage<uint16_t> &stage, uint32_t picture)
    {
        const uint32_t q = lane_index() % 4, n = lane_index() / 4;
#pragma unroll
        for (uint32_t half = 0; half < 2; ++half) {
#pragma unroll
            for (uint32_t k = 0; k < 4; ++k) {
                const uint32_t place = stage_place(16 * half + k) + q;
                pair[half][k] = *reinterpret_cast<const uint32_t *>(&stage.picture[picture][place][2 * n]);
            }
            uint32_t planes[4];
            split_bytes(pair[half], planes);
#pragma unroll
            for (uint32_t i = 0; i < 4; ++i)
                byte[i % 2][i / 2][half] = planes[i];
        }
    }

    __device__ __forceinline__ void planes(uint32_t parity, uint32_t (&planes)[2][2]) const
    {
#pragma unroll
        for (uint32_t i = 0; i < 4; ++i)
            planes[i / 2][i % 2] = byte[i / 2][parity][i % 2];
    }

    // All bits that are in some pair.
    __device__ __forceinline__ uint32_t bits() const
    {
        uint32_t bits = 0;
#pragma unroll
        for (uint32_t i = 0; i < 8; ++i)
            bits |= pair[i / 4][i % 4];
        return bits;
    }

    __device__ __forceinline__ uint32_t sample(uint32_t parity, uint32_t half, uint32_t row) const
    {
        return parity == 0 ? pair[half][row] & 0xffffu : pair[half][row] >> 16;
    }
};

} // namespace vif

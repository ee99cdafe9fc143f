// SPDX-License-Identifier: BSD-2-Clause-Patent
// Filters as products of matrices of bytes. 16 outputs of a filter of up to 17 taps read 32 inputs, so that a pass over
// a window is a product with a matrix that has the taps in a band along its diagonal. Taps have two bytes and values one
// to four; products of bytes at equal distance from the lowest go into one sum, and these are put together by shifts.
#pragma once

#include "../common/cuda.cuh"
#include "../common/ptx.cuh"

namespace vif {

// This lane's part of the tap bands of a scale, and of what its sums start with: halves of what they are shifted by.
// As the host makes it (src/feature/vif/cuda/bands.rs) it has one word for each lane in the place of one.
struct Bands {
    uint32_t vertical[2][4];      // by the byte of the taps; rows of outputs
    uint32_t horizontal[2][2][2]; // likewise; the left and the right 8 of the columns of outputs
    uint32_t next_vertical[4];    // of the next scale's filter: 8 even rows by low bytes, the same by high bytes
    uint32_t next_horizontal[2][2];
    uint32_t mean_half[4];
    uint32_t square_half[4];
    uint32_t next_half[4]; // for low bytes alone
    uint32_t half[4];      // of a shift by 16
};

constexpr uint32_t BANDS_WORDS = sizeof(Bands) / sizeof(uint32_t);

struct BandsOfWarp {
    uint32_t word[BANDS_WORDS][WARP_THREADS];
};

__device__ __forceinline__ Bands load_bands(const BandsOfWarp &from)
{
    Bands bands;
    uint32_t *const words = reinterpret_cast<uint32_t *>(&bands);
#pragma unroll
    for (uint32_t i = 0; i < BANDS_WORDS; ++i)
        words[i] = __ldg(&from.word[i][lane_index()]);
    return bands;
}

// Byte b of each of four words in plane b, the first word's lowest.
__host__ __device__ __forceinline__ void split_bytes(const uint32_t (&words)[4], uint32_t (&planes)[2])
{
    const uint32_t first = __byte_perm(words[0], words[1], 0x5140), second = __byte_perm(words[2], words[3], 0x5140);
    planes[0] = __byte_perm(first, second, 0x5410);
    planes[1] = __byte_perm(first, second, 0x7632);
}

__host__ __device__ __forceinline__ void split_bytes(const uint32_t (&words)[4], uint32_t (&planes)[3])
{
    const uint32_t first = __byte_perm(words[0], words[1], 0x5140), second = __byte_perm(words[2], words[3], 0x5140);
    planes[0] = __byte_perm(first, second, 0x5410);
    planes[1] = __byte_perm(first, second, 0x7632);
    planes[2] = __byte_perm(__byte_perm(words[0], words[1], 0x0062), __byte_perm(words[2], words[3], 0x0062), 0x5410);
}

__host__ __device__ __forceinline__ void split_bytes(const uint32_t (&words)[4], uint32_t (&planes)[4])
{
    const uint32_t first = __byte_perm(words[0], words[1], 0x5140), second = __byte_perm(words[2], words[3], 0x5140);
    const uint32_t third = __byte_perm(words[0], words[1], 0x7362), fourth = __byte_perm(words[2], words[3], 0x7362);
    planes[0] = __byte_perm(first, second, 0x5410);
    planes[1] = __byte_perm(first, second, 0x7632);
    planes[2] = __byte_perm(third, fourth, 0x5410);
    planes[3] = __byte_perm(third, fourth, 0x7632);
}

// The first sum begins with `start`, the others with 0.
template <uint32_t N>
__device__ __forceinline__ void begin_sums(uint32_t (&sums)[N][4], const uint32_t (&start)[4])
{
#pragma unroll
    for (uint32_t i = 0; i < 4 * N; ++i)
        sums[i / 4][i % 4] = i < 4 ? start[i] : 0;
}

// The vertical pass over byte planes of a window: sums[i] in units of 2^(8 i).
template <uint32_t PLANES>
__device__ __forceinline__ void filter_vertically(const Bands &bands, const uint32_t (&planes)[PLANES][2],
                                                  const uint32_t (&start)[4], uint32_t (&sums)[PLANES + 1][4])
{
    begin_sums(sums, start);
    ByteProduct products[2 * PLANES];
#pragma unroll
    for (uint32_t i = 0; i < PLANES; ++i) {
        products[2 * i] = {&sums[i], &bands.vertical[0], &planes[i]};
        products[2 * i + 1] = {&sums[i + 1], &bands.vertical[1], &planes[i]};
    }
    multiply_bytes(products);
}

// The next scale's vertical pass: one sum by low and by high bytes of the taps for each plane.
template <uint32_t PLANES>
__device__ __forceinline__ void filter_even_rows(const Bands &bands, const uint32_t (&planes)[PLANES][2],
                                                 uint32_t (&sums)[PLANES][4])
{
    begin_sums(sums, bands.next_half);
    ByteProduct products[PLANES];
#pragma unroll
    for (uint32_t i = 0; i < PLANES; ++i)
        products[i] = {&sums[i], &bands.next_vertical, &planes[i]};
    multiply_bytes(products);
}

// The horizontal pass with one of the bands, likewise.
template <uint32_t PLANES>
__device__ __forceinline__ void filter_horizontally(const uint32_t (&low)[2], const uint32_t (&high)[2],
                                                    const uint32_t (&planes)[PLANES][4], const uint32_t (&start)[4],
                                                    uint32_t (&sums)[PLANES + 1][4])
{
    begin_sums(sums, start);
    ByteProduct products[2 * PLANES];
#pragma unroll
    for (uint32_t i = 0; i < PLANES; ++i) {
        products[2 * i] = {&sums[i], &planes[i], &low};
        products[2 * i + 1] = {&sums[i + 1], &planes[i], &high};
    }
    multiply_bytes(products);
}

} // namespace vif

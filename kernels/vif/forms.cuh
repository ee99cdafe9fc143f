// SPDX-License-Identifier: BSD-2-Clause-Patent
// What a step of the walk does by depth: the products that are filtered, and how sums of the vertical pass are rounded
// (section 5.3 of the specification). Sums come in units of 2^(8 i) and start with halves of what they are shifted by.
#pragma once

#include "../common/cuda.cuh"
#include "bands.cuh"
#include "samples.cuh"

namespace vif {

// Four bytes of a word, two of them also moved to the upper half, for products of two pairs in one word.
struct SpreadBytes {
    uint32_t byte[4];
    uint32_t upper[2]; // bytes 2 and 3

    __device__ __forceinline__ explicit SpreadBytes(uint32_t word)
        : byte{word & 0xffu, __byte_perm(word, 0, 0x4441), __byte_perm(word, 0, 0x4442), word >> 24},
          upper{word & 0xff0000u, __byte_perm(word, 0, 0x4344)}
    {
    }
};

// Products of the bytes of two words, as planes of their lower and upper bytes.
__device__ __forceinline__ void multiply_each(const SpreadBytes &a, const SpreadBytes &b, uint32_t &low, uint32_t &high)
{
    const uint32_t even = a.upper[0] * b.byte[2] + a.byte[0] * b.byte[0];
    const uint32_t odd = a.upper[1] * b.byte[3] + a.byte[1] * b.byte[1];
    low = __byte_perm(even, odd, 0x6240);
    high = __byte_perm(even, odd, 0x7351);
}

// What four sums start with.
struct Starts {
    uint32_t sum[4];
};

__device__ __forceinline__ Starts starts_with(const uint32_t (&words)[4])
{
    return {{words[0], words[1], words[2], words[3]}};
}

// Pictures of 8 bits at scale 0. Careful is the form that is right for all samples, also above the depth's range.
struct ByteForm {
    using Sample = uint8_t;
    using Careful = ByteForm;
    static constexpr uint32_t PRODUCT_PLANES = 2;
    static constexpr bool MAKES_NEXT = true;
    static constexpr bool IN_RANGE = true;

    __device__ __forceinline__ explicit ByteForm(uint32_t) {}

    // Planes of reference^2, distorted^2 and reference * distorted.
    static __device__ __forceinline__ void products(const LaneSamples<uint8_t> (&samples)[2], uint32_t parity,
                                                    uint32_t (&planes)[3][PRODUCT_PLANES][2])
    {
#pragma unroll
        for (uint32_t half = 0; half < 2; ++half) {
            const SpreadBytes reference(samples[0].column[parity][half]), distorted(samples[1].column[parity][half]);
            multiply_each(reference, reference, planes[0][0][half], planes[0][1][half]);
            multiply_each(distorted, distorted, planes[1][0][half], planes[1][1][half]);
            multiply_each(reference, distorted, planes[2][0][half], planes[2][1][half]);
        }
    }

    static __device__ __forceinline__ Starts mean_start(const Bands &bands)
    {
        return starts_with(bands.mean_half);
    }

    static __device__ __forceinline__ Starts square_start(const Bands &)
    {
        return {{0, 0, 0, 0}};
    }

    // Shifted by 8.
    static __device__ __forceinline__ uint32_t mean(const uint32_t (&sums)[2][4], uint32_t i)
    {
        return sums[1][i] + (sums[0][i] >> 8);
    }

    static __device__ __forceinline__ uint32_t square(const uint32_t (&sums)[3][4], uint32_t i)
    {
        return sums[0][i] + (sums[1][i] << 8) + (sums[2][i] << 16);
    }

    // `rows`: the even rows of the next scale's vertical pass over bytes, by low and by high bytes of the taps.
    static __device__ __forceinline__ uint32_t next_mean(const uint32_t (&rows)[1][4], uint32_t i)
    {
        return rows[0][2 + i] + (rows[0][i] >> 8);
    }
};

// What samples of 16 bits have in common.
template <uint32_t PLANES>
struct WordProducts {
    using Sample = uint16_t;
    static constexpr uint32_t PRODUCT_PLANES = PLANES;

    static __device__ __forceinline__ void products(const LaneSamples<uint16_t> (&samples)[2], uint32_t parity,
                                                    uint32_t (&planes)[3][PRODUCT_PLANES][2])
    {
        constexpr uint32_t factors[3][2] = {{0, 0}, {1, 1}, {0, 1}};
#pragma unroll
        for (uint32_t product = 0; product < 3; ++product) {
#pragma unroll
            for (uint32_t half = 0; half < 2; ++half) {
                uint32_t words[4], bytes[PRODUCT_PLANES];
#pragma unroll
                for (uint32_t row = 0; row < 4; ++row)
                    words[row] = samples[factors[product][0]].sample(parity, half, row)
                                 * samples[factors[product][1]].sample(parity, half, row);
                split_bytes(words, bytes);
#pragma unroll
                for (uint32_t plane = 0; plane < PRODUCT_PLANES; ++plane)
                    planes[product][plane][half] = bytes[plane];
            }
        }
    }

    // The upper of the sums, in units of 2^16.
    static __device__ __forceinline__ uint32_t upper_square(const uint32_t (&sums)[PLANES + 1][4], uint32_t i)
    {
        const uint32_t upper = sums[2][i] + (sums[3][i] << 8);
        return PLANES == 4 ? upper + (sums[PLANES][i] << 16) : upper;
    }
};

// Pictures of 9 to 16 bits at scale 0. Squares have 3 bytes while samples have 12 bits.
template <uint32_t PLANES>
struct WordForm : WordProducts<PLANES> {
    using Careful = WordForm<4>;
    static constexpr bool MAKES_NEXT = true;
    static constexpr bool IN_RANGE = PLANES == 3;

    uint32_t mean_shift;
    uint32_t square_shift;
    uint32_t upper_scale; // what is left of 2^16 after the shift

    __device__ __forceinline__ explicit WordForm(uint32_t bits)
        : mean_shift(bits), square_shift(2 * (bits - 8)), upper_scale(as_it_is(1u << (16 - square_shift)))
    {
    }

    static __device__ __forceinline__ Starts mean_start(const Bands &bands)
    {
        return starts_with(bands.mean_half);
    }

    static __device__ __forceinline__ Starts square_start(const Bands &bands)
    {
        return starts_with(bands.square_half);
    }

    __device__ __forceinline__ uint32_t mean(const uint32_t (&sums)[3][4], uint32_t i) const
    {
        return (sums[0][i] + (sums[1][i] << 8) + (sums[2][i] << 16)) >> mean_shift;
    }

    __device__ __forceinline__ uint32_t square(const uint32_t (&sums)[PLANES + 1][4], uint32_t i) const
    {
        const uint32_t lower = sums[0][i] + (sums[1][i] << 8);
        return (lower >> square_shift) + WordProducts<PLANES>::upper_square(sums, i) * upper_scale;
    }

    // `rows`: of the lower and of the upper bytes of the samples.
    __device__ __forceinline__ uint32_t next_mean(const uint32_t (&rows)[2][4], uint32_t i) const
    {
        return (rows[0][i] + ((rows[0][2 + i] + rows[1][i]) << 8) + (rows[1][2 + i] << 16)) >> mean_shift;
    }
};

// Pictures of scales 1 to 3.
struct ScaleForm : WordProducts<4> {
    using Careful = ScaleForm;
    static constexpr bool MAKES_NEXT = false;
    static constexpr bool IN_RANGE = true;

    __device__ __forceinline__ explicit ScaleForm(uint32_t) {}

    static __device__ __forceinline__ Starts mean_start(const Bands &bands)
    {
        return starts_with(bands.half);
    }

    static __device__ __forceinline__ Starts square_start(const Bands &bands)
    {
        return starts_with(bands.half);
    }

    static __device__ __forceinline__ uint32_t mean(const uint32_t (&sums)[3][4], uint32_t i)
    {
        return sums[2][i] + ((sums[0][i] + (sums[1][i] << 8)) >> 16);
    }

    static __device__ __forceinline__ uint32_t square(const uint32_t (&sums)[5][4], uint32_t i)
    {
        return ((sums[0][i] + (sums[1][i] << 8)) >> 16) + upper_square(sums, i);
    }
};

} // namespace vif

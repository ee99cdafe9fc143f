// SPDX-License-Identifier: BSD-2-Clause-Patent
// The fast form of vif: a warp owns a strip of 16 rows and walks along it, 16 columns a step. No warp waits for another.
//
// A step does the vertical pass over 16 columns, whose results are byte planes in registers as the horizontal pass wants
// them, and then the horizontal pass over these and the 16 columns before, for the outputs in the middle.
#pragma once

#include "../common/cuda.cuh"
#include "../common/plane.cuh"
#include "bands.cuh"
#include "filter.cuh"
#include "forms.cuh"
#include "samples.cuh"
#include "staging.cuh"
#include "terms.cuh"

namespace vif {

// Rows of a strip, and columns of a window.
constexpr uint32_t STRIP_ROWS = 16;
constexpr uint32_t WINDOW_COLUMNS = 16;

// Samples of a window that one lane has: rows n and n + 8, columns 2 q, 2 q + 1, 2 q + 8, 2 q + 9.
constexpr uint32_t LANE_SAMPLES = 8;

// Byte planes of the results of the vertical pass: two of each mean, four of each square.
constexpr uint32_t MEAN_PLANES = 2;
constexpr uint32_t SQUARE_PLANES = 4;
constexpr uint32_t RESULT_PLANES = 2 * MEAN_PLANES + 3 * SQUARE_PLANES;

// Pictures of a scale and what is made of them.
struct FastScale {
    Plane pictures[2];
    Plane next[2]; // pictures of the next scale, where they are made with the sums
    uint64_t *sums;
};

// What a warp has in shared memory.
template <typename Sample>
struct WarpShared {
    uint2 before[RESULT_PLANES][WARP_THREADS]; // planes of the columns before, of each lane its own
    Stage<Sample> stages[2];
};

// Byte planes of 16x32 values: those of the columns before, and of this step's, by rows n and n + 8.
template <uint32_t PLANES>
struct ResultPlanes {
    uint32_t plane[PLANES][4];

    // Takes this step's values: of the even and of the odd columns, as the vertical pass leaves them.
    __device__ __forceinline__ void fill(const uint32_t (&values)[2][4])
    {
#pragma unroll
        for (uint32_t half = 0; half < 2; ++half) {
            const uint32_t words[4] = {values[0][2 * half], values[1][2 * half], values[0][2 * half + 1],
                                       values[1][2 * half + 1]};
            uint32_t bytes[PLANES];
            split_bytes(words, bytes);
#pragma unroll
            for (uint32_t i = 0; i < PLANES; ++i)
                plane[i][2 + half] = bytes[i];
        }
    }

    // Exchanges the columns before with this step's, for the next one. `before`: lane-private.
    __device__ __forceinline__ void exchange(uint2 (*before)[WARP_THREADS])
    {
#pragma unroll
        for (uint32_t i = 0; i < PLANES; ++i) {
            const uint2 earlier = before[i][lane_index()];
            plane[i][0] = earlier.x;
            plane[i][1] = earlier.y;
            before[i][lane_index()] = make_uint2(plane[i][2], plane[i][3]);
        }
    }
};

// (a b + 2^31) >> 32.
__device__ __forceinline__ uint32_t rounded_upper_product(uint32_t a, uint32_t b)
{
    const uint64_t product = static_cast<uint64_t>(a) * b;
    return static_cast<uint32_t>(product >> 32) + (static_cast<uint32_t>(product) >> 31);
}

// One warp's walk along strips.
template <typename Form>
class Walk {
    using Careful = typename Form::Careful;
    using Sample = typename Form::Sample;
    using Samples = LaneSamples<Sample>;
    static constexpr bool IS_ALWAYS_RIGHT = Careful::PRODUCT_PLANES == Form::PRODUCT_PLANES;

public:
    __device__ __forceinline__ Walk(const FastScale &scale, const Bands &bands, uint32_t bits,
                                    const LogBytes &logarithms, double gain_limit, WarpShared<Sample> &shared)
        : scale(scale), bands(bands), bits(bits), outside(0xffffu << bits & 0xffffu), logarithms(logarithms),
          gain_limit(gain_limit), shared(shared)
    {
        outside |= outside << 16;
    }

    // Adds `count` windows of a strip from window `first` on.
    __device__ __forceinline__ void strip(uint32_t strip, uint32_t first, uint32_t count, LaneSums &sums)
    {
        first_row = static_cast<int32_t>(strip * STRIP_ROWS);
        const StageCopies<Sample> copies(scale.pictures, first_row - 8);
        int32_t column = static_cast<int32_t>(first * WINDOW_COLUMNS) - 8;
        copies.start(shared.stages[0], column);
        Samples samples[2];
        take_samples(copies, 0, column, true, samples);
        bool careful = are_outside(samples);
        step<Careful, false>(samples, column, sums);
#pragma unroll 1
        for (uint32_t i = 1; i <= count; ++i) {
            column += WINDOW_COLUMNS;
            take_samples(copies, i % 2, column, i < count, samples);
            careful = careful || are_outside(samples);
            if (careful)
                step<Careful, true>(samples, column, sums);
            else
                step<Form, true>(samples, column, sums);
        }
        // The next strip's first copy comes to the same place.
        __syncwarp();
    }

private:
    // Waits for the samples from `column` on, and has the next ones copied.
    __device__ __forceinline__ void take_samples(const StageCopies<Sample> &copies, uint32_t stage, int32_t column,
                                                 bool has_next, Samples (&samples)[2])
    {
        wait_copies<0>();
        __syncwarp();
#pragma unroll
        for (uint32_t picture = 0; picture < 2; ++picture)
            samples[picture].load(shared.stages[stage], picture);
        if (has_next)
            copies.start(shared.stages[stage ^ 1], column + static_cast<int32_t>(WINDOW_COLUMNS));
    }

    // Whether the form is not right for samples of some lane.
    __device__ __forceinline__ bool are_outside(const Samples (&samples)[2]) const
    {
        if constexpr (IS_ALWAYS_RIGHT)
            return false;
        else
            return __any_sync(FULL_WARP, ((samples[0].bits() | samples[1].bits()) & outside) != 0);
    }

    // The vertical pass over 16 columns from `column` on and, if HAS_OUTPUTS, the window that ends in their middle.
    template <typename Step, bool HAS_OUTPUTS>
    __device__ __forceinline__ void step(const Samples (&samples)[2], int32_t column, LaneSums &sums)
    {
        const Step form(bits);
        const int32_t first_output = column - 8;
        if constexpr (Step::MAKES_NEXT) {
            ResultPlanes<2> results;
            next_planes(form, samples, results);
            if constexpr (HAS_OUTPUTS)
                store_next(results, first_output);
        }
        uint32_t means[2][LANE_SAMPLES];
#pragma unroll
        for (uint32_t picture = 0; picture < 2; ++picture) {
            ResultPlanes<MEAN_PLANES> results;
            mean_planes(form, samples[picture], picture, results);
            if constexpr (HAS_OUTPUTS)
                filter_mean(results, means[picture]);
        }
        uint32_t products[2][3][Step::PRODUCT_PLANES][2];
#pragma unroll
        for (uint32_t parity = 0; parity < 2; ++parity)
            Step::products(samples, parity, products[parity]);
        int32_t moments[3][LANE_SAMPLES];
#pragma unroll
        for (uint32_t product = 0; product < 3; ++product) {
            ResultPlanes<SQUARE_PLANES> results;
            square_planes(form, products, product, results);
            if constexpr (HAS_OUTPUTS)
                filter_square(results, means[product == 1], means[product != 0], moments[product]);
        }
        if constexpr (HAS_OUTPUTS)
            add_window<Step::IN_RANGE>(moments, first_output, sums);
    }

    // Adds a window's terms. `moments`: of reference^2, distorted^2 and reference * distorted.
    template <bool IN_RANGE>
    __device__ __forceinline__ void add_window(int32_t (&moments)[3][LANE_SAMPLES], int32_t first_output,
                                               LaneSums &sums) const
    {
#pragma unroll
        for (uint32_t i = 0; i < LANE_SAMPLES; ++i)
            moments[1][i] = moments[1][i] > 0 ? moments[1][i] : 0;
        leave_out_what_is_outside(first_output, moments, sums);
        add_terms<IN_RANGE>(logarithms, moments[0], moments[1], moments[2], gain_limit, sums);
    }

    // The vertical pass over one picture.
    template <typename Step>
    __device__ __forceinline__ void mean_planes(const Step &form, const Samples &samples, uint32_t picture,
                                                ResultPlanes<MEAN_PLANES> &results)
    {
        uint32_t values[2][4];
#pragma unroll
        for (uint32_t parity = 0; parity < 2; ++parity) {
            uint32_t planes[Samples::PLANES][2], sums[Samples::PLANES + 1][4];
            samples.planes(parity, planes);
            filter_vertically(bands, planes, form.mean_start(bands).sum, sums);
#pragma unroll
            for (uint32_t i = 0; i < 4; ++i)
                values[parity][i] = form.mean(sums, i);
        }
        results.fill(values);
        results.exchange(shared.before + picture * MEAN_PLANES);
    }

    // The horizontal pass over it.
    __device__ __forceinline__ void filter_mean(const ResultPlanes<MEAN_PLANES> &results,
                                                uint32_t (&outputs)[LANE_SAMPLES]) const
    {
        const uint32_t zero[4] = {0, 0, 0, 0};
#pragma unroll
        for (uint32_t side = 0; side < 2; ++side) {
            uint32_t sums[MEAN_PLANES + 1][4];
            filter_horizontally(bands.horizontal[0][side], bands.horizontal[1][side], results.plane, zero, sums);
#pragma unroll
            for (uint32_t i = 0; i < 4; ++i)
                outputs[4 * side + i] = sums[0][i] + (sums[1][i] << 8) + (sums[2][i] << 16);
        }
    }

    // The vertical pass over one of the three products.
    template <typename Step>
    __device__ __forceinline__ void square_planes(const Step &form,
                                                  const uint32_t (&products)[2][3][Step::PRODUCT_PLANES][2],
                                                  uint32_t product, ResultPlanes<SQUARE_PLANES> &results)
    {
        uint32_t values[2][4];
#pragma unroll
        for (uint32_t parity = 0; parity < 2; ++parity) {
            uint32_t sums[Step::PRODUCT_PLANES + 1][4];
            filter_vertically(bands, products[parity][product], form.square_start(bands).sum, sums);
#pragma unroll
            for (uint32_t i = 0; i < 4; ++i)
                values[parity][i] = form.square(sums, i);
        }
        results.fill(values);
        results.exchange(shared.before + 2 * MEAN_PLANES + product * SQUARE_PLANES);
    }

    // The horizontal pass over it, less the product of the means `a` and `b`: section 5.5.
    __device__ __forceinline__ void filter_square(const ResultPlanes<SQUARE_PLANES> &results,
                                                  const uint32_t (&a)[LANE_SAMPLES], const uint32_t (&b)[LANE_SAMPLES],
                                                  int32_t (&outputs)[LANE_SAMPLES]) const
    {
#pragma unroll
        for (uint32_t side = 0; side < 2; ++side) {
            uint32_t sums[SQUARE_PLANES + 1][4];
            filter_horizontally(bands.horizontal[0][side], bands.horizontal[1][side], results.plane, bands.half, sums);
#pragma unroll
            for (uint32_t i = 0; i < 4; ++i) {
                const uint32_t square = ((sums[0][i] + (sums[1][i] << 8)) >> 16) + sums[2][i] + (sums[3][i] << 8)
                                        + (sums[4][i] << 16);
                const uint32_t mean = rounded_upper_product(a[4 * side + i], b[4 * side + i]);
                outputs[4 * side + i] = static_cast<int32_t>(square - mean);
            }
        }
    }

    // The next scale's vertical pass: 8 even rows of each picture, those of the distorted one below.
    template <typename Step>
    __device__ __forceinline__ void next_planes(const Step &form, const Samples (&samples)[2], ResultPlanes<2> &results)
    {
#pragma unroll
        for (uint32_t picture = 0; picture < 2; ++picture) {
            uint32_t words[4], bytes[2];
#pragma unroll
            for (uint32_t parity = 0; parity < 2; ++parity) {
                uint32_t planes[Samples::PLANES][2], rows[Samples::PLANES][4];
                samples[picture].planes(parity, planes);
                filter_even_rows(bands, planes, rows);
                words[parity] = form.next_mean(rows, 0);
                words[2 + parity] = form.next_mean(rows, 1);
            }
            split_bytes(words, bytes);
#pragma unroll
            for (uint32_t i = 0; i < 2; ++i) {
                results.plane[i][picture] = next_before[i][picture];
                results.plane[i][2 + picture] = next_before[i][picture] = bytes[i];
            }
        }
    }

    // 8x8 samples of each picture of the next scale.
    __device__ __forceinline__ void store_next(const ResultPlanes<2> &results, int32_t first_output) const
    {
        uint32_t sums[3][4], outputs[4];
        filter_horizontally(bands.next_horizontal[0], bands.next_horizontal[1], results.plane, bands.half, sums);
#pragma unroll
        for (uint32_t i = 0; i < 4; ++i)
            outputs[i] = sums[2][i] + ((sums[0][i] + (sums[1][i] << 8)) >> 16);
        const uint32_t row = static_cast<uint32_t>(first_row) / 2 + lane_index() / 4;
        const uint32_t column = static_cast<uint32_t>(first_output) / 2 + 2 * (lane_index() % 4);
        if (row < scale.next[0].height && column < scale.next[0].width) {
            store_pair(scale.next[0], row, column, outputs[0] | outputs[1] << 16);
            store_pair(scale.next[1], row, column, outputs[2] | outputs[3] << 16);
        }
    }

    // Two samples from an even column on. Rows have room for the second one.
    static __device__ __forceinline__ void store_pair(const Plane &plane, uint32_t row, uint32_t column, uint32_t pair)
    {
        *reinterpret_cast<uint32_t *>(row_to_fill<uint16_t>(plane, row) + column) = pair;
    }

    // Outputs past the picture's last row or column count as flat ones without variance, and that is taken back.
    __device__ __forceinline__ void leave_out_what_is_outside(int32_t first_output,
                                                              int32_t (&moments)[3][LANE_SAMPLES], LaneSums &sums) const
    {
        const int32_t width = scale.pictures[0].width, height = scale.pictures[0].height;
        if (first_row + static_cast<int32_t>(STRIP_ROWS) <= height
            && first_output + static_cast<int32_t>(WINDOW_COLUMNS) <= width)
            return;
        const int32_t q = lane_index() % 4, n = lane_index() / 4;
#pragma unroll
        for (int32_t i = 0; i < static_cast<int32_t>(LANE_SAMPLES); ++i) {
            const int32_t row = first_row + n + i / 2 % 2 * 8, column = first_output + i / 4 * 8 + 2 * q + i % 2;
            if (row >= height || column >= width) {
                moments[0][i] = moments[1][i] = moments[2][i] = 0;
                sums.flat -= 1;
            }
        }
    }

    const FastScale &scale;
    const Bands &bands;
    const uint32_t bits;
    uint32_t outside; // bits that pairs of samples in range do not have
    const LogBytes &logarithms;
    const double gain_limit;
    WarpShared<Sample> &shared;
    int32_t first_row;
    uint32_t next_before[2][2]; // as in WarpShared, of the next scale: by byte and picture
};

} // namespace vif

// SPDX-License-Identifier: BSD-2-Clause-Patent
// adm, the plain form: every size, depth and option, by the arithmetic of adm.md as it stands there. Two launches a
// scale (grid z: the frame; a warp takes rows), from fine to coarse:
// 1. adm_decouple_*: wavelet, decoupling, what each position adds to thresholds, and the denominators;
// 2. adm_pool_*: thresholds and numerators.
// A row's sums are complete in its warp, so that they are rounded there.
#include "adm/decouple.cuh"
#include "adm/masking.cuh"
#include "adm/parameters.cuh"
#include "adm/wavelet.cuh"
#include "common/reduce.cuh"

struct AdmParameters {
    adm::Stream stream;
    uint64_t decoupled; // where in the work memory the parts of a scale are
    uint32_t scale;     // the one at work
    uint32_t skip_aim;
};

namespace adm {

// What is transformed: samples, or the low-pass band of the scale before.
template <typename Sample>
struct Input {
    const uint8_t *start;
    uint64_t pitch;
    int32_t middle;

    __device__ __forceinline__ Input(const AdmParameters &p, const Frame &frame, uint32_t picture)
    {
        if (p.scale == 0) {
            start = static_cast<const uint8_t *>(frame.pictures[picture].start);
            pitch = frame.pictures[picture].pitch;
            middle = static_cast<int32_t>(p.stream.middle);
        } else {
            const Scale &finer = p.stream.scales[p.scale - 1];
            start = low_band<const uint8_t>(frame, finer, picture);
            pitch = static_cast<uint64_t>(finer.low_stride) * sizeof(Sample);
            middle = 0;
        }
    }

    __device__ __forceinline__ int64_t operator()(uint32_t x, uint32_t y) const
    {
        return static_cast<int64_t>(reinterpret_cast<const Sample *>(start + y * pitch)[x]) - middle;
    }
};

// A sample of a row after the vertical pass.
struct Line {
    int32_t low;
    int32_t high;
};

template <bool FINEST, typename Sample>
__device__ __forceinline__ Line vertical(const Input<Sample> &input, const Scale &scale, uint32_t x, uint32_t y)
{
    int64_t samples[TAPS];
#pragma unroll
    for (uint32_t tap = 0; tap < TAPS; ++tap)
        samples[tap] = input(x, tap_position(y, tap, scale.input_height));
    return {wrap<FINEST>(round_shift(low_pass(samples), scale.vertical_shift)),
            wrap<FINEST>(round_shift(high_pass(samples), scale.vertical_shift))};
}

// What stands left of row y of the lines of bands two columns wide. There the reference reads the word before its line;
// its lines follow one another in memory: low and high of the reference picture, then of the distorted one.
template <bool FINEST, typename Sample>
__device__ __forceinline__ Line before_narrow_line(const Input<Sample> (&inputs)[2], const Scale &scale,
                                                   uint32_t picture, uint32_t y)
{
    const uint32_t last = scale.input_width - 1;
    const int32_t before_high = vertical<FINEST>(inputs[picture], scale, last, y).low;
    return {picture == 0 ? 0 : vertical<FINEST>(inputs[0], scale, last, y).high, before_high};
}

// The coefficients of a picture at one position.
struct Coefficients {
    int32_t low;
    int32_t detail[BANDS];
};

template <bool FINEST>
__device__ __forceinline__ Coefficients horizontal(const Line (&lines)[TAPS], const Scale &scale)
{
    const int64_t low[TAPS] = {lines[0].low, lines[1].low, lines[2].low, lines[3].low};
    const int64_t high[TAPS] = {lines[0].high, lines[1].high, lines[2].high, lines[3].high};
    const auto round = [&](int64_t sum) { return wrap<FINEST>(round_shift(sum, scale.horizontal_shift)); };
    return {round(low_pass(low)), {round(low_pass(high)), round(high_pass(low)), round(high_pass(high))}};
}

template <bool FINEST, typename Sample>
__device__ __forceinline__ Coefficients transform(const Input<Sample> (&inputs)[2], const Scale &scale,
                                                  uint32_t picture, uint32_t x, uint32_t y)
{
    Line lines[TAPS];
#pragma unroll
    for (uint32_t tap = 0; tap < TAPS; ++tap)
        lines[tap] = vertical<FINEST>(inputs[picture], scale, tap_position(x, tap, scale.input_width), y);
    if (x == 0 && scale.width == 2)
        lines[0] = before_narrow_line<FINEST>(inputs, scale, picture, y);
    return horizontal<FINEST>(lines, scale);
}

// A coefficient of scale 0, or of a coarser one.
template <bool FINEST>
struct WordOf {
    using Type = int32_t;
};

template <>
struct WordOf<true> {
    using Type = int16_t;
};

// What the first launch of a scale leaves to the second: planes of the scale's size in the work memory. Outside the
// window and the positions around it they hold anything.
template <bool FINEST>
struct Planes {
    using Word = typename WordOf<FINEST>::Type;
    int32_t *masks_start;
    uint64_t area;

    __device__ __forceinline__ Planes(const AdmParameters &p, const Frame &frame, const Scale &scale)
        : masks_start(reinterpret_cast<int32_t *>(frame.work + p.decoupled)),
          area(static_cast<uint64_t>(scale.width) * scale.height)
    {
    }

    // Of all bands of a part, what is added to the thresholds around.
    __device__ __forceinline__ int32_t *around(uint32_t part) const
    {
        return masks_start + part * area;
    }

    // Likewise to the position's own.
    __device__ __forceinline__ int32_t *centre(uint32_t part) const
    {
        return masks_start + (PARTS + part) * area;
    }

    __device__ __forceinline__ Word *coefficients(uint32_t part, uint32_t band) const
    {
        return reinterpret_cast<Word *>(masks_start + 2 * PARTS * area) + (part * BANDS + band) * area;
    }
};

// Whether thresholds of pooled positions look at this one.
__device__ __forceinline__ bool near_window(const Scale &scale, uint32_t x, uint32_t y)
{
    return scale.top < scale.bottom && x + 1 >= scale.left && x <= scale.right && y + 1 >= scale.top
           && y <= scale.bottom;
}

template <bool FINEST>
__device__ __forceinline__ void store_part(const Planes<FINEST> &planes, const Scale &scale, uint32_t part,
                                           uint64_t position, const int32_t (&coefficients)[BANDS])
{
    uint32_t around = 0, centre = 0;
#pragma unroll
    for (uint32_t band = 0; band < BANDS; ++band) {
        const Masks mask = masks<FINEST>(weigh<FINEST>(scale, band, coefficients[band]));
        around += mask.around;
        centre += mask.centre;
        planes.coefficients(part, band)[position] =
            static_cast<typename Planes<FINEST>::Word>(coefficients[band]);
    }
    planes.around(part)[position] = static_cast<int32_t>(around);
    planes.centre(part)[position] = static_cast<int32_t>(centre);
}

template <bool FINEST>
__device__ __forceinline__ void decouple(const AdmParameters &p, const Planes<FINEST> &planes, const Scale &scale,
                                         uint64_t position, const int32_t (&reference)[BANDS],
                                         const int32_t (&distorted)[BANDS])
{
    const bool near = is_near(reference, distorted);
    int32_t parts[PARTS][BANDS];
#pragma unroll
    for (uint32_t band = 0; band < BANDS; ++band) {
        parts[0][band] = restored(reference[band], distorted[band], near, p.stream.gain_limit);
        parts[1][band] = static_cast<int32_t>(static_cast<uint32_t>(distorted[band]) - parts[0][band]);
    }
#pragma unroll
    for (uint32_t part = 0; part < PARTS; ++part)
        store_part(planes, scale, part, position, parts[part]);
}

// Adds a row's sums, rounded, to totals; `sums` are those of this lane.
template <typename Sum>
__device__ __forceinline__ void add_row(const Sum (&sums)[BANDS], uint32_t shift, uint64_t *totals)
{
#pragma unroll
    for (uint32_t band = 0; band < BANDS; ++band) {
        const Sum sum = static_cast<Sum>(warp_sum(static_cast<uint64_t>(sums[band])));
        if (lane_index() == 0)
            atomic_add(totals + band, static_cast<uint64_t>(round_shift(sum, shift)));
    }
}

// The first launch of a scale for one row. Low is the type of the low-pass band that it leaves.
template <bool FINEST, typename Low, typename Sample>
__device__ __forceinline__ void decouple_row(const AdmParameters &p, const Frame &frame,
                                             const Input<Sample> (&inputs)[2], uint32_t y)
{
    const Scale &scale = p.stream.scales[p.scale];
    const Planes<FINEST> planes(p, frame, scale);
    uint64_t cubes[BANDS] = {0, 0, 0};
    for (uint32_t x = lane_index(); x < scale.width; x += WARP_THREADS) {
        Coefficients found[2];
#pragma unroll
        for (uint32_t picture = 0; picture < 2; ++picture) {
            found[picture] = transform<FINEST>(inputs, scale, picture, x, y);
            if (p.scale + 1 < SCALES)
                low_band<Low>(frame, scale, picture)[static_cast<uint64_t>(y) * scale.low_stride + x] =
                    static_cast<Low>(found[picture].low);
        }
        const uint64_t position = static_cast<uint64_t>(y) * scale.width + x;
        if (near_window(scale, x, y))
            decouple(p, planes, scale, position, found[0].detail, found[1].detail);
        if (in_window(scale, x, y))
#pragma unroll
            for (uint32_t band = 0; band < BANDS; ++band)
                cubes[band] += reference_cube<FINEST>(scale, reference_square_bits(p.scale), found[0].detail[band]);
    }
    if (y >= scale.top && y < scale.bottom)
        add_row(cubes, scale.denominator_row_shift, frame.totals + p.scale * TOTALS);
}

template <bool FINEST, typename Sample, typename Low>
__device__ __forceinline__ void decouple_rows(const AdmParameters &p)
{
    for (uint32_t i = blockIdx.z; i < p.stream.frame_count; i += gridDim.z) {
        const Frame &frame = p.stream.frames[i];
        const Input<Sample> inputs[2] = {{p, frame, 0}, {p, frame, 1}};
        for (uint32_t y = first_row(); y < p.stream.scales[p.scale].height; y += row_step())
            decouple_row<FINEST, Low>(p, frame, inputs, y);
    }
}

// The rows or columns at which the threshold of one looks: mirrored at the start, repeated at the end.
struct Neighbours {
    uint32_t at[3];

    __device__ __forceinline__ Neighbours(uint32_t here, uint32_t length)
        : at{here == 0 ? 1 : here - 1, here, here + 1 < length ? here + 1 : length - 1}
    {
    }
};

// The threshold that `part` sets at a position.
template <bool FINEST>
__device__ __forceinline__ int32_t threshold(const Planes<FINEST> &planes, const Scale &scale, uint32_t part,
                                             const Neighbours &rows, const Neighbours &columns)
{
    const int32_t *const around = planes.around(part);
    uint32_t sum = planes.centre(part)[static_cast<uint64_t>(rows.at[1]) * scale.width + columns.at[1]];
#pragma unroll
    for (uint32_t i = 0; i < 9; ++i)
        if (i != 4)
            sum += around[static_cast<uint64_t>(rows.at[i / 3]) * scale.width + columns.at[i % 3]];
    return static_cast<int32_t>(sum);
}

// The numerators of `part` in one row: what of it stands out of the other part's thresholds.
template <bool FINEST>
__device__ __forceinline__ void pool_row(const AdmParameters &p, const Frame &frame, uint32_t part, uint32_t y)
{
    const Scale &scale = p.stream.scales[p.scale];
    const Planes<FINEST> planes(p, frame, scale);
    const Neighbours rows(y, scale.height);
    int64_t cubes[BANDS] = {0, 0, 0};
    for (uint32_t x = scale.left + lane_index(); x < scale.right; x += WARP_THREADS) {
        const int32_t masked = threshold(planes, scale, 1 - part, rows, {x, scale.width});
#pragma unroll
        for (uint32_t band = 0; band < BANDS; ++band) {
            const int32_t coefficient =
                planes.coefficients(part, band)[static_cast<uint64_t>(y) * scale.width + x];
            cubes[band] += masked_cube<FINEST>(scale, band, coefficient, masked);
        }
    }
    add_row(cubes, scale.numerator_row_shift, frame.totals + p.scale * TOTALS + BANDS * (1 + part));
}

template <bool FINEST>
__device__ __forceinline__ void pool_rows(const AdmParameters &p)
{
    const Scale &scale = p.stream.scales[p.scale];
    for (uint32_t i = blockIdx.z; i < p.stream.frame_count; i += gridDim.z)
        for (uint32_t y = scale.top + first_row(); y < scale.bottom; y += row_step())
            for (uint32_t part = 0; part < (p.skip_aim ? 1u : PARTS); ++part)
                pool_row<FINEST>(p, p.stream.frames[i], part, y);
}

} // namespace adm

// Scale 0, from 8-bit samples.
extern "C" __global__ void __launch_bounds__(BLOCK_THREADS) adm_decouple_8(const __grid_constant__ AdmParameters p)
{
    adm::decouple_rows<true, uint8_t, int16_t>(p);
}
EXPORT_KERNEL(adm_decouple_8, AdmParameters, 672);

// Scale 0, from samples of 9 to 16 bits.
extern "C" __global__ void __launch_bounds__(BLOCK_THREADS) adm_decouple_16(const __grid_constant__ AdmParameters p)
{
    adm::decouple_rows<true, uint16_t, int16_t>(p);
}
EXPORT_KERNEL(adm_decouple_16, AdmParameters, 672);

// Scale 1.
extern "C" __global__ void __launch_bounds__(BLOCK_THREADS) adm_decouple_fine(const __grid_constant__ AdmParameters p)
{
    adm::decouple_rows<false, int16_t, int32_t>(p);
}
EXPORT_KERNEL(adm_decouple_fine, AdmParameters, 672);

// The scales 2 and 3.
extern "C" __global__ void __launch_bounds__(BLOCK_THREADS) adm_decouple_coarse(const __grid_constant__ AdmParameters p)
{
    adm::decouple_rows<false, int32_t, int32_t>(p);
}
EXPORT_KERNEL(adm_decouple_coarse, AdmParameters, 672);

// Scale 0.
extern "C" __global__ void __launch_bounds__(BLOCK_THREADS) adm_pool_finest(const __grid_constant__ AdmParameters p)
{
    adm::pool_rows<true>(p);
}
EXPORT_KERNEL(adm_pool_finest, AdmParameters, 672);

// The scales 1 to 3.
extern "C" __global__ void __launch_bounds__(BLOCK_THREADS) adm_pool_coarse(const __grid_constant__ AdmParameters p)
{
    adm::pool_rows<false>(p);
}
EXPORT_KERNEL(adm_pool_coarse, AdmParameters, 672);

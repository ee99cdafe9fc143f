// SPDX-License-Identifier: BSD-2-Clause-Patent
// vif, the plain form: the sums of a scale, and its pictures low-passed to the next; section 5 of the specification in
// its own stages. Grid z: the frame, in the low pass the picture.
#include "common/batch.cuh"
#include "common/cuda.cuh"
#include "common/plane.cuh"
#include "common/reduce.cuh"
#include "vif/filter.cuh"

namespace vif {

struct Frame {
    Plane pictures[2]; // reference, distorted
    Plane before[2];   // of the scale before, where this one is a single sample high or wide
    uint64_t *sums;
};

struct Parameters {
    Frame frame[BATCH_FRAMES];
    const uint16_t *logarithms; // 2048 log2(i) of i from 32768 to 65535
    double gain_limit;
    uint32_t frames;
    uint32_t bits; // of a sample at scale 0
};

struct LowParameters {
    Plane from[2 * BATCH_FRAMES]; // reference and distorted picture of each frame
    Plane to[2 * BATCH_FRAMES];
    uint32_t pictures;
    uint32_t mean_shift;
};

// Values that are filtered: reference, distorted, reference^2, distorted^2, reference * distorted.
constexpr uint32_t QUANTITIES = 5;

// Columns of a segment: what a warp filters at a time.
constexpr uint32_t LANE_COLUMNS = 4;
constexpr uint32_t SEGMENT_COLUMNS = LANE_COLUMNS * WARP_THREADS;

// Columns of a segment whose neighbours are in it too.
template <uint32_t SCALE>
constexpr uint32_t SEGMENT_OUTPUTS = SEGMENT_COLUMNS - 2 * HALF<SCALE>;

// The pictures of a scale, and how sums of the vertical pass are shifted.
template <uint32_t SCALE, typename Sample>
struct Scale {
    const Plane *pictures;
    const Plane *before;
    uint32_t mean_shift;
    uint32_t square_shift;

    __device__ __forceinline__ Scale(const Plane *pictures, const Plane *before, uint32_t bits)
        : pictures(pictures), before(before), mean_shift(SCALE == 0 ? bits : 16),
          square_shift(SCALE == 0 ? 2 * (bits - 8) : 16)
    {
    }

    __device__ __forceinline__ uint32_t width() const
    {
        return pictures[0].width;
    }

    __device__ __forceinline__ uint32_t height() const
    {
        return pictures[0].height;
    }

    // A row, mirrored at the borders. A single row has one of the scale before above and below, section 8.1.
    __device__ __forceinline__ const Sample *row(uint32_t picture, int32_t y) const
    {
        const bool lent = SCALE == 3 && height() == 1 && y != 0;
        const Plane &plane = lent ? before[picture] : pictures[picture];
        return row_of<Sample>(plane, lent ? 1 : mirrored(y, height()));
    }
};

// The vertical pass around one sample.
struct VerticalSums {
    uint32_t means[2];
    uint64_t squares[3];

    __device__ __forceinline__ void add(uint32_t tap, uint32_t reference, uint32_t distorted)
    {
        means[0] += tap * reference;
        means[1] += tap * distorted;
        squares[0] += static_cast<uint64_t>(tap) * (reference * reference);
        squares[1] += static_cast<uint64_t>(tap) * (distorted * distorted);
        squares[2] += static_cast<uint64_t>(tap) * (reference * distorted);
    }

    // The rounded values, section 5.3. Of samples beyond the depth's range they wrap.
    __device__ __forceinline__ void round(uint32_t mean_shift, uint32_t square_shift,
                                          uint32_t (&filtered)[QUANTITIES]) const
    {
#pragma unroll
        for (uint32_t i = 0; i < 2; ++i)
            filtered[i] = round_shift(means[i], mean_shift) & 0xffffu;
#pragma unroll
        for (uint32_t i = 0; i < 3; ++i)
            filtered[2 + i] = static_cast<uint32_t>(round_shift(squares[i], square_shift));
    }
};

// The vertical pass at row y of N columns.
template <uint32_t SCALE, typename Sample, uint32_t N>
__device__ __forceinline__ void filter_columns(const Scale<SCALE, Sample> &scale, const uint32_t (&columns)[N],
                                               uint32_t y, uint32_t (&filtered)[N][QUANTITIES])
{
    VerticalSums sums[N] = {};
#pragma unroll
    for (uint32_t i = 0; i < TAPS<SCALE>; ++i) {
        const int32_t from = static_cast<int32_t>(y + i) - static_cast<int32_t>(HALF<SCALE>);
        const Sample *const reference = scale.row(0, from), *const distorted = scale.row(1, from);
#pragma unroll
        for (uint32_t j = 0; j < N; ++j)
            sums[j].add(tap<SCALE>(i), __ldg(reference + columns[j]), __ldg(distorted + columns[j]));
    }
#pragma unroll
    for (uint32_t j = 0; j < N; ++j)
        sums[j].round(scale.mean_shift, scale.square_shift, filtered[j]);
}

// The columns of a segment after the vertical pass.
struct SegmentLines {
    uint32_t value[QUANTITIES][SEGMENT_COLUMNS];

    __device__ __forceinline__ void store(uint32_t column, const uint32_t (&filtered)[QUANTITIES])
    {
#pragma unroll
        for (uint32_t quantity = 0; quantity < QUANTITIES; ++quantity)
            value[quantity][column] = filtered[quantity];
    }
};

struct BlockLines {
    SegmentLines warp[BLOCK_WARPS];
};

// What stands left and right of a single column, section 8.1: column 1 in the last row of the scale before.
__device__ __forceinline__ void lend_column(const Plane *before, SegmentLines &lines)
{
    const Scale<2, uint16_t> scale(before, nullptr, 16);
    const uint32_t columns[1] = {1};
    uint32_t filtered[1][QUANTITIES];
    filter_columns(scale, columns, scale.height() - 1, filtered);
    if (lane_index() == 0)
        lines.store(0, filtered[0]);
    if (lane_index() == 2)
        lines.store(2, filtered[0]);
}

// The vertical pass of a segment, of which column `first` is the first with its neighbours.
template <uint32_t SCALE, typename Sample>
__device__ __forceinline__ void fill_lines(const Scale<SCALE, Sample> &scale, uint32_t first, uint32_t y,
                                           SegmentLines &lines)
{
    uint32_t columns[LANE_COLUMNS], filtered[LANE_COLUMNS][QUANTITIES];
#pragma unroll
    for (uint32_t j = 0; j < LANE_COLUMNS; ++j) {
        const uint32_t column = first + j * WARP_THREADS + lane_index();
        columns[j] = mirrored(static_cast<int32_t>(column) - static_cast<int32_t>(HALF<SCALE>), scale.width());
    }
    filter_columns(scale, columns, y, filtered);
#pragma unroll
    for (uint32_t j = 0; j < LANE_COLUMNS; ++j)
        lines.store(j * WARP_THREADS + lane_index(), filtered[j]);
    if (SCALE == 3 && scale.width() == 1)
        lend_column(scale.before, lines);
}

// Variances and covariance around a sample, section 5.5. What does not fit 32 bits wraps.
struct Moments {
    int32_t reference;
    int32_t distorted;
    int32_t covariance;
};

// Of the sum of a square and those of its factors: mean square less squared mean.
__host__ __device__ __forceinline__ int32_t moment(uint64_t square, uint64_t a, uint64_t b)
{
    const uint32_t squared_mean = static_cast<uint32_t>((a * b + (1ull << 31)) >> 32);
    return static_cast<int32_t>(static_cast<uint32_t>(round_shift(square, 16)) - squared_mean);
}

// The horizontal pass of the segment's column `first` + half.
template <uint32_t SCALE>
__device__ __forceinline__ Moments horizontal_pass(const SegmentLines &lines, uint32_t first)
{
    uint64_t sums[QUANTITIES] = {};
#pragma unroll
    for (uint32_t i = 0; i < TAPS<SCALE>; ++i) {
#pragma unroll
        for (uint32_t quantity = 0; quantity < QUANTITIES; ++quantity)
            sums[quantity] += static_cast<uint64_t>(tap<SCALE>(i)) * lines.value[quantity][first + i];
    }
    const int32_t distorted = moment(sums[3], sums[1], sums[1]);
    return {moment(sums[2], sums[0], sums[0]), distorted > 0 ? distorted : 0, moment(sums[4], sums[0], sums[1])};
}

// 2048 log2(value) of its 16 leading bits; value is the noise or more.
__device__ __forceinline__ int32_t logarithm(const uint16_t *table, uint64_t value)
{
    const int32_t cut = 48 - __clzll(static_cast<long long>(value));
    return __ldg(table + ((value >> cut) - 32768)) + static_cast<int32_t>(OCTAVE) * cut;
}

// The numerator's term of a sample that is not flat, section 5.6.
__device__ __forceinline__ int32_t numerator_term(const uint16_t *table, const Moments &moments, double gain_limit)
{
    const double reference = moments.reference, distorted = moments.distorted, covariance = moments.covariance;
    const double gain = covariance / (reference + EPSILON);
    const int32_t rest = __double2int_rz(distorted - gain * covariance);
    const double limited = gain < gain_limit ? gain : gain_limit;
    const uint64_t base = static_cast<uint32_t>(rest > 0 ? rest : 0) + NOISE;
    const uint64_t top = __double2ull_rz(limited * limited * reference) + base;
    return logarithm(table, top) - logarithm(table, base);
}

// What one sample adds to the sums, section 5.6.
__device__ __forceinline__ void add_terms(const uint16_t *table, const Moments &moments, double gain_limit,
                                          uint64_t (&sums)[SUMS])
{
    if (moments.reference < static_cast<int32_t>(NOISE)) {
        sums[2] += moments.distorted;
        sums[3] += 1;
        return;
    }
    sums[1] += logarithm(table, static_cast<uint32_t>(moments.reference) + NOISE) - 17 * OCTAVE;
    if (moments.covariance > 0 && moments.distorted > 0)
        sums[0] += numerator_term(table, moments, gain_limit);
}

// The sums over a segment of row y, by a warp.
template <uint32_t SCALE, typename Sample>
__device__ __forceinline__ void add_segment(const Parameters &p, const Scale<SCALE, Sample> &scale,
                                            uint32_t first, uint32_t y, uint64_t (&sums)[SUMS])
{
    SegmentLines &lines = block_shared<BlockLines>().warp[warp_index()];
    fill_lines(scale, first, y, lines);
    __syncwarp();
    for (uint32_t x = lane_index(); x < SEGMENT_OUTPUTS<SCALE> && first + x < scale.width(); x += WARP_THREADS)
        add_terms(p.logarithms, horizontal_pass<SCALE>(lines, x), p.gain_limit, sums);
    // The next segment comes to the same place.
    __syncwarp();
}

template <uint32_t SCALE, typename Sample>
__device__ __forceinline__ void add_scale(const Parameters &p)
{
    for (uint32_t index = blockIdx.z; index < p.frames; index += gridDim.z) {
        const Frame &frame = p.frame[index];
        const Scale<SCALE, Sample> scale(frame.pictures, frame.before, p.bits);
        const uint32_t segments = (scale.width() + SEGMENT_OUTPUTS<SCALE> - 1) / SEGMENT_OUTPUTS<SCALE>;
        uint64_t sums[SUMS] = {0, 0, 0, 0};
        for (uint32_t unit = first_row(); unit < segments * scale.height(); unit += row_step())
            add_segment(p, scale, unit / scale.height() * SEGMENT_OUTPUTS<SCALE>, unit % scale.height(), sums);
        block_add(sums, frame.sums);
    }
}

// Rows of the next scale that a lane makes at a time, one below the other.
constexpr uint32_t LOW_ROWS = 4;

// Samples of the next scale from row y on, section 5.8.
template <uint32_t NEXT, typename Sample>
__device__ __forceinline__ void low_pass(const Plane &from, uint32_t mean_shift, uint32_t x, uint32_t y,
                                         uint32_t (&outputs)[LOW_ROWS])
{
    constexpr uint32_t N = TAPS<NEXT>;
    constexpr int32_t BEFORE = HALF<NEXT>;
    uint32_t columns[N], sums[LOW_ROWS][N] = {};
#pragma unroll
    for (uint32_t j = 0; j < N; ++j)
        columns[j] = mirrored(static_cast<int32_t>(2 * x + j) - BEFORE, from.width);
#pragma unroll
    for (uint32_t i = 0; i < N + 2 * (LOW_ROWS - 1); ++i) {
        const auto row = row_of<Sample>(from, mirrored(static_cast<int32_t>(2 * y + i) - BEFORE, from.height));
#pragma unroll
        for (uint32_t j = 0; j < N; ++j) {
            const uint32_t sample = __ldg(row + columns[j]);
#pragma unroll
            for (uint32_t output = 0; output < LOW_ROWS; ++output) {
                if (i >= 2 * output && i < 2 * output + N)
                    sums[output][j] += tap<NEXT>(i - 2 * output) * sample;
            }
        }
    }
#pragma unroll
    for (uint32_t output = 0; output < LOW_ROWS; ++output) {
        uint32_t sum = 0;
#pragma unroll
        for (uint32_t j = 0; j < N; ++j)
            sum += tap<NEXT>(j) * (round_shift(sums[output][j], mean_shift) & 0xffffu);
        outputs[output] = round_shift(sum, 16);
    }
}

template <uint32_t NEXT, typename Sample>
__device__ __forceinline__ void fill_next(const LowParameters &p)
{
    for (uint32_t picture = blockIdx.z; picture < p.pictures; picture += gridDim.z) {
        const Plane &from = p.from[picture], &to = p.to[picture];
        const uint32_t segments = (to.width + WARP_THREADS - 1) / WARP_THREADS;
        const uint32_t units = segments * ((to.height + LOW_ROWS - 1) / LOW_ROWS);
        for (uint32_t unit = first_row(); unit < units; unit += row_step()) {
            const uint32_t x = unit % segments * WARP_THREADS + lane_index(), y = unit / segments * LOW_ROWS;
            uint32_t outputs[LOW_ROWS];
            low_pass<NEXT, Sample>(from, p.mean_shift, x, y, outputs);
#pragma unroll
            for (uint32_t i = 0; i < LOW_ROWS; ++i) {
                if (x < to.width && y + i < to.height)
                    row_to_fill<uint16_t>(to, y + i)[x] = static_cast<uint16_t>(outputs[i]);
            }
        }
    }
}

} // namespace vif

// Scale 0 of pictures of 8 bits.
extern "C" __global__ void __launch_bounds__(BLOCK_THREADS, 2)
    vif_scale0_8(const __grid_constant__ vif::Parameters p)
{
    vif::add_scale<0, uint8_t>(p);
}
EXPORT_KERNEL(vif_scale0_8, vif::Parameters, 440);

// Scale 0 of pictures of 9 to 16 bits.
extern "C" __global__ void __launch_bounds__(BLOCK_THREADS, 2)
    vif_scale0_16(const __grid_constant__ vif::Parameters p)
{
    vif::add_scale<0, uint16_t>(p);
}
EXPORT_KERNEL(vif_scale0_16, vif::Parameters, 440);

extern "C" __global__ void __launch_bounds__(BLOCK_THREADS, 2)
    vif_scale1(const __grid_constant__ vif::Parameters p)
{
    vif::add_scale<1, uint16_t>(p);
}
EXPORT_KERNEL(vif_scale1, vif::Parameters, 440);

extern "C" __global__ void __launch_bounds__(BLOCK_THREADS, 2)
    vif_scale2(const __grid_constant__ vif::Parameters p)
{
    vif::add_scale<2, uint16_t>(p);
}
EXPORT_KERNEL(vif_scale2, vif::Parameters, 440);

extern "C" __global__ void __launch_bounds__(BLOCK_THREADS, 2)
    vif_scale3(const __grid_constant__ vif::Parameters p)
{
    vif::add_scale<3, uint16_t>(p);
}
EXPORT_KERNEL(vif_scale3, vif::Parameters, 440);

// The pictures of scale 1 from those of 8 bits.
extern "C" __global__ void __launch_bounds__(BLOCK_THREADS) vif_low1_8(const __grid_constant__ vif::LowParameters p)
{
    vif::fill_next<1, uint8_t>(p);
}
EXPORT_KERNEL(vif_low1_8, vif::LowParameters, 392);

// The pictures of scale 1 from those of 9 to 16 bits.
extern "C" __global__ void __launch_bounds__(BLOCK_THREADS) vif_low1_16(const __grid_constant__ vif::LowParameters p)
{
    vif::fill_next<1, uint16_t>(p);
}
EXPORT_KERNEL(vif_low1_16, vif::LowParameters, 392);

extern "C" __global__ void __launch_bounds__(BLOCK_THREADS) vif_low2(const __grid_constant__ vif::LowParameters p)
{
    vif::fill_next<2, uint16_t>(p);
}
EXPORT_KERNEL(vif_low2, vif::LowParameters, 392);

extern "C" __global__ void __launch_bounds__(BLOCK_THREADS) vif_low3(const __grid_constant__ vif::LowParameters p)
{
    vif::fill_next<3, uint16_t>(p);
}
EXPORT_KERNEL(vif_low3, vif::LowParameters, 392);

// SPDX-License-Identifier: BSD-2-Clause-Patent
// Least compute capability: 8.0
// adm, the fast form; src/feature/adm/cuda/fast.rs says which streams it takes. Four launches a batch:
// 1. adm_low_pass_*: the low-pass band of scale 0, and zeros to where row sums go (grid z: frame and picture);
// 2. adm_low_pass: those of the scales 1 and 2 (grid z: frame and picture);
// 3. adm_sum_*: the sums of all rows of all scales and frames, each warp by its share of one scale of one frame;
// 4. adm_round: rows are rounded and added (grid x: the total, z: the frame).
#include "adm/coarse_low_pass.cuh"
#include "adm/fast_parameters.cuh"
#include "adm/parameters.cuh"
#include "adm/walk.cuh"
#include "common/reduce.cuh"

namespace adm {

// Of adm_sum_*, of which a multiprocessor has one block.
struct SumShared {
    WarpStages warps[BLOCK_WARPS];
};
static_assert(sizeof(SumShared) == 67584, "the host gives as much");

__device__ __forceinline__ uint64_t *row_sums(const AdmFastParameters &p, const Frame &frame, uint32_t scale)
{
    return reinterpret_cast<uint64_t *>(frame.work + p.row_sums[scale]);
}

__device__ __forceinline__ void clear_row_sums(const AdmFastParameters &p, const Frame &frame)
{
    uint64_t *const words = row_sums(p, frame, 0);
    for (uint32_t i = blockIdx.x * BLOCK_THREADS + threadIdx.x; i < p.row_words; i += gridDim.x * BLOCK_THREADS)
        words[i] = 0;
}

template <typename Sample>
__device__ __forceinline__ void finest_low_passes(const AdmFastParameters &p)
{
    for (uint32_t i = blockIdx.z; i < 2 * p.stream.frame_count; i += gridDim.z) {
        const Frame &frame = p.stream.frames[i / 2];
        if (i % 2 == 0)
            clear_row_sums(p, frame);
        finest_low_pass<Sample>(p.stream, frame, i % 2, p.segment_rows);
    }
}

// What a scale's positions are made of.
__device__ __forceinline__ Source finest_source(const Frame &frame)
{
    const Plane &reference = frame.pictures[0], &distorted = frame.pictures[1];
    return {{static_cast<const uint8_t *>(reference.start), static_cast<const uint8_t *>(distorted.start)},
            {reference.pitch, distorted.pitch},
            static_cast<int32_t>(reference.width),
            static_cast<int32_t>(reference.height)};
}

template <typename Sample>
__device__ __forceinline__ Source coarse_source(const Frame &frame, const Scale &finer)
{
    const uint32_t pitch = finer.low_stride * static_cast<uint32_t>(sizeof(Sample));
    return {{low_band<const uint8_t>(frame, finer, 0), low_band<const uint8_t>(frame, finer, 1)},
            {pitch, pitch},
            static_cast<int32_t>(finer.width),
            static_cast<int32_t>(finer.height)};
}

template <uint32_t SCALE, bool ANY, typename Vertical>
__device__ __forceinline__ void sum_coarse(const AdmFastParameters &p, const Frame &frame, const Share &share,
                                           WarpStages &memory)
{
    const Source source = coarse_source<typename Vertical::Sample>(frame, p.stream.scales[SCALE - 1]);
    const CoarseWeights<ANY> weights(p.stream, SCALE);
    sum_share<SCALE, Vertical>(p.stream, weights, source, row_sums(p, frame, SCALE), share, memory);
}

template <typename Vertical>
__device__ __forceinline__ void sum_finest(const AdmFastParameters &p, const Frame &frame, const Share &share,
                                           WarpStages &memory)
{
    const Source source = finest_source(frame);
    const FinestWeights weights(p.stream, p.finest);
    sum_share<0, Vertical>(p.stream, weights, source, row_sums(p, frame, 0), share, memory);
}

// A warp's work: a share of one scale of one frame.
struct Job {
    uint32_t scale;
    uint32_t frame;
    Share share;
};

// The job of this number, false where there is none. The coarsest scales, whose jobs take longest, come first.
__device__ __forceinline__ bool find_job(const AdmFastParameters &p, uint32_t number, Job &job)
{
    for (uint32_t scale = SCALES; scale-- > 0;) {
        const uint32_t shares = p.shares[scale], jobs = shares * p.stream.frame_count;
        if (number < jobs) {
            job = {scale, number / shares, {number % shares, shares}};
            return true;
        }
        number -= jobs;
    }
    return false;
}

template <typename Finest>
__device__ __forceinline__ void sum_rows(const AdmFastParameters &p)
{
    // Only samples of other depths than 8 and 16 bits may be beyond theirs, and only scale 1 shows it.
    constexpr bool ANY = sizeof(typename Finest::Sample) > 1;
    WarpStages &memory = dynamic_shared<SumShared>().warps[warp_index()];
    Job job;
    for (uint32_t number = blockIdx.x * BLOCK_WARPS + warp_index(); find_job(p, number, job);
         number += gridDim.x * BLOCK_WARPS) {
        const Frame &frame = p.stream.frames[job.frame];
        if (job.scale == 0)
            sum_finest<Finest>(p, frame, job.share, memory);
        else if (job.scale == 1)
            sum_coarse<1, ANY, FromHalves>(p, frame, job.share, memory);
        else if (job.scale == 2)
            sum_coarse<2, false, FromIntegers>(p, frame, job.share, memory);
        else
            sum_coarse<3, false, FromIntegers>(p, frame, job.share, memory);
    }
}

// One of a scale's totals: its rows, rounded.
__device__ __forceinline__ void round_rows(const Scale &scale, const uint64_t *rows, uint32_t total, uint64_t *result)
{
    uint64_t sums[1] = {0};
    for (uint32_t row = threadIdx.x; row < scale.bottom - scale.top; row += BLOCK_THREADS) {
        const uint64_t sum = rows[total * (scale.bottom - scale.top) + row];
        sums[0] += total < BANDS ? round_shift(sum, scale.denominator_row_shift)
                                 : round_shift(static_cast<int64_t>(sum), scale.numerator_row_shift);
    }
    block_add(sums, result + total);
}

} // namespace adm

extern "C" __global__ void __launch_bounds__(BLOCK_THREADS)
    adm_low_pass_8(const __grid_constant__ AdmFastParameters p)
{
    adm::finest_low_passes<uint8_t>(p);
}
EXPORT_KERNEL(adm_low_pass_8, AdmFastParameters, 728);

extern "C" __global__ void __launch_bounds__(BLOCK_THREADS)
    adm_low_pass_16(const __grid_constant__ AdmFastParameters p)
{
    adm::finest_low_passes<uint16_t>(p);
}
EXPORT_KERNEL(adm_low_pass_16, AdmFastParameters, 728);

extern "C" __global__ void __launch_bounds__(BLOCK_THREADS) adm_low_pass(const __grid_constant__ AdmFastParameters p)
{
    for (uint32_t i = blockIdx.z; i < 2 * p.stream.frame_count; i += gridDim.z)
        adm::coarse_low_pass(p.stream, p.stream.frames[i / 2], i % 2);
}
EXPORT_KERNEL(adm_low_pass, AdmFastParameters, 728);

extern "C" __global__ void __launch_bounds__(ROOMY_BLOCK_THREADS, 1)
    adm_sum_8(const __grid_constant__ AdmFastParameters p)
{
    adm::sum_rows<adm::FromBytes>(p);
}
EXPORT_KERNEL(adm_sum_8, AdmFastParameters, 728);

extern "C" __global__ void __launch_bounds__(ROOMY_BLOCK_THREADS, 1)
    adm_sum_16(const __grid_constant__ AdmFastParameters p)
{
    adm::sum_rows<adm::FromWords>(p);
}
EXPORT_KERNEL(adm_sum_16, AdmFastParameters, 728);

extern "C" __global__ void __launch_bounds__(BLOCK_THREADS) adm_round(const __grid_constant__ AdmFastParameters p)
{
    for (uint32_t i = blockIdx.z; i < p.stream.frame_count; i += gridDim.z) {
        const adm::Frame &frame = p.stream.frames[i];
        for (uint32_t total = blockIdx.x; total < adm::SCALES * adm::TOTALS; total += gridDim.x) {
            const uint32_t scale = total / adm::TOTALS;
            adm::round_rows(p.stream.scales[scale], adm::row_sums(p, frame, scale), total % adm::TOTALS,
                            frame.totals + scale * adm::TOTALS);
        }
    }
}
EXPORT_KERNEL(adm_round, AdmFastParameters, 728);

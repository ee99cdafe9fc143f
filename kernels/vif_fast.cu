// SPDX-License-Identifier: BSD-2-Clause-Patent
// Least compute capability: 8.0
// vif, the fast form: filters as products of matrices, vif/walk.cuh. Pictures of 16x16 samples at least. Grid z: the frame.
#include "common/batch.cuh"
#include "common/cuda.cuh"
#include "common/plane.cuh"
#include "common/ptx.cuh"
#include "common/reduce.cuh"
#include "vif/bands.cuh"
#include "vif/filter.cuh"
#include "vif/terms.cuh"
#include "vif/walk.cuh"

namespace vif {

constexpr uint32_t SMALL_SCALES = 3;

// Tables, and what they are for.
struct FastTables {
    const BandsOfWarp *bands; // of each scale of the launch
    const LogBytes *logarithms;
    double gain_limit;
    uint32_t frames;
    uint32_t bits; // of a sample
};

struct FastParameters {
    FastScale frame[BATCH_FRAMES];
    FastTables tables;
};

struct FastSmallParameters {
    FastScale frame[BATCH_FRAMES][SMALL_SCALES];
    FastTables tables;
};

template <typename Sample>
struct BlockShared {
    LogBytes logarithms;
    WarpShared<Sample> warp[BLOCK_WARPS];
};

// The host asks for as much.
static_assert(sizeof(BlockShared<uint8_t>) == 81920 && sizeof(BlockShared<uint16_t>) == 98304, "see cuda/fast.rs");

// What warps deal out among them: windows with numbers from `first` up to `end`.
struct Windows {
    uint32_t first;
    uint32_t end;
};

// Windows of a strip, and of a picture.
__device__ __forceinline__ uint32_t strip_windows(const FastScale &scale)
{
    return (scale.pictures[0].width + WINDOW_COLUMNS - 1) / WINDOW_COLUMNS;
}

__device__ __forceinline__ uint32_t picture_windows(const FastScale &scale)
{
    return (scale.pictures[0].height + STRIP_ROWS - 1) / STRIP_ROWS * strip_windows(scale);
}

// This warp's share of `windows`. Where there are few, neighbours go to different multiprocessors.
__device__ __forceinline__ Windows share_of(uint32_t windows)
{
    const uint32_t warps = gridDim.x * BLOCK_WARPS;
    const uint32_t warp =
        windows < 2 * warps ? warp_index() * gridDim.x + blockIdx.x : blockIdx.x * BLOCK_WARPS + warp_index();
    const uint64_t all = windows;
    return {static_cast<uint32_t>(all * warp / warps), static_cast<uint32_t>(all * (warp + 1) / warps)};
}

__device__ __forceinline__ void add_lane_sums(const LaneSums &lane, uint64_t (&sums)[SUMS])
{
    sums[0] += lane.numerator;
    sums[1] += lane.denominator;
    sums[2] += lane.flat_variance;
    sums[3] += static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(lane.flat)));
}

// Adds the warp's windows of one picture.
template <typename Form>
__device__ __forceinline__ void add_windows(const FastScale &scale, const BandsOfWarp &bands_of_warp,
                                            const FastTables &tables, Windows windows,
                                            BlockShared<typename Form::Sample> &shared)
{
    const Bands bands = load_bands(bands_of_warp);
    Walk<Form> walk(scale, bands, tables.bits, shared.logarithms, tables.gain_limit, shared.warp[warp_index()]);
    const uint32_t in_strip = strip_windows(scale);
    uint64_t sums[SUMS] = {0, 0, 0, 0};
    while (windows.first < windows.end) {
        const uint32_t strip = windows.first / in_strip, first = windows.first % in_strip;
        const uint32_t count = min(windows.end - windows.first, in_strip - first);
        LaneSums lane = {0, 0, 0, 0};
        walk.strip(strip, first, count, lane);
        add_lane_sums(lane, sums);
        windows.first += count;
    }
#pragma unroll
    for (uint32_t i = 0; i < SUMS; ++i) {
        const uint64_t sum = warp_sum(sums[i]);
        if (lane_index() == 0 && sum != 0)
            atomic_add(scale.sums + i, sum);
    }
}

// The log table to shared memory, by the block.
__device__ __forceinline__ void load_logarithms(const LogBytes &from, LogBytes &to)
{
    constexpr uint32_t chunks = sizeof(LogBytes) / CHUNK_BYTES;
    const uint4 *const source = reinterpret_cast<const uint4 *>(&from);
    uint4 *const target = reinterpret_cast<uint4 *>(&to);
#pragma unroll
    for (uint32_t i = 0; i < chunks; i += BLOCK_THREADS)
        target[i + threadIdx.x] = __ldg(source + i + threadIdx.x);
    __syncthreads();
}

template <typename Form>
__device__ __forceinline__ void add_scale_0(const FastParameters &p)
{
    auto &shared = dynamic_shared<BlockShared<typename Form::Sample>>();
    load_logarithms(*p.tables.logarithms, shared.logarithms);
    for (uint32_t frame = blockIdx.z; frame < p.tables.frames; frame += gridDim.z) {
        const FastScale &scale = p.frame[frame];
        add_windows<Form>(scale, *p.tables.bands, p.tables, share_of(picture_windows(scale)), shared);
    }
}

// The part of `windows` that is of a picture whose windows have numbers from `first` to `end`, as numbers of its own.
__device__ __forceinline__ Windows part_of(Windows windows, uint32_t first, uint32_t end)
{
    const uint32_t from = max(windows.first, first), to = min(windows.end, end);
    return from < to ? Windows{from - first, to - first} : Windows{0, 0};
}

// The windows of all three scales in one row are dealt out.
__device__ __forceinline__ void add_small_scales(const FastSmallParameters &p)
{
    auto &shared = dynamic_shared<BlockShared<uint16_t>>();
    load_logarithms(*p.tables.logarithms, shared.logarithms);
    for (uint32_t frame = blockIdx.z; frame < p.tables.frames; frame += gridDim.z) {
        const FastScale *const scales = p.frame[frame];
        const Windows share =
            share_of(picture_windows(scales[0]) + picture_windows(scales[1]) + picture_windows(scales[2]));
        uint32_t first = 0;
#pragma unroll 1
        for (uint32_t scale = 0; scale < SMALL_SCALES; ++scale) {
            const uint32_t end = first + picture_windows(scales[scale]);
            const Windows windows = part_of(share, first, end);
            if (windows.first < windows.end)
                add_windows<ScaleForm>(scales[scale], p.tables.bands[scale], p.tables, windows, shared);
            first = end;
        }
    }
}

} // namespace vif

// Scale 0 of pictures of 8 bits, and the pictures of scale 1.
extern "C" __global__ void __launch_bounds__(ROOMY_BLOCK_THREADS, 1)
    vif_fast_8(const __grid_constant__ vif::FastParameters p)
{
    vif::add_scale_0<vif::ByteForm>(p);
}
EXPORT_KERNEL(vif_fast_8, vif::FastParameters, 448);

// The same of 9 to 12 bits.
extern "C" __global__ void __launch_bounds__(ROOMY_BLOCK_THREADS, 1)
    vif_fast_12(const __grid_constant__ vif::FastParameters p)
{
    vif::add_scale_0<vif::WordForm<3>>(p);
}
EXPORT_KERNEL(vif_fast_12, vif::FastParameters, 448);

// The same of 13 to 16 bits.
extern "C" __global__ void __launch_bounds__(ROOMY_BLOCK_THREADS, 1)
    vif_fast_16(const __grid_constant__ vif::FastParameters p)
{
    vif::add_scale_0<vif::WordForm<4>>(p);
}
EXPORT_KERNEL(vif_fast_16, vif::FastParameters, 448);

// Scales 1 to 3.
extern "C" __global__ void __launch_bounds__(ROOMY_BLOCK_THREADS, 1)
    vif_fast_small(const __grid_constant__ vif::FastSmallParameters p)
{
    vif::add_small_scales(p);
}
EXPORT_KERNEL(vif_fast_small, vif::FastSmallParameters, 1280);

// SPDX-License-Identifier: BSD-2-Clause-Patent
// What the host tells the kernels of adm, plain and fast ones alike. src/feature/adm/cuda.rs has the same structures.
#pragma once

#include "../common/batch.cuh"
#include "../common/cuda.cuh"
#include "../common/plane.cuh"

namespace adm {

constexpr uint32_t SCALES = 4;
constexpr uint32_t BANDS = 3; // h, v, d: high-pass downwards, across, both ways
constexpr uint32_t PARTS = 2; // restored, additive
constexpr uint32_t TOTALS = BANDS * (1 + PARTS); // a scale: denominators, restored, additive

struct Frame {
    Plane pictures[2]; // reference, distorted
    uint8_t *work;
    uint64_t *totals; // TOTALS of each scale
};

// One scale, whose bands are all of one size. Rounding shifts drop bits after half a unit was added.
struct Scale {
    uint32_t input_width;
    uint32_t input_height;
    uint32_t width;
    uint32_t height;
    uint32_t left; // the pooling window: left <= x < right, top <= y < bottom
    uint32_t top;
    uint32_t right;
    uint32_t bottom;
    uint32_t weights[BANDS];
    uint32_t vertical_shift;
    uint32_t horizontal_shift;
    uint32_t denominator_shift; // of each cube of a reference coefficient
    uint32_t denominator_row_shift;
    uint32_t numerator_shifts[2]; // of each masked cube: in h and v, in d
    uint32_t numerator_row_shift;
    uint32_t low_stride; // samples between rows of the low-pass bands that it leaves in the work memory
    uint32_t unused;
    uint64_t low[2]; // where these are: reference, distorted
};

struct Stream {
    Frame frames[BATCH_FRAMES];
    Scale scales[SCALES];
    double gain_limit;
    uint32_t frame_count;
    uint32_t middle; // of the samples' range
};

// The low-pass band that `scale` leaves of a picture.
template <typename Sample>
__device__ __forceinline__ Sample *low_band(const Frame &frame, const Scale &scale, uint32_t picture)
{
    return reinterpret_cast<Sample *>(frame.work + scale.low[picture]);
}

__device__ __forceinline__ bool in_window(const Scale &scale, uint32_t x, uint32_t y)
{
    return x >= scale.left && x < scale.right && y >= scale.top && y < scale.bottom;
}

} // namespace adm

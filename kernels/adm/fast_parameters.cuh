// SPDX-License-Identifier: BSD-2-Clause-Patent
// What the host tells the fast kernels of adm.
#pragma once

#include "finest.cuh"
#include "parameters.cuh"

struct AdmFastParameters {
    adm::Stream stream;
    uint64_t row_sums[adm::SCALES]; // where in the work memory: TOTALS times the window's rows, scale after scale
    uint32_t row_words;             // of all scales
    uint32_t segment_rows;          // that a warp makes of the low-pass band of scale 0
    uint32_t shares[adm::SCALES];   // warps for each frame's scale
    adm::FinestConstants finest;
};

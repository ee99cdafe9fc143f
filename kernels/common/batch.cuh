// SPDX-License-Identifier: BSD-2-Clause-Patent
// Frames of one launch. A lone frame leaves much of a GPU idle, so that queued frames go together.
#pragma once

#include "cuda.cuh"

// Frames of a launch at most: kernels that take batches have arrays of this length in their parameters.
constexpr uint32_t BATCH_FRAMES = 4;

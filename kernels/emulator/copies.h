// SPDX-License-Identifier: BSD-2-Clause-Patent
// Copies that a thread starts, and waits for later. They land when it waits and not before, so that a missing or too
// short wait shows: until then a pattern stands in their place.
#pragma once

#include "runtime.h"

namespace emulator {

// Starts a copy.
void copy_async(void *to, const void *from, size_t bytes);

// Makes a group of the copies since the last one.
void commit_copies();

// Lands the groups before the latest `groups`.
void wait_copies(uint32_t groups);

} // namespace emulator

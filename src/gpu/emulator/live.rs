// SPDX-License-Identifier: BSD-2-Clause-Patent
//! What exists on all emulated devices of the process, for tests that look for leaks.
#![forbid(unsafe_code)]

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// Numbers of what exists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Live {
    /// Devices.
    pub devices: usize,
    /// Allocations of device memory.
    pub allocations: usize,
    /// Blocks of page-locked memory.
    pub pinned: usize,
    /// Streams, the legacy ones not counted.
    pub streams: usize,
    /// Events.
    pub events: usize,
    /// Modules.
    pub modules: usize,
    /// Breaches of the interface that were found, ever. They also fail their device.
    pub violations: usize,
}

/// What is counted, in the order of [`COUNTS`].
#[derive(Clone, Copy)]
pub enum Kind {
    Device,
    Allocation,
    Pinned,
    Stream,
    Event,
    Module,
    Violation,
}

static COUNTS: [AtomicUsize; 7] = [const { AtomicUsize::new(0) }; 7];

/// What exists now.
pub fn live() -> Live {
    let [devices, allocations, pinned, streams, events, modules, violations] =
        std::array::from_fn(|i| COUNTS[i].load(SeqCst));
    Live { devices, allocations, pinned, streams, events, modules, violations }
}

/// One more.
pub fn add(kind: Kind) {
    COUNTS[kind as usize].fetch_add(1, SeqCst);
}

/// One less.
pub fn remove(kind: Kind) {
    COUNTS[kind as usize].fetch_sub(1, SeqCst);
}

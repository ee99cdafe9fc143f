// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Video quality metrics with libvmaf's C API and libvmaf's numbers, bit for bit.

pub mod capi;
#[cfg(feature = "cli")]
pub mod cli;
pub mod context;
pub mod cpu;
pub mod error;
pub mod feature;
pub mod gpu;
pub mod log;
pub mod math;
pub mod model;
pub mod number;
pub mod output;
pub mod picture;
pub mod reduce;
pub mod schedule;

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Video quality metrics with libvmaf's C API and libvmaf's numbers, bit for bit.

pub mod cpu;
pub mod error;
pub mod log;
pub mod picture;

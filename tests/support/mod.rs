// SPDX-License-Identifier: BSD-2-Clause-Patent
//! What the tests share. Every test program compiles its own copy and uses its own part of it.
#![allow(dead_code)]

pub mod fixtures;
pub mod golden;
#[cfg(feature = "cuda-emulator")]
pub mod gpu;
pub mod scoring;

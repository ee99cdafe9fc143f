// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The kernels that are compiled into the library, one image a source file in `kernels/`.
#![forbid(unsafe_code)]

/// The kernels of one source file, compiled.
#[derive(Debug)]
pub struct Image {
    /// Name of the source file without its ending.
    pub name: &'static str,
    /// Machine code for current GPUs, where the build had an nvcc.
    pub fatbin: Option<&'static [u8]>,
    /// PTX, which ends with a NUL, for all others and for drivers older than the nvcc; empty where no driver is built
    /// in.
    pub ptx: &'static [u8],
}

// What the build script found in kernels/: one constant a source file.
include!(concat!(env!("OUT_DIR"), "/images.rs"));

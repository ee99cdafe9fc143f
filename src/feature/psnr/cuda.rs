// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The twin `psnr_cuda`: the squared errors of all planes in one launch.

use std::sync::Arc;

use crate::error::Result;
use crate::feature::{Launch, Setup};
use crate::gpu::{DeviceAddress, Engine, Kernel, Parameters, Pass, PlaneView, Results, image};

/// Results of a frame: the squared error of each plane.
pub const WORDS: usize = 3;

/// `PsnrParameters` of kernels/psnr.cu.
#[derive(Clone, Copy)]
#[repr(C)]
struct PsnrParameters {
    reference: [PlaneView; 3],
    distorted: [PlaneView; 3],
    errors: DeviceAddress,
    planes: u32,
    unused: u32,
}

const _: () = assert!(size_of::<PsnrParameters>() == 160);

// SAFETY: the same as in C, and without padding.
unsafe impl Parameters for PsnrParameters {}

/// Squared errors of the first planes of a pair.
pub struct SquaredErrors {
    kernel: Kernel<PsnrParameters>,
    planes: u32,
}

impl SquaredErrors {
    /// For the first `planes` planes.
    pub fn new(setup: &Setup, planes: usize, engine: &Arc<Engine>) -> Result<Self> {
        let name = if setup.format.bpc == 8 { "psnr_8" } else { "psnr_16" };
        Ok(Self { kernel: engine.module(&image::PSNR)?.kernel(name)?, planes: planes as u32 })
    }

    fn launch_one(&self, pass: &Pass<'_>, results: &Results) -> Result<()> {
        let parameters = PsnrParameters {
            reference: [0, 1, 2].map(|plane| pass.reference(plane)),
            distorted: [0, 1, 2].map(|plane| pass.distorted(plane)),
            errors: pass.results(results),
            planes: self.planes,
            unused: 0,
        };
        pass.launch(&self.kernel, pass.rows(pass.reference(0).height(), self.planes), &parameters)
    }
}

impl Launch for SquaredErrors {
    type Output = [u64; 3];

    fn planes(&self) -> usize {
        self.planes as usize
    }

    fn launch(&self, batch: &[Pass<'_>], results: &Results) -> Result<()> {
        batch.iter().try_for_each(|pass| self.launch_one(pass, results))
    }

    fn output(&self, words: &[u64]) -> [u64; 3] {
        [words[0], words[1], words[2]]
    }
}

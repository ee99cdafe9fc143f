// SPDX-License-Identifier: BSD-2-Clause-Patent
//! `float_psnr`: luma PSNR in the 8-bit range, from differences squared in single precision.

pub mod cpu;
pub mod cuda;
pub mod scalar;
pub mod simd;

use super::depth::Depth;
use super::{Definition, Emitter, Score, Setup, Traits, on_cpu, on_device};
use crate::error::Result;

/// The extractor `float_psnr`.
pub static DEFINITION: Definition = Definition {
    name: "float_psnr",
    provides: &["float_psnr"],
    options: &[],
    traits: Traits::PLAIN,
    make: |setup, _| Ok(on_cpu(setup, cpu::Noise::new(setup)?, FloatPsnr::new(setup)?)),
    twin: Some(|setup, _, engine| {
        let noise = cuda::Noise::new(setup, engine)?;
        Ok(on_device(engine, cuda::WORDS, noise, FloatPsnr::new(setup)?))
    }),
};

/// From the noise sum, in code values squared, to decibel.
struct FloatPsnr {
    depth: Depth,
    samples: f64,
}

impl FloatPsnr {
    fn new(setup: &Setup) -> Result<Self> {
        let samples = f64::from(setup.format.width) * f64::from(setup.format.height);
        Ok(Self { depth: Depth::new(setup.format.bpc)?, samples })
    }
}

impl Score for FloatPsnr {
    type Input = u64;

    fn score(&mut self, noise: u64, emit: &mut Emitter<'_>) -> Result<()> {
        let scale = self.depth.scale();
        let noise = noise as f64 / (scale * scale) / self.samples;
        let noise = if noise > 1e-10 { noise } else { 1e-10 };
        let decibel = 10.0 * (self.depth.peak() * self.depth.peak() / noise).log10();
        emit.set("float_psnr", decibel.min(self.depth.psnr_cap()))
    }
}

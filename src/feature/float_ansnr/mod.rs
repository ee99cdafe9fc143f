// SPDX-License-Identifier: BSD-2-Clause-Patent
//! `float_ansnr`: signal-to-noise ratio of the lightly filtered reference against the strongly filtered
//! distorted picture ("anchored" SNR), and a PSNR of the same noise.

pub mod cpu;
pub mod scalar;
pub mod simd;
#[cfg(target_arch = "x86_64")]
mod tile;

use super::depth::Depth;
use super::{Definition, Emitter, Score, Setup, Traits, on_cpu};
use crate::error::{Error, Result};
use scalar::Sums;

/// The extractor `float_ansnr`.
pub static DEFINITION: Definition = Definition {
    name: "float_ansnr",
    provides: &["float_ansnr"],
    options: &[],
    // A reference that is flat at mid level has no signal: minus infinity.
    traits: Traits { not_finite: true, ..Traits::PLAIN },
    make: |setup, _| Ok(on_cpu(setup, cpu::Bands::new(setup)?, FloatAnsnr::new(setup)?)),
    twin: None,
};

/// Rows and columns of the smallest picture: the border rule reflects two samples about the first.
const LEAST_SIZE: u32 = 3;

fn check_size(width: u32, height: u32) -> Result<()> {
    if width.min(height) >= LEAST_SIZE {
        return Ok(());
    }
    Err(Error::invalid(format!("float_ansnr needs pictures of at least 3x3 samples, not {width}x{height}")))
}

/// From the sums over a frame, in the 8-bit range squared, to decibel.
struct FloatAnsnr {
    depth: Depth,
    width: f64,
    height: f64,
}

impl FloatAnsnr {
    fn new(setup: &Setup) -> Result<Self> {
        let format = &setup.format;
        check_size(format.width, format.height)?;
        let (width, height) = (format.width.into(), format.height.into());
        Ok(Self { depth: Depth::new(format.bpc)?, width, height })
    }

    fn ansnr(&self, sums: Sums) -> f64 {
        match sums.noise == 0.0 {
            true => self.depth.psnr_cap(),
            false => 10.0 * f64::from(sums.signal / sums.noise).log10(),
        }
    }

    fn anpsnr(&self, noise: f64) -> f64 {
        let noise = if noise > 1e-10 { noise } else { 1e-10 };
        let most = self.depth.peak() * self.depth.peak() * self.width * self.height;
        (10.0 * (most / noise).log10()).min(self.depth.psnr_cap())
    }
}

impl Score for FloatAnsnr {
    type Input = Sums;

    fn score(&mut self, sums: Sums, emit: &mut Emitter<'_>) -> Result<()> {
        emit.set("float_ansnr", self.ansnr(sums))?;
        emit.set("float_anpsnr", self.anpsnr(sums.noise.into()))
    }
}

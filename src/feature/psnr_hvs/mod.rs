// SPDX-License-Identifier: BSD-2-Clause-Patent
//! `psnr_hvs`: PSNR-HVS-M, the error of 8x8 DCT coefficients beyond what their block masks, weighted by contrast
//! sensitivity (Ponomarenko et al., "On between-coefficient contrast masking of DCT basis functions", 2007).

pub mod blocks;
pub mod cpu;
pub mod scalar;
pub mod simd;
pub mod tables;

use super::{Definition, Emitter, Score, Setup, Traits, on_cpu};
use crate::error::{Error, Result};
use crate::picture::{Format, PixelFormat};
use blocks::Grid;

/// The extractor `psnr_hvs`.
pub static DEFINITION: Definition = Definition {
    name: "psnr_hvs",
    provides: &["psnr_hvs_y", "psnr_hvs_cb", "psnr_hvs_cr", "psnr_hvs"],
    options: &[],
    // Equal planes score infinity, and a plane too small for a block has no score: NaN.
    traits: Traits { not_finite: true, ..Traits::PLAIN },
    make: |setup, _| {
        check(&setup.format)?;
        Ok(on_cpu(setup, cpu::Errors::new(setup), PsnrHvs::new(setup)))
    },
    twin: None,
};

const PLANES: [&str; 3] = ["psnr_hvs_y", "psnr_hvs_cb", "psnr_hvs_cr"];

/// The deepest samples for which the transform's integers are sure of their room.
const MOST_BITS: u32 = 12;

fn check(format: &Format) -> Result<()> {
    if format.bpc > MOST_BITS {
        let bits = format.bpc;
        return Err(Error::invalid(format!(
            "psnr_hvs takes 8 to {MOST_BITS} bits per component, not {bits}"
        )));
    }
    if format.pixel == PixelFormat::Yuv400 {
        return Err(Error::invalid("psnr_hvs needs three planes, and 4:0:0 has one"));
    }
    Ok(())
}

/// From the planes' sums of weighted squared errors to decibel.
struct PsnrHvs {
    /// Coefficients of each plane.
    coefficients: [f32; 3],
    peak_squared: f32,
}

impl PsnrHvs {
    fn new(setup: &Setup) -> Self {
        let format = &setup.format;
        let coefficients = [0, 1, 2].map(|plane| {
            let (width, height) = format.plane_size(plane);
            (64 * Grid::new(width as usize, height as usize).blocks()) as f32
        });
        let peak = (1u32 << format.bpc) - 1;
        Self { coefficients, peak_squared: (peak * peak) as f32 }
    }
}

fn decibel(error: f64) -> f64 {
    10.0 * -error.log10()
}

impl Score for PsnrHvs {
    type Input = [f32; 3];

    fn score(&mut self, sums: [f32; 3], emit: &mut Emitter<'_>) -> Result<()> {
        let mut errors = [0.0; 3];
        for (plane, sum) in sums.into_iter().enumerate() {
            errors[plane] = f64::from(sum / self.coefficients[plane] / self.peak_squared);
            emit.set(PLANES[plane], decibel(errors[plane]))?;
        }
        let [y, cb, cr] = errors;
        emit.set("psnr_hvs", decibel(y * 0.8 + 0.1 * (cb + cr)))
    }
}

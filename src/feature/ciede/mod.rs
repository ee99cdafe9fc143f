// SPDX-License-Identifier: BSD-2-Clause-Patent
//! `ciede`: mean CIEDE2000 colour difference, in decibel-like units; larger is better.
//!
//! Luo, Cui, Rigg, "The development of the CIE 2000 colour-difference formula: CIEDE2000", 2001, with the weights
//! of Yang, Ming, Yu, "Color image quality assessment based on CIEDE2000", 2012.

pub mod cpu;
pub mod scalar;
pub mod simd;

use super::{Definition, Emitter, Score, Setup, Traits, on_cpu};
use crate::error::{Error, Result};
use crate::picture::PixelFormat;

/// The extractor `ciede`.
pub static DEFINITION: Definition = Definition {
    name: "ciede",
    provides: &["ciede2000"],
    options: &[],
    // Pictures without any difference have an infinite score.
    traits: Traits { not_finite: true, ..Traits::PLAIN },
    make: |setup, _| {
        if setup.format.pixel == PixelFormat::Yuv400 {
            return Err(Error::invalid("4:0:0 has no colour to compare; 4:2:0, 4:2:2 and 4:4:4 have"));
        }
        Ok(on_cpu(setup, cpu::Differences::new(setup)?, Ciede::new(setup)))
    },
    twin: None,
};

/// From the sum of differences to the score.
struct Ciede {
    pixels: f64,
}

impl Ciede {
    fn new(setup: &Setup) -> Self {
        Self { pixels: f64::from(setup.format.width.wrapping_mul(setup.format.height)) }
    }
}

impl Score for Ciede {
    type Input = f64;

    fn score(&mut self, differences: f64, emit: &mut Emitter<'_>) -> Result<()> {
        let mean = differences / self.pixels;
        emit.set("ciede2000", 45.0 - 20.0 * mean.log10())
    }
}

#[cfg(test)]
mod tests;

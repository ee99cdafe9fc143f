// SPDX-License-Identifier: BSD-2-Clause-Patent
//! `float_ms_ssim`: structural similarity of luma at five scales.
//!
//! Wang, Simoncelli, Bovik, "Multi-scale structural similarity for image quality assessment", Asilomar 2003.

pub mod cpu;
pub mod scalar;
pub mod simd;

use super::ssim::decibel::Scale;
use super::ssim::{Means, check_area, flag};
use super::{Definition, Emitter, OptionSpec, Score, Setup, Traits, on_cpu};
use crate::error::{Error, Result};

/// Scales of the pyramid.
pub const SCALES: usize = 5;

/// Width and height at least: halved four times, rounding down, they still hold a window.
const LEAST: u32 = 176;

/// The extractor `float_ms_ssim`.
pub static DEFINITION: Definition = Definition {
    name: "float_ms_ssim",
    provides: &["float_ms_ssim"],
    options: OPTIONS,
    // Equal pictures are infinitely many decibel, and a negative mean structure has no power.
    traits: Traits { not_finite: true, ..Traits::PLAIN },
    make: |setup, values| {
        check_size(setup)?;
        let components = values.bool("enable_lcs");
        let score = FloatMsSsim { scale: Scale::new(setup, values)?, components };
        Ok(on_cpu(setup, cpu::Similarities::new(setup, components)?, score))
    },
    twin: None,
};

const OPTIONS: &[OptionSpec] = &[flag("enable_lcs"), flag("enable_db"), flag("clip_db")];

const LUMINANCE: [&str; SCALES] = [
    "float_ms_ssim_l_scale0",
    "float_ms_ssim_l_scale1",
    "float_ms_ssim_l_scale2",
    "float_ms_ssim_l_scale3",
    "float_ms_ssim_l_scale4",
];
const CONTRAST: [&str; SCALES] = [
    "float_ms_ssim_c_scale0",
    "float_ms_ssim_c_scale1",
    "float_ms_ssim_c_scale2",
    "float_ms_ssim_c_scale3",
    "float_ms_ssim_c_scale4",
];
const STRUCTURE: [&str; SCALES] = [
    "float_ms_ssim_s_scale0",
    "float_ms_ssim_s_scale1",
    "float_ms_ssim_s_scale2",
    "float_ms_ssim_s_scale3",
    "float_ms_ssim_s_scale4",
];

fn check_size(setup: &Setup) -> Result<()> {
    let (width, height) = (setup.format.width, setup.format.height);
    if width.min(height) < LEAST {
        return Err(Error::invalid(format!(
            "pictures of {width}x{height} are too small; width and height must be at least {LEAST}"
        )));
    }
    check_area(setup)
}

/// From means to scores.
struct FloatMsSsim {
    scale: Scale,
    components: bool,
}

impl Score for FloatMsSsim {
    type Input = [Means; SCALES];

    fn score(&mut self, means: [Means; SCALES], emit: &mut Emitter<'_>) -> Result<()> {
        emit.set("float_ms_ssim", self.scale.of(scalar::score(&means)))?;
        if self.components {
            let all = |names: [&'static str; SCALES], mean: fn(&Means) -> f32| {
                names.into_iter().zip(means).map(move |(name, means)| (name, mean(&means)))
            };
            let luminance = all(LUMINANCE, |means| means.luminance);
            let contrast = all(CONTRAST, |means| means.contrast);
            let structure = all(STRUCTURE, |means| means.structure);
            for (name, mean) in luminance.chain(contrast).chain(structure) {
                emit.set(name, mean.into())?;
            }
        }
        Ok(())
    }
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! `vif`: visual information fidelity of the luma at four scales, in fixed point.
//!
//! Sheikh and Bovik, "Image information and visual quality" (IEEE Transactions on Image Processing, 2006), in its
//! multi-scale pixel-domain form.

pub mod cpu;
pub mod cuda;
pub mod kernel;
pub mod scalar;
#[cfg(target_arch = "x86_64")]
pub mod simd;
pub mod sums;
pub mod tables;
pub mod task;
#[cfg(test)]
mod tests;

use super::{Definition, Emitter, Kind, OptionSpec, Score, Setup, Traits, Values, on_device};
use crate::error::{Error, Result};
use sums::{Ratio, Sums};
use tables::SCALES;

/// The extractor `vif`.
pub static DEFINITION: Definition = Definition {
    name: "vif",
    provides: &[
        SCORE[0],
        SCORE[1],
        SCORE[2],
        SCORE[3],
        VIF,
        NUM,
        DEN,
        NUM_SCALE[0],
        NUM_SCALE[1],
        NUM_SCALE[2],
        NUM_SCALE[3],
        DEN_SCALE[0],
        DEN_SCALE[1],
        DEN_SCALE[2],
        DEN_SCALE[3],
    ],
    options: OPTIONS,
    traits: Traits::PLAIN,
    make: |setup, values| {
        check_size(setup)?;
        Ok(cpu::extractor(setup, Options::new(values)))
    },
    twin: Some(|setup, values, engine| {
        check_size(setup)?;
        let options = Options::new(values);
        Ok(on_device(engine, cuda::WORDS, cuda::Vif::new(setup, &options, engine)?, options))
    }),
};

const SCORE: [&str; SCALES] = [
    "VMAF_integer_feature_vif_scale0_score",
    "VMAF_integer_feature_vif_scale1_score",
    "VMAF_integer_feature_vif_scale2_score",
    "VMAF_integer_feature_vif_scale3_score",
];
const VIF: &str = "integer_vif";
const NUM: &str = "integer_vif_num";
const DEN: &str = "integer_vif_den";
const NUM_SCALE: [&str; SCALES] =
    ["integer_vif_num_scale0", "integer_vif_num_scale1", "integer_vif_num_scale2", "integer_vif_num_scale3"];
const DEN_SCALE: [&str; SCALES] =
    ["integer_vif_den_scale0", "integer_vif_den_scale1", "integer_vif_den_scale2", "integer_vif_den_scale3"];

const OPTIONS: &[OptionSpec] = &[
    OptionSpec { name: "debug", alias: None, kind: Kind::Bool(false), spelled: false },
    OptionSpec {
        name: "vif_enhn_gain_limit",
        alias: Some("egl"),
        kind: Kind::Double { default: 100.0, low: 1.0, high: 100.0 },
        spelled: true,
    },
    OptionSpec { name: "vif_skip_scale0", alias: Some("ssclz"), kind: Kind::Bool(false), spelled: true },
];

/// Samples in a row and rows at least: with fewer, nothing is left at scale 3.
const LEAST_SIZE: u32 = 8;

fn check_size(setup: &Setup) -> Result<()> {
    let (width, height) = (setup.format.width, setup.format.height);
    if width.min(height) < LEAST_SIZE {
        return Err(Error::invalid(format!(
            "vif: {width}x{height} is too small, width and height must be at least {LEAST_SIZE}"
        )));
    }
    Ok(())
}

/// The options of one registration.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Emits numerators and denominators too.
    pub debug: bool,
    /// The highest gain from the reference to the distorted picture that counts as information.
    pub gain_limit: f64,
    /// Leaves out the statistic of scale 0.
    pub skip_scale0: bool,
}

impl Options {
    fn new(values: &Values) -> Self {
        Self {
            debug: values.bool("debug"),
            gain_limit: values.double("vif_enhn_gain_limit"),
            skip_scale0: values.bool("vif_skip_scale0"),
        }
    }

    fn emit_debug(&self, ratios: &[Ratio; SCALES], emit: &mut Emitter<'_>) -> Result<()> {
        let used = &ratios[usize::from(self.skip_scale0)..];
        let num: f64 = used.iter().fold(0.0, |sum, ratio| sum + f64::from(ratio.numerator));
        let den: f64 = used.iter().fold(0.0, |sum, ratio| sum + f64::from(ratio.denominator));
        emit.set(VIF, if den == 0.0 { 1.0 } else { num / den })?;
        emit.set(NUM, num)?;
        emit.set(DEN, den)?;
        for (scale, ratio) in ratios.iter().enumerate() {
            emit.set(NUM_SCALE[scale], ratio.numerator.into())?;
            emit.set(DEN_SCALE[scale], ratio.denominator.into())?;
        }
        Ok(())
    }
}

/// What stands in the place of scale 0 when that is left out.
const SKIPPED: Ratio = Ratio { numerator: 0.0, denominator: -1.0 };

impl Score for Options {
    type Input = [Sums; SCALES];

    fn score(&mut self, sums: [Sums; SCALES], emit: &mut Emitter<'_>) -> Result<()> {
        let mut ratios = sums.map(Ratio::from);
        if self.skip_scale0 {
            ratios[0] = SKIPPED;
        }
        for (scale, ratio) in ratios.iter().enumerate() {
            let skipped = self.skip_scale0 && scale == 0;
            emit.set(SCORE[scale], if skipped { 0.0 } else { ratio.score() })?;
        }
        if self.debug { self.emit_debug(&ratios, emit) } else { Ok(()) }
    }
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! `float_vif`: visual information fidelity of the luma at four scales, in single precision.
//!
//! Sheikh and Bovik, "Image information and visual quality" (IEEE Transactions on Image Processing, 2006), in its
//! multi-scale pixel-domain form, with an optional resize in front. Sections are those of `float_vif.md`.

pub mod cpu;
mod options;
pub mod plan;
pub mod resize;
pub mod scalar;
#[cfg(target_arch = "x86_64")]
pub mod simd;
pub mod source;
pub mod taps;
#[cfg(test)]
mod tests;

use super::{Definition, Emitter, Score, Traits};
use crate::error::Result;
use options::Options;
use plan::Plan;
use scalar::Sums;

/// Scales of the pyramid.
pub const SCALES: usize = 4;

/// The extractor `float_vif`.
pub static DEFINITION: Definition = Definition {
    name: "float_vif",
    provides: &FEATURES,
    options: options::TABLE,
    traits: Traits::PLAIN,
    make: |setup, values| {
        let options = Options::new(values)?;
        Ok(cpu::extractor(setup, Plan::new(&setup.format, &options)?, FloatVif { options }))
    },
    twin: None,
};

/// Features in the order in which they are stored.
const FEATURES: [&str; 15] = [
    "VMAF_feature_vif_scale0_score",
    "VMAF_feature_vif_scale1_score",
    "VMAF_feature_vif_scale2_score",
    "VMAF_feature_vif_scale3_score",
    "vif",
    "vif_num",
    "vif_den",
    "vif_num_scale0",
    "vif_den_scale0",
    "vif_num_scale1",
    "vif_den_scale1",
    "vif_num_scale2",
    "vif_den_scale2",
    "vif_num_scale3",
    "vif_den_scale3",
];

/// What stands in the place of scale 0 when that is left out.
const SKIPPED: Sums = Sums { numerator: 0.0, denominator: -1.0 };

/// From the sums over a frame to scores (section 3).
struct FloatVif {
    options: Options,
}

impl FloatVif {
    fn score_of(&self, scale: usize, sums: Sums) -> f64 {
        let ratio = f64::from(sums.numerator) / f64::from(sums.denominator);
        match scale {
            0 if self.options.skip_scale0 => 0.0,
            0 => ratio,
            _ if ratio > self.options.min_val[scale - 1] => ratio,
            _ => self.options.min_val[scale - 1],
        }
    }

    fn debug_values(&self, sums: &[Sums; SCALES]) -> impl Iterator<Item = f64> + use<> {
        let used = &sums[usize::from(self.options.skip_scale0)..];
        let num: f64 = used.iter().fold(0.0, |sum, scale| sum + f64::from(scale.numerator));
        let den: f64 = used.iter().fold(0.0, |sum, scale| sum + f64::from(scale.denominator));
        let whole = [if den == 0.0 { 1.0 } else { num / den }, num, den];
        let scales = sums.map(|scale| [scale.numerator.into(), scale.denominator.into()]);
        whole.into_iter().chain(scales.into_iter().flatten())
    }
}

impl Score for FloatVif {
    type Input = [Sums; SCALES];

    fn score(&mut self, mut sums: [Sums; SCALES], emit: &mut Emitter<'_>) -> Result<()> {
        if self.options.skip_scale0 {
            sums[0] = SKIPPED;
        }
        let (scores, debug) = FEATURES.split_at(SCALES);
        for (scale, name) in scores.iter().enumerate() {
            emit.set(name, self.score_of(scale, sums[scale]))?;
        }
        if self.options.debug {
            for (name, value) in debug.iter().zip(self.debug_values(&sums)) {
                emit.set(name, value)?;
            }
        }
        Ok(())
    }
}

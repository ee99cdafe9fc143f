// SPDX-License-Identifier: BSD-2-Clause-Patent
//! `cambi`: the contrast-aware multiscale banding index of the luma, which needs no reference.
//!
//! Tandon et al., "CAMBI: Contrast-aware Multiscale Banding Index" (Picture Coding Symposium, 2021), with what later
//! versions of libvmaf made of it. 0 is no banding, about 5 visible, 20 and more strong.

pub mod cpu;
pub mod heatmap;
pub mod kernel;
pub mod luminance;
pub mod plan;
pub mod pool;
pub mod scalar;
#[cfg(target_arch = "x86_64")]
pub mod simd;
pub mod stripe;
pub mod tables;
#[cfg(test)]
mod tests;

use super::{Definition, Emitter, Kind, OptionSpec, Score, Traits};
use crate::error::Result;
use heatmap::Heatmaps;
use plan::{Options, Plan};

/// The extractor `cambi`.
pub static DEFINITION: Definition = Definition {
    name: "cambi",
    provides: &[CAMBI],
    options: OPTIONS,
    traits: Traits::PLAIN,
    make: |setup, values| {
        let options = Options::new(values);
        let plan = Plan::new(&options, &setup.format)?;
        let heatmaps =
            values.text("heatmaps_path").map(|folder| Heatmaps::create(folder, &plan)).transpose()?;
        Ok(cpu::extractor(setup, plan, heatmaps, Scores { highest: options.highest }))
    },
    twin: None,
};

const CAMBI: &str = "Cambi_feature_cambi_score";
const SOURCE: &str = "cambi_source";
const FULL_REFERENCE: &str = "cambi_full_reference";

const fn int(name: &'static str, alias: &'static str, default: i32, low: i32, high: i32) -> OptionSpec {
    OptionSpec { name, alias: Some(alias), kind: Kind::Int { default, low, high }, spelled: true }
}

const fn double(
    name: &'static str,
    alias: Option<&'static str>,
    default: f64,
    low: f64,
    high: f64,
) -> OptionSpec {
    OptionSpec { name, alias, kind: Kind::Double { default, low, high }, spelled: true }
}

const fn transfer(name: &'static str, alias: Option<&'static str>) -> OptionSpec {
    OptionSpec { name, alias, kind: Kind::Text(Some("bt1886")), spelled: true }
}

/// A size or depth of 0 is the picture's own, which cannot be asked for.
const OPTIONS: &[OptionSpec] = &[
    double("cambi_max_val", Some("cmxv"), 1000.0, 0.0, 1000.0),
    int("enc_width", "encw", 0, 180, 7680),
    int("enc_height", "ench", 0, 150, 7680),
    int("enc_bitdepth", "encbd", 0, 6, 16),
    int("src_width", "srcw", 0, 320, 7680),
    int("src_height", "srch", 0, 200, 4320),
    int("window_size", "ws", 65, 15, 127),
    double("topk", None, 0.6, 0.0001, 1.0),
    double("cambi_topk", Some("ctpk"), 0.6, 0.0001, 1.0),
    double("tvi_threshold", Some("tvit"), 0.019, 0.0001, 1.0),
    double("cambi_vis_lum_threshold", Some("vlt"), 0.0, 0.0, 300.0),
    int("max_log_contrast", "mlc", 2, 0, 5),
    OptionSpec { name: "heatmaps_path", alias: None, kind: Kind::Text(None), spelled: false },
    OptionSpec { name: "full_ref", alias: None, kind: Kind::Bool(false), spelled: false },
    transfer("eotf", None),
    transfer("cambi_eotf", Some("ceot")),
    int("cambi_high_res_speedup", "hrs", 0, 0, 2160),
];

/// What is measured of a frame.
pub struct Measured {
    /// The distorted picture's score.
    pub distorted: f64,
    /// The reference picture's, where it is wanted, or why it has none.
    pub source: Option<Result<f64>>,
}

/// The scores, clipped.
pub struct Scores {
    highest: f64,
}

impl Score for Scores {
    type Input = Measured;

    fn score(&mut self, measured: Measured, emit: &mut Emitter<'_>) -> Result<()> {
        let Measured { distorted, source } = measured;
        emit.set(CAMBI, distorted.min(self.highest))?;
        let Some(source) = source.transpose()? else { return Ok(()) };
        emit.set(SOURCE, source.min(self.highest))?;
        emit.set(FULL_REFERENCE, (distorted - source).max(0.0).min(self.highest))
    }
}

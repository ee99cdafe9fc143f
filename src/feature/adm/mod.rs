// SPDX-License-Identifier: BSD-2-Clause-Patent
//! `adm`: the integer additive distortion metric, DLM and AIM, after S. Li, F. Zhang, L. Ma, K. N. Ngan, "Image
//! Quality Assessment by Separately Evaluating Detail Losses and Additive Impairments", IEEE Trans. Multimedia
//! 13(5), 2011.
//!
//! Four levels of a Daubechies-2 wavelet; the distorted picture is decoupled into a restored and an additive part,
//! each is weighted by contrast sensitivity, masked by the other, and pooled by cubes. Sections are those of `adm.md`.

pub mod cpu;
pub mod cuda;
pub mod options;
pub mod plan;
pub mod scalar;
mod score;
pub(super) mod sensitivity;
pub mod simd;
#[cfg(test)]
mod tests;

use std::ops::Range;

use super::{Definition, Traits, on_cpu, on_device};
use crate::picture::Plane;
use options::Options;
use plan::Plan;

/// The extractor `adm`.
pub static DEFINITION: Definition = Definition {
    name: "adm",
    provides: &FEATURES,
    options: options::TABLE,
    // Scores are NaN where the specification has weights of -22, or a flat band without noise.
    traits: Traits { not_finite: true, ..Traits::PLAIN },
    make: |setup, values| {
        let options = Options::new(values);
        let plan = Plan::new(&setup.format, &options)?;
        let score = score::Adm::new(&plan, options);
        Ok(on_cpu(setup, cpu::Pyramid::new(setup, plan), score))
    },
    twin: Some(|setup, values, engine| {
        let options = Options::new(values);
        let plan = Plan::new(&setup.format, &options)?;
        let sums = cuda::Sums::new(setup, &plan, engine)?;
        Ok(on_device(engine, cuda::WORDS, sums, score::Adm::new(&plan, options)))
    }),
};

/// How many of the features are stored without `debug`.
const SCORES: usize = 7;

/// Features in the order in which they are stored.
const FEATURES: [&str; 18] = [
    "VMAF_integer_feature_adm2_score",
    "VMAF_integer_feature_aim_score",
    "VMAF_integer_feature_adm3_score",
    "integer_adm_scale0",
    "integer_adm_scale1",
    "integer_adm_scale2",
    "integer_adm_scale3",
    "integer_adm",
    "integer_adm_num",
    "integer_adm_den",
    "integer_adm_num_scale0",
    "integer_adm_den_scale0",
    "integer_adm_num_scale1",
    "integer_adm_den_scale1",
    "integer_adm_num_scale2",
    "integer_adm_den_scale2",
    "integer_adm_num_scale3",
    "integer_adm_den_scale3",
];

/// The per-pixel work on stripes of rows: the reference arithmetic, or a fast form of it.
pub trait Stripes: Sync {
    /// Work space of a stripe.
    type Rows: Send;

    /// Work space for scale `index`.
    fn rows(&self, index: usize) -> Self::Rows;

    /// Transforms the band rows `rows` of scale `index`, stores their low-pass bands and pools those rows in the
    /// window. Rows above and below are decoupled as well where thresholds look at them.
    ///
    /// None where the form at hand cannot do it: samples beyond their depth.
    fn stripe<S: simd::Source, T: simd::Target>(
        &self,
        index: usize,
        input: [Plane<'_, S>; 2],
        rows: Range<usize>,
        low: Option<scalar::LowPass<'_, T>>,
        work: &mut Self::Rows,
    ) -> Option<Totals>;
}

/// The sums of one scale over the pooling window, all exact: for the bands h, v, d in this order.
///
/// Every row was rounded on its own before it was added, so that rows may be added in any order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Cubes of the reference bands (section 5.7).
    pub denominator: [u64; 3],
    /// Cubes of the restored part beyond its masking threshold (section 5.9).
    pub restored: [i64; 3],
    /// The same of the additive part.
    pub additive: [i64; 3],
}

impl std::ops::Add for Totals {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let signed = |a: [i64; 3], b: [i64; 3]| [0, 1, 2].map(|band| a[band].wrapping_add(b[band]));
        let band = |band: usize| self.denominator[band].wrapping_add(other.denominator[band]);
        Self {
            denominator: [0, 1, 2].map(band),
            restored: signed(self.restored, other.restored),
            additive: signed(self.additive, other.additive),
        }
    }
}

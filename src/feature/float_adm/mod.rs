// SPDX-License-Identifier: BSD-2-Clause-Patent
//! `float_adm`: the additive distortion metric of [`adm`](super::adm) in single precision, with more options.
//!
//! Every operation is rounded on its own, and sums are running ones: along a row of the pooling window, then down
//! the rows. Sections are those of `float_adm.md`.

pub mod cpu;
mod options;
pub mod plan;
pub mod scalar;
mod score;
mod sensitivity;
pub mod simd;
#[cfg(test)]
mod tests;

use std::ops::Range;

use super::adm::scalar::LowPass;
use super::depth::Depth;
use super::{Definition, Traits, on_cpu};
use crate::picture::Plane;
use options::Options;
use plan::Plan;
use simd::lanes::Lanes;

/// The extractor `float_adm`.
pub static DEFINITION: Definition = Definition {
    name: "float_adm",
    provides: &PROVIDES,
    options: &options::TABLE,
    // A scale without any energy, and without noise, is 0 / 0.
    traits: Traits { not_finite: true, ..Traits::PLAIN },
    make: |setup, values| {
        let depth = Depth::new(setup.format.bpc)?;
        let options = Options::new(values);
        let plan = Plan::new(&setup.format, &options);
        let score = score::FloatAdm::new(&plan, options);
        Ok(on_cpu(setup, cpu::Pyramid::new(setup.level, plan, depth), score))
    },
    twin: None,
};

/// How many of the features are stored without `debug`.
const SCORES: usize = 7;

/// Features in the order in which they are stored.
const FEATURES: [&str; 18] = [
    "VMAF_feature_adm2_score",
    "VMAF_feature_aim_score",
    "VMAF_feature_adm3_score",
    "VMAF_feature_adm_scale0_score",
    "VMAF_feature_adm_scale1_score",
    "VMAF_feature_adm_scale2_score",
    "VMAF_feature_adm_scale3_score",
    "adm",
    "adm_num",
    "adm_den",
    "adm_num_scale0",
    "adm_den_scale0",
    "adm_num_scale1",
    "adm_den_scale1",
    "adm_num_scale2",
    "adm_den_scale2",
    "adm_num_scale3",
    "adm_den_scale3",
];

/// What models may ask for. `adm` is not among them, so that its name shows no options; and instead of it there is
/// a name that is never written.
const PROVIDES: [&str; 18] = {
    let mut provides = FEATURES;
    provides[7] = "adm_scale0";
    provides
};

/// Running sums of the bands h, v, d (section 5.6): over a row of the window, or over such rows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sums {
    /// Powers of the weighted reference bands.
    pub denominator: [f32; 3],
    /// Powers of the restored part beyond its masking threshold.
    pub restored: [f32; 3],
    /// The same of the additive part.
    pub additive: [f32; 3],
}

impl Sums {
    /// The sums with the next row's.
    pub fn plus(self, next: Self) -> Self {
        let add = |a: [f32; 3], b: [f32; 3]| [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
        Self {
            denominator: add(self.denominator, next.denominator),
            restored: add(self.restored, next.restored),
            additive: add(self.additive, next.additive),
        }
    }
}

/// What a scale is made of: a picture's samples, or the low-pass band of the scale before.
pub trait Source: Copy + Default + Send + Sync + 'static {
    /// The sample in the 8-bit range with its middle at 0, exact: `inverse` is the inverse of code values in a step
    /// of that range, a power of two. A low-pass band is taken as it is.
    fn centred(self, inverse: f32) -> f32;

    /// The same of the samples from `at` on: every other one, beginning with the first, and with the second.
    fn load_pairs<L: Lanes>(l: L, from: &[Self], at: usize, inverse: f32) -> [L::V; 2];
}

impl Source for u8 {
    #[inline(always)]
    fn centred(self, _: f32) -> f32 {
        f32::from(self) - 128.0
    }

    #[inline(always)]
    fn load_pairs<L: Lanes>(l: L, from: &[u8], at: usize, _: f32) -> [L::V; 2] {
        let [even, odd] = l.load_byte_pairs(from, at);
        let middle = l.splat(128.0);
        [l.sub(even, middle), l.sub(odd, middle)]
    }
}

impl Source for u16 {
    #[inline(always)]
    fn centred(self, inverse: f32) -> f32 {
        f32::from(self) * inverse - 128.0
    }

    #[inline(always)]
    fn load_pairs<L: Lanes>(l: L, from: &[u16], at: usize, inverse: f32) -> [L::V; 2] {
        let [even, odd] = l.load_word_pairs(from, at);
        let (inverse, middle) = (l.splat(inverse), l.splat(128.0));
        [l.sub(l.mul(even, inverse), middle), l.sub(l.mul(odd, inverse), middle)]
    }
}

impl Source for f32 {
    #[inline(always)]
    fn centred(self, _: f32) -> f32 {
        self
    }

    #[inline(always)]
    fn load_pairs<L: Lanes>(l: L, from: &[f32], at: usize, _: f32) -> [L::V; 2] {
        l.load_float_pairs(from, at)
    }
}

/// A scale's inputs: of the reference and the distorted picture.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a, S> {
    /// Samples or low-pass bands.
    pub planes: [Plane<'a, S>; 2],
    /// For [`Source::centred`].
    pub inverse: f32,
}

/// The per-pixel work on stripes of rows: the reference arithmetic, or a fast form of it.
pub trait Stripes: Sync {
    /// Work space of a stripe.
    type Rows: Send;

    /// Work space for scale `index`.
    fn rows(&self, index: usize) -> Self::Rows;

    /// Transforms the band rows `rows` of scale `index`, stores their low-pass bands, and stores the sums of those
    /// rows that are in the window. Rows above and below are decoupled as well where thresholds look at them.
    fn stripe<S: Source>(
        &self,
        index: usize,
        input: Input<'_, S>,
        rows: Range<usize>,
        low: Option<LowPass<'_, f32>>,
        sums: &mut [Sums],
        work: &mut Self::Rows,
    );
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! From a frame's sums to its scores (sections 5.7, 5.9 and 5.10).
#![forbid(unsafe_code)]

use super::options::Options;
use super::plan::{Plan, Scale};
use super::{FEATURES, SCORES, Totals};
use crate::error::Result;
use crate::feature::{Emitter, Score};

/// The score-level half of `adm`.
pub struct Adm {
    options: Options,
    scales: [Scale; 4],
    /// Sums below it count as nothing.
    limit: f64,
}

/// Numerator, denominator and numerator of the additive part of one scale.
#[derive(Clone, Copy, Debug)]
struct Fractions {
    num: f32,
    den: f32,
    aim: f32,
}

impl Adm {
    /// For the stream that `plan` was made for.
    pub fn new(plan: &Plan, options: Options) -> Self {
        let [width, height] = plan.scales[0].input;
        let limit = 1e-10 * (width * height) as f64 / (1920.0 * 1080.0);
        Self { options, scales: plan.scales, limit }
    }

    fn fractions(&self, scale: &Scale, totals: &Totals) -> Fractions {
        if scale.index == 0 && self.options.skip_scale0 {
            return Fractions { num: 0.0, den: 1e-10, aim: 0.0 };
        }
        let noise = cube_root(scale.window.area() as f64 * self.options.noise_weight);
        let additive = || numerator(scale, totals.additive, 0.0);
        Fractions {
            num: numerator(scale, totals.restored, noise),
            den: denominator(scale, totals.denominator, noise),
            aim: if self.options.skip_aim { 0.0 } else { additive() },
        }
    }

    fn cut(&self, sum: f64) -> f64 {
        if sum < self.limit { 0.0 } else { sum }
    }

    fn blend(&self, detail: f64, impairment: f64) -> f64 {
        let weight = self.options.dlm_weight;
        let blended = detail * weight + (1.0 - impairment) * (1.0 - weight);
        // Unlike `f64::max` also defined for NaN, which gives the floor.
        if blended > self.options.min_val { blended } else { self.options.min_val }
    }
}

/// `powf` with the reference's exponent, one third in single precision; by way of `pow`, which rounds correctly
/// where the C library's `powf` is not bound to.
fn cube_root(value: f64) -> f32 {
    f64::from(value as f32).powf(f64::from(1.0f32 / 3.0)) as f32
}

fn power_of_two(exponent: i32) -> f64 {
    (2f64).powi(exponent)
}

/// The three bands added in single precision, each with the noise floor.
fn pool(bands: [f32; 3], noise: f32) -> f32 {
    let [h, v, d] = bands.map(|band| band + noise);
    (h + v) + d
}

fn denominator(scale: &Scale, totals: [u64; 3], noise: f32) -> f32 {
    let dropped: u32 = scale.denominator_rounding().iter().map(|rounding| rounding.shift).sum();
    let unit = power_of_two([18, 32, 27, 23][scale.index] - dropped as i32);
    let band = |band: usize| {
        let energy = totals[band] as f64 / unit;
        cube_root(energy * f64::from(scale.weights.exact[band]).powf(3.0))
    };
    pool([0, 1, 2].map(band), noise)
}

fn numerator(scale: &Scale, totals: [i64; 3], noise: f32) -> f32 {
    let band = |band: usize| {
        let dropped: u32 = scale.numerator_rounding(band).iter().map(|rounding| rounding.shift).sum();
        let bits = if scale.index == 0 && band == 2 { 57 } else { [52, 45, 39, 36][scale.index] };
        let unit = power_of_two(bits - dropped as i32);
        let total = totals[band];
        // The finest scale is rounded to double first.
        match scale.index {
            0 => cube_root(total as f64 / unit),
            _ => cube_root(f64::from(total as f32 / unit as f32)),
        }
    };
    pool([0, 1, 2].map(band), noise)
}

impl Score for Adm {
    type Input = [Totals; 4];

    fn score(&mut self, totals: [Totals; 4], emit: &mut Emitter<'_>) -> Result<()> {
        let scales = [0, 1, 2, 3].map(|index| self.fractions(&self.scales[index], &totals[index]));
        let sum =
            |part: fn(&Fractions) -> f32| scales.iter().map(|scale| f64::from(part(scale))).sum::<f64>();
        let (num, den) = (self.cut(sum(|scale| scale.num)), self.cut(sum(|scale| scale.den)));
        let aim = sum(|scale| scale.aim);
        let (detail, impairment) = if den == 0.0 { (1.0, 0.0) } else { (num / den, aim / den) };
        let blended = self.blend(detail, impairment);

        let ratio = |scale: &Fractions| f64::from(scale.num) / f64::from(scale.den);
        let scores = [detail, impairment, blended].into_iter().chain(scales.iter().map(ratio));
        let parts = scales.iter().flat_map(|scale| [scale.num, scale.den].map(f64::from));
        let debug = [detail, num, den].into_iter().chain(parts);
        let shown = if self.options.debug { FEATURES.len() } else { SCORES };
        let values = scores.chain(debug).take(shown);
        FEATURES.iter().zip(values).try_for_each(|(feature, value)| emit.set(feature, value))
    }
}

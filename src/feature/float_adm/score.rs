// SPDX-License-Identifier: BSD-2-Clause-Patent
//! From a frame's sums to its scores (sections 5.6 to 5.8).
#![forbid(unsafe_code)]

use super::options::Options;
use super::plan::{Plan, Scale};
use super::{FEATURES, SCORES, Sums};
use crate::error::Result;
use crate::feature::{Emitter, Score};

/// The score-level half of `float_adm`.
pub struct FloatAdm {
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

impl FloatAdm {
    /// For the stream that `plan` was made for.
    pub fn new(plan: &Plan, options: Options) -> Self {
        let [width, height] = plan.scales[0].input;
        let limit = 1e-10 * (width * height) as f64 / (1920.0 * 1080.0);
        Self { options, scales: plan.scales, limit }
    }

    /// `powf` with the inverse of the pooling exponent, correctly rounded by way of `pow`.
    fn root(&self, energy: f32) -> f32 {
        f64::from(energy).powf(f64::from((1.0 / self.options.p_norm) as f32)) as f32
    }

    fn fractions(&self, scale: &Scale, sums: &Sums) -> Fractions {
        if scale.index == 0 && self.options.skip_scale0 {
            return Fractions { num: 0.0, den: 1e-10, aim: 0.0 };
        }
        let noise = |weight: f64| self.root((scale.window.area() as f64 * weight) as f32);
        let total = |sums: [f32; 3], noise: f32| {
            let [h, v, d] = sums.map(|sum| self.root(sum) + noise);
            (h + v) + d
        };
        let floor = noise(self.options.noise_weight);
        Fractions {
            num: total(sums.restored, floor),
            den: total(sums.denominator, floor),
            aim: total(sums.additive, noise(0.0)),
        }
    }

    fn cut(&self, sum: f64) -> f64 {
        if sum < self.limit { 0.0 } else { sum }
    }

    /// The additive part's share, which has a denominator of its own.
    fn impairment(&self, scales: &[Fractions; 4]) -> f64 {
        let counted = (0..4).filter(|&index| index as i32 != self.options.skip_aim_scale);
        let add = |(aim, den): (f64, f64), index: usize| {
            (aim + f64::from(scales[index].aim), den + f64::from(scales[index].den))
        };
        let (aim, den) = counted.fold((0.0, 0.0), add);
        // Unlike `f64::min` also defined for NaN, which gives 1.
        if aim / den < 1.0 { aim / den } else { 1.0 }
    }

    fn blend(&self, detail: f64, impairment: f64) -> f64 {
        let weight = self.options.dlm_weight;
        let blended = match self.options.harmonic_mean {
            true => 2.0 * detail * impairment / (detail + impairment),
            false => detail * weight + (1.0 - impairment) * (1.0 - weight),
        };
        // Unlike `f64::max` also defined for NaN, which gives the floor.
        if blended > self.options.min_val { blended } else { self.options.min_val }
    }
}

impl Score for FloatAdm {
    type Input = [Sums; 4];

    fn score(&mut self, sums: [Sums; 4], emit: &mut Emitter<'_>) -> Result<()> {
        let scales = [0, 1, 2, 3].map(|index| self.fractions(&self.scales[index], &sums[index]));
        let sum =
            |part: fn(&Fractions) -> f32| scales.iter().fold(0.0, |sum, scale| sum + f64::from(part(scale)));
        let (num, den) = (self.cut(sum(|scale| scale.num)), self.cut(sum(|scale| scale.den)));
        let (detail, impairment) =
            if den == 0.0 { (1.0, 0.0) } else { (num / den, self.impairment(&scales)) };
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

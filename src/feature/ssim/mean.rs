// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Means that do not depend on the order in which their terms are added, `float_ssim.md` section 4.4.
//!
//! The reference adds all windows to one double in raster order, then rounds the mean to single precision. A sum in
//! any other order differs from it by a bounded error, and unless a rounding boundary of the mean lies within
//! that error, the published figure is the same.
#![forbid(unsafe_code)]

use std::ops::Add;

/// A sum whose terms were added in any order.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Unordered {
    /// The sum.
    pub total: f64,
    /// The sum of the terms' magnitudes.
    pub magnitude: f64,
}

impl Add for Unordered {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { total: self.total + other.total, magnitude: self.magnitude + other.magnitude }
    }
}

impl Unordered {
    /// The mean of `count` terms added in order, if the order cannot show in it. `depth` says how many additions
    /// any one term went through here, at most.
    ///
    /// A chain of n additions is off by at most n - 1 half last places of what it adds up in magnitude. The eighth
    /// on top is for what this rule itself rounds.
    pub fn mean(self, count: usize, depth: usize) -> Option<f32> {
        let half_last_place = f64::EPSILON / 2.0;
        let error = 1.125 * (count + depth) as f64 * half_last_place * self.magnitude;
        let mean = |total: f64| (total / count as f64) as f32;
        let [low, high] = [self.total - error, self.total + error].map(mean);
        (low.to_bits() == high.to_bits()).then_some(low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::testing::Noise;

    fn unordered(terms: impl DoubleEndedIterator<Item = f64>) -> Unordered {
        let unordered = |term: f64| Unordered { total: term, magnitude: term.abs() };
        terms.rev().map(unordered).fold(Unordered::default(), Add::add)
    }

    #[test]
    fn a_certain_mean_is_that_of_the_ordered_sum() {
        let mut certain = 0;
        for seed in 0..200 {
            let noise = &mut Noise(seed);
            let count = 1 + noise.bits() as usize % 5000;
            let signed = seed % 2 == 0;
            let term = |_| (noise.bits() >> 11) as f64 / (1u64 << 53) as f64 - if signed { 0.5 } else { 0.0 };
            let terms: Vec<f64> = (0..count).map(term).collect();
            let ordered = (terms.iter().sum::<f64>() / count as f64) as f32;
            if let Some(mean) = unordered(terms.into_iter()).mean(count, count) {
                assert_eq!(mean.to_bits(), ordered.to_bits(), "seed {seed}, {count} terms");
                certain += 1;
            }
        }
        assert!(certain > 190, "only {certain} of 200 were certain");
    }

    #[test]
    fn a_mean_beside_a_rounding_boundary_is_not_certain() {
        let boundary = 1.0 + f64::from(f32::EPSILON) / 2.0;
        for offset in [0.0, 1e-15, -1e-15] {
            let terms = vec![boundary + offset; 1000];
            assert_eq!(unordered(terms.into_iter()).mean(1000, 1000), None, "offset {offset}");
        }
        let apart = vec![boundary + 1e-12; 1000];
        assert_eq!(unordered(apart.into_iter()).mean(1000, 1000), Some(1.0 + f32::EPSILON));
    }
}

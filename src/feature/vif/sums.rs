// SPDX-License-Identifier: BSD-2-Clause-Patent
//! What a scale's samples add up to, and the scale's result.
#![forbid(unsafe_code)]

use std::ops::Add;

/// Sums over the samples of a scale. All are exact integers, so their order does not matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// Information in the distorted picture, log2 in units of 1/2048, of samples that are not flat.
    pub numerator: i64,
    /// Information in the reference picture, log2 in units of 1/2048, of samples that are not flat.
    pub denominator: i64,
    /// Variance in the distorted picture of samples that are flat in the reference.
    pub flat_variance: i64,
    /// Samples that are flat in the reference: with less variance than the noise.
    pub flat: i64,
}

impl Add for Sums {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            numerator: self.numerator + other.numerator,
            denominator: self.denominator + other.denominator,
            flat_variance: self.flat_variance + other.flat_variance,
            flat: self.flat + other.flat,
        }
    }
}

impl std::iter::Sum for Sums {
    fn sum<I: Iterator<Item = Self>>(sums: I) -> Self {
        sums.fold(Self::default(), Self::add)
    }
}

/// Numerator and denominator of a scale, section 5.7.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// Information in the distorted picture.
    pub numerator: f32,
    /// Information in the reference picture.
    pub denominator: f32,
}

impl From<Sums> for Ratio {
    fn from(sums: Sums) -> Self {
        let flat = sums.flat as f64;
        let of_flat = flat - (sums.flat_variance as f64 / 16384.0) / 65025.0;
        Self {
            numerator: (sums.numerator as f64 / 2048.0 + of_flat) as f32,
            denominator: (sums.denominator as f64 / 2048.0 + flat) as f32,
        }
    }
}

impl Ratio {
    /// The scale's score: a division in binary32.
    pub fn score(self) -> f64 {
        f64::from(self.numerator / self.denominator)
    }
}

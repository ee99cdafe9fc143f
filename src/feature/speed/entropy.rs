// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Entropies of blocks and the score of a pair of planes (sections 5.8 and 5.9).
#![forbid(unsafe_code)]

use super::eigen::Eigenvalues;
use super::geometry::BLOCK;
use super::options::Options;
use crate::math::log2_then;

/// log2(2 pi e) as a double.
pub const LOG2_2_PI_E: f64 = 4.094191170361282;

/// Whose variances weigh the entropies of reference and distorted picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weights {
    /// Each its own.
    Own,
    /// The reference's.
    Reference,
    /// The distorted picture's.
    Distorted,
    /// The mean of both.
    Mean,
    /// The reference's own; the mean for the distorted picture.
    OwnAndMean,
    /// The reference's own; three quarters of it and one of the distorted picture's.
    OwnAndMostlyReference,
    /// The reference's own; a quarter of it and three of the distorted picture's.
    OwnAndMostlyDistorted,
}

impl Weights {
    /// The choice with this number, from 0 to 6.
    pub fn from_number(number: i32) -> Self {
        match number {
            0 => Self::Own,
            1 => Self::Reference,
            2 => Self::Distorted,
            3 => Self::Mean,
            4 => Self::OwnAndMean,
            5 => Self::OwnAndMostlyReference,
            6 => Self::OwnAndMostlyDistorted,
            _ => unreachable!("the option table ends at 6"),
        }
    }

    /// The numbers whose logarithms weigh the two entropies. Single variances are increased in single precision.
    fn of(self, reference: f32, distorted: f32) -> [f64; 2] {
        let single = |variance: f32| f64::from(1.0 + variance);
        let mean = || 1.0 + f64::from(reference + distorted) / 2.0;
        let mixed = |r: f64, d: f64| 1.0 + (r * f64::from(reference) + d * f64::from(distorted));
        match self {
            Self::Own => [single(reference), single(distorted)],
            Self::Reference => [single(reference); 2],
            Self::Distorted => [single(distorted); 2],
            Self::Mean => [mean(); 2],
            Self::OwnAndMean => [single(reference), mean()],
            Self::OwnAndMostlyReference => [single(reference), mixed(0.75, 0.25)],
            Self::OwnAndMostlyDistorted => [single(reference), mixed(0.25, 0.75)],
        }
    }
}

/// The entropy of each block from its variance.
pub fn entropies(eigenvalues: &Eigenvalues, noise: f32, variances: &[f32], entropies: &mut [f32]) {
    entropies.fill(0.0);
    for value in eigenvalues.values {
        let value = if value < 0.0 { 0.0 } else { value };
        for (entropy, variance) in entropies.iter_mut().zip(variances) {
            *entropy = with_component(*entropy, value * variance + noise);
        }
    }
}

/// The entropy with that of one more component, of variance `variance`.
pub fn with_component(entropy: f32, variance: f32) -> f32 {
    log2_then(variance.into(), |log| (f64::from(entropy) + (log + LOG2_2_PI_E)) as f32)
}

/// Variances and entropies of one plane's blocks.
#[derive(Clone, Copy, Debug)]
pub struct Blocks<'a> {
    /// Variances, none of which is noise.
    pub variances: &'a [f32],
    /// Entropies.
    pub entropies: &'a [f32],
}

/// The mean difference of the weighted entropies.
pub fn score(reference: Blocks<'_>, distorted: Blocks<'_>, options: &Options) -> f32 {
    let base = base(options);
    let mut sum = 0.0;
    for b in 0..reference.variances.len() {
        let entropies = [reference.entropies[b], distorted.entropies[b]];
        // NaN is not below: it stays in the sum.
        if entropies[0] < base && entropies[1] < base {
            continue;
        }
        let weights = options.weights.of(reference.variances[b], distorted.variances[b]);
        let [r, d] = [0, 1].map(|i| weighted(entropies[i], weights[i]));
        sum += (r - d).abs();
    }
    sum / reference.variances.len() as f32
}

fn weighted(entropy: f32, weight: f64) -> f32 {
    log2_then(weight, |log| (f64::from(entropy) * log) as f32)
}

/// The entropy of a block of raised noise alone.
fn base(options: &Options) -> f32 {
    let noise = (1.0 + options.noise_floor) * options.noise;
    log2_then(noise.into(), |log| (BLOCK as f64 * (log + LOG2_2_PI_E)) as f32)
}

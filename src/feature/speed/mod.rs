// SPDX-License-Identifier: BSD-2-Clause-Patent
//! SpEED-QA: what `speed_chroma` and `speed_temporal` have in common.
//!
//! Bampis, Gupta, Soundararajan, Bovik, "SpEED-QA: Spatial Efficient Entropic Differencing for Image and Video Quality",
//! IEEE Signal Processing Letters, 2017. Planes are brought to a sixteenth of their size, the local mean is taken off,
//! and blocks of 5x5 samples are taken for a Gaussian scale mixture: one covariance matrix for the plane, one variance
//! for each block. The score is the mean difference of the blocks' weighted entropies.

pub mod cpu;
pub mod eigen;
pub mod entropy;
pub mod gaussian;
pub mod geometry;
pub mod map;
pub mod matrix;
pub mod options;
pub mod resample;
pub mod scalar;
pub mod simd;
pub mod solve;
pub mod source;
pub mod stage;

#[cfg(test)]
mod tests;

use crate::log;

/// What became of a covariance matrix. None of this is an error: it has a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Condition {
    /// All went well.
    Regular,
    /// The eigenvalues are those of the last step that was allowed.
    NotConverged,
    /// There is no inverse, so that the score is 0.
    Singular,
}

/// The score of a pair of planes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scored {
    /// Mean difference of the entropies: 0 where [`Condition::Singular`], NaN in ill-conditioned cases.
    pub score: f32,
    /// The worse of both planes.
    pub condition: Condition,
}

impl Scored {
    /// Whether one of the planes has no inverse.
    pub fn is_singular(&self) -> bool {
        self.condition == Condition::Singular
    }

    /// Logs what is worth a warning.
    pub fn warn(&self, extractor: &str, plane: &str, index: u32) {
        match self.condition {
            Condition::Regular => (),
            Condition::NotConverged => {
                log::warning!("{extractor}: eigenvalues of {plane} at index {index} did not converge");
            }
            Condition::Singular => {
                log::warning!("{extractor}: the covariance of {plane} at index {index} is singular");
            }
        }
    }
}

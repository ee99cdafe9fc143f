// SPDX-License-Identifier: BSD-2-Clause-Patent
//! A frame's score from its features, all in double precision and in libvmaf's order of operations.
#![forbid(unsafe_code)]

use super::transform::clip;
use super::{MOST_FEATURES, Model};

/// How values are brought to the range that a machine was trained in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scaling {
    /// They stay.
    None,
    /// `slope * value + intercept`.
    Linear {
        /// Factor.
        slope: f64,
        /// What is added to the product.
        intercept: f64,
    },
}

impl Scaling {
    /// The scaled value.
    pub fn apply(self, value: f64) -> f64 {
        match self {
            Self::None => value,
            Self::Linear { slope, intercept } => slope * value + intercept,
        }
    }

    /// The value whose scaled one this is.
    pub fn undo(self, scaled: f64) -> f64 {
        match self {
            Self::None => scaled,
            Self::Linear { slope, intercept } => (scaled - intercept) / slope,
        }
    }
}

/// How a chroma distortion of exactly 0, as pictures without chroma have it, is estimated from luma.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChromaCorrection {
    /// The distortion where luma has no quality left.
    pub weight: f64,
    /// Place of the feature that tells luma's quality, 1 being perfect.
    pub luma: usize,
    /// Place of the chroma feature.
    pub chroma: usize,
}

impl Model {
    /// The score of a frame whose features have these values, in the order of [`Self::features`].
    ///
    /// # Panics
    /// If there are not as many values as features.
    pub fn predict(&self, values: &[f64]) -> f64 {
        self.finish(self.regress(values))
    }

    /// The score before transform and clip.
    ///
    /// # Panics
    /// If there are not as many values as features.
    pub fn regress(&self, values: &[f64]) -> f64 {
        assert_eq!(values.len(), self.features.len());
        let mut scaled = [0.0; MOST_FEATURES];
        let scaled = &mut scaled[..values.len()];
        for (out, (feature, &value)) in scaled.iter_mut().zip(self.features.iter().zip(values)) {
            *out = feature.scaling.apply(value);
        }
        self.correct_chroma(scaled);
        self.scaling.undo(self.machine.decide(scaled))
    }

    /// Transform and clip of a score.
    pub fn finish(&self, score: f64) -> f64 {
        let transformed = self.transform.as_ref().map_or(score, |transform| transform.apply(score));
        self.clip.map_or(transformed, |limits| clip(transformed, limits))
    }

    /// The scaling is undone even for values that were just scaled: their last bits are defined by that.
    fn correct_chroma(&self, scaled: &mut [f64]) {
        let Some(ChromaCorrection { weight, luma, chroma }) = self.chroma_correction else { return };
        let undone = |place: usize| self.features[place].scaling.undo(scaled[place]);
        if undone(chroma) == 0.0 {
            let estimate = -weight * undone(luma) + weight;
            scaled[chroma] = self.features[chroma].scaling.apply(estimate);
        }
    }
}

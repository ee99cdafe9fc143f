// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Models trained on parts of one training set: the spread of their scores tells how sure the mean is.
#![forbid(unsafe_code)]

use std::sync::Arc;

use super::Model;
use crate::error::{Error, Result};
use crate::feature::Dictionary;

/// Half the step by which the slope of transform and clip is taken.
const DELTA: f64 = 0.01;

/// A lead model, trained on everything, and the members of the bag.
#[derive(Clone, Debug, PartialEq)]
pub struct Collection {
    /// The name with which those of its scores begin.
    name: String,
    lead: Arc<Model>,
    members: Vec<Arc<Model>>,
}

/// What the members of a collection say of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BootstrapScore {
    /// Mean of the members' scores.
    pub bagging: f64,
    /// Their standard deviation.
    pub stddev: f64,
    /// Ends of the interval that holds 95 percent of them.
    pub ci_p95: [f64; 2],
}

impl BootstrapScore {
    /// What the names of the figures end in, in the order of [`Self::figures`].
    pub const SUFFIXES: [&str; 4] = ["_bagging", "_stddev", "_ci_p95_lo", "_ci_p95_hi"];

    /// The figures in the order in which they are stored.
    pub fn figures(self) -> [f64; 4] {
        [self.bagging, self.stddev, self.ci_p95[0], self.ci_p95[1]]
    }

    /// The score that has these figures.
    pub fn from_figures([bagging, stddev, low, high]: [f64; 4]) -> Self {
        Self { bagging, stddev, ci_p95: [low, high] }
    }
}

impl Collection {
    /// A collection of a lead model and at least one member. The lead model takes the collection's name, the
    /// members the name with their number.
    pub fn new(name: &str, mut lead: Model, members: Vec<Model>) -> Result<Self> {
        if members.is_empty() {
            return Err(Error::invalid("a collection needs a model beside the first"));
        }
        name.clone_into(&mut lead.name);
        let numbered = (1..).zip(members).map(|(number, member)| {
            let name = format!("{name}_{number:04}");
            Arc::new(Model { name, ..member })
        });
        Ok(Self { name: name.to_owned(), lead: Arc::new(lead), members: numbered.collect() })
    }

    /// The collection's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The model of everything, which is not one of the members.
    pub fn lead(&self) -> &Arc<Model> {
        &self.lead
    }

    /// The members in order.
    pub fn members(&self) -> &[Arc<Model>] {
        &self.members
    }

    /// [`Model::overload`] for the lead model and every member.
    pub fn overload(&mut self, extractor: &str, options: &Dictionary) {
        let models = self.members.iter_mut().chain([&mut self.lead]);
        models.for_each(|model| Arc::make_mut(model).overload(extractor, options));
    }

    /// The collection's score, given that of each member before transform and clip; these are sorted.
    ///
    /// # Panics
    /// If there are no scores.
    pub fn summarize(&self, scores: &mut [f64]) -> BootstrapScore {
        let count = scores.len() as f64;
        // In the members' order; `sum` would begin at -0.
        let mean = scores.iter().fold(0.0, |sum, score| sum + score) / count;
        let squares = scores.iter().fold(0.0, |sum, score| sum + (score - mean) * (score - mean));
        scores.sort_by(f64::total_cmp);
        let finish = |score| self.members[0].finish(score);
        let slope = (finish(mean + DELTA) - finish(mean - DELTA)) / (2.0 * DELTA);
        BootstrapScore {
            bagging: finish(mean),
            stddev: (squares / count).sqrt() * slope,
            ci_p95: [2.5, 97.5].map(|percent| finish(percentile(scores, percent))),
        }
    }
}

/// A percentile of ascending values, linear between neighbours.
fn percentile(sorted: &[f64], percent: f64) -> f64 {
    let place = percent * (sorted.len() - 1) as f64 / 100.0;
    let (low, high) = (place.floor(), place.ceil());
    let (below, above) = (sorted[low as usize], sorted[high as usize]);
    if low == high { below } else { below * (high - place) + above * (place - low) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_lie_between_neighbours() {
        let values = [1.0, 2.0, 4.0, 8.0, 16.0];
        assert_eq!([0.0, 25.0, 100.0].map(|percent| percentile(&values, percent)), [1.0, 2.0, 16.0]);
        assert_eq!(percentile(&values, 37.5), 3.0);
        assert_eq!(percentile(&[5.0], 97.5), 5.0);
    }
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! One figure for many pictures: minimum, maximum, mean, harmonic mean.

#![forbid(unsafe_code)]

use super::collector::{Collector, ColumnId};
use crate::error::{Error, Result};

/// How values are made into one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Pooling {
    /// The lowest value.
    Min = 1,
    /// The highest value.
    Max = 2,
    /// The arithmetic mean.
    Mean = 3,
    /// The harmonic mean of the values plus one, less one.
    HarmonicMean = 4,
}

impl Pooling {
    /// Every method, in the order of the logs.
    pub const ALL: [Self; 4] = [Self::Min, Self::Max, Self::Mean, Self::HarmonicMean];

    /// The method with the number of C's `enum VmafPoolingMethod`, if there is one.
    pub fn from_number(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|&method| method as u32 == number)
    }

    /// The method's name in logs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Min => "min",
            Self::Max => "max",
            Self::Mean => "mean",
            Self::HarmonicMean => "harmonic_mean",
        }
    }
}

/// Pools a column over the sampled ones of the indices `low` to `high`: all, or those that `subsample` divides if
/// it is above 1. It is an error if one of them has no value, or if there are none.
pub fn pool(
    collector: &Collector,
    column: ColumnId,
    method: Pooling,
    low: u32,
    high: u32,
    subsample: u32,
) -> Result<f64> {
    Ok(Summary::of(collector, column, low, high, subsample)?.score(method))
}

/// What every method needs of the values, from one pass over them.
pub struct Summary {
    count: f64,
    min: f64,
    max: f64,
    sum: f64,
    inverse: f64,
}

impl Summary {
    /// Goes through the values that [`pool`] takes, up to the first missing one.
    pub fn of(collector: &Collector, column: ColumnId, low: u32, high: u32, subsample: u32) -> Result<Self> {
        let mut summary: Option<Self> = None;
        for index in sampled(low, high, subsample) {
            let Some(value) = collector.get(column, index) else {
                let name = collector.name(column);
                return Err(Error::invalid(format!("no feature \"{name}\" at index {index}")));
            };
            summary.get_or_insert_with(|| Self::starting_at(value)).add(value);
        }
        summary.ok_or_else(|| Error::invalid(format!("no index from {low} to {high} is sampled")))
    }

    /// The figure of one method.
    pub fn score(&self, method: Pooling) -> f64 {
        match method {
            Pooling::Min => self.min,
            Pooling::Max => self.max,
            Pooling::Mean => self.sum / self.count,
            Pooling::HarmonicMean => self.count / self.inverse - 1.0,
        }
    }

    fn starting_at(value: f64) -> Self {
        Self { count: 0.0, min: value, max: value, sum: 0.0, inverse: 0.0 }
    }

    /// The comparisons decide what NaN does: first, it stays the minimum and maximum; later, it is passed over.
    fn add(&mut self, value: f64) {
        self.count += 1.0;
        self.sum += value;
        self.inverse += 1.0 / (value + 1.0);
        if value < self.min {
            self.min = value;
        }
        if value > self.max {
            self.max = value;
        }
    }
}

/// The indices that [`pool`] takes.
pub fn sampled(low: u32, high: u32, subsample: u32) -> impl Iterator<Item = u32> {
    let step = subsample.max(1);
    let first = low.div_ceil(step).checked_mul(step);
    first.into_iter().flat_map(move |first| (first..=high).step_by(step as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(values: &[(u32, f64)]) -> (Collector, ColumnId) {
        let mut table = Collector::new();
        let id = table.column("x");
        values.iter().for_each(|&(index, value)| table.append(id, index, value).unwrap());
        (table, id)
    }

    fn pooled(values: &[(u32, f64)], low: u32, high: u32, subsample: u32) -> Result<[f64; 4]> {
        let (table, id) = table(values);
        let summary = Summary::of(&table, id, low, high, subsample)?;
        Ok(Pooling::ALL.map(|method| summary.score(method)))
    }

    #[test]
    fn figures_are_summed_in_ascending_order() {
        let values = [(2, 0.3), (0, 0.1), (1, 0.2)];
        let mean = (0.1 + 0.2 + 0.3) / 3.0;
        let harmonic = 3.0 / (1.0 / 1.1 + 1.0 / 1.2 + 1.0 / 1.3) - 1.0;
        assert_eq!(pooled(&values, 0, 2, 0).unwrap(), [0.1, 0.3, mean, harmonic]);
        assert_eq!(pooled(&values, 1, 1, 1).unwrap(), [0.2, 0.2, 0.2, 1.0 / (1.0 / 1.2) - 1.0]);
        let (table, id) = table(&values);
        assert_eq!(pool(&table, id, Pooling::Mean, 0, 2, 0), Ok(mean));
    }

    #[test]
    fn a_missing_value_ends_the_pass() {
        let text = |result: Result<[f64; 4]>| result.unwrap_err().to_string();
        assert_eq!(
            text(pooled(&[(0, 1.0), (1, 1.0), (3, 1.0)], 0, u32::MAX, 0)),
            "no feature \"x\" at index 2"
        );
        assert_eq!(text(pooled(&[], 0, u32::MAX, 7)), "no feature \"x\" at index 0");
        assert_eq!(text(pooled(&[(0, 1.0)], 1, 0, 0)), "no index from 1 to 0 is sampled");
    }

    #[test]
    fn only_sampled_indices_count() {
        let values = [(0, 9.0), (3, -2.0), (4, -5.0), (6, -4.0)];
        assert_eq!(pooled(&values, 1, 8, 3).unwrap()[..3], [-4.0, -2.0, -3.0]);
        assert_eq!(pooled(&values, 4, 5, 3).unwrap_err().to_string(), "no index from 4 to 5 is sampled");
        let top = u32::MAX;
        assert!(pooled(&values, top, top, 2).is_err());
        assert_eq!(pooled(&[(top, 5.0)], top - 1, top, 3).unwrap()[0], 5.0);
        assert_eq!(
            pooled(&values, 0, top, top).unwrap_err().to_string(),
            format!("no feature \"x\" at index {top}")
        );
    }

    #[test]
    fn infinities_and_nan_pass_through() {
        let inf = f64::INFINITY;
        assert_eq!(pooled(&[(0, inf), (1, inf)], 0, 1, 0).unwrap(), [inf; 4]);
        assert_eq!(pooled(&[(0, -1.0), (1, 3.0)], 0, 1, 0).unwrap(), [-1.0, 3.0, 1.0, -1.0]);
        let nan_first = pooled(&[(0, f64::NAN), (1, 3.0)], 0, 1, 0).unwrap();
        assert!(nan_first.iter().all(|figure| figure.is_nan()));
        let nan_later = pooled(&[(0, 3.0), (1, f64::NAN), (2, 2.0)], 0, 2, 0).unwrap();
        assert_eq!(nan_later[..2], [2.0, 3.0]);
        assert!(nan_later[2].is_nan() && nan_later[3].is_nan());
    }

    #[test]
    fn methods_have_the_numbers_of_c() {
        assert_eq!([0, 1, 2, 3, 4, 5].map(Pooling::from_number)[1..5], Pooling::ALL.map(Some));
        assert_eq!((Pooling::from_number(0), Pooling::from_number(5)), (None, None));
    }
}

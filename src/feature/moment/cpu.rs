// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The sums of `float_moment` over whole pictures, by stripes of rows.
#![forbid(unsafe_code)]

use super::PairSums;
use super::scalar::Sums;
use super::simd::{Kernel, select};
use crate::error::Result;
use crate::feature::depth::Depth;
use crate::feature::{Frame, Measure, Setup};
use crate::picture::{Picture, Plane, Samples};
use crate::schedule::Workers;

/// Rows of a stripe at least: below, handing it over costs more than summing it.
const LEAST_ROWS: usize = 64;

/// Sums of luma planes.
pub struct Moments {
    kernel: Kernel,
    depth: Depth,
    height: usize,
}

impl Moments {
    /// For the stream's depth, at the context's instruction level.
    pub fn new(setup: &Setup) -> Result<Self> {
        let depth = Depth::new(setup.format.bpc)?;
        Ok(Self { kernel: select(setup.level), depth, height: setup.format.height as usize })
    }

    fn sums(&self, picture: &Picture, rows: &mut [Sums], workers: Workers) -> Sums {
        match picture.plane(0) {
            Samples::Bits8(luma) => {
                workers
                    .reduce(0..self.height, LEAST_ROWS, &|rows| self.kernel.bits8(&luma, rows), &|a, b| a + b)
            }
            Samples::Bits16(luma) => self.ordered(&luma, rows, workers),
        }
    }

    /// Above 8 bits the order of squares may matter, so rows are kept apart until their sums are added.
    fn ordered(&self, luma: &Plane<'_, u16>, rows: &mut [Sums], workers: Workers) -> Sums {
        workers.fill(rows, LEAST_ROWS, &|first, rows| {
            for (y, sums) in (first..).zip(rows) {
                *sums = self.row(luma.row(y));
            }
        });
        let samples = rows.iter().map(|row| row.samples).sum();
        Sums { samples, squares: self.kernel.ordered(luma, rows) }
    }

    fn row(&self, row: &[u16]) -> Sums {
        match self.depth {
            Depth::Bits16 => self.kernel.row16(row),
            _ => self.kernel.row12(row),
        }
    }
}

impl Measure for Moments {
    type Output = PairSums;
    type Scratch = Vec<Sums>;

    fn scratch(&self) -> Result<Vec<Sums>> {
        let rows = if self.depth == Depth::Bits8 { 0 } else { self.height };
        Ok(vec![Sums::default(); rows])
    }

    fn measure(&self, frame: &Frame, rows: &mut Vec<Sums>, workers: Workers) -> Result<PairSums> {
        let reference = self.sums(&frame.reference, rows, workers);
        let distorted = self.sums(&frame.distorted, rows, workers);
        Ok(PairSums { reference, distorted })
    }
}

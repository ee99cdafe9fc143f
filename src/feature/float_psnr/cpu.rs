// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The noise sum of `float_psnr` over whole pictures, by stripes of rows.
#![forbid(unsafe_code)]

use super::simd::{Kernel, select};
use crate::error::Result;
use crate::feature::depth::Depth;
use crate::feature::psnr::cpu::SquaredErrors;
use crate::feature::{Frame, Measure, Setup};
use crate::picture::{Plane, Samples};
use crate::schedule::Workers;

/// Rows of a stripe at least: below, handing it over costs more than summing it.
const LEAST_ROWS: usize = 64;

/// Noise sums of luma planes.
pub struct Noise {
    kernel: Kernel,
    /// At 8 bits squares are exact, and the noise is the luma's squared error.
    exact: SquaredErrors,
    depth: Depth,
    height: usize,
}

impl Noise {
    /// For the stream's depth, at the context's instruction level.
    pub fn new(setup: &Setup) -> Result<Self> {
        let depth = Depth::new(setup.format.bpc)?;
        let exact = SquaredErrors::new(setup, 1);
        Ok(Self { kernel: select(setup.level), exact, depth, height: setup.format.height as usize })
    }

    /// Above 8 bits the order of squares may matter, so rows are kept apart until their sums are added.
    fn ordered(
        &self,
        reference: &Plane<'_, u16>,
        distorted: &Plane<'_, u16>,
        rows: &mut [u64],
        workers: Workers,
    ) -> u64 {
        workers.fill(rows, LEAST_ROWS, &|first, rows| {
            for (y, noise) in (first..).zip(rows) {
                *noise = self.kernel.row(reference.row(y), distorted.row(y));
            }
        });
        self.kernel.ordered(reference, distorted, rows)
    }
}

impl Measure for Noise {
    type Output = u64;
    type Scratch = Vec<u64>;

    fn scratch(&self) -> Result<Vec<u64>> {
        Ok(vec![0; if self.depth == Depth::Bits8 { 0 } else { self.height }])
    }

    fn measure(&self, frame: &Frame, rows: &mut Vec<u64>, workers: Workers) -> Result<u64> {
        match (frame.reference.plane(0), frame.distorted.plane(0)) {
            (Samples::Bits16(reference), Samples::Bits16(distorted)) => {
                Ok(self.ordered(&reference, &distorted, rows, workers))
            }
            _ => Ok(self.exact.plane(frame, 0, workers)),
        }
    }
}

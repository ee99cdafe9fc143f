// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The squared errors of `psnr` over whole pictures, by stripes of rows.
#![forbid(unsafe_code)]

use super::simd::{Kernel, select};
use crate::error::Result;
use crate::feature::{Frame, Measure, Setup};
use crate::picture::Samples;
use crate::schedule::Workers;

/// Rows of a stripe at least: below, handing it over costs more than summing it.
const LEAST_ROWS: usize = 64;

/// Squared errors of the first planes of a pair.
pub struct SquaredErrors {
    kernel: Kernel,
    planes: usize,
}

impl SquaredErrors {
    /// For the first `planes` planes, at the context's instruction level.
    pub fn new(setup: &Setup, planes: usize) -> Self {
        Self { kernel: select(setup.level), planes }
    }

    /// The squared error of one plane, exact.
    pub fn plane(&self, frame: &Frame, plane: usize, workers: Workers) -> u64 {
        match (frame.reference.plane(plane), frame.distorted.plane(plane)) {
            (Samples::Bits8(reference), Samples::Bits8(distorted)) => {
                let rows = 0..reference.height();
                workers.reduce(
                    rows,
                    LEAST_ROWS,
                    &|rows| self.kernel.bits8(&reference, &distorted, rows),
                    &|a, b| a + b,
                )
            }
            (Samples::Bits16(reference), Samples::Bits16(distorted)) => {
                let rows = 0..reference.height();
                workers.reduce(
                    rows,
                    LEAST_ROWS,
                    &|rows| self.kernel.bits16(&reference, &distorted, rows),
                    &|a, b| a + b,
                )
            }
            _ => unreachable!("the pictures of a pair are of one depth"),
        }
    }
}

impl Measure for SquaredErrors {
    type Output = [u64; 3];
    type Scratch = ();

    fn scratch(&self) -> Result<()> {
        Ok(())
    }

    fn measure(&self, frame: &Frame, _scratch: &mut (), workers: Workers) -> Result<[u64; 3]> {
        Ok([0, 1, 2].map(|plane| if plane < self.planes { self.plane(frame, plane, workers) } else { 0 }))
    }
}

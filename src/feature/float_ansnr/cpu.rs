// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The sums of `float_ansnr` over whole pictures, by stripes of rows.
#![forbid(unsafe_code)]

use super::scalar::Sums;
use super::simd::{Kernel, select};
use crate::error::Result;
use crate::feature::depth::Depth;
use crate::feature::{Frame, Measure, Setup};
use crate::picture::Samples;
use crate::schedule::Workers;

/// Rows of a stripe at least: rows around a stripe are filtered twice.
const LEAST_ROWS: usize = 32;

/// Sums over luma planes.
pub struct Bands {
    kernel: Kernel,
    scale: f32,
    height: usize,
}

impl Bands {
    /// For the stream's depth, at the context's instruction level.
    pub fn new(setup: &Setup) -> Result<Self> {
        let scale = Depth::new(setup.format.bpc)?.scale() as f32;
        Ok(Self { kernel: select(setup.level), scale, height: setup.format.height as usize })
    }
}

impl Measure for Bands {
    type Output = Sums;
    type Scratch = Vec<Sums>;

    fn scratch(&self) -> Result<Vec<Sums>> {
        Ok(vec![Sums::default(); self.height])
    }

    fn measure(&self, frame: &Frame, rows: &mut Vec<Sums>, workers: Workers) -> Result<Sums> {
        workers.fill(rows, LEAST_ROWS, &|first, rows| match (
            frame.reference.plane(0),
            frame.distorted.plane(0),
        ) {
            (Samples::Bits8(reference), Samples::Bits8(distorted)) => {
                self.kernel.bits8(&reference, &distorted, first, rows);
            }
            (Samples::Bits16(reference), Samples::Bits16(distorted)) => {
                self.kernel.bits16(&reference, &distorted, first, rows, self.scale);
            }
            _ => unreachable!("the pictures of a pair are of one depth"),
        });
        Ok(rows.iter().copied().fold(Sums::default(), Sums::plus))
    }
}

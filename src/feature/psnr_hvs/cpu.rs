// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The sums of `psnr_hvs` over whole pictures.
//!
//! Rows of blocks are measured by all workers, a wave of them at a time. Each plane has one running sum, so the
//! terms of a wave are then added in order, which is a small part of the work.
#![forbid(unsafe_code)]

use super::blocks::{Grid, Lines};
use super::simd::{Kernel, select};
use super::tables::WEIGHTS;
use crate::error::Result;
use crate::feature::{Frame, Measure, Setup};
use crate::picture::Samples;
use crate::schedule::Workers;

/// One row of blocks.
pub struct Strip {
    reference: Lines,
    distorted: Lines,
    terms: Vec<f32>,
}

/// Weighted squared errors of all planes.
pub struct Errors {
    kernel: Kernel,
    grids: [Grid; 3],
}

impl Errors {
    /// For the stream's format, at the context's instruction level.
    pub fn new(setup: &Setup) -> Self {
        let grids = [0, 1, 2].map(|plane| {
            let (width, height) = setup.format.plane_size(plane);
            Grid::new(width as usize, height as usize)
        });
        Self { kernel: select(setup.level), grids }
    }

    /// Room for a row of blocks of any plane.
    fn strip(&self) -> Strip {
        // Luma's rows are the longest.
        let blocks = self.grids[0].across.next_multiple_of(self.kernel.lanes());
        let lines = Lines::new(blocks);
        Strip { reference: lines.clone(), distorted: lines, terms: vec![0.0; 64 * blocks] }
    }

    fn plane(&self, frame: &Frame, plane: usize, wave: &mut [Strip], workers: Workers) -> f32 {
        let (reference, distorted) = (frame.reference.plane(plane), frame.distorted.plane(plane));
        let (grid, mut sum) = (self.grids[plane], 0.0);
        for top in (0..grid.down).step_by(wave.len()) {
            let rows = wave.len().min(grid.down - top);
            let strips = &mut wave[..rows];
            workers.fill(strips, 1, &|first, strips| {
                for (y, strip) in (top + first..).zip(strips) {
                    self.measure_row(strip, plane, (&reference, &distorted), y);
                }
            });
            let terms = 64 * grid.across.next_multiple_of(self.kernel.lanes());
            sum = strips.iter().fold(sum, |sum, strip| self.kernel.sum(sum, &strip.terms[..terms]));
        }
        sum
    }

    fn measure_row(&self, strip: &mut Strip, plane: usize, pair: (&Samples<'_>, &Samples<'_>), y: usize) {
        strip.reference.fill(pair.0, y);
        strip.distorted.fill(pair.1, y);
        let blocks = self.grids[plane].across;
        let weights = &WEIGHTS[plane];
        self.kernel.strip(&strip.reference, &strip.distorted, blocks, weights, &mut strip.terms);
    }
}

impl Measure for Errors {
    type Output = [f32; 3];
    type Scratch = Vec<Strip>;

    fn scratch(&self) -> Result<Vec<Strip>> {
        Ok(Vec::new())
    }

    fn measure(&self, frame: &Frame, wave: &mut Vec<Strip>, workers: Workers) -> Result<[f32; 3]> {
        // How many rows keep all threads busy is known only here. Later frames find them made.
        let rows = workers.pieces();
        if wave.len() < rows {
            wave.resize_with(rows, || self.strip());
        }
        let wave = &mut wave[..rows];
        Ok([0, 1, 2].map(|plane| self.plane(frame, plane, wave, workers)))
    }
}

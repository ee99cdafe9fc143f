// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The distance of `float_motion` over whole pictures, by stripes of rows.
//!
//! Both pictures are blurred for each pair: nothing is kept from frame to frame but the pictures themselves, so that
//! frames can be measured in any order.
#![forbid(unsafe_code)]

use super::Options;
use super::scalar::{self, Grid, Grids, Taps};
use super::simd::{Kernel, Work, select};
use crate::error::{Error, Result};
use crate::feature::depth::Depth;
use crate::feature::ssim::image::{FloatPlane, Image};
use crate::feature::ssim::spare::Spare;
use crate::feature::{Frame, Measure, Setup};
use crate::schedule::Workers;

/// Rows of a stripe at least: the four around it are read twice.
const LEAST_ROWS: usize = 32;

/// The distance of a reference picture from the one before.
pub struct Distance {
    kernel: Kernel,
    depth: Depth,
    taps: Taps,
    force_zero: bool,
    /// Width and height of the planes that are compared.
    sizes: Vec<(usize, usize)>,
    /// Of the same planes, if their half-size pictures count.
    grids: Vec<Grids>,
}

/// Work space of one frame.
pub struct Buffers {
    /// Each row's distance.
    rows: Vec<f32>,
    /// Blurred planes, where half-size pictures are made of them.
    blurred: Vec<[FloatPlane; 2]>,
    spare: Spare<Work>,
}

impl Distance {
    /// For the stream's format.
    pub fn new(setup: &Setup, depth: Depth, options: &Options) -> Self {
        let size = |plane| setup.format.plane_size(plane);
        let sizes: Vec<_> = (0..options.planes().min(setup.format.pixel.planes()))
            .map(|plane| (size(plane).0 as usize, size(plane).1 as usize))
            .collect();
        let grids = |&(width, height): &(usize, usize)| Grids([Grid::new(width), Grid::new(height)]);
        let halved = options.add_scale1 && !options.force_zero;
        Self {
            kernel: select(setup.level),
            depth,
            taps: scalar::taps(options.filter_size),
            force_zero: options.force_zero,
            grids: if halved { sizes.iter().map(grids).collect() } else { Vec::new() },
            sizes,
        }
    }

    /// The distance of one plane.
    fn distance(
        &self,
        images: &[Image<'_>; 2],
        plane: usize,
        buffers: &mut Buffers,
        workers: Workers,
    ) -> f32 {
        let Buffers { rows, blurred, spare } = buffers;
        let (width, height) = self.sizes[plane];
        let rows = &mut rows[..height];
        let Some(grids) = self.grids.get(plane) else {
            workers.fill(rows, LEAST_ROWS, &|first, rows| {
                let job = |work: &mut Work| self.kernel.distances(images, first, rows, &self.taps, work);
                spare.lend(|| self.work(), job);
            });
            return mean(rows, width);
        };
        let blurred = &mut blurred[plane];
        for (image, plane) in images.iter().zip(&mut *blurred) {
            workers.fill(plane.rows_mut(), LEAST_ROWS, &|first, rows| {
                let job = |work: &mut Work| self.kernel.blur(image, first, rows, &self.taps, work);
                spare.lend(|| self.work(), job);
            });
        }
        each_row(rows, workers, |y| scalar::distance(blurred[0].row(y), blurred[1].row(y)));
        let full = mean(rows, width);
        let [across, down] = &grids.0;
        let rows = &mut rows[..down.halved()];
        each_row(rows, workers, |y| grids.distance(blurred, y));
        full + mean(rows, across.halved())
    }

    fn work(&self) -> Work {
        self.kernel.work(self.sizes[0].0)
    }
}

fn each_row(rows: &mut [f32], workers: Workers, distance: impl Fn(usize) -> f32 + Sync) {
    workers.fill(rows, LEAST_ROWS, &|first, rows| {
        for (y, row) in (first..).zip(rows) {
            *row = distance(y);
        }
    });
}

/// The mean distance of all samples from the rows' sums.
fn mean(rows: &[f32], width: usize) -> f32 {
    rows.iter().fold(0.0, |sum, row| sum + row) / (width * rows.len()) as f32
}

impl Measure for Distance {
    type Output = f64;
    type Scratch = Buffers;

    fn scratch(&self) -> Result<Buffers> {
        let pair = |&(width, height)| [FloatPlane::new(width, height), FloatPlane::new(width, height)];
        let blurred = self.sizes[..self.grids.len()].iter().map(pair).collect();
        Ok(Buffers { rows: vec![0.0; self.sizes[0].1], blurred, spare: Spare::default() })
    }

    fn measure(&self, frame: &Frame, buffers: &mut Buffers, workers: Workers) -> Result<f64> {
        if self.force_zero || frame.index == 0 {
            return Ok(0.0);
        }
        let missing = || Error::invalid("there is no picture before this one: indices must begin with 0");
        let previous = frame.previous[0].as_ref().ok_or_else(missing)?;
        let plane = |plane| {
            let images = [previous, &frame.reference].map(|picture| Image::plane(picture, plane, self.depth));
            f64::from(self.distance(&images, plane, buffers, workers))
        };
        Ok((0..self.sizes.len()).map(plane).fold(0.0, |sum, distance| sum + distance))
    }
}

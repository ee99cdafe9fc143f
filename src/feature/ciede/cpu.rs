// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The colour differences of whole pictures, by stripes of rows.
#![forbid(unsafe_code)]

use super::scalar::{Planes, Scale, sum};
use super::simd::{Kernel, select};
use crate::error::Result;
use crate::feature::depth::Depth;
use crate::feature::{Frame, Measure, Setup};
use crate::picture::{Picture, PixelFormat, Plane, Samples};
use crate::schedule::Workers;

/// Rows of a stripe at least: a row is much work.
const LEAST_ROWS: usize = 4;

/// Sums of colour differences.
pub struct Differences {
    kernel: Kernel,
    scale: Scale,
    pixel: PixelFormat,
    width: usize,
    height: usize,
}

impl Differences {
    /// For the stream's format, at the context's instruction level.
    pub fn new(setup: &Setup) -> Result<Self> {
        Ok(Self {
            kernel: select(setup.level),
            scale: Scale::new(Depth::new(setup.format.bpc)?),
            pixel: setup.format.pixel,
            width: setup.format.width as usize,
            height: setup.format.height as usize,
        })
    }

    /// The three planes at one depth; `plane` is `None` for a plane of the other.
    fn planes<'a, T>(&self, plane: impl Fn(usize) -> Option<Plane<'a, T>>) -> Option<Planes<'a, T>> {
        let halved = [self.pixel != PixelFormat::Yuv444, self.pixel == PixelFormat::Yuv420];
        Some(Planes { y: plane(0)?, u: plane(1)?, v: plane(2)?, halved })
    }

    fn bits8<'a>(&self, picture: &'a Picture) -> Option<Planes<'a, u8>> {
        self.planes(|index| match picture.plane(index) {
            Samples::Bits8(plane) => Some(plane),
            Samples::Bits16(_) => None,
        })
    }

    fn bits16<'a>(&self, picture: &'a Picture) -> Option<Planes<'a, u16>> {
        self.planes(|index| match picture.plane(index) {
            Samples::Bits16(plane) => Some(plane),
            Samples::Bits8(_) => None,
        })
    }
}

impl Measure for Differences {
    type Output = f64;
    type Scratch = Vec<Box<[f32]>>;

    fn scratch(&self) -> Result<Vec<Box<[f32]>>> {
        Ok(vec![vec![0.0; self.width].into(); self.height])
    }

    fn measure(&self, frame: &Frame, rows: &mut Vec<Box<[f32]>>, workers: Workers) -> Result<f64> {
        let (r, d) = (&frame.reference, &frame.distorted);
        if let (Some(r), Some(d)) = (self.bits8(r), self.bits8(d)) {
            let work = |first, rows: &mut [_]| self.kernel.bits8(&self.scale, [&r, &d], first, rows);
            workers.fill(rows, LEAST_ROWS, &work);
        } else if let (Some(r), Some(d)) = (self.bits16(r), self.bits16(d)) {
            let work = |first, rows: &mut [_]| self.kernel.bits16(&self.scale, [&r, &d], first, rows);
            workers.fill(rows, LEAST_ROWS, &work);
        } else {
            unreachable!("the pictures of a pair are of one depth, and have chroma");
        }
        Ok(sum(rows))
    }
}

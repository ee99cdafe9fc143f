// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Scores of the chroma planes.
#![forbid(unsafe_code)]

use crate::error::{Error, Result};
use crate::feature::depth::Depth;
use crate::feature::speed::Scored;
use crate::feature::speed::cpu::{Planes, Work};
use crate::feature::speed::options::Options;
use crate::feature::speed::source::Input;
use crate::feature::{Frame, Measure, Setup};
use crate::picture::{Format, PixelFormat};
use crate::schedule::Workers;

/// Scores U and V.
pub struct Chroma {
    planes: Planes,
    depth: Depth,
}

/// The part of a chroma plane that is used. Of odd sizes the last column or row is left out.
fn size(format: &Format) -> Result<[usize; 2]> {
    let (width, height) = (format.width as usize, format.height as usize);
    match format.pixel {
        PixelFormat::Yuv420 => Ok([width / 2, height / 2]),
        PixelFormat::Yuv422 => Ok([width / 2, height]),
        PixelFormat::Yuv444 => Ok([width, height]),
        PixelFormat::Yuv400 => Err(Error::invalid("4:0:0 has no chroma")),
    }
}

impl Chroma {
    /// For the stream's format, at the context's instruction level.
    pub fn new(setup: &Setup, options: Options) -> Result<Self> {
        let depth = Depth::new(setup.format.bpc)?;
        Ok(Self { planes: Planes::new(setup.level, size(&setup.format)?, options)?, depth })
    }
}

impl Measure for Chroma {
    type Output = [Scored; 2];
    type Scratch = [[Work; 2]; 2];

    fn scratch(&self) -> Result<Self::Scratch> {
        Ok([(); 2].map(|()| [self.planes.work(), self.planes.work()]))
    }

    fn measure(&self, frame: &Frame, work: &mut Self::Scratch, workers: Workers) -> Result<[Scored; 2]> {
        let pictures = [&frame.reference, &frame.distorted];
        let inputs =
            [1, 2].map(|plane| pictures.map(|p| Input::still(p, plane, self.planes.size(), self.depth)));
        Ok(self.planes.scores(inputs, work, workers))
    }
}

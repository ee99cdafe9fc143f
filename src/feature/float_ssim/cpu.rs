// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The means of `float_ssim`: decimation, then the windows.
#![forbid(unsafe_code)]

use super::scalar::{automatic_factor, decimate};
use super::simd::{Kernel, Work, select};
use crate::cpu::Level;
use crate::error::Result;
use crate::feature::depth::Depth;
use crate::feature::ssim::cpu::Comparison;
use crate::feature::ssim::image::{FloatPlane, Image, decimated};
use crate::feature::ssim::spare::Spare;
use crate::feature::ssim::{Means, REACH, Wanted};
use crate::feature::{Frame, Measure, Setup};
use crate::schedule::Workers;

/// Rows of a stripe at least.
const LEAST_ROWS: usize = 8;

/// Similarity of luma planes.
pub struct Similarity {
    level: Level,
    depth: Depth,
    factor: usize,
    full: (usize, usize),
    size: (usize, usize),
}

/// Work space of one frame; none where the pictures have no window.
pub struct Buffers {
    decimation: Decimation,
    decimated: [FloatPlane; 2],
    comparison: Comparison,
}

/// How pictures are decimated, with what it takes.
enum Decimation {
    /// Not at all.
    None,
    Plain(FloatPlane),
    Stripes(Kernel, Spare<Work>),
}

impl Similarity {
    /// Decimates by `factor`; 0 stands for the automatic one.
    pub fn new(setup: &Setup, factor: usize) -> Result<Self> {
        let (width, height) = (setup.format.width as usize, setup.format.height as usize);
        let factor = if factor == 0 { automatic_factor(width, height) } else { factor };
        let size =
            if factor == 1 { (width, height) } else { (decimated(width, factor), decimated(height, factor)) };
        Ok(Self {
            level: setup.level,
            depth: Depth::new(setup.format.bpc)?,
            factor,
            full: (width, height),
            size,
        })
    }

    fn has_windows(&self) -> bool {
        self.size.0 > REACH && self.size.1 > REACH
    }

    /// The means of no window, section 6: 0 divided by the product of what is left of the sizes.
    fn no_means(&self) -> Means {
        let left = |size: usize| size as f64 - REACH as f64;
        let windows = left(self.size.0) * left(self.size.1);
        // What 0 / 0 is on x86 has its sign bit set, and shows it in logs.
        let mean = if windows == 0.0 { -f32::NAN } else { (0.0 / windows) as f32 };
        Means { product: mean, luminance: mean, contrast: mean, structure: mean }
    }
}

impl Measure for Similarity {
    type Output = Means;
    type Scratch = Option<Buffers>;

    fn scratch(&self) -> Result<Option<Buffers>> {
        if !self.has_windows() {
            return Ok(None);
        }
        let (width, height) = self.size;
        let comparison = Comparison::new(self.level, width, height);
        let decimation = match select(self.level, self.factor) {
            _ if self.factor == 1 => Decimation::None,
            Some(kernel) => Decimation::Stripes(kernel, Spare::default()),
            None => Decimation::Plain(FloatPlane::new(self.full.0, self.full.1)),
        };
        let plane = || match decimation {
            Decimation::None => FloatPlane::default(),
            _ => FloatPlane::new(width, height),
        };
        let decimated = [plane(), plane()];
        Ok(Some(Buffers { decimation, decimated, comparison }))
    }

    fn measure(&self, frame: &Frame, buffers: &mut Option<Buffers>, workers: Workers) -> Result<Means> {
        let Some(Buffers { decimation, decimated, comparison }) = buffers else {
            return Ok(self.no_means());
        };
        let luma = [&frame.reference, &frame.distorted].map(|picture| Image::luma(picture, self.depth));
        if self.factor == 1 {
            return Ok(comparison.means(luma.each_ref(), Wanted::All, workers));
        }
        for (image, out) in luma.iter().zip(&mut *decimated) {
            decimation.run(image, self.factor, out, workers);
        }
        let images = decimated.each_ref().map(Image::Float);
        Ok(comparison.means(images.each_ref(), Wanted::All, workers))
    }
}

impl Decimation {
    fn run(&mut self, image: &Image<'_>, factor: usize, out: &mut FloatPlane, workers: Workers) {
        match self {
            Self::None => {}
            Self::Plain(full) => {
                full.copy_from(image);
                decimate(full, factor, out);
            }
            Self::Stripes(kernel, spare) => workers.fill(out.rows_mut(), LEAST_ROWS, &|first, rows| {
                spare.lend(Work::default, |work| kernel.rows(image, factor, first, rows, work));
            }),
        }
    }
}

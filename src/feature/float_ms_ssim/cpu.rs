// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The means of `float_ms_ssim`: the windows of every scale, each made from the one before.
#![forbid(unsafe_code)]

use std::array::from_fn;

use super::SCALES;
use super::scalar::halve;
use super::simd::{Kernel, Work, select};
use crate::cpu::Level;
use crate::error::Result;
use crate::feature::depth::Depth;
use crate::feature::ssim::cpu::Comparison;
use crate::feature::ssim::image::{FloatPlane, Image, decimated};
use crate::feature::ssim::spare::Spare;
use crate::feature::ssim::{Means, Wanted};
use crate::feature::{Frame, Measure, Setup};
use crate::schedule::Workers;

/// Rows of a stripe at least; each stripe takes in four rows more above and below.
const LEAST_ROWS: usize = 16;

/// Similarities of luma planes at every scale.
pub struct Similarities {
    level: Level,
    depth: Depth,
    sizes: [(usize, usize); SCALES],
    components: bool,
}

/// Work space of one frame.
pub struct Buffers {
    low_pass: LowPass,
    /// Both pictures from scale 1 on.
    pyramid: [[FloatPlane; 2]; SCALES - 1],
    comparisons: [Comparison; SCALES],
}

/// How pictures are halved, with what it takes.
enum LowPass {
    /// With room for a picture of full size as floats.
    Plain(FloatPlane),
    Stripes(Kernel, Spare<Work>),
}

impl LowPass {
    fn run(&mut self, image: &Image<'_>, out: &mut FloatPlane, workers: Workers) {
        match (self, image) {
            (Self::Stripes(kernel, spare), _) => workers.fill(out.rows_mut(), LEAST_ROWS, &|first, rows| {
                spare.lend(Work::default, |work| kernel.rows(image, first, rows, work));
            }),
            (Self::Plain(_), Image::Float(plane)) => halve(plane, out),
            (Self::Plain(full), _) => {
                full.copy_from(image);
                halve(full, out);
            }
        }
    }
}

impl Similarities {
    /// With `components`, the luminance of every scale is published too.
    pub fn new(setup: &Setup, components: bool) -> Result<Self> {
        let mut size = (setup.format.width as usize, setup.format.height as usize);
        let mut sizes = [size; SCALES];
        for next in &mut sizes[1..] {
            size = (decimated(size.0, 2), decimated(size.1, 2));
            *next = size;
        }
        Ok(Self { level: setup.level, depth: Depth::new(setup.format.bpc)?, sizes, components })
    }

    fn wanted(&self, scale: usize) -> Wanted {
        if self.components || scale == SCALES - 1 { Wanted::All } else { Wanted::ContrastAndStructure }
    }
}

impl Measure for Similarities {
    type Output = [Means; SCALES];
    type Scratch = Buffers;

    fn scratch(&self) -> Result<Buffers> {
        let plane = |scale: usize| FloatPlane::new(self.sizes[scale].0, self.sizes[scale].1);
        let comparison = |scale: usize| Comparison::new(self.level, self.sizes[scale].0, self.sizes[scale].1);
        let pyramid = from_fn(|above| [plane(above + 1), plane(above + 1)]);
        let low_pass = match select(self.level) {
            Some(kernel) => LowPass::Stripes(kernel, Spare::default()),
            None => LowPass::Plain(plane(0)),
        };
        Ok(Buffers { low_pass, pyramid, comparisons: from_fn(comparison) })
    }

    fn measure(&self, frame: &Frame, buffers: &mut Buffers, workers: Workers) -> Result<[Means; SCALES]> {
        let Buffers { low_pass, pyramid, comparisons } = buffers;
        let luma = [&frame.reference, &frame.distorted].map(|picture| Image::luma(picture, self.depth));
        for (k, image) in luma.iter().enumerate() {
            low_pass.run(image, &mut pyramid[0][k], workers);
            for scale in 1..SCALES - 1 {
                let (done, rest) = pyramid.split_at_mut(scale);
                low_pass.run(&Image::Float(&done[scale - 1][k]), &mut rest[0][k], workers);
            }
        }
        let mut means = [Means::default(); SCALES];
        for (scale, comparison) in comparisons.iter().enumerate() {
            let images = from_fn(|k| if scale == 0 { luma[k] } else { Image::Float(&pyramid[scale - 1][k]) });
            means[scale] = comparison.means(images.each_ref(), self.wanted(scale), workers);
        }
        Ok(means)
    }
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The sums of `float_vif` over whole pictures: scale after scale, each by stripes of rows.
#![forbid(unsafe_code)]

use std::array::from_fn;

use super::plan::{Plan, Scale};
use super::resize::Resize;
use super::scalar::{self, Constants, Lines, Sums};
#[cfg(target_arch = "x86_64")]
use super::simd;
use super::source::Source;
use super::{FloatVif, SCALES};
use crate::error::Result;
use crate::feature::ssim::image::FloatPlane;
use crate::feature::ssim::spare::Spare;
use crate::feature::{Extractor, Frame, Measure, Setup, on_cpu};
use crate::schedule::Workers;

/// Rows of a stripe at least: below, the rows around it that are filtered again cost too much.
const LEAST_ROWS: usize = 32;

/// Rows of the next scale's picture in a stripe at least, and rows of a resized picture.
const LEAST_PICTURE_ROWS: usize = 16;

/// The work on rows at one instruction-set level.
pub trait Kernel: Send + Sync + 'static {
    /// What rows are worked in, used again for others.
    type Work: Send + 'static;

    /// Makes work space.
    fn work(&self, plan: &Plan) -> Self::Work;

    /// The sums of the rows from `first` on.
    fn sums(
        &self,
        pictures: [&Source<'_>; 2],
        taps: &[f32],
        constants: &Constants,
        first: usize,
        rows: &mut [Sums],
        work: &mut Self::Work,
    );

    /// The rows from `first` on of the next scale's picture.
    fn low_pass(
        &self,
        picture: &Source<'_>,
        taps: &[f32],
        first: usize,
        rows: &mut [Vec<f32>],
        work: &mut Self::Work,
    );

    /// The rows from `first` on of a resized picture.
    fn resize(&self, picture: &Source<'_>, resize: &Resize, first: usize, rows: &mut [Vec<f32>]) {
        for (y, row) in (first..).zip(rows) {
            resize.row(picture, y, row);
        }
    }
}

/// The scalar arithmetic.
#[derive(Clone, Copy, Debug)]
pub struct Plain;

impl Kernel for Plain {
    type Work = Lines;

    fn work(&self, _: &Plan) -> Lines {
        Lines::default()
    }

    fn sums(
        &self,
        pictures: [&Source<'_>; 2],
        taps: &[f32],
        constants: &Constants,
        first: usize,
        rows: &mut [Sums],
        work: &mut Lines,
    ) {
        for (y, sums) in (first..).zip(rows) {
            *sums = scalar::row(pictures, taps, constants, y, work);
        }
    }

    fn low_pass(
        &self,
        picture: &Source<'_>,
        taps: &[f32],
        first: usize,
        rows: &mut [Vec<f32>],
        work: &mut Lines,
    ) {
        for (y, row) in (first..).zip(rows) {
            scalar::low_pass(picture, taps, y, work, row);
        }
    }
}

/// Sums of luma at four scales.
struct Pyramid<K> {
    kernel: K,
    plan: Plan,
}

/// Work space of one frame.
struct Scratch<W> {
    /// Both pictures after the resize, if there is one.
    resized: Option<[FloatPlane; 2]>,
    /// Both pictures from scale 1 on.
    pictures: [[FloatPlane; 2]; SCALES - 1],
    /// The sums of rows.
    rows: Vec<Sums>,
    spare: Spare<W>,
}

/// The extractor for the stream's plan, at the context's instruction level.
pub(super) fn extractor(setup: &Setup, plan: Plan, score: FloatVif) -> Box<dyn Extractor> {
    #[cfg(target_arch = "x86_64")]
    {
        if let Some(kernel) = simd::with_avx2(setup.level) {
            return on_cpu(setup, Pyramid { kernel, plan }, score);
        }
        if let Some(kernel) = simd::with_avx512(setup.level) {
            return on_cpu(setup, Pyramid { kernel, plan }, score);
        }
    }
    on_cpu(setup, Pyramid { kernel: Plain, plan }, score)
}

impl<K: Kernel> Pyramid<K> {
    fn resize<'a>(
        &self,
        luma: [Source<'a>; 2],
        resized: &'a mut Option<[FloatPlane; 2]>,
        workers: Workers,
    ) -> [Source<'a>; 2] {
        let (Some(resize), Some(resized)) = (&self.plan.resize, resized) else { return luma };
        for (from, to) in luma.iter().zip(&mut *resized) {
            workers.fill(to.rows_mut(), LEAST_PICTURE_ROWS, &|first, rows| {
                self.kernel.resize(from, resize, first, rows);
            });
        }
        resized.each_ref().map(Source::Float)
    }

    fn low_pass(
        &self,
        from: &[Source<'_>; 2],
        scale: &Scale,
        to: &mut [FloatPlane; 2],
        spare: &Spare<K::Work>,
        workers: Workers,
    ) {
        for (from, to) in from.iter().zip(to) {
            workers.fill(to.rows_mut(), LEAST_PICTURE_ROWS, &|first, rows| {
                let run = |work: &mut K::Work| self.kernel.low_pass(from, &scale.taps, first, rows, work);
                spare.lend(|| self.kernel.work(&self.plan), run);
            });
        }
    }

    /// Rows in parallel, their sums from top to bottom.
    fn sums(
        &self,
        pictures: [&Source<'_>; 2],
        scale: &Scale,
        rows: &mut [Sums],
        spare: &Spare<K::Work>,
        workers: Workers,
    ) -> Sums {
        workers.fill(rows, LEAST_ROWS, &|first, rows| {
            let run = |work: &mut K::Work| {
                self.kernel.sums(pictures, &scale.taps, &self.plan.constants, first, rows, work);
            };
            spare.lend(|| self.kernel.work(&self.plan), run);
        });
        rows.iter().copied().fold(Sums::default(), Sums::plus)
    }
}

impl<K: Kernel> Measure for Pyramid<K> {
    type Output = [Sums; SCALES];
    type Scratch = Scratch<K::Work>;

    fn scratch(&self) -> Result<Self::Scratch> {
        let scales = &self.plan.scales;
        let pair = |scale: &Scale| from_fn(|_| FloatPlane::new(scale.width, scale.height));
        Ok(Scratch {
            resized: self.plan.resize.as_ref().map(|_| pair(&scales[0])),
            pictures: from_fn(|above| pair(&scales[above + 1])),
            rows: vec![Sums::default(); scales[0].height],
            spare: Spare::default(),
        })
    }

    fn measure(
        &self,
        frame: &Frame,
        scratch: &mut Self::Scratch,
        workers: Workers,
    ) -> Result<[Sums; SCALES]> {
        let Scratch { resized, pictures, rows, spare } = scratch;
        let luma = [&frame.reference, &frame.distorted].map(|picture| Source::luma(picture, self.plan.depth));
        let mut from = self.resize(luma, resized, workers);
        let mut sums = [Sums::default(); SCALES];
        let mut pyramid = pictures.iter_mut();
        for (number, scale) in self.plan.scales.iter().enumerate() {
            if number > 0 {
                let to = pyramid.next().expect("pictures of every scale but the first");
                self.low_pass(&from, scale, to, spare, workers);
                from = to.each_ref().map(Source::Float);
            }
            if number >= self.plan.first {
                sums[number] = self.sums(from.each_ref(), scale, &mut rows[..scale.height], spare, workers);
            }
        }
        Ok(sums)
    }
}

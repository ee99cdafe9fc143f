// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The four scales of `float_adm` over whole pictures, each by stripes of rows.
#![forbid(unsafe_code)]

use std::ops::Range;

use super::plan::{Plan, Scale};
use super::scalar::{self, Reference};
use super::simd::{self, Kernel, Strip};
use super::{Input, Source, Stripes, Sums};
use crate::cpu::Level;
use crate::error::Result;
use crate::feature::adm::scalar::LowPass;
use crate::feature::depth::Depth;
use crate::feature::ssim::spare::Spare;
use crate::feature::{Frame, Measure};
use crate::picture::{Plane, Samples};
use crate::schedule::{Cut, Workers};

/// Band rows of a stripe at least: each stripe transforms two rows more than its own.
const LEAST_ROWS: usize = 16;

/// Measures pairs scale after scale.
pub struct Pyramid {
    reference: Reference,
    /// The fast form, where the level has one for the size.
    fast: Option<Kernel>,
    inverse: f32,
}

/// Work space of one frame.
pub struct Scratch {
    /// Low-pass bands of both pictures that one scale leaves to the next, of the scales 0 to 2.
    bands: [[Vec<f32>; 2]; 3],
    /// Each row's sums, by scale.
    sums: [Vec<Sums>; 4],
    reference: [Spare<scalar::Rows>; 4],
    /// All scales have the same strips.
    fast: Spare<Box<Strip>>,
}

impl Pyramid {
    /// For the stream that `plan` was made for, at this level.
    pub fn new(level: Level, plan: Plan, depth: Depth) -> Self {
        let fast = simd::select(level, &plan);
        Self { reference: Reference::new(plan), fast, inverse: (1.0 / depth.scale()) as f32 }
    }

    /// The sums of the four scales of a pair.
    pub fn sums<S: Source>(
        &self,
        planes: [Plane<'_, S>; 2],
        scratch: &mut Scratch,
        workers: Workers,
    ) -> [Sums; 4] {
        let scales = &self.reference.plan.scales;
        let Scratch { bands, sums, reference, fast } = scratch;
        let input = Input { planes, inverse: self.inverse };
        match &self.fast {
            Some(kernel) => {
                let spare = [&*fast; 4];
                Pass { stripes: kernel, scales, spare, workers }.scales(input, bands, sums)
            }
            None => {
                let spare = reference.each_ref();
                Pass { stripes: &self.reference, scales, spare, workers }.scales(input, bands, sums)
            }
        }
    }
}

/// One way through the scales of a pair.
struct Pass<'a, K: Stripes> {
    stripes: &'a K,
    scales: &'a [Scale; 4],
    spare: [&'a Spare<K::Rows>; 4],
    workers: Workers,
}

impl<K: Stripes> Pass<'_, K> {
    fn scales<S: Source>(
        &self,
        input: Input<'_, S>,
        bands: &mut [[Vec<f32>; 2]; 3],
        sums: &mut [Vec<Sums>; 4],
    ) -> [Sums; 4] {
        let ([fine, middle, coarse], [first, second, third, fourth]) = (bands, sums);
        [
            self.scale(0, input, Some(fine), first),
            self.scale(1, low_passed(fine, &self.scales[0]), Some(middle), second),
            self.scale(2, low_passed(middle, &self.scales[1]), Some(coarse), third),
            self.scale(3, low_passed(coarse, &self.scales[2]), None, fourth),
        ]
    }

    /// One scale, whose low-pass bands go to `low`.
    fn scale<S: Source>(
        &self,
        index: usize,
        input: Input<'_, S>,
        low: Option<&mut [Vec<f32>; 2]>,
        sums: &mut [Sums],
    ) -> Sums {
        let scale = &self.scales[index];
        let low = low.map(|[r, d]| LowPass { pictures: [r, d], stride: scale.stride() });
        let work = |Stripe { rows, low, sums }: Stripe<'_>| {
            let make = || self.stripes.rows(index);
            self.spare[index].lend(make, |work| self.stripes.stripe(index, input, rows, low, sums, work));
        };
        let job = Stripe { rows: 0..scale.height, low, sums: &mut *sums };
        self.workers.reduce(job, LEAST_ROWS, &work, &|(), ()| ());
        sums[scale.window.top..scale.window.bottom].iter().copied().fold(Sums::default(), Sums::plus)
    }
}

/// Rows of a scale, with the same rows of what they make.
struct Stripe<'a> {
    rows: Range<usize>,
    low: Option<LowPass<'a, f32>>,
    sums: &'a mut [Sums],
}

impl Cut for Stripe<'_> {
    fn units(&self) -> usize {
        self.rows.units()
    }

    fn cut(self, rows: usize) -> (Self, Self) {
        let (upper, lower) = self.rows.cut(rows);
        let (low_upper, low_lower) = self.low.map(|low| low.split(rows)).unzip();
        let (sums_upper, sums_lower) = self.sums.split_at_mut(rows);
        let half = |rows, low, sums| Self { rows, low, sums };
        (half(upper, low_upper, sums_upper), half(lower, low_lower, sums_lower))
    }
}

fn low_passed<'a>(bands: &'a [Vec<f32>; 2], scale: &Scale) -> Input<'a, f32> {
    let plane = |band: &'a Vec<f32>| Plane::new(band, scale.width, scale.height, scale.stride());
    Input { planes: bands.each_ref().map(plane), inverse: 1.0 }
}

impl Measure for Pyramid {
    type Output = [Sums; 4];
    type Scratch = Scratch;

    fn scratch(&self) -> Result<Scratch> {
        let scales = &self.reference.plan.scales;
        let samples = |index: usize| scales[index].stride() * scales[index].height;
        let bands = [0, 1, 2].map(|index| [vec![0.0; samples(index)], vec![0.0; samples(index)]]);
        let sums = [0, 1, 2, 3].map(|index: usize| vec![Sums::default(); scales[index].height]);
        Ok(Scratch { bands, sums, reference: Default::default(), fast: Spare::default() })
    }

    fn measure(&self, frame: &Frame, scratch: &mut Scratch, workers: Workers) -> Result<[Sums; 4]> {
        Ok(match (frame.reference.plane(0), frame.distorted.plane(0)) {
            (Samples::Bits8(r), Samples::Bits8(d)) => self.sums([r, d], scratch, workers),
            (Samples::Bits16(r), Samples::Bits16(d)) => self.sums([r, d], scratch, workers),
            _ => unreachable!("the pictures of a pair are of one depth"),
        })
    }
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The four scales of `adm` over whole pictures, each by stripes of rows.
#![forbid(unsafe_code)]

use std::ops::Range;

use parking_lot::Mutex;

use super::plan::{Plan, Scale};
use super::scalar::{self, LowPass, Reference};
use super::simd::{self, Kernel, Source, Target};
use super::{Stripes, Totals};
use crate::cpu::Level;
use crate::error::Result;
use crate::feature::{Frame, Measure, Setup};
use crate::picture::{Plane, Samples};
use crate::schedule::{Cut, Workers};

/// Band rows of a stripe at least: each stripe transforms two rows more than its own.
const LEAST_ROWS: usize = 16;

/// Measures pairs scale after scale.
pub struct Pyramid {
    reference: Reference,
    /// The fast form, where the level and the options have one.
    fast: Option<Kernel>,
}

/// Work space of one frame.
pub struct Scratch {
    bands: LowBands,
    reference: [Spare<scalar::Rows>; 4],
    fast: [Spare<simd::rows::Rows>; 4],
}

/// Low-pass bands of both pictures that one scale leaves to the next.
struct LowBands {
    /// Of scale 0.
    fine: [Vec<i16>; 2],
    /// Of the scales 1 and 2.
    coarse: [[Vec<i32>; 2]; 2],
}

/// Rows of one scale that no stripe is using: as many as were ever in use at once.
type Spare<R> = Mutex<Vec<R>>;

/// A low-pass band of both pictures, if it is wanted.
type Low<'a, T> = Option<LowPass<'a, T>>;

impl Pyramid {
    /// For the stream that `plan` was made for.
    pub fn new(setup: &Setup, plan: Plan) -> Self {
        Self::at_level(setup.level, plan, setup.format.bpc)
    }

    /// For pictures of `bpc` bits, at this level.
    pub fn at_level(level: Level, plan: Plan, bpc: u32) -> Self {
        let fast = simd::select(level, &plan, bpc);
        Self { reference: Reference::new(plan, bpc), fast }
    }

    /// The sums of the four scales of a pair.
    pub fn sums<S: Source>(
        &self,
        pair: [Plane<'_, S>; 2],
        scratch: &mut Scratch,
        workers: Workers,
    ) -> [Totals; 4] {
        let scales = &self.reference.plan.scales;
        let Scratch { bands, reference, fast } = scratch;
        let fast_form = self
            .fast
            .as_ref()
            .and_then(|kernel| Pass { stripes: kernel, scales, spare: fast, workers }.scales(pair, bands));
        fast_form.unwrap_or_else(|| {
            let pass = Pass { stripes: &self.reference, scales, spare: reference, workers };
            pass.scales(pair, bands).expect("the reference arithmetic does all samples")
        })
    }
}

/// One way through the scales of a pair.
struct Pass<'a, K: Stripes> {
    stripes: &'a K,
    scales: &'a [Scale; 4],
    spare: &'a [Spare<K::Rows>; 4],
    workers: Workers,
}

impl<K: Stripes> Pass<'_, K> {
    fn scales<S: Source>(&self, pair: [Plane<'_, S>; 2], bands: &mut LowBands) -> Option<[Totals; 4]> {
        let LowBands { fine, coarse: [middle, coarse] } = bands;
        Some([
            self.scale(0, pair, Some(fine))?,
            self.scale(1, planes(fine, &self.scales[0]), Some(middle))?,
            self.scale(2, planes(middle, &self.scales[1]), Some(coarse))?,
            self.scale::<_, i32>(3, planes(coarse, &self.scales[2]), None)?,
        ])
    }

    /// One scale, whose low-pass bands go to `low`.
    fn scale<S: Source, T: Target>(
        &self,
        index: usize,
        input: [Plane<'_, S>; 2],
        low: Option<&mut [Vec<T>; 2]>,
    ) -> Option<Totals> {
        let scale = &self.scales[index];
        let low = low.map(|[r, d]| LowPass { pictures: [r, d], stride: scale.stride() });
        let work = |rows: Range<usize>, low: Low<'_, T>| {
            let taken = self.spare[index].lock().pop();
            let mut spare = taken.unwrap_or_else(|| self.stripes.rows(index));
            let totals = self.stripes.stripe(index, input, rows, low, &mut spare);
            self.spare[index].lock().push(spare);
            totals
        };
        let both = |a: Option<Totals>, b: Option<Totals>| Some(a? + b?);
        let job = Stripe { rows: 0..scale.height, low };
        self.workers.reduce(job, LEAST_ROWS, &|stripe| work(stripe.rows, stripe.low), &both)
    }
}

/// Rows of a scale, with the same rows of the low-pass bands that they make.
struct Stripe<'a, T> {
    rows: Range<usize>,
    low: Low<'a, T>,
}

impl<T: Send> Cut for Stripe<'_, T> {
    fn units(&self) -> usize {
        self.rows.units()
    }

    fn cut(self, rows: usize) -> (Self, Self) {
        let (upper, lower) = self.rows.cut(rows);
        let (low_upper, low_lower) = self.low.map(|low| low.split(rows)).unzip();
        (Self { rows: upper, low: low_upper }, Self { rows: lower, low: low_lower })
    }
}

fn planes<'a, T>(low: &'a [Vec<T>; 2], scale: &Scale) -> [Plane<'a, T>; 2] {
    [0, 1].map(|picture: usize| Plane::new(&low[picture], scale.width, scale.height, scale.stride()))
}

impl Measure for Pyramid {
    type Output = [Totals; 4];
    type Scratch = Scratch;

    fn scratch(&self) -> Result<Scratch> {
        let scales = &self.reference.plan.scales;
        let samples = |index: usize| scales[index].stride() * scales[index].height;
        let coarse = |index| [vec![0; samples(index)], vec![0; samples(index)]];
        let fine = [vec![0; samples(0)], vec![0; samples(0)]];
        let bands = LowBands { fine, coarse: [coarse(1), coarse(2)] };
        Ok(Scratch { bands, reference: Default::default(), fast: Default::default() })
    }

    fn measure(&self, frame: &Frame, scratch: &mut Scratch, workers: Workers) -> Result<[Totals; 4]> {
        Ok(match (frame.reference.plane(0), frame.distorted.plane(0)) {
            (Samples::Bits8(r), Samples::Bits8(d)) => self.sums([r, d], scratch, workers),
            (Samples::Bits16(r), Samples::Bits16(d)) => self.sums([r, d], scratch, workers),
            _ => unreachable!("the pictures of a pair are of one depth"),
        })
    }
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The work on rows in vectors, the same bits at every instruction-set level.

mod avx2;
mod avx512;
mod band;
mod filter;
mod lanes;
mod low_pass;
mod statistic;
#[cfg(test)]
mod tests;

use super::cpu::Kernel;
use super::plan::Plan;
use super::scalar::{Constants, Sums};
use super::source::Source;
use crate::cpu::{Kind, Level};
use filter::WIDEST;

/// What the sums of rows are made of.
pub struct Job<'a> {
    /// Reference and distorted picture.
    pictures: [&'a Source<'a>; 2],
    /// The scale's filter.
    taps: &'a [f32],
    /// Constants of the statistic.
    constants: &'a Constants,
}

/// What rows are worked in.
#[derive(Debug)]
pub struct Work<F> {
    band: band::Work<F>,
    low_pass: low_pass::Work<F>,
}

type BandFn<F> = unsafe fn(&Job<'_>, usize, &mut [Sums], &mut band::Work<F>);
type LowPassFn<F> = unsafe fn(&Source<'_>, &[f32], usize, &mut [Vec<f32>], &mut low_pass::Work<F>);

/// The work on rows with vectors of one kind.
#[derive(Clone, Copy, Debug)]
pub struct Vectors<F> {
    /// Filters of 3, 5, 7 taps and so on, and of all other numbers.
    bands: [BandFn<F>; 9],
    /// Likewise.
    low_passes: [LowPassFn<F>; 5],
}

/// With AVX2, if that is what `level` stands for.
pub fn with_avx2(level: Level) -> Option<Vectors<avx2::Floats>> {
    (level.kind() == Kind::Avx2).then_some(Vectors {
        bands: [
            avx2_band::<3>,
            avx2_band::<5>,
            avx2_band::<7>,
            avx2_band::<9>,
            avx2_band::<11>,
            avx2_band::<13>,
            avx2_band::<15>,
            avx2_band::<17>,
            avx2_band::<WIDEST>,
        ],
        low_passes: [
            avx2_low_pass::<3>,
            avx2_low_pass::<5>,
            avx2_low_pass::<7>,
            avx2_low_pass::<9>,
            avx2_low_pass::<WIDEST>,
        ],
    })
}

/// With AVX-512, if `level` has it.
pub fn with_avx512(level: Level) -> Option<Vectors<avx512::Floats>> {
    matches!(level.kind(), Kind::Avx512 | Kind::Avx512Icl).then_some(Vectors {
        bands: [
            avx512_band::<3>,
            avx512_band::<5>,
            avx512_band::<7>,
            avx512_band::<9>,
            avx512_band::<11>,
            avx512_band::<13>,
            avx512_band::<15>,
            avx512_band::<17>,
            avx512_band::<WIDEST>,
        ],
        low_passes: [
            avx512_low_pass::<3>,
            avx512_low_pass::<5>,
            avx512_low_pass::<7>,
            avx512_low_pass::<9>,
            avx512_low_pass::<WIDEST>,
        ],
    })
}

impl<F: Send + 'static> Kernel for Vectors<F> {
    type Work = Work<F>;

    fn work(&self, _: &Plan) -> Work<F> {
        Work { band: band::Work::default(), low_pass: low_pass::Work::default() }
    }

    fn sums(
        &self,
        pictures: [&Source<'_>; 2],
        taps: &[f32],
        constants: &Constants,
        first: usize,
        rows: &mut [Sums],
        work: &mut Work<F>,
    ) {
        let band = for_taps(&self.bands, taps);
        // SAFETY: the functions were taken for a level that this CPU was seen to have.
        unsafe { band(&Job { pictures, taps, constants }, first, rows, &mut work.band) }
    }

    fn low_pass(
        &self,
        picture: &Source<'_>,
        taps: &[f32],
        first: usize,
        rows: &mut [Vec<f32>],
        work: &mut Work<F>,
    ) {
        let low_pass = for_taps(&self.low_passes, taps);
        // SAFETY: the functions were taken for a level that this CPU was seen to have.
        unsafe { low_pass(picture, taps, first, rows, &mut work.low_pass) }
    }
}

/// The function for as many taps: one for 3, 5, 7 and so on, the last one for all other numbers.
fn for_taps<T: Copy>(functions: &[T], taps: &[f32]) -> T {
    functions[((taps.len() - 3) / 2).min(functions.len() - 1)]
}

/// Makes `items` long enough; once warm, it is.
fn grow<T: Copy>(items: &mut Vec<T>, count: usize, item: T) {
    if items.len() < count {
        items.resize(count, item);
    }
}

#[target_feature(enable = "avx2")]
fn avx2_band<const N: usize>(
    job: &Job<'_>,
    first: usize,
    rows: &mut [Sums],
    work: &mut band::Work<avx2::Floats>,
) {
    band::sums::<_, N>(avx2::Avx2::new(), job, first, rows, work);
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn avx512_band<const N: usize>(
    job: &Job<'_>,
    first: usize,
    rows: &mut [Sums],
    work: &mut band::Work<avx512::Floats>,
) {
    band::sums::<_, N>(avx512::Avx512::new(), job, first, rows, work);
}

#[target_feature(enable = "avx2")]
fn avx2_low_pass<const N: usize>(
    picture: &Source<'_>,
    taps: &[f32],
    first: usize,
    rows: &mut [Vec<f32>],
    work: &mut low_pass::Work<avx2::Floats>,
) {
    low_pass::low_pass::<_, N>(avx2::Avx2::new(), picture, taps, first, rows, work);
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn avx512_low_pass<const N: usize>(
    picture: &Source<'_>,
    taps: &[f32],
    first: usize,
    rows: &mut [Vec<f32>],
    work: &mut low_pass::Work<avx512::Floats>,
) {
    low_pass::low_pass::<_, N>(avx512::Avx512::new(), picture, taps, first, rows, work);
}

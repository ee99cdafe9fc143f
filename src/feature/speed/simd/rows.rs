// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The samples that are kept, by chunks of columns that stay in registers.
//!
//! Plain loops over arrays of fixed size, which the compiler turns into vectors of the level that it is told. No order
//! of operations differs from [`scalar`](crate::feature::speed::scalar).
#![forbid(unsafe_code)]

use crate::feature::speed::geometry::STEP;
use crate::feature::speed::resample::{Resampling, reach};
use crate::feature::speed::scalar::filter;
use crate::feature::speed::source::{Input, Source};
use crate::feature::speed::stage::{Front, Stage};

/// Columns of most chunks: as long a way along a row as sums stay in registers, since memory is read ahead along rows.
const LONG: usize = 256;

/// Columns of the chunks behind them.
const SHORT: usize = 32;

/// Whole rows of what is kept, from row `first` on.
#[inline(always)]
pub fn kept(front: &Front, input: &Input<'_>, first: usize, stage: &mut Stage, out: &mut [f32]) {
    match input {
        Input::Still8(source) => rows(front, source, first, stage, out),
        Input::Still16(source) => rows(front, source, first, stage, out),
        Input::Change8(source) => rows(front, source, first, stage, out),
        Input::Change16(source) => rows(front, source, first, stage, out),
    }
}

#[inline(always)]
fn rows(front: &Front, source: &impl Source, first: usize, stage: &mut Stage, out: &mut [f32]) {
    let width = front.geometry.kept[0];
    for (row, out) in (first..).zip(out.chunks_exact_mut(width)) {
        match front.resampling() {
            None => filter_down(front, source, row, &mut stage.filtered),
            Some((resampling, columns)) => {
                let line = Resampled { source, resampling, columns };
                match resampling.reach() {
                    1 => line.filter_down::<1>(front, row, stage),
                    2 => line.filter_down::<2>(front, row, stage),
                    4 => line.filter_down::<4>(front, row, stage),
                    _ => line.filter_down::<9>(front, row, stage),
                }
            }
        }
        filter_across(&front.filter, &stage.filtered, out);
    }
}

/// A plane whose rows are scaled.
struct Resampled<'a, S> {
    source: &'a S,
    resampling: &'a Resampling,
    columns: &'a [u32],
}

impl<S: Source> Resampled<'_, S> {
    /// Scaled row `row` filtered downwards, where it is read. Elsewhere samples are those of any row.
    #[inline(always)]
    fn filter_down<const N: usize>(&self, front: &Front, row: usize, stage: &mut Stage) {
        let Stage { filtered, line, rows } = stage;
        filtered.fill(0.0);
        let taps = &front.filter;
        for (y, tap) in reach(row * STEP, taps.len(), front.geometry.scaled[1]).zip(taps) {
            self.resampling.samples::<N>(self.source, y, self.columns, rows, line);
            filtered.iter_mut().zip(line.iter()).for_each(|(sum, sample)| *sum += tap * sample);
        }
    }
}

/// Row `row` filtered downwards. Samples that the plane does not have would add 0.
#[inline(always)]
fn filter_down(front: &Front, source: &impl Source, row: usize, out: &mut [f32]) {
    let [columns, height] = front.plain();
    let taps = reach(row * STEP, front.filter.len(), front.geometry.scaled[1]).zip(&front.filter);
    let taps = taps.filter(|&(y, _)| y < height);
    let (inside, outside) = out.split_at_mut(columns);
    outside.fill(0.0);
    let (chunks, rest) = inside.as_chunks_mut();
    for (n, sums) in chunks.iter_mut().enumerate() {
        add_rows::<LONG>(source, n * LONG, taps.clone(), sums);
    }
    let first = columns - rest.len();
    let (chunks, rest) = rest.as_chunks_mut();
    for (n, sums) in chunks.iter_mut().enumerate() {
        add_rows::<SHORT>(source, first + n * SHORT, taps.clone(), sums);
    }
    let first = columns - rest.len();
    let samples = &mut [0.0; SHORT][..rest.len()];
    rest.fill(0.0);
    for (y, tap) in taps {
        source.read(y, first, samples);
        rest.iter_mut().zip(samples.iter()).for_each(|(sum, sample)| *sum += tap * sample);
    }
}

/// The sums of the rows under the taps from column `x` on.
#[inline(always)]
fn add_rows<'a, const N: usize>(
    source: &impl Source,
    x: usize,
    taps: impl Iterator<Item = (usize, &'a f32)>,
    out: &mut [f32; N],
) {
    let mut sums = [0.0; N];
    for (y, tap) in taps {
        let mut samples = [0.0; N];
        source.read(y, x, &mut samples);
        for i in 0..N {
            sums[i] += tap * samples[i];
        }
    }
    *out = sums;
}

/// A row filtered along itself at the columns that are kept.
#[inline(always)]
fn filter_across(taps: &[f32], row: &[f32], out: &mut [f32]) {
    match taps.try_into() {
        Ok(taps) => filter_nine(taps, row, out),
        Err(_) => {
            let columns = out.iter_mut().enumerate();
            columns.for_each(|(column, out)| *out = filter(row, column * STEP, taps));
        }
    }
}

/// The same with as many taps as there are by default. They leave the row at its first column only.
#[inline(always)]
fn filter_nine(taps: &[f32; 9], row: &[f32], out: &mut [f32]) {
    let (first, others) = out.split_first_mut().expect("a row is not empty");
    *first = filter(row, 0, taps);
    for (samples, out) in row[STEP - 4..].chunks(STEP).zip(others) {
        let samples: &[f32; 9] = samples[..9].try_into().expect("nine samples");
        let mut sum = 0.0;
        for i in 0..9 {
            sum += taps[i] * samples[i];
        }
        *out = sum;
    }
}

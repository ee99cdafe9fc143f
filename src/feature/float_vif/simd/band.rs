// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The sums of rows, a band of as many rows as a vector has lanes at a time.
//!
//! A band goes through the picture by chunks of columns that stay in the first-level cache. Filters down the columns
//! have columns side by side in their lanes and go on from band to band. Their output is turned, so that filters along
//! the rows have rows side by side, and so have the statistic and the sums of rows: each row's terms come from left to
//! right, as the specification asks.

use std::ops::Range;

use super::filter::{WIDEST, push};
use super::lanes::Lanes;
use super::statistic::{Statistic, is_simple};
use super::{Job, grow};
use crate::feature::float_vif::scalar::Sums;
use crate::feature::float_vif::source::mirror;

/// Columns of a chunk: a whole number of vectors at every level. The last one of a row has up to twice as many, less
/// one, so that it has all columns that are reflected at the edge.
const CHUNK: usize = 48;

/// Columns of the last chunk at most, in whole vectors.
const WIDEST_CHUNK: usize = 2 * CHUNK;

/// Reflected columns at most, to each side.
const MARGIN: usize = WIDEST / 2;

const MOMENTS: usize = 5;

/// What bands are worked in.
#[derive(Debug)]
pub struct Work<F> {
    /// The taps, all lanes alike.
    taps: Vec<F>,
    /// Rows of a chunk of both pictures, as floats.
    tile: Vec<F>,
    /// Sums under way down the columns: of each moment, of each vector of columns.
    down: Vec<F>,
    /// One moment of a chunk filtered down the columns, rows in lanes; reflected columns to both sides.
    columns: Vec<F>,
    /// Sums under way along the rows, of each moment.
    across: Vec<F>,
    /// The moments of a chunk, filtered both ways.
    moments: [Vec<F>; MOMENTS],
}

impl<F> Default for Work<F> {
    fn default() -> Self {
        Self {
            taps: Vec::new(),
            tile: Vec::new(),
            down: Vec::new(),
            columns: Vec::new(),
            across: Vec::new(),
            moments: Default::default(),
        }
    }
}

/// One call's filter: `N` taps, or if `N` is [`WIDEST`], any number up to that.
struct Band<'a, L: Lanes, const N: usize> {
    lanes: L,
    job: &'a Job<'a>,
    /// The last tap's number.
    last: usize,
    width: usize,
    height: usize,
}

/// A chunk's columns, and whether it touches the edges.
#[derive(Clone)]
struct Chunk {
    columns: Range<usize>,
    is_first: bool,
    is_last: bool,
}

/// The sums of the rows from `first` on.
#[inline(always)]
pub fn sums<L: Lanes, const N: usize>(
    lanes: L,
    job: &Job<'_>,
    first: usize,
    rows: &mut [Sums],
    work: &mut Work<L::Floats>,
) {
    let band = Band::<L, N> {
        lanes,
        job,
        last: if N == WIDEST { job.taps.len() - 1 } else { N - 1 },
        width: job.pictures[0].width(),
        height: job.pictures[0].height(),
    };
    band.prepare(work);
    band.start(first, work);
    for (number, rows) in rows.chunks_mut(L::COUNT).enumerate() {
        let y = first + number * L::COUNT;
        band.run(y, rows, work);
    }
}

impl<L: Lanes, const N: usize> Band<'_, L, N> {
    /// Vectors in a row of the tile.
    const STRIDE: usize = WIDEST_CHUNK / L::COUNT;

    fn half(&self) -> usize {
        self.last / 2
    }

    #[inline(always)]
    fn prepare(&self, work: &mut Work<L::Floats>) {
        let zero = self.lanes.splat(0.0);
        grow(&mut work.taps, N, zero);
        for (lanes, &tap) in work.taps.iter_mut().zip(self.job.taps) {
            *lanes = self.lanes.splat(tap);
        }
        grow(&mut work.tile, 2 * L::COUNT * Self::STRIDE, zero);
        grow(&mut work.down, MOMENTS * self.width.div_ceil(L::COUNT) * N, zero);
        grow(&mut work.columns, WIDEST_CHUNK + 2 * MARGIN, zero);
        grow(&mut work.across, MOMENTS * N, zero);
        for lines in &mut work.moments {
            grow(lines, WIDEST_CHUNK + 2 * MARGIN, zero);
        }
    }

    /// The chunk that begins at this column.
    fn chunk(&self, start: usize) -> Chunk {
        let is_last = self.width - start < 2 * CHUNK;
        let end = if is_last { self.width } else { start + CHUNK };
        Chunk { columns: start..end, is_first: start == 0, is_last }
    }

    /// Gives the filters the rows above the first output, and the first ones below.
    #[inline(always)]
    fn start(&self, first: usize, work: &mut Work<L::Floats>) {
        let mut start = 0;
        while start < self.width {
            let chunk = self.chunk(start);
            for row in (0..self.last).step_by(L::COUNT) {
                let rows = L::COUNT.min(self.last - row);
                self.load(&chunk, first as isize + row as isize - self.half() as isize, rows, work);
                self.down::<0>(&chunk, rows, work);
                self.down::<1>(&chunk, rows, work);
                self.down::<2>(&chunk, rows, work);
                self.down::<3>(&chunk, rows, work);
                self.down::<4>(&chunk, rows, work);
            }
            start = chunk.columns.end;
        }
    }

    /// The sums of the rows from `y` on, no more than there are lanes.
    #[inline(always)]
    fn run(&self, y: usize, rows: &mut [Sums], work: &mut Work<L::Floats>) {
        let statistic = Statistic::new(self.lanes, self.job.constants);
        let mut sums = [self.lanes.splat(0.0); 2];
        let mut start = 0;
        while start < self.width {
            let chunk = self.chunk(start);
            self.load(&chunk, (y + self.half()) as isize, L::COUNT, work);
            self.moment::<0>(&chunk, work);
            self.moment::<1>(&chunk, work);
            self.moment::<2>(&chunk, work);
            self.moment::<3>(&chunk, work);
            let count = self.moment::<4>(&chunk, work);
            let outputs = if chunk.is_first { self.last } else { 0 }..count;
            sums = match is_simple(self.job.constants) {
                true => self.add::<true>(&statistic, outputs, &work.moments, sums),
                false => self.add::<false>(&statistic, outputs, &work.moments, sums),
            };
            start = chunk.columns.end;
        }
        self.write(sums, rows);
    }

    /// Adds the terms of a chunk's outputs.
    #[inline(always)]
    fn add<const SIMPLE: bool>(
        &self,
        statistic: &Statistic<L>,
        outputs: Range<usize>,
        moments: &[Vec<L::Floats>; MOMENTS],
        mut sums: [L::Floats; 2],
    ) -> [L::Floats; 2] {
        let [mean1, mean2, square1, square2, product] = moments.each_ref().map(|m| &m[outputs.clone()]);
        for x in 0..outputs.len() {
            let moments = [mean1[x], mean2[x], square1[x], square2[x], product[x]];
            let terms = statistic.terms::<SIMPLE>(moments);
            sums = [sums[0] + terms[0], sums[1] + terms[1]];
        }
        sums
    }

    #[inline(always)]
    fn write(&self, sums: [L::Floats; 2], rows: &mut [Sums]) {
        let mut lanes = sums;
        let floats = self.lanes.as_floats(&mut lanes);
        let (numerators, denominators) = floats.split_at(L::COUNT);
        for ((row, &numerator), &denominator) in rows.iter_mut().zip(numerators).zip(denominators) {
            *row = Sums { numerator, denominator };
        }
    }

    /// Converts rows of a chunk from row `y` on, reflected at the picture's edges. Rows further down than filters
    /// reach only have to be some rows.
    #[inline(always)]
    fn load(&self, chunk: &Chunk, y: isize, rows: usize, work: &mut Work<L::Floats>) {
        let lowest = (self.height - 1 + self.half()) as isize;
        let stride = Self::STRIDE * L::COUNT;
        let floats = self.lanes.as_floats(&mut work.tile);
        for (picture, tile) in self.job.pictures.into_iter().zip(floats.chunks_exact_mut(L::COUNT * stride)) {
            for (i, line) in tile.chunks_exact_mut(stride).take(rows).enumerate() {
                let y = mirror((y + i as isize).min(lowest), self.height);
                picture.read(y, chunk.columns.clone(), line);
            }
        }
    }

    /// A sample of moment `MOMENT`: reference, distorted, the square of each, their product.
    #[inline(always)]
    fn sample<const MOMENT: usize>(&self, reference: L::Floats, distorted: L::Floats) -> L::Floats {
        match MOMENT {
            0 => reference,
            1 => distorted,
            2 => reference * reference,
            3 => distorted * distorted,
            _ => reference * distorted,
        }
    }

    /// Filters rows of the tile down the columns, and turns the output.
    #[inline(always)]
    fn down<const MOMENT: usize>(&self, chunk: &Chunk, rows: usize, work: &mut Work<L::Floats>) {
        let Work { taps, tile, down, columns, .. } = work;
        let taps: &[L::Floats; N] = taps[..N].try_into().expect("N taps");
        let (reference, distorted) = tile.split_at(L::COUNT * Self::STRIDE);
        let vectors = chunk.columns.len().div_ceil(L::COUNT);
        let before = MOMENT * self.width.div_ceil(L::COUNT) + chunk.columns.start / L::COUNT;
        let states = down[before * N..].chunks_exact_mut(N);
        let squares = columns[MARGIN..].chunks_exact_mut(L::COUNT);
        for ((block, state), square) in (0..vectors).zip(states).zip(squares) {
            let mut sums: [L::Floats; N] = (&*state).try_into().expect("N sums");
            for (row, out) in square[..rows].iter_mut().enumerate() {
                let at = row * Self::STRIDE + block;
                let sample = self.sample::<MOMENT>(reference[at], distorted[at]);
                *out = push(&mut sums, taps, self.last, sample);
            }
            state.copy_from_slice(&sums);
            self.lanes.transpose(square);
        }
    }

    /// Reflects columns at the edges that the chunk touches; where its columns now begin and end.
    #[inline(always)]
    fn reflect(&self, chunk: &Chunk, columns: &mut [L::Floats]) -> Range<usize> {
        let (start, end) = (MARGIN, MARGIN + chunk.columns.len());
        let before = if chunk.is_first { self.half() } else { 0 };
        let behind = if chunk.is_last { self.half() } else { 0 };
        for i in 1..=before {
            columns[start - i] = columns[start + i];
        }
        for i in 0..behind {
            columns[end + i] = columns[end - 2 - i];
        }
        start - before..end + behind
    }

    /// Filters a moment of a chunk both ways; how many outputs there are, of which the first ones of a row are void.
    #[inline(always)]
    fn moment<const MOMENT: usize>(&self, chunk: &Chunk, work: &mut Work<L::Floats>) -> usize {
        self.down::<MOMENT>(chunk, L::COUNT, work);
        let fed = self.reflect(chunk, &mut work.columns);
        let Work { taps, columns, across, moments, .. } = work;
        let taps: &[L::Floats; N] = taps[..N].try_into().expect("N taps");
        let state = &mut across[MOMENT * N..][..N];
        let mut sums: [L::Floats; N] = (&*state).try_into().expect("N sums");
        let count = fed.len();
        for (out, &column) in moments[MOMENT].iter_mut().zip(&columns[fed]) {
            *out = push(&mut sums, taps, self.last, column);
        }
        state.copy_from_slice(&sums);
        count
    }
}

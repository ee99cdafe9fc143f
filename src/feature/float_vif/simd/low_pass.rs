// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The low pass into the next scale, only where samples are kept, by tiles that stay in the nearest caches.

use super::filter::WIDEST;
use super::grow;
use super::lanes::Lanes;
use crate::feature::float_vif::source::{Source, mirror};

/// Columns of output of a tile.
const COLUMNS: usize = 128;

/// Rows of output of a tile.
const ROWS: usize = 8;

/// Floats in a row of the tile, a whole number of pairs of vectors: what the outputs need at most.
const STRIDE: usize = 2 * COLUMNS + WIDEST - 1;

/// Floats in a filtered row: those of one parity, and what windows reach beyond.
const FILTERED: usize = COLUMNS + WIDEST + 31;

/// What tiles are worked in.
#[derive(Debug)]
pub struct Work<F> {
    /// The taps, all lanes alike.
    taps: Vec<F>,
    /// Rows of the picture as floats.
    tile: Vec<F>,
    /// A row filtered down the columns: the samples at even positions, and those at odd ones.
    filtered: [Vec<f32>; 2],
}

impl<F> Default for Work<F> {
    fn default() -> Self {
        Self { taps: Vec::new(), tile: Vec::new(), filtered: Default::default() }
    }
}

/// One call's filter: `N` taps, or if `N` is [`WIDEST`], any number up to that.
struct Tile<L: Lanes, const N: usize> {
    lanes: L,
    taps: usize,
}

/// Outputs side by side, and the columns that they are made of.
struct Columns {
    /// How many outputs there are.
    count: usize,
    /// The first output's first column, before the picture's first one at its edge.
    start: isize,
}

/// The rows from `first` on of the next scale's picture.
#[inline(always)]
pub fn low_pass<L: Lanes, const N: usize>(
    lanes: L,
    picture: &Source<'_>,
    taps: &[f32],
    first: usize,
    rows: &mut [Vec<f32>],
    work: &mut Work<L::Floats>,
) {
    let tile = Tile::<L, N> { lanes, taps: if N == WIDEST { taps.len() } else { N } };
    tile.prepare(taps, work);
    for (number, rows) in rows.chunks_mut(ROWS).enumerate() {
        let top = 2 * (first + number * ROWS) as isize - tile.half() as isize;
        for first in (0..rows[0].len()).step_by(COLUMNS) {
            let count = COLUMNS.min(rows[0].len() - first);
            let columns = Columns { count, start: 2 * first as isize - tile.half() as isize };
            let lines = 2 * (rows.len() - 1) + tile.taps;
            let floats = lanes.as_floats(&mut work.tile);
            for (y, line) in (top..).zip(floats.chunks_exact_mut(STRIDE).take(lines)) {
                tile.read(picture, mirror(y, picture.height()), &columns, line);
            }
            for (i, row) in rows.iter_mut().enumerate() {
                tile.down(2 * i, count, work);
                tile.across(work, &mut row[first..first + count]);
            }
        }
    }
}

impl<L: Lanes, const N: usize> Tile<L, N> {
    /// Vectors in a row of the tile.
    const VECTORS: usize = STRIDE / L::COUNT;

    fn half(&self) -> usize {
        self.taps / 2
    }

    #[inline(always)]
    fn prepare(&self, taps: &[f32], work: &mut Work<L::Floats>) {
        let zero = self.lanes.splat(0.0);
        grow(&mut work.taps, N, zero);
        for (lanes, &tap) in work.taps.iter_mut().zip(taps) {
            *lanes = self.lanes.splat(tap);
        }
        grow(&mut work.tile, (2 * ROWS + WIDEST) * Self::VECTORS, zero);
        work.filtered.iter_mut().for_each(|line| grow(line, FILTERED, 0.0));
    }

    /// Converts a row, with the columns that are reflected at its edges.
    #[inline(always)]
    fn read(&self, picture: &Source<'_>, y: usize, columns: &Columns, line: &mut [f32]) {
        let width = picture.width();
        let end = columns.start + (2 * columns.count + self.taps) as isize - 2;
        let inside = columns.start.max(0) as usize..width.min(end as usize);
        let at = |x: isize| (x - columns.start) as usize;
        picture.read(y, inside.clone(), &mut line[at(inside.start as isize)..]);
        for x in (columns.start..0).chain(width as isize..end) {
            line[at(x)] = line[at(mirror(x, width) as isize)];
        }
    }

    /// Filters rows of the tile from number `top` on down the columns, and parts even positions from odd ones.
    #[inline(always)]
    #[allow(clippy::needless_range_loop, reason = "a tap goes with a line")]
    fn down(&self, top: usize, count: usize, work: &mut Work<L::Floats>) {
        let Work { taps, tile, filtered: [even, odd] } = work;
        let taps: &[L::Floats; N] = taps[..N].try_into().expect("N taps");
        let pairs = (count + self.half()).div_ceil(L::COUNT);
        let line = |k: usize| &tile[(top + k) * Self::VECTORS..][..2 * pairs].as_chunks().0[..pairs];
        let mut lines: [&[[L::Floats; 2]]; N] = [line(0); N];
        for k in 1..self.taps {
            lines[k] = line(k);
        }
        for (x, (even, odd)) in
            even.chunks_exact_mut(L::COUNT).zip(odd.chunks_exact_mut(L::COUNT)).take(pairs).enumerate()
        {
            let mut sums = [self.lanes.splat(0.0); 2];
            for k in 0..self.taps {
                let samples = lines[k][x];
                sums = [sums[0] + taps[k] * samples[0], sums[1] + taps[k] * samples[1]];
            }
            let (at_even, at_odd) = self.lanes.even_odd(sums[0], sums[1]);
            self.lanes.store(even, at_even);
            self.lanes.store(odd, at_odd);
        }
    }

    /// Filters along the row.
    #[inline(always)]
    fn across(&self, work: &mut Work<L::Floats>, out: &mut [f32]) {
        let Work { taps, filtered, .. } = work;
        let taps: &[L::Floats; N] = taps[..N].try_into().expect("N taps");
        for (number, out) in out.chunks_mut(L::COUNT).enumerate() {
            let x = number * L::COUNT;
            let windows = filtered.each_ref().map(|line| &line[x..x + L::COUNT + N / 2]);
            let mut sum = self.lanes.splat(0.0);
            for k in 0..self.taps {
                sum = sum + taps[k] * self.lanes.load(&windows[k % 2][k / 2..]);
            }
            match out.len() == L::COUNT {
                true => self.lanes.store(out, sum),
                false => out.copy_from_slice(&self.lanes.as_floats(&mut [sum])[..out.len()]),
            }
        }
    }
}

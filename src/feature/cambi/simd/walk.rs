// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Counting, four steps of contrast together.
//!
//! As in the scalar form each column has counts of all keys, one after the other, but only of those that the tile has.
//! A pixel's window needs nine neighbouring ones of each column, which one load brings. Along a run of equal keys one
//! column enters and one leaves. A row further down only columns in which the entering key is not the leaving one
//! change, and keys of unmasked samples are all the same.

use std::ops::Range;

use super::counts::{Counts, FEW_STEPS, sum_of_columns};
use super::lanes::{Lanes, PIXELS, Pixels};
use crate::feature::cambi::plan::Levels;
use crate::feature::cambi::scalar::count::Task;
use crate::feature::cambi::stripe::{Found, Tile};
use crate::feature::cambi::tables::{COUNTS, RECIPROCALS, WIDEST};

/// Pixels that wait for their contrast values, at most: those of a row come on top of as many.
const WAITING: usize = 2 * Tile::COLUMNS;

/// Columns of the table: the tile's and those around, a column more on the left, from which the leftmost pixel's window
/// never moves on.
const COLUMNS: usize = Tile::COLUMNS + WIDEST;

/// A row without masked samples.
static NOTHING: [u16; COLUMNS.next_multiple_of(64) + 64] = [0; COLUMNS.next_multiple_of(64) + 64];

/// A line of the cache.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line(#[expect(dead_code, reason = "read and written as bytes")] [u8; 64]);

/// Counts on the way.
pub struct Table {
    columns: Vec<Line>,
    /// For each key all bits of those steps that are seen, 16 each.
    seen: Vec<u64>,
    steps: [u64; WAITING],
    own: [u32; WAITING],
    values: [f32; WAITING],
}

impl Default for Table {
    fn default() -> Self {
        Self {
            columns: Vec::new(),
            seen: Vec::new(),
            steps: [0; WAITING],
            own: [0; WAITING],
            values: [0.0; WAITING],
        }
    }
}

impl Table {
    /// What depends on the levels alone, and room for the columns of any tile.
    fn prepare(&mut self, levels: &Levels) {
        let seen = |key: u16| {
            let is_seen = |step: &usize| key >= levels.first_key() && levels.is_seen(key, *step);
            (1..=levels.steps).filter(is_seen).map(|step| 0xFFFF << (16 * (step - 1))).sum::<u64>()
        };
        self.seen.extend((0..=levels.last_key()).map(seen));
        self.columns.reserve_exact(COLUMNS * lines(levels.keys()) + 1);
    }
}

/// See [`crate::feature::cambi::scalar::count::count`].
#[inline(always)]
pub fn count<L: Lanes>(lanes: L, task: &Task<'_>, tile: &mut Tile, found: Found<'_>, table: &mut Table) {
    (tile.count, tile.sum) = (0, 0.0);
    let Found { values, places } = found;
    places.fill(0);
    if table.seen.is_empty() {
        table.prepare(task.levels);
    }
    let Some(keys) = keys_of(task, tile) else { return };
    let mut walk = Walk::new(lanes, task, tile, keys, table);
    let mut sums = lanes.zero();
    for (y, places) in tile.rows.clone().zip(places.chunks_mut(tile.row_words())) {
        walk.go_to(y);
        walk.look_along(y, places);
        if walk.waiting > WAITING - Tile::COLUMNS {
            sums = walk.contrast(&mut values[tile.count..], sums);
            tile.count += std::mem::take(&mut walk.waiting);
        }
    }
    sums = walk.contrast(&mut values[tile.count..], sums);
    tile.count += walk.waiting;
    tile.sum = lanes.total(sums);
}

/// The lowest and the highest key that a tile or what its windows reach has, unless there is none.
#[inline(always)]
fn keys_of(task: &Task<'_>, tile: &Tile) -> Option<(u16, u16)> {
    let columns = task.window_columns(tile.columns.clone());
    let first = task.window_rows(tile.rows.start).start;
    let last = task.window_rows(tile.rows.end - 1).end;
    let (mut lowest, mut highest) = (u16::MAX, 0);
    for y in first..last {
        for &key in &task.row(y)[columns.clone()] {
            // 0 becomes the highest number.
            lowest = lowest.min(key.wrapping_sub(1));
            highest = highest.max(key);
        }
    }
    (highest > 0).then_some((lowest.wrapping_add(1), highest))
}

/// A way down through a tile.
struct Walk<'a, L> {
    lanes: L,
    task: &'a Task<'a>,
    table: &'a mut Table,
    columns: Range<usize>,
    /// Columns that are counted, and the table's column of the first of them.
    counted: Range<usize>,
    first: usize,
    /// What is taken off a key to have its place in a column. The key 0 has place 0, which nobody looks at.
    base: u16,
    /// Bytes from one column to the next.
    stride: usize,
    rows: Range<usize>,
    waiting: usize,
}

impl<'a, L: Lanes> Walk<'a, L> {
    #[inline(always)]
    fn new(lanes: L, task: &'a Task<'a>, tile: &Tile, keys: (u16, u16), table: &'a mut Table) -> Self {
        let base = keys.0 - FEW_STEPS as u16 - 1;
        let bytes = usize::from(keys.1 - base) + FEW_STEPS + 1;
        let lines = lines(bytes);
        let columns = tile.columns.clone();
        let counted = task.window_columns(columns.clone());
        let first = counted.start + task.reach + 1 - columns.start;
        table.columns.clear();
        // One line more: loads are of 16 bytes.
        table.columns.resize((columns.len() + 2 * task.reach + 1) * lines + 1, Line([0; 64]));
        let start = task.window_rows(tile.rows.start).start;
        Self {
            lanes,
            task,
            table,
            columns,
            counted,
            first,
            base,
            stride: 64 * lines,
            rows: start..start,
            waiting: 0,
        }
    }

    /// Moves the window's rows to those around row `y`.
    #[inline(always)]
    fn go_to(&mut self, y: usize) {
        let rows = self.task.window_rows(y);
        while self.rows != rows {
            let entering = (self.rows.end < rows.end).then_some(self.rows.end);
            let leaving = (self.rows.start < rows.start).then_some(self.rows.start);
            self.exchange(entering, leaving);
            self.rows.end += usize::from(entering.is_some());
            self.rows.start += usize::from(leaving.is_some());
        }
    }

    /// The keys of a row's counted columns, and 64 more.
    #[inline(always)]
    fn keys(&self, y: Option<usize>) -> &[u16] {
        let wanted = self.counted.len() + 64;
        match y {
            Some(y) => &self.task.keys.samples[y * self.task.keys.stride + self.counted.start..][..wanted],
            None => &NOTHING[..wanted],
        }
    }

    #[inline(always)]
    fn exchange(&mut self, entering: Option<usize>, leaving: Option<usize>) {
        let (base, stride, length) = (self.base, self.stride, self.counted.len());
        let columns = self.table.columns.as_mut_ptr().cast::<u8>();
        let (entering, leaving) = (self.keys(entering), self.keys(leaving));
        for start in (0..length).step_by(64) {
            let (entering, leaving) = (block(entering, start), block(leaving, start));
            let mut differing = self.lanes.differing(entering, leaving) & mask(length - start);
            while differing != 0 {
                let offset = differing.trailing_zeros() as usize;
                differing &= differing - 1;
                let [entering, leaving] =
                    [entering, leaving].map(|keys| usize::from(keys[offset].saturating_sub(base)));
                // SAFETY: the table has all counted columns, and in each all places of the tile's keys.
                unsafe {
                    let column = columns.add((self.first + start + offset) * stride);
                    *column.add(entering) = (*column.add(entering)).wrapping_add(1);
                    *column.add(leaving) = (*column.add(leaving)).wrapping_sub(1);
                }
            }
        }
    }

    /// The counts of every pixel of row `y` that can have a contrast value, run by run of equal keys.
    #[inline(always)]
    fn look_along(&mut self, y: usize, places: &mut [u64]) {
        let length = self.columns.len();
        let row = &self.task.keys.samples[y * self.task.keys.stride + self.columns.start..][..length + 65];
        let last = self.task.levels.last_key();
        let (mut counts, mut same_before) = (Counts::new(), 0);
        for (place, start) in places.iter_mut().zip((0..length).step_by(64)) {
            let keys = block(row, start);
            let wanted = self.lanes.wanted(keys, last) & mask(length - start);
            if wanted == 0 {
                same_before = 0;
                continue;
            }
            let same_after = !self.lanes.differing(keys, block(row, start + 1));
            let going_on = (same_after << 1 | same_before) & wanted;
            same_before = same_after >> 63;
            let mut rest = wanted;
            while rest != 0 {
                let at = rest.trailing_zeros();
                let length = (!(going_on >> at >> 1)).trailing_zeros();
                let run = Run {
                    column: start + at as usize,
                    key: keys[at as usize],
                    goes_on: going_on >> at & 1 == 1,
                    length: length as usize + 1,
                };
                *place |= self.look_at(&run, &mut counts) << at;
                rest &= u64::MAX.checked_shl(at + length + 1).unwrap_or(0);
            }
        }
    }

    /// The counts of a run's pixels; a bit for each that has a contrast value.
    #[inline(always)]
    fn look_at(&mut self, run: &Run, counts: &mut Counts) -> u64 {
        let (reach, stride) = (self.task.reach, self.stride);
        let seen = self.table.seen[usize::from(run.key)];
        let lowest = usize::from(run.key - self.base) - FEW_STEPS;
        let columns = self.table.columns.as_ptr().cast::<u8>();
        // SAFETY: the first window's leftmost column lies one behind that of the pixel, so that the one before is in
        // the table too, as is the rightmost of the last; the place of the lowest step is at least 1.
        let mut leaving = unsafe { columns.add(run.column * stride + lowest) };
        let to_entering = (2 * reach + 1) * stride;
        let mut bits = 0;
        for pixel in 0..run.length {
            // SAFETY: as above; a load is of 16 bytes, and the table has a line more.
            unsafe {
                if pixel == 0 && !run.goes_on {
                    *counts = sum_of_columns(leaving.add(stride), stride, 2 * reach + 1);
                } else {
                    counts.slide(leaving, leaving.add(to_entering));
                }
                leaving = leaving.add(stride);
            }
            let steps = counts.larger_sides() & seen;
            self.table.steps[self.waiting] = steps;
            self.table.own[self.waiting] = counts.own;
            self.waiting += usize::from(steps != 0);
            bits |= u64::from(steps != 0) << pixel;
        }
        bits
    }

    /// The contrast values of the waiting pixels.
    #[inline(always)]
    fn contrast(&mut self, out: &mut [f32], mut sums: L::Sums) -> L::Sums {
        let Table { steps, own, values, .. } = &mut *self.table;
        let waiting = self.waiting;
        let all = waiting.next_multiple_of(PIXELS);
        steps[waiting..all].fill(0);
        own[waiting..all].fill(0);
        let reciprocals: &[f32; COUNTS] = &RECIPROCALS;
        let (steps, own) = (steps[..all].as_chunks().0, own[..all].as_chunks().0);
        for ((steps, own), values) in steps.iter().zip(own).zip(values.as_chunks_mut().0) {
            sums = self.lanes.contrast(Pixels { steps, own }, reciprocals, values, sums);
        }
        out[..waiting].copy_from_slice(&values[..waiting]);
        sums
    }
}

/// Neighbouring pixels of one key.
struct Run {
    /// The first of them, in the tile.
    column: usize,
    key: u16,
    /// The pixel before has the same key.
    goes_on: bool,
    length: usize,
}

/// Lines of a column of so many counts. An odd number spreads the columns over the sets of a cache.
fn lines(keys: usize) -> usize {
    keys.div_ceil(64) | 1
}

/// 64 keys.
#[inline(always)]
fn block(keys: &[u16], start: usize) -> &[u16; 64] {
    keys[start..].first_chunk().expect("planes have some samples behind their rows")
}

/// The lowest `length` bits.
#[inline(always)]
fn mask(length: usize) -> u64 {
    if length < 64 { (1 << length) - 1 } else { u64::MAX }
}

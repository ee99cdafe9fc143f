// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The contrast values of a scale: how many samples around each have its level, and how many those above and below.
//!
//! For each column the samples of each level within the window's rows are counted; a row further down, one sample
//! enters and one leaves. A window's counts are sums over its columns.
#![forbid(unsafe_code)]

use std::ops::Range;

use crate::feature::cambi::plan::{Levels, Size};
use crate::feature::cambi::stripe::{Found, Plane, Tile};
use crate::feature::cambi::tables::{MOST_STEPS, RECIPROCALS};

/// A scale whose contrast values are wanted.
pub struct Task<'a> {
    /// Keys of the samples.
    pub keys: &'a Plane,
    /// The scale's size, but as wide as samples are counted.
    pub counted: Size,
    /// From the window's middle to its border.
    pub reach: usize,
    /// The levels.
    pub levels: &'a Levels,
}

impl Task<'_> {
    /// Row `y` of keys.
    pub fn row(&self, y: usize) -> &[u16] {
        self.keys.row(y, self.counted.width)
    }

    /// The rows of the window around row `y`.
    pub fn window_rows(&self, y: usize) -> Range<usize> {
        y.saturating_sub(self.reach)..self.counted.height.min(y + self.reach + 1)
    }

    /// The columns of the window around columns.
    pub fn window_columns(&self, columns: Range<usize>) -> Range<usize> {
        columns.start.saturating_sub(self.reach)..self.counted.width.min(columns.end + self.reach)
    }
}

/// Counts on the way.
#[derive(Default)]
pub struct Table {
    /// For each column the number of samples of each key.
    columns: Vec<u8>,
}

/// Counts in one window: of the steps below, of the sample's own level, of the steps above.
type Counts = [u16; 2 * MOST_STEPS + 1];

/// Finds the contrast values of `tile`.
#[inline(always)]
pub fn count(task: &Task<'_>, tile: &mut Tile, found: Found<'_>, table: &mut Table) {
    let mut walk = Walk::new(task, tile, table);
    let (mut number, mut sum) = (0, 0.0);
    found.places.fill(0);
    for (y, places) in tile.rows.clone().zip(found.places.chunks_mut(tile.row_words())) {
        walk.go_to(y);
        for (offset, x) in tile.columns.clone().enumerate() {
            let value = walk.contrast(x);
            if value > 0.0 {
                found.values[number] = value;
                number += 1;
                sum += f64::from(value);
                places[offset / 64] |= 1 << (offset % 64);
            }
        }
    }
    (tile.count, tile.sum) = (number, sum);
}

/// A way down through a tile.
struct Walk<'a> {
    task: &'a Task<'a>,
    /// Columns that are counted.
    columns: Range<usize>,
    counted: &'a mut [u8],
    /// Counts of each column.
    keys: usize,
    /// Rows that are counted.
    rows: Range<usize>,
    row: &'a [u16],
    /// Column and key of the window that `counts` is of.
    last: (usize, u16),
    counts: Counts,
}

impl<'a> Walk<'a> {
    #[inline(always)]
    fn new(task: &'a Task<'a>, tile: &Tile, table: &'a mut Table) -> Self {
        let columns = task.window_columns(tile.columns.clone());
        let keys = task.levels.keys();
        table.columns.clear();
        table.columns.resize(columns.len() * keys, 0);
        let start = task.window_rows(tile.rows.start).start;
        let (rows, row) = (start..start, task.row(start));
        let counts = [0; 2 * MOST_STEPS + 1];
        Self { task, columns, counted: &mut table.columns, keys, rows, row, last: (0, 0), counts }
    }

    /// Makes `y` the current row.
    #[inline(always)]
    fn go_to(&mut self, y: usize) {
        let rows = self.task.window_rows(y);
        for entering in self.rows.end..rows.end {
            self.add(entering, 1);
        }
        for leaving in self.rows.start..rows.start {
            self.add(leaving, u8::MAX);
        }
        self.rows = rows;
        self.row = self.task.row(y);
        self.last = (0, 0);
    }

    /// Adds `change` to the counts of a row's keys. Those of key 0 mean nothing.
    #[inline(always)]
    fn add(&mut self, y: usize, change: u8) {
        let row = &self.task.row(y)[self.columns.clone()];
        for (counts, &key) in self.counted.chunks_exact_mut(self.keys).zip(row) {
            let count = &mut counts[usize::from(key)];
            *count = count.wrapping_add(change);
        }
    }

    /// The contrast value at column `x` of the current row.
    #[inline(always)]
    fn contrast(&mut self, x: usize) -> f32 {
        let (key, levels) = (self.row[x], self.task.levels);
        if key == 0 || key > levels.last_key() {
            return 0.0;
        }
        self.look_at(x, key);
        let (counts, steps) = (&self.counts, levels.steps);
        let own = u32::from(counts[steps]);
        let mut best = 0.0f32;
        for (step, &weight) in (1..).zip(levels.weights()) {
            let other = u32::from(counts[steps + step].max(counts[steps - step]));
            if levels.is_seen(key, step) {
                let product = (weight * own * other) as f32;
                best = best.max(product * RECIPROCALS[(own + other) as usize]);
            }
        }
        best
    }

    /// Counts in the window around column `x`. Next to the column before, with the same key, one column enters and one
    /// leaves.
    #[inline(always)]
    fn look_at(&mut self, x: usize, key: u16) {
        let reach = self.task.reach;
        let columns = self.task.window_columns(x..x + 1);
        if self.last == (x.wrapping_sub(1), key) {
            if x + reach < self.columns.end {
                self.add_column(x + reach, key, 1);
            }
            if x > self.columns.start + reach {
                self.add_column(x - reach - 1, key, u16::MAX);
            }
        } else {
            self.counts[..=2 * self.task.levels.steps].fill(0);
            columns.for_each(|column| self.add_column(column, key, 1));
        }
        self.last = (x, key);
    }

    #[inline(always)]
    fn add_column(&mut self, column: usize, key: u16, sign: u16) {
        let steps = self.task.levels.steps;
        let start = (column - self.columns.start) * self.keys + usize::from(key) - steps;
        let of_column = &self.counted[start..][..2 * steps + 1];
        for (count, &of_column) in self.counts.iter_mut().zip(of_column) {
            *count = count.wrapping_add(u16::from(of_column).wrapping_mul(sign));
        }
    }
}

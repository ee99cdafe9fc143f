// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The mode filter of a scale, the keys of its samples, and the next scale.
#![forbid(unsafe_code)]

use super::mark::halve;
use crate::feature::cambi::plan::{Levels, MARK, Size};
use crate::feature::cambi::stripe::{Plane, Stripe};

/// A scale to be filtered.
pub struct Task<'a> {
    /// Marked samples.
    pub marked: &'a Plane,
    /// Their size.
    pub size: Size,
    /// The levels that have keys.
    pub levels: &'a Levels,
}

/// Rows on the way.
#[derive(Default)]
pub struct Lines {
    /// Three rows, filtered along themselves.
    across: [Vec<u16>; 3],
    /// A row, filtered both ways and marked.
    filtered: Vec<u16>,
}

/// Filters the rows of `stripe`: keys to its whole result, marked samples to its half one.
#[inline(always)]
pub fn filter(task: &Task<'_>, stripe: Stripe<'_>, lines: &mut Lines) {
    let Size { width, height } = task.size;
    let Stripe { rows, whole, whole_stride, half, half_stride } = stripe;
    lines.across.iter_mut().chain([&mut lines.filtered]).for_each(|row| row.resize(width, 0));
    for y in rows.start.saturating_sub(1)..height.min(rows.start + 1) {
        task.across(y, lines);
    }
    for (row, y) in rows.enumerate() {
        if y + 1 < height {
            task.across(y + 1, lines);
        }
        task.down(y, lines);
        keys(&lines.filtered, task.levels, &mut whole[row * whole_stride..][..width]);
        if row % 2 == 0 && !half.is_empty() {
            halve(&lines.filtered, &mut half[row / 2 * half_stride..]);
        }
    }
}

impl Task<'_> {
    fn row(&self, y: usize) -> &[u16] {
        self.marked.row(y, self.size.width)
    }

    #[inline(always)]
    fn across(&self, y: usize, lines: &mut Lines) {
        let row = self.row(y);
        let out = &mut lines.across[y % 3];
        let level = |x: usize| row[x] & !MARK;
        let last = row.len() - 1;
        out[0] = level(0);
        out[last] = level(last);
        if last < 2 {
            return;
        }
        let (left, here, right) = (&row[..last - 1], &row[1..last], &row[2..]);
        for (((out, left), here), right) in out[1..last].iter_mut().zip(left).zip(here).zip(right) {
            *out = mode(left & !MARK, here & !MARK, right & !MARK);
        }
    }

    /// The first and the last row stay as they are.
    #[inline(always)]
    fn down(&self, y: usize, lines: &mut Lines) {
        let row = self.row(y);
        let Lines { across, filtered } = lines;
        if y == 0 || y + 1 == self.size.height {
            return filtered.copy_from_slice(row);
        }
        let [above, here, below] = [y - 1, y, y + 1].map(|y| &across[y % 3][..row.len()]);
        for ((((out, row), above), here), below) in
            filtered.iter_mut().zip(row).zip(above).zip(here).zip(below)
        {
            *out = mode(*above, *here, *below) | row & MARK;
        }
    }
}

/// The value that occurs twice or three times, or else the least.
#[inline(always)]
fn mode(a: u16, b: u16, c: u16) -> u16 {
    let least = a.min(b).min(c);
    let other = if b == c { b } else { least };
    if a == b || a == c { a } else { other }
}

#[inline(always)]
fn keys(marked: &[u16], levels: &Levels, out: &mut [u16]) {
    let keys = levels.key_maker();
    for (out, &marked) in out.iter_mut().zip(marked) {
        *out = keys.key(marked);
    }
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Filters and sums of a band of rows, by tiles that stay in the nearest cache.
//!
//! Plain loops over arrays of fixed size, which the compiler turns into vectors of the level that it is told: columns
//! side by side in the filters, rows side by side in the sums. No order of operations differs from
//! [`scalar`](super::scalar), but for what is exact: the reference's filter, and additions to 0.
//!
//! The distorted picture's filter has two pairs of equal tap rows. Each row of samples is therefore passed through
//! three one-dimensional filters once, and every row of output adds five such rows.
#![forbid(unsafe_code)]

use super::scalar::{DISTORTED, Sums, bordered, centred};
use crate::picture::Plane;

/// Rows of a band: as many sums run side by side, enough to hide the time of an addition.
pub const ROWS: usize = 8;
/// Columns of a tile.
const COLUMNS: usize = 64;
/// Reach of the larger filter.
const REACH: usize = 2;
const ROWS_IN: usize = ROWS + 2 * REACH;
const COLUMNS_IN: usize = COLUMNS + 2 * REACH;

type Row = [f32; COLUMNS];

/// The sums of rows `first..`, at most [`ROWS`] of them.
#[inline(always)]
pub fn band<T: Copy + Into<f32>>(
    reference: &Plane<'_, T>,
    distorted: &Plane<'_, T>,
    first: usize,
    rows: &mut [Sums],
    scale: f32,
) {
    let (mut signal, mut noise) = ([0.0; ROWS], [0.0; ROWS]);
    for left in (0..reference.width()).step_by(COLUMNS) {
        let filtered = filter_reference(&load(reference, first, left, scale));
        let other = filter_distorted(&load(distorted, first, left, scale));
        let columns = COLUMNS.min(reference.width() - left);
        let (signals, noises) = squares(&filtered, &other);
        add(&mut signal, &signals, columns);
        add(&mut noise, &noises, columns);
    }
    for (y, sums) in rows.iter_mut().enumerate() {
        *sums = Sums { signal: signal[y], noise: noise[y] };
    }
}

/// The samples under a tile and around it; what is beyond the border's reach is of no account.
#[inline(always)]
fn load<T: Copy + Into<f32>>(
    plane: &Plane<'_, T>,
    top: usize,
    left: usize,
    scale: f32,
) -> [[f32; COLUMNS_IN]; ROWS_IN] {
    let mut samples = [[0.0; COLUMNS_IN]; ROWS_IN];
    for (i, line) in samples.iter_mut().enumerate() {
        let y = (top + i).min(plane.height() + 2 * REACH - 1);
        let row = plane.row(bordered(y as isize - REACH as isize, plane.height()));
        match left.checked_sub(REACH).and_then(|start| row.get(start..start + COLUMNS_IN)) {
            Some(inside) => convert(line, inside, scale),
            None => convert_at_border(line, row, left, scale),
        }
    }
    samples
}

#[inline(always)]
fn convert<T: Copy + Into<f32>>(line: &mut [f32; COLUMNS_IN], row: &[T], scale: f32) {
    // The scale is a power of two: its inverse is exact, and so is the product.
    let inverse = 1.0 / scale;
    for (to, &sample) in line.iter_mut().zip(row) {
        *to = sample.into() * inverse - 128.0;
    }
}

fn convert_at_border<T: Copy + Into<f32>>(line: &mut [f32], row: &[T], left: usize, scale: f32) {
    let columns = left..(left + COLUMNS_IN).min(row.len() + 2 * REACH);
    for (to, x) in line.iter_mut().zip(columns) {
        *to = centred(row[bordered(x as isize - REACH as isize, row.len())], scale);
    }
}

/// 1 2 1 both ways over 16. All sums are multiples of 1/256 below 2^11, so any order gives the same.
#[inline(always)]
fn filter_reference(samples: &[[f32; COLUMNS_IN]; ROWS_IN]) -> [Row; ROWS] {
    let mut across = [[0.0; COLUMNS]; ROWS + 2];
    for (out, line) in across.iter_mut().zip(&samples[REACH - 1..]) {
        for (x, out) in out.iter_mut().enumerate() {
            *out = line[x + 1] + 2.0 * line[x + 2] + line[x + 3];
        }
    }
    let mut filtered = [[0.0; COLUMNS]; ROWS];
    for (y, out) in filtered.iter_mut().enumerate() {
        for (x, out) in out.iter_mut().enumerate() {
            *out = (across[y][x] + 2.0 * across[y + 1][x] + across[y + 2][x]) * (1.0 / 16.0);
        }
    }
    filtered
}

#[inline(always)]
fn filter_distorted(samples: &[[f32; COLUMNS_IN]; ROWS_IN]) -> [Row; ROWS] {
    let [mut outer, mut inner, mut centre] = [[[0.0; COLUMNS]; ROWS_IN]; 3];
    for (y, line) in samples.iter().enumerate() {
        tap_row(&mut outer[y], &DISTORTED[0], line);
        tap_row(&mut inner[y], &DISTORTED[1], line);
        tap_row(&mut centre[y], &DISTORTED[2], line);
    }
    let mut filtered = [[0.0; COLUMNS]; ROWS];
    for (y, out) in filtered.iter_mut().enumerate() {
        for (x, out) in out.iter_mut().enumerate() {
            *out = outer[y][x] + inner[y + 1][x] + centre[y + 2][x] + inner[y + 3][x] + outer[y + 4][x];
        }
    }
    filtered
}

#[inline(always)]
fn tap_row(out: &mut Row, taps: &[f32; 5], line: &[f32; COLUMNS_IN]) {
    for (x, out) in out.iter_mut().enumerate() {
        let products = [0, 1, 2, 3, 4].map(|j| taps[j] * line[x + j]);
        *out = products[0] + products[1] + products[2] + products[3] + products[4];
    }
}

/// Terms of both sums.
#[inline(always)]
fn squares(reference: &[Row; ROWS], distorted: &[Row; ROWS]) -> ([Row; ROWS], [Row; ROWS]) {
    let [mut signals, mut noises] = [[[0.0; COLUMNS]; ROWS]; 2];
    for y in 0..ROWS {
        for x in 0..COLUMNS {
            let (a, b) = (reference[y][x], distorted[y][x]);
            signals[y][x] = a * a;
            noises[y][x] = (a - b) * (a - b);
        }
    }
    (signals, noises)
}

/// Adds columns to the rows' sums, from left to right.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "a column runs through all rows")]
fn add(sums: &mut [f32; ROWS], terms: &[Row; ROWS], columns: usize) {
    for x in 0..columns {
        for y in 0..ROWS {
            sums[y] += terms[y][x];
        }
    }
}

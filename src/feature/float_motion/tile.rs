// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Blur and distance by tiles that stay in the nearest cache.
//!
//! Plain loops over arrays of fixed size, which the compiler turns into vectors of the level that it is told: columns
//! side by side in the filters, rows side by side in the sums. No closure stands in them, as one that is not inlined
//! would be compiled without the level's instructions. No order of operations differs from
//! [`scalar`](super::scalar), but for additions to 0.
#![forbid(unsafe_code)]

use super::scalar::{MIDDLE, REACH, Taps, reflected};
use crate::feature::ssim::image::Image;
use crate::reduce::columns;

/// Rows of a tile.
const ROWS: usize = 16;
/// Columns of a tile.
const COLUMNS: usize = 112;
const ROWS_IN: usize = ROWS + 2 * REACH;
/// Columns that are filtered downwards: those within reach, and some more to fill registers.
const COLUMNS_IN: usize = COLUMNS + 16;

type Row = [f32; COLUMNS];

/// Work space.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct Tile {
    samples: [[f32; COLUMNS_IN]; ROWS_IN],
    vertical: [[f32; COLUMNS_IN]; ROWS],
    blurred: [[Row; ROWS]; 2],
}

impl Tile {
    /// A tile to be used again and again.
    pub fn new() -> Box<Self> {
        Box::new(Self {
            samples: [[0.0; COLUMNS_IN]; ROWS_IN],
            vertical: [[0.0; COLUMNS_IN]; ROWS],
            blurred: [[[0.0; COLUMNS]; ROWS]; 2],
        })
    }
}

/// See [`Kernel::distances`](super::simd::Kernel::distances). `add` goes on with the sums of some rows.
#[inline(always)]
pub fn distances(
    images: &[Image<'_>; 2],
    first: usize,
    sums: &mut [f32],
    taps: &Taps,
    tile: &mut Tile,
    add: impl Fn(&mut [f32; columns::ROWS], [&[f32]; columns::ROWS]),
) {
    for (band, sums) in sums.chunks_mut(ROWS).enumerate() {
        let mut all = [0.0; ROWS];
        for left in (0..images[0].width()).step_by(COLUMNS) {
            let place = (first + band * ROWS, left);
            tile.blur(&images[0], place, taps, 0);
            tile.blur(&images[1], place, taps, 1);
            let [a, b] = &mut tile.blurred;
            subtract(a, b);
            let columns = COLUMNS.min(images[0].width() - left);
            let (sums, _) = all.as_chunks_mut();
            for (sums, rows) in sums.iter_mut().zip(a.as_chunks().0) {
                add(sums, rows.each_ref().map(|row| &row[..columns]));
            }
        }
        sums.copy_from_slice(&all[..sums.len()]);
    }
}

/// See [`Kernel::blur`](super::simd::Kernel::blur).
#[inline(always)]
pub fn blur(image: &Image<'_>, first: usize, rows: &mut [Vec<f32>], taps: &Taps, tile: &mut Tile) {
    for (band, rows) in rows.chunks_mut(ROWS).enumerate() {
        for left in (0..image.width()).step_by(COLUMNS) {
            tile.blur(image, (first + band * ROWS, left), taps, 0);
            let columns = COLUMNS.min(image.width() - left);
            for (row, blurred) in rows.iter_mut().zip(&tile.blurred[0]) {
                row[left..left + columns].copy_from_slice(&blurred[..columns]);
            }
        }
    }
}

#[inline(always)]
fn filter(taps: &Taps, samples: [f32; 5]) -> f32 {
    let [a, b, c, d, e] = samples;
    taps[0] * a + taps[1] * b + taps[2] * c + taps[3] * d + taps[4] * e
}

impl Tile {
    /// Blurs the tile of an image at row and column `place`. What is beyond the image is of no account.
    #[inline(always)]
    fn blur(&mut self, image: &Image<'_>, (top, left): (usize, usize), taps: &Taps, picture: usize) {
        let Self { samples, vertical, blurred } = self;
        for (i, line) in samples.iter_mut().enumerate() {
            // Rows below the last that is of account repeat one.
            let y = reflected((top + i).min(image.height() + 2 * REACH - 1), image.height());
            load(image, y, left, line);
        }
        for (y, out) in vertical.iter_mut().enumerate() {
            let [a, b, c, d, e] =
                [&samples[y], &samples[y + 1], &samples[y + 2], &samples[y + 3], &samples[y + 4]];
            for x in 0..COLUMNS_IN {
                out[x] = filter(taps, [a[x], b[x], c[x], d[x], e[x]]);
            }
        }
        for (line, out) in vertical.iter().zip(&mut blurred[picture]) {
            for x in 0..COLUMNS {
                out[x] = filter(taps, [line[x], line[x + 1], line[x + 2], line[x + 3], line[x + 4]]);
            }
        }
    }
}

/// Row `y`'s samples from column `left` - [`REACH`] on.
#[inline(always)]
fn load(image: &Image<'_>, y: usize, left: usize, line: &mut [f32; COLUMNS_IN]) {
    let start = left.saturating_sub(REACH);
    let end = start + COLUMNS_IN;
    if left >= REACH && end <= image.width() {
        image.read(y, start..end, line);
        for sample in line {
            *sample -= MIDDLE;
        }
    } else {
        load_at_border(image, y, left, line);
    }
}

/// The same at the left or the right border, beyond which samples are reflected.
fn load_at_border(image: &Image<'_>, y: usize, left: usize, line: &mut [f32; COLUMNS_IN]) {
    let width = image.width();
    let start = left.saturating_sub(REACH);
    let end = (left + COLUMNS_IN - REACH).min(width);
    // Where sample x is in the line.
    let place = |x: usize| x + REACH - left;
    image.read(y, start..end, &mut line[place(start)..]);
    for sample in &mut line[place(start)..place(end)] {
        *sample -= MIDDLE;
    }
    for i in (0..place(start)).chain(place(end)..(place(end) + REACH).min(COLUMNS_IN)) {
        line[i] = line[place(reflected(left + i, width))];
    }
}

/// Distances in place of the first image's values.
#[inline(always)]
fn subtract(a: &mut [Row; ROWS], b: &[Row; ROWS]) {
    for (a, b) in a.iter_mut().zip(b) {
        for (a, b) in a.iter_mut().zip(b) {
            *a = (*a - *b).abs();
        }
    }
}

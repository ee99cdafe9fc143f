// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The covariance of the samples of a block: pairs of samples side by side, so that every sum is in order.
#![forbid(unsafe_code)]

use crate::feature::speed::geometry::{BLOCK, Geometry, SIDE};
use crate::feature::speed::map::Map;
use crate::feature::speed::matrix::{LANES, Matrix};
use crate::math::lanes::Lanes;

/// Positions whose deviations are held at a time.
const CHUNK: usize = 64;

/// Lanes that a row of a block takes: five of them count, the others are written over or left out.
const WIDE: usize = 8;

/// The deviations from the means at one position, for each sample of a block.
type Deviations = [f64; LANES];

/// Sums of products, a row and a column for each sample of a block; below the diagonal they may be unfinished.
type Sums = [Deviations; BLOCK];

/// The covariance matrix.
#[inline(always)]
pub fn covariance<L: Lanes>(l: L, map: &Map, geometry: &Geometry) -> Matrix {
    let means = means(l, map, geometry);
    let [width, height] = geometry.window();
    let (mut sums, mut chunk) = ([[0.0; LANES]; BLOCK], [[0.0; LANES]; CHUNK]);
    for y in 0..height {
        for x in (0..width).step_by(CHUNK) {
            let chunk = &mut chunk[..CHUNK.min(width - x)];
            deviations(l, map, [x, y], &means, chunk);
            accumulate(l, chunk, &mut sums);
        }
    }
    // Column 24 would need vectors of its own; row 24 has its sums.
    let sum = |x: usize, y: usize| if y == BLOCK - 1 { sums[y][x] } else { sums[x][y] };
    let mut matrix = Matrix::default();
    for x in 0..BLOCK {
        for y in x..BLOCK {
            matrix.set_both(x, y, (sum(x, y) / geometry.positions() as f64) as f32);
        }
    }
    matrix
}

/// The mean of each sample of a block, the rows of the block one behind the other.
#[inline(always)]
fn means<L: Lanes>(l: L, map: &Map, geometry: &Geometry) -> [f64; LANES] {
    let [width, height] = geometry.window();
    let mut sums = [[l.splat_single(0.0); 2]; SIDE];
    for y in 0..height {
        let rows: [&[f32]; SIDE] = std::array::from_fn(|row| map.from_row(y + row));
        for x in 0..width {
            for row in 0..SIDE {
                for part in 0..WIDE / L::WIDTH {
                    let samples = l.load_single(&rows[row][x + part * L::WIDTH..]);
                    sums[row][part] = sums[row][part] + samples;
                }
            }
        }
    }
    let mut means = [0.0; LANES];
    for row in 0..SIDE {
        let mut sum = [0.0; WIDE];
        (0..WIDE / L::WIDTH).for_each(|part| l.store_single(&mut sum[part * L::WIDTH..], sums[row][part]));
        for column in 0..SIDE {
            means[row * SIDE + column] = f64::from(sum[column] / geometry.positions() as f32);
        }
    }
    means
}

/// Writes the deviations at positions along a row of the windows.
#[inline(always)]
fn deviations<L: Lanes>(l: L, map: &Map, [x, y]: [usize; 2], means: &[f64; LANES], out: &mut [Deviations]) {
    for row in 0..SIDE {
        let samples = &map.from_row(y + row)[x..];
        for part in 0..WIDE / L::WIDTH {
            let lane = row * SIDE + part * L::WIDTH;
            let mean = l.load(&means[lane..]);
            for (position, out) in out.iter_mut().enumerate() {
                let sample = l.widen(l.load_single(&samples[position + part * L::WIDTH..]));
                // The lanes behind the fifth are those of the next row, which come after.
                l.store(&mut out[lane..], sample - mean);
            }
        }
    }
}

/// Adds the products at each position, on and above the diagonal and in the last row.
#[inline(always)]
fn accumulate<L: Lanes>(l: L, chunk: &[Deviations], sums: &mut Sums) {
    if L::WIDTH == 8 {
        tile::<L, 8, 3>(l, chunk, sums, 0, 0);
        tile::<L, 8, 2>(l, chunk, sums, 8, 8);
        tile::<L, 8, 1>(l, chunk, sums, 16, 16);
        tile::<L, 1, 4>(l, chunk, sums, BLOCK - 1, 0);
    } else {
        for row in (0..BLOCK - 1).step_by(4) {
            for column in (row..BLOCK - 1).step_by(8) {
                tile::<L, 4, 2>(l, chunk, sums, row, column);
            }
        }
        tile::<L, 1, 8>(l, chunk, sums, BLOCK - 1, 0);
    }
}

/// Adds products to `ROWS` rows of sums, to as many columns as `VECTORS` vectors hold.
#[inline(always)]
fn tile<L: Lanes, const ROWS: usize, const VECTORS: usize>(
    l: L,
    chunk: &[Deviations],
    sums: &mut Sums,
    row: usize,
    column: usize,
) {
    let mut totals = [[l.splat(0.0); VECTORS]; ROWS];
    for i in 0..ROWS {
        for j in 0..VECTORS {
            totals[i][j] = l.load(&sums[row + i][column + j * L::WIDTH..]);
        }
    }
    for position in chunk {
        let mut columns = [l.splat(0.0); VECTORS];
        for j in 0..VECTORS {
            columns[j] = l.load(&position[column + j * L::WIDTH..]);
        }
        for i in 0..ROWS {
            let factor = l.splat(position[row + i]);
            for j in 0..VECTORS {
                totals[i][j] = totals[i][j] + factor * columns[j];
            }
        }
    }
    for i in 0..ROWS {
        for j in 0..VECTORS {
            l.store(&mut sums[row + i][column + j * L::WIDTH..], totals[i][j]);
        }
    }
}

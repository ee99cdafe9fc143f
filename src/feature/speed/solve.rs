// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Variances of blocks: y' C^-1 y / 25 by Householder's QR (sections 5.7 and 5.8).
//!
//! Plain loops over whole vectors, in the order that the specification has; the compiler makes them lanes of the level
//! that it is told.
#![forbid(unsafe_code)]

use super::eigen::EPSILON;
use super::geometry::{BLOCK, Geometry, SIDE};
use super::map::Map;
use super::matrix::{LANES, Matrix, Row, add_multiple};

/// Blocks side by side in a vector loop.
pub const GROUP: usize = 16;

/// The right sides of the system and the solutions of a [`GROUP`] of blocks, a row for each sample of a block.
type Columns = [[f32; GROUP]; BLOCK];

/// Writes the variance of each block, or returns false where the matrix turns out to be singular.
///
/// `variances` has room for whole groups.
#[inline(always)]
pub fn variances(covariance: &Matrix, map: &Map, geometry: &Geometry, variances: &mut [f32]) -> bool {
    let Some(q) = orthogonal(covariance) else {
        // A column of length 0 was divided by: that spreads through all products.
        variances.fill(f32::NAN);
        return true;
    };
    let r = product(&q, covariance);
    if (0..BLOCK).any(|i| f64::from(r.0[i][i].abs()) < EPSILON) {
        return false;
    }
    for (group, variances) in variances.chunks_exact_mut(GROUP).enumerate() {
        let blocks = columns(map, geometry, group * GROUP);
        let solution = substitute(&r, rotated(&q, &blocks));
        let variances: &mut [f32; GROUP] = variances.try_into().expect("a whole group");
        *variances = quadratic(&solution, &blocks);
    }
    true
}

/// Q of the decomposition C = Q'R, as explicit products: a cheaper way to apply the reflections gives other bits.
///
/// Rows and columns of finished columns are skipped. Their terms are zeros unless a length is 0: then none.
#[inline(always)]
fn orthogonal(covariance: &Matrix) -> Option<Matrix> {
    let (mut z, mut q) = (*covariance, Matrix::unit());
    for k in 0..BLOCK - 1 {
        let v = axis(&z, k, covariance.0[k][k])?;
        (z, q) = (reflected(&z, k, &v), reflected(&q, k, &v));
    }
    Some(q)
}

/// The unit vector of the reflection that clears column `k` below its diagonal.
#[inline(always)]
fn axis(z: &Matrix, k: usize, diagonal: f32) -> Option<Row> {
    let mut v = [0.0; LANES];
    (k..BLOCK).for_each(|i| v[i] = z.0[i][k]);
    let length = |v: &Row| v[k..BLOCK].iter().fold(0.0, |sum, x| sum + x * x).sqrt();
    let before = length(&v);
    v[k] += if diagonal >= 0.0 { before } else { -before };
    let after = length(&v);
    (after > 0.0).then(|| v.map(|x| x / after))
}

/// (1 - 2 v v') m, whose rows before `k` are those of `m`.
#[inline(always)]
fn reflected(m: &Matrix, k: usize, v: &Row) -> Matrix {
    let mut result = *m;
    for i in k..BLOCK {
        let double = -2.0 * v[i];
        let mut sum = [0.0; LANES];
        for (j, (x, row)) in v.iter().zip(&m.0).enumerate().skip(k) {
            let unit = if i == j { 1.0 } else { 0.0 };
            add_multiple(&mut sum, double * x + unit, row);
        }
        result.0[i] = sum;
    }
    result
}

#[inline(always)]
fn product(a: &Matrix, b: &Matrix) -> Matrix {
    let mut result = Matrix::default();
    for (sum, factors) in result.0.iter_mut().zip(&a.0) {
        for (&factor, row) in factors[..BLOCK].iter().zip(&b.0) {
            add_multiple(sum, factor, row);
        }
    }
    result
}

/// The samples of the blocks from `first` on, as many as there are.
#[inline(always)]
fn columns(map: &Map, geometry: &Geometry, first: usize) -> Columns {
    let mut columns = [[0.0; GROUP]; BLOCK];
    for lane in 0..GROUP.min(geometry.count() - first) {
        let across = geometry.blocks[0];
        let (top, left) = ((first + lane) / across * SIDE, (first + lane) % across * SIDE);
        for (i, column) in columns.iter_mut().enumerate() {
            column[lane] = map.row(top + i / SIDE)[left + i % SIDE];
        }
    }
    columns
}

#[inline(always)]
fn rotated(q: &Matrix, blocks: &Columns) -> Columns {
    let mut result = [[0.0; GROUP]; BLOCK];
    for (sum, factors) in result.iter_mut().zip(&q.0) {
        for (&factor, row) in factors[..BLOCK].iter().zip(blocks) {
            sum.iter_mut().zip(row).for_each(|(sum, x)| *sum += factor * x);
        }
    }
    result
}

/// Solves R x = t from the last row up.
#[inline(always)]
fn substitute(r: &Matrix, mut x: Columns) -> Columns {
    for i in (0..BLOCK).rev() {
        let mut t = x[i];
        for k in i + 1..BLOCK {
            t.iter_mut().zip(&x[k]).for_each(|(t, x)| *t -= x * r.0[i][k]);
        }
        x[i] = t.map(|t| t / r.0[i][i]);
    }
    x
}

/// The sum of x y / 25 over the rows, from the first on.
#[inline(always)]
fn quadratic(x: &Columns, y: &Columns) -> [f32; GROUP] {
    let mut sum = [0.0; GROUP];
    for (i, (x, y)) in x.iter().zip(y).enumerate() {
        for lane in 0..GROUP {
            let term = x[lane] * y[lane] / BLOCK as f32;
            sum[lane] = if i == 0 { term } else { sum[lane] + term };
        }
    }
    sum
}

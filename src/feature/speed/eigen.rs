// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Eigenvalues of a covariance matrix (section 5.6): Householder's tridiagonal form, then QR steps with Wilkinson's
//! shift. Single precision, every operation rounded.
#![forbid(unsafe_code)]

use super::geometry::BLOCK;
use super::matrix::{LANES, Matrix, Row, add_multiple};

/// What counts as 0, compared in double precision.
pub const EPSILON: f64 = 1e-6;

/// Steps at most.
const MOST_STEPS: usize = 500;

/// Eigenvalues, not sorted.
#[derive(Clone, Copy, Debug)]
pub struct Eigenvalues {
    /// All of them.
    pub values: [f32; BLOCK],
    /// Whether the steps sufficed.
    pub converged: bool,
}

impl Eigenvalues {
    /// Of a symmetric matrix.
    #[inline(always)]
    pub fn of(matrix: &Matrix) -> Self {
        tridiagonal(*matrix).eigenvalues()
    }

    /// Whether none is so small that the matrix cannot be inverted.
    pub fn is_regular(&self) -> bool {
        !self.values.iter().any(|&value| f64::from(value) < EPSILON)
    }
}

/// A symmetric matrix with nothing but a diagonal and its neighbours.
struct Tridiagonal {
    diagonal: [f32; BLOCK],
    beside: [f32; BLOCK - 1],
}

/// The root of the sum of two squares.
fn hypotenuse(x: f32, y: f32) -> f32 {
    (x * x + y * y).sqrt()
}

/// The lower right part of `a` stays symmetric to the bit, so that its columns are read as rows.
#[inline(always)]
fn tridiagonal(Matrix(mut a): Matrix) -> Tridiagonal {
    let mut form = Tridiagonal { diagonal: [0.0; BLOCK], beside: [0.0; BLOCK - 1] };
    for i in 0..BLOCK - 2 {
        let start = i + 1;
        form.diagonal[i] = a[i][i];
        form.beside[i] = a[i][start];
        let norm = a[i][start + 1..BLOCK].iter().fold(0.0, |sum, x| sum + x * x).sqrt();
        if norm == 0.0 {
            continue;
        }
        let alpha = a[i][start];
        let length = hypotenuse(alpha, norm);
        let beta = if alpha >= 0.0 { -length } else { length };
        let tau = (beta - alpha) / beta;
        let mut v = column(&a[i], start);
        if alpha - beta != 0.0 {
            v.iter_mut().for_each(|v| *v /= alpha - beta);
            form.beside[i] = beta;
        }
        if tau != 0.0 {
            v[start] = 1.0;
            reflect_both(&mut a, start, tau, &v);
        }
    }
    form.diagonal[BLOCK - 2] = a[BLOCK - 2][BLOCK - 2];
    form.diagonal[BLOCK - 1] = a[BLOCK - 1][BLOCK - 1];
    form.beside[BLOCK - 2] = a[BLOCK - 1][BLOCK - 2];
    form
}

/// The elements from `start` on, with zeros before and behind them.
#[inline(always)]
fn column(row: &Row, start: usize) -> Row {
    let mut column = [0.0; LANES];
    column[start..BLOCK].copy_from_slice(&row[start..BLOCK]);
    column
}

/// Applies a reflection to rows and columns from `start` on; what it leaves before them is never read.
#[inline(always)]
fn reflect_both(a: &mut [Row; BLOCK], start: usize, tau: f32, v: &Row) {
    let mut x = [0.0; LANES];
    for k in start..BLOCK {
        for (x, a) in x.iter_mut().zip(&a[k]) {
            *x += (tau * a) * v[k];
        }
    }
    let product = (start..BLOCK).fold(0.0, |sum, j| sum + x[j] * v[j]);
    add_multiple(&mut x, -0.5 * tau * product, v);
    for j in start..BLOCK {
        for k in 0..LANES {
            a[j][k] -= x[j] * v[k] + v[j] * x[k];
        }
    }
}

impl Tridiagonal {
    fn eigenvalues(mut self) -> Eigenvalues {
        self.drop_small(0, BLOCK - 1);
        let (mut last, mut steps) = (BLOCK - 1, 0);
        while last > 0 && steps < MOST_STEPS {
            if self.beside[last - 1] == 0.0 {
                last -= 1;
                continue;
            }
            let first = (0..last - 1).rev().find(|&i| self.beside[i] == 0.0).map_or(0, |zero| zero + 1);
            self.step(first, last);
            self.drop_small(first, last);
            steps += 1;
        }
        Eigenvalues { values: self.diagonal, converged: last == 0 }
    }

    /// Sets elements beside the diagonal to 0 that are small against their two neighbours on it.
    fn drop_small(&mut self, first: usize, last: usize) {
        for i in first..last {
            let neighbours = self.diagonal[i].abs() + self.diagonal[i + 1].abs();
            if f64::from(self.beside[i].abs()) < EPSILON * f64::from(neighbours) {
                self.beside[i] = 0.0;
            }
        }
    }

    /// The eigenvalue of the last two rows that is nearer the last element.
    fn shift(&self, first: usize, last: usize) -> f32 {
        let (d, e) = (&self.diagonal, &self.beside);
        let (corner, w) = (d[last], e[last - 1]);
        let half = (d[last - 1] - corner) / 2.0;
        let shift = if half > 0.0 {
            corner - w * (w / (half + hypotenuse(half, w)))
        } else if half == 0.0 {
            corner - w.abs()
        } else {
            corner + w * (w / (-half + hypotenuse(half, w)))
        };
        let is_large = EPSILON * f64::from(shift.abs()) > f64::from(d[first].abs() + e[first].abs());
        if is_large { 0.0 } else { shift }
    }

    /// One shifted QR step on the rows `first..=last`: a bulge is chased down along the diagonal.
    fn step(&mut self, first: usize, last: usize) {
        let shift = self.shift(first, last);
        let (d, e) = (&mut self.diagonal, &mut self.beside);
        let (mut head, mut tail) = (d[first] - shift, e[first]);
        let (mut done, mut bulge) = (0.0, 0.0);
        let (mut current, mut off) = (d[first], e[first]);
        let mut next = d[first + 1];
        let mut next_off = if last > first + 1 { e[first + 1] } else { 0.0 };
        for k in first..last {
            let (c, s) = rotation(head, tail);
            if k > first {
                e[k - 1] = c * done - s * bulge;
            }
            d[k] = c * (c * current - s * off) + s * (s * next - c * off);
            done = c * (s * current + c * off) - s * (s * off + c * next);
            current = s * (s * current + c * off) + c * (s * off + c * next);
            if k + 1 < last {
                bulge = -s * next_off;
                off = c * next_off;
                e[k + 1] = off;
                next = d[k + 2];
                if k + 2 < last {
                    next_off = e[k + 2];
                }
            }
            (head, tail) = (done, bulge);
        }
        d[last] = current;
        e[last - 1] = done;
    }
}

/// Cosine and sine of the rotation that takes (`head`, `tail`) to the first axis.
fn rotation(head: f32, tail: f32) -> (f32, f32) {
    // Root and quotient in double precision: rounding each to a float would give other bits.
    let scale = |t: f32| (1.0 / f64::from(1.0 + t * t).sqrt()) as f32;
    if tail == 0.0 {
        (1.0, 0.0)
    } else if tail.abs() > head.abs() {
        let t = -head / tail;
        let s = scale(t);
        (s * t, s)
    } else {
        let t = -tail / head;
        let c = scale(t);
        (c, c * t)
    }
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Square matrices with a row and a column for each sample of a block.
#![forbid(unsafe_code)]

use super::geometry::BLOCK;

/// Columns, with what makes rows of whole vectors.
pub const LANES: usize = 32;

/// A row; only the first [`BLOCK`] elements count.
pub type Row = [f32; LANES];

/// Rows of a matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matrix(pub [Row; BLOCK]);

impl Default for Matrix {
    fn default() -> Self {
        Self([[0.0; LANES]; BLOCK])
    }
}

impl Matrix {
    /// The unit matrix.
    pub fn unit() -> Self {
        let mut unit = Self::default();
        (0..BLOCK).for_each(|i| unit.0[i][i] = 1.0);
        unit
    }

    /// Sets an element and its mirror image.
    pub fn set_both(&mut self, x: usize, y: usize, value: f32) {
        self.0[x][y] = value;
        self.0[y][x] = value;
    }
}

/// Adds `factor` times `row` to `sum`, product and sum rounded.
#[inline(always)]
pub fn add_multiple(sum: &mut Row, factor: f32, row: &Row) {
    for (sum, x) in sum.iter_mut().zip(row) {
        *sum += factor * x;
    }
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Where the blocks of a plane lie, and the samples of one row of blocks.
#![forbid(unsafe_code)]

use crate::picture::{Plane, Samples};

/// Rows and columns of a block.
pub const SIDE: usize = 8;
/// From one block to the next, both ways: neighbours share a row or a column.
pub const STEP: usize = 7;

/// Blocks of a plane. Up to six trailing rows and columns are in none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Blocks in a row of blocks.
    pub across: usize,
    /// Rows of blocks.
    pub down: usize,
}

impl Grid {
    /// For a plane of `width` by `height` samples.
    pub fn new(width: usize, height: usize) -> Self {
        let along = |length: usize| length.saturating_sub(1) / STEP;
        Self { across: along(width), down: along(height) }
    }

    /// Blocks in all.
    pub fn blocks(&self) -> usize {
        self.across * self.down
    }
}

/// The samples of one row of blocks: eight rows, with zeros on the right for whole groups of blocks.
#[derive(Clone, Debug)]
pub struct Lines {
    samples: Vec<u16>,
    stride: usize,
}

impl Lines {
    /// Room for `blocks` blocks in a row.
    pub fn new(blocks: usize) -> Self {
        let stride = blocks * STEP + 1;
        Self { samples: vec![0; SIDE * stride], stride }
    }

    /// Takes the rows of a plane that row `y` of blocks covers.
    pub fn fill(&mut self, plane: &Samples<'_>, y: usize) {
        match plane {
            Samples::Bits8(plane) => self.fill_from(plane, y),
            Samples::Bits16(plane) => self.fill_from(plane, y),
        }
    }

    fn fill_from<T: Copy + Into<u16>>(&mut self, plane: &Plane<'_, T>, y: usize) {
        let rows = plane.rows(y * STEP..y * STEP + SIDE);
        for (line, row) in self.samples.chunks_exact_mut(self.stride).zip(rows) {
            line.iter_mut().zip(row).for_each(|(to, &from)| *to = from.into());
        }
    }

    /// The eight rows, from the left edge of block `block` on.
    #[inline]
    pub fn from(&self, block: usize) -> [&[u16]; SIDE] {
        std::array::from_fn(|i| &self.samples[i * self.stride..][block * STEP..self.stride])
    }

    /// The samples of block `block`.
    pub fn block(&self, block: usize) -> [[u16; SIDE]; SIDE] {
        self.from(block).map(|row| std::array::from_fn(|j| row[j]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_share_a_row_and_a_column_with_their_neighbours() {
        assert_eq!(Grid::new(1920, 1080), Grid { across: 274, down: 154 });
        assert_eq!(Grid::new(8, 14), Grid { across: 1, down: 1 });
        assert_eq!(Grid::new(15, 22), Grid { across: 2, down: 3 });
        assert_eq!([Grid::new(7, 64).blocks(), Grid::new(64, 1).blocks(), Grid::new(0, 0).blocks()], [0; 3]);
    }

    #[test]
    fn a_block_is_what_the_plane_shows_there() {
        let samples: Vec<u8> = (0..30 * 22).map(|i| (i % 251) as u8).collect();
        let mut lines = Lines::new(4);
        lines.fill(&Samples::Bits8(Plane::new(&samples, 29, 22, 30)), 2);
        for (block, i, j) in [(0, 0, 0), (1, 3, 5), (3, 7, 7)] {
            let sample = samples[(2 * STEP + i) * 30 + block * STEP + j];
            assert_eq!(lines.block(block)[i][j], u16::from(sample), "block {block}, row {i}, column {j}");
        }
    }
}

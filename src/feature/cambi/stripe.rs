// SPDX-License-Identifier: BSD-2-Clause-Patent
//! How the work of a picture is cut: rows of samples into stripes, the counting into tiles.
#![forbid(unsafe_code)]

use std::ops::Range;

use super::plan::Size;
use crate::schedule::Cut;

/// A plane of samples or keys that belongs to the work space.
#[derive(Clone, Debug)]
pub struct Plane {
    /// The rows, one behind the other, and some samples more.
    pub samples: Vec<u16>,
    /// Samples from one row to the next.
    pub stride: usize,
}

impl Plane {
    /// Samples behind the last row that fast paths may read.
    pub const SLACK: usize = 128;

    /// A plane of zeros.
    pub fn new(width: usize, height: usize) -> Self {
        let stride = width.next_multiple_of(32);
        Self { samples: vec![0; stride * height + Self::SLACK], stride }
    }

    /// The first `width` samples of row `y`.
    pub fn row(&self, y: usize, width: usize) -> &[u16] {
        &self.samples[y * self.stride..][..width]
    }
}

/// Rows of a picture, beginning at an even one, and where what is made of them goes.
pub struct Stripe<'a> {
    /// The rows.
    pub rows: Range<usize>,
    /// Rows of a result of the same size, `whole_stride` samples each; empty if there is none.
    pub whole: &'a mut [u16],
    /// Samples from one row of `whole` to the next.
    pub whole_stride: usize,
    /// Rows of a result of half the size, `half_stride` samples each; empty if there is none.
    pub half: &'a mut [u16],
    /// Samples from one row of `half` to the next.
    pub half_stride: usize,
}

impl Cut for Stripe<'_> {
    /// Pairs of rows, as each pair makes one row of half the size.
    fn units(&self) -> usize {
        self.rows.len().div_ceil(2)
    }

    fn cut(self, pairs: usize) -> (Self, Self) {
        let Self { rows, whole, whole_stride, half, half_stride } = self;
        let middle = rows.start + 2 * pairs;
        let (at_whole, at_half) =
            (whole.len().min(2 * pairs * whole_stride), half.len().min(pairs * half_stride));
        let (whole, lower_whole) = whole.split_at_mut(at_whole);
        let (half, lower_half) = half.split_at_mut(at_half);
        let upper = Self { rows: rows.start..middle, whole, whole_stride, half, half_stride };
        let lower =
            Self { rows: middle..rows.end, whole: lower_whole, whole_stride, half: lower_half, half_stride };
        (upper, lower)
    }
}

/// A rectangle of a scale, and what was found in it.
#[derive(Clone, Debug)]
pub struct Tile {
    /// The scale.
    pub scale: usize,
    /// Columns.
    pub columns: Range<usize>,
    /// Rows.
    pub rows: Range<usize>,
    /// How many contrast values are not 0.
    pub count: usize,
    /// Their sum, exact unless it is 2^29 or more.
    pub sum: f64,
}

impl Tile {
    /// Columns of a tile: with what is counted of them they stay in the cache.
    pub const COLUMNS: usize = 256;

    /// The positions in it, and so the most contrast values.
    pub fn area(&self) -> usize {
        self.columns.len() * self.rows.len()
    }

    /// Words of 64 positions in a row.
    pub fn row_words(&self) -> usize {
        self.columns.len().div_ceil(64)
    }

    /// Words of 64 positions in all rows.
    pub fn words(&self) -> usize {
        self.row_words() * self.rows.len()
    }

    /// Adds the tiles of a scale: columns as the cache likes it, rows in at most `bands` of at least `least` each.
    pub fn add_all(tiles: &mut Vec<Self>, scale: usize, size: Size, bands: usize, least: usize) {
        let height = size.height.div_ceil(bands).max(least);
        for top in (0..size.height).step_by(height) {
            for left in (0..size.width).step_by(Self::COLUMNS) {
                let columns = left..size.width.min(left + Self::COLUMNS);
                let rows = top..size.height.min(top + height);
                tiles.push(Self { scale, columns, rows, count: 0, sum: 0.0 });
            }
        }
    }
}

/// The contrast values of a tile, without those that are 0.
pub struct Found<'a> {
    /// The values, row by row: as many as [`Tile::count`] says.
    pub values: &'a mut [f32],
    /// Where they are: for each row [`Tile::row_words`] words, the lowest bit the leftmost position.
    pub places: &'a mut [u64],
}

/// Tiles, and room for what is found in them.
pub struct Tiles<'a> {
    /// The tiles.
    pub tiles: &'a mut [Tile],
    /// Room for the values of one tile after the other.
    pub values: &'a mut [f32],
    /// Room for the places of one tile after the other.
    pub places: &'a mut [u64],
}

impl<'a> Tiles<'a> {
    /// The positions and the words of places of all.
    pub fn room(tiles: &[Tile]) -> (usize, usize) {
        (tiles.iter().map(Tile::area).sum(), tiles.iter().map(Tile::words).sum())
    }

    /// Calls `work` on each tile and its room.
    pub fn for_each(self, mut work: impl FnMut(&mut Tile, Found<'_>)) {
        let Self { tiles, mut values, mut places } = self;
        for tile in tiles {
            let (of_tile, rest) = values.split_at_mut(tile.area());
            let (of_rows, other) = places.split_at_mut(tile.words());
            work(tile, Found { values: of_tile, places: of_rows });
            (values, places) = (rest, other);
        }
    }
}

impl Cut for Tiles<'_> {
    /// Positions, as tiles are of different sizes; one tile is not cut.
    fn units(&self) -> usize {
        if self.tiles.len() == 1 { 1 } else { Self::room(self.tiles).0 }
    }

    fn cut(self, positions: usize) -> (Self, Self) {
        let Self { tiles, values, places } = self;
        let mut area = 0;
        let is_before = |tile: &&Tile| {
            area += tile.area();
            area <= positions
        };
        let most = tiles.len() - 1;
        let number = tiles[..most].iter().take_while(is_before).count().max(1);
        let (tiles, lower_tiles) = tiles.split_at_mut(number);
        let (area, words) = Self::room(tiles);
        let (values, lower_values) = values.split_at_mut(area);
        let (places, lower_places) = places.split_at_mut(words);
        let lower = Self { tiles: lower_tiles, values: lower_values, places: lower_places };
        (Self { tiles, values, places }, lower)
    }
}

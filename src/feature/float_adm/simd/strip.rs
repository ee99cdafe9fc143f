// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Strips of columns, and what one holds on its way down.
#![forbid(unsafe_code)]

use std::ops::Range;

use crate::feature::float_adm::plan::Scale;

/// Positions side by side that a strip decouples: those that it pools, and one more at each side.
pub const POSITIONS: usize = 256;
/// Positions of a strip.
const WIDEST: usize = POSITIONS - 2;
/// Floats in a row: the last register may reach beyond the last position.
pub const ROW: usize = POSITIONS + 16;
/// Pairs of columns in a line: a position's taps reach one pair further at each side.
pub const LINE: usize = POSITIONS + 32;

/// A row of one band by position.
pub type Row = [f32; ROW];
/// Rows of the bands h, v, d.
pub type Bands = [Row; 3];
/// A picture's row after the vertical pass: low-pass and high-pass, each by even and odd columns.
pub type Lines = [[[f32; LINE]; 2]; 2];

/// What a strip holds: both parts, restored (0) and additive (1), of some rows.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct Strip {
    /// Of both pictures.
    pub lines: [Lines; 2],
    /// Shares of three rows in thresholds around.
    pub around: [[Bands; 2]; 3],
    /// Magnitudes of two rows' weighted coefficients.
    pub magnitudes: [[Bands; 2]; 2],
    /// Terms of two rows of the reference.
    pub denominator: [Bands; 2],
    /// Terms of a row of both parts.
    pub numerators: [Bands; 2],
}

impl Strip {
    /// A strip to be used again and again.
    pub fn new() -> Box<Self> {
        let bands = [[0.0; ROW]; 3];
        Box::new(Self {
            lines: [[[[0.0; LINE]; 2]; 2]; 2],
            around: [[bands; 2]; 3],
            magnitudes: [[bands; 2]; 2],
            denominator: [bands; 2],
            numerators: [bands; 2],
        })
    }
}

/// The columns of a strip. Its rows hold the position left of its first at 0, its lines the pair of columns before
/// that.
#[derive(Clone, Debug)]
pub struct Columns {
    /// The first position.
    pub first: usize,
    /// Positions.
    pub count: usize,
    /// Where in its rows the pooled positions are.
    pub pooled: Range<usize>,
}

impl Columns {
    /// The strips of a scale, from left to right, all of about the same width.
    pub fn of(scale: &Scale) -> impl Iterator<Item = Self> + use<> {
        let (width, window) = (scale.width, scale.window);
        let strips = width.div_ceil(WIDEST);
        (0..strips).map(move |strip| {
            let [first, end] = [strip, strip + 1].map(|strip| strip * width / strips);
            let start = window.left.clamp(first, end);
            let pooled = start + 1 - first..window.right.clamp(start, end) + 1 - first;
            Self { first, count: end - first, pooled }
        })
    }

    /// Where in its lines the position at `i` of its rows has its own pair of columns.
    pub const fn pair(i: usize) -> usize {
        i + 1
    }

    /// Which pairs of columns that a picture has are needed in its lines: places in them.
    pub fn pairs(&self, width: usize) -> Range<usize> {
        2usize.saturating_sub(self.first)..(self.count + 4).min(width + 2 - self.first)
    }

    /// The picture's pair of columns at place `j` of the lines.
    pub fn picture_pair(&self, j: usize) -> usize {
        self.first + j - 2
    }

    /// The positions that pooled ones look at.
    pub fn touched(&self) -> Range<usize> {
        match self.pooled.is_empty() {
            true => self.pooled.clone(),
            false => self.pooled.start - 1..self.pooled.end + 1,
        }
    }
}

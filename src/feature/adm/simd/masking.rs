// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Thresholds, and the cubes of what stands out of them.
#![forbid(unsafe_code)]

use std::ops::Range;

use super::super::plan::{Rounding, Scale};
use super::buffer::MARGIN;
use super::finest::Excess;
use super::lanes::{Lanes, Stage, each};

/// Sums of three neighbours each of a row's shares in thresholds.
pub struct Spread<'a> {
    /// Positions, whole blocks.
    pub columns: Range<usize>,
    /// The shares, with those of the neighbours at both ends.
    pub shares: &'a [i32],
    /// The sums.
    pub out: &'a mut [i32],
}

impl Stage for Spread<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        for x in self.columns.step_by(L::WIDTH) {
            let [left, here, right] = each!(i in [0, 1, 2] => l.load32(self.shares, MARGIN - 1 + i + x));
            l.store32(self.out, MARGIN + x, l.add32(l.add32(left, here), right));
        }
    }
}

/// A row of one part as it is pooled.
pub enum Part<'a> {
    /// Magnitudes of scale 0.
    Finest(&'a Excess, &'a [i32]),
    /// Weighted magnitudes of the scales above.
    Coarse(&'a [i32]),
}

/// Pools a row of one part; returns the sums of h, v, d.
pub struct Pool<'a> {
    /// Sizes.
    pub scale: &'a Scale,
    /// Positions, whole blocks of two registers.
    pub columns: Range<usize>,
    /// Ones in the window.
    pub inside: &'a [i32],
    /// What is pooled.
    pub part: Part<'a>,
    /// What masks it: the spread shares of the other part, above, of this row and below.
    pub around: [&'a [i32]; 3],
    /// Its centre's additional share.
    pub centre: &'a [i32],
}

impl Stage for Pool<'_> {
    type Output = [i64; 3];

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) -> [i64; 3] {
        let shifts = each!(band in [0, 1, 2] => self.scale.numerator_rounding(band)[0].shift);
        let squares = if let Part::Finest(..) = self.part { [29, 29, 30] } else { [30, 30, 30] };
        let zero = l.set32(0);
        let mut sums = [zero, zero, zero];
        for x in self.columns.clone().step_by(2 * L::WIDTH) {
            let inside = each!(x in [x, x + L::WIDTH] => l.load32(self.inside, MARGIN + x));
            let thresholds = each!(x in [x, x + L::WIDTH] => self.threshold(l, x));
            let excess = match &self.part {
                Part::Finest(excess, part) => excess.block(l, part, thresholds, x),
                Part::Coarse(part) => coarse(l, part, thresholds, x),
            };
            each!(band in [0, 1, 2] => each!(half in [0, 1] => {
                let v = l.and(l.max32(excess[band][half], zero), inside[half]);
                sums[band] = l.add64(sums[band], cube(l, v, squares[band], shifts[band]));
            }));
        }
        let biased = self.columns.len().next_multiple_of(2 * L::WIDTH) as i64;
        each!(band in [0, 1, 2] => l.sum64(sums[band]).wrapping_sub(biased.wrapping_mul(BIAS >> shifts[band])))
    }
}

impl Pool<'_> {
    #[inline(always)]
    fn threshold<L: Lanes>(&self, l: L, x: usize) -> L::V {
        let [above, here, below] = each!(row in [0, 1, 2] => l.load32(self.around[row], MARGIN + x));
        l.add32(l.add32(above, here), l.add32(below, l.load32(self.centre, MARGIN + x)))
    }
}

#[inline(always)]
fn coarse<L: Lanes>(l: L, part: &[i32], thresholds: [L::V; 2], x: usize) -> [[L::V; 2]; 3] {
    each!(band in [0, 1, 2] => each!(half in [0, 1] => {
        let at = 3 * (x + half * L::WIDTH) + band * L::WIDTH;
        l.sub32(l.load32(part, at), thresholds[half])
    }))
}

/// Added to every cube before it is shifted, so that a shift without a sign serves: cubes may be negative where
/// their squares wrapped.
const BIAS: i64 = 1 << 62;

/// The cubes of a register, added by twos to 64-bit lanes.
#[inline(always)]
fn cube<L: Lanes>(l: L, v: L::V, square: u32, cube: u32) -> L::V {
    let half = l.set64(Rounding::nearest(square).offset);
    let offset = l.set64(BIAS + Rounding::nearest(cube).offset);
    let (square, cube) = (l.set64(square.into()), l.set64(cube.into()));
    let [even, odd] = each!(v in [v, l.srl64(v, 32)] => {
        let squared = l.srl_each64(l.add64(l.mul_unsigned(v, v), half), square);
        l.srl_each64(l.add64(l.mul_signed(squared, v), offset), cube)
    });
    l.add64(even, odd)
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The stages of the filters for one pair of rows. Each is compiled apart: together they would not find room in the
//! registers.
#![forbid(unsafe_code)]

use std::marker::PhantomData;

use super::filter::{FILTERS, HALF, LOW, Lines, PLANES, REACH, Rows, SHORT, Source, next_filter};
use super::lanes::{Lanes, Stage};

/// Puts the samples of two rows of both pictures, and their products, into a pair of the ring.
pub struct Expand<'a, L: Lanes, T> {
    /// Two rows of the reference, two of the distorted picture, each of whole registers.
    pub rows: [&'a [T]; 4],
    /// What brings samples to 16 bits.
    pub shift: u32,
    /// The pair's place in the ring.
    pub ring: &'a mut [L::Ints],
    /// Gets all bits of samples to be shifted, to see whether any is above the depth's range.
    pub seen: &'a mut L::Ints,
}

impl<L: Lanes, T: Source<L>> Stage<L> for Expand<'_, L, T> {
    type Output = ();

    #[inline(always)]
    fn run(self, lanes: L) {
        let [r0, r1, d0, d1] = self.rows;
        let blocks = r0.len() / L::WORDS;
        let (r1, d0, d1) = (&r1[..r0.len()], &d0[..r0.len()], &d1[..r0.len()]);
        let mut seen = *self.seen;
        for (block, planes) in self.ring.chunks_exact_mut(2 * T::PLANES).take(blocks).enumerate() {
            let at = L::WORDS * block;
            let mut words = [
                T::load(lanes, &r0[at..]),
                T::load(lanes, &r1[at..]),
                T::load(lanes, &d0[at..]),
                T::load(lanes, &d1[at..]),
            ];
            if T::SHIFTED {
                for word in &mut words {
                    seen = lanes.or(seen, *word);
                    *word = lanes.shl_words(*word, self.shift);
                }
            }
            let (even, odd) = planes.split_at_mut(T::PLANES);
            let [r0, r1, d0, d1] = words;
            T::expand(lanes, even_columns(lanes, r0, r1), even_columns(lanes, d0, d1), even);
            T::expand(lanes, odd_columns(lanes, r0, r1), odd_columns(lanes, d0, d1), odd);
        }
        *self.seen = seen;
    }
}

/// From words of two rows the lanes of the even columns.
#[inline(always)]
fn even_columns<L: Lanes>(lanes: L, upper: L::Ints, lower: L::Ints) -> L::Ints {
    lanes.blend(upper, lanes.shl(lower, 16))
}

/// From words of two rows the lanes of the odd columns.
#[inline(always)]
fn odd_columns<L: Lanes>(lanes: L, upper: L::Ints, lower: L::Ints) -> L::Ints {
    lanes.blend(lanes.shr(upper, 16), lower)
}

/// The vertical pass of the statistic.
pub struct Vertical<'a, L: Lanes, T, const SCALE: usize> {
    /// From the ring.
    pub rows: Rows<'a, L>,
    /// Where the results go.
    pub lines: Lines<'a, L>,
    /// Blocks of columns.
    pub blocks: usize,
    /// The type of samples.
    pub samples: PhantomData<T>,
}

impl<L: Lanes, T: Source<L>, const SCALE: usize> Stage<L> for Vertical<'_, L, T, SCALE> {
    type Output = ();

    #[inline(always)]
    fn run(mut self, lanes: L) {
        for block in 0..self.blocks {
            T::filter::<SCALE>(lanes, &self.rows, block, &mut self.lines);
        }
    }
}

/// The vertical pass of the low pass.
pub struct LowVertical<'a, L: Lanes, T, const SCALE: usize> {
    /// From the ring.
    pub rows: Rows<'a, L>,
    /// Where the results go.
    pub lines: Lines<'a, L>,
    /// Blocks of columns.
    pub blocks: usize,
    /// The type of samples.
    pub samples: PhantomData<T>,
}

impl<L: Lanes, T: Source<L>, const SCALE: usize> Stage<L> for LowVertical<'_, L, T, SCALE> {
    type Output = ();

    #[inline(always)]
    fn run(mut self, lanes: L) {
        for block in 0..self.blocks {
            T::filter_low::<SCALE>(lanes, &self.rows, block, &mut self.lines);
        }
    }
}

/// The words of `line` from column `at` on.
#[inline(always)]
fn window<L: Lanes>(lanes: L, lines: &[L::Ints], length: usize, line: usize, at: usize) -> &[u16] {
    &lanes.words(&lines[line * length..][..length])[at..][..L::WORDS + 2 * REACH]
}

/// The horizontal pass of the low pass: a row of the next scale for both pictures.
pub struct LowHorizontal<'a, L: Lanes, const SCALE: usize> {
    /// Of the vertical pass.
    pub lines: &'a [L::Ints],
    /// Registers of a line.
    pub length: usize,
    /// The next scale's rows, from the strip's first column on.
    pub low: [&'a mut [u16]; 2],
    /// Columns of the strip.
    pub columns: usize,
}

impl<L: Lanes, const SCALE: usize> Stage<L> for LowHorizontal<'_, L, SCALE> {
    type Output = ();

    #[inline(always)]
    fn run(self, lanes: L) {
        let filter = const { next_filter(SCALE) };
        let outer = const { FILTERS[SCALE].reach - next_filter(SCALE).reach };
        for (picture, low) in self.low.into_iter().enumerate() {
            for at in (0..self.columns).step_by(L::WORDS) {
                let words = window(lanes, self.lines, self.length, LOW + picture, at);
                let mut sums = lanes.splat(HALF + SHORT);
                for step in 0..filter.steps {
                    let pairs = lanes.load(&words[outer + 2 * filter.pair[step]..]);
                    sums = lanes.dot(sums, pairs, lanes.splat(filter.even[step]));
                }
                lanes.store_high(&mut low[at / 2..], sums);
            }
        }
    }
}

/// Of a block of columns, the sums of the horizontal pass: of both means, then of the three products. Each takes two
/// registers, for the even and for the odd columns.
pub type Moments<L> = [[<L as Lanes>::Ints; 2]; 5];

/// The horizontal pass of the statistic over one row.
pub struct Horizontal<'a, L: Lanes, const SCALE: usize> {
    /// The row's lines of the vertical pass.
    pub lines: &'a [L::Ints],
    /// Registers of a line.
    pub length: usize,
    /// Columns of the strip.
    pub columns: usize,
    /// Where the results go.
    pub moments: &'a mut [Moments<L>],
}

/// What the sums of each line begin with.
const START: [i32; PLANES] = [SHORT, SHORT, SHORT, HALF, SHORT, HALF, SHORT, HALF];

impl<L: Lanes, const SCALE: usize> Horizontal<'_, L, SCALE> {
    /// The sums of `N` lines from `first` on at column `at`, for the even columns and the odd.
    #[inline(always)]
    fn dots<const N: usize>(&self, lanes: L, first: usize, at: usize) -> [[L::Ints; 2]; N] {
        let filter = const { &FILTERS[SCALE] };
        let mut sums = [[lanes.zero(); 2]; N];
        let mut words: [&[u16]; N] = [&[]; N];
        for k in 0..N {
            sums[k] = [lanes.splat(START[first + k]); 2];
            words[k] = window(lanes, self.lines, self.length, first + k, at);
        }
        for step in 0..filter.steps {
            let (even, odd) = (lanes.splat(filter.even[step]), lanes.splat(filter.odd[step]));
            for k in 0..N {
                let pairs = lanes.load(&words[k][2 * filter.pair[step]..]);
                sums[k][0] = lanes.dot(sums[k][0], pairs, even);
                sums[k][1] = lanes.dot(sums[k][1], pairs, odd);
            }
        }
        sums
    }
}

impl<L: Lanes, const SCALE: usize> Stage<L> for Horizontal<'_, L, SCALE> {
    type Output = ();

    #[inline(always)]
    fn run(self, lanes: L) {
        for block in 0..self.columns.div_ceil(L::WORDS) {
            let at = L::WORDS * block;
            let [m1, m2, h11, l11, h22, l22, h12, l12] = if L::MANY {
                self.dots::<8>(lanes, 0, at)
            } else {
                let [a, b, c, d] = self.dots::<4>(lanes, 0, at);
                let [e, f, g, h] = self.dots::<4>(lanes, 4, at);
                [a, b, c, d, e, f, g, h]
            };
            let moments = &mut self.moments[block];
            *moments = [m1, m2, h11, h22, h12];
            for parity in 0..2 {
                for (k, low) in [l11, l22, l12].into_iter().enumerate() {
                    let carry = lanes.sar(low[parity], 16);
                    moments[2 + k][parity] = lanes.add(moments[2 + k][parity], carry);
                }
            }
        }
    }
}

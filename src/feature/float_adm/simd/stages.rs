// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The stages that a row of a strip goes through.
#![forbid(unsafe_code)]

use std::ops::Range;

use super::lanes::{Lanes, Stage};
use super::strip::{Bands, Columns, LINE, Lines, POSITIONS, ROW};
use crate::feature::adm::simd::lanes::each;
use crate::feature::float_adm::Source;
use crate::feature::float_adm::scalar::{AROUND, CENTRE, COS_SQUARED, HIGH, LOW, NOT_ZERO};

/// The largest register's lanes.
const WIDEST: usize = 16;

/// Four samples under a filter's taps.
#[inline(always)]
fn filter<L: Lanes>(l: L, taps: &[f32; 4], samples: [L::V; 4]) -> L::V {
    let [a, b, c, d] = each!(i in [0, 1, 2, 3] => l.mul(l.splat(taps[i]), samples[i]));
    l.add(l.add(l.add(a, b), c), d)
}

/// The vertical pass over a strip's columns of four rows.
pub struct Vertical<'a, S> {
    /// Rows under the taps.
    pub rows: [&'a [S]; 4],
    /// For [`Source::centred`].
    pub inverse: f32,
    /// The strip's columns.
    pub columns: &'a Columns,
    /// Where they go.
    pub lines: &'a mut Lines,
}

impl<S: Source> Stage for Vertical<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let [a, b, c, d] = self.rows;
        let width = a.len();
        let pairs = self.columns.pairs(width.div_ceil(2));
        let [low, high] = self.lines;
        let mut j = pairs.start;
        while j < pairs.end {
            let x = 2 * self.columns.picture_pair(j);
            let rows = if x + 2 * L::WIDTH <= width {
                each!(row in [a, b, c, d] => S::load_pairs(l, row, x, self.inverse))
            } else {
                each!(row in [a, b, c, d] => S::load_pairs(l, &tail(row, x), 0, self.inverse))
            };
            each!(parity in [0, 1] => {
                let samples = each!(row in [0, 1, 2, 3] => rows[row][parity]);
                l.store(&mut low[parity], j, filter(l, &LOW, samples));
                l.store(&mut high[parity], j, filter(l, &HIGH, samples));
            });
            j += L::WIDTH;
        }
        mirror(low, self.columns, width);
        mirror(high, self.columns, width);
    }
}

/// The last samples of a row, with something behind them.
#[inline(always)]
fn tail<S: Source>(row: &[S], x: usize) -> [S; 2 * WIDEST] {
    let mut samples = [S::default(); 2 * WIDEST];
    let rest = &row[x..];
    samples[..rest.len()].copy_from_slice(rest);
    samples
}

/// Puts what the taps find beyond a picture's borders beside a line: `width` samples of the picture's row.
#[inline(always)]
fn mirror([even, odd]: &mut [[f32; LINE]; 2], columns: &Columns, width: usize) {
    if columns.first == 0 {
        odd[1] = odd[2];
    }
    if columns.first + columns.count == width.div_ceil(2) {
        let last = columns.count + 1;
        if width % 2 == 1 {
            odd[last] = even[last];
            even[last + 1] = odd[last - 1];
        } else {
            even[last + 1] = odd[last];
        }
    }
}

/// The samples of a line under the taps of the position at `i`.
#[inline(always)]
fn samples<L: Lanes>(l: L, [even, odd]: &[[f32; LINE]; 2], i: usize) -> [L::V; 4] {
    let j = Columns::pair(i);
    [l.load(odd, j - 1), l.load(even, j), l.load(odd, j), l.load(even, j + 1)]
}

/// The low-pass band of a strip.
pub struct LowPassed<'a> {
    /// A picture's lines.
    pub lines: &'a Lines,
    /// The band's row from the strip's first position on, and a register more.
    pub out: &'a mut [f32],
    /// Positions.
    pub count: usize,
}

impl Stage for LowPassed<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        assert!(self.count < POSITIONS);
        let mut i = 0;
        while i < self.count {
            let low = filter(l, &LOW, samples(l, &self.lines[0], i + 1));
            l.store(self.out, i, low);
            i += L::WIDTH;
        }
    }
}

/// The bands h, v, d of one picture at `i`.
#[inline(always)]
fn details<L: Lanes>(l: L, lines: &Lines, i: usize) -> [L::V; 3] {
    let [low, high] = each!(line in [0, 1] => samples(l, &lines[line], i));
    [filter(l, &LOW, high), filter(l, &HIGH, low), filter(l, &HIGH, high)]
}

/// By how much enhanced contrast may count.
#[derive(Clone, Copy, Debug)]
pub enum Gain {
    /// A float: its product with another is exact in doubles, so that rounding it at once is the same.
    Single(f32),
    /// Any other.
    Double(f64),
}

impl Gain {
    /// The simplest form of a limit.
    pub fn new(limit: f64) -> Self {
        if f64::from(limit as f32) == limit { Self::Single(limit as f32) } else { Self::Double(limit) }
    }

    #[inline(always)]
    fn times<L: Lanes>(self, l: L, v: L::V) -> L::V {
        match self {
            Self::Single(gain) => l.mul(v, l.splat(gain)),
            Self::Double(gain) => l.scaled(v, gain),
        }
    }
}

/// Decoupling, weighting, and what the coefficients are for thresholds and sums.
pub struct Decouple<'a> {
    /// Of both pictures.
    pub lines: &'a [Lines; 2],
    /// Contrast sensitivity.
    pub weights: [f32; 3],
    /// By how much enhanced contrast may count.
    pub gain: Gain,
    /// Whether terms are cubes, or what others make powers of.
    pub cubes: bool,
    /// Positions.
    pub touched: Range<usize>,
    /// Terms of the reference.
    pub denominator: &'a mut Bands,
    /// Magnitudes of both parts.
    pub magnitudes: &'a mut [Bands; 2],
    /// Shares of both parts in thresholds around.
    pub around: &'a mut [Bands; 2],
}

impl Stage for Decouple<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        assert!(self.touched.end <= POSITIONS);
        let mut i = self.touched.start / WIDEST * WIDEST;
        while i < self.touched.end {
            let [o, t] = each!(picture in [0, 1] => details(l, &self.lines[picture], i));
            let restored = restored(l, o, t, self.gain);
            each!(band in [0, 1, 2] => {
                let weight = l.splat(self.weights[band]);
                let q = l.abs(l.mul(weight, o[band]));
                l.store(&mut self.denominator[band], i, if self.cubes { cube(l, q) } else { q });
                let parts = [restored[band], l.sub(t[band], restored[band])];
                each!(part in [0, 1] => {
                    let magnitude = l.abs(l.mul(weight, parts[part]));
                    l.store(&mut self.magnitudes[part][band], i, magnitude);
                    l.store(&mut self.around[part][band], i, l.scaled(magnitude, AROUND));
                });
            });
            i += L::WIDTH;
        }
    }
}

#[inline(always)]
fn cube<L: Lanes>(l: L, q: L::V) -> L::V {
    l.mul(l.mul(q, q), q)
}

/// See [`restored`](crate::feature::float_adm::scalar::restored).
#[inline(always)]
fn restored<L: Lanes>(l: L, o: [L::V; 3], t: [L::V; 3], gain: Gain) -> [L::V; 3] {
    let (zero, one) = (l.splat(0.0), l.splat(1.0));
    let product = dot(l, o, t);
    let limit = l.mul(l.mul(l.splat(COS_SQUARED), dot(l, o, o)), dot(l, t, t));
    let near = l.both(l.at_least(product, zero), l.at_least(l.mul(product, product), limit));
    each!(band in [0, 1, 2] => {
        let (o, t) = (o[band], t[band]);
        let divisor = l.add(o, l.splat(NOT_ZERO));
        let estimate = l.reciprocal_estimate(divisor);
        let correction = l.mul(estimate, l.sub(one, l.mul(divisor, estimate)));
        let quotient = l.mul(t, l.add(estimate, correction));
        let restored = l.mul(l.min(one, l.max(zero, quotient)), o);
        let most = gain.times(l, restored);
        let (above, below) = (l.greater(restored, zero), l.greater(zero, restored));
        let enhanced = l.select(l.both(near, above), l.min(most, t), restored);
        l.select(l.both(near, below), l.max(most, t), enhanced)
    })
}

#[inline(always)]
fn dot<L: Lanes>(l: L, a: [L::V; 3], b: [L::V; 3]) -> L::V {
    l.add(l.mul(a[0], b[0]), l.mul(a[1], b[1]))
}

/// Terms of both parts of a row, each masked by the other.
pub struct Pool<'a> {
    /// Whether there are thresholds.
    pub masking: bool,
    /// Whether terms are cubes, or what others make powers of.
    pub cubes: bool,
    /// Positions.
    pub pooled: Range<usize>,
    /// Shares in thresholds: above, of this row and below.
    pub around: [&'a [Bands; 2]; 3],
    /// Magnitudes.
    pub magnitudes: &'a [Bands; 2],
    /// Where the terms go.
    pub terms: &'a mut [Bands; 2],
}

impl Stage for Pool<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        assert!(self.pooled.start > 0 && self.pooled.end < POSITIONS);
        let mut i = self.pooled.start;
        while i < self.pooled.end {
            each!(part in [0, 1] => {
                let mask = 1 - part;
                let threshold = if self.masking { self.threshold(l, mask, i) } else { l.splat(0.0) };
                each!(band in [0, 1, 2] => {
                    let magnitude = l.load(&self.magnitudes[part][band], i);
                    let q = l.max(l.sub(magnitude, threshold), l.splat(0.0));
                    l.store(&mut self.terms[part][band], i, if self.cubes { cube(l, q) } else { q });
                });
            });
            i += L::WIDTH;
        }
    }
}

impl Pool<'_> {
    /// The threshold at `i` that a part makes.
    #[inline(always)]
    fn threshold<L: Lanes>(&self, l: L, part: usize, i: usize) -> L::V {
        let [h, v, d] = each!(band in [0, 1, 2] => {
            let [above, here, below] = each!(row in [0, 1, 2] => &self.around[row][part][band]);
            let row = neighbours(l, above, i);
            let sum = l.add(l.add(row[0], row[1]), row[2]);
            let sum = l.add(sum, l.load(here, i - 1));
            let sum = l.add_scaled(sum, l.load(&self.magnitudes[part][band], i), CENTRE);
            let sum = l.add(sum, l.load(here, i + 1));
            let row = neighbours(l, below, i);
            l.add(l.add(l.add(sum, row[0]), row[1]), row[2])
        });
        l.add(l.add(h, v), d)
    }
}

#[inline(always)]
fn neighbours<L: Lanes>(l: L, row: &[f32; ROW], i: usize) -> [L::V; 3] {
    each!(x in [i - 1, i, i + 1] => l.load(row, x))
}

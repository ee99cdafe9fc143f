// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Decoupling and weighting at scale 0, all in 16-bit words and without a division.
//!
//! The ratio k of 15 bits is distorted / reference, and the restored part k * reference. While |reference| is at
//! most 2^14 the roundings on the way are too small to show: the restored part is *exactly* the middle one of 0, the
//! reference and the distorted coefficient. Larger coefficients are rare, and done as the specification says.
//!
//! Words are kept in blocks of three registers, so that pair products serve: (h, v) of the first positions, (h, v)
//! of the others, and d, whose even words are of the first positions and odd words of the others.
#![forbid(unsafe_code)]

use std::ops::Range;

use super::super::plan::{Plan, Scale};
use super::super::scalar::decouple;
use super::super::scalar::wavelet::{HIGH, LOW};
use super::buffer::MARGIN;
use super::estimate;
use super::lanes::{Lanes, Stage, each};
use super::rows::{Masks, RowOut};
use super::wavelet::{Lines, across_words};

/// Registers of a block.
const REGISTERS: usize = 3;

/// Constants of a stream at scale 0.
#[derive(Clone, Copy)]
pub struct Finest {
    gain: i16,
    /// The weight of h and v less 2^15.
    edge: i16,
    /// The weight of d taken from 2^16, and ones where it is at least half of that.
    diagonal: [i16; 2],
}

impl Finest {
    /// For whole-number gains only.
    pub fn new(plan: &Plan) -> Self {
        let [edge, _, diagonal] = plan.scales[0].weights.fixed;
        let negative = (diagonal as u16).wrapping_neg() as i16;
        Self {
            gain: plan.gain_limit as i16,
            edge: (edge as u16).wrapping_sub(1 << 15) as i16,
            diagonal: [negative, if diagonal > 1 << 15 { -1 } else { 0 }],
        }
    }

    /// (v * weight + 2^14) >> 15
    #[inline(always)]
    fn weigh_edge<L: Lanes>(&self, l: L, v: L::V) -> L::V {
        l.add16(v, l.mul_round16(v, l.set16(self.edge)))
    }

    /// (v * weight + 65535) >> 17
    #[inline(always)]
    fn weigh_diagonal<L: Lanes>(&self, l: L, v: L::V) -> L::V {
        let [negative, whole] = [l.set16(self.diagonal[0]), l.set16(self.diagonal[1])];
        l.sra16(l.sub16(l.and(v, whole), l.mul_high16(v, negative)), 1)
    }

    /// How far a coefficient may be restored: the reference's, times the gain where the two are near.
    #[inline(always)]
    fn limit<L: Lanes>(&self, l: L, reference: L::V, near: L::V) -> L::V {
        // Beyond it the product passes every distorted coefficient.
        let most = i16::MAX / self.gain;
        let clamped = l.max16(l.min16(reference, l.set16(most)), l.set16(-most));
        l.select(near, l.mul_low16(clamped, l.set16(self.gain)), reference)
    }
}

/// What a weighted coefficient adds to the thresholds of its neighbours and to its own.
#[inline(always)]
fn masks<L: Lanes>(l: L, weighted: L::V) -> [L::V; 2] {
    let v = l.abs16(weighted);
    let around = l.add16(v, l.mul_round16(v, l.set16(273 * 8)));
    let own = l.add16(l.add16(v, v), l.mul_round16(v, l.set16(546 * 8)));
    [around, own]
}

/// Bands h, v, d of a block of positions from `x` on.
#[inline(always)]
fn bands<L: Lanes>(l: L, [low, high]: &Lines, x: usize) -> [L::V; REGISTERS] {
    let [a, b] = each!(x in [x, x + L::WIDTH] => {
        let (h, v) = (across_words(l, high, &LOW, x), across_words(l, low, &HIGH, x));
        l.blend16(l.srl32(h, 16), v)
    });
    let [first, second] = each!(x in [x, x + L::WIDTH] => across_words(l, high, &HIGH, x));
    [a, b, l.blend16(l.srl32(first, 16), second)]
}

/// The three registers of the block from position `x` on.
#[inline(always)]
fn load_block<L: Lanes>(l: L, from: &[i32], x: usize) -> [L::V; REGISTERS] {
    let block = x / 2 * REGISTERS;
    each!(register in [0, 1, 2] => l.load32(from, block + register * L::WIDTH))
}

/// Stores the three registers of the block from position `x` on.
#[inline(always)]
fn store_block<L: Lanes>(l: L, to: &mut [i32], x: usize, [a, b, d]: [L::V; REGISTERS]) {
    let block = x / 2 * REGISTERS;
    each!((register, v) in [(0, a), (1, b), (2, d)] => l.store32(to, block + register * L::WIDTH, v));
}

/// The details of one picture's row.
pub struct Details<'a> {
    /// Low-pass and high-pass.
    pub lines: &'a Lines,
    /// Positions, whole blocks.
    pub columns: Range<usize>,
    /// Three registers a block.
    pub out: &'a mut [i32],
}

impl Stage for Details<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        for x in self.columns.step_by(2 * L::WIDTH) {
            store_block(l, self.out, x, bands(l, self.lines, x));
        }
    }
}

/// Decouples a row and weighs its parts; returns the sums of the reference's cubes in the window.
pub struct Decouple<'a> {
    /// Constants.
    pub finest: &'a Finest,
    /// Positions, whole blocks.
    pub columns: Range<usize>,
    /// Ones in the window.
    pub inside: &'a [i32],
    /// The bands of the reference and the distorted picture.
    pub bands: [&'a [i32]; 2],
    /// The row to be written.
    pub out: RowOut<'a>,
}

impl Stage for Decouple<'_> {
    type Output = [u64; 3];

    #[inline(always)]
    fn run<L: Lanes>(mut self, l: L) -> [u64; 3] {
        let zero = l.set32(0);
        let mut cubes = [zero, zero, zero];
        for x in self.columns.clone().step_by(2 * L::WIDTH) {
            self.block(l, x, &mut cubes);
        }
        let [h, v, d] = cubes;
        each!(sum in [h, v, d] => l.sum64(sum) as u64)
    }
}

impl Decouple<'_> {
    #[inline(always)]
    fn block<L: Lanes>(&mut self, l: L, x: usize, cubes: &mut [L::V; 3]) {
        let [o, t] = [load_block(l, self.bands[0], x), load_block(l, self.bands[1], x)];
        let [first, second] = [near(l, o[0], t[0]), near(l, o[1], t[1])];
        let near = [first, second, l.blend16(first, second)];
        let mut restored = each!(i in [0, 1, 2] => {
            let (limit, zero) = (self.finest.limit(l, o[i], near[i]), l.set32(0));
            l.max16(l.min16(t[i], l.max16(limit, zero)), l.min16(limit, zero))
        });
        let magnitude = each!(i in [0, 1, 2] => l.abs16(o[i]));
        let all = l.or(l.or(magnitude[0], magnitude[1]), magnitude[2]);
        if l.any(all, l.set16(1 << 14)) {
            restored = self.restore_large(l, o, t, near, restored);
        }
        let additive = each!(i in [0, 1, 2] => l.sub16(t[i], restored[i]));
        self.weigh(l, 0, restored, x);
        self.weigh(l, 1, additive, x);
        self.add_cubes(l, magnitude, x, cubes);
    }

    /// Adds the cubes of the reference's magnitudes in the window.
    #[inline(always)]
    fn add_cubes<L: Lanes>(&self, l: L, magnitude: [L::V; 3], x: usize, cubes: &mut [L::V; 3]) {
        let [first, second] = each!(x in [x, x + L::WIDTH] => l.load32(self.inside, MARGIN + x));
        let inside = [first, second, l.blend16(first, second)];
        let [a, b, d] = each!(i in [0, 1, 2] => l.and(magnitude[i], inside[i]));
        let [ha, hb, da] = each!(v in [a, b, d] => cube(l, l.and(v, l.set32(0xffff))));
        let [va, vb, db] = each!(v in [a, b, d] => cube(l, l.srl32(v, 16)));
        each!((band, a, b) in [(0, ha, hb), (1, va, vb), (2, da, db)] => {
            cubes[band] = l.add64(cubes[band], l.add64(a, b));
        });
    }

    /// Stores a part's magnitudes and its shares in thresholds.
    #[inline(always)]
    fn weigh<L: Lanes>(&mut self, l: L, part: usize, [a, b, d]: [L::V; REGISTERS], x: usize) {
        store_block(l, self.out.parts[part], x, each!(v in [a, b, d] => l.abs16(v)));
        let [[fa, ea], [fb, eb]] = each!(v in [a, b] => masks(l, self.finest.weigh_edge(l, v)));
        let [fd, ed] = masks(l, self.finest.weigh_diagonal(l, d));
        let both = l.set32(0x1_0001);
        let Masks { around, centre } = &mut self.out.masks[part];
        each!((x, f, e, of) in [(x, fa, ea, l.set32(1)), (x + L::WIDTH, fb, eb, l.set32(1 << 16))] => {
            let share = l.dot_add(l.dot(f, both), fd, of);
            let own = l.dot_add(l.dot(e, both), ed, of);
            l.store32(around, MARGIN + x, share);
            l.store32(centre, MARGIN + x, l.sub32(own, share));
        });
    }

    /// The restored part where a reference coefficient is large.
    #[cold]
    fn restore_large<L: Lanes>(
        &self,
        l: L,
        o: [L::V; 3],
        t: [L::V; 3],
        near: [L::V; 3],
        restored: [L::V; 3],
    ) -> [L::V; 3] {
        let gain = f64::from(self.finest.gain);
        let words = |v| {
            let mut words = [0i16; 32];
            l.store16(&mut words, 0, v);
            words
        };
        [0, 1, 2].map(|i| {
            let ([o, t], near, mut restored) = ([o[i], t[i]].map(words), words(near[i]), words(restored[i]));
            for word in 0..2 * L::WIDTH {
                if o[word].unsigned_abs() >= 1 << 14 {
                    let (o, t) = (i32::from(o[word]), i32::from(t[word]));
                    restored[word] = decouple::restored(o, t, near[word] != 0, gain) as i16;
                }
            }
            l.load16(&restored, 0)
        })
    }
}

/// Ones where the two (h, v) are near.
#[inline(always)]
pub fn near<L: Lanes>(l: L, o: L::V, t: L::V) -> L::V {
    let products = each!((a, b) in [(o, t), (o, o), (t, t)] => l.to_float(l.dot(a, b)));
    let estimate = estimate::near(l, products, 1e-6);
    if l.any(estimate.undecided, l.set32(-1)) {
        let [o, t] = each!(v in [o, t] => [l.sra32(l.sll32(v, 16), 16), l.sra32(v, 16)]);
        return estimate.decide(l, o, t);
    }
    estimate.near
}

/// Cubes of lanes up to 2^15, added by twos to 64-bit lanes.
#[inline(always)]
fn cube<L: Lanes>(l: L, v: L::V) -> L::V {
    let square = l.dot(v, v);
    l.add64(l.mul_unsigned(square, v), l.mul_unsigned(l.srl64(square, 32), l.srl64(v, 32)))
}

/// The parts of a row as they are pooled.
pub struct Excess {
    /// The weights as sums of two that fit a word: h and v, and d.
    weights: [[i16; 2]; 2],
}

impl Excess {
    /// For `scale` 0.
    pub fn new(scale: &Scale) -> Self {
        let [edge, _, diagonal] = scale.weights.fixed;
        Self { weights: [edge, diagonal].map(|weight| [weight / 2, weight - weight / 2].map(|w| w as i16)) }
    }

    /// Weighted magnitudes of h, v and d less their thresholds, from position `x` on, in two registers each.
    #[inline(always)]
    pub fn block<L: Lanes>(&self, l: L, part: &[i32], thresholds: [L::V; 2], x: usize) -> [[L::V; 2]; 3] {
        let [a, b, d] = load_block(l, part, x);
        let [first, second] = thresholds;
        let negative = each!(threshold in [first, second] => l.sub32(l.set32(0), threshold));
        let edge = each!(half in [0, 1] => l.sll32(negative[half], 10));
        let diagonal = each!(half in [0, 1] => l.sll32(negative[half], 12));
        let [edges, diagonals] = self.weights;
        [
            [add_even(l, edge[0], a, edges), add_even(l, edge[1], b, edges)],
            [add_odd(l, edge[0], a, edges), add_odd(l, edge[1], b, edges)],
            [add_even(l, diagonal[0], d, diagonals), add_odd(l, diagonal[1], d, diagonals)],
        ]
    }
}

/// `sum` plus the even words times a weight.
#[inline(always)]
fn add_even<L: Lanes>(l: L, sum: L::V, words: L::V, weights: [i16; 2]) -> L::V {
    let half = l.dot_add(sum, words, l.set32(weights[0].into()));
    l.dot_add(half, words, l.set32(weights[1].into()))
}

/// `sum` plus the odd words times a weight.
#[inline(always)]
fn add_odd<L: Lanes>(l: L, sum: L::V, words: L::V, weights: [i16; 2]) -> L::V {
    let half = l.dot_add(sum, words, l.set32(i32::from(weights[0]) << 16));
    l.dot_add(half, words, l.set32(i32::from(weights[1]) << 16))
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Decoupling and weighting above scale 0, in lanes of 32 bits. Products of 64 bits are formed of the even and the
//! odd lanes apart; those of the odd ones are shifted up, so that their result stays in its lane.
#![forbid(unsafe_code)]

use std::ops::Range;

use super::super::plan::{Plan, Scale};
use super::super::scalar::wavelet::{HIGH, LOW};
use super::buffer::MARGIN;
use super::estimate;
use super::lanes::{Lanes, Stage, each};
use super::rows::{Masks, RowOut};
use super::wavelet::{Lines, across_split};

/// Registers of a block: h, v, d.
const REGISTERS: usize = 3;

/// Constants of a stream at one scale.
#[derive(Clone, Copy)]
pub struct Coarse {
    gain: i32,
    weights: [i64; 3],
    /// Bits by which the denominator's squares and cubes are shifted.
    shifts: [u32; 2],
}

impl Coarse {
    /// For whole-number gains and weights below 2^28 only.
    pub fn new(plan: &Plan, scale: &Scale) -> Self {
        let square = if scale.index == 2 { 30 } else { 31 };
        Self {
            gain: plan.gain_limit as i32,
            weights: scale.weights.fixed.map(i64::from),
            shifts: [square, scale.denominator_rounding()[0].shift],
        }
    }

    /// (v * weight + 2^27) >> 28
    #[inline(always)]
    fn weigh<L: Lanes>(&self, l: L, v: L::V, band: usize) -> L::V {
        let (weight, half) = (l.set64(self.weights[band]), l.set64(1 << 27));
        let even = l.add64(l.mul_signed(v, weight), half);
        let odd = l.add64(l.mul_signed(l.srl64(v, 32), weight), half);
        l.blend32(l.srl64(even, 28), l.sll64(odd, 4))
    }

    /// The cubes of a register in the units of the denominator, added by twos to 64-bit lanes.
    #[inline(always)]
    fn cube<L: Lanes>(&self, l: L, v: L::V) -> L::V {
        let [square, cube] = self.shifts;
        let (unit, half) = (l.set64(1 << square), l.set64((1 << cube) >> 1));
        let (square, cube) = (l.set64(square.into()), l.set64(cube.into()));
        let [even, odd] = each!(v in [v, l.srl64(v, 32)] => {
            let squared = l.srl_each64(l.add64(l.mul_unsigned(v, v), unit), square);
            l.srl_each64(l.add64(l.mul_unsigned(squared, v), half), cube)
        });
        l.add64(even, odd)
    }

    /// The restored part of one band.
    #[inline(always)]
    fn restore<L: Lanes>(&self, l: L, o: L::V, t: L::V, near: L::V) -> L::V {
        let (magnitude, sign, zero) = (l.abs32(o), l.sra32(o, 31), l.set32(0));
        let along = signed(l, t, sign);
        let positive = l.max32(along, zero);
        let k = ratio(l, magnitude, positive);
        // Where the reference is at most 2^14, the middle one of 0, reference and distorted is exact.
        let middle = l.min32(positive, magnitude);
        let small = l.greater32(l.set32((1 << 14) + 1), magnitude);
        let reduced = l.select(small, signed(l, middle, sign), scaled(l, k, o));
        // Beyond it the product passes every distorted coefficient.
        let most = i32::MAX / self.gain;
        let enhanced = l.mul_low32(l.min32(l.abs32(reduced), l.set32(most)), l.set32(self.gain));
        let enhanced = signed(l, l.min32(enhanced, along), sign);
        l.select(l.and(near, l.greater32(along, zero)), enhanced, reduced)
    }
}

/// v, or -v where `sign` has ones.
#[inline(always)]
fn signed<L: Lanes>(l: L, v: L::V, sign: L::V) -> L::V {
    l.sub32(l.xor(v, sign), sign)
}

/// distorted / reference from 0 to 1 in units of 2^-15, for references of more than 2^14.
#[inline(always)]
fn ratio<L: Lanes>(l: L, magnitude: L::V, distorted: L::V) -> L::V {
    let dropped = l.bits_beyond_15(magnitude);
    let half = l.srl32(l.sll_each32(l.set32(1), dropped), 1);
    let mantissa = l.srl_each32(l.add32(magnitude, half), dropped);
    // The quotient is below 2^17, so that a float is off by less than one, and never below the true one's floor.
    let quotient = l.truncate(l.div_float(l.set_float((1 << 30) as f32), l.to_float(mantissa)));
    let rest = l.sub32(l.set32(1 << 30), l.mul_low32(quotient, mantissa));
    let reciprocal = l.add32(quotient, l.sra32(rest, 31));
    // Twice the reference is enough to come out as 1, and keeps the products below 2^32 when shifted.
    let distorted = l.min_unsigned32(distorted, l.add32(magnitude, magnitude));
    let down = l.and(l.add32(dropped, l.set32(14)), l.set64(0xffff_ffff));
    let up = l.srl64(l.sub32(l.set32(18), dropped), 32);
    let even = l.srl_each64(l.mul_unsigned(reciprocal, distorted), down);
    let odd = l.sll_each64(l.mul_unsigned(l.srl64(reciprocal, 32), l.srl64(distorted, 32)), up);
    let doubled = l.blend32(even, odd);
    l.min32(l.srl32(l.add32(doubled, l.set32(1)), 1), l.set32(1 << 15))
}

/// (k * v + 2^14) >> 15
#[inline(always)]
fn scaled<L: Lanes>(l: L, k: L::V, v: L::V) -> L::V {
    let half = l.set64(1 << 14);
    let even = l.add64(l.mul_signed(k, v), half);
    let odd = l.add64(l.mul_signed(l.srl64(k, 32), l.srl64(v, 32)), half);
    l.blend32(l.srl64(even, 15), l.sll64(odd, 17))
}

/// (v * factor - 2^31) >> 32
#[inline(always)]
fn mask<L: Lanes>(l: L, v: L::V, factor: i64) -> L::V {
    let (factor, offset) = (l.set64(factor), l.set64(-(1 << 31)));
    let even = l.add64(l.mul_unsigned(v, factor), offset);
    let odd = l.add64(l.mul_unsigned(l.srl64(v, 32), factor), offset);
    l.blend32(l.srl64(even, 32), odd)
}

/// The details of one picture's row.
pub struct Details<'a> {
    /// Low-pass and high-pass.
    pub lines: &'a Lines,
    /// Positions, whole blocks.
    pub columns: Range<usize>,
    /// Rounding of the horizontal pass.
    pub shift: u32,
    /// Three registers a block.
    pub out: &'a mut [i32],
}

impl Stage for Details<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let [low, high] = self.lines;
        for x in self.columns.step_by(L::WIDTH) {
            each!((band, line, taps) in [(0, high, &LOW), (1, low, &HIGH), (2, high, &HIGH)] => {
                let at = REGISTERS * x + band * L::WIDTH;
                l.store32(self.out, at, across_split(l, line, taps, x, self.shift));
            });
        }
    }
}

/// Decouples a row and weighs its parts; returns the sums of the reference's cubes in the window.
pub struct Decouple<'a> {
    /// Constants.
    pub coarse: &'a Coarse,
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
        for x in self.columns.clone().step_by(L::WIDTH) {
            self.block(l, x, &mut cubes);
        }
        let [h, v, d] = cubes;
        each!(sum in [h, v, d] => l.sum64(sum) as u64)
    }
}

impl Decouple<'_> {
    #[inline(always)]
    fn block<L: Lanes>(&mut self, l: L, x: usize, cubes: &mut [L::V; 3]) {
        let [o, t] = each!(picture in [0, 1] => {
            each!(band in [0, 1, 2] => l.load32(self.bands[picture], REGISTERS * x + band * L::WIDTH))
        });
        let near = near(l, [o[0], o[1]], [t[0], t[1]]);
        let inside = l.load32(self.inside, MARGIN + x);
        let zero = l.set32(0);
        let mut sums = [[zero, zero], [zero, zero]];
        each!(band in [0, 1, 2] => {
            let restored = self.coarse.restore(l, o[band], t[band], near);
            let additive = l.sub32(t[band], restored);
            self.weigh(l, 0, restored, (band, x), &mut sums[0]);
            self.weigh(l, 1, additive, (band, x), &mut sums[1]);
            let magnitude = l.and(l.abs32(o[band]), inside);
            cubes[band] = l.add64(cubes[band], self.coarse.cube(l, magnitude));
        });
        each!(part in [0, 1] => {
            let Masks { around, centre } = &mut self.out.masks[part];
            l.store32(around, MARGIN + x, sums[part][0]);
            l.store32(centre, MARGIN + x, sums[part][1]);
        });
    }

    /// Stores a part's weighted magnitudes of one band and adds its shares in thresholds.
    #[inline(always)]
    fn weigh<L: Lanes>(
        &mut self,
        l: L,
        part: usize,
        v: L::V,
        (band, x): (usize, usize),
        [around, centre]: &mut [L::V; 2],
    ) {
        let weighted = l.abs32(self.coarse.weigh(l, v, band));
        l.store32(self.out.parts[part], REGISTERS * x + band * L::WIDTH, weighted);
        let (share, own) = (mask(l, weighted, 143_165_577), mask(l, weighted, 286_331_153));
        *around = l.add32(*around, share);
        *centre = l.add32(*centre, l.sub32(own, share));
    }
}

/// Ones where the two (h, v) are near.
#[inline(always)]
pub fn near<L: Lanes>(l: L, o: [L::V; 2], t: [L::V; 2]) -> L::V {
    let [oh, ov, th, tv] = each!(v in [o[0], o[1], t[0], t[1]] => l.to_float(v));
    let products = each!((ah, av, bh, bv) in [(oh, ov, th, tv), (oh, ov, oh, ov), (th, tv, th, tv)] => {
        l.add_float(l.mul_float(ah, bh), l.mul_float(av, bv))
    });
    // The products are rounded before they are added. At the limit the sum is close to that of the magnitudes,
    // so that its relative error stays below 2^-21.
    let estimate = estimate::near(l, products, 4e-6);
    if l.any(estimate.undecided, l.set32(-1)) {
        return estimate.decide(l, o, t);
    }
    estimate.near
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Part B by vectors, from chroma on. Where the specification rounds to double, nothing is fused; where a float
//! follows at once, values may be fused and shorter, with a test of the rounding.
#![forbid(unsafe_code)]

use std::f64::consts::{PI, TAU};

use super::super::scalar::{P25, TONE_1, TONE_3, TONE_4};
use super::colour::Colours;
use super::row::{BLOCK, Open};
use crate::math::lanes::Lanes;
use crate::math::vector::{angle, exp_negative, sin, sin_cos};

/// What the stages of part B leave of a block.
pub struct Polars {
    /// Step B6, of both pictures.
    a: [[f32; BLOCK]; 2],
    /// Step B7.
    chroma: [[f32; BLOCK]; 2],
    /// Step B11.
    hue: [[f32; BLOCK]; 2],
    /// Step B14.
    mean_hue: [f32; BLOCK],
    /// The quotients l and h of step B23.
    l: [f32; BLOCK],
    h: [f32; BLOCK],
    /// Step B24.
    pub differences: [f32; BLOCK],
}

impl Polars {
    pub fn new() -> Self {
        let (zero, zeros) = ([0.0; BLOCK], [[0.0; BLOCK]; 2]);
        Self { a: zeros, chroma: zeros, hue: zeros, mean_hue: zero, l: zero, h: zero, differences: zero }
    }

    /// Steps B1, B3 to B7 and B9.
    #[inline(always)]
    pub fn stretch<L: Lanes>(&mut self, l: L, colours: &[Colours; 2], open: &mut Open) {
        let half = l.splat_single(0.5);
        for at in (0..BLOCK).step_by(L::WIDTH) {
            let [first, second] = [load(l, &colours[0].chroma, at), load(l, &colours[1].chroma, at)];
            let gain = a_factor(l, l.widen((first + second) * half));
            for (i, colour) in colours.iter().enumerate() {
                let value = l.widen(load(l, &colour.a, at)) * gain;
                // The factor is within 2^-40 of its size.
                open.mark(l, at, l.open::<13>(value));
                let a = l.round(value);
                l.store_single(&mut self.a[i][at..], a);
                let (a, b) = (l.widen(a), l.widen(load(l, &colour.b, at)));
                l.store_single(&mut self.chroma[i][at..], l.round(l.sqrt(a * a + b * b)));
            }
            let [first, second] = [load(l, &colours[0].l, at), load(l, &colours[1].l, at)];
            let weight = lightness_weight(l, (first + second) * half, at, open);
            l.store_single(&mut self.l[at..], (second - first) / (l.splat_single(0.65) * weight));
        }
    }

    /// Step B11 of both pictures.
    #[inline(always)]
    pub fn turn<L: Lanes>(&mut self, l: L, colours: &[Colours; 2], open: &mut Open) {
        for (i, colour) in colours.iter().enumerate() {
            for at in (0..BLOCK).step_by(L::WIDTH) {
                let a = l.widen(load(l, &self.a[i], at));
                let b = l.widen(load(l, &colour.b, at));
                let value = angle(l, b, a);
                open.mark(l, at, l.open::<8>(value));
                let angle = l.widen(l.round(value));
                let below = l.greater(l.splat(0.0), b);
                let hue = l.select(below, l.splat(TAU) - angle, angle);
                l.store_single(&mut self.hue[i][at..], l.round(hue));
            }
        }
    }

    /// Steps B12 to B16, and h of step B23.
    #[inline(always)]
    pub fn compare_hues<L: Lanes>(&mut self, l: L, open: &mut Open) {
        let half = l.splat_single(0.5);
        for at in (0..BLOCK).step_by(L::WIDTH) {
            let [first, second] = [load(l, &self.hue[0], at), load(l, &self.hue[1], at)];
            let step = l.widen(second - first);
            let far = l.greater(l.abs(step), l.splat(PI));
            let turn = l.select(far, l.splat(TAU), l.splat(0.0));
            let mean = (l.widen(first + second) + turn) * l.splat(0.5);
            let mean = l.round(mean);
            l.store_single(&mut self.mean_hue[at..], mean);
            let step = l.widen(l.round(step - l.copy_sign(turn, step)));
            let [first, second] = [load(l, &self.chroma[0], at), load(l, &self.chroma[1], at)];
            let change = hue_difference(l, first * second, step, at, open);
            let chroma = l.widen((first + second) * half);
            let weight = hue_weight(l, chroma, l.widen(mean), at, open);
            l.store_single(&mut self.h[at..], change / (l.splat_single(4.0) * weight));
        }
    }

    /// Steps B8, B10 and B17 to B24.
    #[inline(always)]
    pub fn sum<L: Lanes>(&mut self, l: L, open: &mut Open) {
        for at in (0..BLOCK).step_by(L::WIDTH) {
            let [first, second] = [load(l, &self.chroma[0], at), load(l, &self.chroma[1], at)];
            let chroma = l.widen((first + second) * l.splat_single(0.5));
            let weight = l.round(l.splat(1.0) + l.splat(0.045) * chroma);
            let c = (second - first) / weight;
            let (lightness, h) = (load(l, &self.l, at), load(l, &self.h, at));
            let rotation = rotation(l, chroma, l.widen(load(l, &self.mean_hue, at)), at, open);
            let mixed = l.widen((rotation * c) * h);
            let (lightness, c, h) = (l.widen(lightness), l.widen(c), l.widen(h));
            let sum = ((lightness * lightness + c * c) + h * h) + mixed;
            l.store_single(&mut self.differences[at..], l.round(l.sqrt(sum)));
        }
    }
}

#[inline(always)]
fn load<L: Lanes>(l: L, from: &[f32; BLOCK], at: usize) -> L::Single {
    l.load_single(&from[at..])
}

/// 1 + G / 2 of steps B4 and B5 within 2^-40: sqrt(p / (p + 25^7)) as p / sqrt(p (p + 25^7)).
#[inline(always)]
fn a_factor<L: Lanes>(l: L, chroma: L::Double) -> L::Double {
    let square = chroma * chroma;
    let p = (square * square) * (square * chroma);
    // So small a number beside the product is there for p = 0 alone.
    let root = p * l.reciprocal_root(l.mul_add(p, p + l.splat(P25), l.splat(1e-290)));
    l.mul_sub_from(root, l.splat(0.5), l.splat(1.5))
}

/// Step B9, within 2^-40 of its size.
#[inline(always)]
fn lightness_weight<L: Lanes>(l: L, mean: L::Single, at: usize, open: &mut Open) -> L::Single {
    let t = l.widen(mean - l.splat_single(50.0));
    let square = t * t;
    let root = l.reciprocal_root(square + l.splat(20.0));
    let weight = l.mul_add(l.splat(0.015) * square, root, l.splat(1.0));
    open.mark(l, at, l.open::<13>(weight));
    l.round(weight)
}

/// Step B13. Two grey pixels have a product of 0, and need no rule of their own.
#[inline(always)]
fn hue_difference<L: Lanes>(
    l: L,
    product: L::Single,
    step: L::Double,
    at: usize,
    open: &mut Open,
) -> L::Single {
    let root = l.splat(2.0) * l.sqrt(l.widen(product));
    let value = root * sin(l, step * l.splat(0.5));
    open.mark(l, at, l.open::<8>(value));
    l.round(value)
}

/// Steps B15 and B16; the tone, which is above 1/4, within 2^-46.
#[inline(always)]
fn hue_weight<L: Lanes>(l: L, chroma: L::Double, hue: L::Double, at: usize, open: &mut Open) -> L::Single {
    let tone = hue_tone(l, hue);
    open.mark(l, at, l.open::<9>(tone));
    let tone = l.widen(l.round(tone));
    l.round(l.splat(1.0) + (l.splat(0.015) * chroma) * tone)
}

#[inline(always)]
fn hue_tone<L: Lanes>(l: L, hue: L::Double) -> L::Double {
    let (s, c) = sin_cos(l, hue);
    let (s2, c2) = doubled(l, s, c);
    let (s3, c3) = (l.mul_add(s2, c, c2 * s), l.mul_sub_from(s2, s, c2 * c));
    let (s4, c4) = doubled(l, s2, c2);
    let tone = l.mul_sub_from(l.splat(TONE_1[0]), c, l.mul_sub_from(l.splat(TONE_1[1]), s, l.splat(1.0)));
    let tone = l.mul_add(l.splat(0.24), c2, tone);
    let tone = l.mul_add(l.splat(TONE_3[0]), c3, l.mul_sub_from(l.splat(TONE_3[1]), s3, tone));
    l.mul_sub_from(l.splat(TONE_4[0]), c4, l.mul_sub_from(l.splat(TONE_4[1]), s4, tone))
}

/// Sine and cosine of twice an angle.
#[inline(always)]
fn doubled<L: Lanes>(l: L, s: L::Double, c: L::Double) -> (L::Double, L::Double) {
    let two_c = c + c;
    (two_c * s, l.mul_add(two_c, c, l.splat(-1.0)))
}

/// Steps B17 to B22.
#[inline(always)]
fn rotation<L: Lanes>(l: L, chroma: L::Double, hue: L::Double, at: usize, open: &mut Open) -> L::Single {
    let degrees = l.widen(l.round(hue * l.splat(180.0 / PI)));
    let d = l.round((degrees - l.splat(275.0)) * l.splat(1.0 / 25.0));
    // Beyond 80 the rotation is too small to change the difference.
    let square = l.min(l.widen(d * d), l.splat(80.0));
    let e = l.splat(60.0) * exp_negative(l, square);
    let open_e = l.open::<9>(e);
    let angle = l.widen(l.round(l.widen(l.round(e)) * l.splat(PI / 180.0)));
    let square = chroma * chroma;
    let q = l.round((square * square) * (square * chroma));
    let m = q / (q + l.splat_single(P25 as f32));
    let value = (l.splat(-2.0) * l.sqrt(l.widen(m))) * sin(l, angle);
    open.mark(l, at, open_e | l.open::<9>(value));
    l.round(value)
}

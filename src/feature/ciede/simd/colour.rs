// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Part A by vectors: from samples to L, a, b, and chroma (step B2).
#![forbid(unsafe_code)]
// The coefficients are those of the specification, digit for digit.
#![allow(clippy::excessive_precision)]

use super::super::scalar::{EPSILON, LINEAR_END, Scale};
use super::row::{BLOCK, Open, Samples};
use crate::math::lanes::{Lanes, Sample};
use crate::math::vector::{POWER_1_3, POWER_2_4};

/// Red, green and blue of a block, linear in light.
pub struct Light([[f64; BLOCK]; 3]);

impl Light {
    pub fn new() -> Self {
        Self([[0.0; BLOCK]; 3])
    }

    /// Steps A1 to A3; the powers within 2^-47.
    #[inline(always)]
    pub fn linearise<L: Lanes, T: Sample>(
        &mut self,
        l: L,
        scale: &Scale,
        samples: &Samples<T>,
        open: &mut Open,
    ) {
        let peak = l.splat(f64::from(scale.peak));
        for at in (0..BLOCK).step_by(L::WIDTH) {
            let y = T::load(l, &samples.y[at..]);
            let u = T::load(l, &samples.u[at..]);
            let v = T::load(l, &samples.v[at..]);
            // The bounds and the tables are for nominal samples only.
            open.mark(l, at, l.greater(l.max(l.max(y, u), v), peak));
            let y = (y - l.splat(scale.black)) * l.splat(scale.luma);
            let u = (u - l.splat(scale.grey)) * l.splat(scale.chroma);
            let v = (v - l.splat(scale.grey)) * l.splat(scale.chroma);
            let r = y + l.splat(1.28033) * v;
            let g = (y - l.splat(0.21482) * u) - l.splat(0.38059) * v;
            let b = y + l.splat(2.12798) * u;
            l.store(&mut self.0[0][at..], linear_light(l, r));
            l.store(&mut self.0[1][at..], linear_light(l, g));
            l.store(&mut self.0[2][at..], linear_light(l, b));
        }
    }
}

#[inline(always)]
fn linear_light<L: Lanes>(l: L, c: L::Double) -> L::Double {
    let bright = l.greater(c, l.splat(LINEAR_END));
    let power = POWER_2_4.of(l, (c + l.splat(0.055)) * l.splat(1.0 / 1.055));
    l.select(bright, power, c * l.splat(1.0 / 12.92))
}

/// Rows of step A4 with the divisions of step A5 in them.
const XYZ: [[f64; 3]; 3] = [
    [0.4124564390896921 / 0.95047, 0.357576077643909 / 0.95047, 0.18043748326639894 / 0.95047],
    [0.21267285140562248, 0.715152155287818, 0.07217499330655958],
    [0.019333895582329317 / 1.08883, 0.119192025881303 / 1.08883, 0.9503040785363677 / 1.08883],
];

/// The Lab colours of a block, and their chroma.
pub struct Colours {
    pub l: [f32; BLOCK],
    pub a: [f32; BLOCK],
    pub b: [f32; BLOCK],
    pub chroma: [f32; BLOCK],
}

impl Colours {
    pub fn new() -> Self {
        Self { l: [0.0; BLOCK], a: [0.0; BLOCK], b: [0.0; BLOCK], chroma: [0.0; BLOCK] }
    }

    /// Steps A4 to A7 and B2.
    #[inline(always)]
    pub fn fill<L: Lanes>(&mut self, l: L, light: &Light, open: &mut Open) {
        for at in (0..BLOCK).step_by(L::WIDTH) {
            let rgb = [l.load(&light.0[0][at..]), l.load(&light.0[1][at..]), l.load(&light.0[2][at..])];
            let (x, open_x) = lightness(l, dot(l, &XYZ[0], rgb));
            let (y, open_y) = lightness(l, dot(l, &XYZ[1], rgb));
            let (z, open_z) = lightness(l, dot(l, &XYZ[2], rgb));
            open.mark(l, at, open_x | open_y | open_z);
            let a = l.round(l.splat(500.0) * (x - y));
            let b = l.round(l.splat(200.0) * (y - z));
            l.store_single(&mut self.l[at..], l.round(l.splat(116.0) * y - l.splat(16.0)));
            l.store_single(&mut self.a[at..], a);
            l.store_single(&mut self.b[at..], b);
            let (a, b) = (l.widen(a), l.widen(b));
            l.store_single(&mut self.chroma[at..], l.round(l.sqrt(a * a + b * b)));
        }
    }
}

#[inline(always)]
fn dot<L: Lanes>(l: L, row: &[f64; 3], [r, g, b]: [L::Double; 3]) -> L::Double {
    l.mul_add(b, l.splat(row[2]), l.mul_add(g, l.splat(row[1]), r * l.splat(row[0])))
}

/// Step A6, rounded to float and widened, and where that rounding is open.
///
/// The sum c is within 22 * 1.6 * 2^-47 of its size, its power, which takes a third of that, within 2^-43. In the
/// linear branch c has terms below 0.2 in sum, so that the value is within 8 * 0.2 * 2^-47, which is below 2^-43 of
/// its size where that is at least 2^-4; below, a last place may be too small a measure. About the choice of the
/// branch nothing is open: where c is so near to its end, both give the same within the bound.
#[inline(always)]
fn lightness<L: Lanes>(l: L, c: L::Double) -> (L::Double, L::Mask) {
    let bright = l.greater(c, l.splat(EPSILON));
    let mut value = POWER_1_3.of(l, c);
    let mut small = l.greater(l.splat(0.0), l.splat(0.0));
    if l.bits(bright) != l.bits(l.all()) {
        let linear = l.mul_add(c, l.splat(KAPPA_116), l.splat(16.0 / 116.0));
        value = l.select(bright, value, linear);
        small = l.greater(l.splat(1.0 / 16.0), l.abs(value));
    }
    (l.widen(l.round(value)), small | l.open::<11>(value))
}

/// The slope of the linear branch.
const KAPPA_116: f64 = 24389.0 / 27.0 / 116.0;

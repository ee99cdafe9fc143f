// SPDX-License-Identifier: BSD-2-Clause-Patent
//! CIEDE2000 of one pixel pair in the stages of `ciede.md`: part A from samples to L, a, b, part B from two colours
//! to their difference. Which operations are in float and which in double is part of the definition, and so is
//! their order.
#![forbid(unsafe_code)]
// The coefficients are those of the specification, digit for digit.
#![allow(clippy::excessive_precision)]

use std::f64::consts::{PI, TAU};

use crate::feature::depth::Depth;
use crate::math::{self, POWER_1_3, POWER_2_4, Power, decided, rounded};
use crate::picture::Plane;

/// One row of a picture: luma samples and the rows of chroma samples that belong to them.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a, T> {
    /// Luma.
    pub y: &'a [T],
    /// Blue difference.
    pub u: &'a [T],
    /// Red difference.
    pub v: &'a [T],
    /// Whether a chroma sample is for two columns.
    pub halved: bool,
}

impl<T: Copy + Into<u16>> Row<'_, T> {
    /// The samples of column `x`.
    pub fn sample(&self, x: usize) -> [u16; 3] {
        let chroma = x >> u32::from(self.halved);
        [self.y[x].into(), self.u[chroma].into(), self.v[chroma].into()]
    }
}

/// The planes of a picture.
#[derive(Clone, Copy, Debug)]
pub struct Planes<'a, T> {
    /// Luma.
    pub y: Plane<'a, T>,
    /// Blue difference.
    pub u: Plane<'a, T>,
    /// Red difference.
    pub v: Plane<'a, T>,
    /// Whether chroma has half the columns and half the rows, rounded up.
    pub halved: [bool; 2],
}

impl<'a, T> Planes<'a, T> {
    /// Row `y`.
    pub fn row(&self, y: usize) -> Row<'a, T> {
        let chroma = y >> u32::from(self.halved[1]);
        Row { y: self.y.row(y), u: self.u.row(chroma), v: self.v.row(chroma), halved: self.halved[0] }
    }
}

/// The differences of a reference and a distorted picture, written to `rows`, of which the first is row `first`.
pub fn row_differences<T: Copy + Into<u16>>(
    scale: &Scale,
    [reference, distorted]: [&Planes<'_, T>; 2],
    first: usize,
    rows: &mut [Box<[f32]>],
) {
    for (y, row) in (first..).zip(rows) {
        let (reference, distorted) = (reference.row(y), distorted.row(y));
        for (x, difference) in row.iter_mut().enumerate() {
            *difference = pixel_difference(scale, reference.sample(x), distorted.sample(x));
        }
    }
}

/// The sum of all differences. The reference adds in raster order to one double, which rounds once small differences
/// meet a large sum: any other order may give other bits.
pub fn sum(rows: &[Box<[f32]>]) -> f64 {
    rows.iter().flatten().fold(0.0, |sum, &difference| sum + f64::from(difference))
}

/// The difference of two pixels of (Y, U, V).
pub fn pixel_difference(scale: &Scale, reference: [u16; 3], distorted: [u16; 3]) -> f32 {
    difference(scale.lab(reference), scale.lab(distorted))
}

/// What turns the samples of one depth to the unit range.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// Luma of black.
    pub black: f64,
    /// One over luma's range.
    pub luma: f64,
    /// Chroma of grey.
    pub grey: f64,
    /// One over chroma's range.
    pub chroma: f64,
    /// The largest sample.
    pub peak: u16,
}

impl Scale {
    /// For samples of this depth.
    pub fn new(depth: Depth) -> Self {
        let s = depth.scale();
        let peak = (u32::from(u16::MAX) >> (16 - depth.bits())) as u16;
        Self { black: 16.0 * s, luma: 1.0 / (219.0 * s), grey: 128.0 * s, chroma: 1.0 / (224.0 * s), peak }
    }

    /// Part A.
    pub fn lab(&self, sample: [u16; 3]) -> Lab {
        let rgb = self.rgb(sample);
        // The bounds of the fast values hold for nominal samples only.
        let nominal = sample.iter().all(|&s| s <= self.peak);
        let fast = if nominal { fast_roots(rgb) } else { None };
        Lab::new(fast.unwrap_or_else(|| exact_roots(rgb)))
    }

    /// Steps A1 and A2: nothing is clamped.
    fn rgb(&self, [y, u, v]: [u16; 3]) -> [f64; 3] {
        let y = (f64::from(y) - self.black) * self.luma;
        let u = (f64::from(u) - self.grey) * self.chroma;
        let v = (f64::from(v) - self.grey) * self.chroma;
        [y + 1.28033 * v, (y - 0.21482 * u) - 0.38059 * v, y + 2.12798 * u]
    }
}

/// Above it a colour component is no longer linear in light's.
pub const LINEAR_END: f64 = 10.0 / 255.0;

/// Above it the lightness function is a power.
pub const EPSILON: f64 = 216.0 / 24389.0;

const KAPPA: f64 = 24389.0 / 27.0;

/// Step A3, with `power` for x^2.4.
fn linear_light(c: f64, power: impl Fn(&Power, f64) -> f64) -> f64 {
    if c > LINEAR_END { power(&POWER_2_4, (c + 0.055) * (1.0 / 1.055)) } else { c * (1.0 / 12.92) }
}

/// Steps A4 and A5.
fn xyz([r, g, b]: [f64; 3]) -> [f64; 3] {
    let x = (r * 0.4124564390896921 + g * 0.357576077643909) + b * 0.18043748326639894;
    let y = (r * 0.21267285140562248 + g * 0.715152155287818) + b * 0.07217499330655958;
    let z = (r * 0.019333895582329317 + g * 0.119192025881303) + b * 0.9503040785363677;
    [x * (1.0 / 0.95047), y, z * (1.0 / 1.08883)]
}

/// Step A6 before its rounding, with `power` for x^(1/3).
fn lightness(c: f64, power: impl Fn(&Power, f64) -> f64) -> f64 {
    if c > EPSILON { power(&POWER_1_3, c) } else { (KAPPA * c + 16.0) * (1.0 / 116.0) }
}

/// Steps A3 to A6 with fast powers, unless one of the three roundings is open.
fn fast_roots(rgb: [f64; 3]) -> Option<[f32; 3]> {
    let root = |c: f64| {
        let value = lightness(c, Power::fast);
        let linear = if c > EPSILON { 0.0 } else { 2f64.powi(-48) };
        decided(value, value.abs() * 2f64.powi(-46) + linear).filter(|_| (c - EPSILON).abs() > 2f64.powi(-50))
    };
    let [x, y, z] = xyz(rgb.map(|c| linear_light(c, Power::fast))).map(root);
    Some([x?, y?, z?])
}

fn exact_roots(rgb: [f64; 3]) -> [f32; 3] {
    xyz(rgb.map(|c| linear_light(c, Power::exact))).map(|c| lightness(c, Power::exact) as f32)
}

/// A colour of CIE 1976 L*a*b*.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lab {
    /// Lightness, 0 to 100 for nominal samples.
    pub l: f32,
    /// From green to red.
    pub a: f32,
    /// From blue to yellow.
    pub b: f32,
}

impl Lab {
    /// Step A7.
    fn new(roots: [f32; 3]) -> Self {
        let [x, y, z] = roots.map(f64::from);
        Self { l: (116.0 * y - 16.0) as f32, a: (500.0 * (x - y)) as f32, b: (200.0 * (y - z)) as f32 }
    }

    /// Step B2.
    fn chroma(self) -> f32 {
        length(self.a, self.b)
    }
}

/// Part B.
pub fn difference(reference: Lab, distorted: Lab) -> f32 {
    let colours = [reference, distorted];
    let grey = colours.iter().any(|colour| colour.chroma() == 0.0);
    let gain = a_gain(mean(reference.chroma(), distorted.chroma()));
    let [first, second] = colours.map(|colour| Polar::new(colour, gain));
    let chroma = mean(first.chroma, second.chroma);
    let hues = Hues { first: first.hue, second: second.hue };
    let mean_hue = hues.mean();
    let hue_change = hue_difference(first.chroma * second.chroma, if grey { 0.0 } else { hues.step() });
    let l = (distorted.l - reference.l) / (0.65 * lightness_weight(mean(reference.l, distorted.l)));
    let c = (second.chroma - first.chroma) / chroma_weight(chroma);
    let h = hue_change / (4.0 * hue_weight(chroma, mean_hue));
    total(l, c, h, rotation(chroma, mean_hue))
}

/// The mean in float: steps B1, B3 and B8.
fn mean(first: f32, second: f32) -> f32 {
    (first + second) / 2.0
}

/// The length of (a, b).
fn length(a: f32, b: f32) -> f32 {
    let (a, b) = (f64::from(a), f64::from(b));
    (a * a + b * b).sqrt() as f32
}

/// 25^7.
pub const P25: f64 = 6_103_515_625.0;

/// Steps B4 and B5.
fn a_gain(chroma: f32) -> f64 {
    let p = math::power_7(chroma);
    1.0 - (p / (p + P25)).sqrt()
}

/// Chroma and hue of a colour after a was stretched.
struct Polar {
    chroma: f32,
    hue: f32,
}

impl Polar {
    /// Steps B6, B7 and B11.
    fn new(colour: Lab, gain: f64) -> Self {
        let a = (f64::from(colour.a) + f64::from(colour.a / 2.0) * gain) as f32;
        Self { chroma: length(a, colour.b), hue: hue(colour.b, a) }
    }
}

/// The angle of (a, b), 0 to 2 pi.
fn hue(b: f32, a: f32) -> f32 {
    if a == 0.0 && b == 0.0 {
        return 0.0;
    }
    let fast = math::atan2_fast(b, a);
    let angle = rounded(fast, fast.abs() * 2f64.powi(-50), || math::atan2(b, a));
    if angle < 0.0 { (f64::from(angle) + TAU) as f32 } else { angle }
}

/// The two hues; how they are averaged and subtracted depends on which way round is shorter.
struct Hues {
    first: f32,
    second: f32,
}

impl Hues {
    fn far(&self) -> bool {
        f64::from(self.first - self.second).abs() > PI
    }

    /// Step B12 of colours that are not grey.
    fn step(&self) -> f32 {
        let step = self.second - self.first;
        match (self.far(), self.second <= self.first) {
            (false, _) => step,
            (true, true) => (f64::from(step) + TAU) as f32,
            (true, false) => (f64::from(step) - TAU) as f32,
        }
    }

    /// Step B14: unlike the paper's it may pass 2 pi, and counts the hue of grey.
    fn mean(&self) -> f32 {
        let sum = f64::from(self.first + self.second);
        (if self.far() { (sum + TAU) / 2.0 } else { sum / 2.0 }) as f32
    }
}

/// Step B9.
fn lightness_weight(l: f32) -> f32 {
    let t = f64::from(l - 50.0);
    (1.0 + (0.015 * (t * t)) / (20.0 + t * t).sqrt()) as f32
}

/// Step B10.
fn chroma_weight(chroma: f32) -> f32 {
    (1.0 + 0.045 * f64::from(chroma)) as f32
}

/// Step B13: `product` is that of the chromas.
fn hue_difference(product: f32, step: f32) -> f32 {
    let (root, half) = (2.0 * f64::from(product).sqrt(), f64::from(step) / 2.0);
    let fast = root * math::sin_fast(half);
    rounded(fast, fast.abs() * 2f64.powi(-50), || root * math::sin(half))
}

/// Steps B15 and B16.
fn hue_weight(chroma: f32, hue: f32) -> f32 {
    let t = rounded(hue_tone_fast(hue), 2f64.powi(-48), || hue_tone(f64::from(hue)));
    (1.0 + (0.015 * f64::from(chroma)) * f64::from(t)) as f32
}

fn hue_tone(hue: f64) -> f64 {
    let cos = math::cos;
    1.0 - 0.17 * cos(hue - PI / 6.0) + 0.24 * cos(2.0 * hue) + 0.32 * cos(3.0 * hue + PI / 30.0)
        - 0.20 * cos(4.0 * hue - 7.0 * PI / 20.0)
}

/// The same by multiples of one angle's sine and cosine, within 2^-48.
fn hue_tone_fast(hue: f32) -> f64 {
    let (s, c) = math::sin_cos_fast(hue);
    let (s2, c2) = (2.0 * (s * c), 2.0 * (c * c) - 1.0);
    let (s3, c3) = (s2 * c + c2 * s, c2 * c - s2 * s);
    let (s4, c4) = (2.0 * (s2 * c2), 2.0 * (c2 * c2) - 1.0);
    1.0 - (TONE_1[0] * c + TONE_1[1] * s) + 0.24 * c2 + (TONE_3[0] * c3 - TONE_3[1] * s3)
        - (TONE_4[0] * c4 + TONE_4[1] * s4)
}

/// 0.17 times cosine and sine of pi / 6.
pub const TONE_1: [f64; 2] = [0.14722431864335458, 0.08499999999999999];
/// 0.32 times cosine and sine of pi / 30.
pub const TONE_3: [f64; 2] = [0.3182470065178475, 0.03344910824564911];
/// 0.20 times cosine and sine of 7 pi / 20.
pub const TONE_4: [f64; 2] = [0.09079809994790937, 0.17820130483767357];

/// Steps B17 to B22.
fn rotation(chroma: f32, hue: f32) -> f32 {
    let angle = f64::from(rotation_angle(hue));
    let q = math::power_7_f32(chroma);
    let m = q / (q + P25 as f32);
    let root = -2.0 * f64::from(m).sqrt();
    let fast = root * math::sin_fast(angle);
    rounded(fast, fast.abs() * 2f64.powi(-50), || root * math::sin(angle))
}

/// Steps B17 to B19.
fn rotation_angle(hue: f32) -> f32 {
    let degrees = (f64::from(hue) * (180.0 / PI)) as f32;
    let d = ((f64::from(degrees) - 275.0) * (1.0 / 25.0)) as f32;
    let square = d * d;
    let fast = 60.0 * math::exp_negative_fast(square);
    let e = rounded(fast, fast * 2f64.powi(-50), || 60.0 * math::exp_negative(square));
    (f64::from(e) * (PI / 180.0)) as f32
}

/// Step B24, with the quotients of step B23.
fn total(l: f32, c: f32, h: f32, rotation: f32) -> f32 {
    let mixed = f64::from((rotation * c) * h);
    let [l, c, h] = [l, c, h].map(f64::from);
    (((l * l + c * c) + h * h) + mixed).sqrt() as f32
}

#[cfg(test)]
#[path = "scalar_tests.rs"]
mod tests;

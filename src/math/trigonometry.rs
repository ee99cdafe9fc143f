// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Arc tangent, sine and cosine (`math.md`, 4.4 and 4.5).
#![forbid(unsafe_code)]

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, PI};

use super::double_double::{Dd, ordered_sum, polynomial, product, quotient, sum};
use super::series;
use super::tables::*;

/// The smaller of |a| and |b| over the larger: k/16 and what the angle of k/16 leaves, as a quotient of exact terms.
struct Slope {
    k: usize,
    numerator: f64,
    denominator: f64,
}

impl Slope {
    fn new(b: f32, a: f32) -> Self {
        let (n, d) = (a.abs().min(b.abs()), a.abs().max(b.abs()));
        let k = (16.0 * (n / d) + 0.5).floor().min(15.0) as usize;
        let (n, d, centre) = (f64::from(n), f64::from(d), k as f64 / 16.0);
        Self { k, numerator: n - centre * d, denominator: d + centre * n }
    }
}

/// atan2(b, a), not both 0, within 2^-50 of its size.
pub fn atan2_fast(b: f32, a: f32) -> f64 {
    let Slope { k, numerator, denominator } = Slope::new(b, a);
    let q = numerator / denominator;
    let w = q * q;
    let angle = ATAN_CENTRES[k].high + (q + q * (w * series(w, &ATAN_SERIES[1..7])));
    let angle = if b.abs() > a.abs() { FRAC_PI_2 - angle } else { angle };
    (if a < 0.0 { PI - angle } else { angle }).copysign(f64::from(b))
}

/// atan2(b, a), not both 0, correctly rounded.
pub fn atan2(b: f32, a: f32) -> f64 {
    atan2_words(b, a).high
}

pub(super) fn atan2_words(b: f32, a: f32) -> Dd {
    let Slope { k, numerator, denominator } = Slope::new(b, a);
    let q = quotient(numerator, denominator);
    let angle = ATAN_CENTRES[k] + q * polynomial(q * q, &ATAN_SERIES);
    let angle = if b.abs() > a.abs() { HALF_PI_DD + -angle } else { angle };
    let angle = if a < 0.0 { PI_DD + -angle } else { angle };
    if b.is_sign_negative() { -angle } else { angle }
}

/// sin(x), |x| <= 1.6, within 2^-51 of its size.
pub fn sin_fast(x: f64) -> f64 {
    let w = x * x;
    x + x * (w * series(w, &SIN_SERIES[1..11]))
}

/// sin(x) and cos(x) of a float 0 <= x < 8, each within 2^-52.
pub fn sin_cos_fast(x: f32) -> (f64, f64) {
    let x = f64::from(x);
    let quarters = (x * FRAC_2_PI).round_ties_even();
    let r = (x - quarters * HALF_PI_1) - quarters * HALF_PI_REST_1;
    let w = r * r;
    let sin = r + r * (w * series(w, &SIN_SERIES[1..9]));
    let cos = 1.0 + w * series(w, &COS_SERIES[1..9]);
    match quarters as i32 & 3 {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    }
}

/// sin(x), |x| < 64, correctly rounded.
pub fn sin(x: f64) -> f64 {
    sin_words(x).high
}

/// cos(x), |x| < 64, correctly rounded.
pub fn cos(x: f64) -> f64 {
    cos_words(x).high
}

pub(super) fn sin_words(x: f64) -> Dd {
    turned(x, 0)
}

pub(super) fn cos_words(x: f64) -> Dd {
    turned(x, 1)
}

/// The sine of x and `shift` quarters of a turn.
fn turned(x: f64, shift: i32) -> Dd {
    let quarters = (x * FRAC_2_PI).round_ties_even();
    let rest = product(-quarters, HALF_PI_3.high);
    let rest = ordered_sum(rest.high, rest.low - quarters * HALF_PI_3.low);
    let r = sum(x - quarters * HALF_PI_1, -quarters * HALF_PI_2) + rest;
    let w = r * r;
    let turn = (quarters as i32).wrapping_add(shift) & 3;
    let value = if turn & 1 == 0 { r * polynomial(w, &SIN_SERIES) } else { polynomial(w, &COS_SERIES) };
    if turn >= 2 { -value } else { value }
}

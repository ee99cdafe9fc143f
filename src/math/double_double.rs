// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Double-double arithmetic: unevaluated sums of two doubles, some 100 bits, from plain double operations.
#![forbid(unsafe_code)]

use std::ops::{Add, Mul, Neg};

/// The number `high + low`, where `low` is at most half a last place of `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dd {
    /// The number rounded to a double.
    pub high: f64,
    /// What the rounding left over, itself rounded.
    pub low: f64,
}

/// A double-double of its two words.
pub const fn dd(high: f64, low: f64) -> Dd {
    Dd { high, low }
}

/// The exact sum of two doubles.
pub fn sum(a: f64, b: f64) -> Dd {
    let high = a + b;
    let t = high - a;
    dd(high, (a - (high - t)) + (b - t))
}

/// The exact sum of two doubles, the first not smaller than the second.
pub fn ordered_sum(a: f64, b: f64) -> Dd {
    let high = a + b;
    dd(high, b - (high - a))
}

/// The exact product of two doubles, by halves: a fused operation gives the same two words.
pub fn product(a: f64, b: f64) -> Dd {
    let high = a * b;
    let ((ah, al), (bh, bl)) = (halves(a), halves(b));
    dd(high, ((ah * bh - high) + ah * bl + al * bh) + al * bl)
}

/// A double as the sum of two of 26 bits each.
fn halves(a: f64) -> (f64, f64) {
    let c = 134_217_729.0 * a;
    let high = c - (c - a);
    (high, a - high)
}

/// The quotient of two doubles.
pub fn quotient(numerator: f64, denominator: f64) -> Dd {
    let q = numerator / denominator;
    let p = product(q, denominator);
    ordered_sum(q, ((numerator - p.high) - p.low) / denominator)
}

/// The polynomial with these coefficients, that of z^0 first.
pub fn polynomial(z: Dd, coefficients: &[Dd]) -> Dd {
    let (&top, rest) = coefficients.split_last().expect("a polynomial has a coefficient");
    rest.iter().rev().fold(top, |value, &c| value * z + c)
}

impl Add for Dd {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let (high, low) = (sum(self.high, other.high), sum(self.low, other.low));
        let s = ordered_sum(high.high, high.low + low.high);
        ordered_sum(s.high, s.low + low.low)
    }
}

impl Mul for Dd {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let p = product(self.high, other.high);
        ordered_sum(p.high, p.low + (self.high * other.low + self.low * other.high))
    }
}

impl Neg for Dd {
    type Output = Self;

    fn neg(self) -> Self {
        dd(-self.high, -self.low)
    }
}

impl From<f64> for Dd {
    fn from(value: f64) -> Self {
        dd(value, 0.0)
    }
}

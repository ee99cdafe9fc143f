// SPDX-License-Identifier: BSD-2-Clause-Patent
//! exp(-d) (`math.md`, 4.5) and the base-2 logarithm (4.6).
#![forbid(unsafe_code)]

use std::f64::consts::LOG2_E;

use super::double_double::{Dd, dd, ordered_sum, polynomial, product, quotient};
use super::series;
use super::tables::*;

/// -d = n ln 2 + r: n and, of r, what subtracting the first bits of n ln 2 leaves, which is exact.
fn reduced(d: f64) -> (f64, f64) {
    let n = (-d * LOG2_E).round_ties_even();
    (n, -d - n * LN_2_1)
}

/// exp(-d) of a float 0 <= d <= 121, within 2^-51 of its size.
pub fn exp_negative_fast(d: f32) -> f64 {
    let (n, r) = reduced(f64::from(d));
    series(r - n * LN_2_REST.high, &EXP_SERIES[..14]) * power_of_two(n)
}

/// exp(-d) of a float 0 <= d < 700, correctly rounded.
pub fn exp_negative(d: f32) -> f64 {
    exp_negative_words(d).high
}

pub(super) fn exp_negative_words(d: f32) -> Dd {
    let (n, r) = reduced(f64::from(d));
    let rest = product(-n, LN_2_REST.high);
    let rest = ordered_sum(rest.high, rest.low - n * LN_2_REST.low);
    let value = polynomial(Dd::from(r) + rest, &EXP_SERIES);
    dd(value.high * power_of_two(n), value.low * power_of_two(n))
}

/// 2^x, |x| < 1000, within 2^-90 of its size.
pub(super) fn exp2_words(x: Dd) -> Dd {
    let n = x.high.round_ties_even();
    let ln_2 = Dd::from(LN_2_1) + LN_2_REST;
    let value = polynomial((Dd::from(x.high - n) + Dd::from(x.low)) * ln_2, &EXP_SERIES);
    dd(value.high * power_of_two(n), value.low * power_of_two(n))
}

/// 2^n of an integer n from -1022 to 1023.
fn power_of_two(n: f64) -> f64 {
    f64::from_bits(((n as i64 + 1023) as u64) << 52)
}

/// x = 2^e m, the mantissa's upper four bits rounded so that 1 is a centre.
struct Reduced {
    exponent: f64,
    interval: usize,
    centre: f64,
    offset: f64,
}

impl Reduced {
    fn new(x: f64) -> Self {
        let rounded = x.to_bits() + (1 << 47);
        let exponent = (rounded >> 52) as i64 - 1023;
        let mantissa = f64::from_bits(x.to_bits().wrapping_sub((exponent << 52) as u64));
        let interval = (rounded >> 48 & 15) as usize;
        let centre = 1.0 + interval as f64 / 16.0;
        Self { exponent: exponent as f64, interval, centre, offset: mantissa - centre }
    }
}

/// log2(x) of a normal x > 0, within 2^-48 of its size.
pub fn log2_fast(x: f64) -> f64 {
    let Reduced { exponent, interval, centre, offset } = Reduced::new(x);
    let z = offset * (1.0 / centre);
    (exponent + LOG2_CENTRES[interval].high) + z * series(z, &LOG2_SERIES[..12])
}

/// log2(x) of a normal x > 0, correctly rounded.
pub fn log2(x: f64) -> f64 {
    log2_words(x).high
}

pub(super) fn log2_words(x: f64) -> Dd {
    let Reduced { exponent, interval, centre, offset } = Reduced::new(x);
    let z = quotient(offset, centre);
    Dd::from(exponent) + (LOG2_CENTRES[interval] + z * polynomial(z, &LOG2_SERIES))
}

/// Bound of [`log2_fast`], relative.
const LOG2_ERROR: f64 = 1.0 / (1u64 << 48) as f64;

/// `then(log2(x))` of any double, `then` being monotone and its result a float: the fast value is taken where it leaves
/// one float only. As in C, 0 has the logarithm minus infinity, and a number below 0 none.
pub fn log2_then(x: f64, then: impl Fn(f64) -> f32) -> f32 {
    if !x.is_normal() || x < 0.0 {
        return then(log2_of_any(x));
    }
    let fast = log2_fast(x);
    let error = fast.abs() * LOG2_ERROR;
    let (below, above) = (then(fast - error), then(fast + error));
    if below.to_bits() == above.to_bits() { below } else { then(log2(x)) }
}

/// The logarithm of what is not a normal number, too.
fn log2_of_any(x: f64) -> f64 {
    if x == 0.0 {
        f64::NEG_INFINITY
    } else if x.is_subnormal() && x > 0.0 {
        (log2_words(x * 2f64.powi(54)) + Dd::from(-54.0)).high
    } else if x > 0.0 {
        x
    } else {
        f64::NAN
    }
}

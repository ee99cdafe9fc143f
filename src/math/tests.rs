// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Every function against figures of many digits, and exhaustively where the domain allows.

use super::double_double::{Dd, dd};
use super::*;

/// A function's arguments and its true value.
struct Figure {
    arguments: Vec<f64>,
    value: Dd,
}

impl Figure {
    fn argument(&self) -> f64 {
        self.arguments[0]
    }

    /// An argument that a float holds.
    fn single(&self, index: usize) -> f32 {
        let x = self.arguments[index] as f32;
        assert_eq!(f64::from(x), self.arguments[index]);
        x
    }

    /// Whether the arguments fit a float: those of reduced functions do not.
    fn is_single(&self) -> bool {
        f64::from(self.argument() as f32) == self.argument()
    }
}

fn figures(function: &str) -> Vec<Figure> {
    let lines =
        include_str!("figures.txt").lines().filter_map(|line| line.strip_prefix(function)?.strip_prefix(' '));
    let number = |word| f64::from_bits(u64::from_str_radix(word, 16).unwrap());
    let figures: Vec<Figure> = lines
        .map(|line| {
            let mut numbers: Vec<f64> = line.split(' ').map(number).collect();
            let low = numbers.pop().unwrap();
            let value = dd(numbers.pop().unwrap(), low);
            Figure { arguments: numbers, value }
        })
        .collect();
    assert!(figures.len() > 100, "{} figures of {function}", figures.len());
    figures
}

/// Checks values against the figures; bounds are powers of two, relative.
fn check_exact(function: &str, bound: i32, value: impl Fn(&Figure) -> Dd) {
    for figure in figures(function) {
        let (got, wanted) = (value(&figure), figure.value);
        let error = ((got.high - wanted.high) + (got.low - wanted.low)).abs();
        let what = format!("{function}{:?}: {got:?}, {wanted:?} expected", figure.arguments);
        assert!(error <= 2f64.powi(bound) * wanted.high.abs(), "{what}");
        assert_eq!(got.high.to_bits(), wanted.high.to_bits(), "{what}");
    }
}

fn check_fast(function: &str, bound: f64, relative: bool, value: impl Fn(&Figure) -> Option<f64>) {
    for figure in figures(function) {
        let Some(got) = value(&figure) else { continue };
        let error = ((got - figure.value.high) - figure.value.low).abs();
        let scale = if relative { figure.value.high.abs() } else { 1.0 };
        assert!(error <= bound * scale, "{function}{:?}: {got:?}, off by {error:e}", figure.arguments);
    }
}

fn bound(exponent: i32) -> f64 {
    2f64.powi(exponent)
}

#[test]
fn powers() {
    for (name, power) in [("power_2_4", &POWER_2_4), ("power_1_3", &POWER_1_3)] {
        check_exact(name, -98, |figure| power.exact_words(figure.argument()));
        check_fast(name, bound(-50), true, |figure| Some(power.fast(figure.argument())));
    }
}

#[test]
fn seventh_powers() {
    for figure in figures("power_7") {
        let x = figure.single(0);
        assert_eq!(power_7(x).to_bits(), figure.value.high.to_bits(), "{x:e}");
        assert_eq!(power_7_f32(x), figure.value.high as f32, "{x:e}");
    }
}

/// x^7 of a mantissa of 24 bits in integers, rounded to `bits` bits: mantissa and exponent.
fn integer_power_7(mantissa: u32, bits: u32) -> (u128, u32) {
    // 7 * 24 bits are more than 128: the cube and the fourth power are exact, their product is made of halves.
    let m = u128::from(mantissa);
    let (cube, fourth) = (m * m * m, m * m * m * m);
    let (low, high) = (cube * (fourth & u128::from(u64::MAX >> 16)), cube * (fourth >> 48));
    let upper = high + (low >> 48);
    let sticky = low & ((1 << 48) - 1) != 0;
    let shift = 128 - upper.leading_zeros() - bits;
    let (kept, half) = (upper >> shift, 1 << (shift - 1));
    let rest = upper & ((1 << shift) - 1);
    let up = rest > half || rest == half && (sticky || kept & 1 == 1);
    (kept + u128::from(up), shift + 48)
}

fn check_mantissa(mantissa: u32) {
    // mantissa * 2^-23 is in [1, 2).
    let x = mantissa as f32 / (1 << 23) as f32;
    let scaled = |(kept, shift): (u128, u32)| kept as f64 * 2f64.powi(shift as i32 - 161);
    assert_eq!(power_7(x), scaled(integer_power_7(mantissa, 53)), "{x}");
    assert_eq!(power_7_f32(x), scaled(integer_power_7(mantissa, 24)) as f32, "{x}");
}

#[test]
fn seventh_powers_of_all_mantissas() {
    (1 << 23..1 << 24).for_each(check_mantissa);
}

#[test]
fn arc_tangents() {
    let pair = |figure: &Figure| (figure.single(0), figure.single(1));
    check_exact("atan2", -98, |figure| {
        let (b, a) = pair(figure);
        trigonometry::atan2_words(b, a)
    });
    check_fast("atan2", bound(-50), true, |figure| {
        let (b, a) = pair(figure);
        Some(atan2_fast(b, a))
    });
    assert_eq!(atan2(-0.0, 1.0).to_bits(), (-0.0f64).to_bits());
    assert_eq!(atan2(-0.0, -1.0), -std::f64::consts::PI);
}

#[test]
fn sines_and_cosines() {
    check_exact("sin", -90, |figure| trigonometry::sin_words(figure.argument()));
    check_exact("cos", -90, |figure| trigonometry::cos_words(figure.argument()));
    let in_turn = |figure: &Figure| figure.is_single() && (0.0..8.0).contains(&figure.argument());
    check_fast("sin", bound(-52), false, |figure| in_turn(figure).then(|| sin_cos_fast(figure.single(0)).0));
    check_fast("cos", bound(-52), false, |figure| in_turn(figure).then(|| sin_cos_fast(figure.single(0)).1));
    let small = |figure: &Figure| figure.argument().abs() <= 1.6;
    check_fast("sin", bound(-51), true, |figure| small(figure).then(|| sin_fast(figure.argument())));
}

#[test]
fn exponentials() {
    check_exact("exp_negative", -98, |figure| exponential::exp_negative_words(figure.single(0)));
    check_fast("exp_negative", bound(-51), true, |figure| Some(exp_negative_fast(figure.single(0))));
}

#[test]
fn logarithms() {
    check_exact("log2", -94, |figure| exponential::log2_words(figure.argument()));
    check_fast("log2", bound(-48), true, |figure| Some(log2_fast(figure.argument())));
}

#[test]
fn a_value_is_decided_unless_a_boundary_of_floats_is_near() {
    let halfway = 1.0 + 2f64.powi(-24);
    assert_eq!(decided(halfway, 1e-12), None);
    assert_eq!(decided(halfway + 3e-12, 1e-12), Some(1.0 + f32::EPSILON));
    assert_eq!(decided(halfway - 3e-12, 1e-12), Some(1.0));
    assert_eq!(rounded(halfway, 1e-12, || halfway + 1e-13), 1.0 + f32::EPSILON);
    assert_eq!(rounded(2.0, 1e-12, || unreachable!()), 2.0);
}

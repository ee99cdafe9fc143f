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

/// Every mantissa, from 31/32 on, below which the reduction begins again: in other octaves only the exponent differs.
#[test]
fn logarithms_of_all_mantissas() {
    for x in (0x3f78_0000..=0x4000_0000).map(|bits| f64::from(f32::from_bits(bits))) {
        let (fast, exact) = (log2_fast(x), exponential::log2_words(x));
        let error = ((fast - exact.high) - exact.low).abs();
        assert!(error <= bound(-48) * exact.high.abs(), "{x}: {fast}, off by {error:e}");
    }
}

#[test]
fn logarithms_of_any_number() {
    let single = |x: f64| log2_then(x, |log| log as f32);
    for figure in figures("log2") {
        assert_eq!(single(figure.argument()), figure.value.high as f32, "{}", figure.argument());
    }
    assert_eq!((single(0.0), single(-0.0)), (f32::NEG_INFINITY, f32::NEG_INFINITY));
    assert_eq!((single(f64::INFINITY), single(2f64.powi(-1074))), (f32::INFINITY, -1074.0));
    assert!([-1e-300, -1.0, f64::NEG_INFINITY, f64::NAN].into_iter().all(|x| single(x).is_nan()));
}

#[test]
fn the_exact_logarithm_decides_what_the_fast_one_leaves_open() {
    // So large a number takes all bits of a float: every value is open.
    let open = |log: f64| ((log - log2(3.0)) * 2f64.powi(60)) as f32;
    assert_eq!(log2_then(3.0, open), 0.0);
    assert_ne!(open(log2_fast(3.0) * (1.0 + f64::EPSILON)), 0.0);
}

#[test]
fn powers_of_floats() {
    let power = |figure: &Figure| SinglePower::new(figure.single(0));
    check_exact("single_power", -88, |figure| power(figure).exact_words(figure.single(1)));
    check_fast("single_power", bound(-47), true, |figure| Some(power(figure).fast_value(figure.single(1))));
    for figure in figures("single_power") {
        let (got, wanted) = (power(&figure).of(figure.single(1)), figure.value.high as f32);
        assert_eq!(got.to_bits(), wanted.to_bits(), "{:?}", figure.arguments);
    }
}

#[test]
fn squares_and_cubes_of_all_significands() {
    let (square, cube, first) = (SinglePower::new(2.0), SinglePower::new(3.0), SinglePower::new(1.0));
    for mantissa in 1u32 << 23..1 << 24 {
        let x = mantissa as f32 / (1 << 20) as f32;
        assert_eq!(square.of(x), x * x, "{x}");
        assert_eq!(first.of(x), x);
        // Exact in 72 bits, of which a double keeps 53 and a float 24.
        let exact = u128::from(mantissa).pow(3) as f64 / 2f64.powi(60);
        assert_eq!(cube.of(x), exact as f32, "{x}");
    }
}

#[test]
fn powers_of_floats_beyond_the_range() {
    let (most, few) = (SinglePower::new(20.0), SinglePower::new(1.5));
    assert_eq!(
        [0.0, 1e-30, 1e-3, 1e4, f32::MAX].map(|x| most.of(x)),
        [0.0, 0.0, 0.0, f32::INFINITY, f32::INFINITY]
    );
    // A subnormal argument, and a subnormal result.
    assert_eq!(few.of(f32::from_bits(1)), 0.0);
    assert_eq!(SinglePower::new(1.0).of(f32::from_bits(3)), f32::from_bits(3));
    assert_eq!(most.of(2f32.powi(-7)), 2f32.powi(-140));
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

/// All floats of the octave from 2^`exponent` on.
fn octave(exponent: u32) -> impl Iterator<Item = f32> {
    (0..1 << 23).map(move |fraction| f32::from_bits((127 + exponent) << 23 | fraction))
}

#[test]
fn polynomial_logarithms_of_whole_octaves_have_the_bits_of_the_specification() {
    // CRC-32 of what `float_vif.py` gives.
    for (exponent, expected) in [(0, 0x6829_6044), (1, 0x7a38_128a), (13, 0xac95_270b), (127, 0x1ece_4c70)] {
        let mut crc = crc32fast::Hasher::new();
        octave(exponent).for_each(|x| crc.update(&log2_polynomial(x).to_le_bytes()));
        assert_eq!(crc.finalize(), expected, "octave {exponent}");
    }
}

#[test]
fn polynomial_logarithms_of_all_octaves_differ_by_the_exponent() {
    let polynomial: Vec<f32> = octave(0).step_by(1021).map(log2_polynomial).collect();
    for exponent in 0..128 {
        for (x, value) in octave(exponent).step_by(1021).zip(&polynomial) {
            assert_eq!(log2_polynomial(x), exponent as f32 + value, "{x:e}");
        }
    }
}

#[test]
fn polynomial_logarithms_are_near_the_true_ones() {
    for x in octave(0).chain(octave(13)) {
        let error = (f64::from(log2_polynomial(x)) - log2_fast(x.into())).abs();
        assert!(error < 1.2e-6, "{x:e}: off by {error:e}");
    }
}

#[test]
fn polynomial_logarithms_of_what_is_not_finite_are_finite() {
    assert_eq!(log2_polynomial(f32::INFINITY), 128.0);
    assert_eq!(log2_polynomial(f32::from_bits(0x7fc0_0000)), 128.584_96);
    assert_eq!(log2_polynomial(f32::from_bits(0xffc0_0000)), 128.584_96);
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The vectors' own operations, lane by lane, at every level of this machine.

use super::*;
use crate::cpu::{Kind, Level};
use crate::math::vector;

/// One lane of a function of two arguments on vectors.
trait Function {
    fn call<L: Lanes>(&self, l: L, x: L::Double, y: L::Double) -> L::Double;
}

#[inline(always)]
fn lane_by_lane<L: Lanes>(l: L, f: &impl Function, x: f64, y: f64) -> Vec<f64> {
    let mut out = [0.0; 8];
    l.store(&mut out, f.call(l, l.splat(x), l.splat(y)));
    out[..L::WIDTH].to_vec()
}

#[target_feature(enable = "avx2,fma")]
fn with_avx2(f: &impl Function, x: f64, y: f64) -> Vec<f64> {
    lane_by_lane(Avx2::new(), f, x, y)
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn with_avx512(f: &impl Function, x: f64, y: f64) -> Vec<f64> {
    lane_by_lane(Avx512::new(), f, x, y)
}

/// The function's value at every vector level, equal in all lanes.
fn values(f: &impl Function, x: f64, y: f64) -> Vec<(Level, f64)> {
    let of_level = |level: Level| {
        let lanes = match level.kind() {
            Kind::Scalar => return None,
            // SAFETY: the level says that the CPU has the instructions.
            Kind::Avx2 => unsafe { with_avx2(f, x, y) },
            // SAFETY: the level says that the CPU has the instructions.
            _ => unsafe { with_avx512(f, x, y) },
        };
        assert!(
            lanes.iter().all(|lane| lane.to_bits() == lanes[0].to_bits()),
            "{level:?} {x} {y}: {lanes:?}"
        );
        Some((level, lanes[0]))
    };
    Level::available().into_iter().filter_map(of_level).collect()
}

macro_rules! function {
    ($name:ident, $l:ident, $x:ident, $y:ident, $value:expr) => {
        struct $name;
        impl Function for $name {
            #[inline(always)]
            fn call<L: Lanes>(&self, $l: L, $x: L::Double, $y: L::Double) -> L::Double {
                let _ = $y;
                $value
            }
        }
    };
}

function!(CopySign, l, x, y, l.copy_sign(x, y));
function!(Scale, l, x, y, l.scale(x, y));
function!(Mantissa, l, x, y, l.mantissa(x));
function!(Centre, l, x, y, l.centre(l.mantissa(x)));
function!(Nearest, l, x, y, l.nearest(x).0);
function!(ReciprocalRoot, l, x, y, l.reciprocal_root(x));
function!(Reciprocal, l, x, y, l.reciprocal(x));
function!(IsOpen, l, x, y, l.select(l.open::<11>(x), l.splat(1.0), l.splat(0.0)));
function!(Looked, l, x, y, l.lookup(&std::array::from_fn(|i| i as f64), l.nearest(x).1));
function!(Interval, l, x, y, l.lookup(&std::array::from_fn(|i| i as f64), l.interval(x)));
function!(Octave, l, x, y, l.lookup(&std::array::from_fn(|i| i as f64), l.octave(x)));
function!(LongLooked, l, x, y, l.lookup_256(&std::array::from_fn(|i| i as f64), l.nearest(x).1));
function!(Power24, l, x, y, vector::POWER_2_4.of(l, x));
function!(Power13, l, x, y, vector::POWER_1_3.of(l, x));
function!(Angle, l, x, y, vector::angle(l, x, y));
function!(Sin, l, x, y, vector::sin(l, x));
function!(SinOfTurn, l, x, y, vector::sin_cos(l, x).0);
function!(CosOfTurn, l, x, y, vector::sin_cos(l, x).1);
function!(Exponent, l, x, y, l.exponent(x));
function!(Log2, l, x, y, vector::log2(l, x));
function!(ExpNegative, l, x, y, vector::exp_negative(l, x));

fn equal(f: &impl Function, x: f64, y: f64, expected: f64) {
    for (level, got) in values(f, x, y) {
        assert_eq!(got.to_bits(), expected.to_bits(), "{level:?} {x} {y}: {got}, {expected} expected");
    }
}

fn near(f: &impl Function, x: f64, y: f64, expected: f64, bound: f64) {
    for (level, got) in values(f, x, y) {
        let error = (got - expected).abs();
        assert!(error <= bound, "{level:?} {x} {y}: {got}, {expected} expected, off by {error:e}");
    }
}

#[test]
fn parts_of_numbers() {
    for x in [1.0f64, 1.03125, 1.9999999, 0.0123, 3.15, 200.0] {
        let mantissa = x / 2f64.powi(x.log2().floor() as i32);
        equal(&Mantissa, x, 0.0, mantissa);
        let interval = ((mantissa - 1.0) * 16.0).floor();
        equal(&Interval, x, 0.0, interval);
        equal(&Centre, x, 0.0, 1.0 + (2.0 * interval + 1.0) / 32.0);
        equal(&Exponent, x, 0.0, x.log2().floor());
        equal(&Octave, x, 0.0, (x.log2().floor() + 1023.0) % 16.0);
        equal(&CopySign, x, -2.0, -x);
        equal(&CopySign, -x, 0.0, x);
        equal(&Scale, x, -40.0, x * 2f64.powi(-40));
    }
    for (x, integer) in [(2.5, 2.0), (3.5, 4.0), (14.6, 15.0), (0.2, 0.0)] {
        equal(&Nearest, x, 0.0, integer);
        equal(&Looked, x, 0.0, integer);
        equal(&LongLooked, x + 240.0, 0.0, integer + 240.0);
    }
}

#[test]
fn estimates() {
    for x in [1e-300, 1e-9, 0.7, 1.0, 20.0, 6.1e9, 3.7e19] {
        near(&ReciprocalRoot, x, 0.0, 1.0 / x.sqrt(), bound(-40) / x.sqrt());
    }
    for x in [1e-9, 0.7, 1.0, 20.0, 6.1e9] {
        near(&Reciprocal, x, 0.0, 1.0 / x, bound(-11) / x);
    }
}

#[test]
fn a_lane_is_open_near_the_middle_between_floats() {
    let middle = 1.0 + 2f64.powi(-24);
    for units in [-4096.0, -2049.0, 2048.0, 4096.0, -(2f64.powi(28)), 2f64.powi(28)] {
        equal(&IsOpen, middle + units * 2f64.powi(-52), 0.0, 0.0);
    }
    for units in [-2048.0, -2047.0, -1.0, 0.0, 1.0, 2047.0] {
        equal(&IsOpen, middle + units * 2f64.powi(-52), 0.0, 1.0);
    }
}

fn bound(exponent: i32) -> f64 {
    2f64.powi(exponent)
}

/// Steps through an interval, ends included.
fn through(from: f64, to: f64) -> impl Iterator<Item = f64> {
    (0..=4000).map(move |i| from + (to - from) * f64::from(i) / 4000.0)
}

#[test]
fn functions_keep_their_bounds() {
    use crate::math::{POWER_1_3, POWER_2_4, atan2, cos, exp_negative, log2, sin};
    for x in through(0.004, 4.0).chain(through(4.0, 200.0)) {
        near(&Power24, x, 0.0, POWER_2_4.exact(x), bound(-47) * POWER_2_4.exact(x));
        near(&Power13, x, 0.0, POWER_1_3.exact(x), bound(-45) * POWER_1_3.exact(x));
    }
    for x in through(-1.6, 1.6) {
        near(&Sin, x, 0.0, sin(x), bound(-46) * sin(x).abs());
    }
    for x in through(0.0, 7.9) {
        near(&SinOfTurn, x, 0.0, sin(x), bound(-49));
        near(&CosOfTurn, x, 0.0, cos(x), bound(-49));
    }
    let logarithms = through(0.9, 1.1).chain(through(0.1, 40.0)).chain(through(1e3, 1e7));
    for x in logarithms.chain([f64::MIN_POSITIVE, 1e-45, 1e-20, 3.4e38, 1e300, 1.0, 2.0, 0.5]) {
        near(&Log2, x, 0.0, log2(x), bound(-50) * log2(x).abs().max(4.0));
    }
    for d in through(0.0, 80.0).map(|d| d as f32) {
        near(&ExpNegative, d.into(), 0.0, exp_negative(d), bound(-45) * exp_negative(d));
    }
    for (b, a) in through(0.0, 6.4).map(|turn| ((turn.sin() * 20.0) as f32, (turn.cos() * 20.0) as f32)) {
        let expected = atan2(b.abs(), a);
        near(&Angle, b.into(), a.into(), expected, bound(-46) * expected);
    }
    for (b, a) in
        [(0.0f32, 0.0f32), (0.0, 3.0), (0.0, -3.0), (5.0, 0.0), (5.0, 5.0), (1e-6, 150.0), (150.0, 1e-6)]
    {
        let expected = if a == 0.0 && b == 0.0 { 0.0 } else { atan2(b, a) };
        near(&Angle, b.into(), a.into(), expected, bound(-46) * expected);
    }
}

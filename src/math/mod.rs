// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Mathematical functions for single pixels, the same bits on every machine (`math.md`).
//!
//! The reference calls the math library for each pixel, whose bits depend on version and processor. Here such a
//! function is what a correctly rounded library would give, and made of operations that a device repeats: double
//! and float `+ - * /`, square root, conversion, comparison, integers. Nothing is contracted.
//!
//! Nearly every result is rounded to a float at once, 29 bits coarser. So each function comes twice: `NAME_fast`
//! with an error bound, and `NAME`, correctly rounded in double-double arithmetic and some hundred times slower.
//! [`decided`] tells whether the bound leaves one float only; if not, the exact value decides. Which fast value is
//! used is then a matter of speed alone: vector forms and device have their own.

pub mod double_double;
mod exponential;
#[cfg(target_arch = "x86_64")]
pub mod lanes;
mod polynomial;
mod power;
pub mod reciprocal;
mod single_power;
mod tables;
mod trigonometry;
#[cfg(target_arch = "x86_64")]
pub mod vector;

#[cfg(test)]
mod tests;

pub use exponential::{exp_negative, exp_negative_fast, log2, log2_fast, log2_then};
pub use polynomial::{LOG2_COEFFICIENTS, log2_polynomial};
pub use power::{POWER_1_3, POWER_2_4, Power, power_7, power_7_f32};
pub use reciprocal::{estimated_quotient, reciprocal_estimate};
pub use single_power::SinglePower;
pub use trigonometry::{atan2, atan2_fast, cos, sin, sin_cos_fast, sin_fast};

use double_double::Dd;

/// The float to which every number within `error` of `value` rounds, if there is only one.
pub fn decided(value: f64, error: f64) -> Option<f32> {
    ((value - error) as f32 == (value + error) as f32).then_some(value as f32)
}

/// The float of a double that is known as `fast` within `error`; `exact` is asked where that leaves two floats.
pub fn rounded(fast: f64, error: f64, exact: impl FnOnce() -> f64) -> f32 {
    decided(fast, error).unwrap_or_else(|| exact() as f32)
}

/// The polynomial with the high words as coefficients, that of z^0 first, by Horner's scheme.
fn series(z: f64, coefficients: &[Dd]) -> f64 {
    let (top, rest) = coefficients.split_last().expect("a polynomial has a coefficient");
    rest.iter().rev().fold(top.high, |value, c| value * z + c.high)
}

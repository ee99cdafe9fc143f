// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The logarithm of `float_vif`: a polynomial in single precision (`math.md` 4.9).

/// Coefficients from the highest power of the mantissa down to the first; the constant is 0.
#[allow(clippy::excessive_precision, reason = "as the specification has them")]
pub const LOG2_COEFFICIENTS: [f32; 8] = [
    -0.012671635276421,
    0.064841182402670,
    -0.157048836463065,
    0.257167726303123,
    -0.353800560300520,
    0.480131410397451,
    -0.721314327952201,
    1.442694803896991,
];

/// Nearly log2(x) of a float x >= 1, off by up to 1.2e-6: these bits, not better ones, are what scores are made of.
///
/// Every operation is rounded to a float, none is contracted. Infinity gives 128, and what is not a number 128 plus
/// the value for its fraction.
pub fn log2_polynomial(x: f32) -> f32 {
    let bits = x.to_bits();
    let exponent = (bits >> 23 & 0xff) as i32 - 127;
    let m = f32::from_bits(bits & 0x7f_ffff | 1.0f32.to_bits()) - 1.0;
    let [highest, rest @ ..] = LOG2_COEFFICIENTS;
    // Horner's scheme from 0 would begin with 0 * m + highest and end with + 0, both exact.
    let polynomial = rest.into_iter().fold(highest, |value, c| value * m + c);
    exponent as f32 + polynomial * m
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Decoupling of the distorted picture into a restored and an additive part (section 5.4).
#![forbid(unsafe_code)]

/// The squared cosine of one degree in single precision.
pub const COS_SQUARED: f64 = 0.999_695_420_265_197_8;

/// Whether the distorted (h, v) points where the reference's does, within a degree.
pub fn is_near(reference: [i32; 2], distorted: [i32; 2]) -> bool {
    let product = |a: [i32; 2], b: [i32; 2]| {
        let sum = i64::from(a[0]) * i64::from(b[0]) + i64::from(a[1]) * i64::from(b[1]);
        f64::from(sum as f32) / 4096.0
    };
    let dot = product(reference, distorted);
    dot >= 0.0 && dot * dot >= COS_SQUARED * product(reference, reference) * product(distorted, distorted)
}

/// One in units of a ratio.
const ONE: i64 = 1 << 15;

/// distorted / reference, from 0 to 1 in units of 2^-15, by a reciprocal of 15 bits.
pub fn ratio(reference: i32, distorted: i32) -> i64 {
    if reference == 0 {
        return ONE;
    }
    let magnitude = i64::from(reference).abs();
    let dropped = (i64::BITS - magnitude.leading_zeros()).saturating_sub(15);
    let dropped = if magnitude < ONE { 0 } else { dropped };
    let mantissa = (magnitude + ((1 << dropped) >> 1)) >> dropped;
    let along = i64::from(distorted) * i64::from(reference.signum());
    let quotient = ((1 << 30) / mantissa * along + (1 << (14 + dropped))) >> (15 + dropped);
    quotient.clamp(0, ONE)
}

/// The restored part: what of the distorted coefficient is the reference's, reduced or, where the two point the
/// same way, enhanced up to `gain_limit`.
pub fn restored(reference: i32, distorted: i32, near: bool, gain_limit: f64) -> i32 {
    let k = ratio(reference, distorted);
    let reduced = ((k * i64::from(reference) + ONE / 2) >> 15) as i32;
    let (enhanced, distorted) = (f64::from(reduced) * gain_limit, f64::from(distorted));
    match reference.signum() {
        1 if near && k > 0 => enhanced.min(distorted) as i32,
        -1 if near && k > 0 => enhanced.max(distorted) as i32,
        _ => reduced,
    }
}

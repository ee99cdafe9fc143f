// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Pooling: cubes of reference coefficients, and of those parts of coefficients that stand out of the other part's
//! masking (sections 5.7 and 5.9).
#![forbid(unsafe_code)]

use super::super::plan::{Rounding, Scale};
use super::csf::weigh;

/// The term of a reference coefficient, not yet rounded to its scale's unit at scale 0.
pub fn denominator_term(scale: &Scale, rounding: Rounding, reference: i32) -> u64 {
    let magnitude = u64::from(reference.unsigned_abs());
    // A whole unit is added to the square where half of one is meant; scores depend on it.
    let square = |bits: u32| (magnitude * magnitude + (1 << bits)) >> bits;
    match scale.index {
        0 => magnitude * magnitude * magnitude,
        1 | 3 => rounding.apply_unsigned(square(31) * magnitude),
        _ => rounding.apply_unsigned(square(30) * magnitude),
    }
}

/// How far a coefficient of `band` stands out of `threshold`, 0 where it does not.
fn excess(scale: &Scale, band: usize, coefficient: i32, threshold: i32) -> i64 {
    let (magnitude, threshold) = match scale.index {
        0 => {
            let product = i64::from(scale.weights.fixed[band]) * i64::from(coefficient);
            (product.abs(), threshold << if band < 2 { 10 } else { 12 })
        }
        _ => (i64::from(weigh(scale, band, coefficient)).abs(), threshold),
    };
    let excess = (magnitude - i64::from(threshold)) as i32;
    i64::from(excess.max(0))
}

/// The term of a coefficient of one part, masked by `threshold` from the other.
pub fn numerator_term(
    scale: &Scale,
    band: usize,
    rounding: Rounding,
    coefficient: i32,
    threshold: i32,
) -> i64 {
    let excess = excess(scale, band, coefficient, threshold);
    let bits = if scale.index == 0 && band < 2 { 29 } else { 30 };
    let square = Rounding::nearest(bits).apply(excess * excess) as i32;
    rounding.apply(i64::from(square) * excess)
}

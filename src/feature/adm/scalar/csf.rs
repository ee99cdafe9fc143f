// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Contrast sensitivity weighting, and what a weighted coefficient adds to thresholds (section 5.8).
#![forbid(unsafe_code)]

use super::super::plan::{Rounding, Scale};
use super::wavelet::wrap;

/// Rounding of the products at scale 0. The offset of d is one less than half a unit, as in the reference.
const FINEST: [Rounding; 3] =
    [Rounding::nearest(15), Rounding::nearest(15), Rounding { offset: 65535, shift: 17 }];

/// A coefficient of `band` (0 h, 1 v, 2 d) times its weight.
pub fn weigh(scale: &Scale, band: usize, coefficient: i32) -> i32 {
    let product = i64::from(scale.weights.fixed[band]) * i64::from(coefficient);
    let rounding = if scale.index == 0 { FINEST[band] } else { Rounding::nearest(28) };
    wrap(scale, rounding.apply(product))
}

/// What a weighted coefficient adds to the threshold of each neighbour (a thirtieth) and to that of its own
/// position (a fifteenth).
pub fn masks(scale: &Scale, weighted: i32) -> [i32; 2] {
    // Above scale 0 the reference means to add 2^31, which its variable holds as -2^31.
    let coarser = Rounding { offset: -(1 << 31), shift: 32 };
    let (factors, rounding) = match scale.index {
        0 => ([4369, 8738], Rounding::nearest(12)),
        _ => ([143_165_577, 286_331_153], coarser),
    };
    let magnitude = i64::from(weighted).abs();
    // The reference's 32-bit magnitude of -2^31 stays negative.
    let magnitude = if scale.index == 0 { magnitude } else { i64::from(magnitude as i32) };
    factors.map(|factor| wrap(scale, rounding.apply(factor * magnitude)))
}

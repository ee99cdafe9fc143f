// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The pyramid and the score of `float_ms_ssim.md` section 3.
#![forbid(unsafe_code)]

use super::SCALES;
use crate::feature::ssim::image::FloatPlane;
use crate::feature::ssim::{Means, scalar};

/// Taps of the low pass each way.
pub const SIZE: usize = 9;

/// The upper left quarter of the low pass with its centre row and column; the rest mirrors it.
pub const QUARTER: [[f32; 5]; 5] = [
    [0.000714, -0.000450, -0.002090, 0.007132, 0.016114],
    [-0.000450, 0.000283, 0.001316, -0.004490, -0.010146],
    [-0.002090, 0.001316, 0.006115, -0.020867, -0.047149],
    [0.007132, -0.004490, -0.020867, 0.071207, 0.160885],
    [0.016114, -0.010146, -0.047149, 0.160885, 0.363505],
];

/// The low pass at row `v`, column `u`.
pub fn low_pass(v: usize, u: usize) -> f32 {
    QUARTER[v.min(SIZE - 1 - v)][u.min(SIZE - 1 - u)]
}

/// Writes the next scale to `out`. The low pass is not separable: its taps are rounded one by one.
pub fn halve(image: &FloatPlane, out: &mut FloatPlane) {
    scalar::decimate(image, 2, SIZE, low_pass, out);
}

/// Exponents of luminance, which counts at the last scale only.
const LUMINANCE: [f32; SCALES] = [0.0, 0.0, 0.0, 0.0, 0.1333];
/// Exponents of contrast and of structure.
const CONTRAST_AND_STRUCTURE: [f32; SCALES] = [0.0448, 0.2856, 0.3001, 0.2363, 0.1333];

/// The score. Where the mean structure of a scale is below 0 it is no number.
pub fn score(means: &[Means; SCALES]) -> f64 {
    let power = |mean: f32, exponent: f32| f64::from(mean).powf(exponent.into());
    let exponents = LUMINANCE.into_iter().zip(CONTRAST_AND_STRUCTURE);
    means.iter().zip(exponents).fold(1.0, |score, (mean, (a, b))| {
        score * (power(mean.luminance, a) * power(mean.contrast, b) * power(mean.structure, b))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_low_pass_is_that_of_the_specification() {
        let bits = [
            [0x3a3b_2bbb, 0xb9eb_edfa, 0xbb08_f862, 0x3be9_b38d, 0x3c84_0182],
            [0xb9eb_edfa, 0x3994_5f9e, 0x3aac_7da2, 0xbb93_20da, 0xbc26_3b69],
            [0xbb08_f862, 0x3aac_7da2, 0x3bc8_6057, 0xbcaa_f145, 0xbd41_1f4f],
            [0x3be9_b38d, 0xbb93_20da, 0xbcaa_f145, 0x3d91_d4fa, 0x3e24_bf0a],
            [0x3c84_0182, 0xbc26_3b69, 0xbd41_1f4f, 0x3e24_bf0a, 0x3eba_1d54u32],
        ];
        for (v, u) in (0..SIZE).flat_map(|v| (0..SIZE).map(move |u| (v, u))) {
            assert_eq!(low_pass(v, u).to_bits(), bits[v.min(8 - v)][u.min(8 - u)], "{v}, {u}");
        }
        let sum: f64 = (0..SIZE * SIZE).map(|i| f64::from(low_pass(i / SIZE, i % SIZE))).sum();
        assert_eq!(sum, 1.0000050440430641);
    }

    #[test]
    fn a_negative_mean_structure_has_no_score() {
        let ones = Means { product: 1.0, luminance: 1.0, contrast: 1.0, structure: 1.0 };
        assert_eq!(score(&[ones; SCALES]), 1.0);
        let mut means = [ones; SCALES];
        means[2].structure = -0.001;
        assert!(score(&means).is_nan());
    }
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The decimation of `float_ssim.md` sections 3.1 and 3.2.
#![forbid(unsafe_code)]

use crate::feature::ssim::image::FloatPlane;
use crate::feature::ssim::scalar;

/// The factor that follows from the picture's size: its shorter side to 256, rounded half up, at least 1.
pub fn automatic_factor(width: usize, height: usize) -> usize {
    let shorter = width.min(height);
    (shorter / 256 + usize::from(shorter % 256 >= 128)).max(1)
}

/// Up to this factor every partial sum is exact in double, whatever the order: a sample is 0 or at least 2^-8, its
/// product with the tap at least 2^-22 and a multiple of 2^-45, and sums stay below 2^8.
pub const EXACT_FACTOR: usize = 128;

/// The one tap of the box filter.
pub fn tap(factor: usize) -> f32 {
    1.0 / (factor * factor) as f32
}

/// Writes the decimated picture to `out`, whose size is the [decimated](crate::feature::ssim::image::decimated) one.
pub fn decimate(image: &FloatPlane, factor: usize, out: &mut FloatPlane) {
    let tap = tap(factor);
    scalar::decimate(image, factor, factor, |_, _| tap, out);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_step_up_every_256_samples() {
        let factors = [1, 383, 384, 639, 640, 720, 1080, 2160, 4320].map(|side| automatic_factor(9999, side));
        assert_eq!(factors, [1, 1, 2, 2, 3, 3, 4, 8, 17]);
        assert_eq!(automatic_factor(576, 324), 1);
        assert_eq!(automatic_factor(1, 1), 1);
    }

    #[test]
    fn taps_are_those_of_the_specification() {
        let bits = [
            0x3e80_0000,
            0x3de3_8e39,
            0x3d80_0000,
            0x3d23_d70a,
            0x3ce3_8e39,
            0x3ca7_2f05,
            0x3c80_0000,
            0x3c4a_4588,
            0x3c23_d70a,
        ];
        assert_eq!(std::array::from_fn(|i| tap(i + 2).to_bits()), bits);
    }
}

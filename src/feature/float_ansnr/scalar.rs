// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Filters and sums of `float_ansnr`, `float_psnr_ansnr.md` section 3: single precision, every operation rounded,
//! in the order in which the specification has them.
#![forbid(unsafe_code)]

use crate::picture::Plane;

/// Taps of the reference's filter.
pub const REFERENCE: [[f32; 3]; 3] = quotients([[1, 2, 1], [2, 4, 2], [1, 2, 1]], 16);
/// Taps of the distorted picture's filter.
pub const DISTORTED: [[f32; 5]; 5] = quotients(
    [[2, 7, 12, 7, 2], [7, 31, 52, 31, 7], [12, 52, 127, 52, 12], [7, 31, 52, 31, 7], [2, 7, 12, 7, 2]],
    571,
);

const fn quotients<const N: usize>(weights: [[u8; N]; N], divisor: u16) -> [[f32; N]; N] {
    let mut taps = [[0.0; N]; N];
    let mut i = 0;
    while i < N * N {
        taps[i / N][i % N] = (weights[i / N][i % N] as f64 / divisor as f64) as f32;
        i += 1;
    }
    taps
}

/// Sums of squares of the filtered reference and of its difference from the filtered distorted picture.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sums {
    /// Of the filtered reference.
    pub signal: f32,
    /// Of the difference.
    pub noise: f32,
}

impl Sums {
    /// The sums with one more term, or with the next row's sums.
    pub fn plus(self, next: Self) -> Self {
        Self { signal: self.signal + next.signal, noise: self.noise + next.noise }
    }
}

/// A sample as the filters see it, in the 8-bit range with its middle at 0: exact.
pub fn centred<T: Into<f32>>(sample: T, scale: f32) -> f32 {
    sample.into() / scale - 128.0
}

/// Where the sample at `i` is taken from, on an axis of `length` samples: reflected about the first sample, but
/// with the last one repeated.
pub fn bordered(i: isize, length: usize) -> usize {
    let i = i.unsigned_abs();
    if i >= length { 2 * length - 1 - i } else { i }
}

/// The filter's output at (`x`, `y`).
fn filtered<T: Copy + Into<f32>, const N: usize>(
    plane: &Plane<'_, T>,
    taps: &[[f32; N]; N],
    (x, y): (usize, usize),
    scale: f32,
) -> f32 {
    let tap = |i: usize, j: usize| {
        let at = |centre: usize, k: usize| (centre + k) as isize - (N / 2) as isize;
        let row = plane.row(bordered(at(y, i), plane.height()));
        taps[i][j] * centred(row[bordered(at(x, j), plane.width())], scale)
    };
    let row = |i| (0..N).fold(0.0, |sum, j| sum + tap(i, j));
    (0..N).fold(0.0, |sum, i| sum + row(i))
}

/// The sums of row `y`, for planes of at least 3x3 samples.
pub fn row<T: Copy + Into<f32>>(
    reference: &Plane<'_, T>,
    distorted: &Plane<'_, T>,
    y: usize,
    scale: f32,
) -> Sums {
    let term = |x| {
        let signal = filtered(reference, &REFERENCE, (x, y), scale);
        let noise = signal - filtered(distorted, &DISTORTED, (x, y), scale);
        Sums { signal: signal * signal, noise: noise * noise }
    };
    (0..reference.width()).map(term).fold(Sums::default(), Sums::plus)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borders_reflect_about_the_first_sample_and_repeat_the_last() {
        assert_eq!([-2, -1, 0, 1, 2, 3, 4].map(|i| bordered(i, 3)), [2, 1, 0, 1, 2, 2, 1]);
    }

    #[test]
    fn a_flat_picture_stays_flat_under_the_first_filter() {
        let (r, d) = ([64u8; 12], [128u8; 12]);
        let sums = row(&Plane::new(&r, 4, 3, 4), &Plane::new(&d, 4, 3, 4), 1, 1.0);
        assert_eq!(sums, Sums { signal: 4.0 * 4096.0, noise: 4.0 * 4096.0 });
    }
}

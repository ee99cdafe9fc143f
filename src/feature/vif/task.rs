// SPDX-License-Identifier: BSD-2-Clause-Patent
//! One scale's work, and the stripes that it is cut into.
#![forbid(unsafe_code)]

use std::ops::Range;

use super::tables::TAPS;
use crate::picture::Plane;
use crate::schedule::Cut;

/// The work of one scale, the same for all of its stripes.
pub struct Task<'a, T> {
    /// Which scale, 0 to 3.
    pub scale: usize,
    /// Bits of a sample.
    pub bits: u32,
    /// Luma of the reference and of the distorted picture, of one size.
    pub planes: [Plane<'a, T>; 2],
    /// Whether sums are wanted, or only the pictures of the next scale.
    pub statistic: bool,
    /// The highest gain that counts as information.
    pub gain_limit: f64,
    /// The scale before, where this one is a single sample high or wide: it lends the samples beyond the border.
    pub before: Option<&'a Task<'a, T>>,
}

/// Rows of a scale, beginning at an even one, and where the rows of the next scale go that come from them.
pub struct Stripe<'a> {
    /// The rows.
    pub rows: Range<usize>,
    /// Rows of the next scale's two pictures, `stride` samples each; none at the last scale. An odd last row of
    /// this scale has none.
    pub low: [&'a mut [u16]; 2],
    /// Samples from one row of the next scale to its next.
    pub stride: usize,
}

impl<T> Task<'_, T> {
    /// Width in samples.
    pub fn width(&self) -> usize {
        self.planes[0].width()
    }

    /// Height in rows.
    pub fn height(&self) -> usize {
        self.planes[0].height()
    }

    /// The filter of the statistic.
    pub fn taps(&self) -> &'static [u32] {
        TAPS[self.scale]
    }

    /// How far the sums of samples are shifted after the vertical pass.
    pub fn mean_shift(&self) -> u32 {
        if self.scale == 0 { self.bits } else { 16 }
    }

    /// How far the sums of products are shifted after the vertical pass.
    pub fn square_shift(&self) -> u32 {
        if self.scale == 0 { 2 * (self.bits - 8) } else { 16 }
    }
}

/// The position within 0 to `length` - 1 that `position` is mirrored to, as often as it takes. A single sample mirrors
/// nothing but itself, at 0.
pub fn mirrored(position: isize, length: usize) -> usize {
    let period = 2 * (length as isize - 1).max(1);
    let within = position.rem_euclid(period);
    within.min(period - within) as usize
}

impl Cut for Stripe<'_> {
    /// Pairs of rows, as each pair makes one row of the next scale.
    fn units(&self) -> usize {
        self.rows.len().div_ceil(2)
    }

    fn cut(self, pairs: usize) -> (Self, Self) {
        let Self { rows, low: [reference, distorted], stride } = self;
        let middle = rows.start + 2 * pairs;
        let at = |low: &[u16]| low.len().min(pairs * stride);
        let (at_reference, at_distorted) = (at(reference), at(distorted));
        let (reference, lower_reference) = reference.split_at_mut(at_reference);
        let (distorted, lower_distorted) = distorted.split_at_mut(at_distorted);
        let upper = Self { rows: rows.start..middle, low: [reference, distorted], stride };
        (upper, Self { rows: middle..rows.end, low: [lower_reference, lower_distorted], stride })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mirroring_repeats() {
        let positions: Vec<usize> = (-5..9).map(|i| mirrored(i, 3)).collect();
        assert_eq!(positions, [1, 0, 1, 2, 1, 0, 1, 2, 1, 0, 1, 2, 1, 0]);
        assert_eq!(mirrored(0, 1), 0);
    }

    #[test]
    fn a_cut_shares_out_rows_and_the_next_scale() {
        let [mut reference, mut distorted] = [vec![0; 6], vec![0; 6]];
        let stripe = Stripe { rows: 0..7, low: [&mut reference, &mut distorted], stride: 2 };
        assert_eq!(stripe.units(), 4);
        let (upper, lower) = stripe.cut(2);
        assert_eq!((upper.rows, upper.low[0].len()), (0..4, 4));
        assert_eq!((lower.rows.clone(), lower.low[1].len()), (4..7, 2));
        let (last, none) = lower.cut(1);
        assert_eq!((last.low[0].len(), none.rows, none.low[0].len()), (2, 6..7, 0));
    }
}

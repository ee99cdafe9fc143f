// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Numbers that the contrast value is made of.
#![forbid(unsafe_code)]

use std::sync::LazyLock;

/// Scales of the analysis, each half the size of the one before.
pub const SCALES: usize = 5;

/// What the score of each scale counts.
pub const SCALE_WEIGHTS: [f64; SCALES] = [16.0, 8.0, 4.0, 2.0, 1.0];

/// The most steps of contrast, 2^5.
pub const MOST_STEPS: usize = 32;

/// What a step of 1, 2, ... levels of 10 bits counts.
pub const WEIGHTS: [u32; MOST_STEPS] =
    [1, 2, 3, 4, 4, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 8, 8, 8, 8, 8, 8, 8, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9];

/// The widest window.
pub const WIDEST: usize = 65;

/// Numbers that have a reciprocal: no two counts add up to more samples than the widest window has.
pub const COUNTS: usize = WIDEST * WIDEST + 1;

/// The reciprocals of the numbers of samples, 0 of 0.
///
/// The published figures stand on reciprocals with nine significant digits, which are not always the nearest floats.
pub static RECIPROCALS: LazyLock<[f32; COUNTS]> = LazyLock::new(|| {
    let mut reciprocals = [0.0; COUNTS];
    for (number, reciprocal) in reciprocals.iter_mut().enumerate().skip(1) {
        let digits = format!("{:.8e}", 1.0 / number as f64);
        *reciprocal = digits.parse().expect("digits are a number");
    }
    reciprocals
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reciprocals_differ_from_the_nearest_floats_where_the_specification_says() {
        const ABOVE: [usize; 14] =
            [82, 83, 244, 488, 564, 614, 664, 1419, 1699, 1906, 2443, 2740, 3812, 4130];
        const BELOW: [usize; 28] = [
            504, 510, 528, 749, 760, 892, 2040, 2071, 2112, 2223, 2555, 2927, 3285, 3515, 3525, 3705, 3795,
            3797, 3837, 3885, 4033, 4080, 4091, 4095, 4142, 4203, 4218, 4224,
        ];
        for (number, &reciprocal) in RECIPROCALS.iter().enumerate().skip(1) {
            let nearest = (1.0 / number as f64) as f32;
            let expected = match number {
                _ if ABOVE.contains(&number) => nearest.next_up(),
                _ if BELOW.contains(&number) => nearest.next_down(),
                _ => nearest,
            };
            assert_eq!(reciprocal, expected, "{number}");
        }
        assert_eq!(RECIPROCALS[0], 0.0);
    }
}

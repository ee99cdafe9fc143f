// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The blurred difference of two luma planes, `motion.md` section 4.
#![forbid(unsafe_code)]

use std::ops::Range;

use crate::picture::Plane;

/// Taps of the low-pass filter in 65536ths, their sum.
pub const TAPS: [i32; 5] = [3571, 16004, 26386, 16004, 3571];

/// The positions that the taps reach from `centre` in `0..n`, reflected about the edge samples; `n` is at least 3.
pub fn reach(centre: usize, n: usize) -> [usize; 5] {
    let mirrored = |beyond: usize| if beyond < n { beyond } else { 2 * n - 2 - beyond };
    [centre.abs_diff(2), centre.abs_diff(1), centre, mirrored(centre + 1), mirrored(centre + 2)]
}

/// The sum of the absolute blurred differences previous - current over `rows`, in code values of 8 bits times 256.
///
/// `bpc` are the bits per component; `blurred` has room for a row.
pub fn sum<T: Copy + Into<u16>>(
    previous: &Plane<'_, T>,
    current: &Plane<'_, T>,
    rows: Range<usize>,
    bpc: u32,
    blurred: &mut [i32],
) -> u64 {
    let row_sum = |y| {
        blur_vertically(previous, current, y, bpc, blurred);
        row_sum(blurred)
    };
    rows.map(row_sum).sum()
}

/// Row `y` of V, the difference filtered vertically and brought to 16 bits and a sign.
fn blur_vertically<T: Copy + Into<u16>>(
    previous: &Plane<'_, T>,
    current: &Plane<'_, T>,
    y: usize,
    bpc: u32,
    blurred: &mut [i32],
) {
    let rows = reach(y, previous.height()).map(|y| (previous.row(y), current.row(y)));
    for (x, blurred) in blurred.iter_mut().enumerate() {
        *blurred = filter(rows.map(|(p, c)| i32::from(p[x].into()) - i32::from(c[x].into())), bpc);
    }
}

/// The sum of |H| over a row, H being V filtered horizontally.
fn row_sum(blurred: &[i32]) -> u64 {
    let across = |x| filter(reach(x, blurred.len()).map(|x| blurred[x]), 16);
    (0..blurred.len()).map(|x| u64::from(across(x).unsigned_abs())).sum()
}

/// One output of the filter, in 2^`shift`ths of its inputs' unit and rounded, halves upwards.
fn filter(inputs: [i32; 5], shift: u32) -> i32 {
    let products = TAPS.into_iter().zip(inputs).map(|(tap, x)| i64::from(tap) * i64::from(x));
    // With inputs of 16 bits and a sign the sum needs 33 bits, the result 17.
    ((products.sum::<i64>() + (1 << (shift - 1))) >> shift) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_mirrored_without_repeating_the_edge_sample() {
        assert_eq!(reach(0, 3), [2, 1, 0, 1, 2]);
        assert_eq!(reach(1, 3), [1, 0, 1, 2, 1]);
        assert_eq!(reach(2, 3), [0, 1, 2, 1, 0]);
        assert_eq!(reach(1, 4), [1, 0, 1, 2, 3]);
        assert_eq!(reach(5, 9), [3, 4, 5, 6, 7]);
        assert_eq!(reach(8, 9), [6, 7, 8, 7, 6]);
    }

    #[test]
    fn halves_are_rounded_upwards() {
        // A lone sample of 8192 under the outer tap: 3571 / 8 = 446.375; of 32768: 1785.5.
        let outer = |x| filter([x, 0, 0, 0, 0], 16);
        assert_eq!((outer(8192), outer(-8192)), (446, -446));
        assert_eq!((outer(32768), outer(-32768)), (1786, -1785));
        assert_eq!(filter([65535; 5], 16), 65535);
        assert_eq!(filter([-65535; 5], 16), -65535);
    }

    /// Figures of the executable specification, of the difference and of its negative.
    #[test]
    fn small_pictures_have_the_specified_sums() {
        for (width, height, bpc, expected) in [
            (3, 3, 8, [41137, 41137]),
            (4, 3, 8, [38726, 38725]),
            (5, 4, 10, [94741, 94741]),
            (4, 4, 16, [286781, 286781]),
        ] {
            let samples = |f: fn(u32) -> u32| -> Vec<u16> {
                (0..(width * height) as u32).map(|i| (f(i) % (1 << bpc)) as u16).collect()
            };
            let (a, b) = (samples(|i| 37 * i * i + 11 * i), samples(|i| 53 * i * i * i + 7));
            let [a, b] = [&a, &b].map(|samples| Plane::new(samples, width, height, width));
            let sum = |a, b| sum(a, b, 0..height, bpc, &mut vec![0; width]);
            assert_eq!([sum(&a, &b), sum(&b, &a)], expected, "{width}x{height}, {bpc} bits");
        }
    }
}

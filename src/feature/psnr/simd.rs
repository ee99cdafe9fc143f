// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Sum of squared errors at every instruction-set level.
//!
//! Words are squared by bytes, (256 h + l)^2 = 65536 h^2 + 512 h l + l^2: three multiply-add-pairs that stay far
//! from 32 bits at every depth up to 16.

use std::ops::Range;

use super::scalar;
#[cfg(target_arch = "x86_64")]
use crate::cpu::Kind;
use crate::cpu::Level;
use crate::picture::Plane;

/// The sum of squared errors of rows at one level.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    bits8: unsafe fn(&[u8], &[u8]) -> u64,
    bits16: unsafe fn(&[u16], &[u16]) -> u64,
}

/// The kernel of `level`.
pub fn select(level: Level) -> Kernel {
    match level.kind() {
        #[cfg(target_arch = "x86_64")]
        Kind::Avx2 => Kernel { bits8: avx2::bytes, bits16: avx2::words },
        #[cfg(target_arch = "x86_64")]
        Kind::Avx512 | Kind::Avx512Icl => Kernel { bits8: avx512::bytes, bits16: avx512::words },
        _ => Kernel { bits8: scalar::row_sse, bits16: scalar::row_sse },
    }
}

impl Kernel {
    /// The sum over `rows` of two 8-bit planes of one size, in code values squared.
    pub fn bits8(&self, reference: &Plane<'_, u8>, distorted: &Plane<'_, u8>, rows: Range<usize>) -> u64 {
        let pairs = reference.rows(rows.clone()).zip(distorted.rows(rows));
        // SAFETY: `select` took the function for a level that this CPU was seen to have.
        pairs.map(|(r, d)| unsafe { (self.bits8)(r, d) }).sum()
    }

    /// The sum over `rows` of two planes of one size and any depth from 9 to 16 bits, in code values squared.
    pub fn bits16(&self, reference: &Plane<'_, u16>, distorted: &Plane<'_, u16>, rows: Range<usize>) -> u64 {
        let pairs = reference.rows(rows.clone()).zip(distorted.rows(rows));
        // SAFETY: `select` took the function for a level that this CPU was seen to have.
        pairs.map(|(r, d)| unsafe { (self.bits16)(r, d) }).sum()
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use crate::reduce::lanes::avx2::*;
    use crate::reduce::lanes::{BLOCK, padded};
    use std::arch::x86_64::*;

    #[target_feature(enable = "avx2")]
    pub fn bytes(reference: &[u8], distorted: &[u8]) -> u64 {
        let blocks = reference.chunks(BLOCK).zip(distorted.chunks(BLOCK));
        blocks.map(|(r, d)| bytes_block(r, d)).sum()
    }

    #[target_feature(enable = "avx2")]
    fn bytes_block(reference: &[u8], distorted: &[u8]) -> u64 {
        let mut squares = _mm256_setzero_si256();
        let mut add = |r, d| {
            let distance = distance_bytes(load_bytes(r), load_bytes(d));
            squares = _mm256_add_epi32(squares, square_bytes(distance));
        };
        let ((r, r_tail), (d, d_tail)) = (reference.as_chunks(), distorted.as_chunks());
        r.iter().zip(d).for_each(|(r, d)| add(r, d));
        add(&padded(r_tail), &padded(d_tail));
        sum_u32(squares)
    }

    #[target_feature(enable = "avx2")]
    pub fn words(reference: &[u16], distorted: &[u16]) -> u64 {
        let blocks = reference.chunks(BLOCK).zip(distorted.chunks(BLOCK));
        blocks.map(|(r, d)| words_block(r, d)).sum()
    }

    #[target_feature(enable = "avx2")]
    fn words_block(reference: &[u16], distorted: &[u16]) -> u64 {
        let [mut high, mut mixed, mut low] = [_mm256_setzero_si256(); 3];
        let mut add = |r, d| {
            let (l, h) = split_bytes(distance_words(load_words(r), load_words(d)));
            high = _mm256_add_epi32(high, _mm256_madd_epi16(h, h));
            mixed = _mm256_add_epi32(mixed, _mm256_madd_epi16(h, l));
            low = _mm256_add_epi32(low, _mm256_madd_epi16(l, l));
        };
        let ((r, r_tail), (d, d_tail)) = (reference.as_chunks(), distorted.as_chunks());
        r.iter().zip(d).for_each(|(r, d)| add(r, d));
        add(&padded(r_tail), &padded(d_tail));
        (sum_u32(high) << 16) + (sum_u32(mixed) << 9) + sum_u32(low)
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use crate::reduce::lanes::avx512::*;
    use crate::reduce::lanes::{BLOCK, padded};
    use std::arch::x86_64::*;

    #[target_feature(enable = "avx512f,avx512bw")]
    pub fn bytes(reference: &[u8], distorted: &[u8]) -> u64 {
        let blocks = reference.chunks(BLOCK).zip(distorted.chunks(BLOCK));
        blocks.map(|(r, d)| bytes_block(r, d)).sum()
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    fn bytes_block(reference: &[u8], distorted: &[u8]) -> u64 {
        let mut squares = _mm512_setzero_si512();
        let mut add = |r, d| {
            let distance = distance_bytes(load_bytes(r), load_bytes(d));
            squares = _mm512_add_epi32(squares, square_bytes(distance));
        };
        let ((r, r_tail), (d, d_tail)) = (reference.as_chunks(), distorted.as_chunks());
        r.iter().zip(d).for_each(|(r, d)| add(r, d));
        add(&padded(r_tail), &padded(d_tail));
        sum_u32(squares)
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    pub fn words(reference: &[u16], distorted: &[u16]) -> u64 {
        let blocks = reference.chunks(BLOCK).zip(distorted.chunks(BLOCK));
        blocks.map(|(r, d)| words_block(r, d)).sum()
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    fn words_block(reference: &[u16], distorted: &[u16]) -> u64 {
        let [mut high, mut mixed, mut low] = [_mm512_setzero_si512(); 3];
        let mut add = |r, d| {
            let (l, h) = split_bytes(distance_words(load_words(r), load_words(d)));
            high = _mm512_add_epi32(high, _mm512_madd_epi16(h, h));
            mixed = _mm512_add_epi32(mixed, _mm512_madd_epi16(h, l));
            low = _mm512_add_epi32(low, _mm512_madd_epi16(l, l));
        };
        let ((r, r_tail), (d, d_tail)) = (reference.as_chunks(), distorted.as_chunks());
        r.iter().zip(d).for_each(|(r, d)| add(r, d));
        add(&padded(r_tail), &padded(d_tail));
        (sum_u32(high) << 16) + (sum_u32(mixed) << 9) + sum_u32(low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::testing::{Noise, bytes, patterns};

    /// Widths around every register's length, and around the blocks of 32-bit sums.
    fn widths() -> impl Iterator<Item = usize> {
        (0..=130).chain([2049, 32767, 32768, 65551, 70000])
    }

    #[test]
    fn rows_of_8_bits() {
        for level in Level::available() {
            for width in widths() {
                let planes =
                    patterns(width, 255, width as u64).map(|(name, samples)| (name, bytes(&samples)));
                let plane = |row| Plane::new(row, width, 1, width);
                for ((r_name, r), (d_name, d)) in
                    planes.iter().flat_map(|r| planes.iter().map(move |d| (r, d)))
                {
                    let sse = select(level).bits8(&plane(r), &plane(d), 0..1);
                    let what = format!("{level:?}, {width} of {r_name} against {d_name}");
                    assert_eq!(sse, scalar::row_sse(r, d), "{what}");
                }
            }
        }
    }

    #[test]
    fn rows_of_9_to_16_bits() {
        for level in Level::available() {
            for (width, bits) in widths().flat_map(|width| [10, 12, 15, 16].map(|bits| (width, bits))) {
                let planes = patterns(width, ((1u32 << bits) - 1) as u16, width as u64);
                let plane = |row| Plane::new(row, width, 1, width);
                for ((r_name, r), (d_name, d)) in planes.iter().zip(planes.iter().cycle().skip(1)) {
                    let sse = select(level).bits16(&plane(r), &plane(d), 0..1);
                    let what = format!("{level:?}, {width} of {r_name} against {d_name}, {bits} bits");
                    assert_eq!(sse, scalar::row_sse(r, d), "{what}");
                }
            }
        }
    }

    #[test]
    fn noise_against_noise_of_16_bits() {
        for level in Level::available() {
            for width in widths() {
                let noise = &mut Noise(width as u64);
                let [r, d] = [u16::MAX; 2].map(|max| noise.samples(width, max));
                let plane = |row| Plane::new(row, width, 1, width);
                let sse = select(level).bits16(&plane(&r), &plane(&d), 0..1);
                assert_eq!(sse, scalar::row_sse(&r, &d), "{level:?}, width and seed {width}");
            }
        }
    }

    #[test]
    fn the_largest_differences_overflow_no_lane() {
        const LONG: usize = 1_200_000;
        let (white8, black8) = (vec![u8::MAX; LONG], vec![0; LONG]);
        let (white16, black16) = (vec![u16::MAX; LONG], vec![0; LONG]);
        let (expected8, expected16) =
            (scalar::row_sse(&white8, &black8), scalar::row_sse(&white16, &black16));
        let plane8 = |row| Plane::new(row, LONG, 1, LONG);
        let plane16 = |row| Plane::new(row, LONG, 1, LONG);
        for level in Level::available() {
            let kernel = select(level);
            assert_eq!(kernel.bits8(&plane8(&white8), &plane8(&black8), 0..1), expected8, "{level:?}");
            assert_eq!(kernel.bits16(&plane16(&white16), &plane16(&black16), 0..1), expected16, "{level:?}");
        }
    }

    #[test]
    fn planes_may_differ_in_stride_and_ranges_merge() {
        let (width, height) = (67, 9);
        let noise = &mut Noise(5);
        let (r, d) = (noise.samples(96 * height, u16::MAX), noise.samples(72 * height, u16::MAX));
        let expected: u64 =
            (0..height).map(|y| scalar::row_sse(&r[y * 96..][..width], &d[y * 72..][..width])).sum();
        let (r, d) = (Plane::new(&r, width, height, 96), Plane::new(&d, width, height, 72));
        for level in Level::available() {
            let kernel = select(level);
            let sse = kernel.bits16(&r, &d, 0..4) + kernel.bits16(&r, &d, 4..height);
            assert_eq!(sse, expected, "{level:?}");
        }
    }

    #[test]
    fn the_scalar_sum_is_that_of_the_formula() {
        assert_eq!(scalar::row_sse(&[0u8, 255, 7], &[255u8, 0, 4]), 2 * 65025 + 9);
        assert_eq!(scalar::row_sse(&[0u16, u16::MAX], &[u16::MAX, 0]), 2 * 65535 * 65535);
    }
}

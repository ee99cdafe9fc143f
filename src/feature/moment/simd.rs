// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Sums of samples and of their squares at every instruction-set level, both in one pass over a plane.

use std::ops::Range;

use super::scalar::{self, Sums};
#[cfg(target_arch = "x86_64")]
use crate::cpu::Kind;
use crate::cpu::Level;
use crate::picture::Plane;
use crate::reduce::ordered::{Pair, Plan, exact};
use crate::reduce::pairs;

/// The sums of rows at one level.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    bits8: unsafe fn(&[u8]) -> Sums,
    bits12: unsafe fn(&[u16]) -> Sums,
    bits16: unsafe fn(&[u16]) -> Sums,
    pairs: pairs::Kernel,
}

/// The kernel of `level`.
pub fn select(level: Level) -> Kernel {
    let pairs = pairs::select(level);
    match level.kind() {
        #[cfg(target_arch = "x86_64")]
        Kind::Avx2 => Kernel { bits8: avx2::bytes, bits12: avx2::narrow, bits16: avx2::wide, pairs },
        #[cfg(target_arch = "x86_64")]
        Kind::Avx512 | Kind::Avx512Icl => {
            Kernel { bits8: avx512::bytes, bits12: avx512::narrow, bits16: avx512::wide, pairs }
        }
        _ => {
            Kernel { bits8: scalar::row_sums8, bits12: scalar::row_sums16, bits16: scalar::row_sums16, pairs }
        }
    }
}

impl Kernel {
    /// The sums over `rows` of an 8-bit plane.
    pub fn bits8(&self, plane: &Plane<'_, u8>, rows: Range<usize>) -> Sums {
        // SAFETY: `select` took the function for a level that this CPU was seen to have.
        plane.rows(rows).map(|row| unsafe { (self.bits8)(row) }).sum()
    }

    /// The sums of a row of a 10- or 12-bit plane. Larger samples are slower, not wrong.
    pub fn row12(&self, row: &[u16]) -> Sums {
        // SAFETY: `select` took the function for a level that this CPU was seen to have.
        unsafe { (self.bits12)(row) }
    }

    /// The sums of a row of a 16-bit plane.
    pub fn row16(&self, row: &[u16]) -> Sums {
        // SAFETY: `select` took the function for a level that this CPU was seen to have.
        unsafe { (self.bits16)(row) }
    }

    /// The second moment's sum of a whole plane above 8 bits as the reference's accumulator ends, from the
    /// sums of all its rows.
    pub fn ordered(&self, plane: &Plane<'_, u16>, rows: &[Sums]) -> u64 {
        let squares = rows.iter().map(|row| row.squares);
        exact(squares.clone()).unwrap_or_else(|| {
            let plan = Plan::new(squares);
            let pair = |y| self.pair(plane.row(y), plan.place(y));
            plan.walk(pair, |y| scalar::row_terms(plane.row(y)))
        })
    }

    /// The increments of one row's squares where a sum's last place is 2^`place`.
    pub fn pair(&self, row: &[u16], place: u32) -> Pair {
        self.pairs.pair(row, place)
    }
}

/// Samples of one call's 32-bit sums of 12-bit squares: a lane of the shorter registers takes 256,
/// and 256 * 4095^2 is below 2^32.
#[cfg(target_arch = "x86_64")]
const NARROW_BLOCK: usize = 2048;

/// The largest sample that [`NARROW_BLOCK`] allows for.
#[cfg(target_arch = "x86_64")]
const NARROW: u16 = 4095;

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{NARROW, NARROW_BLOCK, Sums};
    use crate::reduce::lanes::avx2::*;
    use crate::reduce::lanes::{BLOCK, padded};
    use std::arch::x86_64::*;

    #[target_feature(enable = "avx2")]
    pub fn bytes(row: &[u8]) -> Sums {
        row.chunks(BLOCK).map(|block| bytes_block(block)).sum()
    }

    #[target_feature(enable = "avx2")]
    fn bytes_block(block: &[u8]) -> Sums {
        let [mut samples, mut squares] = [_mm256_setzero_si256(); 2];
        let mut add = |x| {
            samples = _mm256_add_epi64(samples, _mm256_sad_epu8(x, _mm256_setzero_si256()));
            squares = _mm256_add_epi32(squares, square_bytes(x));
        };
        let (steps, tail) = block.as_chunks();
        steps.iter().for_each(|step| add(load_bytes(step)));
        add(load_bytes(&padded(tail)));
        Sums { samples: sum_u64(samples), squares: sum_u32(squares) }
    }

    #[target_feature(enable = "avx2")]
    pub fn narrow(row: &[u16]) -> Sums {
        row.chunks(NARROW_BLOCK).map(|block| narrow_block(block).unwrap_or_else(|| wide(block))).sum()
    }

    /// The sums, unless a sample is above [`NARROW`].
    #[target_feature(enable = "avx2")]
    fn narrow_block(block: &[u16]) -> Option<Sums> {
        let [mut samples, mut squares, mut bits] = [_mm256_setzero_si256(); 3];
        let mut add = |x| {
            samples = _mm256_add_epi32(samples, _mm256_madd_epi16(x, _mm256_set1_epi16(1)));
            squares = _mm256_add_epi32(squares, _mm256_madd_epi16(x, x));
            bits = _mm256_or_si256(bits, x);
        };
        let (steps, tail) = block.as_chunks();
        steps.iter().for_each(|step| add(load_words(step)));
        add(load_words(&padded(tail)));
        let is_narrow = _mm256_testz_si256(bits, _mm256_set1_epi16(!NARROW as i16)) == 1;
        is_narrow.then(|| Sums { samples: sum_u32(samples), squares: sum_u32(squares) })
    }

    #[target_feature(enable = "avx2")]
    pub fn wide(row: &[u16]) -> Sums {
        row.chunks(BLOCK).map(|block| wide_block(block)).sum()
    }

    #[target_feature(enable = "avx2")]
    fn wide_block(block: &[u16]) -> Sums {
        let (mut samples, mut squares) = (_mm256_setzero_si256(), _mm256_setzero_pd());
        let mut add = |x| {
            samples = _mm256_add_epi32(samples, add_words(x));
            squares = _mm256_add_pd(squares, square_words(x));
        };
        let (steps, tail) = block.as_chunks();
        steps.iter().for_each(|step| add(load_words(step)));
        add(load_words(&padded(tail)));
        Sums { samples: sum_u32(samples), squares: sum_f64(squares) }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use super::{NARROW, NARROW_BLOCK, Sums};
    use crate::reduce::lanes::avx512::*;
    use crate::reduce::lanes::{BLOCK, padded};
    use std::arch::x86_64::*;

    #[target_feature(enable = "avx512f,avx512bw")]
    pub fn bytes(row: &[u8]) -> Sums {
        row.chunks(BLOCK).map(|block| bytes_block(block)).sum()
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    fn bytes_block(block: &[u8]) -> Sums {
        let [mut samples, mut squares] = [_mm512_setzero_si512(); 2];
        let mut add = |x| {
            samples = _mm512_add_epi64(samples, _mm512_sad_epu8(x, _mm512_setzero_si512()));
            squares = _mm512_add_epi32(squares, square_bytes(x));
        };
        let (steps, tail) = block.as_chunks();
        steps.iter().for_each(|step| add(load_bytes(step)));
        add(load_bytes(&padded(tail)));
        Sums { samples: sum_u64(samples), squares: sum_u32(squares) }
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    pub fn narrow(row: &[u16]) -> Sums {
        row.chunks(NARROW_BLOCK).map(|block| narrow_block(block).unwrap_or_else(|| wide(block))).sum()
    }

    /// The sums, unless a sample is above [`NARROW`].
    #[target_feature(enable = "avx512f,avx512bw")]
    fn narrow_block(block: &[u16]) -> Option<Sums> {
        let [mut samples, mut squares, mut bits] = [_mm512_setzero_si512(); 3];
        let mut add = |x| {
            samples = _mm512_add_epi32(samples, _mm512_madd_epi16(x, _mm512_set1_epi16(1)));
            squares = _mm512_add_epi32(squares, _mm512_madd_epi16(x, x));
            bits = _mm512_or_si512(bits, x);
        };
        let (steps, tail) = block.as_chunks();
        steps.iter().for_each(|step| add(load_words(step)));
        add(load_words(&padded(tail)));
        let is_narrow = _mm512_test_epi16_mask(bits, _mm512_set1_epi16(!NARROW as i16)) == 0;
        is_narrow.then(|| Sums { samples: sum_u32(samples), squares: sum_u32(squares) })
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    pub fn wide(row: &[u16]) -> Sums {
        row.chunks(BLOCK).map(|block| wide_block(block)).sum()
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    fn wide_block(block: &[u16]) -> Sums {
        let [mut samples, mut squares] = [_mm512_setzero_si512(); 2];
        let mut add = |x| {
            samples = _mm512_add_epi32(samples, add_words(x));
            squares = _mm512_add_epi64(squares, square_words(x));
        };
        let (steps, tail) = block.as_chunks();
        steps.iter().for_each(|step| add(load_words(step)));
        add(load_words(&padded(tail)));
        Sums { samples: sum_u32(samples), squares: sum_u64(squares) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::ordered::EXACT;
    use crate::reduce::testing::{Noise, bytes, patterns};

    /// Widths around every register's length, and around the blocks of 32-bit sums.
    fn widths() -> impl Iterator<Item = usize> {
        (0..=130).chain([2047, 2048, 2049, 4099, 32767, 32768, 65551])
    }

    #[test]
    fn rows_of_8_bits() {
        for level in Level::available() {
            for width in widths() {
                for (name, samples) in patterns(width, 255, width as u64) {
                    let row = bytes(&samples);
                    let sums = select(level).bits8(&Plane::new(&row, width, 1, width), 0..1);
                    assert_eq!(sums, scalar::row_sums8(&row), "{level:?}, {width} of {name}");
                }
            }
        }
    }

    #[test]
    fn rows_of_10_to_16_bits() {
        for level in Level::available() {
            for (width, max) in
                widths().flat_map(|width| [1023, 4095, 4096, u16::MAX].map(|max| (width, max)))
            {
                for (name, row) in patterns(width, max, width as u64) {
                    let what = format!("{level:?}, {width} of {name} to {max}");
                    let expected = scalar::row_sums16(&row);
                    assert_eq!(select(level).row12(&row), expected, "{what}: row12");
                    assert_eq!(select(level).row16(&row), expected, "{what}: row16");
                }
            }
        }
    }

    /// Long enough for any 32-bit lane to overflow if it were not emptied on the way.
    const LONG: usize = 1_200_000;

    #[test]
    fn the_largest_samples_overflow_no_lane() {
        let (white8, white16) = (vec![u8::MAX; LONG], vec![u16::MAX; LONG]);
        let (expected8, expected16) = (scalar::row_sums8(&white8), scalar::row_sums16(&white16));
        for level in Level::available() {
            let kernel = select(level);
            assert_eq!(kernel.bits8(&Plane::new(&white8, LONG, 1, LONG), 0..1), expected8, "{level:?}");
            assert_eq!(kernel.row16(&white16), expected16, "{level:?}");
        }
    }

    #[test]
    fn ranges_of_rows_leave_padding_out_and_merge() {
        let (width, height, stride) = (67, 9, 96);
        let samples = bytes(&Noise(5).samples(stride * height, 255));
        let plane = Plane::new(&samples, width, height, stride);
        let expected: Sums = (0..height).map(|y| scalar::row_sums8(&samples[y * stride..][..width])).sum();
        for level in Level::available() {
            let kernel = select(level);
            assert_eq!(kernel.bits8(&plane, 0..4) + kernel.bits8(&plane, 4..height), expected, "{level:?}");
        }
    }

    /// The four figures of a plane before the division by its area must be those of the specification's chains.
    fn check_chains(what: &str, plane: &Plane<'_, u16>) -> u64 {
        let (first, second) = scalar::chains(plane, 256.0);
        let mut lost = 0;
        for level in Level::available() {
            let rows: Vec<Sums> = plane.rows(0..plane.height()).map(|row| select(level).row16(row)).collect();
            let (ordered, exact) = (select(level).ordered(plane, &rows), rows.iter().copied().sum::<Sums>());
            assert_eq!(exact.samples as f64 / 256.0, first, "{level:?}, {what}: first");
            assert_eq!(ordered as f64 / 65536.0, second, "{level:?}, {what}: second");
            lost = ordered.abs_diff(exact.squares);
        }
        lost
    }

    #[test]
    fn a_16_bit_plane_past_two_to_the_53_rounds_as_the_chain() {
        let (width, height) = (2048, 1500);
        let mut bright = Noise(7).samples(width * height, 12000);
        for (i, x) in bright.iter_mut().enumerate().filter(|(i, _)| i % 7 != 0) {
            *x = u16::MAX - (i % 4096) as u16;
        }
        let plane = Plane::new(&bright, width, height, width);
        assert!(check_chains("bright, seed 7", &plane) > 0, "the sum never rounded");
    }

    #[test]
    fn a_16_bit_plane_below_two_to_the_53_is_exact() {
        let noise = Noise(8).samples(320 * 200, u16::MAX);
        assert_eq!(check_chains("noise, seed 8", &Plane::new(&noise, 320, 200, 320)), 0);
        let largest = vec![u16::MAX; 100];
        assert!(scalar::row_sums16(&largest).squares < EXACT);
        assert_eq!(check_chains("all max", &Plane::new(&largest, 10, 10, 10)), 0);
    }

    #[test]
    fn the_chains_of_8_bits_are_the_integer_sums() {
        let samples = bytes(&Noise(9).samples(101 * 67, 255));
        let plane = Plane::new(&samples, 101, 67, 101);
        let sums = select(Level::detect(0)).bits8(&plane, 0..67);
        assert_eq!(scalar::chains(&plane, 1.0), (sums.samples as f64, sums.squares as f64));
    }
}

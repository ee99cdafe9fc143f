// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Increments of rows whose terms are [rounded squares](rounded_square), at every level.
//!
//! One row's two chains wait for their own additions. Pairs compose, so the vector forms cut a row into eight
//! segments and run all their chains side by side, one segment to a lane.

#[cfg(target_arch = "x86_64")]
use crate::cpu::Kind;
use crate::cpu::Level;
use crate::reduce::ordered::{Pair, row_pair};
use crate::reduce::squares::rounded_square;

/// The increments of rows of rounded squares at one level.
#[derive(Clone, Copy, Debug)]
pub struct Kernel(unsafe fn(&[u16], u32) -> Pair);

/// The kernel of `level`.
pub fn select(level: Level) -> Kernel {
    Kernel(match level.kind() {
        #[cfg(target_arch = "x86_64")]
        Kind::Avx2 => avx2::pair,
        #[cfg(target_arch = "x86_64")]
        Kind::Avx512 | Kind::Avx512Icl => avx512::pair,
        _ => scalar,
    })
}

impl Kernel {
    /// The increments of the terms T(x), x of `row`, where a sum's last place is 2^`place`.
    pub fn pair(&self, row: &[u16], place: u32) -> Pair {
        // SAFETY: `select` took the function for a level that this CPU was seen to have.
        unsafe { (self.0)(row, place) }
    }
}

fn scalar(row: &[u16], place: u32) -> Pair {
    row_pair(row.iter().map(|&x| rounded_square(x)), place)
}

/// Terms in columns: how eight segments of one row pass through a register.
#[cfg(target_arch = "x86_64")]
mod columns {
    use super::{Pair, scalar};
    use crate::reduce::ordered::Chains;
    use std::arch::x86_64::*;

    pub const SEGMENTS: usize = 8;

    /// `row` as eight equal segments of whole groups of eight samples, and what remains behind them.
    pub fn segments(row: &[u16]) -> ([&[[u16; 8]]; SEGMENTS], &[u16]) {
        let length = row.len() / (8 * SEGMENTS) * 8;
        let (front, rest) = row.split_at(SEGMENTS * length);
        (std::array::from_fn(|lane| front[lane * length..][..length].as_chunks().0), rest)
    }

    /// One group of each segment, turned: register i holds sample i of every segment.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn load(segments: &[&[[u16; 8]]; SEGMENTS], group: usize) -> [__m128i; 8] {
        // SAFETY: the array is as large as the register, and the load has no alignment.
        transpose(segments.map(|segment| unsafe { _mm_loadu_si128(segment[group].as_ptr().cast()) }))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn transpose(r: [__m128i; 8]) -> [__m128i; 8] {
        let pairs = |a, b| (_mm_unpacklo_epi16(a, b), _mm_unpackhi_epi16(a, b));
        let quads = |a, b| (_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b));
        let all = |a, b| [_mm_unpacklo_epi64(a, b), _mm_unpackhi_epi64(a, b)];
        let ((a0, a4), (b0, b4)) = (pairs(r[0], r[1]), pairs(r[2], r[3]));
        let ((c0, c4), (d0, d4)) = (pairs(r[4], r[5]), pairs(r[6], r[7]));
        let ((top0, top2), (top4, top6)) = (quads(a0, b0), quads(a4, b4));
        let ((low0, low2), (low4, low6)) = (quads(c0, d0), quads(c4, d4));
        let turned = [all(top0, low0), all(top2, low2), all(top4, low4), all(top6, low6)];
        std::array::from_fn(|i| turned[i / 2][i % 2])
    }

    /// The pair of the whole row from the ends of its segments' chains.
    pub fn compose(even: [f64; 8], odd: [f64; 8], rest: &[u16], place: u32) -> Pair {
        let pairs = even.into_iter().zip(odd).map(|(even, odd)| Chains { even, odd, place }.pair());
        pairs.fold(Pair::default(), Pair::then).then(scalar(rest, place))
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{Pair, columns};
    use crate::reduce::lanes::avx2::{square_as_float, to_array, widen_halves};
    use crate::reduce::ordered::Chains;
    use std::arch::x86_64::*;

    #[target_feature(enable = "avx2")]
    pub fn pair(row: &[u16], place: u32) -> Pair {
        let (segments, rest) = columns::segments(row);
        let start = Chains::new(place);
        let (mut even, mut odd) = ([_mm256_set1_pd(start.even); 2], [_mm256_set1_pd(start.odd); 2]);
        for group in 0..segments[0].len() {
            for column in columns::load(&segments, group) {
                let terms = widen_halves(square_as_float(_mm256_cvtepu16_epi32(column)));
                even = [_mm256_add_pd(even[0], terms[0]), _mm256_add_pd(even[1], terms[1])];
                odd = [_mm256_add_pd(odd[0], terms[0]), _mm256_add_pd(odd[1], terms[1])];
            }
        }
        columns::compose(join(even), join(odd), rest, place)
    }

    #[target_feature(enable = "avx2")]
    fn join(halves: [__m256d; 2]) -> [f64; 8] {
        let halves = halves.map(|half| to_array(half));
        std::array::from_fn(|lane| halves[lane / 4][lane % 4])
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use super::{Pair, columns};
    use crate::reduce::lanes::{avx2::square_as_float, avx512::to_array};
    use crate::reduce::ordered::Chains;
    use std::arch::x86_64::*;

    #[target_feature(enable = "avx2,avx512f,avx512bw")]
    pub fn pair(row: &[u16], place: u32) -> Pair {
        let (segments, rest) = columns::segments(row);
        let start = Chains::new(place);
        let (mut even, mut odd) = (_mm512_set1_pd(start.even), _mm512_set1_pd(start.odd));
        for group in 0..segments[0].len() {
            for column in columns::load(&segments, group) {
                let terms = _mm512_cvtps_pd(square_as_float(_mm256_cvtepu16_epi32(column)));
                even = _mm512_add_pd(even, terms);
                odd = _mm512_add_pd(odd, terms);
            }
        }
        columns::compose(to_array(even), to_array(odd), rest, place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::testing::patterns;

    #[test]
    fn every_level_gives_the_pairs_of_one_chain() {
        let mut parities_differ = false;
        for level in Level::available() {
            let kernel = select(level);
            for width in (0..=130).chain([511, 512, 1920, 4097]) {
                for max in [3, 4095, 8190, u16::MAX] {
                    for (name, row) in patterns(width, max, width as u64) {
                        for place in [0, 1, 2, 3, 7] {
                            let expected = scalar(&row, place);
                            let what = format!("{level:?}, {width} of {name} to {max}, place {place}");
                            assert_eq!(kernel.pair(&row, place), expected, "{what}");
                            parities_differ |= expected.even != expected.odd;
                        }
                    }
                }
            }
        }
        assert!(parities_differ, "no row in which the parity matters");
    }
}

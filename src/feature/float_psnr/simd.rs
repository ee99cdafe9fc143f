// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Noise of 16-bit luma at every instruction-set level.

use super::scalar;
#[cfg(target_arch = "x86_64")]
use crate::cpu::Kind;
use crate::cpu::Level;
use crate::picture::Plane;
use crate::reduce::ordered::{Pair, Plan, exact};
use crate::reduce::pairs;

/// The noise of rows at one level.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    bits16: unsafe fn(&[u16], &[u16]) -> u64,
    pairs: pairs::Kernel,
}

/// The kernel of `level`.
pub fn select(level: Level) -> Kernel {
    let pairs = pairs::select(level);
    match level.kind() {
        #[cfg(target_arch = "x86_64")]
        Kind::Avx2 => Kernel { bits16: avx2::noise, pairs },
        #[cfg(target_arch = "x86_64")]
        Kind::Avx512 | Kind::Avx512Icl => Kernel { bits16: avx512::noise, pairs },
        _ => Kernel { bits16: scalar::row_noise, pairs },
    }
}

impl Kernel {
    /// The exact noise of a row, in code values squared.
    pub fn row(&self, reference: &[u16], distorted: &[u16]) -> u64 {
        // SAFETY: `select` took the function for a level that this CPU was seen to have.
        unsafe { (self.bits16)(reference, distorted) }
    }

    /// The noise of two whole planes above 8 bits as the reference's accumulator ends, from the noise of all rows.
    pub fn ordered(&self, reference: &Plane<'_, u16>, distorted: &Plane<'_, u16>, rows: &[u64]) -> u64 {
        let sums = rows.iter().copied();
        exact(sums.clone()).unwrap_or_else(|| {
            let plan = Plan::new(sums);
            let pair = |y| self.pair(reference.row(y), distorted.row(y), plan.place(y));
            plan.walk(pair, |y| scalar::row_terms(reference.row(y), distorted.row(y)))
        })
    }

    /// The increments of one row's noise where a sum's last place is 2^`place`.
    pub fn pair(&self, reference: &[u16], distorted: &[u16], place: u32) -> Pair {
        let blocks = reference.chunks(PAIR_BLOCK).zip(distorted.chunks(PAIR_BLOCK));
        let pair = |(r, d): (&[u16], &[u16])| {
            let mut distances = [0; PAIR_BLOCK];
            let samples = r.iter().zip(d);
            distances.iter_mut().zip(samples).for_each(|(to, (r, d))| *to = r.abs_diff(*d));
            self.pairs.pair(&distances[..r.len()], place)
        };
        blocks.map(pair).fold(Pair::default(), Pair::then)
    }
}

/// Samples whose distances are held at a time; whole groups of the vector forms.
const PAIR_BLOCK: usize = 1024;

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use crate::reduce::lanes::avx2::*;
    use crate::reduce::lanes::{BLOCK, padded};
    use std::arch::x86_64::*;

    #[target_feature(enable = "avx2")]
    pub fn noise(reference: &[u16], distorted: &[u16]) -> u64 {
        let blocks = reference.chunks(BLOCK).zip(distorted.chunks(BLOCK));
        blocks.map(|(r, d)| noise_block(r, d)).sum()
    }

    #[target_feature(enable = "avx2")]
    fn noise_block(reference: &[u16], distorted: &[u16]) -> u64 {
        let mut squares = _mm256_setzero_pd();
        let mut add = |r, d| {
            let distance = distance_words(load_words(r), load_words(d));
            squares = _mm256_add_pd(squares, square_words(distance));
        };
        let ((r, r_tail), (d, d_tail)) = (reference.as_chunks(), distorted.as_chunks());
        r.iter().zip(d).for_each(|(r, d)| add(r, d));
        add(&padded(r_tail), &padded(d_tail));
        sum_f64(squares)
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use crate::reduce::lanes::avx512::*;
    use crate::reduce::lanes::{BLOCK, padded};
    use std::arch::x86_64::*;

    #[target_feature(enable = "avx512f,avx512bw")]
    pub fn noise(reference: &[u16], distorted: &[u16]) -> u64 {
        let blocks = reference.chunks(BLOCK).zip(distorted.chunks(BLOCK));
        blocks.map(|(r, d)| noise_block(r, d)).sum()
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    fn noise_block(reference: &[u16], distorted: &[u16]) -> u64 {
        let mut squares = _mm512_setzero_si512();
        let mut add = |r, d| {
            let distance = distance_words(load_words(r), load_words(d));
            squares = _mm512_add_epi64(squares, square_words(distance));
        };
        let ((r, r_tail), (d, d_tail)) = (reference.as_chunks(), distorted.as_chunks());
        r.iter().zip(d).for_each(|(r, d)| add(r, d));
        add(&padded(r_tail), &padded(d_tail));
        sum_u64(squares)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feature::psnr;
    use crate::reduce::ordered::row_pair;
    use crate::reduce::testing::{Noise, patterns};

    #[test]
    fn rows_of_16_bits() {
        for level in Level::available() {
            for width in (0..=130).chain([2049, 32767, 32768, 65551]) {
                let planes = patterns(width, u16::MAX, width as u64);
                let noise = Noise(!0).samples(width, u16::MAX);
                for (name, r) in &planes {
                    let got = select(level).row(r, &noise);
                    assert_eq!(got, scalar::row_noise(r, &noise), "{level:?}, {width} of {name}");
                }
            }
        }
    }

    #[test]
    fn pairs_of_rows_are_those_of_one_chain() {
        for level in Level::available() {
            for (width, place) in
                [0, 1, 63, 64, 1023, 1025, 4100].into_iter().flat_map(|w| [1, 2, 3].map(|k| (w, k)))
            {
                let (r, d) = (Noise(1).samples(width, 9000), Noise(2).samples(width, 9000));
                let expected = row_pair(scalar::row_terms(&r, &d), place);
                assert_eq!(select(level).pair(&r, &d, place), expected, "{level:?}, {width}, place {place}");
            }
        }
    }

    /// Noise below or past 2^53 must be that of the specification's chain; returns what rounding took away.
    fn check_chain(what: &str, reference: &Plane<'_, u16>, distorted: &Plane<'_, u16>) -> u64 {
        let expected = scalar::chain(reference, distorted, 256.0);
        let mut lost = 0;
        for level in Level::available() {
            let kernel = select(level);
            let row = |y| kernel.row(reference.row(y), distorted.row(y));
            let rows: Vec<u64> = (0..reference.height()).map(row).collect();
            let ordered = kernel.ordered(reference, distorted, &rows);
            assert_eq!(ordered as f64 / 65536.0, expected, "{level:?}, {what}");
            lost = ordered.abs_diff(rows.iter().sum());
        }
        lost
    }

    #[test]
    fn planes_past_two_to_the_53_round_as_the_chain() {
        let (width, height) = (2049, 1400);
        let noise = &mut Noise(11);
        let bright: Vec<u16> = (0..width * height).map(|_| u16::MAX - noise.sample(2000)).collect();
        let dark: Vec<u16> = bright
            .iter()
            .enumerate()
            .map(|(i, x)| if i % 7 == 0 { *x } else { 0 } ^ noise.sample(4095))
            .collect();
        let (r, d) = (Plane::new(&bright, width, height, width), Plane::new(&dark, width, height, width));
        assert!(check_chain("seed 11", &r, &d) > 0, "the sum never rounded");
    }

    #[test]
    fn small_planes_are_exact() {
        let (r, d) = (Noise(12).samples(320 * 200, u16::MAX), Noise(13).samples(320 * 200, u16::MAX));
        assert_eq!(
            check_chain("seeds 12, 13", &Plane::new(&r, 320, 200, 320), &Plane::new(&d, 320, 200, 320)),
            0
        );
    }

    #[test]
    fn up_to_12_bits_the_noise_is_the_squared_error_of_psnr() {
        let (r, d) = (Noise(14).samples(101 * 67, 4095), Noise(15).samples(101 * 67, 4095));
        let (r, d) = (Plane::new(&r, 101, 67, 101), Plane::new(&d, 101, 67, 101));
        let sse = psnr::simd::select(Level::detect(0)).bits16(&r, &d, 0..67);
        assert_eq!(sse as f64 / 256.0, scalar::chain(&r, &d, 16.0));
    }
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! What the instruction sets do differently.

use std::arch::x86_64::*;

use crate::cpu::{Kind, Level};
use crate::feature::cambi::tables::COUNTS;

/// AVX2 and the bit instructions that every CPU with it has. Exists only where the CPU has both.
#[derive(Clone, Copy)]
pub struct Avx2(());

/// AVX-512, likewise.
#[derive(Clone, Copy)]
pub struct Avx512(());

fn has_bit_instructions() -> bool {
    use std::arch::is_x86_feature_detected as has;
    has!("bmi1") && has!("bmi2") && has!("lzcnt") && has!("popcnt")
}

impl Avx2 {
    /// If `level` is AVX2.
    pub fn of(level: Level) -> Option<Self> {
        (level.kind() == Kind::Avx2 && has_bit_instructions()).then_some(Self(()))
    }
}

impl Avx512 {
    /// If `level` is AVX-512, with or without the additions of Ice Lake.
    pub fn of(level: Level) -> Option<Self> {
        (level.kind() >= Kind::Avx512 && has_bit_instructions()).then_some(Self(()))
    }
}

/// Pixels whose contrast values are made at once.
pub const PIXELS: usize = 4;

/// Counts of one pixel: those of four steps of contrast, and of its own level.
#[derive(Clone, Copy)]
pub struct Pixels<'a> {
    /// For each pixel four counts of 16 bits, the lowest the smallest step.
    pub steps: &'a [u64; PIXELS],
    /// For each pixel one count.
    pub own: &'a [u32; PIXELS],
}

/// Vectors of one instruction set.
pub trait Lanes: Copy {
    /// Running sums of contrast values.
    type Sums: Copy;

    /// Bit by bit where the keys of two rows differ.
    fn differing(self, a: &[u16; 64], b: &[u16; 64]) -> u64;

    /// Bit by bit where keys are at least 1 and at most `last`.
    fn wanted(self, row: &[u16; 64], last: u16) -> u64;

    /// No sum yet.
    fn zero(self) -> Self::Sums;

    /// The largest contrast value of each pixel, also added to `sums`.
    fn contrast(
        self,
        pixels: Pixels<'_>,
        reciprocals: &[f32; COUNTS],
        out: &mut [f32; PIXELS],
        sums: Self::Sums,
    ) -> Self::Sums;

    /// All sums together.
    fn total(self, sums: Self::Sums) -> f64;
}

/// The weights of the first four steps, for four pixels.
const WEIGHTS: u64 = 0x0004_0003_0002_0001;

// SAFETY, of all blocks in this implementation: `self` exists only where the CPU has the instructions, loads and
// stores are of whole arrays, and indices of reciprocals are limited to the table.
#[allow(clippy::undocumented_unsafe_blocks)]
impl Lanes for Avx2 {
    type Sums = __m256d;

    #[inline(always)]
    fn differing(self, a: &[u16; 64], b: &[u16; 64]) -> u64 {
        let [a, b] = [a, b].map(|keys| keys.as_chunks::<16>().0);
        let low = self.bits(self.equal(&a[0], &b[0]), self.equal(&a[1], &b[1]));
        let high = self.bits(self.equal(&a[2], &b[2]), self.equal(&a[3], &b[3]));
        !(low | high << 32)
    }

    #[inline(always)]
    fn wanted(self, row: &[u16; 64], last: u16) -> u64 {
        if last == 0 {
            return 0;
        }
        let row = row.as_chunks::<16>().0;
        let low = self.bits(self.within(&row[0], last), self.within(&row[1], last));
        let high = self.bits(self.within(&row[2], last), self.within(&row[3], last));
        low | high << 32
    }

    #[inline(always)]
    fn zero(self) -> __m256d {
        unsafe { _mm256_setzero_pd() }
    }

    #[inline(always)]
    fn contrast(
        self,
        pixels: Pixels<'_>,
        reciprocals: &[f32; COUNTS],
        out: &mut [f32; PIXELS],
        sums: __m256d,
    ) -> __m256d {
        let (steps, own) = (pixels.steps.as_chunks().0, pixels.own.as_chunks().0);
        let (low, high) =
            (self.two(&steps[0], &own[0], reciprocals), self.two(&steps[1], &own[1], reciprocals));
        unsafe {
            let both = _mm256_unpacklo_ps(low, high);
            let values = _mm_unpacklo_ps(_mm256_castps256_ps128(both), _mm256_extractf128_ps::<1>(both));
            _mm_storeu_ps(out.as_mut_ptr(), values);
            _mm256_add_pd(sums, _mm256_cvtps_pd(values))
        }
    }

    #[inline(always)]
    fn total(self, sums: __m256d) -> f64 {
        total(sums)
    }
}

// SAFETY, of all blocks in this and the following implementations: as above.
#[allow(clippy::undocumented_unsafe_blocks)]
impl Avx2 {
    #[inline(always)]
    fn equal(self, a: &[u16; 16], b: &[u16; 16]) -> __m256i {
        unsafe {
            let a = _mm256_loadu_si256(a.as_ptr().cast());
            _mm256_cmpeq_epi16(a, _mm256_loadu_si256(b.as_ptr().cast()))
        }
    }

    /// Where keys are from 1 to `last`: a key of 0 becomes the highest number.
    #[inline(always)]
    fn within(self, keys: &[u16; 16], last: u16) -> __m256i {
        unsafe {
            let before = _mm256_sub_epi16(_mm256_loadu_si256(keys.as_ptr().cast()), _mm256_set1_epi16(1));
            let limit = _mm256_set1_epi16((last - 1) as i16);
            _mm256_cmpeq_epi16(_mm256_min_epu16(before, limit), before)
        }
    }

    /// The largest contrast values of two pixels, each four times.
    #[inline(always)]
    fn two(self, steps: &[u64; 2], own: &[u32; 2], reciprocals: &[f32; COUNTS]) -> __m256 {
        unsafe {
            let steps = _mm_loadu_si128(steps.as_ptr().cast());
            let own = _mm256_castsi128_si256(_mm_loadl_epi64(own.as_ptr().cast()));
            let own = _mm256_permutevar8x32_epi32(own, _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1));
            let weighted = _mm_mullo_epi16(steps, _mm_set1_epi64x(WEIGHTS as i64));
            // Both factors are below 2^15, with zeros above.
            let product = _mm256_madd_epi16(_mm256_cvtepu16_epi32(weighted), own);
            let together = _mm256_add_epi32(_mm256_cvtepu16_epi32(steps), own);
            let together = _mm256_min_epu32(together, _mm256_set1_epi32(COUNTS as i32 - 1));
            let reciprocal = _mm256_i32gather_ps::<4>(reciprocals.as_ptr(), together);
            let values = _mm256_mul_ps(_mm256_cvtepi32_ps(product), reciprocal);
            let values = _mm256_max_ps(values, _mm256_permute_ps::<0x4E>(values));
            _mm256_max_ps(values, _mm256_permute_ps::<0xB1>(values))
        }
    }

    /// One bit of each word of two registers.
    #[inline(always)]
    fn bits(self, low: __m256i, high: __m256i) -> u64 {
        unsafe {
            let bytes = _mm256_permute4x64_epi64::<0xD8>(_mm256_packs_epi16(low, high));
            u64::from(_mm256_movemask_epi8(bytes) as u32)
        }
    }
}

#[inline(always)]
fn total(sums: __m256d) -> f64 {
    let mut parts = [0.0; 4];
    // SAFETY: called with a register that AVX2 or more has made; the array has its size.
    unsafe { _mm256_storeu_pd(parts.as_mut_ptr(), sums) };
    parts.iter().sum()
}

#[allow(clippy::undocumented_unsafe_blocks)]
impl Lanes for Avx512 {
    type Sums = __m256d;

    #[inline(always)]
    fn differing(self, a: &[u16; 64], b: &[u16; 64]) -> u64 {
        let [a, b] = [a, b].map(|keys| keys.as_chunks::<32>().0);
        self.unequal(&a[0], &b[0]) | self.unequal(&a[1], &b[1]) << 32
    }

    #[inline(always)]
    fn wanted(self, row: &[u16; 64], last: u16) -> u64 {
        let row = row.as_chunks::<32>().0;
        self.within(&row[0], last) | self.within(&row[1], last) << 32
    }

    #[inline(always)]
    fn zero(self) -> __m256d {
        unsafe { _mm256_setzero_pd() }
    }

    #[inline(always)]
    fn contrast(
        self,
        pixels: Pixels<'_>,
        reciprocals: &[f32; COUNTS],
        out: &mut [f32; PIXELS],
        sums: __m256d,
    ) -> __m256d {
        unsafe {
            let steps = _mm256_loadu_si256(pixels.steps.as_ptr().cast());
            let own = _mm512_castsi128_si512(_mm_loadu_si128(pixels.own.as_ptr().cast()));
            let spread = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
            let own = _mm512_permutexvar_epi32(spread, own);
            let weighted = _mm256_mullo_epi16(steps, _mm256_set1_epi64x(WEIGHTS as i64));
            // Both factors are below 2^15, with zeros above.
            let product = _mm512_madd_epi16(_mm512_cvtepu16_epi32(weighted), own);
            let together = _mm512_add_epi32(_mm512_cvtepu16_epi32(steps), own);
            let together = _mm512_min_epu32(together, _mm512_set1_epi32(COUNTS as i32 - 1));
            let reciprocal = _mm512_i32gather_ps::<4>(together, reciprocals.as_ptr());
            let values = _mm512_mul_ps(_mm512_cvtepi32_ps(product), reciprocal);
            let values = _mm512_max_ps(values, _mm512_permute_ps::<0x4E>(values));
            let values = _mm512_max_ps(values, _mm512_permute_ps::<0xB1>(values));
            let firsts = _mm512_setr_epi32(0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12);
            let values = _mm512_castps512_ps128(_mm512_permutexvar_ps(firsts, values));
            _mm_storeu_ps(out.as_mut_ptr(), values);
            _mm256_add_pd(sums, _mm256_cvtps_pd(values))
        }
    }

    #[inline(always)]
    fn total(self, sums: __m256d) -> f64 {
        total(sums)
    }
}

#[allow(clippy::undocumented_unsafe_blocks)]
impl Avx512 {
    #[inline(always)]
    fn unequal(self, a: &[u16; 32], b: &[u16; 32]) -> u64 {
        unsafe {
            let a = _mm512_loadu_si512(a.as_ptr().cast());
            _mm512_cmpneq_epi16_mask(a, _mm512_loadu_si512(b.as_ptr().cast())).into()
        }
    }

    #[inline(always)]
    fn within(self, keys: &[u16; 32], last: u16) -> u64 {
        unsafe {
            let keys = _mm512_loadu_si512(keys.as_ptr().cast());
            let some = _mm512_test_epi16_mask(keys, keys);
            _mm512_mask_cmple_epu16_mask(some, keys, _mm512_set1_epi16(last as i16)).into()
        }
    }
}

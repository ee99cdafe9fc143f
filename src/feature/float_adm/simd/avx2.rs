// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Registers of 256 bits.

use std::arch::x86_64::*;

use super::lanes::{Lanes, Stage};
use crate::cpu::{Kind, Level};
use crate::feature::adm::simd::lanes::operations;
use crate::math::reciprocal::ESTIMATES;

/// AVX2.
#[derive(Clone, Copy, Debug)]
pub struct Avx2(());

impl Avx2 {
    /// The proof, if `level` has the instructions.
    pub fn new(level: Level) -> Option<Self> {
        (level.kind() >= Kind::Avx2).then_some(Self(()))
    }
}

#[target_feature(enable = "avx2")]
fn compiled<S: Stage>(lanes: Avx2, stage: S) -> S::Output {
    stage.run(lanes)
}

/// Both halves as doubles.
#[inline]
#[target_feature(enable = "avx2")]
fn widen(v: __m256) -> [__m256d; 2] {
    [_mm256_cvtps_pd(_mm256_castps256_ps128(v)), _mm256_cvtps_pd(_mm256_extractf128_ps::<1>(v))]
}

/// Doubles rounded to floats.
#[inline]
#[target_feature(enable = "avx2")]
fn narrow([low, high]: [__m256d; 2]) -> __m256 {
    _mm256_set_m128(_mm256_cvtpd_ps(high), _mm256_cvtpd_ps(low))
}

impl Lanes for Avx2 {
    type V = __m256;
    type Mask = __m256;

    const WIDTH: usize = 8;

    #[inline]
    fn run<S: Stage>(self, stage: S) -> S::Output {
        // SAFETY: `self` proves that the CPU has the instructions.
        unsafe { compiled(self, stage) }
    }

    #[inline(always)]
    fn load(self, from: &[f32], at: usize) -> __m256 {
        // SAFETY: the slice is as long as the register, which the CPU has.
        unsafe { _mm256_loadu_ps(from[at..at + 8].as_ptr()) }
    }

    #[inline(always)]
    fn store(self, to: &mut [f32], at: usize, v: __m256) {
        // SAFETY: the slice is as long as the register, which the CPU has.
        unsafe { _mm256_storeu_ps(to[at..at + 8].as_mut_ptr(), v) }
    }

    #[inline(always)]
    fn splat(self, value: f32) -> __m256 {
        // SAFETY: `self` proves that the CPU has the instruction.
        unsafe { _mm256_set1_ps(value) }
    }

    #[inline(always)]
    fn load_byte_pairs(self, from: &[u8], at: usize) -> [__m256; 2] {
        // SAFETY: the slice is as long as half the register, which the CPU has.
        unsafe {
            let v = _mm256_cvtepu16_epi32(_mm_loadu_si128(from[at..at + 16].as_ptr().cast()));
            let low = _mm256_and_si256(v, _mm256_set1_epi32(0xff));
            [_mm256_cvtepi32_ps(low), _mm256_cvtepi32_ps(_mm256_srli_epi32::<8>(v))]
        }
    }

    #[inline(always)]
    fn load_word_pairs(self, from: &[u16], at: usize) -> [__m256; 2] {
        // SAFETY: the slice is as long as the register, which the CPU has.
        unsafe {
            let v = _mm256_loadu_si256(from[at..at + 16].as_ptr().cast());
            let low = _mm256_and_si256(v, _mm256_set1_epi32(0xffff));
            [_mm256_cvtepi32_ps(low), _mm256_cvtepi32_ps(_mm256_srli_epi32::<16>(v))]
        }
    }

    #[inline(always)]
    fn load_float_pairs(self, from: &[f32], at: usize) -> [__m256; 2] {
        let (a, b) = (self.load(from, at), self.load(from, at + 8));
        // SAFETY: `self` proves that the CPU has the instructions.
        unsafe {
            // The halves' order is mended at the end, as the shuffle stays within them.
            let (even, odd) =
                (_mm256_shuffle_ps::<0b10_00_10_00>(a, b), _mm256_shuffle_ps::<0b11_01_11_01>(a, b));
            let order = |v| _mm256_castpd_ps(_mm256_permute4x64_pd::<0b11_01_10_00>(_mm256_castps_pd(v)));
            [order(even), order(odd)]
        }
    }

    operations! { __m256:
        add(a, b) = _mm256_add_ps;
        sub(a, b) = _mm256_sub_ps;
        mul(a, b) = _mm256_mul_ps;
        min(a, b) = _mm256_min_ps;
        max(a, b) = _mm256_max_ps;
        both(a, b) = _mm256_and_ps;
    }

    #[inline(always)]
    fn abs(self, v: __m256) -> __m256 {
        // SAFETY: `self` proves that the CPU has the instruction.
        unsafe { _mm256_andnot_ps(_mm256_set1_ps(-0.0), v) }
    }

    #[inline(always)]
    fn greater(self, a: __m256, b: __m256) -> __m256 {
        // SAFETY: `self` proves that the CPU has the instruction.
        unsafe { _mm256_cmp_ps::<_CMP_GT_OQ>(a, b) }
    }

    #[inline(always)]
    fn at_least(self, a: __m256, b: __m256) -> __m256 {
        // SAFETY: `self` proves that the CPU has the instruction.
        unsafe { _mm256_cmp_ps::<_CMP_GE_OQ>(a, b) }
    }

    #[inline(always)]
    fn select(self, mask: __m256, yes: __m256, no: __m256) -> __m256 {
        // SAFETY: `self` proves that the CPU has the instruction.
        unsafe { _mm256_blendv_ps(no, yes, mask) }
    }

    #[inline(always)]
    fn reciprocal_estimate(self, x: __m256) -> __m256 {
        // SAFETY: `self` proves that the CPU has the instructions, and twelve bits stay within the table.
        unsafe {
            let bits = _mm256_castps_si256(x);
            let index = _mm256_and_si256(_mm256_srli_epi32::<11>(bits), _mm256_set1_epi32(4095));
            let pairs = _mm256_i32gather_epi32::<2>(ESTIMATES.as_ptr().cast(), index);
            let significand = _mm256_srli_epi32::<5>(_mm256_slli_epi32::<16>(pairs));
            let infinity = _mm256_set1_epi32(0x7f80_0000);
            let exponent = _mm256_and_si256(bits, infinity);
            let shifted = _mm256_sub_epi32(_mm256_set1_epi32(252 << 23), exponent);
            let normal = _mm256_add_epi32(significand, shifted);
            // What is beyond the normal exponents does not occur in pictures, but costs little.
            let large = _mm256_cmpgt_epi32(exponent, _mm256_set1_epi32(252 << 23));
            let small = _mm256_cmpeq_epi32(exponent, _mm256_setzero_si256());
            let magnitude = _mm256_andnot_si256(large, _mm256_blendv_epi8(normal, infinity, small));
            let sign = _mm256_and_si256(bits, _mm256_set1_epi32(i32::MIN));
            _mm256_castsi256_ps(_mm256_or_si256(magnitude, sign))
        }
    }

    #[inline(always)]
    fn scaled(self, v: __m256, factor: f64) -> __m256 {
        // SAFETY: `self` proves that the CPU has the instructions.
        unsafe {
            let (factor, [low, high]) = (_mm256_set1_pd(factor), widen(v));
            narrow([_mm256_mul_pd(low, factor), _mm256_mul_pd(high, factor)])
        }
    }

    #[inline(always)]
    fn add_scaled(self, sum: __m256, v: __m256, factor: f64) -> __m256 {
        // SAFETY: `self` proves that the CPU has the instructions.
        unsafe {
            let (factor, [low, high], [sum_low, sum_high]) = (_mm256_set1_pd(factor), widen(v), widen(sum));
            narrow([
                _mm256_add_pd(sum_low, _mm256_mul_pd(low, factor)),
                _mm256_add_pd(sum_high, _mm256_mul_pd(high, factor)),
            ])
        }
    }
}

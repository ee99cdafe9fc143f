// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Registers of 512 bits.

use std::arch::x86_64::*;

use super::lanes::{Lanes, Stage};
use crate::cpu::{Kind, Level};
use crate::feature::adm::simd::lanes::operations;
use crate::math::reciprocal::ESTIMATES;

/// AVX-512 F, BW, DQ, VL.
#[derive(Clone, Copy, Debug)]
pub struct Avx512(());

impl Avx512 {
    /// The proof, if `level` has the instructions.
    pub fn new(level: Level) -> Option<Self> {
        (level.kind() >= Kind::Avx512).then_some(Self(()))
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn compiled<S: Stage>(lanes: Avx512, stage: S) -> S::Output {
    stage.run(lanes)
}

/// Both halves as doubles.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn widen(v: __m512) -> [__m512d; 2] {
    [_mm512_cvtps_pd(_mm512_castps512_ps256(v)), _mm512_cvtps_pd(_mm512_extractf32x8_ps::<1>(v))]
}

/// Doubles rounded to floats.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn narrow([low, high]: [__m512d; 2]) -> __m512 {
    _mm512_insertf32x8::<1>(_mm512_castps256_ps512(_mm512_cvtpd_ps(low)), _mm512_cvtpd_ps(high))
}

/// 16-bit words in pairs as floats: the low words, and the high ones.
#[inline]
#[target_feature(enable = "avx512f")]
fn words(v: __m512i) -> [__m512; 2] {
    let low = _mm512_and_si512(v, _mm512_set1_epi32(0xffff));
    [_mm512_cvtepi32_ps(low), _mm512_cvtepi32_ps(_mm512_srli_epi32::<16>(v))]
}

impl Lanes for Avx512 {
    type V = __m512;
    type Mask = __mmask16;

    const WIDTH: usize = 16;

    #[inline]
    fn run<S: Stage>(self, stage: S) -> S::Output {
        // SAFETY: `self` proves that the CPU has the instructions.
        unsafe { compiled(self, stage) }
    }

    #[inline(always)]
    fn load(self, from: &[f32], at: usize) -> __m512 {
        // SAFETY: the slice is as long as the register, which the CPU has.
        unsafe { _mm512_loadu_ps(from[at..at + 16].as_ptr()) }
    }

    #[inline(always)]
    fn store(self, to: &mut [f32], at: usize, v: __m512) {
        // SAFETY: the slice is as long as the register, which the CPU has.
        unsafe { _mm512_storeu_ps(to[at..at + 16].as_mut_ptr(), v) }
    }

    #[inline(always)]
    fn splat(self, value: f32) -> __m512 {
        // SAFETY: `self` proves that the CPU has the instruction.
        unsafe { _mm512_set1_ps(value) }
    }

    #[inline(always)]
    fn load_byte_pairs(self, from: &[u8], at: usize) -> [__m512; 2] {
        // SAFETY: the slice is as long as half the register, which the CPU has.
        unsafe {
            let v = _mm512_cvtepu16_epi32(_mm256_loadu_si256(from[at..at + 32].as_ptr().cast()));
            let low = _mm512_and_si512(v, _mm512_set1_epi32(0xff));
            [_mm512_cvtepi32_ps(low), _mm512_cvtepi32_ps(_mm512_srli_epi32::<8>(v))]
        }
    }

    #[inline(always)]
    fn load_word_pairs(self, from: &[u16], at: usize) -> [__m512; 2] {
        // SAFETY: the slice is as long as the register, which the CPU has.
        unsafe { words(_mm512_loadu_si512(from[at..at + 32].as_ptr().cast())) }
    }

    #[inline(always)]
    fn load_float_pairs(self, from: &[f32], at: usize) -> [__m512; 2] {
        let (a, b) = (self.load(from, at), self.load(from, at + 16));
        // SAFETY: `self` proves that the CPU has the instructions.
        unsafe {
            let even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
            let odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
            [_mm512_permutex2var_ps(a, even, b), _mm512_permutex2var_ps(a, odd, b)]
        }
    }

    operations! { __m512:
        add(a, b) = _mm512_add_ps;
        sub(a, b) = _mm512_sub_ps;
        mul(a, b) = _mm512_mul_ps;
        min(a, b) = _mm512_min_ps;
        max(a, b) = _mm512_max_ps;
        abs(v) = _mm512_abs_ps;
    }

    #[inline(always)]
    fn greater(self, a: __m512, b: __m512) -> __mmask16 {
        // SAFETY: `self` proves that the CPU has the instruction.
        unsafe { _mm512_cmp_ps_mask::<_CMP_GT_OQ>(a, b) }
    }

    #[inline(always)]
    fn at_least(self, a: __m512, b: __m512) -> __mmask16 {
        // SAFETY: `self` proves that the CPU has the instruction.
        unsafe { _mm512_cmp_ps_mask::<_CMP_GE_OQ>(a, b) }
    }

    #[inline(always)]
    fn both(self, a: __mmask16, b: __mmask16) -> __mmask16 {
        a & b
    }

    #[inline(always)]
    fn select(self, mask: __mmask16, yes: __m512, no: __m512) -> __m512 {
        // SAFETY: `self` proves that the CPU has the instruction.
        unsafe { _mm512_mask_blend_ps(mask, no, yes) }
    }

    #[inline(always)]
    fn reciprocal_estimate(self, x: __m512) -> __m512 {
        // SAFETY: `self` proves that the CPU has the instructions, and twelve bits stay within the table.
        unsafe {
            let bits = _mm512_castps_si512(x);
            let index = _mm512_and_si512(_mm512_srli_epi32::<11>(bits), _mm512_set1_epi32(4095));
            let pairs = _mm512_i32gather_epi32::<2>(index, ESTIMATES.as_ptr().cast());
            let significand = _mm512_srli_epi32::<5>(_mm512_slli_epi32::<16>(pairs));
            let exponent = _mm512_and_si512(bits, _mm512_set1_epi32(0x7f80_0000));
            let shifted = _mm512_sub_epi32(_mm512_set1_epi32(252 << 23), exponent);
            let normal = _mm512_add_epi32(significand, shifted);
            // What is beyond the normal exponents does not occur in pictures, but costs little.
            let large = _mm512_cmpge_epi32_mask(exponent, _mm512_set1_epi32(253 << 23));
            let small = _mm512_testn_epi32_mask(exponent, exponent);
            let infinite = _mm512_mask_mov_epi32(normal, small, _mm512_set1_epi32(0x7f80_0000));
            let magnitude = _mm512_mask_mov_epi32(infinite, large, _mm512_setzero_si512());
            let sign = _mm512_and_si512(bits, _mm512_set1_epi32(i32::MIN));
            _mm512_castsi512_ps(_mm512_or_si512(magnitude, sign))
        }
    }

    #[inline(always)]
    fn scaled(self, v: __m512, factor: f64) -> __m512 {
        // SAFETY: `self` proves that the CPU has the instructions.
        unsafe {
            let (factor, [low, high]) = (_mm512_set1_pd(factor), widen(v));
            narrow([_mm512_mul_pd(low, factor), _mm512_mul_pd(high, factor)])
        }
    }

    #[inline(always)]
    fn add_scaled(self, sum: __m512, v: __m512, factor: f64) -> __m512 {
        // SAFETY: `self` proves that the CPU has the instructions.
        unsafe {
            let (factor, [low, high], [sum_low, sum_high]) = (_mm512_set1_pd(factor), widen(v), widen(sum));
            narrow([
                _mm512_add_pd(sum_low, _mm512_mul_pd(low, factor)),
                _mm512_add_pd(sum_high, _mm512_mul_pd(high, factor)),
            ])
        }
    }
}

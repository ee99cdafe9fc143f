// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Registers of 512 bits: 32 blocks as words, 16 as floats.

use std::arch::x86_64::*;

use super::lanes::{self, Machine, operator};
use crate::feature::psnr_hvs::blocks::{SIDE, STEP};

/// A CPU with AVX-512.
#[derive(Clone, Copy)]
pub struct Avx512(());

impl Avx512 {
    /// # Safety
    /// The CPU must have AVX-512 F, BW, DQ and VL.
    pub unsafe fn new() -> Self {
        Self(())
    }
}

/// 32 words.
#[derive(Clone, Copy)]
pub struct Words(__m512i);

/// 16 floats.
#[derive(Clone, Copy)]
pub struct Floats(__m512);

operator!(Words, Add, add, _mm512_add_epi16);
operator!(Words, Sub, sub, _mm512_sub_epi16);
operator!(Floats, Add, add, _mm512_add_ps);
operator!(Floats, Sub, sub, _mm512_sub_ps);
operator!(Floats, Mul, mul, _mm512_mul_ps);
operator!(Floats, Div, div, _mm512_div_ps);

impl lanes::Words for Words {
    type Floats = Floats;

    #[inline(always)]
    fn half(self) -> Self {
        // SAFETY: a value of this type is the proof of AVX-512.
        Self(unsafe { _mm512_srai_epi16::<1>(_mm512_add_epi16(self.0, _mm512_srli_epi16::<15>(self.0))) })
    }

    #[inline(always)]
    fn scaled(self, multiplier: i16) -> Self {
        // SAFETY: a value of this type is the proof of AVX-512.
        Self(unsafe { _mm512_mulhrs_epi16(self.0, _mm512_set1_epi16(multiplier)) })
    }

    #[inline(always)]
    fn signed(self) -> [Floats; 2] {
        let words = self.0;
        // SAFETY: a value of this type is the proof of AVX-512.
        unsafe {
            let low = _mm512_cvtepi16_epi32(_mm512_castsi512_si256(words));
            let high = _mm512_cvtepi16_epi32(_mm512_extracti64x4_epi64::<1>(words));
            [Floats(_mm512_cvtepi32_ps(low)), Floats(_mm512_cvtepi32_ps(high))]
        }
    }

    #[inline(always)]
    fn unsigned(self) -> [Floats; 2] {
        let words = self.0;
        // SAFETY: a value of this type is the proof of AVX-512.
        unsafe {
            let low = _mm512_cvtepu16_epi32(_mm512_castsi512_si256(words));
            let high = _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64::<1>(words));
            [Floats(_mm512_cvtepi32_ps(low)), Floats(_mm512_cvtepi32_ps(high))]
        }
    }
}

impl lanes::Floats for Floats {
    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: a value of this type is the proof of AVX-512.
        Self(unsafe { _mm512_sqrt_ps(self.0) })
    }

    #[inline(always)]
    fn magnitude(self) -> Self {
        // SAFETY: a value of this type is the proof of AVX-512.
        Self(unsafe { _mm512_abs_ps(self.0) })
    }

    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        // SAFETY: a value of this type is the proof of AVX-512.
        Self(unsafe { _mm512_max_ps(other.0, self.0) })
    }

    #[inline(always)]
    fn over(self, other: Self) -> Self {
        // SAFETY: a value of this type is the proof of AVX-512.
        Self(unsafe {
            let above = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(other.0, _mm512_setzero_ps());
            _mm512_maskz_div_ps(above, self.0, other.0)
        })
    }

    #[inline(always)]
    fn store(self, to: &mut [f32]) {
        let to = &mut to[..Avx512::LANES];
        // SAFETY: a value of this type is the proof of AVX-512; the slice is as large as the register.
        unsafe { _mm512_storeu_ps(to.as_mut_ptr(), self.0) }
    }
}

impl Machine for Avx512 {
    type Words = Words;
    type Floats = Floats;
    const LANES: usize = 16;

    #[inline(always)]
    fn splat(self, value: f32) -> Floats {
        // SAFETY: `self` is the proof of AVX-512.
        Floats(unsafe { _mm512_set1_ps(value) })
    }

    #[inline(always)]
    fn load(self, from: &[f32]) -> Floats {
        let from = &from[..Self::LANES];
        // SAFETY: `self` is the proof of AVX-512; the slice is as large as the register.
        Floats(unsafe { _mm512_loadu_ps(from.as_ptr()) })
    }

    #[inline(always)]
    fn columns(self, line: &[u16]) -> [Words; 8] {
        // SAFETY: `self` is the proof of AVX-512.
        unsafe { turned(line) }
    }
}

/// Samples of one row of 32 blocks.
type Line = [u16; STEP * 32 + 1];

fn block(line: &Line, b: usize) -> &[u16; SIDE] {
    line[STEP * b..].first_chunk().expect("a line holds all blocks")
}

/// Row of blocks `b`, `b + 8`, `b + 16` and `b + 24`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn rows(line: &Line, b: usize) -> __m512i {
    // SAFETY: the caller has AVX-512; the arrays are as large as what is loaded, and the loads have no alignment.
    unsafe {
        let first = _mm_loadu_si128(block(line, b).as_ptr().cast());
        let second = _mm_loadu_si128(block(line, b + 8).as_ptr().cast());
        let third = _mm_loadu_si128(block(line, b + 16).as_ptr().cast());
        let fourth = _mm_loadu_si128(block(line, b + 24).as_ptr().cast());
        let low = _mm512_castsi256_si512(_mm256_set_m128i(second, first));
        _mm512_inserti64x4::<1>(low, _mm256_set_m128i(fourth, third))
    }
}

/// The 8x8 transpose of every 128 bits.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn turned(line: &[u16]) -> [Words; 8] {
    let line = line.first_chunk().expect("a line holds all blocks");
    let pairs = |a, b| [_mm512_unpacklo_epi16(a, b), _mm512_unpackhi_epi16(a, b)];
    let quads = |a, b| [_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b)];
    let all = |a, b| [Words(_mm512_unpacklo_epi64(a, b)), Words(_mm512_unpackhi_epi64(a, b))];
    let [a, a4] = pairs(rows(line, 0), rows(line, 1));
    let [b, b4] = pairs(rows(line, 2), rows(line, 3));
    let [c, c4] = pairs(rows(line, 4), rows(line, 5));
    let [d, d4] = pairs(rows(line, 6), rows(line, 7));
    let ([top0, top2], [top4, top6]) = (quads(a, b), quads(a4, b4));
    let ([low0, low2], [low4, low6]) = (quads(c, d), quads(c4, d4));
    let ([w0, w1], [w2, w3]) = (all(top0, low0), all(top2, low2));
    let ([w4, w5], [w6, w7]) = (all(top4, low4), all(top6, low6));
    [w0, w1, w2, w3, w4, w5, w6, w7]
}

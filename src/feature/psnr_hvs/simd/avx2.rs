// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Registers of 256 bits: 16 blocks as words, 8 as floats.

use std::arch::x86_64::*;

use super::lanes::{self, Machine, operator};
use crate::feature::psnr_hvs::blocks::{SIDE, STEP};

/// A CPU with AVX2.
#[derive(Clone, Copy)]
pub struct Avx2(());

impl Avx2 {
    /// # Safety
    /// The CPU must have AVX2.
    pub unsafe fn new() -> Self {
        Self(())
    }
}

/// 16 words.
#[derive(Clone, Copy)]
pub struct Words(__m256i);

/// 8 floats.
#[derive(Clone, Copy)]
pub struct Floats(__m256);

operator!(Words, Add, add, _mm256_add_epi16);
operator!(Words, Sub, sub, _mm256_sub_epi16);
operator!(Floats, Add, add, _mm256_add_ps);
operator!(Floats, Sub, sub, _mm256_sub_ps);
operator!(Floats, Mul, mul, _mm256_mul_ps);
operator!(Floats, Div, div, _mm256_div_ps);

impl lanes::Words for Words {
    type Floats = Floats;

    #[inline(always)]
    fn half(self) -> Self {
        // SAFETY: a value of this type is the proof of AVX2.
        Self(unsafe { _mm256_srai_epi16::<1>(_mm256_add_epi16(self.0, _mm256_srli_epi16::<15>(self.0))) })
    }

    #[inline(always)]
    fn scaled(self, multiplier: i16) -> Self {
        // SAFETY: a value of this type is the proof of AVX2.
        Self(unsafe { _mm256_mulhrs_epi16(self.0, _mm256_set1_epi16(multiplier)) })
    }

    #[inline(always)]
    fn signed(self) -> [Floats; 2] {
        let words = self.0;
        // SAFETY: a value of this type is the proof of AVX2.
        unsafe {
            let low = _mm256_cvtepi16_epi32(_mm256_castsi256_si128(words));
            let high = _mm256_cvtepi16_epi32(_mm256_extracti128_si256::<1>(words));
            [Floats(_mm256_cvtepi32_ps(low)), Floats(_mm256_cvtepi32_ps(high))]
        }
    }

    #[inline(always)]
    fn unsigned(self) -> [Floats; 2] {
        let words = self.0;
        // SAFETY: a value of this type is the proof of AVX2.
        unsafe {
            let low = _mm256_cvtepu16_epi32(_mm256_castsi256_si128(words));
            let high = _mm256_cvtepu16_epi32(_mm256_extracti128_si256::<1>(words));
            [Floats(_mm256_cvtepi32_ps(low)), Floats(_mm256_cvtepi32_ps(high))]
        }
    }
}

impl lanes::Floats for Floats {
    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: a value of this type is the proof of AVX2.
        Self(unsafe { _mm256_sqrt_ps(self.0) })
    }

    #[inline(always)]
    fn magnitude(self) -> Self {
        // SAFETY: a value of this type is the proof of AVX2.
        Self(unsafe { _mm256_andnot_ps(_mm256_set1_ps(-0.0), self.0) })
    }

    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        // SAFETY: a value of this type is the proof of AVX2.
        Self(unsafe { _mm256_max_ps(other.0, self.0) })
    }

    #[inline(always)]
    fn over(self, other: Self) -> Self {
        // SAFETY: a value of this type is the proof of AVX2.
        Self(unsafe {
            let above = _mm256_cmp_ps::<_CMP_GT_OQ>(other.0, _mm256_setzero_ps());
            _mm256_and_ps(above, _mm256_div_ps(self.0, other.0))
        })
    }

    #[inline(always)]
    fn store(self, to: &mut [f32]) {
        let to = &mut to[..Avx2::LANES];
        // SAFETY: a value of this type is the proof of AVX2; the slice is as large as the register.
        unsafe { _mm256_storeu_ps(to.as_mut_ptr(), self.0) }
    }
}

impl Machine for Avx2 {
    type Words = Words;
    type Floats = Floats;
    const LANES: usize = 8;

    #[inline(always)]
    fn splat(self, value: f32) -> Floats {
        // SAFETY: `self` is the proof of AVX2.
        Floats(unsafe { _mm256_set1_ps(value) })
    }

    #[inline(always)]
    fn load(self, from: &[f32]) -> Floats {
        let from = &from[..Self::LANES];
        // SAFETY: `self` is the proof of AVX2; the slice is as large as the register.
        Floats(unsafe { _mm256_loadu_ps(from.as_ptr()) })
    }

    #[inline(always)]
    fn columns(self, line: &[u16]) -> [Words; 8] {
        // SAFETY: `self` is the proof of AVX2.
        unsafe { turned(line) }
    }
}

/// Samples of one row of 16 blocks.
type Line = [u16; STEP * 16 + 1];

fn block(line: &Line, b: usize) -> &[u16; SIDE] {
    line[STEP * b..].first_chunk().expect("a line holds all blocks")
}

/// Row of blocks `b` and `b + 8`.
#[inline]
#[target_feature(enable = "avx2")]
fn rows(line: &Line, b: usize) -> __m256i {
    // SAFETY: the caller has AVX2; the arrays are as large as what is loaded, and the loads have no alignment.
    unsafe {
        let low = _mm_loadu_si128(block(line, b).as_ptr().cast());
        let high = _mm_loadu_si128(block(line, b + 8).as_ptr().cast());
        _mm256_set_m128i(high, low)
    }
}

/// The 8x8 transpose of every 128 bits.
#[inline]
#[target_feature(enable = "avx2")]
fn turned(line: &[u16]) -> [Words; 8] {
    let line = line.first_chunk().expect("a line holds all blocks");
    let pairs = |a, b| [_mm256_unpacklo_epi16(a, b), _mm256_unpackhi_epi16(a, b)];
    let quads = |a, b| [_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b)];
    let all = |a, b| [Words(_mm256_unpacklo_epi64(a, b)), Words(_mm256_unpackhi_epi64(a, b))];
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

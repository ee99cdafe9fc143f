// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Registers of 256 bits.

use std::arch::x86_64::*;

use super::lanes::{Lanes, Stage, operations, shifts};
use crate::cpu::{Kind, Level};

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

impl Lanes for Avx2 {
    type V = __m256i;

    const WIDTH: usize = 8;

    #[inline]
    fn run<S: Stage>(self, stage: S) -> S::Output {
        // SAFETY: `self` proves that the CPU has the instructions.
        unsafe { compiled(self, stage) }
    }

    #[inline(always)]
    fn load16(self, from: &[i16], at: usize) -> __m256i {
        // SAFETY: the slice is as long as the register, which the CPU has.
        unsafe { _mm256_loadu_si256(from[at..at + 16].as_ptr().cast()) }
    }

    #[inline(always)]
    fn load32(self, from: &[i32], at: usize) -> __m256i {
        // SAFETY: the slice is as long as the register, which the CPU has.
        unsafe { _mm256_loadu_si256(from[at..at + 8].as_ptr().cast()) }
    }

    #[inline(always)]
    fn load_bytes(self, from: &[u8], at: usize) -> __m256i {
        // SAFETY: the slice is as long as half the register, which the CPU has.
        unsafe { _mm256_cvtepu8_epi16(_mm_loadu_si128(from[at..at + 16].as_ptr().cast())) }
    }

    #[inline(always)]
    fn load_words(self, from: &[u16], at: usize) -> __m256i {
        // SAFETY: the slice is as long as the register, which the CPU has.
        unsafe { _mm256_loadu_si256(from[at..at + 16].as_ptr().cast()) }
    }

    #[inline(always)]
    fn store16(self, to: &mut [i16], at: usize, v: __m256i) {
        // SAFETY: the slice is as long as the register, which the CPU has.
        unsafe { _mm256_storeu_si256(to[at..at + 16].as_mut_ptr().cast(), v) }
    }

    #[inline(always)]
    fn store32(self, to: &mut [i32], at: usize, v: __m256i) {
        // SAFETY: the slice is as long as the register, which the CPU has.
        unsafe { _mm256_storeu_si256(to[at..at + 8].as_mut_ptr().cast(), v) }
    }

    #[inline(always)]
    fn set16(self, value: i16) -> __m256i {
        // SAFETY: `self` proves that the CPU has the instruction.
        unsafe { _mm256_set1_epi16(value) }
    }

    #[inline(always)]
    fn set32(self, value: i32) -> __m256i {
        // SAFETY: `self` proves that the CPU has the instruction.
        unsafe { _mm256_set1_epi32(value) }
    }

    #[inline(always)]
    fn set64(self, value: i64) -> __m256i {
        // SAFETY: `self` proves that the CPU has the instruction.
        unsafe { _mm256_set1_epi64x(value) }
    }

    operations! { __m256i:
        add16(a, b) = _mm256_add_epi16;
        sub16(a, b) = _mm256_sub_epi16;
        mul_low16(a, b) = _mm256_mullo_epi16;
        mul_high16(a, b) = _mm256_mulhi_epi16;
        mul_round16(a, b) = _mm256_mulhrs_epi16;
        min16(a, b) = _mm256_min_epi16;
        max16(a, b) = _mm256_max_epi16;
        abs16(v) = _mm256_abs_epi16;
        unpack_low16(a, b) = _mm256_unpacklo_epi16;
        unpack_high16(a, b) = _mm256_unpackhi_epi16;
        pack(a, b) = _mm256_packs_epi32;
        dot(a, b) = _mm256_madd_epi16;
        add32(a, b) = _mm256_add_epi32;
        sub32(a, b) = _mm256_sub_epi32;
        mul_low32(a, b) = _mm256_mullo_epi32;
        min32(a, b) = _mm256_min_epi32;
        min_unsigned32(a, b) = _mm256_min_epu32;
        max32(a, b) = _mm256_max_epi32;
        abs32(v) = _mm256_abs_epi32;
        sll_each32(v, n) = _mm256_sllv_epi32;
        srl_each32(v, n) = _mm256_srlv_epi32;
        sra_each32(v, n) = _mm256_srav_epi32;
        mul_unsigned(a, b) = _mm256_mul_epu32;
        mul_signed(a, b) = _mm256_mul_epi32;
        add64(a, b) = _mm256_add_epi64;
        sll_each64(v, n) = _mm256_sllv_epi64;
        srl_each64(v, n) = _mm256_srlv_epi64;
        and(a, b) = _mm256_and_si256;
        or(a, b) = _mm256_or_si256;
        xor(a, b) = _mm256_xor_si256;
    }

    shifts! { __m256i:
        sra16 = _mm256_sra_epi16;
        sll32 = _mm256_sll_epi32;
        srl32 = _mm256_srl_epi32;
        sra32 = _mm256_sra_epi32;
        sll64 = _mm256_sll_epi64;
        srl64 = _mm256_srl_epi64;
    }

    #[inline(always)]
    fn pack_in_order(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: `self` proves that the CPU has the instructions.
        unsafe { _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi32(a, b)) }
    }

    #[inline(always)]
    fn dot_add(self, sum: __m256i, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: `self` proves that the CPU has the instructions.
        unsafe { _mm256_add_epi32(sum, _mm256_madd_epi16(a, b)) }
    }

    #[inline(always)]
    fn blend16(self, even: __m256i, odd: __m256i) -> __m256i {
        // SAFETY: `self` proves that the CPU has the instruction.
        unsafe { _mm256_blend_epi16::<0xaa>(even, odd) }
    }

    #[inline(always)]
    fn blend32(self, even: __m256i, odd: __m256i) -> __m256i {
        // SAFETY: `self` proves that the CPU has the instruction.
        unsafe { _mm256_blend_epi32::<0xaa>(even, odd) }
    }

    #[inline(always)]
    fn greater32(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: `self` proves that the CPU has the instructions.
        unsafe { _mm256_cmpgt_epi32(a, b) }
    }

    #[inline(always)]
    fn bits_beyond_15(self, v: __m256i) -> __m256i {
        // SAFETY: `self` proves that the CPU has the instructions.
        unsafe {
            // Without the bit below the highest a number keeps its length when it is rounded to a float.
            let cleared = _mm256_andnot_si256(_mm256_srli_epi32::<1>(v), v);
            let exponent = _mm256_srli_epi32::<23>(_mm256_castps_si256(_mm256_cvtepi32_ps(cleared)));
            let beyond = _mm256_sub_epi32(exponent, _mm256_set1_epi32(127 + 14));
            _mm256_max_epi32(beyond, _mm256_setzero_si256())
        }
    }

    #[inline(always)]
    fn sum64(self, v: __m256i) -> i64 {
        // SAFETY: `self` proves that the CPU has the instructions.
        unsafe {
            let halves = _mm_add_epi64(_mm256_castsi256_si128(v), _mm256_extracti128_si256::<1>(v));
            _mm_cvtsi128_si64(halves).wrapping_add(_mm_extract_epi64::<1>(halves))
        }
    }

    #[inline(always)]
    fn select(self, mask: __m256i, yes: __m256i, no: __m256i) -> __m256i {
        // SAFETY: `self` proves that the CPU has the instruction.
        unsafe { _mm256_blendv_epi8(no, yes, mask) }
    }

    #[inline(always)]
    fn any(self, a: __m256i, b: __m256i) -> bool {
        // SAFETY: `self` proves that the CPU has the instruction.
        unsafe { _mm256_testz_si256(a, b) == 0 }
    }

    #[inline(always)]
    fn to_float(self, v: __m256i) -> __m256i {
        // SAFETY: `self` proves that the CPU has the instruction.
        unsafe { _mm256_castps_si256(_mm256_cvtepi32_ps(v)) }
    }

    #[inline(always)]
    fn truncate(self, v: __m256i) -> __m256i {
        // SAFETY: `self` proves that the CPU has the instruction.
        unsafe { _mm256_cvttps_epi32(_mm256_castsi256_ps(v)) }
    }

    #[inline(always)]
    fn set_float(self, value: f32) -> __m256i {
        self.set32(value.to_bits() as i32)
    }

    #[inline(always)]
    fn add_float(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: `self` proves that the CPU has the instruction.
        unsafe { _mm256_castps_si256(_mm256_add_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b))) }
    }

    #[inline(always)]
    fn mul_float(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: `self` proves that the CPU has the instruction.
        unsafe { _mm256_castps_si256(_mm256_mul_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b))) }
    }

    #[inline(always)]
    fn div_float(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: `self` proves that the CPU has the instruction.
        unsafe { _mm256_castps_si256(_mm256_div_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b))) }
    }

    #[inline(always)]
    fn at_least_float(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: `self` proves that the CPU has the instructions.
        unsafe {
            let (a, b) = (_mm256_castsi256_ps(a), _mm256_castsi256_ps(b));
            _mm256_castps_si256(_mm256_cmp_ps::<_CMP_GE_OQ>(a, b))
        }
    }
}

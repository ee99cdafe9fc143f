// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Registers of 512 bits.

use std::arch::x86_64::*;

use super::lanes::{Lanes, Stage, operations, shifts};
use crate::cpu::{Kind, Level};

/// AVX-512 F, BW, DQ, VL, CD; with `ICL` VNNI too.
#[derive(Clone, Copy, Debug)]
pub struct Avx512<const ICL: bool>(());

impl<const ICL: bool> Avx512<ICL> {
    /// The proof, if `level` has the instructions.
    pub fn new(level: Level) -> Option<Self> {
        let needed = if ICL { Kind::Avx512Icl } else { Kind::Avx512 };
        (level.kind() >= needed).then_some(Self(()))
    }
}

const ODD_WORDS: __mmask32 = 0xaaaa_aaaa;
const ODD_LANES: __mmask16 = 0xaaaa;

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512cd")]
fn compiled<S: Stage>(lanes: Avx512<false>, stage: S) -> S::Output {
    stage.run(lanes)
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx512vnni")]
fn compiled_icl<S: Stage>(lanes: Avx512<true>, stage: S) -> S::Output {
    stage.run(lanes)
}

impl<const ICL: bool> Lanes for Avx512<ICL> {
    type V = __m512i;

    const WIDTH: usize = 16;

    #[inline]
    fn run<S: Stage>(self, stage: S) -> S::Output {
        // SAFETY: `self` proves that the CPU has the instructions.
        unsafe { if ICL { compiled_icl(Avx512(()), stage) } else { compiled(Avx512(()), stage) } }
    }

    #[inline(always)]
    fn load16(self, from: &[i16], at: usize) -> __m512i {
        // SAFETY: the slice is as long as the register, which the CPU has.
        unsafe { _mm512_loadu_si512(from[at..at + 32].as_ptr().cast()) }
    }

    #[inline(always)]
    fn load32(self, from: &[i32], at: usize) -> __m512i {
        // SAFETY: the slice is as long as the register, which the CPU has.
        unsafe { _mm512_loadu_si512(from[at..at + 16].as_ptr().cast()) }
    }

    #[inline(always)]
    fn load_bytes(self, from: &[u8], at: usize) -> __m512i {
        // SAFETY: the slice is as long as half the register, which the CPU has.
        unsafe { _mm512_cvtepu8_epi16(_mm256_loadu_si256(from[at..at + 32].as_ptr().cast())) }
    }

    #[inline(always)]
    fn load_words(self, from: &[u16], at: usize) -> __m512i {
        // SAFETY: the slice is as long as the register, which the CPU has.
        unsafe { _mm512_loadu_si512(from[at..at + 32].as_ptr().cast()) }
    }

    #[inline(always)]
    fn store16(self, to: &mut [i16], at: usize, v: __m512i) {
        // SAFETY: the slice is as long as the register, which the CPU has.
        unsafe { _mm512_storeu_si512(to[at..at + 32].as_mut_ptr().cast(), v) }
    }

    #[inline(always)]
    fn store32(self, to: &mut [i32], at: usize, v: __m512i) {
        // SAFETY: the slice is as long as the register, which the CPU has.
        unsafe { _mm512_storeu_si512(to[at..at + 16].as_mut_ptr().cast(), v) }
    }

    #[inline(always)]
    fn set16(self, value: i16) -> __m512i {
        // SAFETY: `self` proves that the CPU has the instruction.
        unsafe { _mm512_set1_epi16(value) }
    }

    #[inline(always)]
    fn set32(self, value: i32) -> __m512i {
        // SAFETY: `self` proves that the CPU has the instruction.
        unsafe { _mm512_set1_epi32(value) }
    }

    #[inline(always)]
    fn set64(self, value: i64) -> __m512i {
        // SAFETY: `self` proves that the CPU has the instruction.
        unsafe { _mm512_set1_epi64(value) }
    }

    operations! { __m512i:
        add16(a, b) = _mm512_add_epi16;
        sub16(a, b) = _mm512_sub_epi16;
        mul_low16(a, b) = _mm512_mullo_epi16;
        mul_high16(a, b) = _mm512_mulhi_epi16;
        mul_round16(a, b) = _mm512_mulhrs_epi16;
        min16(a, b) = _mm512_min_epi16;
        max16(a, b) = _mm512_max_epi16;
        abs16(v) = _mm512_abs_epi16;
        unpack_low16(a, b) = _mm512_unpacklo_epi16;
        unpack_high16(a, b) = _mm512_unpackhi_epi16;
        pack(a, b) = _mm512_packs_epi32;
        dot(a, b) = _mm512_madd_epi16;
        add32(a, b) = _mm512_add_epi32;
        sub32(a, b) = _mm512_sub_epi32;
        mul_low32(a, b) = _mm512_mullo_epi32;
        min32(a, b) = _mm512_min_epi32;
        min_unsigned32(a, b) = _mm512_min_epu32;
        max32(a, b) = _mm512_max_epi32;
        abs32(v) = _mm512_abs_epi32;
        sll_each32(v, n) = _mm512_sllv_epi32;
        srl_each32(v, n) = _mm512_srlv_epi32;
        sra_each32(v, n) = _mm512_srav_epi32;
        mul_unsigned(a, b) = _mm512_mul_epu32;
        mul_signed(a, b) = _mm512_mul_epi32;
        add64(a, b) = _mm512_add_epi64;
        sll_each64(v, n) = _mm512_sllv_epi64;
        srl_each64(v, n) = _mm512_srlv_epi64;
        and(a, b) = _mm512_and_si512;
        or(a, b) = _mm512_or_si512;
        xor(a, b) = _mm512_xor_si512;
    }

    shifts! { __m512i:
        sra16 = _mm512_sra_epi16;
        sll32 = _mm512_sll_epi32;
        srl32 = _mm512_srl_epi32;
        sra32 = _mm512_sra_epi32;
        sll64 = _mm512_sll_epi64;
        srl64 = _mm512_srl_epi64;
    }

    #[inline(always)]
    fn pack_in_order(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: `self` proves that the CPU has the instructions.
        unsafe {
            _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), _mm512_packs_epi32(a, b))
        }
    }

    #[inline(always)]
    fn dot_add(self, sum: __m512i, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: `self` proves that the CPU has the instructions.
        unsafe {
            if ICL { _mm512_dpwssd_epi32(sum, a, b) } else { _mm512_add_epi32(sum, _mm512_madd_epi16(a, b)) }
        }
    }

    #[inline(always)]
    fn blend16(self, even: __m512i, odd: __m512i) -> __m512i {
        // SAFETY: `self` proves that the CPU has the instruction.
        unsafe { _mm512_mask_blend_epi16(ODD_WORDS, even, odd) }
    }

    #[inline(always)]
    fn blend32(self, even: __m512i, odd: __m512i) -> __m512i {
        // SAFETY: `self` proves that the CPU has the instruction.
        unsafe { _mm512_mask_blend_epi32(ODD_LANES, even, odd) }
    }

    #[inline(always)]
    fn greater32(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: `self` proves that the CPU has the instructions.
        unsafe { _mm512_movm_epi32(_mm512_cmpgt_epi32_mask(a, b)) }
    }

    #[inline(always)]
    fn bits_beyond_15(self, v: __m512i) -> __m512i {
        // SAFETY: `self` proves that the CPU has the instructions.
        unsafe {
            let beyond = _mm512_sub_epi32(_mm512_set1_epi32(17), _mm512_lzcnt_epi32(v));
            _mm512_max_epi32(beyond, _mm512_setzero_si512())
        }
    }

    #[inline(always)]
    fn sum64(self, v: __m512i) -> i64 {
        // SAFETY: `self` proves that the CPU has the instructions.
        unsafe { _mm512_reduce_add_epi64(v) }
    }

    #[inline(always)]
    fn select(self, mask: __m512i, yes: __m512i, no: __m512i) -> __m512i {
        // SAFETY: `self` proves that the CPU has the instruction.
        unsafe { _mm512_ternarylogic_epi32::<0xca>(mask, yes, no) }
    }

    #[inline(always)]
    fn any(self, a: __m512i, b: __m512i) -> bool {
        // SAFETY: `self` proves that the CPU has the instruction.
        unsafe { _mm512_test_epi32_mask(a, b) != 0 }
    }

    #[inline(always)]
    fn to_float(self, v: __m512i) -> __m512i {
        // SAFETY: `self` proves that the CPU has the instruction.
        unsafe { _mm512_castps_si512(_mm512_cvtepi32_ps(v)) }
    }

    #[inline(always)]
    fn truncate(self, v: __m512i) -> __m512i {
        // SAFETY: `self` proves that the CPU has the instruction.
        unsafe { _mm512_cvttps_epi32(_mm512_castsi512_ps(v)) }
    }

    #[inline(always)]
    fn set_float(self, value: f32) -> __m512i {
        self.set32(value.to_bits() as i32)
    }

    #[inline(always)]
    fn add_float(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: `self` proves that the CPU has the instruction.
        unsafe { _mm512_castps_si512(_mm512_add_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b))) }
    }

    #[inline(always)]
    fn mul_float(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: `self` proves that the CPU has the instruction.
        unsafe { _mm512_castps_si512(_mm512_mul_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b))) }
    }

    #[inline(always)]
    fn div_float(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: `self` proves that the CPU has the instruction.
        unsafe { _mm512_castps_si512(_mm512_div_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b))) }
    }

    #[inline(always)]
    fn at_least_float(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: `self` proves that the CPU has the instructions.
        unsafe {
            let (a, b) = (_mm512_castsi512_ps(a), _mm512_castsi512_ps(b));
            _mm512_movm_epi32(_mm512_cmp_ps_mask::<_CMP_GE_OQ>(a, b))
        }
    }
}

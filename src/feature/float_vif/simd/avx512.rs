// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Sixteen floats in a register of AVX-512.

use std::arch::x86_64::*;
use std::ops::{Add, Div, Mul, Sub};

use super::lanes::Lanes;

/// The proof that the instructions may be used.
#[derive(Clone, Copy, Debug)]
pub struct Avx512(());

impl Avx512 {
    /// The proof. A function that enables the instructions itself calls this without `unsafe`.
    ///
    /// # Safety
    /// The CPU must have the instructions.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    pub fn new() -> Self {
        Self(())
    }
}

/// 16 floats.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Floats(__m512);

/// 16 times yes or no.
#[derive(Clone, Copy, Debug)]
pub struct Mask(__mmask16);

impl Add for Floats {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: vectors exist only where the instructions do.
        Self(unsafe { _mm512_add_ps(self.0, other.0) })
    }
}

impl Sub for Floats {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: vectors exist only where the instructions do.
        Self(unsafe { _mm512_sub_ps(self.0, other.0) })
    }
}

impl Mul for Floats {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: vectors exist only where the instructions do.
        Self(unsafe { _mm512_mul_ps(self.0, other.0) })
    }
}

impl Div for Floats {
    type Output = Self;

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        // SAFETY: vectors exist only where the instructions do.
        Self(unsafe { _mm512_div_ps(self.0, other.0) })
    }
}

impl Lanes for Avx512 {
    const COUNT: usize = 16;
    type Floats = Floats;
    type Mask = Mask;

    #[inline(always)]
    fn splat(self, x: f32) -> Floats {
        // SAFETY: `self` exists only where the instructions do.
        Floats(unsafe { _mm512_set1_ps(x) })
    }

    #[inline(always)]
    fn load(self, from: &[f32]) -> Floats {
        assert!(from.len() >= Self::COUNT);
        // SAFETY: `self` exists only where the instructions do, and the slice was seen to be long enough.
        Floats(unsafe { _mm512_loadu_ps(from.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, to: &mut [f32], x: Floats) {
        assert!(to.len() >= Self::COUNT);
        // SAFETY: `self` exists only where the instructions do, and the slice was seen to be long enough.
        unsafe { _mm512_storeu_ps(to.as_mut_ptr(), x.0) }
    }

    #[inline(always)]
    fn as_floats(self, vectors: &mut [Floats]) -> &mut [f32] {
        let count = vectors.len() * Self::COUNT;
        // SAFETY: a vector is 16 floats and nothing else, of a stricter alignment; the borrow goes over to the result.
        unsafe { std::slice::from_raw_parts_mut(vectors.as_mut_ptr().cast(), count) }
    }

    #[inline(always)]
    fn max(self, a: Floats, b: Floats) -> Floats {
        // SAFETY: `self` exists only where the instructions do.
        Floats(unsafe { _mm512_max_ps(a.0, b.0) })
    }

    #[inline(always)]
    fn min(self, a: Floats, b: Floats) -> Floats {
        // SAFETY: `self` exists only where the instructions do.
        Floats(unsafe { _mm512_min_ps(a.0, b.0) })
    }

    #[inline(always)]
    fn less(self, a: Floats, b: Floats) -> Mask {
        // SAFETY: `self` exists only where the instructions do.
        Mask(unsafe { _mm512_cmp_ps_mask::<_CMP_LT_OQ>(a.0, b.0) })
    }

    #[inline(always)]
    fn either(self, a: Mask, b: Mask) -> Mask {
        Mask(a.0 | b.0)
    }

    #[inline(always)]
    fn all(self, mask: Mask) -> bool {
        mask.0 == u16::MAX
    }

    #[inline(always)]
    fn select(self, mask: Mask, a: Floats, b: Floats) -> Floats {
        // SAFETY: `self` exists only where the instructions do.
        Floats(unsafe { _mm512_mask_blend_ps(mask.0, b.0, a.0) })
    }

    #[inline(always)]
    fn clear(self, mask: Mask, x: Floats) -> Floats {
        // SAFETY: `self` exists only where the instructions do.
        Floats(unsafe { _mm512_maskz_mov_ps(!mask.0, x.0) })
    }

    #[inline(always)]
    fn exponent(self, x: Floats) -> Floats {
        // SAFETY: `self` exists only where the instructions do.
        Floats(unsafe { _mm512_getexp_ps(x.0) })
    }

    #[inline(always)]
    fn exponent_field(self, x: Floats) -> Floats {
        // SAFETY: `self` exists only where the instructions do.
        Floats(unsafe {
            let field = _mm512_srli_epi32::<24>(_mm512_slli_epi32::<1>(_mm512_castps_si512(x.0)));
            _mm512_cvtepi32_ps(_mm512_sub_epi32(field, _mm512_set1_epi32(127)))
        })
    }

    #[inline(always)]
    fn mantissa(self, x: Floats) -> Floats {
        // SAFETY: `self` exists only where the instructions do.
        Floats(unsafe {
            let fraction = _mm512_set1_epi32(0x7f_ffff);
            let one = _mm512_castps_si512(_mm512_set1_ps(1.0));
            // Where `fraction` has a bit, that of x, else that of 1.
            _mm512_castsi512_ps(_mm512_ternarylogic_epi32::<0xca>(fraction, _mm512_castps_si512(x.0), one))
        })
    }

    #[inline(always)]
    fn one_plus_quotient(self, a: Floats, b: Floats, noise: f64) -> Floats {
        // SAFETY: `self` exists only where the instructions do.
        Floats(unsafe {
            let low = half_quotient(_mm512_castps512_ps256(a.0), _mm512_castps512_ps256(b.0), noise);
            let high =
                half_quotient(_mm512_extractf32x8_ps::<1>(a.0), _mm512_extractf32x8_ps::<1>(b.0), noise);
            _mm512_insertf32x8::<1>(_mm512_castps256_ps512(low), high)
        })
    }

    #[inline(always)]
    fn transpose(self, square: &mut [Floats]) {
        let square: &mut [Floats; 16] = square.try_into().expect("a square");
        // SAFETY: `self` exists only where the instructions do.
        unsafe { transpose(square) }
    }

    #[inline(always)]
    fn even_odd(self, a: Floats, b: Floats) -> (Floats, Floats) {
        // SAFETY: `self` exists only where the instructions do.
        unsafe {
            let even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
            let odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
            let pick = |index| Floats(_mm512_permutex2var_ps(a.0, index, b.0));
            (pick(even), pick(odd))
        }
    }
}

/// # Safety
/// The CPU must have the instructions.
#[inline(always)]
unsafe fn half_quotient(a: __m256, b: __m256, noise: f64) -> __m256 {
    // SAFETY: as the caller keeps to.
    unsafe {
        let divisor = _mm512_add_pd(_mm512_cvtps_pd(b), _mm512_set1_pd(noise));
        let quotient = _mm512_div_pd(_mm512_cvtps_pd(a), divisor);
        _mm512_cvtpd_ps(_mm512_add_pd(_mm512_set1_pd(1.0), quotient))
    }
}

/// # Safety
/// The CPU must have the instructions.
#[inline(always)]
unsafe fn transpose(rows: &mut [Floats; 16]) {
    // SAFETY: as the caller keeps to.
    unsafe {
        let zero = _mm512_setzero_ps();
        let (mut pairs, mut quads, mut eights) = ([zero; 16], [zero; 16], [zero; 16]);
        for i in 0..8 {
            let (a, b) = (rows[2 * i].0, rows[2 * i + 1].0);
            pairs[2 * i] = _mm512_unpacklo_ps(a, b);
            pairs[2 * i + 1] = _mm512_unpackhi_ps(a, b);
        }
        // Vector 4 i + c: in each quarter q, rows 4 i to 4 i + 3 of column 4 q + c.
        for i in 0..4 {
            for half in 0..2 {
                let a = _mm512_castps_pd(pairs[4 * i + half]);
                let b = _mm512_castps_pd(pairs[4 * i + half + 2]);
                quads[4 * i + 2 * half] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, b));
                quads[4 * i + 2 * half + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, b));
            }
        }
        // Quarters of rows 0 to 7 in the first half, of rows 8 to 15 in the second.
        for i in 0..2 {
            for c in 0..4 {
                let (a, b) = (quads[8 * i + c], quads[8 * i + 4 + c]);
                eights[8 * i + c] = _mm512_shuffle_f32x4::<0x88>(a, b);
                eights[8 * i + 4 + c] = _mm512_shuffle_f32x4::<0xdd>(a, b);
            }
        }
        for c in 0..4 {
            let (even, odd) = ([eights[c], eights[8 + c]], [eights[4 + c], eights[12 + c]]);
            rows[c] = Floats(_mm512_shuffle_f32x4::<0x88>(even[0], even[1]));
            rows[4 + c] = Floats(_mm512_shuffle_f32x4::<0x88>(odd[0], odd[1]));
            rows[8 + c] = Floats(_mm512_shuffle_f32x4::<0xdd>(even[0], even[1]));
            rows[12 + c] = Floats(_mm512_shuffle_f32x4::<0xdd>(odd[0], odd[1]));
        }
    }
}

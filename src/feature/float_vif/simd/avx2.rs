// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Eight floats in a register of AVX2.

use std::arch::x86_64::*;
use std::ops::{Add, Div, Mul, Sub};

use super::lanes::Lanes;

/// The proof that the instructions may be used.
#[derive(Clone, Copy, Debug)]
pub struct Avx2(());

impl Avx2 {
    /// The proof. A function that enables the instructions itself calls this without `unsafe`.
    ///
    /// # Safety
    /// The CPU must have the instructions.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn new() -> Self {
        Self(())
    }
}

/// 8 floats.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Floats(__m256);

/// 8 times yes or no.
#[derive(Clone, Copy, Debug)]
pub struct Mask(__m256);

impl Add for Floats {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: vectors exist only where the instructions do.
        Self(unsafe { _mm256_add_ps(self.0, other.0) })
    }
}

impl Sub for Floats {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: vectors exist only where the instructions do.
        Self(unsafe { _mm256_sub_ps(self.0, other.0) })
    }
}

impl Mul for Floats {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: vectors exist only where the instructions do.
        Self(unsafe { _mm256_mul_ps(self.0, other.0) })
    }
}

impl Div for Floats {
    type Output = Self;

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        // SAFETY: vectors exist only where the instructions do.
        Self(unsafe { _mm256_div_ps(self.0, other.0) })
    }
}

impl Lanes for Avx2 {
    const COUNT: usize = 8;
    type Floats = Floats;
    type Mask = Mask;

    #[inline(always)]
    fn splat(self, x: f32) -> Floats {
        // SAFETY: `self` exists only where the instructions do.
        Floats(unsafe { _mm256_set1_ps(x) })
    }

    #[inline(always)]
    fn load(self, from: &[f32]) -> Floats {
        assert!(from.len() >= Self::COUNT);
        // SAFETY: `self` exists only where the instructions do, and the slice was seen to be long enough.
        Floats(unsafe { _mm256_loadu_ps(from.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, to: &mut [f32], x: Floats) {
        assert!(to.len() >= Self::COUNT);
        // SAFETY: `self` exists only where the instructions do, and the slice was seen to be long enough.
        unsafe { _mm256_storeu_ps(to.as_mut_ptr(), x.0) }
    }

    #[inline(always)]
    fn as_floats(self, vectors: &mut [Floats]) -> &mut [f32] {
        let count = vectors.len() * Self::COUNT;
        // SAFETY: a vector is 8 floats and nothing else, of a stricter alignment; the borrow goes over to the result.
        unsafe { std::slice::from_raw_parts_mut(vectors.as_mut_ptr().cast(), count) }
    }

    #[inline(always)]
    fn max(self, a: Floats, b: Floats) -> Floats {
        // SAFETY: `self` exists only where the instructions do.
        Floats(unsafe { _mm256_max_ps(a.0, b.0) })
    }

    #[inline(always)]
    fn min(self, a: Floats, b: Floats) -> Floats {
        // SAFETY: `self` exists only where the instructions do.
        Floats(unsafe { _mm256_min_ps(a.0, b.0) })
    }

    #[inline(always)]
    fn less(self, a: Floats, b: Floats) -> Mask {
        // SAFETY: `self` exists only where the instructions do.
        Mask(unsafe { _mm256_cmp_ps::<_CMP_LT_OQ>(a.0, b.0) })
    }

    #[inline(always)]
    fn either(self, a: Mask, b: Mask) -> Mask {
        // SAFETY: `self` exists only where the instructions do.
        Mask(unsafe { _mm256_or_ps(a.0, b.0) })
    }

    #[inline(always)]
    fn all(self, mask: Mask) -> bool {
        // SAFETY: `self` exists only where the instructions do.
        unsafe { _mm256_movemask_ps(mask.0) == 0xff }
    }

    #[inline(always)]
    fn select(self, mask: Mask, a: Floats, b: Floats) -> Floats {
        // SAFETY: `self` exists only where the instructions do.
        Floats(unsafe { _mm256_blendv_ps(b.0, a.0, mask.0) })
    }

    #[inline(always)]
    fn clear(self, mask: Mask, x: Floats) -> Floats {
        // SAFETY: `self` exists only where the instructions do.
        Floats(unsafe { _mm256_andnot_ps(mask.0, x.0) })
    }

    #[inline(always)]
    fn exponent(self, x: Floats) -> Floats {
        // SAFETY: `self` exists only where the instructions do.
        Floats(unsafe {
            let field = _mm256_srli_epi32::<23>(_mm256_castps_si256(x.0));
            _mm256_cvtepi32_ps(_mm256_sub_epi32(field, _mm256_set1_epi32(127)))
        })
    }

    #[inline(always)]
    fn exponent_field(self, x: Floats) -> Floats {
        // SAFETY: `self` exists only where the instructions do.
        Floats(unsafe {
            let field = _mm256_srli_epi32::<24>(_mm256_slli_epi32::<1>(_mm256_castps_si256(x.0)));
            _mm256_cvtepi32_ps(_mm256_sub_epi32(field, _mm256_set1_epi32(127)))
        })
    }

    #[inline(always)]
    fn mantissa(self, x: Floats) -> Floats {
        // SAFETY: `self` exists only where the instructions do.
        Floats(unsafe {
            let fraction = _mm256_castsi256_ps(_mm256_set1_epi32(0x7f_ffff));
            _mm256_or_ps(_mm256_and_ps(x.0, fraction), _mm256_set1_ps(1.0))
        })
    }

    #[inline(always)]
    fn one_plus_quotient(self, a: Floats, b: Floats, noise: f64) -> Floats {
        // SAFETY: `self` exists only where the instructions do.
        Floats(unsafe {
            let low = half_quotient(_mm256_castps256_ps128(a.0), _mm256_castps256_ps128(b.0), noise);
            let high = half_quotient(_mm256_extractf128_ps::<1>(a.0), _mm256_extractf128_ps::<1>(b.0), noise);
            _mm256_set_m128(high, low)
        })
    }

    #[inline(always)]
    fn transpose(self, square: &mut [Floats]) {
        let square: &mut [Floats; 8] = square.try_into().expect("a square");
        // SAFETY: `self` exists only where the instructions do.
        unsafe { transpose(square) }
    }

    #[inline(always)]
    fn even_odd(self, a: Floats, b: Floats) -> (Floats, Floats) {
        // SAFETY: `self` exists only where the instructions do.
        unsafe {
            // Both pick within halves: first those of a and b, then second ones.
            let even = _mm256_castps_pd(_mm256_shuffle_ps::<0x88>(a.0, b.0));
            let odd = _mm256_castps_pd(_mm256_shuffle_ps::<0xdd>(a.0, b.0));
            let order = |pairs| Floats(_mm256_castpd_ps(_mm256_permute4x64_pd::<0xd8>(pairs)));
            (order(even), order(odd))
        }
    }
}

/// # Safety
/// The CPU must have the instructions.
#[inline(always)]
unsafe fn half_quotient(a: __m128, b: __m128, noise: f64) -> __m128 {
    // SAFETY: as the caller keeps to.
    unsafe {
        let divisor = _mm256_add_pd(_mm256_cvtps_pd(b), _mm256_set1_pd(noise));
        let quotient = _mm256_div_pd(_mm256_cvtps_pd(a), divisor);
        _mm256_cvtpd_ps(_mm256_add_pd(_mm256_set1_pd(1.0), quotient))
    }
}

/// # Safety
/// The CPU must have the instructions.
#[inline(always)]
unsafe fn transpose(rows: &mut [Floats; 8]) {
    // SAFETY: as the caller keeps to.
    unsafe {
        let zero = _mm256_setzero_ps();
        let (mut pairs, mut quads) = ([zero; 8], [zero; 8]);
        for i in 0..4 {
            let (a, b) = (rows[2 * i].0, rows[2 * i + 1].0);
            pairs[2 * i] = _mm256_unpacklo_ps(a, b);
            pairs[2 * i + 1] = _mm256_unpackhi_ps(a, b);
        }
        // Vector 4 i + c: rows 4 i to 4 i + 3 of column c in the first half, of column 4 + c in the second.
        for i in 0..2 {
            for half in 0..2 {
                let (a, b) = (pairs[4 * i + half], pairs[4 * i + half + 2]);
                quads[4 * i + 2 * half] = _mm256_shuffle_ps::<0x44>(a, b);
                quads[4 * i + 2 * half + 1] = _mm256_shuffle_ps::<0xee>(a, b);
            }
        }
        for c in 0..4 {
            rows[c] = Floats(_mm256_permute2f128_ps::<0x20>(quads[c], quads[4 + c]));
            rows[4 + c] = Floats(_mm256_permute2f128_ps::<0x31>(quads[c], quads[4 + c]));
        }
    }
}

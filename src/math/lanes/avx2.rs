// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Four doubles in a register of AVX2.

use std::arch::x86_64::*;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Sub};

use super::{Lanes, TO_INTEGER, open_bits};

/// The proof that the instructions may be used.
#[derive(Clone, Copy, Debug)]
pub struct Avx2(());

impl Avx2 {
    /// The proof. A function that enables the instructions itself calls this without `unsafe`.
    ///
    /// # Safety
    /// The CPU must have the instructions.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub fn new() -> Self {
        Self(())
    }
}

/// 4 doubles.
#[derive(Clone, Copy, Debug)]
pub struct Doubles(__m256d);

/// 4 floats.
#[derive(Clone, Copy, Debug)]
pub struct Singles(__m128);

/// 4 indices.
#[derive(Clone, Copy, Debug)]
pub struct Indices(__m256i);

/// 4 times yes or no.
#[derive(Clone, Copy, Debug)]
pub struct Mask(__m256d);

impl Add for Doubles {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: vectors exist only where the instructions do.
        Self(unsafe { _mm256_add_pd(self.0, other.0) })
    }
}

impl Sub for Doubles {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: vectors exist only where the instructions do.
        Self(unsafe { _mm256_sub_pd(self.0, other.0) })
    }
}

impl Mul for Doubles {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: vectors exist only where the instructions do.
        Self(unsafe { _mm256_mul_pd(self.0, other.0) })
    }
}

impl Div for Doubles {
    type Output = Self;

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        // SAFETY: vectors exist only where the instructions do.
        Self(unsafe { _mm256_div_pd(self.0, other.0) })
    }
}

impl Add for Singles {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: vectors exist only where the instructions do.
        Self(unsafe { _mm_add_ps(self.0, other.0) })
    }
}

impl Sub for Singles {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: vectors exist only where the instructions do.
        Self(unsafe { _mm_sub_ps(self.0, other.0) })
    }
}

impl Mul for Singles {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: vectors exist only where the instructions do.
        Self(unsafe { _mm_mul_ps(self.0, other.0) })
    }
}

impl Div for Singles {
    type Output = Self;

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        // SAFETY: vectors exist only where the instructions do.
        Self(unsafe { _mm_div_ps(self.0, other.0) })
    }
}

impl BitAnd for Mask {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        // SAFETY: masks exist only where the instructions do.
        Self(unsafe { _mm256_and_pd(self.0, other.0) })
    }
}

impl BitOr for Mask {
    type Output = Self;

    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        // SAFETY: masks exist only where the instructions do.
        Self(unsafe { _mm256_or_pd(self.0, other.0) })
    }
}

impl Lanes for Avx2 {
    const WIDTH: usize = 4;
    const LONG_LOOKUPS: bool = true;
    type Double = Doubles;
    type Single = Singles;
    type Mask = Mask;
    type Index = Indices;

    #[inline(always)]
    fn splat(self, x: f64) -> Doubles {
        // SAFETY: `self` exists only where the instructions do.
        Doubles(unsafe { _mm256_set1_pd(x) })
    }

    #[inline(always)]
    fn splat_single(self, x: f32) -> Singles {
        // SAFETY: `self` exists only where the instructions do.
        Singles(unsafe { _mm_set1_ps(x) })
    }

    #[inline(always)]
    fn load(self, from: &[f64]) -> Doubles {
        assert!(from.len() >= Self::WIDTH);
        // SAFETY: `self` exists only where the instructions do, and the slice was seen to be long enough.
        Doubles(unsafe { _mm256_loadu_pd(from.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, to: &mut [f64], x: Doubles) {
        assert!(to.len() >= Self::WIDTH);
        // SAFETY: `self` exists only where the instructions do, and the slice was seen to be long enough.
        unsafe { _mm256_storeu_pd(to.as_mut_ptr(), x.0) }
    }

    #[inline(always)]
    fn load_single(self, from: &[f32]) -> Singles {
        assert!(from.len() >= Self::WIDTH);
        // SAFETY: `self` exists only where the instructions do, and the slice was seen to be long enough.
        Singles(unsafe { _mm_loadu_ps(from.as_ptr()) })
    }

    #[inline(always)]
    fn store_single(self, to: &mut [f32], x: Singles) {
        assert!(to.len() >= Self::WIDTH);
        // SAFETY: `self` exists only where the instructions do, and the slice was seen to be long enough.
        unsafe { _mm_storeu_ps(to.as_mut_ptr(), x.0) }
    }

    #[inline(always)]
    fn load_bytes(self, from: &[u8]) -> Doubles {
        assert!(from.len() >= Self::WIDTH);
        // SAFETY: `self` exists only where the instructions do, and the slice was seen to be long enough.
        Doubles(unsafe { _mm256_cvtepi32_pd(_mm_cvtepu8_epi32(_mm_loadu_si32(from.as_ptr().cast()))) })
    }

    #[inline(always)]
    fn load_words(self, from: &[u16]) -> Doubles {
        assert!(from.len() >= Self::WIDTH);
        // SAFETY: `self` exists only where the instructions do, and the slice was seen to be long enough.
        Doubles(unsafe { _mm256_cvtepi32_pd(_mm_cvtepu16_epi32(_mm_loadl_epi64(from.as_ptr().cast()))) })
    }

    #[inline(always)]
    fn widen(self, x: Singles) -> Doubles {
        // SAFETY: `self` exists only where the instructions do.
        Doubles(unsafe { _mm256_cvtps_pd(x.0) })
    }

    #[inline(always)]
    fn round(self, x: Doubles) -> Singles {
        // SAFETY: `self` exists only where the instructions do.
        Singles(unsafe { _mm256_cvtpd_ps(x.0) })
    }

    #[inline(always)]
    fn mul_add(self, a: Doubles, b: Doubles, c: Doubles) -> Doubles {
        // SAFETY: `self` exists only where the instructions do.
        Doubles(unsafe { _mm256_fmadd_pd(a.0, b.0, c.0) })
    }

    #[inline(always)]
    fn mul_sub_from(self, a: Doubles, b: Doubles, c: Doubles) -> Doubles {
        // SAFETY: `self` exists only where the instructions do.
        Doubles(unsafe { _mm256_fnmadd_pd(a.0, b.0, c.0) })
    }

    #[inline(always)]
    fn sqrt(self, x: Doubles) -> Doubles {
        // SAFETY: `self` exists only where the instructions do.
        Doubles(unsafe { _mm256_sqrt_pd(x.0) })
    }

    #[inline(always)]
    fn reciprocal_root(self, x: Doubles) -> Doubles {
        self.splat(1.0) / self.sqrt(x)
    }

    #[inline(always)]
    fn reciprocal(self, x: Doubles) -> Doubles {
        // SAFETY: `self` exists only where the instructions do.
        Doubles(unsafe { _mm256_cvtps_pd(_mm_rcp_ps(_mm256_cvtpd_ps(x.0))) })
    }

    #[inline(always)]
    fn abs(self, x: Doubles) -> Doubles {
        // SAFETY: `self` exists only where the instructions do.
        Doubles(unsafe { _mm256_andnot_pd(_mm256_set1_pd(-0.0), x.0) })
    }

    #[inline(always)]
    fn min(self, a: Doubles, b: Doubles) -> Doubles {
        // SAFETY: `self` exists only where the instructions do.
        Doubles(unsafe { _mm256_min_pd(a.0, b.0) })
    }

    #[inline(always)]
    fn max(self, a: Doubles, b: Doubles) -> Doubles {
        // SAFETY: `self` exists only where the instructions do.
        Doubles(unsafe { _mm256_max_pd(a.0, b.0) })
    }

    #[inline(always)]
    fn copy_sign(self, x: Doubles, sign: Doubles) -> Doubles {
        let bit = self.splat(-0.0);
        // SAFETY: `self` exists only where the instructions do.
        Doubles(unsafe { _mm256_or_pd(_mm256_andnot_pd(bit.0, x.0), _mm256_and_pd(bit.0, sign.0)) })
    }

    #[inline(always)]
    fn scale(self, x: Doubles, n: Doubles) -> Doubles {
        let (_, integer) = self.nearest(n);
        // SAFETY: `self` exists only where the instructions do.
        Doubles(unsafe {
            let exponent = _mm256_slli_epi64::<52>(integer.0);
            _mm256_castsi256_pd(_mm256_add_epi64(_mm256_castpd_si256(x.0), exponent))
        })
    }

    #[inline(always)]
    fn all(self) -> Mask {
        // SAFETY: `self` exists only where the instructions do.
        Mask(unsafe { _mm256_castsi256_pd(_mm256_set1_epi64x(-1)) })
    }

    #[inline(always)]
    fn greater(self, a: Doubles, b: Doubles) -> Mask {
        // SAFETY: `self` exists only where the instructions do.
        Mask(unsafe { _mm256_cmp_pd::<_CMP_GT_OQ>(a.0, b.0) })
    }

    #[inline(always)]
    fn select(self, mask: Mask, a: Doubles, b: Doubles) -> Doubles {
        // SAFETY: `self` exists only where the instructions do.
        Doubles(unsafe { _mm256_blendv_pd(b.0, a.0, mask.0) })
    }

    #[inline(always)]
    fn bits(self, mask: Mask) -> u8 {
        // SAFETY: `self` exists only where the instructions do.
        unsafe { _mm256_movemask_pd(mask.0) as u8 }
    }

    #[inline(always)]
    fn open<const UNITS: u32>(self, x: Doubles) -> Mask {
        let (shift, bits) = const { open_bits(UNITS) };
        // SAFETY: `self` exists only where the instructions do.
        Mask(unsafe {
            let shifted = _mm256_add_epi64(_mm256_castpd_si256(x.0), _mm256_set1_epi64x(shift));
            let rest = _mm256_and_si256(shifted, _mm256_set1_epi64x(bits));
            _mm256_castsi256_pd(_mm256_cmpeq_epi64(rest, _mm256_setzero_si256()))
        })
    }

    #[inline(always)]
    fn mantissa(self, x: Doubles) -> Doubles {
        let (bits, one) = (f64::from_bits((1 << 52) - 1), self.splat(1.0));
        // SAFETY: `self` exists only where the instructions do.
        Doubles(unsafe { _mm256_or_pd(_mm256_and_pd(x.0, _mm256_set1_pd(bits)), one.0) })
    }

    #[inline(always)]
    fn centre(self, m: Doubles) -> Doubles {
        // SAFETY: `self` exists only where the instructions do.
        Doubles(unsafe {
            let (upper, middle) = (_mm256_set1_epi64x(!0 << 48), _mm256_set1_epi64x(1 << 47));
            let kept = _mm256_and_si256(_mm256_castpd_si256(m.0), upper);
            _mm256_castsi256_pd(_mm256_or_si256(kept, middle))
        })
    }

    #[inline(always)]
    fn interval(self, x: Doubles) -> Indices {
        // SAFETY: `self` exists only where the instructions do.
        Indices(unsafe { _mm256_srli_epi64::<48>(_mm256_castpd_si256(x.0)) })
    }

    #[inline(always)]
    fn exponent(self, x: Doubles) -> Doubles {
        // The biased exponent as the lowest bits of a double of 2^52 and more.
        let base = f64::from_bits(1075 << 52);
        // SAFETY: `self` exists only where the instructions do.
        let biased = Doubles(unsafe {
            let shifted = _mm256_srli_epi64::<52>(_mm256_castpd_si256(x.0));
            _mm256_or_pd(_mm256_castsi256_pd(shifted), self.splat(base).0)
        });
        biased - self.splat(base + 1023.0)
    }

    #[inline(always)]
    fn octave(self, x: Doubles) -> Indices {
        // SAFETY: `self` exists only where the instructions do.
        Indices(unsafe { _mm256_srli_epi64::<52>(_mm256_castpd_si256(x.0)) })
    }

    #[inline(always)]
    fn nearest(self, x: Doubles) -> (Doubles, Indices) {
        let shifted = x + self.splat(TO_INTEGER);
        // SAFETY: `self` exists only where the instructions do.
        (shifted - self.splat(TO_INTEGER), Indices(unsafe { _mm256_castpd_si256(shifted.0) }))
    }

    #[inline(always)]
    fn lookup(self, table: &[f64; 16], index: Indices) -> Doubles {
        // SAFETY: `self` exists only where the instructions do, and four bits stay within the table.
        Doubles(unsafe {
            let index = _mm256_and_si256(index.0, _mm256_set1_epi64x(15));
            _mm256_i64gather_pd::<8>(table.as_ptr(), index)
        })
    }

    #[inline(always)]
    fn lookup_256(self, table: &[f64; 256], index: Indices) -> Doubles {
        // SAFETY: `self` exists only where the instructions do, and eight bits stay within the table.
        Doubles(unsafe {
            let index = _mm256_and_si256(index.0, _mm256_set1_epi64x(255));
            _mm256_i64gather_pd::<8>(table.as_ptr(), index)
        })
    }

    #[inline(always)]
    fn index_bit<const BIT: u32>(self, index: Indices) -> Mask {
        // SAFETY: `self` exists only where the instructions do.
        Mask(unsafe {
            let bit = _mm256_set1_epi64x(1 << BIT);
            _mm256_castsi256_pd(_mm256_cmpeq_epi64(_mm256_and_si256(index.0, bit), bit))
        })
    }
}

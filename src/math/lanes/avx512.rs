// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Eight doubles in a register of AVX-512.

use std::arch::x86_64::*;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Sub};

use super::{Lanes, TO_INTEGER, open_bits};

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

/// 8 doubles.
#[derive(Clone, Copy, Debug)]
pub struct Doubles(__m512d);

/// 8 floats.
#[derive(Clone, Copy, Debug)]
pub struct Singles(__m256);

/// 8 indices.
#[derive(Clone, Copy, Debug)]
pub struct Indices(__m512i);

/// 8 times yes or no.
#[derive(Clone, Copy, Debug)]
pub struct Mask(__mmask8);

impl Add for Doubles {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: vectors exist only where the instructions do.
        Self(unsafe { _mm512_add_pd(self.0, other.0) })
    }
}

impl Sub for Doubles {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: vectors exist only where the instructions do.
        Self(unsafe { _mm512_sub_pd(self.0, other.0) })
    }
}

impl Mul for Doubles {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: vectors exist only where the instructions do.
        Self(unsafe { _mm512_mul_pd(self.0, other.0) })
    }
}

impl Div for Doubles {
    type Output = Self;

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        // SAFETY: vectors exist only where the instructions do.
        Self(unsafe { _mm512_div_pd(self.0, other.0) })
    }
}

impl Add for Singles {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: vectors exist only where the instructions do.
        Self(unsafe { _mm256_add_ps(self.0, other.0) })
    }
}

impl Sub for Singles {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: vectors exist only where the instructions do.
        Self(unsafe { _mm256_sub_ps(self.0, other.0) })
    }
}

impl Mul for Singles {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: vectors exist only where the instructions do.
        Self(unsafe { _mm256_mul_ps(self.0, other.0) })
    }
}

impl Div for Singles {
    type Output = Self;

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        // SAFETY: vectors exist only where the instructions do.
        Self(unsafe { _mm256_div_ps(self.0, other.0) })
    }
}

impl BitAnd for Mask {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for Mask {
    type Output = Self;

    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl Lanes for Avx512 {
    const WIDTH: usize = 8;
    const LONG_LOOKUPS: bool = false;
    type Double = Doubles;
    type Single = Singles;
    type Mask = Mask;
    type Index = Indices;

    #[inline(always)]
    fn splat(self, x: f64) -> Doubles {
        // SAFETY: `self` exists only where the instructions do.
        Doubles(unsafe { _mm512_set1_pd(x) })
    }

    #[inline(always)]
    fn splat_single(self, x: f32) -> Singles {
        // SAFETY: `self` exists only where the instructions do.
        Singles(unsafe { _mm256_set1_ps(x) })
    }

    #[inline(always)]
    fn load(self, from: &[f64]) -> Doubles {
        assert!(from.len() >= Self::WIDTH);
        // SAFETY: `self` exists only where the instructions do, and the slice was seen to be long enough.
        Doubles(unsafe { _mm512_loadu_pd(from.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, to: &mut [f64], x: Doubles) {
        assert!(to.len() >= Self::WIDTH);
        // SAFETY: `self` exists only where the instructions do, and the slice was seen to be long enough.
        unsafe { _mm512_storeu_pd(to.as_mut_ptr(), x.0) }
    }

    #[inline(always)]
    fn load_single(self, from: &[f32]) -> Singles {
        assert!(from.len() >= Self::WIDTH);
        // SAFETY: `self` exists only where the instructions do, and the slice was seen to be long enough.
        Singles(unsafe { _mm256_loadu_ps(from.as_ptr()) })
    }

    #[inline(always)]
    fn store_single(self, to: &mut [f32], x: Singles) {
        assert!(to.len() >= Self::WIDTH);
        // SAFETY: `self` exists only where the instructions do, and the slice was seen to be long enough.
        unsafe { _mm256_storeu_ps(to.as_mut_ptr(), x.0) }
    }

    #[inline(always)]
    fn load_bytes(self, from: &[u8]) -> Doubles {
        assert!(from.len() >= Self::WIDTH);
        // SAFETY: `self` exists only where the instructions do, and the slice was seen to be long enough.
        Doubles(unsafe { _mm512_cvtepi32_pd(_mm256_cvtepu8_epi32(_mm_loadl_epi64(from.as_ptr().cast()))) })
    }

    #[inline(always)]
    fn load_words(self, from: &[u16]) -> Doubles {
        assert!(from.len() >= Self::WIDTH);
        // SAFETY: `self` exists only where the instructions do, and the slice was seen to be long enough.
        Doubles(unsafe { _mm512_cvtepi32_pd(_mm256_cvtepu16_epi32(_mm_loadu_si128(from.as_ptr().cast()))) })
    }

    #[inline(always)]
    fn widen(self, x: Singles) -> Doubles {
        // SAFETY: `self` exists only where the instructions do.
        Doubles(unsafe { _mm512_cvtps_pd(x.0) })
    }

    #[inline(always)]
    fn round(self, x: Doubles) -> Singles {
        // SAFETY: `self` exists only where the instructions do.
        Singles(unsafe { _mm512_cvtpd_ps(x.0) })
    }

    #[inline(always)]
    fn mul_add(self, a: Doubles, b: Doubles, c: Doubles) -> Doubles {
        // SAFETY: `self` exists only where the instructions do.
        Doubles(unsafe { _mm512_fmadd_pd(a.0, b.0, c.0) })
    }

    #[inline(always)]
    fn mul_sub_from(self, a: Doubles, b: Doubles, c: Doubles) -> Doubles {
        // SAFETY: `self` exists only where the instructions do.
        Doubles(unsafe { _mm512_fnmadd_pd(a.0, b.0, c.0) })
    }

    #[inline(always)]
    fn sqrt(self, x: Doubles) -> Doubles {
        // SAFETY: `self` exists only where the instructions do.
        Doubles(unsafe { _mm512_sqrt_pd(x.0) })
    }

    #[inline(always)]
    fn reciprocal_root(self, x: Doubles) -> Doubles {
        // SAFETY: `self` exists only where the instructions do.
        let y = Doubles(unsafe { _mm512_rsqrt14_pd(x.0) });
        // y is within 2^-14. With e = 1 - x y^2 the wanted is y (1 - e)^(-1/2): three terms leave 5/16 e^3.
        let e = self.mul_sub_from(x * y, y, self.splat(1.0));
        let terms = self.mul_add(e, self.splat(0.375), self.splat(0.5));
        self.mul_add(y * e, terms, y)
    }

    #[inline(always)]
    fn reciprocal(self, x: Doubles) -> Doubles {
        // SAFETY: `self` exists only where the instructions do.
        Doubles(unsafe { _mm512_rcp14_pd(x.0) })
    }

    #[inline(always)]
    fn abs(self, x: Doubles) -> Doubles {
        // SAFETY: `self` exists only where the instructions do.
        Doubles(unsafe { _mm512_abs_pd(x.0) })
    }

    #[inline(always)]
    fn min(self, a: Doubles, b: Doubles) -> Doubles {
        // SAFETY: `self` exists only where the instructions do.
        Doubles(unsafe { _mm512_min_pd(a.0, b.0) })
    }

    #[inline(always)]
    fn max(self, a: Doubles, b: Doubles) -> Doubles {
        // SAFETY: `self` exists only where the instructions do.
        Doubles(unsafe { _mm512_max_pd(a.0, b.0) })
    }

    #[inline(always)]
    fn copy_sign(self, x: Doubles, sign: Doubles) -> Doubles {
        let bit = self.splat(-0.0);
        // SAFETY: `self` exists only where the instructions do. The table takes the sign where its bit is set.
        let mixed = unsafe {
            let (x, sign) = (_mm512_castpd_si512(x.0), _mm512_castpd_si512(sign.0));
            let bit = _mm512_castpd_si512(bit.0);
            _mm512_castsi512_pd(_mm512_ternarylogic_epi64::<0xD8>(x, sign, bit))
        };
        Doubles(mixed)
    }

    #[inline(always)]
    fn scale(self, x: Doubles, n: Doubles) -> Doubles {
        // SAFETY: `self` exists only where the instructions do.
        Doubles(unsafe { _mm512_scalef_pd(x.0, n.0) })
    }

    #[inline(always)]
    fn all(self) -> Mask {
        Mask(!0)
    }

    #[inline(always)]
    fn greater(self, a: Doubles, b: Doubles) -> Mask {
        // SAFETY: `self` exists only where the instructions do.
        Mask(unsafe { _mm512_cmp_pd_mask::<_CMP_GT_OQ>(a.0, b.0) })
    }

    #[inline(always)]
    fn select(self, mask: Mask, a: Doubles, b: Doubles) -> Doubles {
        // SAFETY: `self` exists only where the instructions do.
        Doubles(unsafe { _mm512_mask_blend_pd(mask.0, b.0, a.0) })
    }

    #[inline(always)]
    fn bits(self, mask: Mask) -> u8 {
        mask.0
    }

    #[inline(always)]
    fn open<const UNITS: u32>(self, x: Doubles) -> Mask {
        let (shift, bits) = const { open_bits(UNITS) };
        // SAFETY: `self` exists only where the instructions do.
        Mask(unsafe {
            let shifted = _mm512_add_epi64(_mm512_castpd_si512(x.0), _mm512_set1_epi64(shift));
            _mm512_testn_epi64_mask(shifted, _mm512_set1_epi64(bits))
        })
    }

    #[inline(always)]
    fn mantissa(self, x: Doubles) -> Doubles {
        // SAFETY: `self` exists only where the instructions do.
        Doubles(unsafe { _mm512_getmant_pd::<_MM_MANT_NORM_1_2, _MM_MANT_SIGN_SRC>(x.0) })
    }

    #[inline(always)]
    fn centre(self, m: Doubles) -> Doubles {
        // SAFETY: `self` exists only where the instructions do. The table is (m and upper bits) or middle.
        Doubles(unsafe {
            let (upper, middle) = (_mm512_set1_epi64(!0 << 48), _mm512_set1_epi64(1 << 47));
            _mm512_castsi512_pd(_mm512_ternarylogic_epi64::<0xEA>(_mm512_castpd_si512(m.0), upper, middle))
        })
    }

    #[inline(always)]
    fn interval(self, x: Doubles) -> Indices {
        // SAFETY: `self` exists only where the instructions do.
        Indices(unsafe { _mm512_srli_epi64::<48>(_mm512_castpd_si512(x.0)) })
    }

    #[inline(always)]
    fn exponent(self, x: Doubles) -> Doubles {
        // SAFETY: `self` exists only where the instructions do.
        Doubles(unsafe { _mm512_getexp_pd(x.0) })
    }

    #[inline(always)]
    fn octave(self, x: Doubles) -> Indices {
        // SAFETY: `self` exists only where the instructions do.
        Indices(unsafe { _mm512_srli_epi64::<52>(_mm512_castpd_si512(x.0)) })
    }

    #[inline(always)]
    fn nearest(self, x: Doubles) -> (Doubles, Indices) {
        let shifted = x + self.splat(TO_INTEGER);
        // SAFETY: `self` exists only where the instructions do.
        (shifted - self.splat(TO_INTEGER), Indices(unsafe { _mm512_castpd_si512(shifted.0) }))
    }

    #[inline(always)]
    fn lookup(self, table: &[f64; 16], index: Indices) -> Doubles {
        let (low, high) = (self.load(table), self.load(&table[8..]));
        // SAFETY: `self` exists only where the instructions do.
        Doubles(unsafe { _mm512_permutex2var_pd(low.0, index.0, high.0) })
    }

    #[inline(always)]
    fn lookup_256(self, table: &[f64; 256], index: Indices) -> Doubles {
        // SAFETY: `self` exists only where the instructions do, and eight bits stay within the table.
        Doubles(unsafe {
            let index = _mm512_and_si512(index.0, _mm512_set1_epi64(255));
            _mm512_i64gather_pd::<8>(index, table.as_ptr())
        })
    }

    #[inline(always)]
    fn index_bit<const BIT: u32>(self, index: Indices) -> Mask {
        // SAFETY: `self` exists only where the instructions do.
        Mask(unsafe { _mm512_test_epi64_mask(index.0, _mm512_set1_epi64(1 << BIT)) })
    }
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! What the filters need of a register: floats, and as many doubles.
//!
//! Code over [`Lanes`] is written once, always inlined, and compiled for a level by the functions that carry its
//! `#[target_feature]`. No operation here rounds otherwise than Rust's own of the same name.

/// The vectors of one level.
///
/// # Safety
/// Every function needs the level's instructions, and what it loads or stores to lie within the slice.
pub trait Lanes {
    /// Doubles in a vector.
    const COUNT: usize;
    /// Floats, as many as doubles.
    type Floats: Copy;
    /// Doubles.
    type Doubles: Copy;

    /// # Safety
    /// See [`Lanes`].
    unsafe fn load(from: &[f32], at: usize) -> Self::Floats;
    /// # Safety
    /// See [`Lanes`].
    unsafe fn store(to: &mut [f32], at: usize, lanes: Self::Floats);
    /// # Safety
    /// See [`Lanes`].
    unsafe fn load_doubles(from: &[f64], at: usize) -> Self::Doubles;
    /// # Safety
    /// See [`Lanes`].
    unsafe fn store_doubles(to: &mut [f64], at: usize, lanes: Self::Doubles);
    /// # Safety
    /// See [`Lanes`].
    unsafe fn all(value: f32) -> Self::Floats;
    /// # Safety
    /// See [`Lanes`].
    unsafe fn zero() -> Self::Doubles;
    /// # Safety
    /// See [`Lanes`].
    unsafe fn multiply(a: Self::Floats, b: Self::Floats) -> Self::Floats;
    /// # Safety
    /// See [`Lanes`].
    unsafe fn add(a: Self::Doubles, b: Self::Doubles) -> Self::Doubles;
    /// # Safety
    /// See [`Lanes`].
    unsafe fn widen(lanes: Self::Floats) -> Self::Doubles;
    /// # Safety
    /// See [`Lanes`].
    unsafe fn narrow(lanes: Self::Doubles) -> Self::Floats;
}

#[cfg(target_arch = "x86_64")]
pub use x86::{Avx2, Avx512};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Lanes;
    use std::arch::x86_64::*;

    /// Four lanes.
    pub struct Avx2;

    /// Eight lanes.
    pub struct Avx512;

    impl Lanes for Avx2 {
        const COUNT: usize = 4;
        type Floats = __m128;
        type Doubles = __m256d;

        #[inline(always)]
        unsafe fn load(from: &[f32], at: usize) -> __m128 {
            debug_assert!(at + Self::COUNT <= from.len());
            // SAFETY: the lanes lie within the slice, as the trait asks.
            unsafe { _mm_loadu_ps(from.as_ptr().add(at)) }
        }

        #[inline(always)]
        unsafe fn store(to: &mut [f32], at: usize, lanes: __m128) {
            debug_assert!(at + Self::COUNT <= to.len());
            // SAFETY: the lanes lie within the slice, as the trait asks.
            unsafe { _mm_storeu_ps(to.as_mut_ptr().add(at), lanes) }
        }

        #[inline(always)]
        unsafe fn load_doubles(from: &[f64], at: usize) -> __m256d {
            debug_assert!(at + Self::COUNT <= from.len());
            // SAFETY: the lanes lie within the slice, as the trait asks.
            unsafe { _mm256_loadu_pd(from.as_ptr().add(at)) }
        }

        #[inline(always)]
        unsafe fn store_doubles(to: &mut [f64], at: usize, lanes: __m256d) {
            debug_assert!(at + Self::COUNT <= to.len());
            // SAFETY: the lanes lie within the slice, as the trait asks.
            unsafe { _mm256_storeu_pd(to.as_mut_ptr().add(at), lanes) }
        }

        #[inline(always)]
        unsafe fn all(value: f32) -> __m128 {
            // SAFETY: the CPU has the level, as the trait asks.
            unsafe { _mm_set1_ps(value) }
        }

        #[inline(always)]
        unsafe fn zero() -> __m256d {
            // SAFETY: the CPU has the level, as the trait asks.
            unsafe { _mm256_setzero_pd() }
        }

        #[inline(always)]
        unsafe fn multiply(a: __m128, b: __m128) -> __m128 {
            // SAFETY: the CPU has the level, as the trait asks.
            unsafe { _mm_mul_ps(a, b) }
        }

        #[inline(always)]
        unsafe fn add(a: __m256d, b: __m256d) -> __m256d {
            // SAFETY: the CPU has the level, as the trait asks.
            unsafe { _mm256_add_pd(a, b) }
        }

        #[inline(always)]
        unsafe fn widen(lanes: __m128) -> __m256d {
            // SAFETY: the CPU has the level, as the trait asks.
            unsafe { _mm256_cvtps_pd(lanes) }
        }

        #[inline(always)]
        unsafe fn narrow(lanes: __m256d) -> __m128 {
            // SAFETY: the CPU has the level, as the trait asks.
            unsafe { _mm256_cvtpd_ps(lanes) }
        }
    }

    impl Lanes for Avx512 {
        const COUNT: usize = 8;
        type Floats = __m256;
        type Doubles = __m512d;

        #[inline(always)]
        unsafe fn load(from: &[f32], at: usize) -> __m256 {
            debug_assert!(at + Self::COUNT <= from.len());
            // SAFETY: the lanes lie within the slice, as the trait asks.
            unsafe { _mm256_loadu_ps(from.as_ptr().add(at)) }
        }

        #[inline(always)]
        unsafe fn store(to: &mut [f32], at: usize, lanes: __m256) {
            debug_assert!(at + Self::COUNT <= to.len());
            // SAFETY: the lanes lie within the slice, as the trait asks.
            unsafe { _mm256_storeu_ps(to.as_mut_ptr().add(at), lanes) }
        }

        #[inline(always)]
        unsafe fn load_doubles(from: &[f64], at: usize) -> __m512d {
            debug_assert!(at + Self::COUNT <= from.len());
            // SAFETY: the lanes lie within the slice, as the trait asks.
            unsafe { _mm512_loadu_pd(from.as_ptr().add(at)) }
        }

        #[inline(always)]
        unsafe fn store_doubles(to: &mut [f64], at: usize, lanes: __m512d) {
            debug_assert!(at + Self::COUNT <= to.len());
            // SAFETY: the lanes lie within the slice, as the trait asks.
            unsafe { _mm512_storeu_pd(to.as_mut_ptr().add(at), lanes) }
        }

        #[inline(always)]
        unsafe fn all(value: f32) -> __m256 {
            // SAFETY: the CPU has the level, as the trait asks.
            unsafe { _mm256_set1_ps(value) }
        }

        #[inline(always)]
        unsafe fn zero() -> __m512d {
            // SAFETY: the CPU has the level, as the trait asks.
            unsafe { _mm512_setzero_pd() }
        }

        #[inline(always)]
        unsafe fn multiply(a: __m256, b: __m256) -> __m256 {
            // SAFETY: the CPU has the level, as the trait asks.
            unsafe { _mm256_mul_ps(a, b) }
        }

        #[inline(always)]
        unsafe fn add(a: __m512d, b: __m512d) -> __m512d {
            // SAFETY: the CPU has the level, as the trait asks.
            unsafe { _mm512_add_pd(a, b) }
        }

        #[inline(always)]
        unsafe fn widen(lanes: __m256) -> __m512d {
            // SAFETY: the CPU has the level, as the trait asks.
            unsafe { _mm512_cvtps_pd(lanes) }
        }

        #[inline(always)]
        unsafe fn narrow(lanes: __m512d) -> __m256 {
            // SAFETY: the CPU has the level, as the trait asks.
            unsafe { _mm512_cvtpd_ps(lanes) }
        }
    }
}

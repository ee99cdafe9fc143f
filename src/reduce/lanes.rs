// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Vector pieces of the sums: loads, distances, squares, and what a register's lanes add up to.
//!
//! All sums are of integers, so lanes may hold terms in any order, and samples of 0 add nothing:
//! a row's last samples go into a register padded with zeros.

/// Samples after which 32-bit sums go to 64 bits. A lane of the shorter registers takes 4096 of them, and
/// 4096 * 65535 is below 2^32; so is each sum of squared bytes, and a double's sum of rounded squares is below 2^53.
pub const BLOCK: usize = 1 << 15;

/// The last samples of a row, padded with zeros.
pub fn padded<T: Copy + Default, const N: usize>(tail: &[T]) -> [T; N] {
    let mut samples = [T::default(); N];
    samples[..tail.len()].copy_from_slice(tail);
    samples
}

/// Registers of 256 bits: 32 bytes, or 16 words.
pub mod avx2 {
    use std::arch::x86_64::*;

    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn load_bytes(samples: &[u8; 32]) -> __m256i {
        // SAFETY: the array is as large as the register, and the load has no alignment.
        unsafe { _mm256_loadu_si256(samples.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn load_words(samples: &[u16; 16]) -> __m256i {
        // SAFETY: the array is as large as the register, and the load has no alignment.
        unsafe { _mm256_loadu_si256(samples.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn distance_bytes(a: __m256i, b: __m256i) -> __m256i {
        _mm256_or_si256(_mm256_subs_epu8(a, b), _mm256_subs_epu8(b, a))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn distance_words(a: __m256i, b: __m256i) -> __m256i {
        _mm256_or_si256(_mm256_subs_epu16(a, b), _mm256_subs_epu16(b, a))
    }

    /// The low and the high bytes of words, as words.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn split_bytes(words: __m256i) -> (__m256i, __m256i) {
        (_mm256_and_si256(words, _mm256_set1_epi16(0xff)), _mm256_srli_epi16::<8>(words))
    }

    /// Squares of bytes, four to a 32-bit lane.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn square_bytes(bytes: __m256i) -> __m256i {
        let (low, high) = split_bytes(bytes);
        _mm256_add_epi32(_mm256_madd_epi16(low, low), _mm256_madd_epi16(high, high))
    }

    /// Sums of two words to a 32-bit lane.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn add_words(words: __m256i) -> __m256i {
        let even = _mm256_and_si256(words, _mm256_set1_epi32(0xffff));
        _mm256_add_epi32(even, _mm256_srli_epi32::<16>(words))
    }

    /// [Rounded squares](crate::reduce::squares::rounded_square) of words, four to a double: exact.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn square_words(words: __m256i) -> __m256d {
        let zero = _mm256_setzero_si256();
        let low = square_as_float(_mm256_unpacklo_epi16(words, zero));
        let high = square_as_float(_mm256_unpackhi_epi16(words, zero));
        _mm256_add_pd(add_halves(low), add_halves(high))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn square_as_float(samples: __m256i) -> __m256 {
        let p = _mm256_cvtepi32_ps(samples);
        _mm256_mul_ps(p, p)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn widen_halves(terms: __m256) -> [__m256d; 2] {
        [_mm256_castps256_ps128(terms), _mm256_extractf128_ps::<1>(terms)].map(|half| _mm256_cvtps_pd(half))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn add_halves(terms: __m256) -> __m256d {
        let [low, high] = widen_halves(terms);
        _mm256_add_pd(low, high)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn sum_u32(lanes: __m256i) -> u64 {
        let zero = _mm256_setzero_si256();
        sum_u64(_mm256_add_epi64(_mm256_unpacklo_epi32(lanes, zero), _mm256_unpackhi_epi32(lanes, zero)))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn sum_u64(lanes: __m256i) -> u64 {
        let halves = _mm_add_epi64(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256::<1>(lanes));
        (_mm_cvtsi128_si64(halves) + _mm_extract_epi64::<1>(halves)) as u64
    }

    /// The sum of doubles that hold integers and add up to no more than 2^53.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn sum_f64(lanes: __m256d) -> u64 {
        to_array(lanes).into_iter().sum::<f64>() as u64
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn to_array(lanes: __m256d) -> [f64; 4] {
        let mut array = [0.0; 4];
        // SAFETY: the array is as large as the register, and the store has no alignment.
        unsafe { _mm256_storeu_pd(array.as_mut_ptr(), lanes) };
        array
    }
}

/// Registers of 512 bits: 64 bytes, or 32 words.
pub mod avx512 {
    use std::arch::x86_64::*;

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub fn load_bytes(samples: &[u8; 64]) -> __m512i {
        // SAFETY: the array is as large as the register, and the load has no alignment.
        unsafe { _mm512_loadu_si512(samples.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub fn load_words(samples: &[u16; 32]) -> __m512i {
        // SAFETY: the array is as large as the register, and the load has no alignment.
        unsafe { _mm512_loadu_si512(samples.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub fn distance_bytes(a: __m512i, b: __m512i) -> __m512i {
        _mm512_or_si512(_mm512_subs_epu8(a, b), _mm512_subs_epu8(b, a))
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub fn distance_words(a: __m512i, b: __m512i) -> __m512i {
        _mm512_or_si512(_mm512_subs_epu16(a, b), _mm512_subs_epu16(b, a))
    }

    /// The low and the high bytes of words, as words.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub fn split_bytes(words: __m512i) -> (__m512i, __m512i) {
        (_mm512_and_si512(words, _mm512_set1_epi16(0xff)), _mm512_srli_epi16::<8>(words))
    }

    /// Squares of bytes, four to a 32-bit lane.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub fn square_bytes(bytes: __m512i) -> __m512i {
        let (low, high) = split_bytes(bytes);
        _mm512_add_epi32(_mm512_madd_epi16(low, low), _mm512_madd_epi16(high, high))
    }

    /// Sums of two words to a 32-bit lane.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub fn add_words(words: __m512i) -> __m512i {
        let even = _mm512_and_si512(words, _mm512_set1_epi32(0xffff));
        _mm512_add_epi32(even, _mm512_srli_epi32::<16>(words))
    }

    /// [Rounded squares](crate::reduce::squares::rounded_square) of words, four to a 64-bit lane.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub fn square_words(words: __m512i) -> __m512i {
        let zero = _mm512_setzero_si512();
        let low = square_as_integer(_mm512_unpacklo_epi16(words, zero));
        let high = square_as_integer(_mm512_unpackhi_epi16(words, zero));
        _mm512_add_epi64(add_pairs(low), add_pairs(high))
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn square_as_integer(samples: __m512i) -> __m512i {
        let p = _mm512_cvtepi32_ps(samples);
        _mm512_cvtps_epu32(_mm512_mul_ps(p, p))
    }

    /// Sums of two 32-bit lanes each.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn add_pairs(lanes: __m512i) -> __m512i {
        let even = _mm512_and_si512(lanes, _mm512_set1_epi64(0xffff_ffff));
        _mm512_add_epi64(even, _mm512_srli_epi64::<32>(lanes))
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub fn sum_u32(lanes: __m512i) -> u64 {
        sum_u64(add_pairs(lanes))
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub fn sum_u64(lanes: __m512i) -> u64 {
        _mm512_reduce_add_epi64(lanes) as u64
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub fn to_array(lanes: __m512d) -> [f64; 8] {
        let mut array = [0.0; 8];
        // SAFETY: the array is as large as the register, and the store has no alignment.
        unsafe { _mm512_storeu_pd(array.as_mut_ptr(), lanes) };
        array
    }
}

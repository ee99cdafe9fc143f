// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Registers of 256 bits: 16 numbers of 16 bits, or 8 of 32.

use std::arch::x86_64::*;

use super::{Extent, HALF, Kernel, LEFT, Row};
use crate::feature::motion::scalar::TAPS;
use crate::reduce::lanes::avx2::{load_words, sum_u32};
use crate::reduce::lanes::padded;

/// Words of a register: rows are padded to twice as many.
const LANES: usize = 16;

pub const KERNEL: Kernel = Kernel { bits8, bits15, bits16, vertical, horizontal };

#[inline]
#[target_feature(enable = "avx2")]
fn load(numbers: &[i16], from: usize) -> __m256i {
    let numbers: &[i16; LANES] = numbers[from..].first_chunk().expect("rows are padded");
    // SAFETY: the array is as large as the register, and the load has no alignment.
    unsafe { _mm256_loadu_si256(numbers.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn store(numbers: &mut [i16], from: usize, register: __m256i) {
    let numbers: &mut [i16; LANES] = numbers[from..].first_chunk_mut().expect("rows are padded");
    // SAFETY: the array is as large as the register, and the store has no alignment.
    unsafe { _mm256_storeu_si256(numbers.as_mut_ptr().cast(), register) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn any(register: __m256i) -> bool {
    _mm256_testz_si256(register, register) == 0
}

/// The bytes as words.
#[inline]
#[target_feature(enable = "avx2")]
fn widen(samples: &[u8; LANES]) -> __m256i {
    // SAFETY: the array is as large as the register, and the load has no alignment.
    _mm256_cvtepu8_epi16(unsafe { _mm_loadu_si128(samples.as_ptr().cast()) })
}

#[target_feature(enable = "avx2")]
fn bits8(previous: &[u8], current: &[u8], _bpc: u32, row: &mut Row) {
    let mut bits = _mm256_setzero_si256();
    let mut subtract = |x, p, c| {
        let difference = _mm256_sub_epi16(widen(p), widen(c));
        bits = _mm256_or_si256(bits, difference);
        store(&mut row.low, LEFT + x, difference);
    };
    let ((p, p_tail), (c, c_tail)) = (previous.as_chunks(), current.as_chunks());
    p.iter().zip(c).enumerate().for_each(|(block, (p, c))| subtract(LANES * block, p, c));
    if !p_tail.is_empty() {
        subtract(LANES * p.len(), &padded(p_tail), &padded(c_tail));
    }
    row.extent = Extent::new(any(bits), false);
}

/// Up to 15 bits, of which a difference needs 16.
#[target_feature(enable = "avx2")]
fn bits15(previous: &[u16], current: &[u16], bpc: u32, row: &mut Row) {
    let [mut bits, mut seen] = [_mm256_setzero_si256(); 2];
    let mut subtract = |x, p, c| {
        let (p, c) = (load_words(p), load_words(c));
        let difference = _mm256_sub_epi16(p, c);
        seen = _mm256_or_si256(seen, _mm256_or_si256(p, c));
        bits = _mm256_or_si256(bits, difference);
        store(&mut row.low, LEFT + x, difference);
    };
    let ((p, p_tail), (c, c_tail)) = (previous.as_chunks(), current.as_chunks());
    p.iter().zip(c).enumerate().for_each(|(block, (p, c))| subtract(LANES * block, p, c));
    if !p_tail.is_empty() {
        subtract(LANES * p.len(), &padded(p_tail), &padded(c_tail));
    }
    let excess = any(_mm256_srl_epi16(seen, _mm_cvtsi32_si128(bpc as i32)));
    row.extent = if excess { Extent::Excessive } else { Extent::new(any(bits), false) };
}

/// 16 bits, of which a difference needs 17.
#[target_feature(enable = "avx2")]
fn bits16(previous: &[u16], current: &[u16], _bpc: u32, row: &mut Row) {
    let [mut bits, mut wide] = [_mm256_setzero_si256(); 2];
    let mut subtract = |x, p, c| {
        let (p, c) = (load_words(p), load_words(c));
        let low = _mm256_sub_epi16(p, c);
        let high = carry(p, c, low);
        bits = _mm256_or_si256(bits, low);
        wide = _mm256_or_si256(wide, high);
        store(&mut row.low, LEFT + x, low);
        store(&mut row.high, LEFT + x, high);
    };
    let ((p, p_tail), (c, c_tail)) = (previous.as_chunks(), current.as_chunks());
    p.iter().zip(c).enumerate().for_each(|(block, (p, c))| subtract(LANES * block, p, c));
    if !p_tail.is_empty() {
        subtract(LANES * p.len(), &padded(p_tail), &padded(c_tail));
    }
    row.extent = Extent::new(any(bits), any(wide));
}

/// What p - c lacks in 65536ths when it wraps to `low`: 1 where it is positive and `low` is not, -1 where it is
/// negative and `low` is not.
#[inline]
#[target_feature(enable = "avx2")]
fn carry(p: __m256i, c: __m256i, low: __m256i) -> __m256i {
    let not_negative = _mm256_cmpeq_epi16(_mm256_max_epu16(p, c), p);
    let wraps_negative = _mm256_srai_epi16::<15>(low);
    let up = _mm256_and_si256(not_negative, wraps_negative);
    let not_down = _mm256_or_si256(not_negative, wraps_negative);
    // Both are 0 or -1 a word.
    _mm256_sub_epi16(_mm256_andnot_si256(not_down, _mm256_set1_epi16(-1)), up)
}

/// Two factors for two neighbouring words.
#[inline]
#[target_feature(enable = "avx2")]
fn pair(first: i32, second: i32) -> __m256i {
    _mm256_set1_epi32(first & 0xffff | second << 16)
}

/// The filter over five rows at column `x`: 32-bit sums of the low halves of each 128 bits, and of the high ones.
///
/// Twice `factor` is added to each: the fifth tap's word has none beside it, so a 2 stands there.
#[inline]
#[target_feature(enable = "avx2")]
fn filter_down(rows: [&[i16]; 5], x: usize, factor: i32) -> [__m256i; 2] {
    let [a, b, c, d, e] = rows.map(|row| load(row, LEFT + x));
    let twos = _mm256_set1_epi16(2);
    let halves = [
        [_mm256_unpacklo_epi16(a, b), _mm256_unpacklo_epi16(c, d), _mm256_unpacklo_epi16(e, twos)],
        [_mm256_unpackhi_epi16(a, b), _mm256_unpackhi_epi16(c, d), _mm256_unpackhi_epi16(e, twos)],
    ];
    let taps = [pair(TAPS[0], TAPS[1]), pair(TAPS[2], TAPS[3]), pair(TAPS[4], factor)];
    halves.map(|[ab, cd, e]| {
        let outer = _mm256_add_epi32(_mm256_madd_epi16(ab, taps[0]), _mm256_madd_epi16(e, taps[2]));
        _mm256_add_epi32(outer, _mm256_madd_epi16(cd, taps[1]))
    })
}

/// The blurred numbers at column `x`, as [`filter_down`] orders them; `WIDE` only tells the callers' loops apart, so
/// that it becomes part of each.
#[inline]
#[target_feature(enable = "avx2")]
fn blur<const WIDE: bool>(low: [&[i16]; 5], high: Option<[&[i16]; 5]>, x: usize, bpc: u32) -> [__m256i; 2] {
    let shift = _mm_cvtsi32_si128(bpc as i32);
    let blurred = filter_down(low, x, 1 << (bpc - 2)).map(|sum| _mm256_sra_epi32(sum, shift));
    match high {
        None => blurred,
        Some(high) => {
            let [left, right] = filter_down(high, x, 0);
            [_mm256_add_epi32(blurred[0], left), _mm256_add_epi32(blurred[1], right)]
        }
    }
}

#[target_feature(enable = "avx2")]
fn vertical(rows: [&Row; 5], bpc: u32, out: &mut Row) {
    let low = rows.map(|row| &*row.low);
    let wide = rows.iter().any(|row| row.extent == Extent::Wide);
    let high = wide.then(|| rows.map(|row| &*row.high));
    let columns = (0..out.low.len() - LEFT - super::LANES).step_by(LANES);
    let mut bits = _mm256_setzero_si256();
    for x in columns.clone() {
        let [left, right] = blur::<false>(low, high, x, bpc);
        bits = _mm256_or_si256(bits, _mm256_or_si256(_mm256_abs_epi32(left), _mm256_abs_epi32(right)));
        store(&mut out.low, LEFT + x, _mm256_packs_epi32(left, right));
    }
    out.extent = Extent::new(any(bits), any(_mm256_srli_epi32::<15>(bits)));
    if out.extent == Extent::Wide {
        columns.for_each(|x| store_wide(blur::<true>(low, high, x, bpc), x, out));
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn store_wide([left, right]: [__m256i; 2], x: usize, out: &mut Row) {
    let low = |numbers| _mm256_and_si256(numbers, _mm256_set1_epi32(0xffff));
    let high = |numbers| _mm256_srai_epi32::<16>(_mm256_add_epi32(numbers, _mm256_set1_epi32(HALF)));
    store(&mut out.low, LEFT + x, _mm256_packus_epi32(low(left), low(right)));
    store(&mut out.high, LEFT + x, _mm256_packs_epi32(high(left), high(right)));
}

/// The filter's sums at the even and at the odd columns from `x` on.
#[inline]
#[target_feature(enable = "avx2")]
fn filter_across(numbers: &[i16], x: usize) -> [__m256i; 2] {
    let pairs = [0, 2, 4].map(|offset| load(numbers, LEFT + x - 2 + offset));
    let taps = [
        [pair(TAPS[0], TAPS[1]), pair(TAPS[2], TAPS[3]), pair(TAPS[4], 0)],
        [pair(0, TAPS[0]), pair(TAPS[1], TAPS[2]), pair(TAPS[3], TAPS[4])],
    ];
    taps.map(|[first, second, third]| {
        let outer = _mm256_add_epi32(_mm256_madd_epi16(pairs[0], first), _mm256_madd_epi16(pairs[2], third));
        _mm256_add_epi32(outer, _mm256_madd_epi16(pairs[1], second))
    })
}

/// The filtered numbers' absolute values at the even and at the odd columns from `x` on.
#[inline]
#[target_feature(enable = "avx2")]
fn distances<const WIDE: bool>(row: &Row, x: usize) -> [__m256i; 2] {
    let half = _mm256_set1_epi32(HALF);
    let mut filtered =
        filter_across(&row.low, x).map(|sum| _mm256_srai_epi32::<16>(_mm256_add_epi32(sum, half)));
    if WIDE {
        let high = filter_across(&row.high, x);
        filtered = [_mm256_add_epi32(filtered[0], high[0]), _mm256_add_epi32(filtered[1], high[1])];
    }
    filtered.map(|number| _mm256_abs_epi32(number))
}

/// The lanes of 32 bits from the one at `count` on, zeros in those before.
#[inline]
#[target_feature(enable = "avx2")]
fn from(count: usize, numbers: __m256i) -> __m256i {
    let place = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    _mm256_andnot_si256(_mm256_cmpgt_epi32(_mm256_set1_epi32(count as i32), place), numbers)
}

#[target_feature(enable = "avx2")]
fn horizontal(row: &Row, width: usize) -> u64 {
    if row.extent == Extent::Wide { sum_across::<true>(row, width) } else { sum_across::<false>(row, width) }
}

#[target_feature(enable = "avx2")]
fn sum_across<const WIDE: bool>(row: &Row, width: usize) -> u64 {
    let [mut sums, mut last] = [[_mm256_setzero_si256(); 2]; 2];
    for x in (0..width).step_by(LANES) {
        last = distances::<WIDE>(row, x);
        sums = [_mm256_add_epi32(sums[0], last[0]), _mm256_add_epi32(sums[1], last[1])];
    }
    let rest = width.wrapping_sub(1) % LANES + 1;
    if rest < LANES {
        let [even, odd] = [from(rest.div_ceil(2), last[0]), from(rest / 2, last[1])];
        sums = [_mm256_sub_epi32(sums[0], even), _mm256_sub_epi32(sums[1], odd)];
    }
    sums.map(|sum| sum_u32(sum)).into_iter().sum()
}

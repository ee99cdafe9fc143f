// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Registers of 512 bits: 32 numbers of 16 bits, or 16 of 32.

use std::arch::x86_64::*;

use super::{Extent, HALF, Kernel, LANES, LEFT, Row};
use crate::feature::motion::scalar::TAPS;
use crate::reduce::lanes::avx512::{load_words, sum_u32};
use crate::reduce::lanes::padded;

pub const KERNEL: Kernel = Kernel { bits8, bits15, bits16, vertical, horizontal };

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn load(numbers: &[i16], from: usize) -> __m512i {
    let numbers: &[i16; LANES] = numbers[from..].first_chunk().expect("rows are padded");
    // SAFETY: the array is as large as the register, and the load has no alignment.
    unsafe { _mm512_loadu_si512(numbers.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn store(numbers: &mut [i16], from: usize, register: __m512i) {
    let numbers: &mut [i16; LANES] = numbers[from..].first_chunk_mut().expect("rows are padded");
    // SAFETY: the array is as large as the register, and the store has no alignment.
    unsafe { _mm512_storeu_si512(numbers.as_mut_ptr().cast(), register) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn any(register: __m512i) -> bool {
    _mm512_test_epi32_mask(register, register) != 0
}

/// The bytes as words.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn widen(samples: &[u8; LANES]) -> __m512i {
    // SAFETY: the array is as large as the register, and the load has no alignment.
    _mm512_cvtepu8_epi16(unsafe { _mm256_loadu_si256(samples.as_ptr().cast()) })
}

#[target_feature(enable = "avx512f,avx512bw")]
fn bits8(previous: &[u8], current: &[u8], _bpc: u32, row: &mut Row) {
    let mut bits = _mm512_setzero_si512();
    let mut subtract = |x, p, c| {
        let difference = _mm512_sub_epi16(widen(p), widen(c));
        bits = _mm512_or_si512(bits, difference);
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
#[target_feature(enable = "avx512f,avx512bw")]
fn bits15(previous: &[u16], current: &[u16], bpc: u32, row: &mut Row) {
    let [mut bits, mut seen] = [_mm512_setzero_si512(); 2];
    let mut subtract = |x, p, c| {
        let (p, c) = (load_words(p), load_words(c));
        let difference = _mm512_sub_epi16(p, c);
        seen = _mm512_or_si512(seen, _mm512_or_si512(p, c));
        bits = _mm512_or_si512(bits, difference);
        store(&mut row.low, LEFT + x, difference);
    };
    let ((p, p_tail), (c, c_tail)) = (previous.as_chunks(), current.as_chunks());
    p.iter().zip(c).enumerate().for_each(|(block, (p, c))| subtract(LANES * block, p, c));
    if !p_tail.is_empty() {
        subtract(LANES * p.len(), &padded(p_tail), &padded(c_tail));
    }
    let excess = any(_mm512_srl_epi16(seen, _mm_cvtsi32_si128(bpc as i32)));
    row.extent = if excess { Extent::Excessive } else { Extent::new(any(bits), false) };
}

/// 16 bits, of which a difference needs 17.
#[target_feature(enable = "avx512f,avx512bw")]
fn bits16(previous: &[u16], current: &[u16], _bpc: u32, row: &mut Row) {
    let [mut bits, mut wide] = [_mm512_setzero_si512(); 2];
    let mut subtract = |x, p, c| {
        let (p, c) = (load_words(p), load_words(c));
        let low = _mm512_sub_epi16(p, c);
        let high = carry(p, c, low);
        bits = _mm512_or_si512(bits, low);
        wide = _mm512_or_si512(wide, high);
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
#[target_feature(enable = "avx512f,avx512bw")]
fn carry(p: __m512i, c: __m512i, low: __m512i) -> __m512i {
    let negative = _mm512_cmplt_epu16_mask(p, c);
    let wraps_negative = _mm512_movepi16_mask(low);
    let up = _mm512_maskz_set1_epi16(!negative & wraps_negative, 1);
    _mm512_mask_set1_epi16(up, negative & !wraps_negative, -1)
}

/// Two factors for two neighbouring words.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn pair(first: i32, second: i32) -> __m512i {
    _mm512_set1_epi32(first & 0xffff | second << 16)
}

/// The filter over five rows at column `x`: 32-bit sums of the low halves of each 128 bits, and of the high ones.
///
/// Twice `factor` is added to each: the fifth tap's word has none beside it, so a 2 stands there.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn filter_down(rows: [&[i16]; 5], x: usize, factor: i32) -> [__m512i; 2] {
    let [a, b, c, d, e] = rows.map(|row| load(row, LEFT + x));
    let twos = _mm512_set1_epi16(2);
    let halves = [
        [_mm512_unpacklo_epi16(a, b), _mm512_unpacklo_epi16(c, d), _mm512_unpacklo_epi16(e, twos)],
        [_mm512_unpackhi_epi16(a, b), _mm512_unpackhi_epi16(c, d), _mm512_unpackhi_epi16(e, twos)],
    ];
    let taps = [pair(TAPS[0], TAPS[1]), pair(TAPS[2], TAPS[3]), pair(TAPS[4], factor)];
    halves.map(|[ab, cd, e]| {
        let outer = _mm512_add_epi32(_mm512_madd_epi16(ab, taps[0]), _mm512_madd_epi16(e, taps[2]));
        _mm512_add_epi32(outer, _mm512_madd_epi16(cd, taps[1]))
    })
}

/// The blurred numbers at column `x`, as [`filter_down`] orders them; `WIDE` only tells the callers' loops apart, so
/// that it becomes part of each.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn blur<const WIDE: bool>(low: [&[i16]; 5], high: Option<[&[i16]; 5]>, x: usize, bpc: u32) -> [__m512i; 2] {
    let shift = _mm_cvtsi32_si128(bpc as i32);
    let blurred = filter_down(low, x, 1 << (bpc - 2)).map(|sum| _mm512_sra_epi32(sum, shift));
    match high {
        None => blurred,
        Some(high) => {
            let [left, right] = filter_down(high, x, 0);
            [_mm512_add_epi32(blurred[0], left), _mm512_add_epi32(blurred[1], right)]
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw")]
fn vertical(rows: [&Row; 5], bpc: u32, out: &mut Row) {
    let low = rows.map(|row| &*row.low);
    let wide = rows.iter().any(|row| row.extent == Extent::Wide);
    let high = wide.then(|| rows.map(|row| &*row.high));
    let columns = (0..out.low.len() - LEFT - LANES).step_by(LANES);
    let mut bits = _mm512_setzero_si512();
    for x in columns.clone() {
        let [left, right] = blur::<false>(low, high, x, bpc);
        bits = _mm512_or_si512(bits, _mm512_or_si512(_mm512_abs_epi32(left), _mm512_abs_epi32(right)));
        store(&mut out.low, LEFT + x, _mm512_packs_epi32(left, right));
    }
    out.extent = Extent::new(any(bits), any(_mm512_srli_epi32::<15>(bits)));
    if out.extent == Extent::Wide {
        columns.for_each(|x| store_wide(blur::<true>(low, high, x, bpc), x, out));
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn store_wide([left, right]: [__m512i; 2], x: usize, out: &mut Row) {
    let low = |numbers| _mm512_and_si512(numbers, _mm512_set1_epi32(0xffff));
    let high = |numbers| _mm512_srai_epi32::<16>(_mm512_add_epi32(numbers, _mm512_set1_epi32(HALF)));
    store(&mut out.low, LEFT + x, _mm512_packus_epi32(low(left), low(right)));
    store(&mut out.high, LEFT + x, _mm512_packs_epi32(high(left), high(right)));
}

/// The filter's sums at the even and at the odd columns from `x` on.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn filter_across(numbers: &[i16], x: usize) -> [__m512i; 2] {
    let pairs = [0, 2, 4].map(|offset| load(numbers, LEFT + x - 2 + offset));
    let taps = [
        [pair(TAPS[0], TAPS[1]), pair(TAPS[2], TAPS[3]), pair(TAPS[4], 0)],
        [pair(0, TAPS[0]), pair(TAPS[1], TAPS[2]), pair(TAPS[3], TAPS[4])],
    ];
    taps.map(|[first, second, third]| {
        let outer = _mm512_add_epi32(_mm512_madd_epi16(pairs[0], first), _mm512_madd_epi16(pairs[2], third));
        _mm512_add_epi32(outer, _mm512_madd_epi16(pairs[1], second))
    })
}

/// The filtered numbers' absolute values at the even and at the odd columns from `x` on.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn distances<const WIDE: bool>(row: &Row, x: usize) -> [__m512i; 2] {
    let half = _mm512_set1_epi32(HALF);
    let mut filtered =
        filter_across(&row.low, x).map(|sum| _mm512_srai_epi32::<16>(_mm512_add_epi32(sum, half)));
    if WIDE {
        let high = filter_across(&row.high, x);
        filtered = [_mm512_add_epi32(filtered[0], high[0]), _mm512_add_epi32(filtered[1], high[1])];
    }
    filtered.map(|number| _mm512_abs_epi32(number))
}

/// The lanes of 32 bits from the one at `count` on, zeros in those before.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn from(count: usize, numbers: __m512i) -> __m512i {
    _mm512_maskz_mov_epi32((u32::MAX << count) as u16, numbers)
}

#[target_feature(enable = "avx512f,avx512bw")]
fn horizontal(row: &Row, width: usize) -> u64 {
    if row.extent == Extent::Wide { sum_across::<true>(row, width) } else { sum_across::<false>(row, width) }
}

#[target_feature(enable = "avx512f,avx512bw")]
fn sum_across<const WIDE: bool>(row: &Row, width: usize) -> u64 {
    let [mut sums, mut last] = [[_mm512_setzero_si512(); 2]; 2];
    for x in (0..width).step_by(LANES) {
        last = distances::<WIDE>(row, x);
        sums = [_mm512_add_epi32(sums[0], last[0]), _mm512_add_epi32(sums[1], last[1])];
    }
    let rest = width.wrapping_sub(1) % LANES + 1;
    if rest < LANES {
        let [even, odd] = [from(rest.div_ceil(2), last[0]), from(rest / 2, last[1])];
        sums = [_mm512_sub_epi32(sums[0], even), _mm512_sub_epi32(sums[1], odd)];
    }
    sums.map(|sum| sum_u32(sum)).into_iter().sum()
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Registers of 512 bits, with and without the dot product of words.

use std::arch::asm;
use std::arch::x86_64::*;

use super::lanes::{Lanes, Stage};
use crate::cpu::{Kind, Level};
use crate::feature::vif::tables::OCTAVE;

/// AVX-512; with `VNNI` also the dot products of Ice Lake. Exists only where the CPU has them.
#[derive(Clone, Copy)]
pub struct Avx512<const VNNI: bool>(());

const HIGH_WORDS: u32 = 0xAAAA_AAAA;
const EVEN: u16 = 0x5555;
const ODD: u16 = 0xAAAA;

/// 2^52: added to a double below it, the double's low bits are the number rounded to an integer.
const MAGIC: f64 = 4_503_599_627_370_496.0;

/// Logarithms by 32 segments of the mantissa m. In each, log2(m) = n / 2048 + log2(1 + r), where n is a whole number
/// near the segment's middle, 1 + r = m 2^(-n / 2048), and four terms of the series in r are enough.
///
/// Which n will do was found by search: a test shows that the result is the table's in all 32768 cases.
const PIVOTS: [i32; 32] = [
    46, 136, 222, 307, 389, 469, 546, 622, 696, 768, 838, 907, 974, 1041, 1104, 1167, 1229, 1289, 1348, 1406,
    1463, 1519, 1573, 1627, 1680, 1732, 1783, 1833, 1882, 1930, 1978, 2025,
];

/// 2^(-n / 2048) of each segment.
const INVERSES: [f32; 32] = {
    let mut inverses = [0.0; 32];
    let mut i = 0;
    while i < 32 {
        inverses[i] = exp(-PIVOTS[i] as f64 / OCTAVE as f64 * std::f64::consts::LN_2) as f32;
        i += 1;
    }
    inverses
};

/// n of each segment, less what the exponent of 2^17 as a float adds.
const OFFSETS: [i32; 32] = {
    let mut offsets = PIVOTS;
    let mut i = 0;
    while i < 32 {
        offsets[i] -= (127 + 17) * OCTAVE;
        i += 1;
    }
    offsets
};

/// The exponential of `x` between -1 and 1, by its series.
const fn exp(x: f64) -> f64 {
    let (mut sum, mut term, mut k) = (1.0, 1.0, 1);
    while k < 24 {
        term *= x / k as f64;
        sum += term;
        k += 1;
    }
    sum
}

/// 2048 log2(1 + r) as a polynomial in r, rounded as the table is; see [`LOG_TABLE`](super::super::tables::LOG_TABLE).
const SERIES: [f32; 5] = {
    const SCALE: f64 = OCTAVE as f64 * std::f64::consts::LOG2_E;
    [0.5 + 1.0 / 1024.0, SCALE as f32, (-SCALE / 2.0) as f32, (SCALE / 3.0) as f32, (-SCALE / 4.0) as f32]
};

/// [`INVERSES`] and [`OFFSETS`].
#[derive(Clone, Copy)]
pub struct Logs {
    inverse: [__m512; 2],
    offset: [__m512i; 2],
}

impl<const VNNI: bool> Avx512<VNNI> {
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512cd")]
    fn run_avx512<S: Stage<Self>>(self, stage: S) -> S::Output {
        stage.run(self)
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx512vnni")]
    fn run_vnni<S: Stage<Self>>(self, stage: S) -> S::Output {
        stage.run(self)
    }
}

/// The instruction itself: the compiler would split the intrinsic into a product and a sum in unrolled loops, which
/// have a shorter latency and half the throughput.
#[inline]
#[target_feature(enable = "avx512f,avx512vnni")]
fn dot_vnni(mut sum: __m512i, a: __m512i, b: __m512i) -> __m512i {
    // SAFETY: the CPU has the instruction, which touches nothing but these registers.
    unsafe {
        asm!(
            "vpdpwssd {sum}, {a}, {b}",
            sum = inout(zmm_reg) sum,
            a = in(zmm_reg) a,
            b = in(zmm_reg) b,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    sum
}

// SAFETY, of all blocks in this implementation: `self` exists only where the CPU has the instructions, and every
// load and store is checked to lie within its slice.
#[allow(clippy::undocumented_unsafe_blocks)]
impl<const VNNI: bool> Lanes for Avx512<VNNI> {
    type Ints = __m512i;
    type Doubles = __m512d;
    type Mask = u16;
    type Logs = Logs;
    const WORDS: usize = 32;
    const MANY: bool = true;

    fn of(level: Level) -> Option<Self> {
        let needed = if VNNI { Kind::Avx512Icl } else { Kind::Avx512 };
        (level.kind() == needed).then_some(Self(()))
    }
    fn run<S: Stage<Self>>(self, stage: S) -> S::Output {
        if VNNI { unsafe { self.run_vnni(stage) } } else { unsafe { self.run_avx512(stage) } }
    }

    #[inline(always)]
    fn splat(self, value: i32) -> __m512i {
        unsafe { _mm512_set1_epi32(value) }
    }
    #[inline(always)]
    fn load(self, words: &[u16]) -> __m512i {
        assert!(words.len() >= 32);
        unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
    }
    #[inline(always)]
    fn load_bytes(self, bytes: &[u8]) -> __m512i {
        assert!(bytes.len() >= 32);
        unsafe { _mm512_cvtepu8_epi16(_mm256_loadu_si256(bytes.as_ptr().cast())) }
    }
    #[inline(always)]
    fn load_lanes(self, lanes: &[i32]) -> __m512i {
        assert!(lanes.len() >= 16);
        unsafe { _mm512_loadu_si512(lanes.as_ptr().cast()) }
    }
    #[inline(always)]
    fn store_lanes(self, lanes: &mut [i32], a: __m512i) {
        assert!(lanes.len() >= 16);
        unsafe { _mm512_storeu_si512(lanes.as_mut_ptr().cast(), a) }
    }
    #[inline(always)]
    fn store_high(self, words: &mut [u16], a: __m512i) {
        assert!(words.len() >= 16);
        let high = unsafe { _mm512_cvtepi32_epi16(_mm512_srli_epi32::<16>(a)) };
        unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), high) }
    }
    #[inline(always)]
    fn words(self, registers: &[__m512i]) -> &[u16] {
        unsafe { std::slice::from_raw_parts(registers.as_ptr().cast(), 32 * registers.len()) }
    }

    #[inline(always)]
    fn dot(self, sum: __m512i, a: __m512i, b: __m512i) -> __m512i {
        if VNNI {
            unsafe { dot_vnni(sum, a, b) }
        } else {
            unsafe { _mm512_add_epi32(sum, _mm512_madd_epi16(a, b)) }
        }
    }
    #[inline(always)]
    fn mul_low(self, a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_mullo_epi16(a, b) }
    }
    #[inline(always)]
    fn mul_high(self, a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_mulhi_epu16(a, b) }
    }
    #[inline(always)]
    fn add_words(self, a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_add_epi16(a, b) }
    }
    #[inline(always)]
    fn shl_words(self, a: __m512i, count: u32) -> __m512i {
        unsafe { _mm512_sll_epi16(a, _mm_cvtsi32_si128(count as i32)) }
    }
    #[inline(always)]
    fn shr_words(self, a: __m512i, count: u32) -> __m512i {
        unsafe { _mm512_srl_epi16(a, _mm_cvtsi32_si128(count as i32)) }
    }
    #[inline(always)]
    fn blend(self, low: __m512i, high: __m512i) -> __m512i {
        unsafe { _mm512_mask_blend_epi16(HIGH_WORDS, low, high) }
    }
    #[inline(always)]
    fn xor(self, a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_xor_si512(a, b) }
    }
    #[inline(always)]
    fn or(self, a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_or_si512(a, b) }
    }

    #[inline(always)]
    fn add(self, a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_add_epi32(a, b) }
    }
    #[inline(always)]
    fn sub(self, a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_sub_epi32(a, b) }
    }
    #[inline(always)]
    fn shl(self, a: __m512i, count: u32) -> __m512i {
        unsafe { _mm512_sll_epi32(a, _mm_cvtsi32_si128(count as i32)) }
    }
    #[inline(always)]
    fn shr(self, a: __m512i, count: u32) -> __m512i {
        unsafe { _mm512_srl_epi32(a, _mm_cvtsi32_si128(count as i32)) }
    }
    #[inline(always)]
    fn sar(self, a: __m512i, count: u32) -> __m512i {
        unsafe { _mm512_sra_epi32(a, _mm_cvtsi32_si128(count as i32)) }
    }
    #[inline(always)]
    fn min(self, a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_min_epi32(a, b) }
    }
    #[inline(always)]
    fn max(self, a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_max_epi32(a, b) }
    }
    #[inline(always)]
    fn mul_round_high(self, a: __m512i, b: __m512i) -> __m512i {
        unsafe {
            let half = _mm512_set1_epi64(1 << 31);
            let even = _mm512_add_epi64(_mm512_mul_epu32(a, b), half);
            let (a, b) = (_mm512_srli_epi64::<32>(a), _mm512_srli_epi64::<32>(b));
            let odd = _mm512_add_epi64(_mm512_mul_epu32(a, b), half);
            _mm512_mask_shuffle_epi32::<0xF5>(odd, EVEN, even)
        }
    }
    #[inline(always)]
    fn add_wide(self, sums: __m512i, a: __m512i) -> __m512i {
        unsafe {
            let even = _mm512_and_si512(a, _mm512_set1_epi64(0xFFFF_FFFF));
            _mm512_add_epi64(sums, _mm512_add_epi64(even, _mm512_srli_epi64::<32>(a)))
        }
    }
    #[inline(always)]
    fn sum(self, a: __m512i) -> i64 {
        unsafe {
            let low = _mm512_cvtepi32_epi64(_mm512_castsi512_si256(a));
            let high = _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64::<1>(a));
            _mm512_reduce_add_epi64(_mm512_add_epi64(low, high))
        }
    }
    #[inline(always)]
    fn sum_wide(self, a: __m512i) -> i64 {
        unsafe { _mm512_reduce_add_epi64(a) }
    }
    #[inline(always)]
    fn is_zero(self, a: __m512i) -> bool {
        unsafe { _mm512_test_epi32_mask(a, a) == 0 }
    }

    #[inline(always)]
    fn first(self, count: usize) -> u16 {
        if count >= 16 { u16::MAX } else { (1 << count) - 1 }
    }
    #[inline(always)]
    fn not_below(self, within: u16, a: __m512i, bound: __m512i) -> u16 {
        unsafe { _mm512_mask_cmpge_epi32_mask(within, a, bound) }
    }
    #[inline(always)]
    fn without(self, a: u16, b: u16) -> u16 {
        a & !b
    }
    #[inline(always)]
    fn count(self, mask: u16) -> usize {
        mask.count_ones() as usize
    }
    #[inline(always)]
    fn keep(self, mask: u16, a: __m512i) -> __m512i {
        unsafe { _mm512_maskz_mov_epi32(mask, a) }
    }
    #[inline(always)]
    fn pack(self, mask: u16, a: __m512i) -> __m512i {
        unsafe { _mm512_maskz_compress_epi32(mask, a) }
    }

    #[inline(always)]
    fn splat_double(self, value: f64) -> __m512d {
        unsafe { _mm512_set1_pd(value) }
    }
    #[inline(always)]
    fn to_doubles(self, a: __m512i) -> [__m512d; 2] {
        unsafe {
            let magic = _mm512_set1_pd(MAGIC);
            let bits = _mm512_castpd_si512(magic);
            let even = _mm512_mask_blend_epi32(ODD, a, bits);
            let odd = _mm512_mask_shuffle_epi32::<0xF5>(bits, EVEN, a);
            [_mm512_sub_pd(_mm512_castsi512_pd(even), magic), _mm512_sub_pd(_mm512_castsi512_pd(odd), magic)]
        }
    }
    #[inline(always)]
    fn truncate(self, [even, odd]: [__m512d; 2]) -> __m512i {
        const DOWN: i32 = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;
        unsafe {
            let magic = _mm512_set1_pd(MAGIC);
            let even = _mm512_castpd_si512(_mm512_add_round_pd::<DOWN>(even, magic));
            let odd = _mm512_castpd_si512(_mm512_add_round_pd::<DOWN>(odd, magic));
            _mm512_mask_shuffle_epi32::<0xA0>(even, ODD, odd)
        }
    }
    #[inline(always)]
    fn add_doubles(self, a: __m512d, b: __m512d) -> __m512d {
        unsafe { _mm512_add_pd(a, b) }
    }
    #[inline(always)]
    fn sub_doubles(self, a: __m512d, b: __m512d) -> __m512d {
        unsafe { _mm512_sub_pd(a, b) }
    }
    #[inline(always)]
    fn mul_doubles(self, a: __m512d, b: __m512d) -> __m512d {
        unsafe { _mm512_mul_pd(a, b) }
    }
    #[inline(always)]
    fn div_doubles(self, a: __m512d, b: __m512d) -> __m512d {
        unsafe { _mm512_div_pd(a, b) }
    }
    #[inline(always)]
    fn min_doubles(self, a: __m512d, b: __m512d) -> __m512d {
        unsafe { _mm512_min_pd(a, b) }
    }
    #[inline(always)]
    fn max_doubles(self, a: __m512d, b: __m512d) -> __m512d {
        unsafe { _mm512_max_pd(a, b) }
    }

    #[inline(always)]
    fn logs(self) -> Logs {
        unsafe {
            let inverse = |i: usize| _mm512_loadu_ps(INVERSES[16 * i..][..16].as_ptr());
            let offset = |i: usize| _mm512_loadu_si512(OFFSETS[16 * i..][..16].as_ptr().cast());
            Logs { inverse: [inverse(0), inverse(1)], offset: [offset(0), offset(1)] }
        }
    }
    #[inline(always)]
    fn log(self, logs: Logs, values: __m512i) -> __m512i {
        const DOWN: i32 = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
        const CUT: i32 = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;
        unsafe {
            let float = _mm512_castps_si512(_mm512_cvt_roundepu32_ps::<CUT>(values));
            // Exponent 0 and the mantissa's leading 15 bits: with the hidden one, the 16 bits that count.
            let bits = _mm512_and_si512(float, _mm512_set1_epi32(0x007F_FF00));
            let mantissa = _mm512_castsi512_ps(_mm512_or_si512(bits, _mm512_set1_epi32(0x3F80_0000)));
            let segment = _mm512_srli_epi32::<18>(float);
            let inverse = _mm512_permutex2var_ps(logs.inverse[0], segment, logs.inverse[1]);
            let offset = _mm512_permutex2var_epi32(logs.offset[0], segment, logs.offset[1]);
            let octaves = _mm512_and_si512(_mm512_srli_epi32::<12>(float), _mm512_set1_epi32(-OCTAVE));
            let r = _mm512_fmadd_ps(mantissa, inverse, _mm512_set1_ps(-1.0));
            let mut sum = _mm512_set1_ps(SERIES[4]);
            sum = _mm512_fmadd_ps(sum, r, _mm512_set1_ps(SERIES[3]));
            sum = _mm512_fmadd_ps(sum, r, _mm512_set1_ps(SERIES[2]));
            sum = _mm512_fmadd_ps(sum, r, _mm512_set1_ps(SERIES[1]));
            sum = _mm512_fmadd_ps(sum, r, _mm512_set1_ps(SERIES[0]));
            let fraction = _mm512_cvt_roundps_epi32::<DOWN>(sum);
            _mm512_add_epi32(_mm512_add_epi32(octaves, offset), fraction)
        }
    }
}

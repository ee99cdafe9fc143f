// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Registers of 256 bits.

use std::arch::x86_64::*;

use super::lanes::{Lanes, Stage};
use crate::cpu::{Kind, Level};
use crate::feature::vif::tables::{LOG_TABLE, OCTAVE};

/// AVX2. Exists only where the CPU has it.
#[derive(Clone, Copy)]
pub struct Avx2(());

const HIGH_WORDS: i32 = 0xAA;
const ODD: i32 = 0xAA;

/// 2^52: added to a whole number below it, a double's low bits are the number.
const MAGIC: f64 = 4_503_599_627_370_496.0;

/// What turns a float's exponent field and the table's entry into a logarithm less that of 2^17.
const LOG_OFFSET: i32 = -LOG_FIRST - (127 + 17) * OCTAVE;

/// The table's first entry, the logarithm of 2^15.
const LOG_FIRST: i32 = 15 * OCTAVE;

/// For each subset of 8 lanes the lanes in order, to be moved to the front.
static PACKED: [[i32; 8]; 256] = {
    let mut packed = [[0; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut place) = (0, 0);
        while lane < 8 {
            if mask >> lane & 1 == 1 {
                packed[mask][place] = lane;
                place += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    packed
};

impl Avx2 {
    #[target_feature(enable = "avx2")]
    fn run_avx2<S: Stage<Self>>(self, stage: S) -> S::Output {
        stage.run(self)
    }

    /// The bits of a mask.
    #[inline(always)]
    fn bits(self, mask: __m256i) -> usize {
        // SAFETY: `self` exists only where the CPU has AVX2.
        unsafe { _mm256_movemask_ps(_mm256_castsi256_ps(mask)) as usize }
    }
}

// SAFETY, of all blocks in this implementation: `self` exists only where the CPU has the instructions, and every
// load and store is checked to lie within its slice.
#[allow(clippy::undocumented_unsafe_blocks)]
impl Lanes for Avx2 {
    type Ints = __m256i;
    type Doubles = __m256d;
    type Mask = __m256i;
    type Logs = &'static [u16];
    const WORDS: usize = 16;
    const MANY: bool = false;

    fn of(level: Level) -> Option<Self> {
        (level.kind() == Kind::Avx2).then_some(Self(()))
    }
    fn run<S: Stage<Self>>(self, stage: S) -> S::Output {
        unsafe { self.run_avx2(stage) }
    }

    #[inline(always)]
    fn splat(self, value: i32) -> __m256i {
        unsafe { _mm256_set1_epi32(value) }
    }
    #[inline(always)]
    fn load(self, words: &[u16]) -> __m256i {
        assert!(words.len() >= 16);
        unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
    }
    #[inline(always)]
    fn load_bytes(self, bytes: &[u8]) -> __m256i {
        assert!(bytes.len() >= 16);
        unsafe { _mm256_cvtepu8_epi16(_mm_loadu_si128(bytes.as_ptr().cast())) }
    }
    #[inline(always)]
    fn load_lanes(self, lanes: &[i32]) -> __m256i {
        assert!(lanes.len() >= 8);
        unsafe { _mm256_loadu_si256(lanes.as_ptr().cast()) }
    }
    #[inline(always)]
    fn store_lanes(self, lanes: &mut [i32], a: __m256i) {
        assert!(lanes.len() >= 8);
        unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), a) }
    }
    #[inline(always)]
    fn store_high(self, words: &mut [u16], a: __m256i) {
        assert!(words.len() >= 8);
        unsafe {
            let high = _mm256_srli_epi32::<16>(a);
            let both = _mm256_permute4x64_epi64::<0b1000>(_mm256_packus_epi32(high, high));
            _mm_storeu_si128(words.as_mut_ptr().cast(), _mm256_castsi256_si128(both));
        }
    }
    #[inline(always)]
    fn words(self, registers: &[__m256i]) -> &[u16] {
        unsafe { std::slice::from_raw_parts(registers.as_ptr().cast(), 16 * registers.len()) }
    }

    #[inline(always)]
    fn dot(self, sum: __m256i, a: __m256i, b: __m256i) -> __m256i {
        unsafe { _mm256_add_epi32(sum, _mm256_madd_epi16(a, b)) }
    }
    #[inline(always)]
    fn mul_low(self, a: __m256i, b: __m256i) -> __m256i {
        unsafe { _mm256_mullo_epi16(a, b) }
    }
    #[inline(always)]
    fn mul_high(self, a: __m256i, b: __m256i) -> __m256i {
        unsafe { _mm256_mulhi_epu16(a, b) }
    }
    #[inline(always)]
    fn add_words(self, a: __m256i, b: __m256i) -> __m256i {
        unsafe { _mm256_add_epi16(a, b) }
    }
    #[inline(always)]
    fn shl_words(self, a: __m256i, count: u32) -> __m256i {
        unsafe { _mm256_sll_epi16(a, _mm_cvtsi32_si128(count as i32)) }
    }
    #[inline(always)]
    fn shr_words(self, a: __m256i, count: u32) -> __m256i {
        unsafe { _mm256_srl_epi16(a, _mm_cvtsi32_si128(count as i32)) }
    }
    #[inline(always)]
    fn blend(self, low: __m256i, high: __m256i) -> __m256i {
        unsafe { _mm256_blend_epi16::<HIGH_WORDS>(low, high) }
    }
    #[inline(always)]
    fn xor(self, a: __m256i, b: __m256i) -> __m256i {
        unsafe { _mm256_xor_si256(a, b) }
    }
    #[inline(always)]
    fn or(self, a: __m256i, b: __m256i) -> __m256i {
        unsafe { _mm256_or_si256(a, b) }
    }

    #[inline(always)]
    fn add(self, a: __m256i, b: __m256i) -> __m256i {
        unsafe { _mm256_add_epi32(a, b) }
    }
    #[inline(always)]
    fn sub(self, a: __m256i, b: __m256i) -> __m256i {
        unsafe { _mm256_sub_epi32(a, b) }
    }
    #[inline(always)]
    fn shl(self, a: __m256i, count: u32) -> __m256i {
        unsafe { _mm256_sll_epi32(a, _mm_cvtsi32_si128(count as i32)) }
    }
    #[inline(always)]
    fn shr(self, a: __m256i, count: u32) -> __m256i {
        unsafe { _mm256_srl_epi32(a, _mm_cvtsi32_si128(count as i32)) }
    }
    #[inline(always)]
    fn sar(self, a: __m256i, count: u32) -> __m256i {
        unsafe { _mm256_sra_epi32(a, _mm_cvtsi32_si128(count as i32)) }
    }
    #[inline(always)]
    fn min(self, a: __m256i, b: __m256i) -> __m256i {
        unsafe { _mm256_min_epi32(a, b) }
    }
    #[inline(always)]
    fn max(self, a: __m256i, b: __m256i) -> __m256i {
        unsafe { _mm256_max_epi32(a, b) }
    }
    #[inline(always)]
    fn mul_round_high(self, a: __m256i, b: __m256i) -> __m256i {
        unsafe {
            let half = _mm256_set1_epi64x(1 << 31);
            let even = _mm256_add_epi64(_mm256_mul_epu32(a, b), half);
            let (a, b) = (_mm256_srli_epi64::<32>(a), _mm256_srli_epi64::<32>(b));
            let odd = _mm256_add_epi64(_mm256_mul_epu32(a, b), half);
            _mm256_blend_epi32::<ODD>(_mm256_shuffle_epi32::<0xF5>(even), odd)
        }
    }
    #[inline(always)]
    fn add_wide(self, sums: __m256i, a: __m256i) -> __m256i {
        unsafe {
            let even = _mm256_and_si256(a, _mm256_set1_epi64x(0xFFFF_FFFF));
            _mm256_add_epi64(sums, _mm256_add_epi64(even, _mm256_srli_epi64::<32>(a)))
        }
    }
    #[inline(always)]
    fn sum(self, a: __m256i) -> i64 {
        unsafe {
            let low = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(a));
            let high = _mm256_cvtepi32_epi64(_mm256_extracti128_si256::<1>(a));
            self.sum_wide(_mm256_add_epi64(low, high))
        }
    }
    #[inline(always)]
    fn sum_wide(self, a: __m256i) -> i64 {
        unsafe {
            let halves = _mm_add_epi64(_mm256_castsi256_si128(a), _mm256_extracti128_si256::<1>(a));
            _mm_cvtsi128_si64(halves) + _mm_extract_epi64::<1>(halves)
        }
    }
    #[inline(always)]
    fn is_zero(self, a: __m256i) -> bool {
        unsafe { _mm256_testz_si256(a, a) == 1 }
    }

    #[inline(always)]
    fn first(self, count: usize) -> __m256i {
        unsafe {
            let places = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
            _mm256_cmpgt_epi32(_mm256_set1_epi32(count.min(8) as i32), places)
        }
    }
    #[inline(always)]
    fn not_below(self, within: __m256i, a: __m256i, bound: __m256i) -> __m256i {
        unsafe { _mm256_andnot_si256(_mm256_cmpgt_epi32(bound, a), within) }
    }
    #[inline(always)]
    fn without(self, a: __m256i, b: __m256i) -> __m256i {
        unsafe { _mm256_andnot_si256(b, a) }
    }
    #[inline(always)]
    fn count(self, mask: __m256i) -> usize {
        self.bits(mask).count_ones() as usize
    }
    #[inline(always)]
    fn keep(self, mask: __m256i, a: __m256i) -> __m256i {
        unsafe { _mm256_and_si256(mask, a) }
    }
    #[inline(always)]
    fn pack(self, mask: __m256i, a: __m256i) -> __m256i {
        let order = self.load_lanes(&PACKED[self.bits(mask)]);
        unsafe { _mm256_permutevar8x32_epi32(a, order) }
    }

    #[inline(always)]
    fn splat_double(self, value: f64) -> __m256d {
        unsafe { _mm256_set1_pd(value) }
    }
    #[inline(always)]
    fn to_doubles(self, a: __m256i) -> [__m256d; 2] {
        unsafe {
            let magic = _mm256_set1_pd(MAGIC);
            let bits = _mm256_castpd_si256(magic);
            let even = _mm256_blend_epi32::<ODD>(a, bits);
            let odd = _mm256_blend_epi32::<ODD>(_mm256_srli_epi64::<32>(a), bits);
            [_mm256_sub_pd(_mm256_castsi256_pd(even), magic), _mm256_sub_pd(_mm256_castsi256_pd(odd), magic)]
        }
    }
    #[inline(always)]
    fn truncate(self, [even, odd]: [__m256d; 2]) -> __m256i {
        const CUT: i32 = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;
        unsafe {
            let magic = _mm256_set1_pd(MAGIC);
            let even = _mm256_castpd_si256(_mm256_add_pd(_mm256_round_pd::<CUT>(even), magic));
            let odd = _mm256_castpd_si256(_mm256_add_pd(_mm256_round_pd::<CUT>(odd), magic));
            _mm256_blend_epi32::<ODD>(even, _mm256_slli_epi64::<32>(odd))
        }
    }
    #[inline(always)]
    fn add_doubles(self, a: __m256d, b: __m256d) -> __m256d {
        unsafe { _mm256_add_pd(a, b) }
    }
    #[inline(always)]
    fn sub_doubles(self, a: __m256d, b: __m256d) -> __m256d {
        unsafe { _mm256_sub_pd(a, b) }
    }
    #[inline(always)]
    fn mul_doubles(self, a: __m256d, b: __m256d) -> __m256d {
        unsafe { _mm256_mul_pd(a, b) }
    }
    #[inline(always)]
    fn div_doubles(self, a: __m256d, b: __m256d) -> __m256d {
        unsafe { _mm256_div_pd(a, b) }
    }
    #[inline(always)]
    fn min_doubles(self, a: __m256d, b: __m256d) -> __m256d {
        unsafe { _mm256_min_pd(a, b) }
    }
    #[inline(always)]
    fn max_doubles(self, a: __m256d, b: __m256d) -> __m256d {
        unsafe { _mm256_max_pd(a, b) }
    }

    #[inline(always)]
    fn logs(self) -> &'static [u16] {
        &LOG_TABLE
    }
    #[inline(always)]
    fn log(self, logs: &'static [u16], values: __m256i) -> __m256i {
        unsafe {
            // Without the bits that stand 16 places below others: the 16 leading bits stay, the next is 0, so that
            // rounding to a float's 24 bits cannot carry into them.
            let cut = _mm256_andnot_si256(_mm256_srli_epi32::<16>(values), values);
            let float = _mm256_castps_si256(_mm256_cvtepi32_ps(cut));
            let index = _mm256_and_si256(_mm256_srli_epi32::<8>(float), _mm256_set1_epi32(0x7FFF));
            let entries = _mm256_i32gather_epi32::<2>(logs.as_ptr().cast(), index);
            let fraction = _mm256_and_si256(entries, _mm256_set1_epi32(0xFFFF));
            let octaves = _mm256_slli_epi32::<11>(_mm256_srli_epi32::<23>(float));
            let offset = _mm256_set1_epi32(LOG_OFFSET);
            _mm256_add_epi32(_mm256_add_epi32(octaves, fraction), offset)
        }
    }
}

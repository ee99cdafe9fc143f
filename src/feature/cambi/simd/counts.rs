// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The counts of one window: nine neighbouring levels, of which one load of a column brings all.

use std::arch::x86_64::*;

/// The most steps of contrast that are looked at together.
pub const FEW_STEPS: usize = 4;

/// Counts in one window.
#[derive(Clone, Copy)]
pub struct Counts {
    /// Of four steps above and four steps below, 16 bits each, the smallest step lowest.
    around: __m128i,
    /// Of the pixel's own level.
    pub own: u32,
}

#[inline(always)]
fn zero() -> __m128i {
    // SAFETY: SSE2 is everywhere.
    unsafe { _mm_setzero_si128() }
}

/// Nine neighbouring counts as words: the four above the middle one going up, the four below going down.
#[inline(always)]
unsafe fn around(counts: __m128i) -> __m128i {
    // SAFETY: the caller runs on a CPU with SSSE3.
    unsafe { _mm_shuffle_epi8(counts, _mm_setr_epi8(5, -1, 6, -1, 7, -1, 8, -1, 3, -1, 2, -1, 1, -1, 0, -1)) }
}

/// The counts of `number` columns, together.
///
/// # Safety
/// From `first` on there are so many columns `stride` bytes apart, and 16 bytes can be read in each; the CPU has AVX2.
#[inline(always)]
pub unsafe fn sum_of_columns(first: *const u8, stride: usize, number: usize) -> Counts {
    // SAFETY: stated above.
    unsafe {
        let mut counts = Counts::new();
        let (mut own, mut column) = (zero(), first);
        // A column has at most 65 samples of a level, so three of them fit in a byte.
        for _ in 0..number / 3 {
            let two = _mm_add_epi8(load(column), load(column.add(stride)));
            let three = _mm_add_epi8(two, load(column.add(2 * stride)));
            own = _mm_add_epi16(own, middle(three));
            counts.around = _mm_add_epi16(counts.around, around(three));
            column = column.add(3 * stride);
        }
        for _ in 0..number % 3 {
            own = _mm_add_epi16(own, middle(load(column)));
            counts.around = _mm_add_epi16(counts.around, around(load(column)));
            column = column.add(stride);
        }
        counts.own = _mm_cvtsi128_si32(own) as u32;
        counts
    }
}

#[inline(always)]
unsafe fn load(counts: *const u8) -> __m128i {
    // SAFETY: the caller knows that 16 bytes can be read.
    unsafe { _mm_loadu_si128(counts.cast()) }
}

/// The middle one of nine neighbouring counts as a word.
#[inline(always)]
unsafe fn middle(counts: __m128i) -> __m128i {
    // SAFETY: the caller runs on a CPU with SSSE3.
    unsafe {
        let place = _mm_setr_epi8(4, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
        _mm_shuffle_epi8(counts, place)
    }
}

impl Counts {
    /// None yet.
    #[inline(always)]
    pub fn new() -> Self {
        Self { around: zero(), own: 0 }
    }

    /// One column leaves the window, one enters it.
    ///
    /// # Safety
    /// 16 bytes can be read at both; the CPU has AVX2.
    #[inline(always)]
    pub unsafe fn slide(&mut self, leaving: *const u8, entering: *const u8) {
        // SAFETY: stated above.
        unsafe {
            let entered = _mm_add_epi16(self.around, around(load(entering)));
            self.around = _mm_sub_epi16(entered, around(load(leaving)));
            self.own = self.own + u32::from(*entering.add(FEW_STEPS)) - u32::from(*leaving.add(FEW_STEPS));
        }
    }

    /// For each step the larger count of the two sides.
    #[inline(always)]
    pub fn larger_sides(&self) -> u64 {
        // SAFETY: whoever made `self` runs on a CPU with AVX2.
        unsafe {
            let larger = _mm_max_epu16(self.around, _mm_unpackhi_epi64(self.around, self.around));
            _mm_cvtsi128_si64(larger) as u64
        }
    }
}

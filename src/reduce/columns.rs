// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Running sums of floats along eight rows side by side: their order is each row's own.
//!
//! One row's sum waits for its own additions. Eight columns of eight rows are turned in registers, so that one
//! addition takes a column of all rows.

/// Rows side by side.
pub const ROWS: usize = 8;

/// Goes on with the sums of rows of one length.
pub fn add(sums: &mut [f32; ROWS], rows: [&[f32]; ROWS]) {
    for (sum, row) in sums.iter_mut().zip(rows) {
        *sum = row.iter().fold(*sum, |sum, term| sum + term);
    }
}

#[cfg(target_arch = "x86_64")]
pub mod avx2 {
    //! The same in registers of 256 bits.

    use super::ROWS;
    use std::arch::x86_64::*;

    /// See [`super::add`].
    ///
    /// # Safety
    /// The CPU has AVX2.
    #[target_feature(enable = "avx2")]
    pub fn add(sums: &mut [f32; ROWS], rows: [&[f32]; ROWS]) {
        let groups = rows.map(|row| row.as_chunks::<8>().0);
        // SAFETY: the array is as large as the register.
        let mut total = unsafe { _mm256_loadu_ps(sums.as_ptr()) };
        for x in 0..groups[0].len() {
            let mut columns = [_mm256_setzero_ps(); 8];
            for (column, group) in columns.iter_mut().zip(groups) {
                // SAFETY: the array is as large as the register.
                *column = unsafe { _mm256_loadu_ps(group[x].as_ptr()) };
            }
            for column in transposed(columns) {
                total = _mm256_add_ps(total, column);
            }
        }
        // SAFETY: the array is as large as the register.
        unsafe { _mm256_storeu_ps(sums.as_mut_ptr(), total) };
        super::add(sums, rows.map(|row| row.as_chunks::<8>().1));
    }

    /// Rows as columns.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn transposed(r: [__m256; 8]) -> [__m256; 8] {
        let [a0, a1, b0, b1] = quads(r[0], r[1], r[2], r[3]);
        let [c0, c1, d0, d1] = quads(r[4], r[5], r[6], r[7]);
        let low = |a, b| _mm256_permute2f128_ps::<0x20>(a, b);
        let high = |a, b| _mm256_permute2f128_ps::<0x31>(a, b);
        [
            low(a0, c0),
            low(a1, c1),
            low(b0, d0),
            low(b1, d1),
            high(a0, c0),
            high(a1, c1),
            high(b0, d0),
            high(b1, d1),
        ]
    }

    /// Columns of four rows: of each half of the registers.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn quads(a: __m256, b: __m256, c: __m256, d: __m256) -> [__m256; 4] {
        let (ab_low, ab_high) = (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
        let (cd_low, cd_high) = (_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
        [
            _mm256_shuffle_ps::<0b01_00_01_00>(ab_low, cd_low),
            _mm256_shuffle_ps::<0b11_10_11_10>(ab_low, cd_low),
            _mm256_shuffle_ps::<0b01_00_01_00>(ab_high, cd_high),
            _mm256_shuffle_ps::<0b11_10_11_10>(ab_high, cd_high),
        ]
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use crate::cpu::{Kind, Level};
    use crate::reduce::testing::Noise;

    #[test]
    fn columns_are_added_in_the_order_of_rows() {
        if !Level::available().iter().any(|level| level.kind() == Kind::Avx2) {
            return;
        }
        let noise = &mut Noise(5);
        for length in (0..=40).chain([112, 113]) {
            let mut term = |_| noise.bits() as u32 as f32 / 2f32.powi(noise.bits() as i32 & 31);
            let rows: [Vec<f32>; ROWS] = std::array::from_fn(|_| (0..length).map(&mut term).collect());
            let rows = rows.each_ref().map(Vec::as_slice);
            let (mut expected, mut got) = ([0.5; ROWS], [0.5; ROWS]);
            add(&mut expected, rows);
            // SAFETY: the CPU was seen to have AVX2.
            unsafe { avx2::add(&mut got, rows) };
            assert_eq!(got.map(f32::to_bits), expected.map(f32::to_bits), "{length} columns");
        }
    }
}

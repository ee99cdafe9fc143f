// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The blurred difference at every instruction-set level, row by row.
//!
//! Differences and what the filter makes of them have up to 16 bits and a sign. A row keeps such an x as
//! x = low + 65536 * high, with `low` the 16-bit number that x wraps to and `high` in -1..=1. The filter, whose taps
//! add up to 65536, is then 16-bit products and 32-bit sums:
//!
//! ```text
//! (sum of tap * x + half) >> 16 = ((sum of tap * low + half) >> 16) + (sum of tap * high)
//! ```
//!
//! `high` is all zero in most rows of most pictures, and is neither stored nor read there.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;

use std::ops::Range;

use super::scalar::reach;
use crate::cpu::{Kind, Level};
use crate::picture::Plane;

/// Columns of the widest register. Rows are padded to a multiple.
const LANES: usize = 32;

/// Numbers before a row's first sample: room for the mirrored ones.
const LEFT: usize = LANES;

/// The widest row whose sum of 16-bit numbers is sure to fit the lanes of a register.
pub const WIDEST: usize = 1 << 18;

/// Half of the sum of the taps.
const HALF: i32 = 1 << 15;

/// What a row holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Extent {
    /// Zeros.
    #[default]
    Zero,
    /// Numbers of 16 bits: `high` is zero.
    Narrow,
    /// Numbers of 17 bits.
    Wide,
    /// Differences of samples that have more bits than the depth: what the filter makes of them may have no room.
    Excessive,
}

impl Extent {
    fn new(any: bool, any_wide: bool) -> Self {
        match (any, any_wide) {
            (_, true) => Self::Wide,
            (true, false) => Self::Narrow,
            (false, false) => Self::Zero,
        }
    }
}

/// A row of 17-bit numbers, zeros after its last sample.
pub struct Row {
    low: Box<[i16]>,
    high: Box<[i16]>,
    extent: Extent,
}

impl Row {
    fn new(width: usize) -> Self {
        let numbers = || vec![0; LEFT + width.next_multiple_of(LANES) + LANES].into();
        Self { low: numbers(), high: numbers(), extent: Extent::Zero }
    }

    /// Puts the mirrored samples on both sides.
    fn mirror(&mut self, width: usize) {
        let reflect = |numbers: &mut [i16]| {
            let sample = |x: usize| LEFT + x;
            numbers[sample(0) - 2] = numbers[sample(2)];
            numbers[sample(0) - 1] = numbers[sample(1)];
            numbers[sample(width)] = numbers[sample(width - 2)];
            numbers[sample(width + 1)] = numbers[sample(width - 3)];
        };
        reflect(&mut self.low);
        reflect(&mut self.high);
    }
}

/// Work space of one stripe.
pub struct Rows {
    /// The differences of the rows around the current one: of row `y` at `y % 5`.
    differences: [Row; 5],
    /// They filtered vertically.
    blurred: Row,
}

impl Rows {
    /// For pictures of this width.
    pub fn new(width: usize) -> Self {
        Self { differences: std::array::from_fn(|_| Row::new(width)), blurred: Row::new(width) }
    }
}

/// A row's difference previous - current, of samples of a depth in bits.
type Difference<T> = unsafe fn(&[T], &[T], u32, &mut Row);

/// The passes over rows at one level.
#[derive(Clone, Copy)]
pub struct Kernel {
    bits8: Difference<u8>,
    bits15: Difference<u16>,
    bits16: Difference<u16>,
    /// Filters five rows into one, brought from `bpc` bits and a sign to 16 and a sign.
    vertical: unsafe fn([&Row; 5], u32, &mut Row),
    /// The sum of a row's absolute values, filtered; of `width` numbers with the mirrored ones beside them.
    horizontal: unsafe fn(&Row, usize) -> u64,
}

/// The kernel of `level`; none where the scalar form is the only one.
pub fn select(level: Level) -> Option<Kernel> {
    match level.kind() {
        #[cfg(target_arch = "x86_64")]
        Kind::Avx2 => Some(avx2::KERNEL),
        #[cfg(target_arch = "x86_64")]
        Kind::Avx512 | Kind::Avx512Icl => Some(avx512::KERNEL),
        _ => None,
    }
}

/// The sample type of a depth, with its difference.
pub trait Sample: Copy + Into<u16> + Sync {
    /// The kernel's difference of samples of `bpc` bits.
    fn difference(kernel: &Kernel, bpc: u32) -> Difference<Self>;
}

impl Sample for u8 {
    fn difference(kernel: &Kernel, _bpc: u32) -> Difference<u8> {
        kernel.bits8
    }
}

impl Sample for u16 {
    fn difference(kernel: &Kernel, bpc: u32) -> Difference<u16> {
        if bpc == 16 { kernel.bits16 } else { kernel.bits15 }
    }
}

impl Kernel {
    /// [`super::scalar::sum`] for planes at least 3x3 and at most [`WIDEST`] wide; `None` where samples have more
    /// bits than the depth, which nobody checks for before.
    pub fn sum<T: Sample>(
        &self,
        previous: &Plane<'_, T>,
        current: &Plane<'_, T>,
        rows: Range<usize>,
        bpc: u32,
        scratch: &mut Rows,
    ) -> Option<u64> {
        let (width, height) = (current.width(), current.height());
        let difference = T::difference(self, bpc);
        let mut next = rows.start.saturating_sub(2);
        let mut sum = 0;
        for y in rows {
            while next < (y + 3).min(height) {
                let row = &mut scratch.differences[next % 5];
                // SAFETY: `select` took the function for a level that this CPU was seen to have.
                unsafe { difference(previous.row(next), current.row(next), bpc, row) };
                if row.extent == Extent::Excessive {
                    return None;
                }
                next += 1;
            }
            sum += self.row_sum(scratch, reach(y, height), width, bpc);
        }
        Some(sum)
    }

    fn row_sum(&self, scratch: &mut Rows, around: [usize; 5], width: usize, bpc: u32) -> u64 {
        let differences = around.map(|y| &scratch.differences[y % 5]);
        if differences.iter().all(|row| row.extent == Extent::Zero) {
            return 0;
        }
        let blurred = &mut scratch.blurred;
        // SAFETY: `select` took the function for a level that this CPU was seen to have.
        unsafe { (self.vertical)(differences, bpc, blurred) };
        if blurred.extent == Extent::Zero {
            return 0;
        }
        blurred.mirror(width);
        // SAFETY: as above.
        unsafe { (self.horizontal)(blurred, width) }
    }
}

#[cfg(test)]
mod tests;

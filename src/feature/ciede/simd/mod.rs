// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Rows of colour differences at every instruction-set level.

#[cfg(target_arch = "x86_64")]
mod colour;
#[cfg(target_arch = "x86_64")]
mod difference;
#[cfg(target_arch = "x86_64")]
mod row;

use super::scalar::{self, Planes, Scale};
#[cfg(target_arch = "x86_64")]
use crate::cpu::Kind;
use crate::cpu::Level;

/// What [`scalar::row_differences`] is for one type of samples.
type Rows<T> = unsafe fn(&Scale, [&Planes<'_, T>; 2], usize, &mut [Box<[f32]>]);

/// The differences of rows at one level.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    bits8: Rows<u8>,
    bits16: Rows<u16>,
}

/// The kernel of `level`.
pub fn select(level: Level) -> Kernel {
    match level.kind() {
        #[cfg(target_arch = "x86_64")]
        Kind::Avx2 => Kernel { bits8: avx2::bytes, bits16: avx2::words },
        #[cfg(target_arch = "x86_64")]
        Kind::Avx512 | Kind::Avx512Icl => Kernel { bits8: avx512::bytes, bits16: avx512::words },
        _ => Kernel { bits8: scalar::row_differences, bits16: scalar::row_differences },
    }
}

impl Kernel {
    /// The differences of an 8-bit reference and a distorted picture of one size, written to `rows`, of which the
    /// first is row `first`.
    pub fn bits8(&self, scale: &Scale, pair: [&Planes<'_, u8>; 2], first: usize, rows: &mut [Box<[f32]>]) {
        // SAFETY: `select` took the function for a level that this CPU was seen to have.
        unsafe { (self.bits8)(scale, pair, first, rows) }
    }

    /// The same for 10, 12 or 16 bits.
    pub fn bits16(&self, scale: &Scale, pair: [&Planes<'_, u16>; 2], first: usize, rows: &mut [Box<[f32]>]) {
        // SAFETY: `select` took the function for a level that this CPU was seen to have.
        unsafe { (self.bits16)(scale, pair, first, rows) }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::row::differences;
    use super::{Planes, Scale};
    use crate::math::lanes::Avx2;

    #[target_feature(enable = "avx2,fma")]
    pub fn bytes(scale: &Scale, pair: [&Planes<'_, u8>; 2], first: usize, rows: &mut [Box<[f32]>]) {
        differences(Avx2::new(), scale, pair, first, rows);
    }

    #[target_feature(enable = "avx2,fma")]
    pub fn words(scale: &Scale, pair: [&Planes<'_, u16>; 2], first: usize, rows: &mut [Box<[f32]>]) {
        differences(Avx2::new(), scale, pair, first, rows);
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use super::row::differences;
    use super::{Planes, Scale};
    use crate::math::lanes::Avx512;

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    pub fn bytes(scale: &Scale, pair: [&Planes<'_, u8>; 2], first: usize, rows: &mut [Box<[f32]>]) {
        differences(Avx512::new(), scale, pair, first, rows);
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    pub fn words(scale: &Scale, pair: [&Planes<'_, u16>; 2], first: usize, rows: &mut [Box<[f32]>]) {
        differences(Avx512::new(), scale, pair, first, rows);
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests;

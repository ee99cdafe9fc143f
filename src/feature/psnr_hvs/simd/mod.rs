// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The errors of rows of blocks, and their sum, at every instruction-set level.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod kernel;
#[cfg(target_arch = "x86_64")]
mod lanes;
#[cfg(target_arch = "x86_64")]
mod sum;

use super::blocks::Lines;
use super::scalar;
use super::tables::Weights;
#[cfg(target_arch = "x86_64")]
use crate::cpu::Kind;
use crate::cpu::Level;

/// The errors of blocks at one level.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    lanes: usize,
    strip: unsafe fn(&Lines, &Lines, usize, &Weights, &mut [f32]),
    sum: unsafe fn(f32, &[f32]) -> f32,
}

/// The kernel of `level`.
pub fn select(level: Level) -> Kernel {
    match level.kind() {
        #[cfg(target_arch = "x86_64")]
        Kind::Avx2 => Kernel { lanes: 16, strip: x86::strip_avx2, sum: x86::sum_avx2 },
        #[cfg(target_arch = "x86_64")]
        Kind::Avx512 | Kind::Avx512Icl => {
            Kernel { lanes: 32, strip: x86::strip_avx512, sum: x86::sum_avx512 }
        }
        _ => Kernel { lanes: 1, strip: scalar::strip, sum: scalar::sum },
    }
}

impl Kernel {
    /// Blocks that are measured together.
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// The terms of a row of blocks, in this kernel's order; terms of 0 up to a multiple of [`Kernel::lanes`] blocks.
    pub fn strip(
        &self,
        reference: &Lines,
        distorted: &Lines,
        blocks: usize,
        weights: &Weights,
        terms: &mut [f32],
    ) {
        // SAFETY: `select` took the function for a level that this CPU was seen to have.
        unsafe { (self.strip)(reference, distorted, blocks, weights, terms) }
    }

    /// The running sum after terms of this kernel.
    pub fn sum(&self, start: f32, terms: &[f32]) -> f32 {
        // SAFETY: `select` took the function for a level that this CPU was seen to have.
        unsafe { (self.sum)(start, terms) }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::avx2::Avx2;
    use super::avx512::Avx512;
    use super::{Lines, Weights, kernel, sum};

    #[target_feature(enable = "avx2")]
    pub fn strip_avx2(r: &Lines, d: &Lines, blocks: usize, weights: &Weights, terms: &mut [f32]) {
        // SAFETY: this function runs only where there is AVX2.
        kernel::strip(unsafe { Avx2::new() }, r, d, blocks, weights, terms);
    }

    #[target_feature(enable = "avx2")]
    pub fn sum_avx2(start: f32, terms: &[f32]) -> f32 {
        // SAFETY: this function runs only where there is AVX2.
        sum::sum(unsafe { Avx2::new() }, start, terms)
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    pub fn strip_avx512(r: &Lines, d: &Lines, blocks: usize, weights: &Weights, terms: &mut [f32]) {
        // SAFETY: this function runs only where there is AVX-512.
        kernel::strip(unsafe { Avx512::new() }, r, d, blocks, weights, terms);
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    pub fn sum_avx512(start: f32, terms: &[f32]) -> f32 {
        // SAFETY: this function runs only where there is AVX-512.
        sum::sum(unsafe { Avx512::new() }, start, terms)
    }
}

#[cfg(test)]
mod tests;

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Filters whose samples come one after another, in every lane another filter.
//!
//! Each output's sum takes the taps in ascending order, as the specification asks, but all sums that a sample takes
//! part in go on at once: they stay in registers, and as taps are symmetric, one product serves two of them. A sum
//! that begins with its first product instead of 0 differs at most in the sign of a zero, which no score shows.

use crate::math::lanes::Arithmetic;

/// Taps of the widest filter.
pub const WIDEST: usize = 65;

/// Sums under way: number `k` has got the taps 0 to `k`. Those of a new filter hold anything: as many samples as it
/// has taps but one push that out.
pub type Sums<F, const N: usize> = [F; N];

/// Gives all sums a sample and returns the one that has all taps now. `taps` are the first half and the middle one.
///
/// A filter of `last` + 1 taps; for every `N` but [`WIDEST`] that is `N`.
#[inline(always)]
pub fn push<F: Arithmetic, const N: usize>(
    sums: &mut Sums<F, N>,
    taps: &[F; N],
    last: usize,
    sample: F,
) -> F {
    let mut products = [sample; N];
    for k in 0..last / 2 + 1 {
        products[k] = taps[k] * sample;
    }
    let complete = sums[last - 1] + products[0];
    for k in (1..last).rev() {
        sums[k] = sums[k - 1] + products[if k < last - k { k } else { last - k }];
    }
    sums[0] = products[0];
    complete
}

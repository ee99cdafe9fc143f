// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Sums that several features share.

pub mod columns;
#[cfg(target_arch = "x86_64")]
pub(crate) mod lanes;
pub mod ordered;
pub mod pairs;
pub mod squares;

#[cfg(test)]
pub(crate) mod testing;

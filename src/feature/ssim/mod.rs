// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Structural similarity: what [`float_ssim`](super::float_ssim) and [`float_ms_ssim`](super::float_ms_ssim) share.
//!
//! Wang, Bovik, Sheikh, Simoncelli, "Image quality assessment: from error visibility to structural similarity",
//! IEEE TIP 13(4), 2004, with a separable Gaussian window of 11x11 samples.

pub mod cpu;
pub mod decibel;
pub mod image;
pub mod mean;
pub mod scalar;
pub mod simd;
pub mod spare;
#[cfg(test)]
pub(crate) mod testing;

use super::{Kind, OptionSpec, Setup};
use crate::error::{Error, Result};

/// Samples of a window beyond its first, each way: a picture has this much fewer windows than samples.
pub const REACH: usize = 10;

/// Means over all windows, as they are published: each rounded to single precision.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Means {
    /// Of luminance times contrast times structure: the similarity.
    pub product: f32,
    /// Of luminance.
    pub luminance: f32,
    /// Of contrast.
    pub contrast: f32,
    /// Of structure.
    pub structure: f32,
}

/// The means over all windows that the caller wants; others may be left 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Contrast and structure alone.
    ContrastAndStructure,
    /// All four.
    All,
}

/// A bool option that no feature name shows.
pub(super) const fn flag(name: &'static str) -> OptionSpec {
    OptionSpec { name, alias: None, kind: Kind::Bool(false), spelled: false }
}

/// Refuses pictures whose area passes a signed number of 32 bits.
pub(super) fn check_area(setup: &Setup) -> Result<()> {
    let area = u64::from(setup.format.width) * u64::from(setup.format.height);
    if area < 1 << 31 { Ok(()) } else { Err(Error::invalid("pictures must have less than 2^31 samples")) }
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Noise of luma above 8 bits, `float_psnr_ansnr.md` section 2. At 8 bits the noise is the sum of
//! [`psnr`](crate::feature::psnr).
#![forbid(unsafe_code)]

use crate::picture::Plane;
use crate::reduce::ordered::row_sum;
use crate::reduce::squares::rounded_square;

/// The terms of one row's noise: T(|reference - distorted|), in code values squared.
pub fn row_terms<'a>(reference: &'a [u16], distorted: &'a [u16]) -> impl Iterator<Item = u32> + use<'a> {
    reference.iter().zip(distorted).map(|(&r, &d)| rounded_square(r.abs_diff(d)))
}

/// The exact sum of one row's terms.
pub fn row_noise(reference: &[u16], distorted: &[u16]) -> u64 {
    row_sum(row_terms(reference, distorted))
}

/// The specification's sum to the letter, in units of the 8-bit range squared: what every other form must give.
pub fn chain(reference: &Plane<'_, u16>, distorted: &Plane<'_, u16>, scale: f32) -> f64 {
    let samples = reference.rows(0..reference.height()).flatten();
    let pairs = samples.zip(distorted.rows(0..distorted.height()).flatten());
    pairs.fold(0.0, |noise, (&r, &d)| {
        let difference = f32::from(r) / scale - f32::from(d) / scale;
        noise + f64::from(difference * difference)
    })
}

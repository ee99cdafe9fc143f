// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Widths and taps of the filters (section 4), made once a stream.
#![forbid(unsafe_code)]

use std::f64::consts::PI;

use super::SCALES;
use crate::error::{Error, Result};

/// The factors of the filters' widths that there are, for the filters of `speed` as well.
pub const KERNELSCALES: [f32; 21] = [
    1.0,
    0.5,
    1.5,
    2.0,
    2.0 / 3.0,
    24.0 / 10.0,
    360.0 / 97.0,
    4.0 / 3.0,
    3.5 / 3.0,
    3.75 / 3.0,
    4.25 / 3.0,
    5.0 / 3.0,
    3.0,
    1.0 / 2.25,
    1.4746,
    1.54,
    1.6,
    1.06667,
    0.711111,
    0.740740,
    1.111111,
];

/// Refuses an option's factor that is not near one of the list.
pub fn check_kernelscale(option: &str, kernelscale: f32) -> Result<()> {
    let near = |known: f32| f64::from(kernelscale - known).abs() < 1.0e-3;
    if KERNELSCALES.into_iter().any(near) {
        return Ok(());
    }
    let known = KERNELSCALES.map(|known| known.to_string()).join(", ");
    Err(Error::invalid(format!("{option} {kernelscale} is not one of {known}")))
}

/// Taps of a scale's filter: an odd number, 3 at least.
pub fn width(scale: usize, kernelscale: f32) -> usize {
    let unscaled = (1 << (SCALES - scale)) + 1;
    let taps = (unscaled as f32 * kernelscale).ceil() as usize;
    (taps | 1).max(3)
}

/// A Gaussian of `width` taps, deviation a fifth of it. Its sum is nearly 1, and it is symmetric.
pub fn gaussian(width: usize) -> Vec<f32> {
    let deviation = width as f32 / 5.0;
    let wide = f64::from(deviation);
    // Meant as a factor; as all taps are divided by it, the last step takes it out again, but for roundings.
    let divisor = (1.0 / (wide * (2.0 * PI).sqrt())) as f32;
    let tap = |i: usize| {
        let x = i as f64 - (width / 2) as f64;
        ((-0.5 * x) / wide * x / wide).exp() as f32 / divisor
    };
    let taps: Vec<f32> = (0..width).map(tap).collect();
    let sum = taps.iter().fold(0.0, |sum, tap| sum + tap);
    taps.into_iter().map(|tap| tap / sum).collect()
}

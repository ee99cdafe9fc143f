// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Taps of the two Gaussian filters (section 5.3). Made once a stream, on the host, with its math library.
#![forbid(unsafe_code)]

use std::f64::consts::PI;

/// The filter before samples are dropped.
pub fn anti_alias(kernel_scale: f32) -> Vec<f32> {
    let size = size(9.0, kernel_scale);
    taps(size, (2.0 * size as f64 / 5.0) as f32)
}

/// The filter that gives the local mean of the samples that are kept.
pub fn local_mean(kernel_scale: f32) -> Vec<f32> {
    let size = size(2.0, kernel_scale);
    taps(size, size as f32 / 5.0)
}

/// The odd number of taps.
fn size(base: f32, kernel_scale: f32) -> usize {
    let size = (base * kernel_scale).ceil() as usize;
    (size + 1 - size % 2).max(3)
}

fn taps(size: usize, deviation: f32) -> Vec<f32> {
    let sd = f64::from(deviation);
    let divisor = (1.0 / (sd * (2.0 * PI).sqrt())) as f32;
    let half = (size / 2) as i32;
    let density = |i: f64| (-0.5 * i / sd * i / sd).exp() as f32 / divisor;
    let taps: Vec<f32> = (-half..=half).map(|i| density(i.into())).collect();
    let sum = taps.iter().fold(0.0, |sum, tap| sum + tap);
    taps.into_iter().map(|tap| tap / sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_taps() {
        let half = [0.07564883, 0.09910339, 0.12018894, 0.13493669, 0.14024429];
        let expected = [0, 1, 2, 3, 4, 3, 2, 1, 0].map(|i: usize| half[i]);
        assert_eq!(anti_alias(1.0), expected);
        assert_eq!(local_mean(1.0), [0.16637851, 0.66724294, 0.16637851]);
    }

    #[test]
    fn sizes_of_all_kernel_scales() {
        for (scale, expected) in [
            (1.0, (9, 3)),
            (0.5, (5, 3)),
            (1.5, (15, 3)),
            (2.0, (19, 5)),
            (2.0 / 3.0, (7, 3)),
            (2.4, (23, 5)),
            (360.0 / 97.0, (35, 9)),
            (4.0 / 3.0, (13, 3)),
            (3.5 / 3.0, (11, 3)),
            (5.0 / 3.0, (15, 5)),
            (3.0, (27, 7)),
            (1.0 / 2.25, (5, 3)),
            (1.54, (15, 5)),
            (1.111111, (11, 3)),
        ] {
            let scale = scale as f32;
            assert_eq!((anti_alias(scale).len(), local_mean(scale).len()), expected, "{scale}");
        }
    }
}

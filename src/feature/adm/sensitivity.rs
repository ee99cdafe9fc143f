// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Contrast sensitivity weights (section 5.5), computed once a stream.
//!
//! Roundings to single precision stand where the reference stores a `float`: published scores depend on them.
#![forbid(unsafe_code)]

use std::f64::consts::PI;
use std::hint::black_box;

use super::options::Options;

/// Weights of one scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// Of the bands h, v, d.
    pub exact: [f32; 3],
    /// The same as the integers that weigh the pixels: 16 bits at scale 0, 32 bits above.
    pub fixed: [u32; 3],
}

impl Weights {
    /// The weights of `scale`, 0 to 3.
    pub fn new(options: &Options, scale: usize) -> Self {
        let (edge, diagonal) = sensitivity(options, scale);
        let exact = [edge, edge, diagonal];
        let power_of_two = |bits: i32| (2f64).powi(bits);
        // The integers are the low bits: Barten's weights exceed 1 and wrap, which its scores include.
        let low_bits = |weight: f32, bits| (f64::from(weight) * power_of_two(bits)) as i64;
        let fixed = match scale {
            0 if is_standard(options) => [36453, 36453, 49417],
            0 => [(edge, 21), (edge, 21), (diagonal, 23)].map(|(w, bits)| low_bits(w, bits) as u16 as u32),
            _ => exact.map(|weight| low_bits(weight, 32) as u32),
        };
        Self { exact, fixed }
    }
}

fn is_standard(options: &Options) -> bool {
    options.csf_mode == 0 && (options.distance_in_rows() - 3240.0).abs() < 1e-8
}

/// Weights of the bands h and v, and of d.
fn sensitivity(options: &Options, scale: usize) -> (f32, f32) {
    let pixels_per_degree = pixels_per_degree(options.distance_in_rows());
    match options.csf_mode {
        0 => (watson(pixels_per_degree, scale, false), watson(pixels_per_degree, scale, true)),
        1 => {
            let factors = [options.csf_scale, options.csf_diag_scale];
            factors.map(|factor| barten(pixels_per_degree, scale, factor)).into()
        }
        2 => tabulated(&BLENDED, options, scale),
        _ => tabulated(&BLENDED_AGAIN, options, scale),
    }
}

/// Pixels of the display to a degree of view, from the viewing distance in rows of it.
pub(in crate::feature) fn pixels_per_degree(distance_in_rows: f64) -> f32 {
    (distance_in_rows * PI / 180.0) as f32
}

/// 10^x by the C library's `pow`; were the base known to the compiler, it might call `exp10`, which differs.
fn exp10(x: f64) -> f64 {
    black_box(10.0f64).powf(x)
}

/// A. B. Watson, G. Y. Yang, J. A. Solomon, J. Villasenor, "Visibility of wavelet quantization noise", IEEE Trans.
/// Image Processing 6(8), 1997: the inverse of the quantisation step that is just visible.
pub(in crate::feature) fn watson(pixels_per_degree: f32, scale: usize, diagonal: bool) -> f32 {
    const AMPLITUDES: [[f32; 2]; 4] =
        [[0.67234, 0.72709], [0.41317, 0.49428], [0.22727, 0.28688], [0.11792, 0.15214]];
    let (a, k, f0) = (f64::from(0.495f32), 0.466f32, f64::from(0.401f32));
    let orientation = f64::from(if diagonal { 0.534f32 } else { 1.0 });
    let amplitude = f64::from(AMPLITUDES[scale][usize::from(diagonal)]);
    let frequency = (2f64).powi(scale as i32 + 1) * f0 * orientation / f64::from(pixels_per_degree);
    let octaves = frequency.log10() as f32;
    let exponent = (k * octaves) * octaves;
    let step = (2.0 * a * exp10(f64::from(exponent)) / amplitude) as f32;
    1.0 / step
}

/// P. G. J. Barten, "Contrast sensitivity of the human eye and its effects on image quality", 1999, in the form of
/// HDR-VDP-2, at 100 cd/m^2, times `factor`.
pub(in crate::feature) fn barten(pixels_per_degree: f32, scale: usize, factor: f64) -> f32 {
    let frequency = (f64::from(pixels_per_degree) / (2f64).powi(scale as i32 + 1)) as f32;
    let p = barten_parameters();
    let rise = (1.0 + f64::from(p[0] * frequency).powf(f64::from(p[1]))) as f32;
    let low = black_box(f64::from(frequency / 7.0)).powf(black_box(2.0));
    let fall = (1.0 / (1.0 - (-low).exp()).powf(f64::from(p[2]))) as f32;
    let neural = (f64::from(p[3]) / f64::from(rise * fall).powf(black_box(0.5))) as f32;
    let sensitivity = neural * optical_transfer(frequency) * rod_sensitivity();
    (f64::from(sensitivity) * factor) as f32
}

const LUMINANCE: f32 = 100.0;

/// Between those at 20 and at 150 cd/m^2, linear in the logarithm of luminance.
fn barten_parameters() -> [f32; 4] {
    const AT_20: [f32; 4] = [0.334278, 3.79542, 1.07327, 6.4635];
    const AT_150: [f32; 4] = [0.394533, 2.7755, 1.16577, 7.45665];
    let log = |luminance: f32| f64::from(luminance).log10() as f32;
    let (low, high, at) = (log(20.0), log(150.0), log(LUMINANCE));
    [0, 1, 2, 3].map(|i| AT_20[i] + (AT_150[i] - AT_20[i]) / (high - low) * (at - low))
}

/// Optical modulation transfer: a sum of four exponentials.
fn optical_transfer(frequency: f32) -> f32 {
    const TERMS: [(f32, f32); 4] =
        [(0.424_838_6, 0.028), (0.572_435_1, 0.37), (0.000_167_576_23, 37.0), (0.002_558_723_6, 360.0)];
    TERMS
        .iter()
        .fold(0.0, |sum, (a, b)| (f64::from(sum) + f64::from(*a) * f64::from(-b * frequency).exp()) as f32)
}

fn rod_sensitivity() -> f32 {
    let [peak, knee, slope, decay] = [30.162f32, 4.0627, 1.6596, 0.2712].map(f64::from);
    let saturation = f64::from(knee as f32 / LUMINANCE).powf(slope) + 1.0;
    (peak * saturation.powf(-decay)) as f32
}

/// Weights of the scales 0 to 3 for h and v, then for d, by display height and viewing distance.
type Table = [(i32, f64, [f32; 4], [f32; 4]); 8];

/// Where no row holds for display and distance: the scores come out as NaN, and are kept so.
const UNSUPPORTED: (f32, f32) = (-22.0, -22.0);

fn tabulated(table: &Table, options: &Options, scale: usize) -> (f32, f32) {
    // Half the distance to twice the rows shows the same pixels per degree.
    let viewing = match (options.display_height, options.view_distance) {
        (2160, 1.5) => (1080, 3.0),
        viewing => viewing,
    };
    let row = table.iter().find(|row| (row.0, row.1) == viewing);
    row.map_or(UNSUPPORTED, |row| (row.2[scale], row.3[scale]))
}

#[rustfmt::skip]
const BLENDED: Table = [
    (1080, 3.0, [0.01183, 0.025026, 0.04295, 0.058621], [0.004302, 0.011778, 0.023918, 0.035901]),
    (1080, 5.0, [0.004212, 0.014809, 0.029642, 0.047464], [0.000984, 0.005852, 0.0146, 0.027574]),
    (2160, 3.0, [0.00226, 0.01183, 0.025026, 0.04295], [0.000479, 0.004302, 0.011778, 0.023918]),
    (2160, 5.0, [0.000092, 0.004212, 0.014809, 0.029642], [0.000050, 0.000984, 0.005852, 0.0146]),
    (720, 3.0, [0.018715, 0.035637, 0.052798, 0.061509], [0.007999, 0.018396, 0.031851, 0.037718]),
    (720, 5.0, [0.010144, 0.022561, 0.040309, 0.05672], [0.003463, 0.010282, 0.021839, 0.034641]),
    (480, 3.0, [0.027961, 0.045875, 0.060275, 0.056234], [0.013572, 0.026277, 0.036959, 0.034511]),
    (480, 5.0, [0.016781, 0.032822, 0.05032, 0.061594], [0.00691, 0.016545, 0.029917, 0.037777]),
];

#[rustfmt::skip]
const BLENDED_AGAIN: Table = [
    (1080, 3.0, [0.011249, 0.022606, 0.035930, 0.045673], [0.004097, 0.010921, 0.021430, 0.031313]),
    (1080, 5.0, [0.004052, 0.013939, 0.026298, 0.038833], [0.000927, 0.005544, 0.013415, 0.024515]),
    (2160, 3.0, [0.002166, 0.011249, 0.022606, 0.035930], [0.000447, 0.004097, 0.010921, 0.021430]),
    (2160, 5.0, [0.000077, 0.004052, 0.013939, 0.026298], [0.000045, 0.000927, 0.005544, 0.013415]),
    (720, 3.0, [0.017329, 0.030870, 0.042134, 0.047410], [0.007509, 0.016707, 0.028072, 0.032722]),
    (720, 5.0, [0.009689, 0.020577, 0.034162, 0.044523], [0.003302, 0.009579, 0.019661, 0.030318]),
    (480, 3.0, [0.024969, 0.037825, 0.046676, 0.043974], [0.012511, 0.023424, 0.032139, 0.030166]),
    (480, 5.0, [0.015665, 0.028766, 0.040612, 0.047483], [0.006514, 0.015107, 0.026476, 0.032776]),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feature::{Dictionary, Values};

    fn options(given: &[(&str, &str)]) -> Options {
        let mut dictionary = Dictionary::new();
        given.iter().for_each(|(key, value)| dictionary.set(key, value));
        Options::new(&Values::read("adm", super::super::options::TABLE, &dictionary).unwrap())
    }

    /// The table of section 5.5: h and v, then d, of scales 0 to 3.
    #[test]
    fn integer_weights_are_those_of_the_specification() {
        type Given = &'static [(&'static str, &'static str)];
        let rows: [(Given, [[u32; 2]; 4]); 6] = [
            (&[], [[36453, 49417], [137373792, 61414028], [186284160, 104783920], [196165808, 134487184]]),
            (&[("adm_csf_mode", "1")], [[48227, 61837], [181344256; 2], [2693222400; 2], [4191379456; 2]]),
            (
                &[("adm_csf_mode", "2")],
                [[24809, 36087], [107485848, 50586124], [184468848, 102727024], [251775280, 154193616]],
            ),
            (
                &[("adm_csf_mode", "3")],
                [[23590, 34368], [97092032, 46905336], [154318176, 92041152], [196164048, 134488304]],
            ),
            (
                &[("adm_norm_view_dist", "5")],
                [[14342, 17077], [62382256, 24495736], [97628224, 48234700], [118649120, 71447608]],
            ),
            (
                &[("adm_ref_display_height", "2160")],
                [[10021, 11393], [45876252, 17199296], [75564400, 35644684], [96654312, 55569672]],
            ),
        ];
        for (given, scales) in rows {
            let options = options(given);
            for (scale, [edge, diagonal]) in scales.into_iter().enumerate() {
                let weights = Weights::new(&options, scale);
                assert_eq!(weights.fixed, [edge, edge, diagonal], "{given:?}, scale {scale}");
            }
        }
    }

    #[test]
    fn only_the_tables_know_unsupported_displays() {
        let odd = |mode| options(&[("adm_csf_mode", mode), ("adm_norm_view_dist", "4")]);
        assert_eq!(Weights::new(&odd("2"), 1), Weights { exact: [-22.0; 3], fixed: [0; 3] });
        assert_eq!(Weights::new(&odd("3"), 0).exact, [-22.0; 3]);
        assert!(Weights::new(&odd("0"), 1).exact[0] > 0.0);
    }
}

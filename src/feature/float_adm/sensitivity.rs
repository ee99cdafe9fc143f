// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Contrast sensitivity weights (section 5.4), computed once a stream.
#![forbid(unsafe_code)]

use super::options::Options;
use crate::feature::adm::sensitivity::{barten, pixels_per_degree, watson};

/// The weights of the bands h, v, d at `scale`, 0 to 3.
pub fn weights(options: &Options, scale: usize) -> [f32; 3] {
    let [edge, diagonal] = [0, 1].map(|diagonal: usize| match options.weights[diagonal][scale] {
        given if given >= 0.0 => given as f32,
        _ => modelled(options, scale, diagonal),
    });
    [edge, edge, diagonal]
}

/// The weight of h and v (`diagonal` 0), or of d (1).
fn modelled(options: &Options, scale: usize, diagonal: usize) -> f32 {
    let pixels = pixels_per_degree(options.view_distance * f64::from(options.display_height));
    match options.csf_mode {
        1 => barten(pixels, scale, options.csf_scales[diagonal]),
        2 => native(pixels, scale, diagonal == 1),
        _ => watson(pixels, scale, diagonal == 1),
    }
}

/// The curve of the DLM paper's own implementation.
fn native(pixels_per_degree: f32, scale: usize, diagonal: bool) -> f32 {
    let edge = (f64::from(pixels_per_degree) / 2f64.powi(scale as i32 + 1)) as f32;
    let frequency = f64::from(if diagonal { (f64::from(edge) / 0.7) as f32 } else { edge });
    ((0.31 + 0.69 * frequency) * (-0.29 * frequency).exp()) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feature::float_adm::options::TABLE;
    use crate::feature::{Dictionary, Values};

    fn options(given: &[(&str, &str)]) -> Options {
        let mut dictionary = Dictionary::new();
        given.iter().for_each(|(key, value)| dictionary.set(key, value));
        Options::new(&Values::read("float_adm", &TABLE, &dictionary).unwrap())
    }

    /// The figures of section 5.4.
    #[test]
    fn the_native_curve_is_that_of_the_specification() {
        let options = options(&[("adm_csf_mode", "2")]);
        let edges = [0.005_445_851_5, 0.166_835_06, 0.667_863_5, 0.986_264_6];
        let diagonals = [0.000_230_553_94, 0.040_745_66, 0.389_219_6, 0.877_359_9];
        for (scale, (edge, diagonal)) in edges.into_iter().zip(diagonals).enumerate() {
            assert_eq!(weights(&options, scale), [edge, edge, diagonal]);
        }
    }

    #[test]
    fn modes_above_2_are_the_first() {
        let first = options(&[]);
        for mode in ["3", "9"] {
            let other = options(&[("adm_csf_mode", mode)]);
            assert_eq!([0, 1, 2, 3].map(|s| weights(&other, s)), [0, 1, 2, 3].map(|s| weights(&first, s)));
        }
    }

    #[test]
    fn a_weight_that_is_given_replaces_the_model() {
        let given = options(&[("adm_f1s2", "0"), ("adm_f2s3", "1.1")]);
        let plain = options(&[]);
        assert_eq!(weights(&given, 2), [0.0, 0.0, weights(&plain, 2)[2]]);
        assert_eq!(weights(&given, 3), [weights(&plain, 3)[0], weights(&plain, 3)[1], 1.1]);
    }
}

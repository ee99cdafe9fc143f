// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Taps, limits, names and levels of `float_vif`.

use super::options::{Method, Options, TABLE};
use super::plan::Plan;
use super::taps::{check_kernelscale, gaussian, width};
use super::*;
use crate::error::Error;
use crate::feature::{Dictionary, Values};
use crate::picture::{Format, PixelFormat};

fn format(width: u32, height: u32, bpc: u32) -> Format {
    Format { pixel: PixelFormat::Yuv420, bpc, width, height }
}

fn values(given: &[(&str, &str)]) -> Values {
    let mut dictionary = Dictionary::new();
    given.iter().for_each(|(key, value)| dictionary.set(key, value));
    Values::read("float_vif", TABLE, &dictionary).unwrap()
}

fn options(given: &[(&str, &str)]) -> Options {
    Options::new(&values(given)).unwrap()
}

fn plan(format: &Format, given: &[(&str, &str)]) -> Result<Plan> {
    Plan::new(format, &options(given))
}

fn refusal(format: &Format, given: &[(&str, &str)]) -> String {
    match plan(format, given) {
        Err(Error::Invalid(text)) => text,
        other => panic!("{given:?}: {other:?}"),
    }
}

#[test]
fn taps_have_the_bits_of_the_specification() {
    let expected = [
        (3, 0x5ba1_3843),
        (5, 0xd7ae_0eeb),
        (7, 0x6cae_daf0),
        (9, 0xc171_8318),
        (11, 0x56a4_16b5),
        (13, 0x2d3a_f655),
        (15, 0x70be_cc33),
        (17, 0xcaa6_acd2),
        (19, 0x343f_87e1),
        (21, 0x635f_ab87),
        (23, 0x91ea_6624),
        (25, 0xe0da_dfbf),
        (27, 0x3ced_da6e),
        (29, 0x7bca_5ffa),
        (35, 0xcc34_8db3),
        (41, 0x9c0e_3d10),
        (51, 0x166c_97a5),
        (53, 0x48c0_08ac),
        (65, 0x869d_8115),
    ];
    for (width, expected) in expected {
        let taps = gaussian(width);
        let bytes: Vec<u8> = taps.iter().flat_map(|tap| tap.to_le_bytes()).collect();
        assert_eq!(crc32fast::hash(&bytes), expected, "{width} taps");
        assert!(taps.iter().eq(taps.iter().rev()), "{width} taps are not symmetric");
    }
}

/// Factors, the widths of the four filters, and the least size that a picture may have.
const WIDTHS: [(&str, [usize; 4], u32); 22] = [
    ("1", [17, 9, 5, 3], 16),
    ("0.5", [9, 5, 3, 3], 16),
    ("0.444444", [9, 5, 3, 3], 16),
    ("0.666667", [13, 7, 5, 3], 16),
    ("0.711111", [13, 7, 5, 3], 16),
    ("0.74074", [13, 7, 5, 3], 16),
    ("1.0009", [19, 11, 7, 5], 24),
    ("1.06667", [19, 11, 7, 5], 24),
    ("1.11111", [19, 11, 7, 5], 24),
    ("1.16667", [21, 11, 7, 5], 24),
    ("1.25", [23, 13, 7, 5], 24),
    ("1.33333", [23, 13, 7, 5], 24),
    ("1.41667", [25, 13, 9, 5], 24),
    ("1.4746", [27, 15, 9, 5], 24),
    ("1.5", [27, 15, 9, 5], 24),
    ("1.54", [27, 15, 9, 5], 24),
    ("1.6", [29, 15, 9, 5], 24),
    ("1.6666667", [29, 17, 9, 7], 32),
    ("2", [35, 19, 11, 7], 32),
    ("2.4", [41, 23, 13, 9], 40),
    ("3", [51, 27, 15, 9], 40),
    ("3.71134", [65, 35, 19, 13], 56),
];

#[test]
fn widths_and_least_sizes_follow_the_factor() {
    for (text, widths, least) in WIDTHS {
        let kernelscale = options(&[("vif_kernelscale", text)]).kernelscale as f32;
        assert_eq!([0, 1, 2, 3].map(|scale| width(scale, kernelscale)), widths, "{text}");
        for skip in ["true", "false"] {
            let given = [("vif_kernelscale", text), ("vif_skip_scale0", skip)];
            assert!(plan(&format(least, least, 8), &given).is_ok(), "{text}");
            for small in [format(least - 1, least, 8), format(least, least - 1, 8)] {
                let message = refusal(&small, &given);
                assert!(message.contains(&format!("at least {least}")), "{message}");
            }
        }
    }
}

#[test]
fn only_factors_of_the_list_are_taken() {
    let list = [
        1.0, 0.5, 1.5, 2.0, 0.66667, 2.4, 3.71134, 1.33333, 1.16667, 1.25, 1.41667, 1.66667, 3.0, 0.44444,
        1.4746, 1.54, 1.6, 1.06667, 0.71111, 0.74074, 1.11111,
    ];
    for known in list.into_iter().chain([0.9991, 1.0009, 3.712, 0.4445]) {
        assert!(check_kernelscale("vif_kernelscale", known).is_ok(), "{known}");
    }
    for other in [1.0011, 0.1, 0.9, 2.1, 4.0] {
        assert!(check_kernelscale("vif_kernelscale", other).is_err(), "{other}");
    }
}

#[test]
fn refusals_name_the_extractor_and_the_limit() {
    let full = format(576, 324, 8);
    assert!(refusal(&full, &[("vif_kernelscale", "0.9")]).starts_with("float_vif: vif_kernelscale 0.9"));
    assert!(refusal(&full, &[("vif_prescale", "0.1"), ("vif_kernelscale", "3")]).contains("58x32"));
    for bpc in [9, 11, 13, 14, 15] {
        assert!(refusal(&format(576, 324, bpc), &[]).contains(&bpc.to_string()));
    }
    let wide = format(7681, 64, 8);
    assert!(refusal(&wide, &[("vif_prescale_method", "bilinear")]).contains("7680"));
    assert!(plan(&format(7680, 64, 8), &[("vif_prescale_method", "bilinear")]).is_ok());
    let tiny = format(5, 64, 8);
    let large = [("vif_prescale", "4"), ("vif_prescale_method", "lanczos4")];
    assert!(refusal(&tiny, &large).contains("at least 6"));
    assert!(plan(&format(6, 64, 8), &large).is_ok());
    let unknown = Options::new(&values(&[("vif_prescale_method", "area")]));
    assert!(unknown.unwrap_err().to_string().contains("\"area\""));
}

#[test]
fn a_factor_of_one_resizes_nothing() {
    let all = [Method::Nearest, Method::Bilinear, Method::Bicubic, Method::Lanczos4];
    for method in all {
        let options = Options { method, ..options(&[]) };
        assert!(Plan::new(&format(64, 64, 8), &options).unwrap().resize.is_none());
        let options = Options { method, prescale: 1.01, ..options };
        assert!(Plan::new(&format(64, 64, 8), &options).unwrap().resize.is_some());
    }
}

#[test]
fn names_show_the_options_in_order() {
    let spelled = values(&[
        ("debug", "true"),
        ("vif_skip_scale0", "true"),
        ("vif_sigma_nsq", "1.3"),
        ("vif_scale3_min_val", "0.5"),
        ("vif_scale2_min_val", "0.99"),
        ("vif_scale1_min_val", "0.3"),
        ("vif_prescale_method", "lanczos4"),
        ("vif_prescale", "0.6"),
        ("vif_kernelscale", "0.5"),
        ("vif_enhn_gain_limit", "1.2"),
    ])
    .spelled();
    let name = crate::feature::names::with_options(FEATURES[1], &spelled);
    let options = "egl_1.2_ks_0.5_ps_0.6_pm_lanczos4_s1miv_0.3_s2miv_0.99_s3miv_0.5_snsq_1.3_ssclz";
    assert_eq!(name, format!("vif_scale1_{options}"));
}

#[test]
fn the_constant_of_flat_samples_has_the_bits_of_the_specification() {
    assert_eq!(scalar::Constants::new(100.0, 2.0).flat_slope.to_bits(), 0x3881_0182);
    assert_eq!(scalar::EPSILON.to_bits(), 0x2edb_e6ff);
}

#[test]
fn lower_bounds_hold_for_scores_and_not_for_sums() {
    let min_val = [("vif_scale1_min_val", "0.5"), ("vif_scale2_min_val", "0.5")];
    let score = FloatVif { options: options(&min_val) };
    let sums = Sums { numerator: 1.0, denominator: 4.0 };
    assert_eq!([0, 1, 2, 3].map(|scale| score.score_of(scale, sums)), [0.25, 0.5, 0.5, 0.25]);
    let debug: Vec<f64> = score.debug_values(&[sums; SCALES]).collect();
    assert_eq!(debug, [0.25, 4.0, 16.0, 1.0, 4.0, 1.0, 4.0, 1.0, 4.0, 1.0, 4.0]);
}

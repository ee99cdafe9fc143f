// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The options of `float_adm` (section 3).
#![forbid(unsafe_code)]

use crate::feature::adm::options::{number, spelled, with_common};
use crate::feature::{Kind, OptionSpec, Values};

/// A weight that replaces the model's; the default leaves it.
const fn weight(name: &'static str, alias: &'static str) -> OptionSpec {
    number(name, alias, -1.0, (-1.0, 10.0))
}

const fn integer(
    name: &'static str,
    alias: &'static str,
    default: i32,
    (low, high): (i32, i32),
) -> OptionSpec {
    spelled(name, alias, Kind::Int { default, low, high })
}

/// The option table.
pub const TABLE: [OptionSpec; 23] = with_common(&[
    integer("adm_ref_display_height", "rdf", 1080, (1, 4320)),
    integer("adm_csf_mode", "csf", 0, (0, 9)),
    integer("adm_bypass_cm", "bcm", 0, (0, 1)),
    spelled("adm_adm3_apply_hm", "aah", Kind::Bool(false)),
    number("adm_p_norm", "apn", 3.0, (1.0, 20.0)),
    weight("adm_f1s0", "f1s0"),
    weight("adm_f1s1", "f1s1"),
    weight("adm_f1s2", "f1s2"),
    weight("adm_f1s3", "f1s3"),
    weight("adm_f2s0", "f2s0"),
    weight("adm_f2s1", "f2s1"),
    weight("adm_f2s2", "f2s2"),
    weight("adm_f2s3", "f2s3"),
    // The default, no scale, is beyond what can be given.
    integer("adm_skip_aim_scale", "sasc", -1, (0, 3)),
]);

/// The options of one registration.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Whether to store the numerators and denominators too.
    pub debug: bool,
    /// By how much enhanced contrast may count.
    pub gain_limit: f64,
    /// Viewing distance in heights of the display.
    pub view_distance: f64,
    /// Height of the display in rows.
    pub display_height: i32,
    /// Weight of the noise floor.
    pub noise_weight: f64,
    /// Factors of the horizontal and vertical weights and of the diagonal ones, with Barten's model only.
    pub csf_scales: [f64; 2],
    /// Contrast sensitivity: 1 Barten, 2 the native curve, all others Watson.
    pub csf_mode: i32,
    /// Take the masking thresholds as 0.
    pub bypass_masking: bool,
    /// Make `adm3` a harmonic mean.
    pub harmonic_mean: bool,
    /// Pooling exponent.
    pub p_norm: f64,
    /// Share of the detail loss in `adm3`.
    pub dlm_weight: f64,
    /// Floor of `adm3`.
    pub min_val: f64,
    /// Weights that replace the model's, if not negative: for h and v, and for d, by scale.
    pub weights: [[f64; 4]; 2],
    /// The scale that `aim` leaves out, -1 for none.
    pub skip_aim_scale: i32,
    /// Leave the finest scale out.
    pub skip_scale0: bool,
}

impl Options {
    /// Reads the values of the table.
    pub fn new(values: &Values) -> Self {
        Self {
            debug: values.bool("debug"),
            gain_limit: values.double("adm_enhn_gain_limit"),
            view_distance: values.double("adm_norm_view_dist"),
            display_height: values.int("adm_ref_display_height"),
            noise_weight: values.double("adm_noise_weight"),
            csf_scales: ["adm_csf_scale", "adm_csf_diag_scale"].map(|name| values.double(name)),
            csf_mode: values.int("adm_csf_mode"),
            bypass_masking: values.int("adm_bypass_cm") != 0,
            harmonic_mean: values.bool("adm_adm3_apply_hm"),
            p_norm: values.double("adm_p_norm"),
            dlm_weight: values.double("adm_dlm_weight"),
            min_val: values.double("adm_min_val"),
            weights: [
                ["adm_f1s0", "adm_f1s1", "adm_f1s2", "adm_f1s3"].map(|name| values.double(name)),
                ["adm_f2s0", "adm_f2s1", "adm_f2s2", "adm_f2s3"].map(|name| values.double(name)),
            ],
            skip_aim_scale: values.int("adm_skip_aim_scale"),
            skip_scale0: values.bool("adm_skip_scale0"),
        }
    }
}

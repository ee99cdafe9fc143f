// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The options of `adm` (section 3).
#![forbid(unsafe_code)]

use crate::feature::{Kind, OptionSpec, Values};

/// An option that feature names show.
pub(in crate::feature) const fn spelled(name: &'static str, alias: &'static str, kind: Kind) -> OptionSpec {
    OptionSpec { name, alias: Some(alias), kind, spelled: true }
}

/// A number within a range that feature names show.
pub(in crate::feature) const fn number(
    name: &'static str,
    alias: &'static str,
    default: f64,
    (low, high): (f64, f64),
) -> OptionSpec {
    spelled(name, alias, Kind::Double { default, low, high })
}

/// A bool that feature names do not show.
pub(in crate::feature) const fn silent(name: &'static str) -> OptionSpec {
    OptionSpec { name, alias: None, kind: Kind::Bool(false), spelled: false }
}

/// The options that `float_adm` has too.
pub(in crate::feature) const COMMON: [OptionSpec; 9] = [
    number("adm_enhn_gain_limit", "egl", 100.0, (1.0, 100.0)),
    number("adm_norm_view_dist", "nvd", 3.0, (0.75, 24.0)),
    number("adm_noise_weight", "nw", 0.03125, (0.0, 1500.0)),
    number("adm_csf_scale", "scf", 1.0, (0.0, 50.0)),
    number("adm_csf_diag_scale", "scfd", 1.0, (0.0, 50.0)),
    number("adm_dlm_weight", "dlmw", 0.5, (0.0, 1.0)),
    number("adm_min_val", "min", 0.0, (0.0, 1.0)),
    spelled("adm_skip_scale0", "ssz", Kind::Bool(false)),
    silent("debug"),
];

/// The option table: what `float_adm` has too, and `own`.
pub(in crate::feature) const fn with_common<const N: usize>(own: &[OptionSpec]) -> [OptionSpec; N] {
    assert!(COMMON.len() + own.len() == N);
    let mut table = [COMMON[0]; N];
    let mut i = 0;
    while i < N {
        table[i] = if i < COMMON.len() { COMMON[i] } else { own[i - COMMON.len()] };
        i += 1;
    }
    table
}

/// The option table.
pub const TABLE: &[OptionSpec] = &with_common::<12>(&[
    spelled("adm_ref_display_height", "rdh", Kind::Int { default: 1080, low: 1, high: 4320 }),
    spelled("adm_csf_mode", "csf", Kind::Int { default: 0, low: 0, high: 3 }),
    silent("adm_skip_aim"),
]);

/// The options of one registration.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Whether to store the numerators and denominators too.
    pub debug: bool,
    /// Factor of the horizontal and vertical weights, with Barten's model only.
    pub csf_scale: f64,
    /// The same of the diagonal weight.
    pub csf_diag_scale: f64,
    /// Share of the detail loss in `adm3`.
    pub dlm_weight: f64,
    /// By how much enhanced contrast may count.
    pub gain_limit: f64,
    /// Viewing distance in heights of the display.
    pub view_distance: f64,
    /// Height of the display in rows.
    pub display_height: i32,
    /// Contrast sensitivity: 0 Watson, 1 Barten, 2 and 3 blended tables.
    pub csf_mode: i32,
    /// Weight of the noise floor.
    pub noise_weight: f64,
    /// Take the additive impairment as 0.
    pub skip_aim: bool,
    /// Leave the finest scale out.
    pub skip_scale0: bool,
    /// Floor of `adm3`.
    pub min_val: f64,
}

impl Options {
    /// Reads the values of the table.
    pub fn new(values: &Values) -> Self {
        Self {
            debug: values.bool("debug"),
            csf_scale: values.double("adm_csf_scale"),
            csf_diag_scale: values.double("adm_csf_diag_scale"),
            dlm_weight: values.double("adm_dlm_weight"),
            gain_limit: values.double("adm_enhn_gain_limit"),
            view_distance: values.double("adm_norm_view_dist"),
            display_height: values.int("adm_ref_display_height"),
            csf_mode: values.int("adm_csf_mode"),
            noise_weight: values.double("adm_noise_weight"),
            skip_aim: values.bool("adm_skip_aim"),
            skip_scale0: values.bool("adm_skip_scale0"),
            min_val: values.double("adm_min_val"),
        }
    }

    /// Viewing distance in rows of the display.
    pub fn distance_in_rows(&self) -> f64 {
        self.view_distance * f64::from(self.display_height)
    }
}

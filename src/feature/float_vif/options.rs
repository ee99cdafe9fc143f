// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The options of `float_vif` (section 2).
#![forbid(unsafe_code)]

use crate::error::{Error, Result};
use crate::feature::{Kind, OptionSpec, Values};

const fn spelled(name: &'static str, alias: &'static str, kind: Kind) -> OptionSpec {
    OptionSpec { name, alias: Some(alias), kind, spelled: true }
}

const fn number(
    name: &'static str,
    alias: &'static str,
    default: f64,
    (low, high): (f64, f64),
) -> OptionSpec {
    spelled(name, alias, Kind::Double { default, low, high })
}

/// The option table.
pub const TABLE: &[OptionSpec] = &[
    OptionSpec { name: "debug", alias: None, kind: Kind::Bool(false), spelled: false },
    number("vif_enhn_gain_limit", "egl", 100.0, (1.0, 100.0)),
    number("vif_kernelscale", "ks", 1.0, (0.1, 4.0)),
    number("vif_prescale", "ps", 1.0, (0.1, 4.0)),
    spelled("vif_prescale_method", "pm", Kind::Text(Some("nearest"))),
    number("vif_scale1_min_val", "s1miv", 0.0, (0.0, 1.0)),
    number("vif_scale2_min_val", "s2miv", 0.0, (0.0, 1.0)),
    number("vif_scale3_min_val", "s3miv", 0.0, (0.0, 1.0)),
    number("vif_sigma_nsq", "snsq", 2.0, (0.0, 5.0)),
    spelled("vif_skip_scale0", "ssclz", Kind::Bool(false)),
];

/// How pictures are resized before all else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// The sample above and to the left.
    Nearest,
    /// Between four samples.
    Bilinear,
    /// Between 4x4 samples.
    Bicubic,
    /// Between 9x9 samples.
    Lanczos4,
}

impl Method {
    fn new(name: &str) -> Result<Self> {
        match name {
            "nearest" => Ok(Self::Nearest),
            "bilinear" => Ok(Self::Bilinear),
            "bicubic" => Ok(Self::Bicubic),
            "lanczos4" => Ok(Self::Lanczos4),
            _ => Err(Error::invalid(format!(
                "float_vif: vif_prescale_method \"{name}\" is not one of nearest, bilinear, bicubic, lanczos4"
            ))),
        }
    }
}

/// The options of one registration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Emits numerators and denominators too.
    pub debug: bool,
    /// The highest gain from the reference to the distorted picture that counts as information.
    pub gain_limit: f64,
    /// Factor of the widths of all filters.
    pub kernelscale: f64,
    /// Factor of width and height before all else.
    pub prescale: f64,
    /// How that resize is done.
    pub method: Method,
    /// Lower bounds of the scores of scales 1 to 3.
    pub min_val: [f64; 3],
    /// Variance of the visual noise in squared steps of the 8-bit range.
    pub sigma_nsq: f64,
    /// Leaves out the statistic of scale 0.
    pub skip_scale0: bool,
}

impl Options {
    /// Reads the values of the table.
    pub fn new(values: &Values) -> Result<Self> {
        let min_val = ["vif_scale1_min_val", "vif_scale2_min_val", "vif_scale3_min_val"];
        Ok(Self {
            debug: values.bool("debug"),
            gain_limit: values.double("vif_enhn_gain_limit"),
            kernelscale: values.double("vif_kernelscale"),
            prescale: values.double("vif_prescale"),
            method: Method::new(values.text("vif_prescale_method").unwrap_or_default())?,
            min_val: min_val.map(|name| values.double(name)),
            sigma_nsq: values.double("vif_sigma_nsq"),
            skip_scale0: values.bool("vif_skip_scale0"),
        })
    }
}

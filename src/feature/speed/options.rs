// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The options of `speed_chroma` and `speed_temporal` (section 3).
#![forbid(unsafe_code)]

use super::entropy::Weights;
use super::resample::Method;
use crate::error::Result;
use crate::feature::float_vif::taps::check_kernelscale;
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

/// The rows that both tables share, with `last` behind them.
const fn table(last: OptionSpec) -> [OptionSpec; 7] {
    [
        number("speed_kernelscale", "ks", 1.0, (0.1, 4.0)),
        number("speed_prescale", "ps", 1.0, (0.1, 4.0)),
        spelled("speed_prescale_method", "psm", Kind::Text(Some("nearest"))),
        number("speed_sigma_nn", "snn", 0.29, (0.1, 2.0)),
        number("speed_nn_floor", "nnf", 0.0, (0.0, 1.0)),
        number("speed_max_val", "mxv", 1000.0, (0.0, 1000.0)),
        last,
    ]
}

/// The option table of `speed_chroma`.
pub static CHROMA: [OptionSpec; 7] =
    table(spelled("speed_weight_var_mode", "wvm", Kind::Int { default: 0, low: 0, high: 6 }));

/// The option table of `speed_temporal`.
pub static TEMPORAL: [OptionSpec; 7] = table(spelled("speed_use_ref_diff", "urd", Kind::Bool(false)));

/// What the two extractors have in common.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Width of the filters.
    pub kernel_scale: f32,
    /// Factor of the resampling before all else.
    pub prescale: f64,
    /// How to resample.
    pub method: Method,
    /// Variance of the neural noise.
    pub noise: f32,
    /// By how much of itself the noise is raised in the entropy under which a block is left out.
    pub noise_floor: f32,
    /// Whose variances weigh the entropies.
    pub weights: Weights,
}

impl Options {
    /// The options of `speed_chroma`.
    pub fn chroma(values: &Values) -> Result<Self> {
        Self::new(values, Weights::from_number(values.int("speed_weight_var_mode")))
    }

    /// The options of `speed_temporal`.
    pub fn temporal(values: &Values) -> Result<Self> {
        Self::new(values, Weights::Own)
    }

    fn new(values: &Values, weights: Weights) -> Result<Self> {
        Ok(Self {
            kernel_scale: kernel_scale(values.double("speed_kernelscale"))?,
            prescale: values.double("speed_prescale"),
            method: Method::from_name(values.text("speed_prescale_method").unwrap_or_default())?,
            noise: values.double("speed_sigma_nn") as f32,
            noise_floor: values.double("speed_nn_floor") as f32,
            weights,
        })
    }
}

/// The scale as the filters use it, if it is near one that has filters: the value given, not the one near it.
fn kernel_scale(value: f64) -> Result<f32> {
    let scale = value as f32;
    check_kernelscale("speed_kernelscale", scale).map(|()| scale)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feature::Dictionary;
    use crate::feature::float_vif::taps::KERNELSCALES;

    fn read(specs: &'static [OptionSpec], name: &str, value: &str) -> Result<Values> {
        let mut given = Dictionary::new();
        given.set(name, value);
        Values::read("speed", specs, &given)
    }

    #[test]
    fn kernel_scales_are_those_of_the_list_within_a_thousandth() {
        for known in KERNELSCALES {
            assert_eq!(kernel_scale(known.into()).unwrap(), known);
        }
        assert_eq!(kernel_scale(1.0009).unwrap(), 1.0009f32);
        for unknown in [1.0011, 0.9989, 0.1, 4.0, 2.5] {
            assert!(kernel_scale(unknown).is_err(), "{unknown}");
        }
    }

    #[test]
    fn values_out_of_range_are_refused() {
        for specs in [&CHROMA, &TEMPORAL] {
            for (name, bad) in [
                ("speed_kernelscale", ["0.09", "4.01", "x"]),
                ("speed_prescale", ["0.09", "4.01", "nan"]),
                ("speed_sigma_nn", ["0.09", "2.01", ""]),
                ("speed_nn_floor", ["-0.1", "1.01", "x"]),
                ("speed_max_val", ["-1", "1000.5", "inf"]),
            ] {
                for value in bad {
                    assert!(read(specs, name, value).is_err(), "{name}={value}");
                }
            }
        }
        for bad in ["-1", "7", "mean"] {
            assert!(read(&CHROMA, "speed_weight_var_mode", bad).is_err(), "{bad}");
        }
        assert!(read(&TEMPORAL, "speed_use_ref_diff", "1").is_err());
    }

    #[test]
    fn names_spell_what_differs_from_the_default() {
        let spelled = |specs, name, value| {
            read(specs, name, value).unwrap().spelled().into_iter().map(|pair| pair.1).collect::<Vec<_>>()
        };
        assert_eq!(spelled(&CHROMA, "speed_kernelscale", "2"), ["ks_2"]);
        assert_eq!(spelled(&CHROMA, "speed_prescale_method", "bilinear"), ["psm_bilinear"]);
        assert_eq!(spelled(&CHROMA, "speed_weight_var_mode", "5"), ["wvm_5"]);
        assert_eq!(spelled(&TEMPORAL, "speed_max_val", "45"), ["mxv_45"]);
        assert_eq!(spelled(&TEMPORAL, "speed_use_ref_diff", "true"), ["urd"]);
        assert!(spelled(&TEMPORAL, "speed_nn_floor", "0").is_empty());
    }
}

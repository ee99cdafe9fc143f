// SPDX-License-Identifier: BSD-2-Clause-Patent
//! What is done with a motion score once it is known, and its options: alike in [`motion`](super) and
//! [`float_motion`](crate::feature::float_motion).
#![forbid(unsafe_code)]

use crate::feature::{Kind, OptionSpec, Values};

/// A bool that feature names show.
pub(in crate::feature) const fn flag(name: &'static str, alias: &'static str) -> OptionSpec {
    OptionSpec { name, alias: Some(alias), kind: Kind::Bool(false), spelled: true }
}

const fn number(name: &'static str, alias: &'static str, default: f64, high: f64) -> OptionSpec {
    OptionSpec { name, alias: Some(alias), kind: Kind::Double { default, low: 0.0, high }, spelled: true }
}

/// Every score 0.
pub const FORCE_ZERO: OptionSpec = flag("motion_force_zero", "force_0");
/// See [`Shaping::blended`].
pub const BLEND_FACTOR: OptionSpec = number("motion_blend_factor", "mbf", 1.0, 1.0);
/// See [`Shaping::blended`].
pub const BLEND_OFFSET: OptionSpec = number("motion_blend_offset", "mbo", 40.0, 1000.0);
/// A factor for the frame rate.
pub const FPS_WEIGHT: OptionSpec = number("motion_fps_weight", "mfw", 1.0, 5.0);
/// The highest score.
pub const MAX_VAL: OptionSpec = number("motion_max_val", "mmxv", 10000.0, 10000.0);

/// The values of these options.
#[derive(Clone, Copy, Debug)]
pub struct Shaping {
    blend_factor: f64,
    blend_offset: f64,
    /// A factor for the frame rate.
    pub fps_weight: f64,
    max_val: f64,
}

impl Shaping {
    /// Reads the values of the table.
    pub fn new(values: &Values) -> Self {
        Self {
            blend_factor: values.double("motion_blend_factor"),
            blend_offset: values.double("motion_blend_offset"),
            fps_weight: values.double("motion_fps_weight"),
            max_val: values.double("motion_max_val"),
        }
    }

    /// At most the highest score.
    pub fn cap(&self, score: f64) -> f64 {
        smaller(score, self.max_val)
    }

    /// The score with what passes the offset counting less, capped.
    pub fn blended(&self, score: f64) -> f64 {
        let small = smaller(self.blend_offset, score);
        self.cap(score * self.blend_factor + (1.0 - self.blend_factor) * small)
    }
}

/// `a` where it is below `b`: also for NaN the comparison of the specification, unlike `f64::min`.
pub fn smaller(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

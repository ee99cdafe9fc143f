// SPDX-License-Identifier: BSD-2-Clause-Patent
//! `float_ssim`: structural similarity of luma, decimated to about 256 samples on the shorter side.

pub mod cpu;
pub mod scalar;
pub mod simd;

use super::ssim::decibel::Scale;
use super::ssim::{Means, check_area, flag};
use super::{Definition, Emitter, Kind, OptionSpec, Score, Setup, Traits, Values, on_cpu};
use crate::error::Result;

/// The extractor `float_ssim`.
pub static DEFINITION: Definition = Definition {
    name: "float_ssim",
    provides: &["float_ssim"],
    options: OPTIONS,
    // Equal pictures are infinitely many decibel, and the mean of no window is no number.
    traits: Traits { not_finite: true, ..Traits::PLAIN },
    make: |setup, values| {
        check_area(setup)?;
        let factor = values.int("scale").unsigned_abs() as usize;
        Ok(on_cpu(setup, cpu::Similarity::new(setup, factor)?, FloatSsim::new(setup, values)?))
    },
    twin: None,
};

const OPTIONS: &[OptionSpec] = &[
    flag("enable_lcs"),
    flag("enable_db"),
    flag("clip_db"),
    // The factor of the decimation; 0 lets it follow from the picture's size.
    OptionSpec {
        name: "scale",
        alias: None,
        kind: Kind::Int { default: 0, low: 0, high: 10 },
        spelled: false,
    },
];

/// From means to scores.
struct FloatSsim {
    scale: Scale,
    components: bool,
}

impl FloatSsim {
    fn new(setup: &Setup, values: &Values) -> Result<Self> {
        Ok(Self { scale: Scale::new(setup, values)?, components: values.bool("enable_lcs") })
    }
}

impl Score for FloatSsim {
    type Input = Means;

    fn score(&mut self, means: Means, emit: &mut Emitter<'_>) -> Result<()> {
        emit.set("float_ssim", self.scale.of(means.product.into()))?;
        if self.components {
            emit.set("float_ssim_l", means.luminance.into())?;
            emit.set("float_ssim_c", means.contrast.into())?;
            emit.set("float_ssim_s", means.structure.into())?;
        }
        Ok(())
    }
}

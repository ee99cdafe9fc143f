// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Similarities in decibel, `float_ssim.md` section 3.6.
#![forbid(unsafe_code)]

use crate::error::Result;
use crate::feature::depth::Depth;
use crate::feature::{Setup, Values};

/// How a score is written.
#[derive(Clone, Copy, Debug)]
pub enum Scale {
    /// As it is.
    Linear,
    /// In decibel, up to a highest value, which may be infinite.
    Decibel {
        /// The highest value.
        top: f64,
    },
}

impl Scale {
    /// As the options `enable_db` and `clip_db` say.
    pub fn new(setup: &Setup, values: &Values) -> Result<Self> {
        let top = if values.bool("clip_db") { limit(setup)? } else { f64::INFINITY };
        Ok(if values.bool("enable_db") { Self::Decibel { top } } else { Self::Linear })
    }

    /// The score as it is published.
    pub fn of(self, score: f64) -> f64 {
        match self {
            Self::Linear => score,
            Self::Decibel { top } => {
                let decibel = -10.0 * (1.0 - score).log10();
                // Not f64::min: where there is no logarithm, the score is the highest value.
                if decibel < top { decibel } else { top }
            }
        }
    }
}

/// What half a code value squared on one sample of the full luma makes, rounded up; the area in 32 bits.
fn limit(setup: &Setup) -> Result<f64> {
    let peak = f64::from((1u32 << Depth::new(setup.format.bpc)?.bits()) - 1);
    let mse = 0.5 / f64::from(setup.format.width.wrapping_mul(setup.format.height));
    Ok((10.0 * (peak * peak / mse).log10()).ceil())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::Level;
    use crate::picture::{Format, PixelFormat};

    fn limit_of(width: u32, height: u32, bpc: u32) -> f64 {
        let format = Format::new(PixelFormat::Yuv420, bpc, width, height).unwrap();
        limit(&Setup { format, level: Level::SCALAR, slots: 1 }).unwrap()
    }

    #[test]
    fn limits_are_those_of_the_specification() {
        let sizes = [(576, 324, 8), (576, 324, 10), (1920, 1080, 8), (1920, 1080, 16), (3840, 2160, 10)];
        assert_eq!(sizes.map(|(w, h, bpc)| limit_of(w, h, bpc)), [104.0, 116.0, 115.0, 163.0, 133.0]);
    }

    #[test]
    fn what_has_no_logarithm_is_the_highest_value() {
        let clipped = Scale::Decibel { top: 97.0 };
        assert_eq!([1.0, 1.5, f64::NAN].map(|score| clipped.of(score)), [97.0; 3]);
        assert_eq!(Scale::Decibel { top: f64::INFINITY }.of(1.0), f64::INFINITY);
        assert_eq!(clipped.of(0.9).to_bits(), (-10.0 * (1.0f64 - 0.9).log10()).to_bits());
        assert!(clipped.of(-1.0) < 0.0);
        assert!(Scale::Linear.of(f64::NAN).is_nan());
    }
}

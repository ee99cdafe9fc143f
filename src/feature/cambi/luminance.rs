// SPDX-License-Identifier: BSD-2-Clause-Patent
//! From luma levels to luminance (ITU-R BT.1886, SMPTE ST 2084), and the levels at which a step becomes visible.
//!
//! Levels are those of limited range at 10 bits, whatever the video's own depth and range.
#![forbid(unsafe_code)]

use crate::error::{Error, Result};

/// The level of black.
const FOOT: i32 = 64;
/// The level of white.
const HEAD: i32 = 940;
/// The highest level of 10 bits.
const HIGHEST: i32 = 1023;

/// A transfer function from a level to light.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfer {
    /// ITU-R BT.1886, for white of 300 cd/m^2 and black of 0.01.
    Bt1886,
    /// SMPTE ST 2084, perceptual quantiser.
    Pq,
}

impl Transfer {
    /// The function of this name.
    pub fn by_name(name: &str) -> Result<Self> {
        match name {
            "bt1886" => Ok(Self::Bt1886),
            "pq" => Ok(Self::Pq),
            _ => Err(Error::invalid(format!("cambi: no such eotf: \"{name}\"; bt1886 and pq are known"))),
        }
    }

    /// Luminance of `level` in cd/m^2.
    fn luminance(self, level: i32) -> f64 {
        let signal = f64::from(level.clamp(FOOT, HEAD) - FOOT) / f64::from(HEAD - FOOT);
        match self {
            Self::Bt1886 => bt1886(signal),
            Self::Pq => pq(signal),
        }
    }

    /// Whether the eye tells `level` from the level `step` above it.
    fn is_visible(self, level: i32, step: i32, threshold: f64) -> bool {
        let luminance = self.luminance(level);
        self.luminance(level + step) - luminance > threshold * luminance
    }

    /// The highest level at which `step` is visible, 0 for none, 1023 for every one.
    ///
    /// The very bisection is part of the definition at the ends of the range.
    pub fn visibility_limit(self, step: i32, threshold: f64) -> i32 {
        let side = |level| {
            let [here, above] = [level, level + 1].map(|level| self.is_visible(level, step, threshold));
            if !here {
                Side::Below
            } else if above {
                Side::Above
            } else {
                Side::Here
            }
        };
        let (mut low, mut high) = (FOOT, HEAD - step - 1);
        match (side(low), side(high)) {
            (Side::Below, _) => return 0,
            (Side::Here, _) => return low,
            (_, Side::Above) => return HIGHEST,
            (_, Side::Here) => return high,
            _ => {}
        }
        loop {
            let middle = low + (high - low) / 2;
            match side(middle) {
                Side::Here => return middle,
                Side::Below => high = middle,
                Side::Above => low = middle,
            }
        }
    }

    /// The lowest level that is as light as `luminance`, in cd/m^2; 0 if that is black itself.
    pub fn level_of(self, luminance: f64) -> i32 {
        let level = (FOOT..HEAD).find(|&level| self.luminance(level) >= luminance).unwrap_or(HEAD);
        if level == FOOT { 0 } else { level }
    }
}

/// Where the limit lies, seen from a level.
enum Side {
    Below,
    Here,
    Above,
}

fn bt1886(signal: f64) -> f64 {
    const WHITE: f64 = 300.0;
    const BLACK: f64 = 0.01;
    const GAMMA: f64 = 2.4;
    let [white, black] = [WHITE, BLACK].map(|light| light.powf(1.0 / GAMMA));
    let lift = black / (white - black);
    (white - black).powf(GAMMA) * (signal + lift).max(0.0).powf(GAMMA)
}

fn pq(signal: f64) -> f64 {
    const M1: f64 = 0.1593017578125;
    const M2: f64 = 78.84375;
    const C1: f64 = 0.8359375;
    const C2: f64 = 18.8515625;
    const C3: f64 = 18.6875;
    let power = signal.powf(1.0 / M2);
    10_000.0 * ((power - C1).max(0.0) / (C2 - C3 * power)).powf(1.0 / M1)
}

#[cfg(test)]
mod tests {
    use super::Transfer::{Bt1886, Pq};
    use super::*;

    #[test]
    fn names_are_exact() {
        assert_eq!([Transfer::by_name("bt1886").unwrap(), Transfer::by_name("pq").unwrap()], [Bt1886, Pq]);
        for name in ["", "PQ", "bt1886 ", "hlg"] {
            assert!(Transfer::by_name(name).is_err());
        }
    }

    #[test]
    fn luminance_of_levels() {
        let near = |got: f64, expected: f64| (got - expected).abs() <= 1e-6 * expected.max(1.0);
        assert!(near(Bt1886.luminance(400), 31.689340) && near(Pq.luminance(400), 27.048765));
        assert!(near(bt1886(0.5), 58.716634039821685) && near(bt1886(1.0), 300.0));
        assert!(near(pq(0.3), 10.03822631051175) && near(pq(1.0), 10_000.0) && pq(0.0) == 0.0);
        assert_eq!(Bt1886.luminance(0), Bt1886.luminance(64));
        assert_eq!(Pq.luminance(1023), Pq.luminance(940));
    }

    #[test]
    fn limits_of_steps() {
        let limits = |transfer: Transfer, threshold, count| -> Vec<i32> {
            (1..=count).map(|step| transfer.visibility_limit(step, threshold)).collect()
        };
        assert_eq!(limits(Bt1886, 0.019, 8), [178, 305, 432, 559, 686, 813, 1023, 1023]);
        assert_eq!(limits(Bt1886, 0.05, 8), [100, 149, 197, 246, 295, 344, 392, 441]);
        assert_eq!(limits(Bt1886, 1.0, 6), [0, 0, 0, 0, 66, 69]);
        assert_eq!(limits(Bt1886, 0.0001, 1), [1023]);
        assert_eq!(limits(Pq, 0.019, 3), [233, 1023, 1023]);
        assert_eq!(limits(Pq, 0.05, 5), [110, 179, 277, 433, 1023]);
    }

    #[test]
    fn levels_of_luminances() {
        let levels = |transfer: Transfer, luminances: &[f64]| -> Vec<i32> {
            luminances.iter().map(|&luminance| transfer.level_of(luminance)).collect()
        };
        assert_eq!(levels(Bt1886, &[0.0, 0.06, 1.0, 5.0, 100.0, 300.0]), [0, 78, 135, 214, 614, 940]);
        assert_eq!(levels(Pq, &[0.0, 0.01, 1.0, 5.0, 100.0, 300.0]), [0, 83, 196, 282, 510, 609]);
    }
}

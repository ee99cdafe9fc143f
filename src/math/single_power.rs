// SPDX-License-Identifier: BSD-2-Clause-Patent
//! x^p of floats for an exponent that is known when a stream begins (`math.md`, 4.7).
#![forbid(unsafe_code)]

use super::double_double::{Dd, dd, polynomial, product, quotient, sum};
use super::exponential::{exp2_words, log2_words};
use super::tables::RECIPROCAL_CENTRES;
use super::{rounded, series};

/// The octaves of the floats, subnormal ones included.
const OCTAVES: std::ops::RangeInclusive<i32> = -149..=127;
/// Beyond these powers of two every result is 0, or infinite, whatever the significand adds.
const SCALES: (f64, f64) = (-400.0, 400.0);
/// Degree of the fast values' series: the next term is below 2^-61 for exponents up to 20.
const FAST_DEGREE: usize = 14;
/// Degree of the exact values' series: the next term is below 2^-104.
const DEGREE: usize = 26;

/// x^p for one p from 1 to 20: the float of the correctly rounded double power.
#[derive(Clone, Debug)]
pub struct SinglePower {
    /// 2^(p e) for each octave.
    octaves: Box<[Dd]>,
    /// c^p for the centres of the intervals.
    centres: [Dd; 16],
    /// Binomial coefficients.
    series: [Dd; DEGREE + 1],
}

/// x = 2^e (c + offset), c the centre of one of sixteen intervals of a significand.
struct Reduced {
    octave: usize,
    interval: usize,
    offset: f64,
}

/// The middle of an interval.
fn centre(interval: usize) -> f64 {
    1.0 + (2 * interval + 1) as f64 / 32.0
}

impl Reduced {
    fn new(x: f32) -> Self {
        let bits = f64::from(x).to_bits();
        let octave = ((bits >> 52) as i32 - 1023 - OCTAVES.start()) as usize;
        let interval = (bits >> 48 & 15) as usize;
        let significand = f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52);
        Self { octave, interval, offset: significand - centre(interval) }
    }
}

impl SinglePower {
    /// For the exponent `p`, 1 to 20.
    pub fn new(p: f32) -> Self {
        let p = f64::from(p);
        let octave = |e: i32| {
            let scale = product(p, f64::from(e));
            if scale.high < SCALES.0 || scale.high > SCALES.1 {
                return Dd::from(2f64.powf(scale.high.clamp(SCALES.0, SCALES.1)));
            }
            exp2_words(scale)
        };
        let centres = std::array::from_fn(|k| exp2_words(Dd::from(p) * log2_words(centre(k))));
        Self { octaves: OCTAVES.map(octave).collect(), centres, series: binomials(p) }
    }

    /// x^p of a finite x >= 0.
    pub fn of(&self, x: f32) -> f32 {
        if x == 0.0 {
            return 0.0;
        }
        let fast = self.fast(x);
        rounded(fast, fast * 2f64.powi(-47), || self.exact_words(x).high)
    }

    /// x^p of a finite x > 0 within 2^-47 of its size.
    fn fast(&self, x: f32) -> f64 {
        let Reduced { octave, interval, offset } = Reduced::new(x);
        let t = self.octaves[octave].high * self.centres[interval].high;
        let z = offset * RECIPROCAL_CENTRES[interval].high;
        t + t * (z * series(z, &self.series[1..=FAST_DEGREE]))
    }

    pub(super) fn exact_words(&self, x: f32) -> Dd {
        let Reduced { octave, interval, offset } = Reduced::new(x);
        let z = quotient(offset, centre(interval));
        self.octaves[octave] * self.centres[interval] * polynomial(z, &self.series)
    }

    #[cfg(test)]
    pub(super) fn fast_value(&self, x: f32) -> f64 {
        self.fast(x)
    }
}

/// p over j, j from 0 on: each from the one before.
fn binomials(p: f64) -> [Dd; DEGREE + 1] {
    let mut coefficients = [dd(1.0, 0.0); DEGREE + 1];
    for j in 0..DEGREE {
        let next = j as f64 + 1.0;
        coefficients[j + 1] = coefficients[j] * sum(p, -(j as f64)) * quotient(1.0, next);
    }
    coefficients
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Powers: x^2.4 and x^(1/3) of doubles, x^7 of floats (`math.md`, 4.1 to 4.3).
#![forbid(unsafe_code)]

use super::double_double::{Dd, ordered_sum, polynomial, product, quotient};
use super::series;
use super::tables::*;

/// The lowest exponent of two in the tables; they reach up to 20.
const LOWEST: i32 = -8;

/// x^p for one p; x from 2^-8 to 2^21.
#[derive(Clone, Copy, Debug)]
pub struct Power {
    octaves: &'static [Dd; 29],
    centres: &'static [Dd; 16],
    series: &'static [Dd],
}

/// x^2.4, the exponent being the double nearest 2.4.
pub static POWER_2_4: Power =
    Power { octaves: &POWER_2_4_OCTAVES, centres: &POWER_2_4_CENTRES, series: &POWER_2_4_SERIES };

/// x^(1/3), the exponent being the double nearest 1/3: no cube root.
pub static POWER_1_3: Power =
    Power { octaves: &POWER_1_3_OCTAVES, centres: &POWER_1_3_CENTRES, series: &POWER_1_3_SERIES };

/// Degree of the fast values' series.
const FAST_DEGREE: usize = 9;

/// x = 2^e (c + offset), c the centre of one of sixteen intervals of a mantissa.
struct Reduced {
    octave: usize,
    interval: usize,
    centre: f64,
    offset: f64,
}

impl Reduced {
    fn new(x: f64) -> Self {
        let bits = x.to_bits();
        let octave = ((bits >> 52) as i32 - 1023 - LOWEST) as usize;
        let mantissa = bits & ((1 << 52) - 1) | 1023 << 52;
        let centre = f64::from_bits(mantissa & !((1 << 48) - 1) | 1 << 47);
        let offset = f64::from_bits(mantissa) - centre;
        Self { octave, interval: (bits >> 48 & 15) as usize, centre, offset }
    }
}

impl Power {
    /// x^p within 2^-50 of its size.
    pub fn fast(&self, x: f64) -> f64 {
        let Reduced { octave, interval, offset, .. } = Reduced::new(x);
        let t = self.octaves[octave].high * self.centres[interval].high;
        let z = offset * RECIPROCAL_CENTRES[interval].high;
        t + t * (z * series(z, &self.series[1..=FAST_DEGREE]))
    }

    /// x^p correctly rounded (`math.md` section 5 on what that means).
    pub fn exact(&self, x: f64) -> f64 {
        self.exact_words(x).high
    }

    pub(super) fn exact_words(&self, x: f64) -> Dd {
        let Reduced { octave, interval, centre, offset } = Reduced::new(x);
        let z = quotient(offset, centre);
        self.octaves[octave] * self.centres[interval] * polynomial(z, self.series)
    }
}

/// x^7 correctly rounded to a double: for every float, without any test.
pub fn power_7(x: f32) -> f64 {
    let x = f64::from(x);
    let square = x * x;
    let (cube, fourth) = (product(square, x), product(square, square));
    let p = product(cube.high, fourth.high);
    ordered_sum(p.high, p.low + (cube.high * fourth.low + cube.low * fourth.high)).high
}

/// x^7 correctly rounded to a float wherever that is a normal number.
pub fn power_7_f32(x: f32) -> f32 {
    let x = f64::from(x);
    let square = x * x;
    ((square * square) * (square * x)) as f32
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The statistic of [`scalar::terms`](crate::feature::float_vif::scalar::terms) in lanes.

use super::lanes::Lanes;
use crate::feature::float_vif::scalar::{Constants, EPSILON};
use crate::math::LOG2_COEFFICIENTS;

/// Constants in vectors.
#[derive(Clone, Copy)]
pub struct Statistic<L: Lanes> {
    lanes: L,
    zero: L::Floats,
    one: L::Floats,
    epsilon: L::Floats,
    gain_limit: L::Floats,
    /// A variance is below the noise if, and only if, it is below this float.
    noise_bound: L::Floats,
    flat_slope: L::Floats,
    inverse_noise: L::Floats,
    noise: f64,
}

/// Whether a variance below [`EPSILON`] is below the noise, too, 1 + variance / noise in doubles has no other rounding
/// than in floats, as the noise is a power of two and the quotient exact, and all logarithms are of finite numbers.
pub fn is_simple(constants: &Constants) -> bool {
    let noise = constants.noise;
    let fraction = noise.to_bits() & ((1 << 52) - 1);
    noise >= f64::from(EPSILON) && fraction == 0
}

/// The first float that is not below `x`.
fn float_from(x: f64) -> f32 {
    let nearest = x as f32;
    if f64::from(nearest) < x { nearest.next_up() } else { nearest }
}

impl<L: Lanes> Statistic<L> {
    #[inline(always)]
    pub fn new(lanes: L, constants: &Constants) -> Self {
        let splat = |x| lanes.splat(x);
        Self {
            lanes,
            zero: splat(0.0),
            one: splat(1.0),
            epsilon: splat(EPSILON),
            gain_limit: splat(constants.gain_limit),
            noise_bound: splat(float_from(constants.noise)),
            flat_slope: splat(constants.flat_slope),
            inverse_noise: splat((1.0 / constants.noise) as f32),
            noise: constants.noise,
        }
    }

    /// Numerators and denominators. `SIMPLE` as [`is_simple`] says.
    ///
    /// The gain is 0 where a variance counts as none, and the numerator log 1 = 0; where the gain would be negative,
    /// so is the covariance, and the numerator 0 again.
    #[inline(always)]
    pub fn terms<const SIMPLE: bool>(&self, moments: [L::Floats; 5]) -> [L::Floats; 2] {
        let [mean1, mean2, square1, square2, product] = moments;
        let l = self.lanes;
        let mut variance1 = l.max(square1 - mean1 * mean1, self.zero);
        let variance2 = l.max(square2 - mean2 * mean2, self.zero);
        let mut nothing = l.less(variance2, self.epsilon);
        if !SIMPLE {
            let none = l.less(variance1, self.epsilon);
            variance1 = l.select(none, self.zero, variance1);
            nothing = l.either(nothing, none);
        }
        let flat = l.less(variance1, self.noise_bound);
        let flat_numerator = self.one - variance2 * self.flat_slope;
        if l.all(flat) {
            return [flat_numerator, self.one];
        }
        let covariance = product - mean1 * mean2;
        let gain = covariance / (variance1 + self.epsilon);
        let rest = l.max(variance2 - gain * covariance, self.epsilon);
        let gain = l.min(gain, self.gain_limit);
        let signal = l.one_plus_quotient(gain * gain * variance1, rest, self.noise);
        nothing = l.either(nothing, l.less(covariance, self.zero));
        let numerator = l.clear(nothing, self.log2::<SIMPLE>(signal));
        [l.select(flat, flat_numerator, numerator), self.denominator::<SIMPLE>(variance1, flat)]
    }

    #[inline(always)]
    fn denominator<const SIMPLE: bool>(&self, variance: L::Floats, flat: L::Mask) -> L::Floats {
        let l = self.lanes;
        if SIMPLE {
            // Where the variance is below the noise this is below 2, of which the logarithm is the 1 that is due.
            let information = self.one + variance * self.inverse_noise;
            return self.log2::<true>(l.max(information, self.one + self.one));
        }
        let information = l.one_plus_quotient(variance, self.zero, self.noise);
        l.select(flat, self.one, self.log2::<false>(information))
    }

    /// [`log2_polynomial`](crate::math::log2_polynomial) of each lane, all of them `FINITE` or not.
    #[inline(always)]
    fn log2<const FINITE: bool>(&self, x: L::Floats) -> L::Floats {
        let m = self.lanes.mantissa(x) - self.one;
        let [highest, rest @ ..] = LOG2_COEFFICIENTS;
        let mut polynomial = self.lanes.splat(highest);
        for c in rest {
            polynomial = polynomial * m + self.lanes.splat(c);
        }
        let exponent = if FINITE { self.lanes.exponent(x) } else { self.lanes.exponent_field(x) };
        exponent + polynomial * m
    }
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Sections 5.5 and 5.6 of the specification, on registers: from the moments of samples to their sums.
#![forbid(unsafe_code)]

use super::lanes::{Lanes, Stage};
use super::stages::Moments;
use crate::feature::vif::sums::Sums;
use crate::feature::vif::tables::{EPSILON, NOISE};

/// Samples that wait for their logarithms: once there are so many, it is worth while.
pub const ENOUGH: usize = 256;

/// Columns of a row at most, so that [`Busy`] has room for them.
pub const WIDEST: usize = 256;

/// Room for the samples of a row behind those that wait, and for what a register is too long.
const ROOM: usize = ENOUGH + WIDEST + 32;

/// Samples whose reference is not flat, waiting for their logarithms: variances of reference and distorted picture,
/// covariances.
pub struct Busy {
    reference: [i32; ROOM],
    distorted: [i32; ROOM],
    covariance: [i32; ROOM],
    count: usize,
}

impl Default for Busy {
    fn default() -> Self {
        Self { reference: [0; ROOM], distorted: [0; ROOM], covariance: [0; ROOM], count: 0 }
    }
}

impl Busy {
    /// How many wait.
    pub fn count(&self) -> usize {
        self.count
    }

    #[inline(always)]
    fn push<L: Lanes>(&mut self, lanes: L, mask: L::Mask, values: [L::Ints; 3]) {
        let at = self.count;
        let [reference, distorted, covariance] = values;
        lanes.store_lanes(&mut self.reference[at..], lanes.pack(mask, reference));
        lanes.store_lanes(&mut self.distorted[at..], lanes.pack(mask, distorted));
        lanes.store_lanes(&mut self.covariance[at..], lanes.pack(mask, covariance));
        self.count = at + lanes.count(mask);
    }
}

/// The variances of one row's samples: sums of the flat ones, while the others go to `busy`.
pub struct Variances<'a, L: Lanes> {
    /// Of the horizontal pass.
    pub moments: &'a [Moments<L>],
    /// Columns of the strip, at most [`WIDEST`].
    pub columns: usize,
    /// Where samples wait, fewer than [`ENOUGH`].
    pub busy: &'a mut Busy,
}

impl<L: Lanes> Stage<L> for Variances<'_, L> {
    type Output = Sums;

    #[inline(always)]
    fn run(self, lanes: L) -> Sums {
        let noise = lanes.splat(NOISE as i32);
        let (mut flat, mut flat_variance) = (0, lanes.zero());
        for (block, moments) in self.moments.iter().enumerate() {
            let left = self.columns - L::WORDS * block;
            for parity in 0..2 {
                let inside = lanes.first((left + 1 - parity) / 2);
                let [m1, m2, x, y, z] = moments.each_ref().map(|sums| sums[parity]);
                let reference = lanes.sub(x, lanes.mul_round_high(m1, m1));
                let distorted = lanes.sub(y, lanes.mul_round_high(m2, m2));
                let distorted = lanes.max(distorted, lanes.zero());
                let covariance = lanes.sub(z, lanes.mul_round_high(m1, m2));
                let busy = lanes.not_below(inside, reference, noise);
                let quiet = lanes.without(inside, busy);
                flat += lanes.count(quiet);
                flat_variance = lanes.add_wide(flat_variance, lanes.keep(quiet, distorted));
                self.busy.push(lanes, busy, [reference, distorted, covariance]);
            }
        }
        let flat_variance = lanes.sum_wide(flat_variance);
        Sums { flat: flat as i64, flat_variance, ..Sums::default() }
    }
}

/// The arguments of the logarithms, in the place of what `busy` holds: variance of the reference with noise, what is
/// left of the distorted picture's variance with noise, the same with the gain's part.
pub struct Gains<'a> {
    /// The samples.
    pub busy: &'a mut Busy,
    /// The highest gain that counts as information.
    pub limit: f64,
}

impl<L: Lanes> Stage<L> for Gains<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, lanes: L) {
        let Busy { reference, distorted, covariance, count } = self.busy;
        let (limit, noise) = (lanes.splat_double(self.limit), lanes.splat(NOISE as i32));
        // Lanes behind the last sample add nothing: with all three 0, the logarithms are those of the noise.
        for values in [&mut *reference, &mut *distorted, &mut *covariance] {
            lanes.store_lanes(&mut values[*count..], lanes.zero());
        }
        for at in (0..*count).step_by(L::LANES) {
            let (v1, v2) = (lanes.load_lanes(&reference[at..]), lanes.load_lanes(&distorted[at..]));
            let cov = lanes.load_lanes(&covariance[at..]);
            let is_gain = lanes.not_below(lanes.first(L::LANES), lanes.min(cov, v2), lanes.splat(1));
            let (rest, top) = gain(lanes, v1, v2, cov, limit);
            let base = lanes.add(rest, noise);
            lanes.store_lanes(&mut reference[at..], lanes.add(v1, noise));
            lanes.store_lanes(&mut distorted[at..], base);
            lanes.store_lanes(&mut covariance[at..], lanes.add(base, lanes.keep(is_gain, top)));
        }
    }
}

/// What the gain leaves of the variance `v2`, 0 where `cov` is negative, and what it makes of the variance `v1`, for
/// positive `cov` only.
#[inline(always)]
fn gain<L: Lanes>(lanes: L, v1: L::Ints, v2: L::Ints, cov: L::Ints, limit: L::Doubles) -> (L::Ints, L::Ints) {
    let (epsilon, zero) = (lanes.splat_double(EPSILON), lanes.splat_double(0.0));
    let (v1, v2, cov) = (lanes.to_doubles(v1), lanes.to_doubles(v2), lanes.to_doubles(cov));
    let (mut rest, mut top) = (v1, v1);
    for i in 0..2 {
        let gain = lanes.div_doubles(cov[i], lanes.add_doubles(v1[i], epsilon));
        rest[i] = lanes.sub_doubles(v2[i], lanes.mul_doubles(gain, cov[i]));
        rest[i] = lanes.max_doubles(rest[i], zero);
        let gain = lanes.min_doubles(gain, limit);
        top[i] = lanes.mul_doubles(lanes.mul_doubles(gain, gain), v1[i]);
    }
    (lanes.truncate(rest), lanes.truncate(top))
}

/// The sums of the logarithms that [`Gains`] prepared; no sample waits any more.
pub struct Logarithms<'a>(pub &'a mut Busy);

impl<L: Lanes> Stage<L> for Logarithms<'_> {
    type Output = Sums;

    #[inline(always)]
    fn run(self, lanes: L) -> Sums {
        let Busy { reference, distorted, covariance, count } = self.0;
        let logs = lanes.logs();
        let (mut numerator, mut denominator) = (lanes.zero(), lanes.zero());
        for at in (0..*count).step_by(L::LANES) {
            let noisy = lanes.log(logs, lanes.load_lanes(&reference[at..]));
            let base = lanes.log(logs, lanes.load_lanes(&distorted[at..]));
            let top = lanes.log(logs, lanes.load_lanes(&covariance[at..]));
            denominator = lanes.add(denominator, noisy);
            numerator = lanes.add(numerator, lanes.sub(top, base));
        }
        *count = 0;
        Sums { numerator: lanes.sum(numerator), denominator: lanes.sum(denominator), ..Sums::default() }
    }
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Filters, statistic and sums of `float_vif` (sections 6 to 8): every operation rounded as its type says, in the
//! order in which the specification has them.
#![forbid(unsafe_code)]

use super::source::{Source, mirror};
use crate::math::log2_polynomial;

/// Below this a variance counts as none; it keeps divisors above 0, too.
pub const EPSILON: f32 = 1.0e-10;

/// Sums of the statistic over samples.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sums {
    /// Information that the distorted picture has of the reference.
    pub numerator: f32,
    /// Information in the reference.
    pub denominator: f32,
}

impl Sums {
    /// The sums with one more term, or with the next row's sums.
    pub fn plus(self, next: Self) -> Self {
        Self { numerator: self.numerator + next.numerator, denominator: self.denominator + next.denominator }
    }
}

/// Constants of the statistic.
#[derive(Clone, Copy, Debug)]
pub struct Constants {
    /// The highest gain that counts.
    pub gain_limit: f32,
    /// Variance of the visual noise.
    pub noise: f64,
    /// What the distorted picture's variance takes off where the reference is flat.
    pub flat_slope: f32,
}

impl Constants {
    /// From the options' values.
    pub fn new(gain_limit: f64, noise: f64) -> Self {
        let single = noise as f32;
        let flat_slope = (f64::from(single * single) / 65025.0) as f32;
        Self { gain_limit: gain_limit as f32, noise, flat_slope }
    }
}

/// Weighted means over the window around a sample: of the reference, of the distorted picture, of the square of each,
/// of their product.
pub type Moments = [f32; 5];

/// The terms of one sample (section 7). As there, later conditions take precedence.
pub fn terms(moments: Moments, constants: &Constants) -> Sums {
    let [mean1, mean2, square1, square2, product] = moments;
    let mut variance1 = (square1 - mean1 * mean1).max(0.0);
    let variance2 = (square2 - mean2 * mean2).max(0.0);
    let covariance = product - mean1 * mean2;
    let mut gain = covariance / (variance1 + EPSILON);
    let mut rest = variance2 - gain * covariance;
    if variance1 < EPSILON {
        (gain, rest, variance1) = (0.0, variance2, 0.0);
    }
    if variance2 < EPSILON {
        (gain, rest) = (0.0, 0.0);
    }
    if gain < 0.0 {
        (gain, rest) = (0.0, variance2);
    }
    rest = rest.max(EPSILON);
    gain = gain.min(constants.gain_limit);
    let wide = f64::from(variance1);
    if wide < constants.noise {
        return Sums { numerator: 1.0 - variance2 * constants.flat_slope, denominator: 1.0 };
    }
    let signal = f64::from(gain * gain * variance1) / (f64::from(rest) + constants.noise);
    let numerator = if covariance < 0.0 { 0.0 } else { log2_polynomial((1.0 + signal) as f32) };
    Sums { numerator, denominator: log2_polynomial(quotient_plus_one(wide, constants.noise)) }
}

/// 1 + variance / noise. Without noise and variance that is not a number, of which the sign and the fraction would be
/// the machine's choice.
fn quotient_plus_one(variance: f64, noise: f64) -> f32 {
    let value = (1.0 + variance / noise) as f32;
    if value.is_nan() { f32::from_bits(0x7fc0_0000) } else { value }
}

/// What a row is worked in.
#[derive(Debug, Default)]
pub struct Lines {
    /// One row of both pictures.
    pictures: [Vec<f32>; 2],
    /// A row filtered down the columns, with as many samples to both sides as a filter reaches: of each moment.
    filtered: [Vec<f32>; 5],
    /// A row filtered both ways: of each moment.
    moments: [Vec<f32>; 5],
}

/// Filters along a row of which `padded` has the reflected samples too; keeps every `step`-th sample.
fn filter_row(taps: &[f32], padded: &[f32], step: usize, out: &mut [f32]) {
    for (out, window) in out.iter_mut().zip(padded.windows(taps.len()).step_by(step)) {
        *out = taps.iter().zip(window).fold(0.0, |sum, (tap, sample)| sum + tap * sample);
    }
}

/// Makes `line` a row of zeros with room to both sides.
fn clear(line: &mut Vec<f32>, width: usize, half: usize) {
    line.clear();
    line.resize(width + 2 * half, 0.0);
}

/// Reflects samples to both sides.
fn pad(line: &mut [f32], half: usize) {
    let width = line.len() - 2 * half;
    for i in 0..half {
        line[i] = line[half + mirror(i as isize - half as isize, width)];
        line[half + width + i] = line[half + mirror((width + i) as isize, width)];
    }
}

fn add_row(tap: f32, samples: impl Iterator<Item = f32>, sums: &mut [f32]) {
    sums.iter_mut().zip(samples).for_each(|(sum, sample)| *sum += tap * sample);
}

/// Rows of the tap `k` of a filter around row `y`.
fn tap_row(y: usize, k: usize, half: usize, height: usize) -> usize {
    mirror((y + k) as isize - half as isize, height)
}

/// The sums of row `y`.
pub fn row(
    pictures: [&Source<'_>; 2],
    taps: &[f32],
    constants: &Constants,
    y: usize,
    lines: &mut Lines,
) -> Sums {
    let (width, height, half) = (pictures[0].width(), pictures[0].height(), taps.len() / 2);
    let Lines { pictures: [reference, distorted], filtered, moments } = lines;
    filtered.iter_mut().for_each(|line| clear(line, width, half));
    for (k, &tap) in taps.iter().enumerate() {
        for (line, picture) in [&mut *reference, &mut *distorted].into_iter().zip(pictures) {
            line.resize(width, 0.0);
            picture.read(tap_row(y, k, half, height), 0..width, line);
        }
        let (r, d) = (|| reference.iter().copied(), || distorted.iter().copied());
        let [mean1, mean2, square1, square2, product] =
            filtered.each_mut().map(|line| &mut line[half..half + width]);
        add_row(tap, r(), mean1);
        add_row(tap, d(), mean2);
        add_row(tap, r().map(|r| r * r), square1);
        add_row(tap, d().map(|d| d * d), square2);
        add_row(tap, r().zip(d()).map(|(r, d)| r * d), product);
    }
    for (line, moment) in filtered.iter_mut().zip(moments.iter_mut()) {
        pad(line, half);
        moment.resize(width, 0.0);
        filter_row(taps, line, 1, moment);
    }
    let at = |x: usize| moments.each_ref().map(|moment| moment[x]);
    (0..width).map(|x| terms(at(x), constants)).fold(Sums::default(), Sums::plus)
}

/// Row `y` of the next scale's picture: every second row and column of the filtered picture.
pub fn low_pass(picture: &Source<'_>, taps: &[f32], y: usize, lines: &mut Lines, out: &mut [f32]) {
    let (width, height, half) = (picture.width(), picture.height(), taps.len() / 2);
    let (line, filtered) = (&mut lines.pictures[0], &mut lines.filtered[0]);
    clear(filtered, width, half);
    line.resize(width, 0.0);
    for (k, &tap) in taps.iter().enumerate() {
        picture.read(tap_row(2 * y, k, half, height), 0..width, line);
        add_row(tap, line.iter().copied(), &mut filtered[half..half + width]);
    }
    pad(filtered, half);
    filter_row(taps, filtered, 2, out);
}

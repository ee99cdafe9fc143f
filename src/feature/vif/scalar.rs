// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The arithmetic of `vif`, section 5 of its specification, in its own stages.
#![forbid(unsafe_code)]

use super::sums::Sums;
use super::tables::{EPSILON, NOISE, NOISE_LOG, TAPS, WIDEST_HALF, log};
use super::task::{Stripe, Task, mirrored};

/// Samples as planes hold them.
pub trait Sample: Copy + Into<u32> {}

impl Sample for u8 {}
impl Sample for u16 {}

/// One row of filtered values, as long as the widest picture so far.
#[derive(Default)]
pub struct Lines {
    /// Sums of the vertical pass before they are rounded.
    sums: Vec<u64>,
    /// Rounded sums of reference, distorted, reference^2, distorted^2 and their product, with room for the
    /// mirrored samples on both sides.
    filtered: [Vec<u32>; 5],
}

/// The sums over the rows of `stripe`; fills the rows of the next scale.
pub fn stripe<T: Sample>(task: &Task<'_, T>, stripe: Stripe<'_>, lines: &mut Lines) -> Sums {
    lines.fit(task.width());
    let mut sums = Sums::default();
    if task.statistic {
        let border = lent_column(task, lines);
        sums = stripe.rows.clone().map(|y| row(task, y, border, lines)).sum();
    }
    let [reference, distorted] = stripe.low;
    for (plane, low) in [reference, distorted].into_iter().enumerate() {
        for (y, low) in stripe.rows.clone().step_by(2).zip(low.chunks_mut(stripe.stride)) {
            low_pass(task, plane, y, low, lines);
        }
    }
    sums
}

impl Lines {
    fn fit(&mut self, width: usize) {
        if self.sums.len() < width {
            self.sums.resize(width, 0);
            self.filtered.iter_mut().for_each(|line| line.resize(width + 2 * WIDEST_HALF, 0));
        }
    }
}

/// Rounds to nearest while shifting, halves up.
fn round_shift(value: u64, shift: u32) -> u64 {
    (value + ((1 << shift) >> 1)) >> shift
}

/// A row of both pictures, mirrored at the borders, section 5.2. A single row has one of the scale before above
/// and below, section 8.1.
fn rows<'a, T>(task: &Task<'a, T>, y: isize) -> [&'a [T]; 2] {
    match task.before {
        Some(before) if task.height() == 1 && y != 0 => {
            before.planes.each_ref().map(|plane| &plane.row(1)[..task.width()])
        }
        _ => task.planes.each_ref().map(|plane| plane.row(mirrored(y, task.height()))),
    }
}

/// The vertical pass around row `y`: sums of `value` of the two samples, one a column.
fn vertical<T: Sample>(
    task: &Task<'_, T>,
    taps: &[u32],
    y: usize,
    value: impl Fn(u32, u32) -> u32,
    sums: &mut [u64],
) {
    sums.fill(0);
    let first = y as isize - taps.len() as isize / 2;
    for (y, &tap) in (first..).zip(taps) {
        let [reference, distorted] = rows(task, y);
        for ((sum, &r), &d) in sums.iter_mut().zip(reference).zip(distorted) {
            *sum += u64::from(tap) * u64::from(value(r.into(), d.into()));
        }
    }
}

/// The five rounded values of the vertical pass, section 5.3.
fn filter_columns<T: Sample>(task: &Task<'_, T>, y: usize, lines: &mut Lines) {
    let values: [fn(u32, u32) -> u32; 5] = [|r, _| r, |_, d| d, |r, _| r * r, |_, d| d * d, |r, d| r * d];
    let sums = &mut lines.sums[..task.width()];
    for (quantity, (value, filtered)) in values.into_iter().zip(&mut lines.filtered).enumerate() {
        vertical(task, task.taps(), y, value, sums);
        for (filtered, &sum) in filtered[WIDEST_HALF..].iter_mut().zip(&*sums) {
            *filtered = match quantity {
                0 | 1 => round_shift(sum, task.mean_shift()) as u16 as u32,
                _ => round_shift(sum, task.square_shift()) as u32,
            };
        }
    }
}

/// What stands left and right of a single column, section 8.1: column 1 in the last row of the scale before.
fn lent_column<T: Sample>(task: &Task<'_, T>, lines: &mut Lines) -> Option<[u32; 5]> {
    let before = task.before.filter(|_| task.width() == 1)?;
    lines.fit(before.width());
    filter_columns(before, before.height() - 1, lines);
    Some([0, 1, 2, 3, 4].map(|quantity| lines.filtered[quantity][WIDEST_HALF + 1]))
}

/// Mirrors `half` values beyond both ends of the `width` values in `line`.
fn mirror(line: &mut [u32], width: usize, half: usize) {
    for i in 1..=half {
        line[WIDEST_HALF - i] = line[WIDEST_HALF + mirrored(-(i as isize), width)];
        let right = width - 1 + i;
        line[WIDEST_HALF + right] = line[WIDEST_HALF + mirrored(right as isize, width)];
    }
}

/// The horizontal pass at column `x`.
fn horizontal(taps: &[u32], line: &[u32], x: usize) -> u64 {
    let window = &line[WIDEST_HALF + x - taps.len() / 2..];
    taps.iter().zip(window).map(|(&tap, &value)| u64::from(tap) * u64::from(value)).sum()
}

/// The sums over row `y`.
fn row<T: Sample>(task: &Task<'_, T>, y: usize, border: Option<[u32; 5]>, lines: &mut Lines) -> Sums {
    let (taps, width) = (task.taps(), task.width());
    filter_columns(task, y, lines);
    for (quantity, line) in lines.filtered.iter_mut().enumerate() {
        match border {
            Some(border) => [line[WIDEST_HALF - 1], line[WIDEST_HALF + 1]] = [border[quantity]; 2],
            None => mirror(line, width, taps.len() / 2),
        }
    }
    let terms = |x| {
        let sums = lines.filtered.each_ref().map(|line| horizontal(taps, line, x));
        terms(Moments::new(sums), task.gain_limit)
    };
    (0..width).map(terms).sum()
}

/// Variances and covariance around a sample, in units of 1/65536 of a squared step of the 8-bit range.
struct Moments {
    reference: i32,
    distorted: i32,
    covariance: i32,
}

impl Moments {
    /// Section 5.5: from the sums of the horizontal pass. What does not fit 32 bits wraps.
    fn new([mean_r, mean_d, square_r, square_d, product]: [u64; 5]) -> Self {
        let difference = |sum: u64, a: u64, b: u64| {
            let squared_mean = (a * b + (1 << 31)) >> 32;
            (round_shift(sum, 16) as u32).wrapping_sub(squared_mean as u32) as i32
        };
        Self {
            reference: difference(square_r, mean_r, mean_r),
            distorted: difference(square_d, mean_d, mean_d).max(0),
            covariance: difference(product, mean_r, mean_d),
        }
    }
}

/// Section 5.6: what one sample adds to the sums.
fn terms(moments: Moments, gain_limit: f64) -> Sums {
    let Moments { reference, distorted, covariance } = moments;
    if i64::from(reference) < i64::from(NOISE) {
        return Sums { flat_variance: distorted.into(), flat: 1, ..Sums::default() };
    }
    let denominator = i64::from(log(u64::from(reference as u32 + NOISE)) - NOISE_LOG);
    if covariance <= 0 || distorted == 0 {
        return Sums { denominator, ..Sums::default() };
    }
    let (reference, distorted, covariance) =
        (f64::from(reference), f64::from(distorted), f64::from(covariance));
    let gain = covariance / (reference + EPSILON);
    let rest = ((distorted - gain * covariance) as i32).max(0);
    let gain = gain.min(gain_limit);
    let base = u64::from(rest as u32 + NOISE);
    let top = (gain * gain * reference) as u64 + base;
    Sums { numerator: i64::from(log(top) - log(base)), denominator, ..Sums::default() }
}

/// Row `y` of one picture, low-passed by the next scale's filter, at even columns: section 5.8.
fn low_pass<T: Sample>(task: &Task<'_, T>, plane: usize, y: usize, low: &mut [u16], lines: &mut Lines) {
    let taps = TAPS[task.scale + 1];
    let sums = &mut lines.sums[..task.width()];
    vertical(task, taps, y, |r, d| [r, d][plane], sums);
    let line = &mut lines.filtered[0];
    for (filtered, &sum) in line[WIDEST_HALF..].iter_mut().zip(&*sums) {
        *filtered = round_shift(sum, task.mean_shift()) as u16 as u32;
    }
    mirror(line, task.width(), taps.len() / 2);
    for (x, low) in low.iter_mut().take(task.width() / 2).enumerate() {
        *low = round_shift(horizontal(taps, line, 2 * x), 16) as u16;
    }
}

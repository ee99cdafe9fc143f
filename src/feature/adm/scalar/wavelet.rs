// SPDX-License-Identifier: BSD-2-Clause-Patent
//! One step of the Daubechies-2 wavelet (sections 5.1 to 5.3).
#![forbid(unsafe_code)]

use super::super::plan::Scale;
use crate::picture::Plane;

/// Taps of the low-pass filter.
pub const LOW: [i32; 4] = [15826, 27411, 7345, -4240];
/// Taps of the high-pass filter, which add up to 0.
pub const HIGH: [i32; 4] = [-4240, -7345, 27411, -15826];

/// Where the samples under the taps of output `k` lie in a line of `n`: mirrored at the start without repeating
/// the first, at the end repeating the last. A line of one sample has no other.
pub fn taps(k: usize, n: usize) -> [usize; 4] {
    let first = if k == 0 { 1 } else { 2 * k - 1 };
    [first, 2 * k, 2 * k + 1, 2 * k + 2].map(|p| if p < n { p } else { (2 * n - 1).saturating_sub(p) })
}

fn filter(taps: &[i32; 4], samples: [i32; 4]) -> i64 {
    taps.iter().zip(samples).map(|(&tap, sample)| i64::from(tap) * i64::from(sample)).sum()
}

/// The low bits that the reference keeps of a band: 16 at scale 0, 32 above.
pub fn wrap(scale: &Scale, value: i64) -> i32 {
    if scale.index == 0 { i32::from(value as i16) } else { value as i32 }
}

/// A row of a picture after the vertical pass: low-pass and high-pass.
pub type Lines = [Vec<i32>; 2];

/// Filters the rows around row `y` of the bands; `middle` is what the samples are centred on.
pub fn vertical<S: Copy + Into<i32>>(
    plane: &Plane<'_, S>,
    scale: &Scale,
    y: usize,
    middle: i32,
    lines: &mut Lines,
) {
    let rows = taps(y, plane.height()).map(|row| plane.row(row));
    let [low, high] = lines;
    for (x, (low, high)) in low.iter_mut().zip(high).enumerate() {
        let samples = rows.map(|row| row[x].into() - middle);
        *low = wrap(scale, scale.rounding[0].apply(filter(&LOW, samples)));
        *high = wrap(scale, scale.rounding[0].apply(filter(&HIGH, samples)));
    }
}

/// Filters a line by `filter_taps`. `before` is what stands left of its first sample.
fn horizontal(line: &[i32], before: i32, filter_taps: &[i32; 4], scale: &Scale, band: &mut [i32]) {
    for (k, out) in band.iter_mut().enumerate() {
        let mut samples = taps(k, line.len()).map(|x| line[x]);
        if k == 0 {
            samples[0] = before;
        }
        *out = wrap(scale, scale.rounding[1].apply(filter(filter_taps, samples)));
    }
}

/// A row of the four bands of a picture.
#[derive(Clone, Debug, Default)]
pub struct Bands {
    /// Low-low.
    pub low: Vec<i32>,
    /// h: high-pass downwards, low-pass across; v: the reverse; d: high-pass both ways.
    pub detail: [Vec<i32>; 3],
}

/// The bands of both pictures from their lines.
pub fn bands(lines: &[Lines; 2], scale: &Scale, out: &mut [Bands; 2]) {
    let before = left_of(lines, scale);
    for ((lines, before), bands) in lines.iter().zip(before).zip(out) {
        let [low, high] = lines;
        let [h, v, d] = &mut bands.detail;
        horizontal(low, before[0], &LOW, scale, &mut bands.low);
        horizontal(low, before[0], &HIGH, scale, v);
        horizontal(high, before[1], &LOW, scale, h);
        horizontal(high, before[1], &HIGH, scale, d);
    }
}

/// What stands left of each line: the mirrored sample, except for bands two columns wide. There the reference
/// reads the word before its line; its lines follow one another in memory, and published scores hold that word.
fn left_of(lines: &[Lines; 2], scale: &Scale) -> [[i32; 2]; 2] {
    if scale.width > 2 {
        return [0, 1].map(|picture: usize| [0, 1].map(|line: usize| lines[picture][line][1]));
    }
    let last = |line: &Vec<i32>| line[line.len() - 1];
    let [[reference_low, reference_high], [distorted_low, _]] = lines;
    [[0, last(reference_low)], [last(reference_high), last(distorted_low)]]
}

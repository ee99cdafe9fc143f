// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The reference arithmetic, row by row, in the stages of the specification.
#![forbid(unsafe_code)]

use std::ops::Range;

use super::plan::{Plan, Scale};
use super::{Input, Source, Stripes, Sums};
use crate::feature::adm::scalar::LowPass;
use crate::feature::adm::scalar::wavelet::taps;
use crate::math::{SinglePower, estimated_quotient};
use crate::picture::Plane;

/// Taps of the low-pass filter of the Daubechies-2 wavelet.
pub const LOW: [f32; 4] = [
    0.482_962_913_144_690_f64 as f32,
    0.836_516_303_737_469_f64 as f32,
    0.224_143_868_041_857_f64 as f32,
    -0.129_409_522_550_921_f64 as f32,
];
/// Taps of the high-pass filter.
pub const HIGH: [f32; 4] = [LOW[3], -LOW[2], LOW[1], -LOW[0]];
/// Squared cosine of one degree.
pub const COS_SQUARED: f32 = 0.999_695_4;
/// Added to what divides.
pub const NOT_ZERO: f32 = 1e-30;
/// Share of a coefficient in the thresholds around it.
pub const AROUND: f64 = 0.033_333_335_1;
/// Share of a coefficient in its own position's threshold.
pub const CENTRE: f64 = 0.066_666_670_1;

/// Values of the bands h, v, d at one position.
pub type Details = [f32; 3];

/// Four samples under a filter's taps, in the order of the taps (section 5.1).
fn filter(taps: &[f32; 4], samples: [f32; 4]) -> f32 {
    taps.iter().zip(samples).fold(0.0, |sum, (tap, sample)| sum + tap * sample)
}

/// The reference's part in the distorted picture (section 5.2); the rest of that is the additive part.
pub fn restored(reference: Details, distorted: Details, gain_limit: f64) -> Details {
    let dot = |a: Details, b: Details| a[0] * b[0] + a[1] * b[1];
    let product = dot(reference, distorted);
    let (o_squared, t_squared) = (dot(reference, reference), dot(distorted, distorted));
    let near = product >= 0.0 && product * product >= (COS_SQUARED * o_squared) * t_squared;
    [0, 1, 2].map(|band| {
        let (o, t) = (reference[band], distorted[band]);
        let restored = share(o, t) * o;
        if near { enhanced(restored, t, gain_limit) } else { restored }
    })
}

/// Which share of the reference's coefficient the distorted picture still has.
fn share(o: f32, t: f32) -> f32 {
    estimated_quotient(t, o + NOT_ZERO).clamp(0.0, 1.0)
}

/// Where both pictures have the same direction, contrast may also be enhanced up to a limit.
fn enhanced(restored: f32, distorted: f32, gain_limit: f64) -> f32 {
    let (most, distorted) = (f64::from(restored) * gain_limit, f64::from(distorted));
    if restored > 0.0 {
        most.min(distorted) as f32
    } else if restored < 0.0 {
        most.max(distorted) as f32
    } else {
        restored
    }
}

/// What a weighted coefficient adds to the thresholds around it (section 5.5).
pub fn mask_around(weighted: f32) -> f32 {
    (AROUND * f64::from(weighted.abs())) as f32
}

/// The threshold's running sum with what the position's own coefficient adds.
pub fn add_centre(sum: f32, weighted: f32) -> f32 {
    (f64::from(sum) + CENTRE * f64::from(weighted.abs())) as f32
}

/// How far a coefficient stands out of its threshold.
pub fn excess(weighted: f32, threshold: f32) -> f32 {
    let excess = weighted.abs() - threshold;
    if excess > 0.0 { excess } else { 0.0 }
}

/// The term of a coefficient in its sum (section 5.6).
pub fn term(power: Option<&SinglePower>, q: f32) -> f32 {
    power.map_or((q * q) * q, |power| power.of(q))
}

/// Rows of three bands.
type Bands = [Vec<f32>; 3];

/// A picture's rows after the vertical pass and after both.
#[derive(Clone, Default)]
struct Transformed {
    /// Low-pass and high-pass downwards.
    lines: [Vec<f32>; 2],
    low: Vec<f32>,
    details: Bands,
}

impl Transformed {
    fn new(scale: &Scale) -> Self {
        let (line, band) = (|| vec![0.0; scale.input[0]], || vec![0.0; scale.width]);
        Self { lines: [line(), line()], low: band(), details: [band(), band(), band()] }
    }

    fn transform<S: Source>(&mut self, plane: &Plane<'_, S>, inverse: f32, y: usize) {
        let rows = taps(y, plane.height()).map(|row| plane.row(row));
        let [low, high] = &mut self.lines;
        for (x, (low, high)) in low.iter_mut().zip(high).enumerate() {
            let samples = rows.map(|row| row[x].centred(inverse));
            *low = filter(&LOW, samples);
            *high = filter(&HIGH, samples);
        }
        let [low, high] = &self.lines;
        for k in 0..self.low.len() {
            let columns = taps(k, low.len());
            let (low, high) = (columns.map(|x| low[x]), columns.map(|x| high[x]));
            self.low[k] = filter(&LOW, low);
            self.details[0][k] = filter(&LOW, high);
            self.details[1][k] = filter(&HIGH, low);
            self.details[2][k] = filter(&HIGH, high);
        }
    }

    fn at(&self, x: usize) -> Details {
        [0, 1, 2].map(|band: usize| self.details[band][x])
    }
}

/// A row of the restored (0) or the additive part (1).
#[derive(Clone)]
struct Part {
    weighted: Bands,
    /// Each coefficient's share in the thresholds around it.
    around: Bands,
}

impl Part {
    fn new(scale: &Scale) -> Self {
        let bands = || [0, 1, 2].map(|_| vec![0.0; scale.width]);
        Self { weighted: bands(), around: bands() }
    }

    fn set(&mut self, x: usize, weighted: Details) {
        for (band, weighted) in weighted.into_iter().enumerate() {
            self.weighted[band][x] = weighted;
            self.around[band][x] = mask_around(weighted);
        }
    }
}

/// Work space for the stripes of one scale.
pub struct Rows {
    pictures: [Transformed; 2],
    /// Both parts of three rows.
    ring: [[Part; 2]; 3],
}

impl Rows {
    /// For `scale`.
    pub fn new(scale: &Scale) -> Self {
        let picture = || Transformed::new(scale);
        let parts = || [Part::new(scale), Part::new(scale)];
        Self { pictures: [picture(), picture()], ring: [parts(), parts(), parts()] }
    }
}

/// The reference arithmetic for a stream.
pub struct Reference {
    /// Sizes, weights, options.
    pub plan: Plan,
}

impl Reference {
    /// For the stream that `plan` was made for.
    pub fn new(plan: Plan) -> Self {
        Self { plan }
    }
}

impl Stripes for Reference {
    type Rows = Rows;

    fn rows(&self, index: usize) -> Rows {
        Rows::new(&self.plan.scales[index])
    }

    fn stripe<S: Source>(
        &self,
        index: usize,
        input: Input<'_, S>,
        rows: Range<usize>,
        mut low: Option<LowPass<'_, f32>>,
        sums: &mut [Sums],
        work: &mut Rows,
    ) {
        let scale = &self.plan.scales[index];
        let (touched, pooled) = (scale.window.touched(&rows, scale.height), scale.window.pooled(&rows));
        for y in rows.start.min(touched.start)..rows.end.max(touched.end) {
            for (plane, picture) in input.planes.iter().zip(&mut work.pictures) {
                picture.transform(plane, input.inverse, y);
            }
            if let (Some(low), true) = (&mut low, rows.contains(&y)) {
                store(low, y - rows.start, &work.pictures);
            }
            if touched.contains(&y) {
                decouple(&self.plan, scale, &work.pictures, &mut work.ring[y % 3]);
            }
            if pooled.contains(&y) {
                sums[y - rows.start].denominator = self.denominator(scale, &work.pictures[0]);
            }
            // Thresholds of a row need the row below, which for the last one is that row again.
            let last = (y + 1 == scale.height).then_some(y);
            for y in y.checked_sub(1).into_iter().chain(last).filter(|y| pooled.contains(y)) {
                let sums = &mut sums[y - rows.start];
                sums.restored = self.numerator(scale, y, 0, &work.ring);
                sums.additive = self.numerator(scale, y, 1, &work.ring);
            }
        }
    }
}

fn store(low: &mut LowPass<'_, f32>, row: usize, pictures: &[Transformed; 2]) {
    for (out, picture) in low.pictures.iter_mut().zip(pictures) {
        out[row * low.stride..][..picture.low.len()].copy_from_slice(&picture.low);
    }
}

fn decouple(plan: &Plan, scale: &Scale, pictures: &[Transformed; 2], parts: &mut [Part; 2]) {
    let weigh = |values: Details| [0, 1, 2].map(|band: usize| scale.weights[band] * values[band]);
    for x in 0..scale.width {
        let [o, t] = [0, 1].map(|picture: usize| pictures[picture].at(x));
        let restored = restored(o, t, plan.gain_limit);
        parts[0].set(x, weigh(restored));
        parts[1].set(x, weigh([0, 1, 2].map(|band| t[band] - restored[band])));
    }
}

impl Reference {
    fn denominator(&self, scale: &Scale, reference: &Transformed) -> Details {
        [0, 1, 2].map(|band| {
            let inside = &reference.details[band][scale.window.left..scale.window.right];
            let term = |&o: &f32| term(self.plan.power.as_ref(), (scale.weights[band] * o).abs());
            inside.iter().map(term).fold(0.0, |sum, term| sum + term)
        })
    }

    /// A row of `part`, masked by the other part.
    fn numerator(&self, scale: &Scale, y: usize, part: usize, ring: &[[Part; 2]; 3]) -> Details {
        // A band of one row is its own neighbour.
        let above = if y == 0 { 1.min(scale.height - 1) } else { y - 1 };
        let rows = [above, y, (y + 1).min(scale.height - 1)].map(|y| &ring[y % 3]);
        let mask = rows.map(|parts| &parts[1 - part]);
        let mut sums = [0.0; 3];
        for x in scale.window.left..scale.window.right {
            let threshold = if self.plan.masking { threshold(&mask, x, scale.width) } else { 0.0 };
            for (band, sum) in sums.iter_mut().enumerate() {
                let excess = excess(rows[1][part].weighted[band][x], threshold);
                *sum += term(self.plan.power.as_ref(), excess);
            }
        }
        sums
    }
}

/// The threshold at `x` from three rows of the masking part.
fn threshold(rows: &[&Part; 3], x: usize, width: usize) -> f32 {
    let left = if x == 0 { 1.min(width - 1) } else { x - 1 };
    let right = (x + 1).min(width - 1);
    let of_band = |band: usize| {
        let around = rows.map(|row| &row.around[band]);
        let sum = [left, x, right].iter().fold(0.0, |sum, &x| sum + around[0][x]);
        let sum = add_centre(sum + around[1][left], rows[1].weighted[band][x]) + around[1][right];
        [left, x, right].iter().fold(sum, |sum, &x| sum + around[2][x])
    };
    (0..3).fold(0.0, |sum, band| sum + of_band(band))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_those_of_the_specification() {
        let degree = (std::f64::consts::PI / 180.0).cos();
        assert_eq!(COS_SQUARED, (degree * degree) as f32);
        assert_eq!(f64::from(COS_SQUARED), 0.999_695_420_265_197_8);
        assert_eq!(HIGH[1], -0.224_143_868_041_857_f64 as f32);
    }

    #[test]
    fn equal_pictures_are_restored_whole() {
        let o = [3.5, -0.25, 100.0];
        assert_eq!(restored(o, o, 100.0), o);
        assert_eq!(restored([0.0; 3], o, 100.0), [0.0; 3]);
        // Neither the other direction nor the sign are restored.
        assert_eq!(restored(o, o.map(|o| -o), 100.0).map(f32::abs), [0.0; 3]);
        assert_eq!(restored([4.0, 0.0, 1.0], [0.0, 4.0, 8.0], 100.0), [0.0, 0.0, 1.0]);
    }

    #[test]
    fn enhanced_contrast_counts_up_to_the_limit() {
        assert_eq!(restored([1.0, -2.0, 4.0], [1.5, -3.0, 6.0], 100.0), [1.5, -3.0, 6.0]);
        assert_eq!(restored([1.0, -2.0, 4.0], [3.0, -6.0, 12.0], 1.2), [1.2, -2.4, 4.8]);
    }
}

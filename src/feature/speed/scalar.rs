// SPDX-License-Identifier: BSD-2-Clause-Patent
//! From a plane to the covariance of its blocks (sections 5.3 to 5.5), as the specification has it: single precision
//! but for the sums of the covariance, every operation rounded, all sums in order.
#![forbid(unsafe_code)]

use super::geometry::{BLOCK, Geometry, SIDE, STEP};
use super::map::Map;
use super::matrix::Matrix;
use super::resample::reach;
use super::source::Source;
use super::stage::{Front, Stage};

/// Row `row` of what is kept of a plane: filtered downwards, then along the row.
pub fn kept_row(front: &Front, source: &impl Source, row: usize, stage: &mut Stage, out: &mut [f32]) {
    let (taps, height) = (&front.filter, front.geometry.scaled[1]);
    let Stage { filtered, line, rows } = stage;
    filtered.fill(0.0);
    for (y, tap) in reach(row * STEP, taps.len(), height).zip(taps) {
        front.read(source, y, rows, line);
        filtered.iter_mut().zip(line.iter()).for_each(|(sum, sample)| *sum += tap * sample);
    }
    for (column, out) in out.iter_mut().enumerate() {
        *out = filter(filtered, column * STEP, taps);
    }
}

/// A row under the filter at `centre`.
#[inline(always)]
pub fn filter(row: &[f32], centre: usize, taps: &[f32]) -> f32 {
    let half = taps.len() / 2;
    if centre < half || centre + half >= row.len() {
        let samples = reach(centre, taps.len(), row.len()).map(|x| row[x]);
        return samples.zip(taps).fold(0.0, |sum, (sample, tap)| sum + tap * sample);
    }
    row[centre - half..].iter().zip(taps).fold(0.0, |sum, (sample, tap)| sum + tap * sample)
}

/// Takes the local mean off what was kept. `line` has room for a row.
#[inline(always)]
pub fn subtract_mean(kept: &Map, taps: &[f32], line: &mut [f32], out: &mut Map) {
    for row in 0..kept.height() {
        line.fill(0.0);
        for (y, tap) in reach(row, taps.len(), kept.height()).zip(taps) {
            line.iter_mut().zip(kept.row(y)).for_each(|(sum, sample)| *sum += tap * sample);
        }
        for (x, out) in out.row_mut(row).iter_mut().enumerate() {
            *out = kept.row(row)[x] - filter(line, x, taps);
        }
    }
}

/// The window of this number: the samples at one place of all blocks that overlap.
fn window<'a>(map: &'a Map, geometry: &Geometry, number: usize) -> impl Iterator<Item = f32> + use<'a> {
    let [width, height] = geometry.window();
    let (top, left) = (number / SIDE, number % SIDE);
    (top..top + height).flat_map(move |y| map.row(y)[left..][..width].iter().copied())
}

/// The mean of each window.
pub fn means(map: &Map, geometry: &Geometry) -> [f32; BLOCK] {
    let sum = |number| window(map, geometry, number).fold(0.0, |sum, sample| sum + sample);
    std::array::from_fn(|number| sum(number) / geometry.positions() as f32)
}

/// The covariance of each window with each.
pub fn covariance(map: &Map, geometry: &Geometry) -> Matrix {
    let means = means(map, geometry).map(f64::from);
    let mut matrix = Matrix::default();
    for x in 0..BLOCK {
        for y in 0..=x {
            let pairs = window(map, geometry, x).zip(window(map, geometry, y));
            let product = |(a, b): (f32, f32)| (f64::from(a) - means[x]) * (f64::from(b) - means[y]);
            let sum = pairs.map(product).fold(0.0, |sum, product| sum + product);
            matrix.set_both(x, y, (sum / geometry.positions() as f64) as f32);
        }
    }
    matrix
}

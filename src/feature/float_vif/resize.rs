// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The resize before all else (section 5). Weights and positions depend on the row or the column alone: tables.
#![forbid(unsafe_code)]

use std::f64::consts::PI;

use super::options::Method;
use super::source::{Source, mirror};
use crate::math;

/// Source samples of one output sample along an axis, as many as the method takes.
#[derive(Clone, Debug, Default)]
pub struct Window {
    /// Their positions.
    pub positions: Vec<usize>,
    /// What they are multiplied by. For `bilinear` the second one's distance and the first one's, 1 minus it.
    pub weights: Vec<f32>,
}

/// A resize between two sizes.
#[derive(Clone, Debug)]
pub struct Resize {
    method: Method,
    columns: Vec<Window>,
    rows: Vec<Window>,
}

impl Resize {
    /// From one size to another, both width and height.
    pub fn new(method: Method, from: (usize, usize), to: (usize, usize)) -> Self {
        Self { method, columns: windows(method, from.0, to.0), rows: windows(method, from.1, to.1) }
    }

    /// Row `y` of the output.
    pub fn row(&self, source: &Source<'_>, y: usize, out: &mut [f32]) {
        let row = &self.rows[y];
        for (out, column) in out.iter_mut().zip(&self.columns) {
            *out = match self.method {
                Method::Nearest => source.at(column.positions[0], row.positions[0]),
                Method::Bilinear | Method::Bicubic => weighted(source, column, row).0,
                Method::Lanczos4 => {
                    let (sum, weights) = weighted(source, column, row);
                    sum / weights
                }
            };
        }
    }
}

/// The weighted sum of a window, and the sum of its weights.
fn weighted(source: &Source<'_>, column: &Window, row: &Window) -> (f32, f32) {
    let (mut sum, mut weights) = (0.0, 0.0);
    for (&y, &down) in row.positions.iter().zip(&row.weights) {
        for (&x, &across) in column.positions.iter().zip(&column.weights) {
            let weight = across * down;
            weights += weight;
            sum += source.at(x, y) * weight;
        }
    }
    (sum, weights)
}

/// The windows of `to` output samples on an axis of `from` source samples.
fn windows(method: Method, from: usize, to: usize) -> Vec<Window> {
    let ratio = from as f32 / to as f32;
    let centre = |y: usize| ((y as f64 + 0.5) * f64::from(ratio) - 0.5) as f32;
    let window = |y: usize| match method {
        Method::Nearest => Window { positions: vec![(y as f32 * ratio) as usize], weights: vec![1.0] },
        Method::Bilinear => between(centre(y), from),
        Method::Bicubic => around(centre(y), from, -1..=2, cubic),
        Method::Lanczos4 => around(centre(y), from, -4..=4, lanczos4),
    };
    (0..to).map(window).collect()
}

/// The samples on both sides of `centre`. Where that is before the first sample, they are reflected but the distance
/// is not measured anew: an extrapolation.
fn between(centre: f32, size: usize) -> Window {
    let position = |i: f32| mirror(i as isize, size);
    let positions = vec![position(centre.floor()), position(centre.ceil())];
    let distance = centre - positions[0] as f32;
    Window { positions, weights: vec![1.0 - distance, distance] }
}

/// The samples at these offsets from the one before `centre`.
fn around(
    centre: f32,
    size: usize,
    offsets: std::ops::RangeInclusive<i16>,
    weight: fn(f32) -> f32,
) -> Window {
    let base = centre.floor();
    let fraction = centre - base;
    Window {
        positions: offsets.clone().map(|o| mirror(base as isize + isize::from(o), size)).collect(),
        weights: offsets.map(|o| weight(f32::from(o) - fraction)).collect(),
    }
}

/// Keys' cubic convolution with its parameter at -0.75.
fn cubic(x: f32) -> f32 {
    const A: f32 = -0.75;
    let t = x.abs();
    match t {
        _ if t < 1.0 => ((A + 2.0) * t - (A + 3.0)) * t * t + 1.0,
        _ if t < 2.0 => (((t - 5.0) * t + 8.0) * t - 4.0) * A,
        _ => 0.0,
    }
}

/// Lanczos' window of four samples to each side.
fn lanczos4(x: f32) -> f32 {
    if x == 0.0 {
        return 1.0;
    }
    if x.abs() >= 4.0 {
        return 0.0;
    }
    let x = f64::from(x);
    (4.0 * math::sin(PI * x) * math::sin(PI * x / 4.0) / (PI * PI * x * x)) as f32
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Resampling of planes (section 5.2). All four methods are sums over the taps of both axes, rows outside.
#![forbid(unsafe_code)]

use std::f64::consts::PI;

use super::source::Source;
use crate::error::{Error, Result};

/// How to resample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// The sample at or before the position.
    Nearest,
    /// Two samples each way.
    Bilinear,
    /// Four samples each way, a = -0.75.
    Bicubic,
    /// Nine samples each way, divided by the sum of the weights.
    Lanczos4,
}

impl Method {
    /// The method of this name.
    pub fn from_name(name: &str) -> Result<Self> {
        match name {
            "nearest" => Ok(Self::Nearest),
            "bilinear" => Ok(Self::Bilinear),
            "bicubic" => Ok(Self::Bicubic),
            "lanczos4" => Ok(Self::Lanczos4),
            _ => Err(Error::invalid(format!(
                "\"{name}\" is no speed_prescale_method; nearest, bilinear, bicubic and lanczos4 are"
            ))),
        }
    }
}

/// Which samples of one axis a resampled one is made of, and their weights.
#[derive(Clone, Debug)]
pub struct Axis {
    /// Taps of each resampled sample.
    reach: usize,
    places: Vec<u32>,
    weights: Vec<f32>,
}

/// The position `k` of `n`, reflected about the edge samples.
pub fn reflect(k: i64, n: usize) -> usize {
    let last = n as i64 - 1;
    let inside = if k < 0 { -k } else { k };
    (if inside > last { 2 * last - inside } else { inside }) as usize
}

/// The places that `taps` taps reach around `centre`.
pub fn reach(centre: usize, taps: usize, size: usize) -> impl Iterator<Item = usize> + Clone {
    let first = centre as i64 - (taps / 2) as i64;
    (first..first + taps as i64).map(move |k| reflect(k, size))
}

impl Axis {
    /// From `from` samples to `to`.
    pub fn new(from: usize, to: usize, method: Method) -> Self {
        let ratio = from as f32 / to as f32;
        let position = |i: usize| ((i as f64 + 0.5) * f64::from(ratio) - 0.5) as f32;
        let mut axis = Self { reach: 0, places: Vec::new(), weights: Vec::new() };
        for i in 0..to {
            match method {
                Method::Nearest => axis.push((i as f32 * ratio) as usize, 1.0),
                Method::Bilinear => axis.push_two(position(i), from),
                Method::Bicubic => axis.push_kernel(position(i), from, -1..=2, cubic),
                Method::Lanczos4 => axis.push_kernel(position(i), from, -4..=4, lanczos),
            }
        }
        axis.reach = axis.places.len() / to;
        axis
    }

    fn push(&mut self, place: usize, weight: f32) {
        self.places.push(place as u32);
        self.weights.push(weight);
    }

    /// The fraction is taken from the reflected place: before the first sample it is negative.
    fn push_two(&mut self, position: f32, from: usize) {
        let before = reflect(position.floor() as i64, from);
        let behind = reflect(position.ceil() as i64, from);
        let fraction = position - before as f32;
        self.push(before, 1.0 - fraction);
        self.push(behind, fraction);
    }

    fn push_kernel(
        &mut self,
        position: f32,
        from: usize,
        taps: std::ops::RangeInclusive<i64>,
        weight: fn(f32) -> f32,
    ) {
        let before = position.floor();
        let fraction = position - before;
        for tap in taps {
            self.push(reflect(before as i64 + tap, from), weight(tap as f32 - fraction));
        }
    }

    /// The same where each sample has `N`.
    #[inline(always)]
    fn taps_of<const N: usize>(&self, i: usize) -> (&[u32; N], &[f32; N]) {
        (&self.places.as_chunks().0[i], &self.weights.as_chunks().0[i])
    }

    fn taps(&self, i: usize) -> (&[u32], &[f32]) {
        let taps = i * self.reach..(i + 1) * self.reach;
        (&self.places[taps.clone()], &self.weights[taps])
    }
}

fn cubic(x: f32) -> f32 {
    let (t, a) = (x.abs(), -0.75f32);
    if t < 1.0 {
        ((a + 2.0) * t - (a + 3.0)) * t * t + 1.0
    } else if t < 2.0 {
        (((t - 5.0) * t + 8.0) * t - 4.0) * a
    } else {
        0.0
    }
}

fn lanczos(x: f32) -> f32 {
    let x = f64::from(x);
    if x == 0.0 {
        1.0
    } else if -4.0 < x && x < 4.0 {
        (4.0 * (PI * x).sin() * (PI * x / 4.0).sin() / (PI * PI * x * x)) as f32
    } else {
        0.0
    }
}

/// The tables of a stream.
#[derive(Clone, Debug)]
pub struct Resampling {
    across: Axis,
    down: Axis,
    /// Whether to divide by the sum of the weights.
    divided: bool,
}

impl Resampling {
    /// From planes of one size to another, width before height.
    pub fn new(from: [usize; 2], to: [usize; 2], method: Method) -> Self {
        let [across, down] = [0, 1].map(|axis| Axis::new(from[axis], to[axis], method));
        Self { across, down, divided: method == Method::Lanczos4 }
    }

    /// Rows of the source that a resampled one needs.
    pub fn reach(&self) -> usize {
        self.down.reach
    }

    /// Writes resampled row `y`; `rows` has room for [`Self::reach`] rows of the source.
    #[inline(always)]
    pub fn row(&self, source: &impl Source, y: usize, rows: &mut [f32], out: &mut [f32]) {
        let (places, weights) = self.down.taps(y);
        let width = source.width();
        for (row, &place) in rows.chunks_exact_mut(width).zip(places) {
            source.read(place as usize, 0, row);
        }
        for (x, out) in out.iter_mut().enumerate() {
            *out = self.sample(rows, width, weights, x);
        }
    }

    /// Writes the samples at `columns` of resampled row `y`. Each is made of `N` by `N` samples.
    #[inline(always)]
    pub fn samples<const N: usize>(
        &self,
        source: &impl Source,
        y: usize,
        columns: &[u32],
        rows: &mut [f32],
        out: &mut [f32],
    ) {
        let (places, weights) = self.down.taps_of::<N>(y);
        let width = source.width();
        for (row, &place) in rows.chunks_exact_mut(width).zip(places) {
            source.read(place as usize, 0, row);
        }
        let rows: [&[f32]; N] = std::array::from_fn(|j| &rows[j * width..][..width]);
        for &x in columns {
            let (places, across) = self.across.taps_of::<N>(x as usize);
            let (mut sum, mut total) = (0.0, 0.0);
            for j in 0..N {
                for i in 0..N {
                    let weight = across[i] * weights[j];
                    total += weight;
                    sum += rows[j][places[i] as usize] * weight;
                }
            }
            out[x as usize] = if self.divided { sum / total } else { sum };
        }
    }

    #[inline(always)]
    fn sample(&self, rows: &[f32], width: usize, weights: &[f32], x: usize) -> f32 {
        let (places, across) = self.across.taps(x);
        let (mut sum, mut total) = (0.0, 0.0);
        for (row, down) in rows.chunks_exact(width).zip(weights) {
            for (&place, across) in places.iter().zip(across) {
                let weight = across * down;
                total += weight;
                sum += row[place as usize] * weight;
            }
        }
        if self.divided { sum / total } else { sum }
    }
}

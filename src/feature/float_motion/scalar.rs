// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Blur, distance and half-size pictures, section 4: single precision, every operation rounded, in the order in
//! which the specification has them.
#![forbid(unsafe_code)]

use crate::feature::ssim::image::{FloatPlane, Image};

/// Samples at each side of its centre that the filter reaches.
pub const REACH: usize = 2;

/// Taps of the filter.
pub type Taps = [f32; 2 * REACH + 1];

/// The taps of a filter size. The shorter ones have zeros around, which add nothing to what is finite.
pub fn taps(filter_size: i32) -> Taps {
    match filter_size {
        1 => [0.0, 0.0, 1.0, 0.0, 0.0],
        3 => [0.0, 0.166_378_498, 0.667_243_004, 0.166_378_498, 0.0].map(single),
        _ => [0.054_488_685, 0.244_201_342, 0.402_619_947, 0.244_201_342, 0.054_488_685].map(single),
    }
}

fn single(tap: f64) -> f32 {
    tap as f32
}

/// The middle of the sample range, which becomes 0.
pub const MIDDLE: f32 = 128.0;

/// Where the sample `i` - [`REACH`] of a line of `n` is taken from: reflected about the edge samples. Taps beyond
/// a second reflection are zeros.
pub fn reflected(i: usize, n: usize) -> usize {
    let i = i.abs_diff(REACH);
    if i < n { i } else { (2 * n - 2).saturating_sub(i) }
}

/// Work space for rows of one width.
#[derive(Clone, Debug)]
pub struct Rows {
    samples: Vec<f32>,
    vertical: Vec<f32>,
    blurred: [Vec<f32>; 2],
}

impl Rows {
    /// For rows up to `width`.
    pub fn new(width: usize) -> Self {
        let row = || vec![0.0; width];
        Self { samples: row(), vertical: row(), blurred: [row(), row()] }
    }
}

/// Row `y` of an image, filtered downwards and then across.
pub fn blur(image: &Image<'_>, y: usize, taps: &Taps, rows: &mut Rows, out: &mut [f32]) {
    let width = image.width();
    let (samples, vertical) = (&mut rows.samples[..width], &mut rows.vertical[..width]);
    vertical.fill(0.0);
    for (k, tap) in taps.iter().enumerate() {
        image.read(reflected(y + k, image.height()), 0..width, samples);
        for (sum, sample) in vertical.iter_mut().zip(&*samples) {
            *sum += tap * (sample - MIDDLE);
        }
    }
    for (x, out) in out.iter_mut().enumerate() {
        let products = taps.iter().enumerate().map(|(k, tap)| tap * vertical[reflected(x + k, width)]);
        *out = products.fold(0.0, |sum, product| sum + product);
    }
}

/// The running sum of a row's distances.
pub fn distance(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + (a - b).abs())
}

/// The distances of blurred rows from `first` on.
pub fn distances(images: &[Image<'_>; 2], first: usize, sums: &mut [f32], taps: &Taps, rows: &mut Rows) {
    let width = images[0].width();
    let mut blurred = std::mem::take(&mut rows.blurred);
    for (y, sum) in (first..).zip(sums) {
        for (image, out) in images.iter().zip(&mut blurred) {
            blur(image, y, taps, rows, &mut out[..width]);
        }
        *sum = distance(&blurred[0][..width], &blurred[1][..width]);
    }
    rows.blurred = blurred;
}

/// Where one axis of a half-size picture takes its samples from: the lower and the upper one, and the upper's share.
#[derive(Clone, Debug)]
pub struct Grid(Vec<(usize, usize, f32)>);

impl Grid {
    /// For an axis of `n` samples.
    pub fn new(n: usize) -> Self {
        let halved = n.div_ceil(2);
        let ratio = n as f32 / halved as f32;
        let place = |j: usize| {
            let place = ((j as f64 + 0.5) * f64::from(ratio) - 0.5) as f32;
            (place.floor() as usize, place.ceil() as usize, place - place.floor())
        };
        Self((0..halved).map(place).collect())
    }

    /// Samples of the half-size axis.
    pub fn halved(&self) -> usize {
        self.0.len()
    }
}

/// The half-size picture's grids: across and downwards.
#[derive(Clone, Debug)]
pub struct Grids(pub [Grid; 2]);

impl Grids {
    /// The running sum of row `j` of both half-size pictures' distances.
    pub fn distance(&self, blurred: &[FloatPlane; 2], j: usize) -> f32 {
        let [across, down] = &self.0;
        let (above, below, fy) = down.0[j];
        let distance = |&(left, right, fx): &(usize, usize, f32)| {
            let [a, b] = blurred.each_ref().map(|plane| {
                let (a, b) = (plane.row(above), plane.row(below));
                ((1.0 - fy) * (1.0 - fx)) * a[left]
                    + ((1.0 - fy) * fx) * a[right]
                    + (fy * (1.0 - fx)) * b[left]
                    + (fy * fx) * b[right]
            });
            (a - b).abs()
        };
        across.0.iter().map(distance).fold(0.0, |sum, distance| sum + distance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_reflected_without_repeating_the_edge_sample() {
        let line = |n: usize| (0..n + 4).map(|i| reflected(i, n)).collect::<Vec<_>>();
        assert_eq!(line(3), [2, 1, 0, 1, 2, 1, 0]);
        assert_eq!(line(5), [2, 1, 0, 1, 2, 3, 4, 3, 2]);
        // Three taps reach one beyond.
        assert_eq!(line(2)[1..5], [1, 0, 1, 0]);
    }

    #[test]
    fn halves_of_even_axes_lie_between_two_samples() {
        assert_eq!(Grid::new(6).0, [(0, 1, 0.5), (2, 3, 0.5), (4, 5, 0.5)]);
        let odd = Grid::new(5).0;
        assert_eq!((odd.len(), odd[2].1), (3, 4));
        assert_eq!(Grid::new(1).0, [(0, 0, 0.0)]);
    }
}

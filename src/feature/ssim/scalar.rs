// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The arithmetic of `float_ssim.md` sections 3.2 to 3.5, a step at a time over whole pictures.
//!
//! Every operation rounds in the type it is written in, and sums run in the order in which they are written.
#![forbid(unsafe_code)]

use super::image::{FloatPlane, decimated, mirror};
use super::{Means, REACH};

/// The window along one axis.
pub const TAPS: [f32; 11] = [
    0.001028, 0.007599, 0.036001, 0.109361, 0.213006, 0.266012, 0.213006, 0.109361, 0.036001, 0.007599,
    0.001028,
];

/// Steadies the luminance term.
pub const C1: f32 = (0.01f32 * 255.0) * (0.01f32 * 255.0);
/// Steadies the contrast term.
pub const C2: f32 = (0.03f32 * 255.0) * (0.03f32 * 255.0);
/// Steadies the structure term.
pub const C3: f32 = C2 / 2.0;

/// Writes to `out` what a square kernel of `size` taps each way gives at every `factor`-th sample of `image`.
pub fn decimate(
    image: &FloatPlane,
    factor: usize,
    size: usize,
    kernel: impl Fn(usize, usize) -> f32,
    out: &mut FloatPlane,
) {
    let (width, height) = (image.width(), image.height());
    debug_assert_eq!((out.width(), out.height()), (decimated(width, factor), decimated(height, factor)));
    let position = |i: usize, k: usize, size_of_axis| {
        mirror((i * factor + k) as isize - (size / 2) as isize, size_of_axis)
    };
    for (y, row) in out.rows_mut().iter_mut().enumerate() {
        for (x, sample) in row.iter_mut().enumerate() {
            let mut sum = 0.0;
            for v in 0..size {
                let samples = image.row(position(y, v, height));
                for u in 0..size {
                    sum += f64::from(samples[position(x, u, width)] * kernel(v, u));
                }
            }
            *sample = sum as f32;
        }
    }
}

/// One window along one axis.
#[inline(always)]
pub fn window_sum(sample: impl Fn(usize) -> f32) -> f32 {
    let product = |k| f64::from(sample(k) * TAPS[k]);
    (1..TAPS.len()).fold(product(0), |sum, k| sum + product(k)) as f32
}

/// What the windows see of a pair.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// Weighted mean of the reference.
    pub reference: f32,
    /// Weighted mean of the distorted picture.
    pub distorted: f32,
    /// Weighted mean of the reference's squares.
    pub reference_square: f32,
    /// Weighted mean of the distorted picture's squares.
    pub distorted_square: f32,
    /// Weighted mean of the products.
    pub product: f32,
}

/// The three comparisons of one window, section 3.4.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Terms {
    /// Luminance.
    pub luminance: f64,
    /// Contrast.
    pub contrast: f64,
    /// Structure.
    pub structure: f64,
}

impl Window {
    /// Compares the two pictures in this window.
    #[inline(always)]
    pub fn terms(self) -> Terms {
        let (mr, md) = (self.reference, self.distorted);
        let vr = positive(self.reference_square - mr * mr);
        let vd = positive(self.distorted_square - md * md);
        let covariance = self.product - mr * md;
        let deviations = (vr * vd).sqrt();
        let covariance = if covariance < 0.0 && deviations <= 0.0 { 0.0 } else { covariance };
        Terms {
            luminance: (2.0 * f64::from(mr) * f64::from(md) + f64::from(C1))
                / f64::from(mr * mr + md * md + C1),
            contrast: (2.0 * f64::from(deviations) + f64::from(C2)) / f64::from(vr + vd + C2),
            structure: f64::from((covariance + C3) / (deviations + C3)),
        }
    }
}

#[inline(always)]
fn positive(variance: f32) -> f32 {
    if variance < 0.0 { 0.0 } else { variance }
}

/// The running sums of section 3.5.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sums {
    /// Of luminance times contrast times structure.
    pub product: f64,
    /// Of luminance.
    pub luminance: f64,
    /// Of contrast.
    pub contrast: f64,
    /// Of structure.
    pub structure: f64,
}

impl Sums {
    /// Adds the next window in raster order.
    pub fn add(&mut self, terms: Terms) {
        self.product += terms.luminance * terms.contrast * terms.structure;
        self.luminance += terms.luminance;
        self.contrast += terms.contrast;
        self.structure += terms.structure;
    }

    /// The published figures.
    pub fn means(self, windows: usize) -> Means {
        let mean = |sum: f64| (sum / windows as f64) as f32;
        Means {
            product: mean(self.product),
            luminance: mean(self.luminance),
            contrast: mean(self.contrast),
            structure: mean(self.structure),
        }
    }
}

/// Work space for pictures of one size.
#[derive(Debug)]
pub struct Maps {
    reference: FloatPlane,
    distorted: FloatPlane,
    rows: FloatPlane,
    blurred: [FloatPlane; 5],
}

impl Maps {
    /// For pictures of at least [`REACH`] + 1 samples each way.
    pub fn new(width: usize, height: usize) -> Self {
        let (columns, windows) = (width - REACH, height - REACH);
        Self {
            reference: FloatPlane::new(width, height),
            distorted: FloatPlane::new(width, height),
            rows: FloatPlane::new(columns, height),
            blurred: std::array::from_fn(|_| FloatPlane::new(columns, windows)),
        }
    }

    /// The two pictures, to be written.
    pub fn pictures(&mut self) -> [&mut FloatPlane; 2] {
        [&mut self.reference, &mut self.distorted]
    }

    /// Filters the pictures.
    pub fn blur(&mut self) {
        let (rows, [mr, md, rr, dd, rd]) = (&mut self.rows, &mut self.blurred);
        let (reference, distorted) = (&self.reference, &self.distorted);
        blur(|y, x| reference.row(y)[x], rows, mr);
        blur(|y, x| distorted.row(y)[x], rows, md);
        blur(|y, x| reference.row(y)[x] * reference.row(y)[x], rows, rr);
        blur(|y, x| distorted.row(y)[x] * distorted.row(y)[x], rows, dd);
        blur(|y, x| reference.row(y)[x] * distorted.row(y)[x], rows, rd);
    }

    /// The windows of row `y` of the filtered pictures.
    pub fn windows(&self, y: usize) -> impl Iterator<Item = Window> + '_ {
        (0..self.blurred[0].width()).map(move |x| {
            let [reference, distorted, reference_square, distorted_square, product] =
                self.blurred.each_ref().map(|map| map.row(y)[x]);
            Window { reference, distorted, reference_square, distorted_square, product }
        })
    }

    /// The means over all windows of the pictures.
    pub fn means(&mut self) -> Means {
        self.blur();
        let mut sums = Sums::default();
        for y in 0..self.blurred[0].height() {
            self.windows(y).for_each(|window| sums.add(window.terms()));
        }
        sums.means(self.blurred[0].width() * self.blurred[0].height())
    }
}

/// Filters along the rows into `rows`, then along the columns into `out`: valid positions only.
fn blur(sample: impl Fn(usize, usize) -> f32, rows: &mut FloatPlane, out: &mut FloatPlane) {
    for (y, row) in rows.rows_mut().iter_mut().enumerate() {
        for (x, sum) in row.iter_mut().enumerate() {
            *sum = window_sum(|k| sample(y, x + k));
        }
    }
    for (y, row) in out.rows_mut().iter_mut().enumerate() {
        for (x, sum) in row.iter_mut().enumerate() {
            *sum = window_sum(|k| rows.row(y + k)[x]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_those_of_the_specification() {
        assert_eq!([C1, C2, C3].map(f32::to_bits), [0x40d0_147a, 0x426a_1709, 0x41ea_1709]);
        let bits = [0x3a86_bdf5, 0x3bf9_0108, 0x3d13_75c9, 0x3ddf_f8a9, 0x3e5a_1e3f, 0x3e88_32ba];
        assert_eq!(std::array::from_fn(|k| TAPS[k].to_bits()), bits);
        assert_eq!(std::array::from_fn(|k| TAPS[10 - k].to_bits()), bits);
    }

    #[test]
    fn equal_windows_compare_as_one() {
        let flat = Window {
            reference: 0.0,
            distorted: 0.0,
            reference_square: 0.0,
            distorted_square: 0.0,
            product: 0.0,
        };
        assert_eq!(flat.terms(), Terms { luminance: 1.0, contrast: 1.0, structure: 1.0 });
        // A negative covariance of flat windows is an error of rounding.
        let rounded = Window { product: -0.001, ..flat };
        assert_eq!(rounded.terms().structure, 1.0);
    }
}

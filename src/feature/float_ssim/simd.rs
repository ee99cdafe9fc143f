// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The box filter at every instruction-set level: first down the columns, then along the row.
#![cfg_attr(not(target_arch = "x86_64"), forbid(unsafe_code))]

use super::scalar::{EXACT_FACTOR, tap};
use crate::cpu::{Kind, Level};
use crate::feature::ssim::image::{Image, mirror};

/// The decimation at one level.
#[derive(Clone, Copy, Debug)]
pub struct Kernel(unsafe fn(&Image<'_>, usize, usize, &mut [Vec<f32>], &mut Work));

/// The kernel of `level` for pictures of samples and a factor, if there is a faster one than the plain arithmetic.
/// Up to [`EXACT_FACTOR`] sums are exact, so that their order is free.
pub fn select(level: Level, factor: usize) -> Option<Kernel> {
    if factor > EXACT_FACTOR {
        return None;
    }
    match level.kind() {
        #[cfg(target_arch = "x86_64")]
        Kind::Avx2 => Some(Kernel(avx2)),
        #[cfg(target_arch = "x86_64")]
        Kind::Avx512 | Kind::Avx512Icl => Some(Kernel(avx512)),
        _ => None,
    }
}

impl Kernel {
    /// Writes rows of the decimated picture, the first of them being number `first`.
    pub fn rows(
        &self,
        image: &Image<'_>,
        factor: usize,
        first: usize,
        out: &mut [Vec<f32>],
        work: &mut Work,
    ) {
        // SAFETY: `select` took the function for a level that this CPU was seen to have.
        unsafe { (self.0)(image, factor, first, out, work) }
    }
}

/// Work space of some rows.
#[derive(Clone, Debug, Default)]
pub struct Work {
    row: Vec<f32>,
    /// Sums down the columns, with mirrored ends.
    sums: Vec<f64>,
}

#[inline(always)]
fn rows(image: &Image<'_>, factor: usize, first: usize, out: &mut [Vec<f32>], work: &mut Work) {
    let (width, before) = (image.width(), factor / 2);
    work.row.resize(width, 0.0);
    work.sums.resize(width + 2 * factor, 0.0);
    for (y, out) in (first..).zip(out) {
        let sums = &mut work.sums[before..][..width];
        sums.fill(0.0);
        for v in 0..factor {
            let y = mirror((y * factor + v) as isize - before as isize, image.height());
            add_row(image, y, tap(factor), &mut work.row, sums);
        }
        mirror_ends(&mut work.sums, before, width);
        for (out, sums) in out.iter_mut().zip(work.sums.chunks_exact(factor)) {
            *out = sums.iter().sum::<f64>() as f32;
        }
    }
}

#[inline(always)]
fn add_row(image: &Image<'_>, y: usize, tap: f32, row: &mut [f32], sums: &mut [f64]) {
    image.read(y, 0..row.len(), row);
    for (sum, sample) in sums.iter_mut().zip(row) {
        *sum += f64::from(*sample * tap);
    }
}

/// The columns beyond the edges are those as far inside.
#[inline(always)]
fn mirror_ends(sums: &mut [f64], before: usize, width: usize) {
    for x in (0..before).chain(before + width..sums.len()) {
        sums[x] = sums[before + mirror(x as isize - before as isize, width)];
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2(image: &Image<'_>, factor: usize, first: usize, out: &mut [Vec<f32>], work: &mut Work) {
    rows(image, factor, first, out, work);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn avx512(image: &Image<'_>, factor: usize, first: usize, out: &mut [Vec<f32>], work: &mut Work) {
    rows(image, factor, first, out, work);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feature::float_ssim::scalar::decimate;
    use crate::feature::ssim::image::{FloatPlane, decimated};
    use crate::feature::ssim::testing::{Owned, pictures};

    #[test]
    fn every_level_decimates_as_plain_arithmetic() {
        for (factor, (width, height)) in [
            (2, (22, 31)),
            (3, (33, 35)),
            (4, (97, 46)),
            (5, (113, 55)),
            (6, (70, 67)),
            (7, (91, 77)),
            (8, (89, 90)),
            (9, (101, 99)),
            (10, (203, 110)),
            (17, (187, 190)),
            (33, (370, 363)),
        ] {
            for (name, picture) in pictures(width, height, factor as u64) {
                // The box filter sees samples only: its sums of other floats would not be exact.
                if matches!(picture, Owned::Float(_)) {
                    continue;
                }
                let mut expected = FloatPlane::new(decimated(width, factor), decimated(height, factor));
                decimate(&picture.plane(), factor, &mut expected);
                for level in Level::available() {
                    let Some(kernel) = select(level, factor) else { continue };
                    let mut out = FloatPlane::new(expected.width(), expected.height());
                    let (upper, lower) = out.rows_mut().split_at_mut(expected.height() / 3);
                    let work = &mut Work::default();
                    kernel.rows(&picture.image(), factor, 0, upper, work);
                    kernel.rows(&picture.image(), factor, expected.height() / 3, lower, work);
                    for y in 0..out.height() {
                        let what = format!("{level:?}, {width}x{height} by {factor}, {name}, row {y}");
                        assert_eq!(out.row(y), expected.row(y), "{what}");
                    }
                }
            }
        }
    }

    #[test]
    fn factors_whose_sums_may_round_are_left_to_plain_arithmetic() {
        assert!(select(Level::detect(0), EXACT_FACTOR + 1).is_none());
    }
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! A strip's way down its pictures.
//!
//! Every row of a picture goes through five maps: the samples, their squares and their products. A map's row is
//! multiplied by the six distinct taps once; each window sum then adds eleven of these products. Downward likewise:
//! a row's six products go to the eleven window sums that are under way, so that a sum gets its rows from top to
//! bottom. The products of the next map are made while the sums of this one are added, as they use other parts
//! of the core.
//!
//! The code of a level is compiled as one function. Loops stand in place of iterators' closures, as a closure that is
//! not inlined would be compiled without the level's instructions.

use super::lanes::Lanes;
use super::{ColumnSums, Part, Rows, SAMPLES, STRIP, SUMS_STRIDE, Strip, UnorderedSums};
use crate::feature::ssim::mean::Unordered;
use crate::feature::ssim::scalar::{TAPS, Terms, Window};
use crate::feature::ssim::{REACH, Wanted};

/// The row in the products that tap `k` reads.
const fn distinct(k: usize) -> usize {
    if k < 6 { k } else { REACH - k }
}

/// The samples of map number `MAP` at `x`: reference, distorted, the square of each, their product.
///
/// # Safety
/// As [`Lanes`].
#[inline(always)]
unsafe fn samples<L: Lanes, const MAP: usize>(pictures: &[[f32; SAMPLES]; 2], x: usize) -> L::Floats {
    // SAFETY: as the caller keeps to.
    unsafe {
        let (reference, distorted) = (L::load(&pictures[0], x), L::load(&pictures[1], x));
        match MAP {
            0 => reference,
            1 => distorted,
            2 => L::multiply(reference, reference),
            3 => L::multiply(distorted, distorted),
            _ => L::multiply(reference, distorted),
        }
    }
}

/// Products with the six taps, each rounded as a float.
///
/// # Safety
/// As [`Lanes`].
#[inline(always)]
unsafe fn tap_products<L: Lanes>(samples: L::Floats) -> [L::Doubles; 6] {
    // SAFETY: as the caller keeps to.
    unsafe {
        let mut products = [L::zero(); 6];
        for (k, product) in products.iter_mut().enumerate() {
            *product = L::widen(L::multiply(samples, L::all(TAPS[k])));
        }
        products
    }
}

/// Makes the products of map `MAP` at `x`.
///
/// # Safety
/// As [`Lanes`].
#[inline(always)]
unsafe fn make_products<L: Lanes, const MAP: usize>(
    pictures: &[[f32; SAMPLES]; 2],
    products: &mut [[f64; SAMPLES]; 6],
    x: usize,
) {
    // SAFETY: as the caller keeps to.
    unsafe {
        let made = tap_products::<L>(samples::<L, MAP>(pictures, x));
        for (row, made) in products.iter_mut().zip(made) {
            L::store_doubles(row, x, made);
        }
    }
}

/// Filters a map along its row, and makes the products of map `NEXT`.
///
/// # Safety
/// As [`Lanes`].
#[inline(always)]
unsafe fn filter_row<L: Lanes, const NEXT: usize>(
    pictures: &[[f32; SAMPLES]; 2],
    products: &[[f64; SAMPLES]; 6],
    next: &mut [[f64; SAMPLES]; 6],
    out: &mut [f32; STRIP],
) {
    // SAFETY: the CPU has the level; x goes up to the arrays' ends, and windows reach no further than samples.
    unsafe {
        for x in (0..STRIP).step_by(L::COUNT) {
            let mut sum = L::load_doubles(&products[0], x);
            for k in 1..TAPS.len() {
                sum = L::add(sum, L::load_doubles(&products[distinct(k)], x + k));
            }
            L::store(out, x, L::narrow(sum));
            make_products::<L, NEXT>(pictures, next, x);
        }
        for x in (STRIP..SAMPLES).step_by(L::COUNT) {
            make_products::<L, NEXT>(pictures, next, x);
        }
    }
}

/// Gives a row to the window sums under way, and writes out those that have all rows now.
///
/// # Safety
/// As [`Lanes`].
#[inline(always)]
unsafe fn filter_columns<L: Lanes>(
    row: &[f32; STRIP],
    running: &mut [[f64; SUMS_STRIDE]; REACH],
    out: &mut [f32; STRIP],
) {
    // SAFETY: the CPU has the level; x goes up to the arrays' ends.
    unsafe {
        for x in (0..STRIP).step_by(L::COUNT) {
            let products = tap_products::<L>(L::load(row, x));
            let complete = L::add(L::load_doubles(&running[REACH - 1], x), products[distinct(REACH)]);
            L::store(out, x, L::narrow(complete));
            for k in (1..REACH).rev() {
                let sum = L::add(L::load_doubles(&running[k - 1], x), products[distinct(k)]);
                L::store_doubles(&mut running[k], x, sum);
            }
            L::store_doubles(&mut running[0], x, products[0]);
        }
    }
}

/// Products of a row: of the map whose turn it is, and those that are being made of the next.
struct Products<'a> {
    now: &'a mut [[f64; SAMPLES]; 6],
    next: &'a mut [[f64; SAMPLES]; 6],
}

/// Filters map `MAP` both ways and makes the products of map `NEXT`.
///
/// # Safety
/// As [`Lanes`].
#[inline(always)]
unsafe fn filter<L: Lanes, const MAP: usize, const NEXT: usize>(
    rows: &mut Rows,
    products: &mut Products<'_>,
) {
    // SAFETY: as the caller keeps to.
    unsafe {
        filter_row::<L, NEXT>(&rows.pictures, products.now, products.next, &mut rows.filtered);
        filter_columns::<L>(&rows.filtered, &mut rows.running[MAP], &mut rows.blurred[MAP]);
    }
    std::mem::swap(&mut products.now, &mut products.next);
}

#[inline(always)]
fn read(rows: &mut Rows, part: &Part<'_>, y: usize) {
    for (image, row) in part.images.into_iter().zip(&mut rows.pictures) {
        let end = image.width().min(part.columns.start + SAMPLES);
        image.read(y, part.columns.start..end, row);
    }
}

/// Compares the windows of the row that was filtered last.
#[inline(always)]
fn compare(rows: &mut Rows, wanted: Wanted) {
    let [reference, distorted, reference_square, distorted_square, product] = &rows.blurred;
    let [luminance, contrast, structure] = &mut rows.terms;
    for x in 0..STRIP {
        let window = Window {
            reference: reference[x],
            distorted: distorted[x],
            reference_square: reference_square[x],
            distorted_square: distorted_square[x],
            product: product[x],
        };
        let terms = window.terms();
        if wanted == Wanted::All {
            luminance[x] = terms.luminance;
        }
        contrast[x] = terms.contrast;
        structure[x] = terms.structure;
    }
}

/// Takes the windows of a part row by row; `take` sees the terms of every row.
///
/// # Safety
/// The CPU has the level.
#[inline(always)]
unsafe fn walk<L: Lanes>(
    strip: &mut Strip,
    part: &Part<'_>,
    wanted: Wanted,
    mut take: impl FnMut(&mut Rows),
) {
    let Strip { products: [now, next], rows } = strip;
    let (first, end) = (part.rows.start, part.rows.end + REACH);
    read(rows, part, first);
    for x in (0..SAMPLES).step_by(L::COUNT) {
        // SAFETY: the CPU has the level; x goes up to the arrays' ends.
        unsafe { make_products::<L, 0>(&rows.pictures, now, x) };
    }
    let products = &mut Products { now, next };
    for y in first..end {
        // SAFETY: the CPU has the level.
        unsafe {
            filter::<L, 0, 1>(rows, products);
            filter::<L, 1, 2>(rows, products);
            filter::<L, 2, 3>(rows, products);
            filter::<L, 3, 4>(rows, products);
            read(rows, part, (y + 1).min(end - 1));
            filter::<L, 4, 0>(rows, products);
        }
        // Before this row, window sums had begun above the first.
        if y >= first + REACH {
            compare(rows, wanted);
            take(rows);
        }
    }
}

/// Adds the row's terms to the columns' sums.
#[inline(always)]
fn add_row(rows: &mut Rows, wanted: Wanted) {
    let [luminance, contrast, structure] = &rows.terms;
    let [of_product, of_luminance, of_contrast, of_structure] = &mut rows.sums;
    of_contrast.add(contrast);
    of_structure.add(structure);
    if wanted == Wanted::All {
        of_luminance.add(luminance);
        let mut product = [0.0; STRIP];
        for (x, product) in product.iter_mut().enumerate() {
            *product = luminance[x] * contrast[x] * structure[x];
        }
        of_product.add(&product);
    }
}

impl ColumnSums {
    #[inline(always)]
    fn add(&mut self, terms: &[f64; STRIP]) {
        for (x, &term) in terms.iter().enumerate() {
            self.totals[x] += term;
            self.magnitudes[x] += term.abs();
        }
    }

    /// Over the first columns, as many as `width`.
    fn over(&self, width: usize) -> Unordered {
        let sum = |sums: &[f64; STRIP]| sums[..width].iter().sum();
        Unordered { total: sum(&self.totals), magnitude: sum(&self.magnitudes) }
    }
}

/// # Safety
/// The CPU has the level.
#[inline(always)]
unsafe fn sums<L: Lanes>(strip: &mut Strip, part: &Part<'_>, wanted: Wanted) -> UnorderedSums {
    strip.rows.sums = [ColumnSums::EMPTY; 4];
    // SAFETY: the CPU has the level.
    unsafe { walk::<L>(strip, part, wanted, |rows| add_row(rows, wanted)) };
    strip.rows.sums.each_ref().map(|sums| sums.over(part.columns.len()))
}

/// # Safety
/// The CPU has the level.
#[inline(always)]
unsafe fn terms<L: Lanes>(strip: &mut Strip, part: &Part<'_>, out: &mut [Terms]) {
    let mut out_rows = out.chunks_exact_mut(part.columns.len());
    let take = |rows: &mut Rows| {
        let [luminance, contrast, structure] = &rows.terms;
        for (x, out) in out_rows.next().into_iter().flatten().enumerate() {
            *out = Terms { luminance: luminance[x], contrast: contrast[x], structure: structure[x] };
        }
    };
    // SAFETY: the CPU has the level.
    unsafe { walk::<L>(strip, part, Wanted::All, take) };
}

pub mod avx2 {
    use super::super::lanes::Avx2;
    use super::{Part, Strip, Terms, UnorderedSums, Wanted};

    #[target_feature(enable = "avx2")]
    pub fn sums(strip: &mut Strip, part: &Part<'_>, wanted: Wanted) -> UnorderedSums {
        // SAFETY: this function is compiled for the level.
        unsafe { super::sums::<Avx2>(strip, part, wanted) }
    }

    #[target_feature(enable = "avx2")]
    pub fn terms(strip: &mut Strip, part: &Part<'_>, out: &mut [Terms]) {
        // SAFETY: this function is compiled for the level.
        unsafe { super::terms::<Avx2>(strip, part, out) }
    }
}

pub mod avx512 {
    use super::super::lanes::Avx512;
    use super::{Part, Strip, Terms, UnorderedSums, Wanted};

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    pub fn sums(strip: &mut Strip, part: &Part<'_>, wanted: Wanted) -> UnorderedSums {
        // SAFETY: this function is compiled for the level.
        unsafe { super::sums::<Avx512>(strip, part, wanted) }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    pub fn terms(strip: &mut Strip, part: &Part<'_>, out: &mut [Terms]) {
        // SAFETY: this function is compiled for the level.
        unsafe { super::terms::<Avx512>(strip, part, out) }
    }
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The reference arithmetic, row by row, in the stages of the specification.
#![forbid(unsafe_code)]

pub mod contrast_masking;
pub mod csf;
pub mod decouple;
pub mod wavelet;

use std::ops::Range;

use super::plan::{Plan, Scale};
use super::simd::{Source, Target};
use super::{Stripes, Totals};
use crate::picture::Plane;
use contrast_masking::{denominator_term, numerator_term};
use wavelet::{Bands, Lines};

/// A stripe's share of the low-pass bands of both pictures, from its first row on, rows `stride` apart.
pub struct LowPass<'a, T> {
    /// Of the reference and the distorted picture.
    pub pictures: [&'a mut [T]; 2],
    /// Samples from one row to the next.
    pub stride: usize,
}

impl<'a, T> LowPass<'a, T> {
    /// The share of the first `rows` rows, and the rest.
    pub fn split(self, rows: usize) -> (Self, Self) {
        let ([r, d], stride) = (self.pictures, self.stride);
        let ((r_above, r_below), (d_above, d_below)) =
            (r.split_at_mut(rows * stride), d.split_at_mut(rows * stride));
        let half = |r, d| Self { pictures: [r, d], stride };
        (half(r_above, d_above), half(r_below, d_below))
    }
}

/// Work space for the stripes of one scale.
pub struct Rows {
    lines: [Lines; 2],
    bands: [Bands; 2],
    ring: [Decoupled; 3],
}

/// A row of the restored (0) and the additive part (1).
#[derive(Clone, Default)]
struct Decoupled {
    parts: [[Vec<i32>; 3]; 2],
    /// Each part's share in the thresholds of the rows above and below: of three columns and all bands.
    around: [Vec<i32>; 2],
    /// What its own row's thresholds have besides.
    centre: [Vec<i32>; 2],
}

impl Rows {
    /// For `scale`.
    pub fn new(scale: &Scale) -> Self {
        let (input, band) = (|| vec![0; scale.input[0]], || vec![0; scale.width]);
        let bands = || Bands { low: band(), detail: [band(), band(), band()] };
        let parts = || [band(), band(), band()];
        let decoupled =
            || Decoupled { parts: [parts(), parts()], around: [band(), band()], centre: [band(), band()] };
        Self {
            lines: [[input(), input()], [input(), input()]],
            bands: [bands(), bands()],
            ring: [decoupled(), decoupled(), decoupled()],
        }
    }
}

/// The reference arithmetic for a stream.
pub struct Reference {
    /// Sizes, roundings, weights.
    pub plan: Plan,
    /// What the samples are centred on.
    middle: i32,
}

impl Reference {
    /// For pictures of `bpc` bits.
    pub fn new(plan: Plan, bpc: u32) -> Self {
        Self { plan, middle: 1 << (bpc - 1) }
    }
}

impl Stripes for Reference {
    type Rows = Rows;

    fn rows(&self, index: usize) -> Rows {
        Rows::new(&self.plan.scales[index])
    }

    fn stripe<S: Source, T: Target>(
        &self,
        index: usize,
        input: [Plane<'_, S>; 2],
        rows: Range<usize>,
        low: Option<LowPass<'_, T>>,
        work: &mut Rows,
    ) -> Option<Totals> {
        let middle = if index == 0 { self.middle } else { 0 };
        Some(stripe(input, middle, (&self.plan, &self.plan.scales[index]), rows, low, work))
    }
}

fn stripe<S: Source, T: Target>(
    input: [Plane<'_, S>; 2],
    middle: i32,
    (plan, scale): (&Plan, &Scale),
    rows: Range<usize>,
    mut low: Option<LowPass<'_, T>>,
    work: &mut Rows,
) -> Totals {
    let (touched, pooled) = (scale.window.touched(&rows, scale.height), scale.window.pooled(&rows));
    let mut totals = Totals::default();
    for y in rows.start.min(touched.start)..rows.end.max(touched.end) {
        for (plane, lines) in input.iter().zip(&mut work.lines) {
            wavelet::vertical(plane, scale, y, middle, lines);
        }
        wavelet::bands(&work.lines, scale, &mut work.bands);
        if let (Some(low), true) = (&mut low, rows.contains(&y)) {
            store(low, y - rows.start, &work.bands);
        }
        if touched.contains(&y) {
            decouple(plan, scale, &work.bands, &mut work.ring[y % 3]);
        }
        if pooled.contains(&y) {
            totals = totals + denominator(scale, &work.bands[0]);
        }
        // Thresholds of a row need the row below, which for the last one is that row again.
        if y > 0 && pooled.contains(&(y - 1)) {
            totals = totals + numerators(plan, scale, y - 1, &work.ring);
        }
        if y + 1 == scale.height && pooled.contains(&y) {
            totals = totals + numerators(plan, scale, y, &work.ring);
        }
    }
    totals
}

fn store<T: Target>(low: &mut LowPass<'_, T>, row: usize, bands: &[Bands; 2]) {
    for (picture, bands) in low.pictures.iter_mut().zip(bands) {
        let out = picture[row * low.stride..].iter_mut();
        out.zip(&bands.low).for_each(|(out, &value)| *out = T::of(value));
    }
}

fn decouple(plan: &Plan, scale: &Scale, [reference, distorted]: &[Bands; 2], row: &mut Decoupled) {
    for x in 0..scale.width {
        let [o, t] = [reference, distorted].map(|bands| [0, 1, 2].map(|band: usize| bands.detail[band][x]));
        let near = decouple::is_near([o[0], o[1]], [t[0], t[1]]);
        for band in 0..3 {
            let restored = decouple::restored(o[band], t[band], near, plan.gain_limit);
            row.parts[0][band][x] = restored;
            row.parts[1][band][x] = t[band].wrapping_sub(restored);
        }
    }
    for part in 0..2 {
        spread(scale, &row.parts[part], &mut row.around[part], &mut row.centre[part]);
    }
}

/// The shares in thresholds of a row of one part.
fn spread(scale: &Scale, part: &[Vec<i32>; 3], around: &mut [i32], centre: &mut [i32]) {
    let mask = |x: usize| {
        let masks = [0, 1, 2].map(|band: usize| csf::masks(scale, csf::weigh(scale, band, part[band][x])));
        let sum = |which: usize| masks.iter().fold(0i32, |sum, mask| sum.wrapping_add(mask[which]));
        [sum(0), sum(1)]
    };
    let last = scale.width - 1;
    let ([mut left, _], mut here) = (mask(1), mask(0));
    for x in 0..scale.width {
        let right = mask((x + 1).min(last));
        around[x] = left.wrapping_add(here[0]).wrapping_add(right[0]);
        centre[x] = here[1].wrapping_sub(here[0]);
        (left, here) = (here[0], right);
    }
}

fn denominator(scale: &Scale, reference: &Bands) -> Totals {
    let [cube, row] = scale.denominator_rounding();
    let columns = scale.window.left..scale.window.right;
    let band = |band: usize| {
        let terms = reference.detail[band][columns.clone()].iter().map(|&o| denominator_term(scale, cube, o));
        row.apply_unsigned(terms.fold(0, u64::wrapping_add))
    };
    Totals { denominator: [0, 1, 2].map(band), ..Totals::default() }
}

fn numerators(plan: &Plan, scale: &Scale, y: usize, ring: &[Decoupled; 3]) -> Totals {
    let above = if y == 0 { 1 } else { y - 1 };
    let below = (y + 1).min(scale.height - 1);
    let rows = [above, y, below].map(|y| &ring[y % 3]);
    let additive = if plan.skip_aim { [0; 3] } else { numerator(scale, rows, 1) };
    Totals { restored: numerator(scale, rows, 0), additive, ..Totals::default() }
}

/// A row of `part`, masked by the other part.
fn numerator(scale: &Scale, rows: [&Decoupled; 3], part: usize) -> [i64; 3] {
    let mask = 1 - part;
    let threshold = |x: usize| {
        let around = rows.iter().map(|row| row.around[mask][x]);
        around.fold(rows[1].centre[mask][x], i32::wrapping_add)
    };
    [0, 1, 2].map(|band| {
        let [cube, row] = scale.numerator_rounding(band);
        let columns = scale.window.left..scale.window.right;
        let coefficients = rows[1].parts[part][band].iter().enumerate().take(columns.end).skip(columns.start);
        let terms = coefficients.map(|(x, &value)| numerator_term(scale, band, cube, value, threshold(x)));
        row.apply(terms.fold(0, i64::wrapping_add))
    })
}

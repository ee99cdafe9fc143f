// SPDX-License-Identifier: BSD-2-Clause-Patent
//! A stripe row by row: wavelet, decoupling, and one row later, when its thresholds are known, pooling.
#![forbid(unsafe_code)]

use std::ops::Range;

use super::super::Totals;
use super::super::plan::{Plan, Rounding, Scale};
use super::super::scalar::LowPass;
use super::super::scalar::wavelet::taps;
use super::buffer::{MARGIN, Row};
use super::coarse::{self, Coarse};
use super::finest::{self, Excess, Finest};
use super::lanes::Lanes;
use super::masking::{Part, Pool, Spread};
use super::wavelet::{self, Line, Lines, Source, Target, Vertical, VerticalPass};
use crate::picture::Plane;

/// The largest block of positions: two registers of 512 bits.
const BLOCK: usize = 32;

/// A part's shares in thresholds: of the neighbours, and what its own position has besides.
pub struct Masks<'a> {
    /// Of the neighbours.
    pub around: &'a mut [i32],
    /// Of its own position less that of the neighbours.
    pub centre: &'a mut [i32],
}

/// Where the restored and the additive part of a row go.
pub struct RowOut<'a> {
    /// Magnitudes, weighted above scale 0.
    pub parts: [&'a mut [i32]; 2],
    /// Shares in thresholds.
    pub masks: [Masks<'a>; 2],
}

/// What a stream's stripes at one scale have in common.
pub struct Constants {
    /// Sizes.
    pub scale: Scale,
    vertical: Vertical,
    kind: Kind,
    /// Ones at the window's columns.
    inside: Row<i32>,
}

enum Kind {
    Finest(Finest, Excess),
    Coarse(Coarse),
}

impl Constants {
    /// For one scale of a stream of this depth.
    pub fn new(plan: &Plan, index: usize, bpc: u32) -> Self {
        let scale = plan.scales[index];
        let mut inside = positions(&scale);
        inside[MARGIN + scale.window.left..MARGIN + scale.window.right].fill(-1);
        let kind = match index {
            0 => Kind::Finest(Finest::new(plan), Excess::new(&scale)),
            _ => Kind::Coarse(Coarse::new(plan, &scale)),
        };
        Self { scale, vertical: Vertical::new(bpc), kind, inside }
    }

    /// The blocks that hold the window and its neighbours.
    fn columns(&self) -> Range<usize> {
        let window = self.scale.window;
        let start = window.left.saturating_sub(1) / BLOCK * BLOCK;
        start..(window.right + 1).min(self.scale.width).next_multiple_of(BLOCK)
    }
}

/// A row of 32-bit lanes by position.
fn positions(scale: &Scale) -> Row<i32> {
    Row::new(MARGIN + scale.width.next_multiple_of(BLOCK) + BLOCK)
}

/// A row of three registers a block.
fn blocks(scale: &Scale) -> Row<i32> {
    Row::new(3 * scale.width.next_multiple_of(BLOCK))
}

/// Work space of a stripe.
pub struct Rows {
    lines: [Lines; 2],
    bands: [Row<i32>; 2],
    /// Shares of the row at hand in thresholds, by part.
    shares: [Row<i32>; 2],
    /// The same spread to the sides, of three rows.
    around: [[Row<i32>; 2]; 3],
    /// Additional shares of the centres, of two rows.
    centre: [[Row<i32>; 2]; 2],
    /// Magnitudes of two rows.
    parts: [[Row<i32>; 2]; 2],
}

impl Rows {
    /// For `scale`.
    pub fn new(scale: &Scale) -> Self {
        let line = || Line::new(scale.input[0]);
        let positions = || [positions(scale), positions(scale)];
        let blocks = || [blocks(scale), blocks(scale)];
        Self {
            lines: [[line(), line()], [line(), line()]],
            bands: blocks(),
            shares: positions(),
            around: [positions(), positions(), positions()],
            centre: [positions(), positions()],
            parts: [blocks(), blocks()],
        }
    }
}

/// See [`super::super::Stripes::stripe`]. None if a sample is beyond its depth, for which words have no room.
pub fn stripe<L: Lanes, S: Source, T: Target>(
    l: L,
    constants: &Constants,
    skip_aim: bool,
    input: [Plane<'_, S>; 2],
    rows: Range<usize>,
    mut low: Option<LowPass<'_, T>>,
    work: &mut Rows,
) -> Option<Totals> {
    let scale = &constants.scale;
    let (touched, pooled) = (scale.window.touched(&rows, scale.height), scale.window.pooled(&rows));
    let row = WorkRow { l, constants, skip_aim };
    let mut totals = Totals::default();
    for y in rows.start.min(touched.start)..rows.end.max(touched.end) {
        if !row.transform(&input, y, work) {
            return None;
        }
        if let (Some(low), true) = (&mut low, rows.contains(&y)) {
            row.low_pass(low, y - rows.start, work);
        }
        if !touched.contains(&y) {
            continue;
        }
        let cubes = row.decouple(y, work);
        if pooled.contains(&y) {
            totals = totals + denominator(scale, cubes);
        }
        // Thresholds of a row need the row below, which for the last one is that row again.
        if y > 0 && pooled.contains(&(y - 1)) {
            totals = totals + row.numerators(y - 1, work);
        }
        if y + 1 == scale.height && pooled.contains(&y) {
            totals = totals + row.numerators(y, work);
        }
    }
    Some(totals)
}

fn denominator(scale: &Scale, cubes: [u64; 3]) -> Totals {
    let [_, row] = scale.denominator_rounding();
    Totals { denominator: cubes.map(|sum| row.apply_unsigned(sum)), ..Totals::default() }
}

/// The stages of one row.
struct WorkRow<'a, L> {
    l: L,
    constants: &'a Constants,
    skip_aim: bool,
}

impl<L: Lanes> WorkRow<'_, L> {
    fn transform<S: Source>(&self, input: &[Plane<'_, S>; 2], y: usize, work: &mut Rows) -> bool {
        let mut valid = true;
        for (plane, lines) in input.iter().zip(&mut work.lines) {
            let rows = taps(y, plane.height()).map(|row| plane.row(row));
            valid &= self.l.run(VerticalPass { rows, rounding: self.constants.vertical, lines });
        }
        valid
    }

    fn low_pass<T: Target>(&self, low: &mut LowPass<'_, T>, row: usize, work: &Rows) {
        for (picture, [line, _]) in low.pictures.iter_mut().zip(&work.lines) {
            let out = &mut picture[row * low.stride..][..low.stride];
            self.l.run(wavelet::LowPass { line, scale: &self.constants.scale, out });
        }
    }

    /// Sums of the reference's cubes.
    fn decouple(&self, y: usize, work: &mut Rows) -> [u64; 3] {
        let (l, columns, inside) = (self.l, self.constants.columns(), &*self.constants.inside);
        let shift = self.constants.scale.rounding[1].shift;
        for (lines, out) in work.lines.iter().zip(&mut work.bands) {
            let columns = columns.clone();
            match self.constants.kind {
                Kind::Finest(..) => l.run(finest::Details { lines, columns, out }),
                Kind::Coarse(_) => l.run(coarse::Details { lines, columns, shift, out }),
            }
        }
        let bands = work.bands.each_ref().map(|row| &**row);
        let parts = work.parts[y % 2].each_mut().map(|row| &mut **row);
        let [first, second] = &mut work.shares;
        let [first_centre, second_centre] = &mut work.centre[y % 2];
        let masks =
            [Masks { around: first, centre: first_centre }, Masks { around: second, centre: second_centre }];
        let (out, rows) = (RowOut { parts, masks }, columns.clone());
        let cubes = match &self.constants.kind {
            Kind::Finest(finest, _) => l.run(finest::Decouple { finest, columns: rows, inside, bands, out }),
            Kind::Coarse(coarse) => l.run(coarse::Decouple { coarse, columns: rows, inside, bands, out }),
        };
        for (shares, out) in work.shares.iter_mut().zip(&mut work.around[y % 3]) {
            mirror(shares, self.constants.scale.width);
            l.run(Spread { columns: columns.clone(), shares, out });
        }
        cubes
    }

    fn numerators(&self, y: usize, work: &Rows) -> Totals {
        let restored = self.numerator(y, 0, work);
        let additive = if self.skip_aim { [0; 3] } else { self.numerator(y, 1, work) };
        Totals { restored, additive, ..Totals::default() }
    }

    /// A row of `part`, masked by the other part.
    fn numerator(&self, y: usize, part: usize, work: &Rows) -> [i64; 3] {
        let scale = &self.constants.scale;
        let above = if y == 0 { 1 } else { y - 1 };
        let below = (y + 1).min(scale.height - 1);
        let magnitudes = &*work.parts[y % 2][part];
        let sums = self.l.run(Pool {
            scale,
            columns: self.constants.columns(),
            inside: &self.constants.inside,
            part: match &self.constants.kind {
                Kind::Finest(_, excess) => Part::Finest(excess, magnitudes),
                Kind::Coarse(_) => Part::Coarse(magnitudes),
            },
            around: [above, y, below].map(|y| &*work.around[y % 3][1 - part]),
            centre: &work.centre[y % 2][1 - part],
        });
        let row: Rounding = scale.numerator_rounding(0)[1];
        sums.map(|sum| row.apply(sum))
    }
}

/// Puts the neighbours of a row's first and last position beside it.
fn mirror(shares: &mut [i32], width: usize) {
    shares[MARGIN - 1] = shares[MARGIN + 1];
    shares[MARGIN + width] = shares[MARGIN + width - 1];
}

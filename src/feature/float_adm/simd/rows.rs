// SPDX-License-Identifier: BSD-2-Clause-Patent
//! A stripe strip by strip, and row by row: wavelet, decoupling, and one row later, when its thresholds are known,
//! pooling.
#![forbid(unsafe_code)]

use std::ops::Range;

use super::lanes::Lanes;
use super::stages::{Decouple, Gain, LowPassed, Pool, Vertical};
use super::strip::{Bands, Columns, Strip};
use crate::feature::adm::scalar::LowPass;
use crate::feature::adm::scalar::wavelet::taps;
use crate::feature::float_adm::plan::{Plan, Scale};
use crate::feature::float_adm::{Input, Source, Sums};

/// Rows of a scale.
pub struct Job<'a, S> {
    /// Options.
    pub plan: &'a Plan,
    /// Sizes and weights.
    pub scale: &'a Scale,
    /// What is transformed.
    pub input: Input<'a, S>,
    /// Rows of the bands.
    pub rows: Range<usize>,
}

/// A strip of a job.
struct Part<'a, L, S> {
    l: L,
    job: &'a Job<'a, S>,
    columns: Columns,
    gain: Gain,
}

impl<S: Source> Job<'_, S> {
    /// See [`super::super::Stripes::stripe`].
    pub fn run<L: Lanes>(
        &self,
        l: L,
        mut low: Option<LowPass<'_, f32>>,
        sums: &mut [Sums],
        strip: &mut Strip,
    ) {
        sums.fill(Sums::default());
        let gain = Gain::new(self.plan.gain_limit);
        for columns in Columns::of(self.scale) {
            Part { l, job: self, columns, gain }.run(&mut low, sums, strip);
        }
    }
}

impl<L: Lanes, S: Source> Part<'_, L, S> {
    fn run(&self, low: &mut Option<LowPass<'_, f32>>, sums: &mut [Sums], strip: &mut Strip) {
        let Job { scale, rows, .. } = self.job;
        let (touched, pooled) = match self.columns.pooled.is_empty() {
            true => (rows.start..rows.start, rows.start..rows.start),
            false => (scale.window.touched(rows, scale.height), scale.window.pooled(rows)),
        };
        for y in rows.start.min(touched.start)..rows.end.max(touched.end) {
            self.transform(y, strip);
            if let (Some(low), true) = (&mut *low, rows.contains(&y)) {
                self.low_pass(low, y - rows.start, strip);
            }
            if !touched.contains(&y) {
                continue;
            }
            self.decouple(y, strip);
            // Thresholds of a row need the row below, which for the last one is that row again.
            let last = (y + 1 == scale.height).then_some(y);
            for y in y.checked_sub(1).into_iter().chain(last).filter(|y| pooled.contains(y)) {
                self.pool(y, strip);
                self.add(y, strip, &mut sums[y - rows.start]);
            }
        }
    }

    fn transform(&self, y: usize, strip: &mut Strip) {
        let Input { planes, inverse } = self.job.input;
        for (plane, lines) in planes.iter().zip(&mut strip.lines) {
            let rows = taps(y, plane.height()).map(|row| plane.row(row));
            self.l.run(Vertical { rows, inverse, columns: &self.columns, lines });
        }
    }

    fn low_pass(&self, low: &mut LowPass<'_, f32>, row: usize, strip: &Strip) {
        let Columns { first, count, .. } = self.columns;
        for (picture, lines) in low.pictures.iter_mut().zip(&strip.lines) {
            let out = &mut picture[row * low.stride..][..low.stride][first..];
            self.l.run(LowPassed { lines, out, count });
        }
    }

    fn decouple(&self, y: usize, strip: &mut Strip) {
        let (parity, around) = (y % 2, &mut strip.around[y % 3]);
        self.l.run(Decouple {
            lines: &strip.lines,
            weights: self.job.scale.weights,
            gain: self.gain,
            cubes: self.job.plan.power.is_none(),
            touched: self.columns.touched(),
            denominator: &mut strip.denominator[parity],
            magnitudes: &mut strip.magnitudes[parity],
            around,
        });
        around.iter_mut().for_each(|bands| self.mirror(bands));
    }

    /// Puts the neighbours of a band's first and last position beside it.
    fn mirror(&self, bands: &mut Bands) {
        let Columns { first, count, .. } = self.columns;
        for band in bands {
            if first == 0 {
                band[0] = band[2];
            }
            if first + count == self.job.scale.width {
                band[count + 1] = band[count];
            }
        }
    }

    fn pool(&self, y: usize, strip: &mut Strip) {
        let above = if y == 0 { 1 } else { y - 1 };
        let below = (y + 1).min(self.job.scale.height - 1);
        self.l.run(Pool {
            masking: self.job.plan.masking,
            cubes: self.job.plan.power.is_none(),
            pooled: self.columns.pooled.clone(),
            around: [above, y, below].map(|y| &strip.around[y % 3]),
            magnitudes: &strip.magnitudes[y % 2],
            terms: &mut strip.numerators,
        });
    }

    /// Goes on with the sums of row `y`.
    fn add(&self, y: usize, strip: &mut Strip, sums: &mut Sums) {
        let Strip { denominator, numerators: [restored, additive], .. } = strip;
        let denominator = &mut denominator[y % 2];
        if let Some(power) = &self.job.plan.power {
            for band in [&mut *denominator, restored, additive].into_iter().flatten() {
                band[self.columns.pooled.clone()].iter_mut().for_each(|q| *q = power.of(*q));
            }
        }
        let all = [&*denominator, restored, additive];
        let mut chains = [sums.denominator, sums.restored, sums.additive];
        for i in self.columns.pooled.clone() {
            for (chains, bands) in chains.iter_mut().zip(all) {
                for (chain, band) in chains.iter_mut().zip(bands) {
                    *chain += band[i];
                }
            }
        }
        [sums.denominator, sums.restored, sums.additive] = chains;
    }
}

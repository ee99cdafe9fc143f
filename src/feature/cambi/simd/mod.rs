// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The fast paths. Marking and filtering are the scalar form in vectors; counting looks at four steps of contrast
//! together, see `walk`.

mod counts;
mod lanes;
mod walk;

pub use lanes::{Avx2, Avx512};

use super::kernel::Kernel;
use super::scalar::{count, filter, mark};
use super::stripe::{Found, Stripe, Tile};
use counts::FEW_STEPS;
use lanes::Lanes;

/// Counts on the way, of either form.
#[derive(Default)]
pub struct Table {
    few: walk::Table,
    any: count::Table,
}

/// Many steps of contrast, which nobody uses much, are left to the scalar form.
#[inline(always)]
fn run<L: Lanes>(lanes: L, task: &count::Task<'_>, tile: &mut Tile, found: Found<'_>, table: &mut Table) {
    if task.levels.steps <= FEW_STEPS {
        walk::count(lanes, task, tile, found, &mut table.few);
    } else {
        count::count(task, tile, found, &mut table.any);
    }
}

impl Avx2 {
    #[target_feature(enable = "avx2")]
    fn highest_avx2(self, row: &[u16]) -> u16 {
        mark::highest(row)
    }

    #[target_feature(enable = "avx2")]
    fn mark_avx2<T: mark::Sample>(
        self,
        task: &mark::Task<'_, T>,
        stripe: Stripe<'_>,
        lines: &mut mark::Lines,
    ) {
        mark::mark(task, stripe, lines);
    }

    #[target_feature(enable = "avx2")]
    fn filter_avx2(self, task: &filter::Task<'_>, stripe: Stripe<'_>, lines: &mut filter::Lines) {
        filter::filter(task, stripe, lines);
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn count_avx2(self, task: &count::Task<'_>, tile: &mut Tile, found: Found<'_>, table: &mut Table) {
        run(self, task, tile, found, table);
    }
}

impl Kernel for Avx2 {
    type Table = Table;

    fn highest(self, row: &[u16]) -> u16 {
        // SAFETY: `self` exists only where the CPU has the instructions.
        unsafe { self.highest_avx2(row) }
    }

    fn mark<T: mark::Sample>(self, task: &mark::Task<'_, T>, stripe: Stripe<'_>, lines: &mut mark::Lines) {
        // SAFETY: as above.
        unsafe { self.mark_avx2(task, stripe, lines) }
    }

    fn filter(self, task: &filter::Task<'_>, stripe: Stripe<'_>, lines: &mut filter::Lines) {
        // SAFETY: as above.
        unsafe { self.filter_avx2(task, stripe, lines) }
    }

    fn count(self, task: &count::Task<'_>, tile: &mut Tile, found: Found<'_>, table: &mut Table) {
        // SAFETY: as above.
        unsafe { self.count_avx2(task, tile, found, table) }
    }
}

impl Avx512 {
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    fn highest_avx512(self, row: &[u16]) -> u16 {
        mark::highest(row)
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    fn mark_avx512<T: mark::Sample>(
        self,
        task: &mark::Task<'_, T>,
        stripe: Stripe<'_>,
        lines: &mut mark::Lines,
    ) {
        mark::mark(task, stripe, lines);
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    fn filter_avx512(self, task: &filter::Task<'_>, stripe: Stripe<'_>, lines: &mut filter::Lines) {
        filter::filter(task, stripe, lines);
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2,lzcnt,popcnt")]
    fn count_avx512(self, task: &count::Task<'_>, tile: &mut Tile, found: Found<'_>, table: &mut Table) {
        run(self, task, tile, found, table);
    }
}

impl Kernel for Avx512 {
    type Table = Table;

    fn highest(self, row: &[u16]) -> u16 {
        // SAFETY: `self` exists only where the CPU has the instructions.
        unsafe { self.highest_avx512(row) }
    }

    fn mark<T: mark::Sample>(self, task: &mark::Task<'_, T>, stripe: Stripe<'_>, lines: &mut mark::Lines) {
        // SAFETY: as above.
        unsafe { self.mark_avx512(task, stripe, lines) }
    }

    fn filter(self, task: &filter::Task<'_>, stripe: Stripe<'_>, lines: &mut filter::Lines) {
        // SAFETY: as above.
        unsafe { self.filter_avx512(task, stripe, lines) }
    }

    fn count(self, task: &count::Task<'_>, tile: &mut Tile, found: Found<'_>, table: &mut Table) {
        // SAFETY: as above.
        unsafe { self.count_avx512(task, tile, found, table) }
    }
}

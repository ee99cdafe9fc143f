// SPDX-License-Identifier: BSD-2-Clause-Patent
//! What an instruction-set level does by itself.

use super::scalar::{count, filter, mark};
use super::stripe::{Found, Stripe, Tile};

/// The stages of the analysis. Every implementation gives the same bits.
pub trait Kernel: Copy + Send + Sync + 'static {
    /// Counts on the way.
    type Table: Default + Send + 'static;

    /// The highest sample of a row.
    fn highest(self, row: &[u16]) -> u16;

    /// See [`mark::mark`].
    fn mark<T: mark::Sample>(self, task: &mark::Task<'_, T>, stripe: Stripe<'_>, lines: &mut mark::Lines);

    /// See [`filter::filter`].
    fn filter(self, task: &filter::Task<'_>, stripe: Stripe<'_>, lines: &mut filter::Lines);

    /// See [`count::count`].
    fn count(self, task: &count::Task<'_>, tile: &mut Tile, found: Found<'_>, table: &mut Self::Table);
}

/// Plain Rust.
#[derive(Clone, Copy)]
pub struct Plain;

impl Kernel for Plain {
    type Table = count::Table;

    fn highest(self, row: &[u16]) -> u16 {
        mark::highest(row)
    }

    fn mark<T: mark::Sample>(self, task: &mark::Task<'_, T>, stripe: Stripe<'_>, lines: &mut mark::Lines) {
        mark::mark(task, stripe, lines);
    }

    fn filter(self, task: &filter::Task<'_>, stripe: Stripe<'_>, lines: &mut filter::Lines) {
        filter::filter(task, stripe, lines);
    }

    fn count(self, task: &count::Task<'_>, tile: &mut Tile, found: Found<'_>, table: &mut count::Table) {
        count::count(task, tile, found, table);
    }
}

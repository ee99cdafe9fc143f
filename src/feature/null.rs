// SPDX-License-Identifier: BSD-2-Clause-Patent
//! `null`: extracts nothing, and so measures what pictures and schedule cost.
#![forbid(unsafe_code)]

use super::{Definition, Emitter, Frame, Measure, Score, Traits, on_cpu};
use crate::error::Result;
use crate::schedule::Workers;

/// The extractor `null`: any format and size, any options, no features.
pub static DEFINITION: Definition = Definition {
    name: "null",
    provides: &[],
    options: &[],
    traits: Traits::PLAIN,
    make: |setup, _| Ok(on_cpu(setup, Nothing, Nothing)),
    twin: None,
};

struct Nothing;

impl Measure for Nothing {
    type Output = ();
    type Scratch = ();

    fn scratch(&self) -> Result<()> {
        Ok(())
    }

    fn measure(&self, _frame: &Frame, _scratch: &mut (), _workers: Workers) -> Result<()> {
        Ok(())
    }
}

impl Score for Nothing {
    type Input = ();

    fn score(&mut self, _measured: (), _emit: &mut Emitter<'_>) -> Result<()> {
        Ok(())
    }
}

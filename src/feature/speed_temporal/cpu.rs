// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Scores of the change of luma.
#![forbid(unsafe_code)]

use crate::error::Result;
use crate::feature::depth::Depth;
use crate::feature::speed::Scored;
use crate::feature::speed::cpu::{Planes, Work};
use crate::feature::speed::options::Options;
use crate::feature::speed::source::Input;
use crate::feature::{Frame, Measure, Setup};
use crate::schedule::Workers;

/// Scores the change from the pair before.
pub struct Temporal {
    planes: Planes,
    depth: Depth,
    /// Whether the distorted picture's change is taken to the reference.
    use_ref_diff: bool,
}

impl Temporal {
    /// For the stream's format, at the context's instruction level.
    pub fn new(setup: &Setup, options: Options, use_ref_diff: bool) -> Result<Self> {
        let depth = Depth::new(setup.format.bpc)?;
        let size = [setup.format.width as usize, setup.format.height as usize];
        Ok(Self { planes: Planes::new(setup.level, size, options)?, depth, use_ref_diff })
    }
}

impl Measure for Temporal {
    type Output = Option<Scored>;
    type Scratch = [[Work; 2]; 1];

    fn scratch(&self) -> Result<Self::Scratch> {
        Ok([[self.planes.work(), self.planes.work()]])
    }

    fn measure(&self, frame: &Frame, work: &mut Self::Scratch, workers: Workers) -> Result<Option<Scored>> {
        let (Some(reference), Some(distorted)) = (&frame.previous[0], &frame.previous_distorted) else {
            return Ok(None);
        };
        if frame.index == 0 {
            return Ok(None);
        }
        let later = if self.use_ref_diff { &frame.reference } else { &frame.distorted };
        let inputs = [
            Input::change(reference, &frame.reference, self.depth),
            Input::change(distorted, later, self.depth),
        ];
        let [scored] = self.planes.scores([inputs], work, workers);
        Ok(Some(scored))
    }
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! `speed_temporal`: difference of the entropies of the change from frame to frame (SpEED-QA), of luma.

pub mod cpu;

use super::speed::Scored;
use super::speed::options::{Options, TEMPORAL};
use super::{Definition, Emitter, Score, Traits, on_cpu};
use crate::error::Result;

/// The extractor `speed_temporal`.
pub static DEFINITION: Definition = Definition {
    name: "speed_temporal",
    provides: &[FEATURE],
    options: &TEMPORAL,
    traits: Traits {
        every_frame: true,
        serial: true,
        looks_back: Some(|_| 1),
        previous_distorted: true,
        not_finite: true,
    },
    make: |setup, values| {
        let use_ref_diff = values.bool("speed_use_ref_diff");
        let measure = cpu::Temporal::new(setup, Options::temporal(values)?, use_ref_diff)?;
        Ok(on_cpu(setup, measure, SpeedTemporal))
    },
    twin: None,
};

const FEATURE: &str = "Speed_temporal_feature_speed_temporal_score";

/// The scores as they are: `speed_max_val` is spelled in the name but clips nothing.
struct SpeedTemporal;

impl Score for SpeedTemporal {
    /// None for a picture without one before it.
    type Input = Option<Scored>;

    fn score(&mut self, scored: Option<Scored>, emit: &mut Emitter<'_>) -> Result<()> {
        let Some(scored) = scored else { return emit.set(FEATURE, 0.0) };
        scored.warn(DEFINITION.name, "the change", emit.index());
        emit.set(FEATURE, scored.score.into())
    }
}

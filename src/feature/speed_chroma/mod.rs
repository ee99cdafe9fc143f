// SPDX-License-Identifier: BSD-2-Clause-Patent
//! `speed_chroma`: difference of the entropies of chroma (SpEED-QA), of U, V and both.

pub mod cpu;

use super::speed::Scored;
use super::speed::options::{CHROMA, Options};
use super::{Definition, Emitter, Score, Traits, on_cpu};
use crate::error::Result;

/// The extractor `speed_chroma`.
pub static DEFINITION: Definition = Definition {
    name: "speed_chroma",
    provides: &[U, V, BOTH],
    options: &CHROMA,
    traits: Traits::PLAIN,
    make: |setup, values| {
        let measure = cpu::Chroma::new(setup, Options::chroma(values)?)?;
        Ok(on_cpu(setup, measure, SpeedChroma { max_val: values.double("speed_max_val") }))
    },
    twin: None,
};

const U: &str = "Speed_chroma_feature_speed_chroma_u_score";
const V: &str = "Speed_chroma_feature_speed_chroma_v_score";
const BOTH: &str = "Speed_chroma_feature_speed_chroma_uv_score";

/// From the scores of the planes to those of the frame.
struct SpeedChroma {
    max_val: f64,
}

impl SpeedChroma {
    /// NaN is not below the maximum and becomes it.
    fn clip(&self, score: f32) -> f64 {
        let score = f64::from(score);
        if score < self.max_val { score } else { self.max_val }
    }
}

/// The mean of both, or that of the plane which has one.
fn both(u: Scored, v: Scored) -> f32 {
    match (u.is_singular(), v.is_singular()) {
        (true, false) => v.score,
        (false, true) => u.score,
        _ => (u.score + v.score) / 2.0,
    }
}

impl Score for SpeedChroma {
    type Input = [Scored; 2];

    fn score(&mut self, [u, v]: [Scored; 2], emit: &mut Emitter<'_>) -> Result<()> {
        u.warn(DEFINITION.name, "U", emit.index());
        v.warn(DEFINITION.name, "V", emit.index());
        emit.set(U, self.clip(u.score))?;
        emit.set(V, self.clip(v.score))?;
        emit.set(BOTH, self.clip(both(u, v)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feature::speed::Condition;

    #[test]
    fn a_singular_plane_leaves_the_score_to_the_other() {
        let regular = |score| Scored { score, condition: Condition::Regular };
        let singular = Scored { score: 0.0, condition: Condition::Singular };
        assert_eq!(both(regular(2.0), regular(3.0)), 2.5);
        assert_eq!(both(singular, regular(3.0)), 3.0);
        assert_eq!(both(regular(2.0), singular), 2.0);
        assert_eq!(both(singular, singular), 0.0);
    }

    #[test]
    fn scores_are_clipped_and_no_number_is_the_maximum() {
        let clip = |score| SpeedChroma { max_val: 45.0 }.clip(score);
        assert_eq!([1.5, 45.0, 1e9, f32::INFINITY, f32::NAN].map(clip), [1.5, 45.0, 45.0, 45.0, 45.0]);
    }
}

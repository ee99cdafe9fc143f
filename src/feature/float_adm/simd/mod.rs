// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The fast path: every instruction-set level by the same loops over registers.
//!
//! A stripe of rows is worked off by strips of columns that keep all their rows in the nearest cache. A strip goes
//! down its stripe row by row, through every stage at once; the sums of each row go on from strip to strip.

pub mod lanes;
mod rows;
mod stages;
mod strip;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;

use std::ops::Range;

use super::plan::Plan;
use super::{Input, Source, Stripes, Sums};
use crate::cpu::{Kind, Level};
use crate::feature::adm::scalar::LowPass;
pub use strip::Strip;

/// The scales of a stream at one level.
pub struct Kernel {
    level: Level,
    plan: Plan,
}

/// The kernel of `level`, if that has a fast path for the stream.
pub fn select(level: Level, plan: &Plan) -> Option<Kernel> {
    // A band of one row or column is its own neighbour.
    let wide = plan.scales.iter().all(|scale| scale.width > 1 && scale.height > 1);
    (level.kind() > Kind::Scalar && wide).then(|| Kernel { level, plan: plan.clone() })
}

impl Stripes for Kernel {
    type Rows = Box<Strip>;

    fn rows(&self, _: usize) -> Box<Strip> {
        Strip::new()
    }

    fn stripe<S: Source>(
        &self,
        index: usize,
        input: Input<'_, S>,
        rows: Range<usize>,
        low: Option<LowPass<'_, f32>>,
        sums: &mut [Sums],
        work: &mut Box<Strip>,
    ) {
        #[cfg(target_arch = "x86_64")]
        {
            let job = rows::Job { plan: &self.plan, scale: &self.plan.scales[index], input, rows };
            if let Some(lanes) = avx512::Avx512::new(self.level) {
                return job.run(lanes, low, sums, work);
            }
            if let Some(lanes) = avx2::Avx2::new(self.level) {
                return job.run(lanes, low, sums, work);
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = (index, input, rows, low, sums, work);
        unreachable!("`select` makes no kernel for such a level")
    }
}

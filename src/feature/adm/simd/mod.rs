// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The fast path: every instruction-set level by the same loops over registers.

pub mod buffer;
mod coarse;
mod estimate;
mod finest;
pub(in crate::feature) mod lanes;
mod masking;
pub mod rows;
mod wavelet;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;

use std::ops::Range;

use super::plan::{Plan, Scale};
use super::scalar::LowPass;
use super::{Stripes, Totals};
use crate::cpu::{Kind, Level};
use crate::picture::Plane;
use rows::{Constants, Rows};
pub use wavelet::{Source, Target};

/// The scales of a stream at one level.
pub struct Kernel {
    level: Level,
    skip_aim: bool,
    scales: [Constants; 4],
}

/// The kernel of `level`, if that has a fast path for the stream.
pub fn select(level: Level, plan: &Plan, bpc: u32) -> Option<Kernel> {
    let fast =
        level.kind() > Kind::Scalar && plan.scales.iter().all(is_plain) && plan.gain_limit.fract() == 0.0;
    let scales = || [0, 1, 2, 3].map(|index| Constants::new(plan, index, bpc));
    fast.then(|| Kernel { level, skip_aim: plan.skip_aim, scales: scales() })
}

/// Whether a scale is wide enough for the common borders, and no weighted coefficient of it can wrap.
fn is_plain(scale: &Scale) -> bool {
    let [edge, _, diagonal] = scale.weights.fixed;
    let weights = match scale.index {
        0 => edge <= 46_000 && diagonal < 1 << 16,
        _ => edge.max(diagonal) < 1 << 28,
    };
    scale.width > 2 && scale.height > 1 && weights
}

impl Stripes for Kernel {
    type Rows = Rows;

    fn rows(&self, index: usize) -> Rows {
        Rows::new(&self.scales[index].scale)
    }

    fn stripe<S: Source, T: Target>(
        &self,
        index: usize,
        input: [Plane<'_, S>; 2],
        rows: Range<usize>,
        low: Option<LowPass<'_, T>>,
        work: &mut Rows,
    ) -> Option<Totals> {
        #[cfg(target_arch = "x86_64")]
        {
            let (constants, skip) = (&self.scales[index], self.skip_aim);
            if let Some(lanes) = avx512::Avx512::<true>::new(self.level) {
                return rows::stripe(lanes, constants, skip, input, rows, low, work);
            }
            if let Some(lanes) = avx512::Avx512::<false>::new(self.level) {
                return rows::stripe(lanes, constants, skip, input, rows, low, work);
            }
            if let Some(lanes) = avx2::Avx2::new(self.level) {
                return rows::stripe(lanes, constants, skip, input, rows, low, work);
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = (index, input, rows, low, work);
        unreachable!("`select` makes no kernel for such a level")
    }
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The twin `float_moment_cuda`: the sums of both pictures' luma in one launch, or in three where
//! the squares may pass 2^53.

use std::sync::Arc;

use super::PairSums;
use super::scalar::Sums;
use crate::error::Result;
use crate::feature::depth::Depth;
use crate::feature::{Launch, Setup};
use crate::gpu::{
    DeviceAddress, Engine, Kernel, OrderedRows, OrderedSum, Parameters, Pass, PlaneView, Results, image,
};

/// Results of a frame: samples and squares of the reference picture, then of the distorted one.
pub const WORDS: usize = 4;

/// `MomentParameters` of kernels/moment.cu.
#[derive(Clone, Copy)]
#[repr(C)]
struct MomentParameters {
    luma: [PlaneView; 2],
    sums: DeviceAddress,
    rows: OrderedRows,
    start: u64,
}

const _: () = assert!(size_of::<MomentParameters>() == 80);

// SAFETY: the same as in C, and without padding.
unsafe impl Parameters for MomentParameters {}

/// Sums of luma planes.
pub struct Moments {
    kernel: Kernel<MomentParameters>,
    ordered: Option<OrderedSum<MomentParameters>>,
}

impl Moments {
    /// For the stream's depth.
    pub fn new(setup: &Setup, engine: &Arc<Engine>) -> Result<Self> {
        let name = match Depth::new(setup.format.bpc)? {
            Depth::Bits8 => "moment_8",
            _ => "moment_16",
        };
        let module = engine.module(&image::MOMENT)?;
        let names = ["moment_pairs_16", "moment_walk_16"];
        let ordered = OrderedSum::if_needed(engine, &module, names, &setup.format, 2)?;
        Ok(Self { kernel: module.kernel(name)?, ordered })
    }

    fn launch_one(&self, pass: &Pass<'_>, results: &Results) -> Result<()> {
        let luma = [pass.reference(0), pass.distorted(0)];
        let rows = self.ordered.as_ref().map(|ordered| ordered.rows(pass)).unwrap_or_default();
        let parameters = MomentParameters { luma, sums: pass.results(results), rows, start: 0 };
        let geometry = pass.rows(luma[0].height(), 2);
        pass.launch(&self.kernel, geometry, &parameters)?;
        self.ordered.as_ref().map_or(Ok(()), |ordered| ordered.launch(pass, geometry, &parameters))
    }
}

impl Launch for Moments {
    type Output = PairSums;

    fn planes(&self) -> usize {
        1
    }

    fn launch(&self, batch: &[Pass<'_>], results: &Results) -> Result<()> {
        batch.iter().try_for_each(|pass| self.launch_one(pass, results))
    }

    fn output(&self, words: &[u64]) -> PairSums {
        let sums = |side: usize| Sums { samples: words[2 * side], squares: words[2 * side + 1] };
        PairSums { reference: sums(0), distorted: sums(1) }
    }
}

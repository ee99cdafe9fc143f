// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The ordered sum on a device (kernels/common/ordered.cuh): for sums of 16-bit squares that may pass 2^53, which the
//! reference rounds term by term.

use std::sync::Arc;

use super::backend::{DeviceAddress, Geometry};
use super::device::{Kernel, Module, Parameters};
use super::engine::{Engine, Work};
use super::pass::Pass;
use crate::error::Result;
use crate::picture::Format;

/// Samples of 16 bits whose squares add up to 2^53 at most.
const ALWAYS_EXACT: u64 = 1 << 21;

/// `RowPair` of kernels/common/ordered.cuh.
const PAIR_BYTES: usize = 16;

/// What the kernels know of each row, `OrderedRows` of kernels/common/ordered.cuh.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct OrderedRows {
    sums: DeviceAddress,
    pairs: DeviceAddress,
}

/// The two launches after the one that leaves exact sums of rows, and the rows' memory.
pub struct OrderedSum<P> {
    pairs: Kernel<P>,
    walk: Kernel<P>,
    work: Work,
    rows: usize,
}

impl<P: Parameters> OrderedSum<P> {
    /// For `layers` planes of luma, if their squares may add up to more than is exact.
    pub fn if_needed(
        engine: &Engine,
        module: &Arc<Module>,
        [pairs, walk]: [&'static str; 2],
        format: &Format,
        layers: usize,
    ) -> Result<Option<Self>> {
        let samples = u64::from(format.width) * u64::from(format.height);
        if format.bpc == 8 || samples <= ALWAYS_EXACT {
            return Ok(None);
        }
        let rows = layers * format.height as usize;
        let work = engine.work(rows * (PAIR_BYTES + size_of::<u64>()));
        Ok(Some(Self { pairs: module.kernel(pairs)?, walk: module.kernel(walk)?, work, rows }))
    }

    /// Where the kernels keep what they know of each row.
    pub fn rows(&self, pass: &Pass<'_>) -> OrderedRows {
        let pairs = pass.work(&self.work);
        OrderedRows { sums: pairs.offset(self.rows * PAIR_BYTES), pairs }
    }

    /// Replaces the exact sums, which `geometry` has left, by ordered ones.
    pub fn launch(&self, pass: &Pass<'_>, geometry: Geometry, parameters: &P) -> Result<()> {
        pass.launch(&self.pairs, geometry, parameters)?;
        let one_a_layer = Geometry { grid: [1, 1, geometry.grid[2]], ..geometry };
        pass.launch(&self.walk, one_a_layer, parameters)
    }
}

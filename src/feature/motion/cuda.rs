// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The twin `motion_cuda`: the blurred differences of a batch in one launch.
//!
//! Kernels filter both pictures' luma anew: nothing is kept on the device from frame to frame but pictures.

use std::sync::Arc;

use super::compared_with;
use crate::error::Result;
use crate::feature::{Launch, Setup};
use crate::gpu::backend::{BLOCK, BLOCK_WARPS};
use crate::gpu::{
    BATCH, DeviceAddress, Engine, Geometry, Kernel, Parameters, Pass, PlaneView, Results, image,
};

/// Results of a frame: the sum of the absolute blurred differences.
pub const WORDS: usize = 1;

/// `MotionPair` of kernels/motion/parameters.cuh.
#[derive(Clone, Copy, Default)]
#[repr(C)]
struct MotionPair {
    previous: PlaneView,
    current: PlaneView,
    sum: DeviceAddress,
}

/// `MotionParameters` of kernels/motion/parameters.cuh.
#[derive(Clone, Copy)]
#[repr(C)]
struct MotionParameters {
    pairs: [MotionPair; BATCH],
    frames: u32,
    bits: u32,
    segment_rows: u32,
    unused: u32,
}

const _: () = assert!(size_of::<MotionParameters>() == 240);

// SAFETY: the same as in C, and without padding.
unsafe impl Parameters for MotionParameters {}

/// Columns that a warp of the fast form goes on by.
const TILE: u32 = 120;

/// Rows that a warp of the fast form walks down. Above them it reads four more, so that many are better; but warps
/// must be enough for all multiprocessors.
const SEGMENT_ROWS: std::ops::RangeInclusive<u32> = 8..=64;

/// Warps of the fast form that a multiprocessor gets where segments need not be short for that.
const WARPS_PER_MULTIPROCESSOR: u32 = 64;

/// Blocks of the plain form for each multiprocessor at most, more than run at once.
const BLOCKS_PER_MULTIPROCESSOR: u32 = 8;

/// The difference of a reference picture from an earlier one.
pub struct BlurredDifference {
    /// None where no picture is read.
    kernel: Option<Kernel<MotionParameters>>,
    fast: bool,
    bits: u32,
    distance: u32,
    multiprocessors: u32,
}

impl BlurredDifference {
    /// From the picture `distance` frames before (1 or 2); with `force_zero` no picture is read.
    pub fn new(setup: &Setup, distance: u32, force_zero: bool, engine: &Arc<Engine>) -> Result<Self> {
        let (bits, fast) = (setup.format.bpc, engine.fast());
        let (image, name) = match (fast, bits) {
            (true, 8) => (&image::MOTION_FAST, "motion_walk_8"),
            (true, _) => (&image::MOTION_FAST, "motion_walk_16"),
            (false, 8) => (&image::MOTION, "motion_8"),
            (false, _) => (&image::MOTION, "motion_16"),
        };
        let kernel = if force_zero { None } else { Some(engine.module(image)?.kernel(name)?) };
        Ok(Self { kernel, fast, bits, distance, multiprocessors: engine.device().multiprocessors() })
    }

    /// The luma that a frame's is compared with; none if it is among the first, or no picture is read.
    fn previous(&self, pass: &Pass<'_>) -> Result<Option<PlaneView>> {
        match self.kernel {
            Some(_) => compared_with(pass.index(), self.distance, pass.previous(self.distance as usize, 0)),
            None => Ok(None),
        }
    }

    /// What is compared; nothing if the frame is among the first.
    fn pair(&self, pass: &Pass<'_>, results: &Results) -> Result<Option<MotionPair>> {
        let previous = self.previous(pass)?;
        let pair = |previous| MotionPair { previous, current: pass.reference(0), sum: pass.results(results) };
        Ok(previous.map(pair))
    }

    /// The rows of a segment and the blocks of a launch, for frames of this size.
    fn shape(&self, width: u32, height: u32, frames: u32) -> (u32, Geometry) {
        if !self.fast {
            let blocks = height.min(BLOCKS_PER_MULTIPROCESSOR * self.multiprocessors);
            return (height, Geometry { grid: [blocks, 1, frames], block: BLOCK });
        }
        let tiles = width.div_ceil(TILE);
        let rows = (tiles * height * frames).div_ceil(WARPS_PER_MULTIPROCESSOR * self.multiprocessors);
        let rows = rows.clamp(*SEGMENT_ROWS.start(), *SEGMENT_ROWS.end());
        let blocks = (tiles * height.div_ceil(rows)).div_ceil(BLOCK_WARPS);
        (rows, Geometry { grid: [blocks, 1, frames], block: BLOCK })
    }
}

impl Launch for BlurredDifference {
    type Output = u64;

    fn planes(&self) -> usize {
        usize::from(self.kernel.is_some())
    }

    fn check(&self, pass: &Pass<'_>) -> Result<()> {
        self.previous(pass).map(drop)
    }

    fn launch(&self, batch: &[Pass<'_>], results: &Results) -> Result<()> {
        let Some(kernel) = &self.kernel else { return Ok(()) };
        let mut pairs = [MotionPair::default(); BATCH];
        let mut frames = 0;
        for pass in batch {
            if let Some(pair) = self.pair(pass, results)? {
                pairs[frames] = pair;
                frames += 1;
            }
        }
        if frames == 0 {
            return Ok(());
        }
        let (luma, frames) = (pairs[0].current, frames as u32);
        let (segment_rows, geometry) = self.shape(luma.width(), luma.height(), frames);
        let parameters = MotionParameters { pairs, frames, bits: self.bits, segment_rows, unused: 0 };
        batch[0].launch(kernel, geometry, &parameters)
    }

    fn output(&self, words: &[u64]) -> u64 {
        words[0]
    }
}

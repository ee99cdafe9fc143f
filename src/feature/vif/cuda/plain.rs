// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The plain kernels: one launch for the sums of a scale, one for the pictures of the next.

use std::sync::Arc;

use super::{Pictures, sums_of};
use crate::error::Result;
use crate::feature::Setup;
use crate::feature::vif::Options;
use crate::feature::vif::tables::{LOG_TABLE, SCALES};
use crate::gpu::{BATCH, Buffer, DeviceAddress, Engine, Kernel, Parameters, Pass, PlaneView, Results, image};

/// `vif::Frame` of kernels/vif.cu.
#[derive(Clone, Copy, Default)]
#[repr(C)]
struct Frame {
    pictures: [PlaneView; 2],
    before: [PlaneView; 2],
    sums: DeviceAddress,
}

/// `vif::Parameters` of kernels/vif.cu.
#[derive(Clone, Copy)]
#[repr(C)]
struct SumParameters {
    frame: [Frame; BATCH],
    logarithms: DeviceAddress,
    gain_limit: f64,
    frames: u32,
    bits: u32,
}

const _: () = assert!(size_of::<SumParameters>() == 440);

// SAFETY: the same as in C, and without padding.
unsafe impl Parameters for SumParameters {}

/// `vif::LowParameters` of kernels/vif.cu.
#[derive(Clone, Copy)]
#[repr(C)]
struct LowParameters {
    from: [[PlaneView; 2]; BATCH],
    to: [[PlaneView; 2]; BATCH],
    pictures: u32,
    mean_shift: u32,
}

const _: () = assert!(size_of::<LowParameters>() == 392);

// SAFETY: the same as in C, and without padding.
unsafe impl Parameters for LowParameters {}

/// Columns of a row that a warp goes through at a time, at least (`SEGMENT_OUTPUTS` of kernels/vif.cu).
const SEGMENT: u32 = 112;

/// Columns and rows of the next scale that a warp makes at a time (`LOW_ROWS` of kernels/vif.cu).
const WARP: u32 = 32;
const LOW_ROWS: u32 = 4;

/// The kernels, and what all launches have in common.
pub struct Plain {
    sums: [Kernel<SumParameters>; SCALES],
    low: [Kernel<LowParameters>; SCALES - 1],
    logarithms: Buffer,
    gain_limit: f64,
    bits: u32,
}

impl Plain {
    /// For the stream's format.
    pub fn new(setup: &Setup, options: &Options, engine: &Arc<Engine>) -> Result<Self> {
        let module = engine.module(&image::VIF)?;
        let bits = setup.format.bpc;
        let [sums, low] =
            if bits == 8 { ["vif_scale0_8", "vif_low1_8"] } else { ["vif_scale0_16", "vif_low1_16"] };
        let logarithms: Vec<u8> = LOG_TABLE.iter().flat_map(|entry| entry.to_ne_bytes()).collect();
        Ok(Self {
            sums: [
                module.kernel(sums)?,
                module.kernel("vif_scale1")?,
                module.kernel("vif_scale2")?,
                module.kernel("vif_scale3")?,
            ],
            low: [module.kernel(low)?, module.kernel("vif_low2")?, module.kernel("vif_low3")?],
            logarithms: engine.constant(&logarithms)?,
            gain_limit: options.gain_limit,
            bits,
        })
    }

    /// The sums of a scale.
    pub(super) fn sums(
        &self,
        batch: &[Pass<'_>],
        results: &Results,
        pictures: &[Pictures],
        scale: usize,
    ) -> Result<()> {
        let mut frame = [Frame::default(); BATCH];
        for ((frame, pictures), pass) in frame.iter_mut().zip(pictures).zip(batch) {
            *frame = Frame {
                pictures: pictures[scale],
                before: if scale > 0 { pictures[scale - 1] } else { Default::default() },
                sums: sums_of(pass, results, scale),
            };
        }
        let parameters = SumParameters {
            frame,
            logarithms: self.logarithms.address(),
            gain_limit: self.gain_limit,
            frames: batch.len() as u32,
            bits: self.bits,
        };
        let picture = pictures[0][scale][0];
        let segments = picture.height() * picture.width().div_ceil(SEGMENT);
        batch[0].launch(&self.sums[scale], batch[0].rows(segments, parameters.frames), &parameters)
    }

    /// The pictures of the scale after `scale`.
    pub(super) fn low_pass(&self, batch: &[Pass<'_>], pictures: &[Pictures], scale: usize) -> Result<()> {
        let mut parameters = LowParameters {
            from: Default::default(),
            to: Default::default(),
            pictures: 2 * batch.len() as u32,
            mean_shift: if scale == 0 { self.bits } else { 16 },
        };
        for (index, pictures) in pictures.iter().enumerate() {
            parameters.from[index] = pictures[scale];
            parameters.to[index] = pictures[scale + 1];
        }
        let picture = pictures[0][scale + 1][0];
        let segments = picture.height().div_ceil(LOW_ROWS) * picture.width().div_ceil(WARP);
        batch[0].launch(&self.low[scale], batch[0].rows(segments, parameters.pictures), &parameters)
    }
}

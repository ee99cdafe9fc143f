// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The fast kernels: one launch for scale 0, which makes the pictures of scale 1 too, and one for scales 1 to 3.

use std::sync::Arc;

use super::bands::Bands;
use super::{Pictures, sums_of};
use crate::error::Result;
use crate::feature::Setup;
use crate::feature::vif::Options;
use crate::feature::vif::tables::LOG_TABLE;
use crate::gpu::backend::{BLOCK, BLOCK_WARPS};
use crate::gpu::{
    BATCH, Buffer, DeviceAddress, Engine, Geometry, Kernel, Parameters, Pass, PlaneView, Results, image,
};

/// Scales that share a launch.
const SMALL_SCALES: usize = 3;

/// `vif::FastScale` of kernels/vif/walk.cuh.
#[derive(Clone, Copy, Default)]
#[repr(C)]
struct FastScale {
    pictures: [PlaneView; 2],
    next: [PlaneView; 2],
    sums: DeviceAddress,
}

/// `vif::FastTables` of kernels/vif_fast.cu.
#[derive(Clone, Copy)]
#[repr(C)]
struct FastTables {
    bands: DeviceAddress,
    logarithms: DeviceAddress,
    gain_limit: f64,
    frames: u32,
    bits: u32,
}

/// `vif::FastParameters` of kernels/vif_fast.cu.
#[derive(Clone, Copy)]
#[repr(C)]
struct FastParameters {
    frame: [FastScale; BATCH],
    tables: FastTables,
}

const _: () = assert!(size_of::<FastParameters>() == 448);

// SAFETY: the same as in C, and without padding.
unsafe impl Parameters for FastParameters {}

/// `vif::FastSmallParameters` of kernels/vif_fast.cu.
#[derive(Clone, Copy)]
#[repr(C)]
struct FastSmallParameters {
    frame: [[FastScale; SMALL_SCALES]; BATCH],
    tables: FastTables,
}

const _: () = assert!(size_of::<FastSmallParameters>() == 1280);

// SAFETY: the same as in C, and without padding.
unsafe impl Parameters for FastSmallParameters {}

/// Rows and columns of a window, which a warp makes at a time.
const WINDOW: u32 = 16;

/// Dynamic shared memory of a block, `vif::BlockShared` of kernels/vif_fast.cu, for samples of 8 and of 16 bits.
pub const SHARED_8: u32 = 81_920;
/// For samples of 16 bits.
pub const SHARED_16: u32 = 98_304;

/// The kernels, and what all launches have in common.
pub struct Fast {
    scale_0: Kernel<FastParameters>,
    small: Kernel<FastSmallParameters>,
    bands: Buffer,
    small_bands: Buffer,
    logarithms: Buffer,
    gain_limit: f64,
    bits: u32,
    multiprocessors: u32,
}

impl Fast {
    /// For the stream's format.
    pub fn new(setup: &Setup, options: &Options, engine: &Arc<Engine>) -> Result<Self> {
        let module = engine.module(&image::VIF_FAST)?;
        let bits = setup.format.bpc;
        let (name, shared) = match bits {
            8 => ("vif_fast_8", SHARED_8),
            9..=12 => ("vif_fast_12", SHARED_16),
            _ => ("vif_fast_16", SHARED_16),
        };
        let small_bands: Vec<u8> =
            [1, 2, 3].iter().flat_map(|&scale| Bands::new(scale, 16, 16).bytes()).collect();
        Ok(Self {
            scale_0: module.kernel_with_shared(name, shared)?,
            small: module.kernel_with_shared("vif_fast_small", SHARED_16)?,
            bands: engine.constant(&Bands::new(0, bits, 2 * (bits - 8)).bytes())?,
            small_bands: engine.constant(&small_bands)?,
            logarithms: engine.constant(&log_bytes())?,
            gain_limit: options.gain_limit,
            bits,
            multiprocessors: engine.device().multiprocessors(),
        })
    }

    fn tables(&self, bands: &Buffer, frames: usize) -> FastTables {
        FastTables {
            bands: bands.address(),
            logarithms: self.logarithms.address(),
            gain_limit: self.gain_limit,
            frames: frames as u32,
            bits: self.bits,
        }
    }

    /// As many blocks as run at once, but none without a window for each warp.
    fn geometry(&self, windows: u32, frames: u32) -> Geometry {
        let blocks = (self.multiprocessors / frames).clamp(1, windows.div_ceil(BLOCK_WARPS));
        Geometry { grid: [blocks, 1, frames], block: BLOCK }
    }

    /// The sums of scale 0, and the pictures of scale 1.
    pub(super) fn scale_0(&self, batch: &[Pass<'_>], results: &Results, pictures: &[Pictures]) -> Result<()> {
        let tables = self.tables(&self.bands, batch.len());
        let mut parameters = FastParameters { frame: Default::default(), tables };
        for ((frame, pictures), pass) in parameters.frame.iter_mut().zip(pictures).zip(batch) {
            let [all, next, ..] = *pictures;
            *frame = FastScale { pictures: all, next, sums: sums_of(pass, results, 0) };
        }
        let geometry = self.geometry(windows(&pictures[0][0][0]), tables.frames);
        batch[0].launch(&self.scale_0, geometry, &parameters)
    }

    /// The sums of scales 1 to 3.
    pub(super) fn small_scales(
        &self,
        batch: &[Pass<'_>],
        results: &Results,
        pictures: &[Pictures],
    ) -> Result<()> {
        let tables = self.tables(&self.small_bands, batch.len());
        let mut parameters = FastSmallParameters { frame: Default::default(), tables };
        for ((frame, pictures), pass) in parameters.frame.iter_mut().zip(pictures).zip(batch) {
            *frame = [1, 2, 3].map(|scale| FastScale {
                pictures: pictures[scale],
                next: Default::default(),
                sums: sums_of(pass, results, scale),
            });
        }
        let all = pictures[0][1..].iter().map(|[reference, _]| windows(reference)).sum();
        batch[0].launch(&self.small, self.geometry(all, tables.frames), &parameters)
    }
}

fn windows(plane: &PlaneView) -> u32 {
    plane.width().div_ceil(WINDOW) * plane.height().div_ceil(WINDOW)
}

/// `vif::LogBytes` of kernels/vif/terms.cuh: how far the log table is above a line of slope 1/16. 0 to 177.
pub fn log_bytes() -> Vec<u8> {
    let entries = LOG_TABLE[..32768].iter().zip(0..);
    entries.map(|(&entry, i): (_, u16)| (entry - LOG_TABLE[0] - (i >> 4)) as u8).collect()
}

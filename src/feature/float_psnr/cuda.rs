// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The twin `float_psnr_cuda`: above 8 bits a sum of rounded squares, at 8 the luma's squared error of `psnr_cuda`.

use std::sync::Arc;

use crate::error::Result;
use crate::feature::psnr::cuda::SquaredErrors;
use crate::feature::{Launch, Setup};
use crate::gpu::{
    DeviceAddress, Engine, Kernel, OrderedRows, OrderedSum, Parameters, Pass, PlaneView, Results, image,
};

/// Results of a frame: the noise, and where it is a squared error room for two more, which stay zero.
pub const WORDS: usize = crate::feature::psnr::cuda::WORDS;

/// `FloatPsnrParameters` of kernels/float_psnr.cu.
#[derive(Clone, Copy)]
#[repr(C)]
struct FloatPsnrParameters {
    luma: [PlaneView; 2],
    noise: DeviceAddress,
    rows: OrderedRows,
    start: u64,
}

const _: () = assert!(size_of::<FloatPsnrParameters>() == 80);

// SAFETY: the same as in C, and without padding.
unsafe impl Parameters for FloatPsnrParameters {}

/// Noise sums of luma planes.
pub enum Noise {
    /// Squares are exact.
    Exact(SquaredErrors),
    /// Squares are rounded, and their order may matter.
    Rounded(Rounded),
}

/// The kernels of more than 8 bits.
pub struct Rounded {
    kernel: Kernel<FloatPsnrParameters>,
    ordered: Option<OrderedSum<FloatPsnrParameters>>,
}

impl Noise {
    /// For the stream's depth.
    pub fn new(setup: &Setup, engine: &Arc<Engine>) -> Result<Self> {
        match setup.format.bpc {
            8 => Ok(Self::Exact(SquaredErrors::new(setup, 1, engine)?)),
            _ => Ok(Self::Rounded(Rounded::new(setup, engine)?)),
        }
    }
}

impl Rounded {
    fn new(setup: &Setup, engine: &Arc<Engine>) -> Result<Self> {
        let module = engine.module(&image::FLOAT_PSNR)?;
        let names = ["float_psnr_pairs_16", "float_psnr_walk_16"];
        let ordered = OrderedSum::if_needed(engine, &module, names, &setup.format, 1)?;
        Ok(Self { kernel: module.kernel("float_psnr_16")?, ordered })
    }

    fn launch(&self, pass: &Pass<'_>, results: &Results) -> Result<()> {
        let luma = [pass.reference(0), pass.distorted(0)];
        let rows = self.ordered.as_ref().map(|ordered| ordered.rows(pass)).unwrap_or_default();
        let parameters = FloatPsnrParameters { luma, noise: pass.results(results), rows, start: 0 };
        let geometry = pass.rows(luma[0].height(), 1);
        pass.launch(&self.kernel, geometry, &parameters)?;
        self.ordered.as_ref().map_or(Ok(()), |ordered| ordered.launch(pass, geometry, &parameters))
    }
}

impl Launch for Noise {
    type Output = u64;

    fn planes(&self) -> usize {
        1
    }

    fn launch(&self, batch: &[Pass<'_>], results: &Results) -> Result<()> {
        match self {
            Self::Exact(errors) => errors.launch(batch, results),
            Self::Rounded(noise) => batch.iter().try_for_each(|pass| noise.launch(pass, results)),
        }
    }

    fn output(&self, words: &[u64]) -> u64 {
        words[0]
    }
}

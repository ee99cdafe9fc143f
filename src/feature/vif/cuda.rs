// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The twin `vif_cuda`: the plain kernels, which take everything, or the fast ones.

pub mod bands;
pub mod fast;
pub mod plain;

use std::sync::Arc;

use super::Options;
use super::sums::Sums;
use super::tables::SCALES;
use crate::error::Result;
use crate::feature::{Launch, Setup};
use crate::gpu::{DeviceAddress, Engine, Pass, PlaneView, Results, Work};
use fast::Fast;
use plain::Plain;

/// Sums of a scale.
const SUMS: usize = 4;

/// Results of a frame: the sums of each scale.
pub const WORDS: usize = SCALES * SUMS;

/// Width and height at least for the fast kernels: below, scale 3 is a single row or column, for which only the plain
/// ones have the borders (section 8.1 of the specification). Everything else they take: all depths, samples above the
/// depth's range, all options.
const LEAST_FAST_SIZE: u32 = 16;

/// Reference and distorted pictures of all scales.
type Pictures = [[PlaneView; 2]; SCALES];

/// The sums of all scales.
pub struct Vif {
    plain: Plain,
    fast: Option<Fast>,
    pyramid: Pyramid,
    skip_scale0: bool,
}

impl Vif {
    /// For the stream's format.
    pub fn new(setup: &Setup, options: &Options, engine: &Arc<Engine>) -> Result<Self> {
        let least = setup.format.width.min(setup.format.height);
        let fast = (engine.fast() && least >= LEAST_FAST_SIZE).then(|| Fast::new(setup, options, engine));
        Ok(Self {
            plain: Plain::new(setup, options, engine)?,
            fast: fast.transpose()?,
            pyramid: Pyramid::new(setup, engine),
            skip_scale0: options.skip_scale0,
        })
    }

    /// For each scale its sums, and the pictures of the next.
    fn launch_plain(&self, batch: &[Pass<'_>], results: &Results, pictures: &[Pictures]) -> Result<()> {
        for scale in 0..SCALES {
            if scale > 0 || !self.skip_scale0 {
                self.plain.sums(batch, results, pictures, scale)?;
            }
            if scale + 1 < SCALES {
                self.plain.low_pass(batch, pictures, scale)?;
            }
        }
        Ok(())
    }

    /// Scale 0 along with the pictures of scale 1, those of scales 2 and 3, then the sums of scales 1 to 3.
    fn launch_fast(
        &self,
        fast: &Fast,
        batch: &[Pass<'_>],
        results: &Results,
        pictures: &[Pictures],
    ) -> Result<()> {
        match self.skip_scale0 {
            true => self.plain.low_pass(batch, pictures, 0)?,
            false => fast.scale_0(batch, results, pictures)?,
        }
        self.plain.low_pass(batch, pictures, 1)?;
        self.plain.low_pass(batch, pictures, 2)?;
        fast.small_scales(batch, results, pictures)
    }
}

/// The pictures of scales 1 to 3 in work memory.
struct Pyramid {
    work: Work,
    width: u32,
    height: u32,
}

impl Pyramid {
    fn new(setup: &Setup, engine: &Engine) -> Self {
        let (width, height) = (setup.format.width, setup.format.height);
        let bytes: usize = (1..SCALES).map(|scale| 2 * picture_bytes(width >> scale, height >> scale)).sum();
        Self { work: engine.work(bytes), width, height }
    }

    fn pictures(&self, pass: &Pass<'_>) -> Pictures {
        let mut start = pass.work(&self.work);
        let mut picture = |scale: usize| {
            let (width, height) = (self.width >> scale, self.height >> scale);
            let plane = PlaneView::in_memory(start, pitch(width), width, height);
            start = start.offset(picture_bytes(width, height));
            plane
        };
        let mut pair = |scale| [picture(scale), picture(scale)];
        [[pass.reference(0), pass.distorted(0)], pair(1), pair(2), pair(3)]
    }
}

/// Bytes from one row to the next, of samples of 16 bits.
fn pitch(width: u32) -> u32 {
    (2 * width).next_multiple_of(16)
}

fn picture_bytes(width: u32, height: u32) -> usize {
    pitch(width) as usize * height as usize
}

/// Where the sums of a scale go.
fn sums_of(pass: &Pass<'_>, results: &Results, scale: usize) -> DeviceAddress {
    pass.results(results).offset(scale * SUMS * size_of::<u64>())
}

impl Launch for Vif {
    type Output = [Sums; SCALES];

    fn planes(&self) -> usize {
        1
    }

    fn launch(&self, batch: &[Pass<'_>], results: &Results) -> Result<()> {
        let pictures: Vec<_> = batch.iter().map(|pass| self.pyramid.pictures(pass)).collect();
        match &self.fast {
            Some(fast) => self.launch_fast(fast, batch, results, &pictures),
            None => self.launch_plain(batch, results, &pictures),
        }
    }

    fn output(&self, words: &[u64]) -> [Sums; SCALES] {
        [0, 1, 2, 3].map(|scale| {
            let [numerator, denominator, flat_variance, flat] =
                [0, 1, 2, 3].map(|sum| words[SUMS * scale + sum] as i64);
            Sums { numerator, denominator, flat_variance, flat }
        })
    }
}

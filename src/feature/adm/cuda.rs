// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The twin `adm_cuda`: the sums of the four scales, exact.

pub mod fast;
pub mod plain;

use std::sync::Arc;

use super::Totals;
use super::plan::{Plan, Scale};
use crate::error::Result;
use crate::feature::{Launch, Setup};
use crate::gpu::{BATCH, DeviceAddress, Engine, Kernel, Pass, PlaneView, Results, Work, image};
use fast::{Fast, FastParameters};
use plain::{Plain, PlainParameters};

/// Sums of a scale: denominators, restored and additive part, of the bands h, v, d each.
const TOTALS: usize = 9;
/// Results of a frame.
pub const WORDS: usize = 4 * TOTALS;

/// `adm::Frame` of kernels/adm/parameters.cuh, as are the next two; `P` is a plane.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct FrameParameters<P> {
    /// Luma of the reference and the distorted picture.
    pub pictures: [P; 2],
    /// The frame's work memory.
    pub work: DeviceAddress,
    /// Its results.
    pub totals: DeviceAddress,
}

/// `adm::Scale`.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
struct ScaleParameters {
    input: [u32; 2],
    size: [u32; 2],
    /// Left, top, right, bottom.
    window: [u32; 4],
    weights: [u32; 3],
    wavelet_shifts: [u32; 2],
    denominator_shifts: [u32; 2],
    numerator_shifts: [u32; 2],
    numerator_row_shift: u32,
    low_stride: u32,
    unused: u32,
    low: [u64; 2],
}

/// `adm::Stream`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct StreamParameters<P> {
    frames: [FrameParameters<P>; BATCH],
    scales: [ScaleParameters; 4],
    gain_limit: f64,
    frame_count: u32,
    middle: u32,
}

const _: () = assert!(size_of::<FrameParameters<PlaneView>>() == 64 && size_of::<ScaleParameters>() == 96);
/// Where things are in a frame's work memory.
#[derive(Default)]
struct Layout {
    bytes: usize,
}

impl Layout {
    /// Room for `bytes` bytes, and where it is.
    fn room(&mut self, bytes: usize) -> u64 {
        let start = self.bytes.next_multiple_of(256);
        self.bytes = start + bytes;
        start as u64
    }
}

/// Bytes of a coefficient.
fn word(scale: &Scale) -> usize {
    if scale.index == 0 { size_of::<i16>() } else { size_of::<i32>() }
}

impl ScaleParameters {
    /// With room for the low-pass bands that the scale leaves.
    fn new(scale: &Scale, layout: &mut Layout) -> Self {
        let narrow = |values: [usize; 2]| values.map(|value| value as u32);
        let window = scale.window;
        let [edge, diagonal] = [0, 2].map(|band| scale.numerator_rounding(band));
        let stride = (scale.width * word(scale)).next_multiple_of(128) / word(scale);
        let band = stride * scale.height * word(scale);
        Self {
            input: narrow(scale.input),
            size: narrow([scale.width, scale.height]),
            window: [window.left, window.top, window.right, window.bottom].map(|edge| edge as u32),
            weights: scale.weights.fixed,
            wavelet_shifts: scale.rounding.map(|rounding| rounding.shift),
            denominator_shifts: scale.denominator_rounding().map(|rounding| rounding.shift),
            numerator_shifts: [edge[0].shift, diagonal[0].shift],
            numerator_row_shift: edge[1].shift,
            low_stride: stride as u32,
            unused: 0,
            low: if scale.index < 3 { [layout.room(band), layout.room(band)] } else { [0; 2] },
        }
    }
}

/// What all frames of a stream have in common.
#[derive(Clone, Debug)]
struct Stream {
    scales: [ScaleParameters; 4],
    gain_limit: f64,
    middle: u32,
}

impl Stream {
    fn new(plan: &Plan, bpc: u32, layout: &mut Layout) -> Self {
        let scales = plan.scales.each_ref().map(|scale| ScaleParameters::new(scale, layout));
        Self { scales, gain_limit: plan.gain_limit, middle: 1 << (bpc - 1) }
    }

    /// For a batch of frames.
    fn parameters<P: Copy>(&self, frames: &[FrameParameters<P>]) -> StreamParameters<P> {
        StreamParameters {
            frames: std::array::from_fn(|i| frames[i.min(frames.len() - 1)]),
            scales: self.scales,
            gain_limit: self.gain_limit,
            frame_count: frames.len() as u32,
            middle: self.middle,
        }
    }
}

/// The sums that a frame's results are.
pub fn totals(words: &[u64]) -> [Totals; 4] {
    [0, 1, 2, 3].map(|scale| {
        let bands = |part: usize| [0, 1, 2].map(|band| words[scale * TOTALS + part * 3 + band]);
        let signed = |part| bands(part).map(u64::cast_signed);
        Totals { denominator: bands(0), restored: signed(1), additive: signed(2) }
    })
}

/// The kernels of one of the forms.
enum Form {
    Plain(Plain, Vec<Kernel<PlainParameters<PlaneView>>>),
    Fast(Fast, Vec<Kernel<FastParameters<PlaneView>>>),
}

/// The per-pixel half of the twin.
pub struct Sums {
    form: Form,
    work: Work,
    multiprocessors: u32,
}

impl Sums {
    /// For the stream that `plan` was made for.
    pub fn new(setup: &Setup, plan: &Plan, engine: &Arc<Engine>) -> Result<Self> {
        let multiprocessors = engine.device().multiprocessors();
        let fast = if engine.fast() { Fast::new(plan, setup.format.bpc) } else { None };
        let (form, bytes) = match fast {
            Some(fast) => {
                let module = engine.module(&image::ADM_FAST)?;
                let launches = fast.launches(1, multiprocessors);
                let kernels =
                    launches.iter().map(|launch| module.kernel_with_shared(launch.kernel, launch.shared));
                let kernels = kernels.collect::<Result<_>>()?;
                let bytes = fast.bytes;
                (Form::Fast(fast, kernels), bytes)
            }
            None => {
                let (plain, module) = (Plain::new(plan, setup.format.bpc), engine.module(&image::ADM)?);
                let kernels = plain.launches.iter().map(|launch| module.kernel(launch.kernel));
                let (kernels, bytes) = (kernels.collect::<Result<_>>()?, plain.bytes);
                (Form::Plain(plain, kernels), bytes)
            }
        };
        Ok(Self { form, work: engine.work(bytes), multiprocessors })
    }
}

impl Launch for Sums {
    type Output = [Totals; 4];

    fn planes(&self) -> usize {
        1
    }

    fn launch(&self, batch: &[Pass<'_>], results: &Results) -> Result<()> {
        let frame = |pass: &Pass<'_>| FrameParameters {
            pictures: [pass.reference(0), pass.distorted(0)],
            work: pass.work(&self.work),
            totals: pass.results(results),
        };
        let frames: Vec<_> = batch.iter().map(frame).collect();
        match &self.form {
            Form::Plain(plain, kernels) => {
                plain.launches.iter().zip(kernels).try_for_each(|(launch, kernel)| {
                    let geometry = batch[0].rows(launch.rows as u32, frames.len() as u32);
                    batch[0].launch(kernel, geometry, &plain.parameters(launch, &frames))
                })
            }
            Form::Fast(fast, kernels) => {
                let parameters = fast.parameters(&frames, self.multiprocessors);
                let launches = fast.launches(frames.len(), self.multiprocessors);
                launches
                    .iter()
                    .zip(kernels)
                    .try_for_each(|(launch, kernel)| batch[0].launch(kernel, launch.geometry, &parameters))
            }
        }
    }

    fn output(&self, words: &[u64]) -> [Totals; 4] {
        totals(words)
    }
}

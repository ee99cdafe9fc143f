// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The twin `adm_cuda`: the sums of the four scales, exact.

use std::sync::Arc;

use super::Totals;
use super::plan::{Plan, Scale};
use crate::error::Result;
use crate::feature::{Launch, Setup};
use crate::gpu::backend::BLOCK;
use crate::gpu::{
    BATCH, DeviceAddress, Engine, Geometry, Kernel, Parameters, Pass, PlaneView, Results, Work, image,
};

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

/// `AdmParameters` of kernels/adm.cu.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct PlainParameters<P> {
    stream: StreamParameters<P>,
    decoupled: u64,
    scale: u32,
    skip_aim: u32,
}

const _: () = assert!(size_of::<FrameParameters<PlaneView>>() == 64 && size_of::<ScaleParameters>() == 96);
const _: () = assert!(size_of::<PlainParameters<PlaneView>>() == 672);

// SAFETY: the same as in C, and without padding.
unsafe impl Parameters for PlainParameters<PlaneView> {}

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

/// A launch of a plain kernel.
#[derive(Clone, Copy, Debug)]
pub struct PlainLaunch {
    /// The kernel.
    pub kernel: &'static str,
    /// How many rows it goes through, a warp a row.
    pub rows: usize,
    /// Which of the scales.
    pub scale: usize,
}

/// The plain form: every size, depth and option.
#[derive(Clone, Debug)]
pub struct Plain {
    stream: Stream,
    decoupled: u64,
    skip_aim: bool,
    /// What a batch launches, in order.
    pub launches: Vec<PlainLaunch>,
    /// Work memory of a frame.
    pub bytes: usize,
}

impl Plain {
    /// For pictures of `bpc` bits.
    pub fn new(plan: &Plan, bpc: u32) -> Self {
        let mut layout = Layout::default();
        let stream = Stream::new(plan, bpc, &mut layout);
        // Four words of 32 bits and six coefficients a position; scales take turns with it.
        let decoupled = |scale: &Scale| scale.width * scale.height * (4 * size_of::<i32>() + 6 * word(scale));
        let decoupled = layout.room(plan.scales.iter().map(decoupled).max().unwrap_or(0));
        let finest = if bpc == 8 { "adm_decouple_8" } else { "adm_decouple_16" };
        let kernels = [
            [finest, "adm_pool_finest"],
            ["adm_decouple_fine", "adm_pool_coarse"],
            ["adm_decouple_coarse", "adm_pool_coarse"],
            ["adm_decouple_coarse", "adm_pool_coarse"],
        ];
        let launches = plan.scales.iter().zip(kernels).flat_map(|(scale, [decouple, pool])| {
            let (scale, window) = (scale.index, scale.window);
            let rows = [plan.scales[scale].height, window.bottom - window.top];
            let launch = |kernel, rows| PlainLaunch { kernel, rows, scale };
            [launch(decouple, rows[0]), launch(pool, rows[1])]
        });
        Self {
            launches: launches.filter(|launch| launch.rows > 0).collect(),
            bytes: layout.bytes,
            stream,
            decoupled,
            skip_aim: plan.skip_aim,
        }
    }

    /// What a launch takes.
    pub fn parameters<P: Copy>(
        &self,
        launch: &PlainLaunch,
        frames: &[FrameParameters<P>],
    ) -> PlainParameters<P> {
        PlainParameters {
            stream: self.stream.parameters(frames),
            decoupled: self.decoupled,
            scale: launch.scale as u32,
            skip_aim: self.skip_aim.into(),
        }
    }
}

/// `AdmFastParameters` of kernels/adm_fast.cu.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct FastParameters<P> {
    stream: StreamParameters<P>,
    row_sums: [u64; 4],
    row_words: u32,
    segment_rows: u32,
    shares: [u32; 4],
    finest: FinestConstants,
}

/// `adm::FinestConstants` of kernels/adm/finest.cuh.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct FinestConstants {
    gain: f32,
    exact_below: f32,
    factors: [f32; 2],
}

const _: () = assert!(size_of::<FastParameters<PlaneView>>() == 728);

// SAFETY: the same as in C, and without padding.
unsafe impl Parameters for FastParameters<PlaneView> {}

/// Warps of a block.
const BLOCK_WARPS: u32 = BLOCK / 32;
/// Dynamic shared memory of the kernel that makes the sums.
const SUM_SHARED: u32 = 67_584;
/// Band rows that a warp of it has.
const STRIP_ROWS: usize = 30;
/// Band columns of a step.
const STEP_COLUMNS: usize = 4;
/// About how long a step of each scale takes.
const STEP_COSTS: [usize; 4] = [10, 19, 24, 24];
/// Numbers that a warp makes in a row of the finest low-pass band.
const WARP_OUTPUTS: usize = 120;
/// Threads of the kernel that makes the coarser ones, and numbers of its tile each way.
const TILE_THREADS: u32 = 288;
const TILE: usize = 16;

/// The fast form, for most streams.
#[derive(Clone, Debug)]
pub struct Fast {
    stream: Stream,
    row_sums: [u64; 4],
    row_words: u32,
    finest: FinestConstants,
    /// Steps of each strip, and strips, that each scale's window needs.
    steps: [[usize; 2]; 4],
    bytes_a_sample: usize,
    /// Work memory of a frame.
    pub bytes: usize,
}

/// A launch of a fast kernel.
#[derive(Clone, Copy, Debug)]
pub struct FastLaunch {
    /// The kernel.
    pub kernel: &'static str,
    /// Blocks and their threads.
    pub geometry: Geometry,
    /// Bytes of dynamic shared memory of a block.
    pub shared: u32,
}

impl Fast {
    /// For pictures of `bpc` bits; None where the fast form is not made for the stream:
    /// - Bands less than 15 wide or high, those of pictures less than 225: thresholds look past their borders.
    /// - A gain limit that is not whole: the enhanced coefficient would have to be rounded as a double is.
    /// - At scale 0, weights with so many factors 2 that products of common coefficients tie. Ties go up, whatever the
    ///   sign, which the magnitudes in single precision do not have any more.
    /// - Above, weights of 2^28 and more, which only Barten's model has: its weighted coefficients wrap.
    pub fn new(plan: &Plan, bpc: u32) -> Option<Self> {
        let exact_below = exact_below(plan.scales[0].weights.fixed)?;
        let wide = plan.scales.iter().all(|scale| scale.window.left > 0 && scale.window.top > 0);
        let light = plan.scales[1..].iter().all(|scale| scale.weights.fixed.iter().all(|&w| w < 1 << 28));
        (wide && light && plan.gain_limit.fract() == 0.0).then(|| Self::of(plan, bpc, exact_below))
    }

    fn of(plan: &Plan, bpc: u32, exact_below: u32) -> Self {
        let mut layout = Layout::default();
        let stream = Stream::new(plan, bpc, &mut layout);
        let rows = plan.scales.each_ref().map(|scale| scale.window.bottom - scale.window.top);
        let row_words = TOTALS * rows.iter().sum::<usize>();
        let mut start = layout.room(row_words * size_of::<u64>());
        let row_sums = rows.map(|rows| {
            let here = start;
            start += (TOTALS * rows * size_of::<u64>()) as u64;
            here
        });
        let steps = [0, 1, 2, 3].map(|index: usize| {
            let window = plan.scales[index].window;
            let steps = window.right.div_ceil(STEP_COLUMNS) - window.left / STEP_COLUMNS;
            [steps, rows[index].div_ceil(STRIP_ROWS)]
        });
        let [edge, _, diagonal] = plan.scales[0].weights.fixed.map(|weight| weight as f32);
        let factors = [edge / 32_768.0, diagonal / 131_072.0];
        let finest =
            FinestConstants { gain: plan.gain_limit as f32, exact_below: exact_below as f32, factors };
        let bytes_a_sample = if bpc == 8 { 1 } else { 2 };
        Self {
            stream,
            row_sums,
            row_words: row_words as u32,
            finest,
            steps,
            bytes_a_sample,
            bytes: layout.bytes,
        }
    }

    /// What a batch of `frames` frames launches, in order, on a device with so many multiprocessors.
    pub fn launches(&self, frames: usize, multiprocessors: u32) -> [FastLaunch; 4] {
        let [narrow, sum] = match self.bytes_a_sample {
            1 => ["adm_low_pass_8", "adm_sum_8"],
            _ => ["adm_low_pass_16", "adm_sum_16"],
        };
        let frames = frames as u32;
        let size = |scale: usize| self.stream.scales[scale].size.map(|length| length as usize);
        let ([width, height], [coarse_width, coarse_height]) = (size(0), size(2));
        let segments = width.div_ceil(WARP_OUTPUTS) * height.div_ceil(self.segment_rows(frames as usize));
        let launch =
            |kernel, grid, block| FastLaunch { kernel, geometry: Geometry { grid, block }, shared: 0 };
        let blocks = segments.div_ceil(BLOCK_WARPS as usize) as u32;
        let tiles = [coarse_width.div_ceil(TILE) as u32, coarse_height.div_ceil(TILE) as u32];
        [
            launch(narrow, [blocks, 1, 2 * frames], BLOCK),
            launch("adm_low_pass", [tiles[0], tiles[1], 2 * frames], TILE_THREADS),
            FastLaunch { shared: SUM_SHARED, ..launch(sum, [multiprocessors, 1, 1], BLOCK) },
            launch("adm_round", [WORDS as u32, 1, frames], BLOCK),
        ]
    }

    /// What each of its kernels takes.
    pub fn parameters<P: Copy>(
        &self,
        frames: &[FrameParameters<P>],
        multiprocessors: u32,
    ) -> FastParameters<P> {
        FastParameters {
            stream: self.stream.parameters(frames),
            row_sums: self.row_sums,
            row_words: self.row_words,
            segment_rows: self.segment_rows(frames.len()) as u32,
            shares: self.shares(frames.len(), multiprocessors),
            finest: self.finest,
        }
    }

    /// Rows of the finest low-pass band that a warp makes: fewer where there would be too few warps.
    fn segment_rows(&self, frames: usize) -> usize {
        let [width, height] = self.stream.scales[0].size;
        if width as usize * height as usize * frames < 1 << 20 { 4 } else { 8 }
    }

    /// How many warps each scale of a frame gets, so that all end at about the same time.
    fn shares(&self, frames: usize, multiprocessors: u32) -> [u32; 4] {
        let warps = (multiprocessors * BLOCK_WARPS) as usize / frames;
        // Every strip has two steps more at its ends.
        let cost = |scale: usize| {
            let [steps, strips] = self.steps[scale];
            STEP_COSTS[scale] * (steps + 2) * strips
        };
        let total = (0..4).map(cost).sum::<usize>();
        let share = |scale: usize| match self.steps[scale].iter().product::<usize>() {
            0 => 0,
            steps => (warps * cost(scale) / total).clamp(1, steps),
        };
        let coarser = [share(1), share(2), share(3)];
        let steps = self.steps[0].iter().product::<usize>();
        let finest = warps.saturating_sub(coarser.iter().sum()).clamp(steps.min(1), steps);
        [finest, coarser[0], coarser[1], coarser[2]].map(|share| share as u32)
    }
}

/// Up to where the weighted coefficients of a part at scale 0 may add up in single precision: below, none of them is
/// one whose product ties, nor one that wraps. None where ties begin so low that they would not be rare.
fn exact_below([edge, _, diagonal]: [u32; 3]) -> Option<u32> {
    const MOST: u32 = 15_360;
    let (edge_twos, diagonal_twos) = (edge.trailing_zeros(), diagonal.trailing_zeros());
    // Coefficients are below 2^15: of d, only those with two factors 2 in the weight can tie.
    let diagonal_tie = if diagonal_twos < 2 { MOST } else { diagonal.unbounded_shr(diagonal_twos + 1) };
    (edge_twos <= 2 && diagonal_twos <= 4).then(|| MOST.min(edge >> (edge_twos + 1)).min(diagonal_tie))
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

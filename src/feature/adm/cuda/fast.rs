// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The fast kernels: low passes, the sums of all scales in one launch, and their rounding.

use super::{FrameParameters, Layout, Stream, StreamParameters, TOTALS, WORDS};
use crate::feature::adm::plan::Plan;
use crate::gpu::backend::{BLOCK, BLOCK_WARPS};
use crate::gpu::{Geometry, Parameters, PlaneView};

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

/// Dynamic shared memory of the kernel that makes the sums.
const SUM_SHARED: u32 = 67_584;
/// Band rows that a warp of it has (`STRIP_ROWS` of kernels/adm/staging.cuh).
const STRIP_ROWS: usize = 30;
/// Band columns of a step (`STEP_COLUMNS` of kernels/adm/walk.cuh).
const STEP_COLUMNS: usize = 4;
/// About how long a step of each scale takes.
const STEP_COSTS: [usize; 4] = [10, 19, 24, 24];
/// Numbers of the low-pass band of scale 0 or 1 that a warp makes in a row (`WARP_OUTPUTS` of kernels/adm/low_pass.cuh).
const WARP_OUTPUTS: usize = 120;
/// Rows of scale 2 that a warp makes (`COARSE_ROWS` of kernels/adm/coarse_low_pass.cuh).
const COARSE_ROWS: usize = 4;

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
        let [width, height] = size(0);
        let launch =
            |kernel, grid| FastLaunch { kernel, geometry: Geometry { grid, block: BLOCK }, shared: 0 };
        // A warp for each piece of the band: a strip of it, so many rows high.
        let blocks = |width: usize, segments: usize| {
            (width.div_ceil(WARP_OUTPUTS) * segments).div_ceil(BLOCK_WARPS as usize) as u32
        };
        let finest = blocks(width, height.div_ceil(self.segment_rows(frames as usize)));
        let coarse = blocks(size(1)[0], size(2)[1].div_ceil(COARSE_ROWS));
        [
            launch(narrow, [finest, 1, 2 * frames]),
            launch("adm_low_pass", [coarse, 1, 2 * frames]),
            FastLaunch { shared: SUM_SHARED, ..launch(sum, [multiprocessors, 1, 1]) },
            launch("adm_round", [WORDS as u32, 1, frames]),
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

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The plain kernels: two launches a scale.

use super::{FrameParameters, Layout, Stream, StreamParameters, word};
use crate::feature::adm::plan::{Plan, Scale};
use crate::gpu::{Parameters, PlaneView};

/// `AdmParameters` of kernels/adm.cu.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct PlainParameters<P> {
    stream: StreamParameters<P>,
    decoupled: u64,
    scale: u32,
    skip_aim: u32,
}

const _: () = assert!(size_of::<PlainParameters<PlaneView>>() == 672);

// SAFETY: the same as in C, and without padding.
unsafe impl Parameters for PlainParameters<PlaneView> {}

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

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! What a stream's size and options settle before its first frame.
#![forbid(unsafe_code)]

use super::options::Options;
use super::sensitivity;
use crate::feature::adm::plan::Window;
use crate::math::SinglePower;
use crate::picture::Format;

/// The stream's four scales, the finest first, and what all of them have in common.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Sizes and weights.
    pub scales: [Scale; 4],
    /// By how much enhanced contrast may count.
    pub gain_limit: f64,
    /// Whether one part masks the other; else thresholds are 0.
    pub masking: bool,
    /// The pooling power; cubes are products if there is none.
    pub power: Option<SinglePower>,
}

/// One wavelet step and its bands, all of one size.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// 0 to 3, from fine to coarse.
    pub index: usize,
    /// Width and height of what is transformed.
    pub input: [usize; 2],
    /// Width of a band.
    pub width: usize,
    /// Height of a band.
    pub height: usize,
    /// The part of the bands that is pooled.
    pub window: Window,
    /// Contrast sensitivity of the bands h, v, d.
    pub weights: [f32; 3],
}

impl Plan {
    /// For pictures of any size.
    pub fn new(format: &Format, options: &Options) -> Self {
        let mut input = [format.width, format.height].map(|length| length as usize);
        let mut scales = [0, 1, 2, 3].map(|index| {
            let [width, height] = input.map(|length| length.div_ceil(2));
            let weights = sensitivity::weights(options, index);
            let scale = Scale { index, input, width, height, window: Window::new(width, height), weights };
            input = [width, height];
            scale
        });
        if options.skip_scale0 {
            // Only its low-pass band is needed, so no row of it is pooled.
            scales[0].window.bottom = scales[0].window.top;
        }
        let power = (options.p_norm != 3.0).then(|| SinglePower::new(options.p_norm as f32));
        Self { scales, gain_limit: options.gain_limit, masking: !options.bypass_masking, power }
    }
}

impl Scale {
    /// Samples from one row of a stored band to the next: whole cache lines, and room for a register more.
    pub fn stride(&self) -> usize {
        self.width.next_multiple_of(16) + 16
    }
}

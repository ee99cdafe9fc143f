// SPDX-License-Identifier: BSD-2-Clause-Patent
//! What a stream's size, depth and options settle before its first frame.
#![forbid(unsafe_code)]

use std::ops::Range;

use super::options::Options;
use super::sensitivity::Weights;
use crate::error::{Error, Result};
use crate::picture::Format;

/// Below, the fourth wavelet step has nothing to mirror.
const LEAST: u32 = 17;
/// Beyond, the sums would need more bits than they have.
const MOST: (u32, u32) = (65536, 32768);
/// The nearest that the sensitivity models reach, in rows of the display.
const NEAREST: f64 = 3240.0;

/// The stream's four scales, the finest first.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Sizes, roundings and weights.
    pub scales: [Scale; 4],
    /// By how much enhanced contrast may count.
    pub gain_limit: f64,
    /// The additive part is not pooled.
    pub skip_aim: bool,
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
    /// Rounding of the wavelet's vertical and horizontal pass.
    pub rounding: [Rounding; 2],
    /// Contrast sensitivity.
    pub weights: Weights,
}

/// Adds half a unit or so and shifts right, rounding down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rounding {
    /// What is added.
    pub offset: i64,
    /// Bits dropped.
    pub shift: u32,
}

impl Rounding {
    /// To the nearest, ties up; nothing is added where nothing is dropped.
    pub const fn nearest(shift: u32) -> Self {
        Self { offset: (1 << shift) >> 1, shift }
    }

    /// Rounds.
    #[inline]
    pub const fn apply(self, value: i64) -> i64 {
        value.wrapping_add(self.offset) >> self.shift
    }

    /// Rounds what has no sign.
    #[inline]
    pub const fn apply_unsigned(self, value: u64) -> u64 {
        value.wrapping_add(self.offset as u64) >> self.shift
    }
}

/// The band without a tenth at each side (section 5.6): `left <= x < right`, `top <= y < bottom`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// First column.
    pub left: usize,
    /// First row.
    pub top: usize,
    /// Behind the last column.
    pub right: usize,
    /// Behind the last row.
    pub bottom: usize,
}

impl Window {
    /// Of bands of this size.
    pub fn new(width: usize, height: usize) -> Self {
        let margin = |length: usize| (length as f64 * 0.1 - 0.5) as usize;
        let (left, top) = (margin(width), margin(height));
        Self { left, top, right: width - left, bottom: height - top }
    }

    /// Positions in the window.
    pub fn area(&self) -> usize {
        (self.right - self.left) * (self.bottom - self.top)
    }

    /// The rows of `rows` that are in the window.
    pub fn pooled(&self, rows: &Range<usize>) -> Range<usize> {
        let start = rows.start.max(self.top);
        start..rows.end.min(self.bottom).max(start)
    }

    /// The rows, of the `height` that a band has, at which a pooled row of `rows` looks.
    pub fn touched(&self, rows: &Range<usize>, height: usize) -> Range<usize> {
        let pooled = self.pooled(rows);
        match pooled.is_empty() {
            true => pooled,
            false => pooled.start.saturating_sub(1)..(pooled.end + 1).min(height),
        }
    }
}

impl Plan {
    /// Refuses the sizes and viewing distances at which the metric is not defined.
    pub fn new(format: &Format, options: &Options) -> Result<Self> {
        let (width, height) = (format.width, format.height);
        if width < LEAST || height < LEAST {
            let needed = format!("adm needs pictures of at least {LEAST}x{LEAST}");
            return Err(Error::invalid(format!("{needed}, not {width}x{height}")));
        }
        if width > MOST.0 || height > MOST.1 {
            let taken = format!("adm takes pictures of up to {}x{}", MOST.0, MOST.1);
            return Err(Error::invalid(format!("{taken}, not {width}x{height}")));
        }
        let distance = options.distance_in_rows();
        if distance < NEAREST {
            let needed = format!("adm needs a view from at least {NEAREST} rows of the display");
            let given = "adm_norm_view_dist times adm_ref_display_height is";
            return Err(Error::invalid(format!("{needed}, {given} {distance}")));
        }
        let mut input = [width as usize, height as usize];
        let mut scales = [0, 1, 2, 3].map(|index| {
            let scale = Scale::new(index, input, format.bpc, options);
            input = [scale.width, scale.height];
            scale
        });
        if options.skip_scale0 {
            // Only its low-pass band is needed, so no row of it is pooled.
            scales[0].window.bottom = scales[0].window.top;
        }
        Ok(Self { scales, gain_limit: options.gain_limit, skip_aim: options.skip_aim })
    }
}

impl Scale {
    fn new(index: usize, input: [usize; 2], bpc: u32, options: &Options) -> Self {
        let [width, height] = input.map(|length| length.div_ceil(2));
        let rounding = match index {
            0 => [bpc, 16],
            1 => [0, 15],
            2 => [16, 16],
            _ => [16, 15],
        };
        Self {
            index,
            input,
            width,
            height,
            window: Window::new(width, height),
            rounding: rounding.map(Rounding::nearest),
            weights: Weights::new(options, index),
        }
    }

    /// Samples from one row of a stored band to the next: whole cache lines, and room for a register more.
    pub fn stride(&self) -> usize {
        self.width.next_multiple_of(32) + 32
    }

    /// Rounding of each denominator's cube, and of a row's sum of them (section 5.7).
    pub fn denominator_rounding(&self) -> [Rounding; 2] {
        let Window { left, top, right, bottom } = self.window;
        let shifts = match self.index {
            0 => [0, ceil_log2(self.window.area()).saturating_sub(20)],
            _ => [ceil_log2(right - left), ceil_log2(bottom - top)],
        };
        shifts.map(Rounding::nearest)
    }

    /// Rounding of each masked cube of `band`, and of a row's sum of them (section 5.9).
    pub fn numerator_rounding(&self, band: usize) -> [Rounding; 2] {
        let columns = ceil_log2(self.width);
        let shift = match self.index {
            0 => columns.saturating_sub(if band < 2 { 4 } else { 3 }),
            _ => columns,
        };
        [shift, ceil_log2(self.height)].map(Rounding::nearest)
    }
}

/// The smallest n for which 2^n is at least `value`.
pub fn ceil_log2(value: usize) -> u32 {
    value.next_power_of_two().ilog2()
}

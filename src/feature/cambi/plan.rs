// SPDX-License-Identifier: BSD-2-Clause-Patent
//! What follows from the options and the stream's format, once: sizes, windows, visibility limits, and refusals.
#![forbid(unsafe_code)]

use super::luminance::Transfer;
use super::tables::{SCALES, WEIGHTS, WIDEST};
use crate::error::{Error, Result};
use crate::feature::Values;
use crate::picture::Format;

/// Below this in both directions a picture is too small.
const LEAST: usize = 216;

/// Of a marked sample: the position lies in a flat area.
pub const MARK: u16 = 0x8000;

/// The depth of the analysis.
pub const DEPTH: u32 = 10;

/// Width and height in samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Samples in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

impl Size {
    /// Every second column and row of it, the first ones included.
    pub fn halved(self) -> Self {
        Self { width: self.width.div_ceil(2), height: self.height.div_ceil(2) }
    }

    /// Samples.
    pub fn area(self) -> usize {
        self.width * self.height
    }
}

/// The options of one registration, as given.
#[derive(Clone, Debug)]
pub struct Options {
    encode: Size,
    encode_bits: u32,
    source: Size,
    window: usize,
    steps: usize,
    threshold: f64,
    visible: f64,
    transfer: String,
    speedup: usize,
    /// The share of the pixels that is pooled.
    pub top: f64,
    /// The highest score.
    pub highest: f64,
    /// Scores the reference picture too.
    pub full_reference: bool,
}

impl Options {
    /// From the option table's values.
    pub fn new(values: &Values) -> Self {
        let size =
            |width, height| Size { width: values.int(width) as usize, height: values.int(height) as usize };
        // Two spellings of one option: the plain one wins in one case, the other one in the other.
        let transfer = match values.text("cambi_eotf").unwrap_or_default() {
            "bt1886" => values.text("eotf").unwrap_or_default(),
            other => other,
        };
        let top = values.double("topk");
        Self {
            encode: size("enc_width", "enc_height"),
            encode_bits: values.int("enc_bitdepth") as u32,
            source: size("src_width", "src_height"),
            window: values.int("window_size") as usize,
            steps: 1 << values.int("max_log_contrast"),
            threshold: values.double("tvi_threshold"),
            visible: values.double("cambi_vis_lum_threshold"),
            transfer: transfer.to_owned(),
            speedup: values.int("cambi_high_res_speedup") as usize,
            top: if top == 0.6 { values.double("cambi_topk") } else { top },
            highest: values.double("cambi_max_val"),
            full_reference: values.bool("full_ref"),
        }
    }
}

/// Everything that is the same for all frames.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Bits of the stream's samples.
    pub bits: u32,
    /// How the distorted picture is analysed.
    pub encode: Analysis,
    /// How the reference picture is analysed, where it is.
    pub source: Option<Analysis>,
    /// The levels that take part.
    pub levels: Levels,
    /// The share of the pixels that is pooled.
    pub top: f64,
}

impl Plan {
    /// For a stream of this format, or why there is no score for it.
    pub fn new(options: &Options, format: &Format) -> Result<Self> {
        let picture = Size { width: format.width as usize, height: format.height as usize };
        let given = |size: Size| if size.width == 0 || size.height == 0 { picture } else { size };
        let mut encode = given(options.encode);
        if encode.width > picture.width || encode.height > picture.height {
            encode = picture;
        }
        let source = given(options.source);
        check_sizes(encode, source)?;
        let halved = speedup(options.speedup, encode);
        let levels = Levels::new(options)?;
        let smooth = match options.encode_bits {
            0 => format.bpc < DEPTH,
            bits => bits < DEPTH,
        };
        let analysis = |size| Analysis::new(size, picture, options.window, halved, smooth);
        let (encode, source) = (analysis(encode), analysis(source));
        check_window(encode.window.max(source.window))?;
        encode.check_reach()?;
        if options.full_reference {
            source.check_reach()?;
        }
        let source = options.full_reference.then_some(source);
        Ok(Self { bits: format.bpc, encode, source, levels, top: options.top })
    }
}

fn check_sizes(encode: Size, source: Size) -> Result<()> {
    for (name, Size { width, height }) in [("encode", encode), ("source", source)] {
        let least = width.min(height);
        if width.max(height) < LEAST || least == 0 {
            return Err(Error::invalid(format!(
                "cambi: the {name} size {width}x{height} is too small, width or height must be at least {LEAST}"
            )));
        }
    }
    let wider = source.width.cmp(&encode.width);
    let higher = source.height.cmp(&encode.height);
    if wider == higher.reverse() && wider.is_ne() {
        return Err(Error::invalid(format!(
            "cambi: the source size {}x{} is above the encode size {}x{} in one direction and below it in the other",
            source.width, source.height, encode.width, encode.height
        )));
    }
    Ok(())
}

fn check_window(window: usize) -> Result<()> {
    if window > WIDEST {
        return Err(Error::invalid(format!(
            "cambi: pictures of this size need a window {window} wide, more than {WIDEST}; a lower window_size helps"
        )));
    }
    Ok(())
}

/// Whether pictures of this size are halved before the first scale.
fn speedup(lines: usize, encode: Size) -> bool {
    let least = match lines {
        1080 => 1920 * 1080,
        1440 => 2560 * 1440,
        2160 => 3840 * 2160,
        _ => return false,
    };
    encode.area() >= least
}

/// How pictures are analysed at one size.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The size that the picture is brought to.
    pub size: Size,
    /// Row and column of the picture for each row and column of `size`, unless they are the same.
    pub resample: Option<[Vec<u32>; 2]>,
    /// Whether samples are smoothed: the encoder had fewer than 10 bits.
    pub smooth: bool,
    /// Flat positions in the 7x7 square around a position of a flat area, at most not enough.
    pub flat_limit: u8,
    /// Whether the picture is halved before scale 0.
    pub halved: bool,
    /// The size of each scale.
    pub scales: [Size; SCALES],
    /// The window's width, odd.
    pub window: usize,
}

impl Analysis {
    fn new(size: Size, picture: Size, window: usize, halved: bool, smooth: bool) -> Self {
        let mut scales = [if halved { size.halved() } else { size }; SCALES];
        for scale in 1..SCALES {
            scales[scale] = scales[scale - 1].halved();
        }
        let tables = || {
            [(picture.height, size.height), (picture.width, size.width)].map(|(from, to)| nearest(from, to))
        };
        Self {
            size,
            resample: (size != picture).then(tables),
            smooth,
            flat_limit: flat_limit(size),
            halved,
            scales,
            window: window_of(window, size, halved),
        }
    }

    /// Samples from the window's middle to its border.
    pub fn reach(&self) -> usize {
        self.window >> 1
    }

    /// Columns of a scale that are counted: a narrow scale has something left of larger ones beside it.
    pub fn counted_width(&self, scale: usize) -> usize {
        self.scales[scale].width.max(self.reach())
    }

    fn check_reach(&self) -> Result<()> {
        let lowest = self.scales[SCALES - 1].height;
        if lowest < self.reach() {
            return Err(Error::invalid(format!(
                "cambi: {}x{} is too flat, {lowest} rows at the last scale, where half the window needs {}",
                self.size.width,
                self.size.height,
                self.reach()
            )));
        }
        Ok(())
    }
}

fn window_of(window: usize, size: Size, halved: bool) -> usize {
    let width = (window * (size.width + size.height) / 375) >> 4;
    (if halved { (width + 1) >> 1 } else { width }) | 1
}

fn flat_limit(size: Size) -> u8 {
    let blocks = (size.width >> 6) * (size.height >> 6);
    let log2 = blocks.next_power_of_two().trailing_zeros() as i32;
    let log2 = if blocks == 0 { 0 } else { log2 };
    ((49 + 3 * (log2 - 11) - 1) >> 1) as u8
}

/// For each of `to` samples the nearest of `from`. Positions are summed in floats: their drift is part of the result.
fn nearest(from: usize, to: usize) -> Vec<u32> {
    let step = from as f32 / to as f32;
    let start = (f64::from(step / 2.0) - 0.5) as f32;
    let positions = std::iter::successors(Some(start), |position| Some(position + step));
    let index = |position: f32| ((f64::from(position) + 0.5) as usize).min(from - 1) as u32;
    positions.take(to).map(index).collect()
}

/// The levels of 10 bits that take part, and which steps of contrast are seen at each.
///
/// A key stands for a masked sample of such a level: one more for each level, room for all steps below the lowest.
/// All other samples have the key 0.
#[derive(Clone, Debug)]
pub struct Levels {
    /// Steps of contrast.
    pub steps: usize,
    /// For each step the highest level at which it is seen.
    limits: Vec<u16>,
    /// The level at which luminance becomes visible.
    visible: u16,
    /// The lowest level that is counted.
    pub lowest: u16,
    /// Levels that are counted.
    pub count: u16,
}

impl Levels {
    fn new(options: &Options) -> Result<Self> {
        let transfer = Transfer::by_name(&options.transfer)?;
        let steps = options.steps;
        let limit = |step| transfer.visibility_limit(step as i32, options.threshold) as u16;
        let limits: Vec<u16> = (1..=steps).map(limit).collect();
        let visible = transfer.level_of(options.visible) as u16;
        let lowest = (visible + 1).saturating_sub(3 * steps as u16);
        let highest = limits[steps - 1] + steps as u16;
        Ok(Self { steps, limits, visible, lowest, count: (highest + 1).saturating_sub(lowest) })
    }

    /// The lowest key of a level. At least four keys are below it, so that four can always be looked at together.
    pub fn first_key(&self) -> u16 {
        self.steps.max(4) as u16 + 1
    }

    /// The highest key of a level that can have a contrast value.
    pub fn last_key(&self) -> u16 {
        (self.first_key() + self.count - 1).saturating_sub(self.steps as u16)
    }

    /// Keys, with room for all steps above the highest.
    pub fn keys(&self) -> usize {
        usize::from(self.first_key() + self.count) + self.steps.max(4)
    }

    /// What makes the keys of marked samples.
    pub fn key_maker(&self) -> KeyMaker {
        KeyMaker { lowest: MARK + self.lowest, count: self.count, first_key: self.first_key() }
    }

    /// Whether a contrast of `step` levels is seen at the level of `key`.
    pub fn is_seen(&self, key: u16, step: usize) -> bool {
        let level = key - self.first_key() + self.lowest;
        // The steps on the left belong to libvmaf's figures, though the two sides then do not match.
        level <= self.limits[step - 1] && level + (self.steps + step) as u16 > self.visible
    }

    /// The weight of each step.
    pub fn weights(&self) -> &'static [u32] {
        &WEIGHTS[..self.steps]
    }
}

/// Makes the keys of samples.
#[derive(Clone, Copy)]
pub struct KeyMaker {
    lowest: u16,
    count: u16,
    first_key: u16,
}

impl KeyMaker {
    /// The key of a sample.
    #[inline(always)]
    pub fn key(self, marked: u16) -> u16 {
        let offset = marked.wrapping_sub(self.lowest);
        if offset < self.count { offset + self.first_key } else { 0 }
    }
}

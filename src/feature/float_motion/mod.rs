// SPDX-License-Identifier: BSD-2-Clause-Patent
//! `float_motion`: mean absolute difference of consecutive blurred reference pictures in single precision, with a
//! minimum over time; options add the half-size pictures and the chroma planes.
//!
//! Li et al., "Toward a practical perceptual video quality metric", 2016. Sections are those of `float_motion.md`.

pub mod cpu;
pub mod scalar;
pub mod simd;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod tile;

use super::depth::Depth;
use super::motion::shaping::{
    BLEND_FACTOR, BLEND_OFFSET, FORCE_ZERO, FPS_WEIGHT, MAX_VAL, Shaping, flag, smaller,
};
use super::{Definition, Emitter, Kind, OptionSpec, Score, Setup, Traits, Values, on_cpu};
use crate::error::{Error, Result};

/// The extractor `float_motion`.
pub static DEFINITION: Definition = Definition {
    name: "float_motion",
    provides: &[MOTION, MOTION2, MOTION3],
    options: OPTIONS,
    traits: Traits { every_frame: true, serial: true, looks_back: Some(|_| 1), ..Traits::PLAIN },
    make: |setup, values| {
        let options = Options::new(values);
        let depth = Depth::new(setup.format.bpc)?;
        options.check(setup)?;
        Ok(on_cpu(setup, cpu::Distance::new(setup, depth, &options), FloatMotion::new(options)))
    },
    twin: None,
};

const MOTION: &str = "VMAF_feature_motion_score";
const MOTION2: &str = "VMAF_feature_motion2_score";
const MOTION3: &str = "VMAF_feature_motion3_score";

const OPTIONS: &[OptionSpec] = &[
    OptionSpec { name: "debug", alias: None, kind: Kind::Bool(true), spelled: false },
    FORCE_ZERO,
    FPS_WEIGHT,
    BLEND_FACTOR,
    BLEND_OFFSET,
    flag("motion_add_scale1", "mdc"),
    OptionSpec {
        name: "motion_filter_size",
        alias: Some("mfs"),
        kind: Kind::Int { default: 5, low: 0, high: 9 },
        spelled: true,
    },
    flag("motion_add_uv", "mau"),
    MAX_VAL,
];

/// The widest picture that is halved.
const WIDEST_HALVED: u32 = 15360;

/// The options of one registration.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Also store the score of the frame itself.
    debug: bool,
    /// Every score 0.
    pub force_zero: bool,
    /// Add the distance of the half-size pictures.
    pub add_scale1: bool,
    /// 1 no filter, 3 three taps, all others five.
    pub filter_size: i32,
    /// Add the chroma planes.
    pub add_uv: bool,
    shaping: Shaping,
}

impl Options {
    /// Reads the values of the table.
    pub fn new(values: &Values) -> Self {
        Self {
            debug: values.bool("debug"),
            force_zero: values.bool("motion_force_zero"),
            add_scale1: values.bool("motion_add_scale1"),
            filter_size: values.int("motion_filter_size"),
            add_uv: values.bool("motion_add_uv"),
            shaping: Shaping::new(values),
        }
    }

    /// The planes that are compared.
    pub fn planes(&self) -> usize {
        if self.add_uv { 3 } else { 1 }
    }

    /// Refuses what has no chroma, what the filter's mirror would leave, and what is too wide to be halved.
    fn check(&self, setup: &Setup) -> Result<()> {
        if self.force_zero {
            return Ok(());
        }
        let format = &setup.format;
        if format.pixel.planes() < self.planes() {
            return Err(Error::invalid("motion_add_uv needs pictures with chroma planes, not 4:0:0"));
        }
        // Without a filter the reference runs five taps too.
        let least = if self.filter_size == 3 { 2 } else { 3 };
        for plane in 0..self.planes() {
            let (width, height) = format.plane_size(plane);
            if width.min(height) < least {
                let what = format!("planes of {width}x{height} are too small");
                return Err(Error::invalid(format!("{what}; the smallest are {least}x{least}")));
            }
        }
        if self.add_scale1 && format.width > WIDEST_HALVED {
            let limit = format!("motion_add_scale1 takes pictures up to {WIDEST_HALVED} samples wide");
            return Err(Error::invalid(format!("{limit}, not {}", format.width)));
        }
        Ok(())
    }
}

/// From distances to scores (section 5): those of a frame's neighbourhood in time come one frame later.
struct FloatMotion {
    options: Options,
    /// Frames so far.
    count: u32,
    /// The distance of the latest from the one before.
    latest: f64,
}

impl FloatMotion {
    fn new(options: Options) -> Self {
        Self { options, count: 0, latest: 0.0 }
    }

    fn weighted(&self, distance: f64) -> f64 {
        distance * self.options.shaping.fps_weight
    }

    fn motion(&self, distance: f64, emit: &mut Emitter<'_>) -> Result<()> {
        match self.options.debug {
            true => emit.set(MOTION, self.options.shaping.cap(self.weighted(distance))),
            false => Ok(()),
        }
    }

    fn zeros(&self, emit: &mut Emitter<'_>) -> Result<()> {
        emit.set(MOTION2, 0.0)?;
        emit.set(MOTION3, 0.0)?;
        if self.options.debug { emit.set(MOTION, 0.0) } else { Ok(()) }
    }

    /// The scores of `frame`, whose distance and that of the frame after it are at least `distance`.
    fn settle(&self, frame: u32, distance: f64, emit: &mut Emitter<'_>) -> Result<()> {
        let (shaping, score) = (&self.options.shaping, self.weighted(distance));
        emit.set_at(frame, MOTION2, shaping.cap(score))?;
        emit.set_at(frame, MOTION3, shaping.blended(score))
    }
}

impl Score for FloatMotion {
    /// The distance of a frame from the one before it.
    type Input = f64;

    fn score(&mut self, distance: f64, emit: &mut Emitter<'_>) -> Result<()> {
        let frame = emit.index();
        if self.options.force_zero {
            return self.zeros(emit);
        }
        if frame != self.count {
            let next = self.count;
            return Err(Error::invalid(format!(
                "indices must follow one another: {next} comes next, not {frame}"
            )));
        }
        if frame == 0 {
            emit.set(MOTION2, 0.0)?;
        }
        self.motion(distance, emit)?;
        match frame {
            0 => {}
            1 => emit.set_at(0, MOTION3, self.options.shaping.blended(self.weighted(distance)))?,
            _ => self.settle(frame - 1, smaller(self.latest, distance), emit)?,
        }
        (self.count, self.latest) = (self.count + 1, distance);
        Ok(())
    }

    fn flush(&mut self, emit: &mut Emitter<'_>) -> Result<()> {
        match self.count {
            0 => Ok(()),
            1 => emit.set_at(0, MOTION3, 0.0),
            frames => self.settle(frames - 1, self.latest, emit),
        }
    }
}

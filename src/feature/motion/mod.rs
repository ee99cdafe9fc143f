// SPDX-License-Identifier: BSD-2-Clause-Patent
//! `motion`: mean absolute difference of two low-pass filtered reference pictures, with a minimum over time.
//!
//! Li et al., "Toward a practical perceptual video quality metric", 2016. Only the reference's luma is read.

pub mod cpu;
mod cuda;
pub mod scalar;
pub mod shaping;
pub mod simd;

use super::{Definition, Emitter, Kind, OptionSpec, Score, Setup, Traits, Values, on_cpu, on_device};
use crate::error::{Error, Result};
use shaping::{BLEND_FACTOR, BLEND_OFFSET, FORCE_ZERO, FPS_WEIGHT, MAX_VAL, Shaping, flag, smaller};

/// The extractor `motion`.
pub static DEFINITION: Definition = Definition {
    name: "motion",
    provides: &[SAD, MOTION, MOTION2, MOTION3],
    options: OPTIONS,
    traits: Traits {
        every_frame: true,
        looks_back: Some(|values| distance(values) as usize),
        ..Traits::PLAIN
    },
    make: |setup, values| {
        let options = Options::new(values);
        check_size(setup, &options)?;
        let measure = cpu::BlurredDifference::new(setup, options.distance, options.force_zero);
        Ok(on_cpu(setup, measure, Motion::new(setup, options)))
    },
    twin: Some(|setup, values, engine| {
        let options = Options::new(values);
        check_size(setup, &options)?;
        let launch = cuda::BlurredDifference::new(setup, options.distance, options.force_zero, engine)?;
        Ok(on_device(engine, cuda::WORDS, launch, Motion::new(setup, options)))
    }),
};

const SAD: &str = "VMAF_integer_feature_motion_sad_score";
const MOTION: &str = "VMAF_integer_feature_motion_score";
const MOTION2: &str = "VMAF_integer_feature_motion2_score";
const MOTION3: &str = "VMAF_integer_feature_motion3_score";

const OPTIONS: &[OptionSpec] = &[
    FORCE_ZERO,
    BLEND_FACTOR,
    BLEND_OFFSET,
    FPS_WEIGHT,
    MAX_VAL,
    flag("motion_five_frame_window", "mffw"),
    flag("motion_moving_average", "mma"),
    OptionSpec { name: "debug", alias: None, kind: Kind::Bool(false), spelled: false },
];

#[derive(Clone, Copy, Debug)]
struct Options {
    force_zero: bool,
    shaping: Shaping,
    /// How many frames lie between the two that are compared: also the first frame that has a score.
    distance: u32,
    moving_average: bool,
    debug: bool,
}

impl Options {
    fn new(values: &Values) -> Self {
        Self {
            force_zero: values.bool("motion_force_zero"),
            shaping: Shaping::new(values),
            distance: distance(values),
            moving_average: values.bool("motion_moving_average"),
            debug: values.bool("debug"),
        }
    }
}

/// How many frames lie between the two that are compared.
fn distance(values: &Values) -> u32 {
    if values.bool("motion_five_frame_window") { 2 } else { 1 }
}

/// The filter's mirror must not leave the picture.
fn check_size(setup: &Setup, options: &Options) -> Result<()> {
    let (width, height) = (setup.format.width, setup.format.height);
    if options.force_zero || width.min(height) >= 3 {
        return Ok(());
    }
    Err(Error::invalid(format!("pictures of {width}x{height} are too small; the smallest are 3x3")))
}

/// What the frame with this index is compared with, if it is not among the first: the picture `distance` frames before
/// it, which must be there then.
fn compared_with<T>(index: u32, distance: u32, earlier: Option<T>) -> Result<Option<T>> {
    if index < distance {
        return Ok(None);
    }
    let missing = || {
        Error::invalid(format!("there is no picture {distance} before this one: indices must begin with 0"))
    };
    earlier.ok_or_else(missing).map(Some)
}

/// From sums to scores: of a frame at once, then of its neighbourhood in time as soon as that is known.
///
/// The reference has `motion2` and `motion3` at the flush only. The values are the flush's, and so are the places of
/// their columns.
struct Motion {
    options: Options,
    samples: f64,
    /// Frames with a score, without a gap from index 0.
    count: u32,
    /// The scores of the two latest of these, the latest last.
    latest: [f64; 2],
    /// The `motion3` of the frame before the one settled next, not averaged.
    before: f64,
}

impl Motion {
    fn new(setup: &Setup, options: Options) -> Self {
        let samples = f64::from(setup.format.width.wrapping_mul(setup.format.height));
        Self { options, samples, count: 0, latest: [0.0; 2], before: 0.0 }
    }

    fn frame_score(&self, sum: u64) -> f64 {
        let shaping = &self.options.shaping;
        shaping.cap(sum as f64 / 256.0 / self.samples * shaping.fps_weight)
    }

    /// Takes the score of frame `count`, which settles frames before it.
    fn push(&mut self, score: f64, emit: &mut Emitter<'_>) {
        let (frame, first) = (self.count, self.options.distance);
        if self.options.force_zero {
            tell(emit, MOTION2, frame, 0.0);
            tell(emit, MOTION3, frame, 0.0);
        } else if frame < first {
            tell(emit, MOTION2, frame, 0.0);
        } else if frame == first {
            self.stamp(self.options.shaping.blended(score), emit);
        } else {
            self.settle(frame - 1, self.minimum(frame - 1, score), emit);
        }
        self.latest = [self.latest[1], score];
        self.count += 1;
    }

    /// Gives the frames that have no frame to be compared with the `motion3` of the first that has.
    fn stamp(&mut self, value: f64, emit: &mut Emitter<'_>) {
        let frames = self.count.min(self.options.distance);
        (0..frames).for_each(|frame| tell(emit, MOTION3, frame, value));
        self.before = value;
    }

    /// The `motion2` of `frame`, which is not the last: `next` is the score of the one after it.
    fn minimum(&self, frame: u32, next: f64) -> f64 {
        let reach = self.options.distance - 1;
        if frame - reach < self.options.distance {
            return next;
        }
        smaller(self.latest[1 - reach as usize], next)
    }

    fn settle(&mut self, frame: u32, motion2: f64, emit: &mut Emitter<'_>) {
        let blended = self.options.shaping.blended(motion2);
        let motion3 = if self.options.moving_average { (blended + self.before) / 2.0 } else { blended };
        self.before = blended;
        tell(emit, MOTION2, frame, motion2);
        tell(emit, MOTION3, frame, motion3);
    }
}

/// Stores a value unless the caller imported one in its place: that is logged and, as the specification has it, no
/// error. Every value is finite.
fn tell(emit: &mut Emitter<'_>, feature: &'static str, frame: u32, value: f64) {
    let _ = emit.set_at(frame, feature, value);
}

impl Score for Motion {
    /// The sum of the absolute blurred differences.
    type Input = u64;

    fn score(&mut self, sum: u64, emit: &mut Emitter<'_>) -> Result<()> {
        let score = self.frame_score(sum);
        emit.hold_for_flush(&[MOTION2, MOTION3]);
        emit.set(SAD, score)?;
        if self.options.debug {
            emit.set(MOTION, score)?;
        }
        // Indices ascend, so a gap ends the frames that have neighbours for good.
        if emit.index() == self.count {
            self.push(score, emit);
        }
        Ok(())
    }

    fn flush(&mut self, emit: &mut Emitter<'_>) -> Result<()> {
        if self.options.force_zero {
            return Ok(());
        }
        if self.count <= self.options.distance {
            self.stamp(0.0, emit);
        } else {
            self.settle(self.count - 1, self.latest[1], emit);
        }
        Ok(())
    }
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! What an extractor is: a per-pixel half that runs anywhere, and a score-level half that runs in order.
#![forbid(unsafe_code)]

use std::sync::Arc;

use parking_lot::Mutex;

use super::emitter::Emitter;
use super::options::{OptionSpec, Values};
use crate::cpu::Level;
use crate::error::{Error, Result};
use crate::gpu::{Engine, Pass, Results};
use crate::picture::{Format, Picture};
use crate::schedule::Workers;

/// How the schedule treats an extractor.
#[derive(Clone, Copy, Debug)]
pub struct Traits {
    /// Runs on every frame, also on those that subsampling leaves out.
    pub every_frame: bool,
    /// Its columns come before those of other extractors when threads are used.
    pub serial: bool,
    /// Looks at earlier frames, so that indices must ascend: at the reference pictures of so many frames before, by its
    /// options, 2 at most.
    pub looks_back: Option<fn(&Values) -> usize>,
    /// Looks at the distorted picture of the pair before, too.
    pub previous_distorted: bool,
    /// May emit infinities or NaN; for all others they are errors.
    pub not_finite: bool,
}

impl Traits {
    /// None of them.
    pub const PLAIN: Self = Self {
        every_frame: false,
        serial: false,
        looks_back: None,
        previous_distorted: false,
        not_finite: false,
    };
}

/// An extractor as the registry knows it.
pub struct Definition {
    /// Name by which callers ask for it.
    pub name: &'static str,
    /// Internal names of the features that models may ask for; only these are spelled with options.
    pub provides: &'static [&'static str],
    /// Option table.
    pub options: &'static [OptionSpec],
    /// Treatment by the schedule.
    pub traits: Traits,
    /// Makes the extractor for the stream that its first frame shows, or refuses it.
    pub make: fn(&Setup, &Values) -> Result<Box<dyn Extractor>>,
    /// Makes its twin, which callers know as `NAME_cuda`, likewise.
    pub twin: Option<MakeTwin>,
}

/// Makes a twin with its options on a context's device.
pub type MakeTwin = fn(&Setup, &Values, &Arc<Engine>) -> Result<Box<dyn Extractor>>;

/// What an extractor is made for.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// Format of all pictures.
    pub format: Format,
    /// Instructions that may be used.
    pub level: Level,
    /// Frames in flight at most.
    pub slots: usize,
}

/// One pair of pictures.
pub struct Frame {
    /// The caller's index.
    pub index: u32,
    /// The reference picture.
    pub reference: Picture,
    /// The distorted picture.
    pub distorted: Picture,
    /// Reference pictures of the pairs submitted before, the latest first; as many as extractors look at.
    pub previous: [Option<Picture>; 2],
    /// The distorted picture of the pair submitted before; kept for extractors that look at it only.
    pub previous_distorted: Option<Picture>,
}

/// The per-pixel half on the CPU. Frames may be measured in any order and at once.
pub trait Measure: Send + Sync + 'static {
    /// What the score-level half needs of a frame: a few numbers.
    type Output: Send + 'static;
    /// Work space of one frame, used again for later ones.
    type Scratch: Send + 'static;

    /// Makes work space.
    fn scratch(&self) -> Result<Self::Scratch>;

    /// Measures one frame, cutting rows into stripes for `workers` where that pays.
    fn measure(&self, frame: &Frame, scratch: &mut Self::Scratch, workers: Workers) -> Result<Self::Output>;
}

/// The score-level half, the same for CPU and device. It sees the frames in the order of submission.
pub trait Score: Send + 'static {
    /// A frame's measurement.
    type Input;

    /// Turns a measurement into scores.
    fn score(&mut self, measured: Self::Input, emit: &mut Emitter<'_>) -> Result<()>;

    /// Emits what was held back until the end of the stream.
    fn flush(&mut self, _emit: &mut Emitter<'_>) -> Result<()> {
        Ok(())
    }
}

/// The per-pixel half on a device: kernels whose results are exact integers in words of 64 bits.
pub trait Launch: Send + Sync + 'static {
    /// What the score-level half needs of a frame, as on the CPU.
    type Output;

    /// How many planes of a picture it reads, from luma on.
    fn planes(&self) -> usize;

    /// Whether it can take a frame; the others of its batch go on without it.
    fn check(&self, _pass: &Pass<'_>) -> Result<()> {
        Ok(())
    }

    /// Puts the kernels of a batch on the device, which add to each frame's `results`: of one frame to [`gpu::BATCH`],
    /// of one format and on one stream.
    ///
    /// [`gpu::BATCH`]: crate::gpu::BATCH
    fn launch(&self, batch: &[Pass<'_>], results: &Results) -> Result<()>;

    /// What the words of its results mean.
    fn output(&self, words: &[u64]) -> Self::Output;
}

/// What the schedule asks of a twin before it scores.
pub trait Twin {
    /// How many planes of a picture it reads, from luma on.
    fn planes(&self) -> usize;

    /// Whether it can take a frame.
    fn check(&self, pass: &Pass<'_>) -> Result<()>;

    /// Puts the kernels of a batch, whose frames are in the order of submission, on the device.
    fn submit(&self, batch: &[Pass<'_>]) -> Result<()>;
}

/// An extractor in use, seen by the schedule.
pub trait Extractor: Send + Sync {
    /// Measures `frame` and keeps the result in `slot`; any thread, any order. Not for twins.
    fn measure(&self, slot: usize, frame: &Frame, workers: Workers) -> Result<()>;

    /// The twin, where the per-pixel half is one.
    fn twin(&self) -> Option<&dyn Twin> {
        None
    }

    /// Emits the scores of what `slot` holds; in order of submission.
    fn score(&self, slot: usize, emit: &mut Emitter<'_>) -> Result<()>;

    /// Emits what was held back.
    fn flush(&self, emit: &mut Emitter<'_>) -> Result<()>;
}

/// The two halves of a CPU extractor, with room for the frames in flight.
struct OnCpu<M: Measure, S> {
    measure: M,
    score: Mutex<S>,
    scratch: Mutex<Vec<M::Scratch>>,
    measured: Box<[Mutex<Option<M::Output>>]>,
}

/// An extractor made of its two halves.
pub fn on_cpu<M: Measure, S: Score<Input = M::Output>>(
    setup: &Setup,
    measure: M,
    score: S,
) -> Box<dyn Extractor> {
    let measured = (0..setup.slots).map(|_| Mutex::new(None)).collect();
    Box::new(OnCpu { measure, score: Mutex::new(score), scratch: Mutex::default(), measured })
}

impl<M: Measure, S: Score<Input = M::Output>> Extractor for OnCpu<M, S> {
    fn measure(&self, slot: usize, frame: &Frame, workers: Workers) -> Result<()> {
        let spare = self.scratch.lock().pop();
        let mut scratch = spare.map_or_else(|| self.measure.scratch(), Ok)?;
        let measured = self.measure.measure(frame, &mut scratch, workers)?;
        self.scratch.lock().push(scratch);
        *self.measured[slot].lock() = Some(measured);
        Ok(())
    }

    fn score(&self, slot: usize, emit: &mut Emitter<'_>) -> Result<()> {
        match self.measured[slot].lock().take() {
            Some(measured) => self.score.lock().score(measured, emit),
            None => Ok(()),
        }
    }

    fn flush(&self, emit: &mut Emitter<'_>) -> Result<()> {
        self.score.lock().flush(emit)
    }
}

/// The two halves of a twin, with the device where the frames in flight keep its results.
struct OnDevice<L, S> {
    engine: Arc<Engine>,
    results: Results,
    launch: L,
    score: Mutex<S>,
}

/// A twin made of its two halves, with `words` results of each frame.
pub fn on_device<L: Launch, S: Score<Input = L::Output>>(
    engine: &Arc<Engine>,
    words: usize,
    launch: L,
    score: S,
) -> Box<dyn Extractor> {
    let results = engine.reserve(words);
    Box::new(OnDevice { engine: engine.clone(), results, launch, score: Mutex::new(score) })
}

impl<L: Launch, S: Score<Input = L::Output>> Twin for OnDevice<L, S> {
    fn planes(&self) -> usize {
        self.launch.planes()
    }

    fn check(&self, pass: &Pass<'_>) -> Result<()> {
        self.launch.check(pass)
    }

    fn submit(&self, batch: &[Pass<'_>]) -> Result<()> {
        self.launch.launch(batch, &self.results)
    }
}

impl<L: Launch, S: Score<Input = L::Output>> Extractor for OnDevice<L, S> {
    fn measure(&self, _slot: usize, _frame: &Frame, _workers: Workers) -> Result<()> {
        Err(Error::Internal("a twin does not measure on the CPU".into()))
    }

    fn twin(&self) -> Option<&dyn Twin> {
        Some(self)
    }

    fn score(&self, slot: usize, emit: &mut Emitter<'_>) -> Result<()> {
        let measured = self.engine.results(slot, &self.results, |words| self.launch.output(words))?;
        self.score.lock().score(measured, emit)
    }

    fn flush(&self, emit: &mut Emitter<'_>) -> Result<()> {
        self.score.lock().flush(emit)
    }
}

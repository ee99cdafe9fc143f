// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Which frame goes to which extractor, when, and on which thread.
#![forbid(unsafe_code)]

mod history;
mod lineup;
mod ring;
mod share;
mod threads;
mod workers;

use std::ops::RangeInclusive;
use std::sync::Arc;

use parking_lot::Mutex;

pub use lineup::{Instance, Lineup, Side};
pub use workers::{Cut, Workers};

use crate::cpu::Level;
use crate::error::{Error, Result};
use crate::feature::Setup;
use crate::feature::collector::Collector;
use crate::gpu::{self, Engine, Source};
use crate::picture::{Format, Picture, Place};
use history::History;
use ring::{Ring, Work};
use threads::Threads;

/// Frames in flight at most, however many threads there are: stripes of rows keep more threads busy.
const MOST_SLOTS: usize = 32;

/// The extractors of a context and the frames that are on their way through them.
pub struct Schedule {
    // Dropped first: no job touches the ring once the threads have ended.
    threads: Threads,
    engine: Option<Arc<Engine>>,
    ring: Arc<Ring>,
    lineup: Lineup,
    collector: Arc<Mutex<Collector>>,
    subsample: u32,
    level: Level,
    accepted: u64,
    last_index: Option<u32>,
    history: History,
    /// The same on the host, of pictures that came on a device.
    host_history: History,
}

impl Schedule {
    /// `n_threads` 0 runs everything in the caller; a `subsample` of N above 1 leaves out what N does not divide.
    pub fn new(n_threads: u32, subsample: u32, level: Level, collector: Arc<Mutex<Collector>>) -> Self {
        let threads = Threads::new(n_threads);
        let ring = Arc::new(Ring::new((threads.count() + 1).min(MOST_SLOTS), collector.clone()));
        Self {
            threads,
            engine: None,
            ring,
            lineup: Lineup::default(),
            collector,
            subsample,
            level,
            accepted: 0,
            last_index: None,
            history: History::default(),
            host_history: History::default(),
        }
    }

    /// Adds an extractor for all later frames.
    pub fn add(&mut self, instance: Instance) {
        self.lineup.add(instance, self.threaded());
    }

    fn threaded(&self) -> bool {
        self.threads.count() > 0
    }

    /// Threads besides the caller's.
    pub fn threads(&self) -> usize {
        self.threads.count()
    }

    /// Whether any extractor is registered.
    pub fn is_empty(&self) -> bool {
        self.lineup.instances().is_empty()
    }

    /// Pairs that were taken.
    pub fn accepted(&self) -> u64 {
        self.accepted
    }

    /// Takes a pair. With threads or a device it returns once the pair is queued; an error of an earlier pair is
    /// returned, once, in place of taking this one. `source` gives the device when a twin first wants a frame.
    pub fn submit(
        &mut self,
        reference: Picture,
        distorted: Picture,
        index: u32,
        source: &mut Source,
    ) -> Result<()> {
        let outcome = self.take([reference, distorted], index, source);
        // Extractors that were made for a stream whose first pair was refused must not bind the next.
        if outcome.is_err() && self.accepted == 0 {
            self.lineup = self.lineup.renewed();
        }
        outcome
    }

    fn take(&mut self, pair: [Picture; 2], index: u32, source: &mut Source) -> Result<()> {
        self.ring.untold_failure()?;
        self.check_order(index)?;
        let format = pair[0].format();
        let on_device = self.lineup.has(Side::Device, index, self.subsample);
        if on_device || pair[0].place() == Place::Device {
            self.open_device(source, format)?;
        }
        let setup = Setup { format, level: self.level, slots: self.ring.capacity() };
        self.lineup.make(index, self.subsample, &setup, self.engine.as_ref())?;
        self.threads.start()?;
        let copies = self.host_copies(&pair, index)?;
        self.run(Work {
            frame: self.history.frame(index, pair.clone()),
            on_host: copies.clone().map(|copies| self.host_history.frame(index, copies)),
            lineup: self.lineup.clone(),
            subsample: self.subsample,
            device: self.engine.clone().filter(|_| on_device),
        })?;
        self.accepted += 1;
        self.last_index = Some(index);
        self.history.remember(pair, &self.lineup);
        if let Some(copies) = copies {
            self.host_history.remember(copies, &self.lineup);
        }
        Ok(())
    }

    /// Opens the device, for as many frames in flight as it likes where none were submitted yet.
    fn open_device(&mut self, source: &mut Source, format: Format) -> Result<()> {
        if self.engine.is_some() {
            return Ok(());
        }
        let liked = gpu::slots(format);
        if self.accepted == 0 && self.ring.capacity() < liked {
            self.ring = Arc::new(Ring::new(liked, self.collector.clone()));
        }
        self.engine = Some(Engine::new(source.device()?, self.ring.capacity())?);
        Ok(())
    }

    /// Copies of device pictures, if a CPU extractor wants this frame or will want to look back at it.
    fn host_copies(&self, pair: &[Picture; 2], index: u32) -> Result<Option<[Picture; 2]>> {
        let wanted =
            self.lineup.has(Side::Cpu, index, self.subsample) || self.lineup.looks_back(Side::Cpu) > 0;
        match &self.engine {
            Some(engine) if wanted && pair[0].place() == Place::Device => {
                Ok(Some([engine.download(&pair[0])?, engine.download(&pair[1])?]))
            }
            _ => Ok(None),
        }
    }

    fn check_order(&self, index: u32) -> Result<()> {
        let temporal = self.lineup.instances().iter().any(|instance| instance.is_temporal());
        match self.last_index {
            Some(last) if temporal && index <= last => Err(Error::invalid(format!(
                "index {index} after index {last}: a temporal feature extractor needs ascending indices"
            ))),
            _ => Ok(()),
        }
    }

    fn run(&mut self, work: Work) -> Result<()> {
        let told_later = self.threaded() || self.engine.is_some();
        let slot = self.ring.enter(work);
        self.ring.queue(slot);
        for place in 0..self.lineup.instances().len() {
            if self.ring.wanted(slot, place) {
                let ring = self.ring.clone();
                self.threads.run(move |workers| {
                    ring.measure(slot, place, workers);
                    ring.part_done(slot);
                });
            }
        }
        self.ring.part_done(slot);
        // In the caller's thread a failed frame is refused.
        if told_later { Ok(()) } else { self.ring.take_failure() }
    }

    /// Waits for every frame, then lets each extractor emit what it held back. The first error of any frame
    /// is returned; what could be scored stays readable.
    pub fn flush(&mut self) -> Result<()> {
        self.wait_for(0..=u32::MAX);
        let mut collector = self.collector.lock();
        let mut outcome = self.ring.failure();
        for instance in self.lineup.instances() {
            outcome = outcome.and(instance.flush(&mut collector));
        }
        (self.history, self.host_history) = (History::default(), History::default());
        if let Some(engine) = &self.engine {
            engine.forget_pictures();
        }
        outcome
    }

    /// Pictures that are held for extractors which will look back at them.
    pub fn looked_back_at(&self) -> usize {
        self.history.len()
    }

    /// Brings the oldest frame in flight to its end, if there is one.
    pub fn finish_oldest(&self) -> bool {
        self.ring.finish_oldest()
    }

    /// Waits for the frames of these indices, no others.
    pub fn wait_for(&self, indices: RangeInclusive<u32>) {
        self.ring.wait_for(indices);
    }
}

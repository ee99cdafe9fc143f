// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Which frame goes to which extractor, when, and on which thread.
#![forbid(unsafe_code)]

mod lineup;
mod ring;
mod threads;
mod workers;

use std::ops::RangeInclusive;
use std::sync::Arc;

use parking_lot::Mutex;

pub use lineup::{Instance, Lineup};
pub use workers::{Cut, Workers};

use crate::cpu::Level;
use crate::error::{Error, Result};
use crate::feature::collector::Collector;
use crate::feature::{Frame, Setup};
use crate::picture::Picture;
use ring::Ring;
use threads::Threads;

/// Frames in flight at most, however many threads there are: stripes of rows keep more threads busy.
const MOST_SLOTS: usize = 32;

/// The extractors of a context and the frames that are on their way through them.
pub struct Schedule {
    // Dropped first: no job touches the ring once the threads have ended.
    threads: Threads,
    ring: Arc<Ring>,
    lineup: Lineup,
    collector: Arc<Mutex<Collector>>,
    subsample: u32,
    level: Level,
    accepted: u64,
    last_index: Option<u32>,
    previous: [Option<Picture>; 2],
}

impl Schedule {
    /// `n_threads` 0 runs everything in the caller; a `subsample` of N above 1 leaves out what N does not divide.
    pub fn new(n_threads: u32, subsample: u32, level: Level, collector: Arc<Mutex<Collector>>) -> Self {
        let threads = Threads::new(n_threads);
        let ring = Arc::new(Ring::new((threads.count() + 1).min(MOST_SLOTS), collector.clone()));
        Self {
            threads,
            ring,
            lineup: Lineup::default(),
            collector,
            subsample,
            level,
            accepted: 0,
            last_index: None,
            previous: [None, None],
        }
    }

    /// Adds an extractor for all later frames.
    pub fn add(&mut self, instance: Instance) {
        self.lineup.add(instance, self.threaded());
    }

    fn threaded(&self) -> bool {
        self.threads.count() > 0
    }

    /// Whether any extractor is registered.
    pub fn is_empty(&self) -> bool {
        self.lineup.instances().is_empty()
    }

    /// Pairs that were taken.
    pub fn accepted(&self) -> u64 {
        self.accepted
    }

    /// Takes a pair. With threads it returns once the pair is queued; an error of an earlier pair is
    /// returned, once, in place of taking this one.
    pub fn submit(&mut self, reference: Picture, distorted: Picture, index: u32) -> Result<()> {
        self.ring.untold_failure()?;
        self.check_order(index)?;
        let setup = Setup { format: reference.format(), level: self.level, slots: self.ring.capacity() };
        self.lineup.make(index, self.subsample, &setup)?;
        self.threads.start()?;
        let previous = self.previous.clone();
        let next = reference.clone();
        self.run(Frame { index, reference, distorted, previous })?;
        self.accepted += 1;
        self.last_index = Some(index);
        self.remember(next);
        Ok(())
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

    fn remember(&mut self, reference: Picture) {
        if self.lineup.instances().iter().any(|instance| instance.is_temporal()) {
            self.previous.swap(0, 1);
            self.previous[0] = Some(reference);
        }
    }

    fn run(&mut self, frame: Frame) -> Result<()> {
        let slot = self.ring.enter(frame, self.lineup.clone(), self.subsample);
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
        if self.threaded() { Ok(()) } else { self.refused_by_extractor() }
    }

    /// In the caller's thread a failed frame is refused. Extractors that were made for a stream whose first
    /// pair was refused must not bind the next.
    fn refused_by_extractor(&mut self) -> Result<()> {
        let outcome = self.ring.take_failure();
        if outcome.is_err() && self.accepted == 0 {
            self.lineup = self.lineup.renewed();
        }
        outcome
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
        self.previous = [None, None];
        outcome
    }

    /// Waits for the frames of these indices, no others.
    pub fn wait_for(&self, indices: RangeInclusive<u32>) {
        self.ring.wait_for(indices);
    }
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The frames in flight: measured in any order, scored in the order of submission.
#![forbid(unsafe_code)]

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::{Condvar, Mutex, MutexGuard, RwLock};

use super::{Lineup, Workers};
use crate::error::{Error, Result};
use crate::feature::Frame;
use crate::feature::collector::Collector;

/// A frame with the extractors that were registered when it came.
struct Work {
    frame: Frame,
    lineup: Lineup,
    subsample: u32,
}

impl Work {
    fn wanted(&self, instance: usize) -> bool {
        self.lineup.instances()[instance].wants(self.frame.index, self.subsample)
    }
}

#[derive(Default)]
struct Slot {
    work: RwLock<Option<Work>>,
    /// Parts that are not done: one an extractor, and one of the submitter.
    open: AtomicUsize,
    /// Extractors that could not measure the frame.
    failures: Mutex<Vec<(usize, Error)>>,
}

#[derive(Default)]
struct Progress {
    submitted: u64,
    scored: u64,
    /// The first error of a frame that its submitter was not told of, and whether a later call told it.
    failure: Option<Error>,
    told: bool,
}

/// A ring of slots, one a frame in flight.
pub struct Ring {
    slots: Box<[Slot]>,
    progress: Mutex<Progress>,
    moved: Condvar,
    collector: Arc<Mutex<Collector>>,
}

impl Ring {
    /// A ring that holds `slots` frames.
    pub fn new(slots: usize, collector: Arc<Mutex<Collector>>) -> Self {
        let slots = (0..slots).map(|_| Slot::default()).collect();
        Self { slots, progress: Mutex::default(), moved: Condvar::new(), collector }
    }

    /// Frames it holds at most.
    pub fn capacity(&self) -> usize {
        self.slots.len()
    }

    fn slot_of(&self, sequence: u64) -> usize {
        (sequence % self.slots.len() as u64) as usize
    }

    /// Puts a frame into the next slot, once that is free, and returns the slot.
    pub fn enter(&self, frame: Frame, lineup: Lineup, subsample: u32) -> usize {
        let mut progress = self.progress.lock();
        while progress.submitted - progress.scored == self.slots.len() as u64 {
            self.moved.wait(&mut progress);
        }
        let slot = self.slot_of(progress.submitted);
        let work = Work { frame, lineup, subsample };
        let wanted = (0..work.lineup.instances().len()).filter(|&instance| work.wanted(instance)).count();
        self.slots[slot].open.store(wanted + 1, Ordering::Relaxed);
        *self.slots[slot].work.write() = Some(work);
        progress.submitted += 1;
        slot
    }

    /// Whether the extractor at this place of the line-up measures the frame in `slot`.
    pub fn wanted(&self, slot: usize, instance: usize) -> bool {
        self.slots[slot].work.read().as_ref().is_some_and(|work| work.wanted(instance))
    }

    /// Lets one extractor measure the frame in `slot`.
    pub fn measure(&self, slot: usize, instance: usize, workers: Workers) {
        if let Some(work) = &*self.slots[slot].work.read() {
            let measured = work.lineup.instances()[instance].measure(slot, &work.frame, workers);
            if let Err(error) = measured {
                self.slots[slot].failures.lock().push((instance, error));
            }
        }
    }

    /// Ends one part of the frame in `slot`. The last part scores all frames whose turn it is.
    pub fn part_done(&self, slot: usize) {
        if self.slots[slot].open.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.score_ready();
        }
    }

    fn score_ready(&self) {
        let mut progress = self.progress.lock();
        while progress.scored < progress.submitted {
            let slot = self.slot_of(progress.scored);
            if self.slots[slot].open.load(Ordering::Acquire) != 0 {
                break;
            }
            let outcome = self.score(slot);
            if let (Err(error), None) = (outcome, &progress.failure) {
                progress.failure = Some(error);
            }
            progress.scored += 1;
        }
        self.moved.notify_all();
    }

    /// Stores the frame's values, all in one batch, and lets its pictures go.
    fn score(&self, slot: usize) -> Result<()> {
        let Some(work) = self.slots[slot].work.write().take() else { return Ok(()) };
        let mut failures = std::mem::take(&mut *self.slots[slot].failures.lock());
        let mut collector = self.collector.lock();
        let mut first = Ok(());
        for (place, instance) in work.lineup.instances().iter().enumerate() {
            if !work.wanted(place) {
                continue;
            }
            let failed = failures.iter().position(|(failed, _)| *failed == place);
            let measured = failed.map_or(Ok(()), |failed| Err(failures.swap_remove(failed).1));
            first = first.and(instance.score(slot, work.frame.index, measured, &mut collector));
        }
        first
    }

    /// The error of an earlier frame, once.
    pub fn untold_failure(&self) -> Result<()> {
        let mut progress = self.progress.lock();
        match (&progress.failure, progress.told) {
            (Some(error), false) => {
                let error = error.silent();
                progress.told = true;
                Err(error)
            }
            _ => Ok(()),
        }
    }

    /// Forgets the error of the latest frame, as its submitter is told of it now.
    pub fn take_failure(&self) -> Result<()> {
        self.progress.lock().failure.take().map_or(Ok(()), Err)
    }

    /// The first error of any frame, told before or not.
    pub fn failure(&self) -> Result<()> {
        self.progress.lock().failure.as_ref().map_or(Ok(()), |error| Err(error.silent()))
    }

    /// Waits until no frame with an index in `indices` is in flight.
    pub fn wait_for(&self, indices: RangeInclusive<u32>) {
        let mut progress = self.progress.lock();
        while self.in_flight(&progress, &indices) {
            self.moved.wait(&mut progress);
        }
    }

    fn in_flight(&self, progress: &MutexGuard<'_, Progress>, indices: &RangeInclusive<u32>) -> bool {
        (progress.scored..progress.submitted).any(|sequence| {
            let work = self.slots[self.slot_of(sequence)].work.read();
            work.as_ref().is_some_and(|work| indices.contains(&work.frame.index))
        })
    }
}

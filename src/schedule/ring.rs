// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The frames in flight: measured in any order, scored in the order of submission.
#![forbid(unsafe_code)]

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::{Condvar, Mutex, MutexGuard, RwLock};

use super::lineup::Side;
use super::{Lineup, Workers};
use crate::error::{Error, Result};
use crate::feature::Frame;
use crate::feature::collector::Collector;
use crate::gpu::{BATCH, Engine, Pass};

/// A frame with the extractors that were registered when it came.
pub struct Work {
    /// The frame as it was submitted.
    pub frame: Frame,
    /// The frame as the CPU can read it, where its pictures came on a device and the CPU wants it.
    pub on_host: Option<Frame>,
    /// All extractors.
    pub lineup: Lineup,
    /// Which of the frames they want.
    pub subsample: u32,
    /// Where the frame is in flight besides.
    pub device: Option<Arc<Engine>>,
}

impl Work {
    fn wanted(&self, instance: usize) -> bool {
        self.lineup.instances()[instance].wants(self.frame.index, self.subsample)
    }

    /// What the CPU reads.
    fn readable(&self) -> &Frame {
        self.on_host.as_ref().unwrap_or(&self.frame)
    }

    /// The places of the extractors on one side that want the frame.
    fn on(&self, side: Side) -> impl Iterator<Item = usize> {
        self.lineup.on(side).filter(|&place| self.wanted(place))
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
    /// The slots of frames whose pictures are on their device and whose kernels wait for company.
    queued: Mutex<Vec<usize>>,
    collector: Arc<Mutex<Collector>>,
}

impl Ring {
    /// A ring that holds `slots` frames.
    pub fn new(slots: usize, collector: Arc<Mutex<Collector>>) -> Self {
        let slots = (0..slots).map(|_| Slot::default()).collect();
        Self { slots, progress: Mutex::default(), moved: Condvar::new(), queued: Mutex::default(), collector }
    }

    /// Frames it holds at most.
    pub fn capacity(&self) -> usize {
        self.slots.len()
    }

    fn slot_of(&self, sequence: u64) -> usize {
        (sequence % self.slots.len() as u64) as usize
    }

    /// Puts a frame into the next slot, once that is free, and returns the slot.
    pub fn enter(&self, work: Work) -> usize {
        let mut progress = self.progress.lock();
        while progress.submitted - progress.scored == self.slots.len() as u64 {
            self.advance(&mut progress);
        }
        let slot = self.slot_of(progress.submitted);
        let wanted = work.on(Side::Cpu).count();
        self.slots[slot].open.store(wanted + 1, Ordering::Relaxed);
        *self.slots[slot].work.write() = Some(work);
        progress.submitted += 1;
        slot
    }

    /// Whether the extractor at this place of the line-up measures the frame in `slot` on the CPU.
    pub fn wanted(&self, slot: usize, instance: usize) -> bool {
        self.slots[slot]
            .work
            .read()
            .as_ref()
            .is_some_and(|work| work.on(Side::Cpu).any(|place| place == instance))
    }

    /// Puts the pictures of the frame in `slot` on the device, if twins want it. Its kernels follow at once if the
    /// device has nothing to do, else together with those of other frames.
    pub fn queue(&self, slot: usize) {
        let work = self.slots[slot].work.read();
        let Some(work) = &*work else { return };
        let Some(engine) = &work.device else { return };
        let instances = work.lineup.instances();
        let planes = work.on(Side::Device).map(|place| instances[place].planes()).max().unwrap_or(0);
        let looks_back = work.lineup.looks_back(Side::Device);
        if !engine.begin(slot, &work.frame, planes, looks_back) {
            return;
        }
        let mut queued = self.queued.lock();
        if queued.first().is_some_and(|&first| !self.are_alike(first, work)) {
            self.launch(&mut queued);
        }
        queued.push(slot);
        if queued.len() == BATCH || engine.is_idle() {
            self.launch(&mut queued);
        }
    }

    fn are_alike(&self, slot: usize, work: &Work) -> bool {
        self.slots[slot].work.read_recursive().as_ref().is_some_and(|other| other.lineup.is(&work.lineup))
    }

    /// Lets the kernels of no frame wait any longer.
    fn launch_queued(&self) {
        self.launch(&mut self.queued.lock());
    }

    /// Puts the kernels of these frames, which have the same extractors, on the device.
    fn launch(&self, queued: &mut Vec<usize>) {
        let Some(&first) = queued.first() else { return };
        let work = self.slots[first].work.read_recursive();
        if let Some(Work { device: Some(engine), lineup, .. }) = &*work {
            let twins = |batch: &[Pass<'_>]| {
                lineup.on(Side::Device).for_each(|place| self.submit(queued, lineup, place, batch));
            };
            engine.launch(queued, twins);
        }
        queued.clear();
    }

    /// Lets one twin put its kernels on the device, for the frames that it wants.
    fn submit(&self, slots: &[usize], lineup: &Lineup, place: usize, batch: &[Pass<'_>]) {
        let twin = &lineup.instances()[place];
        let fail = |slot: usize, error: Error| self.slots[slot].failures.lock().push((place, error));
        let takes = |slot: usize, pass: &Pass<'_>| {
            let work = self.slots[slot].work.read_recursive();
            let wanted = work.as_ref().is_some_and(|work| work.wanted(place));
            wanted && twin.check(pass).map_err(|error| fail(slot, error)).is_ok()
        };
        let taken: Vec<_> =
            slots.iter().copied().zip(batch).filter(|(slot, pass)| takes(*slot, pass)).collect();
        let passes: Vec<_> = taken.iter().map(|(_, pass)| **pass).collect();
        if passes.is_empty() {
            return;
        }
        if let Err(error) = twin.submit(&passes) {
            taken.iter().for_each(|(slot, _)| fail(*slot, error.clone()));
        }
    }

    /// Lets one extractor measure the frame in `slot`.
    pub fn measure(&self, slot: usize, instance: usize, workers: Workers) {
        if let Some(work) = &*self.slots[slot].work.read() {
            let measured = work.lineup.instances()[instance].measure(slot, work.readable(), workers);
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

    /// Scores the frames whose turn it is and whose device, if any, is done with them.
    pub fn score_ready(&self) {
        let mut progress = self.progress.lock();
        while self.is_measured(&progress) && self.is_back(&progress) {
            self.score_oldest(&mut progress);
        }
        self.moved.notify_all();
    }

    /// Whether there is an oldest frame, which the CPU is done with.
    fn is_measured(&self, progress: &Progress) -> bool {
        let slot = self.slot_of(progress.scored);
        progress.scored < progress.submitted && self.slots[slot].open.load(Ordering::Acquire) == 0
    }

    /// Whether the device is done with the oldest frame.
    fn is_back(&self, progress: &Progress) -> bool {
        let slot = self.slot_of(progress.scored);
        let work = self.slots[slot].work.read();
        work.as_ref().and_then(|work| work.device.as_ref()).is_none_or(|engine| engine.is_done(slot))
    }

    /// Scores the oldest frame; waits for the device, never for the CPU.
    fn score_oldest(&self, progress: &mut Progress) {
        if !self.is_back(progress) {
            self.launch_queued();
        }
        let outcome = self.score(self.slot_of(progress.scored));
        if let (Err(error), None) = (outcome, &progress.failure) {
            progress.failure = Some(error);
        }
        progress.scored += 1;
    }

    /// Brings the oldest frame on: scores it, or waits until the CPU has done some part of it.
    fn advance(&self, progress: &mut MutexGuard<'_, Progress>) {
        if self.is_measured(progress) {
            self.score_oldest(progress);
            self.moved.notify_all();
        } else {
            self.moved.wait(progress);
        }
    }

    /// Brings the oldest frame to its end, if there is one.
    pub fn finish_oldest(&self) -> bool {
        let mut progress = self.progress.lock();
        let oldest = progress.scored;
        let any = oldest < progress.submitted;
        while any && progress.scored == oldest {
            self.advance(&mut progress);
        }
        any
    }

    /// Stores the frame's values, all in one batch, and lets its pictures go.
    fn score(&self, slot: usize) -> Result<()> {
        let Some(work) = self.slots[slot].work.write().take() else { return Ok(()) };
        let mut failures = std::mem::take(&mut *self.slots[slot].failures.lock());
        if let Some(Err(error)) = work.device.as_ref().map(|engine| engine.wait(slot)) {
            failures.extend(work.on(Side::Device).map(|place| (place, error.clone())));
        }
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
            self.advance(&mut progress);
        }
    }

    fn in_flight(&self, progress: &MutexGuard<'_, Progress>, indices: &RangeInclusive<u32>) -> bool {
        (progress.scored..progress.submitted).any(|sequence| {
            let work = self.slots[self.slot_of(sequence)].work.read();
            work.as_ref().is_some_and(|work| indices.contains(&work.frame.index))
        })
    }
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! What one frame in flight holds on the device.

use std::ops::Range;
use std::sync::Arc;

use super::backend::DeviceAddress;
use super::batches::End;
use super::device::{Buffer, Device};
use super::pass::Views;
use super::residents::Resident;
use super::words::Words;
use crate::error::{Error, Result};
use crate::picture::Place;

/// How far a frame is.
#[derive(Clone, Default)]
pub enum Stage {
    /// There is none, or its results are on the host.
    #[default]
    Idle,
    /// Its pictures are on the device, its kernels are not.
    Prepared,
    /// Its kernels are on the device, and done at the end of their batch.
    InFlight(Arc<End>),
    /// They never will be: who waits for it is told why.
    Failed(Error),
}

/// Room for one frame.
#[derive(Default)]
pub struct Slot {
    place: usize,
    /// How far its frame is.
    pub stage: Stage,
    /// What its kernels read.
    pub views: Views,
    /// Keeps what `views` shows.
    pub pictures: Vec<Arc<Resident>>,
    /// Where its results go.
    pub words: Option<Arc<Words>>,
    work: Option<Buffer>,
}

impl Slot {
    /// Without a frame. Its place is that among the engine's.
    pub fn new(place: usize) -> Self {
        Self { place, ..Self::default() }
    }

    /// Has work memory for what twins want of the next frame.
    pub fn make_room(&mut self, device: &Device, work: usize) -> Result<()> {
        if work > self.work.as_ref().map_or(0, Buffer::bytes) {
            self.work = None;
            self.work = Some(device.buffer(work)?);
        }
        Ok(())
    }

    /// Whether the caller's own device pictures are read.
    pub fn is_given(&self) -> bool {
        self.pictures.iter().any(|resident| resident.picture().place() == Place::Device)
    }

    /// Where the frame's results are on the device.
    pub fn results_on_device(&self) -> DeviceAddress {
        self.words.as_ref().map(|words| words.address(self.place)).unwrap_or_default()
    }

    /// The frame's work memory.
    pub fn work(&self) -> DeviceAddress {
        self.work.as_ref().map(Buffer::address).unwrap_or_default()
    }

    /// Whether nothing is to be waited for: the results are on the host, or will never be.
    pub fn is_done(&self) -> bool {
        match &self.stage {
            Stage::Idle | Stage::Failed(_) => true,
            Stage::Prepared => false,
            Stage::InFlight(end) => end.is_reached(),
        }
    }

    /// Waits until the results of the frame, if there is one, are on the host.
    pub fn wait(&mut self) -> Result<()> {
        match std::mem::take(&mut self.stage) {
            Stage::Idle => Ok(()),
            Stage::Prepared => Err(Error::Internal("a frame is waited for before its kernels".into())),
            Stage::InFlight(end) => end.wait(),
            Stage::Failed(error) => Err(error),
        }
    }

    /// The results within `range` of the frame that was waited for.
    pub fn results(&self, range: Range<usize>) -> Result<&[u64]> {
        let words = self.words.as_ref().filter(|_| matches!(self.stage, Stage::Idle));
        let words = words.ok_or_else(|| Error::Internal("results are read before the frame's end".into()))?;
        // SAFETY: the copy of the frame's results was waited for, and none is made for a slot without a frame.
        let all = unsafe { words.on_host(self.place) };
        Ok(&all[range])
    }

    /// Gives the frame up.
    pub fn fail(&mut self, error: &Error) {
        self.stage = Stage::Failed(error.clone());
        self.pictures.clear();
    }

    /// Lets the frame go.
    pub fn forget(&mut self) {
        self.stage = Stage::Idle;
        self.pictures.clear();
    }
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! What one frame in flight holds on the device.

use std::ops::Range;
use std::ptr::NonNull;
use std::sync::Arc;

use super::backend::{DeviceAddress, Extent, Rows};
use super::device::{Buffer, Device, Event, Pinned, Stream};
use super::pass::Views;
use super::residents::Resident;
use crate::error::{Error, Result};
use crate::picture::Place;

/// What twins have asked for of each frame.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reserved {
    /// Words of 64 bits.
    pub words: usize,
    /// Bytes of work memory.
    pub work: usize,
}

/// How far a frame is.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Stage {
    /// There is none, or its results are on the host.
    #[default]
    Idle,
    /// Its pictures are on the device, its kernels are not.
    Prepared,
    /// Its kernels are on the device.
    InFlight,
    /// They never will be: who waits for it is told why.
    Failed(Error),
}

/// Both sides of a frame's results.
struct Words {
    on_device: Buffer,
    on_host: Pinned,
}

/// Room for one frame.
pub struct Slot {
    /// How far its frame is.
    pub stage: Stage,
    /// What its kernels read.
    pub views: Views,
    /// Keeps what `views` shows.
    pub pictures: Vec<Arc<Resident>>,
    done: Event,
    words: Option<Words>,
    work: Option<Buffer>,
}

impl Slot {
    /// Without a frame.
    pub fn new(device: &Device) -> Result<Self> {
        let (views, done) = (Views::default(), device.event()?);
        Ok(Self { stage: Stage::Idle, views, pictures: Vec::new(), done, words: None, work: None })
    }

    /// Has room for what twins want of the next frame.
    pub fn make_room(&mut self, device: &Device, reserved: Reserved) -> Result<()> {
        let bytes = reserved.words * size_of::<u64>();
        if bytes > self.words.as_ref().map_or(0, |words| words.on_device.bytes()) {
            self.words = Some(Words { on_device: device.buffer(bytes)?, on_host: device.pinned(bytes)? });
        }
        if reserved.work > self.work.as_ref().map_or(0, Buffer::bytes) {
            self.work = None;
            self.work = Some(device.buffer(reserved.work)?);
        }
        Ok(())
    }

    /// Whether the caller's own device pictures are read.
    pub fn is_given(&self) -> bool {
        self.pictures.iter().any(|resident| resident.picture().place() == Place::Device)
    }

    /// Lets the frame's results begin with zeros.
    pub fn clear(&self, stream: &Stream) -> Result<()> {
        let clear = |words: &Words| stream.clear(words.on_device.address(), words.on_device.bytes());
        self.words.as_ref().map_or(Ok(()), clear)
    }

    /// Where the frame's results are on the device.
    pub fn words(&self) -> DeviceAddress {
        self.words.as_ref().map(|words| words.on_device.address()).unwrap_or_default()
    }

    /// The frame's work memory.
    pub fn work(&self) -> DeviceAddress {
        self.work.as_ref().map(Buffer::address).unwrap_or_default()
    }

    /// Ends the frame's work on the stream of its kernels: its results go to the host.
    pub fn end(&mut self, stream: &Stream) -> Result<()> {
        if let Some(Words { on_device, on_host }) = &self.words {
            let bytes = on_device.bytes();
            let from = Rows { start: on_device.address(), pitch: bytes };
            let to: Rows<*mut u8> = Rows { start: NonNull::as_ptr(on_host.start()), pitch: bytes };
            // SAFETY: both sides are of one size; the host's is read only after `done`.
            unsafe { stream.download(from, to, Extent { bytes, rows: 1 })? };
        }
        self.done.record(stream)?;
        self.stage = Stage::InFlight;
        Ok(())
    }

    /// Whether nothing is to be waited for: the results are on the host, or will never be.
    pub fn is_done(&self) -> bool {
        match self.stage {
            Stage::Idle | Stage::Failed(_) => true,
            Stage::Prepared => false,
            Stage::InFlight => self.done.is_done().unwrap_or(true),
        }
    }

    /// Waits until the results of the frame, if there is one, are on the host.
    pub fn wait(&mut self) -> Result<()> {
        match std::mem::take(&mut self.stage) {
            Stage::Idle => Ok(()),
            Stage::Prepared => Err(Error::Internal("a frame is waited for before its kernels".into())),
            Stage::InFlight => self.done.synchronize(),
            Stage::Failed(error) => Err(error),
        }
    }

    /// The results within `range` of the frame that was waited for.
    pub fn results(&self, range: Range<usize>) -> Result<&[u64]> {
        let words = self.words.as_ref().filter(|_| self.stage == Stage::Idle);
        let words = words.ok_or_else(|| Error::Internal("results are read before the frame's end".into()))?;
        let start = words.on_host.start().cast::<u64>();
        // SAFETY: the memory holds all reserved words, and the copy into it was waited for.
        let all =
            unsafe { std::slice::from_raw_parts(start.as_ptr(), words.on_host.bytes() / size_of::<u64>()) };
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

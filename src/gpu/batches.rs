// SPDX-License-Identifier: BSD-2-Clause-Patent
//! What launches of batches go by, one after the other.
#![forbid(unsafe_code)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::device::{Device, Event, Stream};
use crate::error::Result;

/// The end of a batch on the device, of which each of its frames has a handle.
pub struct End {
    event: Event,
    /// Somebody has seen it, and nobody need ask the device again.
    seen: AtomicBool,
}

impl End {
    /// Whether the batch is done, or the device can no longer tell.
    pub fn is_reached(&self) -> bool {
        if self.seen.load(Ordering::Acquire) {
            return true;
        }
        match self.event.is_done() {
            Ok(true) => self.seen.store(true, Ordering::Release),
            Ok(false) => return false,
            Err(_) => {}
        }
        true
    }

    /// Waits for it.
    pub fn wait(&self) -> Result<()> {
        if !self.seen.load(Ordering::Acquire) {
            self.event.synchronize()?;
            self.seen.store(true, Ordering::Release);
        }
        Ok(())
    }
}

/// The batches of a device.
pub struct Batches {
    /// How many were launched, for streams to take turns.
    pub launched: usize,
    /// For the pictures of host memory to be on the device.
    pub uploaded: Event,
    /// For what the caller has put on the legacy stream before.
    pub callers_work: Event,
    latest: Option<Arc<End>>,
    /// Ends that were made; those that no frame has a handle of are used again.
    ends: Vec<Arc<End>>,
}

impl Batches {
    /// None yet.
    pub fn new(device: &Device) -> Result<Self> {
        let (uploaded, callers_work) = (device.event()?, device.event()?);
        Ok(Self { launched: 0, uploaded, callers_work, latest: None, ends: Vec::new() })
    }

    /// Whether the latest batch is done.
    pub fn is_idle(&self) -> bool {
        self.latest.as_ref().is_none_or(|end| end.is_reached())
    }

    /// The end of a batch, all of which is on `stream`.
    pub fn end(&mut self, device: &Device, stream: &Stream) -> Result<Arc<End>> {
        let spare = self.ends.iter_mut().position(|end| Arc::get_mut(end).is_some());
        let end = match spare {
            Some(spare) => self.ends.swap_remove(spare),
            None => Arc::new(End { event: device.event()?, seen: AtomicBool::default() }),
        };
        end.seen.store(false, Ordering::Relaxed);
        end.event.record(stream)?;
        self.ends.push(end.clone());
        self.latest = Some(end.clone());
        Ok(end)
    }
}

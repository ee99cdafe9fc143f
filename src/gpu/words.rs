// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The results of the frames in flight, on the device and on the host.

use std::ops::Range;
use std::ptr::NonNull;
use std::sync::Arc;

use super::backend::{DeviceAddress, Extent, Rows};
use super::device::{Buffer, Device, Pinned, Stream};
use crate::error::Result;

/// Results of a slot begin at a multiple of so many words, those of a cache line.
const LINE: usize = 16;

/// Words of 64 bits for each slot, those of neighbours side by side.
pub struct Words {
    on_device: Buffer,
    on_host: Pinned,
    count: usize,
    /// From one slot's to the next's, in bytes.
    pitch: usize,
}

impl Words {
    /// `count` words for each of `slots` slots.
    pub fn new(device: &Device, slots: usize, count: usize) -> Result<Self> {
        let pitch = count.next_multiple_of(LINE) * size_of::<u64>();
        let bytes = slots * pitch;
        Ok(Self { on_device: device.buffer(bytes)?, on_host: device.pinned(bytes)?, count, pitch })
    }

    /// Words of a slot.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Where those of `slot` are on the device.
    pub fn address(&self, slot: usize) -> DeviceAddress {
        self.on_device.address().offset(slot * self.pitch)
    }

    /// Those of `slot` on the host.
    ///
    /// # Safety
    /// Nothing copies there, as long as the words are looked at.
    pub unsafe fn on_host(&self, slot: usize) -> &[u64] {
        // SAFETY: the slots' words lie one after the other within the memory.
        let start = unsafe { self.on_host.start().byte_add(slot * self.pitch) }.cast::<u64>();
        // SAFETY: the memory was zero at first, and nobody writes these words now, by contract.
        unsafe { std::slice::from_raw_parts(start.as_ptr(), self.count) }
    }
}

/// Neighbouring slots of a batch.
pub struct Run {
    words: Arc<Words>,
    slots: Range<usize>,
}

impl Run {
    /// The runs among slots and where their results go.
    pub fn all(slots: impl Iterator<Item = (usize, Arc<Words>)>) -> Vec<Self> {
        let mut runs: Vec<Self> = Vec::new();
        for (slot, words) in slots {
            match runs.last_mut() {
                Some(run) if run.slots.end == slot && Arc::ptr_eq(&run.words, &words) => run.slots.end += 1,
                _ => runs.push(Self { words, slots: slot..slot + 1 }),
            }
        }
        runs
    }

    fn start(&self) -> DeviceAddress {
        self.words.address(self.slots.start)
    }

    fn bytes(&self) -> usize {
        self.slots.len() * self.words.pitch
    }

    /// Lets the results begin with zeros.
    pub fn clear(&self, stream: &Stream) -> Result<()> {
        stream.clear(self.start(), self.bytes())
    }

    /// Copies the results to the host.
    ///
    /// # Safety
    /// Nobody looks at them there until the copy was waited for.
    pub unsafe fn fetch(&self, stream: &Stream) -> Result<()> {
        let bytes = self.bytes();
        let from = Rows { start: self.start(), pitch: bytes };
        // SAFETY: the slots' words lie within the memory.
        let start = unsafe { self.words.on_host.start().byte_add(self.slots.start * self.words.pitch) };
        let to: Rows<*mut u8> = Rows { start: NonNull::as_ptr(start), pitch: bytes };
        // SAFETY: both sides are of one size; nobody looks at the host's, by contract.
        unsafe { stream.download(from, to, Extent { bytes, rows: 1 }) }
    }
}

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
    slots: usize,
    count: usize,
    /// From one slot's to the next's, in bytes.
    pitch: usize,
}

impl Words {
    /// `count` words for each of `slots` slots.
    pub fn new(device: &Device, slots: usize, count: usize) -> Result<Self> {
        let pitch = count.next_multiple_of(LINE) * size_of::<u64>();
        let bytes = slots * pitch;
        let (on_device, on_host) = (device.buffer(bytes)?, device.pinned(bytes)?);
        Ok(Self { on_device, on_host, slots, count, pitch })
    }

    /// Words of a slot.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Where those of `slot` begin within the memory, in bytes.
    fn offset(&self, slot: usize) -> usize {
        assert!(slot < self.slots, "there is no slot {slot}");
        slot * self.pitch
    }

    /// Where those of `slot` are on the device.
    pub fn address(&self, slot: usize) -> DeviceAddress {
        self.on_device.address().offset(self.offset(slot))
    }

    /// Likewise on the host.
    fn start(&self, slot: usize) -> NonNull<u8> {
        // SAFETY: the offset is within the memory.
        unsafe { self.on_host.start().byte_add(self.offset(slot)) }
    }

    /// Those of `slot` on the host.
    ///
    /// # Safety
    /// Nothing copies there, as long as the words are looked at.
    pub unsafe fn on_host(&self, slot: usize) -> &[u64] {
        // SAFETY: a slot has as many words from there on. They were zero at first, and nobody writes them now, by
        // contract.
        unsafe { std::slice::from_raw_parts(self.start(slot).cast().as_ptr(), self.count) }
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
    /// The words are kept, and nobody looks at them there, until the copy was waited for.
    pub unsafe fn fetch(&self, stream: &Stream) -> Result<()> {
        let bytes = self.bytes();
        let from = Rows { start: self.start(), pitch: bytes };
        let to: Rows<*mut u8> =
            Rows { start: NonNull::as_ptr(self.words.start(self.slots.start)), pitch: bytes };
        // SAFETY: the slots' words lie side by side on both sides. The host's are kept and left alone, by contract.
        unsafe { stream.download(from, to, Extent { bytes, rows: 1 }) }
    }
}

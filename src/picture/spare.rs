// SPDX-License-Identifier: BSD-2-Clause-Patent
//! A few blocks of dropped pictures, kept for the next ones while a context lives.
//!
//! Callers of the C interface allocate two pictures a frame. Fresh pages for them cost more than a simple
//! extractor does; a block that was just read costs only its clearing.

use parking_lot::Mutex;

use super::block::Block;
use super::format::Format;
use super::storage::Storage;
use crate::gpu::{Device, WeakDevice};

/// Blocks kept at most: a pair in the making and a pair just scored.
const LIMIT: usize = 4;

struct Spares {
    #[expect(clippy::vec_box, reason = "handles hold a block's address, and moving one copies it")]
    blocks: Vec<Box<Block>>,
    contexts: usize,
    /// The devices in use, by whose page-locked memory new pictures are uploaded soonest.
    devices: Vec<WeakDevice>,
}

static SPARES: Mutex<Spares> = Mutex::new(Spares { blocks: Vec::new(), contexts: 0, devices: Vec::new() });

/// While one exists, blocks are kept; the last one dropped frees them.
pub struct Keeper(());

impl Keeper {
    /// Counts one more context.
    pub fn new() -> Self {
        SPARES.lock().contexts += 1;
        Self(())
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        let freed = {
            let mut spares = SPARES.lock();
            spares.contexts -= 1;
            if spares.contexts == 0 { std::mem::take(&mut spares.blocks) } else { Vec::new() }
        };
        drop(freed);
    }
}

/// While one exists, new pictures lie in page-locked memory of its device.
pub struct PinnedPictures(Device);

impl PinnedPictures {
    /// For the pictures made from now on.
    pub fn of(device: &Device) -> Self {
        SPARES.lock().devices.push(device.downgrade());
        Self(device.clone())
    }
}

impl Drop for PinnedPictures {
    fn drop(&mut self) {
        let of_device = |block: &mut Box<Block>| block.pinned_by().is_some_and(|device| device.is(&self.0));
        let freed: Vec<_> = {
            let mut spares = SPARES.lock();
            let place = spares.devices.iter().position(|device| device.is(&self.0));
            place.map(|place| spares.devices.remove(place));
            spares.blocks.extract_if(.., of_device).collect()
        };
        drop(freed);
    }
}

/// In which memory a new picture lies best.
pub(super) fn storage() -> Storage {
    let device = SPARES.lock().devices.iter().rev().find_map(WeakDevice::upgrade);
    device.map_or(Storage::Pageable, Storage::Pinned)
}

/// A cleared block of this format, if one was kept.
pub(super) fn take(format: Format) -> Option<Box<Block>> {
    let mut block = {
        let mut spares = SPARES.lock();
        let position = spares.blocks.iter().rposition(|block| block.format() == format)?;
        spares.blocks.remove(position)
    };
    block.clear();
    Some(block)
}

impl Spares {
    /// Whether a block is of any use: page-locked memory only while its device is in use.
    fn wants(&self, block: &Block) -> bool {
        let in_use = |device: &Device| self.devices.iter().any(|other| other.is(device));
        self.contexts > 0 && block.pinned_by().is_none_or(in_use)
    }
}

/// Keeps a block, or frees it where no context lives; the oldest makes room.
pub(super) fn keep(block: Box<Block>) {
    let mut spares = SPARES.lock();
    let too_old = match spares.blocks.len() {
        _ if !spares.wants(&block) => Some(block),
        LIMIT => {
            let oldest = spares.blocks.remove(0);
            spares.blocks.push(block);
            Some(oldest)
        }
        _ => {
            spares.blocks.push(block);
            None
        }
    };
    drop(spares);
    drop(too_old);
}

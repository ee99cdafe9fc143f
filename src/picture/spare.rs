// SPDX-License-Identifier: BSD-2-Clause-Patent
//! A few blocks of dropped pictures, kept for the next ones while a context lives.
//!
//! Callers of the C interface allocate two pictures a frame. Fresh pages for them cost more than a simple
//! extractor does; a block that was just read costs only its clearing.

use parking_lot::Mutex;

use super::block::Block;
use super::format::Format;

/// Blocks kept at most: a pair in the making and a pair just scored.
const LIMIT: usize = 4;

struct Spares {
    #[expect(clippy::vec_box, reason = "handles hold a block's address, and moving one copies it")]
    blocks: Vec<Box<Block>>,
    contexts: usize,
}

static SPARES: Mutex<Spares> = Mutex::new(Spares { blocks: Vec::new(), contexts: 0 });

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
        let mut spares = SPARES.lock();
        spares.contexts -= 1;
        if spares.contexts == 0 {
            spares.blocks = Vec::new();
        }
    }
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

/// Keeps a block, or frees it where no context lives; the oldest makes room.
pub(super) fn keep(block: Box<Block>) {
    let mut spares = SPARES.lock();
    let too_old = match (spares.contexts, spares.blocks.len()) {
        (0, _) => Some(block),
        (_, LIMIT) => {
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

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Memory in which every mistake shows: each block lies on pages of its own between inaccessible ones, ends where an
//! overrun faults, and is never handed out again once it is freed.

use std::collections::BTreeMap;
use std::ops::Range;
use std::ptr::null_mut;

use super::kernel;
use crate::error::{Error, Result};

/// Addresses of one arena. They cost nothing until blocks lie there.
const ARENA: usize = 1 << 38;

/// Inaccessible addresses between blocks: more than the rows by which indices go astray.
const GUARD: usize = 1 << 20;

/// As the driver aligns. A block that does not fill its last 256 bytes ends that much before the guard.
const ALIGNMENT: usize = 256;

/// What lies on a block's pages before and behind it.
const CANARY: u8 = 0xc9;

/// A block that was handed out.
struct Block {
    /// Its bytes.
    bytes: Range<usize>,
    /// Its pages.
    pages: Range<usize>,
}

/// A range of addresses from which blocks are taken.
pub struct Arena {
    reserved: Range<usize>,
    next: usize,
    page: usize,
    /// By their first addresses.
    blocks: BTreeMap<usize, Block>,
    freed: Vec<Range<usize>>,
    open: bool,
}

impl Arena {
    /// No blocks yet. They are accessible from the start if it is `open`.
    pub fn new(open: bool) -> Result<Self> {
        // SAFETY: asks for fresh addresses.
        let start = unsafe { libc::mmap(null_mut(), ARENA, libc::PROT_NONE, RESERVE, -1, 0) };
        if start == libc::MAP_FAILED {
            return Err(Error::OutOfMemory);
        }
        // SAFETY: a question.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        let reserved = start as usize..start as usize + ARENA;
        Ok(Self {
            next: reserved.start + GUARD,
            reserved,
            page,
            blocks: BTreeMap::new(),
            freed: Vec::new(),
            open,
        })
    }

    /// A new block filled with `pattern`, aligned to 256 bytes.
    pub fn allocate(&mut self, bytes: usize, pattern: u8) -> Result<usize> {
        let size = bytes
            .checked_next_multiple_of(ALIGNMENT)
            .filter(|size| *size <= ARENA)
            .ok_or(Error::OutOfMemory)?;
        let pages = self.next..self.next + size.next_multiple_of(self.page);
        if pages.end + GUARD > self.reserved.end || !protect(&pages, libc::PROT_READ | libc::PROT_WRITE) {
            return Err(Error::OutOfMemory);
        }
        self.next = pages.end + GUARD.next_multiple_of(self.page);
        let start = pages.end - size;
        let block = Block { bytes: start..start + bytes, pages };
        // SAFETY: the pages were made writable just now, and nobody else knows them.
        unsafe {
            (block.pages.start as *mut u8).write_bytes(CANARY, block.pages.len());
            (start as *mut u8).write_bytes(pattern, bytes);
        }
        block.margins().for_each(|margin| kernel::forbid(&margin, true));
        if !self.open {
            protect(&block.pages, libc::PROT_NONE);
        }
        self.blocks.insert(start, block);
        Ok(start)
    }

    /// Takes a block back. Says what is wrong with it, if anything.
    pub fn free(&mut self, start: usize) -> std::result::Result<(), String> {
        if !self.blocks.contains_key(&start) {
            return Err(format!("{start:#x} is freed, which is {}", self.describe(start)));
        }
        self.set_open_for(start, true);
        let intact = self.check_margins_of(start);
        let block = self.blocks.remove(&start).expect("looked up above");
        block.margins().for_each(|margin| kernel::forbid(&margin, false));
        // SAFETY: the pages are the block's, and nobody may use it any more. Mapping them anew gives the memory back.
        unsafe {
            libc::mmap(
                block.pages.start as _,
                block.pages.len(),
                libc::PROT_NONE,
                RESERVE | libc::MAP_FIXED,
                -1,
                0,
            )
        };
        self.freed.push(block.bytes);
        intact
    }

    /// Makes all blocks accessible or inaccessible.
    pub fn set_open(&mut self, open: bool) {
        if open != self.open {
            self.open = open;
            let starts: Vec<_> = self.blocks.keys().copied().collect();
            starts.into_iter().for_each(|start| self.set_open_for(start, open));
        }
    }

    fn set_open_for(&self, start: usize, open: bool) {
        let protection = if open { libc::PROT_READ | libc::PROT_WRITE } else { libc::PROT_NONE };
        assert!(protect(&self.blocks[&start].pages, protection), "the emulator's memory can be protected");
    }

    /// Whether something was written beside a block. The arena must be open.
    pub fn check_margins(&self) -> std::result::Result<(), String> {
        self.blocks.keys().try_for_each(|start| self.check_margins_of(*start))
    }

    fn check_margins_of(&self, start: usize) -> std::result::Result<(), String> {
        let block = &self.blocks[&start];
        let damaged = block.margins().flatten().find(|address| {
            // SAFETY: the address is on the block's pages, which are accessible. AddressSanitizer does not see it.
            unsafe { (*address as *const u8).read() != CANARY }
        });
        damaged.map_or(Ok(()), |address| Err(format!("something was written to {}", self.describe(address))))
    }

    /// Whether an address is one of the arena's, in a block or not.
    pub fn reserves(&self, address: usize) -> bool {
        self.reserved.contains(&address)
    }

    /// Whether all of a range lies in one block.
    pub fn holds(&self, range: &Range<usize>) -> bool {
        self.block_before(range.start).is_some_and(|block| range.end <= block.bytes.end)
    }

    /// Whether the block at `start` and a range have bytes in common.
    pub fn share(&self, start: usize, range: &Range<usize>) -> bool {
        self.blocks
            .get(&start)
            .is_some_and(|block| range.start < block.bytes.end && block.bytes.start < range.end)
    }

    /// Where an address lies, for messages.
    pub fn describe(&self, address: usize) -> String {
        if let Some(block) = self.block_before(address).filter(|block| address < block.bytes.end + GUARD) {
            return relation(&block.bytes, address, "a block");
        }
        if let Some(range) = self.freed.iter().rev().find(|range| range.contains(&address)) {
            return relation(range, address, "freed memory");
        }
        match self.blocks.range(address..).next().filter(|(start, _)| **start - address < GUARD) {
            Some((_, block)) => relation(&block.bytes, address, "a block"),
            None if self.reserves(address) => format!("{address:#x}, between blocks"),
            None => format!("{address:#x}, outside the device's memory"),
        }
    }

    fn block_before(&self, address: usize) -> Option<&Block> {
        self.blocks.range(..=address).next_back().map(|(_, block)| block)
    }

    /// How many blocks there are.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        for block in self.blocks.values() {
            block.margins().for_each(|margin| kernel::forbid(&margin, false));
        }
        // SAFETY: the range was reserved by `new`; the arena and all that lies in it is gone.
        unsafe { libc::munmap(self.reserved.start as _, self.reserved.len()) };
    }
}

impl Block {
    /// What of its pages is not its own.
    fn margins(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        [self.pages.start..self.bytes.start, self.bytes.end..self.pages.end].into_iter()
    }
}

const RESERVE: i32 = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;

fn protect(pages: &Range<usize>, protection: i32) -> bool {
    // SAFETY: only called for pages of an arena, whose accesses are all checked against its state.
    unsafe { libc::mprotect(pages.start as _, pages.len(), protection) == 0 }
}

fn relation(range: &Range<usize>, address: usize, what: &str) -> String {
    let size = range.len();
    if address < range.start {
        format!("{} bytes before {what} of {size} bytes", range.start - address)
    } else if address < range.end {
        format!("byte {} of {what} of {size} bytes", address - range.start)
    } else {
        format!("{} bytes past the end of {what} of {size} bytes", address - range.end)
    }
}

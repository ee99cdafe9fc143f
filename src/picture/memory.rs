// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The one place where ordinary host memory of planes is allocated and freed.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;

use crate::error::{Error, Result};

/// Planes begin on such an address: a cache line, and a whole AVX-512 register.
const ALIGNMENT: usize = 64;
/// What the allocator is asked for: at this alignment it hands out untouched zero pages for large blocks,
/// so that a picture costs memory only once it is written.
const ALLOCATOR_ALIGNMENT: usize = 16;

/// Zero-filled host memory on a 64-byte boundary.
pub(super) struct HostMemory {
    allocation: NonNull<u8>,
    layout: Layout,
    start: NonNull<u8>,
    bytes: usize,
}

// SAFETY: the block is owned by this value alone and is not tied to a thread.
unsafe impl Send for HostMemory {}
// SAFETY: shared access only hands out the address; who reads or writes there is the holder's promise.
unsafe impl Sync for HostMemory {}

impl HostMemory {
    /// Allocates `bytes`, all zero.
    pub(super) fn zeroed(bytes: usize) -> Result<Self> {
        let padded = bytes.checked_add(ALIGNMENT).ok_or(Error::OutOfMemory)?;
        let layout = Layout::from_size_align(padded, ALLOCATOR_ALIGNMENT).map_err(|_| Error::OutOfMemory)?;
        // SAFETY: the layout's size is at least ALIGNMENT, so not zero.
        let allocation = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or(Error::OutOfMemory)?;
        let skip = allocation.as_ptr().align_offset(ALIGNMENT);
        // SAFETY: `skip` is below ALIGNMENT, by which the block is longer than `bytes`.
        let start = unsafe { allocation.add(skip) };
        Ok(Self { allocation, layout, start, bytes })
    }

    /// The first byte.
    pub(super) fn start(&self) -> NonNull<u8> {
        self.start
    }

    /// Makes all bytes zero again.
    pub(super) fn clear(&mut self) {
        // SAFETY: `bytes` from `start` lie within the allocation, which `&mut self` holds alone.
        unsafe { self.start.write_bytes(0, self.bytes) };
    }
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        // SAFETY: the block came from `alloc_zeroed` with this layout and is freed once, here.
        unsafe { dealloc(self.allocation.as_ptr(), self.layout) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_aligned_and_zero() {
        for bytes in [0usize, 1, 63, 4096, 1 << 20] {
            let memory = HostMemory::zeroed(bytes).unwrap();
            assert_eq!(memory.start().as_ptr() as usize % ALIGNMENT, 0);
            // SAFETY: `bytes` from the start belong to `memory`.
            let content = unsafe { std::slice::from_raw_parts(memory.start().as_ptr(), bytes) };
            assert!(content.iter().all(|&byte| byte == 0));
        }
    }

    #[test]
    fn what_cannot_be_had_is_an_error() {
        for bytes in [usize::MAX, isize::MAX as usize - 4096] {
            // An allocation that nobody looks at would be optimised away, and with it its failure.
            let memory = std::hint::black_box(HostMemory::zeroed(bytes));
            assert_eq!(memory.err(), Some(Error::OutOfMemory), "{bytes} bytes");
        }
    }
}

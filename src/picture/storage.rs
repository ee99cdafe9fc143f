// SPDX-License-Identifier: BSD-2-Clause-Patent
//! In which memory a picture's planes lie.

use std::ptr::NonNull;

use super::memory::HostMemory;
use crate::error::Result;
use crate::gpu::{Buffer, Device, Pinned};

/// Memory to ask for.
#[derive(Clone, Default)]
pub enum Storage {
    /// Ordinary host memory.
    #[default]
    Pageable,
    /// Host memory from which a device copies while the host goes on.
    Pinned(Device),
    /// A device's memory.
    Device(Device),
}

/// Where a picture can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// On the host.
    Host,
    /// On a device alone.
    Device,
}

/// The memory of one picture.
pub(super) enum Memory {
    Pageable(HostMemory),
    Pinned(Pinned),
    Device(Buffer),
}

impl Memory {
    /// Allocates `bytes`, all zero.
    pub(super) fn zeroed(storage: &Storage, bytes: usize) -> Result<Self> {
        match storage {
            Storage::Pageable => Ok(Self::Pageable(HostMemory::zeroed(bytes)?)),
            Storage::Pinned(device) => Ok(Self::Pinned(device.pinned(bytes)?)),
            Storage::Device(device) => Ok(Self::Device(device.zeroed_buffer(bytes)?)),
        }
    }

    /// The first byte; of device memory an address that the host must not touch.
    pub(super) fn start(&self) -> *mut u8 {
        match self {
            Self::Pageable(memory) => memory.start().as_ptr(),
            Self::Pinned(memory) => memory.start().as_ptr(),
            Self::Device(memory) => memory.address().0 as *mut u8,
        }
    }

    /// Where it can be read.
    pub(super) fn place(&self) -> Place {
        match self {
            Self::Pageable(_) | Self::Pinned(_) => Place::Host,
            Self::Device(_) => Place::Device,
        }
    }

    /// The device whose page-locked memory it is.
    pub(super) fn pinned_by(&self) -> Option<&Device> {
        match self {
            Self::Pinned(memory) => Some(memory.device()),
            _ => None,
        }
    }

    /// The device whose memory it is.
    pub(super) fn device(&self) -> Option<&Device> {
        match self {
            Self::Device(memory) => Some(memory.device()),
            _ => None,
        }
    }

    /// Makes all bytes of host memory zero again; device memory is only zero at first.
    pub(super) fn clear(&mut self) {
        match self {
            Self::Pageable(memory) => memory.clear(),
            // SAFETY: `bytes` from the start are the block's, which `&mut self` holds alone.
            Self::Pinned(memory) => unsafe { NonNull::write_bytes(memory.start(), 0, memory.bytes()) },
            Self::Device(_) => {}
        }
    }
}

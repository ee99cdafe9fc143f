// SPDX-License-Identifier: BSD-2-Clause-Patent
//! What a maker of devices must be able to do. The rest of this module is built on these few calls, so that the
//! driver and the emulator differ nowhere else.

use std::ffi::CStr;
use std::ptr::NonNull;

use super::image::Image;
use crate::error::Result;

/// An address in device memory. The host must not read or write there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct DeviceAddress(pub u64);

impl DeviceAddress {
    /// The address `bytes` further.
    pub fn offset(self, bytes: usize) -> Self {
        Self(self.0 + bytes as u64)
    }
}

/// A stream, event, module or function, as its maker numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handle(pub usize);

/// Rows of bytes, each `pitch` after the one before.
#[derive(Clone, Copy, Debug)]
pub struct Rows<A> {
    /// The first byte of the first row.
    pub start: A,
    /// Bytes from one row to the next.
    pub pitch: usize,
}

/// How much of each row, and how many rows, a copy moves.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Bytes of a row.
    pub bytes: usize,
    /// Rows.
    pub rows: usize,
}

/// How many blocks a kernel runs in, and how many threads a block has.
#[derive(Clone, Copy, Debug)]
pub struct Geometry {
    /// Blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block, in x alone.
    pub block: u32,
}

/// Threads of a block, unless a kernel's file says another number (`BLOCK_THREADS` of kernels/common/cuda.cuh).
pub const BLOCK: u32 = 256;

/// Warps of such a block.
pub const BLOCK_WARPS: u32 = BLOCK / 32;

/// Blocks for each multiprocessor at most, more than run at once.
const BLOCKS_PER_MULTIPROCESSOR: u32 = 8;

impl Geometry {
    /// Blocks for kernels that go through `layers` planes of `height` rows, a warp a row.
    pub fn rows(height: u32, layers: u32, multiprocessors: u32) -> Self {
        let most = BLOCKS_PER_MULTIPROCESSOR * multiprocessors;
        Self { grid: [height.div_ceil(BLOCK_WARPS).clamp(1, most), 1, layers], block: BLOCK }
    }
}

/// A device, by handles. Work on a stream runs in order; calls that take a stream do not wait for it.
///
/// Every call may come from any thread. Handles must be ones that this device made and did not destroy yet.
pub trait Backend: Send + Sync {
    /// The device's name, for log lines.
    fn name(&self) -> String;

    /// Multiprocessors, by which launches are sized.
    fn multiprocessors(&self) -> u32;

    /// Its compute capability, 75 for 7.5.
    fn capability(&self) -> u32;

    /// Whether its memory stays as long as the device does, whatever callers do with contexts of theirs.
    fn outlives_callers(&self) -> bool;

    /// Device memory, aligned to 256 bytes at least, with nothing certain in it.
    fn allocate(&self, bytes: usize) -> Result<DeviceAddress>;

    /// Gives device memory back; waits for work that uses it.
    fn free(&self, memory: DeviceAddress);

    /// Page-locked host memory, from and to which copies run while the host goes on.
    fn allocate_pinned(&self, bytes: usize) -> Result<NonNull<u8>>;

    /// Gives page-locked memory back.
    ///
    /// # Safety
    /// `memory` came from [`Self::allocate_pinned`] and is not used any more, by copies neither.
    unsafe fn free_pinned(&self, memory: NonNull<u8>);

    /// A stream that does not wait for the legacy default stream.
    fn create_stream(&self) -> Result<Handle>;

    /// Destroys a stream once its work is done.
    fn destroy_stream(&self, stream: Handle);

    /// The legacy default stream of the context, where callers put their copies.
    fn legacy_stream(&self) -> Handle;

    /// An event that takes no times.
    fn create_event(&self) -> Result<Handle>;

    /// Destroys an event.
    fn destroy_event(&self, event: Handle);

    /// Lets `event` stand for all work that is on `stream` now.
    fn record(&self, event: Handle, stream: Handle) -> Result<()>;

    /// Lets later work on `stream` wait for `event`.
    fn wait(&self, stream: Handle, event: Handle) -> Result<()>;

    /// Whether the work that `event` stands for is done.
    fn is_done(&self, event: Handle) -> Result<bool>;

    /// Waits for the work that `event` stands for.
    fn synchronize(&self, event: Handle) -> Result<()>;

    /// Waits for all work on `stream`.
    fn synchronize_stream(&self, stream: Handle) -> Result<()>;

    /// Loads the kernels of an image.
    fn load(&self, image: &Image) -> Result<Handle>;

    /// Unloads them.
    fn unload(&self, module: Handle);

    /// A kernel of a module. `parameters` is the size of the structure that it takes, and `shared` the bytes of
    /// dynamic shared memory that it may be launched with.
    fn function(&self, module: Handle, name: &CStr, parameters: usize, shared: u32) -> Result<Handle>;

    /// Starts a kernel, which takes one structure by value, with `shared` bytes of dynamic shared memory a block.
    fn launch(
        &self,
        stream: Handle,
        function: Handle,
        geometry: Geometry,
        shared: u32,
        parameters: &[u8],
    ) -> Result<()>;

    /// Copies rows to the device. From page-locked memory it returns at once.
    ///
    /// # Safety
    /// All rows of `from` are readable, and page-locked ones stay as they are until the copy is done.
    unsafe fn upload(
        &self,
        stream: Handle,
        from: Rows<*const u8>,
        to: Rows<DeviceAddress>,
        extent: Extent,
    ) -> Result<()>;

    /// Copies rows to the host. To page-locked memory it returns at once.
    ///
    /// # Safety
    /// All rows of `to` are writable, and until the copy is done nobody reads or writes page-locked ones.
    unsafe fn download(
        &self,
        stream: Handle,
        from: Rows<DeviceAddress>,
        to: Rows<*mut u8>,
        extent: Extent,
    ) -> Result<()>;

    /// Makes `bytes` bytes zero.
    fn clear(&self, stream: Handle, memory: DeviceAddress, bytes: usize) -> Result<()>;
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The counted block behind a picture, and the handle that owns one count of it.
//!
//! The count is intrusive, not an `Arc`, because a block goes back to a pool when its last handle is
//! dropped: header and planes live on, and a warm stream of pictures allocates nothing.

use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering, fence};

use super::format::{Format, PlaneLayout};
use super::plane::{Plane, Samples};
use super::pool::Pool;
use super::spare;
use super::storage::{Memory, Place, Storage};
use crate::error::Result;
use crate::gpu::{Device, DeviceAddress};

/// What the handles of one picture share. C sees it as the opaque `VmafRef`.
pub struct Block {
    handles: AtomicUsize,
    format: Format,
    planes: [PlaneLayout; 3],
    memory: Memory,
    home: Option<Arc<Pool>>,
}

impl Block {
    /// A zero-filled block that no handle owns yet.
    pub(super) fn new(format: Format, storage: &Storage) -> Result<Box<Self>> {
        let (planes, bytes) = format.layout()?;
        let memory = Memory::zeroed(storage, bytes)?;
        Ok(Box::new(Self { handles: AtomicUsize::new(0), format, planes, memory, home: None }))
    }

    /// The format that the block was made for.
    pub(super) fn format(&self) -> Format {
        self.format
    }

    /// The device in whose page-locked memory it lies.
    pub(super) fn pinned_by(&self) -> Option<&Device> {
        self.memory.pinned_by()
    }

    /// Makes all samples zero.
    pub(super) fn clear(&mut self) {
        self.memory.clear();
    }
}

/// A picture: planes of samples, shared by reference count.
pub struct Picture(NonNull<Block>);

// SAFETY: the count is atomic; samples are written only through `&mut` of a sole handle, or by a C caller
// before it hands the picture over.
unsafe impl Send for Picture {}
// SAFETY: as for Send; shared handles only read.
unsafe impl Sync for Picture {}

impl Picture {
    /// A zero-filled picture.
    pub fn new(format: Format) -> Result<Self> {
        let block = match spare::take(format) {
            Some(block) => block,
            // Page-locked memory is scarcer than memory.
            None => {
                Block::new(format, &spare::storage()).or_else(|_| Block::new(format, &Storage::Pageable))?
            }
        };
        Ok(Self::adopt(block, None))
    }

    /// The first handle of a block; `home` gets the block back after the last.
    pub(super) fn adopt(mut block: Box<Block>, home: Option<Arc<Pool>>) -> Self {
        block.home = home;
        *block.handles.get_mut() = 1;
        Self(NonNull::from(Box::leak(block)))
    }

    fn block(&self) -> &Block {
        // SAFETY: this handle owns a count, so the block lives.
        unsafe { self.0.as_ref() }
    }

    /// Pixel format, depth and size.
    pub fn format(&self) -> Format {
        self.block().format
    }

    /// Where plane `index` lies.
    pub fn layout(&self, index: usize) -> PlaneLayout {
        self.block().planes[index]
    }

    /// Where the samples can be read.
    pub fn place(&self) -> Place {
        self.block().memory.place()
    }

    /// The device in whose memory it lies.
    pub fn device(&self) -> Option<&Device> {
        self.block().memory.device()
    }

    /// Bytes from the picture's first to the last of its first `planes` planes.
    pub fn bytes(&self, planes: usize) -> usize {
        let planes = &self.block().planes[..planes.min(self.format().pixel.planes())];
        planes.last().map_or(0, |last| last.offset + last.stride * last.height)
    }

    /// Where a device picture begins in device memory.
    pub fn device_address(&self) -> DeviceAddress {
        debug_assert_eq!(self.place(), Place::Device);
        DeviceAddress(self.block().memory.start() as u64)
    }

    /// Address of plane `index` (in device memory for a device picture), null where the format has no such plane.
    pub fn data(&self, index: usize) -> *mut u8 {
        if index >= self.format().pixel.planes() {
            return std::ptr::null_mut();
        }
        self.block().memory.start().wrapping_add(self.layout(index).offset)
    }

    /// Whether this and `other` are handles of one block.
    pub fn same_block(&self, other: &Self) -> bool {
        self.0 == other.0
    }

    /// How many handles there are; others may come and go meanwhile.
    pub fn handles(&self) -> usize {
        self.block().handles.load(Ordering::Acquire)
    }

    /// Plane `index` as samples; empty where the format has no such plane.
    ///
    /// # Panics
    /// If the picture lies on a device.
    pub fn plane(&self, index: usize) -> Samples<'_> {
        if self.format().bpc > 8 {
            Samples::Bits16(self.view(index))
        } else {
            Samples::Bits8(self.view(index))
        }
    }

    /// `T` is the sample type of the depth: u8 at 8 bits, else u16.
    fn view<T>(&self, index: usize) -> Plane<'_, T> {
        let PlaneLayout { width, height, stride, .. } = self.layout(index);
        let stride = stride / size_of::<T>();
        let start = self.data(index).cast::<T>();
        if start.is_null() {
            return Plane::new(&[], 0, 0, 0);
        }
        assert_eq!(self.place(), Place::Host, "samples of a device picture");
        // SAFETY: the layout's rows lie within the block, in host memory; the start is aligned to a sample, as the block is to
        // 64 bytes and a plane's offset is a multiple of 32 samples; nobody writes while handles are read.
        let samples = unsafe { std::slice::from_raw_parts(start, stride * height) };
        Plane::new(samples, width, height, stride)
    }

    /// Row `y` of plane `index` as bytes, without padding, to be filled.
    ///
    /// # Panics
    /// If other handles of the picture exist, it lies on a device, or there is no such row.
    pub fn row_mut(&mut self, index: usize, y: usize) -> &mut [u8] {
        assert_eq!(self.handles(), 1, "the picture is shared");
        assert_eq!(self.place(), Place::Host, "samples of a device picture");
        let PlaneLayout { width, height, stride, .. } = self.layout(index);
        assert!(y < height, "plane {index} has {height} rows");
        let bytes = width * self.format().sample_bytes();
        // SAFETY: the row lies within the block, and `&mut self` is its only handle.
        unsafe { std::slice::from_raw_parts_mut(self.data(index).add(y * stride), bytes) }
    }

    /// Gives the count away as an address, for C.
    pub fn into_raw(self) -> NonNull<Block> {
        std::mem::ManuallyDrop::new(self).0
    }

    /// Takes back what [`Self::into_raw`] gave away.
    ///
    /// # Safety
    /// `block` came from `into_raw`, and the caller gives up that count.
    pub unsafe fn from_raw(block: NonNull<Block>) -> Self {
        Self(block)
    }
}

impl Clone for Picture {
    fn clone(&self) -> Self {
        // Relaxed suffices, as for Arc: the new handle is made from one that lives.
        self.block().handles.fetch_add(1, Ordering::Relaxed);
        Self(self.0)
    }
}

impl Drop for Picture {
    fn drop(&mut self) {
        if self.block().handles.fetch_sub(1, Ordering::Release) != 1 {
            return;
        }
        fence(Ordering::Acquire);
        // SAFETY: this was the last handle, and the block came from a Box.
        let mut block = unsafe { Box::from_raw(self.0.as_ptr()) };
        match block.home.take() {
            Some(pool) => pool.give_back(block),
            None => spare::keep(block),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::PixelFormat;
    use super::*;

    #[test]
    fn rows_are_written_and_read_back() {
        let format = Format::new(PixelFormat::Yuv420, 10, 33, 5).unwrap();
        let mut picture = Picture::new(format).unwrap();
        picture.row_mut(1, 2).copy_from_slice(&[1; 34]);
        let copy = picture.clone();
        let Samples::Bits16(chroma) = copy.plane(1) else { panic!("10 bits are words") };
        assert_eq!((chroma.width(), chroma.height()), (17, 3));
        assert_eq!(chroma.row(2), [0x0101; 17]);
        assert_eq!(chroma.row(1), [0; 17]);
        assert!(copy.same_block(&picture));
    }

    #[test]
    #[should_panic(expected = "shared")]
    fn a_shared_picture_is_not_written() {
        let mut picture = Picture::new(Format::new(PixelFormat::Yuv400, 8, 4, 4).unwrap()).unwrap();
        let _other = picture.clone();
        picture.row_mut(0, 0);
    }

    #[test]
    fn luma_only_has_empty_chroma() {
        let picture = Picture::new(Format::new(PixelFormat::Yuv400, 8, 4, 4).unwrap()).unwrap();
        assert!(picture.data(1).is_null());
        let Samples::Bits8(chroma) = picture.plane(2) else { panic!("8 bits are bytes") };
        assert_eq!(chroma.area(), 0);
    }
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! What a picture is made of: pixel format, bits per component, size, and the planes that follow from them.

use std::fmt;

use crate::error::{Error, Result};

/// Chroma subsampling. The numbers are those of C's `enum VmafPixelFormat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum PixelFormat {
    /// 4:2:0, chroma halved both ways, rounded up.
    Yuv420 = 1,
    /// 4:2:2, chroma halved horizontally, rounded up.
    Yuv422 = 2,
    /// 4:4:4.
    Yuv444 = 3,
    /// 4:0:0, luma only.
    Yuv400 = 4,
}

impl PixelFormat {
    /// The format with C's number, if there is one.
    pub fn from_number(number: u32) -> Option<Self> {
        match number {
            1 => Some(Self::Yuv420),
            2 => Some(Self::Yuv422),
            3 => Some(Self::Yuv444),
            4 => Some(Self::Yuv400),
            _ => None,
        }
    }

    /// How many planes hold samples: 3, or 1 for 4:0:0.
    pub fn planes(self) -> usize {
        if self == Self::Yuv400 { 1 } else { 3 }
    }

    /// Size in samples of a chroma plane, (0, 0) for 4:0:0.
    pub fn chroma_size(self, width: u32, height: u32) -> (u32, u32) {
        match self {
            Self::Yuv420 => (width.div_ceil(2), height.div_ceil(2)),
            Self::Yuv422 => (width.div_ceil(2), height),
            Self::Yuv444 => (width, height),
            Self::Yuv400 => (0, 0),
        }
    }
}

/// Pixel format, depth and luma size of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    /// Chroma subsampling.
    pub pixel: PixelFormat,
    /// Bits per component, 8 to 16.
    pub bpc: u32,
    /// Luma width in samples.
    pub width: u32,
    /// Luma height in samples.
    pub height: u32,
}

/// Where a plane lies in its picture's memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlaneLayout {
    /// Width in samples.
    pub width: usize,
    /// Height in rows.
    pub height: usize,
    /// Bytes from one row to the next.
    pub stride: usize,
    /// Bytes from the picture's first to the plane's first.
    pub offset: usize,
}

impl fmt::Display for Format {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pixel = match self.pixel {
            PixelFormat::Yuv420 => "4:2:0",
            PixelFormat::Yuv422 => "4:2:2",
            PixelFormat::Yuv444 => "4:4:4",
            PixelFormat::Yuv400 => "4:0:0",
        };
        write!(out, "{}x{} {pixel} {} bit", self.width, self.height, self.bpc)
    }
}

impl Format {
    /// Checks the depth (8 to 16 bits); any size is a format, also an empty one.
    pub fn new(pixel: PixelFormat, bpc: u32, width: u32, height: u32) -> Result<Self> {
        if !(8..=16).contains(&bpc) {
            return Err(Error::invalid(format!("{bpc} bits per component are not within 8..16")));
        }
        Ok(Self { pixel, bpc, width, height })
    }

    /// Bytes a sample takes: 1 at 8 bits, else 2.
    pub fn sample_bytes(&self) -> usize {
        if self.bpc > 8 { 2 } else { 1 }
    }

    /// Width and height in samples of plane `index` (0 luma, 1 and 2 chroma).
    pub fn plane_size(&self, index: usize) -> (u32, u32) {
        match index {
            0 => (self.width, self.height),
            _ => self.pixel.chroma_size(self.width, self.height),
        }
    }

    /// The three planes one behind the other, rows padded to 32 samples, and the bytes of all;
    /// [`Error::OutOfMemory`] when that number has no room in an address.
    pub fn layout(&self) -> Result<([PlaneLayout; 3], usize)> {
        let mut planes = [PlaneLayout::default(); 3];
        let mut offset = 0usize;
        for (index, plane) in planes.iter_mut().enumerate().take(self.pixel.planes()) {
            let (width, height) = self.plane_size(index);
            let (width, height) = (width as usize, height as usize);
            let stride = width.next_multiple_of(32) * self.sample_bytes();
            *plane = PlaneLayout { width, height, stride, offset };
            let bytes = stride.checked_mul(height).ok_or(Error::OutOfMemory)?;
            offset = offset.checked_add(bytes).ok_or(Error::OutOfMemory)?;
        }
        Ok((planes, offset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strides_and_offsets(width: u32, height: u32, bpc: u32) -> [usize; 4] {
        let (planes, _) = Format::new(PixelFormat::Yuv420, bpc, width, height).unwrap().layout().unwrap();
        [planes[0].stride, planes[1].stride, planes[1].offset, planes[2].offset]
    }

    #[test]
    fn planes_follow_each_other_with_padded_rows() {
        assert_eq!(strides_and_offsets(1, 3, 8), [32, 32, 96, 160]);
        assert_eq!(strides_and_offsets(33, 7, 8), [64, 32, 448, 576]);
        assert_eq!(strides_and_offsets(577, 5, 8), [608, 320, 3040, 4000]);
        assert_eq!(strides_and_offsets(1920, 4, 8), [1920, 960, 7680, 9600]);
        assert_eq!(strides_and_offsets(1920, 4, 16), [3840, 1920, 15360, 19200]);
    }

    #[test]
    fn luma_only_has_one_plane() {
        let (planes, bytes) = Format::new(PixelFormat::Yuv400, 10, 33, 2).unwrap().layout().unwrap();
        assert_eq!(planes[1], PlaneLayout::default());
        assert_eq!(bytes, 64 * 2 * 2);
    }

    #[test]
    fn a_size_past_the_address_space_is_out_of_memory() {
        let huge = Format::new(PixelFormat::Yuv444, 16, u32::MAX, u32::MAX).unwrap();
        assert_eq!(huge.layout(), Err(Error::OutOfMemory));
    }
}

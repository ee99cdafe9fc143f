// SPDX-License-Identifier: BSD-2-Clause-Patent
//! `picture.h`.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr::{NonNull, null_mut};

use libc::ptrdiff_t;

use super::{PixelFormatArgument, exclusive, export, present};
use crate::error::{Error, Result};
use crate::log;
use crate::picture::{Block, Format, Picture, PixelFormat};

/// Chroma subsampling of a picture.
#[repr(C)]
#[allow(non_camel_case_types)]
pub enum VmafPixelFormat {
    /// Not a format.
    VMAF_PIX_FMT_UNKNOWN = 0,
    /// 4:2:0, chroma sizes rounded up.
    VMAF_PIX_FMT_YUV420P = 1,
    /// 4:2:2, chroma width rounded up.
    VMAF_PIX_FMT_YUV422P = 2,
    /// 4:4:4.
    VMAF_PIX_FMT_YUV444P = 3,
    /// 4:0:0, luma only.
    VMAF_PIX_FMT_YUV400P = 4,
}

/// The reference count of a picture.
pub struct VmafRef {
    _block: Block,
}

/// A picture. Copies of the structure share one reference count.
#[repr(C)]
pub struct VmafPicture {
    /// Chroma subsampling.
    pub pix_fmt: PixelFormatArgument,
    /// Bits per component, 8 to 16; above 8 a sample is a little-endian 16-bit word, value in the low bits.
    pub bpc: c_uint,
    /// Width of each plane in samples.
    pub w: [c_uint; 3],
    /// Height of each plane in rows.
    pub h: [c_uint; 3],
    /// Bytes from one row of each plane to the next.
    pub stride: [ptrdiff_t; 3],
    /// First sample of each plane.
    pub data: [*mut c_void; 3],
    /// Reference count; NULL in an empty structure.
    pub r#ref: *mut VmafRef,
    /// The library's own.
    pub r#priv: *mut c_void,
}

/// An empty structure, as the library leaves it when it has taken the picture.
const EMPTY: VmafPicture = VmafPicture {
    pix_fmt: 0,
    bpc: 0,
    w: [0; 3],
    h: [0; 3],
    stride: [0; 3],
    data: [null_mut(); 3],
    r#ref: null_mut(),
    r#priv: null_mut(),
};

impl VmafPicture {
    /// Hands a picture with its count over to C.
    pub(super) fn give(picture: Picture) -> Self {
        let mut given = Self::describe(&picture);
        let block = picture.into_raw().as_ptr();
        given.r#ref = block.cast();
        given.r#priv = block.cast();
        given
    }

    fn describe(picture: &Picture) -> Self {
        let Format { pixel, bpc, .. } = picture.format();
        let plane = [0, 1, 2].map(|index| picture.layout(index));
        Self {
            pix_fmt: pixel as u32,
            bpc,
            w: plane.map(|plane| plane.width as c_uint),
            h: plane.map(|plane| plane.height as c_uint),
            stride: plane.map(|plane| plane.stride as ptrdiff_t),
            data: [0, 1, 2].map(|index| picture.data(index).cast()),
            ..EMPTY
        }
    }

    fn same_planes(&self, other: &Self) -> bool {
        (self.pix_fmt, self.bpc, self.w, self.h) == (other.pix_fmt, other.bpc, other.w, other.h)
            && (self.stride, self.data) == (other.stride, other.data)
    }

    /// Another handle of the picture; the structure keeps its count.
    ///
    /// # Safety
    /// `ref` is NULL or this library's, and its count lives.
    pub(super) unsafe fn share(&self) -> Result<Picture> {
        let block = NonNull::new(self.r#ref.cast::<Block>()).filter(|_| self.r#priv == self.r#ref.cast());
        let block = block.ok_or_else(|| Error::invalid("a picture is not from this library's allocators"))?;
        // SAFETY: the structure owns a count of the block, which `into_raw` leaves with it again.
        let owned = unsafe { Picture::from_raw(block) };
        let handle = owned.clone();
        owned.into_raw();
        if !self.same_planes(&Self::describe(&handle)) {
            return Err(Error::invalid("a picture's structure was changed since it was allocated"));
        }
        Ok(handle)
    }

    /// Gives the structure's count up and empties the structure.
    ///
    /// # Safety
    /// As for [`Self::share`]; the structure owns its count.
    pub(super) unsafe fn release(&mut self) -> Result<()> {
        let Some(block) = NonNull::new(self.r#ref.cast::<Block>()) else {
            // Clients unref every pair that was read, as a matter of course: no line for each.
            log::debug!("the picture is empty");
            return Err(Error::logged());
        };
        *self = EMPTY;
        // SAFETY: the count was the structure's, and no structure holds it any more.
        drop(unsafe { Picture::from_raw(block) });
        Ok(())
    }
}

/// Checks a caller's format.
pub(super) fn format(pix_fmt: c_uint, bpc: c_uint, width: c_uint, height: c_uint) -> Result<Format> {
    let pixel = PixelFormat::from_number(pix_fmt);
    let pixel = pixel.ok_or_else(|| Error::invalid(format!("{pix_fmt} is no pixel format")))?;
    Format::new(pixel, bpc, width, height)
}

/// Allocates a picture, all samples zero.
///
/// Planes follow each other in one block; a row takes the next multiple of 32 samples. The caller owns the
/// picture until `vmaf_read_pictures` takes it or `vmaf_picture_unref` gives it up.
///
/// Returns 0; -EINVAL for a NULL `pic`, an unknown format or a depth outside 8 to 16; -ENOMEM.
///
/// # Safety
/// `pic` is NULL or points to a structure, whose content is overwritten.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vmaf_picture_alloc(
    pic: *mut VmafPicture,
    pix_fmt: PixelFormatArgument,
    bpc: c_uint,
    w: c_uint,
    h: c_uint,
) -> c_int {
    export!(vmaf_picture_alloc, {
        let pic = present(pic, "pic")?;
        let picture = Picture::new(format(pix_fmt, bpc, w, h)?)?;
        // SAFETY: by contract `pic` points to a structure, which may be uninitialised.
        unsafe { pic.write(VmafPicture::give(picture)) };
        Ok(())
    })
}

/// Gives one count of a picture up and empties the structure.
///
/// Returns 0; -EINVAL for NULL and for an empty structure, such as one that `vmaf_read_pictures` took.
///
/// # Safety
/// `pic` is NULL, empty, or a picture of this library whose count the caller owns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vmaf_picture_unref(pic: *mut VmafPicture) -> c_int {
    export!(vmaf_picture_unref, {
        // SAFETY: the function's contract.
        unsafe { exclusive(pic, "pic")?.release() }
    })
}

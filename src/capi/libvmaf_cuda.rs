// SPDX-License-Identifier: BSD-2-Clause-Patent
//! `libvmaf_cuda.h`. CUDA is not built in this version: no state can be made, and so nothing on a device.

use std::ffi::{c_int, c_void};

use super::libvmaf::{VmafContext, VmafPictureParameters};
use super::picture::{VmafPicture, format};
use super::{PreallocationMethodField, clear, export, present, shared};
use crate::error::Error;

/// Where preallocated pictures lie.
#[repr(C)]
#[allow(non_camel_case_types)]
pub enum VmafCudaPicturePreallocationMethod {
    /// There are none.
    VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_NONE = 0,
    /// In device memory.
    VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_DEVICE = 1,
    /// In host memory.
    VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST = 2,
    /// In page-locked host memory.
    VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST_PINNED = 3,
}

/// A CUDA device in use.
pub struct VmafCudaState {
    _none_yet: (),
}

/// Which device to use.
#[repr(C)]
pub struct VmafCudaConfiguration {
    /// A `CUcontext`, or NULL for the first device's primary context.
    pub cu_ctx: *mut c_void,
}

/// Preallocated pictures.
#[repr(C)]
pub struct VmafCudaPictureConfiguration {
    /// What they are.
    pub pic_params: VmafPictureParameters,
    /// Where they lie.
    pub pic_prealloc_method: PreallocationMethodField,
}

fn not_built() -> Error {
    Error::NotBuilt("CUDA is not built in this version".into())
}

/// Opens a device.
///
/// Returns 0; -EINVAL for NULL; -ENOSYS while CUDA is not built, with `*cu_state` NULL.
///
/// # Safety
/// `cu_state` is NULL or points to a pointer; `cfg.cu_ctx` is NULL or a `CUcontext`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vmaf_cuda_state_init(
    cu_state: *mut *mut VmafCudaState,
    cfg: VmafCudaConfiguration,
) -> c_int {
    export!(vmaf_cuda_state_init, {
        let VmafCudaConfiguration { cu_ctx: _not_used_yet } = cfg;
        // SAFETY: the function's contract.
        unsafe { clear(cu_state, "cu_state")? };
        Err(not_built())
    })
}

/// Lets a context use a device.
///
/// Returns 0; -EINVAL for a NULL argument; -ENOSYS while CUDA is not built.
///
/// # Safety
/// `vmaf` is NULL or a context, `cu_state` NULL or a state.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vmaf_cuda_import_state(
    vmaf: *mut VmafContext,
    cu_state: *mut VmafCudaState,
) -> c_int {
    export!(vmaf_cuda_import_state, {
        // SAFETY: the function's contract.
        unsafe { (shared(vmaf, "vmaf")?, shared(cu_state, "cu_state")?) };
        Err(not_built())
    })
}

/// Frees the structure that `vmaf_cuda_state_init` made; NULL is allowed.
///
/// # Safety
/// `cu_state` is NULL or a state that the caller owns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vmaf_cuda_state_free(cu_state: *mut VmafCudaState) -> c_int {
    export!(vmaf_cuda_state_free, {
        match cu_state.is_null() {
            true => Ok(()),
            false => Err(not_built()),
        }
    })
}

/// Prepares pictures for `vmaf_cuda_fetch_preallocated_picture`.
///
/// Returns 0; -EINVAL for a NULL `vmaf`, an unknown method, an empty size, a bad format or depth; -ENOSYS
/// while CUDA is not built, unless the method is NONE.
///
/// # Safety
/// `vmaf` is NULL or a context.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vmaf_cuda_preallocate_pictures(
    vmaf: *mut VmafContext,
    cfg: VmafCudaPictureConfiguration,
) -> c_int {
    export!(vmaf_cuda_preallocate_pictures, {
        // SAFETY: the function's contract.
        unsafe { shared(vmaf, "vmaf")? };
        let VmafPictureParameters { w, h, bpc, pix_fmt } = cfg.pic_params;
        match cfg.pic_prealloc_method {
            0 => Ok(()),
            1..=3 if w == 0 || h == 0 => Err(Error::invalid("the pictures are empty")),
            1..=3 => format(pix_fmt, bpc, w, h).and(Err(not_built())),
            method => Err(Error::invalid(format!("{method} is no preallocation method"))),
        }
    })
}

/// A preallocated picture.
///
/// Returns 0; -EINVAL for a NULL argument and where none were preallocated, as always while CUDA is not built.
///
/// # Safety
/// `vmaf` is NULL or a context, `pic` NULL or points to a structure.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vmaf_cuda_fetch_preallocated_picture(
    vmaf: *mut VmafContext,
    pic: *mut VmafPicture,
) -> c_int {
    export!(vmaf_cuda_fetch_preallocated_picture, {
        // SAFETY: the function's contract.
        unsafe { (shared(vmaf, "vmaf")?, present(pic, "pic")?) };
        Err(Error::invalid("no pictures were preallocated"))
    })
}

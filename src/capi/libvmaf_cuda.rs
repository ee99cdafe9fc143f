// SPDX-License-Identifier: BSD-2-Clause-Patent
//! `libvmaf_cuda.h`: devices, and pictures in their memory.

use std::ffi::{c_int, c_void};
use std::ptr::NonNull;

use super::libvmaf::{VmafContext, VmafPictureParameters};
use super::picture::{VmafPicture, format};
use super::{PreallocationMethodField, clear, exclusive, export, present, shared};
use crate::error::Error;
use crate::gpu::{Callers, State};

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
    state: State,
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

/// Opens a device: that of `cfg.cu_ctx`, which stays the caller's and must outlive every context that uses it, or
/// without one the first device (`VMAF_RS_CUDA_DEVICE` numbers another).
///
/// The caller frees the state with `vmaf_cuda_state_free`, at any time: contexts keep what they need of it.
///
/// Returns 0; -EINVAL for NULL and where there is no driver, too old a driver, or no device that could be used, with
/// a line that says so; -EIO for what the driver says. On failure `*cu_state` is NULL.
///
/// # Safety
/// `cu_state` is NULL or points to a pointer; `cfg.cu_ctx` is NULL or a `CUcontext`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vmaf_cuda_state_init(
    cu_state: *mut *mut VmafCudaState,
    cfg: VmafCudaConfiguration,
) -> c_int {
    export!(vmaf_cuda_state_init, {
        // SAFETY: the function's contract.
        unsafe { clear(cu_state, "cu_state")? };
        // SAFETY: the function's contract.
        let callers = NonNull::new(cfg.cu_ctx).map(|context| unsafe { Callers::new(context) });
        let state = Box::new(VmafCudaState { state: State::new(callers)? });
        // SAFETY: by contract `cu_state`, which is not NULL, points to a pointer.
        unsafe { cu_state.write(Box::into_raw(state)) };
        Ok(())
    })
}

/// Lets a context use a device, if it has none yet. Extractors with a twin that its models ask for from now on run
/// there, unless `gpumask` was set.
///
/// Returns 0; -EINVAL for a NULL argument and where the context has a device already.
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
        let (vmaf, cu_state) = unsafe { (exclusive(vmaf, "vmaf")?, shared(cu_state, "cu_state")?) };
        vmaf.context.import_device(|| cu_state.state.give())
    })
}

/// Frees the structure that `vmaf_cuda_state_init` made; NULL is allowed.
///
/// # Safety
/// `cu_state` is NULL or a state that the caller owns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vmaf_cuda_state_free(cu_state: *mut VmafCudaState) -> c_int {
    export!(vmaf_cuda_state_free, {
        if !cu_state.is_null() {
            // SAFETY: by contract the state came from `vmaf_cuda_state_init` and is given up.
            drop(unsafe { Box::from_raw(cu_state) });
        }
        Ok(())
    })
}

/// Prepares pictures for `vmaf_cuda_fetch_preallocated_picture`: none, in device memory, or in host memory, which
/// is page-locked for both methods that ask for it.
///
/// Without an imported state the context opens a device.
///
/// Returns 0; -EINVAL for a NULL `vmaf`, an unknown method, an empty size, a bad format or depth, and where no device
/// can be used; -EIO for what the driver says.
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
        let context = unsafe { &mut exclusive(vmaf, "vmaf")?.context };
        let VmafPictureParameters { w, h, bpc, pix_fmt } = cfg.pic_params;
        match cfg.pic_prealloc_method {
            0 => {
                context.forget_cuda_pictures();
                Ok(())
            }
            1..=3 if w == 0 || h == 0 => Err(Error::invalid("the pictures are empty")),
            method @ 1..=3 => context.preallocate_cuda_pictures(format(pix_fmt, bpc, w, h)?, method == 1),
            method => Err(Error::invalid(format!("{method} is no preallocation method"))),
        }
    })
}

/// A preallocated picture with what was last in it: zeros at first. Waits while all device pictures are in use.
///
/// A device picture's planes are addresses in device memory. What the caller put on the context's legacy default
/// stream before `vmaf_read_pictures` is waited for there; copies on other streams must have ended by then.
///
/// Returns 0; -EINVAL for a NULL argument and where none were preallocated; -ENOMEM; -EIO for what the driver says.
///
/// # Safety
/// `vmaf` is NULL or a context, `pic` NULL or points to a structure, whose content is overwritten.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vmaf_cuda_fetch_preallocated_picture(
    vmaf: *mut VmafContext,
    pic: *mut VmafPicture,
) -> c_int {
    export!(vmaf_cuda_fetch_preallocated_picture, {
        // SAFETY: the function's contract.
        let (vmaf, pic) = unsafe { (shared(vmaf, "vmaf")?, present(pic, "pic")?) };
        let picture = vmaf.context.fetch_cuda_picture()?;
        // SAFETY: by contract `pic` points to a structure, which may be uninitialised.
        unsafe { pic.write(VmafPicture::give(picture)) };
        Ok(())
    })
}

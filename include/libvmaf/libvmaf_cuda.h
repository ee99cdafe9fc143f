/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Made by cbindgen from src/capi/; see tests/headers.rs. */

#ifndef __VMAF_CUDA_H__
#define __VMAF_CUDA_H__

#include "libvmaf/libvmaf.h"

/**
 * Where preallocated pictures lie.
 */
typedef enum VmafCudaPicturePreallocationMethod {
    /**
     * There are none.
     */
    VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_NONE = 0,
    /**
     * In device memory.
     */
    VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_DEVICE = 1,
    /**
     * In host memory.
     */
    VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST = 2,
    /**
     * In page-locked host memory.
     */
    VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST_PINNED = 3,
} VmafCudaPicturePreallocationMethod;

/**
 * A CUDA device in use.
 */
typedef struct VmafCudaState VmafCudaState;

/**
 * Which device to use.
 */
typedef struct VmafCudaConfiguration {
    /**
     * A `CUcontext`, or NULL for the first device's primary context.
     */
    void *cu_ctx;
} VmafCudaConfiguration;

/**
 * Preallocated pictures.
 */
typedef struct VmafCudaPictureConfiguration {
    /**
     * What they are.
     */
    VmafPictureParameters pic_params;
    /**
     * Where they lie.
     */
    enum VmafCudaPicturePreallocationMethod pic_prealloc_method;
} VmafCudaPictureConfiguration;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Opens a device: that of `cfg.cu_ctx`, which stays the caller's and must outlive every context that uses it, or
 * without one the first device (`VMAF_RS_CUDA_DEVICE` numbers another).
 *
 * The caller frees the state with `vmaf_cuda_state_free`, at any time: contexts keep what they need of it.
 *
 * Returns 0; -EINVAL for NULL and where there is no driver, too old a driver, or no device that could be used, with
 * a line that says so; -EIO for what the driver says. On failure `*cu_state` is NULL.
 *
 * # Safety
 * `cu_state` is NULL or points to a pointer; `cfg.cu_ctx` is NULL or a `CUcontext`.
 */
int vmaf_cuda_state_init(struct VmafCudaState **cu_state,
                         struct VmafCudaConfiguration cfg);

/**
 * Lets a context use a device, if it has none yet. Extractors with a twin that its models ask for from now on run
 * there, unless `gpumask` was set.
 *
 * Returns 0; -EINVAL for a NULL argument and where the context has a device already.
 *
 * # Safety
 * `vmaf` is NULL or a context, `cu_state` NULL or a state.
 */
int vmaf_cuda_import_state(VmafContext *vmaf,
                           struct VmafCudaState *cu_state);

/**
 * Frees the structure that `vmaf_cuda_state_init` made; NULL is allowed.
 *
 * # Safety
 * `cu_state` is NULL or a state that the caller owns.
 */
int vmaf_cuda_state_free(struct VmafCudaState *cu_state);

/**
 * Prepares pictures for `vmaf_cuda_fetch_preallocated_picture`: none, in device memory, or in host memory, which
 * is page-locked for both methods that ask for it.
 *
 * Without an imported state the context opens a device.
 *
 * Returns 0; -EINVAL for a NULL `vmaf`, an unknown method, an empty size, a bad format or depth, and where no device
 * can be used; -EIO for what the driver says.
 *
 * # Safety
 * `vmaf` is NULL or a context.
 */
int vmaf_cuda_preallocate_pictures(VmafContext *vmaf,
                                   struct VmafCudaPictureConfiguration cfg);

/**
 * A preallocated picture with what was last in it: zeros at first. Waits while all device pictures are in use.
 *
 * A device picture's planes are addresses in device memory. What the caller put on the context's legacy default
 * stream before `vmaf_read_pictures` is waited for there; copies on other streams must have ended by then.
 *
 * Returns 0; -EINVAL for a NULL argument and where none were preallocated; -ENOMEM; -EIO for what the driver says.
 *
 * # Safety
 * `vmaf` is NULL or a context, `pic` NULL or points to a structure, whose content is overwritten.
 */
int vmaf_cuda_fetch_preallocated_picture(VmafContext *vmaf,
                                         VmafPicture *pic);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* __VMAF_CUDA_H__ */

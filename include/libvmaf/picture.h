/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Made by cbindgen from src/capi/; see tests/headers.rs. */

#ifndef __VMAF_PICTURE_H__
#define __VMAF_PICTURE_H__

#include <stddef.h>
#include <stdint.h>

/**
 * Chroma subsampling of a picture.
 */
typedef enum VmafPixelFormat {
    /**
     * Not a format.
     */
    VMAF_PIX_FMT_UNKNOWN = 0,
    /**
     * 4:2:0, chroma sizes rounded up.
     */
    VMAF_PIX_FMT_YUV420P = 1,
    /**
     * 4:2:2, chroma width rounded up.
     */
    VMAF_PIX_FMT_YUV422P = 2,
    /**
     * 4:4:4.
     */
    VMAF_PIX_FMT_YUV444P = 3,
    /**
     * 4:0:0, luma only.
     */
    VMAF_PIX_FMT_YUV400P = 4,
} VmafPixelFormat;

/**
 * The reference count of a picture.
 */
typedef struct VmafRef VmafRef;

/**
 * A picture. Copies of the structure share one reference count.
 */
typedef struct VmafPicture {
    /**
     * Chroma subsampling.
     */
    enum VmafPixelFormat pix_fmt;
    /**
     * Bits per component, 8 to 16; above 8 a sample is a little-endian 16-bit word, value in the low bits.
     */
    unsigned int bpc;
    /**
     * Width of each plane in samples.
     */
    unsigned int w[3];
    /**
     * Height of each plane in rows.
     */
    unsigned int h[3];
    /**
     * Bytes from one row of each plane to the next.
     */
    ptrdiff_t stride[3];
    /**
     * First sample of each plane.
     */
    void *data[3];
    /**
     * Reference count; NULL in an empty structure.
     */
    struct VmafRef *ref;
    /**
     * The library's own.
     */
    void *priv;
} VmafPicture;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Allocates a picture, all samples zero.
 *
 * Planes follow each other in one block; a row takes the next multiple of 32 samples. The caller owns the
 * picture until `vmaf_read_pictures` takes it or `vmaf_picture_unref` gives it up.
 *
 * Returns 0; -EINVAL for a NULL `pic`, an unknown format or a depth outside 8 to 16; -ENOMEM.
 *
 * # Safety
 * `pic` is NULL or points to a structure, whose content is overwritten.
 */
int vmaf_picture_alloc(struct VmafPicture *pic,
                       enum VmafPixelFormat pix_fmt,
                       unsigned int bpc,
                       unsigned int w,
                       unsigned int h);

/**
 * Gives one count of a picture up and empties the structure.
 *
 * Returns 0; -EINVAL for NULL and for an empty structure, such as one that `vmaf_read_pictures` took.
 *
 * # Safety
 * `pic` is NULL, empty, or a picture of this library whose count the caller owns.
 */
int vmaf_picture_unref(struct VmafPicture *pic);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* __VMAF_PICTURE_H__ */

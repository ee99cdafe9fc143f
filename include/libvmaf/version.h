/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Made by cbindgen from src/capi/; see tests/headers.rs. */

#ifndef VMAF_VERSION_H
#define VMAF_VERSION_H

/**
 * Major version of the interface; a higher one breaks callers.
 */
#define VMAF_API_VERSION_MAJOR 3

/**
 * Minor version of the interface; a higher one adds to it.
 */
#define VMAF_API_VERSION_MINOR 2

/**
 * Patch version of the interface.
 */
#define VMAF_API_VERSION_PATCH 0

#endif  /* VMAF_VERSION_H */

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! `version.h`.

/// Major version of the interface; a higher one breaks callers.
pub const VMAF_API_VERSION_MAJOR: u32 = 3;
/// Minor version of the interface; a higher one adds to it.
pub const VMAF_API_VERSION_MINOR: u32 = 2;
/// Patch version of the interface.
pub const VMAF_API_VERSION_PATCH: u32 = 0;

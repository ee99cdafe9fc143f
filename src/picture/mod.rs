// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Pictures: formats, memory with reference counts, pools, and views of planes.

mod format;
mod plane;

pub use format::{Format, PixelFormat, PlaneLayout};
pub use plane::{Plane, Samples};

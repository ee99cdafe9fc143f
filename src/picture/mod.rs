// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Pictures: formats, memory with reference counts, pools, and views of planes.

#[cfg(target_endian = "big")]
compile_error!("samples above 8 bits are little-endian words, read in place");

mod block;
mod format;
mod memory;
mod plane;
mod pool;
mod spare;
mod storage;

pub use block::{Block, Picture};
pub use format::{Format, PixelFormat, PlaneLayout};
pub use plane::{Plane, Samples};
pub use pool::Pool;
pub(crate) use spare::{Keeper, PinnedPictures};
pub use storage::{Place, Storage};

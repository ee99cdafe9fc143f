// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The arithmetic, plain and in the order of the description.
//!
//! Functions are always inlined where fast paths have the compiler make vector code of them.
#![forbid(unsafe_code)]

pub mod count;
pub mod filter;
pub mod mark;

pub use mark::Sample;

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Devices, and frames on their way through them.
//!
//! [`Device`] has two makers with one interface: the CUDA driver, looked for at run time, and the emulator, which
//! runs the same kernels on the host for tests. An [`Engine`] is what a context does with a device.

pub mod backend;
mod batches;
mod device;
#[cfg(feature = "cuda")]
mod driver;
#[cfg(feature = "cuda-emulator")]
pub mod emulator;
mod engine;
pub mod image;
mod ordered;
mod pass;
mod residents;
mod slot;
mod source;
mod state;
#[cfg(feature = "cuda-emulator")]
pub mod testing;
mod words;

use std::ffi::c_void;
use std::ptr::NonNull;

pub use backend::{DeviceAddress, Geometry};
pub use device::{Buffer, Device, Event, Kernel, Module, Parameters, Pinned, Stream, WeakDevice};
pub use engine::{BATCH, Engine, Results, Work, slots};
pub use ordered::{OrderedRows, OrderedSum};
pub use pass::{Pass, PlaneView};
pub use source::{Preference, Source};
pub use state::State;

use crate::error::{Error, Result};

/// A context of the caller's, see [`Callers::new`].
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "cuda"), expect(dead_code, reason = "only the driver has contexts"))]
pub struct Callers(NonNull<c_void>);

// SAFETY: a context's address may be passed between threads; the driver's calls are made for that.
unsafe impl Send for Callers {}
// SAFETY: as above.
unsafe impl Sync for Callers {}

impl Callers {
    /// # Safety
    /// `context` is a `CUcontext` that outlives every device opened with it.
    pub unsafe fn new(context: NonNull<c_void>) -> Self {
        Self(context)
    }
}

/// Who makes devices.
enum Maker {
    #[cfg(feature = "cuda")]
    Driver,
    #[cfg(feature = "cuda-emulator")]
    Emulator,
}

/// The driver, or in a build for tests the emulator, unless `VMAF_RS_GPU` names the other.
fn maker() -> Result<Maker> {
    let usual = if cfg!(feature = "cuda-emulator") { "emulator" } else { "driver" };
    let name = std::env::var("VMAF_RS_GPU").unwrap_or_else(|_| usual.into());
    match name.as_str() {
        #[cfg(feature = "cuda")]
        "driver" => Ok(Maker::Driver),
        #[cfg(feature = "cuda-emulator")]
        "emulator" => Ok(Maker::Emulator),
        _ => Err(Error::invalid(format!("this build has no GPU by the name of \"{name}\""))),
    }
}

/// Whether a device could be opened, as far as that can be told without opening one.
pub fn probe() -> Result<()> {
    match maker()? {
        #[cfg(feature = "cuda")]
        Maker::Driver => driver::probe(ordinal()?),
        #[cfg(feature = "cuda-emulator")]
        Maker::Emulator => Ok(()),
    }
}

/// Opens a device: that of the caller's context, or the one that `VMAF_RS_CUDA_DEVICE` numbers, 0 by default.
pub fn open(callers: Option<Callers>) -> Result<Device> {
    match (maker()?, callers) {
        #[cfg(feature = "cuda")]
        (Maker::Driver, None) => Ok(Device::new(driver::Driver::open(ordinal()?)?)),
        #[cfg(feature = "cuda")]
        (Maker::Driver, Some(callers)) => Ok(Device::new(driver::Driver::within(callers.0)?)),
        #[cfg(feature = "cuda-emulator")]
        (Maker::Emulator, _) => Ok(Device::new(emulator::Emulator::open()?)),
    }
}

#[cfg(feature = "cuda")]
fn ordinal() -> Result<usize> {
    match std::env::var("VMAF_RS_CUDA_DEVICE") {
        Err(_) => Ok(0),
        Ok(text) => {
            let refused = |_| Error::invalid(format!("VMAF_RS_CUDA_DEVICE=\"{text}\" is no device number"));
            text.parse().map_err(refused)
        }
    }
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! A device that a caller opens before it gives it to contexts.
#![forbid(unsafe_code)]

use parking_lot::Mutex;

use super::{Callers, Device, WeakDevice, open};
use crate::error::Result;

/// The device until the first context takes it over; from then on it lives as long as contexts use it, since
/// callers do not always free what they gave.
enum Holder {
    Owned(Device),
    GivenAway(WeakDevice),
}

/// An opened device, to be given to one or more contexts.
pub struct State {
    callers: Option<Callers>,
    holder: Mutex<Holder>,
}

impl State {
    /// Opens a device, see [`open`].
    pub fn new(callers: Option<Callers>) -> Result<Self> {
        let device = open(callers)?;
        Ok(Self { callers, holder: Mutex::new(Holder::Owned(device)) })
    }

    /// The device, for a context; opened again where the contexts that had it are gone.
    pub fn give(&self) -> Result<Device> {
        let mut holder = self.holder.lock();
        let device = match &*holder {
            Holder::Owned(device) => device.clone(),
            Holder::GivenAway(device) => device.upgrade().map_or_else(|| open(self.callers), Ok)?,
        };
        *holder = Holder::GivenAway(device.downgrade());
        Ok(device)
    }
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Pictures in device memory: the caller's own where they are, and copies of host pictures, each made once for all
//! twins and for the frames that look back at it.

use std::sync::Arc;

use parking_lot::Mutex;

use super::backend::{DeviceAddress, Extent, Rows};
use super::device::{Buffer, Device, Stream};
use crate::error::{Error, Result};
use crate::picture::Picture;

/// Copies that no frame uses any more.
type Spares = Arc<Mutex<Vec<Buffer>>>;

/// A picture that kernels can read, as long as this lives.
pub struct Resident {
    picture: Picture,
    copy: Option<Buffer>,
    planes: usize,
    spares: Spares,
}

impl Resident {
    /// The picture, for the layout of its planes: the same on both sides.
    pub fn picture(&self) -> &Picture {
        &self.picture
    }

    /// How many of its planes are there.
    pub fn planes(&self) -> usize {
        self.planes
    }

    /// Where it begins in device memory.
    pub fn start(&self) -> DeviceAddress {
        self.copy.as_ref().map_or_else(|| self.picture.device_address(), Buffer::address)
    }

    fn serves(&self, picture: &Picture, planes: usize) -> bool {
        self.picture.same_block(picture) && self.planes >= planes
    }
}

impl Drop for Resident {
    fn drop(&mut self) {
        self.spares.lock().extend(self.copy.take());
    }
}

/// What is on the device and may be asked for again.
#[derive(Default)]
pub struct Residents {
    remembered: Vec<Arc<Resident>>,
    spares: Spares,
}

impl Residents {
    /// The first `planes` planes of a picture, put on the device by `copies` unless they are there.
    pub fn find(
        &mut self,
        device: &Device,
        copies: &Stream,
        picture: &Picture,
        planes: usize,
    ) -> Result<Arc<Resident>> {
        if let Some(resident) = self.remembered.iter().find(|resident| resident.serves(picture, planes)) {
            return Ok(resident.clone());
        }
        let copy = match picture.device() {
            Some(other) if other.is(device) => None,
            Some(_) => return Err(Error::invalid("the picture lies on another device")),
            None if planes == 0 => None,
            None => Some(self.upload(device, copies, picture, planes)?),
        };
        Ok(Arc::new(Resident { picture: picture.clone(), copy, planes, spares: self.spares.clone() }))
    }

    /// Keeps a reference for the `frames` frames after it.
    pub fn remember(&mut self, reference: &Arc<Resident>, frames: usize) {
        self.remembered.insert(0, reference.clone());
        self.remembered.truncate(frames);
    }

    /// Keeps none any more.
    pub fn forget(&mut self) {
        self.remembered.clear();
    }

    /// Planes lie on the device as they do on the host, so that a picture is one run of bytes.
    fn upload(&self, device: &Device, copies: &Stream, picture: &Picture, planes: usize) -> Result<Buffer> {
        let bytes = picture.bytes(planes);
        let copy = match self.spare(bytes) {
            Some(copy) => copy,
            None => device.buffer(bytes)?,
        };
        let from = Rows { start: picture.data(0).cast_const(), pitch: bytes };
        let to = Rows { start: copy.address(), pitch: bytes };
        // SAFETY: the planes are one block of memory; the resident keeps the picture until the frame's results were
        // read, or the engine has been waited for.
        unsafe { copies.upload(from, to, Extent { bytes, rows: 1 })? };
        Ok(copy)
    }

    fn spare(&self, bytes: usize) -> Option<Buffer> {
        let mut spares = self.spares.lock();
        let place = spares.iter().position(|spare| spare.bytes() == bytes)?;
        Some(spares.swap_remove(place))
    }
}

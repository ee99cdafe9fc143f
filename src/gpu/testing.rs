// SPDX-License-Identifier: BSD-2-Clause-Patent
//! What tests need besides: the copies that a caller of the C interface makes itself.

use super::backend::{Extent, Rows};
use super::{Device, DeviceAddress};
use crate::error::Result;
use crate::picture::{Picture, Place};

/// Fills a device picture with the samples of a host picture, on the legacy stream and without waiting for it, as
/// callers do.
///
/// # Panics
/// If the formats differ or the pictures are not where they should be.
pub fn copy_to_device(device: &Device, from: &Picture, to: &Picture) -> Result<()> {
    assert_eq!((from.format(), from.place(), to.place()), (to.format(), Place::Host, Place::Device));
    let stream = device.legacy_stream();
    for plane in 0..from.format().pixel.planes() {
        let (source, target) = (from.layout(plane), to.layout(plane));
        let extent = Extent { bytes: source.width * from.format().sample_bytes(), rows: source.height };
        let rows = Rows { start: from.data(plane).cast_const(), pitch: source.stride };
        let address = Rows { start: DeviceAddress(to.data(plane) as u64), pitch: target.stride };
        // SAFETY: the rows belong to `from`, which tests keep until the context was flushed.
        unsafe { stream.upload(rows, address, extent)? };
    }
    Ok(())
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! What a twin sees of a frame, and how it puts its kernels on the device.
#![forbid(unsafe_code)]

use super::backend::{DeviceAddress, Geometry};
use super::device::{Kernel, Parameters, Stream};
use super::engine::{Engine, Results, Work};
use super::residents::Resident;
use crate::error::{Error, Result};

/// A plane as kernels see it, `struct Plane` of kernels/common/plane.cuh.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct PlaneView {
    start: DeviceAddress,
    pitch: u32,
    width: u32,
    height: u32,
    unused: u32,
}

const _: () = assert!(size_of::<PlaneView>() == 24);

impl PlaneView {
    /// Plane `index` of a picture; empty if it is not among those that were asked for.
    fn new(resident: &Resident, index: usize) -> Result<Self> {
        if index >= resident.planes() {
            return Ok(Self::default());
        }
        let layout = resident.picture().layout(index);
        let narrow = |number: usize| {
            u32::try_from(number).map_err(|_| Error::invalid("the picture is too large for a device"))
        };
        Ok(Self {
            start: resident.start().offset(layout.offset),
            pitch: narrow(layout.stride)?,
            width: narrow(layout.width)?,
            height: narrow(layout.height)?,
            unused: 0,
        })
    }

    /// Rows of `width` samples, `pitch` bytes from one to the next, in memory of a twin's own. Both start and pitch are
    /// multiples of 16.
    pub fn in_memory(start: DeviceAddress, pitch: u32, width: u32, height: u32) -> Self {
        Self { start, pitch, width, height, unused: 0 }
    }

    /// Width in samples.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Height in rows.
    pub fn height(&self) -> u32 {
        self.height
    }
}

/// The planes of one picture.
pub type Planes = [PlaneView; 3];

/// The planes of a picture that is on the device.
pub fn planes_of(resident: &Resident) -> Result<Planes> {
    let plane = |index| PlaneView::new(resident, index);
    Ok([plane(0)?, plane(1)?, plane(2)?])
}

/// The pictures of a frame, and those that it looks back at.
#[derive(Clone, Copy, Default)]
pub struct Views {
    /// The caller's index of the frame.
    pub index: u32,
    /// The reference picture.
    pub reference: Planes,
    /// The distorted picture.
    pub distorted: Planes,
    /// The reference pictures of the frames before, the latest first.
    pub previous: [Option<Planes>; 2],
    /// The distorted picture of the frame before.
    pub previous_distorted: Option<Planes>,
}

/// One frame on its way to the device: what a twin puts its kernels on. It has no way to wait.
///
/// The passes of a batch are on one stream.
#[derive(Clone, Copy)]
pub struct Pass<'a> {
    engine: &'a Engine,
    stream: &'a Stream,
    views: Views,
    words: DeviceAddress,
    work: DeviceAddress,
}

impl<'a> Pass<'a> {
    /// A frame whose results go to `words`, with work memory of its own.
    pub(super) fn new(
        engine: &'a Engine,
        stream: &'a Stream,
        views: Views,
        words: DeviceAddress,
        work: DeviceAddress,
    ) -> Self {
        Self { engine, stream, views, words, work }
    }

    /// The caller's index of the frame.
    pub fn index(&self) -> u32 {
        self.views.index
    }

    /// Plane `index` of the reference picture.
    pub fn reference(&self, index: usize) -> PlaneView {
        self.views.reference[index]
    }

    /// Plane `index` of the distorted picture.
    pub fn distorted(&self, index: usize) -> PlaneView {
        self.views.distorted[index]
    }

    /// Plane `index` of the reference picture `frames` frames before (1 or 2), if there was one.
    pub fn previous(&self, frames: usize, index: usize) -> Option<PlaneView> {
        self.views.previous[frames - 1].map(|planes| planes[index])
    }

    /// Plane `index` of the distorted picture of the frame before, if there was one.
    pub fn previous_distorted(&self, index: usize) -> Option<PlaneView> {
        self.views.previous_distorted.map(|planes| planes[index])
    }

    /// Where a twin's results go, all zero.
    pub fn results(&self, results: &Results) -> DeviceAddress {
        self.words.offset(results.start() * size_of::<u64>())
    }

    /// A twin's work memory, with anything in it. All twins have the same, one after the other.
    pub fn work(&self, _work: &Work) -> DeviceAddress {
        self.work
    }

    /// How to launch kernels that go through rows, a warp a row, of `layers` planes of `height` rows.
    pub fn rows(&self, height: u32, layers: u32) -> Geometry {
        Geometry::rows(height, layers, self.engine.device().multiprocessors())
    }

    /// Starts a kernel after all that was started before.
    pub fn launch<P: Parameters>(
        &self,
        kernel: &Kernel<P>,
        geometry: Geometry,
        parameters: &P,
    ) -> Result<()> {
        self.stream.launch(kernel, geometry, parameters)
    }

    /// Makes work memory zero, likewise.
    pub fn clear(&self, memory: DeviceAddress, bytes: usize) -> Result<()> {
        self.stream.clear(memory, bytes)
    }
}

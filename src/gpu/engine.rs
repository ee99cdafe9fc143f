// SPDX-License-Identifier: BSD-2-Clause-Patent
//! What a context does with its device: a ring of slots, one a frame in flight.
//!
//! A slot keeps its frame's pictures on the device and owns the results of all twins, until these were read. Two
//! streams: copies to the device go on one while kernels run on the other.

use std::ops::Range;
use std::ptr::NonNull;
use std::sync::Arc;

use parking_lot::Mutex;

use super::backend::{DeviceAddress, Extent, Geometry, Rows};
use super::device::{Buffer, Device, Event, Kernel, Module, Parameters, Pinned, Stream};
use super::image::Image;
use super::residents::{Resident, Residents};
use crate::error::{Error, Result};
use crate::feature::Frame;
use crate::log;
use crate::picture::{Picture, PinnedPictures, Place};

/// Frames in flight at most.
pub const SLOTS: usize = 8;

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

    /// Width in samples.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Height in rows.
    pub fn height(&self) -> u32 {
        self.height
    }
}

/// Where a twin's results lie within a slot's, in words of 64 bits.
#[derive(Clone, Debug)]
pub struct Results(Range<usize>);

/// Both sides of a slot's results.
struct Words {
    on_device: Buffer,
    on_host: Pinned,
}

struct Slot {
    /// The frame's pictures are on the device.
    uploaded: Event,
    /// The frame's results are on the host.
    done: Event,
    in_flight: bool,
    pictures: Vec<Arc<Resident>>,
    words: Option<Words>,
}

/// A device, and the frames in flight on it.
pub struct Engine {
    device: Device,
    kernels: Stream,
    copies: Stream,
    legacy: Stream,
    /// What the caller has put on the legacy stream before a frame.
    callers_work: Event,
    residents: Mutex<Residents>,
    slots: Box<[Mutex<Slot>]>,
    reserved: Mutex<usize>,
    modules: Mutex<Vec<(&'static str, Arc<Module>)>>,
    _pinned: Option<PinnedPictures>,
}

impl Engine {
    /// With `slots` frames in flight at most.
    pub fn new(device: Device, slots: usize) -> Result<Arc<Self>> {
        log::debug!("{}: in use", device.name());
        let slot = |_| {
            let (uploaded, done) = (device.event()?, device.event()?);
            Ok(Mutex::new(Slot { uploaded, done, in_flight: false, pictures: Vec::new(), words: None }))
        };
        Ok(Arc::new(Self {
            kernels: device.stream()?,
            copies: device.stream()?,
            legacy: device.legacy_stream(),
            callers_work: device.event()?,
            residents: Mutex::default(),
            slots: (0..slots).map(slot).collect::<Result<_>>()?,
            reserved: Mutex::new(0),
            modules: Mutex::default(),
            _pinned: device.outlives_callers().then(|| PinnedPictures::of(&device)),
            device,
        }))
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The kernels of a source file, loaded once.
    pub fn module(&self, image: &Image) -> Result<Arc<Module>> {
        let mut modules = self.modules.lock();
        if let Some((_, module)) = modules.iter().find(|(name, _)| *name == image.name) {
            return Ok(module.clone());
        }
        let module = self.device.module(image)?;
        modules.push((image.name, module.clone()));
        Ok(module)
    }

    /// Room for `words` results of each frame. Every frame begins with zeros there.
    pub fn reserve(&self, words: usize) -> Results {
        let mut reserved = self.reserved.lock();
        let start = *reserved;
        *reserved += words;
        Results(start..*reserved)
    }

    /// Begins a frame in a slot that none is in flight in: puts the first `planes` planes of its pictures on the
    /// device, unless they are there. With `looks_back` also those of earlier frames, and later frames find this one's.
    pub fn begin(&self, slot: usize, frame: &Frame, planes: usize, looks_back: bool) -> Result<Pass<'_>> {
        let words = *self.reserved.lock();
        let mut state = self.slots[slot].lock();
        let prepared = self
            .make_room(&mut state, words)
            .and_then(|()| self.views(&mut state, frame, planes, looks_back))
            .and_then(|views| self.clear(&state).map(|()| views));
        let views = match prepared {
            Ok(views) => views,
            Err(error) => {
                self.abandon();
                state.pictures.clear();
                return Err(error);
            }
        };
        state.in_flight = true;
        drop(state);
        Ok(Pass { engine: self, slot, views })
    }

    fn make_room(&self, slot: &mut Slot, words: usize) -> Result<()> {
        let bytes = words * size_of::<u64>();
        if slot.words.as_ref().is_none_or(|words| words.on_device.bytes() < bytes) {
            slot.words =
                Some(Words { on_device: self.device.buffer(bytes)?, on_host: self.device.pinned(bytes)? });
        }
        Ok(())
    }

    fn clear(&self, slot: &Slot) -> Result<()> {
        let clear =
            |Words { on_device, .. }: &Words| self.kernels.clear(on_device.address(), on_device.bytes());
        slot.words.as_ref().map_or(Ok(()), clear)
    }

    /// The planes of all pictures; later kernels find them complete.
    fn views(&self, slot: &mut Slot, frame: &Frame, planes: usize, looks_back: bool) -> Result<Views> {
        let mut residents = self.residents.lock();
        let mut resident = |picture: &Picture| {
            let resident = residents.find(&self.device, &self.copies, picture, planes)?;
            slot.pictures.push(resident.clone());
            Ok(resident)
        };
        let [reference, distorted] = [resident(&frame.reference)?, resident(&frame.distorted)?];
        let mut earlier = |picture: &Option<Picture>| {
            let picture = picture.as_ref().filter(|_| looks_back);
            picture.map(|picture| resident(picture).and_then(|resident| planes_of(&resident))).transpose()
        };
        let previous = [earlier(&frame.previous[0])?, earlier(&frame.previous[1])?];
        let previous_distorted = earlier(&frame.previous_distorted)?;
        let (reference_planes, distorted) = (planes_of(&reference)?, planes_of(&distorted)?);
        if looks_back {
            residents.remember(&reference);
        }
        drop(residents);
        if frame.reference.place() == Place::Device {
            self.after_caller(&self.kernels)?;
        }
        slot.uploaded.record(&self.copies)?;
        self.kernels.wait(&slot.uploaded)?;
        Ok(Views { reference: reference_planes, distorted, previous, previous_distorted })
    }

    /// Lets later work on `stream` wait for what the caller has put on the legacy stream.
    fn after_caller(&self, stream: &Stream) -> Result<()> {
        self.callers_work.record(&self.legacy)?;
        stream.wait(&self.callers_work)
    }

    /// A copy of a device picture on the host.
    pub fn download(&self, picture: &Picture) -> Result<Picture> {
        let copy = Picture::new(picture.format())?;
        self.copy_back(picture, &copy).inspect_err(|_| self.abandon())?;
        Ok(copy)
    }

    fn copy_back(&self, picture: &Picture, copy: &Picture) -> Result<()> {
        self.after_caller(&self.copies)?;
        for plane in 0..picture.format().pixel.planes() {
            let (from, to) = (picture.layout(plane), copy.layout(plane));
            let rows = Rows { start: DeviceAddress(picture.data(plane) as u64), pitch: from.stride };
            let bytes = from.width * picture.format().sample_bytes();
            let target = Rows { start: copy.data(plane), pitch: to.stride };
            // SAFETY: `copy` is new, has rows of this many bytes, and is kept until the wait below, or in case of an
            // error that of `download`.
            unsafe { self.copies.download(rows, target, Extent { bytes, rows: from.height })? };
        }
        self.copies.synchronize()
    }

    /// Whether the results of the frame in `slot` are on the host, or will never be.
    pub fn is_done(&self, slot: usize) -> bool {
        let state = self.slots[slot].lock();
        !state.in_flight || state.done.is_done().unwrap_or(true)
    }

    /// Waits until the results of the frame in `slot` are on the host, if one is in flight there.
    pub fn wait(&self, slot: usize) -> Result<()> {
        let mut state = self.slots[slot].lock();
        if !state.in_flight {
            return Ok(());
        }
        state.in_flight = false;
        let waited = state.done.synchronize().inspect_err(|_| self.abandon());
        state.pictures.clear();
        waited
    }

    /// Hands a twin's results of the frame in `slot` to `read`, once the frame was waited for.
    pub fn results<T>(&self, slot: usize, results: &Results, read: impl FnOnce(&[u64]) -> T) -> Result<T> {
        let state = self.slots[slot].lock();
        let words = state.words.as_ref().filter(|_| !state.in_flight);
        let words = words.ok_or_else(|| Error::Internal("results are read before the frame's end".into()))?;
        let start = words.on_host.start().cast::<u64>();
        // SAFETY: the memory holds all reserved words, and the copy into it was waited for.
        let all =
            unsafe { std::slice::from_raw_parts(start.as_ptr(), words.on_host.bytes() / size_of::<u64>()) };
        Ok(read(&all[results.0.clone()]))
    }

    /// Waits for all frames, so that nothing of theirs is in use any more; their errors are not asked for.
    fn abandon(&self) {
        let _ = self.copies.synchronize();
        let _ = self.kernels.synchronize();
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.abandon();
    }
}

type Planes = [PlaneView; 3];

fn planes_of(resident: &Resident) -> Result<Planes> {
    let plane = |index| PlaneView::new(resident, index);
    Ok([plane(0)?, plane(1)?, plane(2)?])
}

struct Views {
    reference: Planes,
    distorted: Planes,
    previous: [Option<Planes>; 2],
    previous_distorted: Option<Planes>,
}

/// One frame on its way to the device: what a twin puts its kernels on. It has no way to wait.
pub struct Pass<'a> {
    engine: &'a Engine,
    slot: usize,
    views: Views,
}

impl Pass<'_> {
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
        let state = self.engine.slots[self.slot].lock();
        let start = state.words.as_ref().map(|words| words.on_device.address()).unwrap_or_default();
        start.offset(results.0.start * size_of::<u64>())
    }

    /// How to launch kernels that go through rows, a warp a row, of `layers` planes of `height` rows.
    pub fn rows(&self, height: u32, layers: u32) -> Geometry {
        Geometry::rows(height, layers, self.engine.device.multiprocessors())
    }

    /// Starts a kernel after all that was started before.
    pub fn launch<P: Parameters>(
        &self,
        kernel: &Kernel<P>,
        geometry: Geometry,
        parameters: &P,
    ) -> Result<()> {
        self.engine.kernels.launch(kernel, geometry, parameters)
    }

    /// Ends the frame: its results go to the host.
    pub fn end(self) -> Result<()> {
        let ended = self.read_back();
        ended.inspect_err(|_| self.engine.abandon())
    }

    fn read_back(&self) -> Result<()> {
        let Engine { kernels, slots, .. } = self.engine;
        let state = slots[self.slot].lock();
        if let Some(Words { on_device, on_host }) = &state.words {
            let bytes = on_device.bytes();
            let from = Rows { start: on_device.address(), pitch: bytes };
            let to: Rows<*mut u8> = Rows { start: NonNull::as_ptr(on_host.start()), pitch: bytes };
            // SAFETY: both sides are of one size; the host's is read only after `done`.
            unsafe { kernels.download(from, to, Extent { bytes, rows: 1 })? };
        }
        state.done.record(kernels)
    }
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! What a context does with its device: a ring of slots, one a frame in flight.
//!
//! A slot keeps its frame's pictures on the device, until the results of all twins were read; these lie beside those of
//! the slots next to it. Copies to the device go on one stream, in the order of submission; kernels of one to [`BATCH`]
//! frames at a time go on others in turn, so that the end of one batch and the beginning of the next share the device.

use std::ops::Range;
use std::sync::Arc;

use parking_lot::Mutex;

use super::backend::{DeviceAddress, Extent, Rows};
use super::batches::Batches;
use super::device::{Buffer, Device, Module, Stream};
use super::image::Image;
use super::pass::{Pass, Views, planes_of};
use super::residents::Residents;
use super::slot::{Slot, Stage};
use super::words::{Run, Words};
use crate::error::Result;
use crate::feature::Frame;
use crate::log;
use crate::picture::{Format, Picture, PinnedPictures};

/// Frames that kernels take at a time at most, `BATCH_FRAMES` of kernels/common/batch.cuh.
pub const BATCH: usize = 4;

/// Streams for kernels.
const STREAMS: usize = 4;

/// The least compute capability of the fast kernels.
const FAST_CAPABILITY: u32 = 80;

/// Pictures of at most so many samples, those of 1920x1088, are in flight in larger numbers: their kernels leave more
/// of a device idle, and they take less memory.
const SMALL: u64 = 1920 * 1088;

/// Frames in flight at most: one batch more than the device works on comes together at a time.
pub fn slots(format: Format) -> usize {
    let small = u64::from(format.width) * u64::from(format.height) <= SMALL;
    if small { STREAMS * BATCH } else { 2 * BATCH }
}

/// Where a twin's results lie within a slot's, in words of 64 bits.
#[derive(Clone, Debug)]
pub struct Results(Range<usize>);

impl Results {
    pub(super) fn start(&self) -> usize {
        self.0.start
    }
}

/// A twin's claim to work memory.
#[derive(Clone, Debug)]
pub struct Work(());

/// A device, and the frames in flight on it.
pub struct Engine {
    device: Device,
    fast: bool,
    kernels: Box<[Stream]>,
    copies: Stream,
    legacy: Stream,
    residents: Mutex<Residents>,
    slots: Box<[Mutex<Slot>]>,
    reserved: Mutex<Reserved>,
    modules: Mutex<Vec<(&'static str, Arc<Module>)>>,
    batches: Mutex<Batches>,
    _pinned: Option<PinnedPictures>,
}

/// What twins have asked for of each frame, and where they get it.
#[derive(Default)]
struct Reserved {
    /// Words of 64 bits.
    words: usize,
    /// Bytes of work memory.
    work: usize,
    /// Where the words are, once a frame wanted them.
    memory: Option<Arc<Words>>,
}

impl Engine {
    /// With `slots` frames in flight at most.
    pub fn new(device: Device, slots: usize) -> Result<Arc<Self>> {
        log::debug!("{}: in use", device.name());
        Ok(Arc::new(Self {
            fast: device.capability() >= FAST_CAPABILITY && !plain_kernels_wanted(),
            kernels: (0..STREAMS).map(|_| device.stream()).collect::<Result<_>>()?,
            copies: device.stream()?,
            legacy: device.legacy_stream(),
            residents: Mutex::default(),
            slots: (0..slots).map(|place| Mutex::new(Slot::new(place))).collect(),
            reserved: Mutex::default(),
            modules: Mutex::default(),
            batches: Mutex::new(Batches::new(&device)?),
            _pinned: device.outlives_callers().then(|| PinnedPictures::of(&device)),
            device,
        }))
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Whether twins should take their fast kernels: the device can run them, and `VMAF_RS_KERNELS` is not `plain`.
    pub fn fast(&self) -> bool {
        self.fast
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

    /// A table for kernels to read.
    pub fn constant(&self, bytes: &[u8]) -> Result<Buffer> {
        self.device.constant(bytes)
    }

    /// Room for `words` results of each frame. Every frame begins with zeros there.
    pub fn reserve(&self, words: usize) -> Results {
        let mut reserved = self.reserved.lock();
        let start = reserved.words;
        reserved.words += words;
        Results(start..reserved.words)
    }

    /// Work memory of `bytes` for each frame in flight. All claims, also two of one twin, are to the same memory: twins
    /// take turns with it, and nothing stays in it from one frame to the next.
    pub fn work(&self, bytes: usize) -> Work {
        let mut reserved = self.reserved.lock();
        reserved.work = reserved.work.max(bytes);
        Work(())
    }

    /// Begins a frame in a slot that none is in: puts the first `planes` planes of its pictures on the device, unless
    /// they are there; also those of the `looks_back` frames before. As many frames after it find this one's. False where
    /// it cannot go on: who waits for the frame is told why.
    pub fn begin(&self, slot: usize, frame: &Frame, planes: usize, looks_back: usize) -> bool {
        let mut slot = self.slots[slot].lock();
        let prepared =
            self.make_room(&mut slot).and_then(|()| self.views(&mut slot, frame, planes, looks_back));
        match prepared {
            Ok(views) => (slot.views, slot.stage) = (views, Stage::Prepared),
            Err(ref error) => {
                self.abandon();
                slot.fail(error);
                // The schedule's history goes on with this frame: what is kept here would be held besides, uncounted.
                self.forget_pictures();
            }
        }
        matches!(slot.stage, Stage::Prepared)
    }

    /// Room for what twins want of the slot's next frame.
    fn make_room(&self, slot: &mut Slot) -> Result<()> {
        let mut reserved = self.reserved.lock();
        if reserved.words > reserved.memory.as_ref().map_or(0, |memory| memory.count()) {
            reserved.memory = Some(Arc::new(Words::new(&self.device, self.slots.len(), reserved.words)?));
        }
        slot.words = reserved.memory.clone();
        slot.make_room(&self.device, reserved.work)
    }

    /// The planes of all pictures; kernels that wait for the stream of copies find them complete.
    fn views(&self, slot: &mut Slot, frame: &Frame, planes: usize, looks_back: usize) -> Result<Views> {
        let mut residents = self.residents.lock();
        let mut resident = |picture: &Picture| {
            let resident = residents.find(&self.device, &self.copies, picture, planes)?;
            slot.pictures.push(resident.clone());
            Ok(resident)
        };
        let [reference, distorted] = [resident(&frame.reference)?, resident(&frame.distorted)?];
        let mut earlier = |frames: usize, picture: &Option<Picture>| {
            let picture = picture.as_ref().filter(|_| frames <= looks_back);
            picture.map(|picture| resident(picture).and_then(|resident| planes_of(&resident))).transpose()
        };
        let previous = [earlier(1, &frame.previous[0])?, earlier(2, &frame.previous[1])?];
        let previous_distorted = earlier(1, &frame.previous_distorted)?;
        let views = Views {
            index: frame.index,
            reference: planes_of(&reference)?,
            distorted: planes_of(&distorted)?,
            previous,
            previous_distorted,
        };
        residents.remember(&reference, looks_back);
        Ok(views)
    }

    /// Whether the latest batch is done.
    pub fn is_idle(&self) -> bool {
        self.batches.lock().is_idle()
    }

    /// Puts the kernels of the frames in `slots`, which were begun, on the device: `twins` does so for each twin. Their
    /// results go to the host after them. Where it fails, who waits for one of the frames is told why.
    pub fn launch(&self, slots: &[usize], twins: impl FnOnce(&[Pass<'_>])) {
        let launched = self.try_launch(slots, twins);
        if let Err(error) = launched {
            self.abandon();
            slots.iter().for_each(|&slot| self.slots[slot].lock().fail(&error));
        }
    }

    fn try_launch(&self, slots: &[usize], twins: impl FnOnce(&[Pass<'_>])) -> Result<()> {
        let mut batches = self.batches.lock();
        let stream = &self.kernels[batches.launched % STREAMS];
        batches.launched += 1;
        self.await_pictures(slots, stream, &batches)?;
        let runs = self.runs(slots);
        runs.iter().try_for_each(|run| run.clear(stream))?;
        let pass = |slot: &usize| {
            let slot = self.slots[*slot].lock();
            Pass::new(self, stream, slot.views, slot.results_on_device(), slot.work())
        };
        twins(&slots.iter().map(pass).collect::<Vec<_>>());
        // SAFETY: the results of a frame are looked at once the end of its batch was waited for, and its slot keeps the
        // words until then.
        runs.iter().try_for_each(|run| unsafe { run.fetch(stream) })?;
        let end = batches.end(&self.device, stream)?;
        slots.iter().for_each(|&slot| self.slots[slot].lock().stage = Stage::InFlight(end.clone()));
        Ok(())
    }

    /// Lets `stream` wait for the pictures of these frames.
    fn await_pictures(&self, slots: &[usize], stream: &Stream, batches: &Batches) -> Result<()> {
        match slots.iter().any(|&slot| self.slots[slot].lock().is_given()) {
            true => stream.follow(&self.legacy, &batches.callers_work),
            false => stream.follow(&self.copies, &batches.uploaded),
        }
    }

    fn runs(&self, slots: &[usize]) -> Vec<Run> {
        let words = |&slot: &usize| self.slots[slot].lock().words.clone().map(|words| (slot, words));
        Run::all(slots.iter().filter_map(words))
    }

    /// Forgets the pictures that later frames would have looked back at.
    pub fn forget_pictures(&self) {
        self.residents.lock().forget();
    }

    /// A copy of a device picture on the host.
    pub fn download(&self, picture: &Picture) -> Result<Picture> {
        let copy = Picture::new(picture.format())?;
        self.copy_back(picture, &copy).inspect_err(|_| self.abandon())?;
        Ok(copy)
    }

    fn copy_back(&self, picture: &Picture, copy: &Picture) -> Result<()> {
        self.copies.follow(&self.legacy, &self.batches.lock().callers_work)?;
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
        self.slots[slot].lock().is_done()
    }

    /// Waits until the results of the frame in `slot` are on the host, if one is in flight there.
    pub fn wait(&self, slot: usize) -> Result<()> {
        let mut slot = self.slots[slot].lock();
        let waited = slot.wait().inspect_err(|_| self.abandon());
        slot.forget();
        waited
    }

    /// Hands a twin's results of the frame in `slot` to `read`, once the frame was waited for.
    pub fn results<T>(&self, slot: usize, results: &Results, read: impl FnOnce(&[u64]) -> T) -> Result<T> {
        self.slots[slot].lock().results(results.0.clone()).map(read)
    }

    /// Waits for all frames, so that nothing of theirs is in use any more; their errors are not asked for.
    fn abandon(&self) {
        self.kernels.iter().chain([&self.copies]).for_each(|stream| drop(stream.synchronize()));
    }
}

fn plain_kernels_wanted() -> bool {
    std::env::var("VMAF_RS_KERNELS").is_ok_and(|wanted| wanted == "plain")
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.abandon();
    }
}

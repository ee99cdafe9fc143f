// SPDX-License-Identifier: BSD-2-Clause-Patent
//! A device without a GPU: runs the kernels, compiled for the host, and looks for mistakes that a GPU might hide.
//!
//! It is an adversary. Device memory is fresh, full of patterns, between guards, and out of the host's reach. Streams
//! do nothing until they must, and then go on in an order by seed, as threads and blocks do. Copies from and to
//! page-locked memory happen late. `VMAF_RS_EMULATOR_SEED` repeats a run; `VMAF_RS_EMULATOR_FAIL` (such as `launch:3`,
//! see [`fault`]) lets a call fail.
//!
//! An error in work that runs later shows at the next call that waits, and at every call from then on, as with CUDA.

mod arena;
pub mod fault;
mod kernel;
mod live;
mod queue;
mod random;
mod state;
#[cfg(test)]
mod tests;

use std::ffi::CStr;
use std::ptr::NonNull;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;

use super::backend::{Backend, DeviceAddress, Extent, Geometry, Handle, Rows};
use super::image::Image;
use crate::error::{Error, Result};
use crate::log;
use fault::{Call, Fault};
use live::Kind;
pub use live::{Live, live};
use queue::{Source, Work, span};
use state::{Event, Function, State, copy_rows, device_span};

/// How a device behaves.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Decides all that happens by chance.
    pub seed: u64,
    /// What fails.
    pub fault: Option<Fault>,
}

impl Settings {
    /// What the environment says; the clock is the seed where it says none.
    pub fn from_environment() -> Result<Self> {
        let variable = |name| std::env::var(name).ok().filter(|text| !text.is_empty());
        let seed = match variable("VMAF_RS_EMULATOR_SEED") {
            Some(text) => {
                let refused = |_| Error::invalid(format!("VMAF_RS_EMULATOR_SEED={text} is no number"));
                text.parse().map_err(refused)?
            }
            None => SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64),
        };
        let fault = variable("VMAF_RS_EMULATOR_FAIL").map(|text| Fault::parse(&text)).transpose()?;
        Ok(Self { seed, fault })
    }
}

/// An emulated device.
pub struct Emulator {
    seed: u64,
    multiprocessors: u32,
    state: Mutex<State>,
}

/// The handle of the legacy stream, as the driver has it.
const LEGACY_STREAM: usize = 1;

/// The compute capability that it has: all that the kernels use anywhere.
const CAPABILITY: u32 = 90;

impl Emulator {
    /// A device as the environment wants it.
    pub fn open() -> Result<Self> {
        let settings = Settings::from_environment()?;
        log::write(log::Level::Info, format_args!("CUDA is emulated, seed {}", settings.seed));
        Self::with(settings)
    }

    /// A device with these settings.
    pub fn with(settings: Settings) -> Result<Self> {
        let seed = settings.seed;
        let mut state = State::new(settings, LEGACY_STREAM)?;
        state.queues.create(LEGACY_STREAM);
        // Launches are sized by it: kernels must be right for any.
        let multiprocessors = state.random.choice(&[1, 2, 3, 7, 16, 132]);
        live::add(Kind::Device);
        Ok(Self { seed, multiprocessors, state: Mutex::new(state) })
    }

    fn wait_for(&self, state: &mut State, goal: Option<Arc<queue::Marker>>) -> Result<()> {
        state.begin(Call::Synchronize)?;
        if let Some(goal) = goal {
            state.run_until(&goal);
        }
        state.check().map_err(|error| self.with_seed(error))
    }

    fn with_seed(&self, error: Error) -> Error {
        match error {
            Error::Device(text) => Error::Device(format!("{text} (VMAF_RS_EMULATOR_SEED={})", self.seed)),
            other => other,
        }
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        live::remove(Kind::Device);
    }
}

impl Backend for Emulator {
    fn name(&self) -> String {
        format!("emulator, seed {}", self.seed)
    }

    fn multiprocessors(&self) -> u32 {
        self.multiprocessors
    }

    fn capability(&self) -> u32 {
        CAPABILITY
    }

    fn outlives_callers(&self) -> bool {
        true
    }

    fn allocate(&self, bytes: usize) -> Result<DeviceAddress> {
        let state = &mut *self.state.lock();
        state.begin(Call::Allocate)?;
        if bytes == 0 {
            return Err(Error::Device("emulator: an allocation of 0 bytes".into()));
        }
        let pattern = state.pattern();
        let start = state.memory.allocate(bytes, pattern)?;
        live::add(Kind::Allocation);
        Ok(DeviceAddress(start as u64))
    }

    fn free(&self, memory: DeviceAddress) {
        let state = &mut *self.state.lock();
        state.run_all();
        let before = state.memory.len();
        if let Err(message) = state.memory.free(memory.0 as usize) {
            state.violate(message);
        }
        if state.memory.len() < before {
            live::remove(Kind::Allocation);
        }
    }

    fn allocate_pinned(&self, bytes: usize) -> Result<NonNull<u8>> {
        let state = &mut *self.state.lock();
        state.begin(Call::Pinned)?;
        let pattern = state.pattern();
        let start = state.pinned.allocate(bytes, pattern)?;
        live::add(Kind::Pinned);
        Ok(NonNull::new(start as *mut u8).expect("no arena begins at 0"))
    }

    unsafe fn free_pinned(&self, memory: NonNull<u8>) {
        let state = &mut *self.state.lock();
        let start = memory.as_ptr() as usize;
        if state
            .queues
            .pending()
            .any(|work| work.pinned().is_some_and(|range| state.pinned.share(start, &range)))
        {
            state.violate("page-locked memory is freed before its copies are done".into());
        }
        let before = state.pinned.len();
        if let Err(message) = state.pinned.free(start) {
            state.violate(message);
        }
        if state.pinned.len() < before {
            live::remove(Kind::Pinned);
        }
    }

    fn create_stream(&self) -> Result<Handle> {
        let state = &mut *self.state.lock();
        state.begin(Call::Stream)?;
        let stream = state.handle();
        state.queues.create(stream);
        live::add(Kind::Stream);
        Ok(Handle(stream))
    }

    fn destroy_stream(&self, stream: Handle) {
        let state = &mut *self.state.lock();
        if stream.0 == LEGACY_STREAM || !state.queues.has(stream.0) {
            return state.violate("a stream is destroyed that is none".into());
        }
        let goal = state.queues.mark(stream.0);
        state.run_until(&goal);
        state.queues.destroy(stream.0);
        live::remove(Kind::Stream);
    }

    fn legacy_stream(&self) -> Handle {
        Handle(LEGACY_STREAM)
    }

    fn create_event(&self) -> Result<Handle> {
        let state = &mut *self.state.lock();
        state.begin(Call::Event)?;
        let event = state.handle();
        state.events.insert(event, Event::default());
        live::add(Kind::Event);
        Ok(Handle(event))
    }

    fn destroy_event(&self, event: Handle) {
        let state = &mut *self.state.lock();
        match state.events.remove(&event.0) {
            Some(_) => live::remove(Kind::Event),
            None => state.violate("an event is destroyed that is none".into()),
        }
    }

    fn record(&self, event: Handle, stream: Handle) -> Result<()> {
        let state = &mut *self.state.lock();
        state.check()?;
        state.check_stream(stream)?;
        let marker = state.queues.mark(stream.0);
        *state.event(event)? = Event { marker: Some(marker), denials: 0 };
        Ok(())
    }

    fn wait(&self, stream: Handle, event: Handle) -> Result<()> {
        let state = &mut *self.state.lock();
        state.check()?;
        state.check_stream(stream)?;
        if let Some(marker) = state.event(event)?.marker.clone() {
            state.queues.push(stream.0, Work::Await(marker));
        }
        Ok(())
    }

    fn is_done(&self, event: Handle) -> Result<bool> {
        let state = &mut *self.state.lock();
        state.check()?;
        let Event { marker, denials } = state.event(event)?;
        let (marker, denials) = (marker.clone(), *denials);
        let Some(goal) = marker.filter(|goal| !goal.is_reached()) else { return Ok(true) };
        if denials < 3 && state.random.below(2) == 0 {
            state.event(event)?.denials += 1;
            let pieces = state.random.below(4);
            state.run_towards(&goal, pieces);
        } else {
            state.run_until(&goal);
        }
        state.check().map_err(|error| self.with_seed(error))?;
        Ok(goal.is_reached())
    }

    fn synchronize(&self, event: Handle) -> Result<()> {
        let state = &mut *self.state.lock();
        let goal = state.event(event)?.marker.clone();
        self.wait_for(state, goal)
    }

    fn synchronize_stream(&self, stream: Handle) -> Result<()> {
        let state = &mut *self.state.lock();
        state.check_stream(stream)?;
        let goal = state.queues.mark(stream.0);
        self.wait_for(state, Some(goal))
    }

    fn load(&self, image: &Image) -> Result<Handle> {
        let state = &mut *self.state.lock();
        state.begin(Call::Load)?;
        let module = state.handle();
        state.modules.insert(module, image.name);
        live::add(Kind::Module);
        Ok(Handle(module))
    }

    fn unload(&self, module: Handle) {
        let state = &mut *self.state.lock();
        let uses = |work: &Work| matches!(work, Work::Launch { module: used, .. } if *used == module.0);
        if state.queues.pending().any(uses) {
            state.violate("a module is unloaded before its kernels have run".into());
        }
        match state.modules.remove(&module.0) {
            Some(_) => live::remove(Kind::Module),
            None => state.violate("a module is unloaded that is none".into()),
        }
    }

    fn function(&self, module: Handle, name: &CStr, parameters: usize, shared: u32) -> Result<Handle> {
        let state = &mut *self.state.lock();
        state.begin(Call::Function)?;
        let image =
            *state.modules.get(&module.0).ok_or_else(|| Error::Device("emulator: no such module".into()))?;
        let refuse =
            |what: String| Err(Error::Device(format!("emulator: kernel {name:?} of {image}: {what}")));
        match kernel::parameters(image, name) {
            None => refuse("there is none".into()),
            Some(bytes) if bytes != parameters => refuse(format!("it takes {bytes} bytes, not {parameters}")),
            Some(_) => {
                state.functions.push(Function {
                    name: Arc::new(name.to_owned()),
                    module: module.0,
                    parameters,
                    shared,
                });
                Ok(Handle(state.functions.len() - 1))
            }
        }
    }

    fn launch(
        &self,
        stream: Handle,
        function: Handle,
        geometry: Geometry,
        shared: u32,
        parameters: &[u8],
    ) -> Result<()> {
        let state = &mut *self.state.lock();
        state.begin(Call::Launch)?;
        state.check_stream(stream)?;
        let function = &state.functions[function.0];
        let as_it_was_got = function.parameters == parameters.len() && function.shared >= shared;
        if !state.modules.contains_key(&function.module) || !as_it_was_got {
            return Err(Error::Device(format!(
                "emulator: kernel {:?} is not loaded as it is used",
                function.name
            )));
        }
        let (kernel, module) = (function.name.clone(), function.module);
        let fails = state.is_due(Call::Kernel);
        let parameters = parameters.to_vec();
        state.queues.push(stream.0, Work::Launch { kernel, module, geometry, shared, parameters, fails });
        Ok(())
    }

    unsafe fn upload(
        &self,
        stream: Handle,
        from: Rows<*const u8>,
        to: Rows<DeviceAddress>,
        extent: Extent,
    ) -> Result<()> {
        let state = &mut *self.state.lock();
        state.begin(Call::Copy)?;
        state.check_stream(stream)?;
        if extent.bytes == 0 || extent.rows == 0 {
            return Ok(());
        }
        let from = Rows { start: from.start as usize, pitch: from.pitch };
        state.check_pitches(from.pitch, to.pitch, extent)?;
        state.check_device(&device_span(to, extent))?;
        let from = match state.is_pinned(&span(from.start, from.pitch, extent))? {
            true => Source::Pinned(from),
            false => {
                let mut bytes = vec![0; extent.bytes * extent.rows];
                let taken = Rows { start: bytes.as_mut_ptr() as usize, pitch: extent.bytes };
                // SAFETY: the caller's rows are readable, and the vector has room for them.
                unsafe { copy_rows(from, taken, extent) };
                Source::Taken(bytes)
            }
        };
        state.queues.push(stream.0, Work::Upload { from, to, extent });
        Ok(())
    }

    unsafe fn download(
        &self,
        stream: Handle,
        from: Rows<DeviceAddress>,
        to: Rows<*mut u8>,
        extent: Extent,
    ) -> Result<()> {
        let state = &mut *self.state.lock();
        state.begin(Call::Copy)?;
        state.check_stream(stream)?;
        if extent.bytes == 0 || extent.rows == 0 {
            return Ok(());
        }
        let to = Rows { start: to.start as usize, pitch: to.pitch };
        state.check_pitches(from.pitch, to.pitch, extent)?;
        state.check_device(&device_span(from, extent))?;
        let pinned = state.is_pinned(&span(to.start, to.pitch, extent))?;
        state.queues.push(stream.0, Work::Download { from, to, extent });
        if pinned {
            // Whoever reads before the copy is done must not find what happens to be right.
            let pattern = state.pattern();
            // SAFETY: the caller's rows are writable, and nobody reads them before the copy is done.
            unsafe { fill_rows(to, extent, pattern) };
            return Ok(());
        }
        let goal = state.queues.mark(stream.0);
        state.run_until(&goal);
        state.check().map_err(|error| self.with_seed(error))
    }

    fn clear(&self, stream: Handle, memory: DeviceAddress, bytes: usize) -> Result<()> {
        let state = &mut *self.state.lock();
        state.begin(Call::Copy)?;
        state.check_stream(stream)?;
        if bytes == 0 {
            return Ok(());
        }
        state.check_device(&(memory.0 as usize..memory.0 as usize + bytes))?;
        state.queues.push(stream.0, Work::Clear { memory, bytes });
        Ok(())
    }
}

/// # Safety
/// All rows are writable.
unsafe fn fill_rows(rows: Rows<usize>, extent: Extent, pattern: u8) {
    for row in 0..extent.rows {
        // SAFETY: the caller's promise.
        unsafe { ((rows.start + row * rows.pitch) as *mut u8).write_bytes(pattern, extent.bytes) };
    }
}

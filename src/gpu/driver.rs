// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Devices of the CUDA driver, which is looked for when the first is asked for: without it there is just no device.
//!
//! Only cudarc's bindings are used, not its owners: those would destroy a context that the caller owns.

use std::ffi::{CStr, c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr::{NonNull, null_mut};
use std::sync::OnceLock;

use cudarc::driver::result::{self, DriverError, ctx, device, event, module, primary_ctx, stream};
use cudarc::driver::sys;

use super::backend::{Backend, DeviceAddress, Extent, Geometry, Handle, Rows};
use super::image::Image;
use crate::error::{Error, Result, catch};

/// The driver interface that the images need, CUDA 12.0 (R525), as the driver states its version.
const LEAST_VERSION: c_int = 12000;

/// The oldest compute capability that the images hold code for.
const LEAST_CAPABILITY: (c_int, c_int) = (7, 5);

/// How much dynamic shared memory a kernel may have: without asking, 48 KiB.
const MOST_SHARED: sys::CUfunction_attribute =
    sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;

/// `CU_STREAM_LEGACY`.
const LEGACY_STREAM: usize = 1;

/// A device of the driver, within one context.
pub struct Driver {
    context: sys::CUcontext,
    device: sys::CUdevice,
    multiprocessors: u32,
    capability: u32,
    /// Whether the context is the device's primary one, of which this value holds a count.
    retained: bool,
}

// SAFETY: contexts may be made current in any thread, and all calls here do so first.
unsafe impl Send for Driver {}
// SAFETY: as above; the driver's calls are safe to make from several threads.
unsafe impl Sync for Driver {}

/// Whether device `ordinal` could be opened: there is a driver, and the device has what the kernels need.
pub fn probe(ordinal: usize) -> Result<()> {
    device_of(ordinal).map(|_| ())
}

fn device_of(ordinal: usize) -> Result<sys::CUdevice> {
    probe_driver()?;
    let number = c_int::try_from(ordinal).unwrap_or(c_int::MAX);
    let device =
        device::get(number).map_err(|_| Error::invalid(format!("there is no CUDA device {ordinal}")))?;
    check_capability(device)?;
    Ok(device)
}

/// Finds the driver once; what was wrong with it is told each time.
fn probe_driver() -> Result<()> {
    static PROBED: OnceLock<std::result::Result<(), String>> = OnceLock::new();
    let probed = PROBED.get_or_init(|| catch(find_driver).map_err(|error| error.to_string()));
    probed.clone().map_err(Error::Invalid)
}

fn find_driver() -> Result<()> {
    // SAFETY: opens the driver's library by name, no more.
    if !unsafe { sys::is_culib_present() } {
        return Err(Error::invalid("there is no CUDA driver"));
    }
    result::init().map_err(|error| explain("cuInit", error))?;
    let mut version = 0;
    // SAFETY: `version` is writable.
    check("cuDriverGetVersion", unsafe { sys::cuDriverGetVersion(&mut version) })?;
    if version < LEAST_VERSION {
        let (major, minor) = (version / 1000, version % 1000 / 10);
        return Err(Error::invalid(format!("the CUDA driver is too old ({major}.{minor}, 12.0 is needed)")));
    }
    match device::get_count().map_err(|error| explain("cuDeviceGetCount", error))? {
        0 => Err(Error::invalid("there is no CUDA device")),
        _ => Ok(()),
    }
}

/// An error of the driver as ours.
fn explain(call: &str, error: DriverError) -> Error {
    if error.0 == sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY {
        return Error::OutOfMemory;
    }
    let text = error.error_string().map(|text| text.to_string_lossy().into_owned()).unwrap_or_default();
    Error::Device(format!("{call}: {text}"))
}

fn check(call: &str, outcome: sys::CUresult) -> Result<()> {
    outcome.result().map_err(|error| explain(call, error))
}

impl Driver {
    /// Device `ordinal`, in its primary context.
    pub fn open(ordinal: usize) -> Result<Self> {
        let device = device_of(ordinal)?;
        // SAFETY: the device was just given by the driver.
        let context = unsafe { primary_ctx::retain(device) };
        let context = context.map_err(|error| explain("cuDevicePrimaryCtxRetain", error))?;
        Self::new(context, device, true)
    }

    /// The device of a context that the caller keeps.
    pub fn within(context: NonNull<c_void>) -> Result<Self> {
        probe_driver()?;
        let context = context.as_ptr().cast();
        let mut device = 0;
        let _current = Current::enter(context)?;
        // SAFETY: `device` is writable, and the context is current.
        check("cuCtxGetDevice", unsafe { sys::cuCtxGetDevice(&mut device) })?;
        check_capability(device)?;
        Self::new(context, device, false)
    }

    fn new(context: sys::CUcontext, device: sys::CUdevice, retained: bool) -> Result<Self> {
        let (major, minor) = capability(device);
        let capability = (10 * major + minor).unsigned_abs();
        Ok(Self { context, device, multiprocessors: multiprocessors(device), capability, retained })
    }

    fn enter(&self) -> Result<Current> {
        Current::enter(self.context)
    }

    /// Lets go of a resource. What the driver says then has nobody to be told: it repeats an earlier error, or
    /// the context is gone already.
    fn release(&self, release: impl FnOnce() -> std::result::Result<(), DriverError>) {
        if let Ok(_current) = self.enter() {
            let _ = release();
        }
    }
}

fn capability(device: sys::CUdevice) -> (c_int, c_int) {
    use sys::CUdevice_attribute::{
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR as MAJOR,
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR as MINOR,
    };
    // SAFETY: the device was given by the driver.
    let [major, minor] = [MAJOR, MINOR].map(|attribute| unsafe { device::get_attribute(device, attribute) });
    (major.unwrap_or(0), minor.unwrap_or(0))
}

/// Refuses a device that no image has code for.
fn check_capability(device: sys::CUdevice) -> Result<()> {
    let (major, minor) = capability(device);
    if (major, minor) < LEAST_CAPABILITY {
        return Err(Error::invalid(format!(
            "the GPU's compute capability is {major}.{minor}, 7.5 is needed"
        )));
    }
    Ok(())
}

fn multiprocessors(device: sys::CUdevice) -> u32 {
    let attribute = sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
    // SAFETY: the device was given by the driver.
    let count = unsafe { device::get_attribute(device, attribute) };
    count.ok().and_then(|count| count.try_into().ok()).unwrap_or(1)
}

impl Drop for Driver {
    fn drop(&mut self) {
        if self.retained {
            // SAFETY: `open` took one count, and every resource kept this value alive.
            let _ = unsafe { primary_ctx::release(self.device) };
        }
    }
}

/// While it lives, a context is the thread's current one; the caller's own comes back after it.
struct Current {
    pushed: bool,
}

impl Current {
    fn enter(context: sys::CUcontext) -> Result<Self> {
        if ctx::get_current().is_ok_and(|current| current == Some(context)) {
            return Ok(Self { pushed: false });
        }
        // SAFETY: the context is the caller's, who promised it, or a retained one.
        check("cuCtxPushCurrent", unsafe { sys::cuCtxPushCurrent_v2(context) })?;
        Ok(Self { pushed: true })
    }
}

impl Drop for Current {
    fn drop(&mut self) {
        if self.pushed {
            let mut popped = null_mut();
            // SAFETY: `popped` is writable; what is popped was pushed by `enter`.
            let _ = unsafe { sys::cuCtxPopCurrent_v2(&mut popped) };
        }
    }
}

fn stream_of(handle: Handle) -> sys::CUstream {
    handle.0 as sys::CUstream
}

fn event_of(handle: Handle) -> sys::CUevent {
    handle.0 as sys::CUevent
}

fn copy(extent: Extent) -> sys::CUDA_MEMCPY2D {
    // SAFETY: the structure holds numbers, null pointers and enumerations, of which both are set below.
    let mut copy: MaybeUninit<sys::CUDA_MEMCPY2D> = MaybeUninit::zeroed();
    let fields = copy.as_mut_ptr();
    // SAFETY: the fields lie within `copy`.
    unsafe {
        (&raw mut (*fields).srcMemoryType).write(sys::CUmemorytype::CU_MEMORYTYPE_DEVICE);
        (&raw mut (*fields).dstMemoryType).write(sys::CUmemorytype::CU_MEMORYTYPE_DEVICE);
        (&raw mut (*fields).WidthInBytes).write(extent.bytes);
        (&raw mut (*fields).Height).write(extent.rows);
        copy.assume_init()
    }
}

impl Backend for Driver {
    fn name(&self) -> String {
        device::get_name(self.device).unwrap_or_else(|_| "CUDA device".into())
    }

    fn multiprocessors(&self) -> u32 {
        self.multiprocessors
    }

    fn capability(&self) -> u32 {
        self.capability
    }

    fn outlives_callers(&self) -> bool {
        self.retained
    }

    fn allocate(&self, bytes: usize) -> Result<DeviceAddress> {
        let _current = self.enter()?;
        // SAFETY: nothing reads the memory before something was written there.
        let memory = unsafe { result::malloc_sync(bytes.max(1)) };
        memory.map(DeviceAddress).map_err(|error| explain("cuMemAlloc", error))
    }

    fn free(&self, memory: DeviceAddress) {
        // SAFETY: the owner frees once, what `allocate` gave.
        self.release(|| unsafe { result::free_sync(memory.0) });
    }

    fn allocate_pinned(&self, bytes: usize) -> Result<NonNull<u8>> {
        let _current = self.enter()?;
        // SAFETY: no flags; the memory is written before it is read.
        let memory = unsafe { result::malloc_host(bytes.max(1), 0) };
        let memory = memory.map_err(|error| explain("cuMemHostAlloc", error))?;
        NonNull::new(memory.cast()).ok_or(Error::OutOfMemory)
    }

    unsafe fn free_pinned(&self, memory: NonNull<u8>) {
        // SAFETY: passed on.
        self.release(|| unsafe { result::free_host(memory.as_ptr().cast()) });
    }

    fn create_stream(&self) -> Result<Handle> {
        let _current = self.enter()?;
        let stream = stream::create(stream::StreamKind::NonBlocking);
        stream.map(|stream| Handle(stream as usize)).map_err(|error| explain("cuStreamCreate", error))
    }

    fn destroy_stream(&self, stream: Handle) {
        // SAFETY: the owner destroys once, what `create_stream` gave.
        self.release(|| unsafe { stream::destroy(stream_of(stream)) });
    }

    fn legacy_stream(&self) -> Handle {
        Handle(LEGACY_STREAM)
    }

    fn create_event(&self) -> Result<Handle> {
        let _current = self.enter()?;
        let event = event::create(sys::CUevent_flags::CU_EVENT_DISABLE_TIMING);
        event.map(|event| Handle(event as usize)).map_err(|error| explain("cuEventCreate", error))
    }

    fn destroy_event(&self, event: Handle) {
        // SAFETY: the owner destroys once, what `create_event` gave.
        self.release(|| unsafe { event::destroy(event_of(event)) });
    }

    fn record(&self, event: Handle, stream: Handle) -> Result<()> {
        let _current = self.enter()?;
        // SAFETY: both handles live.
        let recorded = unsafe { event::record(event_of(event), stream_of(stream)) };
        recorded.map_err(|error| explain("cuEventRecord", error))
    }

    fn wait(&self, stream: Handle, event: Handle) -> Result<()> {
        let _current = self.enter()?;
        let flags = sys::CUevent_wait_flags::CU_EVENT_WAIT_DEFAULT;
        // SAFETY: both handles live.
        let waits = unsafe { stream::wait_event(stream_of(stream), event_of(event), flags) };
        waits.map_err(|error| explain("cuStreamWaitEvent", error))
    }

    fn is_done(&self, event: Handle) -> Result<bool> {
        let _current = self.enter()?;
        // SAFETY: the handle lives.
        match unsafe { event::query(event_of(event)) } {
            Ok(()) => Ok(true),
            Err(DriverError(sys::CUresult::CUDA_ERROR_NOT_READY)) => Ok(false),
            Err(error) => Err(explain("cuEventQuery", error)),
        }
    }

    fn synchronize(&self, event: Handle) -> Result<()> {
        let _current = self.enter()?;
        // SAFETY: the handle lives.
        unsafe { event::synchronize(event_of(event)) }.map_err(|error| explain("cuEventSynchronize", error))
    }

    fn synchronize_stream(&self, stream: Handle) -> Result<()> {
        let _current = self.enter()?;
        // SAFETY: the handle lives.
        unsafe { stream::synchronize(stream_of(stream)) }
            .map_err(|error| explain("cuStreamSynchronize", error))
    }

    fn load(&self, image: &Image) -> Result<Handle> {
        let _current = self.enter()?;
        // SAFETY: a fatbin states its length, and PTX ends with a NUL.
        let load = |code: &[u8]| unsafe { module::load_data(code.as_ptr().cast()) };
        let module =
            image.fatbin.map(load).and_then(std::result::Result::ok).map_or_else(|| load(image.ptx), Ok);
        module
            .map(|module| Handle(module as usize))
            .map_err(|error| explain(&format!("loading the kernels of {}", image.name), error))
    }

    fn unload(&self, module: Handle) {
        // SAFETY: the owner unloads once, what `load` gave.
        self.release(|| unsafe { module::unload(module.0 as sys::CUmodule) });
    }

    fn function(&self, module: Handle, name: &CStr, _parameters: usize, shared: u32) -> Result<Handle> {
        let _current = self.enter()?;
        // SAFETY: the module is loaded.
        let function = unsafe { module::get_function(module.0 as sys::CUmodule, name.to_owned()) };
        let function = function.map_err(|error| explain(&name.to_string_lossy(), error))?;
        if shared > 0 {
            // SAFETY: the function was just given by the driver.
            unsafe { result::function::set_function_attribute(function, MOST_SHARED, shared as c_int) }
                .map_err(|error| explain("cuFuncSetAttribute", error))?;
        }
        Ok(Handle(function as usize))
    }

    fn launch(
        &self,
        stream: Handle,
        function: Handle,
        geometry: Geometry,
        shared: u32,
        parameters: &[u8],
    ) -> Result<()> {
        let _current = self.enter()?;
        let [x, y, z] = geometry.grid;
        let mut arguments = [parameters.as_ptr().cast_mut().cast::<c_void>()];
        let (function, stream) = (function.0 as sys::CUfunction, stream_of(stream));
        // SAFETY: the module is loaded, and the one argument is read, as long as the kernel's, before this returns.
        let launched = unsafe {
            result::launch_kernel(function, (x, y, z), (geometry.block, 1, 1), shared, stream, &mut arguments)
        };
        launched.map_err(|error| explain("cuLaunchKernel", error))
    }

    unsafe fn upload(
        &self,
        stream: Handle,
        from: Rows<*const u8>,
        to: Rows<DeviceAddress>,
        extent: Extent,
    ) -> Result<()> {
        let _current = self.enter()?;
        if extent.rows == 1 {
            // SAFETY: the row is readable by contract.
            let row = unsafe { std::slice::from_raw_parts(from.start, extent.bytes) };
            // SAFETY: the row lies in device memory on the other side.
            let copied = unsafe { result::memcpy_htod_async(to.start.0, row, stream_of(stream)) };
            return copied.map_err(|error| explain("cuMemcpyHtoDAsync", error));
        }
        let mut copy = copy(extent);
        copy.srcMemoryType = sys::CUmemorytype::CU_MEMORYTYPE_HOST;
        (copy.srcHost, copy.srcPitch) = (from.start.cast(), from.pitch);
        (copy.dstDevice, copy.dstPitch) = (to.start.0, to.pitch);
        // SAFETY: the rows are readable by contract, and lie in device memory on the other side.
        check("cuMemcpy2DAsync", unsafe { sys::cuMemcpy2DAsync_v2(&copy, stream_of(stream)) })
    }

    unsafe fn download(
        &self,
        stream: Handle,
        from: Rows<DeviceAddress>,
        to: Rows<*mut u8>,
        extent: Extent,
    ) -> Result<()> {
        let _current = self.enter()?;
        if extent.rows == 1 {
            let (host, bytes) = (to.start.cast(), extent.bytes);
            // SAFETY: the row is writable by contract, and lies in device memory on the other side.
            let copied = unsafe { sys::cuMemcpyDtoHAsync_v2(host, from.start.0, bytes, stream_of(stream)) };
            return check("cuMemcpyDtoHAsync", copied);
        }
        let mut copy = copy(extent);
        (copy.srcDevice, copy.srcPitch) = (from.start.0, from.pitch);
        copy.dstMemoryType = sys::CUmemorytype::CU_MEMORYTYPE_HOST;
        (copy.dstHost, copy.dstPitch) = (to.start.cast(), to.pitch);
        // SAFETY: the rows are writable by contract, and lie in device memory on the other side.
        check("cuMemcpy2DAsync", unsafe { sys::cuMemcpy2DAsync_v2(&copy, stream_of(stream)) })
    }

    fn clear(&self, stream: Handle, memory: DeviceAddress, bytes: usize) -> Result<()> {
        let _current = self.enter()?;
        // SAFETY: the owner of the memory states its size.
        let cleared = unsafe { result::memset_d8_async(memory.0, 0, bytes, stream_of(stream)) };
        cleared.map_err(|error| explain("cuMemsetD8Async", error))
    }
}

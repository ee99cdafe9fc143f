// SPDX-License-Identifier: BSD-2-Clause-Patent
//! A device and what lives on it. Each value owns its resource and keeps its device.

use std::ffi::CString;
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::Arc;

use super::backend::{Backend, DeviceAddress, Extent, Geometry, Handle, Rows};
use super::image::Image;
use crate::error::Result;

/// A device in use; clones are the same device.
#[derive(Clone)]
pub struct Device(Arc<dyn Backend>);

impl Device {
    /// The device that a maker opened.
    pub fn new(backend: impl Backend + 'static) -> Self {
        Self(Arc::new(backend))
    }

    /// The device's name.
    pub fn name(&self) -> String {
        self.0.name()
    }

    /// Multiprocessors, by which launches are sized.
    pub fn multiprocessors(&self) -> u32 {
        self.0.multiprocessors()
    }

    /// Its compute capability, 75 for 7.5.
    pub fn capability(&self) -> u32 {
        self.0.capability()
    }

    /// Whether its memory stays as long as it does, whatever callers do with contexts of theirs.
    pub fn outlives_callers(&self) -> bool {
        self.0.outlives_callers()
    }

    /// Whether both are one device.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// A weak count: how many owners there are is not changed by it.
    pub fn downgrade(&self) -> WeakDevice {
        WeakDevice(Arc::downgrade(&self.0))
    }

    /// Device memory.
    pub fn buffer(&self, bytes: usize) -> Result<Buffer> {
        let address = self.0.allocate(bytes)?;
        Ok(Buffer { device: self.clone(), address, bytes })
    }

    /// Device memory, all zero.
    pub fn zeroed_buffer(&self, bytes: usize) -> Result<Buffer> {
        let (buffer, stream) = (self.buffer(bytes)?, self.stream()?);
        stream.clear(buffer.address(), bytes)?;
        stream.synchronize()?;
        Ok(buffer)
    }

    /// Device memory with these bytes, for kernels to read.
    pub fn constant(&self, bytes: &[u8]) -> Result<Buffer> {
        let (buffer, stream) = (self.buffer(bytes.len())?, self.stream()?);
        let from = Rows { start: bytes.as_ptr(), pitch: bytes.len() };
        let to = Rows { start: buffer.address(), pitch: bytes.len() };
        // SAFETY: the bytes are readable, and stay so until the copy was waited for.
        let copied = unsafe { stream.upload(from, to, Extent { bytes: bytes.len(), rows: 1 }) };
        let waited = stream.synchronize();
        copied.and(waited).map(|()| buffer)
    }

    /// Page-locked host memory, all zero.
    pub fn pinned(&self, bytes: usize) -> Result<Pinned> {
        let start = self.0.allocate_pinned(bytes)?;
        // SAFETY: the memory is `bytes` long and ours alone.
        unsafe { start.write_bytes(0, bytes) };
        Ok(Pinned { device: self.clone(), start, bytes })
    }

    /// A stream.
    pub fn stream(&self) -> Result<Stream> {
        Ok(Stream { handle: self.0.create_stream()?, device: self.clone(), owned: true })
    }

    /// The stream where callers that know no other put their copies.
    pub fn legacy_stream(&self) -> Stream {
        Stream { handle: self.0.legacy_stream(), device: self.clone(), owned: false }
    }

    /// An event that nothing was recorded for yet.
    pub fn event(&self) -> Result<Event> {
        Ok(Event { handle: self.0.create_event()?, device: self.clone() })
    }

    /// Loads the kernels of one source file.
    pub fn module(&self, image: &Image) -> Result<Arc<Module>> {
        Ok(Arc::new(Module { handle: self.0.load(image)?, device: self.clone() }))
    }
}

/// A [`Device`] that may be gone.
#[derive(Clone)]
pub struct WeakDevice(std::sync::Weak<dyn Backend>);

impl WeakDevice {
    /// The device, if it is still in use.
    pub fn upgrade(&self) -> Option<Device> {
        self.0.upgrade().map(Device)
    }

    /// Whether it is this device, which lives.
    pub fn is(&self, device: &Device) -> bool {
        std::ptr::addr_eq(self.0.as_ptr(), Arc::as_ptr(&device.0))
    }
}

/// Device memory.
pub struct Buffer {
    device: Device,
    address: DeviceAddress,
    bytes: usize,
}

impl Buffer {
    /// Whose memory it is.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Where it begins.
    pub fn address(&self) -> DeviceAddress {
        self.address
    }

    /// Its size.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        self.device.0.free(self.address);
    }
}

/// Page-locked host memory.
pub struct Pinned {
    device: Device,
    start: NonNull<u8>,
    bytes: usize,
}

// SAFETY: the memory is owned by this value alone and is not tied to a thread.
unsafe impl Send for Pinned {}
// SAFETY: shared access only hands out the address.
unsafe impl Sync for Pinned {}

impl Pinned {
    /// The device whose copies it is for.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Its first byte. Who may read and write there depends on the copies under way.
    pub fn start(&self) -> NonNull<u8> {
        self.start
    }

    /// Its size.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // SAFETY: whoever started copies has waited for them: see `Engine`'s Drop and `Picture`.
        unsafe { self.device.0.free_pinned(self.start) };
    }
}

/// The kernels of one source file, loaded.
pub struct Module {
    device: Device,
    handle: Handle,
}

impl Module {
    /// A kernel that takes one `P` by value.
    pub fn kernel<P: Parameters>(self: &Arc<Self>, name: &'static str) -> Result<Kernel<P>> {
        self.kernel_with_shared(name, 0)
    }

    /// A kernel that takes one `P` by value and has `shared` bytes of dynamic shared memory a block.
    pub fn kernel_with_shared<P: Parameters>(
        self: &Arc<Self>,
        name: &'static str,
        shared: u32,
    ) -> Result<Kernel<P>> {
        let name = CString::new(name).expect("names of kernels hold no NUL");
        let handle = self.device.0.function(self.handle, &name, size_of::<P>(), shared)?;
        Ok(Kernel { _module: self.clone(), handle, shared, takes: PhantomData })
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        self.device.0.unload(self.handle);
    }
}

/// The structure that a kernel takes.
///
/// # Safety
/// It is `repr(C)`, the same as the kernel's structure in C, and has no padding.
pub unsafe trait Parameters: Copy + 'static {}

/// A kernel that takes one `P` by value.
pub struct Kernel<P> {
    _module: Arc<Module>,
    handle: Handle,
    shared: u32,
    takes: PhantomData<fn(P)>,
}

/// Work that runs in order.
pub struct Stream {
    device: Device,
    handle: Handle,
    owned: bool,
}

impl Stream {
    /// Starts a kernel.
    pub fn launch<P: Parameters>(
        &self,
        kernel: &Kernel<P>,
        geometry: Geometry,
        parameters: &P,
    ) -> Result<()> {
        // SAFETY: a `Parameters` has no padding, so that all its bytes are initialised.
        let bytes = unsafe { std::slice::from_raw_parts((&raw const *parameters).cast(), size_of::<P>()) };
        self.device.0.launch(self.handle, kernel.handle, geometry, kernel.shared, bytes)
    }

    /// Copies rows to the device, see [`Backend::upload`].
    ///
    /// # Safety
    /// As there.
    pub unsafe fn upload(
        &self,
        from: Rows<*const u8>,
        to: Rows<DeviceAddress>,
        extent: Extent,
    ) -> Result<()> {
        // SAFETY: passed on.
        unsafe { self.device.0.upload(self.handle, from, to, extent) }
    }

    /// Copies rows to the host, see [`Backend::download`].
    ///
    /// # Safety
    /// As there.
    pub unsafe fn download(
        &self,
        from: Rows<DeviceAddress>,
        to: Rows<*mut u8>,
        extent: Extent,
    ) -> Result<()> {
        // SAFETY: passed on.
        unsafe { self.device.0.download(self.handle, from, to, extent) }
    }

    /// Makes device memory zero.
    pub fn clear(&self, memory: DeviceAddress, bytes: usize) -> Result<()> {
        self.device.0.clear(self.handle, memory, bytes)
    }

    /// Lets later work here wait for `event`.
    pub fn wait(&self, event: &Event) -> Result<()> {
        self.device.0.wait(self.handle, event.handle)
    }

    /// Lets later work here wait for all that is on `other` now, by an event that is for this alone.
    pub fn follow(&self, other: &Self, event: &Event) -> Result<()> {
        event.record(other)?;
        self.wait(event)
    }

    /// Waits until all work here is done.
    pub fn synchronize(&self) -> Result<()> {
        self.device.0.synchronize_stream(self.handle)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if self.owned {
            self.device.0.destroy_stream(self.handle);
        }
    }
}

/// A place in a stream.
pub struct Event {
    device: Device,
    handle: Handle,
}

impl Event {
    /// Lets the event stand for all work that is on `stream` now.
    pub fn record(&self, stream: &Stream) -> Result<()> {
        self.device.0.record(self.handle, stream.handle)
    }

    /// Whether that work is done.
    pub fn is_done(&self) -> Result<bool> {
        self.device.0.is_done(self.handle)
    }

    /// Waits for that work.
    pub fn synchronize(&self) -> Result<()> {
        self.device.0.synchronize(self.handle)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        self.device.0.destroy_event(self.handle);
    }
}

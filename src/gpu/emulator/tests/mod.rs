// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The kernels of kernels/emulator/test_kernels.cu: right ones give what they must at every seed, wrong ones are found.

mod arithmetic;
mod memory;
mod streams;
mod threads;

use std::sync::Arc;

use super::*;
use crate::gpu::device::{Buffer, Device, Kernel, Module, Parameters, Stream};

/// `TestParameters`.
#[derive(Clone, Copy, Default)]
#[repr(C)]
struct Test {
    out: DeviceAddress,
    input: DeviceAddress,
    count: u32,
    choice: u32,
}

// SAFETY: the same fields as in C, and no padding.
unsafe impl Parameters for Test {}

const IMAGE: Image = Image { name: "test_kernels", fatbin: None, ptx: &[] };

/// How many seeds a test goes through.
const SEEDS: u64 = 12;

/// A device, and the test kernels on it.
struct Bench {
    device: Device,
    module: Arc<Module>,
    stream: Stream,
}

impl Bench {
    fn new(seed: u64) -> Self {
        Self::with_fault(seed, None).expect("no fault is injected")
    }

    fn with_fault(seed: u64, fault: Option<&str>) -> Result<Self> {
        let fault = fault.map(|text| Fault::parse(text).expect("a known fault"));
        let device = Device::new(Emulator::with(Settings { seed, fault })?);
        let (module, stream) = (device.module(&IMAGE)?, device.stream()?);
        Ok(Self { device, module, stream })
    }

    fn kernel(&self, name: &'static str) -> Kernel<Test> {
        self.module.kernel(name).expect("a test kernel")
    }

    fn start(&self, name: &'static str, blocks: u32, threads: u32, parameters: Test) -> Result<()> {
        self.stream.launch(&self.kernel(name), line(blocks, threads), &parameters)
    }

    /// Runs a kernel to its end.
    fn run(&self, name: &'static str, blocks: u32, threads: u32, parameters: Test) -> Result<()> {
        self.start(name, blocks, threads, parameters)?;
        self.stream.synchronize()
    }

    /// Device memory with these words.
    fn words(&self, words: &[u64]) -> Buffer {
        let buffer = self.device.buffer(size_of_val(words)).expect("memory");
        upload(&self.stream, words, &buffer).expect("a copy");
        buffer
    }

    fn zeros(&self, count: usize) -> Buffer {
        self.words(&vec![0; count])
    }

    fn read(&self, buffer: &Buffer) -> Vec<u64> {
        let mut words = vec![0; buffer.bytes() / 8];
        download(&self.stream, buffer, &mut words).expect("a copy");
        words
    }
}

fn line(blocks: u32, threads: u32) -> Geometry {
    Geometry { grid: [blocks, 1, 1], block: threads }
}

fn one_row(bytes: usize) -> Extent {
    Extent { bytes, rows: 1 }
}

/// From pageable memory.
fn upload(stream: &Stream, words: &[u64], to: &Buffer) -> Result<()> {
    let from = Rows { start: words.as_ptr().cast(), pitch: 0 };
    // SAFETY: the words are readable, and not page-locked.
    unsafe { stream.upload(from, Rows { start: to.address(), pitch: 0 }, one_row(size_of_val(words))) }
}

/// To pageable memory, so that it waits.
fn download(stream: &Stream, from: &Buffer, words: &mut [u64]) -> Result<()> {
    let to = Rows { start: words.as_mut_ptr().cast(), pitch: 0 };
    // SAFETY: the words are writable, and not page-locked.
    unsafe { stream.download(Rows { start: from.address(), pitch: 0 }, to, one_row(size_of_val(words))) }
}

/// The text of an error, which must be one of the device.
fn device_error<T>(result: Result<T>) -> String {
    match result {
        Err(Error::Device(text)) => text,
        Err(error) => panic!("not the device's: {error:?}"),
        Ok(_) => panic!("no error"),
    }
}

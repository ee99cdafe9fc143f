// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Launches of kernels on the host by the emulator's C interface, without a device between.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::sync::atomic::{AtomicU64, Ordering};

#[repr(C)]
struct EmulatedLaunch {
    kernel: *const c_char,
    parameters: *const c_void,
    bytes: usize,
    grid: [u32; 3],
    block: u32,
    shared: u32,
    seed: u64,
}

unsafe extern "C" {
    fn vmaf_emulator_launch(launch: *const EmulatedLaunch, message: *mut c_char, room: usize) -> c_int;
}

static SEED: AtomicU64 = AtomicU64::new(1);

/// Runs a kernel of 256 threads a block, each time in another order of blocks and threads.
pub fn launch<P: Copy>(kernel: &str, grid: [u32; 3], parameters: &P) {
    launch_blocks(kernel, grid, 256, 0, parameters);
}

/// Runs a kernel of `block` threads and `shared` bytes of dynamic shared memory a block, likewise.
pub fn launch_blocks<P: Copy>(kernel: &str, grid: [u32; 3], block: u32, shared: u32, parameters: &P) {
    let name = CString::new(kernel).expect("a plain name");
    let seed = SEED.fetch_add(1, Ordering::Relaxed);
    let bytes = size_of::<P>();
    let parameters = (&raw const *parameters).cast();
    let launch = EmulatedLaunch { kernel: name.as_ptr(), parameters, bytes, grid, block, shared, seed };
    let mut message = [0; 512];
    // SAFETY: the pointers hold for the call; what the parameters point to is the test's business.
    let result = unsafe { vmaf_emulator_launch(&launch, message.as_mut_ptr(), message.len()) };
    // SAFETY: the emulator ends its message with a NUL, and an untouched one is all NUL.
    let message = unsafe { CStr::from_ptr(message.as_ptr()) };
    assert_eq!(result, 0, "{kernel}, grid {grid:?}, seed {seed}: {message:?}");
}

/// A plane as kernels take it.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Plane {
    pub start: *const c_void,
    pub pitch: u32,
    pub width: u32,
    pub height: u32,
    pub unused: u32,
}

/// No plane.
pub const NO_PLANE: Plane = Plane { start: std::ptr::null(), pitch: 0, width: 0, height: 0, unused: 0 };

/// Samples with noise past each row's end, aligned as on a device.
pub struct Picture<T> {
    memory: Vec<u128>,
    pitch: usize,
    pub rows: Vec<Vec<T>>,
}

impl<T: Copy> Picture<T> {
    pub fn new(rows: Vec<Vec<T>>) -> Self {
        let bytes = rows[0].len() * size_of::<T>();
        let pitch = bytes.next_multiple_of(16);
        let mut memory = vec![0xa5f0_5a0f_ffff_1234_9876_5432_10ab_cdef; pitch / 16 * rows.len()];
        let start = memory.as_mut_ptr().cast::<u8>();
        for (y, row) in rows.iter().enumerate() {
            // SAFETY: a row is at most `pitch` bytes long, and the memory holds all rows.
            unsafe { row.as_ptr().cast::<u8>().copy_to_nonoverlapping(start.add(y * pitch), bytes) };
        }
        Self { memory, pitch, rows }
    }

    pub fn plane(&self) -> Plane {
        Plane {
            start: self.memory.as_ptr().cast(),
            pitch: self.pitch as u32,
            width: self.rows[0].len() as u32,
            height: self.rows.len() as u32,
            unused: 0,
        }
    }
    /// The plane for kernels that write it.
    pub fn plane_to_write(&mut self) -> Plane {
        Plane { start: self.memory.as_mut_ptr().cast_const().cast(), ..self.plane() }
    }

    /// What is in it now.
    pub fn read(&self) -> Vec<Vec<T>> {
        let start = self.memory.as_ptr().cast::<u8>();
        let row = |y: usize| {
            // SAFETY: rows begin at multiples of 16 bytes and are within the memory.
            unsafe { std::slice::from_raw_parts(start.add(y * self.pitch).cast(), self.rows[0].len()) }
        };
        (0..self.rows.len()).map(|y| row(y).to_vec()).collect()
    }
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The kernels, which are C++: what kernels/emulator/emulator.h declares.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ops::Range;

use super::super::backend::Geometry;

/// `EmulatedLaunch`.
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
    fn vmaf_emulator_parameters(image: *const c_char, kernel: *const c_char, bytes: *mut usize) -> c_int;
    fn vmaf_emulator_launch(launch: *const EmulatedLaunch, message: *mut c_char, room: usize) -> c_int;
    fn vmaf_emulator_fault() -> u64;
    #[cfg(test)]
    fn vmaf_emulator_sanitized() -> c_int;
    #[cfg(test)]
    fn vmaf_emulator_finds_races() -> c_int;
    fn vmaf_emulator_forbid(start: *const c_void, bytes: usize, forbidden: c_int);
}

/// The size of the structure that a kernel takes, if the image has it.
pub fn parameters(image: &str, kernel: &CStr) -> Option<usize> {
    let image = CString::new(image).ok()?;
    let mut bytes = 0;
    // SAFETY: both names end with a NUL, and the place for the size is ours.
    let found = unsafe { vmaf_emulator_parameters(image.as_ptr(), kernel.as_ptr(), &mut bytes) };
    (found == 0).then_some(bytes)
}

/// Why a launch failed.
pub struct Failure {
    /// The kernel, the block, the seed and what happened.
    pub message: String,
    /// The address in device memory, if one was the reason.
    pub address: Option<usize>,
}

/// Runs a kernel to its end.
pub fn launch(
    kernel: &CStr,
    geometry: Geometry,
    shared: u32,
    parameters: &[u8],
    seed: u64,
) -> Result<(), Failure> {
    let launch = EmulatedLaunch {
        kernel: kernel.as_ptr(),
        parameters: parameters.as_ptr().cast(),
        bytes: parameters.len(),
        grid: geometry.grid,
        block: geometry.block,
        shared,
        seed,
    };
    let mut message = [0_u8; 1024];
    // SAFETY: the name ends with a NUL, the parameters are as long as said, and so is the place for the message. What
    // the kernel itself touches is checked: a bad address ends the launch.
    if unsafe { vmaf_emulator_launch(&launch, message.as_mut_ptr().cast(), message.len()) } == 0 {
        return Ok(());
    }
    // SAFETY: tells about this thread's last launch.
    let address = unsafe { vmaf_emulator_fault() };
    let text = CStr::from_bytes_until_nul(&message).unwrap_or_default().to_string_lossy().into_owned();
    Err(Failure { message: text, address: (address != 0).then_some(address as usize) })
}

/// Whether the kernels were compiled for AddressSanitizer.
#[cfg(test)]
pub fn sanitized() -> bool {
    // SAFETY: a question.
    unsafe { vmaf_emulator_sanitized() != 0 }
}

/// Whether the kernels were compiled so that races are found.
#[cfg(test)]
pub fn finds_races() -> bool {
    // SAFETY: a question.
    unsafe { vmaf_emulator_finds_races() != 0 }
}

/// Under AddressSanitizer: forbids bytes to kernels, or allows them again.
pub fn forbid(range: &Range<usize>, forbidden: bool) {
    // SAFETY: marks addresses, and touches nothing at them.
    unsafe { vmaf_emulator_forbid(range.start as *const c_void, range.len(), forbidden.into()) };
}

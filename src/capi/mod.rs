// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The C interface: one file a public header, and the only raw pointers of the crate's interface.
//!
//! Each function checks its pointers and hands over to safe code. Its body stands in `export!`, which keeps
//! panics in, logs an error once, and turns it into a negative errno.

pub mod feature;
pub mod libvmaf;
pub mod libvmaf_cuda;
pub mod model;
pub mod picture;
pub mod version;

use std::borrow::Cow;
use std::ffi::{CStr, c_char, c_int, c_uint};
use std::ptr::NonNull;

use crate::error::{Error, Result, catch};
use crate::log;

// The enums of the headers as Rust sees them. Callers pass numbers that name no variant, which a Rust enum
// must never hold; include/cbindgen.toml gives each its name in C.

/// A `VmafPixelFormat` as callers pass it: any number.
pub type PixelFormatArgument = c_uint;
/// A `VmafLogLevel` in a structure.
pub type LogLevelField = c_int;
/// A `VmafOutputFormat` as callers pass it: any number.
pub type OutputFormatArgument = c_uint;
/// A `VmafPoolingMethod` as callers pass it: any number.
pub type PoolingMethodArgument = c_uint;
/// A `VmafModelCollectionScoreType` in a structure.
pub type CollectionScoreTypeField = u32;
/// A `VmafCudaPicturePreallocationMethod` as callers pass it: any number.
pub type PreallocationMethodField = c_uint;

/// The body of an exported function of this name: a block that gives a `Result<()>`.
macro_rules! export {
    ($name:ident, $body:block) => {
        $crate::capi::boundary(stringify!($name), || $body)
    };
}
pub(crate) use export;

/// Runs the body of the exported function `name`.
fn boundary(name: &str, body: impl FnOnce() -> Result<()>) -> c_int {
    match catch(body) {
        Ok(()) => 0,
        Err(error) => {
            let text = error.to_string();
            if !text.is_empty() {
                // The log must not be a way out for a panic either.
                let _ = catch(|| {
                    log::error!("{name}(): {text}");
                    Ok(())
                });
            }
            error.errno()
        }
    }
}

fn null(argument: &str) -> Error {
    Error::invalid(format!("{argument} is NULL"))
}

/// `pointer`, if it is not NULL; what it points to may be uninitialised.
fn present<T>(pointer: *mut T, argument: &str) -> Result<NonNull<T>> {
    NonNull::new(pointer).ok_or_else(|| null(argument))
}

/// Sets an output pointer to NULL, before anything can fail.
///
/// # Safety
/// `output` is NULL or points to a pointer, which may be uninitialised.
unsafe fn clear<T>(output: *mut *mut T, argument: &str) -> Result<()> {
    let output = present(output, argument)?;
    // SAFETY: the caller's promise; nothing is read.
    unsafe { output.write(std::ptr::null_mut()) };
    Ok(())
}

/// What `pointer` points to.
///
/// # Safety
/// `pointer` is NULL or points to a `T` that nobody changes during `'a`.
unsafe fn shared<'a, T>(pointer: *const T, argument: &str) -> Result<&'a T> {
    // SAFETY: the caller's promise.
    unsafe { pointer.as_ref() }.ok_or_else(|| null(argument))
}

/// What `pointer` points to, to be changed.
///
/// # Safety
/// `pointer` is NULL or points to a `T` that nobody else uses during `'a`.
unsafe fn exclusive<'a, T>(pointer: *mut T, argument: &str) -> Result<&'a mut T> {
    // SAFETY: the caller's promise.
    unsafe { pointer.as_mut() }.ok_or_else(|| null(argument))
}

/// A text argument; bytes that are not UTF-8 are replaced.
///
/// # Safety
/// `pointer` is NULL or points to a text that ends in a zero byte and lives during `'a`.
unsafe fn text<'a>(pointer: *const c_char, argument: &str) -> Result<Cow<'a, str>> {
    if pointer.is_null() {
        return Err(null(argument));
    }
    // SAFETY: the caller's promise.
    Ok(unsafe { CStr::from_ptr(pointer) }.to_string_lossy())
}

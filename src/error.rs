// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The crate's one error type and its one mapping to C's negative errno values.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What went wrong. The text says which argument, option or file, in a user's terms.
///
/// An empty text means that the reason was logged already where it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// An argument, an option, a picture or the order of calls is not acceptable.
    Invalid(String),
    /// Memory could not be had.
    OutOfMemory,
    /// The call is part of the interface, but this version does not have what it needs.
    NotBuilt(String),
    /// A GPU, or what drives it, failed.
    Device(String),
    /// A defect of this library: a panic caught at its boundary.
    Internal(String),
}

/// A result with the crate's error.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An [`Error::Invalid`] with this text.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::Invalid(message.into())
    }

    /// An [`Error::Invalid`] whose reason is in the log already.
    pub fn logged() -> Self {
        Self::Invalid(String::new())
    }

    /// The same kind of error without its text, which has been logged.
    pub fn silent(&self) -> Self {
        match self {
            Self::Invalid(_) => Self::Invalid(String::new()),
            Self::OutOfMemory => Self::OutOfMemory,
            Self::NotBuilt(_) => Self::NotBuilt(String::new()),
            Self::Device(_) => Self::Device(String::new()),
            Self::Internal(_) => Self::Internal(String::new()),
        }
    }

    /// The negative errno that the C interface returns for this error.
    pub fn errno(&self) -> i32 {
        match self {
            Self::Invalid(_) => -libc::EINVAL,
            Self::OutOfMemory => -libc::ENOMEM,
            Self::NotBuilt(_) => -libc::ENOSYS,
            Self::Device(_) => -libc::EIO,
            Self::Internal(_) => -libc::ENOTRECOVERABLE,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(text) | Self::NotBuilt(text) | Self::Device(text) | Self::Internal(text) => {
                out.write_str(text)
            }
            Self::OutOfMemory => out.write_str("out of memory"),
        }
    }
}

impl std::error::Error for Error {}

/// Runs `work`; a panic in it becomes an [`Error::Internal`] instead of unwinding further.
pub fn catch<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    // A value left half changed by a panic is dropped with its context; no invariant of memory hangs on it.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().copied().map(str::to_owned);
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        Err(Error::Internal(format!("internal error: {text}")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errno_values_are_those_of_linux() {
        assert_eq!(Error::invalid("x").errno(), -22);
        assert_eq!(Error::OutOfMemory.errno(), -12);
        assert_eq!(Error::NotBuilt(String::new()).errno(), -38);
        assert_eq!(Error::Device(String::new()).errno(), -5);
        assert_eq!(Error::Internal(String::new()).errno(), -131);
    }
}

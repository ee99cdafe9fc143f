// SPDX-License-Identifier: BSD-2-Clause-Patent
//! What a step of the program comes to: a text for the user and an exit code that scripts can trust.

use std::fmt::Display;
use std::io::{Write, stderr};

use crate::error::Error;
use crate::log;

/// The command line cannot be understood, an input is broken in its midst, or the log was not written.
pub const FAILURE: u8 = 1;
/// CUDA was demanded and is not to be had.
pub const NO_CUDA: u8 = 100;
/// A run could not begin, or its scores could not be pooled.
pub const SETUP: u8 = 255;

/// Why a step did not end as hoped. Code 0 is a remark: the run counts as a success.
#[derive(Debug, PartialEq, Eq)]
pub struct Verdict {
    text: String,
    code: u8,
}

impl Verdict {
    /// A text and the exit code that goes with it.
    pub fn new(code: u8, text: impl Into<String>) -> Self {
        Self { text: text.into(), code }
    }

    /// A run that cannot begin because of the library's `error`.
    pub fn setup(error: &Error, text: impl Into<String>) -> Self {
        log_reason(error);
        Self::new(SETUP, text)
    }

    /// The library's `error` in the course of a run; its number is the exit code.
    pub fn refused(error: &Error, text: impl Into<String>) -> Self {
        log_reason(error);
        Self::new(error.errno() as u8, text)
    }

    /// Tells the user, if that is not done yet; gives the exit code.
    pub fn tell(self) -> u8 {
        if !self.text.is_empty() {
            say(&self.text);
        }
        self.code
    }
}

/// The exit code of a step, whose text is told.
pub fn told(step: Result<(), Verdict>) -> u8 {
    step.map_or_else(Verdict::tell, |()| 0)
}

/// The C interface does this at its boundary, which calls from Rust do not pass.
fn log_reason(error: &Error) {
    let text = error.to_string();
    if !text.is_empty() {
        log::error!("{text}");
    }
}

/// A line on standard error. That nobody reads it is no reason to fail.
pub fn say(line: impl Display) {
    let _ = stderr().write_all(format!("{line}\n").as_bytes());
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Log lines on standard error: `libvmaf LEVEL text`, one write a line.
//!
//! The level and the choice of colour belong to the process, as there is one standard error.

use std::fmt;
use std::io::{IsTerminal, Write, stderr};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

/// How much a line matters; a line is written when its level is at most the configured one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Level {
    /// A call failed.
    Error = 1,
    /// Something was ignored or looks like a mistake.
    Warning = 2,
    /// Progress of interest to a user.
    Info = 3,
    /// Details for a developer.
    Debug = 4,
}

static THRESHOLD: AtomicU8 = AtomicU8::new(Level::Info as u8);
static COLOUR: AtomicBool = AtomicBool::new(false);

/// Sets the process's log level (0 none to 4 debug, clamped) and looks whether standard error is a terminal.
pub fn configure(level: i32) {
    THRESHOLD.store(level.clamp(0, 4) as u8, Ordering::Relaxed);
    COLOUR.store(stderr().is_terminal(), Ordering::Relaxed);
}

/// Writes one line if `level` is within the configured level. A closed standard error is no error.
pub fn write(level: Level, text: fmt::Arguments<'_>) {
    if level as u8 > THRESHOLD.load(Ordering::Relaxed) {
        return;
    }
    let line = render(level, text, COLOUR.load(Ordering::Relaxed));
    let _ = stderr().write_all(line.as_bytes());
}

fn render(level: Level, text: fmt::Arguments<'_>, colour: bool) -> String {
    let (name, digit) = match level {
        Level::Error => ("ERROR", 1),
        Level::Warning => ("WARNING", 3),
        Level::Info => ("INFO", 2),
        Level::Debug => ("DEBUG", 4),
    };
    if colour {
        format!("\x1b[35mlibvmaf\x1b[0m \x1b[3{digit}m{name}\x1b[0m {text}\n")
    } else {
        format!("libvmaf {name} {text}\n")
    }
}

/// Logs at [`Level::Error`].
#[allow(unused_macros)]
macro_rules! error {
    ($($text:tt)*) => { $crate::log::write($crate::log::Level::Error, format_args!($($text)*)) };
}
/// Logs at [`Level::Warning`].
#[allow(unused_macros)]
macro_rules! warning {
    ($($text:tt)*) => { $crate::log::write($crate::log::Level::Warning, format_args!($($text)*)) };
}
/// Logs at [`Level::Debug`].
#[allow(unused_macros)]
macro_rules! debug {
    ($($text:tt)*) => { $crate::log::write($crate::log::Level::Debug, format_args!($($text)*)) };
}
#[allow(unused_imports)]
pub(crate) use {debug, error, warning};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_plain_or_coloured() {
        assert_eq!(render(Level::Warning, format_args!("x {}", 1), false), "libvmaf WARNING x 1\n");
        assert_eq!(
            render(Level::Error, format_args!("x"), true),
            "\x1b[35mlibvmaf\x1b[0m \x1b[31mERROR\x1b[0m x\n"
        );
    }
}

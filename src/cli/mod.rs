// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The `vmaf` program, as a module, so that its parts can be tested and fuzzed.
#![forbid(unsafe_code)]

pub mod args;
mod getopt;
pub mod input;
mod models;
mod number;
mod options;
pub mod preset;
mod progress;
pub mod request;
mod run;
mod source;
mod verdict;

use std::ffi::OsString;
use std::io::{Write, stdout};

use crate::context::VERSION;
use args::Command;
use verdict::{FAILURE, say};

/// The program: `words` are its command line, its own name first. Gives the exit code.
pub fn main(words: impl Iterator<Item = OsString>) -> u8 {
    match args::parse(words, say) {
        Ok(Command::Run(arguments)) => run::run(&arguments),
        Ok(Command::Version) => {
            say(VERSION);
            0
        }
        Ok(Command::Help(text)) => print(&text),
        Err(usage) => {
            say(usage);
            FAILURE
        }
    }
}

fn print(text: &str) -> u8 {
    if stdout().write_all(text.as_bytes()).is_ok() { 0 } else { FAILURE }
}

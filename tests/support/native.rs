// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The libraries as a C program sees them, and the compilers and tools that look at them.
#![allow(dead_code)]

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What a static link needs besides the library: said by rustc, asserted in tests/capi.rs.
pub const STATIC_NEEDS: &str = "-ldl -lgcc_s -lutil -lrt -lpthread -lm -ldl -lc";

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folder of the libraries, which is that of the running test.
///
/// Cargo makes the shared and the static library by the same call of rustc as the rlib that the test is linked
/// with, and puts all of them beside it: they cannot be older than what is under test. The copies one folder
/// higher are made by `cargo build` alone, and may be.
pub fn library_folder() -> PathBuf {
    let test = env::current_exe().expect("a test knows where it is");
    test.parent().expect("a file is in a folder").to_owned()
}

pub fn shared_library() -> PathBuf {
    library_folder().join("libvmaf_rs.so")
}

pub fn static_library() -> PathBuf {
    library_folder().join("libvmaf_rs.a")
}

/// The compiler that the environment names, which may come with arguments, or else `default`.
pub fn compiler(variable: &str, default: &str) -> Command {
    let line = env::var(variable).ok().filter(|line| !line.trim().is_empty());
    let line = line.unwrap_or_else(|| default.to_owned());
    let mut words = line.split_whitespace();
    let mut command = Command::new(words.next().expect("a word"));
    command.args(words);
    command
}

/// Runs a command; the error is all that it printed.
pub fn run(command: &mut Command) -> Result<Output, String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(output);
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Err(format!("{command:?}: {}\n{}{}", output.status, text(&output.stdout), text(&output.stderr)))
}

/// The names of the interface, one a line of capi-tests/exports.txt.
pub fn exports() -> Vec<String> {
    let list = std::fs::read_to_string(root().join("capi-tests/exports.txt")).expect("a list of exports");
    list.lines().map(str::to_owned).collect()
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The `vmaf` program. All of it is in [`vmaf_rs::cli`].
#![forbid(unsafe_code)]

use std::env::args_os;
use std::process::ExitCode;

fn main() -> ExitCode {
    vmaf_rs::cli::main(args_os()).into()
}

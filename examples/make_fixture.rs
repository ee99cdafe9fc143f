// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Writes a test sequence as two raw files, for programs that read files:
//! `make_fixture KIND WIDTH HEIGHT BPC FORMAT FRAMES PREFIX` writes PREFIX.ref.yuv and PREFIX.dis.yuv
//! and prints their CRC-32. FORMAT is 420, 422, 444 or 400.

use std::error::Error;
use std::fs::File;

#[path = "../tests/support/fixtures.rs"]
mod fixtures;

use fixtures::{Fixture, Side};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let prefix = arguments.pop().ok_or("make_fixture KIND WIDTH HEIGHT BPC FORMAT FRAMES PREFIX")?;
    let fixture: Fixture = arguments.join(" ").parse()?;
    let reference = fixture.write(Side::Reference, &mut File::create(format!("{prefix}.ref.yuv"))?)?;
    let distorted = fixture.write(Side::Distorted, &mut File::create(format!("{prefix}.dis.yuv"))?)?;
    println!("ref {reference:08x} dis {distorted:08x}");
    Ok(())
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The log as MicroDVD subtitles, which a player shows over the pictures.

#![forbid(unsafe_code)]

use std::io::{self, Write};

use super::Report;

pub(super) fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    for index in report.collector.rows(report.subsample) {
        write!(out, "{{{index}}}{{{}}}frame: {index}|", u64::from(index) + 1)?;
        for (name, value) in report.row(index) {
            write!(out, "{name}: {}|", report.precision.text(value))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

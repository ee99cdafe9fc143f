// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The CSV log.

#![forbid(unsafe_code)]

use std::io::{self, Write};

use super::Report;

pub(super) fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let table = report.collector;
    write!(out, "Frame,")?;
    table.columns().try_for_each(|column| write!(out, "{},", table.printed_name(column)))?;
    writeln!(out)?;
    table.rows(report.subsample).try_for_each(|index| row(report, out, index))
}

/// A missing value leaves its field empty, so that the others stand under their headings.
fn row(report: &Report<'_>, out: &mut dyn Write, index: u32) -> io::Result<()> {
    write!(out, "{index},")?;
    for column in report.collector.columns() {
        let value = report.collector.get(column, index);
        write!(out, "{},", value.map_or_else(String::new, |value| report.precision.text(value)))?;
    }
    writeln!(out)
}

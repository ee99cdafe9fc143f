// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The JSON log.

#![forbid(unsafe_code)]

use std::fmt::{self, Display, Write as _};
use std::io::{self, Write};

use super::{Report, escaped};
use crate::number::fixed;

pub(super) fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let fps = report.fps();
    writeln!(out, "{{\n  \"version\": {},", Text(report.version))?;
    writeln!(out, "  \"fps\": {},", if fps.is_finite() { fixed(fps, 2) } else { "null".to_owned() })?;
    write!(out, "  \"frames\": [")?;
    frames(report, out)?;
    write!(out, "\n  ],\n  \"pooled_metrics\": {{")?;
    pooled_metrics(report, out)?;
    write!(out, "\n  }},\n  \"aggregate_metrics\": {{")?;
    members(report, out, "    ", report.collector.aggregates())?;
    writeln!(out, "\n  }}\n}}")
}

fn frames(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    for (place, index) in report.collector.rows(report.subsample).enumerate() {
        writeln!(out, "{}    {{\n      \"frameNum\": {index},", separator(place))?;
        writeln!(out, "      \"metrics\": {{")?;
        metrics(report, out, index)?;
        write!(out, "      }}\n    }}")?;
    }
    Ok(())
}

/// Here alone no line ends after `null`: libvmaf's logs have it so.
fn metrics(report: &Report<'_>, out: &mut dyn Write, index: u32) -> io::Result<()> {
    let mut row = report.row(index).peekable();
    while let Some((name, value)) = row.next() {
        let comma = if row.peek().is_some() { "," } else { "" };
        let end = if value.is_finite() { "\n" } else { "" };
        write!(out, "        {}: {}{comma}{end}", Text(name), number(report, value))?;
    }
    Ok(())
}

fn pooled_metrics(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    for (place, column) in report.collector.columns().enumerate() {
        let name = Text(report.collector.printed_name(column));
        write!(out, "{}    {name}: {{", separator(place))?;
        members(report, out, "      ", report.pooled(column).into_iter())?;
        write!(out, "\n    }}")?;
    }
    Ok(())
}

/// Writes the members of an object, each on a line of its own.
fn members<'a>(
    report: &Report<'_>,
    out: &mut dyn Write,
    indent: &str,
    values: impl Iterator<Item = (&'a str, f64)>,
) -> io::Result<()> {
    for (place, (name, value)) in values.enumerate() {
        write!(out, "{}{indent}{}: {}", separator(place), Text(name), number(report, value))?;
    }
    Ok(())
}

/// What stands before the element at `place`.
fn separator(place: usize) -> &'static str {
    if place == 0 { "\n" } else { ",\n" }
}

/// JSON has no infinities and no NaN.
fn number(report: &Report<'_>, value: f64) -> String {
    if value.is_finite() { report.precision.text(value) } else { "null".to_owned() }
}

/// A string with its quotes.
struct Text<'a>(&'a str);

impl Display for Text<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let special = |letter| matches!(letter, '\0'..' ' | '"' | '\\');
        out.write_char('"')?;
        escaped(out, self.0, special, |out, letter| match letter {
            '"' | '\\' => write!(out, "\\{letter}"),
            _ => write!(out, "\\u{:04x}", u32::from(letter)),
        })?;
        out.write_char('"')
    }
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The XML log.

#![forbid(unsafe_code)]

use std::fmt::{self, Display, Write as _};
use std::io::{self, Write};

use super::{Report, escaped};
use crate::number::fixed;

pub(super) fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<VMAF version=\"{}\">", Text(report.version))?;
    writeln!(out, "  <params qualityWidth=\"{}\" qualityHeight=\"{}\" />", report.width, report.height)?;
    writeln!(out, "  <fyi fps=\"{}\" />", fixed(report.fps(), 2))?;
    frames(report, out)?;
    pooled_metrics(report, out)?;
    write!(out, "  <aggregate_metrics ")?;
    attributes(report, out, report.collector.aggregates())?;
    writeln!(out, "</VMAF>")
}

fn frames(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "  <frames>")?;
    for index in report.collector.rows(report.subsample) {
        write!(out, "    <frame frameNum=\"{index}\" ")?;
        attributes(report, out, report.row(index))?;
    }
    writeln!(out, "  </frames>")
}

fn pooled_metrics(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "  <pooled_metrics>")?;
    for column in report.collector.columns() {
        write!(out, "    <metric name=\"{}\" ", Text(report.collector.printed_name(column)))?;
        attributes(report, out, report.pooled(column).into_iter())?;
    }
    writeln!(out, "  </pooled_metrics>")
}

/// Writes the rest of an empty element: attributes, each followed by a blank, and its end.
fn attributes<'a>(
    report: &Report<'_>,
    out: &mut dyn Write,
    values: impl Iterator<Item = (&'a str, f64)>,
) -> io::Result<()> {
    for (name, value) in values {
        write!(out, "{}=\"{}\" ", Name(name), report.precision.text(value))?;
    }
    writeln!(out, "/>")
}

/// Text between the quotes of an attribute.
struct Text<'a>(&'a str);

impl Display for Text<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let special = |letter| matches!(letter, '\0'..' ' | '"' | '<' | '&' | '\u{fffe}' | '\u{ffff}');
        escaped(out, self.0, special, |out, letter| match letter {
            '"' => out.write_str("&quot;"),
            '<' => out.write_str("&lt;"),
            '&' => out.write_str("&amp;"),
            '\t' | '\n' | '\r' => write!(out, "&#{};", u32::from(letter)),
            // XML has no way to write the others.
            _ => out.write_char(char::REPLACEMENT_CHARACTER),
        })
    }
}

/// The name of an attribute. XML has no escapes there: a letter that may not stand in a name becomes `_`, and one
/// that may stand but not begin gets a `_` before it.
struct Name<'a>(&'a str);

impl Display for Name<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = self.0.chars().next();
        if first.is_none_or(|letter| continues_name(letter) && !begins_name(letter)) {
            out.write_char('_')?;
        }
        escaped(out, self.0, |letter| !continues_name(letter), |out, _| out.write_char('_'))
    }
}

/// XML's `NameStartChar` without the colon, which parsers take for the end of a name space.
fn begins_name(letter: char) -> bool {
    matches!(letter, 'A'..='Z' | 'a'..='z' | '_' | '\u{c0}'..='\u{d6}' | '\u{d8}'..='\u{f6}' | '\u{f8}'..='\u{2ff}'
        | '\u{370}'..='\u{37d}' | '\u{37f}'..='\u{1fff}' | '\u{200c}' | '\u{200d}' | '\u{2070}'..='\u{218f}'
        | '\u{2c00}'..='\u{2fef}' | '\u{3001}'..='\u{d7ff}' | '\u{f900}'..='\u{fdcf}' | '\u{fdf0}'..='\u{fffd}'
        | '\u{10000}'..='\u{effff}')
}

/// XML's `NameChar` without the colon.
fn continues_name(letter: char) -> bool {
    let marks =
        matches!(letter, '0'..='9' | '-' | '.' | '\u{b7}' | '\u{300}'..='\u{36f}' | '\u{203f}' | '\u{2040}');
    marks || begins_name(letter)
}

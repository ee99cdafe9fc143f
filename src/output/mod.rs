// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Log files in four formats, the same to the byte as libvmaf's, oddities included: programs compare and parse them.

#![forbid(unsafe_code)]

mod csv;
mod json;
mod sub;
mod xml;

use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::error::{Error, Result};
use crate::feature::collector::{Collector, ColumnId};
use crate::feature::pooling::{Pooling, Summary};
use crate::number::{fixed, general};

/// A format of log files. The numbers are those of C's `enum VmafOutputFormat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum OutputFormat {
    /// XML, the values of a picture as attributes.
    Xml = 1,
    /// JSON.
    Json = 2,
    /// Comma-separated values, without pooled figures.
    Csv = 3,
    /// MicroDVD subtitles, a line for each picture.
    Sub = 4,
}

impl OutputFormat {
    /// The format with C's number, if there is one.
    pub fn from_number(number: u32) -> Option<Self> {
        [Self::Xml, Self::Json, Self::Csv, Self::Sub].into_iter().find(|&format| format as u32 == number)
    }
}

/// How many digits of a value are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// Six decimals, or sixteen if the fraction has more than six leading zeros.
    #[default]
    Default,
    /// So many significant digits.
    Digits(u32),
    /// Enough digits to give the same double when read.
    Max,
}

impl Precision {
    /// The text of `value`; infinities and NaN as C prints them.
    pub fn text(self, value: f64) -> String {
        match self {
            Self::Default => fixed(value, default_decimals(value)),
            Self::Digits(digits) => general(value, digits as usize),
            Self::Max => general(value, 17),
        }
    }
}

/// The shifts are done in floating point and one by one, since their rounding decides close cases.
fn default_decimals(value: f64) -> usize {
    let magnitude = value.abs();
    let mut fraction = if magnitude < 2147483648.0 { magnitude.fract() } else { 0.0 };
    let mut shifts = 0;
    while fraction != 0.0 && fraction < 1.0 {
        fraction *= 10.0;
        shifts += 1;
    }
    if shifts <= 6 { 6 } else { 16 }
}

/// What a log file tells.
#[derive(Clone, Copy)]
pub struct Report<'a> {
    /// The values.
    pub collector: &'a Collector,
    /// The library's version text.
    pub version: &'a str,
    /// Luma width of the first pair in samples; 0 before one.
    pub width: u32,
    /// Luma height of the first pair in samples; 0 before one.
    pub height: u32,
    /// How many pairs were read. Pooled figures are those of the indices 0 to `pairs - 1`.
    pub pairs: u64,
    /// Every how manieth index is told; 0 and 1 both mean all.
    pub subsample: u32,
    /// The digits of values.
    pub precision: Precision,
}

impl<'a> Report<'a> {
    /// The values of one picture under their printed names.
    fn row(self, index: u32) -> impl Iterator<Item = (&'a str, f64)> {
        let table = self.collector;
        let written = move |id: ColumnId| Some((table.printed_name(id), table.get(id, index)?));
        table.columns().filter_map(written)
    }

    /// The pooled figures of a column by method; none if a value is missing.
    fn pooled(&self, column: ColumnId) -> Vec<(&'static str, f64)> {
        let Some(last) = self.pairs.checked_sub(1) else { return Vec::new() };
        let high = u32::try_from(last).unwrap_or(u32::MAX);
        let summary = Summary::of(self.collector, column, 0, high, self.subsample);
        summary.map_or_else(|_| Vec::new(), |all| Pooling::ALL.map(|by| (by.name(), all.score(by))).to_vec())
    }

    /// Pairs a second of wall time between the first value and the latest.
    fn fps(&self) -> f64 {
        if self.pairs == 0 {
            return f64::NAN.copysign(-1.0);
        }
        self.pairs as f64 / self.collector.elapsed().as_secs_f64()
    }
}

/// Writes `text` with `escape` for each letter that is `special`, and what stands between these as a whole.
fn escaped(
    out: &mut fmt::Formatter<'_>,
    text: &str,
    special: impl Fn(char) -> bool,
    escape: impl Fn(&mut fmt::Formatter<'_>, char) -> fmt::Result,
) -> fmt::Result {
    for piece in text.split_inclusive(&special) {
        match piece.char_indices().next_back() {
            Some((end, letter)) if special(letter) => {
                out.write_str(&piece[..end])?;
                escape(out, letter)?;
            }
            _ => out.write_str(piece)?,
        }
    }
    Ok(())
}

/// Writes the log to `out`, in many small pieces.
pub fn write(report: &Report<'_>, format: OutputFormat, out: &mut dyn Write) -> io::Result<()> {
    match format {
        OutputFormat::Xml => xml::write(report, out),
        OutputFormat::Json => json::write(report, out),
        OutputFormat::Csv => csv::write(report, out),
        OutputFormat::Sub => sub::write(report, out),
    }
}

/// Writes the log to the file `path`, replacing it. A file that cannot be opened is told on standard error, in
/// libvmaf's words.
pub fn write_file(report: &Report<'_>, format: OutputFormat, path: &Path) -> Result<()> {
    let file = File::create(path).map_err(|_| {
        let name = path.as_os_str().as_encoded_bytes();
        let _ = io::stderr().write_all(&[b"could not open file: ", name, b"\n"].concat());
        Error::logged()
    })?;
    let mut out = BufWriter::new(file);
    let written = write(report, format, &mut out).and_then(|()| out.flush());
    written.map_err(|error| Error::invalid(format!("could not write file: {}: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_digits_follow_the_leading_zeros() {
        let text = |value| Precision::Default.text(value);
        assert_eq!(text(0.97), "0.970000");
        assert_eq!(text(0.000001), "0.000001");
        assert_eq!(text(0.0000004), "0.0000004000000000");
        assert_eq!(text(3.00000001), "3.0000000099999999");
        assert_eq!(text(-3.00000001), "-3.0000000099999999");
        assert_eq!(
            (text(0.0), text(-0.0), text(100.0)),
            ("0.000000".into(), "-0.000000".into(), "100.000000".into())
        );
        assert_eq!(text(2147483648f64.next_down()), "2147483648.000000");
        assert_eq!(text(2147483647.0 + 2f64.powi(-22)), "2147483647.0000002384185791");
        assert_eq!(text(2147483648f64.next_up()), "2147483648.000000");
        assert_eq!(text(5e-324), "0.0000000000000000");
    }

    #[test]
    fn a_value_that_is_not_finite_is_told_by_its_sign_bit() {
        let values = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -f64::NAN];
        for precision in [Precision::Default, Precision::Digits(3), Precision::Max] {
            assert_eq!(values.map(|value| precision.text(value)), ["inf", "-inf", "nan", "-nan"]);
        }
    }

    #[test]
    fn more_digits_may_be_asked_for() {
        let third = 100.0 / 3.0;
        assert_eq!(Precision::Digits(3).text(third), "33.3");
        assert_eq!(Precision::Digits(1).text(third), "3e+01");
        assert_eq!(Precision::Max.text(third), "33.333333333333336");
    }

    #[test]
    fn formats_have_the_numbers_of_c() {
        let formats = [OutputFormat::Xml, OutputFormat::Json, OutputFormat::Csv, OutputFormat::Sub];
        assert_eq!([1, 2, 3, 4].map(OutputFormat::from_number), formats.map(Some));
        assert_eq!((OutputFormat::from_number(0), OutputFormat::from_number(5)), (None, None));
    }
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! YUV4MPEG2: a header line of tags, then frames, each behind a line of its own.

use std::io::{BufRead, Read};

use super::raw::{self, LARGEST_SIDE};
use super::{ReadError, available};
use crate::picture::{Format, PixelFormat};

/// Bytes of a frame's line without parameters.
pub(super) const MARKER_BYTES: usize = b"FRAME\n".len();

/// A header that has not ended by then is none: nothing that writes one comes near.
const LONGEST_HEADER: u64 = 64 << 10;

const UNKNOWN_INTERLACING: &str =
    "Warning: Input video interlacing format unknown; assuming progressive scan.";

/// What a header says.
#[derive(Debug)]
pub(super) struct Header {
    pub format: Format,
    /// Bytes of a fourth plane in each frame.
    pub alpha_bytes: u64,
    pub bytes: u64,
    pub warnings: Vec<String>,
}

pub(super) fn read_header(input: &mut impl BufRead) -> Result<Header, ReadError> {
    let mut line = Vec::new();
    input.by_ref().take(LONGEST_HEADER).read_until(b'\n', &mut line)?;
    let bytes = line.len() as u64;
    let Some(text) = line.strip_suffix(b"\n") else {
        return Err(refused(if bytes < LONGEST_HEADER {
            "The YUV4MPEG2 header does not end"
        } else {
            "The YUV4MPEG2 header is longer than 64 KiB"
        }));
    };
    let text = text.strip_suffix(b"\r").unwrap_or(text);
    Ok(Header { bytes, ..parse_header(&String::from_utf8_lossy(text))? })
}

fn refused(text: impl Into<String>) -> ReadError {
    ReadError::Header(text.into())
}

fn parse_header(text: &str) -> Result<Header, ReadError> {
    let mut words = text.split(' ');
    let mut warnings = Vec::from_iter(check_magic(words.next().unwrap_or(""))?);
    let tags = Tags::collect(words);
    warnings.extend(check_scan(tags.scan)?);
    let (width, height) = (tags.side('W', tags.width)?, tags.side('H', tags.height)?);
    check_rate(tags.rate)?;
    let (pixel, bpc, alpha) = sampling(tags.sampling.unwrap_or("420"))?;
    let format = Format { pixel, bpc, width, height };
    raw::check(&format)?;
    let alpha_bytes = if alpha { u64::from(width) * u64::from(height) } else { 0 };
    Ok(Header { format, alpha_bytes, bytes: 0, warnings })
}

/// An unknown version is worth a warning only, as its frames may well be the same.
fn check_magic(word: &str) -> Result<Option<String>, ReadError> {
    match word.strip_prefix("YUV4MPEG") {
        Some("2") => Ok(None),
        Some(_) => Ok(Some(format!("Warning: Unknown version of YUV4MPEG: {word}"))),
        None => Err(refused("The file does not begin with YUV4MPEG2")),
    }
}

/// The tags that matter, the last of each letter.
#[derive(Default)]
struct Tags<'a> {
    width: Option<&'a str>,
    height: Option<&'a str>,
    rate: Option<&'a str>,
    scan: Option<&'a str>,
    sampling: Option<&'a str>,
}

impl<'a> Tags<'a> {
    fn collect(words: impl Iterator<Item = &'a str>) -> Self {
        let mut tags = Self::default();
        for word in words {
            let Some(letter) = word.chars().next() else { continue };
            let value = Some(&word[letter.len_utf8()..]);
            match letter {
                'W' => tags.width = value,
                'H' => tags.height = value,
                'F' => tags.rate = value,
                'I' => tags.scan = value,
                'C' => tags.sampling = value,
                _ => {}
            }
        }
        tags
    }

    fn side(&self, letter: char, value: Option<&str>) -> Result<u32, ReadError> {
        let value = value.ok_or_else(|| refused(format!("The YUV4MPEG2 header has no {letter}")))?;
        let side = decimal(value).filter(|side| (1..=LARGEST_SIDE).contains(side));
        side.ok_or_else(|| refused(format!("{letter}{value} is not within {letter}1 to {letter}65535")))
    }
}

/// Digits only: `str::parse` would take a sign as well.
fn decimal(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

fn check_scan(scan: Option<&str>) -> Result<Option<String>, ReadError> {
    match scan.unwrap_or("?") {
        "p" => Ok(None),
        "?" => Ok(Some(UNKNOWN_INTERLACING.to_owned())),
        _ => Err(refused("Input video is interlaced; only progressive scan is handled.")),
    }
}

/// The rate has no use here, yet a header without one is broken.
fn check_rate(rate: Option<&str>) -> Result<(), ReadError> {
    let (numerator, denominator) = rate.and_then(|rate| rate.split_once(':')).unwrap_or_default();
    match (decimal(numerator), decimal(denominator)) {
        (Some(_), Some(_)) => Ok(()),
        _ => Err(refused("The YUV4MPEG2 header has no frame rate Fn:d")),
    }
}

/// Pixel format, depth, and whether a fourth plane follows. Where chroma samples sit makes no
/// difference to metrics that compare like with like, so 4:2:0 is 4:2:0.
fn sampling(text: &str) -> Result<(PixelFormat, u32, bool), ReadError> {
    use PixelFormat::*;
    let plain = match text {
        "420" | "420jpeg" | "420mpeg2" | "420paldv" => (Yuv420, 8),
        "422" => (Yuv422, 8),
        "444" => (Yuv444, 8),
        "mono" => (Yuv400, 8),
        "444alpha" => return Ok((Yuv444, 8, true)),
        _ => deep_sampling(text).ok_or_else(|| refused(format!("Unknown chroma sampling type: {text}")))?,
    };
    Ok((plain.0, plain.1, false))
}

fn deep_sampling(text: &str) -> Option<(PixelFormat, u32)> {
    let families = [
        ("420p", PixelFormat::Yuv420),
        ("422p", PixelFormat::Yuv422),
        ("444p", PixelFormat::Yuv444),
        ("mono", PixelFormat::Yuv400),
    ];
    let (prefix, pixel) = families.into_iter().find(|(prefix, _)| text.starts_with(prefix))?;
    match &text[prefix.len()..] {
        "10" => Some((pixel, 10)),
        "12" => Some((pixel, 12)),
        "16" => Some((pixel, 16)),
        _ => None,
    }
}

/// Reads a frame's line; a rest too short for one is the end.
pub(super) fn begin_frame(input: &mut impl BufRead) -> Result<bool, ReadError> {
    let mut marker = [0; MARKER_BYTES];
    let mut filled = 0;
    while filled < MARKER_BYTES {
        if available(input)? == 0 {
            return Ok(false);
        }
        filled += input.read(&mut marker[filled..])?;
    }
    if !marker.starts_with(b"FRAME") {
        return Err(ReadError::Framing);
    }
    if !marker.ends_with(b"\n") {
        input.skip_until(b'\n')?;
    }
    Ok(true)
}

#[cfg(test)]
mod tests;

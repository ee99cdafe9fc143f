// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Readers of uncompressed video: raw planes and YUV4MPEG2, from any buffered stream.
//!
//! A [`Video`] reads forward only, so pipes serve as well as files. Rows go straight into the
//! caller's picture; nothing is allocated for a frame, whatever size a header claims.

mod frame;
mod raw;
mod y4m;

use std::fmt;
use std::io::{self, BufRead};

use crate::picture::Format;
use frame::Frame;

/// Where the rows of a frame are put.
pub trait PlaneSink {
    /// The memory of row `row` of plane `plane`: exactly width times sample bytes of
    /// [`Video::format`], 16-bit samples in the machine's byte order.
    fn row(&mut self, plane: usize, row: usize) -> &mut [u8];
}

/// Why a video cannot be read, or not further.
#[derive(Debug)]
pub enum ReadError {
    /// The operating system refused.
    Io(io::Error),
    /// The stream does not begin as a video that can be read.
    Header(String),
    /// Something else stands where a frame should begin.
    Framing,
    /// The stream ends within a frame.
    Truncated,
}

impl fmt::Display for ReadError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(out),
            Self::Header(text) => out.write_str(text),
            Self::Framing => out.write_str("Loss of framing in YUV input data"),
            Self::Truncated => out.write_str("The last frame is cut short"),
        }
    }
}

impl std::error::Error for ReadError {}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Self::Truncated,
            _ => Self::Io(error),
        }
    }
}

/// What stands before each frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Framing {
    Raw,
    Yuv4Mpeg2,
}

/// A stream of frames of one format.
#[derive(Debug)]
pub struct Video<R> {
    input: R,
    framing: Framing,
    frame: Frame,
    header_bytes: u64,
    warnings: Vec<String>,
}

impl<R: BufRead> Video<R> {
    /// Planes one behind the other, without any header: everything about them must be known.
    pub fn raw(input: R, format: Format) -> Result<Self, ReadError> {
        raw::check(&format)?;
        let frame = Frame::new(format, 0);
        Ok(Self { input, framing: Framing::Raw, frame, header_bytes: 0, warnings: Vec::new() })
    }

    /// A YUV4MPEG2 stream; its header is read now.
    pub fn yuv4mpeg2(mut input: R) -> Result<Self, ReadError> {
        let header = y4m::read_header(&mut input)?;
        let frame = Frame::new(header.format, header.alpha_bytes);
        let (header_bytes, warnings) = (header.bytes, header.warnings);
        Ok(Self { input, framing: Framing::Yuv4Mpeg2, frame, header_bytes, warnings })
    }

    /// The format of the frames as they are delivered.
    pub fn format(&self) -> Format {
        self.frame.delivered()
    }

    /// What a user should know about the header.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Delivers samples of `bpc` bits, shifted left, from a file of fewer.
    ///
    /// # Panics
    /// If `bpc` is below the file's depth or above 16.
    pub fn deepen(&mut self, bpc: u32) {
        self.frame.deepen(bpc);
    }

    /// How many frames a stream of `bytes` bytes holds, if its frames carry no parameters.
    pub fn frames_within(&self, bytes: u64) -> u64 {
        let marker = match self.framing {
            Framing::Raw => 0,
            Framing::Yuv4Mpeg2 => y4m::MARKER_BYTES as u64,
        };
        bytes.saturating_sub(self.header_bytes) / (self.frame.bytes() + marker)
    }

    /// Reads a frame; `false` at the end of the stream. After an error nothing can be read any more.
    ///
    /// # Panics
    /// If `sink` gives a row shorter than the format's.
    pub fn read_frame(&mut self, sink: &mut dyn PlaneSink) -> Result<bool, ReadError> {
        let begins = self.begin_frame()?;
        if begins {
            self.frame.read(&mut self.input, sink)?;
        }
        Ok(begins)
    }

    /// Passes over a frame; `false` at the end of the stream.
    pub fn skip_frame(&mut self) -> Result<bool, ReadError> {
        let begins = self.begin_frame()?;
        if begins {
            skip(&mut self.input, self.frame.bytes())?;
        }
        Ok(begins)
    }

    fn begin_frame(&mut self) -> Result<bool, ReadError> {
        match self.framing {
            Framing::Raw => raw::begin_frame(&mut self.input),
            Framing::Yuv4Mpeg2 => y4m::begin_frame(&mut self.input),
        }
    }
}

/// The bytes at hand, none at the end of the stream; a signal is no reason to give up.
fn available(input: &mut impl BufRead) -> io::Result<usize> {
    loop {
        match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other.map(<[u8]>::len),
        }
    }
}

fn skip(input: &mut impl BufRead, mut bytes: u64) -> Result<(), ReadError> {
    while bytes > 0 {
        let step = bytes.min(available(input)? as u64);
        if step == 0 {
            return Err(ReadError::Truncated);
        }
        input.consume(step as usize);
        bytes -= step;
    }
    Ok(())
}

#[cfg(test)]
mod testing;

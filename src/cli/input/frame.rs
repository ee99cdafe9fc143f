// SPDX-License-Identifier: BSD-2-Clause-Patent
//! One frame's planes, as a file holds them and as a picture wants them.

use std::io::BufRead;

use super::{PlaneSink, ReadError, skip};
use crate::picture::Format;

/// The planes of a frame in a file, and how far its samples are shifted on the way out.
#[derive(Debug)]
pub(super) struct Frame {
    stored: Format,
    bytes_behind: u64,
    shift: u32,
}

impl Frame {
    /// Planes of `stored`, then `bytes_behind` bytes that are of no use.
    pub fn new(stored: Format, bytes_behind: u64) -> Self {
        Self { stored, bytes_behind, shift: 0 }
    }

    pub fn delivered(&self) -> Format {
        Format { bpc: self.stored.bpc + self.shift, ..self.stored }
    }

    pub fn deepen(&mut self, bpc: u32) {
        assert!((self.stored.bpc..=16).contains(&bpc));
        self.shift = bpc - self.stored.bpc;
    }

    pub fn bytes(&self) -> u64 {
        let samples: u64 = (0..self.stored.pixel.planes()).map(|plane| self.samples(plane)).sum();
        samples * self.stored.sample_bytes() as u64 + self.bytes_behind
    }

    fn samples(&self, plane: usize) -> u64 {
        let (width, height) = self.stored.plane_size(plane);
        u64::from(width) * u64::from(height)
    }

    pub fn read(&self, input: &mut impl BufRead, sink: &mut dyn PlaneSink) -> Result<(), ReadError> {
        for plane in 0..self.stored.pixel.planes() {
            let (width, height) = self.stored.plane_size(plane);
            for row in 0..height as usize {
                self.read_row(input, sink.row(plane, row), width as usize)?;
            }
        }
        skip(input, self.bytes_behind)
    }

    fn read_row(&self, input: &mut impl BufRead, row: &mut [u8], width: usize) -> Result<(), ReadError> {
        input.read_exact(&mut row[..width * self.stored.sample_bytes()])?;
        match (self.stored.sample_bytes(), self.delivered().sample_bytes()) {
            (1, 2) => widen(row, width, self.shift),
            (2, _) if self.shift > 0 || cfg!(target_endian = "big") => shift(row, self.shift),
            _ => {}
        }
        Ok(())
    }
}

/// From the last sample to the first: a sample's two bytes lie on none that is still to be read.
fn widen(row: &mut [u8], width: usize, shift: u32) {
    for x in (0..width).rev() {
        let sample = u16::from(row[x]) << shift;
        row[2 * x..][..2].copy_from_slice(&sample.to_ne_bytes());
    }
}

fn shift(row: &mut [u8], shift: u32) {
    for bytes in row.chunks_exact_mut(2) {
        let sample = u16::from_le_bytes([bytes[0], bytes[1]]) << shift;
        bytes.copy_from_slice(&sample.to_ne_bytes());
    }
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! A picture for tests of the readers.

use super::PlaneSink;
use crate::picture::{Format, PixelFormat};

pub fn format(pixel: PixelFormat, bpc: u32, width: u32, height: u32) -> Format {
    Format { pixel, bpc, width, height }
}

/// Planes without padding, one behind the other.
pub struct Canvas {
    format: Format,
    bytes: Vec<u8>,
}

impl Canvas {
    pub fn new(format: Format) -> Self {
        let samples: u32 = (0..format.pixel.planes()).map(|plane| area(&format, plane)).sum();
        Self { format, bytes: vec![0; samples as usize * format.sample_bytes()] }
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn samples(&self) -> Vec<u16> {
        self.bytes.chunks(2).map(|pair| u16::from_ne_bytes([pair[0], pair[1]])).collect()
    }
}

fn area(format: &Format, plane: usize) -> u32 {
    let (width, height) = format.plane_size(plane);
    width * height
}

impl PlaneSink for Canvas {
    fn row(&mut self, plane: usize, row: usize) -> &mut [u8] {
        let before: u32 = (0..plane).map(|plane| area(&self.format, plane)).sum();
        let width = self.format.plane_size(plane).0 as usize;
        let start = before as usize + row * width;
        let sample_bytes = self.format.sample_bytes();
        &mut self.bytes[start * sample_bytes..][..width * sample_bytes]
    }
}

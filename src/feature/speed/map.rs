// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The few samples that are kept of a plane.
#![forbid(unsafe_code)]

/// Samples behind the last one that vectors may read. They are 0.
const MARGIN: usize = 16;

/// Rows of floats one behind the other.
#[derive(Clone, Debug)]
pub struct Map {
    width: usize,
    samples: Vec<f32>,
}

impl Map {
    /// A map of zeros.
    pub fn new([width, height]: [usize; 2]) -> Self {
        Self { width, samples: vec![0.0; width * height + MARGIN] }
    }

    /// Width in samples.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Height in rows.
    pub fn height(&self) -> usize {
        (self.samples.len() - MARGIN) / self.width
    }

    /// Row `y`.
    pub fn row(&self, y: usize) -> &[f32] {
        &self.samples[y * self.width..][..self.width]
    }

    /// Row `y`, to be written.
    pub fn row_mut(&mut self, y: usize) -> &mut [f32] {
        &mut self.samples[y * self.width..][..self.width]
    }

    /// All rows, to be written.
    pub fn samples_mut(&mut self) -> &mut [f32] {
        let end = self.samples.len() - MARGIN;
        &mut self.samples[..end]
    }

    /// All samples from row `y` on, and some zeros behind them.
    pub fn from_row(&self, y: usize) -> &[f32] {
        &self.samples[y * self.width..]
    }
}

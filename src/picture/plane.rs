// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Read-only views of a picture's planes.

/// One plane of samples: `height` rows of `width` samples, `stride` samples apart.
#[derive(Clone, Copy, Debug)]
pub struct Plane<'a, T> {
    samples: &'a [T],
    width: usize,
    height: usize,
    stride: usize,
}

impl<'a, T> Plane<'a, T> {
    /// A view of `samples`, which must hold every row in full.
    ///
    /// # Panics
    /// If the rows do not lie within `samples`, or overlap.
    pub fn new(samples: &'a [T], width: usize, height: usize, stride: usize) -> Self {
        assert!(width <= stride || height <= 1);
        assert!(height == 0 || (height - 1) * stride + width <= samples.len());
        Self { samples, width, height, stride }
    }

    /// The top left part of this size, which must not be larger than the plane.
    pub fn cropped(self, width: usize, height: usize) -> Self {
        assert!(width <= self.width && height <= self.height);
        Self { width, height, ..self }
    }

    /// Width in samples.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Height in rows.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Samples in the plane.
    pub fn area(&self) -> usize {
        self.width * self.height
    }

    /// Row `y`, its samples without the padding.
    pub fn row(&self, y: usize) -> &'a [T] {
        &self.samples[y * self.stride..][..self.width]
    }

    /// The rows from `rows.start` to before `rows.end`.
    pub fn rows(&self, rows: std::ops::Range<usize>) -> impl Iterator<Item = &'a [T]> + use<'a, T> {
        let (samples, width, stride) = (self.samples, self.width, self.stride);
        rows.map(move |y| &samples[y * stride..][..width])
    }
}

/// A plane in the sample type of its depth.
#[derive(Clone, Copy, Debug)]
pub enum Samples<'a> {
    /// 8 bits per component.
    Bits8(Plane<'a, u8>),
    /// 9 to 16 bits per component, value in the low bits.
    Bits16(Plane<'a, u16>),
}

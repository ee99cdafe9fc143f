// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Pictures as floats in the 8-bit range, whatever they are stored as.
#![forbid(unsafe_code)]

use std::ops::Range;

use crate::feature::depth::Depth;
use crate::picture::{Picture, Plane, Samples};

/// Rows of floats. Each row is a piece of its own, so that threads can fill different ones.
#[derive(Clone, Debug, Default)]
pub struct FloatPlane {
    width: usize,
    rows: Vec<Vec<f32>>,
}

impl FloatPlane {
    /// A plane of zeros.
    pub fn new(width: usize, height: usize) -> Self {
        Self { width, rows: vec![vec![0.0; width]; height] }
    }

    /// Width in samples.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Height in rows.
    pub fn height(&self) -> usize {
        self.rows.len()
    }

    /// Row `y`.
    pub fn row(&self, y: usize) -> &[f32] {
        &self.rows[y]
    }

    /// All rows, to be written.
    pub fn rows_mut(&mut self) -> &mut [Vec<f32>] {
        &mut self.rows
    }

    /// Takes over the samples of an image of the same size.
    pub fn copy_from(&mut self, image: &Image<'_>) {
        let width = self.width;
        for (y, row) in self.rows.iter_mut().enumerate() {
            image.read(y, 0..width, row);
        }
    }
}

/// One picture of floats. Samples above 8 bits are divided by a power of two, which is exact.
#[derive(Clone, Copy, Debug)]
pub enum Image<'a> {
    /// A plane of 8 bits.
    Bits8(Plane<'a, u8>),
    /// A plane of more bits, and what takes a code value to the 8-bit range.
    Bits16(Plane<'a, u16>, f32),
    /// A picture made from others.
    Float(&'a FloatPlane),
}

impl<'a> Image<'a> {
    /// The luma of a picture.
    pub fn luma(picture: &'a Picture, depth: Depth) -> Self {
        Self::plane(picture, 0, depth)
    }

    /// A plane of a picture.
    pub fn plane(picture: &'a Picture, index: usize, depth: Depth) -> Self {
        match picture.plane(index) {
            Samples::Bits8(plane) => Self::Bits8(plane),
            Samples::Bits16(plane) => Self::Bits16(plane, 1.0 / depth.scale() as f32),
        }
    }

    /// Width in samples.
    pub fn width(&self) -> usize {
        match self {
            Self::Bits8(plane) => plane.width(),
            Self::Bits16(plane, _) => plane.width(),
            Self::Float(plane) => plane.width(),
        }
    }

    /// Height in rows.
    pub fn height(&self) -> usize {
        match self {
            Self::Bits8(plane) => plane.height(),
            Self::Bits16(plane, _) => plane.height(),
            Self::Float(plane) => plane.height(),
        }
    }

    /// Writes these columns of row `y` to the front of `out`.
    #[inline(always)]
    pub fn read(&self, y: usize, columns: Range<usize>, out: &mut [f32]) {
        match self {
            Self::Bits8(plane) => {
                for (out, &x) in out.iter_mut().zip(&plane.row(y)[columns]) {
                    *out = f32::from(x);
                }
            }
            Self::Bits16(plane, unit) => {
                for (out, &x) in out.iter_mut().zip(&plane.row(y)[columns]) {
                    *out = f32::from(x) * unit;
                }
            }
            Self::Float(plane) => {
                let samples = &plane.row(y)[columns];
                out[..samples.len()].copy_from_slice(samples);
            }
        }
    }
}

/// The position that a filter reads for position `i` of `size`: beyond an edge, what lies as far inside, the edge
/// itself being repeated.
#[inline]
pub fn mirror(i: isize, size: usize) -> usize {
    let inside = if i < 0 { -1 - i } else { i } as usize;
    if inside >= size { 2 * size - 1 - inside } else { inside }
}

/// The size of a picture of which every `factor`-th sample is kept: the parity of the size adds one.
pub fn decimated(size: usize, factor: usize) -> usize {
    size / factor + size % 2
}

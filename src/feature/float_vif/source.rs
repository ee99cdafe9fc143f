// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Pictures as the filters see them: floats in the 8-bit range with its middle at 0.
#![forbid(unsafe_code)]

use std::ops::Range;

use crate::feature::depth::Depth;
use crate::feature::ssim::image::FloatPlane;
use crate::picture::{Picture, Plane, Samples};

/// What is taken off every sample: the middle of the 8-bit range.
const MIDDLE: f32 = 128.0;

/// One picture, converted as it is read: exact at every depth.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    /// Luma of 8 bits.
    Bits8(Plane<'a, u8>),
    /// Luma of more bits, and what takes a code value to the 8-bit range: a power of two.
    Bits16(Plane<'a, u16>, f32),
    /// A picture made from others.
    Float(&'a FloatPlane),
}

impl<'a> Source<'a> {
    /// The luma of a picture.
    pub fn luma(picture: &'a Picture, depth: Depth) -> Self {
        match picture.plane(0) {
            Samples::Bits8(plane) => Self::Bits8(plane),
            Samples::Bits16(plane) => Self::Bits16(plane, 1.0 / depth.scale() as f32),
        }
    }

    /// Samples in a row.
    pub fn width(&self) -> usize {
        match self {
            Self::Bits8(plane) => plane.width(),
            Self::Bits16(plane, _) => plane.width(),
            Self::Float(plane) => plane.width(),
        }
    }

    /// Rows.
    pub fn height(&self) -> usize {
        match self {
            Self::Bits8(plane) => plane.height(),
            Self::Bits16(plane, _) => plane.height(),
            Self::Float(plane) => plane.height(),
        }
    }

    /// The sample in column `x` of row `y`.
    pub fn at(&self, x: usize, y: usize) -> f32 {
        match self {
            Self::Bits8(plane) => f32::from(plane.row(y)[x]) - MIDDLE,
            Self::Bits16(plane, unit) => f32::from(plane.row(y)[x]) * unit - MIDDLE,
            Self::Float(plane) => plane.row(y)[x],
        }
    }

    /// Writes these columns of row `y` to the front of `out`.
    #[inline(always)]
    pub fn read(&self, y: usize, columns: Range<usize>, out: &mut [f32]) {
        match self {
            Self::Bits8(plane) => {
                let samples = out.iter_mut().zip(&plane.row(y)[columns]);
                samples.for_each(|(out, &x)| *out = f32::from(x) - MIDDLE);
            }
            Self::Bits16(plane, unit) => {
                let samples = out.iter_mut().zip(&plane.row(y)[columns]);
                samples.for_each(|(out, &x)| *out = f32::from(x) * unit - MIDDLE);
            }
            Self::Float(plane) => {
                let samples = &plane.row(y)[columns];
                out[..samples.len()].copy_from_slice(samples);
            }
        }
    }
}

/// The position that a filter reads for position `i` of `size`: beyond an edge, what lies as far inside, the edge
/// itself not being repeated. One reflection is enough for every size that is accepted.
#[inline]
pub fn mirror(i: isize, size: usize) -> usize {
    let inside = i.unsigned_abs();
    if inside >= size { 2 * (size - 1) - inside } else { inside }
}

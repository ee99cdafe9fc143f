// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Planes as floats in the 8-bit range (section 5.1), whatever they are stored as. Every value is exact.
#![forbid(unsafe_code)]

use crate::feature::depth::Depth;
use crate::picture::{Picture, Plane, Samples};

/// A plane whose samples can be read as floats.
pub trait Source: Sync {
    /// Width in samples.
    fn width(&self) -> usize;

    /// Height in rows.
    fn height(&self) -> usize;

    /// Reads row `y` from column `x` on, as many samples as `out` holds.
    fn read(&self, y: usize, x: usize, out: &mut [f32]);
}

/// Samples with their middle at 0.
#[derive(Clone, Copy, Debug)]
pub struct Still<'a, T> {
    plane: Plane<'a, T>,
    unit: f32,
}

/// Samples of an earlier plane minus those of a later one.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a, T> {
    earlier: Plane<'a, T>,
    later: Plane<'a, T>,
    unit: f32,
}

impl<T: Copy + Into<i32> + Sync> Source for Still<'_, T> {
    fn width(&self) -> usize {
        self.plane.width()
    }

    fn height(&self) -> usize {
        self.plane.height()
    }

    #[inline(always)]
    fn read(&self, y: usize, x: usize, out: &mut [f32]) {
        let samples = &self.plane.row(y)[x..][..out.len()];
        for (out, &sample) in out.iter_mut().zip(samples) {
            *out = sample.into() as f32 * self.unit - 128.0;
        }
    }
}

impl<T: Copy + Into<i32> + Sync> Source for Change<'_, T> {
    fn width(&self) -> usize {
        self.earlier.width()
    }

    fn height(&self) -> usize {
        self.earlier.height()
    }

    #[inline(always)]
    fn read(&self, y: usize, x: usize, out: &mut [f32]) {
        let earlier = &self.earlier.row(y)[x..][..out.len()];
        let later = &self.later.row(y)[x..][..out.len()];
        for ((out, &earlier), &later) in out.iter_mut().zip(earlier).zip(later) {
            *out = (earlier.into() - later.into()) as f32 * self.unit;
        }
    }
}

/// What is measured of one picture.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// A plane of 8 bits.
    Still8(Still<'a, u8>),
    /// A plane of more bits.
    Still16(Still<'a, u16>),
    /// The change of a plane of 8 bits.
    Change8(Change<'a, u8>),
    /// The change of a plane of more bits.
    Change16(Change<'a, u16>),
}

impl<'a> Input<'a> {
    /// The top left part, of this size, of plane `index`.
    pub fn still(picture: &'a Picture, index: usize, [width, height]: [usize; 2], depth: Depth) -> Self {
        let unit = 1.0 / depth.scale() as f32;
        match picture.plane(index) {
            Samples::Bits8(plane) => Self::Still8(Still { plane: plane.cropped(width, height), unit }),
            Samples::Bits16(plane) => Self::Still16(Still { plane: plane.cropped(width, height), unit }),
        }
    }

    /// Luma of `earlier` minus luma of `later`.
    pub fn change(earlier: &'a Picture, later: &'a Picture, depth: Depth) -> Self {
        let unit = 1.0 / depth.scale() as f32;
        match (earlier.plane(0), later.plane(0)) {
            (Samples::Bits8(earlier), Samples::Bits8(later)) => {
                Self::Change8(Change { earlier, later, unit })
            }
            (Samples::Bits16(earlier), Samples::Bits16(later)) => {
                Self::Change16(Change { earlier, later, unit })
            }
            _ => unreachable!("the pictures of a stream are of one depth"),
        }
    }
}

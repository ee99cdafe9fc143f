// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The windows at every instruction-set level, by strips of columns.
//!
//! A strip goes down its picture row by row and keeps everything it needs in the first-level cache.

pub mod lanes;
#[cfg(target_arch = "x86_64")]
mod strip;

use std::ops::Range;

use super::Wanted;
use super::image::Image;
use super::mean::Unordered;
use super::scalar::Terms;
use crate::cpu::{Kind, Level};

/// Windows side by side in a strip.
pub const STRIP: usize = 64;

/// Samples side by side that a strip reads: its windows reach [`REACH`](super::REACH) further, rounded up to vectors.
pub const SAMPLES: usize = STRIP + 16;

/// The sums of section 3.5: luminance times contrast times structure, luminance, contrast, structure.
pub type UnorderedSums = [Unordered; 4];

/// Some windows of a pair of pictures, no more than [`STRIP`] side by side.
#[derive(Clone)]
pub struct Part<'a> {
    /// Reference and distorted picture.
    pub images: [&'a Image<'a>; 2],
    /// Columns of windows.
    pub columns: Range<usize>,
    /// Rows of windows.
    pub rows: Range<usize>,
}

/// The windows of strips at one level.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    sums: unsafe fn(&mut Strip, &Part<'_>, Wanted) -> UnorderedSums,
    terms: unsafe fn(&mut Strip, &Part<'_>, &mut [Terms]),
}

/// The kernel of `level`, if there is a faster one than the plain arithmetic.
pub fn select(level: Level) -> Option<Kernel> {
    match level.kind() {
        #[cfg(target_arch = "x86_64")]
        Kind::Avx2 => Some(Kernel { sums: strip::avx2::sums, terms: strip::avx2::terms }),
        #[cfg(target_arch = "x86_64")]
        Kind::Avx512 | Kind::Avx512Icl => {
            Some(Kernel { sums: strip::avx512::sums, terms: strip::avx512::terms })
        }
        _ => None,
    }
}

impl Kernel {
    /// Sums over the windows of a part, in no particular order; with [`Wanted::ContrastAndStructure`] the others are 0.
    pub fn sums(&self, strip: &mut Strip, part: &Part<'_>, wanted: Wanted) -> UnorderedSums {
        part.check();
        // SAFETY: `select` took the function for a level that this CPU was seen to have.
        unsafe { (self.sums)(strip, part, wanted) }
    }

    /// Writes the terms of all windows of a part, row after row, each row as long as the part is wide.
    pub fn terms(&self, strip: &mut Strip, part: &Part<'_>, out: &mut [Terms]) {
        part.check();
        assert!(out.len() >= part.columns.len() * part.rows.len());
        // SAFETY: `select` took the function for a level that this CPU was seen to have.
        unsafe { (self.terms)(strip, part, out) }
    }
}

impl Part<'_> {
    fn check(&self) {
        assert!(self.columns.len() <= STRIP);
        for image in self.images {
            assert!(self.columns.end + super::REACH <= image.width());
            assert!(self.rows.end + super::REACH <= image.height());
        }
    }
}

/// Rows of running window sums lie this far apart: a distance that is no divisor of a page, since a load is held up
/// by a store that many pages before it.
const SUMS_STRIDE: usize = STRIP + 8;

/// What a strip holds on its way down.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct Strip {
    /// Products of one map's row with the six taps; of this map and of the next.
    products: [[[f64; SAMPLES]; 6]; 2],
    /// All else.
    rows: Rows,
}

#[derive(Clone, Debug)]
#[repr(align(64))]
struct Rows {
    /// One row of both pictures.
    pictures: [[f32; SAMPLES]; 2],
    /// One map's row, filtered along the row.
    filtered: [f32; STRIP],
    /// Of each map, the window sums that still wait for rows below: number k has got k + 1 rows.
    running: [[[f64; SUMS_STRIDE]; super::REACH]; 5],
    /// One row of the maps, filtered both ways.
    blurred: [[f32; STRIP]; 5],
    /// Luminance, contrast and structure of one row of windows.
    terms: [[f64; STRIP]; 3],
    /// In the order of [`UnorderedSums`].
    sums: [ColumnSums; 4],
}

/// Sums down the columns.
#[derive(Clone, Debug)]
struct ColumnSums {
    totals: [f64; STRIP],
    magnitudes: [f64; STRIP],
}

impl ColumnSums {
    const EMPTY: Self = Self { totals: [0.0; STRIP], magnitudes: [0.0; STRIP] };
}

impl Strip {
    /// A strip to be used again and again.
    pub fn new() -> Box<Self> {
        let rows = Rows {
            pictures: [[0.0; SAMPLES]; 2],
            filtered: [0.0; STRIP],
            running: [[[0.0; SUMS_STRIDE]; super::REACH]; 5],
            blurred: [[0.0; STRIP]; 5],
            terms: [[0.0; STRIP]; 3],
            sums: [ColumnSums::EMPTY; 4],
        };
        Box::new(Self { products: [[[0.0; SAMPLES]; 6]; 2], rows })
    }
}

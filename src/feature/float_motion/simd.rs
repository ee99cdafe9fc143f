// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Blurred rows and their distances at every instruction-set level.

use super::scalar::{self, Rows, Taps};
#[cfg(target_arch = "x86_64")]
use super::tile::Tile;
#[cfg(target_arch = "x86_64")]
use crate::cpu::Kind;
use crate::cpu::Level;
use crate::feature::ssim::image::Image;

type Distances = unsafe fn(&[Image<'_>; 2], usize, &mut [f32], &Taps, &mut Work);
type Blur = unsafe fn(&Image<'_>, usize, &mut [Vec<f32>], &Taps, &mut Work);

/// Blur and distance at one level.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    distances: Distances,
    blur: Blur,
    work: fn(usize) -> Work,
}

/// Work space of a stripe.
pub enum Work {
    /// For the plain form.
    Rows(Rows),
    /// For the others.
    #[cfg(target_arch = "x86_64")]
    Tile(Box<Tile>),
}

/// The kernel of `level`.
pub fn select(level: Level) -> Kernel {
    match level.kind() {
        #[cfg(target_arch = "x86_64")]
        Kind::Avx2 => Kernel { distances: x86::distances_avx2, blur: x86::blur_avx2, work: x86::work },
        #[cfg(target_arch = "x86_64")]
        Kind::Avx512 | Kind::Avx512Icl => {
            Kernel { distances: x86::distances_avx512, blur: x86::blur_avx512, work: x86::work }
        }
        _ => Kernel { distances, blur, work: |width| Work::Rows(Rows::new(width)) },
    }
}

fn distances(images: &[Image<'_>; 2], first: usize, sums: &mut [f32], taps: &Taps, work: &mut Work) {
    scalar::distances(images, first, sums, taps, work.rows());
}

fn blur(image: &Image<'_>, first: usize, rows: &mut [Vec<f32>], taps: &Taps, work: &mut Work) {
    for (y, row) in (first..).zip(rows) {
        scalar::blur(image, y, taps, work.rows(), row);
    }
}

impl Work {
    fn rows(&mut self) -> &mut Rows {
        match self {
            Self::Rows(rows) => rows,
            #[cfg(target_arch = "x86_64")]
            Self::Tile(_) => unreachable!("a kernel makes its own work space"),
        }
    }

    #[cfg(target_arch = "x86_64")]
    fn tile(&mut self) -> &mut Tile {
        match self {
            Self::Tile(tile) => tile,
            Self::Rows(_) => unreachable!("a kernel makes its own work space"),
        }
    }
}

impl Kernel {
    /// Work space for pictures up to `width`.
    pub fn work(&self, width: usize) -> Work {
        (self.work)(width)
    }

    /// The running sums of the distances of both images' blurred rows from `first` on.
    pub fn distances(
        &self,
        images: &[Image<'_>; 2],
        first: usize,
        sums: &mut [f32],
        taps: &Taps,
        work: &mut Work,
    ) {
        // SAFETY: `select` took the function for a level that this CPU was seen to have.
        unsafe { (self.distances)(images, first, sums, taps, work) }
    }

    /// Blurred rows from `first` on.
    pub fn blur(&self, image: &Image<'_>, first: usize, rows: &mut [Vec<f32>], taps: &Taps, work: &mut Work) {
        // SAFETY: `select` took the function for a level that this CPU was seen to have.
        unsafe { (self.blur)(image, first, rows, taps, work) }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Image, Taps, Work};
    use crate::feature::float_motion::tile::{self, Tile};
    use crate::reduce::columns::avx2::add;

    pub fn work(_: usize) -> Work {
        Work::Tile(Tile::new())
    }

    #[target_feature(enable = "avx2")]
    pub fn distances_avx2(
        images: &[Image<'_>; 2],
        first: usize,
        sums: &mut [f32],
        taps: &Taps,
        work: &mut Work,
    ) {
        tile::distances(images, first, sums, taps, work.tile(), |sums, rows| add(sums, rows));
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    pub fn distances_avx512(
        images: &[Image<'_>; 2],
        first: usize,
        sums: &mut [f32],
        taps: &Taps,
        work: &mut Work,
    ) {
        tile::distances(images, first, sums, taps, work.tile(), |sums, rows| add(sums, rows));
    }

    #[target_feature(enable = "avx2")]
    pub fn blur_avx2(image: &Image<'_>, first: usize, rows: &mut [Vec<f32>], taps: &Taps, work: &mut Work) {
        tile::blur(image, first, rows, taps, work.tile());
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    pub fn blur_avx512(image: &Image<'_>, first: usize, rows: &mut [Vec<f32>], taps: &Taps, work: &mut Work) {
        tile::blur(image, first, rows, taps, work.tile());
    }
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The stages of a plane at every instruction-set level.

#[cfg(target_arch = "x86_64")]
mod covariance;
#[cfg(target_arch = "x86_64")]
mod entropy;
#[cfg(target_arch = "x86_64")]
mod rows;

use super::eigen::Eigenvalues;
use super::geometry::Geometry;
use super::map::Map;
use super::matrix::Matrix;
use super::source::{Input, Source};
use super::stage::{Front, Stage};
use super::{scalar, solve};
#[cfg(target_arch = "x86_64")]
use crate::cpu::Kind;
use crate::cpu::Level;

/// The stages at one level.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    kept: unsafe fn(&Front, &Input<'_>, usize, &mut Stage, &mut [f32]),
    local: unsafe fn(&Map, &[f32], &mut [f32], &mut Map),
    covariance: unsafe fn(&Map, &Geometry) -> Matrix,
    eigenvalues: unsafe fn(&Matrix) -> Eigenvalues,
    variances: unsafe fn(&Matrix, &Map, &Geometry, &mut [f32]) -> bool,
    entropies: unsafe fn(&Eigenvalues, f32, &[f32], &mut [f32]),
}

/// The kernel of `level`.
pub fn select(level: Level) -> Kernel {
    match level.kind() {
        #[cfg(target_arch = "x86_64")]
        Kind::Avx2 => avx2::KERNEL,
        #[cfg(target_arch = "x86_64")]
        Kind::Avx512 | Kind::Avx512Icl => avx512::KERNEL,
        _ => PLAIN,
    }
}

const PLAIN: Kernel = Kernel {
    kept: plain_rows,
    local: scalar::subtract_mean,
    covariance: scalar::covariance,
    eigenvalues: Eigenvalues::of,
    variances: solve::variances,
    entropies: super::entropy::entropies,
};

fn plain_rows(front: &Front, input: &Input<'_>, first: usize, stage: &mut Stage, out: &mut [f32]) {
    fn rows(front: &Front, source: &impl Source, first: usize, stage: &mut Stage, out: &mut [f32]) {
        let width = front.geometry.kept[0];
        for (row, out) in (first..).zip(out.chunks_exact_mut(width)) {
            scalar::kept_row(front, source, row, stage, out);
        }
    }
    match input {
        Input::Still8(source) => rows(front, source, first, stage, out),
        Input::Still16(source) => rows(front, source, first, stage, out),
        Input::Change8(source) => rows(front, source, first, stage, out),
        Input::Change16(source) => rows(front, source, first, stage, out),
    }
}

impl Kernel {
    /// Whole rows of what is kept, from row `first` on.
    pub fn kept(&self, front: &Front, input: &Input<'_>, first: usize, stage: &mut Stage, out: &mut [f32]) {
        // SAFETY: `select` took the function for a level that this CPU was seen to have.
        unsafe { (self.kept)(front, input, first, stage, out) }
    }

    /// Takes the local mean off what was kept. `line` has room for a row.
    pub fn local(&self, kept: &Map, taps: &[f32], line: &mut [f32], out: &mut Map) {
        // SAFETY: `select` took the function for a level that this CPU was seen to have.
        unsafe { (self.local)(kept, taps, line, out) }
    }

    /// The covariance of the samples of a block.
    pub fn covariance(&self, map: &Map, geometry: &Geometry) -> Matrix {
        // SAFETY: `select` took the function for a level that this CPU was seen to have.
        unsafe { (self.covariance)(map, geometry) }
    }

    /// The eigenvalues of a covariance matrix.
    pub fn eigenvalues(&self, covariance: &Matrix) -> Eigenvalues {
        // SAFETY: `select` took the function for a level that this CPU was seen to have.
        unsafe { (self.eigenvalues)(covariance) }
    }

    /// Writes the variance of each block and fills up whole groups, or returns false: the matrix is singular.
    pub fn variances(&self, covariance: &Matrix, map: &Map, geometry: &Geometry, out: &mut [f32]) -> bool {
        // SAFETY: `select` took the function for a level that this CPU was seen to have.
        unsafe { (self.variances)(covariance, map, geometry, out) }
    }

    /// Writes the entropy of each block.
    pub fn entropies(&self, eigenvalues: &Eigenvalues, noise: f32, variances: &[f32], out: &mut [f32]) {
        // SAFETY: `select` took the function for a level that this CPU was seen to have.
        unsafe { (self.entropies)(eigenvalues, noise, variances, out) }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::*;
    use crate::math::lanes::Avx2;

    pub const KERNEL: Kernel = Kernel { kept, local, covariance, eigenvalues, variances, entropies };

    #[target_feature(enable = "avx2,fma")]
    fn kept(front: &Front, input: &Input<'_>, first: usize, stage: &mut Stage, out: &mut [f32]) {
        rows::kept(front, input, first, stage, out);
    }

    #[target_feature(enable = "avx2,fma")]
    fn local(kept: &Map, taps: &[f32], line: &mut [f32], out: &mut Map) {
        scalar::subtract_mean(kept, taps, line, out);
    }

    #[target_feature(enable = "avx2,fma")]
    fn covariance(map: &Map, geometry: &Geometry) -> Matrix {
        covariance::covariance(Avx2::new(), map, geometry)
    }

    #[target_feature(enable = "avx2,fma")]
    fn eigenvalues(covariance: &Matrix) -> Eigenvalues {
        Eigenvalues::of(covariance)
    }

    #[target_feature(enable = "avx2,fma")]
    fn variances(covariance: &Matrix, map: &Map, geometry: &Geometry, out: &mut [f32]) -> bool {
        solve::variances(covariance, map, geometry, out)
    }

    #[target_feature(enable = "avx2,fma")]
    fn entropies(eigenvalues: &Eigenvalues, noise: f32, variances: &[f32], out: &mut [f32]) {
        entropy::entropies(Avx2::new(), eigenvalues, noise, variances, out);
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use super::*;
    use crate::math::lanes::Avx512;

    pub const KERNEL: Kernel = Kernel { kept, local, covariance, eigenvalues, variances, entropies };

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    fn kept(front: &Front, input: &Input<'_>, first: usize, stage: &mut Stage, out: &mut [f32]) {
        rows::kept(front, input, first, stage, out);
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    fn local(kept: &Map, taps: &[f32], line: &mut [f32], out: &mut Map) {
        scalar::subtract_mean(kept, taps, line, out);
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    fn covariance(map: &Map, geometry: &Geometry) -> Matrix {
        covariance::covariance(Avx512::new(), map, geometry)
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    fn eigenvalues(covariance: &Matrix) -> Eigenvalues {
        Eigenvalues::of(covariance)
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    fn variances(covariance: &Matrix, map: &Map, geometry: &Geometry, out: &mut [f32]) -> bool {
        solve::variances(covariance, map, geometry, out)
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    fn entropies(eigenvalues: &Eigenvalues, noise: f32, variances: &[f32], out: &mut [f32]) {
        entropy::entropies(Avx512::new(), eigenvalues, noise, variances, out);
    }
}

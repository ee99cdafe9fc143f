// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Planes of a pair from samples to score, by rows and by planes.
#![forbid(unsafe_code)]

use super::entropy::{self, Blocks};
use super::gaussian;
use super::geometry::Geometry;
use super::map::Map;
use super::options::Options;
use super::simd::{Kernel, select};
use super::solve::GROUP;
use super::source::Input;
use super::stage::{Front, Stage};
use super::{Condition, Scored};
use crate::cpu::Level;
use crate::error::Result;
use crate::feature::ssim::spare::Spare;
use crate::schedule::{Cut, Workers};

/// Kept rows of a stripe at least: each is made of many rows of the plane.
const LEAST_ROWS: usize = 4;

/// Measures planes of one size.
pub struct Planes {
    options: Options,
    front: Front,
    local_mean: Vec<f32>,
    kernel: Kernel,
}

/// Work space of one plane, and what was found in it.
pub struct Work {
    kept: Map,
    map: Map,
    line: Vec<f32>,
    stages: Spare<Stage>,
    variances: Vec<f32>,
    entropies: Vec<f32>,
    condition: Condition,
}

/// Kept rows that one thread makes.
struct Rows<'a> {
    first: usize,
    width: usize,
    samples: &'a mut [f32],
}

impl Cut for Rows<'_> {
    fn units(&self) -> usize {
        self.samples.len() / self.width
    }

    fn cut(self, rows: usize) -> (Self, Self) {
        let Self { first, width, samples } = self;
        let (upper, lower) = samples.split_at_mut(rows * width);
        (Self { first, width, samples: upper }, Self { first: first + rows, width, samples: lower })
    }
}

impl Planes {
    /// For planes of this size, width before height; refused if they are too small.
    pub fn new(level: Level, size: [usize; 2], options: Options) -> Result<Self> {
        let front = Front::new(Geometry::new(size, options.prescale)?, &options);
        let local_mean = gaussian::local_mean(options.kernel_scale);
        Ok(Self { options, front, local_mean, kernel: select(level) })
    }

    /// Size of the planes as they are used.
    pub fn size(&self) -> [usize; 2] {
        self.front.geometry.plane
    }

    /// Work space of one plane.
    pub fn work(&self) -> Work {
        let geometry = &self.front.geometry;
        let groups = geometry.count().next_multiple_of(GROUP);
        Work {
            kept: Map::new(geometry.kept),
            map: Map::new(geometry.kept),
            line: vec![0.0; geometry.kept[0]],
            stages: Spare::default(),
            variances: vec![0.0; groups],
            entropies: vec![0.0; groups],
            condition: Condition::Regular,
        }
    }

    /// Scores planes: two inputs each, reference and distorted, with as much work space.
    pub fn scores<const N: usize>(
        &self,
        inputs: [[Input<'_>; 2]; N],
        work: &mut [[Work; 2]; N],
        workers: Workers,
    ) -> [Scored; N] {
        let inputs = inputs.as_flattened();
        workers.fill(work.as_flattened_mut(), 1, &|first, work| {
            for (input, work) in inputs[first..].iter().zip(work) {
                self.analyse(input, work, workers);
            }
        });
        std::array::from_fn(|n| self.score(&work[n]))
    }

    fn analyse(&self, input: &Input<'_>, work: &mut Work, workers: Workers) {
        self.keep(input, work, workers);
        let (kernel, geometry) = (&self.kernel, &self.front.geometry);
        kernel.local(&work.kept, &self.local_mean, &mut work.line, &mut work.map);
        let covariance = kernel.covariance(&work.map, geometry);
        let eigenvalues = kernel.eigenvalues(&covariance);
        let is_regular = eigenvalues.is_regular()
            && kernel.variances(&covariance, &work.map, geometry, &mut work.variances);
        work.condition = match (is_regular, eigenvalues.converged) {
            (false, _) => Condition::Singular,
            (true, false) => Condition::NotConverged,
            (true, true) => Condition::Regular,
        };
        if is_regular {
            kernel.entropies(&eigenvalues, self.options.noise, &work.variances, &mut work.entropies);
        }
    }

    /// The samples that are kept of a plane.
    fn keep(&self, input: &Input<'_>, work: &mut Work, workers: Workers) {
        let Work { kept, stages, .. } = work;
        let width = kept.width();
        let fill = |rows: Rows<'_>| {
            stages.lend(
                || Stage::new(&self.front),
                |stage| self.kernel.kept(&self.front, input, rows.first, stage, rows.samples),
            );
        };
        let rows = Rows { first: 0, width, samples: kept.samples_mut() };
        workers.reduce(rows, LEAST_ROWS, &fill, &|(), ()| ());
    }

    fn score(&self, [reference, distorted]: &[Work; 2]) -> Scored {
        let condition = reference.condition.max(distorted.condition);
        if condition == Condition::Singular {
            return Scored { score: 0.0, condition };
        }
        let count = self.front.geometry.count();
        let blocks = |work| Work::blocks(work, count);
        Scored { score: entropy::score(blocks(reference), blocks(distorted), &self.options), condition }
    }
}

impl Work {
    fn blocks(&self, count: usize) -> Blocks<'_> {
        Blocks { variances: &self.variances[..count], entropies: &self.entropies[..count] }
    }
}

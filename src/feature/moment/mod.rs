// SPDX-License-Identifier: BSD-2-Clause-Patent
//! `float_moment`: mean and mean square of both pictures' luma, in the 8-bit range.

pub mod cpu;
pub mod cuda;
pub mod scalar;
pub mod simd;

use super::depth::Depth;
use super::{Definition, Emitter, Score, Setup, Traits, on_cpu, on_device};
use crate::error::Result;
use scalar::Sums;

/// The extractor `float_moment`.
pub static DEFINITION: Definition = Definition {
    name: "float_moment",
    provides: &["float_moment"],
    options: &[],
    traits: Traits::PLAIN,
    make: |setup, _| Ok(on_cpu(setup, cpu::Moments::new(setup)?, Moments::new(setup)?)),
    twin: Some(|setup, _, engine| {
        let (sums, moments) = (cuda::Moments::new(setup, engine)?, Moments::new(setup)?);
        Ok(on_device(engine, cuda::WORDS, sums, moments))
    }),
};

/// The sums of a pair, `squares` added in the reference's order.
pub struct PairSums {
    /// Of the reference picture's luma.
    pub reference: Sums,
    /// Of the distorted picture's luma.
    pub distorted: Sums,
}

/// From sums to moments.
struct Moments {
    scale: f64,
    samples: f64,
}

impl Moments {
    fn new(setup: &Setup) -> Result<Self> {
        let samples = f64::from(setup.format.width) * f64::from(setup.format.height);
        Ok(Self { scale: Depth::new(setup.format.bpc)?.scale(), samples })
    }

    fn first(&self, sums: Sums) -> f64 {
        sums.samples as f64 / self.scale / self.samples
    }

    fn second(&self, sums: Sums) -> f64 {
        sums.squares as f64 / (self.scale * self.scale) / self.samples
    }
}

impl Score for Moments {
    type Input = PairSums;

    fn score(&mut self, PairSums { reference, distorted }: PairSums, emit: &mut Emitter<'_>) -> Result<()> {
        emit.set("float_moment_ref1st", self.first(reference))?;
        emit.set("float_moment_dis1st", self.first(distorted))?;
        emit.set("float_moment_ref2nd", self.second(reference))?;
        emit.set("float_moment_dis2nd", self.second(distorted))
    }
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! What does the work of a scale, at any instruction-set level.
#![forbid(unsafe_code)]

use super::scalar;
use super::sums::Sums;
use super::task::{Stripe, Task};

/// The work on stripes at one instruction-set level.
pub trait Kernel: Send + Sync + 'static {
    /// What a stripe is worked in, used again for others.
    type Work: Default + Send + 'static;

    /// The sums over a stripe of 8-bit pictures; fills the rows of the next scale.
    fn bits8(&self, task: &Task<'_, u8>, stripe: Stripe<'_>, work: &mut Self::Work) -> Sums;

    /// The sums over a stripe of pictures of words; fills the rows of the next scale.
    fn bits16(&self, task: &Task<'_, u16>, stripe: Stripe<'_>, work: &mut Self::Work) -> Sums;
}

/// The scalar arithmetic.
#[derive(Clone, Copy, Debug)]
pub struct Plain;

impl Kernel for Plain {
    type Work = scalar::Lines;

    fn bits8(&self, task: &Task<'_, u8>, stripe: Stripe<'_>, work: &mut scalar::Lines) -> Sums {
        scalar::stripe(task, stripe, work)
    }

    fn bits16(&self, task: &Task<'_, u16>, stripe: Stripe<'_>, work: &mut scalar::Lines) -> Sums {
        scalar::stripe(task, stripe, work)
    }
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The blurred difference of `motion` over whole pictures, by stripes of rows.
#![forbid(unsafe_code)]

use std::ops::Range;

use parking_lot::Mutex;

use super::simd::{Kernel, Rows, Sample, WIDEST, select};
use super::{compared_with, scalar};
use crate::error::Result;
use crate::feature::{Frame, Measure, Setup};
use crate::picture::{Picture, Plane, Samples};
use crate::schedule::Workers;

/// Rows of a stripe at least: the four around it are subtracted twice.
const LEAST_ROWS: usize = 64;

/// The difference of a reference picture from an earlier one.
pub struct BlurredDifference {
    kernel: Option<Kernel>,
    bpc: u32,
    width: usize,
    distance: u32,
    force_zero: bool,
}

/// Work space of a stripe.
pub enum Stripe {
    /// A row, for the scalar form.
    Scalar(Vec<i32>),
    /// For the kernel, which it holds, and a row for the scalar form where the kernel gives up.
    Rows(Kernel, Box<Rows>, Vec<i32>),
}

/// Work space of the stripes that are not at work.
pub type Spare = Mutex<Vec<Stripe>>;

impl BlurredDifference {
    /// From the picture `distance` frames before (1 or 2); with `force_zero` no picture is read.
    pub fn new(setup: &Setup, distance: u32, force_zero: bool) -> Self {
        let width = setup.format.width as usize;
        let kernel = select(setup.level).filter(|_| width <= WIDEST);
        Self { kernel, bpc: setup.format.bpc, width, distance, force_zero }
    }

    /// The sum of the absolute blurred differences, in 256ths of an 8-bit code value.
    fn sum(&self, previous: &Picture, current: &Picture, spare: &Spare, workers: Workers) -> u64 {
        match (previous.plane(0), current.plane(0)) {
            (Samples::Bits8(previous), Samples::Bits8(current)) => {
                self.stripes(&previous, &current, spare, workers)
            }
            (Samples::Bits16(previous), Samples::Bits16(current)) => {
                self.stripes(&previous, &current, spare, workers)
            }
            _ => unreachable!("the pictures of a stream are of one depth"),
        }
    }

    fn stripes<T: Sample>(
        &self,
        previous: &Plane<'_, T>,
        current: &Plane<'_, T>,
        spare: &Spare,
        workers: Workers,
    ) -> u64 {
        let sum = |rows: Range<usize>| {
            let idle = spare.lock().pop();
            let mut stripe = idle.unwrap_or_else(|| self.stripe());
            let sum = match &mut stripe {
                Stripe::Scalar(row) => scalar::sum(previous, current, rows, self.bpc, row),
                Stripe::Rows(kernel, scratch, row) => kernel
                    .sum(previous, current, rows.clone(), self.bpc, scratch)
                    .unwrap_or_else(|| scalar::sum(previous, current, rows, self.bpc, row)),
            };
            spare.lock().push(stripe);
            sum
        };
        workers.reduce(0..current.height(), LEAST_ROWS, &sum, &|a, b| a + b)
    }

    fn stripe(&self) -> Stripe {
        let row = vec![0; self.width];
        match self.kernel {
            Some(kernel) => Stripe::Rows(kernel, Box::new(Rows::new(self.width)), row),
            None => Stripe::Scalar(row),
        }
    }
}

impl Measure for BlurredDifference {
    type Output = u64;
    type Scratch = Spare;

    fn scratch(&self) -> Result<Spare> {
        Ok(Spare::default())
    }

    fn measure(&self, frame: &Frame, spare: &mut Spare, workers: Workers) -> Result<u64> {
        if self.force_zero {
            return Ok(0);
        }
        let earlier = frame.previous[self.distance as usize - 1].as_ref();
        let previous = compared_with(frame.index, self.distance, earlier)?;
        Ok(previous.map_or(0, |previous| self.sum(previous, &frame.reference, spare, workers)))
    }
}

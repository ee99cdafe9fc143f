// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The running sum over terms that lie one block to a lane, `psnr_hvs.md` section 4.3.
//!
//! While a sum stays in its binade, a term moves it by the nearest multiple of its last place, and such multiples
//! add up exactly in any order. Only a tie depends on what came before. So a group of blocks is rounded and added
//! as it lies; where it holds a tie or takes the sum out of its binade, it is added term by term instead.
#![forbid(unsafe_code)]

use super::lanes::{Floats, Machine};
use crate::feature::psnr_hvs::scalar;

/// Where the last place of a sum, and half of it, are far from the ends of single precision.
const SAFE: std::ops::Range<f32> = 1e-25..1e30;
/// Registers that are added side by side.
const CHAINS: usize = 4;

/// The running sum after the terms of groups of `M::LANES` blocks.
#[inline(always)]
pub fn sum<M: Machine>(machine: M, start: f32, terms: &[f32]) -> f32 {
    let mut sum = start;
    for group in terms.chunks_exact(64 * M::LANES) {
        sum = match within_binade(machine, sum, group) {
            Some(next) => next,
            None => term_by_term(sum, group, M::LANES),
        };
    }
    sum
}

#[inline(always)]
fn within_binade<M: Machine>(machine: M, sum: f32, group: &[f32]) -> Option<f32> {
    if !SAFE.contains(&sum) {
        return None;
    }
    let binade = f32::from_bits(sum.to_bits() & f32::INFINITY.to_bits());
    let half_place = binade * (0.5 * f32::EPSILON);
    let edge = machine.splat(binade);
    let (mut totals, mut rests) = ([machine.splat(0.0); CHAINS], [machine.splat(0.0); CHAINS]);
    for registers in group.chunks_exact(CHAINS * M::LANES) {
        for c in 0..CHAINS {
            let term = machine.load(&registers[c * M::LANES..]);
            let rounded = (term + edge) - edge;
            totals[c] = totals[c] + rounded;
            rests[c] = rests[c].larger((term - rounded).magnitude());
        }
    }
    let total = (totals[0] + totals[1]) + (totals[2] + totals[3]);
    let rest = rests[0].larger(rests[1]).larger(rests[2].larger(rests[3]));
    // Totals past the binade may have been rounded, but not to below its end: the first test finds them.
    let next = sum + added(total, M::LANES);
    (next < 2.0 * binade && largest(rest, M::LANES) < half_place).then_some(next)
}

#[inline(always)]
fn added<F: Floats>(total: F, lanes: usize) -> f32 {
    let mut array = [0.0; 16];
    total.store(&mut array);
    array[..lanes].iter().sum()
}

#[inline(always)]
fn largest<F: Floats>(rest: F, lanes: usize) -> f32 {
    let mut array = [0.0; 16];
    rest.store(&mut array);
    array[..lanes].iter().copied().fold(0.0, f32::max)
}

#[cold]
fn term_by_term(start: f32, group: &[f32], lanes: usize) -> f32 {
    (0..lanes).fold(start, |sum, lane| {
        let block: [f32; 64] = std::array::from_fn(|k| group[k * lanes + lane]);
        scalar::sum(sum, &block)
    })
}

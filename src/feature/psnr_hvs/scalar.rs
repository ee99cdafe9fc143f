// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The errors of one block, `psnr_hvs.md` section 2: integers of 32 bits, then single precision, every operation
//! rounded, sums in raster order.
#![forbid(unsafe_code)]

use std::num::Wrapping;

use super::blocks::{Lines, SIDE};
use super::tables::Weights;

/// Samples or coefficients of a block; rows first.
pub type Block<T> = [[T; SIDE]; SIDE];

/// A register of the transform. Only samples beyond their depth can make it wrap.
pub type Register = Wrapping<i32>;

/// The terms of a row of blocks, 64 a block, in the order in which they are summed.
pub fn strip(reference: &Lines, distorted: &Lines, blocks: usize, weights: &Weights, terms: &mut [f32]) {
    for (block, terms) in (0..blocks).zip(terms.as_chunks_mut().0) {
        *terms = block_terms(&reference.block(block), &distorted.block(block), weights);
    }
}

/// The running sum after further terms.
pub fn sum(start: f32, terms: &[f32]) -> f32 {
    terms.iter().fold(start, |sum, term| sum + term)
}

/// Weighted squared errors of a block's coefficients in raster order.
pub fn block_terms(reference: &Block<u16>, distorted: &Block<u16>, weights: &Weights) -> [f32; 64] {
    let [r, d] = [reference, distorted].map(|samples| transform(&samples.map(|row| row.map(widen))));
    let r_threshold = threshold(&r, activity(reference), weights);
    let d_threshold = threshold(&d, activity(distorted), weights);
    let threshold = if d_threshold > r_threshold { d_threshold } else { r_threshold };
    std::array::from_fn(|k| {
        let error = (r[k / 8][k % 8] - d[k / 8][k % 8]).0.unsigned_abs() as f32;
        let visible = if k == 0 { error } else { beyond(error, threshold / weights.mask[k]) };
        let weighted = visible * weights.csf[k];
        weighted * weighted
    })
}

fn widen(sample: u16) -> Register {
    Wrapping(sample.into())
}

/// What of an error can be seen over the masked part.
fn beyond(error: f32, masked: f32) -> f32 {
    if error < masked { 0.0 } else { error - masked }
}

/// The variances of a block's quarters over that of the whole: high where the block has an edge.
pub fn activity(samples: &Block<u16>) -> f32 {
    let all = samples.as_flattened().iter().copied();
    let whole = variance(all, 64.0) * (1.0 / 63.0 * 64.0);
    let quarters = [(0, 0), (4, 0), (0, 4), (4, 4)].map(|(top, left)| {
        let quarter = samples[top..top + 4].iter().flat_map(|row| &row[left..left + 4]).copied();
        variance(quarter, 16.0) * (1.0 / 15.0 * 16.0)
    });
    let [upper_left, lower_left, upper_right, lower_right] = quarters;
    let local = upper_left + lower_left + upper_right + lower_right;
    if whole > 0.0 { local / whole } else { whole }
}

/// Sum of squared deviations from the mean of `count` samples.
fn variance(samples: impl Iterator<Item = u16> + Clone, count: f32) -> f32 {
    let mean = samples.clone().map(u32::from).sum::<u32>() as f32 / count;
    samples.fold(0.0, |sum, sample| {
        let deviation = f32::from(sample) - mean;
        sum + deviation * deviation
    })
}

/// The masking threshold of one picture's block.
fn threshold(coefficients: &Block<Register>, activity: f32, weights: &Weights) -> f32 {
    let coefficients = coefficients.as_flattened().iter().zip(&weights.mask).skip(1);
    let energy = coefficients.fold(0.0, |sum, (&c, mask)| sum + (c * c).0 as f32 * mask);
    (energy * activity).sqrt() / 32.0
}

/// The two-dimensional transform: columns, then rows.
pub fn transform(samples: &Block<Register>) -> Block<Register> {
    let columns = transpose(samples).map(transform_line);
    transpose(&columns).map(transform_line)
}

fn transpose(block: &Block<Register>) -> Block<Register> {
    std::array::from_fn(|i| std::array::from_fn(|j| block[j][i]))
}

/// Half, rounded towards zero.
fn half(a: Register) -> Register {
    (a + Wrapping(i32::from(a.0 < 0))) >> 1
}

/// `a * multiplier / 2^bits`, rounded.
fn lift(a: Register, multiplier: i32, bits: usize) -> Register {
    (a * Wrapping(multiplier) + Wrapping(1 << (bits - 1))) >> bits
}

/// The one-dimensional transform by lifting steps; `a0` to `a7` are registers that end as coefficients 0 to 7.
fn transform_line(
    [mut a0, mut a4, mut a2, mut a6, mut a7, mut a3, mut a5, mut a1]: [Register; 8],
) -> [Register; 8] {
    // Butterflies.
    a1 = a0 - a1;
    let p = half(a1);
    a0 -= p;
    a4 += a5;
    let q = half(a4);
    a5 -= q;
    a3 = a2 - a3;
    a2 -= half(a3);
    a6 += a7;
    let r = half(a6);
    a7 = r - a7;
    // Even part.
    a0 += r;
    a6 = a0 - a6;
    a2 = q - a2;
    a4 = a2 - a4;
    a0 -= lift(a4, 13573, 15);
    a4 += lift(a0, 11585, 14);
    a0 -= lift(a4, 13573, 15);
    a6 -= lift(a2, 21895, 15);
    a2 += lift(a6, 15137, 14);
    a6 -= lift(a2, 21895, 15);
    // Odd part.
    a3 += lift(a5, 19195, 15);
    a5 += lift(a3, 11585, 14);
    a3 -= lift(a5, 7489, 13);
    a7 = half(a5) - a7;
    a5 -= a7;
    a3 = p - a3;
    a1 -= a3;
    a7 += lift(a1, 3227, 15);
    a1 -= lift(a7, 6393, 15);
    a7 += lift(a1, 3227, 15);
    a5 += lift(a3, 2485, 13);
    a3 -= lift(a5, 18205, 15);
    a5 += lift(a3, 2485, 13);
    [a0, a1, a2, a3, a4, a5, a6, a7]
}

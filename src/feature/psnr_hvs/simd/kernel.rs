// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The errors of many blocks at once, one to a lane: every chain of rounded operations is that of
//! [`scalar`](crate::feature::psnr_hvs::scalar).
//!
//! The transform's registers fit 16 bits up to 12 bits a sample: the largest, the mean of a block, reaches 32759.
//! Its multiplications are all by one instruction, which rounds a product over 2^15; those over 2^14 and 2^13 have
//! their multipliers doubled.
#![forbid(unsafe_code)]
// Closures, and so iterators with them, do not take on the instruction set of the function that they end in.
#![allow(clippy::needless_range_loop)]

use super::lanes::{Floats, Machine, Words};
use crate::feature::psnr_hvs::blocks::{Lines, SIDE};
use crate::feature::psnr_hvs::tables::Weights;

type Block<W> = [[W; SIDE]; SIDE];

/// Coefficients of the lanes' blocks, and for each half of the lanes how much they mask.
struct Spectrum<M: Machine> {
    coefficients: Block<M::Words>,
    thresholds: [M::Floats; 2],
}

/// The terms of a row of blocks. Each `M::LANES` blocks have 64 registers in raster order of coefficients.
#[inline(always)]
pub fn strip<M: Machine>(
    machine: M,
    reference: &Lines,
    distorted: &Lines,
    blocks: usize,
    weights: &Weights,
    terms: &mut [f32],
) {
    let mut groups = terms.chunks_exact_mut(64 * M::LANES);
    for first in (0..blocks).step_by(2 * M::LANES) {
        let reference = spectrum(machine, reference.from(first), weights);
        let distorted = spectrum(machine, distorted.from(first), weights);
        let lower = groups.next().expect("room for all blocks");
        let upper = groups.next().expect("room for all blocks");
        errors(machine, &reference, &distorted, weights, [lower, upper]);
    }
    clear(terms, blocks, M::LANES);
}

/// Lanes behind the last block get terms of 0, which change no sum.
fn clear(terms: &mut [f32], blocks: usize, lanes: usize) {
    let groups = terms.chunks_exact_mut(64 * lanes);
    for (group, terms) in groups.enumerate().skip(blocks / lanes).take(2) {
        let used = blocks.saturating_sub(group * lanes);
        for terms in terms.chunks_exact_mut(lanes) {
            terms.iter_mut().skip(used).for_each(|term| *term = 0.0);
        }
    }
}

#[inline(always)]
fn spectrum<M: Machine>(machine: M, lines: [&[u16]; SIDE], weights: &Weights) -> Spectrum<M> {
    let mut block = [machine.columns(lines[0]); SIDE];
    for i in 1..SIDE {
        block[i] = machine.columns(lines[i]);
    }
    let activities = activities(machine, &block);
    transform(&mut block);
    let thresholds = thresholds(machine, &block, activities, weights);
    Spectrum { coefficients: block, thresholds }
}

#[inline(always)]
fn activities<M: Machine>(machine: M, samples: &Block<M::Words>) -> [M::Floats; 2] {
    let sums = quarter_sums::<M>(samples);
    let (whole_means, means) = means(machine, &sums);
    let zero = [machine.splat(0.0); 2];
    let (mut whole, mut parts) = (zero, [zero; 4]);
    for top in 0..2 {
        let (mut left, mut right) = (zero, zero);
        for i in 4 * top..4 * top + 4 {
            for j in 0..4 {
                deviate(samples[i][j].unsigned(), (&mut whole, &whole_means), (&mut left, &means[top]));
            }
            for j in 4..8 {
                deviate(samples[i][j].unsigned(), (&mut whole, &whole_means), (&mut right, &means[top + 2]));
            }
        }
        parts[top] = left;
        parts[top + 2] = right;
    }
    ratios(machine, parts, whole)
}

/// The quarters' variances over the whole's.
#[inline(always)]
fn ratios<M: Machine>(machine: M, parts: [[M::Floats; 2]; 4], whole: [M::Floats; 2]) -> [M::Floats; 2] {
    let (quarter, all) = (machine.splat(1.0 / 15.0 * 16.0), machine.splat(1.0 / 63.0 * 64.0));
    let mut ratios = [machine.splat(0.0); 2];
    for h in 0..2 {
        let [upper_left, lower_left, upper_right, lower_right] = parts;
        let left = upper_left[h] * quarter + lower_left[h] * quarter;
        let local = left + upper_right[h] * quarter + lower_right[h] * quarter;
        ratios[h] = local.over(whole[h] * all);
    }
    ratios
}

/// Adds a sample's squared deviations to two variances.
#[inline(always)]
fn deviate<F: Floats>(sample: [F; 2], whole: (&mut [F; 2], &[F; 2]), part: (&mut [F; 2], &[F; 2])) {
    for h in 0..2 {
        let (all, own) = (sample[h] - whole.1[h], sample[h] - part.1[h]);
        whole.0[h] = whole.0[h] + all * all;
        part.0[h] = part.0[h] + own * own;
    }
}

/// Sums of the four quarters, upper left, lower left, upper right, lower right: below 2^16.
#[inline(always)]
fn quarter_sums<M: Machine>(samples: &Block<M::Words>) -> [M::Words; 4] {
    let mut sums = [samples[0][0], samples[4][0], samples[0][4], samples[4][4]];
    for (q, sum) in sums.iter_mut().enumerate() {
        let (top, left) = (q % 2 * 4, q / 2 * 4);
        for k in 1..16 {
            *sum = *sum + samples[top + k / 4][left + k % 4];
        }
    }
    sums
}

/// Means of the whole blocks and of their quarters, exact.
#[inline(always)]
fn means<M: Machine>(machine: M, sums: &[M::Words; 4]) -> ([M::Floats; 2], [[M::Floats; 2]; 4]) {
    let (mut whole, mut means) = ([machine.splat(0.0); 2], [[machine.splat(0.0); 2]; 4]);
    for q in 0..4 {
        let sum = sums[q].unsigned();
        for h in 0..2 {
            whole[h] = whole[h] + sum[h];
            means[q][h] = sum[h] * machine.splat(1.0 / 16.0);
        }
    }
    for whole in &mut whole {
        *whole = *whole * machine.splat(1.0 / 64.0);
    }
    (whole, means)
}

#[inline(always)]
fn thresholds<M: Machine>(
    machine: M,
    coefficients: &Block<M::Words>,
    activities: [M::Floats; 2],
    weights: &Weights,
) -> [M::Floats; 2] {
    let mut energy = [machine.splat(0.0); 2];
    for k in 1..64 {
        let (c, mask) = (coefficients[k / 8][k % 8].signed(), machine.splat(weights.mask[k]));
        for h in 0..2 {
            // Rounds as the square of integers does when it becomes a float.
            energy[h] = energy[h] + c[h] * c[h] * mask;
        }
    }
    for h in 0..2 {
        energy[h] = (energy[h] * activities[h]).sqrt() * machine.splat(1.0 / 32.0);
    }
    energy
}

#[inline(always)]
fn errors<M: Machine>(
    machine: M,
    reference: &Spectrum<M>,
    distorted: &Spectrum<M>,
    weights: &Weights,
    terms: [&mut [f32]; 2],
) {
    let zero = machine.splat(0.0);
    let mut thresholds = reference.thresholds;
    for h in 0..2 {
        thresholds[h] = thresholds[h].larger(distorted.thresholds[h]);
    }
    for k in 0..64 {
        let (r, d) =
            (reference.coefficients[k / 8][k % 8].signed(), distorted.coefficients[k / 8][k % 8].signed());
        let (mask, csf) = (machine.splat(weights.mask[k]), machine.splat(weights.csf[k]));
        for h in 0..2 {
            let error = (r[h] - d[h]).magnitude();
            // What is masked wholly gives a negative difference.
            let visible = if k == 0 { error } else { zero.larger(error - thresholds[h] / mask) };
            let weighted = visible * csf;
            (weighted * weighted).store(&mut terms[h][k * M::LANES..]);
        }
    }
}

/// The two-dimensional transform in place: columns, then rows.
#[inline(always)]
fn transform<W: Words>(block: &mut Block<W>) {
    for j in 0..SIDE {
        let mut column = [block[0][j]; SIDE];
        for i in 1..SIDE {
            column[i] = block[i][j];
        }
        let column = transform_line(column);
        for i in 0..SIDE {
            block[i][j] = column[i];
        }
    }
    for row in block {
        *row = transform_line(*row);
    }
}

#[inline(always)]
fn transform_line<W: Words>([a0, a4, a2, a6, a7, a3, a5, a1]: [W; SIDE]) -> [W; SIDE] {
    // Butterflies.
    let a1 = a0 - a1;
    let p = a1.half();
    let a0 = a0 - p;
    let a4 = a4 + a5;
    let q = a4.half();
    let a5 = a5 - q;
    let a3 = a2 - a3;
    let a2 = a2 - a3.half();
    let a6 = a6 + a7;
    let r = a6.half();
    let a7 = r - a7;
    // Even part.
    let a0 = a0 + r;
    let a6 = a0 - a6;
    let a2 = q - a2;
    let a4 = a2 - a4;
    let a0 = a0 - a4.scaled(13573);
    let a4 = a4 + a0.scaled(2 * 11585);
    let a0 = a0 - a4.scaled(13573);
    let a6 = a6 - a2.scaled(21895);
    let a2 = a2 + a6.scaled(2 * 15137);
    let a6 = a6 - a2.scaled(21895);
    // Odd part.
    let a3 = a3 + a5.scaled(19195);
    let a5 = a5 + a3.scaled(2 * 11585);
    let a3 = a3 - a5.scaled(4 * 7489);
    let a7 = a5.half() - a7;
    let a5 = a5 - a7;
    let a3 = p - a3;
    let a1 = a1 - a3;
    let a7 = a7 + a1.scaled(3227);
    let a1 = a1 - a7.scaled(6393);
    let a7 = a7 + a1.scaled(3227);
    let a5 = a5 + a3.scaled(4 * 2485);
    let a3 = a3 - a5.scaled(18205);
    let a5 = a5 + a3.scaled(4 * 2485);
    [a0, a1, a2, a3, a4, a5, a6, a7]
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Every level against the plain form.
#![forbid(unsafe_code)]

use super::*;
use crate::feature::psnr_hvs::blocks::SIDE;
use crate::feature::psnr_hvs::tables::WEIGHTS;
use crate::picture::{Plane, Samples};
use crate::reduce::testing::{Noise, patterns};

/// A row of `blocks` blocks from the rows of a plane.
fn lines(samples: &[u16], blocks: usize, lanes: usize) -> Lines {
    let width = samples.len() / SIDE;
    let mut lines = Lines::new(blocks.next_multiple_of(lanes));
    lines.fill(&Samples::Bits16(Plane::new(samples, width, SIDE, width)), 0);
    lines
}

/// The terms of a row of blocks block by block, as the plain form has them, and whatever follows them.
fn by_block(kernel: &Kernel, terms: &[f32]) -> Vec<f32> {
    let lanes = kernel.lanes().div_ceil(2);
    let group = |terms: &[f32]| {
        let term = |i: usize| terms[i % 64 * lanes + i / 64];
        (0..64 * lanes).map(term).collect::<Vec<_>>()
    };
    terms.chunks_exact(64 * lanes).flat_map(group).collect()
}

fn strip(kernel: &Kernel, pair: [&[u16]; 2], blocks: usize, weights: &Weights) -> Vec<f32> {
    let [r, d] = pair.map(|samples| lines(samples, blocks, kernel.lanes()));
    // What is left of earlier rows must not show.
    let mut terms = vec![f32::NAN; 64 * blocks.next_multiple_of(kernel.lanes())];
    kernel.strip(&r, &d, blocks, weights, &mut terms);
    terms
}

fn bits(terms: &[f32]) -> Vec<u32> {
    terms.iter().map(|term| term.to_bits()).collect()
}

/// The terms and their sum must be those of the plain form.
fn check(what: &str, pair: [&[u16]; 2], blocks: usize, plane: usize) {
    let plain = select(Level::SCALAR);
    let expected = strip(&plain, pair, blocks, &WEIGHTS[plane]);
    for level in Level::available() {
        let kernel = select(level);
        let terms = strip(&kernel, pair, blocks, &WEIGHTS[plane]);
        let what = format!("{level:?}, {blocks} blocks of {what}, plane {plane}");
        let sorted = by_block(&kernel, &terms);
        let (terms_in_use, rest) = sorted.split_at(expected.len());
        assert_eq!(bits(terms_in_use), bits(&expected), "{what}");
        assert!(rest.iter().all(|term| term.to_bits() == 0), "{what}: a term behind the last block");
        for start in [0.0, 1.0, 12345.678] {
            let (got, expected) = (kernel.sum(start, &terms), plain.sum(start, &expected));
            assert_eq!(got.to_bits(), expected.to_bits(), "{what}, from {start}");
        }
    }
}

#[test]
fn blocks_of_8_to_12_bits() {
    for blocks in (1..=20).chain([31, 32, 33, 47, 48, 49, 63, 64, 65, 100]) {
        // Columns behind the last block are in none.
        let count = SIDE * (blocks * 7 + 1 + blocks % 7);
        for max in [255, 511, 1023, 2047, 4095] {
            let noise = Noise(blocks as u64).samples(count, max);
            for (name, samples) in patterns(count, max, 77) {
                let what = format!("{name} to {max}, seed {blocks}");
                check(&what, [&samples, &noise], blocks, blocks % 3);
                check(&what, [&noise, &samples], blocks, (blocks + 1) % 3);
            }
        }
    }
}

#[test]
fn small_errors_are_masked_alike() {
    for (seed, max) in (1..=40).zip([255, 1023, 4095].into_iter().cycle()) {
        let (blocks, noise) = (40, &mut Noise(seed));
        let count = SIDE * (blocks * 7 + 1);
        let reference = noise.samples(count, max);
        let near = |&sample: &u16| (sample + noise.sample(seed as u16 / 4)).min(max);
        let distorted: Vec<u16> = reference.iter().map(near).collect();
        check(&format!("noise to {max}, seed {seed}"), [&reference, &distorted], blocks, 0);
    }
}

/// The sign of every basis function at the ends of the range: the largest coefficients there are.
#[test]
fn the_largest_coefficients_fit() {
    let cosine = |k: usize, x: usize| ((2 * x + 1) as f64 * k as f64 * std::f64::consts::PI / 16.0).cos();
    for max in [255u16, 2047, 4095] {
        for k in 0..64 {
            let width = 7 * 3 + 1;
            let sample = |i: usize| {
                let positive = cosine(k / 8, i / width) * cosine(k % 8, i % width % 7) > 0.0;
                if positive { max } else { 0 }
            };
            let bright: Vec<u16> = (0..SIDE * width).map(sample).collect();
            let dark: Vec<u16> = bright.iter().map(|sample| max - sample).collect();
            check(&format!("basis {k} to {max}"), [&bright, &dark], 3, k % 3);
        }
    }
}

/// Terms of one kernel's layout that have this order in the plain form.
fn laid_out(kernel: &Kernel, terms: &[f32]) -> Vec<f32> {
    let lanes = kernel.lanes().div_ceil(2);
    let group = |terms: &[f32]| {
        let term = |i: usize| terms[i % lanes * 64 + i / lanes];
        (0..64 * lanes).map(term).collect::<Vec<_>>()
    };
    terms.chunks_exact(64 * lanes).flat_map(group).collect()
}

fn check_sum(what: &str, start: f32, terms: &[f32]) {
    let expected = scalar::sum(start, terms);
    for level in Level::available() {
        let kernel = select(level);
        let got = kernel.sum(start, &laid_out(&kernel, terms));
        assert_eq!(
            got.to_bits(),
            expected.to_bits(),
            "{level:?}, {what}, from {start}: {got}, not {expected}"
        );
    }
}

#[test]
fn sums_round_as_one_chain() {
    for seed in 1..=60 {
        let noise = &mut Noise(seed);
        // From terms that vanish to terms that take the sum through many binades.
        let spread = 1 + seed as u16 % 40;
        let mut term = || f32::from(noise.sample(4095)) * 2f32.powi(i32::from(noise.sample(spread)) - 20);
        let terms: Vec<f32> = (0..64 * 96).map(|_| term()).collect();
        for start in [0.0, 1e-30, 0.1, 1.0, 255.99, 16_777_215.0, 3e9, 3e31] {
            check_sum(&format!("seed {seed}"), start, &terms);
        }
    }
}

#[test]
fn ties_go_to_even() {
    for seed in 1..=20 {
        let noise = &mut Noise(seed);
        // Around 2^24 the last place is 1 or 2: terms of half a place, of odd places, and of nothing.
        let choices = [0.0, 0.0, 0.0, 0.5, 1.0, 1.5, 3.0, 0.499];
        let rare = |rarity: u16, noise: &mut Noise| noise.sample(rarity) == 0;
        let rarity = [7, 700, 7000][seed as usize % 3];
        let mut term = || match rare(rarity, noise) {
            true => choices[usize::from(noise.sample(7))],
            false => 0.0,
        };
        let terms: Vec<f32> = (0..64 * 64).map(|_| term()).collect();
        for start in [8_388_608.0, 8_388_609.0, 16_777_200.0, 16_777_215.0, 16_777_216.0, 33_554_430.0] {
            check_sum(&format!("seed {seed}, rarity {rarity}"), start, &terms);
        }
    }
}

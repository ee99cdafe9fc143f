// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Every level gives the bits of the scalar functions, at every width, format and depth.

use super::*;
use crate::feature::depth::Depth;
use crate::math::lanes::Sample;
use crate::picture::Plane;
use crate::reduce::testing::{Noise, bytes, patterns};

/// A picture of one row, its chroma sampled at every column or at every other one.
struct Line<T> {
    y: Vec<T>,
    u: Vec<T>,
    v: Vec<T>,
    halved: bool,
}

impl<T> Line<T> {
    fn new(halved: bool, [y, u, v]: [Vec<T>; 3]) -> Self {
        Self { y, u, v, halved }
    }

    fn planes(&self) -> Planes<'_, T> {
        let [y, u, v] = [&self.y, &self.u, &self.v].map(|row| Plane::new(row, row.len(), 1, row.len()));
        Planes { y, u, v, halved: [self.halved, false] }
    }
}

type Run<T> = fn(&Kernel, &Scale, [&Planes<'_, T>; 2], &mut [Box<[f32]>]);

/// Checks all levels; gives the differences.
fn check<T: Sample>(what: &str, depth: Depth, lines: [&Line<T>; 2], run: Run<T>) -> Vec<f32> {
    let (scale, [r, d]) = (Scale::new(depth), lines.map(Line::planes));
    let mut expected = [vec![0.0; r.y.width()].into()];
    scalar::row_differences(&scale, [&r, &d], 0, &mut expected);
    for level in Level::available() {
        let mut got = [vec![f32::NAN; r.y.width()].into()];
        run(&select(level), &scale, [&r, &d], &mut got);
        for (x, (got, expected)) in got[0].iter().zip(&expected[0]).enumerate() {
            let pixels = [&r, &d].map(|planes| planes.row(0).sample(x));
            let what = format!("{level:?}, {depth:?}, {what}, column {x}, {pixels:?}");
            assert_eq!(got.to_bits(), expected.to_bits(), "{what}: {got}, {expected} expected");
        }
    }
    expected[0].to_vec()
}

fn check8(what: &str, lines: [&Line<u8>; 2]) -> Vec<f32> {
    check(what, Depth::Bits8, lines, |kernel, scale, pair, rows| kernel.bits8(scale, pair, 0, rows))
}

fn check16(what: &str, depth: Depth, lines: [&Line<u16>; 2]) -> Vec<f32> {
    check(what, depth, lines, |kernel, scale, pair, rows| kernel.bits16(scale, pair, 0, rows))
}

fn noise_line(noise: &mut Noise, width: usize, halved: bool, max: u16) -> Line<u16> {
    let chroma = if halved { width.div_ceil(2) } else { width };
    Line::new(halved, [width, chroma, chroma].map(|width| noise.samples(width, max)))
}

fn as_bytes(line: &Line<u16>) -> Line<u8> {
    Line::new(line.halved, [&line.y, &line.u, &line.v].map(|row| bytes(row)))
}

const HIGH: [(Depth, u16); 3] = [(Depth::Bits10, 1023), (Depth::Bits12, 4095), (Depth::Bits16, u16::MAX)];

#[test]
fn noise_of_every_width() {
    for width in (0..=40).chain([255, 256, 257, 258, 300, 512, 1000]) {
        for halved in [false, true] {
            let (what, noise) =
                (format!("width and seed {width}, halved {halved}"), &mut Noise(width as u64));
            let [r, d] = [0; 2].map(|_| noise_line(noise, width, halved, 255));
            check8(&what, [&as_bytes(&r), &as_bytes(&d)]);
            for (depth, max) in HIGH {
                let [r, d] = [0; 2].map(|_| noise_line(noise, width, halved, max));
                check16(&what, depth, [&r, &d]);
            }
        }
    }
}

#[test]
fn ends_of_the_range() {
    for (depth, max) in HIGH {
        let rows = patterns(77, max, 5).map(|(_, row)| row);
        for (i, j, k) in (0..125).map(|n| (n % 5, n / 5 % 5, n / 25)) {
            let r = Line::new(false, [&rows[i], &rows[j], &rows[k]].map(Vec::clone));
            let d = Line::new(false, [&rows[k], &rows[i], &rows[(j + 1) % 5]].map(Vec::clone));
            check16(&format!("patterns {i} {j} {k}"), depth, [&r, &d]);
        }
    }
}

/// Small distortions, as codecs make them: a step of up to `amount` on each sample.
fn distorted(noise: &mut Noise, line: &Line<u16>, amount: u16, max: u16) -> Line<u16> {
    let step = |samples: &Vec<u16>, noise: &mut Noise| -> Vec<u16> {
        samples.iter().map(|&s| (s + noise.sample(2 * amount)).saturating_sub(amount).min(max)).collect()
    };
    Line::new(line.halved, [&line.y, &line.u, &line.v].map(|row| step(row, noise)))
}

#[test]
fn small_distortions_of_grey_dark_and_coloured_pixels() {
    let noise = &mut Noise(77);
    for (depth, max) in HIGH {
        let grey = max / 2 + 1;
        for (spread, amount) in [(0, 1), (1, 1), (3, 0), (9, 4), (grey / 8, 2), (grey / 2, grey / 16)] {
            for dark in [true, false] {
                let luma = if dark { max / 10 } else { max - 2 * amount };
                let y = noise.samples(700, luma);
                let chroma = |noise: &mut Noise| -> Vec<u16> {
                    noise.samples(350, 2 * spread).into_iter().map(|s| grey - spread + s).collect()
                };
                let r = Line::new(true, [y, chroma(noise), chroma(noise)]);
                let d = distorted(noise, &r, amount, max);
                check16(&format!("spread {spread}, step {amount}, dark {dark}"), depth, [&r, &d]);
            }
        }
    }
}

#[test]
fn samples_above_the_depth() {
    let noise = &mut Noise(3);
    for (depth, max) in [(Depth::Bits10, 1024), (Depth::Bits10, u16::MAX), (Depth::Bits12, u16::MAX)] {
        let [r, d] = [0; 2].map(|_| noise_line(noise, 600, true, max));
        check16(&format!("samples to {max}"), depth, [&r, &d]);
    }
}

#[test]
fn equal_rows_do_not_differ() {
    let row = noise_line(&mut Noise(8), 700, true, 1023);
    assert!(check16("equal rows", Depth::Bits10, [&row, &row]).iter().all(|&difference| difference == 0.0));
    let mut other = noise_line(&mut Noise(8), 700, true, 1023);
    other.v[349] ^= 1;
    let differences = check16("one other sample", Depth::Bits10, [&row, &other]);
    assert!(differences[..698].iter().all(|&difference| difference == 0.0));
    assert!(differences[698..].iter().all(|&difference| difference > 0.0));
}

/// Every colour of 8 bits against a neighbour: a minute in an optimised build.
#[test]
#[ignore = "takes minutes; run it when the stages or math change"]
fn all_colours_of_8_bits() {
    let every = |f: fn(usize) -> usize| -> Vec<u8> { (0..1 << 16).map(|i| f(i) as u8).collect() };
    for y in 0..=255 {
        let luma = vec![y; 1 << 16];
        let r = Line::new(false, [luma.clone(), every(|i| i), every(|i| i >> 8)]);
        let d = Line::new(false, [luma, every(|i| i ^ 3), every(|i| (i >> 8) ^ 1)]);
        check8(&format!("luma {y}"), [&r, &d]);
    }
}

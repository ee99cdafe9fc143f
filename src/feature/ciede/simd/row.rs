// SPDX-License-Identifier: BSD-2-Clause-Patent
//! A row in blocks that stay in the first-level cache, each stage a short loop over a block.
//!
//! A stage marks the pixels for which a fast value does not decide a rounding. What it goes on with may be the wrong
//! float, so these pixels, one in some ten thousand, are computed anew by the scalar functions in the end.
#![forbid(unsafe_code)]

use super::super::scalar::{self, Planes, Row, Scale};
use super::colour::{Colours, Light};
use super::difference::Polars;
use crate::math::lanes::{Lanes, Sample};

/// Pixels of a block: a multiple of every vector's length.
pub const BLOCK: usize = 256;

/// The least lanes that a vector has.
const LEAST_LANES: usize = 4;

/// The pixels of a block that the fast values leave open, by vectors, as bits.
pub struct Open([u8; BLOCK / LEAST_LANES]);

impl Open {
    /// Marks pixels of the vector that starts at pixel `at`.
    #[inline(always)]
    pub fn mark<L: Lanes>(&mut self, l: L, at: usize, mask: L::Mask) {
        self.0[at / L::WIDTH] |= l.bits(mask);
    }
}

/// A picture's samples of one block, chroma for every pixel, zeros behind the row's end.
pub struct Samples<T> {
    /// Luma.
    pub y: [T; BLOCK],
    /// Blue difference.
    pub u: [T; BLOCK],
    /// Red difference.
    pub v: [T; BLOCK],
}

impl<T: Sample> Samples<T> {
    fn new() -> Self {
        Self { y: [T::default(); BLOCK], u: [T::default(); BLOCK], v: [T::default(); BLOCK] }
    }

    fn pixel(&self, x: usize) -> [u16; 3] {
        [self.y[x].into(), self.u[x].into(), self.v[x].into()]
    }

    /// Takes the pixels from `first`, which is even, to before `end`.
    #[inline(always)]
    fn fill(&mut self, row: Row<'_, T>, first: usize, end: usize) {
        let length = end - first;
        self.y[..length].copy_from_slice(&row.y[first..end]);
        self.y[length..].fill(T::default());
        fill_chroma(&mut self.u, length, row.u, first, row.halved);
        fill_chroma(&mut self.v, length, row.v, first, row.halved);
    }
}

/// Takes `length` pixels from pixel `first` on.
#[inline(always)]
fn fill_chroma<T: Sample>(to: &mut [T; BLOCK], length: usize, from: &[T], first: usize, halved: bool) {
    if halved {
        let from = &from[first / 2..][..length.div_ceil(2)];
        for (pair, &sample) in to.as_chunks_mut().0.iter_mut().zip(from) {
            *pair = [sample, sample];
        }
    } else {
        to[..length].copy_from_slice(&from[first..][..length]);
    }
    to[length..].fill(T::default());
}

impl<T: PartialEq> PartialEq for Samples<T> {
    fn eq(&self, other: &Self) -> bool {
        self.y == other.y && self.u == other.u && self.v == other.v
    }
}

/// The differences of rows, those of [`scalar::row_differences`].
#[inline(always)]
pub fn differences<L: Lanes, T: Sample>(
    l: L,
    scale: &Scale,
    pair: [&Planes<'_, T>; 2],
    first: usize,
    rows: &mut [Box<[f32]>],
) {
    let (mut samples, mut stages) = ([Samples::new(), Samples::new()], Stages::new());
    for (y, row) in (first..).zip(rows) {
        let (reference, distorted) = (pair[0].row(y), pair[1].row(y));
        for (block, out) in row.chunks_mut(BLOCK).enumerate() {
            let start = block * BLOCK;
            samples[0].fill(reference, start, start + out.len());
            samples[1].fill(distorted, start, start + out.len());
            // Equal pixels do not differ, whatever they are.
            if samples[0] == samples[1] {
                out.fill(0.0);
            } else {
                stages.run(l, scale, &samples);
                stages.write(l, scale, &samples, out);
            }
        }
    }
}

/// What the stages hand on.
struct Stages {
    light: Light,
    colours: [Colours; 2],
    polars: Polars,
    open: Open,
}

impl Stages {
    fn new() -> Self {
        let (light, colours, polars) = (Light::new(), [Colours::new(), Colours::new()], Polars::new());
        Self { light, colours, polars, open: Open([0; BLOCK / LEAST_LANES]) }
    }

    #[inline(always)]
    fn run<L: Lanes, T: Sample>(&mut self, l: L, scale: &Scale, samples: &[Samples<T>; 2]) {
        self.open.0.fill(0);
        for (samples, colours) in samples.iter().zip(&mut self.colours) {
            self.light.linearise(l, scale, samples, &mut self.open);
            colours.fill(l, &self.light, &mut self.open);
        }
        self.polars.stretch(l, &self.colours, &mut self.open);
        self.polars.turn(l, &self.colours, &mut self.open);
        self.polars.compare_hues(l, &mut self.open);
        self.polars.sum(l, &mut self.open);
    }

    /// Writes the differences, those of open pixels computed anew.
    #[inline(always)]
    fn write<L: Lanes, T: Sample>(&self, _: L, scale: &Scale, samples: &[Samples<T>; 2], out: &mut [f32]) {
        out.copy_from_slice(&self.polars.differences[..out.len()]);
        for (vector, out) in out.chunks_mut(L::WIDTH).enumerate() {
            let open = self.open.0[vector];
            if open != 0 {
                redo(scale, samples, vector * L::WIDTH, open, out);
            }
        }
    }
}

/// Computes the open pixels of a vector that starts at pixel `at`.
#[cold]
fn redo<T: Sample>(scale: &Scale, samples: &[Samples<T>; 2], at: usize, open: u8, out: &mut [f32]) {
    for (lane, out) in out.iter_mut().enumerate().filter(|(lane, _)| open >> lane & 1 == 1) {
        let (reference, distorted) = (samples[0].pixel(at + lane), samples[1].pixel(at + lane));
        *out = scalar::pixel_difference(scale, reference, distorted);
    }
}

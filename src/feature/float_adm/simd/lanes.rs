// SPDX-License-Identifier: BSD-2-Clause-Patent
//! What the stages ask of a vector register, whatever its length.

/// A register of floats. No operation rounds otherwise than Rust's own of the same name.
///
/// A value of an implementing type proves that the CPU has its instructions.
pub trait Lanes: Copy {
    /// The register.
    type V: Copy;
    /// A yes or no for each lane.
    type Mask: Copy;

    /// Lanes.
    const WIDTH: usize;

    /// Runs `stage` compiled for these instructions.
    fn run<S: Stage>(self, stage: S) -> S::Output;

    /// The floats from `at` on.
    fn load(self, from: &[f32], at: usize) -> Self::V;
    /// Stores floats from `at` on.
    fn store(self, to: &mut [f32], at: usize, v: Self::V);
    /// The same float everywhere.
    fn splat(self, value: f32) -> Self::V;

    /// Bytes from `at` on as floats: every other one, beginning with the first, and with the second.
    fn load_byte_pairs(self, from: &[u8], at: usize) -> [Self::V; 2];
    /// The same of 16-bit words.
    fn load_word_pairs(self, from: &[u16], at: usize) -> [Self::V; 2];
    /// The same of floats.
    fn load_float_pairs(self, from: &[f32], at: usize) -> [Self::V; 2];

    /// a + b.
    fn add(self, a: Self::V, b: Self::V) -> Self::V;
    /// a - b.
    fn sub(self, a: Self::V, b: Self::V) -> Self::V;
    /// a * b.
    fn mul(self, a: Self::V, b: Self::V) -> Self::V;
    /// `a` where a < b, else `b`: also where one is NaN.
    fn min(self, a: Self::V, b: Self::V) -> Self::V;
    /// `a` where a > b, else `b`: also where one is NaN.
    fn max(self, a: Self::V, b: Self::V) -> Self::V;
    /// |v|.
    fn abs(self, v: Self::V) -> Self::V;

    /// Where a > b.
    fn greater(self, a: Self::V, b: Self::V) -> Self::Mask;
    /// Where a >= b.
    fn at_least(self, a: Self::V, b: Self::V) -> Self::Mask;
    /// Where both say yes.
    fn both(self, a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// `yes` where the mask says so, else `no`.
    fn select(self, mask: Self::Mask, yes: Self::V, no: Self::V) -> Self::V;

    /// [`reciprocal_estimate`](crate::math::reciprocal_estimate).
    fn reciprocal_estimate(self, x: Self::V) -> Self::V;
    /// `v * factor` in doubles, rounded to floats.
    fn scaled(self, v: Self::V, factor: f64) -> Self::V;
    /// `sum + v * factor` in doubles, each operation rounded, the last then to floats.
    fn add_scaled(self, sum: Self::V, v: Self::V, factor: f64) -> Self::V;
}

/// A loop over registers. Its `run` and all it calls are `#[inline(always)]`, so that [`Lanes::run`] compiles them
/// for its instructions.
pub trait Stage {
    /// What it returns.
    type Output;

    /// The loop.
    fn run<L: Lanes>(self, lanes: L) -> Self::Output;
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! What filters and statistic need of a register full of floats.
//!
//! A value of a [`Lanes`] type can only be made where its instructions may be used, and vectors can only be made with
//! one. So every method is safe. All of them must be inlined in a function that enables the instructions: whatever
//! lies between is `#[inline(always)]`. No operation rounds otherwise than Rust's own of the same name.

use crate::math::lanes::Arithmetic;

/// One instruction-set level's vectors of floats.
pub trait Lanes: Copy {
    /// Floats in a vector.
    const COUNT: usize;
    /// Floats.
    type Floats: Arithmetic + Send;
    /// A yes or no for each lane.
    type Mask: Copy;

    /// The same float in every lane.
    fn splat(self, x: f32) -> Self::Floats;
    /// The first floats of a slice.
    fn load(self, from: &[f32]) -> Self::Floats;
    /// Writes the first floats of a slice.
    fn store(self, to: &mut [f32], x: Self::Floats);
    /// The lanes of vectors, one after another.
    fn as_floats(self, vectors: &mut [Self::Floats]) -> &mut [f32];

    /// The larger one.
    fn max(self, a: Self::Floats, b: Self::Floats) -> Self::Floats;
    /// The smaller one.
    fn min(self, a: Self::Floats, b: Self::Floats) -> Self::Floats;
    /// Where `a < b`.
    fn less(self, a: Self::Floats, b: Self::Floats) -> Self::Mask;
    /// Where one of two says yes.
    fn either(self, a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// Whether every lane says yes.
    fn all(self, mask: Self::Mask) -> bool;
    /// `a` where the mask says yes, else `b`.
    fn select(self, mask: Self::Mask, a: Self::Floats, b: Self::Floats) -> Self::Floats;

    /// `x`, but 0 where the mask says yes.
    fn clear(self, mask: Self::Mask, x: Self::Floats) -> Self::Floats;

    /// The exponent of a normal number above 0.
    fn exponent(self, x: Self::Floats) -> Self::Floats;
    /// The exponent field less 127, of anything.
    fn exponent_field(self, x: Self::Floats) -> Self::Floats;
    /// The mantissa in [1, 2), made of the fraction's bits whatever the number.
    fn mantissa(self, x: Self::Floats) -> Self::Floats;
    /// 1 + a / (b + noise) in doubles, rounded to floats once more.
    fn one_plus_quotient(self, a: Self::Floats, b: Self::Floats, noise: f64) -> Self::Floats;

    /// Turns a square of as many vectors as each has lanes.
    fn transpose(self, square: &mut [Self::Floats]);
    /// The lanes with even numbers of two vectors in a row, and those with odd numbers.
    fn even_odd(self, a: Self::Floats, b: Self::Floats) -> (Self::Floats, Self::Floats);
}

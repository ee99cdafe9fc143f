// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Vectors of doubles, so that one generic function serves every instruction-set level.
//!
//! A value of a [`Lanes`] type can only be made where its instructions may be used, and vectors can only be made
//! with one. So every method is safe. All of them must be inlined in a function that enables the instructions:
//! whatever lies between is `#[inline(always)]`.

mod avx2;
mod avx512;

pub use avx2::Avx2;
pub use avx512::Avx512;

use std::ops::{Add, BitAnd, BitOr, Div, Mul, Sub};

/// The four operations of IEEE 754, each rounded.
pub trait Arithmetic:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
}

impl<T> Arithmetic for T where T: Copy + Add<Output = T> + Sub<Output = T> + Mul<Output = T> + Div<Output = T> {}

/// One instruction-set level's vectors of `WIDTH` doubles, and of as many floats.
pub trait Lanes: Copy {
    /// Doubles in a vector: at most 8, a power of two.
    const WIDTH: usize;
    /// Whether looking up one of 256 entries costs no more than one of 16.
    const LONG_LOOKUPS: bool;
    /// Doubles.
    type Double: Arithmetic;
    /// Floats.
    type Single: Arithmetic;
    /// A yes or no for each lane.
    type Mask: Copy + BitAnd<Output = Self::Mask> + BitOr<Output = Self::Mask>;
    /// An index for each lane, of which as many bits count as the table has.
    type Index: Copy;

    /// The same double in every lane.
    fn splat(self, x: f64) -> Self::Double;
    /// The same float in every lane.
    fn splat_single(self, x: f32) -> Self::Single;
    /// The first `WIDTH` doubles.
    fn load(self, from: &[f64]) -> Self::Double;
    /// Writes the first `WIDTH` doubles.
    fn store(self, to: &mut [f64], x: Self::Double);
    /// The first `WIDTH` floats.
    fn load_single(self, from: &[f32]) -> Self::Single;
    /// Writes the first `WIDTH` floats.
    fn store_single(self, to: &mut [f32], x: Self::Single);
    /// The first `WIDTH` bytes.
    fn load_bytes(self, from: &[u8]) -> Self::Double;
    /// The first `WIDTH` 16-bit words.
    fn load_words(self, from: &[u16]) -> Self::Double;
    /// Floats as doubles.
    fn widen(self, x: Self::Single) -> Self::Double;
    /// Doubles rounded to floats.
    fn round(self, x: Self::Double) -> Self::Single;

    /// `a * b + c`, rounded once.
    fn mul_add(self, a: Self::Double, b: Self::Double, c: Self::Double) -> Self::Double;
    /// `c - a * b`, rounded once.
    fn mul_sub_from(self, a: Self::Double, b: Self::Double, c: Self::Double) -> Self::Double;
    /// The square root.
    fn sqrt(self, x: Self::Double) -> Self::Double;
    /// 1 / sqrt(x) of a normal x > 0, within 2^-40 of its size.
    fn reciprocal_root(self, x: Self::Double) -> Self::Double;
    /// 1 / x, of x within the range of floats, within 2^-11 of its size.
    fn reciprocal(self, x: Self::Double) -> Self::Double;
    /// The absolute value.
    fn abs(self, x: Self::Double) -> Self::Double;
    /// The smaller one.
    fn min(self, a: Self::Double, b: Self::Double) -> Self::Double;
    /// The larger one.
    fn max(self, a: Self::Double, b: Self::Double) -> Self::Double;
    /// `x` with the sign of `sign`.
    fn copy_sign(self, x: Self::Double, sign: Self::Double) -> Self::Double;
    /// x * 2^n of normal numbers, n an integer that leaves x normal.
    fn scale(self, x: Self::Double, n: Self::Double) -> Self::Double;

    /// Every lane.
    fn all(self) -> Self::Mask;
    /// Where `a > b`.
    fn greater(self, a: Self::Double, b: Self::Double) -> Self::Mask;
    /// `a` where the mask says yes, else `b`.
    fn select(self, mask: Self::Mask, a: Self::Double, b: Self::Double) -> Self::Double;
    /// The mask's lanes as bits, the first lane lowest.
    fn bits(self, mask: Self::Mask) -> u8;
    /// Where x is within 2^`UNITS` last places of the middle between two normal floats.
    fn open<const UNITS: u32>(self, x: Self::Double) -> Self::Mask;

    /// The mantissa in [1, 2) of a normal x > 0.
    fn mantissa(self, x: Self::Double) -> Self::Double;
    /// The middle of that sixteenth of [1, 2) in which the mantissa `m` lies.
    fn centre(self, m: Self::Double) -> Self::Double;
    /// Which sixteenth of its octave x lies in.
    fn interval(self, x: Self::Double) -> Self::Index;
    /// The exponent of two of a normal x > 0.
    fn exponent(self, x: Self::Double) -> Self::Double;
    /// The octave of x, the biased exponent modulo 16.
    fn octave(self, x: Self::Double) -> Self::Index;
    /// The nearest integer, and its lowest bits as index; |x| < 2^31.
    fn nearest(self, x: Self::Double) -> (Self::Double, Self::Index);
    /// Entries of a table.
    fn lookup(self, table: &[f64; 16], index: Self::Index) -> Self::Double;
    /// Entries of a long table.
    fn lookup_256(self, table: &[f64; 256], index: Self::Index) -> Self::Double;
    /// Where bit `BIT`, from 0 to 3, of an index is set.
    fn index_bit<const BIT: u32>(self, index: Self::Index) -> Self::Mask;
}

/// What must be added so that bits of a float's halfway point become zeros, and which bits to look at.
const fn open_bits(units: u32) -> (i64, i64) {
    let unit = 1i64 << units;
    (unit - (1 << 28), ((1 << 29) - 1) & !(2 * unit - 1))
}

/// Samples of 8 or more bits.
pub trait Sample: Copy + Default + PartialEq + Into<u16> {
    /// The first samples as doubles.
    fn load<L: Lanes>(lanes: L, from: &[Self]) -> L::Double;
}

impl Sample for u8 {
    #[inline(always)]
    fn load<L: Lanes>(lanes: L, from: &[u8]) -> L::Double {
        lanes.load_bytes(from)
    }
}

impl Sample for u16 {
    #[inline(always)]
    fn load<L: Lanes>(lanes: L, from: &[u16]) -> L::Double {
        lanes.load_words(from)
    }
}

/// Adding it puts the nearest integer of a small double in the mantissa's lowest bits.
const TO_INTEGER: f64 = 6_755_399_441_055_744.0;

#[cfg(test)]
mod tests;

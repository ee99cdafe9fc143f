// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Registers with one block in each lane, as the kernel sees them.
//!
//! A value of a register type can only come from a [`Machine`], and a machine is only made where the CPU has its
//! instructions: holding a value is the proof that they may be used.

use std::ops::{Add, Div, Mul, Sub};

/// 16-bit integers, wrapping.
pub trait Words: Copy + Add<Output = Self> + Sub<Output = Self> {
    /// What half of the lanes widen to.
    type Floats: Floats;

    /// Half of each, rounded towards zero.
    fn half(self) -> Self;

    /// `self * multiplier / 2^15`, rounded.
    fn scaled(self, multiplier: i16) -> Self;

    /// The lower and the upper lanes as floats.
    fn signed(self) -> [Self::Floats; 2];

    /// The same of lanes without sign.
    fn unsigned(self) -> [Self::Floats; 2];
}

/// Single precision, each operation rounded once.
pub trait Floats:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// Square roots.
    fn sqrt(self) -> Self;

    /// Absolute values.
    fn magnitude(self) -> Self;

    /// `other` where it is greater.
    fn larger(self, other: Self) -> Self;

    /// `self / other`, or 0 where `other` is not above 0.
    fn over(self, other: Self) -> Self;

    /// Writes as many floats as there are lanes.
    fn store(self, to: &mut [f32]);
}

/// An instruction set.
pub trait Machine: Copy {
    /// Twice as many lanes as the floats have.
    type Words: Words<Floats = Self::Floats>;
    /// Floats.
    type Floats: Floats;
    /// Lanes of the floats.
    const LANES: usize;

    /// `value` in every lane.
    fn splat(self, value: f32) -> Self::Floats;

    /// The floats at the start of `from`.
    fn load(self, from: &[f32]) -> Self::Floats;

    /// One row of all lanes' blocks, which lie side by side from the start of `line`: a register for each column.
    fn columns(self, line: &[u16]) -> [Self::Words; 8];
}

/// Implements an operator by one instruction of two operands.
macro_rules! operator {
    ($register:ident, $operator:ident, $method:ident, $instruction:ident) => {
        impl std::ops::$operator for $register {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: a value of this type is the proof that the CPU has the instruction.
                Self(unsafe { $instruction(self.0, other.0) })
            }
        }
    };
}
pub(super) use operator;

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Sums of samples and of their squares, as `float_moment.md` writes them.
#![forbid(unsafe_code)]

use std::iter::Sum;
use std::ops::{Add, AddAssign};

use crate::picture::Plane;
use crate::reduce::squares::rounded_square;

/// The two sums of some samples; parts of a plane merge by addition.
///
/// `squares` is exact. Past [`EXACT`](crate::reduce::ordered::EXACT), which only 16 bits reach, the reference's
/// figure is the ordered sum instead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// Sum of x, in units of one code value.
    pub samples: u64,
    /// Sum of [T(x)](rounded_square), in units of one code value squared.
    pub squares: u64,
}

impl Add for Sums {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { samples: self.samples + other.samples, squares: self.squares + other.squares }
    }
}

impl AddAssign for Sums {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Sums {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::default(), Self::add)
    }
}

/// The sums of one row of an 8-bit plane, where T(x) is x^2.
pub fn row_sums8(row: &[u8]) -> Sums {
    let sums = |&x: &u8| Sums { samples: x.into(), squares: u64::from(x) * u64::from(x) };
    row.iter().map(sums).sum()
}

/// The sums of one row of a plane of more than 8 bits.
pub fn row_sums16(row: &[u16]) -> Sums {
    let sums = |&x: &u16| Sums { samples: x.into(), squares: rounded_square(x).into() };
    row.iter().map(sums).sum()
}

/// The terms of the second moment's ordered sum over one row.
pub fn row_terms(row: &[u16]) -> impl Iterator<Item = u32> + '_ {
    row.iter().map(|&x| rounded_square(x))
}

/// The sums of `float_moment.md` section 3 to the letter: (sum of p, sum of p * p), p = x / `scale` in float,
/// each one double chain over the plane. What every other form must give.
pub fn chains<T: Copy + Into<f32>>(plane: &Plane<'_, T>, scale: f32) -> (f64, f64) {
    let (mut first, mut second) = (0.0, 0.0);
    for &x in plane.rows(0..plane.height()).flatten() {
        let p = x.into() / scale;
        first += f64::from(p);
        second += f64::from(p * p);
    }
    (first, second)
}

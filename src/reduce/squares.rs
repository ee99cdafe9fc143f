// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Squares as a product of two floats keeps them.
#![forbid(unsafe_code)]

/// T(x) of `float_moment.md` section 4: x^2 rounded to 24 significant bits, ties to even; at most 4294836224.
///
/// Equal to x^2 for x up to 4096.
#[inline]
pub fn rounded_square(x: u16) -> u32 {
    let p = f32::from(x);
    (p * p) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same by integers alone.
    fn rounded_by_hand(x: u16) -> u32 {
        let square = u64::from(x) * u64::from(x);
        let dropped = (64 - square.leading_zeros()).saturating_sub(24);
        let (kept, rest, unit) = (square >> dropped, square % (1 << dropped), 1 << dropped);
        let up = 2 * rest > unit || (2 * rest == unit && dropped > 0 && kept % 2 == 1);
        ((kept + u64::from(up)) << dropped) as u32
    }

    #[test]
    fn every_sample_agrees_with_integers() {
        for x in 0..=u16::MAX {
            assert_eq!(rounded_square(x), rounded_by_hand(x), "x {x}");
        }
        assert_eq!(rounded_square(u16::MAX), 4_294_836_224);
    }

    #[test]
    fn a_square_rounds_only_above_4096() {
        let exact = |x: u16| u64::from(rounded_square(x)) == u64::from(x) * u64::from(x);
        assert!((0..=4096).all(exact));
        assert!(!exact(4097));
    }
}

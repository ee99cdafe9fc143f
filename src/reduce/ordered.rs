// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The ordered sum: what one double accumulator gives for a long row of integers, found in parallel.
//!
//! The reference adds every term of a plane to one double in raster order. Past 2^53 that sum rounds at each
//! addition, so its value depends on the order. The method is that of `float_moment.md` section 5: within one
//! binade a run of terms moves the sum's mantissa by one of two increments, chosen by the mantissa's parity alone.
//! A run here is a row. Three steps, the first and second in parallel over rows in any order:
//!
//! 1. the exact sum of each row ([`row_sum`]), from which [`Plan::new`] estimates the binade at each row's start;
//! 2. the increments of each row in that binade ([`row_pair`]), needed only if [`exact`] is `None`;
//! 3. [`Plan::walk`], a few operations a row.
//!
//! Terms are non-negative integers below 2^32, sums stay below 2^62.
#![forbid(unsafe_code)]

/// Up to here a double sum of integers is exact.
pub const EXACT: u64 = 1 << 53;

const MANTISSA_BITS: u32 = 53;

/// log2 of the last place of the double `sum`: 0 while everything is exact.
pub fn place(sum: u64) -> u32 {
    (u64::BITS - sum.leading_zeros()).saturating_sub(MANTISSA_BITS)
}

/// How far a run of terms moves a sum inside one binade, in last places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pair {
    /// The increment of a sum whose mantissa is even.
    pub even: u64,
    /// The increment of a sum whose mantissa is odd.
    pub odd: u64,
}

impl Pair {
    /// The pair of this run followed by `next`; associative, not commutative, neutral with the default pair.
    pub fn then(self, next: Self) -> Self {
        Self { even: self.even + next.increment(self.even), odd: self.odd + next.increment(1 + self.odd) }
    }

    /// By how much this run moves a sum with this mantissa.
    fn increment(self, mantissa: u64) -> u64 {
        if mantissa.is_multiple_of(2) { self.even } else { self.odd }
    }
}

/// The exact sum of one row's terms.
pub fn row_sum(terms: impl Iterator<Item = u32>) -> u64 {
    terms.map(u64::from).sum()
}

/// The increments of one row's terms in the binade whose last place is 2^`place`.
///
/// The floating adder does the rounding: one chain starts at the binade's lowest even mantissa, one at its lowest odd.
pub fn row_pair(terms: impl Iterator<Item = u32>, place: u32) -> Pair {
    let mut chains = Chains::new(place);
    for term in terms {
        chains.even += f64::from(term);
        chains.odd += f64::from(term);
    }
    chains.pair()
}

/// The two running sums from which [`row_pair`] reads its increments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chains {
    pub even: f64,
    pub odd: f64,
    pub place: u32,
}

impl Chains {
    pub fn new(place: u32) -> Self {
        let [even, odd] = Self::starts(place).map(|start| start as f64);
        Self { even, odd, place }
    }

    pub fn pair(self) -> Pair {
        let [even, odd] = Self::starts(self.place);
        Pair { even: (self.even as u64 - even) >> self.place, odd: (self.odd as u64 - odd) >> self.place }
    }

    fn starts(place: u32) -> [u64; 2] {
        let lowest = 1 << (MANTISSA_BITS - 1);
        [lowest << place, (lowest + 1) << place]
    }
}

/// The sum of rows with these exact sums, if no addition rounds: then neither a plan nor a walk is needed.
pub fn exact(sums: impl Iterator<Item = u64>) -> Option<u64> {
    Some(sums.sum()).filter(|&total| total <= EXACT)
}

/// The rows of an ordered sum with the binades in which they are expected to start.
#[derive(Clone, Debug)]
pub struct Plan {
    start: u64,
    rows: Vec<Row>,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    sum: u64,
    place: u32,
}

impl Plan {
    /// A plan for rows with these exact sums, added from 0.
    pub fn new(sums: impl IntoIterator<Item = u64>) -> Self {
        Self::starting_at(0, sums)
    }

    /// A plan that goes on from `start`, which must be a double's value.
    pub fn starting_at(start: u64, sums: impl IntoIterator<Item = u64>) -> Self {
        let mut total = start;
        let rows = sums.into_iter().map(|sum| {
            // The exact prefix is a little above the rounded one: the place is advice, which the walk checks.
            let row = Row { sum, place: place(total) };
            total += sum;
            row
        });
        let rows = rows.collect();
        Self { start, rows }
    }

    /// The first row for which [`Plan::walk`] may want increments.
    pub fn first_rounded(&self) -> usize {
        self.rows.partition_point(|row| row.place == 0)
    }

    /// The place for which the increments of row `y` are wanted.
    pub fn place(&self, y: usize) -> u32 {
        self.rows[y].place
    }

    /// The ordered sum. `pair` gives the increments of a row at its [`Plan::place`], asked only from
    /// [`Plan::first_rounded`] on; `terms` gives a row's terms, asked for the few rows that leave their binade.
    pub fn walk<T>(&self, pair: impl Fn(usize) -> Pair, terms: impl Fn(usize) -> T) -> u64
    where
        T: Iterator<Item = u32>,
    {
        let step = |sum, (y, row): (usize, &Row)| {
            let end = if row.place == 0 { row.exact_end(sum) } else { row.rounded_end(sum, || pair(y)) };
            end.unwrap_or_else(|| term_by_term(sum, terms(y)))
        };
        self.rows.iter().enumerate().fold(self.start, step)
    }
}

impl Row {
    /// Where the row takes `sum` if no addition rounds.
    fn exact_end(&self, sum: u64) -> Option<u64> {
        Some(sum + self.sum).filter(|&end| end <= EXACT)
    }

    /// Where the row takes `sum` if it starts in the expected binade and stays there.
    fn rounded_end(&self, sum: u64, pair: impl Fn() -> Pair) -> Option<u64> {
        if place(sum) != self.place {
            return None;
        }
        let mantissa = sum >> self.place;
        let end = mantissa + pair().increment(mantissa);
        // From the binade's upper edge on sums round with the next place, which these increments do not know.
        (end < 1 << MANTISSA_BITS).then_some(end << self.place)
    }
}

/// The reference's own chain. `sum` must be a double's value, and so is the result.
pub fn term_by_term(sum: u64, terms: impl Iterator<Item = u32>) -> u64 {
    terms.fold(sum as f64, |sum, term| sum + f64::from(term)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::squares::rounded_square;
    use crate::reduce::testing::Noise;

    /// A step of section 5.1: the pair of one term from integers alone.
    fn step(term: u64, place: u32) -> Pair {
        let (quotient, rest, unit) = (term >> place, term % (1 << place), 1 << place);
        let (up, tie) = (u64::from(2 * rest > unit), 2 * rest == unit);
        let to_even = |odd| quotient + up + u64::from(tie && quotient % 2 == odd);
        Pair { even: to_even(1), odd: to_even(0) }
    }

    fn compose(row: &[u32], place: u32) -> Pair {
        row.iter().map(|&term| step(term.into(), place)).fold(Pair::default(), Pair::then)
    }

    /// The ordered sum and its exact neighbour, with the increments found by `pair`.
    fn planned(start: u64, rows: &[Vec<u32>], pair: impl Fn(&[u32], u32) -> Pair) -> (u64, u64) {
        let terms = |y: usize| rows[y].iter().copied();
        let sums = (0..rows.len()).map(|y| row_sum(terms(y)));
        let plan = Plan::starting_at(start, sums.clone());
        (plan.walk(|y| pair(&rows[y], plan.place(y)), terms), start + sums.sum::<u64>())
    }

    /// Checks both ways to increments against the chain; says whether the sum rounded.
    fn check(what: &str, start: u64, rows: &[Vec<u32>]) -> bool {
        let expected = term_by_term(start, rows.iter().flatten().copied());
        let (by_adding, exact) = planned(start, rows, |row, place| row_pair(row.iter().copied(), place));
        let (by_integers, _) = planned(start, rows, compose);
        assert_eq!(by_adding, expected, "{what}, start {start}: chains");
        assert_eq!(by_integers, expected, "{what}, start {start}: integers");
        expected != exact
    }

    fn as_double(sum: u64) -> u64 {
        sum as f64 as u64
    }

    fn noise_rows(noise: &mut Noise, max: u16) -> Vec<Vec<u32>> {
        let row = |_| {
            let width = 1 + noise.bits() as usize % 200;
            noise.samples(width, max).into_iter().map(rounded_square).collect()
        };
        (0..40).map(row).collect()
    }

    /// Terms that are half a last place or odd: a tie, or a rest of every size, at each.
    fn tie_rows(noise: &mut Noise, place: u32) -> Vec<Vec<u32>> {
        let mut rows = noise_rows(noise, 4096);
        for term in rows.iter_mut().flatten().filter(|term| **term % 2 == 0) {
            *term = 1 << (place - 1);
        }
        rows
    }

    #[test]
    fn rounding_sums_equal_the_chain_at_every_binade_edge() {
        let mut rounded = [false; 6];
        for seed in 1..=4 {
            let noise = &mut Noise(seed);
            for (place, rounded) in (1..).zip(&mut rounded) {
                let edge = EXACT << (place - 1);
                for max in [3, 15, 255, 4095, u16::MAX] {
                    for rows in [noise_rows(noise, max), tie_rows(noise, place)] {
                        let sum: u64 = rows.iter().flatten().copied().map(u64::from).sum();
                        for start in [edge, edge - 1, edge - sum / 2, edge - sum, edge + 12345] {
                            let what = format!("seed {seed}, place {place}, max {max}");
                            *rounded |= check(&what, as_double(start), &rows);
                        }
                    }
                }
            }
        }
        assert_eq!(rounded, [true; 6], "some edge was tested without any rounding");
    }

    #[test]
    fn sums_beside_two_to_the_53() {
        for ones in [0, 1, 2, 3, 5, 8] {
            for below in [0, 1, 2, 3] {
                let rows = [vec![1; ones], vec![], vec![1], vec![1, 1], vec![3]];
                check(&format!("{ones} ones"), EXACT - below, &rows);
            }
        }
        let stuck = [vec![1; 100], vec![1; 100]];
        assert_eq!(planned(EXACT, &stuck, compose).0, EXACT, "ones are lost on an even sum");
    }

    #[test]
    fn sums_are_exact_up_to_two_to_the_53() {
        let halves = |extra| exact([EXACT / 2, EXACT / 2 - 1, extra].into_iter());
        assert_eq!(halves(0), Some(EXACT - 1));
        assert_eq!(halves(1), Some(EXACT));
        assert_eq!(halves(2), None);
    }

    #[test]
    fn increments_are_asked_only_where_sums_may_round() {
        let rows = [vec![7, 9], vec![1, 3], vec![5], vec![1]];
        let plan = Plan::starting_at(EXACT - 4, rows.iter().map(|row| row_sum(row.iter().copied())));
        assert_eq!(plan.first_rounded(), 1);
        let pair = |y: usize| {
            assert!(y >= plan.first_rounded(), "row {y}");
            compose(&rows[y], plan.place(y))
        };
        plan.walk(pair, |y| rows[y].iter().copied());
    }

    #[test]
    fn pairs_compose_like_terms() {
        let noise = &mut Noise(3);
        for place in 0..6 {
            for rows in [noise_rows(noise, u16::MAX), tie_rows(noise, place.max(1))] {
                for row in rows {
                    let (first, second) = row.split_at(row.len() / 3);
                    let joined = compose(first, place).then(compose(second, place));
                    assert_eq!(joined, row_pair(row.iter().copied(), place), "place {place}, row {row:?}");
                }
            }
        }
    }

    #[test]
    fn places_count_the_bits_beyond_a_mantissa() {
        assert_eq!([0, 1, EXACT - 1, EXACT, 2 * EXACT - 1, 2 * EXACT].map(place), [0, 0, 0, 1, 1, 2]);
    }
}

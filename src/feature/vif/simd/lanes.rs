// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The registers that the fast path is written for, whatever their length.
#![forbid(unsafe_code)]

use crate::cpu::Level;

/// An instruction set. A value of such a type exists only where the CPU has the instructions, so that its
/// operations are safe to call. They are meant for code that [`Lanes::run`] compiles for the instruction set:
/// anywhere else they are calls, right but slow.
///
/// A register of integers is seen as 16-bit words or as 32-bit lanes of two words, the lower word first.
pub trait Lanes: Copy + Send + Sync + 'static {
    /// A register of integers.
    type Ints: Copy + Send;
    /// A register of half as many doubles as [`Self::Ints`] has lanes.
    type Doubles: Copy;
    /// A subset of the lanes.
    type Mask: Copy;
    /// 16-bit words of a register.
    const WORDS: usize;
    /// Whether there are 32 registers, not 16: so many sums may be under way at a time.
    const MANY: bool;
    /// 32-bit lanes of a register.
    const LANES: usize = Self::WORDS / 2;

    /// The instructions of `level`, if they are these.
    fn of(level: Level) -> Option<Self>;
    /// Runs `stage`, compiled for these instructions.
    fn run<S: Stage<Self>>(self, stage: S) -> S::Output;

    /// All bits 0.
    fn zero(self) -> Self::Ints {
        self.splat(0)
    }
    /// `value` in every lane.
    fn splat(self, value: i32) -> Self::Ints;
    /// The first words of `words`.
    fn load(self, words: &[u16]) -> Self::Ints;
    /// The first bytes of `bytes`, widened to words.
    fn load_bytes(self, bytes: &[u8]) -> Self::Ints;
    /// The first lanes of `lanes`.
    fn load_lanes(self, lanes: &[i32]) -> Self::Ints;
    /// Stores into the first lanes of `lanes`.
    fn store_lanes(self, lanes: &mut [i32], a: Self::Ints);
    /// Stores the high word of each lane into the first words of `words`.
    fn store_high(self, words: &mut [u16], a: Self::Ints);
    /// The words of `registers`.
    fn words(self, registers: &[Self::Ints]) -> &[u16];

    /// `sum` + low word of `a` * low word of `b` + high word * high word, signed, in each lane.
    fn dot(self, sum: Self::Ints, a: Self::Ints, b: Self::Ints) -> Self::Ints;
    /// Low halves of the products of words.
    fn mul_low(self, a: Self::Ints, b: Self::Ints) -> Self::Ints;
    /// High halves of the products of unsigned words.
    fn mul_high(self, a: Self::Ints, b: Self::Ints) -> Self::Ints;
    /// Sums of words.
    fn add_words(self, a: Self::Ints, b: Self::Ints) -> Self::Ints;
    /// Words shifted left.
    fn shl_words(self, a: Self::Ints, count: u32) -> Self::Ints;
    /// Unsigned words shifted right.
    fn shr_words(self, a: Self::Ints, count: u32) -> Self::Ints;
    /// The low words of `low`, the high words of `high`.
    fn blend(self, low: Self::Ints, high: Self::Ints) -> Self::Ints;
    /// Exclusive or.
    fn xor(self, a: Self::Ints, b: Self::Ints) -> Self::Ints;
    /// Or.
    fn or(self, a: Self::Ints, b: Self::Ints) -> Self::Ints;

    /// Sums of lanes.
    fn add(self, a: Self::Ints, b: Self::Ints) -> Self::Ints;
    /// Differences of lanes.
    fn sub(self, a: Self::Ints, b: Self::Ints) -> Self::Ints;
    /// Lanes shifted left.
    fn shl(self, a: Self::Ints, count: u32) -> Self::Ints;
    /// Unsigned lanes shifted right.
    fn shr(self, a: Self::Ints, count: u32) -> Self::Ints;
    /// Signed lanes shifted right.
    fn sar(self, a: Self::Ints, count: u32) -> Self::Ints;
    /// The smaller of signed lanes.
    fn min(self, a: Self::Ints, b: Self::Ints) -> Self::Ints;
    /// The larger of signed lanes.
    fn max(self, a: Self::Ints, b: Self::Ints) -> Self::Ints;
    /// (`a` * `b` + 2^31) >> 32 of unsigned lanes.
    fn mul_round_high(self, a: Self::Ints, b: Self::Ints) -> Self::Ints;
    /// 64-bit sums: to each pair of lanes in `sums` seen as one number, both unsigned lanes of `a`.
    fn add_wide(self, sums: Self::Ints, a: Self::Ints) -> Self::Ints;
    /// The sum of signed lanes.
    fn sum(self, a: Self::Ints) -> i64;
    /// The sum of the 64-bit numbers that [`Self::add_wide`] makes.
    fn sum_wide(self, a: Self::Ints) -> i64;
    /// Whether all bits of `a` are 0.
    fn is_zero(self, a: Self::Ints) -> bool;

    /// The first `count` lanes.
    fn first(self, count: usize) -> Self::Mask;
    /// Those lanes of `within` in which the signed lane of `a` is not below that of `bound`.
    fn not_below(self, within: Self::Mask, a: Self::Ints, bound: Self::Ints) -> Self::Mask;
    /// The lanes of `a` without those of `b`.
    fn without(self, a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// How many lanes.
    fn count(self, mask: Self::Mask) -> usize;
    /// `a` in the lanes of `mask`, 0 in the others.
    fn keep(self, mask: Self::Mask, a: Self::Ints) -> Self::Ints;
    /// The lanes of `mask` moved to the front, in order; what follows them has no meaning.
    fn pack(self, mask: Self::Mask, a: Self::Ints) -> Self::Ints;

    /// `value` in every place.
    fn splat_double(self, value: f64) -> Self::Doubles;
    /// Unsigned lanes as doubles: the even lanes, the odd ones.
    fn to_doubles(self, a: Self::Ints) -> [Self::Doubles; 2];
    /// From doubles of 0 to below 2^32, cut to whole numbers, back to even and odd lanes. What other doubles become
    /// has no meaning.
    fn truncate(self, a: [Self::Doubles; 2]) -> Self::Ints;
    /// Sums, rounded to nearest.
    fn add_doubles(self, a: Self::Doubles, b: Self::Doubles) -> Self::Doubles;
    /// Differences, rounded to nearest.
    fn sub_doubles(self, a: Self::Doubles, b: Self::Doubles) -> Self::Doubles;
    /// Products, rounded to nearest.
    fn mul_doubles(self, a: Self::Doubles, b: Self::Doubles) -> Self::Doubles;
    /// Quotients, rounded to nearest.
    fn div_doubles(self, a: Self::Doubles, b: Self::Doubles) -> Self::Doubles;
    /// The smaller of two doubles that are not NaN.
    fn min_doubles(self, a: Self::Doubles, b: Self::Doubles) -> Self::Doubles;
    /// The larger of two doubles that are not NaN.
    fn max_doubles(self, a: Self::Doubles, b: Self::Doubles) -> Self::Doubles;

    /// What logarithms are computed from, kept in registers.
    type Logs: Copy;
    /// Loads it.
    fn logs(self) -> Self::Logs;
    /// [`log`](crate::feature::vif::tables::log) of lanes from 2^17 to below 2^31, less that of 2^17.
    fn log(self, logs: Self::Logs, values: Self::Ints) -> Self::Ints;
}

/// A piece of work written for any instruction set.
///
/// `run` and all that it calls are to be `#[inline(always)]`: so the work gets compiled where [`Lanes::run`] is.
pub trait Stage<L: Lanes> {
    /// What it gives.
    type Output;

    /// Does it.
    fn run(self, lanes: L) -> Self::Output;
}

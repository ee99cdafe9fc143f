// SPDX-License-Identifier: BSD-2-Clause-Patent
//! What the stages ask of a vector register, whatever its length.

/// A register of 32-bit lanes, each also read as two 16-bit words, and every two as a 64-bit lane.
///
/// A value of an implementing type proves that the CPU has its instructions.
pub trait Lanes: Copy + Send + Sync {
    /// The register.
    type V: Copy;

    /// 32-bit lanes.
    const WIDTH: usize;

    /// Runs `stage` compiled for these instructions.
    fn run<S: Stage>(self, stage: S) -> S::Output;

    /// The words from `at` on.
    fn load16(self, from: &[i16], at: usize) -> Self::V;
    /// The 32-bit lanes from `at` on.
    fn load32(self, from: &[i32], at: usize) -> Self::V;
    /// Bytes from `at` on as words.
    fn load_bytes(self, from: &[u8], at: usize) -> Self::V;
    /// Words from `at` on, as they are.
    fn load_words(self, from: &[u16], at: usize) -> Self::V;
    /// Stores words from `at` on.
    fn store16(self, to: &mut [i16], at: usize, v: Self::V);
    /// Stores 32-bit lanes from `at` on.
    fn store32(self, to: &mut [i32], at: usize, v: Self::V);

    /// The same word everywhere.
    fn set16(self, value: i16) -> Self::V;
    /// The same 32-bit lane everywhere.
    fn set32(self, value: i32) -> Self::V;
    /// The same 64-bit lane everywhere.
    fn set64(self, value: i64) -> Self::V;

    /// a + b of words.
    fn add16(self, a: Self::V, b: Self::V) -> Self::V;
    /// a - b of words.
    fn sub16(self, a: Self::V, b: Self::V) -> Self::V;
    /// The low halves of products of words.
    fn mul_low16(self, a: Self::V, b: Self::V) -> Self::V;
    /// The high halves of products of words.
    fn mul_high16(self, a: Self::V, b: Self::V) -> Self::V;
    /// (a * b + 2^14) >> 15 of words.
    fn mul_round16(self, a: Self::V, b: Self::V) -> Self::V;
    /// The smaller word.
    fn min16(self, a: Self::V, b: Self::V) -> Self::V;
    /// The larger word.
    fn max16(self, a: Self::V, b: Self::V) -> Self::V;
    /// The magnitudes of words.
    fn abs16(self, v: Self::V) -> Self::V;
    /// v >> n of words, keeping the sign.
    fn sra16(self, v: Self::V, n: u32) -> Self::V;
    /// Words of `a` and `b` in turn, from the lower half of each 128 bits.
    fn unpack_low16(self, a: Self::V, b: Self::V) -> Self::V;
    /// The same from the upper halves.
    fn unpack_high16(self, a: Self::V, b: Self::V) -> Self::V;
    /// Lanes that fit a word as words, such that it undoes the two unpackings.
    fn pack(self, a: Self::V, b: Self::V) -> Self::V;
    /// Lanes that fit a word as words, those of `a` first.
    fn pack_in_order(self, a: Self::V, b: Self::V) -> Self::V;
    /// Products of words, added by pairs.
    fn dot(self, a: Self::V, b: Self::V) -> Self::V;
    /// `sum` plus [`Self::dot`].
    fn dot_add(self, sum: Self::V, a: Self::V, b: Self::V) -> Self::V;
    /// The even words of `even` and the odd ones of `odd`.
    fn blend16(self, even: Self::V, odd: Self::V) -> Self::V;

    /// a + b.
    fn add32(self, a: Self::V, b: Self::V) -> Self::V;
    /// a - b.
    fn sub32(self, a: Self::V, b: Self::V) -> Self::V;
    /// The low halves of products.
    fn mul_low32(self, a: Self::V, b: Self::V) -> Self::V;
    /// The smaller lane.
    fn min32(self, a: Self::V, b: Self::V) -> Self::V;
    /// The smaller lane, read without a sign.
    fn min_unsigned32(self, a: Self::V, b: Self::V) -> Self::V;
    /// The larger lane.
    fn max32(self, a: Self::V, b: Self::V) -> Self::V;
    /// Magnitudes.
    fn abs32(self, v: Self::V) -> Self::V;
    /// v << n.
    fn sll32(self, v: Self::V, n: u32) -> Self::V;
    /// v >> n, filling with zeros.
    fn srl32(self, v: Self::V, n: u32) -> Self::V;
    /// v >> n, keeping the sign.
    fn sra32(self, v: Self::V, n: u32) -> Self::V;
    /// v << n, each lane by its own n.
    fn sll_each32(self, v: Self::V, n: Self::V) -> Self::V;
    /// v >> n, each lane by its own n.
    fn srl_each32(self, v: Self::V, n: Self::V) -> Self::V;
    /// v >> n, each lane by its own n, keeping the sign.
    fn sra_each32(self, v: Self::V, n: Self::V) -> Self::V;
    /// All ones where a > b.
    fn greater32(self, a: Self::V, b: Self::V) -> Self::V;
    /// By how many bits a lane is longer than 15, at least 0.
    fn bits_beyond_15(self, v: Self::V) -> Self::V;
    /// The even lanes of `even` and the odd ones of `odd`.
    fn blend32(self, even: Self::V, odd: Self::V) -> Self::V;

    /// Products of the even lanes, read without a sign, as 64-bit lanes.
    fn mul_unsigned(self, a: Self::V, b: Self::V) -> Self::V;
    /// Products of the even lanes as 64-bit lanes.
    fn mul_signed(self, a: Self::V, b: Self::V) -> Self::V;
    /// a + b of 64-bit lanes.
    fn add64(self, a: Self::V, b: Self::V) -> Self::V;
    /// v << n of 64-bit lanes.
    fn sll64(self, v: Self::V, n: u32) -> Self::V;
    /// v >> n of 64-bit lanes, filling with zeros.
    fn srl64(self, v: Self::V, n: u32) -> Self::V;
    /// v << n of 64-bit lanes, each by its own n.
    fn sll_each64(self, v: Self::V, n: Self::V) -> Self::V;
    /// v >> n of 64-bit lanes, each by its own n.
    fn srl_each64(self, v: Self::V, n: Self::V) -> Self::V;
    /// The sum of the 64-bit lanes.
    fn sum64(self, v: Self::V) -> i64;

    /// a & b.
    fn and(self, a: Self::V, b: Self::V) -> Self::V;
    /// a | b.
    fn or(self, a: Self::V, b: Self::V) -> Self::V;
    /// a ^ b.
    fn xor(self, a: Self::V, b: Self::V) -> Self::V;
    /// The bits of `yes` where `mask` has ones, else those of `no`.
    fn select(self, mask: Self::V, yes: Self::V, no: Self::V) -> Self::V;
    /// Whether any bit of a & b is set.
    fn any(self, a: Self::V, b: Self::V) -> bool;

    /// Integers as single-precision numbers.
    fn to_float(self, v: Self::V) -> Self::V;
    /// Single-precision numbers as integers, towards zero.
    fn truncate(self, v: Self::V) -> Self::V;
    /// The same single-precision number everywhere.
    fn set_float(self, value: f32) -> Self::V;
    /// a + b in single precision.
    fn add_float(self, a: Self::V, b: Self::V) -> Self::V;
    /// a * b in single precision.
    fn mul_float(self, a: Self::V, b: Self::V) -> Self::V;
    /// a / b in single precision.
    fn div_float(self, a: Self::V, b: Self::V) -> Self::V;
    /// All ones where a >= b in single precision.
    fn at_least_float(self, a: Self::V, b: Self::V) -> Self::V;
}

/// A loop over registers. Its `run` and all it calls are `#[inline(always)]`, so that [`Lanes::run`] compiles them
/// for its instructions.
pub trait Stage {
    /// What it returns.
    type Output;

    /// The loop.
    fn run<L: Lanes>(self, lanes: L) -> Self::Output;
}

/// An array of `body` for each item. Unlike a closure given to `map` it is sure to be compiled where it stands, for
/// the stage's instructions.
macro_rules! each {
    ($item:pat in [$($value:expr),+] => $body:expr) => {
        [$(match $value { $item => $body }),+]
    };
}

/// Implements operations by the intrinsics of these names.
#[cfg(target_arch = "x86_64")]
macro_rules! operations {
    ($vector:ty: $($name:ident($($argument:ident),+) = $intrinsic:ident;)+) => {
        $(#[inline(always)]
        fn $name(self, $($argument: $vector),+) -> $vector {
            // SAFETY: `self` proves that the CPU has the instruction.
            unsafe { $intrinsic($($argument),+) }
        })+
    };
}

/// Implements shifts of all lanes by one number. They are for constants: numbers found at run time cost a step
/// more than with the shifts of each lane by its own.
#[cfg(target_arch = "x86_64")]
macro_rules! shifts {
    ($vector:ty: $($name:ident = $intrinsic:ident;)+) => {
        $(#[inline(always)]
        fn $name(self, v: $vector, n: u32) -> $vector {
            // SAFETY: `self` proves that the CPU has the instruction.
            unsafe { $intrinsic(v, _mm_cvtsi32_si128(n as i32)) }
        })+
    };
}

pub(in crate::feature) use each;
#[cfg(target_arch = "x86_64")]
pub(in crate::feature) use operations;
#[cfg(target_arch = "x86_64")]
pub(super) use shifts;

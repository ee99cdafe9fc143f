// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The wavelet in pair products of 16-bit words.
//!
//! Above scale 0 a 32-bit value is split into words, v = 65536 h + l with l read signed, so that a filter is
//! 65536 times that of the high words plus that of the low ones; rounding is left to the latter.
#![forbid(unsafe_code)]

use super::super::plan::Scale;
use super::super::scalar::wavelet::{HIGH, LOW};
use super::buffer::{MARGIN, Row};
use super::lanes::{Lanes, Stage, each};

/// Where a line's first sample is, such that the odd sample before an output's centre begins a register.
const START: usize = MARGIN + 1;

/// A line after the vertical pass in words: high words above scale 0, values at scale 0; and low words.
pub struct Line {
    high: Row<i16>,
    low: Row<i16>,
}

/// Low-pass and high-pass line of one picture.
pub type Lines = [Line; 2];

impl Line {
    /// For lines of `width` samples.
    pub fn new(width: usize) -> Self {
        let row = || Row::new(START + width.next_multiple_of(64) + 64);
        Self { high: row(), low: row() }
    }
}

/// Mirrors a line of `width` samples at both ends.
#[inline(always)]
fn mirror(row: &mut [i16], width: usize) {
    row[START - 1] = row[START + 1];
    row[START + width] = row[START + width - 1];
    row[START + width + 1] = row[START + width - 2];
}

/// Two taps as the words of a 32-bit lane.
fn pair(taps: &[i32; 4], first: usize) -> i32 {
    (taps[first] & 0xffff) | (taps[first + 1] << 16)
}

/// `sum` plus the four samples under the taps, given by pairs.
#[inline(always)]
fn filter<L: Lanes>(l: L, sum: L::V, taps: &[i32; 4], samples: [L::V; 2]) -> L::V {
    let first = l.dot_add(sum, samples[0], l.set32(pair(taps, 0)));
    l.dot_add(first, samples[1], l.set32(pair(taps, 2)))
}

/// What a picture's rows, or a low-pass band's, are made of.
pub trait Source: Copy + Default + Into<i32> + Send + Sync + 'static {
    /// Whether outputs have low words.
    const SPLIT: bool;

    /// Filters the samples of four rows from column `x` on, as many as a register has words.
    /// `seen` gathers the bits of all samples.
    fn filter<L: Lanes>(
        l: L,
        rows: [&[Self]; 4],
        x: usize,
        rounding: &Vertical,
        seen: &mut L::V,
    ) -> [Words<L>; 2];
}

/// Outputs as high and low words.
pub type Words<L> = [<L as Lanes>::V; 2];

/// Rounding of the vertical pass at scale 0.
#[derive(Clone, Copy)]
pub struct Vertical {
    offsets: [i32; 2],
    shift: u32,
}

impl Vertical {
    /// Samples of a byte are taken as they are, those of a word less 32768; the reference centres them on their
    /// range's middle.
    pub fn new(bpc: u32) -> Self {
        let half = 1 << (bpc - 1);
        let taken_off = if bpc > 8 { 1 << 15 } else { 0 };
        let gain: i32 = LOW.iter().sum();
        Self { offsets: [gain * (taken_off - half) + half, half], shift: bpc }
    }
}

/// Samples of four rows as pairs of two, of the lower and upper halves of each 128 bits.
#[inline(always)]
fn interleave<L: Lanes>(l: L, [a, b, c, d]: [L::V; 4]) -> [[L::V; 2]; 2] {
    [[l.unpack_low16(a, b), l.unpack_low16(c, d)], [l.unpack_high16(a, b), l.unpack_high16(c, d)]]
}

/// Scale 0: sums of 32 bits, rounded to words.
#[inline(always)]
fn filter_samples<L: Lanes>(l: L, samples: [L::V; 4], rounding: &Vertical) -> [Words<L>; 2] {
    let [low, high] = interleave(l, samples);
    each!((taps, offset) in [(&LOW, rounding.offsets[0]), (&HIGH, rounding.offsets[1])] => {
        let [low, high] = each!(pairs in [low, high] => {
            l.sra_each32(filter(l, l.set32(offset), taps, pairs), l.set32(rounding.shift as i32))
        });
        [l.pack(low, high), l.set32(0)]
    })
}

impl Source for u8 {
    const SPLIT: bool = false;

    #[inline(always)]
    fn filter<L: Lanes>(
        l: L,
        rows: [&[u8]; 4],
        x: usize,
        rounding: &Vertical,
        _: &mut L::V,
    ) -> [Words<L>; 2] {
        let [a, b, c, d] = rows;
        filter_samples(l, each!(row in [a, b, c, d] => l.load_bytes(row, x)), rounding)
    }
}

impl Source for u16 {
    const SPLIT: bool = false;

    #[inline(always)]
    fn filter<L: Lanes>(
        l: L,
        rows: [&[u16]; 4],
        x: usize,
        rounding: &Vertical,
        seen: &mut L::V,
    ) -> [Words<L>; 2] {
        let [a, b, c, d] = rows;
        let [a, b, c, d] = each!(row in [a, b, c, d] => l.load_words(row, x));
        // Every row is one of the middle two of some output.
        *seen = l.or(*seen, l.or(b, c));
        let centred = each!(v in [a, b, c, d] => l.xor(v, l.set16(i16::MIN)));
        filter_samples(l, centred, rounding)
    }
}

/// Scale 1: sums of 32 bits, not rounded.
impl Source for i16 {
    const SPLIT: bool = true;

    #[inline(always)]
    fn filter<L: Lanes>(l: L, rows: [&[i16]; 4], x: usize, _: &Vertical, _: &mut L::V) -> [Words<L>; 2] {
        let [a, b, c, d] = rows;
        let [low, high] = interleave(l, each!(row in [a, b, c, d] => l.load16(row, x)));
        each!(taps in [&LOW, &HIGH] => {
            let sums = each!(pairs in [low, high] => filter(l, l.set32(0), taps, pairs));
            each!([a, b] in [high_words(l, sums), low_words(l, sums)] => l.pack(a, b))
        })
    }
}

/// Scales 2 and 3: 32-bit samples in words.
impl Source for i32 {
    const SPLIT: bool = true;

    #[inline(always)]
    fn filter<L: Lanes>(l: L, rows: [&[i32]; 4], x: usize, _: &Vertical, _: &mut L::V) -> [Words<L>; 2] {
        let [[low, high], [next_low, next_high]] =
            each!(x in [x, x + L::WIDTH] => filter_register(l, rows, x));
        each!(sums in [[low, next_low], [high, next_high]] => {
            each!([a, b] in [high_words(l, sums), low_words(l, sums)] => l.pack_in_order(a, b))
        })
    }
}

/// The low-pass and the high-pass sums of one register, rounded.
#[inline(always)]
fn filter_register<L: Lanes>(l: L, [a, b, c, d]: [&[i32]; 4], x: usize) -> [L::V; 2] {
    let [a, b, c, d] = each!(row in [a, b, c, d] => l.load32(row, x));
    let [[high, low], [next_high, next_low]] = [pair_up(l, a, b), pair_up(l, c, d)];
    each!(taps in [&LOW, &HIGH] => {
        let rest = filter(l, l.set32(1 << 15), taps, [low, next_low]);
        l.add32(filter(l, l.set32(0), taps, [high, next_high]), l.sra32(rest, 16))
    })
}

/// High words, then low words, of two rows by pairs.
#[inline(always)]
fn pair_up<L: Lanes>(l: L, a: L::V, b: L::V) -> [L::V; 2] {
    let half = l.set32(1 << 15);
    let high = l.blend16(l.srl32(l.add32(a, half), 16), l.add32(b, half));
    [high, l.blend16(a, l.sll32(b, 16))]
}

/// The high words of 32-bit values, for low words with a sign.
#[inline(always)]
fn high_words<L: Lanes>(l: L, [a, b]: [L::V; 2]) -> [L::V; 2] {
    each!(v in [a, b] => l.sra32(l.add32(v, l.set32(1 << 15)), 16))
}

/// The low words of 32-bit values, with a sign.
#[inline(always)]
fn low_words<L: Lanes>(l: L, [a, b]: [L::V; 2]) -> [L::V; 2] {
    each!(v in [a, b] => l.sra32(l.sll32(v, 16), 16))
}

/// The vertical pass of one row of one picture. Returns the bits of the samples seen.
pub struct VerticalPass<'a, S> {
    /// The rows under the taps.
    pub rows: [&'a [S]; 4],
    /// Rounding, at scale 0.
    pub rounding: Vertical,
    /// Low-pass and high-pass.
    pub lines: &'a mut Lines,
}

impl<S: Source> Stage for VerticalPass<'_, S> {
    type Output = bool;

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) -> bool {
        let (width, step) = (self.rows[0].len(), 2 * L::WIDTH);
        let [a, b, c, d] = self.rows;
        let rows = each!(row in [a, b, c, d] => &row[..width]);
        let mut seen = l.set32(0);
        let whole = width / step * step;
        for x in (0..whole).step_by(step) {
            let words = S::filter(l, rows, x, &self.rounding, &mut seen);
            store::<L, S>(l, self.lines, x, words);
        }
        if whole < width {
            let [a, b, c, d] = each!(row in [a, b, c, d] => rest(&row[whole..]));
            let words = S::filter(l, [&a, &b, &c, &d], 0, &self.rounding, &mut seen);
            store::<L, S>(l, self.lines, whole, words);
        }
        for line in self.lines {
            mirror(&mut line.high, width);
            if S::SPLIT {
                mirror(&mut line.low, width);
            }
        }
        let above = if self.rounding.shift < 16 { -1 << self.rounding.shift } else { 0 };
        !l.any(seen, l.set16(above as i16))
    }
}

/// A row's last samples, padded.
#[inline(always)]
fn rest<S: Source>(samples: &[S]) -> [S; 32] {
    let mut padded = [S::default(); 32];
    padded[..samples.len()].copy_from_slice(samples);
    padded
}

#[inline(always)]
fn store<L: Lanes, S: Source>(
    l: L,
    [low, high]: &mut Lines,
    x: usize,
    [low_words, high_words]: [Words<L>; 2],
) {
    each!((line, [high, low]) in [(low, low_words), (high, high_words)] => {
        l.store16(&mut line.high, START + x, high);
        if S::SPLIT {
            l.store16(&mut line.low, START + x, low);
        }
    });
}

/// The outputs of `taps` from position `x` on, at scale 0 in the upper words of the lanes.
#[inline(always)]
pub fn across_words<L: Lanes>(l: L, line: &Line, taps: &[i32; 4], x: usize) -> L::V {
    filter(l, l.set32(1 << 15), taps, neighbours(l, &line.high, x))
}

/// The outputs of `taps` from position `x` on, above scale 0; `shift` is 15 or 16.
#[inline(always)]
pub fn across_split<L: Lanes>(l: L, line: &Line, taps: &[i32; 4], x: usize, shift: u32) -> L::V {
    let high = filter(l, l.set32(0), taps, neighbours(l, &line.high, x));
    let low = filter(l, l.set32((1 << shift) >> 1), taps, neighbours(l, &line.low, x));
    l.add32(l.sll_each32(high, l.set32(16 - shift as i32)), l.sra_each32(low, l.set32(shift as i32)))
}

#[inline(always)]
fn neighbours<L: Lanes>(l: L, row: &[i16], x: usize) -> [L::V; 2] {
    [l.load16(row, START - 1 + 2 * x), l.load16(row, START + 1 + 2 * x)]
}

/// A sample of a low-pass band.
pub trait Target: Copy + Into<i32> + Send + Sync {
    /// The sample that holds `value`, which fits.
    fn of(value: i32) -> Self;

    /// Stores a register of words' outputs from `x` on.
    fn low_pass<L: Lanes>(l: L, line: &Line, x: usize, shift: u32, out: &mut [Self]);
}

impl Target for i16 {
    fn of(value: i32) -> Self {
        value as i16
    }

    #[inline(always)]
    fn low_pass<L: Lanes>(l: L, line: &Line, x: usize, _: u32, out: &mut [i16]) {
        let [a, b] = each!(x in [x, x + L::WIDTH] => l.sra32(across_words(l, line, &LOW, x), 16));
        l.store16(out, x, l.pack_in_order(a, b));
    }
}

impl Target for i32 {
    fn of(value: i32) -> Self {
        value
    }

    #[inline(always)]
    fn low_pass<L: Lanes>(l: L, line: &Line, x: usize, shift: u32, out: &mut [i32]) {
        each!(x in [x, x + L::WIDTH] => l.store32(out, x, across_split(l, line, &LOW, x, shift)));
    }
}

/// The low-pass band's row of one picture.
pub struct LowPass<'a, T> {
    /// The low-pass line.
    pub line: &'a Line,
    /// Sizes.
    pub scale: &'a Scale,
    /// The row, with its padding.
    pub out: &'a mut [T],
}

impl<T: Target> Stage for LowPass<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        for x in (0..self.scale.width).step_by(2 * L::WIDTH) {
            T::low_pass(l, self.line, x, self.scale.rounding[1].shift, self.out);
        }
    }
}

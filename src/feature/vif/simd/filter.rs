// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The filters, by products of 16-bit words in pairs.
//!
//! A 32-bit lane holds two neighbours, of a column in the vertical pass and of a row in the horizontal one, and one
//! dot product takes both with their taps. Each lane's pairs begin at an even position and serve two results, that at
//! the even position and the next, by two sets of taps.
//!
//! Products of samples have 32 bits. They go in two words, p = 65536 h + l with l signed, so that
//! (sum c p + 2^15) >> 16 = sum c h + ((sum c l + 2^15) >> 16). Unsigned words are taken as signed ones less 2^15;
//! as taps add up to 2^16, their sum is then short of 2^31, which the sums begin with.
#![forbid(unsafe_code)]

use super::lanes::Lanes;
use crate::feature::vif::scalar::Sample;
use crate::feature::vif::tables::{SCALES, TAPS};

/// The taps of a scale, by pairs of positions.
pub struct Filter {
    /// Positions from the first pair's to the middle tap's: even, so that pairs begin at even rows and columns.
    pub reach: usize,
    /// How many pairs are read.
    pub pairs: usize,
    /// Dot products of a result.
    pub steps: usize,
    /// The pair that each dot product takes.
    pub pair: [usize; 9],
    /// Its taps for the result at the even position.
    pub even: [i32; 9],
    /// Its taps for the result at the odd position.
    pub odd: [i32; 9],
}

/// The filters of the four scales.
pub static FILTERS: [Filter; SCALES] =
    [Filter::new(TAPS[0]), Filter::new(TAPS[1]), Filter::new(TAPS[2]), Filter::narrow(TAPS[3])];

/// The filter of the low pass from `scale` on; of the last scale its own, which is never used.
pub const fn next_filter(scale: usize) -> &'static Filter {
    &FILTERS[if scale + 1 < SCALES { scale + 1 } else { scale }]
}

/// The widest [`Filter::reach`].
pub const REACH: usize = 8;

const fn pack(low: u32, high: u32) -> i32 {
    (low | high << 16) as i32
}

impl Filter {
    const fn new(taps: &[u32]) -> Self {
        let half = taps.len() / 2;
        let reach = half.next_multiple_of(2);
        let mut at = [0; 20];
        let mut i = 0;
        while i < taps.len() {
            // Position 0 is one before the first pair's, for the odd results.
            at[1 + reach - half + i] = taps[i];
            i += 1;
        }
        let pairs = reach + 1;
        let mut filter = Self { reach, pairs, steps: pairs, pair: [0; 9], even: [0; 9], odd: [0; 9] };
        let mut i = 0;
        while i < pairs {
            filter.pair[i] = i;
            filter.even[i] = pack(at[2 * i + 1], at[2 * i + 2]);
            filter.odd[i] = pack(at[2 * i], at[2 * i + 1]);
            i += 1;
        }
        filter
    }

    /// For three taps of which the middle one is no signed word: it is taken in two halves.
    const fn narrow(taps: &[u32]) -> Self {
        let middle = taps[1] / 2;
        let mut filter = Self::new(&[taps[0], middle, taps[2]]);
        filter.steps = 4;
        filter.pair[3] = 1;
        filter.even[3] = pack(middle, 0);
        filter.odd[3] = pack(0, middle);
        filter
    }
}

/// 2^15 in both words: turns an unsigned word into a signed one less 2^15, and back.
const FLIP: i32 = 0x8000_8000_u32 as i32;

/// Rounds a shift by 16.
pub const HALF: i32 = 1 << 15;

/// What sums of words less 2^15 are short of.
pub const SHORT: i32 = i32::MIN;

/// Lines of one row's filtered values.
pub const PLANES: usize = 8;

/// The first of the two lines of [`Source::filter_low`], behind those of two rows.
pub const LOW: usize = 2 * PLANES;

/// Lines in all.
pub const LINES: usize = LOW + 2;

/// Samples as the vertical pass takes them.
pub trait Source<L: Lanes>: Sample + Default + Sync {
    /// Words that a column has in the ring: the two samples, and their products in one word or two.
    const PLANES: usize;

    /// Whether samples are to be shifted to 16 bits: then the first scale follows the rules of the others.
    const SHIFTED: bool;

    /// Loads samples as words.
    fn load(lanes: L, samples: &[Self]) -> L::Ints;

    /// Makes the words of the ring, of two rows in each lane, from the samples of both pictures.
    fn expand(lanes: L, x: L::Ints, y: L::Ints, planes: &mut [L::Ints]);

    /// Filters a block of columns, `rows` from the ring, for the even row and the odd, into 8 planes for each: means
    /// less 2^15, then high words less 2^15 and low words of the products.
    fn filter<const SCALE: usize>(lanes: L, rows: &Rows<'_, L>, block: usize, lines: &mut Lines<'_, L>);

    /// Filters the samples of both pictures for the even row, into two lines of means less 2^15.
    fn filter_low<const SCALE: usize>(lanes: L, rows: &Rows<'_, L>, block: usize, lines: &mut Lines<'_, L>);
}

/// The pairs of rows that a pair of results is made of, from the ring.
pub type Rows<'a, L> = [&'a [<L as Lanes>::Ints]; 9];

/// Filtered words, in lines of natural order.
pub struct Lines<'a, L: Lanes> {
    /// All lines.
    pub registers: &'a mut [L::Ints],
    /// Registers of one.
    pub length: usize,
}

impl<L: Lanes> Lines<'_, L> {
    #[inline(always)]
    fn put(&mut self, line: usize, block: usize, words: L::Ints) {
        self.registers[line * self.length + block] = words;
    }
}

/// Sums of a block: even row and even columns, even row and odd columns, odd row and even columns, odd row and odd.
type Block<L> = [<L as Lanes>::Ints; 4];

/// Dot products over `rows` of `N` planes from `first` on, added to `start`.
#[inline(always)]
fn dots<L: Lanes, T: Source<L>, const SCALE: usize, const N: usize>(
    lanes: L,
    rows: &Rows<'_, L>,
    block: usize,
    first: usize,
    start: [i32; N],
) -> [Block<L>; N] {
    let filter = const { &FILTERS[SCALE] };
    let mut sums = [[lanes.zero(); 4]; N];
    for k in 0..N {
        sums[k] = [lanes.splat(start[k]); 4];
    }
    for step in 0..filter.steps {
        let planes = &rows[filter.pair[step]][2 * T::PLANES * block..][..2 * T::PLANES];
        let (even, odd) = (lanes.splat(filter.even[step]), lanes.splat(filter.odd[step]));
        for k in 0..N {
            let [a, b] = [planes[first + k], planes[T::PLANES + first + k]];
            sums[k][0] = lanes.dot(sums[k][0], a, even);
            sums[k][1] = lanes.dot(sums[k][1], b, even);
            sums[k][2] = lanes.dot(sums[k][2], a, odd);
            sums[k][3] = lanes.dot(sums[k][3], b, odd);
        }
    }
    sums
}

/// High words of even and odd columns, in natural order.
#[inline(always)]
fn high_words<L: Lanes>(lanes: L, a: L::Ints, b: L::Ints) -> L::Ints {
    lanes.blend(lanes.shr(a, 16), b)
}

/// Stores filtered products plus 2^15, less 2^31, of even and odd columns, as the two words of each.
#[inline(always)]
fn put_products<L: Lanes>(
    lanes: L,
    [a, b]: [L::Ints; 2],
    line: usize,
    block: usize,
    lines: &mut Lines<'_, L>,
) {
    lines.put(line, block, high_words(lanes, a, b));
    let low = lanes.blend(a, lanes.shl(b, 16));
    lines.put(line + 1, block, lanes.xor(low, lanes.splat(FLIP)));
}

impl<L: Lanes> Source<L> for u8 {
    const PLANES: usize = 5;
    const SHIFTED: bool = false;

    #[inline(always)]
    fn load(lanes: L, samples: &[u8]) -> L::Ints {
        lanes.load_bytes(samples)
    }

    #[inline(always)]
    fn expand(lanes: L, x: L::Ints, y: L::Ints, planes: &mut [L::Ints]) {
        let flip = lanes.splat(FLIP);
        planes[0] = x;
        planes[1] = y;
        planes[2] = lanes.xor(lanes.mul_low(x, x), flip);
        planes[3] = lanes.xor(lanes.mul_low(y, y), flip);
        planes[4] = lanes.xor(lanes.mul_low(x, y), flip);
    }

    #[inline(always)]
    fn filter<const SCALE: usize>(lanes: L, rows: &Rows<'_, L>, block: usize, lines: &mut Lines<'_, L>) {
        let sums: [Block<L>; 5] = if L::MANY {
            dots::<L, Self, SCALE, 5>(lanes, rows, block, 0, [MEAN_8, MEAN_8, HALF, HALF, HALF])
        } else {
            let [x, y] = dots::<L, Self, SCALE, 2>(lanes, rows, block, 0, [MEAN_8; 2]);
            let [xx, yy, xy] = dots::<L, Self, SCALE, 3>(lanes, rows, block, 2, [HALF; 3]);
            [x, y, xx, yy, xy]
        };
        for row in 0..2 {
            let line = PLANES * row;
            let [x, y, xx, yy, xy] = sums.each_ref().map(|sums| [sums[2 * row], sums[2 * row + 1]]);
            lines.put(line, block, means_8(lanes, x));
            lines.put(line + 1, block, means_8(lanes, y));
            put_products(lanes, xx, line + 2, block, lines);
            put_products(lanes, yy, line + 4, block, lines);
            put_products(lanes, xy, line + 6, block, lines);
        }
    }

    #[inline(always)]
    fn filter_low<const SCALE: usize>(lanes: L, rows: &Rows<'_, L>, block: usize, lines: &mut Lines<'_, L>) {
        let sums = low_dots::<L, Self, SCALE>(lanes, rows, block, MEAN_8);
        for (picture, sums) in sums.into_iter().enumerate() {
            lines.put(LOW + picture, block, means_8(lanes, sums));
        }
    }
}

/// Rounds a shift by 8, and takes 2^15 from the 16 bits that follow.
const MEAN_8: i32 = (1 << 7) + (1 << 23);

/// The middle words of sums of even and odd columns, in natural order.
#[inline(always)]
fn means_8<L: Lanes>(lanes: L, [a, b]: [L::Ints; 2]) -> L::Ints {
    lanes.blend(lanes.shr(a, 8), lanes.shl(b, 8))
}

/// Sums for the next scale's samples in the even row: even and odd columns of both pictures.
#[inline(always)]
fn low_dots<L: Lanes, T: Source<L>, const SCALE: usize>(
    lanes: L,
    rows: &Rows<'_, L>,
    block: usize,
    start: i32,
) -> [[L::Ints; 2]; 2] {
    let filter = const { next_filter(SCALE) };
    let outer = const { (FILTERS[SCALE].reach - next_filter(SCALE).reach) / 2 };
    let mut sums = [[lanes.splat(start); 2]; 2];
    for step in 0..filter.steps {
        let planes = &rows[outer + filter.pair[step]][2 * T::PLANES * block..][..2 * T::PLANES];
        let taps = lanes.splat(filter.even[step]);
        for k in 0..2 {
            sums[k][0] = lanes.dot(sums[k][0], planes[k], taps);
            sums[k][1] = lanes.dot(sums[k][1], planes[T::PLANES + k], taps);
        }
    }
    sums
}

/// Stores filtered samples of both pictures and rows.
#[inline(always)]
fn put_means<L: Lanes>(lanes: L, pictures: [Block<L>; 2], block: usize, lines: &mut Lines<'_, L>) {
    for (k, sums) in pictures.into_iter().enumerate() {
        lines.put(k, block, high_words(lanes, sums[0], sums[1]));
        lines.put(PLANES + k, block, high_words(lanes, sums[2], sums[3]));
    }
}

/// Stores filtered products of both rows, from the sums of their high and of their low words.
#[inline(always)]
fn put_split<L: Lanes>(
    lanes: L,
    [high, low]: [Block<L>; 2],
    line: usize,
    block: usize,
    lines: &mut Lines<'_, L>,
) {
    let mut sums = high;
    for (sum, low) in sums.iter_mut().zip(low) {
        *sum = lanes.add(*sum, lanes.sar(low, 16));
    }
    put_products(lanes, [sums[0], sums[1]], line, block, lines);
    put_products(lanes, [sums[2], sums[3]], PLANES + line, block, lines);
}

impl<L: Lanes> Source<L> for u16 {
    const PLANES: usize = 8;
    const SHIFTED: bool = true;

    #[inline(always)]
    fn load(lanes: L, samples: &[u16]) -> L::Ints {
        lanes.load(samples)
    }

    #[inline(always)]
    fn expand(lanes: L, x: L::Ints, y: L::Ints, planes: &mut [L::Ints]) {
        let flip = lanes.splat(FLIP);
        planes[0] = lanes.xor(x, flip);
        planes[1] = lanes.xor(y, flip);
        for (k, (a, b)) in [(x, x), (y, y), (x, y)].into_iter().enumerate() {
            let low = lanes.mul_low(a, b);
            let high = lanes.add_words(lanes.mul_high(a, b), lanes.shr_words(low, 15));
            planes[2 + 2 * k] = lanes.xor(high, flip);
            planes[3 + 2 * k] = low;
        }
    }

    #[inline(always)]
    fn filter<const SCALE: usize>(lanes: L, rows: &Rows<'_, L>, block: usize, lines: &mut Lines<'_, L>) {
        if L::MANY {
            let [x, y, high, low] = dots::<L, Self, SCALE, 4>(lanes, rows, block, 0, [HALF; 4]);
            put_means(lanes, [x, y], block, lines);
            put_split(lanes, [high, low], 2, block, lines);
            let [high, low, high_xy, low_xy] = dots::<L, Self, SCALE, 4>(lanes, rows, block, 4, [HALF; 4]);
            put_split(lanes, [high, low], 4, block, lines);
            put_split(lanes, [high_xy, low_xy], 6, block, lines);
        } else {
            let means = dots::<L, Self, SCALE, 2>(lanes, rows, block, 0, [HALF; 2]);
            put_means(lanes, means, block, lines);
            for plane in [2, 4, 6] {
                let product = dots::<L, Self, SCALE, 2>(lanes, rows, block, plane, [HALF; 2]);
                put_split(lanes, product, plane, block, lines);
            }
        }
    }

    #[inline(always)]
    fn filter_low<const SCALE: usize>(lanes: L, rows: &Rows<'_, L>, block: usize, lines: &mut Lines<'_, L>) {
        let sums = low_dots::<L, Self, SCALE>(lanes, rows, block, HALF);
        for (picture, [a, b]) in sums.into_iter().enumerate() {
            lines.put(LOW + picture, block, high_words(lanes, a, b));
        }
    }
}

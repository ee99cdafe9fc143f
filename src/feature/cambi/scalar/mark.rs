// SPDX-License-Identifier: BSD-2-Clause-Patent
//! From the picture's luma to samples of 10 bits, those in flat areas marked.
#![forbid(unsafe_code)]

use crate::feature::cambi::plan::{Analysis, DEPTH, MARK};
use crate::feature::cambi::stripe::Stripe;
use crate::picture::Plane;

/// A sample of a picture.
pub trait Sample: Copy + Into<u16> + Send + Sync {}

impl Sample for u8 {}
impl Sample for u16 {}

/// Positions from the middle of the square in which flat ones are counted to its border.
const REACH: usize = 3;

/// Rows that are kept: what the mask of a row depends on, and more up to a power of two.
const ROWS: usize = 8;

/// A picture to be marked.
pub struct Task<'a, T> {
    /// The luma.
    pub luma: Plane<'a, T>,
    /// Its bits.
    pub bits: u32,
    /// What is to be done.
    pub analysis: &'a Analysis,
}

/// Rows on the way.
#[derive(Default)]
pub struct Lines {
    /// Two rows of 10 bits, the last before row `next_raw`.
    raw: [Vec<u16>; 2],
    next_raw: usize,
    /// The last rows, smoothed.
    smooth: [Vec<u16>; ROWS],
    /// Their flat positions.
    flat: [Vec<u8>; ROWS],
    /// Flat positions of each column in seven rows, `REACH` zeros before and behind.
    sums: Vec<u8>,
    /// A marked row.
    marked: Vec<u16>,
}

impl Lines {
    fn clear(&mut self, width: usize) {
        let rows = self.raw.iter_mut().chain(&mut self.smooth).chain([&mut self.marked]);
        rows.for_each(|row| row.resize(width, 0));
        for row in &mut self.flat {
            row.clear();
            row.resize(width, 0);
        }
        self.sums.clear();
        self.sums.resize(width + 2 * REACH, 0);
    }
}

/// The highest sample of a row.
#[inline(always)]
pub fn highest(row: &[u16]) -> u16 {
    row.iter().fold(0, |highest, &sample| sample.max(highest))
}

/// Marks the rows of `stripe`, in full size or halved as the stripe asks.
#[inline(always)]
pub fn mark<T: Sample>(task: &Task<'_, T>, stripe: Stripe<'_>, lines: &mut Lines) {
    let size = task.analysis.size;
    lines.clear(size.width);
    let Stripe { rows, whole, whole_stride, half, half_stride } = stripe;
    let first = rows.start.saturating_sub(REACH);
    lines.next_raw = first;
    task.smooth_row(first, lines);
    for bottom in first..rows.end + REACH {
        if bottom + 1 < size.height {
            task.smooth_row(bottom + 1, lines);
        }
        lines.step(bottom, size.height);
        let Some(y) = bottom.checked_sub(REACH).filter(|&y| y >= rows.start) else { continue };
        let row = y - rows.start;
        let limit = task.analysis.flat_limit;
        if !whole.is_empty() {
            lines.mark_row(y, limit, &mut whole[row * whole_stride..][..size.width]);
        }
        if row % 2 == 0 && !half.is_empty() {
            let mut marked = std::mem::take(&mut lines.marked);
            lines.mark_row(y, limit, &mut marked);
            halve(&marked, &mut half[row / 2 * half_stride..]);
            lines.marked = marked;
        }
    }
}

/// Every second sample.
#[inline(always)]
pub fn halve(row: &[u16], half: &mut [u16]) {
    let (pairs, last) = row.as_chunks::<2>();
    half.iter_mut().zip(pairs).for_each(|(half, pair)| *half = pair[0]);
    if let &[last] = last {
        half[pairs.len()] = last;
    }
}

impl<T: Sample> Task<'_, T> {
    /// Row `y`, smoothed if that is asked for. Rows are asked for in ascending order.
    #[inline(always)]
    fn smooth_row(&self, y: usize, lines: &mut Lines) {
        let Lines { raw, next_raw, smooth, .. } = lines;
        let smooth = &mut smooth[y % ROWS];
        if !self.analysis.smooth {
            return self.raw_row(y, smooth);
        }
        let last = self.analysis.size.height - 1;
        while *next_raw <= last.min(y + 1) {
            self.raw_row(*next_raw, &mut raw[*next_raw % 2]);
            *next_raw += 1;
        }
        match y == last {
            true => average_last(&raw[y % 2], smooth),
            false => average(&raw[y % 2], &raw[(y + 1) % 2], smooth),
        }
    }

    /// Row `y` in 10 bits.
    #[inline(always)]
    fn raw_row(&self, y: usize, out: &mut [u16]) {
        match &self.analysis.resample {
            None => self.convert(self.luma.row(y).iter().copied(), out),
            Some([rows, columns]) => {
                let row = self.luma.row(rows[y] as usize);
                self.convert(columns.iter().map(|&x| row[x as usize]), out);
            }
        }
    }

    #[inline(always)]
    fn convert(&self, row: impl Iterator<Item = T>, out: &mut [u16]) {
        if self.bits <= DEPTH {
            let shift = DEPTH - self.bits;
            out.iter_mut().zip(row).for_each(|(out, sample)| *out = sample.into() << shift);
        } else {
            // Rounded to nearest, up if in the middle; the highest may give 2^10.
            let shift = self.bits - DEPTH;
            let rounded = |sample: u16| (sample >> shift) + (sample >> (shift - 1) & 1);
            out.iter_mut().zip(row).for_each(|(out, sample)| *out = rounded(sample.into()));
        }
    }
}

/// The mean of each sample, its right, its lower and its lower right neighbour.
#[inline(always)]
fn average(here: &[u16], below: &[u16], out: &mut [u16]) {
    let last = here.len() - 1;
    let (out, out_last) = out.split_at_mut(last);
    let right = here[1..].iter().zip(&below[1..]);
    for (((out, &a), &b), (&c, &d)) in out.iter_mut().zip(here).zip(below).zip(right) {
        *out = (a + b + c + d) >> 2;
    }
    out_last[0] = (here[last] + below[last]) >> 1;
}

/// The same of the last row.
#[inline(always)]
fn average_last(here: &[u16], out: &mut [u16]) {
    let last = here.len() - 1;
    let (out, out_last) = out.split_at_mut(last);
    for ((out, &a), &b) in out.iter_mut().zip(here).zip(&here[1..]) {
        *out = (a + b) >> 1;
    }
    out_last[0] = here[last];
}

impl Lines {
    /// Moves the square in which flat positions are counted down, so that row `bottom` is its last.
    #[inline(always)]
    fn step(&mut self, bottom: usize, height: usize) {
        let Self { smooth, flat, sums, .. } = self;
        let place = bottom % ROWS;
        let here = &smooth[place];
        if bottom >= height {
            flat[place].fill(0);
        } else {
            let below = if bottom + 1 < height { &smooth[(bottom + 1) % ROWS] } else { here };
            flat_row(here, below, &mut flat[place]);
        }
        let width = here.len();
        let sums = &mut sums[REACH..][..width];
        let (entering, leaving) = (&flat[place][..width], &flat[(place + 1) % ROWS][..width]);
        for ((sum, entering), leaving) in sums.iter_mut().zip(entering).zip(leaving) {
            *sum = *sum + entering - leaving;
        }
    }

    /// Row `y`, which lies in the middle of the square, marked.
    #[inline(always)]
    fn mark_row(&self, y: usize, limit: u8, out: &mut [u16]) {
        let width = out.len();
        let column = |shift: usize| &self.sums[shift..][..width];
        let (a, b, c, d) = (column(0), column(1), column(2), column(3));
        let (e, f, g) = (column(4), column(5), column(6));
        let samples = &self.smooth[y % ROWS][..width];
        for x in 0..width {
            let flat = a[x] + b[x] + c[x] + d[x] + e[x] + f[x] + g[x];
            out[x] = samples[x] | if flat > limit { MARK } else { 0 };
        }
    }
}

/// 1 where a sample equals its right and its lower neighbour; none on the right is equal.
#[inline(always)]
fn flat_row(here: &[u16], below: &[u16], flat: &mut [u8]) {
    let last = here.len() - 1;
    for (((flat, here), right), below) in flat[..last].iter_mut().zip(here).zip(&here[1..]).zip(below) {
        *flat = u8::from(here == right) & u8::from(here == below);
    }
    flat[last] = u8::from(here[last] == below[last]);
}

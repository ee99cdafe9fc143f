// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The fast path: strips of columns that stay in the cache with all that is computed from them.
//!
//! Two rows are done at a time. A ring holds the samples and products that their vertical pass needs, expanded once;
//! the vertical, the low and the horizontal pass and the statistic follow while everything is at hand. The bits are
//! those of [`scalar`].

mod avx2;
mod avx512;
mod filter;
mod lanes;
mod stages;
mod statistic;
#[cfg(test)]
mod tests;

use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
use std::marker::PhantomData;

pub use avx2::Avx2;
pub use avx512::Avx512;
pub use lanes::Lanes;

use super::kernel::Kernel;
use super::scalar;
use super::sums::Sums;
use super::task::{Stripe, Task, mirrored};
use filter::{FILTERS, LINES, LOW, Lines, PLANES, REACH, Rows, Source};
use stages::{Expand, Horizontal, LowHorizontal, LowVertical, Moments, Vertical};
use statistic::{Busy, ENOUGH, Gains, Logarithms, Variances};

/// Columns of a strip: what is computed from them stays in a first-level cache of 48 KiB.
const STRIP: usize = 160;

/// Columns with those around them that filters reach, in whole registers.
const EXTENT: usize = (STRIP + 2 * REACH).next_multiple_of(32);

/// Pairs of rows that memory is asked for ahead of their use.
const AHEAD: isize = 3;

/// What a strip is worked in.
pub struct Tile<L: Lanes> {
    ring: Vec<L::Ints>,
    lines: Vec<L::Ints>,
    moments: Vec<Moments<L>>,
    busy: Busy,
    lines_of_scalar: scalar::Lines,
}

impl<L: Lanes> Kernel for L {
    type Work = Option<Tile<L>>;

    fn bits8(&self, task: &Task<'_, u8>, stripe: Stripe<'_>, work: &mut Self::Work) -> Sums {
        run::<L, u8, 0>(*self, task, stripe, work)
    }

    fn bits16(&self, task: &Task<'_, u16>, stripe: Stripe<'_>, work: &mut Self::Work) -> Sums {
        match task.scale {
            0 => run::<L, u16, 0>(*self, task, stripe, work),
            1 => run::<L, u16, 1>(*self, task, stripe, work),
            2 => run::<L, u16, 2>(*self, task, stripe, work),
            _ => run::<L, u16, 3>(*self, task, stripe, work),
        }
    }
}

/// By strips where that is defined: pictures of a single row or column, and samples above the depth's range, of which
/// sums wrap, are left to the scalar form.
fn run<L: Lanes, T: Source<L>, const SCALE: usize>(
    lanes: L,
    task: &Task<'_, T>,
    mut stripe: Stripe<'_>,
    work: &mut Option<Tile<L>>,
) -> Sums {
    let tile = work.get_or_insert_with(|| Tile::new(lanes));
    let sums = match task.before {
        None => strips::<L, T, SCALE>(lanes, task, &mut stripe, tile),
        Some(_) => None,
    };
    sums.unwrap_or_else(|| scalar::stripe(task, stripe, &mut tile.lines_of_scalar))
}

/// The sums over a stripe, unless a sample is out of range.
fn strips<L: Lanes, T: Source<L>, const SCALE: usize>(
    lanes: L,
    task: &Task<'_, T>,
    stripe: &mut Stripe<'_>,
    tile: &mut Tile<L>,
) -> Option<Sums> {
    let bits = if SCALE == 0 { task.bits } else { 16 };
    let (mut sums, mut seen) = (Sums::default(), lanes.zero());
    for start in (0..task.width()).step_by(STRIP) {
        let mut strip = Strip::<L, T, SCALE>::new(lanes, task, start, tile, seen);
        sums = sums + strip.run(16 - bits, stripe);
        seen = strip.seen;
    }
    lanes.is_zero(lanes.shr_words(seen, bits)).then_some(sums)
}

impl<L: Lanes> Tile<L> {
    fn new(lanes: L) -> Self {
        let blocks = EXTENT / L::WORDS;
        let registers = |count| vec![lanes.zero(); count];
        Self {
            ring: registers((REACH + 1) * blocks * 2 * PLANES),
            // The horizontal pass reads a little behind a line.
            lines: registers(LINES * (blocks + 1)),
            moments: vec![[[lanes.zero(); 2]; 5]; STRIP.div_ceil(L::WORDS)],
            busy: Busy::default(),
            lines_of_scalar: scalar::Lines::default(),
        }
    }
}

/// Some columns of a scale, on the way down through a stripe's rows.
struct Strip<'a, L: Lanes, T, const SCALE: usize> {
    lanes: L,
    task: &'a Task<'a, T>,
    tile: &'a mut Tile<L>,
    /// First column.
    start: usize,
    columns: usize,
    /// Registers that hold the columns and those around them.
    blocks: usize,
    /// All bits of the samples together.
    seen: L::Ints,
}

impl<'a, L: Lanes, T: Source<L>, const SCALE: usize> Strip<'a, L, T, SCALE> {
    const REACH: usize = FILTERS[SCALE].reach;
    const PAIRS: usize = FILTERS[SCALE].pairs;

    fn new(lanes: L, task: &'a Task<'a, T>, start: usize, tile: &'a mut Tile<L>, seen: L::Ints) -> Self {
        let columns = STRIP.min(task.width() - start);
        let blocks = (columns + 2 * Self::REACH).div_ceil(L::WORDS);
        Self { lanes, task, tile, start, columns, blocks, seen }
    }

    fn run(&mut self, shift: u32, stripe: &mut Stripe<'_>) -> Sums {
        let mut sums = Sums::default();
        let around = (Self::REACH / 2) as isize;
        let mut next_pair = (stripe.rows.start / 2) as isize - around;
        for (index, y) in stripe.rows.clone().step_by(2).enumerate() {
            let first_pair = (y / 2) as isize - around;
            while next_pair < first_pair + Self::PAIRS as isize {
                self.expand(next_pair, shift);
                next_pair += 1;
            }
            // One picture at a time: the CPU has room for some lines under way only.
            self.prefetch(next_pair + AHEAD, 0);
            self.vertical(first_pair, index, stripe);
            self.prefetch(next_pair + AHEAD, 1);
            if self.task.statistic {
                for row in 0..2.min(stripe.rows.end - y) {
                    sums = sums + self.statistic(row);
                }
            }
        }
        sums + self.logarithms()
    }

    /// The ring's place of a pair of rows.
    fn slot(&self, pair: isize) -> std::ops::Range<usize> {
        let length = self.blocks * 2 * T::PLANES;
        let start = length * pair.rem_euclid(Self::PAIRS as isize) as usize;
        start..start + length
    }

    /// Rows 2 `pair` and the next of both pictures go to the ring.
    fn expand(&mut self, pair: isize, shift: u32) {
        let task = self.task;
        let [reference, distorted] = task.planes.each_ref();
        let [upper, lower] = [2 * pair, 2 * pair + 1].map(|y| mirrored(y, task.height()));
        let rows = [reference.row(upper), reference.row(lower), distorted.row(upper), distorted.row(lower)];
        let length = L::WORDS * self.blocks;
        if self.start >= Self::REACH && self.start - Self::REACH + length <= task.width() {
            self.expand_rows(rows.map(|row| &row[self.start - Self::REACH..][..length]), pair, shift);
        } else {
            let edges = rows.map(|row| self.mirror(row));
            self.expand_rows(edges.each_ref().map(|edge| &edge[..length]), pair, shift);
        }
    }

    fn expand_rows(&mut self, rows: [&[T]; 4], pair: isize, shift: u32) {
        let slot = self.slot(pair);
        let ring = &mut self.tile.ring[slot];
        self.lanes.run(Expand { rows, shift, ring, seen: &mut self.seen });
    }

    /// The strip's columns of a row and those around it, mirrored at the borders.
    fn mirror(&self, row: &[T]) -> [T; EXTENT] {
        let mut edge = [T::default(); EXTENT];
        let first = self.start as isize - Self::REACH as isize;
        let wanted = self.columns + 2 * Self::REACH;
        let left = Self::REACH.saturating_sub(self.start);
        let inside = &row[self.start.saturating_sub(Self::REACH)..];
        let count = inside.len().min(wanted - left);
        edge[left..][..count].copy_from_slice(&inside[..count]);
        for at in (0..left).chain(left + count..wanted) {
            edge[at] = row[mirrored(first + at as isize, row.len())];
        }
        edge
    }

    /// Asks for the memory of a pair of rows of one picture.
    fn prefetch(&self, pair: isize, picture: usize) {
        let end = (self.start + self.columns + Self::REACH).min(self.task.width());
        for y in [2 * pair, 2 * pair + 1] {
            if (0..self.task.height() as isize).contains(&y) {
                let row = self.task.planes[picture].row(y as usize);
                prefetch(&row[self.start.saturating_sub(Self::REACH)..end]);
            }
        }
    }

    /// The vertical passes of two rows, and the row of the next scale that the stripe's pair `index` gives, if any.
    fn vertical(&mut self, first_pair: isize, index: usize, stripe: &mut Stripe<'_>) {
        let (lanes, columns, blocks, length) = (self.lanes, self.columns, self.blocks, self.blocks + 1);
        let slots: [_; REACH + 1] = std::array::from_fn(|pair| self.slot(first_pair + pair as isize));
        let Tile { ring, lines, .. } = &mut *self.tile;
        let rows: Rows<'_, L> = slots.map(|slot| &ring[slot]);
        if self.task.statistic {
            let lines = Lines { registers: lines, length };
            lanes.run(Vertical::<L, T, SCALE> { rows, lines, blocks, samples: PhantomData });
        }
        let at = index * stripe.stride;
        if at < stripe.low[0].len() {
            let registers = Lines { registers: lines, length };
            lanes.run(LowVertical::<L, T, SCALE> { rows, lines: registers, blocks, samples: PhantomData });
            let low = stripe.low.each_mut().map(|low| &mut low[at..][..stripe.stride][self.start / 2..]);
            lanes.run(LowHorizontal::<L, SCALE> { lines, length, low, columns });
        }
    }

    /// The sums over the even (0) or odd (1) row of a pair; some samples may be left waiting.
    fn statistic(&mut self, row: usize) -> Sums {
        let (lanes, length, columns) = (self.lanes, self.blocks + 1, self.columns);
        let Tile { lines, moments, busy, .. } = &mut *self.tile;
        let moments = &mut moments[..columns.div_ceil(L::WORDS)];
        let lines = &lines[row * PLANES * length..][..PLANES * length];
        lanes.run(Horizontal::<L, SCALE> { lines, length, columns, moments });
        let sums = lanes.run(Variances { moments, columns, busy });
        if busy.count() < ENOUGH { sums } else { sums + self.logarithms() }
    }

    /// The sums over the samples that wait.
    fn logarithms(&mut self) -> Sums {
        let busy = &mut self.tile.busy;
        self.lanes.run(Gains { busy, limit: self.task.gain_limit });
        self.lanes.run(Logarithms(busy))
    }
}

fn prefetch<T>(samples: &[T]) {
    let bytes = samples.as_ptr().cast::<i8>();
    let length = size_of_val(samples);
    for offset in (0..length).step_by(64).chain(length.checked_sub(1)) {
        // SAFETY: prefetching touches no memory, and the address lies within the slice.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(bytes.add(offset)) };
    }
}

const _: () = assert!(LOW == 2 * PLANES && STRIP <= statistic::WIDEST);

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Cutting one frame's rows into stripes.
#![forbid(unsafe_code)]

use std::ops::Range;

/// Who may help with a frame: nobody but the calling thread, or the threads of the pool it runs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Workers {
    threads: usize,
}

/// Work that can be cut in two.
pub trait Cut: Send + Sized {
    /// In how many pieces it could be cut at most.
    fn units(&self) -> usize;

    /// The first `units` of it, and what is left.
    fn cut(self, units: usize) -> (Self, Self);
}

impl Cut for Range<usize> {
    fn units(&self) -> usize {
        self.len()
    }

    fn cut(self, units: usize) -> (Self, Self) {
        let middle = self.start + units;
        (self.start..middle, middle..self.end)
    }
}

impl Workers {
    /// The calling thread alone.
    pub const CALLER: Self = Self { threads: 0 };

    /// The `threads` threads of the pool that the caller runs in.
    pub(crate) fn pool(threads: usize) -> Self {
        Self { threads }
    }

    /// The number of pieces that keep all threads busy to the end.
    pub fn pieces(self) -> usize {
        2 * self.threads.max(1)
    }

    /// Runs `work` on stripes of `job`, mostly a range of rows, of at least `least` units and merges the results,
    /// upper with lower.
    ///
    /// How many stripes there are depends on the threads: `merge` must give the same result for any cut.
    pub fn reduce<J: Cut, T: Send>(
        self,
        job: J,
        least: usize,
        work: &(impl Fn(J) -> T + Sync),
        merge: &(impl Fn(T, T) -> T + Sync),
    ) -> T {
        let stripe = job.units().div_ceil(self.pieces()).max(least);
        if self.threads <= 1 { work(job) } else { halve(job, stripe, work, merge) }
    }

    /// Runs `work` on pieces of `items`, telling it the position of the piece's first item.
    pub fn fill<T: Send>(self, items: &mut [T], least: usize, work: &(impl Fn(usize, &mut [T]) + Sync)) {
        let stripe = items.len().div_ceil(self.pieces()).max(least);
        if self.threads <= 1 { work(0, items) } else { split(0, items, stripe, work) }
    }
}

fn halve<J: Cut, T: Send>(
    job: J,
    stripe: usize,
    work: &(impl Fn(J) -> T + Sync),
    merge: &(impl Fn(T, T) -> T + Sync),
) -> T {
    if job.units() <= stripe {
        return work(job);
    }
    let middle = job.units() / 2;
    let (upper, lower) = job.cut(middle);
    let (upper, lower) =
        rayon::join(|| halve(upper, stripe, work, merge), || halve(lower, stripe, work, merge));
    merge(upper, lower)
}

fn split<T: Send>(first: usize, items: &mut [T], stripe: usize, work: &(impl Fn(usize, &mut [T]) + Sync)) {
    if items.len() <= stripe {
        return work(first, items);
    }
    let middle = items.len() / 2;
    let (upper, lower) = items.split_at_mut(middle);
    rayon::join(|| split(first, upper, stripe, work), || split(first + middle, lower, stripe, work));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_visited_once_in_order() {
        for threads in [0, 1, 2, 5] {
            for rows in [0usize, 1, 7, 8, 9, 1080] {
                let workers = Workers::pool(threads);
                let visited =
                    workers.reduce(0..rows, 4, &|stripe| stripe.collect::<Vec<_>>(), &|mut a, b| {
                        a.extend(b);
                        a
                    });
                assert_eq!(visited, (0..rows).collect::<Vec<_>>(), "{threads} threads, {rows} rows");
                let mut filled = vec![usize::MAX; rows];
                workers.fill(&mut filled, 4, &|first, piece| {
                    piece.iter_mut().enumerate().for_each(|(offset, item)| *item = first + offset);
                });
                assert_eq!(filled, visited);
            }
        }
    }
}

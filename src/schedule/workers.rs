// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Sharing one frame's work among threads, mostly by stripes of rows.
#![forbid(unsafe_code)]

use std::ops::Range;

use super::share::Share;

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

/// Some of many items, which begin at the position `first`.
struct Items<'a, T> {
    first: usize,
    items: &'a mut [T],
}

impl<T: Send> Cut for Items<'_, T> {
    fn units(&self) -> usize {
        self.items.len()
    }

    fn cut(self, units: usize) -> (Self, Self) {
        let (upper, lower) = self.items.split_at_mut(units);
        (Self { first: self.first, items: upper }, Self { first: self.first + units, items: lower })
    }
}

impl Workers {
    /// The calling thread alone.
    pub const CALLER: Self = Self { threads: 0 };

    /// The `threads` threads of the pool that the caller runs in.
    pub(crate) fn pool(threads: usize) -> Self {
        Self { threads }
    }

    /// How many pieces of about the same size keep all threads busy, for work that needs memory for each.
    pub fn pieces(self) -> usize {
        2 * self.threads.max(1)
    }

    /// Runs `work` on pieces of `job`, mostly a range of rows, of at least `least` units, and merges the results.
    ///
    /// How many pieces there are, and which ends first, depends on the threads: `merge` must give the same result
    /// for any cut and in any order.
    pub fn reduce<J: Cut, T: Send>(
        self,
        job: J,
        least: usize,
        work: &(impl Fn(J) -> T + Sync),
        merge: &(impl Fn(T, T) -> T + Sync),
    ) -> T {
        let threads = self.threads.min(job.units() / least);
        if threads <= 1 {
            return work(job);
        }
        let share = Share::new(job, threads, least);
        let take_part = || share.work_off(work, merge);
        // Idle threads take part, and the caller in place of those that are not. None of them waits for another but the
        // caller, which by the end of the scope finds them gone.
        rayon::scope(|scope| {
            (1..threads).for_each(|_| scope.spawn(|_| take_part()));
            take_part();
            share.wait();
        });
        share.result()
    }

    /// Runs `work` on pieces of `items`, telling it the position of the piece's first item.
    pub fn fill<T: Send>(self, items: &mut [T], least: usize, work: &(impl Fn(usize, &mut [T]) + Sync)) {
        let job = Items { first: 0, items };
        self.reduce(job, least, &|piece| work(piece.first, piece.items), &|(), ()| ());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_visited_once() {
        for threads in [0, 1, 2, 5] {
            for rows in [0usize, 1, 7, 8, 9, 1080] {
                let workers = Workers::pool(threads);
                let mut visited =
                    workers.reduce(0..rows, 4, &|stripe| stripe.collect::<Vec<_>>(), &|mut a, b| {
                        a.extend(b);
                        a
                    });
                visited.sort_unstable();
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

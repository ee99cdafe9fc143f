// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Work that threads take pieces of until nothing is left.
#![forbid(unsafe_code)]

use std::thread;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::Cut;

/// How long the last pieces of others are looked out for before the thread sleeps: waking it would take longer than
/// most pieces do.
const PATIENCE: Duration = Duration::from_millis(1);

/// A job of which threads take pieces, large ones first, so that all have done their last at about the same time.
pub struct Share<J, T> {
    threads: usize,
    least: usize,
    state: Mutex<State<J, T>>,
    done: Condvar,
}

struct State<J, T> {
    /// What nobody has taken yet.
    rest: Option<J>,
    /// Pieces that were taken and are not done.
    open: usize,
    /// The results of pieces that are done.
    merged: Option<T>,
}

impl<J: Cut, T> Share<J, T> {
    /// A job for about so many threads, in pieces of at least `least` units where it has as many.
    pub fn new(job: J, threads: usize, least: usize) -> Self {
        let state = Mutex::new(State { rest: Some(job), open: 0, merged: None });
        Self { threads, least, state, done: Condvar::new() }
    }

    /// Works on pieces as long as there are any.
    pub fn work_off(&self, work: &impl Fn(J) -> T, merge: &impl Fn(T, T) -> T) {
        while let Some(piece) = self.take() {
            let _open = Open(self);
            let value = work(piece);
            let mut state = self.state.lock();
            state.merged = Some(match state.merged.take() {
                Some(merged) => merge(merged, value),
                None => value,
            });
        }
    }

    /// A thread's part of what is left.
    fn take(&self) -> Option<J> {
        let mut state = self.state.lock();
        let rest = state.rest.take()?;
        state.open += 1;
        let units = rest.units();
        let part = units.div_ceil(self.threads).max(self.least);
        if units < part + self.least {
            return Some(rest);
        }
        let (piece, rest) = rest.cut(part);
        state.rest = Some(rest);
        Some(piece)
    }

    /// Waits until all pieces are done, where none is left to take.
    ///
    /// The thread does nothing else in the meantime, since whoever waits for this job would wait for that as well.
    pub fn wait(&self) {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            if self.state.lock().open == 0 {
                return;
            }
            thread::yield_now();
        }
        let mut state = self.state.lock();
        while state.open > 0 {
            self.done.wait(&mut state);
        }
    }

    /// The merged results, once all pieces are done.
    pub fn result(self) -> T {
        self.state.into_inner().merged.expect("every job has a piece")
    }
}

/// A piece that is being worked on, whatever becomes of it.
struct Open<'a, J, T>(&'a Share<J, T>);

impl<J, T> Drop for Open<'_, J, T> {
    fn drop(&mut self) {
        let mut state = self.0.state.lock();
        state.open -= 1;
        if state.open == 0 && state.rest.is_none() {
            self.0.done.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::super::Workers;
    use super::*;

    fn sizes(units: usize, threads: usize, least: usize) -> Vec<usize> {
        let share = Share::<Range<usize>, ()>::new(0..units, threads, least);
        std::iter::from_fn(|| share.take()).map(|piece| piece.len()).collect()
    }

    #[test]
    fn pieces_become_smaller_down_to_the_least() {
        assert_eq!(sizes(100, 2, 8), [50, 25, 13, 12]);
        assert_eq!(sizes(100, 4, 16), [25, 19, 16, 16, 24]);
        assert_eq!(sizes(9, 2, 16), [9]);
    }

    #[test]
    fn a_piece_that_panics_ends_the_job() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        for failing in [0, 40, 99] {
            let count = |rows: Range<usize>| {
                assert!(!rows.contains(&failing), "as wanted");
                rows.len()
            };
            let all = || Workers::pool(3).reduce(0..100, 1, &count, &|a, b| a + b);
            let caught = pool.install(|| catch_unwind(AssertUnwindSafe(all)));
            assert!(caught.is_err(), "row {failing}");
        }
    }
}

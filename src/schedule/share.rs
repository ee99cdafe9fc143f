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

/// A job of which threads take pieces, large ones first: down to the least, or a last one of less than twice that, so
/// that all threads have done their last at about the same time.
pub struct Share<J, T> {
    threads: usize,
    least: usize,
    state: Mutex<State<J, T>>,
    left: Condvar,
}

struct State<J, T> {
    /// What nobody has taken yet.
    rest: Option<J>,
    /// Threads that are looking for pieces or working on one.
    inside: usize,
    /// The results of pieces that are done.
    merged: Option<T>,
}

impl<J: Cut, T> Share<J, T> {
    /// A job for about so many threads, in pieces of at least `least` units where it has as many.
    pub fn new(job: J, threads: usize, least: usize) -> Self {
        let state = Mutex::new(State { rest: Some(job), inside: 0, merged: None });
        Self { threads, least, state, left: Condvar::new() }
    }

    /// Works on pieces as long as there are any.
    pub fn work_off(&self, work: &impl Fn(J) -> T, merge: &impl Fn(T, T) -> T) {
        let _inside = Inside::enter(self);
        while let Some(piece) = self.take() {
            let value = work(piece);
            // Merges are a few additions: others can wait for them.
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
        let units = rest.units();
        let part = units.div_ceil(self.threads).max(self.least);
        if units < part + self.least {
            return Some(rest);
        }
        let (piece, rest) = rest.cut(part);
        state.rest = Some(rest);
        Some(piece)
    }

    /// Waits until the others have left, where no piece is left to take.
    ///
    /// The thread does nothing else in the meantime, since whoever waits for this job would wait for that as well.
    pub fn wait(&self) {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            if self.state.lock().inside == 0 {
                return;
            }
            thread::yield_now();
        }
        let mut state = self.state.lock();
        while state.inside > 0 {
            self.left.wait(&mut state);
        }
    }

    /// The merged results, once all have left.
    pub fn result(self) -> T {
        self.state.into_inner().merged.expect("every job has a piece")
    }
}

/// A thread that takes part, until it leaves: also by a panic.
struct Inside<'a, J, T>(&'a Share<J, T>);

impl<'a, J, T> Inside<'a, J, T> {
    fn enter(share: &'a Share<J, T>) -> Self {
        share.state.lock().inside += 1;
        Self(share)
    }
}

impl<J, T> Drop for Inside<'_, J, T> {
    fn drop(&mut self) {
        let mut state = self.0.state.lock();
        state.inside -= 1;
        if state.inside == 0 {
            self.0.left.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc;

    use super::super::Workers;
    use super::*;

    fn sizes(units: usize, threads: usize, least: usize) -> Vec<usize> {
        let share = Share::<Range<usize>, ()>::new(0..units, threads, least);
        std::iter::from_fn(|| share.take()).map(|piece| piece.len()).collect()
    }

    #[test]
    fn pieces_become_smaller_down_to_about_the_least() {
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

    /// The lead takes row 0, another thread row 1, which takes longer than the lead's patience.
    #[test]
    fn a_lead_that_sleeps_is_woken() {
        let (tell, told) = mpsc::channel();
        thread::spawn(move || {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
            let begun = AtomicBool::new(false);
            let work = |rows: Range<usize>| match rows.start {
                0 => {
                    while !begun.load(Ordering::Relaxed) {
                        thread::yield_now();
                    }
                }
                _ => {
                    begun.store(true, Ordering::Relaxed);
                    thread::sleep(20 * PATIENCE);
                }
            };
            pool.install(|| Workers::pool(2).reduce(0..2, 1, &work, &|(), ()| ()));
            tell.send(()).unwrap();
        });
        assert_eq!(told.recv_timeout(Duration::from_secs(60)), Ok(()));
    }
}

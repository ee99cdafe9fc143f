// SPDX-License-Identifier: BSD-2-Clause-Patent
//! A context's own threads.
#![forbid(unsafe_code)]

use std::cell::Cell;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rayon::{ThreadPool, ThreadPoolBuilder, Yield};

use super::Workers;
use crate::error::{Error, Result};
use crate::log;

/// More threads than this serve no machine; a request beyond it gets as many as the machine has cores, or this.
const SENSIBLE: usize = 256;

/// How long a thread without work stays awake.
const WAKEFUL: Duration = Duration::from_micros(200);

/// A pool whose threads start with the first frame, since callers open contexts only to look at them, and have
/// ended once it is dropped, since a host may unload the library then.
pub struct Threads {
    count: usize,
    pool: Option<ThreadPool>,
    handles: Arc<Mutex<Vec<JoinHandle<()>>>>,
}

impl Threads {
    /// A pool of `wanted` threads, none for 0.
    pub fn new(wanted: u32) -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let count = (wanted as usize).min(cores.max(SENSIBLE));
        Self { count, pool: None, handles: Arc::default() }
    }

    /// How many threads there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Starts the threads unless they run.
    pub fn start(&mut self) -> Result<()> {
        if self.count > 0 && self.pool.is_none() {
            let handles = self.handles.clone();
            let builder = ThreadPoolBuilder::new().num_threads(self.count).spawn_handler(move |worker| {
                let named = thread::Builder::new().name(format!("vmaf-{}", worker.index()));
                handles.lock().push(named.spawn(|| worker.run())?);
                Ok(())
            });
            let built = builder.build().map_err(|error| {
                log::error!("cannot start {} threads: {error}", self.count);
                Error::OutOfMemory
            });
            self.pool = Some(built?);
        }
        Ok(())
    }

    /// Runs a job: queued where threads run, else here and now.
    pub fn run(&self, job: impl FnOnce(Workers) + Send + 'static) {
        let workers = Workers::pool(self.count);
        match &self.pool {
            Some(pool) => pool.spawn_fifo(move || attend(|| job(workers))),
            None => job(Workers::CALLER),
        }
    }
}

/// Runs a job and stays awake after it, unless it runs within another: that one is waited for.
fn attend(job: impl FnOnce()) {
    thread_local!(static AT_WORK: Cell<bool> = const { Cell::new(false) });
    let is_nested = AT_WORK.replace(true);
    job();
    if !is_nested {
        stay_awake();
        AT_WORK.set(false);
    }
}

/// Does what other work the pool has, until there was none for a while: pauses between two stages of a frame, and
/// between two frames, are shorter than it takes to wake a thread.
fn stay_awake() {
    let mut idle_since = Instant::now();
    while idle_since.elapsed() < WAKEFUL {
        match rayon::yield_now() {
            Some(Yield::Executed) => idle_since = Instant::now(),
            _ => thread::yield_now(),
        }
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.pool = None;
        for handle in self.handles.lock().drain(..) {
            // A worker's panics are caught in its jobs; were one to slip through, it has ended all the same.
            let _ = handle.join();
        }
    }
}

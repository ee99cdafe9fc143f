// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Work that streams hold until somebody needs it, and which of it runs next.
#![forbid(unsafe_code)]

use std::collections::{BTreeMap, VecDeque};
use std::ffi::CString;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use super::super::backend::{DeviceAddress, Extent, Geometry, Rows};
use super::random::Random;

/// A place in a stream: what an event stands for once it is recorded.
pub struct Marker {
    /// The stream.
    pub stream: usize,
    reached: AtomicBool,
}

impl Marker {
    /// Whether all work before it is done.
    pub fn is_reached(&self) -> bool {
        self.reached.load(SeqCst)
    }

    /// All work before it is done.
    pub fn reach(&self) {
        self.reached.store(true, SeqCst);
    }
}

/// Host memory that a copy reads.
pub enum Source {
    /// Page-locked: it is read when the copy runs.
    Pinned(Rows<usize>),
    /// Pageable: it was read when the copy was asked for; rows follow each other closely.
    Taken(Vec<u8>),
}

/// One piece of work on a stream.
pub enum Work {
    /// A kernel.
    Launch {
        /// Its name.
        kernel: Arc<CString>,
        /// The module it is from.
        module: usize,
        /// Blocks and threads.
        geometry: Geometry,
        /// Dynamic shared memory of a block in bytes.
        shared: u32,
        /// The structure it takes.
        parameters: Vec<u8>,
        /// Told to fail.
        fails: bool,
    },
    /// A copy to the device.
    Upload { from: Source, to: Rows<DeviceAddress>, extent: Extent },
    /// A copy to the host.
    Download { from: Rows<DeviceAddress>, to: Rows<usize>, extent: Extent },
    /// Zeros.
    Clear { memory: DeviceAddress, bytes: usize },
    /// Tells that all work before is done.
    Reach(Arc<Marker>),
    /// Lets what follows wait.
    Await(Arc<Marker>),
}

impl Work {
    fn can_run(&self) -> bool {
        !matches!(self, Self::Await(marker) if !marker.is_reached())
    }

    /// The page-locked memory that it reads or writes.
    pub fn pinned(&self) -> Option<Range<usize>> {
        match self {
            Self::Upload { from: Source::Pinned(rows), extent, .. } => {
                Some(span(rows.start, rows.pitch, *extent))
            }
            Self::Download { to, extent, .. } => Some(span(to.start, to.pitch, *extent)),
            _ => None,
        }
    }
}

/// The addresses from the first byte of the first row to the last of the last.
pub fn span(start: usize, pitch: usize, extent: Extent) -> Range<usize> {
    start..start + (extent.rows - 1) * pitch + extent.bytes
}

/// In which order streams go on while somebody waits for one of them.
#[derive(Clone, Copy)]
pub enum Mood {
    /// Nothing runs but what is waited for: shows a wait that is missing before work that needs another stream's.
    Lazy,
    /// Any stream that can.
    Mixed,
    /// All other work runs first: shows a wait that is missing before work that overwrites what another stream reads.
    Eager,
}

/// All moods.
pub const MOODS: [Mood; 3] = [Mood::Lazy, Mood::Mixed, Mood::Eager];

/// The streams of a device.
#[derive(Default)]
pub struct Queues {
    streams: BTreeMap<usize, VecDeque<Work>>,
}

impl Queues {
    /// A new stream.
    pub fn create(&mut self, stream: usize) {
        self.streams.insert(stream, VecDeque::new());
    }

    /// Ends a stream; whether there was one.
    pub fn destroy(&mut self, stream: usize) -> bool {
        self.streams.remove(&stream).is_some()
    }

    /// Whether there is such a stream.
    pub fn has(&self, stream: usize) -> bool {
        self.streams.contains_key(&stream)
    }

    /// Puts work at a stream's end.
    pub fn push(&mut self, stream: usize, work: Work) {
        self.streams.get_mut(&stream).expect("the caller has checked the stream").push_back(work);
    }

    /// Puts a marker at a stream's end.
    pub fn mark(&mut self, stream: usize) -> Arc<Marker> {
        let marker = Arc::new(Marker { stream, reached: AtomicBool::new(false) });
        self.push(stream, Work::Reach(marker.clone()));
        marker
    }

    /// Markers at the ends of all streams that have work.
    pub fn mark_all(&mut self) -> Vec<Arc<Marker>> {
        let busy = self.streams.iter().filter(|(_, queue)| !queue.is_empty());
        let busy: Vec<_> = busy.map(|(stream, _)| *stream).collect();
        busy.into_iter().map(|stream| self.mark(stream)).collect()
    }

    /// All work that did not run yet.
    pub fn pending(&self) -> impl Iterator<Item = &Work> {
        self.streams.values().flatten()
    }

    /// Forgets all work. Who waits for it must not wait for ever.
    pub fn abandon(&mut self) {
        for work in self.streams.values_mut().flat_map(|queue| queue.drain(..)) {
            if let Work::Reach(marker) = work {
                marker.reach();
            }
        }
    }

    /// Takes the next work on the way to `goal`, which is not reached yet.
    pub fn take(&mut self, goal: &Marker, mood: Mood, random: &mut Random) -> Work {
        let needed = self.needed(goal);
        let can_run = |queue: &VecDeque<Work>| queue.front().is_some_and(Work::can_run);
        let able = self.streams.iter().filter(|(_, queue)| can_run(queue)).map(|(stream, _)| *stream);
        let others: Vec<_> = match mood {
            Mood::Lazy => Vec::new(),
            Mood::Mixed => able.collect(),
            Mood::Eager => able.filter(|stream| *stream != needed).collect(),
        };
        let stream = if others.is_empty() { needed } else { random.choice(&others) };
        let work = self.streams.get_mut(&stream).and_then(VecDeque::pop_front);
        work.expect("only streams that have work are chosen")
    }

    /// The stream that must go on for `goal`: its own, or the one that its own waits for.
    fn needed(&self, goal: &Marker) -> usize {
        // Streams wait for markers that were there earlier, so that no circle can come about.
        match self.streams.get(&goal.stream).and_then(VecDeque::front) {
            Some(Work::Await(other)) if !other.is_reached() => self.needed(other),
            _ => goal.stream,
        }
    }
}

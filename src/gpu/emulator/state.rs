// SPDX-License-Identifier: BSD-2-Clause-Patent
//! What an emulated device is at a time, and how its work runs.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::ops::Range;
use std::sync::Arc;

use super::super::backend::{DeviceAddress, Extent, Handle, Rows};
use super::arena::Arena;
use super::fault::{Call, Fault};
use super::live::{self, Kind};
use super::queue::{MOODS, Marker, Queues, Source, Work, span};
use super::random::Random;
use super::{Settings, kernel};
use crate::error::{Error, Result};

/// What fresh memory holds: no number that a sum would not show.
const PATTERNS: [u8; 4] = [0xff, 0xa5, 0x7f, 0x5a];

/// An event.
#[derive(Default)]
pub struct Event {
    /// What it was recorded for, if it was.
    pub marker: Option<Arc<Marker>>,
    /// How often work that could have been done was said not to be.
    pub denials: usize,
}

/// A kernel of a module.
pub struct Function {
    pub name: Arc<CString>,
    pub module: usize,
    pub parameters: usize,
    pub shared: u32,
}

/// An emulated device at a time.
pub struct State {
    pub memory: Arena,
    pub pinned: Arena,
    pub queues: Queues,
    pub events: BTreeMap<usize, Event>,
    pub modules: BTreeMap<usize, &'static str>,
    pub functions: Vec<Function>,
    pub random: Random,
    /// What happened to the device: every later call fails.
    failed: Option<String>,
    fault: Option<Fault>,
    handles: usize,
}

impl State {
    /// A fresh device, whose last handle is `handles`.
    pub fn new(settings: Settings, handles: usize) -> Result<Self> {
        Ok(Self {
            memory: Arena::new(false)?,
            pinned: Arena::new(true)?,
            queues: Queues::default(),
            events: BTreeMap::new(),
            modules: BTreeMap::new(),
            functions: Vec::new(),
            random: Random::new(settings.seed),
            failed: None,
            fault: settings.fault,
            handles,
        })
    }

    /// A handle that was not given out before.
    pub fn handle(&mut self) -> usize {
        self.handles += 1;
        self.handles
    }

    /// What fresh memory shall hold.
    pub fn pattern(&mut self) -> u8 {
        self.random.choice(&PATTERNS)
    }

    /// Begins a call: it fails if the device did before, or if it was told to.
    pub fn begin(&mut self, call: Call) -> Result<()> {
        self.check()?;
        match self.is_due(call) {
            true if matches!(call, Call::Allocate | Call::Pinned) => Err(Error::OutOfMemory),
            true => Err(Error::Device(format!("emulator: told to fail here ({call:?})"))),
            false => Ok(()),
        }
    }

    /// Counts a call; whether it was told to fail.
    pub fn is_due(&mut self, call: Call) -> bool {
        self.fault.as_mut().is_some_and(|fault| fault.is_due(call))
    }

    /// Fails if the device did.
    pub fn check(&self) -> Result<()> {
        self.failed.as_ref().map_or(Ok(()), |message| Err(Error::Device(message.clone())))
    }

    /// Fails if there is no such stream.
    pub fn check_stream(&self, stream: Handle) -> Result<()> {
        match self.queues.has(stream.0) {
            true => Ok(()),
            false => Err(Error::Device("emulator: no such stream".into())),
        }
    }

    /// An event.
    pub fn event(&mut self, event: Handle) -> Result<&mut Event> {
        self.events.get_mut(&event.0).ok_or_else(|| Error::Device("emulator: no such event".into()))
    }

    /// The caller broke the interface's rules in a call that cannot fail: the device fails instead.
    pub fn violate(&mut self, message: String) {
        live::add(Kind::Violation);
        crate::log::error!("emulator: {message}");
        self.fail(message);
    }

    fn fail(&mut self, message: String) {
        self.queues.abandon();
        self.failed.get_or_insert(format!("emulator: {message}"));
    }

    /// Runs work until `goal` is reached. Errors of the work stay with the device.
    pub fn run_until(&mut self, goal: &Marker) {
        let mood = self.random.choice(&MOODS);
        while !goal.is_reached() {
            let work = self.queues.take(goal, mood, &mut self.random);
            self.run(work);
        }
        self.memory.set_open(false);
    }

    /// Runs at most so many pieces of work on the way to `goal`.
    pub fn run_towards(&mut self, goal: &Marker, pieces: usize) {
        let mood = self.random.choice(&MOODS);
        for _ in 0..pieces {
            if !goal.is_reached() {
                let work = self.queues.take(goal, mood, &mut self.random);
                self.run(work);
            }
        }
        self.memory.set_open(false);
    }

    /// Runs all work of all streams.
    pub fn run_all(&mut self) {
        for goal in self.queues.mark_all() {
            self.run_until(&goal);
        }
    }

    fn run(&mut self, work: Work) {
        self.memory.set_open(true);
        let done = match work {
            Work::Reach(marker) => {
                marker.reach();
                Ok(())
            }
            Work::Await(_) => Ok(()),
            Work::Launch { kernel, fails: true, .. } => Err(format!("kernel {kernel:?}: told to fail here")),
            Work::Launch { kernel, geometry, shared, parameters, .. } => {
                let seed = self.random.word();
                let checked =
                    self.check_parameters(&parameters).map_err(|error| format!("kernel {kernel:?}: {error}"));
                checked.and_then(|()| match kernel::launch(&kernel, geometry, shared, &parameters, seed) {
                    Ok(()) => {
                        self.memory.check_margins().map_err(|error| format!("kernel {kernel:?}: {error}"))
                    }
                    Err(failure) => Err(self.explain(failure)),
                })
            }
            Work::Upload { from, to, extent } => {
                upload(&from, to, extent);
                Ok(())
            }
            Work::Download { from, to, extent } => {
                // SAFETY: both ranges were checked when the copy was asked for, and live blocks wait for their work.
                unsafe { copy_rows(address_of(from), to, extent) };
                Ok(())
            }
            Work::Clear { memory, bytes } => {
                // SAFETY: as above.
                unsafe { (memory.0 as *mut u8).write_bytes(0, bytes) };
                Ok(())
            }
        };
        if let Err(message) = done {
            self.fail(message);
        }
    }

    fn explain(&self, failure: kernel::Failure) -> String {
        match failure.address {
            Some(address) => format!("{}: {}", failure.message, self.memory.describe(address)),
            None => failure.message,
        }
    }

    /// Looks for words that are addresses, but not of live device memory.
    fn check_parameters(&self, parameters: &[u8]) -> std::result::Result<(), String> {
        for (number, bytes) in parameters.as_chunks::<8>().0.iter().enumerate() {
            let word = usize::from_ne_bytes(*bytes);
            let offset = number * 8;
            if self.memory.reserves(word) {
                // The end of a block is the address of nothing, but may be passed.
                if !self.memory.holds(&(word..word)) {
                    return Err(format!(
                        "the address at byte {offset} of its parameters is {}",
                        self.memory.describe(word)
                    ));
                }
            } else if is_host_address(word) {
                return Err(format!(
                    "the address at byte {offset} of its parameters, {word:#x}, is the host's"
                ));
            }
        }
        Ok(())
    }

    /// Fails if rows of a copy overlap.
    pub fn check_pitches(&self, one: usize, other: usize, extent: Extent) -> Result<()> {
        match extent.rows > 1 && one.min(other) < extent.bytes {
            true => Err(Error::Device("emulator: the pitch of a copy is less than its rows".into())),
            false => Ok(()),
        }
    }

    /// Fails if a copy's or clearing's range of device memory is not in one block.
    pub fn check_device(&self, range: &Range<usize>) -> Result<()> {
        match self.memory.holds(range) {
            true => Ok(()),
            false if self.memory.holds(&(range.start..range.start)) => {
                let end = self.memory.describe(range.end - 1);
                Err(Error::Device(format!("emulator: a copy of {} bytes ends at {end}", range.len())))
            }
            false => {
                let start = self.memory.describe(range.start);
                Err(Error::Device(format!("emulator: a copy begins at {start}")))
            }
        }
    }

    /// Whether a range of the host's memory is page-locked. Fails if only a part of it is, or if it is the device's.
    pub fn is_pinned(&self, range: &Range<usize>) -> Result<bool> {
        if self.memory.reserves(range.start) {
            return Err(Error::Device("emulator: device memory where a copy needs the host's".into()));
        }
        match self.pinned.reserves(range.start) {
            true if !self.pinned.holds(range) => {
                let (start, end) = (self.pinned.describe(range.start), self.pinned.describe(range.end - 1));
                Err(Error::Device(format!("emulator: a copy of page-locked memory from {start} to {end}")))
            }
            locked => Ok(locked),
        }
    }
}

/// The addresses of a copy's rows on the device.
pub fn device_span(rows: Rows<DeviceAddress>, extent: Extent) -> Range<usize> {
    span(rows.start.0 as usize, rows.pitch, extent)
}

fn address_of(rows: Rows<DeviceAddress>) -> Rows<usize> {
    Rows { start: rows.start.0 as usize, pitch: rows.pitch }
}

fn upload(from: &Source, to: Rows<DeviceAddress>, extent: Extent) {
    let from = match from {
        Source::Pinned(rows) => *rows,
        Source::Taken(bytes) => Rows { start: bytes.as_ptr() as usize, pitch: extent.bytes },
    };
    // SAFETY: both ranges were checked when the copy was asked for, and live blocks wait for their work.
    unsafe { copy_rows(from, address_of(to), extent) };
}

/// # Safety
/// All rows are readable or writable, as it may be, and apart.
pub unsafe fn copy_rows(from: Rows<usize>, to: Rows<usize>, extent: Extent) {
    for row in 0..extent.rows {
        let (from, to) = (from.start + row * from.pitch, to.start + row * to.pitch);
        // SAFETY: the caller's promise.
        unsafe { (from as *const u8).copy_to_nonoverlapping(to as *mut u8, extent.bytes) };
    }
}

/// Whether something of the host's lies at an address. Words under 2^45 are numbers: two 32-bit fields make such words,
/// and no 64-bit Linux puts memory there.
fn is_host_address(word: usize) -> bool {
    const PAGE: usize = 4096;
    if !(1 << 45..1 << 48).contains(&word) {
        return false;
    }
    let mut resident = [0_u8; 16];
    // SAFETY: the call looks whether the page is mapped and writes one byte; pages are at least this large.
    unsafe { libc::mincore((word / PAGE * PAGE) as _, 1, resident.as_mut_ptr()) == 0 }
}

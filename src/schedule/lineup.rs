// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The extractors of a context, in the order in which their values are stored.
#![forbid(unsafe_code)]

use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use super::Workers;
use crate::error::{Error, Result, catch};
use crate::feature::collector::Collector;
use crate::feature::{Definition, Emitter, Extractor, Frame, Outputs, Setup, Twin, Values, names};
use crate::gpu::{Engine, Pass};
use crate::log;

/// Where an extractor's per-pixel half runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// On the CPU.
    Cpu,
    /// On the context's device.
    Device,
}

/// One registration of an extractor.
pub struct Instance {
    definition: &'static Definition,
    values: Values,
    side: Side,
    outputs: Mutex<Outputs>,
    /// Made for the first frame that reaches it.
    extractor: OnceLock<Box<dyn Extractor>>,
}

impl Instance {
    /// An extractor with these options, not made yet.
    pub fn new(definition: &'static Definition, values: Values, side: Side) -> Self {
        let outputs = Mutex::new(Outputs::new(definition, &values));
        Self { definition, values, side, outputs, extractor: OnceLock::new() }
    }

    /// Two registrations are the same if their names, spelled with options, are: a twin is the same as its CPU
    /// extractor, whose keys it has.
    fn identity(&self) -> String {
        names::with_options(self.definition.name, &self.values.spelled())
    }

    /// Whether it looks at earlier frames.
    pub fn is_temporal(&self) -> bool {
        self.definition.traits.looks_back.is_some()
    }

    /// At how many reference pictures before the frame's own.
    pub fn looks_back(&self) -> usize {
        self.definition.traits.looks_back.map_or(0, |frames| frames(&self.values))
    }

    /// Whether it looks at the distorted picture of the pair before.
    pub fn needs_previous_distorted(&self) -> bool {
        self.definition.traits.previous_distorted
    }

    /// Whether it runs on the frame with this index.
    pub fn wants(&self, index: u32, subsample: u32) -> bool {
        self.definition.traits.every_frame || subsample <= 1 || index.is_multiple_of(subsample)
    }

    /// Where its per-pixel half runs.
    pub fn side(&self) -> Side {
        self.side
    }

    /// Whether it still has to be made.
    pub fn is_new(&self) -> bool {
        self.extractor.get().is_none()
    }

    fn make(&self, setup: &Setup, engine: Option<&Arc<Engine>>) -> Result<Box<dyn Extractor>> {
        let made = match (self.side, self.definition.twin, engine) {
            (Side::Device, Some(make), Some(engine)) => make(setup, &self.values, engine),
            (Side::Device, ..) => Err(Error::Internal("a twin without a device".into())),
            (Side::Cpu, ..) => (self.definition.make)(setup, &self.values),
        };
        made.map_err(|error| self.explain("feature extractor", error, String::new()))
    }

    fn twin(&self) -> Option<&dyn Twin> {
        self.extractor.get().and_then(|extractor| extractor.twin())
    }

    /// How many planes a twin reads.
    pub fn planes(&self) -> usize {
        self.twin().map_or(0, Twin::planes)
    }

    /// Whether a twin can take a frame.
    pub fn check(&self, pass: &Pass<'_>) -> Result<()> {
        self.twin().map_or(Ok(()), |twin| catch(|| twin.check(pass)))
    }

    /// Puts a twin's kernels on the device.
    pub fn submit(&self, batch: &[Pass<'_>]) -> Result<()> {
        self.twin().map_or(Ok(()), |twin| catch(|| twin.submit(batch)))
    }

    /// The per-pixel half, on any thread.
    pub fn measure(&self, slot: usize, frame: &Frame, workers: Workers) -> Result<()> {
        match self.extractor.get() {
            Some(extractor) => catch(|| extractor.measure(slot, frame, workers)),
            None => Err(Error::Internal("the extractor was never made".into())),
        }
    }

    /// The score-level half of the frame in `slot`, or of what went wrong before it.
    pub fn score(
        &self,
        slot: usize,
        index: u32,
        measured: Result<()>,
        collector: &mut Collector,
    ) -> Result<()> {
        let mut outputs = self.outputs.lock();
        let scored = measured.and_then(|()| match self.extractor.get() {
            Some(extractor) => {
                catch(|| extractor.score(slot, &mut Emitter::new(&mut outputs, collector, index)))
            }
            None => Ok(()),
        });
        scored.map_err(|error| {
            self.explain("problem with feature extractor", error, format!(" at index {index}"))
        })
    }

    /// Emits what was held back.
    pub fn flush(&self, collector: &mut Collector) -> Result<()> {
        let Some(extractor) = self.extractor.get() else { return Ok(()) };
        let mut outputs = self.outputs.lock();
        let flushed = catch(|| extractor.flush(&mut Emitter::new(&mut outputs, collector, 0)));
        flushed.map_err(|error| self.explain("problem with feature extractor", error, " at the flush".into()))
    }

    /// Logs an error where it happened; what is returned says no more.
    fn explain(&self, subject: &str, error: Error, place: String) -> Error {
        let text = error.to_string();
        let colon = if text.is_empty() { "" } else { ": " };
        let suffix = if self.side == Side::Device { "_cuda" } else { "" };
        log::error!("{subject} \"{}{suffix}\"{place}{colon}{text}", self.definition.name);
        error.silent()
    }
}

/// Instances in the order of their columns.
#[derive(Clone, Default)]
pub struct Lineup {
    // Shared, since every frame in flight has its own handle of the line-up.
    instances: Arc<Vec<Arc<Instance>>>,
}

impl Lineup {
    /// Adds an instance unless it is there already. With `serial_first`, serial extractors go before all others.
    pub fn add(&mut self, instance: Instance, serial_first: bool) {
        let identity = instance.identity();
        if self.instances.iter().any(|other| other.identity() == identity) {
            log::debug!("feature extractor \"{identity}\" is registered already");
            return;
        }
        let position = if serial_first && instance.definition.traits.serial {
            self.instances.iter().take_while(|other| other.definition.traits.serial).count()
        } else {
            self.instances.len()
        };
        Arc::make_mut(&mut self.instances).insert(position, Arc::new(instance));
    }

    /// The instances in order.
    pub fn instances(&self) -> &[Arc<Instance>] {
        &self.instances
    }

    /// Whether both are the very same.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.instances, &other.instances)
    }

    /// The places of the extractors on one side.
    pub fn on(&self, side: Side) -> impl Iterator<Item = usize> {
        let places = self.instances.iter().enumerate();
        places.filter(move |(_, instance)| instance.side == side).map(|(place, _)| place)
    }

    /// Whether an extractor on `side` runs on the frame with this index.
    pub fn has(&self, side: Side, index: u32, subsample: u32) -> bool {
        self.instances.iter().any(|instance| instance.side == side && instance.wants(index, subsample))
    }

    /// At how many earlier reference pictures extractors on `side` look.
    pub fn looks_back(&self, side: Side) -> usize {
        self.on(side).map(|place| self.instances[place].looks_back()).max().unwrap_or(0)
    }

    /// Makes the extractors that `index` reaches for the first time: all of them, or none.
    pub fn make(
        &self,
        index: u32,
        subsample: u32,
        setup: &Setup,
        engine: Option<&Arc<Engine>>,
    ) -> Result<()> {
        let reached = |instance: &&Arc<Instance>| instance.is_new() && instance.wants(index, subsample);
        let made = self
            .instances
            .iter()
            .filter(reached)
            .map(|instance| Ok((instance, instance.make(setup, engine)?)));
        for (instance, extractor) in made.collect::<Result<Vec<_>>>()? {
            // Only the caller's thread makes extractors, so the cell is empty.
            let _ = instance.extractor.set(extractor);
        }
        Ok(())
    }

    /// The same registrations, to be made anew for another stream.
    pub fn renewed(&self) -> Self {
        let renew = |instance: &Arc<Instance>| {
            Arc::new(Instance::new(instance.definition, instance.values.clone(), instance.side))
        };
        Self { instances: Arc::new(self.instances.iter().map(renew).collect()) }
    }
}

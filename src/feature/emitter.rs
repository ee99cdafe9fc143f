// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The only way from an extractor to the feature table.
#![forbid(unsafe_code)]

use super::collector::{Collector, ColumnId, Phase};
use super::extractor::Definition;
use super::names;
use super::options::Values;
use crate::error::{Error, Result};

/// Where one registration of an extractor stores its features.
pub struct Outputs {
    definition: &'static Definition,
    spelled: Vec<(&'static str, String)>,
    columns: Vec<(&'static str, ColumnId)>,
}

impl Outputs {
    /// No columns yet: they are made by the first value, since the table's order is that of first values.
    pub fn new(definition: &'static Definition, values: &Values) -> Self {
        Self { definition, spelled: values.spelled(), columns: Vec::new() }
    }

    fn column(&mut self, phase: Phase, feature: &'static str, collector: &mut Collector) -> ColumnId {
        if let Some(&(_, column)) = self.columns.iter().find(|(name, _)| *name == feature) {
            return column;
        }
        let column = collector.column_of(phase, &self.stored_name(feature));
        self.columns.push((feature, column));
        column
    }

    fn stored_name(&self, feature: &str) -> String {
        if self.definition.provides.contains(&feature) {
            names::with_options(feature, &self.spelled)
        } else {
            feature.to_owned()
        }
    }

    fn check(&self, feature: &str, value: f64) -> Result<()> {
        if value.is_finite() || self.definition.traits.not_finite {
            return Ok(());
        }
        Err(Error::Internal(format!("{}: {feature} is {value}", self.definition.name)))
    }
}

/// Takes the values of one frame, or of the flush.
pub struct Emitter<'a> {
    outputs: &'a mut Outputs,
    collector: &'a mut Collector,
    index: u32,
}

impl<'a> Emitter<'a> {
    /// For the values of the frame with this index.
    pub fn new(outputs: &'a mut Outputs, collector: &'a mut Collector, index: u32) -> Self {
        Self { outputs, collector, index }
    }

    /// The frame's index.
    pub fn index(&self) -> u32 {
        self.index
    }

    /// Stores this frame's value of a feature, named as the extractor knows it.
    pub fn set(&mut self, feature: &'static str, value: f64) -> Result<()> {
        self.set_at(self.index, feature, value)
    }

    /// Stores a feature's value of another frame.
    pub fn set_at(&mut self, index: u32, feature: &'static str, value: f64) -> Result<()> {
        self.outputs.check(feature, value)?;
        let column = self.outputs.column(Phase::Frames, feature, self.collector);
        self.collector.append(column, index, value)
    }

    /// Gives features, in this order, columns where a flush would first write them, however early their values come.
    /// To be called before the first value of each; a second call changes nothing.
    pub fn hold_for_flush(&mut self, features: &[&'static str]) {
        for feature in features {
            self.outputs.column(Phase::Flush, feature, self.collector);
        }
    }

    /// Stores a value that belongs to the whole stream.
    pub fn aggregate(&mut self, name: &'static str, value: f64) -> Result<()> {
        self.outputs.check(name, value)?;
        self.collector.set_aggregate(name, value)
    }
}

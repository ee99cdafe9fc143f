// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The models of a context: where their features are stored, and their scores of frames and intervals.
#![forbid(unsafe_code)]

use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use super::{BootstrapScore, Collection, Feature, MOST_FEATURES, Model};
use crate::error::{Error, Result};
use crate::feature::collector::{Collector, ColumnId, Phase};
use crate::feature::pooling::{Pooling, pool, sampled};
use crate::feature::{self, Definition, Dictionary, Values, names};
use crate::log;

/// The frames that a pooled score is made of: from `low` to `high`, both included, all or those that
/// `subsample` divides if it is above 1.
#[derive(Clone, Copy, Debug)]
pub struct Interval {
    /// First index.
    pub low: u32,
    /// Last index.
    pub high: u32,
    /// As the context is configured.
    pub subsample: u32,
}

/// Extractors that models need, in the order of their features and without repeats.
///
/// Options are read once for all features that agree in them, so that a warning about one comes once.
#[derive(Default)]
pub struct Needs<'a> {
    read: Vec<(&'static Definition, &'a Dictionary, Values)>,
}

impl<'a> Needs<'a> {
    /// What the features of these models need. It is an error if one cannot be had.
    pub fn of(models: &'a [Arc<Model>]) -> Result<Self> {
        let mut needs = Self::default();
        for feature in models.iter().flat_map(|model| &model.features) {
            needs.values(feature)?;
        }
        Ok(needs)
    }

    fn values(&mut self, feature: &'a Feature) -> Result<(&'static Definition, &Values)> {
        let definition = feature::provider(&feature.name)?;
        let known = |(other, options, _): &(&'static Definition, &Dictionary, Values)| {
            other.name == definition.name && **options == feature.options
        };
        let place = match self.read.iter().position(known) {
            Some(place) => place,
            None => {
                let values = Values::read(definition.name, definition.options, &feature.options)?;
                self.read.push((definition, &feature.options, values));
                self.read.len() - 1
            }
        };
        Ok((definition, &self.read[place].2))
    }

    /// The name under which a feature is stored. Without options that is its own, whoever provides it.
    fn stored_name(&mut self, feature: &'a Feature) -> Result<String> {
        if feature.options.is_empty() {
            return Ok(feature.name.clone());
        }
        let (_, values) = self.values(feature)?;
        Ok(names::with_options(&feature.name, &values.spelled()))
    }

    /// The extractors alone.
    pub fn definitions(&self) -> impl Iterator<Item = &'static Definition> {
        self.read.iter().map(|&(definition, ..)| definition)
    }

    /// The extractors with their options.
    pub fn extractors(self) -> impl Iterator<Item = (&'static Definition, &'a Dictionary, Values)> {
        self.read.into_iter()
    }
}

/// A model, and where its features are stored.
struct Scorer {
    model: Arc<Model>,
    names: Vec<String>,
    /// Known once every feature has had a value.
    columns: OnceLock<Vec<ColumnId>>,
}

impl Scorer {
    fn new<'a>(model: &'a Arc<Model>, needs: &mut Needs<'a>) -> Result<Self> {
        let names = model.features.iter().map(|feature| needs.stored_name(feature)).collect::<Result<_>>()?;
        Ok(Self { model: model.clone(), names, columns: OnceLock::new() })
    }

    /// The features' values of a frame, in `room`.
    fn values<'a>(
        &self,
        collector: &Collector,
        index: u32,
        room: &'a mut [f64; MOST_FEATURES],
    ) -> Result<&'a [f64]> {
        let columns = self.columns(collector, index)?;
        let values = &mut room[..columns.len()];
        for (value, (&column, name)) in values.iter_mut().zip(columns.iter().zip(&self.names)) {
            *value = collector.get(column, index).ok_or_else(|| missing(name, index))?;
        }
        Ok(values)
    }

    fn columns(&self, collector: &Collector, index: u32) -> Result<&[ColumnId]> {
        if let Some(columns) = self.columns.get() {
            return Ok(columns);
        }
        let column = |name: &String| collector.stored(name).ok_or_else(|| missing(name, index));
        let columns = self.names.iter().map(column).collect::<Result<_>>()?;
        Ok(self.columns.get_or_init(|| columns))
    }
}

fn missing(name: &str, index: u32) -> Error {
    log::error!("vmaf_predict_score_at_index(): no feature '{name}' at index {index}");
    Error::logged()
}

/// The models of a context. It keeps them as long as it lives, whatever their owner does.
#[derive(Default)]
pub struct Scoring {
    scorers: Mutex<Vec<Arc<Scorer>>>,
}

impl Scoring {
    /// Makes models known. Two of one name are a mistake: whatever is scored first counts for both.
    pub fn register<'a>(&self, models: &'a [Arc<Model>], needs: &mut Needs<'a>) -> Result<()> {
        for model in models {
            let twin = |scorer: &Arc<Scorer>| scorer.model.name == model.name && scorer.model != *model;
            if self.scorers.lock().iter().any(twin) {
                log::warning!("two models are named \"{}\", they share one score", model.name);
            }
            self.scorer(model, needs)?;
        }
        Ok(())
    }

    fn scorer<'a>(&self, model: &'a Arc<Model>, needs: &mut Needs<'a>) -> Result<Arc<Scorer>> {
        let mut scorers = self.scorers.lock();
        if let Some(known) = scorers.iter().find(|scorer| Arc::ptr_eq(&scorer.model, model)) {
            return Ok(known.clone());
        }
        let scorer = Arc::new(Scorer::new(model, needs)?);
        scorers.push(scorer.clone());
        Ok(scorer)
    }

    /// The score of a frame, predicted and stored unless it is stored already.
    pub fn score(&self, collector: &mut Collector, model: &Arc<Model>, index: u32) -> Result<f64> {
        if let Some(stored) = stored(collector, &model.name, index) {
            return Ok(stored);
        }
        let scorer = self.scorer(model, &mut Needs::default())?;
        let score = model.predict(scorer.values(collector, index, &mut [0.0; MOST_FEATURES])?);
        keep(collector, &model.name, index, score)
    }

    /// The score of an interval; frames that have none yet get one.
    pub fn pool(
        &self,
        collector: &mut Collector,
        model: &Arc<Model>,
        method: Pooling,
        interval: Interval,
    ) -> Result<f64> {
        for index in interval.indices() {
            self.score(collector, model, index)?;
        }
        interval.pool(collector, &model.name, method)
    }

    /// A collection's score of a frame, predicted and stored with its members' unless it is stored already.
    pub fn score_collection(
        &self,
        collector: &mut Collector,
        collection: &Collection,
        index: u32,
    ) -> Result<BootstrapScore> {
        let names = figure_names(collection);
        let known = names.iter().map(|name| stored(collector, name, index)).collect::<Option<Vec<_>>>();
        if let Some(figures) = known.and_then(|known| known.try_into().ok()) {
            return Ok(BootstrapScore::from_figures(figures));
        }
        let members = collection.members();
        let regress = |member: &Arc<Model>| {
            let scorer = self.scorer(member, &mut Needs::default())?;
            Ok(member.regress(scorer.values(collector, index, &mut [0.0; MOST_FEATURES])?))
        };
        let mut scores: Vec<f64> = members.iter().map(regress).collect::<Result<_>>()?;
        for (member, &score) in members.iter().zip(&scores) {
            keep(collector, &member.name, index, member.finish(score))?;
        }
        let mut figures = collection.summarize(&mut scores).figures();
        for (figure, name) in figures.iter_mut().zip(&names) {
            *figure = keep(collector, name, index, *figure)?;
        }
        Ok(BootstrapScore::from_figures(figures))
    }

    /// A collection's score of an interval: each figure pooled for itself.
    pub fn pool_collection(
        &self,
        collector: &mut Collector,
        collection: &Collection,
        method: Pooling,
        interval: Interval,
    ) -> Result<BootstrapScore> {
        for index in interval.indices() {
            self.score_collection(collector, collection, index)?;
        }
        let mut figures = [0.0; 4];
        for (figure, name) in figures.iter_mut().zip(figure_names(collection)) {
            *figure = interval.pool(collector, &name, method)?;
        }
        Ok(BootstrapScore::from_figures(figures))
    }
}

impl Interval {
    fn indices(self) -> impl Iterator<Item = u32> {
        sampled(self.low, self.high, self.subsample)
    }

    fn pool(self, collector: &Collector, name: &str, method: Pooling) -> Result<f64> {
        let Self { low, high, subsample } = self;
        match collector.stored(name) {
            Some(column) => pool(collector, column, method, low, high, subsample),
            None => Err(Error::invalid(format!("no index from {low} to {high} is sampled"))),
        }
    }
}

fn figure_names(collection: &Collection) -> [String; 4] {
    BootstrapScore::SUFFIXES.map(|suffix| format!("{}{suffix}", collection.name()))
}

fn stored(collector: &Collector, name: &str, index: u32) -> Option<f64> {
    collector.get(collector.stored(name)?, index)
}

/// Stores a value unless there is one, and gives the one that counts.
fn keep(collector: &mut Collector, name: &str, index: u32, value: f64) -> Result<f64> {
    if let Some(stored) = stored(collector, name, index) {
        return Ok(stored);
    }
    let column = collector.column_of(Phase::Models, name);
    collector.append(column, index, value)?;
    Ok(value)
}

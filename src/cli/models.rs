// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The models of a run: loading, registration, and the scores of the whole.

use std::path::Path;
use std::sync::Arc;

use super::request::{ModelRequest, ModelSource};
use super::verdict::Verdict;
use crate::context::Context;
use crate::error::Result as LibraryResult;
use crate::feature::Dictionary;
use crate::feature::pooling::Pooling;
use crate::model::{AnyModel, Collection, Flags, Model};
use crate::number::fixed;

/// Decimals of a score that a user sees.
const DECIMALS: usize = 6;

/// A model in use. Of a collection, its lead model, which is scored like any other.
pub struct Scored {
    label: String,
    model: Arc<Model>,
    collection: Option<Collection>,
}

impl Scored {
    /// Loads what was asked for and registers its features.
    pub fn prepare(request: &ModelRequest, context: &mut Context) -> Result<Self, Verdict> {
        let label = request.label().to_owned();
        let loaded = load(request);
        let mut loaded =
            loaded.map_err(|error| Verdict::setup(&error, format!("problem loading model: {label}")))?;
        overload(&mut loaded, request);
        let (scored, kind) = match loaded {
            AnyModel::Model(model) => (Self { label, model: Arc::new(model), collection: None }, "model"),
            AnyModel::Collection(all) => {
                (Self { label, model: all.lead().clone(), collection: Some(all) }, "model collection")
            }
        };
        scored.register(context).map_err(|error| {
            let text = format!("problem loading feature extractors from {kind}: {}", scored.label);
            Verdict::setup(&error, text)
        })?;
        Ok(scored)
    }

    fn register(&self, context: &mut Context) -> LibraryResult<()> {
        match &self.collection {
            None => context.use_features_from_model(&self.model),
            Some(collection) => context.use_features_from_collection(collection),
        }
    }

    /// The model's mean over all pairs, as a line for the user.
    pub fn mean(&self, context: &Context, pairs: u32) -> Result<String, Verdict> {
        let mean = context.score_pooled(&self.model, Pooling::Mean, 0, pairs.saturating_sub(1));
        let mean = mean.map_err(|error| Verdict::setup(&error, NO_POOLED_SCORE))?;
        Ok(format!("{}: {}", self.label, fixed(mean, DECIMALS)))
    }

    /// The mean of the collection's figures over all pairs, as a line for the user; none for a plain model.
    pub fn interval(&self, context: &Context, pairs: u32) -> Result<Option<String>, Verdict> {
        let Some(collection) = &self.collection else { return Ok(None) };
        let last = pairs.saturating_sub(1);
        let mean = context.collection_score_pooled(collection, Pooling::Mean, 0, last);
        let mean = mean.map_err(|error| Verdict::setup(&error, NO_POOLED_SCORE))?;
        let [bagging, stddev, low, high] = mean.figures().map(|figure| fixed(figure, DECIMALS));
        Ok(Some(format!("{}: {bagging}, ci.p95: [{low}, {high}], stddev: {stddev}", self.label)))
    }
}

const NO_POOLED_SCORE: &str = "problem generating pooled VMAF score";

fn load(request: &ModelRequest) -> LibraryResult<AnyModel> {
    let mut flags = Flags::empty();
    flags.set(Flags::DISABLE_CLIP, request.disable_clip);
    flags.set(Flags::ENABLE_TRANSFORM, request.enable_transform);
    match &request.source {
        ModelSource::Version(version) => AnyModel::built_in(version, &request.name, flags),
        ModelSource::Path(path) => AnyModel::open(Path::new(path), &request.name, flags),
    }
}

fn overload(loaded: &mut AnyModel, request: &ModelRequest) {
    for overload in &request.overloads {
        let mut options = Dictionary::new();
        options.set(&overload.option, &overload.value);
        match loaded {
            AnyModel::Model(model) => model.overload(&overload.extractor, &options),
            AnyModel::Collection(collection) => collection.overload(&overload.extractor, &options),
        }
    }
}

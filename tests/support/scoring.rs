// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Runs the library over a fixture: the one place of the golden test that knows the library's interface.

use std::sync::Arc;

use vmaf_rs::context::{Configuration, Context};
use vmaf_rs::error::Result;
use vmaf_rs::feature::Dictionary;
use vmaf_rs::model::{Flags, Model};
use vmaf_rs::picture::{Format, Picture};

use super::fixtures::{Fixture, Side};
use super::golden::{GoldenRun, Table};

/// The pairs of a fixture, made once and read by any number of runs.
pub struct Sequence(Vec<[Picture; 2]>);

impl Sequence {
    pub fn new(fixture: &Fixture) -> Self {
        Self::declared(fixture, fixture.picture_format())
    }

    /// The same samples in pictures of another format, say of fewer bits than the samples need.
    pub fn declared(fixture: &Fixture, format: Format) -> Self {
        let pair =
            |frame| [Side::Reference, Side::Distorted].map(|side| picture(fixture, format, frame, side));
        Self((0..fixture.frames).map(pair).collect())
    }

    /// Reference and distorted picture of each frame.
    pub fn pairs(&self) -> &[[Picture; 2]] {
        &self.0
    }
}

fn picture(fixture: &Fixture, format: Format, frame: u32, side: Side) -> Picture {
    let mut picture = Picture::new(format).expect("memory for a test picture");
    let bytes = fixture.frame_bytes(frame, side);
    let mut rest = bytes.as_slice();
    for plane in 0..fixture.format.planes() {
        for y in 0..picture.layout(plane).height {
            let row = picture.row_mut(plane, y);
            let (start, after) = rest.split_at(row.len());
            row.copy_from_slice(start);
            rest = after;
        }
    }
    picture
}

/// What a run scores by, once its extractors are registered.
enum By {
    Features,
    Model(String, Arc<Model>),
}

impl By {
    fn register(run: &GoldenRun, context: &mut Context) -> Result<Self> {
        let Some(version) = run.extractor.strip_prefix("model=") else {
            let mut options = Dictionary::new();
            run.options.iter().for_each(|(key, value)| options.set(key, value));
            context.use_feature(&run.extractor, &options)?;
            return Ok(Self::Features);
        };
        let model = Arc::new(Model::built_in(version, version, Flags::empty())?);
        context.use_features_from_model(&model)?;
        Ok(Self::Model(version.to_owned(), model))
    }

    fn value(&self, context: &Context, key: &str, index: u32) -> Result<f64> {
        match self {
            Self::Model(name, model) if name == key => context.score_at_index(model, index),
            _ => context.feature_score_at_index(key, index),
        }
    }
}

/// The scores under every key of `run`.
pub fn score(sequence: &Sequence, run: &GoldenRun, configuration: Configuration) -> Result<Table> {
    let mut context = Context::new(configuration)?;
    let by = By::register(run, &mut context)?;
    for (index, [reference, distorted]) in (0..).zip(&sequence.0) {
        context.read_pictures(reference.clone(), distorted.clone(), index)?;
    }
    context.flush()?;
    let frames = sequence.0.len() as u32;
    let at = |key: &str, index| Ok(Some(by.value(&context, key, index)?).filter(|score| score.is_finite()));
    let scores = |key: &str| (0..frames).map(|index| at(key, index)).collect::<Result<_>>();
    run.keys().map(|key| Ok((key.to_owned(), scores(key)?))).collect()
}

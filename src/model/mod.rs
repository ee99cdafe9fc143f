// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Models: what makes one score of a frame's features.
#![forbid(unsafe_code)]

mod built_in;
mod collection;
mod document;
mod figures;
mod json;
mod predict;
pub mod scoring;
pub mod svm;
pub mod transform;

use std::path::Path;
use std::sync::Arc;

use bitflags::bitflags;

pub use built_in::VERSIONS;
pub use collection::{BootstrapScore, Collection};
pub use predict::{ChromaCorrection, Scaling};
pub use scoring::Scoring;

use crate::error::{Error, Result};
use crate::feature::{self, Dictionary};
use crate::log;
use svm::Machine;
use transform::Transform;

/// Most features of a model.
pub const MOST_FEATURES: usize = 64;

bitflags! {
    /// How a model is loaded.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Flags: u64 {
        /// Scores are not clipped to the model's range.
        const DISABLE_CLIP = 1;
        /// A score transform acts even if the model does not say so.
        const ENABLE_TRANSFORM = 2;
        /// Has no effect when a model is loaded, as in libvmaf.
        const DISABLE_TRANSFORM = 4;
    }
}

/// What a model is trained as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// By itself.
    Single,
    /// One of several, each on a part of the training set.
    Bootstrap,
    /// One of several, each on its own draw of the residues.
    ResidueBootstrap,
}

/// A feature that a model asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct Feature {
    /// Internal name.
    pub name: String,
    /// Options of the extractor that provides it.
    pub options: Dictionary,
    /// From the feature's value to the machine's input.
    pub scaling: Scaling,
}

/// A trained model.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The name under which its scores are stored.
    pub name: String,
    /// What it was trained as.
    pub kind: Kind,
    /// Its features, in the order of the machine's inputs; 1 to [`MOST_FEATURES`].
    pub features: Vec<Feature>,
    /// From a score to the machine's output.
    pub scaling: Scaling,
    /// Support-vector machine, shared by all models made of the same figures.
    pub machine: Arc<Machine>,
    /// Estimate of a chroma feature that pictures lack.
    pub chroma_correction: Option<ChromaCorrection>,
    /// What acts on scores before they are clipped; none where it is turned off.
    pub transform: Option<Transform>,
    /// Lowest and highest score.
    pub clip: Option<[f64; 2]>,
}

impl Model {
    /// The built-in model of exactly this version; its scores are stored as `name`.
    pub fn built_in(version: &str, name: &str, flags: Flags) -> Result<Self> {
        built_in("model", version, name, flags)?.into_model().map_err(|error| error.of(version))
    }

    /// The model of a JSON text; its scores are stored as `name`.
    pub fn parse(text: &[u8], name: &str, flags: Flags) -> Result<Self> {
        AnyModel::parse(text, name, flags)?.into_model().map_err(|error| error.of("the file"))
    }

    /// The model of a JSON file; its scores are stored as `name`.
    pub fn open(path: &Path, name: &str, flags: Flags) -> Result<Self> {
        open("model", path, |text| Self::parse(text, name, flags))
    }

    /// Sets options of all features that the extractor of this name provides. They are checked when the
    /// features are used.
    pub fn overload(&mut self, extractor: &str, options: &Dictionary) {
        for feature in &mut self.features {
            if feature::by_feature(&feature.name).is_some_and(|provider| provider.name == extractor) {
                options.iter().for_each(|(key, value)| feature.options.set_verbatim(key, value));
            }
        }
    }
}

impl Collection {
    /// The built-in collection of exactly this version; its scores' names begin with `name`.
    pub fn built_in(version: &str, name: &str, flags: Flags) -> Result<Self> {
        built_in("model collection", version, name, flags)?
            .into_collection()
            .map_err(|error| error.of(version))
    }

    /// The collection of a JSON text; its scores' names begin with `name`.
    pub fn parse(text: &[u8], name: &str, flags: Flags) -> Result<Self> {
        AnyModel::parse(text, name, flags)?.into_collection().map_err(|error| error.of("the file"))
    }

    /// The collection of a JSON file; its scores' names begin with `name`.
    pub fn open(path: &Path, name: &str, flags: Flags) -> Result<Self> {
        open("model collection", path, |text| Self::parse(text, name, flags))
    }
}

/// A model or a collection, for those who take either.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyModel {
    /// One model.
    Model(Model),
    /// Several.
    Collection(Collection),
}

impl AnyModel {
    /// What is built in under exactly this version.
    pub fn built_in(version: &str, name: &str, flags: Flags) -> Result<Self> {
        built_in("model", version, name, flags)
    }

    /// What a JSON text holds.
    pub fn parse(text: &[u8], name: &str, flags: Flags) -> Result<Self> {
        document::parse(text, name, flags)
    }

    /// What a JSON file holds.
    pub fn open(path: &Path, name: &str, flags: Flags) -> Result<Self> {
        open("model", path, |text| Self::parse(text, name, flags))
    }

    fn into_model(self) -> std::result::Result<Model, WrongKind> {
        match self {
            Self::Model(model) => Ok(model),
            Self::Collection(_) => Err(WrongKind("is a model collection, not a model")),
        }
    }

    fn into_collection(self) -> std::result::Result<Collection, WrongKind> {
        match self {
            Self::Model(_) => Err(WrongKind("is a model, not a model collection")),
            Self::Collection(collection) => Ok(collection),
        }
    }
}

struct WrongKind(&'static str);

impl WrongKind {
    fn of(self, subject: &str) -> Error {
        Error::invalid(format!("{subject} {}", self.0))
    }
}

fn built_in(kind: &str, version: &str, name: &str, flags: Flags) -> Result<AnyModel> {
    built_in::load(version, name, flags).ok_or_else(|| {
        log::warning!("no such built-in {kind}: \"{version}\"");
        Error::logged()
    })
}

/// Reads a file and what it holds. All that went wrong is told, in libvmaf's words first.
fn open<T>(kind: &str, path: &Path, parse: impl FnOnce(&[u8]) -> Result<T>) -> Result<T> {
    let text = document::read(path);
    text.and_then(|text| parse(&text)).map_err(|error| {
        let path = path.display().to_string();
        log::error!("could not read {kind} from path: \"{path}\"");
        if path.ends_with(".pkl") {
            log::error!("support for pkl {kind} files has been removed, use json");
        }
        Error::invalid(format!("{path}: {error}"))
    })
}

// SPDX-License-Identifier: BSD-2-Clause-Patent
//! `model.h`.

use std::borrow::Cow;
use std::ffi::{CStr, OsStr, c_char, c_int};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use super::feature::{VmafFeatureDictionary, take};
use super::{CollectionScoreTypeField, clear, exclusive, export, present, shared, text};
use crate::error::Result;
use crate::model::{BootstrapScore, Collection, Flags, Model};

impl From<BootstrapScore> for VmafModelCollectionScore {
    fn from(score: BootstrapScore) -> Self {
        let [lo, hi] = score.ci_p95;
        let ci = VmafConfidenceIntervals { p95: VmafScoreInterval { lo, hi } };
        let bootstrap = VmafBootstrapScore { bagging_score: score.bagging, stddev: score.stddev, ci };
        let r#type = VmafModelCollectionScoreType::VMAF_MODEL_COLLECTION_SCORE_BOOTSTRAP;
        Self { r#type: r#type as CollectionScoreTypeField, bootstrap }
    }
}

/// The name of models whose configuration gives none.
const DEFAULT_NAME: &str = "vmaf";

/// Model flags, to be joined by `|`.
#[repr(C)]
#[allow(non_camel_case_types)]
pub enum VmafModelFlags {
    /// What the model says.
    VMAF_MODEL_FLAGS_DEFAULT = 0,
    /// Scores are not clipped to the model's range.
    VMAF_MODEL_FLAG_DISABLE_CLIP = 1,
    /// The model's score transform is applied, if it has one.
    VMAF_MODEL_FLAG_ENABLE_TRANSFORM = 2,
    /// Has no effect when a model is loaded, as in libvmaf.
    VMAF_MODEL_FLAG_DISABLE_TRANSFORM = 4,
}

/// A model that predicts a score from features.
pub struct VmafModel {
    /// Shared with the contexts that use it, so that it may be destroyed before them.
    pub(super) model: Arc<Model>,
}

/// Models whose scores' spread gives a confidence interval.
pub struct VmafModelCollection {
    pub(super) collection: Collection,
}

/// How to load a model.
#[repr(C)]
pub struct VmafModelConfig {
    /// Name of the model's scores; NULL means "vmaf". Copied.
    pub name: *const c_char,
    /// `VmafModelFlags`.
    pub flags: u64,
}

/// What a collection's scores are.
#[repr(C)]
#[allow(non_camel_case_types)]
pub enum VmafModelCollectionScoreType {
    /// None.
    VMAF_MODEL_COLLECTION_SCORE_UNKNOWN = 0,
    /// Bootstrap: `bootstrap` is set.
    VMAF_MODEL_COLLECTION_SCORE_BOOTSTRAP = 1,
}

/// An interval of scores.
#[repr(C)]
pub struct VmafScoreInterval {
    /// Lower end.
    pub lo: f64,
    /// Upper end.
    pub hi: f64,
}

/// Confidence intervals.
#[repr(C)]
pub struct VmafConfidenceIntervals {
    /// Of 95 percent.
    pub p95: VmafScoreInterval,
}

/// A bootstrap collection's score.
#[repr(C)]
pub struct VmafBootstrapScore {
    /// Mean of the members' scores.
    pub bagging_score: f64,
    /// Standard deviation of the members' scores.
    pub stddev: f64,
    /// Confidence intervals.
    pub ci: VmafConfidenceIntervals,
}

/// A collection's score.
#[repr(C)]
pub struct VmafModelCollectionScore {
    /// What is set.
    pub r#type: CollectionScoreTypeField,
    /// The bootstrap score.
    pub bootstrap: VmafBootstrapScore,
}

/// Gives the caller what `load` makes of the name, the flags and the source, an argument of this name.
///
/// # Safety
/// As the loaders state, with `outputs` their other arguments' result.
unsafe fn load<T>(
    outputs: Result<()>,
    cfg: *const VmafModelConfig,
    source: *const c_char,
    argument: &str,
    load: impl FnOnce(&CStr, &str, Flags) -> Result<T>,
) -> Result<T> {
    outputs?;
    // SAFETY: the loaders' contract.
    let cfg = unsafe { shared(cfg, "cfg")? };
    let source = present(source.cast_mut(), argument)?;
    // SAFETY: both are texts by contract.
    let (source, name) = unsafe {
        let name = if cfg.name.is_null() { DEFAULT_NAME.into() } else { text(cfg.name, "cfg.name")? };
        (CStr::from_ptr(source.as_ptr()), name)
    };
    load(source, &name, Flags::from_bits_retain(cfg.flags))
}

fn lossy(text: &CStr) -> Cow<'_, str> {
    text.to_string_lossy()
}

pub(super) fn as_path(text: &CStr) -> &Path {
    Path::new(OsStr::from_bytes(text.to_bytes()))
}

/// Gives a model to a caller who asked for it by a valid `output`.
///
/// # Safety
/// `output` points to a pointer.
unsafe fn give(output: *mut *mut VmafModel, model: Arc<Model>) {
    // SAFETY: the caller's promise.
    unsafe { output.write(Box::into_raw(Box::new(VmafModel { model }))) }
}

/// Gives a collection and its lead model to a caller who asked for them by valid outputs.
///
/// # Safety
/// Both outputs point to pointers.
unsafe fn give_collection(
    model: *mut *mut VmafModel,
    model_collection: *mut *mut VmafModelCollection,
    collection: Collection,
) {
    // SAFETY: the caller's promise.
    unsafe {
        give(model, collection.lead().clone());
        model_collection.write(Box::into_raw(Box::new(VmafModelCollection { collection })));
    }
}

/// Loads a built-in model by its exact version.
///
/// The caller owns `*model`, to be given to `vmaf_model_destroy`. On failure `*model` is NULL.
///
/// Returns 0; -EINVAL for a NULL argument, an unknown version or a collection's.
///
/// # Safety
/// `model` is NULL or points to a pointer; `cfg` is NULL or a configuration; `version` is NULL or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vmaf_model_load(
    model: *mut *mut VmafModel,
    cfg: *mut VmafModelConfig,
    version: *const c_char,
) -> c_int {
    export!(vmaf_model_load, {
        // SAFETY: the function's contract.
        unsafe {
            let outputs = clear(model, "model");
            let made = load(outputs, cfg, version, "version", |text, name, flags| {
                Model::built_in(&lossy(text), name, flags)
            })?;
            give(model, Arc::new(made));
        }
        Ok(())
    })
}

/// Loads a model from a JSON file; otherwise as `vmaf_model_load`.
///
/// # Safety
/// As `vmaf_model_load`, with `path` in place of `version`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vmaf_model_load_from_path(
    model: *mut *mut VmafModel,
    cfg: *mut VmafModelConfig,
    path: *const c_char,
) -> c_int {
    export!(vmaf_model_load_from_path, {
        // SAFETY: the function's contract.
        unsafe {
            let outputs = clear(model, "model");
            let made = load(outputs, cfg, path, "path", |text, name, flags| {
                Model::open(as_path(text), name, flags)
            })?;
            give(model, Arc::new(made));
        }
        Ok(())
    })
}

/// Sets options of the model's features that the extractor `feature_name` provides.
///
/// The dictionary is taken whenever no argument is NULL. To be called before the model's features are used.
///
/// Returns 0, also when the model does not use the extractor; -EINVAL for a NULL argument.
///
/// # Safety
/// Each argument is NULL or a model, a text, a dictionary that the caller owns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vmaf_model_feature_overload(
    model: *mut VmafModel,
    feature_name: *const c_char,
    opts_dict: *mut VmafFeatureDictionary,
) -> c_int {
    export!(vmaf_model_feature_overload, {
        // SAFETY: the function's contract.
        let (model, name, options) = unsafe {
            let (model, name) = (exclusive(model, "model")?, text(feature_name, "feature_name")?);
            present(opts_dict, "opts_dict")?;
            (model, name, take(opts_dict).unwrap_or_default())
        };
        Arc::make_mut(&mut model.model).overload(&name, &options.options);
        Ok(())
    })
}

/// Frees a model; NULL is allowed.
///
/// # Safety
/// `model` is NULL or a model that the caller owns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vmaf_model_destroy(model: *mut VmafModel) {
    export!(vmaf_model_destroy, {
        if !model.is_null() {
            // SAFETY: every model came from Box::into_raw, and its owner gives it up.
            drop(unsafe { Box::from_raw(model) });
        }
        Ok(())
    });
}

/// Loads a built-in collection: its lead model, and the others.
///
/// The caller owns `*model` and `*model_collection`. On failure both are NULL.
///
/// Returns 0; -EINVAL for a NULL argument, an unknown version or a plain model's.
///
/// # Safety
/// As `vmaf_model_load`; `model_collection` is NULL or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vmaf_model_collection_load(
    model: *mut *mut VmafModel,
    model_collection: *mut *mut VmafModelCollection,
    cfg: *mut VmafModelConfig,
    version: *const c_char,
) -> c_int {
    export!(vmaf_model_collection_load, {
        // SAFETY: the function's contract.
        unsafe {
            let outputs = clear(model, "model").and(clear(model_collection, "model_collection"));
            let made = load(outputs, cfg, version, "version", |text, name, flags| {
                Collection::built_in(&lossy(text), name, flags)
            })?;
            give_collection(model, model_collection, made);
        }
        Ok(())
    })
}

/// Loads a collection from a JSON file; otherwise as `vmaf_model_collection_load`.
///
/// # Safety
/// As `vmaf_model_collection_load`, with `path` in place of `version`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vmaf_model_collection_load_from_path(
    model: *mut *mut VmafModel,
    model_collection: *mut *mut VmafModelCollection,
    cfg: *mut VmafModelConfig,
    path: *const c_char,
) -> c_int {
    export!(vmaf_model_collection_load_from_path, {
        // SAFETY: the function's contract.
        unsafe {
            let outputs = clear(model, "model").and(clear(model_collection, "model_collection"));
            let made = load(outputs, cfg, path, "path", |text, name, flags| {
                Collection::open(as_path(text), name, flags)
            })?;
            give_collection(model, model_collection, made);
        }
        Ok(())
    })
}

/// `vmaf_model_feature_overload` for every model of a collection and its lead model.
///
/// # Safety
/// Each argument is NULL or a model, a pointer to NULL or a collection, a text, a dictionary that the caller
/// owns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vmaf_model_collection_feature_overload(
    model: *mut VmafModel,
    model_collection: *mut *mut VmafModelCollection,
    feature_name: *const c_char,
    opts_dict: *mut VmafFeatureDictionary,
) -> c_int {
    export!(vmaf_model_collection_feature_overload, {
        // SAFETY: the function's contract.
        let (model, collection, name, options) = unsafe {
            let (model, name) = (exclusive(model, "model")?, text(feature_name, "feature_name")?);
            let collection = *shared(model_collection, "model_collection")?;
            let collection = exclusive(collection, "*model_collection")?;
            present(opts_dict, "opts_dict")?;
            (model, collection, name, take(opts_dict).unwrap_or_default())
        };
        Arc::make_mut(&mut model.model).overload(&name, &options.options);
        collection.collection.overload(&name, &options.options);
        Ok(())
    })
}

/// Frees a collection; NULL is allowed.
///
/// # Safety
/// `model_collection` is NULL or a collection that the caller owns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vmaf_model_collection_destroy(model_collection: *mut VmafModelCollection) {
    export!(vmaf_model_collection_destroy, {
        if !model_collection.is_null() {
            // SAFETY: every collection came from Box::into_raw, and its owner gives it up.
            drop(unsafe { Box::from_raw(model_collection) });
        }
        Ok(())
    });
}

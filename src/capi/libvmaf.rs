// SPDX-License-Identifier: BSD-2-Clause-Patent
//! `libvmaf.h`.

use std::ffi::{CStr, c_char, c_int, c_uint};

use super::feature::{VmafFeatureDictionary, take};
use super::model::{VmafModel, VmafModelCollection, VmafModelCollectionScore, as_path};
use super::picture::{VmafPicture, format};
use super::{
    LogLevelField, OutputFormatArgument, PixelFormatArgument, PoolingMethodArgument, clear, exclusive,
    export, present, shared, text,
};
use crate::context::{Configuration, Context, VERSION};
use crate::error::{Error, Result};
use crate::feature::{by_name, pooling::Pooling};
use crate::output::{OutputFormat, Precision};

/// How much is logged on standard error.
#[repr(C)]
#[allow(non_camel_case_types)]
pub enum VmafLogLevel {
    /// Nothing.
    VMAF_LOG_LEVEL_NONE = 0,
    /// Errors.
    VMAF_LOG_LEVEL_ERROR = 1,
    /// And warnings.
    VMAF_LOG_LEVEL_WARNING = 2,
    /// And information.
    VMAF_LOG_LEVEL_INFO = 3,
    /// And details.
    VMAF_LOG_LEVEL_DEBUG = 4,
}

/// The kinds of log file.
#[repr(C)]
#[allow(non_camel_case_types)]
pub enum VmafOutputFormat {
    /// Not a kind.
    VMAF_OUTPUT_FORMAT_NONE = 0,
    /// XML.
    VMAF_OUTPUT_FORMAT_XML = 1,
    /// JSON.
    VMAF_OUTPUT_FORMAT_JSON = 2,
    /// Comma-separated values.
    VMAF_OUTPUT_FORMAT_CSV = 3,
    /// MicroDVD subtitles.
    VMAF_OUTPUT_FORMAT_SUB = 4,
}

/// Ways to make one score of many frames'.
#[repr(C)]
#[allow(non_camel_case_types)]
pub enum VmafPoolingMethod {
    /// Not a way.
    VMAF_POOL_METHOD_UNKNOWN = 0,
    /// The lowest.
    VMAF_POOL_METHOD_MIN = 1,
    /// The highest.
    VMAF_POOL_METHOD_MAX = 2,
    /// The arithmetic mean.
    VMAF_POOL_METHOD_MEAN = 3,
    /// The harmonic mean of the scores plus one, less one.
    VMAF_POOL_METHOD_HARMONIC_MEAN = 4,
    /// How many there are, with the unknown one.
    VMAF_POOL_METHOD_NB = 5,
}

/// How a context works.
#[repr(C)]
pub struct VmafConfiguration {
    /// What is logged; of the whole process, the last context's counts.
    pub log_level: LogLevelField,
    /// Threads of the context; with 0 everything but the work of a GPU runs in the calls.
    pub n_threads: c_uint,
    /// N above 1: only indices that N divides are scored.
    pub n_subsample: c_uint,
    /// Instruction sets that are forbidden: 1 SSE2 or NEON, 2 SSSE3, 4 SSE4.1, 8 AVX2, 16 AVX-512, 32 AVX-512
    /// of Ice Lake. Results are the same for every mask.
    pub cpumask: u64,
    /// Not 0: no GPU.
    pub gpumask: u64,
}

/// Size, depth and pixel format of pictures.
#[repr(C)]
pub struct VmafPictureParameters {
    /// Luma width in samples.
    pub w: c_uint,
    /// Luma height in samples.
    pub h: c_uint,
    /// Bits per component, 8 to 16.
    pub bpc: c_uint,
    /// Chroma subsampling.
    pub pix_fmt: PixelFormatArgument,
}

/// A pool of pictures.
#[repr(C)]
pub struct VmafPictureConfiguration {
    /// What they are.
    pub pic_params: VmafPictureParameters,
    /// How many may be in use at a time.
    pub pic_cnt: c_uint,
}

/// Scores a stream of picture pairs. To be used by one thread at a time.
pub struct VmafContext {
    pub(super) context: Context,
}

/// Makes a context.
///
/// The caller owns it until `vmaf_close`. On failure `*vmaf` is NULL.
///
/// Returns 0; -EINVAL for a NULL `vmaf`; -ENOMEM.
///
/// # Safety
/// `vmaf` is NULL or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vmaf_init(vmaf: *mut *mut VmafContext, cfg: VmafConfiguration) -> c_int {
    export!(vmaf_init, {
        // SAFETY: the function's contract.
        unsafe { clear(vmaf, "vmaf")? };
        let VmafConfiguration { log_level, n_threads, n_subsample, cpumask, gpumask } = cfg;
        let context = Context::new(Configuration { log_level, n_threads, n_subsample, cpumask, gpumask })?;
        // SAFETY: not NULL, or `clear` had failed.
        unsafe { vmaf.write(Box::into_raw(Box::new(VmafContext { context }))) };
        Ok(())
    })
}

/// Registers the extractors that a model needs, with the model's options.
///
/// The model stays the caller's, who may destroy it once no call needs it any more; the context keeps what it
/// needs.
///
/// Returns 0; -EINVAL for a NULL argument, a feature that nothing provides, a bad option. On failure nothing is
/// registered.
///
/// # Safety
/// `vmaf` is NULL or a context, `model` is NULL or a model.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vmaf_use_features_from_model(
    vmaf: *mut VmafContext,
    model: *mut VmafModel,
) -> c_int {
    export!(vmaf_use_features_from_model, {
        // SAFETY: the function's contract.
        let (vmaf, model) = unsafe { (exclusive(vmaf, "vmaf")?, shared(model, "model")?) };
        vmaf.context.use_features_from_model(&model.model)
    })
}

/// `vmaf_use_features_from_model` for all models of a collection.
///
/// # Safety
/// `vmaf` is NULL or a context, `model_collection` is NULL or a collection.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vmaf_use_features_from_model_collection(
    vmaf: *mut VmafContext,
    model_collection: *mut VmafModelCollection,
) -> c_int {
    export!(vmaf_use_features_from_model_collection, {
        // SAFETY: the function's contract.
        let (vmaf, collection) =
            unsafe { (exclusive(vmaf, "vmaf")?, shared(model_collection, "model_collection")?) };
        vmaf.context.use_features_from_collection(&collection.collection)
    })
}

/// Registers a feature extractor by its exact name, such as "psnr".
///
/// The dictionary may be NULL. It is taken once the name is known, also when an option is bad; it stays the
/// caller's when `vmaf` or `feature_name` is NULL or the name unknown. An unknown option is ignored with a
/// warning. The same extractor with the same options a second time has no effect.
///
/// Returns 0; -EINVAL for a NULL argument, an unknown name, a bad option; -ENOSYS for an extractor of libvmaf
/// that this version lacks.
///
/// # Safety
/// `vmaf` is NULL or a context, `feature_name` NULL or a text, `opts_dict` NULL or the caller's dictionary.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vmaf_use_feature(
    vmaf: *mut VmafContext,
    feature_name: *const c_char,
    opts_dict: *mut VmafFeatureDictionary,
) -> c_int {
    export!(vmaf_use_feature, {
        // SAFETY: the function's contract.
        let (vmaf, name) = unsafe { (exclusive(vmaf, "vmaf")?, text(feature_name, "feature_name")?) };
        by_name(&name)?;
        // SAFETY: the name is known, so by contract the dictionary is ours from here on.
        let options = unsafe { take(opts_dict) }.unwrap_or_default();
        vmaf.context.use_feature(&name, &options.options)
    })
}

/// Stores a score that was made elsewhere under the internal name `feature_name`, which is copied.
///
/// Returns 0; -EINVAL for a NULL argument and where a value is stored already.
///
/// # Safety
/// `vmaf` is NULL or a context, `feature_name` NULL or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vmaf_import_feature_score(
    vmaf: *mut VmafContext,
    feature_name: *const c_char,
    value: f64,
    index: c_uint,
) -> c_int {
    export!(vmaf_import_feature_score, {
        // SAFETY: the function's contract.
        let (vmaf, name) = unsafe { (exclusive(vmaf, "vmaf")?, text(feature_name, "feature_name")?) };
        vmaf.context.import_feature_score(&name, value, index)
    })
}

/// Scores a pair of pictures, or ends the stream when both are NULL.
///
/// On success the context has taken both pictures and the structures are empty. On failure they are untouched
/// and still the caller's. With threads, or a GPU, a pair's error may be returned by a later call.
///
/// Returns 0; -EINVAL for a NULL `vmaf`, one NULL picture, pictures that differ from each other or from those
/// before in size, depth or format, an index that has a score, pictures after the end of the stream.
///
/// # Safety
/// `vmaf` is NULL or a context; `ref` and `dist` are NULL or pictures of this library that the caller owns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vmaf_read_pictures(
    vmaf: *mut VmafContext,
    r#ref: *mut VmafPicture,
    dist: *mut VmafPicture,
    index: c_uint,
) -> c_int {
    export!(vmaf_read_pictures, {
        // SAFETY: the function's contract.
        let context = unsafe { &mut exclusive(vmaf, "vmaf")?.context };
        if r#ref.is_null() && dist.is_null() {
            return context.flush();
        }
        // SAFETY: the function's contract.
        unsafe { read_pair(context, r#ref, dist, index) }
    })
}

/// Scores a pair, then takes the caller's counts.
///
/// # Safety
/// As [`vmaf_read_pictures`].
unsafe fn read_pair(
    context: &mut Context,
    reference: *mut VmafPicture,
    distorted: *mut VmafPicture,
    index: c_uint,
) -> Result<()> {
    // SAFETY: the caller's promise. The two may be one structure, so neither is held as `&mut` here.
    let pair = unsafe { (shared(reference, "ref")?.share()?, shared(distorted, "dist")?.share()?) };
    if reference != distorted && pair.0.same_block(&pair.1) && pair.0.handles() < 4 {
        return Err(Error::invalid("ref and dist are copies of one picture, which owns one count only"));
    }
    context.read_pictures(pair.0, pair.1, index)?;
    // SAFETY: each structure owns a count, and the first release empties it.
    unsafe {
        exclusive(reference, "ref")?.release()?;
        if reference != distorted {
            exclusive(distorted, "dist")?.release()?;
        }
    }
    Ok(())
}

/// The model's score of one frame, predicted if it was not before.
///
/// Returns 0; -EINVAL for a NULL argument and where a feature is missing.
///
/// # Safety
/// `vmaf` is NULL or a context, `model` NULL or a model, `score` NULL or points to a double.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vmaf_score_at_index(
    vmaf: *mut VmafContext,
    model: *mut VmafModel,
    score: *mut f64,
    index: c_uint,
) -> c_int {
    export!(vmaf_score_at_index, {
        // SAFETY: the function's contract.
        let (vmaf, model) = unsafe { (shared(vmaf, "vmaf")?, shared(model, "model")?) };
        let score = present(score, "score")?;
        let value = vmaf.context.score_at_index(&model.model, index)?;
        // SAFETY: points to a double by contract.
        unsafe { score.write(value) };
        Ok(())
    })
}

/// The collection's score of one frame, predicted if it was not before.
///
/// Returns 0; -EINVAL for a NULL argument and where a feature is missing.
///
/// # Safety
/// `vmaf` is NULL or a context, `model_collection` NULL or a collection, `score` NULL or points to a score.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vmaf_score_at_index_model_collection(
    vmaf: *mut VmafContext,
    model_collection: *mut VmafModelCollection,
    score: *mut VmafModelCollectionScore,
    index: c_uint,
) -> c_int {
    export!(vmaf_score_at_index_model_collection, {
        // SAFETY: the function's contract.
        let (vmaf, collection) =
            unsafe { (shared(vmaf, "vmaf")?, shared(model_collection, "model_collection")?) };
        let score = present(score, "score")?;
        let value = vmaf.context.collection_score_at_index(&collection.collection, index)?;
        // SAFETY: points to a score by contract.
        unsafe { score.write(value.into()) };
        Ok(())
    })
}

/// The value of a feature, by internal or by log name, for one frame.
///
/// Waits for that frame where threads have it. Returns 0; -EINVAL for a NULL argument and where no value is
/// stored (yet); `*score` is untouched then.
///
/// # Safety
/// `vmaf` is NULL or a context, `feature_name` NULL or a text, `score` NULL or points to a double.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vmaf_feature_score_at_index(
    vmaf: *mut VmafContext,
    feature_name: *const c_char,
    score: *mut f64,
    index: c_uint,
) -> c_int {
    export!(vmaf_feature_score_at_index, {
        // SAFETY: the function's contract.
        let (vmaf, name) = unsafe { (shared(vmaf, "vmaf")?, text(feature_name, "feature_name")?) };
        let score = present(score, "score")?;
        let value = vmaf.context.feature_score_at_index(&name, index)?;
        // SAFETY: points to a double by contract.
        unsafe { score.write(value) };
        Ok(())
    })
}

/// The model's score pooled over the sampled indices from `index_low` to `index_high`, both included.
///
/// Returns 0; -EINVAL for a NULL argument, an unknown method, `index_low` above `index_high`, a missing value;
/// `*score` is untouched then.
///
/// # Safety
/// `vmaf` is NULL or a context, `model` NULL or a model, `score` NULL or points to a double.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vmaf_score_pooled(
    vmaf: *mut VmafContext,
    model: *mut VmafModel,
    pool_method: PoolingMethodArgument,
    score: *mut f64,
    index_low: c_uint,
    index_high: c_uint,
) -> c_int {
    export!(vmaf_score_pooled, {
        // SAFETY: the function's contract.
        let (vmaf, model) = unsafe { (shared(vmaf, "vmaf")?, shared(model, "model")?) };
        let score = present(score, "score")?;
        let method = check_pooling(pool_method, index_low, index_high)?;
        let value = vmaf.context.score_pooled(&model.model, method, index_low, index_high)?;
        // SAFETY: points to a double by contract.
        unsafe { score.write(value) };
        Ok(())
    })
}

/// The collection's scores pooled; otherwise as `vmaf_score_pooled`.
///
/// # Safety
/// `vmaf` is NULL or a context, `model_collection` NULL or a collection, `score` NULL or points to a score.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vmaf_score_pooled_model_collection(
    vmaf: *mut VmafContext,
    model_collection: *mut VmafModelCollection,
    pool_method: PoolingMethodArgument,
    score: *mut VmafModelCollectionScore,
    index_low: c_uint,
    index_high: c_uint,
) -> c_int {
    export!(vmaf_score_pooled_model_collection, {
        // SAFETY: the function's contract.
        let (vmaf, collection) =
            unsafe { (shared(vmaf, "vmaf")?, shared(model_collection, "model_collection")?) };
        let score = present(score, "score")?;
        let method = check_pooling(pool_method, index_low, index_high)?;
        let collection = &collection.collection;
        let value = vmaf.context.collection_score_pooled(collection, method, index_low, index_high)?;
        // SAFETY: points to a score by contract.
        unsafe { score.write(value.into()) };
        Ok(())
    })
}

/// A feature pooled over the sampled indices from `index_low` to `index_high`, both included.
///
/// Returns 0; -EINVAL for a NULL argument, an unknown method, `index_low` above `index_high`, a missing value;
/// `*score` is untouched then.
///
/// # Safety
/// `vmaf` is NULL or a context, `feature_name` NULL or a text, `score` NULL or points to a double.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vmaf_feature_score_pooled(
    vmaf: *mut VmafContext,
    feature_name: *const c_char,
    pool_method: PoolingMethodArgument,
    score: *mut f64,
    index_low: c_uint,
    index_high: c_uint,
) -> c_int {
    export!(vmaf_feature_score_pooled, {
        // SAFETY: the function's contract.
        let (vmaf, name) = unsafe { (shared(vmaf, "vmaf")?, text(feature_name, "feature_name")?) };
        let score = present(score, "score")?;
        let method = check_pooling(pool_method, index_low, index_high)?;
        let value = vmaf.context.feature_score_pooled(&name, method, index_low, index_high)?;
        // SAFETY: points to a double by contract.
        unsafe { score.write(value) };
        Ok(())
    })
}

fn check_pooling(method: PoolingMethodArgument, low: c_uint, high: c_uint) -> Result<Pooling> {
    if low > high {
        return Err(Error::invalid(format!("index {low} is above index {high}")));
    }
    Pooling::from_number(method).ok_or_else(|| Error::invalid(format!("{method} is no pooling method")))
}

/// Gives the context a pool of pictures. A second pool replaces the first, unless its pictures are in use.
///
/// Returns 0; -EINVAL for a NULL `vmaf`, no pictures, an empty size, a bad format or depth; -ENOMEM.
///
/// # Safety
/// `vmaf` is NULL or a context.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vmaf_preallocate_pictures(
    vmaf: *mut VmafContext,
    cfg: VmafPictureConfiguration,
) -> c_int {
    export!(vmaf_preallocate_pictures, {
        // SAFETY: the function's contract.
        let vmaf = unsafe { exclusive(vmaf, "vmaf")? };
        let VmafPictureParameters { w, h, bpc, pix_fmt } = cfg.pic_params;
        vmaf.context.preallocate_pictures(format(pix_fmt, bpc, w, h)?, cfg.pic_cnt as usize)
    })
}

/// A picture of the pool, with what was last in it. Waits while all are in use.
///
/// The caller owns it until `vmaf_read_pictures` takes it or `vmaf_picture_unref` gives it up, also after
/// `vmaf_close`.
///
/// Returns 0; -EINVAL for a NULL argument and where there is no pool; -ENOMEM.
///
/// # Safety
/// `vmaf` is NULL or a context, `pic` NULL or points to a structure, whose content is overwritten.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vmaf_fetch_preallocated_picture(
    vmaf: *mut VmafContext,
    pic: *mut VmafPicture,
) -> c_int {
    export!(vmaf_fetch_preallocated_picture, {
        // SAFETY: the function's contract.
        let vmaf = unsafe { shared(vmaf, "vmaf")? };
        let pic = present(pic, "pic")?;
        let picture = vmaf.context.fetch_picture()?;
        // SAFETY: by contract `pic` points to a structure, which may be uninitialised.
        unsafe { pic.write(VmafPicture::give(picture)) };
        Ok(())
    })
}

/// Frees a context, after the frames that its threads have. What was not flushed is lost.
///
/// Models and fetched pictures stay the caller's. Returns 0; -EINVAL for NULL.
///
/// # Safety
/// `vmaf` is NULL or a context that is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vmaf_close(vmaf: *mut VmafContext) -> c_int {
    export!(vmaf_close, {
        let vmaf = present(vmaf, "vmaf")?;
        // SAFETY: a context of `vmaf_init`, given up by its owner.
        drop(unsafe { Box::from_raw(vmaf.as_ptr()) });
        Ok(())
    })
}

/// Writes all scores to a file.
///
/// Returns 0; -EINVAL for a NULL argument, an unknown format (no file is made then), a file that cannot be
/// written.
///
/// # Safety
/// `vmaf` is NULL or a context, `output_path` NULL or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vmaf_write_output(
    vmaf: *mut VmafContext,
    output_path: *const c_char,
    fmt: OutputFormatArgument,
) -> c_int {
    export!(vmaf_write_output, {
        // SAFETY: the function's contract.
        let vmaf = unsafe { shared(vmaf, "vmaf")? };
        let path = present(output_path.cast_mut(), "output_path")?;
        // SAFETY: a text by contract.
        let path = as_path(unsafe { CStr::from_ptr(path.as_ptr()) });
        vmaf.context.write_output(path, output_format(fmt)?, Precision::Default)
    })
}

fn output_format(number: OutputFormatArgument) -> Result<OutputFormat> {
    OutputFormat::from_number(number).ok_or_else(|| Error::invalid(format!("{number} is no output format")))
}

/// The library's version, a text that is never freed.
#[unsafe(no_mangle)]
pub extern "C" fn vmaf_version() -> *const c_char {
    const TEXT: &CStr =
        match CStr::from_bytes_with_nul(concat!("vmaf_rs ", env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
            Ok(text) => text,
            Err(_) => panic!("the version holds a zero byte"),
        };
    debug_assert_eq!(TEXT.to_str(), Ok(VERSION));
    TEXT.as_ptr()
}

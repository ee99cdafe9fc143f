/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Made by cbindgen from src/capi/; see tests/headers.rs. */

#ifndef __VMAF_H__
#define __VMAF_H__

#include <stdint.h>
#include <stdio.h>
#include "libvmaf/model.h"
#include "libvmaf/picture.h"
#include "libvmaf/feature.h"

/**
 * How much is logged on standard error.
 */
typedef enum VmafLogLevel {
    /**
     * Nothing.
     */
    VMAF_LOG_LEVEL_NONE = 0,
    /**
     * Errors.
     */
    VMAF_LOG_LEVEL_ERROR = 1,
    /**
     * And warnings.
     */
    VMAF_LOG_LEVEL_WARNING = 2,
    /**
     * And information.
     */
    VMAF_LOG_LEVEL_INFO = 3,
    /**
     * And details.
     */
    VMAF_LOG_LEVEL_DEBUG = 4,
} VmafLogLevel;

/**
 * The kinds of log file.
 */
typedef enum VmafOutputFormat {
    /**
     * Not a kind.
     */
    VMAF_OUTPUT_FORMAT_NONE = 0,
    /**
     * XML.
     */
    VMAF_OUTPUT_FORMAT_XML = 1,
    /**
     * JSON.
     */
    VMAF_OUTPUT_FORMAT_JSON = 2,
    /**
     * Comma-separated values.
     */
    VMAF_OUTPUT_FORMAT_CSV = 3,
    /**
     * MicroDVD subtitles.
     */
    VMAF_OUTPUT_FORMAT_SUB = 4,
} VmafOutputFormat;

/**
 * Ways to make one score of many frames'.
 */
typedef enum VmafPoolingMethod {
    /**
     * Not a way.
     */
    VMAF_POOL_METHOD_UNKNOWN = 0,
    /**
     * The lowest.
     */
    VMAF_POOL_METHOD_MIN = 1,
    /**
     * The highest.
     */
    VMAF_POOL_METHOD_MAX = 2,
    /**
     * The arithmetic mean.
     */
    VMAF_POOL_METHOD_MEAN = 3,
    /**
     * The harmonic mean of the scores plus one, less one.
     */
    VMAF_POOL_METHOD_HARMONIC_MEAN = 4,
    /**
     * How many there are, with the unknown one.
     */
    VMAF_POOL_METHOD_NB = 5,
} VmafPoolingMethod;

/**
 * Scores a stream of picture pairs. To be used by one thread at a time.
 */
typedef struct VmafContext VmafContext;

/**
 * How a context works.
 */
typedef struct VmafConfiguration {
    /**
     * What is logged; of the whole process, the last context's counts.
     */
    enum VmafLogLevel log_level;
    /**
     * Threads of the context; with 0 everything but the work of a GPU runs in the calls.
     */
    unsigned int n_threads;
    /**
     * N above 1: only indices that N divides are scored.
     */
    unsigned int n_subsample;
    /**
     * Instruction sets that are forbidden: 1 SSE2 or NEON, 2 SSSE3, 4 SSE4.1, 8 AVX2, 16 AVX-512, 32 AVX-512
     * of Ice Lake. Results are the same for every mask.
     */
    uint64_t cpumask;
    /**
     * Not 0: no GPU.
     */
    uint64_t gpumask;
} VmafConfiguration;

/**
 * Size, depth and pixel format of pictures.
 */
typedef struct VmafPictureParameters {
    /**
     * Luma width in samples.
     */
    unsigned int w;
    /**
     * Luma height in samples.
     */
    unsigned int h;
    /**
     * Bits per component, 8 to 16.
     */
    unsigned int bpc;
    /**
     * Chroma subsampling.
     */
    enum VmafPixelFormat pix_fmt;
} VmafPictureParameters;

/**
 * A pool of pictures.
 */
typedef struct VmafPictureConfiguration {
    /**
     * What they are.
     */
    struct VmafPictureParameters pic_params;
    /**
     * How many may be in use at a time.
     */
    unsigned int pic_cnt;
} VmafPictureConfiguration;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Makes a context.
 *
 * The caller owns it until `vmaf_close`. On failure `*vmaf` is NULL.
 *
 * Returns 0; -EINVAL for a NULL `vmaf`; -ENOMEM.
 *
 * # Safety
 * `vmaf` is NULL or points to a pointer.
 */
int vmaf_init(struct VmafContext **vmaf, struct VmafConfiguration cfg);

/**
 * Registers the extractors that a model needs, with the model's options.
 *
 * The model stays the caller's, who may destroy it once no call needs it any more; the context keeps what it
 * needs.
 *
 * Returns 0; -EINVAL for a NULL argument, a feature that nothing provides, a bad option. On failure nothing is
 * registered.
 *
 * # Safety
 * `vmaf` is NULL or a context, `model` is NULL or a model.
 */
int vmaf_use_features_from_model(struct VmafContext *vmaf,
                                 VmafModel *model);

/**
 * `vmaf_use_features_from_model` for all models of a collection.
 *
 * # Safety
 * `vmaf` is NULL or a context, `model_collection` is NULL or a collection.
 */
int vmaf_use_features_from_model_collection(struct VmafContext *vmaf, VmafModelCollection *model_collection);

/**
 * Registers a feature extractor by its exact name, such as "psnr".
 *
 * The dictionary may be NULL. It is taken once the name is known, also when an option is bad; it stays the
 * caller's when `vmaf` or `feature_name` is NULL or the name unknown. An unknown option is ignored with a
 * warning. The same extractor with the same options a second time has no effect.
 *
 * Returns 0; -EINVAL for a NULL argument, an unknown name, a bad option; -ENOSYS for an extractor of libvmaf
 * that this version lacks.
 *
 * # Safety
 * `vmaf` is NULL or a context, `feature_name` NULL or a text, `opts_dict` NULL or the caller's dictionary.
 */
int vmaf_use_feature(struct VmafContext *vmaf, const char *feature_name, VmafFeatureDictionary *opts_dict);

/**
 * Stores a score that was made elsewhere under the internal name `feature_name`, which is copied.
 *
 * Returns 0; -EINVAL for a NULL argument and where a value is stored already.
 *
 * # Safety
 * `vmaf` is NULL or a context, `feature_name` NULL or a text.
 */
int vmaf_import_feature_score(struct VmafContext *vmaf,
                              const char *feature_name,
                              double value,
                              unsigned int index);

/**
 * Scores a pair of pictures, or ends the stream when both are NULL.
 *
 * On success the context has taken both pictures and the structures are empty. On failure they are untouched
 * and still the caller's. With threads, or a GPU, a pair's error may be returned by a later call.
 *
 * Returns 0; -EINVAL for a NULL `vmaf`, one NULL picture, pictures that differ from each other or from those
 * before in size, depth or format, an index that has a score, pictures after the end of the stream.
 *
 * # Safety
 * `vmaf` is NULL or a context; `ref` and `dist` are NULL or pictures of this library that the caller owns.
 */
int vmaf_read_pictures(struct VmafContext *vmaf, VmafPicture *ref, VmafPicture *dist, unsigned int index);

/**
 * The model's score of one frame, predicted if it was not before.
 *
 * Returns 0; -EINVAL for a NULL argument and where a feature is missing.
 *
 * # Safety
 * `vmaf` is NULL or a context, `model` NULL or a model, `score` NULL or points to a double.
 */
int vmaf_score_at_index(struct VmafContext *vmaf, VmafModel *model, double *score, unsigned int index);

/**
 * The collection's score of one frame, predicted if it was not before.
 *
 * Returns 0; -EINVAL for a NULL argument and where a feature is missing.
 *
 * # Safety
 * `vmaf` is NULL or a context, `model_collection` NULL or a collection, `score` NULL or points to a score.
 */
int vmaf_score_at_index_model_collection(struct VmafContext *vmaf,
                                         VmafModelCollection *model_collection,
                                         VmafModelCollectionScore *score,
                                         unsigned int index);

/**
 * The value of a feature, by internal or by log name, for one frame.
 *
 * Waits for that frame where threads have it. Returns 0; -EINVAL for a NULL argument and where no value is
 * stored (yet); `*score` is untouched then.
 *
 * # Safety
 * `vmaf` is NULL or a context, `feature_name` NULL or a text, `score` NULL or points to a double.
 */
int vmaf_feature_score_at_index(struct VmafContext *vmaf,
                                const char *feature_name,
                                double *score,
                                unsigned int index);

/**
 * The model's score pooled over the sampled indices from `index_low` to `index_high`, both included.
 *
 * Returns 0; -EINVAL for a NULL argument, an unknown method, `index_low` above `index_high`, a missing value;
 * `*score` is untouched then.
 *
 * # Safety
 * `vmaf` is NULL or a context, `model` NULL or a model, `score` NULL or points to a double.
 */
int vmaf_score_pooled(struct VmafContext *vmaf,
                      VmafModel *model,
                      enum VmafPoolingMethod pool_method,
                      double *score,
                      unsigned int index_low,
                      unsigned int index_high);

/**
 * The collection's scores pooled; otherwise as `vmaf_score_pooled`.
 *
 * # Safety
 * `vmaf` is NULL or a context, `model_collection` NULL or a collection, `score` NULL or points to a score.
 */
int vmaf_score_pooled_model_collection(struct VmafContext *vmaf,
                                       VmafModelCollection *model_collection,
                                       enum VmafPoolingMethod pool_method,
                                       VmafModelCollectionScore *score,
                                       unsigned int index_low,
                                       unsigned int index_high);

/**
 * A feature pooled over the sampled indices from `index_low` to `index_high`, both included.
 *
 * Returns 0; -EINVAL for a NULL argument, an unknown method, `index_low` above `index_high`, a missing value;
 * `*score` is untouched then.
 *
 * # Safety
 * `vmaf` is NULL or a context, `feature_name` NULL or a text, `score` NULL or points to a double.
 */
int vmaf_feature_score_pooled(struct VmafContext *vmaf,
                              const char *feature_name,
                              enum VmafPoolingMethod pool_method,
                              double *score,
                              unsigned int index_low,
                              unsigned int index_high);

/**
 * Gives the context a pool of pictures. A second pool replaces the first, unless its pictures are in use.
 *
 * Returns 0; -EINVAL for a NULL `vmaf`, no pictures, an empty size, a bad format or depth; -ENOMEM.
 *
 * # Safety
 * `vmaf` is NULL or a context.
 */
int vmaf_preallocate_pictures(struct VmafContext *vmaf, struct VmafPictureConfiguration cfg);

/**
 * A picture of the pool, with what was last in it. Waits while all are in use.
 *
 * The caller owns it until `vmaf_read_pictures` takes it or `vmaf_picture_unref` gives it up, also after
 * `vmaf_close`.
 *
 * Returns 0; -EINVAL for a NULL argument and where there is no pool; -ENOMEM.
 *
 * # Safety
 * `vmaf` is NULL or a context, `pic` NULL or points to a structure, whose content is overwritten.
 */
int vmaf_fetch_preallocated_picture(struct VmafContext *vmaf, VmafPicture *pic);

/**
 * Frees a context, after the frames that its threads have. What was not flushed is lost.
 *
 * Models and fetched pictures stay the caller's. Returns 0; -EINVAL for NULL.
 *
 * # Safety
 * `vmaf` is NULL or a context that is not used again.
 */
int vmaf_close(struct VmafContext *vmaf);

/**
 * Writes all scores to a file.
 *
 * Returns 0; -EINVAL for a NULL argument, an unknown format (no file is made then), a file that cannot be
 * written.
 *
 * # Safety
 * `vmaf` is NULL or a context, `output_path` NULL or a text.
 */
int vmaf_write_output(struct VmafContext *vmaf, const char *output_path, enum VmafOutputFormat fmt);

/**
 * The library's version, a text that is never freed.
 */
const char *vmaf_version(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* __VMAF_H__ */

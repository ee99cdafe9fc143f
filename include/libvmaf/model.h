/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Made by cbindgen from src/capi/; see tests/headers.rs. */

#ifndef __VMAF_MODEL_H__
#define __VMAF_MODEL_H__

#include <stdint.h>
#include "feature.h"

/**
 * Model flags, to be joined by `|`.
 */
typedef enum VmafModelFlags {
    /**
     * What the model says.
     */
    VMAF_MODEL_FLAGS_DEFAULT = 0,
    /**
     * Scores are not clipped to the model's range.
     */
    VMAF_MODEL_FLAG_DISABLE_CLIP = 1,
    /**
     * The model's score transform is applied, if it has one.
     */
    VMAF_MODEL_FLAG_ENABLE_TRANSFORM = 2,
    /**
     * Has no effect when a model is loaded, as in libvmaf.
     */
    VMAF_MODEL_FLAG_DISABLE_TRANSFORM = 4,
} VmafModelFlags;

/**
 * What a collection's scores are.
 */
typedef enum VmafModelCollectionScoreType {
    /**
     * None.
     */
    VMAF_MODEL_COLLECTION_SCORE_UNKNOWN = 0,
    /**
     * Bootstrap: `bootstrap` is set.
     */
    VMAF_MODEL_COLLECTION_SCORE_BOOTSTRAP = 1,
} VmafModelCollectionScoreType;

/**
 * A model that predicts a score from features.
 */
typedef struct VmafModel VmafModel;

/**
 * Models whose scores' spread gives a confidence interval.
 */
typedef struct VmafModelCollection VmafModelCollection;

/**
 * How to load a model.
 */
typedef struct VmafModelConfig {
    /**
     * Name of the model's scores; NULL means "vmaf". Copied.
     */
    const char *name;
    /**
     * `VmafModelFlags`.
     */
    uint64_t flags;
} VmafModelConfig;

/**
 * An interval of scores.
 */
typedef struct VmafScoreInterval {
    /**
     * Lower end.
     */
    double lo;
    /**
     * Upper end.
     */
    double hi;
} VmafScoreInterval;

/**
 * Confidence intervals.
 */
typedef struct VmafConfidenceIntervals {
    /**
     * Of 95 percent.
     */
    struct VmafScoreInterval p95;
} VmafConfidenceIntervals;

/**
 * A bootstrap collection's score.
 */
typedef struct VmafBootstrapScore {
    /**
     * Mean of the members' scores.
     */
    double bagging_score;
    /**
     * Standard deviation of the members' scores.
     */
    double stddev;
    /**
     * Confidence intervals.
     */
    struct VmafConfidenceIntervals ci;
} VmafBootstrapScore;

/**
 * A collection's score.
 */
typedef struct VmafModelCollectionScore {
    /**
     * What is set.
     */
    enum VmafModelCollectionScoreType type;
    /**
     * The bootstrap score.
     */
    struct VmafBootstrapScore bootstrap;
} VmafModelCollectionScore;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Loads a built-in model by its exact version.
 *
 * The caller owns `*model`, to be given to `vmaf_model_destroy`. On failure `*model` is NULL.
 *
 * Returns 0; -EINVAL for a NULL argument, an unknown version or a collection's.
 *
 * # Safety
 * `model` is NULL or points to a pointer; `cfg` is NULL or a configuration; `version` is NULL or a text.
 */
int vmaf_model_load(struct VmafModel **model, struct VmafModelConfig *cfg, const char *version);

/**
 * Loads a model from a JSON file; otherwise as `vmaf_model_load`.
 *
 * # Safety
 * As `vmaf_model_load`, with `path` in place of `version`.
 */
int vmaf_model_load_from_path(struct VmafModel **model, struct VmafModelConfig *cfg, const char *path);

/**
 * Sets options of the model's features that the extractor `feature_name` provides.
 *
 * The dictionary is taken whenever no argument is NULL. To be called before the model's features are used.
 *
 * Returns 0, also when the model does not use the extractor; -EINVAL for a NULL argument.
 *
 * # Safety
 * Each argument is NULL or a model, a text, a dictionary that the caller owns.
 */
int vmaf_model_feature_overload(struct VmafModel *model,
                                const char *feature_name,
                                VmafFeatureDictionary *opts_dict);

/**
 * Frees a model; NULL is allowed.
 *
 * # Safety
 * `model` is NULL or a model that the caller owns.
 */
void vmaf_model_destroy(struct VmafModel *model);

/**
 * Loads a built-in collection: its lead model, and the others.
 *
 * The caller owns `*model` and `*model_collection`. On failure both are NULL.
 *
 * Returns 0; -EINVAL for a NULL argument, an unknown version or a plain model's.
 *
 * # Safety
 * As `vmaf_model_load`; `model_collection` is NULL or points to a pointer.
 */
int vmaf_model_collection_load(struct VmafModel **model,
                               struct VmafModelCollection **model_collection,
                               struct VmafModelConfig *cfg,
                               const char *version);

/**
 * Loads a collection from a JSON file; otherwise as `vmaf_model_collection_load`.
 *
 * # Safety
 * As `vmaf_model_collection_load`, with `path` in place of `version`.
 */
int vmaf_model_collection_load_from_path(struct VmafModel **model,
                                         struct VmafModelCollection **model_collection,
                                         struct VmafModelConfig *cfg,
                                         const char *path);

/**
 * `vmaf_model_feature_overload` for every model of a collection and its lead model.
 *
 * # Safety
 * Each argument is NULL or a model, a pointer to NULL or a collection, a text, a dictionary that the caller
 * owns.
 */
int vmaf_model_collection_feature_overload(struct VmafModel *model,
                                           struct VmafModelCollection **model_collection,
                                           const char *feature_name,
                                           VmafFeatureDictionary *opts_dict);

/**
 * Frees a collection; NULL is allowed.
 *
 * # Safety
 * `model_collection` is NULL or a collection that the caller owns.
 */
void vmaf_model_collection_destroy(struct VmafModelCollection *model_collection);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* __VMAF_MODEL_H__ */

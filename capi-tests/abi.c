/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Sizes, offsets, enum values and signatures: what programs compiled against libvmaf's headers have built in. */
#include <libvmaf/libvmaf_cuda.h>
#include <libvmaf/version.h>

#include "check.h"

static void enums(void)
{
    CHECK_INT(sizeof(enum VmafLogLevel), 4);
    CHECK_INT(VMAF_LOG_LEVEL_NONE, 0);
    CHECK_INT(VMAF_LOG_LEVEL_ERROR, 1);
    CHECK_INT(VMAF_LOG_LEVEL_WARNING, 2);
    CHECK_INT(VMAF_LOG_LEVEL_INFO, 3);
    CHECK_INT(VMAF_LOG_LEVEL_DEBUG, 4);
    CHECK_INT(sizeof(enum VmafOutputFormat), 4);
    CHECK_INT(VMAF_OUTPUT_FORMAT_NONE, 0);
    CHECK_INT(VMAF_OUTPUT_FORMAT_XML, 1);
    CHECK_INT(VMAF_OUTPUT_FORMAT_JSON, 2);
    CHECK_INT(VMAF_OUTPUT_FORMAT_CSV, 3);
    CHECK_INT(VMAF_OUTPUT_FORMAT_SUB, 4);
    CHECK_INT(sizeof(enum VmafPoolingMethod), 4);
    CHECK_INT(VMAF_POOL_METHOD_UNKNOWN, 0);
    CHECK_INT(VMAF_POOL_METHOD_MIN, 1);
    CHECK_INT(VMAF_POOL_METHOD_MAX, 2);
    CHECK_INT(VMAF_POOL_METHOD_MEAN, 3);
    CHECK_INT(VMAF_POOL_METHOD_HARMONIC_MEAN, 4);
    CHECK_INT(VMAF_POOL_METHOD_NB, 5);
    CHECK_INT(sizeof(enum VmafPixelFormat), 4);
    CHECK_INT(VMAF_PIX_FMT_UNKNOWN, 0);
    CHECK_INT(VMAF_PIX_FMT_YUV420P, 1);
    CHECK_INT(VMAF_PIX_FMT_YUV422P, 2);
    CHECK_INT(VMAF_PIX_FMT_YUV444P, 3);
    CHECK_INT(VMAF_PIX_FMT_YUV400P, 4);
}

static void enums_of_models_and_cuda(void)
{
    CHECK_INT(sizeof(enum VmafModelFlags), 4);
    CHECK_INT(VMAF_MODEL_FLAGS_DEFAULT, 0);
    CHECK_INT(VMAF_MODEL_FLAG_DISABLE_CLIP, 1);
    CHECK_INT(VMAF_MODEL_FLAG_ENABLE_TRANSFORM, 2);
    CHECK_INT(VMAF_MODEL_FLAG_DISABLE_TRANSFORM, 4);
    CHECK_INT(sizeof(enum VmafModelCollectionScoreType), 4);
    CHECK_INT(VMAF_MODEL_COLLECTION_SCORE_UNKNOWN, 0);
    CHECK_INT(VMAF_MODEL_COLLECTION_SCORE_BOOTSTRAP, 1);
    CHECK_INT(sizeof(enum VmafCudaPicturePreallocationMethod), 4);
    CHECK_INT(VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_NONE, 0);
    CHECK_INT(VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_DEVICE, 1);
    CHECK_INT(VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST, 2);
    CHECK_INT(VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST_PINNED, 3);
}

static void structures(void)
{
    CHECK_INT(sizeof(VmafConfiguration), 32);
    CHECK_INT(offsetof(VmafConfiguration, log_level), 0);
    CHECK_INT(offsetof(VmafConfiguration, n_threads), 4);
    CHECK_INT(offsetof(VmafConfiguration, n_subsample), 8);
    CHECK_INT(offsetof(VmafConfiguration, cpumask), 16);
    CHECK_INT(offsetof(VmafConfiguration, gpumask), 24);
    CHECK_INT(sizeof(VmafPicture), 96);
    CHECK_INT(offsetof(VmafPicture, pix_fmt), 0);
    CHECK_INT(offsetof(VmafPicture, bpc), 4);
    CHECK_INT(offsetof(VmafPicture, w), 8);
    CHECK_INT(offsetof(VmafPicture, h), 20);
    CHECK_INT(offsetof(VmafPicture, stride), 32);
    CHECK_INT(offsetof(VmafPicture, data), 56);
    CHECK_INT(offsetof(VmafPicture, ref), 80);
    CHECK_INT(offsetof(VmafPicture, priv), 88);
    CHECK_INT(sizeof(((VmafPicture *)0)->w), 12);
    CHECK_INT(sizeof(((VmafPicture *)0)->h), 12);
    CHECK_INT(sizeof(((VmafPicture *)0)->stride), 24);
    CHECK_INT(sizeof(((VmafPicture *)0)->data), 24);
}

static void structures_of_models_and_pools(void)
{
    CHECK_INT(sizeof(VmafModelConfig), 16);
    CHECK_INT(offsetof(VmafModelConfig, name), 0);
    CHECK_INT(offsetof(VmafModelConfig, flags), 8);
    CHECK_INT(sizeof(VmafModelCollectionScore), 40);
    CHECK_INT(offsetof(VmafModelCollectionScore, type), 0);
    CHECK_INT(offsetof(VmafModelCollectionScore, bootstrap.bagging_score), 8);
    CHECK_INT(offsetof(VmafModelCollectionScore, bootstrap.stddev), 16);
    CHECK_INT(offsetof(VmafModelCollectionScore, bootstrap.ci.p95.lo), 24);
    CHECK_INT(offsetof(VmafModelCollectionScore, bootstrap.ci.p95.hi), 32);
    CHECK_INT(sizeof(VmafPictureConfiguration), 20);
    CHECK_INT(offsetof(VmafPictureConfiguration, pic_params.w), 0);
    CHECK_INT(offsetof(VmafPictureConfiguration, pic_params.h), 4);
    CHECK_INT(offsetof(VmafPictureConfiguration, pic_params.bpc), 8);
    CHECK_INT(offsetof(VmafPictureConfiguration, pic_params.pix_fmt), 12);
    CHECK_INT(offsetof(VmafPictureConfiguration, pic_cnt), 16);
    CHECK_INT(sizeof(VmafCudaConfiguration), 8);
    CHECK_INT(offsetof(VmafCudaConfiguration, cu_ctx), 0);
    CHECK_INT(sizeof(VmafCudaPictureConfiguration), 20);
    CHECK_INT(offsetof(VmafCudaPictureConfiguration, pic_params.w), 0);
    CHECK_INT(offsetof(VmafCudaPictureConfiguration, pic_params.h), 4);
    CHECK_INT(offsetof(VmafCudaPictureConfiguration, pic_params.bpc), 8);
    CHECK_INT(offsetof(VmafCudaPictureConfiguration, pic_params.pix_fmt), 12);
    CHECK_INT(offsetof(VmafCudaPictureConfiguration, pic_prealloc_method), 16);
}

/* Each signature as specified: another one in a header is an error of the compiler. */
#define SIGNATURE(type, name, ...) \
    do { \
        type (*volatile function)(__VA_ARGS__) = name; \
        CHECK(function != NULL); \
        count++; \
    } while (0)

static int signatures_of_libvmaf(void)
{
    int count = 0;
    SIGNATURE(int, vmaf_init, VmafContext **, VmafConfiguration);
    SIGNATURE(int, vmaf_use_features_from_model, VmafContext *, VmafModel *);
    SIGNATURE(int, vmaf_use_features_from_model_collection, VmafContext *, VmafModelCollection *);
    SIGNATURE(int, vmaf_use_feature, VmafContext *, const char *, VmafFeatureDictionary *);
    SIGNATURE(int, vmaf_import_feature_score, VmafContext *, const char *, double, unsigned);
    SIGNATURE(int, vmaf_read_pictures, VmafContext *, VmafPicture *, VmafPicture *, unsigned);
    SIGNATURE(int, vmaf_score_at_index, VmafContext *, VmafModel *, double *, unsigned);
    SIGNATURE(int, vmaf_score_at_index_model_collection, VmafContext *, VmafModelCollection *,
              VmafModelCollectionScore *, unsigned);
    SIGNATURE(int, vmaf_feature_score_at_index, VmafContext *, const char *, double *, unsigned);
    SIGNATURE(int, vmaf_score_pooled, VmafContext *, VmafModel *, enum VmafPoolingMethod, double *, unsigned,
              unsigned);
    SIGNATURE(int, vmaf_score_pooled_model_collection, VmafContext *, VmafModelCollection *,
              enum VmafPoolingMethod, VmafModelCollectionScore *, unsigned, unsigned);
    SIGNATURE(int, vmaf_feature_score_pooled, VmafContext *, const char *, enum VmafPoolingMethod, double *,
              unsigned, unsigned);
    SIGNATURE(int, vmaf_preallocate_pictures, VmafContext *, VmafPictureConfiguration);
    SIGNATURE(int, vmaf_fetch_preallocated_picture, VmafContext *, VmafPicture *);
    SIGNATURE(int, vmaf_close, VmafContext *);
    SIGNATURE(int, vmaf_write_output, VmafContext *, const char *, enum VmafOutputFormat);
    SIGNATURE(const char *, vmaf_version, void);
    return count;
}

static int signatures_of_the_rest(void)
{
    int count = 0;
    SIGNATURE(int, vmaf_model_load, VmafModel **, VmafModelConfig *, const char *);
    SIGNATURE(int, vmaf_model_load_from_path, VmafModel **, VmafModelConfig *, const char *);
    SIGNATURE(int, vmaf_model_feature_overload, VmafModel *, const char *, VmafFeatureDictionary *);
    SIGNATURE(void, vmaf_model_destroy, VmafModel *);
    SIGNATURE(int, vmaf_model_collection_load, VmafModel **, VmafModelCollection **, VmafModelConfig *,
              const char *);
    SIGNATURE(int, vmaf_model_collection_load_from_path, VmafModel **, VmafModelCollection **,
              VmafModelConfig *, const char *);
    SIGNATURE(int, vmaf_model_collection_feature_overload, VmafModel *, VmafModelCollection **, const char *,
              VmafFeatureDictionary *);
    SIGNATURE(void, vmaf_model_collection_destroy, VmafModelCollection *);
    SIGNATURE(int, vmaf_picture_alloc, VmafPicture *, enum VmafPixelFormat, unsigned, unsigned, unsigned);
    SIGNATURE(int, vmaf_picture_unref, VmafPicture *);
    SIGNATURE(int, vmaf_feature_dictionary_set, VmafFeatureDictionary **, const char *, const char *);
    SIGNATURE(int, vmaf_feature_dictionary_free, VmafFeatureDictionary **);
    SIGNATURE(int, vmaf_cuda_state_init, VmafCudaState **, VmafCudaConfiguration);
    SIGNATURE(int, vmaf_cuda_import_state, VmafContext *, VmafCudaState *);
    SIGNATURE(int, vmaf_cuda_preallocate_pictures, VmafContext *, VmafCudaPictureConfiguration);
    SIGNATURE(int, vmaf_cuda_fetch_preallocated_picture, VmafContext *, VmafPicture *);
    SIGNATURE(int, vmaf_cuda_state_free, VmafCudaState *);
    return count;
}

static void version(void)
{
    CHECK_INT(VMAF_API_VERSION_MAJOR, 3);
    CHECK_INT(VMAF_API_VERSION_MINOR, 2);
    CHECK_INT(VMAF_API_VERSION_PATCH, 0);
    const char *text = vmaf_version();
    REQUIRE(text != NULL);
    CHECK(strlen(text) > 0);
    CHECK(vmaf_version() == text);
}

int main(void)
{
    enums();
    enums_of_models_and_cuda();
    structures();
    structures_of_models_and_pools();
    CHECK_INT(signatures_of_libvmaf(), 17);
    CHECK_INT(signatures_of_the_rest(), 17);
    version();
    return check_result();
}

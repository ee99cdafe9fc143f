/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Every function with every argument NULL, unknown or out of range: the exact value returned, and what is left. */
#include <libvmaf/libvmaf_cuda.h>

#include "check.h"

static const struct format small = { VMAF_PIX_FMT_YUV420P, 8, 16, 16 };

/* A twin that this version lacks. */
enum { NOT_BUILT = -ENOSYS };
/* For calls that refuse before they look. */
static uint64_t stand_in_memory[16];
static void *const stand_in = stand_in_memory;
static void *const stale = stand_in_memory + 1;

static void contexts(void)
{
    VmafConfiguration cfg = { .log_level = VMAF_LOG_LEVEL_NONE };
    CHECK_INT(vmaf_init(NULL, cfg), -EINVAL);
    CHECK_INT(vmaf_close(NULL), -EINVAL);
    for (int level = -1; level <= 5; level++) {
        VmafContext *vmaf = NULL;
        cfg.log_level = (enum VmafLogLevel)level;
        cfg.cpumask = cfg.gpumask = UINT64_MAX;
        CHECK_INT(vmaf_init(&vmaf, cfg), 0);
        REQUIRE(vmaf != NULL);
        CHECK_INT(vmaf_close(vmaf), 0);
    }
}

static void dictionaries(void)
{
    VmafFeatureDictionary *options = NULL;
    CHECK_INT(vmaf_feature_dictionary_set(NULL, "key", "value"), -EINVAL);
    CHECK_INT(vmaf_feature_dictionary_set(&options, NULL, "value"), -EINVAL);
    CHECK_INT(vmaf_feature_dictionary_set(&options, "key", NULL), -EINVAL);
    CHECK(options == NULL);
    CHECK_INT(vmaf_feature_dictionary_free(NULL), -EINVAL);
    CHECK_INT(vmaf_feature_dictionary_free(&options), 0);
    CHECK_INT(vmaf_feature_dictionary_set(&options, "key", "1.0"), 0);
    CHECK_INT(vmaf_feature_dictionary_set(&options, "key", "\xff not UTF-8"), 0);
    CHECK_INT(vmaf_feature_dictionary_set(&options, "", ""), 0);
    REQUIRE(options != NULL);
    CHECK_INT(vmaf_feature_dictionary_set(&options, NULL, "value"), -EINVAL);
    CHECK_INT(vmaf_feature_dictionary_set(&options, "key", NULL), -EINVAL);
    CHECK(options != NULL);
    CHECK_INT(vmaf_feature_dictionary_free(&options), 0);
    CHECK(options == NULL);
    CHECK_INT(vmaf_feature_dictionary_free(&options), 0);
}

static void features(VmafContext *vmaf)
{
    CHECK_INT(vmaf_use_feature(NULL, "psnr", NULL), -EINVAL);
    CHECK_INT(vmaf_use_feature(vmaf, NULL, NULL), -EINVAL);
    static const char *const unknown[] = { "", "PSNR", "psnr ", "integer_psnr", "psnr_y", "float_moment_ref1st",
                                           "null\xff" };
    for (size_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++)
        CHECK_INT(vmaf_use_feature(vmaf, unknown[i], NULL), -EINVAL);
    CHECK_INT(vmaf_use_feature(vmaf, "psnr", dictionary("min_sse", "-1")), -EINVAL);
    CHECK_INT(vmaf_use_feature(vmaf, "psnr", dictionary("enable_chroma", "yes")), -EINVAL);
    CHECK_INT(vmaf_import_feature_score(NULL, "imported", 1.0, 0), -EINVAL);
    CHECK_INT(vmaf_import_feature_score(vmaf, NULL, 1.0, 0), -EINVAL);
    CHECK_INT(vmaf_import_feature_score(vmaf, "imported", 1.0, 0), 0);
    CHECK_INT(vmaf_import_feature_score(vmaf, "imported", 1.0, 0), -EINVAL);
    CHECK_INT(vmaf_import_feature_score(vmaf, "imported", NAN, 1), 0);
    CHECK_INT(vmaf_import_feature_score(vmaf, "imported", INFINITY, UINT_MAX), 0);
    CHECK(isnan(score_of(vmaf, "imported", 1)));
    CHECK_BITS(score_of(vmaf, "imported", UINT_MAX), INFINITY);
}

static void scores(VmafContext *vmaf)
{
    double score = 7.0;
    CHECK_INT(vmaf_feature_score_at_index(NULL, "imported", &score, 0), -EINVAL);
    CHECK_INT(vmaf_feature_score_at_index(vmaf, NULL, &score, 0), -EINVAL);
    CHECK_INT(vmaf_feature_score_at_index(vmaf, "imported", NULL, 0), -EINVAL);
    CHECK_INT(vmaf_feature_score_at_index(vmaf, "absent", &score, 0), -EINVAL);
    CHECK_INT(vmaf_feature_score_at_index(vmaf, "imported", &score, 2), -EINVAL);
    enum VmafPoolingMethod mean = VMAF_POOL_METHOD_MEAN;
    CHECK_INT(vmaf_feature_score_pooled(NULL, "imported", mean, &score, 0, 0), -EINVAL);
    CHECK_INT(vmaf_feature_score_pooled(vmaf, NULL, mean, &score, 0, 0), -EINVAL);
    CHECK_INT(vmaf_feature_score_pooled(vmaf, "imported", mean, NULL, 0, 0), -EINVAL);
    CHECK_INT(vmaf_feature_score_pooled(vmaf, "absent", mean, &score, 0, 0), -EINVAL);
    CHECK_INT(vmaf_feature_score_pooled(vmaf, "imported", mean, &score, 1, 0), -EINVAL);
    CHECK_INT(vmaf_feature_score_pooled(vmaf, "imported", mean, &score, 0, 2), -EINVAL);
    static const unsigned bad[] = { 0, 5, 6, 0x80000000u, UINT_MAX };
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        CHECK_INT(vmaf_feature_score_pooled(vmaf, "imported", (enum VmafPoolingMethod)bad[i], &score, 0, 0),
                  -EINVAL);
    CHECK_BITS(score, 7.0);
    CHECK_INT(vmaf_feature_score_pooled(vmaf, "imported", mean, &score, 0, 0), 0);
    CHECK_BITS(score, 1.0);
}

static void pictures(void)
{
    VmafPicture picture;
    memset(&picture, 0, sizeof(picture));
    CHECK_INT(vmaf_picture_alloc(NULL, VMAF_PIX_FMT_YUV420P, 8, 16, 16), -EINVAL);
    static const unsigned formats[] = { 0, 5, UINT_MAX }, depths[] = { 0, 1, 7, 17, 32, UINT_MAX };
    for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
        CHECK_INT(vmaf_picture_alloc(&picture, (enum VmafPixelFormat)formats[i], 8, 16, 16), -EINVAL);
    for (size_t i = 0; i < sizeof(depths) / sizeof(*depths); i++)
        CHECK_INT(vmaf_picture_alloc(&picture, VMAF_PIX_FMT_YUV420P, depths[i], 16, 16), -EINVAL);
    CHECK_INT(vmaf_picture_alloc(&picture, VMAF_PIX_FMT_YUV444P, 16, UINT_MAX, UINT_MAX), -ENOMEM);
    CHECK_INT(vmaf_picture_alloc(&picture, VMAF_PIX_FMT_YUV400P, 8, 0x80000000u, 0x80000000u), -ENOMEM);
    CHECK(picture.ref == NULL && picture.priv == NULL && picture.data[0] == NULL);
    CHECK_INT(vmaf_picture_unref(NULL), -EINVAL);
    CHECK_INT(vmaf_picture_unref(&picture), -EINVAL);
}

static void reading(VmafContext *vmaf)
{
    VmafPicture ref = picture_of(small, 1), dist = picture_of(small, 2), empty;
    memset(&empty, 0, sizeof(empty));
    CHECK_INT(vmaf_read_pictures(NULL, &ref, &dist, 0), -EINVAL);
    CHECK_INT(vmaf_read_pictures(NULL, NULL, NULL, 0), -EINVAL);
    CHECK_INT(vmaf_read_pictures(vmaf, NULL, &dist, 0), -EINVAL);
    CHECK_INT(vmaf_read_pictures(vmaf, &ref, NULL, 0), -EINVAL);
    CHECK_INT(vmaf_read_pictures(vmaf, &empty, &dist, 0), -EINVAL);
    CHECK_INT(vmaf_read_pictures(vmaf, &ref, &empty, 0), -EINVAL);

    /* A picture that another allocator made, and one of this library with another's buffer. */
    VmafPicture foreign = ref;
    foreign.ref = NULL;
    foreign.priv = NULL;
    CHECK_INT(vmaf_read_pictures(vmaf, &foreign, &dist, 0), -EINVAL);
    foreign = ref;
    foreign.priv = NULL;
    CHECK_INT(vmaf_read_pictures(vmaf, &foreign, &dist, 0), -EINVAL);
    foreign = ref;
    foreign.data[0] = dist.data[0];
    CHECK_INT(vmaf_read_pictures(vmaf, &foreign, &dist, 0), -EINVAL);
    foreign = ref;
    foreign.w[0] += 64;
    CHECK_INT(vmaf_read_pictures(vmaf, &foreign, &dist, 0), -EINVAL);

    CHECK_INT(vmaf_picture_unref(&ref), 0);
    CHECK_INT(vmaf_picture_unref(&dist), 0);
    static const struct format without_size[] = { { VMAF_PIX_FMT_YUV420P, 8, 0, 16 },
                                                  { VMAF_PIX_FMT_YUV420P, 8, 16, 0 },
                                                  { VMAF_PIX_FMT_YUV400P, 10, 0, 0 } };
    for (size_t i = 0; i < sizeof(without_size) / sizeof(*without_size); i++)
        CHECK_INT(read_frame(vmaf, without_size[i], 0), -EINVAL);
}

static void flushing(void)
{
    VmafContext *vmaf = context_with(0, 0, VMAF_LOG_LEVEL_NONE);
    CHECK_INT(flush(vmaf), 0);
    CHECK_INT(flush(vmaf), -EINVAL);
    CHECK_INT(vmaf_close(vmaf), 0);
    static const char *const names[] = { "float_moment", "psnr" };
    for (unsigned threads = 0; threads <= 2; threads += 2)
        for (int i = 0; i < 2; i++) {
            vmaf = context_with(threads, 0, VMAF_LOG_LEVEL_NONE);
            CHECK_INT(vmaf_use_feature(vmaf, names[i], NULL), 0);
            CHECK_INT(flush(vmaf), -EINVAL);
            CHECK_INT(read_frame(vmaf, small, 0), 0);
            CHECK_INT(flush(vmaf), 0);
            CHECK_INT(flush(vmaf), -EINVAL);
            CHECK_INT(read_frame(vmaf, small, 1), -EINVAL);
            CHECK_INT(vmaf_use_feature(vmaf, "null", NULL), 0);
            CHECK_INT(vmaf_close(vmaf), 0);
        }
}

static void pools(VmafContext *vmaf)
{
    VmafPicture picture;
    VmafPictureConfiguration cfg = { { 16, 16, 8, VMAF_PIX_FMT_YUV420P }, 2 };
    CHECK_INT(vmaf_fetch_preallocated_picture(vmaf, &picture), -EINVAL);
    CHECK_INT(vmaf_preallocate_pictures(NULL, cfg), -EINVAL);
    VmafPictureConfiguration bad[8];
    for (int i = 0; i < 8; i++)
        bad[i] = cfg;
    bad[0].pic_cnt = 0;
    bad[1].pic_params.w = 0;
    bad[2].pic_params.h = 0;
    bad[3].pic_params.pix_fmt = VMAF_PIX_FMT_UNKNOWN;
    bad[4].pic_params.pix_fmt = (enum VmafPixelFormat)5;
    bad[5].pic_params.bpc = 7;
    bad[6].pic_params.bpc = 17;
    bad[7].pic_params.bpc = 0;
    for (int i = 0; i < 8; i++)
        CHECK_INT(vmaf_preallocate_pictures(vmaf, bad[i]), -EINVAL);
    CHECK_INT(vmaf_fetch_preallocated_picture(vmaf, &picture), -EINVAL);
    cfg.pic_params.w = cfg.pic_params.h = UINT_MAX;
    CHECK_INT(vmaf_preallocate_pictures(vmaf, cfg), -ENOMEM);
    cfg.pic_params.w = cfg.pic_params.h = 16;
    CHECK_INT(vmaf_preallocate_pictures(vmaf, cfg), 0);
    CHECK_INT(vmaf_fetch_preallocated_picture(NULL, &picture), -EINVAL);
    CHECK_INT(vmaf_fetch_preallocated_picture(vmaf, NULL), -EINVAL);
}

static void logs(VmafContext *vmaf)
{
    CHECK_INT(vmaf_write_output(NULL, "misuse.xml", VMAF_OUTPUT_FORMAT_XML), -EINVAL);
    CHECK_INT(vmaf_write_output(vmaf, NULL, VMAF_OUTPUT_FORMAT_XML), -EINVAL);
    static const unsigned bad[] = { 0, 5, UINT_MAX };
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        CHECK_INT(vmaf_write_output(vmaf, "misuse.xml", (enum VmafOutputFormat)bad[i]), -EINVAL);
    CHECK(access("misuse.xml", F_OK) != 0);
}

static void loading_models(void)
{
    VmafModelConfig cfg = { NULL, VMAF_MODEL_FLAGS_DEFAULT };
    VmafModel *model = stale;
    CHECK_INT(vmaf_model_load(NULL, &cfg, "vmaf_v0.6.1"), -EINVAL);
    CHECK_INT(vmaf_model_load_from_path(NULL, &cfg, "model.json"), -EINVAL);
    CHECK_INT((model = stale, vmaf_model_load(&model, NULL, "vmaf_v0.6.1")), -EINVAL);
    CHECK(model == NULL);
    CHECK_INT((model = stale, vmaf_model_load(&model, &cfg, NULL)), -EINVAL);
    CHECK(model == NULL);
    CHECK_INT((model = stale, vmaf_model_load(&model, &cfg, "no such model")), -EINVAL);
    CHECK(model == NULL);
    CHECK_INT((model = stale, vmaf_model_load(&model, &cfg, "vmaf_b_v0.6.3")), -EINVAL);
    CHECK(model == NULL);
    CHECK_INT((model = stale, vmaf_model_load_from_path(&model, NULL, "model.json")), -EINVAL);
    CHECK(model == NULL);
    CHECK_INT((model = stale, vmaf_model_load_from_path(&model, &cfg, NULL)), -EINVAL);
    CHECK(model == NULL);
    CHECK_INT((model = stale, vmaf_model_load_from_path(&model, &cfg, "/no/such/model.json")), -EINVAL);
    CHECK(model == NULL);
    CHECK_INT((model = stale, vmaf_model_load_from_path(&model, &cfg, "/no/such/model.pkl")), -EINVAL);
    CHECK(model == NULL);
    vmaf_model_destroy(NULL);
}

static void loading_collections(void)
{
    VmafModelConfig cfg = { "name", VMAF_MODEL_FLAG_DISABLE_CLIP };
    VmafModel *model;
    VmafModelCollection *members;
#define CHECK_COLLECTION(call, expected) \
    do { \
        model = stale; \
        members = stale; \
        CHECK_INT(call, expected); \
        CHECK(model == NULL && members == NULL); \
    } while (0)
    CHECK_COLLECTION(vmaf_model_collection_load(&model, &members, NULL, "vmaf_b_v0.6.3"), -EINVAL);
    CHECK_COLLECTION(vmaf_model_collection_load(&model, &members, &cfg, NULL), -EINVAL);
    CHECK_COLLECTION(vmaf_model_collection_load(&model, &members, &cfg, "no such collection"), -EINVAL);
    CHECK_COLLECTION(vmaf_model_collection_load(&model, &members, &cfg, "vmaf_v0.6.1"), -EINVAL);
    CHECK_COLLECTION(vmaf_model_collection_load_from_path(&model, &members, NULL, "model.json"), -EINVAL);
    CHECK_COLLECTION(vmaf_model_collection_load_from_path(&model, &members, &cfg, NULL), -EINVAL);
    CHECK_COLLECTION(vmaf_model_collection_load_from_path(&model, &members, &cfg, "/no/such/m.json"), -EINVAL);
#undef CHECK_COLLECTION
    model = stale;
    members = stale;
    CHECK_INT(vmaf_model_collection_load(NULL, &members, &cfg, "vmaf_b_v0.6.3"), -EINVAL);
    CHECK_INT(vmaf_model_collection_load(&model, NULL, &cfg, "vmaf_b_v0.6.3"), -EINVAL);
    CHECK(model == NULL && members == NULL);
    model = stale;
    members = stale;
    CHECK_INT(vmaf_model_collection_load_from_path(NULL, &members, &cfg, "model.json"), -EINVAL);
    CHECK_INT(vmaf_model_collection_load_from_path(&model, NULL, &cfg, "model.json"), -EINVAL);
    CHECK(model == NULL && members == NULL);
    vmaf_model_collection_destroy(NULL);
}

static void using_models(VmafContext *vmaf, VmafModel *model, VmafModelCollection *members)
{
    VmafFeatureDictionary *options = dictionary("key", "value");
    VmafModelCollection *none = NULL;
    CHECK_INT(vmaf_use_features_from_model(NULL, model), -EINVAL);
    CHECK_INT(vmaf_use_features_from_model(vmaf, NULL), -EINVAL);
    CHECK_INT(vmaf_use_features_from_model_collection(NULL, members), -EINVAL);
    CHECK_INT(vmaf_use_features_from_model_collection(vmaf, NULL), -EINVAL);
    CHECK_INT(vmaf_model_feature_overload(NULL, "vif", options), -EINVAL);
    CHECK_INT(vmaf_model_feature_overload(model, NULL, options), -EINVAL);
    CHECK_INT(vmaf_model_feature_overload(model, "vif", NULL), -EINVAL);
    CHECK_INT(vmaf_model_collection_feature_overload(NULL, &members, "vif", options), -EINVAL);
    CHECK_INT(vmaf_model_collection_feature_overload(model, NULL, "vif", options), -EINVAL);
    CHECK_INT(vmaf_model_collection_feature_overload(model, &none, "vif", options), -EINVAL);
    CHECK_INT(vmaf_model_collection_feature_overload(model, &members, NULL, options), -EINVAL);
    CHECK_INT(vmaf_model_collection_feature_overload(model, &members, "vif", NULL), -EINVAL);
    /* Kept by all of the above, taken by these. */
    CHECK_INT(vmaf_model_feature_overload(model, "vif", options), 0);
    options = dictionary("key", "value");
    CHECK_INT(vmaf_model_collection_feature_overload(model, &members, "vif", options), 0);
}

static void scores_of_models(VmafContext *vmaf, VmafModel *model)
{
    double score = 7.0;
    CHECK_INT(vmaf_score_at_index(NULL, model, &score, 0), -EINVAL);
    CHECK_INT(vmaf_score_at_index(vmaf, NULL, &score, 0), -EINVAL);
    CHECK_INT(vmaf_score_at_index(vmaf, model, NULL, 0), -EINVAL);
    CHECK_INT(vmaf_score_at_index(vmaf, model, &score, 0), -EINVAL);
    enum VmafPoolingMethod mean = VMAF_POOL_METHOD_MEAN;
    CHECK_INT(vmaf_score_pooled(NULL, model, mean, &score, 0, 0), -EINVAL);
    CHECK_INT(vmaf_score_pooled(vmaf, NULL, mean, &score, 0, 0), -EINVAL);
    CHECK_INT(vmaf_score_pooled(vmaf, model, mean, NULL, 0, 0), -EINVAL);
    CHECK_INT(vmaf_score_pooled(vmaf, model, mean, &score, 1, 0), -EINVAL);
    CHECK_INT(vmaf_score_pooled(vmaf, model, VMAF_POOL_METHOD_UNKNOWN, &score, 0, 0), -EINVAL);
    CHECK_INT(vmaf_score_pooled(vmaf, model, VMAF_POOL_METHOD_NB, &score, 0, 0), -EINVAL);
    CHECK_INT(vmaf_score_pooled(vmaf, model, mean, &score, 0, 0), -EINVAL);
    CHECK_BITS(score, 7.0);
}

static void scores_of_collections(VmafContext *vmaf, VmafModelCollection *members)
{
    VmafModelCollectionScore score, untouched;
    memset(&score, 0x55, sizeof(score));
    untouched = score;
    CHECK_INT(vmaf_score_at_index_model_collection(NULL, members, &score, 0), -EINVAL);
    CHECK_INT(vmaf_score_at_index_model_collection(vmaf, NULL, &score, 0), -EINVAL);
    CHECK_INT(vmaf_score_at_index_model_collection(vmaf, members, NULL, 0), -EINVAL);
    CHECK_INT(vmaf_score_at_index_model_collection(vmaf, members, &score, 0), -EINVAL);
    enum VmafPoolingMethod mean = VMAF_POOL_METHOD_MEAN, unknown = VMAF_POOL_METHOD_UNKNOWN;
    CHECK_INT(vmaf_score_pooled_model_collection(NULL, members, mean, &score, 0, 0), -EINVAL);
    CHECK_INT(vmaf_score_pooled_model_collection(vmaf, NULL, mean, &score, 0, 0), -EINVAL);
    CHECK_INT(vmaf_score_pooled_model_collection(vmaf, members, mean, NULL, 0, 0), -EINVAL);
    CHECK_INT(vmaf_score_pooled_model_collection(vmaf, members, mean, &score, 1, 0), -EINVAL);
    CHECK_INT(vmaf_score_pooled_model_collection(vmaf, members, unknown, &score, 0, 0), -EINVAL);
    CHECK_INT(vmaf_score_pooled_model_collection(vmaf, members, mean, &score, 0, 0), -EINVAL);
    CHECK(memcmp(&score, &untouched, sizeof(score)) == 0);
}

/* On a machine that has no device to offer; main() makes it one. */
static void cuda(VmafContext *vmaf)
{
    VmafCudaState *state = stale;
    VmafCudaConfiguration cfg = { NULL };
    CHECK_INT(vmaf_cuda_state_init(NULL, cfg), -EINVAL);
    CHECK_INT(vmaf_cuda_state_init(&state, cfg), -EINVAL);
    CHECK(state == NULL);
    CHECK_INT(vmaf_cuda_import_state(NULL, stand_in), -EINVAL);
    CHECK_INT(vmaf_cuda_import_state(vmaf, NULL), -EINVAL);
    CHECK_INT(vmaf_cuda_state_free(NULL), 0);
    CHECK_INT(vmaf_use_feature(vmaf, "psnr_cuda", NULL), -EINVAL);
    CHECK_INT(vmaf_use_feature(vmaf, "null_cuda", NULL), NOT_BUILT);
}

static void cuda_pictures(VmafContext *vmaf)
{
    VmafPicture picture;
    VmafPictureParameters good = { 16, 16, 8, VMAF_PIX_FMT_YUV420P };
    for (int method = 0; method <= 3; method++) {
        VmafCudaPictureConfiguration cfg = { good, (enum VmafCudaPicturePreallocationMethod)method };
        int refused = method == 0 ? 0 : -EINVAL;
        CHECK_INT(vmaf_cuda_preallocate_pictures(NULL, cfg), -EINVAL);
        CHECK_INT(vmaf_cuda_preallocate_pictures(vmaf, cfg), refused);
        CHECK_INT((cfg.pic_params.w = 0, vmaf_cuda_preallocate_pictures(vmaf, cfg)), refused);
        cfg.pic_params = good;
        CHECK_INT((cfg.pic_params.h = 0, vmaf_cuda_preallocate_pictures(vmaf, cfg)), refused);
        cfg.pic_params = good;
        CHECK_INT((cfg.pic_params.bpc = 7, vmaf_cuda_preallocate_pictures(vmaf, cfg)), refused);
        cfg.pic_params = good;
        CHECK_INT((cfg.pic_params.pix_fmt = VMAF_PIX_FMT_UNKNOWN, vmaf_cuda_preallocate_pictures(vmaf, cfg)),
                  refused);
    }
    VmafCudaPictureConfiguration unknown = { good, (enum VmafCudaPicturePreallocationMethod)4 };
    CHECK_INT(vmaf_cuda_preallocate_pictures(vmaf, unknown), -EINVAL);
    CHECK_INT(vmaf_cuda_fetch_preallocated_picture(NULL, &picture), -EINVAL);
    CHECK_INT(vmaf_cuda_fetch_preallocated_picture(vmaf, NULL), -EINVAL);
    CHECK_INT(vmaf_cuda_fetch_preallocated_picture(vmaf, &picture), -EINVAL);
}

int main(void)
{
    setenv("VMAF_RS_GPU", "none", 1);
    contexts();
    VmafContext *vmaf = context_with(0, 0, VMAF_LOG_LEVEL_NONE);
    dictionaries();
    features(vmaf);
    scores(vmaf);
    pictures();
    reading(vmaf);
    flushing();
    pools(vmaf);
    logs(vmaf);
    loading_models();
    loading_collections();
    VmafModel *model = NULL;
    VmafModelCollection *members = NULL;
    VmafModelConfig cfg = { "x", VMAF_MODEL_FLAGS_DEFAULT };
    REQUIRE(vmaf_model_collection_load(&model, &members, &cfg, "vmaf_b_v0.6.3") == 0);
    scores_of_models(vmaf, model);
    scores_of_collections(vmaf, members);
    using_models(vmaf, model, members);
    vmaf_model_destroy(model);
    vmaf_model_collection_destroy(members);
    cuda(vmaf);
    cuda_pictures(vmaf);
    CHECK_INT(vmaf_close(vmaf), 0);
    return check_result();
}

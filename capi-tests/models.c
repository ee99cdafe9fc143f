/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Models: names and flags, what stays after a failure and what is said of it, who owns what, one score a name. */
#include "check.h"

enum { FRAMES = 2 };

static const char *const features[] = {
    "VMAF_integer_feature_adm2_score",       "VMAF_integer_feature_motion2_score",
    "VMAF_integer_feature_vif_scale0_score", "VMAF_integer_feature_vif_scale1_score",
    "VMAF_integer_feature_vif_scale2_score", "VMAF_integer_feature_vif_scale3_score",
};

/* A context with made-up values of what vmaf_v0.6.1 and its kin ask for. */
static VmafContext *context_with_features(void)
{
    VmafContext *vmaf = context(0);
    for (size_t i = 0; i < sizeof(features) / sizeof(*features); i++)
        for (unsigned index = 0; index < FRAMES; index++)
            CHECK_INT(vmaf_import_feature_score(vmaf, features[i], i == 1 ? 3.0 : 0.7 + 0.1 * index, index), 0);
    return vmaf;
}

static VmafModel *load(const char *version, const char *name, uint64_t flags)
{
    VmafModelConfig cfg = { name, flags };
    VmafModel *model = NULL;
    REQUIRE(vmaf_model_load(&model, &cfg, version) == 0 && model != NULL);
    return model;
}

static double score_at(VmafContext *vmaf, VmafModel *model, unsigned index)
{
    double score = NAN;
    REQUIRE(vmaf_score_at_index(vmaf, model, &score, index) == 0);
    return score;
}

static void names_and_flags(void)
{
    VmafContext *vmaf = context_with_features();
    VmafModel *unnamed = load("vmaf_v0.6.1", NULL, 0), *phone = load("vmaf_v0.6.1", "phone", 2);
    VmafModel *ignored = load("vmaf_v0.6.1", "ignored", VMAF_MODEL_FLAG_DISABLE_TRANSFORM);
    double score = score_at(vmaf, unnamed, 0);
    CHECK_BITS(score_of(vmaf, "vmaf", 0), score);
    CHECK(score_at(vmaf, phone, 0) > score);
    CHECK_BITS(score_at(vmaf, ignored, 0), score);
    CHECK_BITS(score_of(vmaf, "ignored", 0), score);
    vmaf_model_destroy(unnamed);
    vmaf_model_destroy(phone);
    vmaf_model_destroy(ignored);
    CHECK_INT(vmaf_close(vmaf), 0);
}

static void the_first_score_of_a_name_counts(void)
{
    VmafContext *vmaf = context_with_features();
    VmafModel *first = load("vmaf_v0.6.1", "x", 0), *second = load("vmaf_4k_v0.6.1", "x", 0);
    double score = score_at(vmaf, first, 0);
    CHECK_BITS(score_at(vmaf, second, 0), score);
    CHECK(score_at(vmaf, second, 1) != score);
    vmaf_model_destroy(first);
    vmaf_model_destroy(second);
    CHECK_INT(vmaf_close(vmaf), 0);
}

/* What a failing load says. */
static char *refused(const char *version, const char *path, int collection)
{
    VmafModelConfig cfg = { NULL, 0 };
    VmafModel *model = (VmafModel *)&cfg;
    VmafModelCollection *members = (VmafModelCollection *)&cfg;
    struct capture capture = begin_capture();
    int result = collection ? version ? vmaf_model_collection_load(&model, &members, &cfg, version)
                                      : vmaf_model_collection_load_from_path(&model, &members, &cfg, path)
                            : version ? vmaf_model_load(&model, &cfg, version)
                                      : vmaf_model_load_from_path(&model, &cfg, path);
    char *lines = end_capture(capture);
    CHECK_INT(result, -EINVAL);
    CHECK(model == NULL && (!collection || members == NULL));
    return lines;
}

#define CHECK_REFUSED(version, path, collection, check, expected) \
    do { \
        char *lines = refused(version, path, collection); \
        check(lines, expected); \
        free(lines); \
    } while (0)

static void refusals(void)
{
    CHECK_REFUSED("no", NULL, 0, CHECK_TEXT, "libvmaf WARNING no such built-in model: \"no\"\n");
    CHECK_REFUSED("no", NULL, 1, CHECK_TEXT, "libvmaf WARNING no such built-in model collection: \"no\"\n");
    CHECK_REFUSED("vmaf_b_v0.6.3", NULL, 0, CHECK_CONTAINS, "vmaf_b_v0.6.3 is a model collection, not a model\n");
    CHECK_REFUSED("vmaf_v0.6.1", NULL, 1, CHECK_CONTAINS, "vmaf_v0.6.1 is a model, not a model collection\n");
    CHECK_REFUSED(NULL, "no.json", 0, CHECK_CONTAINS, "libvmaf ERROR could not read model from path: \"no.json\"\n");
    CHECK_REFUSED(NULL, "no.pkl", 1, CHECK_CONTAINS,
                  "libvmaf ERROR could not read model collection from path: \"no.pkl\"\n"
                  "libvmaf ERROR support for pkl model collection files has been removed, use json\n");
    write_text("model.json", MODEL_TEXT("LIBSVMNUSVR"));
    CHECK_REFUSED(NULL, "model.json", 1, CHECK_CONTAINS, "model.json: the file is a model, not a model collection\n");
    write_text("broken.json", "{\"model_dict\": {\"model_type\": 3}}");
    CHECK_REFUSED(NULL, "broken.json", 0, CHECK_CONTAINS, "model_dict.model_type: a text expected, a number found\n");
}

static void a_missing_feature_is_named(void)
{
    VmafContext *vmaf = context_with_features();
    VmafModel *model = load("vmaf_v0.6.1", "x", 0);
    double score = 7.0;
    struct capture capture = begin_capture();
    int result = vmaf_score_at_index(vmaf, model, &score, FRAMES);
    char *lines = end_capture(capture);
    CHECK_INT(result, -EINVAL);
    CHECK_TEXT(lines, "libvmaf ERROR vmaf_predict_score_at_index(): no feature 'VMAF_integer_feature_adm2_score' "
                      "at index 2\n");
    CHECK_BITS(score, 7.0);
    CHECK_INT(vmaf_score_pooled(vmaf, model, VMAF_POOL_METHOD_MEAN, &score, 0, FRAMES), -EINVAL);
    CHECK_BITS(score, 7.0);
    free(lines);
    vmaf_model_destroy(model);
    CHECK_INT(vmaf_close(vmaf), 0);
}

static void overloads(void)
{
    VmafContext *vmaf = context(0);
    VmafModel *lead = NULL, *model = model_of("x");
    VmafModelCollection *members = collection_of("c", &lead);
    CHECK_INT(vmaf_model_feature_overload(model, "no extractor", dictionary("key", "value")), 0);
    CHECK_INT(vmaf_model_feature_overload(model, "float_psnr", dictionary("no option", "1")), 0);
    CHECK_INT(vmaf_model_collection_feature_overload(lead, &members, "float_psnr", dictionary("no option", "1")), 0);
    struct capture capture = begin_capture();
    int results[] = { vmaf_use_features_from_model(vmaf, model), vmaf_use_features_from_model(vmaf, model),
                      vmaf_use_features_from_model_collection(vmaf, members) };
    char *lines = end_capture(capture);
    for (int i = 0; i < 3; i++)
        CHECK_INT(results[i], 0);
    CHECK_CONTAINS(lines, "libvmaf WARNING float_psnr: there is no option \"no option\", ignored\n");
    free(lines);
    vmaf_model_destroy(model);
    vmaf_model_destroy(lead);
    vmaf_model_collection_destroy(members);
    CHECK_INT(vmaf_close(vmaf), 0);
}

static void collections(void)
{
    VmafModelConfig cfg = { "b", VMAF_MODEL_FLAGS_DEFAULT };
    VmafModel *lead = NULL;
    VmafModelCollection *members = NULL;
    REQUIRE(vmaf_model_collection_load(&lead, &members, &cfg, "vmaf_b_v0.6.3") == 0);
    VmafContext *vmaf = context_with_features();
    VmafModelCollectionScore scores[FRAMES], again, pooled;
    for (unsigned index = 0; index < FRAMES; index++)
        CHECK_INT(vmaf_score_at_index_model_collection(vmaf, members, &scores[index], index), 0);
    CHECK_INT(vmaf_score_at_index_model_collection(vmaf, members, &again, 1), 0);
    CHECK_INT(again.type, VMAF_MODEL_COLLECTION_SCORE_BOOTSTRAP);
    CHECK_BITS(again.bootstrap.stddev, scores[1].bootstrap.stddev);
    CHECK_BITS(score_of(vmaf, "b_bagging", 1), again.bootstrap.bagging_score);
    CHECK_BITS(score_of(vmaf, "b_stddev", 1), again.bootstrap.stddev);
    CHECK_BITS(score_of(vmaf, "b_ci_p95_lo", 1), again.bootstrap.ci.p95.lo);
    CHECK_BITS(score_of(vmaf, "b_ci_p95_hi", 1), again.bootstrap.ci.p95.hi);
    CHECK(score_of(vmaf, "b_0001", 1) != score_of(vmaf, "b_0020", 1));
    vmaf_model_destroy(lead);
    CHECK_INT(vmaf_score_pooled_model_collection(vmaf, members, VMAF_POOL_METHOD_MEAN, &pooled, 0, 1), 0);
    CHECK_BITS(pooled.bootstrap.ci.p95.hi,
               (scores[0].bootstrap.ci.p95.hi + scores[1].bootstrap.ci.p95.hi) / FRAMES);
    vmaf_model_collection_destroy(members);
    CHECK_INT(vmaf_close(vmaf), 0);
}

/* The context keeps what it needs; a model may serve several contexts. */
static void models_may_go_first(void)
{
    struct format format = { VMAF_PIX_FMT_YUV420P, 8, 32, 24 };
    VmafModel *model = model_of("x");
    VmafContext *first = context(0), *second = context(2);
    CHECK_INT(vmaf_use_features_from_model(first, model), 0);
    CHECK_INT(vmaf_use_features_from_model(second, model), 0);
    CHECK_INT(read_frame(first, format, 0), 0);
    CHECK_INT(read_frame(second, format, 0), 0);
    CHECK_BITS(score_at(first, model, 0), score_at(second, model, 0));
    CHECK_BITS(score_at(second, model, 0), expected_model_score(score_of(first, "float_psnr", 0)));
    vmaf_model_destroy(model);
    CHECK_INT(read_frame(first, format, 1), 0);
    CHECK_INT(flush(first), 0);
    CHECK_INT(vmaf_close(first), 0);
    CHECK_INT(vmaf_close(second), 0);
}

int main(void)
{
    names_and_flags();
    the_first_score_of_a_name_counts();
    refusals();
    a_missing_feature_is_named();
    overloads();
    collections();
    models_may_go_first();
    return check_result();
}

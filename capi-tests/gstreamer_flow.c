/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The calls of GStreamer's vmaf element: luma only, scores two frames behind the stream, refused pictures given
 * back, the context closed before the rest. */
#include "check.h"

enum { FRAMES = 8 };

struct models {
    VmafModel *model, *lead;
    VmafModelCollection *members;
};

/* A version that is no built-in one may be a file. */
static struct models load(void)
{
    VmafModelConfig cfg = { .name = "vmaf", .flags = VMAF_MODEL_FLAGS_DEFAULT };
    struct models models = { NULL, NULL, NULL };
    CHECK_INT(vmaf_model_load(&models.model, &cfg, "model.json"), -EINVAL);
    CHECK_INT(vmaf_model_collection_load(&models.lead, &models.members, &cfg, "models.json"), -EINVAL);
    CHECK(models.model == NULL && models.lead == NULL && models.members == NULL);
    models.model = model_of("vmaf");
    models.members = collection_of("ci", &models.lead);
    return models;
}

static VmafContext *configure(struct models models)
{
    VmafContext *vmaf = context(0);
    CHECK_INT(vmaf_use_features_from_model(vmaf, models.model), 0);
    CHECK_INT(vmaf_use_features_from_model_collection(vmaf, models.members), 0);
    CHECK_INT(vmaf_use_feature(vmaf, "psnr", dictionary("enable_chroma", "false")), 0);
    CHECK_INT(vmaf_use_feature(vmaf, "float_moment", NULL), 0);
    return vmaf;
}

/* A caps change in mid-stream: the element unrefs what was refused and goes on. */
static void refused(VmafContext *vmaf, unsigned index)
{
    struct format other = { VMAF_PIX_FMT_YUV400P, 8, 32, 48 };
    VmafPicture ref = picture_of(other, 1), dist = picture_of(other, 2), ref_before = ref, dist_before = dist;
    CHECK_INT(vmaf_read_pictures(vmaf, &ref, &dist, index), -EINVAL);
    CHECK(memcmp(&ref, &ref_before, sizeof(ref)) == 0 && memcmp(&dist, &dist_before, sizeof(dist)) == 0);
    CHECK_INT(vmaf_picture_unref(&ref), 0);
    CHECK_INT(vmaf_picture_unref(&dist), 0);
}

/* The frame's own score, which the element sends as a message. */
static double model_score(VmafContext *vmaf, VmafModel *model, unsigned index)
{
    double score = NAN, expected = expected_model_score(score_of(vmaf, "float_psnr", index));
    CHECK_INT(vmaf_score_at_index(vmaf, model, &score, index), 0);
    CHECK_BITS(score, expected);
    return expected;
}

/* Equal members: their mean is the model's, their deviation almost nothing. */
static void confidence(VmafContext *vmaf, VmafModelCollection *members, double mean)
{
    VmafModelCollectionScore score;
    CHECK_INT(vmaf_score_pooled_model_collection(vmaf, members, VMAF_POOL_METHOD_MEAN, &score, 0, FRAMES - 1), 0);
    CHECK_INT(score.type, VMAF_MODEL_COLLECTION_SCORE_BOOTSTRAP);
    CHECK_BITS(score.bootstrap.bagging_score, mean);
    CHECK(fabs(score.bootstrap.stddev) < 1e-9);
    CHECK(fabs(score.bootstrap.ci.p95.lo - mean) < 1e-9 && fabs(score.bootstrap.ci.p95.hi - mean) < 1e-9);
}

static void stream(struct format format)
{
    struct models models = load();
    VmafContext *vmaf = configure(models);
    double model_sum = 0.0;
    for (unsigned index = 0; index < FRAMES; index++) {
        if (index == 3)
            refused(vmaf, index);
        CHECK_INT(read_frame(vmaf, format, index), 0);
        if (index >= 2) {
            double expected = expected_psnr(format, 0, format.w, format.h, index - 2);
            CHECK_BITS(score_of(vmaf, "psnr_y", index - 2), expected);
            model_sum += model_score(vmaf, models.model, index - 2);
        }
    }
    model_sum = model_sum + model_score(vmaf, models.model, FRAMES - 2) + model_score(vmaf, models.model, FRAMES - 1);
    CHECK_INT(vmaf_read_pictures(vmaf, NULL, NULL, 0), 0);
    double score = 7.0;
    CHECK_INT(vmaf_feature_score_at_index(vmaf, "psnr_cb", &score, 0), -EINVAL);
    CHECK_INT(vmaf_feature_score_at_index(vmaf, "psnr_y", &score, FRAMES), -EINVAL);
    CHECK_INT(vmaf_feature_score_pooled(vmaf, "psnr_y", VMAF_POOL_METHOD_MEAN, &score, 0, FRAMES), -EINVAL);
    CHECK_BITS(score, 7.0);
    double sum = 0.0;
    for (unsigned index = 0; index < FRAMES; index++)
        sum += expected_psnr(format, 0, format.w, format.h, index);
    CHECK_INT(vmaf_feature_score_pooled(vmaf, "psnr_y", VMAF_POOL_METHOD_MEAN, &score, 0, FRAMES - 1), 0);
    CHECK_BITS(score, sum / FRAMES);
    CHECK_INT(vmaf_score_pooled(vmaf, models.model, VMAF_POOL_METHOD_MEAN, &score, 0, FRAMES - 1), 0);
    CHECK_BITS(score, model_sum / FRAMES);
    confidence(vmaf, models.members, model_sum / FRAMES);
    CHECK_INT(vmaf_close(vmaf), 0);
    vmaf_model_destroy(models.model);
    vmaf_model_destroy(models.lead);
    vmaf_model_collection_destroy(models.members);
}

/* libaom reads a pair, unrefs it all the same, and asks for the score of the frame just read. */
static void libaom(void)
{
    struct format format = { VMAF_PIX_FMT_YUV420P, 8, 64, 48 };
    VmafContext *vmaf = context(0);
    CHECK_INT(vmaf_use_feature(vmaf, "psnr", NULL), 0);
    for (unsigned index = 0; index < FRAMES; index++) {
        VmafPicture ref = picture_of(format, reference_seed(index)), dist = picture_of(format, distorted_seed(index));
        CHECK_INT(vmaf_read_pictures(vmaf, &ref, &dist, index), 0);
        CHECK_INT(vmaf_picture_unref(&ref), -EINVAL);
        CHECK_INT(vmaf_picture_unref(&dist), -EINVAL);
        CHECK_BITS(score_of(vmaf, "psnr_y", index), expected_psnr(format, 0, 64, 48, index));
    }
    CHECK_INT(vmaf_close(vmaf), 0);
}

int main(void)
{
    struct format bits8 = { VMAF_PIX_FMT_YUV400P, 8, 65, 48 }, bits10 = { VMAF_PIX_FMT_YUV400P, 10, 65, 48 };
    stream(bits8);
    stream(bits10);
    libaom();
    return check_result();
}

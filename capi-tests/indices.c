/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Order, gaps, repetition and subsampling of indices, frames that are refused, and errors of frames in threads. */
#include "check.h"

static const struct format small = { VMAF_PIX_FMT_YUV420P, 8, 64, 48 };

static VmafContext *started(unsigned n_threads, unsigned n_subsample, enum VmafLogLevel level)
{
    VmafContext *vmaf = context_with(n_threads, n_subsample, level);
    CHECK_INT(vmaf_use_feature(vmaf, "psnr", NULL), 0);
    CHECK_INT(vmaf_use_feature(vmaf, "float_moment", NULL), 0);
    return vmaf;
}

static int has_score(VmafContext *vmaf, const char *feature, unsigned index)
{
    double score = 7.0;
    int result = vmaf_feature_score_at_index(vmaf, feature, &score, index);
    CHECK(result == 0 || (result == -EINVAL && score == 7.0));
    return result == 0;
}

static void is_scored(VmafContext *vmaf, unsigned content, unsigned index)
{
    CHECK_BITS(score_of(vmaf, "psnr_y", index), expected_psnr(small, 0, small.w, small.h, content));
    CHECK_BITS(score_of(vmaf, "float_moment_dis2nd", index), expected_moment(small, distorted_seed(content), 2));
}

/* No extractor here looks at other frames, so any order gives the scores of the ascending one. */
static void any_order(unsigned n_threads)
{
    static const unsigned order[] = { 0, 1, 4, 2, 3 };
    VmafContext *vmaf = started(n_threads, 0, VMAF_LOG_LEVEL_WARNING);
    for (int i = 0; i < 5; i++)
        CHECK_INT(read_frame(vmaf, small, order[i]), 0);
    CHECK_INT(flush(vmaf), 0);
    for (unsigned index = 0; index < 5; index++)
        is_scored(vmaf, index, index);
    CHECK_INT(vmaf_close(vmaf), 0);
}

static void gaps(unsigned n_threads)
{
    static const unsigned indices[] = { 5, 6, 200, UINT_MAX };
    double score = 7.0;
    VmafContext *vmaf = started(n_threads, 0, VMAF_LOG_LEVEL_NONE);
    for (unsigned i = 0; i < 4; i++)
        CHECK_INT(read_content(vmaf, small, i, indices[i]), 0);
    CHECK_INT(flush(vmaf), 0);
    for (unsigned i = 0; i < 4; i++)
        is_scored(vmaf, i, indices[i]);
    CHECK(!has_score(vmaf, "psnr_y", 0) && !has_score(vmaf, "psnr_y", 7));
    CHECK_INT(vmaf_feature_score_pooled(vmaf, "psnr_y", VMAF_POOL_METHOD_MEAN, &score, 4, 6), -EINVAL);
    CHECK_INT(vmaf_feature_score_pooled(vmaf, "psnr_y", VMAF_POOL_METHOD_MEAN, &score, 5, 7), -EINVAL);
    CHECK_INT(vmaf_feature_score_pooled(vmaf, "psnr_y", VMAF_POOL_METHOD_MEAN, &score, 0, UINT_MAX), -EINVAL);
    CHECK_BITS(score, 7.0);
    CHECK_INT(vmaf_feature_score_pooled(vmaf, "psnr_y", VMAF_POOL_METHOD_MEAN, &score, 5, 6), 0);
    CHECK_BITS(score, (score_of(vmaf, "psnr_y", 5) + score_of(vmaf, "psnr_y", 6)) / 2);
    CHECK_INT(vmaf_close(vmaf), 0);
}

/* psnr runs on every frame, as its aggregates are of all of them; float_moment on every third. */
static void every_third(unsigned n_threads)
{
    VmafContext *vmaf = started(n_threads, 3, VMAF_LOG_LEVEL_NONE);
    for (unsigned index = 0; index < 8; index++)
        CHECK_INT(read_frame(vmaf, small, index), 0);
    CHECK_INT(flush(vmaf), 0);
    for (unsigned index = 0; index < 8; index++) {
        CHECK(has_score(vmaf, "psnr_cr", index));
        CHECK_INT(has_score(vmaf, "float_moment_ref1st", index), index % 3 == 0);
    }
    double score = 7.0;
    CHECK_INT(vmaf_feature_score_pooled(vmaf, "psnr_y", VMAF_POOL_METHOD_MEAN, &score, 1, 2), -EINVAL);
    CHECK_BITS(score, 7.0);
    CHECK_INT(vmaf_feature_score_pooled(vmaf, "psnr_y", VMAF_POOL_METHOD_MEAN, &score, 1, 7), 0);
    CHECK_BITS(score, (score_of(vmaf, "psnr_y", 3) + score_of(vmaf, "psnr_y", 6)) / 2);
    CHECK_INT(vmaf_feature_score_pooled(vmaf, "float_moment_ref1st", VMAF_POOL_METHOD_MAX, &score, 0, 7), 0);
    CHECK_INT(vmaf_write_output(vmaf, "third.csv", VMAF_OUTPUT_FORMAT_CSV), 0);
    CHECK_INT(vmaf_close(vmaf), 0);
    char *csv = file_content("third.csv");
    REQUIRE(csv != NULL);
    CHECK_CONTAINS(csv, "\n0,");
    CHECK_CONTAINS(csv, "\n3,");
    CHECK_CONTAINS(csv, "\n6,");
    CHECK(strstr(csv, "\n1,") == NULL && strstr(csv, "\n7,") == NULL);
    free(csv);
}

/* Depths that differ, sizes that change: refused, not counted, and of no effect on what follows. */
static void refused_frames(unsigned n_threads)
{
    struct format deeper = small, smaller = small;
    deeper.bpc = 10;
    smaller.w = smaller.h = 32;
    VmafContext *vmaf = started(n_threads, 0, VMAF_LOG_LEVEL_NONE);
    for (unsigned index = 0; index < 3; index++) {
        VmafPicture ref = picture_of(small, 1), dist = picture_of(deeper, 2);
        CHECK_INT(vmaf_read_pictures(vmaf, &ref, &dist, index), -EINVAL);
        CHECK_INT(vmaf_read_pictures(vmaf, &dist, &ref, index), -EINVAL);
        CHECK_INT(vmaf_picture_unref(&ref), 0);
        CHECK_INT(vmaf_picture_unref(&dist), 0);
        CHECK_INT(read_frame(vmaf, small, index), 0);
        CHECK_INT(read_frame(vmaf, smaller, index + 1), -EINVAL);
        CHECK_INT(read_frame(vmaf, deeper, index + 1), -EINVAL);
    }
    CHECK_INT(flush(vmaf), 0);
    double score = NAN, sum = 0.0;
    for (unsigned index = 0; index < 3; index++) {
        is_scored(vmaf, index, index);
        sum += score_of(vmaf, "psnr_y", index);
    }
    CHECK_INT(vmaf_feature_score_pooled(vmaf, "psnr_y", VMAF_POOL_METHOD_MEAN, &score, 0, 2), 0);
    CHECK_BITS(score, sum / 3);
    CHECK_INT(vmaf_write_output(vmaf, "refused.json", VMAF_OUTPUT_FORMAT_JSON), 0);
    char part[64], *json = file_content("refused.json");
    REQUIRE(json != NULL);
    snprintf(part, sizeof(part), "\"mean\": %.6f,", score);
    CHECK_CONTAINS(json, part);
    free(json);
    CHECK_INT(vmaf_close(vmaf), 0);
}

/* In the caller's thread the second reading of an index is refused at once. */
static void repeated_index(void)
{
    VmafContext *vmaf = started(0, 0, VMAF_LOG_LEVEL_WARNING);
    CHECK_INT(read_frame(vmaf, small, 0), 0);
    CHECK_INT(read_frame(vmaf, small, 1), 0);
    struct capture capture = begin_capture();
    CHECK_INT(read_content(vmaf, small, 9, 1), -EINVAL);
    char *lines = end_capture(capture);
    CHECK_CONTAINS(lines, "libvmaf WARNING feature \"psnr_y\" cannot be overwritten at index 1\n");
    CHECK_CONTAINS(lines, "libvmaf WARNING feature \"float_moment_ref1st\" cannot be overwritten at index 1\n");
    CHECK_CONTAINS(lines, "libvmaf ERROR problem with feature extractor \"psnr\" at index 1\n");
    CHECK_CONTAINS(lines, "libvmaf ERROR problem with feature extractor \"float_moment\" at index 1\n");
    free(lines);
    CHECK_INT(read_frame(vmaf, small, 2), 0);
    CHECK_INT(flush(vmaf), 0);
    for (unsigned index = 0; index < 3; index++)
        is_scored(vmaf, index, index);
    CHECK_INT(vmaf_close(vmaf), 0);
}

/* A frame fails where its value is stored already. With threads a later read tells, once, and takes nothing; the
 * flush tells in any case. All other frames are scored. */
static void error_of_a_frame(unsigned n_threads)
{
    enum { FRAMES = 10, BAD = 2 };
    VmafContext *vmaf = started(n_threads, 0, VMAF_LOG_LEVEL_WARNING);
    CHECK_INT(vmaf_import_feature_score(vmaf, "psnr_y", 1.5, BAD), 0);
    struct capture capture = begin_capture();
    int told = 0;
    for (unsigned index = 0; index < FRAMES; index++) {
        int result = read_frame(vmaf, small, index);
        if (result != 0) {
            CHECK_INT(result, -EINVAL);
            CHECK(n_threads == 0 ? index == BAD : index > BAD);
            told++;
            if (n_threads > 0)
                CHECK_INT(read_frame(vmaf, small, index), 0);
        }
    }
    int flushed = flush(vmaf);
    char *lines = end_capture(capture);
    if (n_threads == 0)
        CHECK_INT(told, 1);
    CHECK(told <= 1);
    CHECK_INT(flushed, n_threads == 0 ? 0 : -EINVAL);
    CHECK_CONTAINS(lines, "libvmaf WARNING feature \"psnr_y\" cannot be overwritten at index 2\n");
    CHECK_CONTAINS(lines, "libvmaf ERROR problem with feature extractor \"psnr\" at index 2\n");
    free(lines);
    for (unsigned index = 0; index < FRAMES; index++)
        if (index != BAD)
            is_scored(vmaf, index, index);
    CHECK_BITS(score_of(vmaf, "psnr_y", BAD), 1.5);
    CHECK_BITS(score_of(vmaf, "float_moment_ref1st", BAD), expected_moment(small, reference_seed(BAD), 1));
    CHECK_INT(vmaf_close(vmaf), 0);
}

/* Only the flush is left to tell of the last frame. */
static void error_of_the_last_frame(unsigned n_threads)
{
    VmafContext *vmaf = started(n_threads, 0, VMAF_LOG_LEVEL_NONE);
    CHECK_INT(vmaf_import_feature_score(vmaf, "float_moment_ref2nd", 1.5, 1), 0);
    CHECK_INT(read_frame(vmaf, small, 0), 0);
    CHECK_INT(read_frame(vmaf, small, 1), 0);
    CHECK_INT(flush(vmaf), -EINVAL);
    is_scored(vmaf, 0, 0);
    CHECK_INT(flush(vmaf), -EINVAL);
    CHECK_INT(vmaf_close(vmaf), 0);
}

/* Extractors may be added in mid-stream, and see the frames from then on. */
static void late_registration(unsigned n_threads)
{
    VmafContext *vmaf = context(n_threads);
    CHECK_INT(vmaf_use_feature(vmaf, "psnr", NULL), 0);
    CHECK_INT(read_frame(vmaf, small, 0), 0);
    CHECK_INT(vmaf_use_feature(vmaf, "float_moment", NULL), 0);
    CHECK_INT(read_frame(vmaf, small, 1), 0);
    CHECK_INT(flush(vmaf), 0);
    CHECK(has_score(vmaf, "psnr_y", 0) && !has_score(vmaf, "float_moment_ref1st", 0));
    is_scored(vmaf, 1, 1);
    CHECK_INT(vmaf_close(vmaf), 0);
}

int main(void)
{
    for (unsigned n_threads = 0; n_threads <= 4; n_threads += 2) {
        any_order(n_threads);
        gaps(n_threads);
        every_third(n_threads);
        refused_frames(n_threads);
        error_of_a_frame(n_threads);
        late_registration(n_threads);
        if (n_threads > 0)
            error_of_the_last_frame(n_threads);
    }
    repeated_index();
    return check_result();
}

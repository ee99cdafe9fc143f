/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Who owns pictures and dictionaries after each call, good or bad. What is wrong here is a double free or a leak,
 * which valgrind tells; without it the structures and return values are checked. */
#include "check.h"

static const struct format small = { VMAF_PIX_FMT_YUV420P, 8, 40, 24 };

static int is_zero(const VmafPicture *picture)
{
    VmafPicture empty;
    memset(&empty, 0, sizeof(empty));
    return memcmp(picture, &empty, sizeof(empty)) == 0;
}

/* A read that must fail: the structures stay as they are, and the counts the caller's. */
static void refused(VmafContext *vmaf, struct format ref_format, struct format dist_format, unsigned index)
{
    VmafPicture ref = picture_of(ref_format, 1), dist = picture_of(dist_format, 2);
    VmafPicture ref_before = ref, dist_before = dist;
    CHECK_INT(vmaf_read_pictures(vmaf, &ref, &dist, index), -EINVAL);
    CHECK(memcmp(&ref, &ref_before, sizeof(ref)) == 0);
    CHECK(memcmp(&dist, &dist_before, sizeof(dist)) == 0);
    fill(&ref, 3); /* Still allocated and the caller's to write to. */
    fill(&dist, 4);
    CHECK_INT(vmaf_picture_unref(&ref), 0);
    CHECK_INT(vmaf_picture_unref(&dist), 0);
    CHECK(is_zero(&ref) && is_zero(&dist));
    CHECK_INT(vmaf_picture_unref(&ref), -EINVAL);
}

static void taken(VmafContext *vmaf, unsigned index)
{
    VmafPicture ref = picture_of(small, reference_seed(index)), dist = picture_of(small, distorted_seed(index));
    CHECK_INT(vmaf_read_pictures(vmaf, &ref, &dist, index), 0);
    CHECK(is_zero(&ref) && is_zero(&dist));
    CHECK_INT(vmaf_picture_unref(&ref), -EINVAL);
    CHECK_INT(vmaf_picture_unref(&dist), -EINVAL);
}

/* Unlike each other, unlike those before, an index that is taken, after the flush. */
static void reads(unsigned n_threads)
{
    struct format wider = small, deeper = small, other = small;
    wider.w += 2;
    deeper.bpc = 10;
    other.pixel = VMAF_PIX_FMT_YUV422P;
    VmafContext *vmaf = context_with(n_threads, 0, VMAF_LOG_LEVEL_NONE);
    CHECK_INT(vmaf_use_feature(vmaf, "psnr", NULL), 0);
    refused(vmaf, small, wider, 0);
    taken(vmaf, 0);
    refused(vmaf, small, wider, 1);
    refused(vmaf, wider, wider, 1);
    refused(vmaf, deeper, small, 1);
    refused(vmaf, small, deeper, 1);
    refused(vmaf, other, other, 1);
    taken(vmaf, 1);
    if (n_threads == 0)
        refused(vmaf, small, small, 1);
    CHECK_INT(flush(vmaf), 0);
    refused(vmaf, small, small, 2);
    CHECK_INT(vmaf_close(vmaf), 0);
}

/* An extractor that refuses the stream does so at the first read. */
static void refused_by_an_extractor(unsigned n_threads)
{
    struct format nine = small;
    nine.bpc = 9;
    VmafContext *vmaf = context_with(n_threads, 0, VMAF_LOG_LEVEL_NONE);
    CHECK_INT(vmaf_use_feature(vmaf, "float_moment", NULL), 0);
    CHECK_INT(vmaf_use_feature(vmaf, "psnr", NULL), 0);
    refused(vmaf, nine, nine, 0);
    taken(vmaf, 0); /* Which binds the context to nothing. */
    CHECK_INT(flush(vmaf), 0);
    CHECK_INT(vmaf_close(vmaf), 0);
}

/* Closed with frames in the queue, nothing flushed; and a picture that was never read. */
static void closed_early(unsigned n_threads)
{
    VmafContext *vmaf = context(n_threads);
    CHECK_INT(vmaf_use_feature(vmaf, "psnr", NULL), 0);
    VmafPicture unread = picture_of(small, 1);
    for (unsigned index = 0; index < 6; index++)
        taken(vmaf, index);
    CHECK_INT(vmaf_close(vmaf), 0);
    fill(&unread, 2);
    CHECK_INT(vmaf_picture_unref(&unread), 0);
}

/* One structure as both pictures owns one count, which is taken once. */
static void one_structure_twice(unsigned n_threads)
{
    VmafContext *vmaf = context(n_threads);
    CHECK_INT(vmaf_use_feature(vmaf, "psnr", NULL), 0);
    for (unsigned index = 0; index < 3; index++) {
        VmafPicture picture = picture_of(small, index);
        CHECK_INT(vmaf_read_pictures(vmaf, &picture, &picture, index), 0);
        CHECK(is_zero(&picture));
        CHECK_INT(vmaf_picture_unref(&picture), -EINVAL);
    }
    CHECK_INT(flush(vmaf), 0);
    CHECK_BITS(score_of(vmaf, "psnr_y", 2), 60.0);
    CHECK_INT(vmaf_close(vmaf), 0);
}

/* Two copies of a structure share the one count: taking both would take one too many. */
static void two_copies(void)
{
    VmafContext *vmaf = context_with(0, 0, VMAF_LOG_LEVEL_NONE);
    CHECK_INT(vmaf_use_feature(vmaf, "psnr", NULL), 0);
    VmafPicture picture = picture_of(small, 1), copy = picture;
    CHECK_INT(vmaf_read_pictures(vmaf, &picture, &copy, 0), -EINVAL);
    CHECK(memcmp(&picture, &copy, sizeof(copy)) == 0 && picture.ref != NULL);
    CHECK_INT(vmaf_picture_unref(&copy), 0); /* The count goes with either of them. */
    taken(vmaf, 0);
    CHECK_INT(flush(vmaf), 0);
    CHECK_INT(vmaf_close(vmaf), 0);
}

/* A structure may be moved: its count goes along. */
static void moved_structure(void)
{
    VmafContext *vmaf = context(0);
    CHECK_INT(vmaf_use_feature(vmaf, "psnr", NULL), 0);
    VmafPicture *ref = malloc(sizeof(*ref)), dist = picture_of(small, 2);
    REQUIRE(ref != NULL);
    VmafPicture original = picture_of(small, 2);
    memcpy(ref, &original, sizeof(original));
    memset(&original, 0xa5, sizeof(original));
    CHECK_INT(vmaf_read_pictures(vmaf, ref, &dist, 0), 0);
    CHECK(is_zero(ref) && is_zero(&dist));
    free(ref);
    CHECK_INT(vmaf_close(vmaf), 0);
}

static void dictionaries(void)
{
    VmafContext *vmaf = context_with(0, 0, VMAF_LOG_LEVEL_NONE);
    /* Kept: the caller frees it, or uses it again. */
    VmafFeatureDictionary *options = dictionary("enable_chroma", "false");
    CHECK_INT(vmaf_use_feature(NULL, "psnr", options), -EINVAL);
    CHECK_INT(vmaf_use_feature(vmaf, NULL, options), -EINVAL);
    CHECK_INT(vmaf_use_feature(vmaf, "no such extractor", options), -EINVAL);
    CHECK_INT(vmaf_feature_dictionary_set(&options, "enable_mse", "true"), 0);
    CHECK_INT(vmaf_feature_dictionary_free(&options), 0);
    /* Taken: on success, by a registration that is dropped as a repetition, and when an option is bad. The
     * caller's pointer is not cleared. */
    options = dictionary("enable_chroma", "false");
    CHECK_INT(vmaf_use_feature(vmaf, "psnr", options), 0);
    CHECK(options != NULL);
    CHECK_INT(vmaf_use_feature(vmaf, "psnr", dictionary("enable_mse", "true")), 0);
    CHECK_INT(vmaf_use_feature(vmaf, "psnr", dictionary("bogus", "1")), 0);
    CHECK_INT(vmaf_use_feature(vmaf, "psnr", dictionary("min_sse", "-1")), -EINVAL);
    CHECK_INT(vmaf_use_feature(vmaf, "float_moment", dictionary("bogus", "1")), 0);
    taken(vmaf, 0);
    CHECK_INT(flush(vmaf), 0);
    /* The first registration's options hold. */
    double score = 7.0;
    CHECK_INT(vmaf_feature_score_at_index(vmaf, "psnr_cb", &score, 0), -EINVAL);
    CHECK_INT(vmaf_feature_score_at_index(vmaf, "mse_y", &score, 0), -EINVAL);
    CHECK_BITS(score, 7.0);
    CHECK_INT(vmaf_use_feature(vmaf, "null", dictionary("bogus", "1")), 0); /* After the flush. */
    CHECK_INT(vmaf_close(vmaf), 0);
}

int main(void)
{
    for (unsigned n_threads = 0; n_threads <= 3; n_threads++) {
        reads(n_threads);
        refused_by_an_extractor(n_threads);
        closed_early(n_threads);
        one_structure_twice(n_threads);
    }
    two_copies();
    moved_structure();
    dictionaries();
    return check_result();
}

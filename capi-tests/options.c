/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Options of extractors, the lines about them, log levels, and the caps of psnr. */
#include "check.h"

static const struct format small = { VMAF_PIX_FMT_YUV420P, 8, 50, 40 };

/* Registers an extractor with one option and returns the lines that came. */
static char *lines_of(enum VmafLogLevel level, const char *name, const char *key, const char *value, int expected)
{
    VmafContext *vmaf = context_with(0, 0, level);
    VmafFeatureDictionary *options = dictionary(key, value);
    struct capture capture = begin_capture();
    CHECK_INT(vmaf_use_feature(vmaf, name, options), expected);
    char *lines = end_capture(capture);
    CHECK_INT(vmaf_close(vmaf), 0);
    return lines;
}

static void registration_says(const char *key, const char *value, int expected, const char *text)
{
    char *lines = lines_of(VMAF_LOG_LEVEL_WARNING, "psnr", key, value, expected);
    CHECK_TEXT(lines, text);
    free(lines);
}

/* A key that no option has is passed over with a warning, since old scripts rely on it; a value that is none, or
 * out of range, is refused with a line that names the range. */
static void bad_options(void)
{
    registration_says("bogus", "1", 0, "libvmaf WARNING psnr: there is no option \"bogus\", ignored\n");
    registration_says("min_sse", "-1", -EINVAL,
                      "libvmaf ERROR vmaf_use_feature(): psnr: option min_sse: \"-1\" is not a number within "
                      "0..1.79769e+308\n");
    registration_says("min_sse", "much", -EINVAL,
                      "libvmaf ERROR vmaf_use_feature(): psnr: option min_sse: \"much\" is not a number within "
                      "0..1.79769e+308\n");
    registration_says("enable_mse", "yes", -EINVAL,
                      "libvmaf ERROR vmaf_use_feature(): psnr: option enable_mse: \"yes\" is neither true nor "
                      "false\n");
    registration_says("min_sse", "2x", 0,
                      "libvmaf WARNING psnr: option min_sse: \"x\" at the end of \"2x\" is ignored\n");
    registration_says("min_sse", "0", 0, "");
    registration_says("enable_chroma", "false", 0, "");
}

static void unknown_names(void)
{
    char *lines = lines_of(VMAF_LOG_LEVEL_ERROR, "null", "bogus", "1", 0);
    CHECK_TEXT(lines, "");
    free(lines);
    VmafContext *vmaf = context_with(0, 0, VMAF_LOG_LEVEL_ERROR);
    struct capture capture = begin_capture();
    CHECK_INT(vmaf_use_feature(vmaf, "PSNR", NULL), -EINVAL);
    lines = end_capture(capture);
    CHECK_TEXT(lines, "libvmaf ERROR vmaf_use_feature(): no such feature extractor: \"PSNR\"\n");
    free(lines);
    CHECK_INT(vmaf_close(vmaf), 0);
}

/* Numbers out of the list are taken as the nearest level; the last context's level is the process's. */
static void levels(void)
{
    static const struct {
        int level;
        const char *text;
    } cases[] = {
        { -3, "" },
        { 0, "" },
        { 1, "" },
        { 2, "libvmaf WARNING psnr: there is no option \"bogus\", ignored\n" },
        { 3, "libvmaf WARNING psnr: there is no option \"bogus\", ignored\n" },
        { 4, "libvmaf WARNING psnr: there is no option \"bogus\", ignored\n"
             "libvmaf DEBUG feature extractor \"psnr\" registered with 1 opts\n"
             "libvmaf DEBUG bogus: 1\n" },
        { 9, "libvmaf WARNING psnr: there is no option \"bogus\", ignored\n"
             "libvmaf DEBUG feature extractor \"psnr\" registered with 1 opts\n"
             "libvmaf DEBUG bogus: 1\n" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char *lines = lines_of((enum VmafLogLevel)cases[i].level, "psnr", "bogus", "1.0", 0);
        CHECK_TEXT(lines, cases[i].text);
        free(lines);
    }
}

static void level_before_the_first_context(void)
{
    struct capture capture = begin_capture();
    CHECK_INT(vmaf_picture_unref(NULL), -EINVAL);
    char *lines = end_capture(capture);
    CHECK_TEXT(lines, "libvmaf ERROR vmaf_picture_unref(): pic is NULL\n");
    free(lines);
}

static void depth_is_refused(const char *name, unsigned bpc)
{
    struct format odd = small;
    odd.bpc = bpc;
    char text[256];
    snprintf(text, sizeof(text),
             "libvmaf ERROR feature extractor \"%s\": a depth of %u bits is not supported; 8, 10, 12 and 16 are\n",
             name, bpc);
    for (unsigned n_threads = 0; n_threads <= 2; n_threads += 2) {
        VmafContext *vmaf = context_with(n_threads, 0, VMAF_LOG_LEVEL_WARNING);
        CHECK_INT(vmaf_use_feature(vmaf, name, NULL), 0);
        struct capture capture = begin_capture();
        int result = read_frame(vmaf, odd, 0), flushed = flush(vmaf);
        char *lines = end_capture(capture);
        CHECK_INT(result, -EINVAL);
        CHECK_INT(flushed, -EINVAL);
        CHECK(strncmp(lines, text, strlen(text)) == 0);
        CHECK_CONTAINS(lines, text);
        free(lines);
        CHECK_INT(vmaf_close(vmaf), 0);
    }
}

static void depths(void)
{
    static const char *const names[] = { "psnr", "float_psnr", "float_moment" };
    static const unsigned odd[] = { 9, 11, 13, 14, 15 };
    for (int name = 0; name < 3; name++)
        for (int i = 0; i < 5; i++)
            depth_is_refused(names[name], odd[i]);
}

/* Scores of equal pictures; unlike sizes of chroma here and in the cap: 25x20 of 51x41 is floor, not ceiling. */
static void equal_pictures(struct format format, const char *min_sse, const double *caps)
{
    VmafContext *vmaf = context(0);
    CHECK_INT(vmaf_use_feature(vmaf, "psnr", dictionary("min_sse", min_sse)), 0);
    VmafPicture ref = picture_of(format, 5), dist = picture_of(format, 5);
    CHECK_INT(vmaf_read_pictures(vmaf, &ref, &dist, 0), 0);
    CHECK_INT(flush(vmaf), 0);
    CHECK_BITS(score_of(vmaf, "psnr_y", 0), caps[0]);
    CHECK_BITS(score_of(vmaf, "psnr_cb", 0), caps[1]);
    CHECK_BITS(score_of(vmaf, "psnr_cr", 0), caps[2]);
    CHECK_INT(vmaf_close(vmaf), 0);
}

static double cap_of(double peak, double min_sse, double area)
{
    return ceil(10.0 * log10(peak * peak / (min_sse / area)));
}

static void caps(void)
{
    static const unsigned depth[] = { 8, 10, 12, 16 };
    static const double cap[] = { 60.0, 72.0, 84.0, 108.0 };
    for (int i = 0; i < 4; i++) {
        struct format format = { VMAF_PIX_FMT_YUV420P, depth[i], 51, 41 };
        double by_depth[3] = { cap[i], cap[i], cap[i] }, peak = (double)((1u << depth[i]) - 1);
        equal_pictures(format, "0", by_depth);
        double chroma = cap_of(peak, 0.5, 25.0 * 20.0);
        double by_sse[3] = { cap_of(peak, 0.5, 51.0 * 41.0), chroma, chroma };
        equal_pictures(format, "0.5", by_sse);
        CHECK(by_sse[0] != cap[i]);
    }
}

/* What an option switches on or off. */
static void outputs(void)
{
    VmafContext *vmaf = context(0);
    VmafFeatureDictionary *options = dictionary("enable_chroma", "false");
    CHECK_INT(vmaf_feature_dictionary_set(&options, "enable_mse", "false"), 0);
    CHECK_INT(vmaf_feature_dictionary_set(&options, "enable_mse", "true"), 0); /* Replaces. */
    CHECK_INT(vmaf_use_feature(vmaf, "psnr", options), 0);
    CHECK_INT(read_frame(vmaf, small, 0), 0);
    CHECK_INT(flush(vmaf), 0);
    CHECK_INT(vmaf_write_output(vmaf, "options.csv", VMAF_OUTPUT_FORMAT_CSV), 0);
    CHECK_INT(vmaf_close(vmaf), 0);
    char *csv = file_content("options.csv");
    REQUIRE(csv != NULL);
    CHECK(strncmp(csv, "Frame,psnr_y,mse_y,\n0,", 22) == 0);
    free(csv);
}

int main(void)
{
    level_before_the_first_context();
    bad_options();
    unknown_names();
    levels();
    depths();
    caps();
    outputs();
    return check_result();
}

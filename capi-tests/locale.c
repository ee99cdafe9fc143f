/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A host program with a decimal comma: the same scores and logs, and its locale left alone. */
#include <locale.h>

#include "check.h"

static const struct format small = { VMAF_PIX_FMT_YUV420P, 8, 50, 40 };
enum { FRAMES = 3, FORMATS = 4 };

struct outcome {
    double psnr, moment;
    char *logs[FORMATS];
};

/* The fps figure differs from run to run: the line that holds it is taken out. */
static void drop_fps(char *log)
{
    char *line = strstr(log, "fps");
    if (line == NULL)
        return;
    while (line > log && line[-1] != '\n')
        line--;
    char *next = strchr(line, '\n');
    REQUIRE(next != NULL);
    memmove(line, next, strlen(next) + 1);
}

static struct outcome run(void)
{
    static const char *const names[FORMATS] = { "locale.xml", "locale.json", "locale.csv", "locale.sub" };
    VmafContext *vmaf = context(2);
    VmafFeatureDictionary *options = dictionary("min_sse", "0.5");
    CHECK_INT(vmaf_feature_dictionary_set(&options, "enable_mse", "true"), 0);
    CHECK_INT(vmaf_use_feature(vmaf, "psnr", options), 0);
    CHECK_INT(vmaf_use_feature(vmaf, "float_moment", NULL), 0);
    for (unsigned index = 0; index < FRAMES; index++)
        CHECK_INT(read_frame(vmaf, small, index), 0);
    CHECK_INT(flush(vmaf), 0);
    struct outcome outcome = { score_of(vmaf, "psnr_y", 1), score_of(vmaf, "float_moment_ref2nd", 2), { NULL } };
    for (int kind = 1; kind <= FORMATS; kind++) {
        CHECK_INT(vmaf_write_output(vmaf, names[kind - 1], (enum VmafOutputFormat)kind), 0);
        outcome.logs[kind - 1] = file_content(names[kind - 1]);
        REQUIRE(outcome.logs[kind - 1] != NULL);
        drop_fps(outcome.logs[kind - 1]);
    }
    CHECK_INT(vmaf_close(vmaf), 0);
    return outcome;
}

/* "0.5" with a decimal comma would read as 0, and not move the cap. */
static double cap_by_option(void)
{
    VmafContext *vmaf = context(0);
    CHECK_INT(vmaf_use_feature(vmaf, "psnr", dictionary("min_sse", "0.5")), 0);
    VmafPicture ref = picture_of(small, 1), dist = picture_of(small, 1);
    CHECK_INT(vmaf_read_pictures(vmaf, &ref, &dist, 0), 0);
    double score = score_of(vmaf, "psnr_y", 0);
    CHECK_INT(vmaf_close(vmaf), 0);
    return score;
}

static int has_comma(void)
{
    char text[16];
    snprintf(text, sizeof(text), "%.1f", 0.5);
    return strcmp(text, "0,5") == 0 && strtod("0,5", NULL) == 0.5;
}

static int without_locale(void)
{
    const char *required = getenv("VMAF_RS_REQUIRE");
    if (required != NULL && strstr(required, "locale") != NULL) {
        printf("the locale de_DE.UTF-8 is required, and not installed\n");
        return 1;
    }
    printf("skipped: the locale de_DE.UTF-8 is not installed\n");
    return check_result();
}

int main(void)
{
    struct outcome expected = run();
    CHECK_BITS(cap_by_option(), ceil(10.0 * log10(65025.0 / (0.5 / (50.0 * 40.0)))));
    if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL)
        return without_locale();
    REQUIRE(has_comma());
    char before[256];
    snprintf(before, sizeof(before), "%s", setlocale(LC_ALL, NULL));
    struct outcome found = run();
    CHECK_BITS(cap_by_option(), ceil(10.0 * log10(65025.0 / (0.5 / (50.0 * 40.0)))));
    CHECK_BITS(found.psnr, expected.psnr);
    CHECK_BITS(found.moment, expected.moment);
    for (int kind = 0; kind < FORMATS; kind++) {
        CHECK_TEXT(found.logs[kind], expected.logs[kind]);
        free(found.logs[kind]);
        free(expected.logs[kind]);
    }
    CHECK(has_comma());
    CHECK_TEXT(setlocale(LC_ALL, NULL), before);
    return check_result();
}

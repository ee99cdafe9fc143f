/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The calls of FFmpeg's libvmaf filter in their order, the numbers they give, and the four log files. */
#include "check.h"

enum { FRAMES = 5 };

static const struct format formats[] = {
    { VMAF_PIX_FMT_YUV420P, 8, 65, 49 },   { VMAF_PIX_FMT_YUV422P, 8, 64, 48 },
    { VMAF_PIX_FMT_YUV444P, 8, 33, 17 },   { VMAF_PIX_FMT_YUV420P, 10, 64, 48 },
    { VMAF_PIX_FMT_YUV422P, 12, 65, 49 },  { VMAF_PIX_FMT_YUV444P, 10, 64, 48 },
    { VMAF_PIX_FMT_YUV420P, 16, 160, 90 },
};

static const char *const log_names[] = { "log.xml", "log.json", "log.csv", "log.sub" };

static VmafContext *configure(unsigned n_threads, VmafModel **model)
{
    VmafConfiguration cfg = { .log_level = VMAF_LOG_LEVEL_NONE, .n_threads = n_threads, .n_subsample = 1 };
    VmafContext *vmaf = NULL;
    REQUIRE(vmaf_init(&vmaf, cfg) == 0);
    *model = model_of(NULL);
    CHECK_INT(vmaf_model_feature_overload(*model, "psnr", dictionary("enable_chroma", "false")), 0);
    CHECK_INT(vmaf_use_features_from_model(vmaf, *model), 0);
    CHECK_INT(vmaf_use_feature(vmaf, "float_moment", NULL), 0);
    VmafFeatureDictionary *options = NULL;
    CHECK_INT(vmaf_feature_dictionary_set(&options, "enable_chroma", "true"), 0);
    CHECK_INT(vmaf_feature_dictionary_set(&options, "enable_apsnr", "true"), 0);
    CHECK_INT(vmaf_use_feature(vmaf, "psnr", options), 0);
    return vmaf;
}

/* The filter copies `w[i]` samples for `h[i]` rows from frames with chroma rounded up. */
static void copy_frame(VmafPicture *picture, unsigned seed)
{
    size_t bytes = picture->bpc > 8 ? 2 : 1;
    for (int plane = 0; plane < 3; plane++) {
        unsigned char *row = picture->data[plane], *source = malloc(picture->w[plane] * bytes);
        REQUIRE(source != NULL);
        for (unsigned y = 0; y < picture->h[plane]; y++, row += picture->stride[plane]) {
            for (unsigned x = 0; x < picture->w[plane]; x++) {
                uint16_t sample = (uint16_t)sample_at(seed, plane, x, y, picture->bpc);
                memcpy(source + x * bytes, &sample, bytes);
            }
            memcpy(row, source, picture->w[plane] * bytes);
        }
        free(source);
    }
}

static void feed(VmafContext *vmaf, struct format format)
{
    for (unsigned index = 0; index < FRAMES; index++) {
        VmafPicture ref, dist;
        REQUIRE(vmaf_picture_alloc(&ref, format.pixel, format.bpc, format.w, format.h) == 0);
        copy_frame(&ref, reference_seed(index));
        REQUIRE(vmaf_picture_alloc(&dist, format.pixel, format.bpc, format.w, format.h) == 0);
        copy_frame(&dist, distorted_seed(index));
        REQUIRE(vmaf_read_pictures(vmaf, &ref, &dist, index) == 0);
    }
    CHECK_INT(vmaf_read_pictures(vmaf, NULL, NULL, 0), 0);
}

static void psnr_is_the_formula(VmafContext *vmaf, struct format format, unsigned index)
{
    unsigned chroma_w = format.pixel == VMAF_PIX_FMT_YUV444P ? format.w : (format.w + 1) / 2;
    unsigned chroma_h = format.pixel == VMAF_PIX_FMT_YUV420P ? (format.h + 1) / 2 : format.h;
    CHECK_BITS(score_of(vmaf, "psnr_y", index), expected_psnr(format, 0, format.w, format.h, index));
    CHECK_BITS(score_of(vmaf, "psnr_cb", index), expected_psnr(format, 1, chroma_w, chroma_h, index));
    CHECK_BITS(score_of(vmaf, "psnr_cr", index), expected_psnr(format, 2, chroma_w, chroma_h, index));
}

static void moments_are_the_formula(VmafContext *vmaf, struct format format, unsigned index)
{
    unsigned ref = reference_seed(index), dist = distorted_seed(index);
    CHECK_BITS(score_of(vmaf, "float_moment_ref1st", index), expected_moment(format, ref, 1));
    CHECK_BITS(score_of(vmaf, "float_moment_dis1st", index), expected_moment(format, dist, 1));
    if (format.bpc == 16) /* The square is rounded to a float there. */
        return;
    CHECK_BITS(score_of(vmaf, "float_moment_ref2nd", index), expected_moment(format, ref, 2));
    CHECK_BITS(score_of(vmaf, "float_moment_dis2nd", index), expected_moment(format, dist, 2));
}

/* Mean, minimum and harmonic mean from the frames' scores, added in order. */
static void pooled(VmafContext *vmaf, const char *feature)
{
    double sum = 0.0, inverse = 0.0, least = INFINITY, most = -INFINITY, found = NAN;
    for (unsigned index = 0; index < FRAMES; index++) {
        double score = score_of(vmaf, feature, index);
        sum += score;
        inverse += 1.0 / (score + 1.0);
        least = score < least ? score : least;
        most = score > most ? score : most;
    }
    CHECK_INT(vmaf_feature_score_pooled(vmaf, feature, VMAF_POOL_METHOD_MEAN, &found, 0, FRAMES - 1), 0);
    CHECK_BITS(found, sum / FRAMES);
    CHECK_INT(vmaf_feature_score_pooled(vmaf, feature, VMAF_POOL_METHOD_MIN, &found, 0, FRAMES - 1), 0);
    CHECK_BITS(found, least);
    CHECK_INT(vmaf_feature_score_pooled(vmaf, feature, VMAF_POOL_METHOD_MAX, &found, 0, FRAMES - 1), 0);
    CHECK_BITS(found, most);
    CHECK_INT(vmaf_feature_score_pooled(vmaf, feature, VMAF_POOL_METHOD_HARMONIC_MEAN, &found, 0, FRAMES - 1), 0);
    CHECK_BITS(found, FRAMES / inverse - 1.0);
}

/* Columns in order: as registered without threads; with threads psnr, which is serial, goes first. */
static const char *const in_caller[] = { "float_psnr", "float_moment_ref1st", "float_moment_dis1st",
                                         "float_moment_ref2nd", "float_moment_dis2nd", "psnr_y", "psnr_cb",
                                         "psnr_cr", "vmaf" };
static const char *const in_threads[] = { "psnr_y", "psnr_cb", "psnr_cr", "float_psnr", "float_moment_ref1st",
                                          "float_moment_dis1st", "float_moment_ref2nd", "float_moment_dis2nd",
                                          "vmaf" };
enum { COLUMNS = 9 };

static void csv_and_subtitles(VmafContext *vmaf, const char *const *columns)
{
    char csv[8192] = "Frame,", sub[8192] = "", value[64];
    for (int column = 0; column < COLUMNS; column++)
        strcat(strcat(csv, columns[column]), ",");
    for (unsigned index = 0; index < FRAMES; index++) {
        snprintf(csv + strlen(csv), sizeof(csv) - strlen(csv), "\n%u,", index);
        snprintf(sub + strlen(sub), sizeof(sub) - strlen(sub), "{%u}{%u}frame: %u|", index, index + 1, index);
        for (int column = 0; column < COLUMNS; column++) {
            snprintf(value, sizeof(value), "%.6f", score_of(vmaf, columns[column], index));
            strcat(strcat(csv, value), ",");
            strcat(strcat(strcat(strcat(sub, columns[column]), ": "), value), "|");
        }
        strcat(sub, "\n");
    }
    char *found = file_content("log.csv");
    REQUIRE(found != NULL);
    CHECK_TEXT(found, strcat(csv, "\n"));
    free(found);
    found = file_content("log.sub");
    REQUIRE(found != NULL);
    CHECK_TEXT(found, sub);
    free(found);
}

static void xml_and_json(VmafContext *vmaf, struct format format)
{
    char *xml = file_content("log.xml"), *json = file_content("log.json"), part[256];
    REQUIRE(xml != NULL && json != NULL);
    snprintf(part, sizeof(part), "<VMAF version=\"%s\">\n", vmaf_version());
    CHECK_CONTAINS(xml, part);
    snprintf(part, sizeof(part), "<params qualityWidth=\"%u\" qualityHeight=\"%u\" />\n", format.w, format.h);
    CHECK_CONTAINS(xml, part);
    snprintf(part, sizeof(part), " psnr_cb=\"%.6f\" ", score_of(vmaf, "psnr_cb", FRAMES - 1));
    CHECK_CONTAINS(xml, part);
    CHECK_CONTAINS(xml, "<metric name=\"float_moment_dis2nd\" min=\"");
    CHECK_CONTAINS(xml, "<aggregate_metrics apsnr_y=\"");
    CHECK_CONTAINS(xml, "</VMAF>\n");
    snprintf(part, sizeof(part), "{\n  \"version\": \"%s\",\n  \"fps\": ", vmaf_version());
    CHECK_CONTAINS(json, part);
    snprintf(part, sizeof(part), "        \"psnr_cr\": %.6f", score_of(vmaf, "psnr_cr", FRAMES - 1));
    CHECK_CONTAINS(json, part);
    double mean = NAN;
    CHECK_INT(vmaf_feature_score_pooled(vmaf, "psnr_y", VMAF_POOL_METHOD_MEAN, &mean, 0, FRAMES - 1), 0);
    snprintf(part, sizeof(part), "      \"mean\": %.6f", mean);
    CHECK_CONTAINS(json, part);
    CHECK_CONTAINS(json, "\"aggregate_metrics\": {\n    \"apsnr_y\": ");
    free(xml);
    free(json);
}

/* The filter's last figure: the mean of the model's scores, which are predicted by the call. */
static void model_scores(VmafContext *vmaf, VmafModel *model)
{
    double sum = 0.0, mean = NAN;
    for (unsigned index = 0; index < FRAMES; index++)
        sum += expected_model_score(score_of(vmaf, "float_psnr", index));
    CHECK_INT(vmaf_score_pooled(vmaf, model, VMAF_POOL_METHOD_MEAN, &mean, 0, FRAMES - 1), 0);
    CHECK_BITS(mean, sum / FRAMES);
}

static void run(struct format format, unsigned n_threads)
{
    VmafModel *model;
    VmafContext *vmaf = configure(n_threads, &model);
    feed(vmaf, format);
    model_scores(vmaf, model);
    for (unsigned index = 0; index < FRAMES; index++) {
        psnr_is_the_formula(vmaf, format, index);
        moments_are_the_formula(vmaf, format, index);
    }
    pooled(vmaf, "psnr_y");
    pooled(vmaf, "float_moment_dis2nd");
    for (int kind = VMAF_OUTPUT_FORMAT_XML; kind <= VMAF_OUTPUT_FORMAT_SUB; kind++)
        CHECK_INT(vmaf_write_output(vmaf, log_names[kind - 1], (enum VmafOutputFormat)kind), 0);
    csv_and_subtitles(vmaf, n_threads == 0 ? in_caller : in_threads);
    xml_and_json(vmaf, format);
    vmaf_model_destroy(model);
    CHECK_INT(vmaf_close(vmaf), 0);
}

/* The filter was configured, but no frame came: it closes at once. */
static void no_frame(void)
{
    for (unsigned n_threads = 0; n_threads <= 3; n_threads += 3) {
        VmafModel *model;
        VmafContext *vmaf = configure(n_threads, &model);
        vmaf_model_destroy(model);
        CHECK_INT(vmaf_close(vmaf), 0);
    }
}

int main(void)
{
    for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
        for (unsigned n_threads = 0; n_threads <= 4; n_threads += 4)
            run(formats[i], n_threads);
    no_frame();
    return check_result();
}

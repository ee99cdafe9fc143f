/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * What the C programs of this folder share: checks that say where they failed and with which values, pictures
 * with made-up content, and a look at what the library writes to standard error.
 *
 * A program ends with `return check_result();`. With the argument "quick" it does less, for runs under valgrind.
 */
#ifndef CHECK_H
#define CHECK_H

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <libvmaf/libvmaf.h>

static int check_failures;

/* Counts a failure and goes on, so that one run shows all of them. */
#define CHECK(condition) check_true((condition), #condition, __FILE__, __LINE__)
#define CHECK_INT(found, expected) \
    check_int((long long)(found), (long long)(expected), #found " == " #expected, __FILE__, __LINE__)
#define CHECK_BITS(found, expected) check_bits(found, expected, #found " == " #expected, __FILE__, __LINE__)
#define CHECK_TEXT(found, expected) check_text(found, expected, __FILE__, __LINE__)
#define CHECK_CONTAINS(text, part) check_contains(text, part, __FILE__, __LINE__)
/* For what the rest of a program stands on. */
#define REQUIRE(condition) (check_true((condition), #condition, __FILE__, __LINE__) ? (void)0 : exit(1))

static inline int check_true(int holds, const char *what, const char *file, int line)
{
    if (!holds) {
        printf("%s:%d: %s does not hold\n", file, line, what);
        check_failures++;
    }
    return holds;
}

static inline void check_int(long long found, long long expected, const char *what, const char *file, int line)
{
    if (found != expected) {
        printf("%s:%d: %s: %lld is not %lld\n", file, line, what, found, expected);
        check_failures++;
    }
}

/* The same double to the last bit. */
static inline void check_bits(double found, double expected, const char *what, const char *file, int line)
{
    if (memcmp(&found, &expected, sizeof(double)) != 0) {
        printf("%s:%d: %s: %.17g (%a) is not %.17g (%a)\n", file, line, what, found, found, expected, expected);
        check_failures++;
    }
}

static inline void check_text(const char *found, const char *expected, const char *file, int line)
{
    if (strcmp(found, expected) != 0) {
        printf("%s:%d: found\n%s\ninstead of\n%s\n", file, line, found, expected);
        check_failures++;
    }
}

static inline void check_contains(const char *text, const char *part, const char *file, int line)
{
    if (strstr(text, part) == NULL) {
        printf("%s:%d: \"%s\" is not in\n%s\n", file, line, part, text);
        check_failures++;
    }
}

static inline int check_result(void)
{
    if (check_failures > 0)
        printf("%d checks failed\n", check_failures);
    return check_failures > 0;
}

static inline int is_quick(int argc, char **argv)
{
    return argc > 1 && strcmp(argv[1], "quick") == 0;
}

/* A sample that depends on all of its arguments; all bits of the depth occur. */
static inline unsigned sample_at(unsigned seed, int plane, unsigned x, unsigned y, unsigned bpc)
{
    uint32_t state = seed * 0x9e3779b9u + (unsigned)plane * 0x85ebca6bu + y * 0xc2b2ae35u + x * 0x27d4eb2fu;
    state ^= state >> 15;
    state *= 0x2c1b3c6du;
    state ^= state >> 13;
    state *= 0x297a2d39u;
    return (state >> 8) & ((1u << bpc) - 1);
}

static inline void put_sample(VmafPicture *picture, int plane, unsigned x, unsigned y, unsigned value)
{
    unsigned char *row = (unsigned char *)picture->data[plane] + (ptrdiff_t)y * picture->stride[plane];
    if (picture->bpc == 8) {
        row[x] = (unsigned char)value;
    } else {
        uint16_t word = (uint16_t)value;
        memcpy(row + 2 * (size_t)x, &word, sizeof(word));
    }
}

static inline void fill(VmafPicture *picture, unsigned seed)
{
    for (int plane = 0; plane < 3; plane++)
        for (unsigned y = 0; y < picture->h[plane]; y++)
            for (unsigned x = 0; x < picture->w[plane]; x++)
                put_sample(picture, plane, x, y, sample_at(seed, plane, x, y, picture->bpc));
}

/* Size, depth and pixel format of the pictures of a test. */
struct format {
    enum VmafPixelFormat pixel;
    unsigned bpc, w, h;
};

static inline VmafPicture picture_of(struct format format, unsigned seed)
{
    VmafPicture picture;
    REQUIRE(vmaf_picture_alloc(&picture, format.pixel, format.bpc, format.w, format.h) == 0);
    fill(&picture, seed);
    return picture;
}

static inline unsigned reference_seed(unsigned index) { return 2 * index + 100; }
static inline unsigned distorted_seed(unsigned index) { return 2 * index + 101; }

/* Reads the made-up pair number `content` as the frame `index`; gives refused pictures back. */
static inline int read_content(VmafContext *vmaf, struct format format, unsigned content, unsigned index)
{
    VmafPicture ref = picture_of(format, reference_seed(content));
    VmafPicture dist = picture_of(format, distorted_seed(content));
    int result = vmaf_read_pictures(vmaf, &ref, &dist, index);
    CHECK_INT(vmaf_picture_unref(&ref), result == 0 ? -EINVAL : 0);
    CHECK_INT(vmaf_picture_unref(&dist), result == 0 ? -EINVAL : 0);
    return result;
}

static inline int read_frame(VmafContext *vmaf, struct format format, unsigned index)
{
    return read_content(vmaf, format, index, index);
}

static inline int flush(VmafContext *vmaf)
{
    return vmaf_read_pictures(vmaf, NULL, NULL, 0);
}

static inline VmafContext *context_with(unsigned n_threads, unsigned n_subsample, enum VmafLogLevel level)
{
    VmafConfiguration cfg = { .log_level = level, .n_threads = n_threads, .n_subsample = n_subsample };
    VmafContext *vmaf = NULL;
    REQUIRE(vmaf_init(&vmaf, cfg) == 0 && vmaf != NULL);
    return vmaf;
}

static inline VmafContext *context(unsigned n_threads)
{
    return context_with(n_threads, 0, VMAF_LOG_LEVEL_WARNING);
}

static inline VmafFeatureDictionary *dictionary(const char *key, const char *value)
{
    VmafFeatureDictionary *options = NULL;
    REQUIRE(vmaf_feature_dictionary_set(&options, key, value) == 0 && options != NULL);
    return options;
}

static inline double score_of(VmafContext *vmaf, const char *feature, unsigned index)
{
    double score = NAN;
    REQUIRE(vmaf_feature_score_at_index(vmaf, feature, &score, index) == 0);
    return score;
}

/* What the plain formula says of plane `plane` of the made-up pair: 10 log10(peak^2 / mse), capped. */
static inline double expected_psnr(struct format format, int plane, unsigned w, unsigned h, unsigned index)
{
    uint64_t sse = 0;
    for (unsigned y = 0; y < h; y++)
        for (unsigned x = 0; x < w; x++) {
            int64_t difference = (int64_t)sample_at(reference_seed(index), plane, x, y, format.bpc)
                - (int64_t)sample_at(distorted_seed(index), plane, x, y, format.bpc);
            sse += (uint64_t)(difference * difference);
        }
    double peak = (double)((1u << format.bpc) - 1);
    double mse = (double)sse / ((double)w * (double)h);
    double decibel = 10.0 * log10(peak * peak / (mse > 1e-16 ? mse : 1e-16));
    double cap = 6.0 * format.bpc + 12.0;
    return decibel < cap ? decibel : cap;
}

/* Mean of the luma, or of its square, in the 8-bit range; depths up to 12 bits, where every sum is exact. */
static inline double expected_moment(struct format format, unsigned seed, int order)
{
    double sum = 0.0, scale = (double)(1u << (format.bpc - 8));
    for (unsigned y = 0; y < format.h; y++)
        for (unsigned x = 0; x < format.w; x++) {
            double sample = (double)sample_at(seed, 0, x, y, format.bpc) / scale;
            sum += order == 1 ? sample : sample * sample;
        }
    return sum / ((double)format.w * (double)format.h);
}

/* A model of float_psnr with one support vector, as a member of a collection has it or by itself. */
#define MODEL_TEXT(kind) \
    "{\"model_dict\": {\"model_type\": \"" kind "\", \"norm_type\": \"linear_rescale\"," \
    " \"feature_names\": [\"float_psnr\"], \"slopes\": [0.03125, 0.0625], \"intercepts\": [-0.75, -0.5]," \
    " \"model\": \"svm_type nu_svr\\nkernel_type rbf\\ngamma 0.3\\nnr_class 2\\ntotal_sv 1\\nrho -0.1\\nSV\\n" \
    "2.5 1:0.7 \\n\", \"score_clip\": [0, 100]}}"

/* The score that this model predicts from a feature value. */
static inline double expected_model_score(double psnr)
{
    double difference = 0.0625 * psnr + -0.5 - 0.7;
    double score = (2.5 * exp(-0.3 * (difference * difference)) - -0.1 - -0.75) / 0.03125;
    return score < 0.0 ? 0.0 : score > 100.0 ? 100.0 : score;
}

static inline void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    REQUIRE(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static inline VmafModel *model_of(const char *name)
{
    VmafModelConfig cfg = { name, VMAF_MODEL_FLAGS_DEFAULT };
    VmafModel *model = NULL;
    write_text("model.json", MODEL_TEXT("LIBSVMNUSVR"));
    REQUIRE(vmaf_model_load_from_path(&model, &cfg, "model.json") == 0 && model != NULL);
    return model;
}

/* A collection of three equal models, of which the lead model is one. */
static inline VmafModelCollection *collection_of(const char *name, VmafModel **lead)
{
    VmafModelConfig cfg = { name, VMAF_MODEL_FLAGS_DEFAULT };
    VmafModelCollection *members = NULL;
    static const char member[] = MODEL_TEXT("BOOTSTRAP_LIBSVMNUSVR");
    char text[4 * sizeof(member)];
    snprintf(text, sizeof(text), "{\"0\": %s, \"1\": %s, \"2\": %s}", member, member, member);
    write_text("models.json", text);
    REQUIRE(vmaf_model_collection_load_from_path(lead, &members, &cfg, "models.json") == 0 && members != NULL);
    return members;
}

static inline char *read_whole(FILE *file)
{
    REQUIRE(fseek(file, 0, SEEK_END) == 0);
    long size = ftell(file);
    REQUIRE(size >= 0);
    rewind(file);
    char *text = malloc((size_t)size + 1);
    REQUIRE(text != NULL && fread(text, 1, (size_t)size, file) == (size_t)size);
    text[size] = '\0';
    return text;
}

/* The content of a file, to be freed; NULL if there is none. */
static inline char *file_content(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    char *text = read_whole(file);
    fclose(file);
    return text;
}

/* Standard error goes to a file from begin_capture() until end_capture(), which returns what came, to be freed. */
struct capture {
    int saved;
    FILE *file;
};

static inline struct capture begin_capture(void)
{
    struct capture capture = { dup(STDERR_FILENO), tmpfile() };
    REQUIRE(capture.saved >= 0 && capture.file != NULL);
    REQUIRE(dup2(fileno(capture.file), STDERR_FILENO) == STDERR_FILENO);
    return capture;
}

static inline char *end_capture(struct capture capture)
{
    REQUIRE(dup2(capture.saved, STDERR_FILENO) == STDERR_FILENO);
    close(capture.saved);
    char *text = read_whole(capture.file);
    fclose(capture.file);
    return text;
}

#endif

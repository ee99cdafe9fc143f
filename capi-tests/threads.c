/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Many short runs, contexts side by side, the same bits from any number of threads, and the memory of 256. */
#include <pthread.h>
#include <sys/wait.h>

#include "check.h"

enum { MOST_FRAMES = 12, FEATURES = 7 };

static const char *const features[FEATURES] = { "psnr_y", "psnr_cb", "psnr_cr", "float_moment_ref1st",
                                                "float_moment_dis1st", "float_moment_ref2nd",
                                                "float_moment_dis2nd" };

static VmafContext *started(unsigned n_threads)
{
    VmafContext *vmaf = context(n_threads);
    CHECK_INT(vmaf_use_feature(vmaf, "psnr", NULL), 0);
    CHECK_INT(vmaf_use_feature(vmaf, "float_moment", NULL), 0);
    return vmaf;
}

struct run {
    struct format format;
    unsigned n_threads, frames;
    double scores[MOST_FRAMES][FEATURES];
};

static void score_run(struct run *run)
{
    VmafContext *vmaf = started(run->n_threads);
    for (unsigned index = 0; index < run->frames; index++)
        CHECK_INT(read_frame(vmaf, run->format, index), 0);
    CHECK_INT(flush(vmaf), 0);
    for (unsigned index = 0; index < run->frames; index++)
        for (int feature = 0; feature < FEATURES; feature++)
            run->scores[index][feature] = score_of(vmaf, features[feature], index);
    CHECK_INT(vmaf_close(vmaf), 0);
}

static void same_scores(const struct run *found, const struct run *expected)
{
    for (unsigned index = 0; index < expected->frames; index++)
        for (int feature = 0; feature < FEATURES; feature++)
            if (memcmp(&found->scores[index][feature], &expected->scores[index][feature], sizeof(double)) != 0) {
                printf("%s at %u, %ux%u at %u bits, %u threads: %a is not %a\n", features[feature], index,
                       found->format.w, found->format.h, found->format.bpc, found->n_threads,
                       found->scores[index][feature], expected->scores[index][feature]);
                check_failures++;
            }
}

static long resident_bytes(void)
{
    long pages = -1;
    FILE *file = fopen("/proc/self/statm", "r");
    REQUIRE(file != NULL);
    REQUIRE(fscanf(file, "%*s %ld", &pages) == 1);
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

/* Two tiny frames and four threads, over and over: the pooled score is there every time, and no memory is left
 * behind by contexts that are closed. */
static void short_runs(int runs, int watch_memory)
{
    enum { WARM = 100, MARGIN = 2 * 1024 * 1024 };
    struct format format = { VMAF_PIX_FMT_YUV444P, 8, 32, 32 };
    double expected = (expected_psnr(format, 0, 32, 32, 0) + expected_psnr(format, 0, 32, 32, 1)) / 2;
    long warm = LONG_MAX;
    for (int run = 0; run < runs && check_failures == 0; run++) {
        if (run == WARM)
            warm = resident_bytes();
        VmafContext *vmaf = started(4);
        double score = NAN;
        CHECK_INT(read_frame(vmaf, format, 0), 0);
        CHECK_INT(read_frame(vmaf, format, 1), 0);
        CHECK_INT(flush(vmaf), 0);
        CHECK_INT(vmaf_feature_score_pooled(vmaf, "psnr_y", VMAF_POOL_METHOD_MEAN, &score, 0, 1), 0);
        CHECK_BITS(score, expected);
        CHECK_INT(vmaf_close(vmaf), 0);
    }
    if (watch_memory && warm != LONG_MAX) {
        long growth = resident_bytes() - warm;
        printf("resident growth: %ld KiB over %d contexts\n", growth / 1024, runs - WARM);
        CHECK(growth < MARGIN);
    }
}

/* A score is there without a flush: asking for it waits for that frame. */
static void scores_are_waited_for(void)
{
    struct format format = { VMAF_PIX_FMT_YUV420P, 8, 320, 180 };
    VmafContext *vmaf = started(3);
    for (unsigned index = 0; index < 8; index++) {
        CHECK_INT(read_frame(vmaf, format, index), 0);
        CHECK_BITS(score_of(vmaf, "psnr_y", index), expected_psnr(format, 0, 320, 180, index));
    }
    CHECK_INT(vmaf_close(vmaf), 0);
}

static void any_number_of_threads(void)
{
    static const struct format formats[] = { { VMAF_PIX_FMT_YUV420P, 8, 353, 289 },
                                             { VMAF_PIX_FMT_YUV422P, 10, 161, 401 },
                                             { VMAF_PIX_FMT_YUV444P, 16, 200, 300 } };
    for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
        struct run expected = { .format = formats[i], .n_threads = 0, .frames = MOST_FRAMES };
        score_run(&expected);
        for (unsigned n_threads = 1; n_threads <= 5; n_threads++) {
            struct run found = { .format = formats[i], .n_threads = n_threads, .frames = MOST_FRAMES };
            score_run(&found);
            same_scores(&found, &expected);
        }
    }
}

enum { CONTEXTS = 8 };
static pthread_barrier_t barrier;

static void *run_in_thread(void *argument)
{
    pthread_barrier_wait(&barrier);
    score_run(argument);
    return NULL;
}

static void contexts_side_by_side(void)
{
    struct run together[CONTEXTS];
    pthread_t threads[CONTEXTS];
    memset(together, 0, sizeof(together));
    REQUIRE(pthread_barrier_init(&barrier, NULL, CONTEXTS) == 0);
    for (unsigned i = 0; i < CONTEXTS; i++) {
        together[i].format.pixel = (enum VmafPixelFormat)(1 + i % 3);
        together[i].format.bpc = 8 + 2 * (i % 3);
        together[i].format.w = 64 + 37 * i;
        together[i].format.h = 48 + 29 * i;
        together[i].n_threads = i % 4;
        together[i].frames = 4 + i;
        REQUIRE(pthread_create(&threads[i], NULL, run_in_thread, &together[i]) == 0);
    }
    for (unsigned i = 0; i < CONTEXTS; i++)
        REQUIRE(pthread_join(threads[i], NULL) == 0);
    pthread_barrier_destroy(&barrier);
    for (unsigned i = 0; i < CONTEXTS; i++) {
        struct run alone = together[i];
        memset(alone.scores, 0, sizeof(alone.scores));
        score_run(&alone);
        same_scores(&together[i], &alone);
    }
}

/* How many bytes one pair of 1920x1080 adds, in a process of its own so that no memory is used again. */
static long growth_with(unsigned n_threads)
{
    int ends[2];
    long growth = -1;
    REQUIRE(pipe(ends) == 0);
    fflush(stdout);
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        struct format format = { VMAF_PIX_FMT_YUV420P, 8, 1920, 1080 };
        long before = resident_bytes();
        VmafContext *vmaf = started(n_threads);
        CHECK_INT(read_frame(vmaf, format, 0), 0);
        CHECK_INT(flush(vmaf), 0);
        growth = resident_bytes() - before;
        CHECK_INT(vmaf_close(vmaf), 0);
        REQUIRE(write(ends[1], &growth, sizeof(growth)) == sizeof(growth));
        fflush(stdout);
        _exit(check_failures > 0);
    }
    int status = -1;
    REQUIRE(read(ends[0], &growth, sizeof(growth)) == sizeof(growth));
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK_INT(status, 0);
    close(ends[0]);
    close(ends[1]);
    return growth;
}

/* 256 threads need their stacks, of which they touch little, and not a picture more. */
static void memory_of_many_threads(void)
{
    enum { THREADS = 256, PER_THREAD = 64 * 1024 };
    long one = growth_with(1), many = growth_with(THREADS);
    printf("resident growth: %ld KiB with 1 thread, %ld KiB with %d\n", one / 1024, many / 1024, THREADS);
    CHECK(one > 0 && one < 64L * 1024 * 1024);
    CHECK(many < one + (long)THREADS * PER_THREAD);
}

int main(int argc, char **argv)
{
    int quick = is_quick(argc, argv);
    int runs = argc > 1 && !quick ? atoi(argv[1]) : quick ? 20 : 500;
    short_runs(runs, !quick);
    scores_are_waited_for();
    contexts_side_by_side();
    any_number_of_threads();
    if (!quick)
        memory_of_many_threads();
    return check_result();
}

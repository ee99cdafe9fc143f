/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Layout and content of pictures, what unref does, and pools: waiting, outliving their context, replacement. */
#include <pthread.h>
#include <time.h>

#include "check.h"

struct layout {
    struct format format;
    unsigned w[3], h[3];
    ptrdiff_t stride[3], offset[3];
};

/* At 8 bits; two bytes a sample double strides and offsets. */
static const struct layout layouts[] = {
    { { VMAF_PIX_FMT_YUV420P, 8, 1, 3 }, { 1, 1, 1 }, { 3, 2, 2 }, { 32, 32, 32 }, { 0, 96, 160 } },
    { { VMAF_PIX_FMT_YUV420P, 8, 33, 7 }, { 33, 17, 17 }, { 7, 4, 4 }, { 64, 32, 32 }, { 0, 448, 576 } },
    { { VMAF_PIX_FMT_YUV420P, 8, 577, 5 }, { 577, 289, 289 }, { 5, 3, 3 }, { 608, 320, 320 }, { 0, 3040, 4000 } },
    { { VMAF_PIX_FMT_YUV420P, 8, 1920, 4 }, { 1920, 960, 960 }, { 4, 2, 2 }, { 1920, 960, 960 },
      { 0, 7680, 9600 } },
    { { VMAF_PIX_FMT_YUV422P, 8, 65, 3 }, { 65, 33, 33 }, { 3, 3, 3 }, { 96, 64, 64 }, { 0, 288, 480 } },
    { { VMAF_PIX_FMT_YUV444P, 8, 32, 2 }, { 32, 32, 32 }, { 2, 2, 2 }, { 32, 32, 32 }, { 0, 64, 128 } },
    { { VMAF_PIX_FMT_YUV400P, 8, 40, 5 }, { 40, 0, 0 }, { 5, 0, 0 }, { 64, 0, 0 }, { 0, 0, 0 } },
    { { VMAF_PIX_FMT_YUV420P, 8, 0, 8 }, { 0, 0, 0 }, { 8, 4, 4 }, { 0, 0, 0 }, { 0, 0, 0 } },
};

static void layout_is(const VmafPicture *picture, const struct layout *layout, unsigned bpc)
{
    ptrdiff_t bytes = bpc > 8 ? 2 : 1;
    CHECK_INT(picture->pix_fmt, layout->format.pixel);
    CHECK_INT(picture->bpc, bpc);
    CHECK(picture->ref != NULL && picture->priv != NULL);
    CHECK_INT((uintptr_t)picture->data[0] % 32, 0);
    for (int plane = 0; plane < 3; plane++) {
        CHECK_INT(picture->w[plane], layout->w[plane]);
        CHECK_INT(picture->h[plane], layout->h[plane]);
        CHECK_INT(picture->stride[plane], bytes * layout->stride[plane]);
        if (plane > 0 && layout->format.pixel == VMAF_PIX_FMT_YUV400P)
            CHECK(picture->data[plane] == NULL);
        else
            CHECK_INT((char *)picture->data[plane] - (char *)picture->data[0], bytes * layout->offset[plane]);
    }
}

/* Padding included. */
static void all_bytes_are(const VmafPicture *picture, unsigned char value)
{
    for (int plane = 0; plane < 3; plane++) {
        const unsigned char *bytes = picture->data[plane];
        size_t size = (size_t)picture->stride[plane] * picture->h[plane], others = 0;
        for (size_t i = 0; i < size; i++)
            others += bytes[i] != value;
        CHECK_INT(others, 0);
    }
}

static void layouts_at_every_depth(void)
{
    for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++)
        for (unsigned bpc = 8; bpc <= 16; bpc++) {
            const struct format *format = &layouts[i].format;
            VmafPicture picture;
            memset(&picture, 0xa5, sizeof(picture));
            REQUIRE(vmaf_picture_alloc(&picture, format->pixel, bpc, format->w, format->h) == 0);
            layout_is(&picture, &layouts[i], bpc);
            all_bytes_are(&picture, 0);
            CHECK_INT(vmaf_picture_unref(&picture), 0);
        }
}

static void is_empty(const VmafPicture *picture)
{
    VmafPicture empty;
    memset(&empty, 0, sizeof(empty));
    CHECK(memcmp(picture, &empty, sizeof(empty)) == 0);
}

static void dirty(VmafPicture *picture)
{
    for (int plane = 0; plane < 3; plane++)
        if (picture->data[plane] != NULL)
            memset(picture->data[plane], 0xff, (size_t)picture->stride[plane] * picture->h[plane]);
}

static void unref_empties(void)
{
    struct format format = { VMAF_PIX_FMT_YUV420P, 8, 33, 17 };
    VmafPicture picture = picture_of(format, 1);
    CHECK_INT(vmaf_picture_unref(&picture), 0);
    is_empty(&picture);
    CHECK_INT(vmaf_picture_unref(&picture), -EINVAL);
    is_empty(&picture);
}

/* While a context lives the library may keep memory: a new picture is all zero all the same. */
static void memory_used_again_is_zero(void)
{
    VmafContext *vmaf = context(0);
    for (int round = 0; round < 6; round++) {
        VmafPicture picture[3];
        for (int i = 0; i < 3; i++) {
            REQUIRE(vmaf_picture_alloc(&picture[i], VMAF_PIX_FMT_YUV420P, 10, 100, 50) == 0);
            all_bytes_are(&picture[i], 0);
            dirty(&picture[i]);
        }
        for (int i = 0; i < 3; i++)
            CHECK_INT(vmaf_picture_unref(&picture[i]), 0);
    }
    CHECK_INT(vmaf_close(vmaf), 0);
}

static const VmafPictureConfiguration pool_of_two = { { 64, 32, 8, VMAF_PIX_FMT_YUV420P }, 2 };

static VmafPicture fetched(VmafContext *vmaf)
{
    VmafPicture picture;
    memset(&picture, 0xa5, sizeof(picture));
    REQUIRE(vmaf_fetch_preallocated_picture(vmaf, &picture) == 0);
    return picture;
}

struct waiting {
    VmafContext *vmaf;
    VmafPicture picture;
    pthread_mutex_t lock;
    int done;
};

static void *fetch_in_thread(void *argument)
{
    struct waiting *waiting = argument;
    VmafPicture picture = fetched(waiting->vmaf);
    pthread_mutex_lock(&waiting->lock);
    waiting->picture = picture;
    waiting->done = 1;
    pthread_mutex_unlock(&waiting->lock);
    return NULL;
}

static int is_done(struct waiting *waiting)
{
    pthread_mutex_lock(&waiting->lock);
    int done = waiting->done;
    pthread_mutex_unlock(&waiting->lock);
    return done;
}

static void fetch_waits_for_a_picture(void)
{
    VmafContext *vmaf = context(0);
    CHECK_INT(vmaf_preallocate_pictures(vmaf, pool_of_two), 0);
    VmafPicture first = fetched(vmaf), second = fetched(vmaf);
    CHECK(first.data[0] != second.data[0]);
    dirty(&first);
    void *address = first.data[0];
    struct waiting waiting = { .vmaf = vmaf, .lock = PTHREAD_MUTEX_INITIALIZER };
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, fetch_in_thread, &waiting) == 0);
    struct timespec moment = { 0, 50 * 1000 * 1000 };
    nanosleep(&moment, NULL);
    CHECK(!is_done(&waiting));
    CHECK_INT(vmaf_picture_unref(&first), 0);
    REQUIRE(pthread_join(thread, NULL) == 0);
    CHECK(is_done(&waiting));
    CHECK(waiting.picture.data[0] == address);
    all_bytes_are(&waiting.picture, 0xff); /* What was last in it. */
    CHECK_INT(vmaf_picture_unref(&waiting.picture), 0);
    CHECK_INT(vmaf_picture_unref(&second), 0);
    CHECK_INT(vmaf_close(vmaf), 0);
}

/* A pool no larger than a pair feeds any number of frames, with threads too. */
static void reading_gives_back(unsigned n_threads)
{
    struct format format = { VMAF_PIX_FMT_YUV420P, 8, 64, 32 };
    VmafContext *vmaf = context(n_threads);
    CHECK_INT(vmaf_preallocate_pictures(vmaf, pool_of_two), 0);
    CHECK_INT(vmaf_use_feature(vmaf, "psnr", NULL), 0);
    for (unsigned index = 0; index < 20; index++) {
        VmafPicture ref = fetched(vmaf), dist = fetched(vmaf);
        fill(&ref, reference_seed(index));
        fill(&dist, distorted_seed(index));
        CHECK_INT(vmaf_read_pictures(vmaf, &ref, &dist, index), 0);
    }
    CHECK_INT(flush(vmaf), 0);
    for (unsigned index = 0; index < 20; index++)
        CHECK_BITS(score_of(vmaf, "psnr_y", index), expected_psnr(format, 0, 64, 32, index));
    CHECK_INT(vmaf_close(vmaf), 0);
}

static void pictures_outlive_their_context(void)
{
    VmafContext *vmaf = context(0);
    CHECK_INT(vmaf_preallocate_pictures(vmaf, pool_of_two), 0);
    VmafPicture own, first = fetched(vmaf), second = fetched(vmaf);
    REQUIRE(vmaf_picture_alloc(&own, VMAF_PIX_FMT_YUV444P, 16, 20, 20) == 0);
    CHECK_INT(vmaf_close(vmaf), 0);
    dirty(&first);
    dirty(&second);
    dirty(&own);
    CHECK_INT(vmaf_picture_unref(&second), 0);
    all_bytes_are(&first, 0xff);
    /* Another context takes them as any other. */
    vmaf = context(2);
    CHECK_INT(vmaf_use_feature(vmaf, "psnr", NULL), 0);
    VmafPicture dist;
    REQUIRE(vmaf_picture_alloc(&dist, VMAF_PIX_FMT_YUV420P, 8, 64, 32) == 0);
    dirty(&dist);
    CHECK_INT(vmaf_read_pictures(vmaf, &first, &dist, 0), 0);
    CHECK_INT(flush(vmaf), 0);
    CHECK_BITS(score_of(vmaf, "psnr_y", 0), 60.0);
    CHECK_INT(vmaf_close(vmaf), 0);
    CHECK_INT(vmaf_picture_unref(&own), 0);
}

static void a_second_pool_replaces_the_first(void)
{
    VmafContext *vmaf = context_with(0, 0, VMAF_LOG_LEVEL_NONE);
    VmafPictureConfiguration other = { { 32, 16, 10, VMAF_PIX_FMT_YUV422P }, 1 };
    CHECK_INT(vmaf_preallocate_pictures(vmaf, pool_of_two), 0);
    VmafPicture picture = fetched(vmaf);
    CHECK_INT(vmaf_preallocate_pictures(vmaf, other), -EINVAL);
    CHECK_INT(vmaf_picture_unref(&picture), 0);
    CHECK_INT(vmaf_preallocate_pictures(vmaf, other), 0);
    picture = fetched(vmaf);
    CHECK_INT(picture.bpc, 10);
    CHECK_INT(picture.w[0], 32);
    CHECK_INT(picture.h[1], 16);
    all_bytes_are(&picture, 0);
    CHECK_INT(vmaf_picture_unref(&picture), 0);
    CHECK_INT(vmaf_close(vmaf), 0);
}

int main(void)
{
    layouts_at_every_depth();
    unref_empties();
    memory_used_again_is_zero();
    fetch_waits_for_a_picture();
    reading_gives_back(0);
    reading_gives_back(3);
    pictures_outlive_their_context();
    a_second_pool_replaces_the_first();
    return check_result();
}

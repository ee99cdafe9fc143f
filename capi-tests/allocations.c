/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A warm context allocates nothing for a frame. The allocator's functions are defined here, count, and pass on. */
#include <dlfcn.h>
#include <stdatomic.h>

#include "check.h"

static atomic_ulong allocations;

/* The next definition of an allocator's function, looked up once; glibc's dlsym allocates nothing itself. */
#define NEXT(name) \
    static __typeof__(name) *next; \
    if (next == NULL) \
        *(void **)&next = dlsym(RTLD_NEXT, #name)

void *malloc(size_t size)
{
    NEXT(malloc);
    atomic_fetch_add(&allocations, 1);
    return next(size);
}

void *calloc(size_t count, size_t size)
{
    NEXT(calloc);
    atomic_fetch_add(&allocations, 1);
    return next(count, size);
}

void *realloc(void *memory, size_t size)
{
    NEXT(realloc);
    atomic_fetch_add(&allocations, 1);
    return next(memory, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    NEXT(posix_memalign);
    atomic_fetch_add(&allocations, 1);
    return next(memory, alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    NEXT(aligned_alloc);
    atomic_fetch_add(&allocations, 1);
    return next(alignment, size);
}

void free(void *memory)
{
    NEXT(free);
    next(memory);
}

/* Scores are stored in chunks of 64 indices: only a frame that begins one may allocate, a chunk a score, and here
 * and there a node of the tree that holds the chunks. */
enum { CHUNK = 64, WARM = 8, FRAMES = 200, SCORES = 10 };

static unsigned long in_a_frame(VmafContext *vmaf, struct format format, int pool, unsigned index)
{
    VmafPicture picture[2];
    unsigned long before = atomic_load(&allocations);
    for (int i = 0; i < 2; i++) {
        int got = pool ? vmaf_fetch_preallocated_picture(vmaf, &picture[i])
                       : vmaf_picture_alloc(&picture[i], format.pixel, format.bpc, format.w, format.h);
        REQUIRE(got == 0);
        put_sample(&picture[i], 0, index % format.w, 0, index + (unsigned)i);
    }
    CHECK_INT(vmaf_read_pictures(vmaf, &picture[0], &picture[1], index), 0);
    return atomic_load(&allocations) - before;
}

static void warm_stream(struct format format, int pool, int counted_at_all)
{
    VmafContext *vmaf = context(0);
    VmafPictureConfiguration cfg = { { format.w, format.h, format.bpc, format.pixel }, 2 };
    if (pool)
        CHECK_INT(vmaf_preallocate_pictures(vmaf, cfg), 0);
    CHECK_INT(vmaf_use_feature(vmaf, "psnr", dictionary("enable_mse", "true")), 0);
    CHECK_INT(vmaf_use_feature(vmaf, "float_moment", NULL), 0);
    CHECK_INT(vmaf_use_feature(vmaf, "float_psnr", NULL), 0);
    unsigned long first = in_a_frame(vmaf, format, pool, 0);
    if (counted_at_all)
        CHECK(first > 0);
    for (unsigned index = 1; index < FRAMES; index++) {
        unsigned long counted = in_a_frame(vmaf, format, pool, index);
        unsigned long allowed = index % CHUNK == 0 ? 3 * SCORES : 0;
        if (index >= WARM && counted > allowed) {
            printf("frame %u at %u bits %s a pool: %lu allocations\n", index, format.bpc,
                   pool ? "with" : "without", counted);
            check_failures++;
        }
    }
    CHECK_INT(flush(vmaf), 0);
    CHECK_INT(vmaf_close(vmaf), 0);
}

int main(int argc, char **argv)
{
    int counted_at_all = !is_quick(argc, argv); /* valgrind puts its own functions in place of these. */
    static const unsigned depth[] = { 8, 10, 16 };
    for (int i = 0; i < 3; i++)
        for (int pool = 0; pool <= 1; pool++) {
            struct format format = { VMAF_PIX_FMT_YUV420P, depth[i], 96, 64 };
            warm_stream(format, pool, counted_at_all);
        }
    return check_result();
}

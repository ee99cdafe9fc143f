/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * A real device through the C interface: a CUcontext of the caller's, shared by two contexts and in use after them;
 * device pictures filled on the legacy stream; device memory back at its start after 100 cycles; models' scores, which
 * are the CPU's.
 *
 * Without a device there is nothing to see, which is a failure where VMAF_RS_REQUIRE names cuda.
 */
#include <dlfcn.h>

#include <libvmaf/libvmaf_cuda.h>

#include "check.h"

enum { WIDTH = 320, HEIGHT = 240, FRAMES = 30, CYCLES = 100 };

static int (*cuInit)(unsigned);
static int (*cuDeviceGet)(int *, int);
static int (*cuCtxCreate)(void **, unsigned, int);
static int (*cuCtxDestroy)(void *);
static int (*cuMemGetInfo)(size_t *, size_t *);
static int (*cuMemcpyHtoD)(unsigned long long, const void *, size_t);
static int (*cuMemsetD2D8)(unsigned long long, size_t, unsigned char, size_t, size_t);

static const VmafPictureParameters parameters = { WIDTH, HEIGHT, 8, VMAF_PIX_FMT_YUV420P };

static void *symbol(void *driver, const char *name)
{
    void *found = dlsym(driver, name);
    REQUIRE(found != NULL);
    return found;
}

static int find_driver(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (driver == NULL)
        return 0;
    *(void **)&cuInit = symbol(driver, "cuInit");
    *(void **)&cuDeviceGet = symbol(driver, "cuDeviceGet");
    *(void **)&cuCtxCreate = symbol(driver, "cuCtxCreate_v2");
    *(void **)&cuCtxDestroy = symbol(driver, "cuCtxDestroy_v2");
    *(void **)&cuMemGetInfo = symbol(driver, "cuMemGetInfo_v2");
    *(void **)&cuMemcpyHtoD = symbol(driver, "cuMemcpyHtoD_v2");
    *(void **)&cuMemsetD2D8 = symbol(driver, "cuMemsetD2D8_v2");
    return cuInit(0) == 0;
}

static VmafContext *context_on(VmafCudaState *state)
{
    VmafContext *vmaf = context(0);
    VmafCudaPictureConfiguration pictures = { parameters, VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_DEVICE };
    CHECK_INT(vmaf_cuda_import_state(vmaf, state), 0);
    CHECK_INT(vmaf_cuda_preallocate_pictures(vmaf, pictures), 0);
    CHECK_INT(vmaf_use_feature(vmaf, "float_moment_cuda", NULL), 0);
    CHECK_INT(vmaf_use_feature(vmaf, "psnr_cuda", NULL), 0);
    return vmaf;
}

/* A picture whose luma is all of one value, put there by the legacy stream, which nobody waits for. */
static void fetch(VmafContext *vmaf, VmafPicture *picture, unsigned char value)
{
    CHECK_INT(vmaf_cuda_fetch_preallocated_picture(vmaf, picture), 0);
    CHECK_INT(cuMemsetD2D8((unsigned long long)(uintptr_t)picture->data[0], (size_t)picture->stride[0], value, WIDTH,
                           HEIGHT),
              0);
}

static void read_pair(VmafContext *vmaf, unsigned index)
{
    VmafPicture reference, distorted;
    fetch(vmaf, &reference, (unsigned char)index);
    fetch(vmaf, &distorted, (unsigned char)(index + 3));
    CHECK_INT(vmaf_read_pictures(vmaf, &reference, &distorted, index), 0);
}

static void end(VmafContext *vmaf)
{
    /* Not a constant: a compiler's logarithm may differ from the platform's in the last place. */
    volatile double mse = 9.0;
    double value = -1;
    CHECK_INT(vmaf_read_pictures(vmaf, NULL, NULL, 0), 0);
    for (unsigned index = 0; index < FRAMES; index++) {
        CHECK_INT(vmaf_feature_score_at_index(vmaf, "float_moment_ref1st", &value, index), 0);
        CHECK_BITS(value, (double)index);
        CHECK_INT(vmaf_feature_score_at_index(vmaf, "psnr_y", &value, index), 0);
        CHECK_BITS(value, 10.0 * log10(255.0 * 255.0 / mse));
        CHECK_INT(vmaf_feature_score_at_index(vmaf, "psnr_cb", &value, index), 0);
        CHECK_BITS(value, 60.0);
    }
    CHECK_INT(vmaf_close(vmaf), 0);
}

static VmafCudaState *state_of(void *cu_ctx)
{
    VmafCudaState *state = NULL;
    VmafCudaConfiguration cfg = { cu_ctx };
    REQUIRE(vmaf_cuda_state_init(&state, cfg) == 0);
    return state;
}

static void two_contexts_share_the_callers(void *cu_ctx)
{
    VmafCudaState *states[2] = { state_of(cu_ctx), state_of(cu_ctx) };
    VmafContext *both[2] = { context_on(states[0]), context_on(states[1]) };
    for (unsigned index = 0; index < FRAMES; index++)
        for (int i = 0; i < 2; i++)
            read_pair(both[i], index);
    for (int i = 0; i < 2; i++) {
        end(both[i]);
        CHECK_INT(vmaf_cuda_state_free(states[i]), 0);
    }
    size_t left = 0, all = 0;
    CHECK_INT(cuMemGetInfo(&left, &all), 0);
}

static size_t cycle(void *cu_ctx)
{
    VmafCudaState *state = state_of(cu_ctx);
    VmafContext *vmaf = context_on(state);
    for (unsigned index = 0; index < FRAMES; index++)
        read_pair(vmaf, index);
    end(vmaf);
    CHECK_INT(vmaf_cuda_state_free(state), 0);
    size_t left = 0, all = 0;
    CHECK_INT(cuMemGetInfo(&left, &all), 0);
    return left;
}

static void memory_comes_back(void *cu_ctx)
{
    size_t first = cycle(cu_ctx);
    for (int i = 1; i < CYCLES; i++)
        CHECK_INT(cycle(cu_ctx), first);
}

/* A state without a context of the caller's, closed in both orders and not at all given away. */
static void own_context(void)
{
    VmafCudaState *state = state_of(NULL);
    VmafContext *vmaf = context(0);
    CHECK_INT(vmaf_cuda_import_state(vmaf, state), 0);
    CHECK_INT(vmaf_cuda_import_state(vmaf, state), -EINVAL);
    CHECK_INT(vmaf_cuda_state_free(state), 0);
    CHECK_INT(vmaf_close(vmaf), 0);
    CHECK_INT(vmaf_cuda_state_free(state_of(NULL)), 0);
}

static const struct format format = { VMAF_PIX_FMT_YUV420P, 8, WIDTH, HEIGHT };

/* A device picture with made-up content. */
static VmafPicture copy_of(VmafContext *vmaf, unsigned seed)
{
    VmafPicture host = picture_of(format, seed), copy;
    REQUIRE(vmaf_cuda_fetch_preallocated_picture(vmaf, &copy) == 0);
    for (int plane = 0; plane < 3; plane++)
        for (unsigned y = 0; y < host.h[plane]; y++) {
            unsigned long long row = (unsigned long long)(uintptr_t)copy.data[plane] + y * (size_t)copy.stride[plane];
            const char *from = (const char *)host.data[plane] + y * host.stride[plane];
            REQUIRE(cuMemcpyHtoD(row, from, host.w[plane]) == 0);
        }
    CHECK_INT(vmaf_picture_unref(&host), 0);
    return copy;
}

static void read_copies(VmafContext *vmaf, unsigned index)
{
    VmafPicture reference = copy_of(vmaf, reference_seed(index)), distorted = copy_of(vmaf, distorted_seed(index));
    CHECK_INT(vmaf_read_pictures(vmaf, &reference, &distorted, index), 0);
}

/* The imported device serves the model, on pictures that are there alone. */
static void scores_are_the_cpus(void *cu_ctx, const char *version)
{
    enum { COUNT = 5 };
    VmafModelConfig cfg = { NULL, VMAF_MODEL_FLAGS_DEFAULT };
    VmafModel *model = NULL;
    REQUIRE(vmaf_model_load(&model, &cfg, version) == 0);
    VmafCudaState *state = state_of(cu_ctx);
    VmafContext *cpu = context(0), *cuda = context_on(state);
    CHECK_INT(vmaf_use_features_from_model(cpu, model), 0);
    CHECK_INT(vmaf_use_features_from_model(cuda, model), 0);
    for (unsigned index = 0; index < COUNT; index++) {
        CHECK_INT(read_frame(cpu, format, index), 0);
        read_copies(cuda, index);
    }
    CHECK_INT(flush(cpu), 0);
    CHECK_INT(flush(cuda), 0);
    double expected = NAN, score = NAN;
    for (unsigned index = 0; index < COUNT; index++) {
        CHECK_INT(vmaf_score_at_index(cpu, model, &expected, index), 0);
        CHECK_INT(vmaf_score_at_index(cuda, model, &score, index), 0);
        CHECK_BITS(score, expected);
    }
    CHECK_INT(vmaf_score_pooled(cpu, model, VMAF_POOL_METHOD_HARMONIC_MEAN, &expected, 0, COUNT - 1), 0);
    CHECK_INT(vmaf_score_pooled(cuda, model, VMAF_POOL_METHOD_HARMONIC_MEAN, &score, 0, COUNT - 1), 0);
    CHECK_BITS(score, expected);
    vmaf_model_destroy(model);
    CHECK_INT(vmaf_close(cpu), 0);
    CHECK_INT(vmaf_close(cuda), 0);
    CHECK_INT(vmaf_cuda_state_free(state), 0);
}

int main(void)
{
    const char *required = getenv("VMAF_RS_REQUIRE");
    int device = 0;
    void *cu_ctx = NULL;
    if (!find_driver() || cuDeviceGet(&device, 0) != 0 || cuCtxCreate(&cu_ctx, 0, device) != 0) {
        printf("no device\n");
        return required != NULL && strstr(required, "cuda") != NULL;
    }
    two_contexts_share_the_callers(cu_ctx);
    memory_comes_back(cu_ctx);
    own_context();
    scores_are_the_cpus(cu_ctx, "vmaf_v0.6.1");
    scores_are_the_cpus(cu_ctx, "vmaf_v0.6.1neg");
    scores_are_the_cpus(cu_ctx, "vmaf_v1.0.16_3d0h");
    CHECK_INT(cuCtxDestroy(cu_ctx), 0);
    return check_result();
}

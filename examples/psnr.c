/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Prints the luma PSNR of each frame of two raw 8-bit 4:2:0 files.
 *
 *   cc psnr.c $(pkg-config --cflags --libs vmaf_rs) -o psnr
 *   ./psnr reference.yuv distorted.yuv 352 288
 */
#include <stdio.h>
#include <stdlib.h>
#include <libvmaf/libvmaf.h>

/* Reads a frame into a picture: 1 read, 0 end of file. */
static int read_frame(FILE *file, VmafPicture *picture)
{
    for (int plane = 0; plane < 3; plane++) {
        for (unsigned row = 0; row < picture->h[plane]; row++) {
            char *samples = (char *)picture->data[plane] + row * picture->stride[plane];
            if (fread(samples, 1, picture->w[plane], file) != picture->w[plane])
                return 0;
        }
    }
    return 1;
}

/* Reads the next pair of frames: 1 read, 0 no more, negative on error. */
static int next_pair(VmafContext *vmaf, FILE *file[2], unsigned width, unsigned height, unsigned index)
{
    VmafPicture pair[2];
    int more = 1;
    for (int side = 0; side < 2; side++) {
        int error = vmaf_picture_alloc(&pair[side], VMAF_PIX_FMT_YUV420P, 8, width, height);
        if (error) {
            if (side)
                vmaf_picture_unref(&pair[0]);
            return error;
        }
        more &= read_frame(file[side], &pair[side]);
    }
    int error = more ? vmaf_read_pictures(vmaf, &pair[0], &pair[1], index) : 0;
    if (!more || error) { /* the pictures are still ours */
        vmaf_picture_unref(&pair[0]);
        vmaf_picture_unref(&pair[1]);
    }
    return error ? error : more;
}

int main(int argc, char **argv)
{
    FILE *file[2];
    if (argc != 5 || !(file[0] = fopen(argv[1], "rb")) || !(file[1] = fopen(argv[2], "rb"))) {
        fprintf(stderr, "usage: psnr reference.yuv distorted.yuv width height\n");
        return 1;
    }
    VmafConfiguration configuration = { .log_level = VMAF_LOG_LEVEL_WARNING };
    VmafContext *vmaf;
    if (vmaf_init(&vmaf, configuration) || vmaf_use_feature(vmaf, "psnr", NULL))
        return 1;
    unsigned frames = 0;
    int state;
    while ((state = next_pair(vmaf, file, atoi(argv[3]), atoi(argv[4]), frames)) > 0)
        frames++;
    if (state < 0 || vmaf_read_pictures(vmaf, NULL, NULL, 0))
        return 1;
    for (unsigned index = 0; index < frames; index++) {
        double psnr;
        if (vmaf_feature_score_at_index(vmaf, "psnr_y", &psnr, index))
            return 1;
        printf("%u %.6f\n", index, psnr);
    }
    fclose(file[0]);
    fclose(file[1]);
    return vmaf_close(vmaf) ? 1 : 0;
}

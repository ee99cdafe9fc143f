/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The emulator's interface for the host: kernels by name, run on this thread from the first block to the last.
   src/gpu/emulator/ declares the same in Rust. */
#ifndef VMAF_EMULATOR_H
#define VMAF_EMULATOR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    const char *kernel;
    const void *parameters; /* the structure that the kernel takes */
    size_t bytes;           /* its size */
    uint32_t grid[3];
    uint32_t block;  /* threads of a block, in x */
    uint32_t shared; /* bytes of dynamic shared memory */
    uint64_t seed;  /* orders blocks and threads, and chooses what fresh shared memory holds */
} EmulatedLaunch;

/* The size of the structure that a kernel takes. `image` is the name of its source file without the ending.
   0, or -1 where that file has no such kernel. */
int vmaf_emulator_parameters(const char *image, const char *kernel, size_t *bytes);

/* Runs a kernel. 0, or -1 and a message of less than `room` characters: a barrier that not all threads reach, an
   address that must not be touched, wrong geometry, ... */
int vmaf_emulator_launch(const EmulatedLaunch *launch, char *message, size_t room);

/* The device's address that ended this thread's last failed launch, or 0 where it failed for another reason. */
uint64_t vmaf_emulator_fault(void);

/* Whether the kernels were compiled for AddressSanitizer. */
int vmaf_emulator_sanitized(void);

/* Whether the kernels were compiled so that races are found. */
int vmaf_emulator_finds_races(void);

/* Under AddressSanitizer: makes bytes forbidden (1) or allowed (0) for kernels. Else nothing. */
void vmaf_emulator_forbid(const void *start, size_t bytes, int forbidden);

#ifdef __cplusplus
}
#endif
#endif

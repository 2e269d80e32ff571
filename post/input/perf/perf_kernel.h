/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel that a perf.data was recorded on. */
#ifndef POST_PERF_KERNEL_H
#define POST_PERF_KERNEL_H

#include "input/perf/perf_state.h"

/* Text with the kernel's symbols, owned by p; no data: none. perf_kernel_vdso(): the vdso, if it
 * was recorded on this machine. */
struct blob perf_kernel_symbols(struct perf *p);
/* Only the kernel's address, if there are no symbols: a line that names no code. */
struct blob perf_kernel_place(struct perf *p);
/* Returns the kernel's entries in the table of build ids; the caller frees them. */
struct blob perf_kernel_ids(const struct perf *p);
const void *perf_kernel_vdso(struct perf *p, size_t *size);
/* Extracts a kernel module's name from a mapping's path. False: not a module. */
bool perf_kernel_module(const char *path, char *name, size_t size);

#endif

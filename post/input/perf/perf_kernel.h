/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel that a perf.data was recorded on. */
#ifndef POST_PERF_KERNEL_H
#define POST_PERF_KERNEL_H

#include "input/perf/perf_state.h"

/* Text with the kernel's symbols, owned by p; no data: none. The vdso, if it is this machine's. */
struct blob perf_kernel_symbols(struct perf *p);
/* The place of the kernel alone, for when there are no symbols: a line that names no code. */
struct blob perf_kernel_place(struct perf *p);
/* The kernel's entries in the table of build ids; to be freed. */
struct blob perf_kernel_ids(const struct perf *p);
const void *perf_kernel_vdso(struct perf *p, size_t *size);
/* Gets a kernel module's name from a mapping's path. False: it is none. */
bool perf_kernel_module(const char *path, char *name, size_t size);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a perf.data says of the kernel. */
#ifndef POST_PERF_KERNEL_H
#define POST_PERF_KERNEL_H

#include "input/perf/perf_state.h"

/* The text that kernel symbols are to be had from, which stays the perf's; NULL:
 * none. The vdso, if it is this machine's. */
struct blob perf_kernel_symbols(struct perf *p);
/* The same where they are not to be had: one place alone, which is no name of code. */
struct blob perf_kernel_place(struct perf *p);
/* The kernel's entries of the table of build ids; to be freed. */
struct blob perf_kernel_ids(const struct perf *p);
const void *perf_kernel_vdso(struct perf *p, size_t *size);
/* A kernel module's name of a mapping's path, in `name`. False: it is none. */
bool perf_kernel_module(const char *path, char *name, size_t size);

#endif

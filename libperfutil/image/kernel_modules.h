/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Kernel modules that are loaded and unloaded while tracing is on. Repeated reads of /proc/modules
 * show only whether a module was loaded at the time of each read. The time between two reads is
 * assigned to a module only if no other one, nor the same one at another address or loaded again,
 * can have had the address then; otherwise to none.
 */
#ifndef PITRACE_KERNEL_MODULES_H
#define PITRACE_KERNEL_MODULES_H

#include <pifile.h>

/* The text of /proc/modules, with data that distinguishes loads of one module: a copy, to be freed,
 * or NULL without memory. The functions below compare such copies. */
char *kernel_modules_mark(const char *text);
/* Do two texts of /proc/modules list the same modules at the same addresses? Use counts are
 * ignored. */
bool kernel_modules_same(const char *a, const char *b);
/* Writes MTE records of modules loaded and unloaded between two reads, at `then` and `now`
 * (stamps). 0 or -errno. */
int kernel_modules_write(struct pifile_writer *w, const char *before, const char *after,
			 uint64_t then, uint64_t now);
/* Checks whether a segment has a record of a module being loaded. */
bool kernel_modules_loaded(const void *segment, size_t size);

#endif

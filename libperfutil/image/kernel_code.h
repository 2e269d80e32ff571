/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernel's code during an instruction trace: no file has it, because the kernel modifies its
 * own text. The drain reads from /proc/kcore the pages that the trace's records pass through, as
 * soon as it sees the first such record, and again before the trace ends. Where records stay in the
 * rings until then, all pages are read once, while tracing is still on: turning it off modifies the
 * kernel's text too.
 */
#ifndef PITRACE_KERNEL_CODE_H
#define PITRACE_KERNEL_CODE_H

#include <stddef.h>
#include <pifile.h>

#define KERNEL_CODE_PAGE  4096u
#define KERNEL_CODE_PAGES 8192 /* maximum pages of one file */

struct kernel_code;

/* kcore: /proc/kcore. NULL: no memory, or this user may not read it (errno). Free by
 * kernel_code_free. */
struct kernel_code *kernel_code_new(const char *kcore);
void kernel_code_free(struct kernel_code *k);
/* Scans a segment for executed code and for modules being loaded. */
void kernel_code_scan(struct kernel_code *k, const void *segment, size_t size);
/* Reads the pages found since the last call and writes them as snapshots; w NULL: keeps them in
 * memory. 0 or -errno. */
int kernel_code_flush(struct kernel_code *k, struct pifile_writer *w);
/* Writes the pages kept in memory, which stay. 0 or -errno. */
int kernel_code_write(const struct kernel_code *k, struct pifile_writer *w);
/* Reads all pages again and writes those that have changed. 0 or -errno. */
int kernel_code_check(struct kernel_code *k, struct pifile_writer *w);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernel's code as it was while an instruction trace ran: it is in no file, since the kernel
 * changes its own text. The drain reads, from /proc/kcore, the pages that the trace's records lead
 * through, as soon as it sees the first such record, and once more before the trace ends. Where
 * records stay in the rings until then, all is read once, while tracing is still on: off, too,
 * changes the kernel's text.
 */
#ifndef PITRACE_KERNEL_CODE_H
#define PITRACE_KERNEL_CODE_H

#include <stddef.h>
#include <pifile.h>

#define KERNEL_CODE_PAGE	4096u
#define KERNEL_CODE_PAGES	8192	/* at most, of one file */

struct kernel_code;

/* kcore: /proc/kcore. NULL: no memory, or this user may not read it (errno). */
struct kernel_code *kernel_code_new(const char *kcore);
void kernel_code_free(struct kernel_code *k);
/* Look through a segment for code that was executed, for modules that come. */
void kernel_code_scan(struct kernel_code *k, const void *segment, size_t size);
/* Read the pages that were met since, and write them as snapshots; w NULL: keep them in memory. 0
 * or -errno. */
int kernel_code_flush(struct kernel_code *k, struct pifile_writer *w);
/* Write what is kept, which stays. 0 or -errno. */
int kernel_code_write(const struct kernel_code *k, struct pifile_writer *w);
/* Which of all these pages are different now? They are written again. 0 or -errno. */
int kernel_code_check(struct kernel_code *k, struct pifile_writer *w);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A perf counter's own page: what a thread can read there of a counter of its own, while it runs,
 * without a system call (struct perf_event_mmap_page of linux/perf_event.h has the rules).
 */
#ifndef PITRACE_PERF_PAGE_H
#define PITRACE_PERF_PAGE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

typedef const volatile struct perf_event_mmap_page *perf_page;

/* At this page of memory from now on; 0 or -errno: then, and after unmap, it reads as one that
 * tells nothing. So another thread may be reading at any time. */
int perf_page_map(void *at, int fd);
void perf_page_unmap(void *at);

/* How much it counted; how long it did, in ns. False: the kernel must be asked. */
bool perf_page_count(perf_page page, uint64_t *count);
bool perf_page_time(perf_page page, uint64_t *ns);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The page of a perf counter, from which a running thread reads its own counter without a system
 * call (rules: struct perf_event_mmap_page of linux/perf_event.h).
 */
#ifndef PITRACE_PERF_PAGE_H
#define PITRACE_PERF_PAGE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

typedef const volatile struct perf_event_mmap_page *perf_page;

/* Maps it at this address; 0 or -errno. After a failure and after unmap the memory reads as a page
 * without a counter, so another thread may be reading at any time. */
int perf_page_map(void *at, int fd);
void perf_page_unmap(void *at);

/* Returns the count and the enabled time in ns. False: use the system call. */
bool perf_page_count(perf_page page, uint64_t *count);
bool perf_page_time(perf_page page, uint64_t *ns);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The numbers that a process's threads have here. In a pid namespace of its own, as a container's,
 * a process knows its threads by other numbers, which stand in its records.
 */
#ifndef PITRACE_HOOK_THREADS_H
#define PITRACE_HOOK_THREADS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct hook_thread_number {
	uint32_t inner, here;
	uint64_t looked;  /* at the look of this number it lived */
	uint64_t checked; /* in this scan it had this number */
};

/* Zeroed memory is those of a process that is not known yet. */
struct hook_threads {
	bool known, nested;
	struct hook_thread_number *list; /* in order of the inner numbers */
	uint32_t n, room;
	uint32_t recent;  /* the one that was asked for last */
	uint64_t looks;   /* at all threads of the process */
	uint64_t scanned; /* the scan with the last of them */
};

/*
 * The number here of the thread that the process calls `inner`. In each scan (a number that grows)
 * the numbers are looked at anew. A thread that has ended keeps its number; of one that ended
 * before it was seen none is known but the inner one.
 */
uint32_t hook_threads_here(struct hook_threads *t, pid_t pid, uint32_t inner, uint64_t scan);
void hook_threads_free(struct hook_threads *t);

#endif

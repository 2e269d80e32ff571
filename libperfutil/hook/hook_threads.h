/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Translates thread ids to this namespace. A process in its own pid namespace, as in a container,
 * has other ids for its threads, which are in its records.
 */
#ifndef PITRACE_HOOK_THREADS_H
#define PITRACE_HOOK_THREADS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct hook_thread_number {
	uint32_t inner, here;
	uint64_t looked;  /* the number of the last listing in which it was alive */
	uint64_t checked; /* the scan in which its id was last verified */
};

/* Zeroed memory is the state of an unknown process. */
struct hook_threads {
	bool known, nested;
	struct hook_thread_number *list; /* in order of the inner numbers */
	uint32_t n, room;
	uint32_t recent;  /* index of the last lookup */
	uint64_t looks;   /* number of listings of the process's threads */
	uint64_t scanned; /* the scan in which the last of them was made */
};

/*
 * Returns the id here of the thread that the process calls `inner`. The ids are verified again in
 * each scan (a growing number). A thread that has ended keeps its id; for one that ended before it
 * was seen, only the inner id is known.
 */
uint32_t hook_threads_here(struct hook_threads *t, pid_t pid, uint32_t inner, uint64_t scan);
void hook_threads_free(struct hook_threads *t);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The source of the logs of calls: owns the threads and provides names. */
#ifndef CALL_SOURCE_H
#define CALL_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "call_thread.h"

struct call_source {
	const char *program; /* for messages */
	/* Returns the name of a method number of call_enter(); NULL: not set yet. */
	const char *(*name)(uint32_t method);
	uint32_t (*methods)(void); /* count of numbers so far */
	/* Calls `each` for all threads so far, in the order of their start; no thread starts or
	 * ends meanwhile. */
	void (*each)(void (*each)(void *arg, const struct call_thread *t), void *arg);
	/* Returns the number of threads without a tree, and the reason for the first one. */
	uint64_t (*refused)(const char **why);
	/* Updates the names of running threads; NULL: they are always up to date. */
	void (*rename)(void);
};

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the logs of calls are written from: whoever keeps the threads and knows the names. */
#ifndef CALL_SOURCE_H
#define CALL_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "call_thread.h"

struct call_source {
	const char *program; /* who speaks in messages */
	/* Of a number of call_enter(): its name; NULL: it has none yet. */
	const char *(*name)(uint32_t method);
	uint32_t (*methods)(void); /* numbers so far */
	/* Calls `each` for all threads there were, in the order of their begin; nobody begins or
	 * ends meanwhile. */
	void (*each)(void (*each)(void *arg, const struct call_thread *t), void *arg);
	/* Threads that have no tree; of the first of them why. */
	uint64_t (*refused)(const char **why);
};

#endif

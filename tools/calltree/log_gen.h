/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * log-gen: each entry and exit, written while the program runs. Threads write events into rings; a
 * thread of the agent drains these into the file (log_gen_format.h).
 */
#ifndef LOG_GEN_H
#define LOG_GEN_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "call_source.h"

/* Replaces an existing file. Returns false after a message. */
bool log_gen_begin(const struct call_source *source, const char *path, uint32_t metrics,
		   const char *const *names);
/* Writes all events in the rings; call after the last event. Reports what is missing. */
void log_gen_end(void);
/* Held while rings are drained and names are read: take it before fork(), or the child gets an
 * inconsistent state. */
extern pthread_mutex_t log_gen_lock;
/* Call in the child after fork(): the log remains the parent's. Another one may be started. */
void log_gen_forked(void);

#endif

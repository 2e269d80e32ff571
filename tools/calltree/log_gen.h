/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * log-gen: each entry and exit, written while the program runs. Threads put events into rings; a
 * thread of the agent empties these into the file (log_gen_format.h).
 */
#ifndef LOG_GEN_H
#define LOG_GEN_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "call_source.h"

/* A file of that name is replaced. false, after a message. */
bool log_gen_begin(const struct call_source *source, const char *path, uint32_t metrics,
		   const char *const *names);
/* After the last event: all that is in the rings is written. What is missing is told. */
void log_gen_end(void);
/* Held while rings are emptied and names are asked for: who forks takes it before, or the child has
 * what was half done. */
extern pthread_mutex_t log_gen_lock;
/* After fork(), in the child: the log is the parent's. Another may begin. */
void log_gen_forked(void);

#endif

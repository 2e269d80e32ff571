/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The threads of this process that are sampled, by their ids: all, whoever made them. Handlers look
 * them up with no lock.
 */
#ifndef SAMPLED_THREADS_H
#define SAMPLED_THREADS_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

#include "scs/cpu_ticks.h"

struct sampled_thread {
	_Atomic uint32_t tid; /* 0: free */
	/* Of a thread of Java's: the VM's structure, and JNIEnv; else 0. */
	_Atomic uint64_t java;
	void *_Atomic env;
	atomic_uint asked; /* ticks of the wall clock that are on their way */
	struct cpu_ticks ticks;
	uint32_t round; /* of the list of the process's threads in which it was last */
};

/* period: ns of CPU time, 0: none. */
void sampled_threads_begin(uint64_t period, int signal);
/* Once more changes only what it is of Java's, if java is not 0. 0 or -errno. */
int sampled_threads_add(pid_t tid, uint64_t java, void *env);
void sampled_threads_remove(pid_t tid);
/* Looks through the process's: adds what is new, removes what has ended. except: its own. */
void sampled_threads_scan(pid_t except);
/* No handler has a thread when it returns. */
void sampled_threads_end(void);
/* For handlers: this thread, until sampled_threads_leave. NULL: it is not sampled; leave, too. */
struct sampled_thread *sampled_threads_enter(void);
void sampled_threads_leave(void);
/* All that there are, one after the other: *at begins with 0. Not in handlers. */
struct sampled_thread *sampled_threads_next(unsigned int *at);

#endif

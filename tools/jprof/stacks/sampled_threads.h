/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The threads that are sampled, by their ids: all of the process, those of the VM's own (compilers,
 * garbage collection) too. Handlers look them up with no lock.
 */
#ifndef SAMPLED_THREADS_H
#define SAMPLED_THREADS_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

#include "scs/cpu_ticks.h"

struct sampled_thread {
	_Atomic uint32_t tid; /* 0: free */
	_Atomic uint64_t java; /* the VM's structure; 0: none of Java's */
	void *_Atomic env;     /* JNIEnv */
	atomic_uint asked; /* ticks of the wall clock that are on their way */
	struct cpu_ticks ticks;
	uint32_t round; /* of the list of the process's threads in which it was last */
};

/* period: ns of CPU time, 0: none. */
void sampled_threads_begin(uint64_t period, int signal);
/* A thread of Java, on it or by the VM; or (java 0) another one. Once more changes only what it is.
 * 0 or -errno. */
int sampled_threads_add(pid_t tid, uint64_t java, void *env);
void sampled_threads_remove(pid_t tid);
/* Looks through the process's: adds what is new, removes what has ended. except: its own. */
void sampled_threads_scan(pid_t except);
void sampled_threads_end(void);
/* NULL: it is not sampled. For handlers. */
struct sampled_thread *sampled_threads_find(pid_t tid);
/* All that there are, one after the other: *at begins with 0. Not in handlers. */
struct sampled_thread *sampled_threads_next(unsigned int *at);

#endif

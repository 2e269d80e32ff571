/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The sampled threads of this process, by id: all of them, whoever created them. Handlers look them
 * up without a lock.
 */
#ifndef SAMPLED_THREADS_H
#define SAMPLED_THREADS_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

#include "scs/cpu_ticks.h"

struct sampled_thread {
	_Atomic uint32_t tid; /* 0: free */
	/* For a Java thread: the VM's structure, and JNIEnv; else 0. */
	_Atomic uint64_t java;
	void *_Atomic env;
	atomic_uint asked; /* wall clock ticks sent but not handled yet */
	struct cpu_ticks ticks;
	uint32_t round; /* the last scan of the process's threads that found it */
};

/* period: ns of CPU time, 0: none. */
void sampled_threads_begin(uint64_t period, int signal);
/* For a known thread only updates the Java fields, if java is not 0. 0 or -errno. */
int sampled_threads_add(pid_t tid, uint64_t java, void *env);
void sampled_threads_remove(pid_t tid);
/* Scans the process's threads: adds new ones, removes ended ones. except: the scanning thread
 * itself. */
void sampled_threads_scan(pid_t except);
/* When it returns no handler uses a thread. */
void sampled_threads_end(void);
/* For handlers: returns this thread, valid until sampled_threads_leave. NULL: it is not sampled;
 * call leave in this case too. */
struct sampled_thread *sampled_threads_enter(void);
void sampled_threads_leave(void);
/* Iterates over all threads: *at begins with 0. Not in handlers. */
struct sampled_thread *sampled_threads_next(unsigned int *at);

#endif

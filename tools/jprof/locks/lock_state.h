/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State that JLML's events and JLM's hooks share. No VM function is called with the lock held. */
#ifndef LOCK_STATE_H
#define LOCK_STATE_H

#include <jvmti.h>
#include <pthread.h>
#include <stdatomic.h>

#include "lock_table.h"
#include "lock_thread.h"

struct lock_state {
	pthread_mutex_t lock; /* guards adding records, and all of their fields but the gets */
	jvmtiEnv *vm;
	struct lock_table table;
	uint64_t since;        /* start of the recording: holds that began before count no time */
	atomic_uint recording; /* its number */
	atomic_bool counts;    /* gets are counted: JLM */
};
extern struct lock_state lock_state;

/* Returns this thread's state for the current recording, also of a virtual thread. NULL: no memory.
 */
struct lock_thread *lock_thread_here(void);
/* Call it at the end of a thread: `thread` is the current one, or NULL. */
void lock_thread_free(jvmtiEnv *vm, jthread thread);

static inline struct lock_record *lock_record_of(struct lock_id id)
{
	return lock_table_get(&lock_state.table, id.number);
}

#endif

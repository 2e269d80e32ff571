/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What JLML's events and JLM's hooks share. With the lock held no function of the VM is called. */
#ifndef LOCK_STATE_H
#define LOCK_STATE_H

#include <jvmti.h>
#include <pthread.h>
#include <stdatomic.h>

#include "lock_table.h"
#include "lock_thread.h"

struct lock_state {
	pthread_mutex_t lock; /* of the table's new records, and of all but gets in them */
	jvmtiEnv *vm;
	struct lock_table table;
	uint64_t since;        /* the recording's begin: what had begun before counts no time */
	atomic_uint recording; /* its number */
	atomic_bool counts;    /* gets: JLM */
};
extern struct lock_state lock_state;

/* This thread's, virtual or not, of this recording. NULL: no memory. */
struct lock_thread *lock_thread_here(void);
/* JNI's end of a thread: it is the caller's, or NULL. */
void lock_thread_free(jvmtiEnv *vm, jthread thread);

static inline struct lock_record *lock_record_of(struct lock_id id)
{
	return lock_table_get(&lock_state.table, id.number);
}

#endif

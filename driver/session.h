/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A session: scope, majors, rings, state. Hooks see the sessions that are on through active[],
 * with preemption off; who takes one out waits for all such sections before it frees.
 */
#ifndef PITRACE_SESSION_H
#define PITRACE_SESSION_H

#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include "buffer.h"
#include "tprof.h"

#define PITRACE_PIDS	(4 * 1024 * 1024)	/* PID_MAX_LIMIT of 64-bit kernels */
#define PITRACE_SEEN	4096			/* files whose build id was asked for */

struct session_cpu {
	struct ring ring[PITRACE_RINGS];
	struct tprof_cpu tprof;
	struct pitrace_cpu *page;
	void *data;			/* both rings: MTE, then trace */
};

struct session {
	u32 id;
	u32 mode;
	u32 scope;
	u32 clock;
	int state;			/* enum pitrace_state; hooks read it */
	u32 rate;
	u32 dither;
	u64 seed;
	u64 interval;
	DECLARE_BITMAP(majors, PITRACE_MAJORS);
	unsigned long *pids;		/* SCOPE_PROCESS: a bit for each tgid in scope */
	struct pid *root;		/* … the process it began with */

	unsigned int ncpus;
	struct session_cpu **cpu;	/* NULL where a CPU has no rings */
	struct pitrace_control *control;
	unsigned long control_bytes;
	unsigned long mte_bytes, trace_bytes, segment_bytes;

	struct mutex lock;		/* on, off, setup */
	struct mutex consumer;		/* consume, flush: never waits for `lock` */
	wait_queue_head_t wait;
	struct irq_work wake;
	struct delayed_work sync;	/* a clock sync each second */
	struct work_struct rescan;	/* all live tasks again, after MTE records were lost */
	u64 walked;			/* MTE records lost before the last walk */
	bool told_unstable;
	u64 *seen;

	struct mm_struct *mm;		/* the pages are charged to it */
	unsigned long charged;
};

extern struct session *active[PITRACE_MAX_SESSIONS];
extern struct mutex sessions_lock;	/* active[] and its users, CPU hotplug's view of them */

/* In a hook, preemption off. */
#define for_each_active(s, i) \
	for ((i) = 0; (i) < PITRACE_MAX_SESSIONS; (i)++) \
		if (((s) = READ_ONCE(active[i])))

struct session *session_create(const struct pitrace_session_args *args);
void session_destroy(struct session *s);	/* off, nobody sees it any more */
int session_flush(struct session *s, u32 what);
int session_consume(struct session *s, const struct pitrace_consume_args *args);
unsigned int sessions_alive(void);

/* From any context: a ring filled in normal mode; the consumer has something to do. */
void session_stop(struct session *s, u32 cpu, u32 ring);
void session_wake(struct session *s);
void session_set_state(struct session *s, int state);

static inline bool session_mte(const struct session *s)
{
	int state = READ_ONCE(s->state);

	return state >= PITRACE_STATE_STARTING && state <= PITRACE_STATE_SUSPENDED;
}

static inline bool session_has(const struct session *s, pid_t tgid)
{
	return s->scope == PITRACE_SCOPE_SYSTEM ||
	       (tgid > 0 && tgid < PITRACE_PIDS && test_bit(tgid, s->pids));
}

static inline struct ring *session_ring(const struct session *s, unsigned int cpu, u32 kind)
{
	return cpu < s->ncpus && s->cpu[cpu] ? &s->cpu[cpu]->ring[kind] : NULL;
}

#endif

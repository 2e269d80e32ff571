/* SPDX-License-Identifier: GPL-2.0 */
/* Which threads a session traces, from when to when. */
#ifndef PITRACE_ITRACE_SCOPE_H
#define PITRACE_ITRACE_SCOPE_H

#include <linux/pid.h>
#include <linux/types.h>
#include "arch/arch.h"
#include "core/file_id.h"
#include "pitrace.h"

struct it_thread;
struct session;
struct task_struct;

/* A byte of a file that is mapped somewhere; no inode: an address itself. */
struct itrace_place {
	struct file_id file;
	u64 address;
};

/* Of a session; may change while it is off. */
struct itrace {
	u32 flags;			/* PITRACE_ITRACE_* */
	u32 scope;			/* enum pitrace_itrace_scope */
	s32 first, last;
	struct pid_namespace *ns;	/* of these */
	u32 listed;
	struct pid *list[PITRACE_ITRACE_LIST];
	u64 skip, limit;
	struct itrace_place start, stop;
	bool on;			/* threads may join */
	bool paused;			/* … but none is armed */
	u32 threads;			/* in the table; its lock is held */
	pid_t holder;			/* who reads the rings is not traced */
	u64 *code;			/* CODE: sums of what was written already */
};

#if ARCH_ITRACE
int itrace_set(struct session *s, const struct pitrace_itrace_args *args);
void itrace_free(struct session *s);
/* Threads join; those that run here now are armed before it returns. */
void itrace_on(struct session *s, enum pitrace_itrace_why why);
/* None is armed any more when this returns; they leave, or (pause) wait for the next on. */
void itrace_off(struct session *s, bool pause);
/* At load; what it adds can be recorded here. */
void itrace_init(u64 *majors);
void itrace_uninit(void);
bool itrace_served(void);
/* What its majors need: memory. */
int itrace_prepare(struct session *s);
#else
static inline int itrace_set(struct session *s, const struct pitrace_itrace_args *args)
{
	return -EOPNOTSUPP;
}
static inline void itrace_free(struct session *s) { }
static inline void itrace_on(struct session *s, enum pitrace_itrace_why why) { }
static inline void itrace_off(struct session *s, bool pause) { }
static inline void itrace_init(u64 *majors) { }
static inline void itrace_uninit(void) { }
static inline int itrace_prepare(struct session *s) { return 0; }
#endif

/* In a hook: a child of the current thread. `t`: that one, if it is traced. */
void it_scope_fork(const struct it_thread *t, struct task_struct *child);

#endif

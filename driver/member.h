/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who may trace what. With CAP_PERFMON: all. Without, whoever may open the device (group pitrace):
 * processes of his own that are dumpable and have no capability that he lacks, their user code
 * alone. Asked at open, at on, and of the current thread at each record: programs gain credentials.
 */
#ifndef PITRACE_MEMBER_H
#define PITRACE_MEMBER_H

#include <linux/compiler.h>
#include <linux/sched.h>
#include "session.h"

#define MEMBER_SESSIONS	2	/* a uid's */
#define MEMBERS_SLOTS	(PITRACE_MAX_SESSIONS - 2)	/* all members' together */

/* A session of a caller without CAP_PERFMON has his credentials from here on. */
void member_init(struct session *s);
/* May he have one more, in this slot? Under sessions_lock. May he see the process of its scope?
 * 0 or -errno, both. */
int member_take_slot(struct session *s, unsigned int slot);
int member_check_scope(struct session *s);
void member_free_slot(unsigned int slot);
/* May the caller turn this session on? Processes that he may not see any more leave its scope. */
int member_start(struct session *s);
/* May a session's owner see this process? */
bool member_may_see(const struct session *s, struct task_struct *task);
/* May it be set up so? */
int member_check_setup(const struct session *s, const struct pitrace_setup_args *args);
/* The current process has new credentials: out of the scopes of those who may not see it now. */
void member_leave(void);

bool member_sees_current_slowly(const struct session *s);
/* Of the current thread, anywhere; preemption off. */
static inline bool member_sees_current(const struct session *s)
{
	return likely(!s->cred) || member_sees_current_slowly(s);
}

#endif

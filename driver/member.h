/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who may trace or watch what. With CAP_PERFMON: all. Without, whoever may open the device (group
 * pitrace): processes of his own that are dumpable and have no capability that he lacks, their user
 * code alone. Asked at open, at on, and of the current thread at each record: programs gain
 * credentials.
 */
#ifndef PITRACE_MEMBER_H
#define PITRACE_MEMBER_H

#include <linux/compiler.h>
#include <linux/sched.h>
#include "session.h"

/* A session of a caller without CAP_PERFMON has his credentials, and counts as his, from here on.
 * 0 or -errno. */
int member_init(struct session *s);
void member_exit(struct session *s);
/* May he see the process of its scope? 0 or -errno. */
int member_check_scope(struct session *s);
/* May the caller turn this session on? Processes that he may not see any more leave its scope. */
int member_start(struct session *s);
/* May the caller use what belongs to this owner (NULL: to no member)? */
bool member_may_use(const struct cred *owner);
/* May an owner see this process? */
bool member_may_see(const struct cred *owner, struct task_struct *task);
/* This thread, which does not run, is about to, or is the current one; preemption off. */
bool member_sees(const struct cred *owner, const struct task_struct *task);
/* Is its memory for its own user's eyes? As above. */
bool member_dumpable(const struct task_struct *task);
/* May it be set up so? */
int member_check_setup(const struct session *s, const struct pitrace_setup_args *args);
/* The current process has new credentials: out of the scopes of those who may not see it now. */
void member_leave(void);

/* Of the current thread, anywhere; preemption off. */
static inline bool member_sees_current(const struct session *s)
{
	return likely(!s->cred) || member_sees(s->cred, current);
}

#endif

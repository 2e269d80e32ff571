/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who may trace or watch what. With CAP_PERFMON: all. Without, whoever may open the device (group
 * pitrace): processes of his own that are dumpable and have no capability that he lacks, their user
 * code alone. Asked at open, at on, and of the current thread at each record: programs gain
 * credentials.
 */
#ifndef PITRACE_ACCESS_H
#define PITRACE_ACCESS_H

#include <linux/compiler.h>
#include <linux/sched.h>
#include "core/session.h"

/* A session of a caller without CAP_PERFMON has his credentials, and counts as his, from here on.
 * 0 or -errno. */
int member_init(struct session *s);
void member_exit(struct session *s);
/* May he see the process of its scope? 0 or -errno. */
int member_check_scope(struct session *s);
/* It is about to be turned on: processes that its owner may not see any more leave its scope. */
void member_start(struct session *s);
/*
 * The rule of descriptors: may the caller use this session or ptt of this owner (NULL: of one with
 * CAP_PERFMON)? However he has come by it, it is asked at each call: he has CAP_PERFMON, or he is
 * the member who made it, with the credentials that he had then. What may be done with it is
 * another matter: that is settled by who made it, not by who holds it.
 */
bool member_may_use(const struct cred *owner);
/* May an owner see this process? */
bool member_may_see(const struct cred *owner, struct task_struct *task);
/* This thread, which does not run, is about to, or is the current one; preemption off. */
bool member_sees(const struct cred *owner, const struct task_struct *task);
/* Has it no credentials that an owner lacks? The part of it that the thread alone changes. */
bool member_covers(const struct cred *owner, const struct task_struct *task);
/* Is its memory for its own user's eyes? As above. */
bool member_dumpable(const struct task_struct *task);
/* May the current thread be made to wait for this session's consumer? Never init; of others who is
 * its maker's own, or any if he has CAP_SYS_PTRACE. Preemption off. */
bool member_may_halt(const struct session *s);
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

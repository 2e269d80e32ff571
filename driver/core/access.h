/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Access: which users may trace or watch which processes. A caller with CAP_PERFMON may trace
 * everything. A member, which is any other user who may open the device (group pitrace), may trace
 * processes of its own that are dumpable and have no capability that it lacks, and only their user
 * code. That is checked at open, at on, and for the current thread at each record, because programs
 * gain credentials.
 *
 * An owner is the credentials of the member who made a session or a ptt; NULL: its maker had
 * CAP_PERFMON. Functions named _rcu take no lock and are for any context; their owner is not NULL.
 */
#ifndef PITRACE_ACCESS_H
#define PITRACE_ACCESS_H

#include <linux/compiler.h>
#include <linux/sched.h>
#include "core/session.h"

/* A new session gets the caller's credentials, and for a member also the user's quota. Returns 0 or
 * -errno. session_owner_exit() releases both. */
int session_owner_init(struct session *s);
void session_owner_exit(struct session *s);

/*
 * The rule of descriptors, at each call: may the caller use this owner's session or ptt? It needs
 * CAP_PERFMON, or must be the member who made it, with the same credentials, however it got the
 * descriptor. Rights depend on the maker alone, not on the holder.
 */
bool caller_may_use(const struct cred *owner);
/* May the owner trace this process? Takes the task's lock; an owner of NULL may trace all. */
bool owner_may_trace(const struct cred *owner, struct task_struct *task);
/* The same for the current thread, or for one that is not running or about to run. Preemption
 * off. */
bool cred_covers_task_rcu(const struct cred *owner, const struct task_struct *task);
/* The first of its two parts: the task has no credentials that the owner lacks. */
bool cred_covers_task_cred(const struct cred *owner, const struct task_struct *task);
/* The second part: the current thread, or one that does not run, is dumpable. */
bool access_task_dumpable(const struct task_struct *task);

/* May the owner trace the process of a new session's scope? 0 or -errno. */
int access_check_scope(struct session *s);
/* May the owner set up the session with these arguments? 0 or -errno. */
int access_check_setup(const struct session *s, const struct pitrace_setup_args *args);
/* Called before a session is turned on: removes processes that its owner may no longer trace from
 * its scope. */
void access_prune_scope(struct session *s);
/* The current process has new credentials: removes it from the scopes of owners who may not trace
 * it. */
void access_drop_current(void);
/* May the current thread be made to wait for this session's consumer? Never init; other threads if
 * they belong to the maker, or if the maker has CAP_SYS_PTRACE. Preemption off. */
bool session_may_halt_current(const struct session *s);

/* May the session's owner trace the current thread? In any context; preemption off. */
static inline bool session_may_trace_current(const struct session *s)
{
	return likely(!s->cred) || cred_covers_task_rcu(s->cred, current);
}

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* The processes in a session's scope. */
#ifndef PITRACE_SCOPE_H
#define PITRACE_SCOPE_H

#include <linux/types.h>

struct pitrace_session_args;
struct session;
struct task_struct;

/* Sets the scope of a new session from the caller's arguments: 0 or -errno. */
int scope_get(struct session *s, const struct pitrace_session_args *args);
/* In a hook: a new process gets its parent's scope, even if its pid was in use before. */
void scope_fork(const struct task_struct *parent, const struct task_struct *child);
/* Called when the session is turned on; its hooks record since `begin` (ns since boot). Removes
 * processes that ended while it was off, and those that reused their pids. */
void scope_begin(struct session *s, u64 begin);

#endif

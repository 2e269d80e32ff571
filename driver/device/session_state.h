/* SPDX-License-Identifier: GPL-2.0 */
/* The states of sessions: set up, on, off, suspended; their CPUs and clocks. */
#ifndef PITRACE_SESSION_STATE_H
#define PITRACE_SESSION_STATE_H

#include "pitrace.h"

struct session;

/* Functions return 0 or -errno; -EBUSY, -EALREADY or -EINVAL if they need another state. */
extern u64 session_majors[PITRACE_MAJORS / 64]; /* the majors that this driver can record here */
int session_setup(struct session *s, const struct pitrace_setup_args *args);
int session_on(struct session *s);
int session_off(struct session *s);
int session_suspend(struct session *s, bool suspend);
int session_rescan(struct session *s);

/* Writes a clock sync into every active session, for hotplug and suspend. */
void sessions_sync(enum pitrace_sync_why why);
void sessions_cpu_online(unsigned int cpu);
void sessions_cpu_offline(unsigned int cpu);

#endif

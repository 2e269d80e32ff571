/* SPDX-License-Identifier: GPL-2.0 */
/* Sessions' states: set up, on, off, paused; their CPUs and clocks. */
#ifndef PITRACE_SESSION_STATE_H
#define PITRACE_SESSION_STATE_H

#include "pitrace.h"

struct session;

/* 0 or -errno; what needs another state is -EBUSY, -EALREADY, -EINVAL. */
extern u64 session_majors[PITRACE_MAJORS / 64]; /* what this driver can record here */
int session_setup(struct session *s, const struct pitrace_setup_args *args);
int session_on(struct session *s);
int session_off(struct session *s);
int session_suspend(struct session *s, bool suspend);
int session_rescan(struct session *s);

/* A clock sync in every active session, for hotplug and suspend. */
void sessions_sync(enum pitrace_sync_why why);
void sessions_cpu_online(unsigned int cpu);
void sessions_cpu_offline(unsigned int cpu);

#endif

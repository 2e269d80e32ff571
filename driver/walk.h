/* SPDX-License-Identifier: GPL-2.0 */
/* All live tasks in a session's scope, written into it. */
#ifndef PITRACE_WALK_H
#define PITRACE_WALK_H

struct session;

/* 0 or -errno (-ENOMEM, -EINTR). May sleep, and waits for the consumer where there is one. */
int walk_tasks(struct session *s);

#endif

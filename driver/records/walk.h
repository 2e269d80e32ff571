/* SPDX-License-Identifier: GPL-2.0 */
/* Writes all live tasks in a session's scope. */
#ifndef PITRACE_WALK_H
#define PITRACE_WALK_H

#include <linux/types.h>

struct session;

/* 0 or -errno (-ENOMEM, -EINTR). May sleep, and waits for the consumer where there is one. A
 * worker, which cannot be killed, passes a flag to stop it; others NULL. */
int walk_tasks(struct session *s, const bool *end);

#endif

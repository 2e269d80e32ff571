/* SPDX-License-Identifier: GPL-2.0 */
/* All live tasks in a session's scope, written into it. */
#ifndef PITRACE_WALK_H
#define PITRACE_WALK_H

#include <linux/types.h>

struct session;

/* 0 or -errno (-ENOMEM, -EINTR). May sleep, and waits for the consumer where there is one. A
 * worker, which cannot be killed, gives the flag that ends it; others NULL. */
int walk_tasks(struct session *s, const bool *end);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Waits for stops of a traced thread, with a time limit: a thread in a system call that cannot be
 * interrupted stops only after it. */
#ifndef PATCH_STOPS_H
#define PATCH_STOPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum stop_wait { STOP_CAME, STOP_NOT_YET, STOP_GONE };

/* Called in a child of `parent` that traces: blocks all signals, SIGCHLD is waited for. */
void stops_begin(pid_t parent);
/* The parent has died: the tracer should detach soon. */
bool stops_orphaned(void);
/* Waits even if the parent has died. A thread that executes one instruction must stop before the
 * tracer ends: else the trap flag stays set, and its trap ends the program. */
enum stop_wait stops_wait(pid_t tid, int *status, int ms);
/* Returns early if the parent has died. */
enum stop_wait stops_wait_parent(pid_t tid, int *status, int ms);
int64_t stops_now(void); /* ms */

#endif

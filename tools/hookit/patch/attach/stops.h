/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Waits for stops of a traced thread, with a time limit: a thread in a system call that cannot be
 * interrupted stops only after it. */
#ifndef PATCH_STOPS_H
#define PATCH_STOPS_H

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

enum stop_wait { STOP_CAME, STOP_NOT_YET, STOP_GONE };

/* Between these, SIGCHLD is blocked, so that it can be waited for: it reports a stop. */
void stops_begin(sigset_t *had);
void stops_end(const sigset_t *had);
enum stop_wait stops_wait(pid_t tid, int *status, int ms);
int64_t stops_now(void); /* ms */

#endif

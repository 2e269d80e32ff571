/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stops of a traced thread, waited for no longer than so long: one in a system call that nothing
 * interrupts stops when that is over. */
#ifndef PATCH_STOPS_H
#define PATCH_STOPS_H

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

enum stop_wait { STOP_CAME, STOP_NOT_YET, STOP_GONE };

/* Between these SIGCHLD waits: it says that a thread has stopped. */
void stops_begin(sigset_t *had);
void stops_end(const sigset_t *had);
enum stop_wait stops_wait(pid_t tid, int *status, int ms);
int64_t stops_now(void); /* ms */

#endif

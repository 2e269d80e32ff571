/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes the logs before a signal ends the program (where interrupted.h knows the registers). Only
 * signals with the default action are caught; a handler that the program sets replaces this one.
 * The program then ends by the same signal, with the same core dump.
 */
#ifndef FATAL_SIGNALS_H
#define FATAL_SIGNALS_H

#include <stdbool.h>

struct fatal_writer {
	/* Runs in a thread of its own, at most once. */
	void (*finish)(void);
	/* `finish` has faulted: what it has written is incomplete. Async-signal-safe. */
	void (*gave_up)(void);
	/* Whether the calling thread's data are being changed. Async-signal-safe. */
	bool (*busy)(void);
};

void fatal_signals_watch(const struct fatal_writer *w);
/* Whether signals are caught: threads then need a stack for the handler (overflow_stack.h). */
bool fatal_signals_watched(void);
/* Restores the default action where it was replaced. */
void fatal_signals_restore(void);
/* Called in the child of fork(). */
void fatal_signals_forked(void);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes the logs before a signal ends the program (x86-64). Only signals with the
 * default action are caught; a handler that the program sets replaces this one. The program then
 * ends by the same signal, with the same core dump.
 */
#ifndef FATAL_SIGNALS_H
#define FATAL_SIGNALS_H

#include <stdbool.h>

/* `finish` runs in a thread of its own, at most once. `busy` reports whether the calling thread's
 * data are being changed; it must be async-signal-safe. */
void fatal_signals_watch(void (*finish)(void), bool (*busy)(void));
/* Restores the default action where it was replaced. */
void fatal_signals_restore(void);
/* Called in the child of fork(). */
void fatal_signals_forked(void);

#endif

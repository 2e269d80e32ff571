/* SPDX-License-Identifier: GPL-2.0 */
/* Defers work that may sleep to the current thread's way back to user code (work.c does it). */
#ifndef PITRACE_ITRACE_DEFER_H
#define PITRACE_ITRACE_DEFER_H

#include "itrace/itrace_table.h"

enum it_deferred {
	IT_DEFER_SIGNAL,    /* a handler is about to run */
	IT_DEFER_ADDRESSES, /* look up the start and stop addresses */
	IT_DEFER_CODE,      /* check whether the next code is in a file */
	IT_DEFER_ROOM,      /* wait for the consumer */
	IT_DEFER_REACH,     /* fault in memory that must be present */
};
void it_defer(struct it_thread *t, enum it_deferred what);

#endif

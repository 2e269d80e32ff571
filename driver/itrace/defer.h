/* SPDX-License-Identifier: GPL-2.0 */
/* Have the current thread, which is on its way to user code, do what may sleep (work.c does it). */
#ifndef PITRACE_ITRACE_DEFER_H
#define PITRACE_ITRACE_DEFER_H

#include "itrace/itrace_table.h"

enum it_deferred {
	IT_DEFER_SIGNAL,    /* a handler is about to run */
	IT_DEFER_ADDRESSES, /* where are the start and stop addresses? */
	IT_DEFER_CODE,      /* check whether the code ahead is in a file */
	IT_DEFER_ROOM,      /* wait for the consumer */
	IT_DEFER_REACH,     /* get memory that must be there */
};
void it_defer(struct it_thread *t, enum it_deferred what);

#endif

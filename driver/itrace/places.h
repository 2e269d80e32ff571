/* SPDX-License-Identifier: GPL-2.0 */
/* Where the start and stop addresses are in the current process. */
#ifndef PITRACE_ITRACE_PLACES_H
#define PITRACE_ITRACE_PLACES_H

struct it_thread;

/* For the current thread; it may sleep. */
void it_places_find(struct it_thread *t);

#endif

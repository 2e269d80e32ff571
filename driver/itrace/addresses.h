/* SPDX-License-Identifier: GPL-2.0 */
/* Finds the start and stop addresses in the current process. */
#ifndef PITRACE_ITRACE_ADDRESSES_H
#define PITRACE_ITRACE_ADDRESSES_H

struct it_thread;

/* Finds those of the current thread; may sleep. */
void it_addresses_find(struct it_thread *t);

#endif

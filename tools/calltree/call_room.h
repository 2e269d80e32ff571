/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The memory of a thread's tree: address space is reserved when it begins, and what is used of it
 * grows from there. What is not used yet may not be accessed, so that a program which locks its
 * memory (mlockall) does not lock gigabytes of nothing. Where no more is to be had nothing changes.
 */
#ifndef CALL_ROOM_H
#define CALL_ROOM_H

#include "call_thread.h"

/* For as many nodes, or counters of sequences, again. false: there is no more room. */
bool call_room_nodes(struct call_thread *t);
bool call_room_more(struct call_thread *t);
/* Another table, empty and twice as large. */
bool call_room_table(struct call_thread *t);
/* For one frame more than the next one, so far as there is. */
void call_room_frames(struct call_thread *t);

#endif

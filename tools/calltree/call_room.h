/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The memory of a thread's tree: address space is reserved when the thread starts, and made
 * accessible as it is needed. The rest is inaccessible, so that a program which locks its memory
 * (mlockall) does not lock gigabytes of unused memory. If growing fails, nothing changes.
 */
#ifndef CALL_ROOM_H
#define CALL_ROOM_H

#include "call_thread.h"

/* Doubles the room for nodes, or for counters of sequences. false: the limit is reached. */
bool call_room_nodes(struct call_thread *t);
bool call_room_more(struct call_thread *t);
/* Replaces the hash table by an empty one of twice the size. */
bool call_room_table(struct call_thread *t);
/* Provides one frame more than the next one needs, up to the limit. */
void call_room_frames(struct call_thread *t);

#endif

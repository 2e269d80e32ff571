/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a thread has called: a tree with a node for each path of calls, and the stack of what is
 * being called now. Only the thread itself writes it. All of its memory is reserved when it
 * begins, and taken from the kernel as it is used: an event allocates nothing.
 */
#ifndef CALL_THREAD_H
#define CALL_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "call_ring.h"
#include "sequence.h"
#include "value_spread.h"

#define CALL_METRICS   8
#define NODE_SEQUENCES 4
#define NO_METHOD      UINT32_MAX

struct call_node {
	uint32_t method;              /* its number; of node 0, the thread, NO_METHOD */
	uint32_t parent, child, next; /* nodes; 0: none */
	uint32_t recent;              /* of its children the one that was called last */
	uint32_t type;                /* enum frame_type, static or not */
	uint64_t calls, calls_made;
	uint32_t dispatches, interrupts;
	/* How often each sequence ended here, so that the final minima serve. */
	uint16_t sequence[NODE_SEQUENCES];
	uint64_t times[NODE_SEQUENCES];
	uint32_t more; /* of the thread's list: what does not fit; 0: none */
};

/* A sequence that has no room in its node. */
struct call_more {
	uint32_t next;
	uint16_t sequence;
	uint64_t times;
};

/* Which frame it is and where in Java code its begin was told, for who knows it. */
struct call_place {
	uintptr_t frame, site;
};

struct call_frame {
	uint32_t node, method;
	struct call_place at;
	const void *known; /* what the method was told by, for who knows it */
};

/* Of the reserved memory a part that grows: from where, how much of it there is, at most. */
struct call_area {
	size_t from, have, most;
};

enum call_area_of { AREA_FRAMES, AREA_MORE, AREA_TABLE, AREA_NODES, AREA_RAW, CALL_AREAS };

_Static_assert(sizeof(struct call_node) <= 96, "of a node, which there are many of");

/* What each event reads or writes comes first: two cache lines. */
struct call_thread {
	uint64_t last[CALL_METRICS]; /* the late read of the last event */
	uint16_t sequence;           /* that ended with the last event */
	bool plain;                  /* the owner's: its events count, and there is no ring */
	bool anew;                   /* the owner's: what it has is of a log that was written */
	bool untaught;               /* the owner's: the next event teaches nothing of its cost */
	uint32_t top;                /* the node that runs */
	uint32_t deepest;
	uint32_t levels;           /* the next frame needs room, or has the last one's node */
	uint32_t depth;            /* frames; those beyond `deepest` are counted, but not kept */
	struct call_frame *frames; /* before the first one lies one with node 0 and NO_METHOD */
	struct call_node *nodes;
	uint64_t *raw;               /* `metrics` values for each node */
	uint64_t *minimum;           /* SEQUENCES times `metrics`; NULL: it has ended */
	struct value_spread *spread; /* likewise: where the minimum is 0 it has nothing */
	struct call_ring *ring;      /* each event goes there too; NULL: none does */
	uint64_t entries, exits, unwinds;
	/* Of the last event's values the places in their spreads, which count with the next one:
	 * CPUs hold back a read of the counter until they know where all writes before it go. */
	uint32_t *place[CALL_METRICS];
	uint32_t no_place;
	uint32_t metrics;
	uint32_t used, room, most_nodes;
	uint32_t beyond; /* the node of calls for which there is no room */
	uint32_t *table; /* nodes by parent and method; of table_size, a power of two */
	uint32_t table_size;
	size_t table_at; /* where in the reserved memory the next, larger one begins */
	uint64_t dispatches, interrupts; /* of the thread, when the last event ended */
	struct call_more *more;
	uint32_t more_used, more_room;
	uint32_t most_levels; /* frames beyond these have the last one's node */
	/* What could not be kept: frames too deep, calls without a node, sequences without a
	 * counter, ends of what had not begun. */
	uint64_t too_deep, too_many, uncounted, unknown;
	uint64_t popped;
	uint64_t backwards; /* values that were less than the one before: taken for no time */
	/* The owner's. */
	struct call_thread *next_thread, **place_of, *next_resting;
	bool pops;    /* what ends without a word was popped; else an exception has left it */
	bool stale;   /* events were missed: which methods it is in is not known */
	bool emptied; /* what is in the tree counts no more */
	char *name;
	pid_t tid;
	void *memory;
	size_t size;
	struct call_area area[CALL_AREAS];
	bool in_parts;
};

/* NULL: no memory. */
struct call_thread *call_thread_new(uint32_t metrics);
void call_thread_free(struct call_thread *t);
/* What is called deeper than so many frames is counted with the last one. */
void call_thread_levels(struct call_thread *t, uint32_t levels);

/* The events: `values` are the early reads, `type` that of the method that begins. */
void call_enter(struct call_thread *t, uint32_t method, uint32_t type, const uint64_t *values);
void call_leave(struct call_thread *t, uint32_t method, const uint64_t *values);
void call_unwind(struct call_thread *t, uint32_t method, const uint64_t *values);
/* The frame that has so many below it ends, with all above it; or one of which nothing is known. */
void call_end(struct call_thread *t, uint32_t depth, uint32_t method, enum call_event went,
	      const uint64_t *values);
void call_end_unknown(struct call_thread *t, uint32_t method, enum call_event went,
		      const uint64_t *values);
/* Nothing begins or ends: what runs has run so long. */
void call_nothing(struct call_thread *t, const uint64_t *values);
/* All but so many frames are over, since now: popped, or left by an exception. */
void call_popped(struct call_thread *t, uint32_t depth, enum call_event went,
		 const uint64_t *values);
/* … popped by an event that is charged as a return, and teaches nothing of what that costs. */
void call_jumped(struct call_thread *t, uint32_t depth, const uint64_t *values);
/* All but so many frames are over, nobody knows since when. */
void call_forget(struct call_thread *t, uint32_t depth);
/* Before an event: how often the thread was dispatched and interrupted so far. */
void call_switched(struct call_thread *t, uint64_t dispatches, uint64_t interrupts);
/* The method has caught an exception: what it has called is over. */
void call_caught(struct call_thread *t, uint32_t method, const uint64_t *values);

/* No event follows, or not soon: all of the last one counts. */
void call_settle(struct call_thread *t);
/* The thread has ended: so have the methods that it was in. */
void call_end_all(struct call_thread *t);
/* As it was when it was new, but for the minima, which it has learnt. */
void call_empty(struct call_thread *t);

#endif

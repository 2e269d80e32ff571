/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The calls of a thread: a tree with a node for each call path, and the current stack. Only the
 * thread itself writes it. All memory is reserved when the thread starts, and populated when it is
 * used: an event allocates nothing.
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
	uint32_t method;              /* method number; NO_METHOD for node 0, the thread */
	uint32_t parent, child, next; /* nodes; 0: none */
	uint32_t recent;              /* the child that was called last */
	uint32_t type;                /* enum frame_type, plus 1 if static */
	uint64_t calls, calls_made;
	uint32_t dispatches, interrupts;
	/* Occurrences of each sequence that ended here: multiplied by the final minima. */
	uint16_t sequence[NODE_SEQUENCES];
	uint64_t times[NODE_SEQUENCES];
	uint32_t more; /* first of the list of further sequences; 0: none */
};

/* A counter of a sequence that does not fit in its node. */
struct call_more {
	uint32_t next;
	uint16_t sequence;
	uint64_t times;
};

/* The address of a frame, and of the site in Java code that reported its entry, if known. */
struct call_place {
	uintptr_t frame, site;
};

struct call_frame {
	uint32_t node, method;
	struct call_place at;
	const void *known; /* the method's identity in the owner's terms, if known */
};

/* A part of the reserved memory that grows: offset, accessible bytes, reserved bytes. */
struct call_area {
	size_t from, have, most;
};

enum call_area_of { AREA_FRAMES, AREA_MORE, AREA_TABLE, AREA_NODES, AREA_RAW, CALL_AREAS };

_Static_assert(sizeof(struct call_node) <= 96, "of a node, which there are many of");

/* Members that each event accesses come first: two cache lines. */
struct call_thread {
	uint64_t last[CALL_METRICS]; /* the late read of the last event */
	uint16_t sequence;           /* the sequence that ended with the last event */
	bool plain;                  /* the owner's: events are recorded, without a ring */
	bool anew;                   /* the owner's: the tree is already in a written log */
	bool untaught;               /* the owner's: the next event does not update minima */
	uint32_t top;                /* the running node */
	uint32_t deepest;
	uint32_t levels;           /* from here on, frames grow or use the last one's node */
	uint32_t depth;            /* frames; those beyond `deepest` are counted but not kept */
	struct call_frame *frames; /* preceded by one with node 0 and NO_METHOD */
	struct call_node *nodes;
	uint64_t *raw;               /* `metrics` values for each node */
	uint64_t *minimum;           /* SEQUENCES times `metrics`; NULL: the thread has ended */
	struct value_spread *spread; /* likewise; unused where the minimum is 0 */
	struct call_ring *ring;      /* also receives each event; NULL: none */
	uint64_t entries, exits, unwinds;
	/* The last event's counters in `spread`, which are incremented by the next event: CPUs
	 * delay a read of the counter until the addresses of all earlier writes are known. */
	uint32_t *place[CALL_METRICS];
	uint32_t no_place;
	uint32_t metrics;
	uint32_t used, room, most_nodes;
	uint32_t beyond; /* the shared node of calls that do not fit */
	uint32_t *table; /* hash of nodes by parent and method; table_size is a power of two */
	uint32_t table_size;
	size_t table_at; /* offset of the next, larger table in the reserved memory */
	uint64_t dispatches, interrupts; /* the thread's, at the end of the last event */
	struct call_more *more;
	uint32_t more_used, more_room;
	uint32_t most_levels; /* deeper frames use the last one's node */
	/* Events that were not kept: frames too deep, calls without a node, sequences without a
	 * counter, ends without a begin. */
	uint64_t too_deep, too_many, uncounted, unknown;
	uint64_t popped;
	uint64_t backwards; /* values below the previous one, counted as 0 */
	/* Used by the owner: */
	struct call_thread *next_thread, **place_of, *next_resting;
	bool pops;    /* frames that end without an event were popped; else left by an exception */
	bool stale;   /* events were missed: the current stack is unknown */
	bool emptied; /* the tree's content is invalid */
	char *name;
	pid_t tid;
	void *memory;
	size_t size;
	struct call_area area[CALL_AREAS];
	bool in_parts;
};

/* Returns NULL if there is no memory. */
struct call_thread *call_thread_new(uint32_t metrics);
void call_thread_free(struct call_thread *t);
/* Sets the maximal depth: deeper calls are counted with the last frame. */
void call_thread_levels(struct call_thread *t, uint32_t levels);

/* Events. `values` are the early reads, `type` is the type of the entered method. */
void call_enter(struct call_thread *t, uint32_t method, uint32_t type, const uint64_t *values);
void call_leave(struct call_thread *t, uint32_t method, const uint64_t *values);
void call_unwind(struct call_thread *t, uint32_t method, const uint64_t *values);
/* Ends the frame at index `depth`, and all above it; or a frame that is unknown. */
void call_end(struct call_thread *t, uint32_t depth, uint32_t method, enum call_event went,
	      const uint64_t *values);
void call_end_unknown(struct call_thread *t, uint32_t method, enum call_event went,
		      const uint64_t *values);
/* Charges the running node without starting or ending a frame. */
void call_nothing(struct call_thread *t, const uint64_t *values);
/* All frames from index `depth` on end now: popped, or left by an exception. */
void call_popped(struct call_thread *t, uint32_t depth, enum call_event went,
		 const uint64_t *values);
/* The same, popped by an event that is charged as a return; does not update minima. */
void call_jumped(struct call_thread *t, uint32_t depth, const uint64_t *values);
/* All frames from index `depth` on have ended at an unknown time. */
void call_forget(struct call_thread *t, uint32_t depth);
/* Before an event: sets the thread's numbers of dispatches and interrupts so far. */
void call_switched(struct call_thread *t, uint64_t dispatches, uint64_t interrupts);
/* The method has caught an exception: all frames above it have ended. */
void call_caught(struct call_thread *t, uint32_t method, const uint64_t *values);

/* Completes the last event's counts, if no event follows soon. */
void call_settle(struct call_thread *t);
/* The thread has ended, and all of its frames. */
void call_end_all(struct call_thread *t);
/* Resets the tree; minima are kept. */
void call_empty(struct call_thread *t);

#endif

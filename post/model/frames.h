/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The call stack of each traced thread, outermost function first, from its runs: a call pushes, a
 * return pops to the caller, a jump to a function's start replaces the innermost function (tail
 * calls, procedure linkage tables). Other jumps (longjmp, exceptions) leave several functions at
 * once, if exactly one target is possible; else the stack is unknown and begins anew. Code of a
 * module without symbols is not treated as a function, since it could not be recognized again.
 */
#ifndef POST_FRAMES_H
#define POST_FRAMES_H

#include "model/calls.h"
#include "model/itrace_runs.h"

struct frame {
	uint64_t call;   /* address of the call instruction */
	uint32_t symbol; /* where it is now */
	uint32_t home;   /* the function called */
	uint32_t node;   /* of the tree, if there is one */
	uint8_t kind;    /* enum frame_kind */
	bool kernel;
};
enum frame_kind {
	FRAME_BASE, /* how it came here was not seen */
	FRAME_CALL,
	FRAME_KERNEL,
	FRAME_SIGNAL,
};

/* Return address of a setjmp, and the number of functions on the stack there. */
struct frames_jump {
	uint64_t to;
	uint32_t depth; /* 0: none */
};
#define FRAMES_JUMPS 8

struct frames_thread {
	struct frame *frame;
	uint32_t depth, room;
	uint32_t below;                        /* that were forgotten: too many */
	uint32_t process;                      /* of names, that the tree's root is */
	struct frames_jump jump[FRAMES_JUMPS]; /* the newest */
	uint32_t njump;
	/* The run before: */
	uint64_t from;
	uint8_t what, type, cause;
	bool crosses;
	bool kernel; /* of the current run */
};

struct frames {
	struct frames_thread *thread; /* by itrace_thread's index */
	uint32_t nthread;
	const struct symbols *symbols;
	uint8_t *what; /* of each symbol: enum frames_symbol */
	uint32_t nwhat;
	struct calls *calls; /* instructions are counted there; or NULL */
	uint64_t too_deep;   /* of them those below CALLS_DEEPEST */
	bool entered;        /* the last run entered another function, or the same again */
};

#define CALLS_DEEPEST 1000 /* maximum depth of functions in the tree */

void frames_begin(struct frames *f, const struct symbols *symbols, struct calls *calls);
/* A run that is in this symbol, offset bytes behind its start; process of names. May raise the
 * run's doubt. 0 or -ENOMEM. */
int frames_run(struct frames *f, struct itrace_run *run, uint32_t symbol, uint64_t offset,
	       uint32_t process);
static inline uint32_t frames_depth(const struct frames *f, const struct itrace_run *run)
{
	return f->thread[run->thread].below + f->thread[run->thread].depth;
}
void frames_free(struct frames *f);

#endif

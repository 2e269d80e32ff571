/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The call stack of each traced thread, outermost function first, derived from its runs: a call
 * pushes, a return pops to the caller, a jump to a function's start replaces the innermost function
 * (tail calls, procedure linkage tables). Other jumps (longjmp, exceptions) leave several functions
 * at once if exactly one target is possible; else the stack is unknown and starts again. Code of a
 * module without symbols is not treated as a function, since it could not be recognized again.
 */
#ifndef POST_FRAMES_H
#define POST_FRAMES_H

#include "model/calls.h"
#include "model/itrace_runs.h"

struct frame {
	uint64_t call;   /* address of the call instruction */
	uint32_t symbol; /* current symbol */
	uint32_t home;   /* the called function */
	uint32_t node;   /* node in the tree, if it has one */
	uint8_t kind;    /* enum frame_kind */
	bool kernel;
};
enum frame_kind {
	FRAME_BASE, /* its caller was not recorded */
	FRAME_CALL,
	FRAME_KERNEL,
	FRAME_SIGNAL,
};

/* Return address of a setjmp, and the stack depth there. */
struct frames_jump {
	uint64_t to;
	uint32_t depth; /* 0: none */
};
#define FRAMES_JUMPS 8

struct frames_thread {
	struct frame *frame;
	uint32_t depth, room;
	uint32_t below;                        /* frames dropped beyond the limit */
	uint32_t process;                      /* index in names, of the tree's root */
	struct frames_jump jump[FRAMES_JUMPS]; /* the newest */
	uint32_t njump;
	/* The previous run: */
	uint64_t from;
	uint8_t what, type, cause;
	bool crosses;
	bool kernel; /* of the current run */
};

struct frames {
	struct frames_thread *thread; /* by index of itrace_thread */
	uint32_t nthread;
	const struct symbols *symbols;
	uint8_t *what; /* by symbol: enum frames_symbol */
	uint32_t nwhat;
	struct calls *calls; /* counts the instructions; or NULL */
	uint64_t too_deep;   /* instructions below CALLS_DEEPEST */
	bool entered;        /* the last run entered a function, perhaps recursively */
};

#define CALLS_DEEPEST 1000 /* maximum depth of functions in the tree */

void frames_begin(struct frames *f, const struct symbols *symbols, struct calls *calls);
/* Processes a run in this symbol, `offset` bytes after its start; process: index in names. May
 * raise the run's doubt. Returns 0 or -ENOMEM. */
int frames_run(struct frames *f, struct itrace_run *run, uint32_t symbol, uint64_t offset,
	       uint32_t process);
static inline uint32_t frames_depth(const struct frames *f, const struct itrace_run *run)
{
	return f->thread[run->thread].below + f->thread[run->thread].depth;
}
void frames_free(struct frames *f);

#endif

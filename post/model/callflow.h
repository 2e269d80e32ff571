/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The functions that each thread is in, from records of entries and exits (call_record.h). An exit
 * ends the innermost call of its function and all calls made from it; an exit of a function that
 * was not entered is only counted.
 */
#ifndef POST_CALLFLOW_H
#define POST_CALLFLOW_H

#include "record/call_record.h"
#include "base/keys.h"

struct callflow_frame {
	uint64_t entered; /* time stamp */
	uint32_t function;
	uint32_t node, call; /* for the caller of this module */
};

struct callflow_thread {
	uint32_t pid, tid;
	uint32_t cpu;         /* CPU of its last record */
	uint64_t stamp, time; /* stamp and time of that record */
	struct callflow_frame *frame;
	uint32_t depth, room;
	uint32_t below; /* calls too deep to be kept */
};

/* The effect of one record. If `ran`, the thread was in `function` since its previous record. It
 * then entered a function, or left `left` functions: those are thread->frame[thread->depth …]. */
struct callflow_step {
	struct callflow_thread *thread;
	uint32_t index; /* index of the thread */
	bool ran;
	uint32_t function, depth, cpu;
	uint64_t stamps, ns; /* time spent there */
	uint64_t since;      /* start of that time */
	bool entered;
	uint32_t left;
};

struct callflow {
	struct callflow_thread *thread;
	uint32_t nthread, room;
	struct keys by_thread;
	uint32_t last;
	uint64_t calls;     /* entries */
	uint64_t unentered; /* exits of functions that were not entered */
	uint64_t searched;  /* frames searched for those exits */
	uint64_t unleft;    /* entries without an exit: a caller was left first */
};

#define CALLFLOW_DEEPEST 65536

/* Returns 0 or -ENOMEM. */
int callflow_new_thread(struct callflow *cf, uint32_t pid, uint32_t tid);
void callflow_exit(struct callflow *cf, struct callflow_thread *th, uint32_t function,
		   struct callflow_step *step);
/* Returns the number of calls still open after the last record. */
uint64_t callflow_open(const struct callflow *cf);
void callflow_free(struct callflow *cf);

/* Processes a record, a CALL_RECORD. Returns 0 or -ENOMEM. */
static inline int callflow_record(struct callflow *cf, const struct pirecord *r,
				  struct callflow_step *step)
{
	const struct call_record *call = r->data;
	struct callflow_thread *th = cf->last < cf->nthread ? &cf->thread[cf->last] : NULL;

	if (__builtin_expect(!th || th->tid != call->tid || th->pid != call->pid, 0)) {
		if (callflow_new_thread(cf, call->pid, call->tid))
			return -ENOMEM;
		th = &cf->thread[cf->last];
	}
	step->thread = th;
	step->index = cf->last;
	step->left = 0;
	step->depth = th->depth;
	step->ran = th->depth;
	if (th->depth) {
		step->function = th->frame[th->depth - 1].function;
		step->stamps = r->stamp > th->stamp ? r->stamp - th->stamp : 0;
		step->ns = r->time - th->time;
		step->since = th->time;
		step->cpu = th->cpu;
	}
	th->stamp = r->stamp;
	th->time = r->time;
	th->cpu = r->cpu;
	step->entered = r->minor == CALL_ENTRY || r->minor == CALL_ENTRY_ARGUMENTS;
	if (!step->entered) {
		if (__builtin_expect(th->depth && !th->below &&
					     th->frame[th->depth - 1].function == call->function,
				     1)) {
			th->depth--;
			step->left = 1;
		} else {
			callflow_exit(cf, th, call->function, step);
		}
		return 0;
	}
	cf->calls++;
	if (__builtin_expect(th->depth == CALLFLOW_DEEPEST, 0)) {
		th->below++;
		step->entered = false;
		return 0;
	}
	if (array_next(th->frame, th->depth, th->room))
		return -ENOMEM;
	th->frame[th->depth++] = (struct callflow_frame){
		.entered = r->stamp,
		.function = call->function,
	};
	return 0;
}

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The instructions that threads executed, from ITrace records: runs of consecutive instructions, in
 * order for each thread, with the reason for doubt about each. A run begins where the thread's
 * previous run went to; if records are missing or do not fit together, it is marked so and nothing
 * is guessed. Memory is bounded by the number of threads.
 */
#ifndef POST_ITRACE_RUNS_H
#define POST_ITRACE_RUNS_H

#include "model/trace_books.h"
#include "base/keys.h"

/* The reason why a run ended, by the numbers of the ITrace paper; 1 to 6 are enum
 * pitrace_branch_kind. */
enum { ITRACE_INTERRUPTED = 0 };

enum itrace_end { ITRACE_BRANCH, ITRACE_BREAK, ITRACE_STOP };

/* Why a run may not simply continue the thread's previous run; the greatest that applies. */
enum itrace_doubt {
	ITRACE_SURE = 0,
	ITRACE_SWITCHED,  /* its CPU ran another thread before, or it another CPU */
	ITRACE_EXCEPTION, /* … and it did not go on where it came */
	ITRACE_SIGNAL,    /* to a handler */
	ITRACE_SIGRETURN, /* from there */
	ITRACE_UNWOUND,   /* back to a place that is no caller's: several calls ended */
	ITRACE_LONGJMP,   /* a jump did that */
	ITRACE_EXEC,
	ITRACE_ENTRY, /* the first in the kernel: its entry is not recorded */
	ITRACE_FIRST, /* of the thread, or since it was stopped */
	ITRACE_GAP,   /* records are missing */
	ITRACE_DOUBTS
};
const char *itrace_doubt_word(enum itrace_doubt doubt);

struct itrace_thread {
	uint32_t pid, tid;
	uint32_t cpu;
	/* The next run: */
	uint64_t next; /* where it begins, if `known` */
	bool known;
	bool kernel; /* on which side, unless any_side */
	bool any_side;
	bool entered; /* entered from the other side: a few instructions are not traced */
	bool has_cpu;
	bool execed; /* a new program was begun since its last record */
	uint8_t doubt;
	uint64_t pending; /* instructions recorded one by one so far, and */
	uint64_t step;    /* … where the last one went */
	uint32_t gaps;
};

struct itrace_run {
	uint32_t thread; /* index of itrace.thread */
	uint32_t pid, tid, cpu;
	uint64_t time;
	uint64_t count;  /* instructions */
	uint64_t start;  /* of the first, if `known` */
	uint64_t end;    /* of the last (BRANCH), else of the one behind it; 0: not
					   known */
	uint64_t to;     /* where the thread goes on; 0: not known */
	uint32_t number; /* of a BREAK */
	uint8_t what;    /* enum itrace_end */
	uint8_t type;    /* ITRACE_INTERRUPTED, enum pitrace_branch_kind */
	uint8_t cause;   /* enum pitrace_break, enum pitrace_itrace_why */
	uint8_t doubt;   /* enum itrace_doubt */
	bool known, kernel;
	bool crosses; /* `to` is on the other side */
	bool misfit;  /* its record does not fit the one before */
};

struct itrace {
	struct itrace_thread *thread;
	uint32_t nthread, room_thread;
	struct keys by_tid;
	uint32_t last;    /* thread */
	uint32_t *on_cpu; /* thread of each CPU's last run + 1 */
	uint32_t ncpu;
	uint32_t lost, gaps;       /* that concern all threads: by records of loss; in all */
	bool switches;             /* of threads are recorded */
	uint8_t shortest, longest; /* bytes of the machine's instructions */
	/* Totals of the trace: */
	uint64_t runs, instructions, kernel_instructions;
	uint64_t doubts[ITRACE_DOUBTS]; /* runs of each, counted by runs.c */
};

/* machine: utsname's. */
void itrace_begin(struct itrace *t, const char *machine);
/* 1: the record ends a run; 0: it does not; -ENOMEM. Malformed records are noted in the books. */
int itrace_record(struct itrace *t, struct trace *books, const struct pirecord *r,
		  struct itrace_run *run);
/* An address in the run: its start, else its end; 0: unknown. */
static inline uint64_t itrace_place(const struct itrace_run *run)
{
	return run->known ? run->start : run->end;
}
void itrace_free(struct itrace *t);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The instructions that threads executed, from ITrace records: runs of consecutive instructions, in
 * order for each thread, each with a reason for doubt. A run starts where the thread's previous run
 * went; if records are missing or contradict each other, it is marked, and nothing is guessed.
 * Memory is bounded by the number of threads.
 */
#ifndef POST_ITRACE_RUNS_H
#define POST_ITRACE_RUNS_H

#include "model/trace_books.h"
#include "base/keys.h"

/* The reason why a run ended, as numbered in the ITrace paper; 1 to 6 are enum
 * pitrace_branch_kind. */
enum { ITRACE_INTERRUPTED = 0 };

enum itrace_end { ITRACE_BRANCH, ITRACE_BREAK, ITRACE_STOP };

/* Why a run may not continue the thread's previous run; the greatest one that applies. */
enum itrace_doubt {
	ITRACE_SURE = 0,
	ITRACE_SWITCHED,  /* the CPU ran another thread before, or the thread another CPU */
	ITRACE_EXCEPTION, /* … and the thread continues at another address */
	ITRACE_SIGNAL,    /* entry to a signal handler */
	ITRACE_SIGRETURN, /* return from a signal handler */
	ITRACE_UNWOUND,   /* return to an address that is not the caller's: several calls ended */
	ITRACE_LONGJMP,   /* jump that ended several calls */
	ITRACE_EXEC,
	ITRACE_ENTRY, /* the first in the kernel: entries are not recorded */
	ITRACE_FIRST, /* of the thread, or since its trace was stopped */
	ITRACE_GAP,   /* records are missing */
	ITRACE_DOUBTS
};
const char *itrace_doubt_word(enum itrace_doubt doubt);

struct itrace_thread {
	uint32_t pid, tid;
	uint32_t cpu;
	/* State of the next run: */
	uint64_t next; /* its start, if `known` */
	bool known;
	bool kernel; /* in the kernel, unless any_side */
	bool any_side;
	bool entered; /* from the other mode: a few instructions are not traced */
	bool has_cpu;
	bool execed; /* exec since its last record */
	uint8_t doubt;
	uint64_t pending; /* instructions recorded one by one so far */
	uint64_t step;    /* address after the last of them */
	uint32_t gaps;
};

struct itrace_run {
	uint32_t thread; /* index of itrace.thread */
	uint32_t pid, tid, cpu;
	uint64_t time;
	uint64_t count;  /* instructions */
	uint64_t start;  /* of the first, if `known` */
	uint64_t end;    /* address of the last instruction (BRANCH), else the one after it; 0:
			  * unknown */
	uint64_t to;     /* next address of the thread; 0: unknown */
	uint32_t number; /* of a BREAK */
	uint8_t what;    /* enum itrace_end */
	uint8_t type;    /* ITRACE_INTERRUPTED, enum pitrace_branch_kind */
	uint8_t cause;   /* enum pitrace_break, enum pitrace_itrace_why */
	uint8_t doubt;   /* enum itrace_doubt */
	bool known, kernel;
	bool crosses; /* `to` is in the other mode (kernel or user) */
	bool misfit;  /* contradicts the previous record */
};

struct itrace {
	struct itrace_thread *thread;
	uint32_t nthread, room_thread;
	struct keys by_tid;
	uint32_t last;    /* index of a thread */
	uint32_t *on_cpu; /* by CPU: index + 1 of its last run's thread */
	uint32_t ncpu;
	uint32_t lost, gaps;       /* losses that concern all threads: LOST records; all gaps */
	bool switches;             /* the trace has switch records */
	uint8_t shortest, longest; /* instruction lengths of the machine in bytes */
	/* Totals of the trace: */
	uint64_t runs, instructions, kernel_instructions;
	uint64_t doubts[ITRACE_DOUBTS]; /* runs by doubt, counted by runs.c */
};

/* machine: utsname's. */
void itrace_begin(struct itrace *t, const char *machine);
/* Returns 1 if the record ends a run, 0 if not, or -ENOMEM. Counts malformed records in `books`. */
int itrace_record(struct itrace *t, struct trace *books, const struct pirecord *r,
		  struct itrace_run *run);
/* Returns an address in the run: its start, else its end; 0: unknown. */
static inline uint64_t itrace_place(const struct itrace_run *run)
{
	return run->known ? run->start : run->end;
}
void itrace_free(struct itrace *t);

#endif

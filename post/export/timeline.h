/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The events of a trace as timeline viewers show them: threads on CPUs, interrupts, system calls,
 * user records, samples; one moment after the other. An end without a begin in the trace is
 * ignored; what is still open at the end of the trace gets no end.
 */
#ifndef POST_TIMELINE_H
#define POST_TIMELINE_H

#include "job.h"
#include "record/named_record.h"

enum moment_kind {
	MOMENT_SAMPLE,
	MOMENT_RUNS,  /* a CPU switches from one thread to another */
	MOMENT_WAKES, /* a thread becomes runnable */
	MOMENT_IRQ_BEGINS,
	MOMENT_IRQ_ENDS,
	MOMENT_CALL_BEGINS,
	MOMENT_CALL_ENDS, /* a thread's system call */
	MOMENT_PAIR_BEGINS,
	MOMENT_PAIR_ENDS, /* a pair named by a program (HookIt) */
	MOMENT_MARK,      /* any other user record */
	MOMENT_FAULT,     /* a page fault */
	MOMENT_SPAN_BEGINS,
	MOMENT_SPAN_ENDS, /* the same with an id, may end in another thread */
	MOMENT_NAMED,     /* a named event */
};

struct timeline_moment {
	enum moment_kind kind;
	uint64_t time;
	uint32_t cpu;
	uint32_t thread; /* index in names; NO_KEY: idle or unknown */
	uint32_t old;    /* RUNS: the previous thread, likewise */
	uint32_t why;    /* RUNS: PITRACE_LEFT_* of the old one; WAKES: flags */
	int16_t old_priority, priority;
	const char *name; /* of the interrupt, call, pair, span or mark */
	uint64_t id;      /* SPAN_*: the id */
	bool shared;      /* SPAN_*: the id is unique in all processes, not only in its own */
	uint32_t place;   /* SPAN_*: a number unique among open spans */
	uint64_t value;   /* MARK: its first integer; FAULT: the address; CALL_ENDS: the result */
	const struct profile_sample *sample;
	const struct named_event *event;  /* NAMED: the declaration */
	const struct pifile_user *record; /* NAMED: the values */
};

/* each() returns 0, or -errno to stop. */
int timeline_read(const struct job *job, int (*each)(void *arg, const struct timeline_moment *m),
		  void *arg);
/* The same without samples: their names and stacks are not looked up. times: gets all records, too;
 * or NULL. */
int timeline_events(const struct job *job, struct times *times,
		    int (*each)(void *arg, const struct timeline_moment *m), void *arg);

#endif

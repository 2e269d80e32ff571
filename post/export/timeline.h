/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The events of a trace as viewers of timelines show them: threads on CPUs, interrupts, system
 * calls, programs' records, samples; one moment after the other. An end without a begin in the
 * trace is left out; whatever is open at the end has no end.
 */
#ifndef POST_TIMELINE_H
#define POST_TIMELINE_H

#include "job.h"
#include "record/named_record.h"

enum moment_kind {
	MOMENT_SAMPLE,
	MOMENT_RUNS,  /* a CPU goes from one thread to another */
	MOMENT_WAKES, /* a thread becomes runnable */
	MOMENT_IRQ_BEGINS,
	MOMENT_IRQ_ENDS,
	MOMENT_CALL_BEGINS,
	MOMENT_CALL_ENDS, /* a thread's system call */
	MOMENT_PAIR_BEGINS,
	MOMENT_PAIR_ENDS, /* a pair named by a program (HookIt) */
	MOMENT_MARK,      /* any other record of a program */
	MOMENT_FAULT,     /* a page fault */
	MOMENT_SPAN_BEGINS,
	MOMENT_SPAN_ENDS, /* the same with an id, perhaps in another thread than it began in */
	MOMENT_NAMED,     /* a named event */
};

struct timeline_moment {
	enum moment_kind kind;
	uint64_t time;
	uint32_t cpu;
	uint32_t thread; /* of names; NO_KEY: idle or unknown */
	uint32_t old;    /* RUNS: the thread that ran before, likewise */
	uint32_t why;    /* RUNS: PITRACE_LEFT_* of the old one; WAKES: flags */
	int16_t old_priority, priority;
	const char *name; /* of an interrupt, a call, a pair, a span, a mark */
	uint64_t id;      /* SPAN_*: its id, */
	bool shared;      /* … of all processes; else of its own, */
	uint32_t place;   /* … and a number that no other span has that is open meanwhile */
	uint64_t value;   /* MARK: its first integer; FAULT: the address; CALL_ENDS:
					   the result */
	const struct profile_sample *sample;
	const struct named_event *event;  /* NAMED, and … */
	const struct pifile_user *record; /* … its values */
};

/* each: 0, or -errno, which ends it. */
int timeline_read(const struct job *job, int (*each)(void *arg, const struct timeline_moment *m),
		  void *arg);
/* The same without samples, whose names and stacks are not looked up. */
int timeline_events(const struct job *job, int (*each)(void *arg, const struct timeline_moment *m),
		    void *arg);

#endif

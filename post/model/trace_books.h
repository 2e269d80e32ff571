/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Facts and counters of a trace: when it ran, at what rate, on what system, what was lost where.
 * Filled while records are read; nothing here depends on names.
 */
#ifndef POST_TRACE_BOOKS_H
#define POST_TRACE_BOOKS_H

#include "model/event_kinds.h"
#include "model/irq_names.h"
#include "record/input.h"

struct trace_cpu {
	bool seen;
	uint64_t lost[PITRACE_LOST_KINDS];
	uint64_t samples; /* read from the file */
	uint64_t idle_ticks;
	uint64_t out_of_scope;
	uint32_t stopped_by; /* what stopped all: 1 its MTE ring filled, 2 its trace ring, 3 a
			      * process crashed */
	uint32_t stop_pid;   /* … this one */
	uint32_t told;       /* a bit for each kind of loss that a record reported */
	uint64_t lost_before[PITRACE_LOST_KINDS]; /* … and what was lost before that */
	/* Wrap mode: */
	uint64_t older; /* sections of the trace ring that are not here any more */
	bool holds;     /* it has any, and */
	uint64_t since; /* … the first record in them is of this time */
};

struct trace_fact { /* a "key: value" line of the system section */
	char *key, *value;
};

struct trace {
	uint64_t start_realtime; /* ns */
	uint64_t began;          /* … and the trace's time then */
	uint64_t duration;       /* ns between on and off, pauses left out */
	uint64_t intervals;      /* times it was on */
	uint32_t rate, dither;   /* ticks a second; thousandths of a period */
	uint32_t cpus_online;
	uint64_t records;
	uint64_t major[PITRACE_MAJORS]; /* records of each */
	struct events events;
	/* Counts of the chosen event: */
	uint64_t samples, kernel, user, idle, late;
	uint64_t malformed; /* records shorter than their kind */
	struct pifile_fault first_malformed;
	bool stacks; /* samples have them */
	bool unstable_clock;
	bool wraps;            /* wrap mode: it has the newest records of each CPU */
	bool damaged_sections; /* texts beside the records that could not be read */
	struct trace_cpu *cpu;
	uint32_t ncpus;
	struct trace_fact *facts;
	size_t nfacts, room_facts;
	struct irq_names irqs;

	uint64_t from, to; /* only this stretch is wanted */
	bool counted;      /* it has the counters of its end */
	bool is_on;        /* while records pass: inside an interval */
	bool synced;       /* clock syncs mark on and off; intervals need not */
	uint64_t on_at, first, last;
	uint64_t interval;
};

void trace_begin(struct trace *t, struct input *in, const char *event);
/* Nothing before and after is. */
static inline void trace_between(struct trace *t, uint64_t from, uint64_t to)
{
	t->from = from;
	t->to = to;
}
/* Clock syncs, losses, intervals. 0 or -ENOMEM. */
int trace_told(struct trace *t, struct input *in, const struct pirecord *r);
/* The system's texts and the counters at the end. */
int trace_section(struct trace *t, const struct input_section *s);
void trace_malformed(struct trace *t, const struct pirecord *r, const char *what);
void trace_end(struct trace *t);
void trace_free(struct trace *t);

struct trace_cpu *trace_new_cpu(struct trace *t, uint32_t cpu);
/* The entry of a CPU below TRACE_MAX_CPUS, created if need be; NULL: no memory. */
static inline struct trace_cpu *trace_cpu(struct trace *t, uint32_t cpu)
{
	return cpu < t->ncpus && t->cpu[cpu].seen ? &t->cpu[cpu] : trace_new_cpu(t, cpu);
}
/* A fact of the system section by its key, any case; NULL when it is not there. */
const char *trace_fact(const struct trace *t, const char *key);
/* The number of lost records of this kind, on all CPUs. */
uint64_t trace_lost(const struct trace *t, unsigned int kind);
/* Whether any record is missing. Overruns do not count: those ticks were never taken, because the
 * one before was still waiting. */
bool trace_lossy(const struct trace *t);
uint64_t trace_total(const struct trace *t);

/* Takes any record: counts it and notes its facts. 0 or -ENOMEM. */
static inline int trace_record(struct trace *t, struct input *in, const struct pirecord *r)
{
	if (!t->records++ || r->time < t->first)
		t->first = r->time;
	if (r->time > t->last)
		t->last = r->time;
	if (r->major < PITRACE_MAJORS)
		t->major[r->major]++;
	if (t->wraps && r->ring == PITRACE_RING_TRACE && r->cpu < t->ncpus && !t->cpu[r->cpu].since)
		t->cpu[r->cpu].since = r->time;
	return r->major == PITRACE_TPROF || r->major == PITRACE_MTE ? 0 : trace_told(t, in, r);
}

/* Counts a sample or computed idle ticks. Names count theirs independently, and every report is
 * checked against these sums. */
static inline void trace_sample(struct trace *t, const struct pirecord *r, bool kernel,
				struct trace_cpu *cpu)
{
	uint64_t n = 1 + r->repeats;

	t->samples += n;
	t->stacks |= r->minor & PITRACE_TPROF_STACK;
	if (kernel)
		t->kernel += n;
	else
		t->user += n;
	if (r->minor & PITRACE_TPROF_LATE)
		t->late += n;
	cpu->samples += n;
}

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Facts and counters of a trace: when it ran, its rate, its system, its losses. Filled while
 * records are read; independent of names.
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
	uint32_t stopped_by; /* what stopped tracing: 1 its MTE ring filled up, 2 its trace ring, 3
			      * a process crashed */
	uint32_t stop_pid;   /* the process that crashed */
	uint32_t reported;   /* a bit for each kind of loss with a record */
	uint64_t lost_before[PITRACE_LOST_KINDS]; /* and the losses before that record */
	/* Wrap mode: */
	uint64_t older; /* sections of the trace ring that were overwritten */
	bool holds;     /* it has sections */
	uint64_t since; /* time of the first record in them */
};

struct trace_fact { /* a "key: value" line of the system section */
	char *key, *value;
};

struct trace {
	uint64_t start_realtime; /* ns */
	uint64_t began;          /* trace time at that moment */
	uint64_t duration;       /* ns between on and off, without pauses */
	uint64_t intervals;      /* number of times it was on */
	uint32_t rate, dither;   /* ticks per second; dither in thousandths of a period */
	uint32_t cpus_online;
	uint64_t records;
	uint64_t major[PITRACE_MAJORS]; /* records by major */
	struct events events;
	/* Counts of the chosen event: */
	uint64_t samples, kernel, user, idle, late;
	uint64_t malformed; /* records too short for their kind */
	struct pifile_fault first_malformed;
	bool stacks; /* samples have them */
	bool unstable_clock;
	bool wraps;            /* wrap mode: contains the newest records of each CPU */
	bool damaged_sections; /* unreadable texts beside the records */
	struct trace_cpu *cpu;
	uint32_t ncpus;
	struct trace_fact *facts;
	size_t nfacts, room_facts;
	struct irq_names irqs;

	uint64_t from, to; /* only this interval is read */
	bool counted;      /* contains the counters of its end */
	bool is_on;        /* while records are read: inside an interval */
	bool synced;       /* clock syncs mark on and off, so interval records do not */
	uint64_t on_at, first, last;
	uint64_t interval;
};

void trace_begin(struct trace *t, struct input *in, const char *event);
/* Limits the trace to this interval. */
static inline void trace_between(struct trace *t, uint64_t from, uint64_t to)
{
	t->from = from;
	t->to = to;
}
/* Processes clock syncs, losses and intervals. Returns 0 or -ENOMEM. */
int trace_reported(struct trace *t, struct input *in, const struct pirecord *r);
/* Processes the system's texts and the counters at the end. */
int trace_section(struct trace *t, const struct input_section *s);
void trace_malformed(struct trace *t, const struct pirecord *r, const char *what);
void trace_end(struct trace *t);
void trace_free(struct trace *t);

struct trace_cpu *trace_new_cpu(struct trace *t, uint32_t cpu);
/* Returns the entry of a CPU below TRACE_MAX_CPUS, creating it if necessary; NULL: no memory. */
static inline struct trace_cpu *trace_cpu(struct trace *t, uint32_t cpu)
{
	return cpu < t->ncpus && t->cpu[cpu].seen ? &t->cpu[cpu] : trace_new_cpu(t, cpu);
}
/* Returns a fact of the system section by its key, in any case; NULL: missing. */
const char *trace_fact(const struct trace *t, const char *key);
/* Returns the number of lost records of this kind, on all CPUs. */
uint64_t trace_lost(const struct trace *t, unsigned int kind);
/* Returns whether any record is missing. Overruns do not count: those ticks were never taken,
 * because the previous one was still pending. */
bool trace_lossy(const struct trace *t);
uint64_t trace_total(const struct trace *t);

/* Processes any record: counts it and stores its facts. Returns 0 or -ENOMEM. */
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
	return r->major == PITRACE_TPROF || r->major == PITRACE_MTE ? 0 : trace_reported(t, in, r);
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

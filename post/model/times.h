/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All that passes between an entry and an exit: threads on CPUs, interrupts, system calls; and when
 * tracing was on. Records come in the order of time, once. The one place that knows which record
 * tells what.
 */
#ifndef POST_TIMES_H
#define POST_TIMES_H

#include "model/away.h"
#include "model/counts.h"
#include "model/syscalls.h"
#include "model/trace_books.h"

struct times {
	struct irqs irqs;
	struct sched sched;
	struct syscalls syscalls;
	struct away away;     /* when its stacks are wanted */
	struct counts faults; /* by thread and symbol of the instruction */
	struct names *names;
	struct trace *trace;
	bool wrap;  /* only the newest records were kept */
	bool armed; /* it is on since on_at, and nothing was recorded yet */
	bool off;   /* tracing was on and is not */
	uint64_t on_at;
	uint64_t last; /* time of the last record of the trace rings */
};

void times_begin(struct times *t, struct names *n, struct trace *trace,
		 const struct pifile_header *header);
/* Any record, before names are told of it. What is malformed is counted in the trace's books.
 * 0 or -ENOMEM. */
int times_record(struct times *t, const struct pirecord *r);
int times_finish(struct times *t);
void times_free(struct times *t);

/* Whether the books are right: each CPU's times add up to its wall time, the threads' to the CPUs',
 * and no record contradicted another. What is wrong is said on stderr. */
bool times_add_up(const struct times *t);

#endif

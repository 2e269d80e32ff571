/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Everything between an entry and an exit: threads on CPUs, interrupts, system calls; and the time
 * when tracing was on. Records come once, in time order. Only this module maps records to such
 * events.
 */
#ifndef POST_TIMES_H
#define POST_TIMES_H

#include "model/offcpu.h"
#include "model/counts.h"
#include "model/critical.h"
#include "model/futex_waits.h"
#include "model/syscalls.h"
#include "model/trace_books.h"

struct times {
	struct irqs irqs;
	struct sched sched;
	struct syscalls syscalls;
	struct offcpu offcpu;     /* if its stacks are needed */
	struct critical critical; /* if needed */
	struct locks locks;       /* if needed */
	struct counts faults;     /* by thread, and by symbol of the instruction */
	struct names *names;
	struct trace *trace;
	bool wrap;  /* only the newest records were kept */
	bool armed; /* on since on_at, but nothing recorded yet */
	bool off;   /* tracing was on and is off now */
	uint64_t on_at;
	uint64_t last; /* time of the last record of the trace rings */
};

void times_begin(struct times *t, struct names *n, struct trace *trace,
		 const struct pifile_header *header);
/* Processes any record, before names get it. Counts malformed ones in the trace. Returns 0 or
 * -ENOMEM. */
int times_record(struct times *t, const struct pirecord *r);
int times_finish(struct times *t);
void times_free(struct times *t);

/* Returns whether the sums are consistent: each CPU's times add up to its wall time, the threads'
 * times to the CPUs', and no record contradicts another. Prints differences to stderr. */
bool times_add_up(const struct times *t);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Time in interrupts: on each CPU a stack of those that are open, because they nest. A row is one
 * source and number on one CPU. Its total holds what came in between, its self time does not: the
 * self times of all rows are the CPU's time in interrupts, each nanosecond once.
 */
#ifndef POST_IRQS_H
#define POST_IRQS_H

#include <stdbool.h>
#include <pifile.h>

#include "model/spread.h"
#include "base/keys.h"

struct irq_row {
	uint32_t cpu, source, number;
	uint32_t first;     /* row of the same source and number, on whichever CPU */
	struct spread time; /* from entry to exit, of those seen from end to end */
	uint64_t self;      /* without what nested inside; of all */
	uint64_t cut;       /* entries whose exit is missing: lost, or after the end */
};

#define IRQ_DEPTH 32
struct irq_open {
	uint32_t row;
	uint64_t since, inner; /* inner: time of those nested directly inside */
};

struct irq_cpu {
	struct irq_open open[IRQ_DEPTH];
	uint32_t depth;
	uint64_t outer; /* time in interrupts, closed ones */
	uint64_t stray; /* exits without an entry: before the trace, or lost */
};

struct irqs {
	struct irq_row *row;
	uint32_t nrow, room;
	struct keys by_key, by_source;
	struct irq_cpu *cpu;
	uint32_t ncpus;
};

/* 0 or -ENOMEM. number is that of struct pitrace_interrupt. */
int irqs_enter(struct irqs *q, uint32_t cpu, uint32_t source, uint32_t number, uint64_t time);
int irqs_exit(struct irqs *q, uint32_t cpu, uint32_t source, uint32_t number, uint64_t time);
/* Closes the interrupts that are open on this CPU, whose exits are missing, as of `time`. */
void irqs_cut(struct irqs *q, uint32_t cpu, uint64_t time);
/* Time in interrupts on this CPU, from its first record until now. */
uint64_t irqs_time(const struct irqs *q, uint32_t cpu, uint64_t time);
/* The innermost one that is open: the first row of its source and number, or NO_KEY. */
uint32_t irqs_innermost(const struct irqs *q, uint32_t cpu);
/* Self times add up to the CPUs' times in interrupts. */
bool irqs_add_up(const struct irqs *q);
void irqs_free(struct irqs *q);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Time in interrupts: each CPU has a stack of open interrupts, because they nest. A row is one
 * source and number on one CPU. Its total includes nested interrupts, its self time does not: the
 * self times of all rows add up to the CPUs' time in interrupts.
 */
#ifndef POST_IRQS_H
#define POST_IRQS_H

#include <stdbool.h>
#include <pifile.h>

#include "model/spread.h"
#include "base/keys.h"

struct irq_row {
	uint32_t cpu, source, number;
	uint32_t first;     /* row of the same source and number on any CPU */
	struct spread time; /* from entry to exit, if both were recorded */
	uint64_t self;      /* without nested interrupts; all interrupts */
	uint64_t cut;       /* entries without an exit: lost, or after the end */
};

#define IRQ_DEPTH 32
struct irq_open {
	uint32_t row;
	uint64_t since, inner; /* inner: time of directly nested ones */
};

struct irq_cpu {
	struct irq_open open[IRQ_DEPTH];
	uint32_t depth;
	uint64_t outer; /* time in closed interrupts */
	uint64_t stray; /* exits without an entry: lost, or before the trace */
};

struct irqs {
	struct irq_row *row;
	uint32_t nrow, room;
	struct keys by_key, by_source;
	struct irq_cpu *cpu;
	uint32_t ncpus;
};

/* Return 0 or -ENOMEM. number: as in struct pitrace_interrupt. */
int irqs_enter(struct irqs *q, uint32_t cpu, uint32_t source, uint32_t number, uint64_t time);
int irqs_exit(struct irqs *q, uint32_t cpu, uint32_t source, uint32_t number, uint64_t time);
/* Closes the open interrupts of this CPU, whose exits are missing, as of `time`. */
void irqs_cut(struct irqs *q, uint32_t cpu, uint64_t time);
/* Returns the time in interrupts on this CPU, from its first record until `time`. */
uint64_t irqs_time(const struct irqs *q, uint32_t cpu, uint64_t time);
/* Returns the innermost open interrupt as the first row of its source and number, or NO_KEY. */
uint32_t irqs_innermost(const struct irqs *q, uint32_t cpu);
/* Returns whether self times add up to the CPUs' times in interrupts. */
bool irqs_add_up(const struct irqs *q);
void irqs_free(struct irqs *q);

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * Entries and exits of interrupts. They nest strictly on their CPU. Each session keeps for each CPU
 * which of the current interrupts were recorded at entry, so that an exit is recorded exactly if
 * its entry was: not if the entry was before *on*, in a pause or on a thread out of scope.
 */
#include <linux/interrupt.h>
#include <linux/sched.h>
#include <trace/events/irq.h>
#include "arch/arch.h"
#include "core/session.h"
#include "hook/hook.h"
#include "itrace/itrace.h"
#include "ptt/ptt.h"

#define MOST 32 /* bits of irq_nest.recorded; deeper ones are not recorded */

static __always_inline void emit(struct ring *r, u32 minor, u32 number)
{
	struct pitrace_interrupt *data;

	data = ring_reserve(r, PITRACE_INTERRUPT, minor, sizeof(*data), PITRACE_LOST_INTERRUPT);
	if (!data)
		return;
	data->number = number;
	data->tid = current->pid;
	ring_commit(r);
}

/* An interrupt may come between any two lines of these functions, and leaves depth as it found it.
 * Therefore the entry changes depth before it sets the bit, and the exit reads the bit first. */
void hook_irq_entry(enum pitrace_irq_source source, u32 number)
{
	struct session_cpu *c;
	struct session *s;
	struct ring *r;
	u32 depth;

	ptt_interrupt(true);
	if (itrace_any())
		itrace_interrupt(source);
	preempt_disable_notrace();
	for_each_wanting(s, WANT_INTERRUPT) {
		c = session_here(s);
		if (!c)
			continue;
		depth = c->irq.depth;
		WRITE_ONCE(c->irq.depth, depth + 1);
		if (depth >= MOST)
			continue;
		r = session_trace(s);
		if (!r || !session_has(s, current->tgid)) {
			WRITE_ONCE(c->irq.recorded, c->irq.recorded & ~BIT(depth));
			continue;
		}
		WRITE_ONCE(c->irq.recorded, c->irq.recorded | BIT(depth));
		emit(r, source, number);
	}
	preempt_enable_notrace();
}

void hook_irq_exit(enum pitrace_irq_source source, u32 number)
{
	struct session_cpu *c;
	struct session *s;
	struct ring *r;
	u32 depth, recorded;

	preempt_disable_notrace();
	for_each_wanting(s, WANT_INTERRUPT) {
		c = session_here(s);
		/* This exit has no entry: the interrupt began before the session was on. */
		if (!c || !c->irq.depth)
			continue;
		depth = c->irq.depth - 1;
		recorded = READ_ONCE(c->irq.recorded);
		WRITE_ONCE(c->irq.depth, depth);
		if (depth >= MOST || !(recorded & BIT(depth)))
			continue;
		r = session_trace(s);
		if (r)
			emit(r, source | PITRACE_EXIT, number);
	}
	preempt_enable_notrace();
	ptt_interrupt(false);
}

static void on_irq_entry(void *unused, int irq, struct irqaction *action)
{
	enum pitrace_irq_source source = arch_irq_source(action);

	if (source)
		hook_irq_entry(source, irq);
}

static void on_irq_exit(void *unused, int irq, struct irqaction *action, int result)
{
	enum pitrace_irq_source source = arch_irq_source(action);

	if (source)
		hook_irq_exit(source, irq);
}

static void on_softirq_entry(void *unused, unsigned int vector)
{
	if (itrace_any())
		itrace_softirq(true);
	hook_irq_entry(PITRACE_IRQ_SOFTIRQ, vector);
}

static void on_softirq_exit(void *unused, unsigned int vector)
{
	hook_irq_exit(PITRACE_IRQ_SOFTIRQ, vector);
	if (itrace_any())
		itrace_softirq(false);
}

struct hook_tracepoint hook_irq_tracepoints[] = { HOOK(irq_handler_entry, on_irq_entry),
						  HOOK(irq_handler_exit, on_irq_exit),
						  HOOK(softirq_entry, on_softirq_entry),
						  HOOK(softirq_exit, on_softirq_exit),
						  {} };

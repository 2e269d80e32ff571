/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Simulates a machine's kernel: threads run, sleep, wake each other, move between CPUs and call the
 * system, and interrupts nest. The events are random and consistent: a thread is in one place, an
 * exit follows its entry.
 */
#include <stdlib.h>
#include <string.h>
#include "gen_trace.h"
#include "xorshift.h"

#define NOBODY UINT32_MAX

struct thread {
	uint32_t pid, tid;
	enum { ASLEEP, RUNNABLE, RUNS } state;
	uint32_t call; /* + 1; 0: in none */
};

struct events {
	struct gen_ring *trace;
	struct thread *thread;
	uint32_t nthread;
	uint32_t *current; /* by CPU; NOBODY: idle */
	uint64_t now, random, records;
};

static uint64_t draw(struct events *e)
{
	return xorshift(&e->random);
}

static void put(struct events *e, uint32_t cpu, uint16_t major, uint32_t minor, const void *data,
		size_t size)
{
	e->now += 1 + draw(e) % 4000;
	memcpy(gen_record(&e->trace[cpu], major, minor, PITRACE_TYPE_STRUCT, (uint32_t)size,
			  e->now),
	       data, size);
	e->records++;
}

static uint32_t find(struct events *e, int state)
{
	uint32_t first = (uint32_t)(draw(e) % e->nthread), i;

	for (i = 0; i < 8; i++) {
		uint32_t t = (first + i) % e->nthread;

		if ((int)e->thread[t].state == state)
			return t;
	}
	return NOBODY;
}

static void wake(struct events *e, uint32_t cpu, uint32_t flags)
{
	uint32_t t = find(e, ASLEEP), by = e->current[cpu];
	struct pitrace_wakeup w = { .cpu = cpu, .priority = 120 };

	if (t == NOBODY)
		return;
	w.pid = e->thread[t].pid;
	w.tid = e->thread[t].tid;
	if (by != NOBODY) {
		w.waker_pid = e->thread[by].pid;
		w.waker_tid = e->thread[by].tid;
	}
	e->thread[t].state = RUNNABLE;
	put(e, cpu, PITRACE_WAKEUP, flags, &w, sizeof(w));
}

static void dispatch(struct events *e, uint32_t cpu)
{
	uint32_t next = find(e, RUNNABLE), old = e->current[cpu], why = PITRACE_LEFT_RUNNING;
	struct pitrace_dispatch d = { .old_priority = 120, .new_priority = 120 };

	if (next == NOBODY && old == NOBODY)
		return;
	if (old != NOBODY) {
		why = (uint32_t)(draw(e) >> 20) % 4;
		e->thread[old].state = why < PITRACE_LEFT_SLEEP ? RUNNABLE : ASLEEP;
		d.old_pid = e->thread[old].pid;
		d.old_tid = e->thread[old].tid;
	}
	if (next != NOBODY) {
		e->thread[next].state = RUNS;
		d.new_pid = e->thread[next].pid;
		d.new_tid = e->thread[next].tid;
	}
	e->current[cpu] = next;
	put(e, cpu, PITRACE_DISPATCH, why, &d, sizeof(d));
}

static void system_call(struct events *e, uint32_t cpu)
{
	struct pitrace_sysenter in = { .arguments = { 1, 2, 3 } };
	struct pitrace_sysexit out = { .result = 0 };
	struct thread *t;

	if (e->current[cpu] == NOBODY)
		return;
	t = &e->thread[e->current[cpu]];
	in.pid = out.pid = t->pid;
	in.tid = out.tid = t->tid;
	if (!t->call) {
		t->call = 1 + (uint32_t)(draw(e) >> 30) % 60;
		put(e, cpu, PITRACE_SYSCALL, t->call - 1, &in, sizeof(in));
		return;
	}
	out.result = (int64_t)(draw(e) >> 40) % 12 - 3;
	put(e, cpu, PITRACE_SYSCALL, (t->call - 1) | PITRACE_EXIT, &out, sizeof(out));
	t->call = 0;
}

static void interrupt(struct events *e, uint32_t cpu, unsigned int depth)
{
	uint32_t by = e->current[cpu], source = 1 + (uint32_t)(draw(e) >> 10) % 3;
	struct pitrace_interrupt i = {
		.number = source == PITRACE_IRQ_TIMER ? 0 : (uint32_t)(draw(e) >> 15) % 9,
		.tid = by == NOBODY ? 0 : e->thread[by].tid,
	};

	put(e, cpu, PITRACE_INTERRUPT, source, &i, sizeof(i));
	if (depth < 3 && draw(e) % 5 == 0)
		interrupt(e, cpu, depth + 1);
	if (draw(e) % 3 == 0)
		wake(e, cpu, PITRACE_WAKE_INTERRUPT);
	put(e, cpu, PITRACE_INTERRUPT, source | PITRACE_EXIT, &i, sizeof(i));
}

uint64_t gen_events(struct gen_ring *trace, const struct gen_options *o, uint64_t start)
{
	struct events e = { .trace = trace,
			    .nthread = o->processes * o->threads,
			    .now = start,
			    .random = o->seed * 0x9E3779B97F4A7C15ull | 1 };
	uint32_t i, cpu = 0;

	e.thread = calloc(e.nthread, sizeof(*e.thread));
	e.current = calloc(o->cpus, sizeof(*e.current));
	for (i = 0; i < e.nthread; i++) {
		e.thread[i].pid = 1000 + i / o->threads * (o->threads + 1);
		e.thread[i].tid = e.thread[i].pid + i % o->threads;
	}
	for (i = 0; i < o->cpus; i++)
		e.current[i] = NOBODY;
	while (e.records < o->events) {
		cpu = (cpu + 1) % o->cpus;
		switch (draw(&e) % 8) {
		case 0:
		case 1:
		case 2:
			dispatch(&e, cpu);
			break;
		case 3:
			if (e.current[cpu] != NOBODY)
				wake(&e, cpu, 0);
			break;
		case 4:
		case 5:
			interrupt(&e, cpu, 0);
			break;
		default:
			system_call(&e, cpu);
		}
	}
	free(e.thread);
	free(e.current);
	return e.now;
}

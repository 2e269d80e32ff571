// SPDX-License-Identifier: GPL-2.0
/* The sessions that are on; stopping a session, waking its consumer, draining its rings. */
#include <linux/cpu.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include "core/session.h"

struct workqueue_struct *work_queue;
struct session *active[PITRACE_MAX_SESSIONS];
unsigned long wants[WANTS];
DEFINE_MUTEX(sessions_lock); /* lock order: session.h */

void session_wants(void)
{
	static const u16 majors[WANTS] = {
		[WANT_TPROF] = PITRACE_TPROF,        [WANT_DISPATCH] = PITRACE_DISPATCH,
		[WANT_WAKEUP] = PITRACE_WAKEUP,      [WANT_INTERRUPT] = PITRACE_INTERRUPT,
		[WANT_SYSCALL] = PITRACE_SYSCALL,    [WANT_FAULT] = PITRACE_FAULT,
		[WANT_ITRACE] = PITRACE_BRANCH_USER,
	};
	int want, i;

	for (want = 0; want < WANTS; want++) {
		unsigned long mask = 0;

		for (i = 0; i < PITRACE_MAX_SESSIONS; i++)
			if (active[i] &&
			    (want == WANT_ANY || test_bit(majors[want], active[i]->majors) ||
			     (want == WANT_ITRACE &&
			      test_bit(PITRACE_BRANCH_KERNEL, active[i]->majors))))
				mask |= BIT(i);
		WRITE_ONCE(wants[want], mask);
	}
}

/* ---- the consumer's side --------------------------------------------------------------------- */

static void wake_work(struct irq_work *work)
{
	struct session *s = container_of(work, struct session_wake, work)->session;

	wake_up_interruptible_all(&s->wait);
}

int session_wake_init(struct session *s)
{
	unsigned int cpu;

	init_waitqueue_head(&s->wait);
	s->wake = alloc_percpu(struct session_wake);
	if (!s->wake)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		struct session_wake *w = per_cpu_ptr(s->wake, cpu);

		init_irq_work(&w->work, wake_work);
		w->session = s;
	}
	return 0;
}

void session_wake_free(struct session *s)
{
	unsigned int cpu;

	if (!s->wake)
		return;
	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu_ptr(s->wake, cpu)->work);
	free_percpu(s->wake);
}

void session_wake(struct session *s)
{
	preempt_disable();
	irq_work_queue(&this_cpu_ptr(s->wake)->work);
	preempt_enable();
}

void session_set_state(struct session *s, int state)
{
	WRITE_ONCE(s->state, state);
	/* (C) stop_* before state */
	smp_store_release(&s->control->state, state);
}

bool session_turn(struct session *s, int from, int to)
{
	if (cmpxchg(&s->state, from, to) != from)
		return false;
	/* A later session_stop() writes control->state after this. */
	cmpxchg(&s->control->state, from, to);
	return true;
}

void session_stop(struct session *s, u32 cpu, u32 ring)
{
	int old = READ_ONCE(s->state);

	/* Only the first stop counts; concurrent changes of the state must not hide it. */
	do {
		if (old < PITRACE_STATE_STARTING || old > PITRACE_STATE_SUSPENDED)
			return;
	} while (!try_cmpxchg(&s->state, &old, PITRACE_STATE_STOPPED));
	s->control->stop_cpu = cpu;
	s->control->stop_ring = ring;
	/* (C) stop_* before state */
	smp_store_release(&s->control->state, PITRACE_STATE_STOPPED);
	session_wake(s);
}

void session_crashed(struct session *s, u32 cpu, pid_t pid, int signal)
{
	/* Only the first crash counts. */
	if (READ_ONCE(s->state) != PITRACE_STATE_ON || cmpxchg(&s->control->stop_pid, 0, pid))
		return;
	s->control->stop_signal = signal;
	session_stop(s, cpu, PITRACE_STOP_CRASH);
}

int session_consume(struct session *s, const struct pitrace_consume_args *args)
{
	struct ring *r = session_ring(s, args->cpu, args->ring);

	if (!r)
		return -ENXIO;
	if (r->wrap)
		return -EINVAL;
	mutex_lock(&s->consumer);
	ring_consume(r, args->position);
	mutex_unlock(&s->consumer);
	wake_up_all(&s->wait);
	return 0;
}

struct flush {
	struct session *session;
	unsigned int cpu;
	u32 what;
};

static void flush_cpu(void *data)
{
	struct flush *f = data;
	struct session_cpu *c = f->session->cpu[f->cpu];

	if (f->what & PITRACE_FLUSH_MTE)
		ring_close(&c->ring[PITRACE_RING_MTE]);
	if (f->what & PITRACE_FLUSH_TRACE)
		ring_close(&c->ring[PITRACE_RING_TRACE]);
}

/* Does an open segment of the ring contain anything? */
static bool open_segment(const struct session *s, unsigned int cpu, u32 kind)
{
	const struct ring *r = &s->cpu[cpu]->ring[kind];
	unsigned long head = local_read(&r->head);

	return head & (r->segment - 1) || head != READ_ONCE(*r->published);
}

int session_flush(struct session *s, u32 what)
{
	unsigned int cpu;

	mutex_lock(&s->consumer);
	cpus_read_lock();
	for (cpu = 0; cpu < s->ncpus; cpu++) {
		struct flush f = { s, cpu, 0 };

		if (!s->cpu[cpu])
			continue;
		if (what & PITRACE_FLUSH_MTE && open_segment(s, cpu, PITRACE_RING_MTE))
			f.what |= PITRACE_FLUSH_MTE;
		if (what & PITRACE_FLUSH_TRACE && open_segment(s, cpu, PITRACE_RING_TRACE))
			f.what |= PITRACE_FLUSH_TRACE;
		/* A sleeping CPU with nothing new is left asleep. */
		if (!f.what)
			continue;
		if (cpu_online(cpu))
			smp_call_function_single(cpu, flush_cpu, &f, 1);
		else
			flush_cpu(&f);
	}
	cpus_read_unlock();
	mutex_unlock(&s->consumer);
	return 0;
}

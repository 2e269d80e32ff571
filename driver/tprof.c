// SPDX-License-Identifier: GPL-2.0
/*
 * tprof by timer. A tick that finds the CPU idle is recorded and parks the timer: an idle CPU is
 * not woken again; when it leaves idle the ticks it would have had are computed from the same
 * sequence of due times, so that ticks always add up to time.
 */
#include <asm/irq_regs.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include "clock.h"
#include "member.h"
#include "session.h"

#define LATE_NS		25000	/* served later than this: interrupts had been off */
#define WALK_TICKS	256	/* idle ticks that are walked one by one, the rest are divided */

static void advance(struct tprof_cpu *t)
{
	t->previous = t->due;
	t->due += dither_next(&t->dither);
}

void tprof_sample(struct session *s, u32 cpu, struct pt_regs *regs, u32 minor, u32 period)
{
	struct session_cpu *c = s->cpu[cpu];
	struct ring *r = &c->ring[PITRACE_RING_TRACE];
	const struct stack *stack = NULL;
	struct pitrace_sample *data;
	u32 size = sizeof(*data);
	bool user;

	if (!session_has(s, current->tgid) || !member_sees_current(s)) {
		WRITE_ONCE(c->page->out_of_scope, c->page->out_of_scope + 1);
		return;
	}
	WRITE_ONCE(c->page->ticks, c->page->ticks + 1);
	if (minor & PITRACE_TPROF_LATE)
		WRITE_ONCE(c->page->late, c->page->late + 1);
	user = regs && user_mode(regs);
	minor |= user ? PITRACE_TPROF_USER : PITRACE_TPROF_KERNEL;
	if (unlikely(s->stacks) && regs)
		stack = stack_take(s, cpu, regs);
	if (stack) {
		minor |= PITRACE_TPROF_STACK;
		size += stack_bytes(stack);
	}
	data = ring_reserve(r, PITRACE_TPROF, minor, size, PITRACE_LOST_TPROF);
	if (data) {
		data->pid = current->tgid;
		data->tid = current->pid;
		data->address = regs && (user || !s->hides_kernel) ? instruction_pointer(regs) : 0;
		data->period = period;
		if (stack)
			stack_put(data + 1, stack);
		ring_commit(r);
	}
	stack_done(s, cpu, stack);
}

/* Ticks that fell due by now and were not served. Far behind (a machine that stood still) by the
 * mean, so that the work is bounded. */
static u64 overdue(struct tprof_cpu *t, u64 now)
{
	u64 ticks = 0;

	if (now > t->due && now - t->due > (u64)WALK_TICKS * t->dither.period) {
		ticks = div_u64(now - t->due, t->dither.period);
		t->due += ticks * t->dither.period;
	}
	while (t->due <= now) {
		ticks++;
		advance(t);
	}
	return ticks;
}

static void overrun(struct tprof_cpu *t, u64 ticks)
{
	struct session *s = t->session;

	if (unlikely(ticks) && session_has(s, current->tgid))
		ring_lose(&s->cpu[t->cpu]->ring[PITRACE_RING_TRACE], PITRACE_LOST_OVERRUN,
			  min_t(u64, ticks, U32_MAX));
}

static enum hrtimer_restart tick(struct hrtimer *timer)
{
	struct tprof_cpu *t = container_of(timer, struct tprof_cpu, timer);
	struct session *s = t->session;
	u64 now = ktime_to_ns(hrtimer_cb_get_time(timer));

	if (READ_ONCE(s->state) != PITRACE_STATE_ON)
		return HRTIMER_NORESTART;
	tprof_sample(s, t->cpu, get_irq_regs(), now - t->due > LATE_NS ? PITRACE_TPROF_LATE : 0,
		     t->due - t->previous);
	advance(t);
	overrun(t, overdue(t, now));
	if (is_idle_task(current)) {
		t->parked = true;
		t->parked_stamp = clock_stamp(s->clock);
		return HRTIMER_NORESTART;
	}
	hrtimer_set_expires(timer, ns_to_ktime(t->due));
	return HRTIMER_RESTART;
}

/* The ticks that fell due while parked: one record. */
static void computed(struct tprof_cpu *t, u64 now)
{
	struct session *s = t->session;
	struct session_cpu *c = s->cpu[t->cpu];
	struct ring *r = &c->ring[PITRACE_RING_TRACE];
	struct pitrace_idle *data;
	u64 ticks = overdue(t, now);

	if (!ticks || s->scope != PITRACE_SCOPE_SYSTEM)
		return;
	WRITE_ONCE(c->page->idle_ticks, c->page->idle_ticks + ticks);
	data = ring_reserve(r, PITRACE_TPROF, PITRACE_TPROF_IDLE, sizeof(*data),
			    PITRACE_LOST_OTHER);
	if (!data)
		return;
	data->ticks = min_t(u64, ticks, U32_MAX);
	data->reserved = 0;
	data->since = t->parked_stamp;
	ring_commit(r);
}

void tprof_wake(struct tprof_cpu *t)
{
	if (!t->parked)
		return;
	t->parked = false;
	if (READ_ONCE(t->session->state) != PITRACE_STATE_ON)
		return;
	computed(t, ktime_get_mono_fast_ns());
	hrtimer_start(&t->timer, ns_to_ktime(t->due), HRTIMER_MODE_ABS_PINNED_HARD);
}

void tprof_init(struct tprof_cpu *t, struct session *s, u32 cpu)
{
	t->session = s;
	t->cpu = cpu;
	t->running = t->parked = false;
	hrtimer_setup(&t->timer, tick, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
}

void tprof_start(struct tprof_cpu *t)
{
	struct session *s = t->session;
	u32 period = NSEC_PER_SEC / s->rate;

	if (t->running || READ_ONCE(s->ending) || READ_ONCE(s->state) != PITRACE_STATE_ON ||
	    !test_bit(PITRACE_TPROF, s->majors) || s->nevents)
		return;
	dither_init(&t->dither, period, s->dither, s->seed + t->cpu);
	t->parked = false;
	t->running = true;
	/* CPUs are staggered over one period. */
	t->previous = ktime_to_ns(ktime_get());
	t->due = t->previous + period + div_u64((u64)period * t->cpu, s->ncpus);
	t->previous = t->due - period;
	hrtimer_start(&t->timer, ns_to_ktime(t->due), HRTIMER_MODE_ABS_PINNED_HARD);
}

void tprof_stop(struct tprof_cpu *t)
{
	if (!t->running)
		return;
	t->running = false;
	hrtimer_cancel(&t->timer);
	if (READ_ONCE(t->session->state) == PITRACE_STATE_ON) {
		if (t->parked)
			computed(t, ktime_get_mono_fast_ns());
		else
			overrun(t, overdue(t, ktime_get_mono_fast_ns()));
		ring_announce(&t->session->cpu[t->cpu]->ring[PITRACE_RING_TRACE]);
	}
	t->parked = false;
}

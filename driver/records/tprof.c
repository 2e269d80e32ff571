// SPDX-License-Identifier: GPL-2.0
/*
 * tprof by timer. A tick that finds the CPU idle is recorded and parks the timer, so that an idle
 * CPU is not woken again; when it leaves idle, the ticks it would have had are computed from the
 * same sequence of due times, so that ticks always add up to time.
 *
 * A session with process scope has on each CPU a clock that is stopped while other processes run
 * there: when one of its threads is scheduled in, the next tick is as far away as it was when the
 * last one was scheduled out. Its ticks thus add up to the time its threads ran, however short each
 * turn is, and other threads have none.
 */
#include <asm/irq_regs.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include "core/access.h"
#include "core/session.h"
#include "records/stack.h"
#include "records/tprof.h"
#include "ring/clock.h"

#define LATE_NS    25000 /* served later than this: interrupts had been off */
#define WALK_TICKS 256   /* idle ticks that are computed one by one; the rest by division */

static void advance(struct tprof_cpu *t)
{
	t->previous = t->due;
	t->due += dither_next(&t->dither);
}

static void count_out_of_scope(struct session_cpu *c, u64 ticks)
{
	WRITE_ONCE(c->page->out_of_scope, c->page->out_of_scope + ticks);
}

/* Records a sample of the current thread, which the session may trace. */
static void emit_sample(struct session *s, u32 cpu, u64 address, const struct stack_record *stack,
			u32 minor, u32 period)
{
	struct session_cpu *c = s->cpu[cpu];
	struct ring *r = &c->ring[PITRACE_RING_TRACE];
	struct pitrace_sample *data;
	u32 size = sizeof(*data);

	WRITE_ONCE(c->page->ticks, c->page->ticks + 1);
	if (minor & PITRACE_TPROF_LATE)
		WRITE_ONCE(c->page->late, c->page->late + 1);
	if (stack) {
		minor |= PITRACE_TPROF_STACK;
		size += stack_bytes(stack);
	}
	data = ring_reserve(r, PITRACE_TPROF, minor, size, PITRACE_LOST_TPROF);
	if (data) {
		data->pid = current->tgid;
		data->tid = current->pid;
		data->address = address;
		data->period = period;
		if (stack)
			stack_put(data + 1, stack);
		ring_commit(r);
	}
	stack_done(s, cpu, stack);
}

void tprof_sample(struct session *s, u32 cpu, struct pt_regs *regs, u32 minor, u32 period)
{
	bool user = regs && user_mode(regs);

	if (!session_has(s, current->tgid) || !session_may_trace_current(s)) {
		count_out_of_scope(s->cpu[cpu], 1);
		return;
	}
	emit_sample(s, cpu, regs && (user || !s->hides_kernel) ? instruction_pointer(regs) : 0,
		    unlikely(s->stacks) && regs ? stack_take(s, cpu, regs) : NULL,
		    minor | (user ? PITRACE_TPROF_USER : PITRACE_TPROF_KERNEL), period);
}

/* Returns the ticks that fell due by now and were not served. If there are very many (the machine
 * was stopped) they are computed by the mean, to bound the work. */
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

	if (unlikely(ticks))
		ring_lose(&s->cpu[t->cpu]->ring[PITRACE_RING_TRACE], PITRACE_LOST_OVERRUN,
			  min_t(u64, ticks, U32_MAX));
}

/* sessions with process scope */

/* Is this thread's time sampled? It runs here, or is about to. */
static bool is_ours(const struct session *s, const struct task_struct *task)
{
	return s->scope == PITRACE_SCOPE_SYSTEM ||
	       (session_has(s, task->tgid) &&
		(likely(!s->cred) || cred_covers_task_rcu(s->cred, task)));
}

/* Counts the ticks that other threads would have had: they are not recorded, but reported. */
static void count_others(struct tprof_cpu *t, u64 now)
{
	u64 ticks;
	u32 rest;

	if (t->others_since && now > t->others_since)
		t->others_ns += now - t->others_since;
	t->others_since = now;
	if (t->others_ns < t->dither.period)
		return;
	ticks = div_u64_rem(t->others_ns, t->dither.period, &rest);
	t->others_ns = rest;
	count_out_of_scope(t->session->cpu[t->cpu], ticks);
}

/* A tick fell due with interrupts off, in schedule(). The current thread may not return from there
 * soon, or at all: the tick belongs to it. */
static void serve_in_schedule(struct tprof_cpu *t, u64 now)
{
	struct session *s = t->session;
	u32 minor = PITRACE_TPROF_KERNEL | (now - t->due > LATE_NS ? PITRACE_TPROF_LATE : 0);
	const struct stack_record *stack;
	u64 address;

	if (is_ours(s, current)) {
		stack = unlikely(s->stacks) ? stack_take(s, t->cpu, NULL) : NULL;
		address = stack && stack->head.kernel ? stack->words[0] : (unsigned long)schedule;
		emit_sample(s, t->cpu, s->hides_kernel ? 0 : address, stack, minor,
			    t->due - t->previous);
	} else {
		count_out_of_scope(s->cpu[t->cpu], 1);
	}
	advance(t);
	overrun(t, overdue(t, now));
}

static void stop_clock(struct tprof_cpu *t, const struct task_struct *next, u64 now)
{
	t->offcpu = true;
	t->since = now;
	t->others_since = is_idle_task(next) ? 0 : now;
}

/* The clock continues. */
static void resume_clock(struct tprof_cpu *t, u64 now)
{
	u64 stood = now > t->since ? now - t->since : 0;

	t->offcpu = false;
	t->previous += stood;
	t->due += stood;
	hrtimer_start(&t->timer, ns_to_ktime(t->due), HRTIMER_MODE_ABS_PINNED_HARD);
}

void tprof_follow(struct tprof_cpu *t, const struct task_struct *prev,
		  const struct task_struct *next)
{
	bool ours = is_ours(t->session, next);
	u64 now;

	/* Most switches change nothing: within the scope, or between two threads outside it. */
	if (ours ? !t->offcpu : t->offcpu && is_idle_task(prev) == is_idle_task(next))
		return;
	if (READ_ONCE(t->session->state) != PITRACE_STATE_ON)
		return;
	now = ktime_get_mono_fast_ns();
	if (!t->offcpu) {
		/* The handler runs on this CPU only, so it is not running now. */
		hrtimer_try_to_cancel(&t->timer);
		if (unlikely(t->due <= now))
			serve_in_schedule(t, now);
		stop_clock(t, next, now);
		return;
	}
	count_others(t, now);
	if (ours)
		resume_clock(t, now);
	else if (is_idle_task(next))
		t->others_since = 0;
}

/* ---- the timer ------------------------------------------------------------------------------- */

static enum hrtimer_restart tick(struct hrtimer *timer)
{
	struct tprof_cpu *t = container_of(timer, struct tprof_cpu, timer);
	struct session *s = t->session;
	u64 now = ktime_to_ns(hrtimer_cb_get_time(timer));

	if (READ_ONCE(s->state) != PITRACE_STATE_ON)
		return HRTIMER_NORESTART;
	/* The thread left the scope, or its owner may no longer trace it, while it runs. */
	if (t->follows && !is_ours(s, current)) {
		count_out_of_scope(s->cpu[t->cpu], 1);
		advance(t);
		stop_clock(t, current, now);
		return HRTIMER_NORESTART;
	}
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

/* Records the ticks that fell due while parked, in one record. */
static void emit_idle(struct tprof_cpu *t, u64 now)
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
	emit_idle(t, ktime_get_mono_fast_ns());
	hrtimer_start(&t->timer, ns_to_ktime(t->due), HRTIMER_MODE_ABS_PINNED_HARD);
}

void tprof_init(struct tprof_cpu *t, struct session *s, u32 cpu)
{
	t->session = s;
	t->cpu = cpu;
	t->running = t->parked = t->follows = t->offcpu = t->begun = false;
	t->others_ns = 0;
	hrtimer_setup(&t->timer, tick, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
}

static void begin(struct tprof_cpu *t, u64 now)
{
	struct session *s = t->session;
	u32 period = NSEC_PER_SEC / s->rate;

	dither_init(&t->dither, period, s->dither, s->seed + t->cpu);
	/* CPUs are staggered over one period. A timer that follows threads begins at a random place
	 * in it, so that threads that run for less than a period on each of many CPUs are sampled
	 * at the right rate. */
	t->due = now + (t->follows ? 1 + dither_random(&t->dither, period) :
				     period + div_u64((u64)period * t->cpu, s->ncpus));
	t->previous = t->due - period;
	t->since = now;
	t->begun = true;
}

void tprof_start(struct tprof_cpu *t)
{
	struct session *s = t->session;
	u64 now;

	if (t->running || READ_ONCE(s->ending) || READ_ONCE(s->state) != PITRACE_STATE_ON ||
	    !test_bit(PITRACE_TPROF, s->majors) || s->nevents)
		return;
	t->parked = false;
	t->running = true;
	t->follows = s->scope != PITRACE_SCOPE_SYSTEM;
	now = ktime_to_ns(ktime_get());
	if (!t->follows || !t->begun)
		begin(t, now);
	if (is_ours(s, current)) {
		resume_clock(t, now);
		return;
	}
	/* The clock is stopped already. */
	t->offcpu = true;
	t->others_since = is_idle_task(current) ? 0 : now;
}

/* Stops the clock from here on, if it was running. */
static void stop_following(struct tprof_cpu *t, u64 now)
{
	if (!t->offcpu)
		t->since = now;
	else if (t->others_since)
		count_others(t, now);
	overrun(t, overdue(t, t->since));
	t->follows = t->offcpu = false;
}

void tprof_stop(struct tprof_cpu *t)
{
	u64 now;

	if (!t->running)
		return;
	t->running = false;
	hrtimer_cancel(&t->timer);
	now = ktime_get_mono_fast_ns();
	if (READ_ONCE(t->session->state) == PITRACE_STATE_ON) {
		if (t->follows)
			stop_following(t, now);
		else if (t->parked)
			emit_idle(t, now);
		else
			overrun(t, overdue(t, now));
		ring_announce(&t->session->cpu[t->cpu]->ring[PITRACE_RING_TRACE]);
	}
	t->parked = t->follows = false;
}

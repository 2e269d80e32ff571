// SPDX-License-Identifier: GPL-2.0
/* The states of a session: set up, on, off, suspended; its clock sync each second; its CPUs. */
#include <linux/cpu.h>
#include <linux/smp.h>
#include "core/access.h"
#include "core/pages.h"
#include "core/quota.h"
#include "core/scope.h"
#include "core/session.h"
#include "device/session_state.h"
#include "core/hooks.h"
#include "itrace/itrace.h"
#include "records/event.h"
#include "records/mte.h"
#include "records/stack.h"
#include "records/tprof.h"
#include "records/user.h"
#include "records/walk.h"
#include "ring/clock.h"

/* ---- on and off ------------------------------------------------------------------------------ */

static void timer_start(void *data)
{
	struct session *s = data;
	unsigned int cpu = smp_processor_id();

	if (cpu < s->ncpus && s->cpu[cpu])
		tprof_start(&s->cpu[cpu]->tprof);
}

static void timer_stop(void *data)
{
	struct session *s = data;
	unsigned int cpu = smp_processor_id();

	if (cpu < s->ncpus && s->cpu[cpu])
		tprof_stop(&s->cpu[cpu]->tprof);
}

/* Writes a clock sync each second, and checks whether the clock is still reliable. */
static void sync_work(struct work_struct *work)
{
	struct session *s = container_of(to_delayed_work(work), struct session, sync);

	mte_sync(s, PITRACE_SYNC_SECOND);
	if (!s->warned_unstable && clock_unstable(s->clock)) {
		s->warned_unstable = true;
		pr_warn("pitrace: the TSC turned unstable: times of session %u are unsure now\n",
			s->id);
		mte_sync(s, PITRACE_SYNC_UNSTABLE);
	}
	queue_delayed_work(work_queue, &s->sync, HZ);
}

static u64 mte_lost(const struct session *s)
{
	unsigned int cpu;
	u64 lost = 0;

	for (cpu = 0; cpu < s->ncpus; cpu++)
		if (s->cpu[cpu])
			lost += READ_ONCE(s->cpu[cpu]->page->lost[PITRACE_LOST_MTE]);
	return lost;
}

static void rescan_work(struct work_struct *work)
{
	struct session *s = container_of(work, struct session, rescan);

	u64 asked = READ_ONCE(s->control->rescans_asked);

	if (session_mte(s)) {
		s->walked = mte_lost(s);
		/* A file that begins here needs the clock, the rate and all live tasks. */
		mte_sync(s, PITRACE_SYNC_SECOND);
		mte_interval(s, PITRACE_INTERVAL_AGAIN);
		walk_tasks(s, &s->ending);
		/* Requests that programs declare their named events again. */
		mutex_lock(&sessions_lock);
		user_listen();
		mutex_unlock(&sessions_lock);
		/* A consumer that sees the count also finds the walk's records. */
		smp_store_release(&s->control->rescans_done, asked);
	}
}

static void deactivate(struct session *s)
{
	s->since = ktime_get_boottime_ns();
	mutex_lock(&sessions_lock);
	WRITE_ONCE(active[s->id - 1], NULL);
	session_wants();
	user_listen();
	mutex_unlock(&sessions_lock);
	/* Hooks that saw the session run with preemption off: wait for all of them. */
	synchronize_rcu();
}

static void prepare(struct session *s)
{
	unsigned int cpu;

	/* A consumer may still be consuming the previous interval: that must not affect the new
	 * rings. */
	mutex_lock(&s->consumer);
	for (cpu = 0; cpu < s->ncpus; cpu++) {
		struct session_cpu *c = s->cpu[cpu];

		if (!c)
			continue;
		ring_reset(&c->ring[PITRACE_RING_MTE]);
		ring_reset(&c->ring[PITRACE_RING_TRACE]);
		tprof_init(&c->tprof, s, cpu);
		c->irq = (struct irq_nest){};
		memset(c->page->lost, 0, sizeof(c->page->lost));
		c->page->ticks = c->page->idle_ticks = c->page->late = c->page->out_of_scope = 0;
		c->page->instructions = c->page->branches = 0;
		c->page->waits = c->page->waited = 0;
		c->page->online = cpu_online(cpu);
	}
	mutex_unlock(&s->consumer);
	memset(s->seen, 0, PITRACE_SEEN * sizeof(*s->seen));
	if (s->calls)
		memset(s->calls, 0, PITRACE_CALLS * sizeof(*s->calls));
	INIT_DELAYED_WORK(&s->sync, sync_work);
	INIT_WORK(&s->rescan, rescan_work);
	s->interval++;
	/* (E) the rings before the interval */
	smp_store_release(&s->control->interval, s->interval);
	s->control->rate = s->rate;
	s->control->dither = s->dither;
	s->control->stop_pid = s->control->stop_signal = 0;
	s->warned_unstable = clock_unstable(s->clock);
	s->walked = 0;
	s->ending = false;
}

/* Returns the timer's ticks per second, for the quota. Constant while the session is on. */
static u32 ticks_a_second(const struct session *s)
{
	return test_bit(PITRACE_TPROF, s->majors) && !s->nevents ? s->rate : 0;
}

static void release(struct session *s)
{
	event_release(s);
	hooks_put(s->majors, true);
	quota_give(s->quota, QUOTA_RATE, ticks_a_second(s));
	session_set_state(s, PITRACE_STATE_OFF);
}

static int turn_on(struct session *s)
{
	u64 begin;
	int err = quota_take(s->quota, QUOTA_RATE, ticks_a_second(s));

	if (err)
		return err;
	err = hooks_get(s->majors, true);
	if (err) {
		quota_give(s->quota, QUOTA_RATE, ticks_a_second(s));
		return err;
	}
	prepare(s);
	session_set_state(s, PITRACE_STATE_STARTING);

	/* Before any hook records; repeated below for what happened until all hooks recorded. */
	scope_begin(s, ktime_get_boottime_ns());
	begin = ktime_get_boottime_ns();
	mutex_lock(&sessions_lock);
	WRITE_ONCE(active[s->id - 1], s);
	session_wants();
	user_listen();
	mutex_unlock(&sessions_lock);
	scope_begin(s, begin);
	mte_sync(s, PITRACE_SYNC_ON);
	queue_delayed_work(work_queue, &s->sync, HZ);

	err = walk_tasks(s, NULL);
	if (!err)
		err = event_start(s);
	/* Before the first record of a trace major: all later ones belong to the interval. */
	if (!err)
		mte_interval(s, 0);
	if (!err && !session_turn(s, PITRACE_STATE_STARTING, PITRACE_STATE_ON))
		err = -ENOBUFS;
	if (err) {
		cancel_delayed_work_sync(&s->sync);
		deactivate(s);
		release(s);
		return err;
	}
	cpus_read_lock();
	on_each_cpu(timer_start, s, 1);
	cpus_read_unlock();
	itrace_on(s, PITRACE_ITRACE_ON);
	return 0;
}

int session_on(struct session *s)
{
	int err = -EBUSY;

	mutex_lock(&s->lock);
	if (s->state == PITRACE_STATE_OFF)
		err = turn_on(s);
	mutex_unlock(&s->lock);
	return err;
}

int session_off(struct session *s)
{
	int err = -EALREADY;

	mutex_lock(&s->lock);
	if (s->state != PITRACE_STATE_OFF) {
		itrace_off(s, false);
		event_pause(s, true);
		cpus_read_lock();
		/* A CPU that comes online from here on starts no timer. */
		WRITE_ONCE(s->ending, true);
		on_each_cpu(timer_stop, s, 1);
		cpus_read_unlock();
		wake_up_all(&s->wait);
		cancel_delayed_work_sync(&s->sync);
		cancel_work_sync(&s->rescan);
		/* Live tasks were all written, unless records were lost since the last walk. */
		if (session_mte(s) && mte_lost(s) != s->walked)
			walk_tasks(s, NULL);
		mte_sync(s, PITRACE_SYNC_OFF);
		deactivate(s);
		session_flush(s, PITRACE_FLUSH_MTE | PITRACE_FLUSH_TRACE);
		release(s);
		session_wake(s);
		err = 0;
	}
	mutex_unlock(&s->lock);
	return err;
}

/* Trace majors pause, MTE continues: symbol resolution stays correct. */
int session_suspend(struct session *s, bool suspend)
{
	int from = suspend ? PITRACE_STATE_ON : PITRACE_STATE_SUSPENDED;
	int to = suspend ? PITRACE_STATE_SUSPENDED : PITRACE_STATE_ON;
	int err = 0;

	mutex_lock(&s->lock);
	if (s->state == from) {
		if (suspend) {
			itrace_off(s, true);
			event_pause(s, true);
		}
		cpus_read_lock();
		if (suspend)
			on_each_cpu(timer_stop, s, 1);
		/* Earlier records were cut off: readers must not join them to later ones. */
		if (!suspend)
			mte_interval(s, 0);
		session_turn(s, from, to);
		if (!suspend)
			on_each_cpu(timer_start, s, 1);
		cpus_read_unlock();
		if (!suspend) {
			event_pause(s, false);
			itrace_on(s, PITRACE_ITRACE_ON);
		}
	} else if (s->state != to) {
		err = -EINVAL;
	}
	mutex_unlock(&s->lock);
	return err;
}

/* A worker does the walk, because it waits for the consumer, which is the caller here. */
int session_rescan(struct session *s)
{
	int err = -EINVAL;

	mutex_lock(&s->lock);
	if (session_mte(s)) {
		WRITE_ONCE(s->control->rescans_asked, s->control->rescans_asked + 1);
		queue_work(work_queue, &s->rescan);
		err = 0;
	}
	mutex_unlock(&s->lock);
	return err;
}

u64 session_majors[PITRACE_MAJORS / 64] = { BIT_ULL(PITRACE_TPROF) | BIT_ULL(PITRACE_SYSINFO) |
						    BIT_ULL(PITRACE_MTE),
					    0, BIT_ULL(PITRACE_HOOKIT % 64), USER_MAJORS };

/* Allocates the table of threads in system calls, if these are recorded. */
static int prepare_calls(struct session *s, const struct pitrace_setup_args *args)
{
	if (!(args->majors[0] & BIT_ULL(PITRACE_SYSCALL)) || s->calls)
		return 0;
	s->calls = pages_alloc(PITRACE_CALLS * sizeof(*s->calls));
	return s->calls ? 0 : -ENOMEM;
}

int session_setup(struct session *s, const struct pitrace_setup_args *args)
{
	int i, err = 0;

	if (args->rate > PITRACE_MAX_RATE || args->dither > 100)
		return -EINVAL;
	for (i = 0; i < PITRACE_MAJORS / 64; i++)
		if (args->majors[i] & ~session_majors[i])
			return -EOPNOTSUPP;
	err = stack_check(args);
	if (!err)
		err = access_check_setup(s, args);
	if (err)
		return err;
	mutex_lock(&s->lock);
	err = s->state == PITRACE_STATE_OFF ? prepare_calls(s, args) : -EBUSY;
	if (!err) {
		if (args->rate)
			s->rate = args->rate;
		s->dither = args->dither;
		s->seed = args->seed;
		bitmap_from_arr64(s->majors, args->majors, PITRACE_MAJORS);
		s->stacks = args->stacks;
		s->depth = args->depth ?: PITRACE_STACK_MAX;
		s->copy = args->copy;
		err = stack_prepare(s);
		if (err)
			s->stacks = 0;
		else
			err = itrace_prepare(s);
	}
	mutex_unlock(&s->lock);
	return err;
}

/* CPU hotplug */

static void sessions_cpu(unsigned int cpu, bool online)
{
	unsigned long flags;
	int i;

	mutex_lock(&sessions_lock);
	for (i = 0; i < PITRACE_MAX_SESSIONS; i++) {
		struct session *s = active[i];

		if (!s || cpu >= s->ncpus || !s->cpu[cpu])
			continue;
		if (online) {
			mte_sync(s, PITRACE_SYNC_CPU_ONLINE);
			event_cpu_online(s, cpu);
		}
		local_irq_save(flags);
		if (online) {
			tprof_start(&s->cpu[cpu]->tprof);
		} else {
			tprof_stop(&s->cpu[cpu]->tprof);
			event_cpu_offline(s, cpu);
		}
		local_irq_restore(flags);
		WRITE_ONCE(s->cpu[cpu]->page->online, online);
		if (!online)
			mte_sync(s, PITRACE_SYNC_CPU_OFFLINE);
	}
	mutex_unlock(&sessions_lock);
}

void sessions_cpu_online(unsigned int cpu)
{
	sessions_cpu(cpu, true);
}

void sessions_cpu_offline(unsigned int cpu)
{
	sessions_cpu(cpu, false);
}

void sessions_sync(enum pitrace_sync_why why)
{
	mte_sync(NULL, why);
}

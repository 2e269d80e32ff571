// SPDX-License-Identifier: GPL-2.0
/* Sessions: made, set up, switched on and off, drained, ended. */
#include <linux/cpu.h>
#include <linux/log2.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/vmalloc.h>
#include "clock.h"
#include "hook.h"
#include "mte.h"
#include "session.h"

struct session *active[PITRACE_MAX_SESSIONS];
DEFINE_MUTEX(sessions_lock);
static unsigned long taken;	/* session slots; id = slot + 1 */
static bool system_wide;	/* one of them is */

unsigned int sessions_alive(void)
{
	return hweight_long(READ_ONCE(taken));
}

/* ---- the consumer's side --------------------------------------------------------------------- */

static void wake_work(struct irq_work *work)
{
	struct session *s = container_of(work, struct session, wake);

	wake_up_interruptible_all(&s->wait);
}

void session_wake(struct session *s)
{
	irq_work_queue(&s->wake);
}

static void set_state(struct session *s, int state)
{
	WRITE_ONCE(s->state, state);
	/* (C) stop_* before state */
	smp_store_release(&s->control->state, state);
}

void session_stop(struct session *s, u32 cpu, u32 ring)
{
	int old = READ_ONCE(s->state);

	if ((old != PITRACE_STATE_ON && old != PITRACE_STATE_STARTING) ||
	    cmpxchg(&s->state, old, PITRACE_STATE_STOPPED) != old)
		return;
	s->control->stop_cpu = cpu;
	s->control->stop_ring = ring;
	set_state(s, PITRACE_STATE_STOPPED);
	session_wake(s);
}

int session_consume(struct session *s, const struct pitrace_consume_args *args)
{
	struct ring *r = session_ring(s, args->cpu, args->ring);

	if (!r)
		return -ENXIO;
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

static bool open_segment(const struct session *s, unsigned int cpu, u32 ring)
{
	return READ_ONCE(s->cpu[cpu]->page->ring[ring].head) & (s->segment_bytes - 1);
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

/* A clock sync each second; and is the clock still to be trusted? */
static void sync_work(struct work_struct *work)
{
	struct session *s = container_of(to_delayed_work(work), struct session, sync);

	mte_sync(s, PITRACE_SYNC_SECOND);
	if (!s->told_unstable && clock_unstable(s->clock)) {
		s->told_unstable = true;
		pr_warn("pitrace: the time stamp counter turned unstable: times of session %u are unsure from here on\n",
			s->id);
		mte_sync(s, PITRACE_SYNC_UNSTABLE);
	}
	queue_delayed_work(system_wq, &s->sync, HZ);
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

static void deactivate(struct session *s)
{
	mutex_lock(&sessions_lock);
	WRITE_ONCE(active[s->id - 1], NULL);
	mutex_unlock(&sessions_lock);
	/* Every hook that saw it has preemption off. */
	synchronize_rcu();
}

static int turn_on(struct session *s)
{
	unsigned int cpu;
	int err = hooks_get();

	if (err)
		return err;
	for (cpu = 0; cpu < s->ncpus; cpu++) {
		struct session_cpu *c = s->cpu[cpu];

		if (!c)
			continue;
		ring_reset(&c->ring[PITRACE_RING_MTE]);
		ring_reset(&c->ring[PITRACE_RING_TRACE]);
		memset(c->page->lost, 0, sizeof(c->page->lost));
		c->page->ticks = c->page->idle_ticks = c->page->late = c->page->out_of_scope = 0;
		c->page->online = cpu_online(cpu);
	}
	memset(s->seen, 0, PITRACE_SEEN * sizeof(*s->seen));
	s->interval++;
	s->control->interval = s->interval;
	s->control->rate = s->rate;
	s->control->dither = s->dither;
	s->told_unstable = clock_unstable(s->clock);
	s->walked = 0;
	set_state(s, PITRACE_STATE_STARTING);

	mutex_lock(&sessions_lock);
	WRITE_ONCE(active[s->id - 1], s);
	mutex_unlock(&sessions_lock);
	mte_sync(s, PITRACE_SYNC_ON);
	queue_delayed_work(system_wq, &s->sync, HZ);

	err = walk_tasks(s);
	if (!err && cmpxchg(&s->state, PITRACE_STATE_STARTING, PITRACE_STATE_ON) != PITRACE_STATE_STARTING)
		err = -ENOBUFS;
	if (err) {
		cancel_delayed_work_sync(&s->sync);
		deactivate(s);
		hooks_put();
		set_state(s, PITRACE_STATE_OFF);
		return err;
	}
	smp_store_release(&s->control->state, PITRACE_STATE_ON);
	mte_interval(s);
	cpus_read_lock();
	on_each_cpu(timer_start, s, 1);
	cpus_read_unlock();
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
		cpus_read_lock();
		on_each_cpu(timer_stop, s, 1);
		cpus_read_unlock();
		cancel_delayed_work_sync(&s->sync);
		cancel_work_sync(&s->rescan);
		/* What of the live tasks is still unwritten: only what was lost since the last walk. */
		if (session_mte(s) && mte_lost(s) != s->walked)
			walk_tasks(s);
		mte_sync(s, PITRACE_SYNC_OFF);
		deactivate(s);
		hooks_put();
		session_flush(s, PITRACE_FLUSH_MTE | PITRACE_FLUSH_TRACE);
		set_state(s, PITRACE_STATE_OFF);
		session_wake(s);
		err = 0;
	}
	mutex_unlock(&s->lock);
	return err;
}

/* Trace majors pause, MTE goes on: names stay right. */
int session_suspend(struct session *s, bool suspend)
{
	int from = suspend ? PITRACE_STATE_ON : PITRACE_STATE_SUSPENDED;
	int to = suspend ? PITRACE_STATE_SUSPENDED : PITRACE_STATE_ON;
	int err = 0;

	mutex_lock(&s->lock);
	if (s->state == from) {
		cpus_read_lock();
		if (suspend)
			on_each_cpu(timer_stop, s, 1);
		if (cmpxchg(&s->state, from, to) == from)
			smp_store_release(&s->control->state, to);
		if (!suspend)
			on_each_cpu(timer_start, s, 1);
		cpus_read_unlock();
	} else if (s->state != to) {
		err = -EINVAL;
	}
	mutex_unlock(&s->lock);
	return err;
}

static void rescan_work(struct work_struct *work)
{
	struct session *s = container_of(work, struct session, rescan);

	if (session_mte(s)) {
		s->walked = mte_lost(s);
		walk_tasks(s);
	}
}

/* Later, by a worker: the walk waits for the consumer, who is the one that asks. */
int session_rescan(struct session *s)
{
	int err = -EINVAL;

	mutex_lock(&s->lock);
	if (session_mte(s)) {
		queue_work(system_unbound_wq, &s->rescan);
		err = 0;
	}
	mutex_unlock(&s->lock);
	return err;
}

int session_setup(struct session *s, const struct pitrace_setup_args *args)
{
	static const u64 known[PITRACE_MAJORS / 64] = {
		BIT_ULL(PITRACE_TPROF) | BIT_ULL(PITRACE_SYSINFO) | BIT_ULL(PITRACE_MTE)
	};
	int i, err = 0;

	if (args->rate > 20000 || args->dither > 100)
		return -EINVAL;
	for (i = 0; i < PITRACE_MAJORS / 64; i++)
		if (args->majors[i] & ~known[i])
			return -EOPNOTSUPP;
	mutex_lock(&s->lock);
	if (s->state != PITRACE_STATE_OFF) {
		err = -EBUSY;
	} else {
		if (args->rate)
			s->rate = args->rate;
		s->dither = args->dither;
		s->seed = args->seed;
		bitmap_from_arr64(s->majors, args->majors, PITRACE_MAJORS);
	}
	mutex_unlock(&s->lock);
	return err;
}

/* ---- what happens to CPUs -------------------------------------------------------------------- */

static void sessions_cpu(unsigned int cpu, bool online)
{
	unsigned long flags;
	int i;

	mutex_lock(&sessions_lock);
	for (i = 0; i < PITRACE_MAX_SESSIONS; i++) {
		struct session *s = active[i];

		if (!s || cpu >= s->ncpus || !s->cpu[cpu])
			continue;
		if (online)
			mte_sync(s, PITRACE_SYNC_CPU_ONLINE);
		local_irq_save(flags);
		if (online)
			tprof_start(&s->cpu[cpu]->tprof);
		else
			tprof_stop(&s->cpu[cpu]->tprof);
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

/* ---- made and ended -------------------------------------------------------------------------- */

static void free_session(struct session *s)
{
	unsigned int cpu;

	for (cpu = 0; s->cpu && cpu < s->ncpus; cpu++) {
		if (s->cpu[cpu])
			vfree(s->cpu[cpu]->data);
		kfree(s->cpu[cpu]);
	}
	kfree(s->cpu);
	vfree(s->control);
	vfree(s->pids);
	vfree(s->seen);
	put_pid(s->root);
	if (s->mm) {
		account_locked_vm(s->mm, s->charged, false);
		mmdrop(s->mm);
	}
	mutex_lock(&sessions_lock);
	if (s->scope == PITRACE_SCOPE_SYSTEM)
		system_wide = false;
	clear_bit(s->id - 1, &taken);
	mutex_unlock(&sessions_lock);
	kfree(s);
}

void session_destroy(struct session *s)
{
	session_off(s);
	irq_work_sync(&s->wake);
	free_session(s);
}

/* Sizes: powers of two, at least four segments a ring, no more than 1 GB a CPU. */
static int get_sizes(struct session *s, const struct pitrace_session_args *args)
{
	u64 segment = args->segment_bytes ?: 64 * 1024;
	u64 mte = args->mte_bytes ?: 2 * 1024 * 1024;
	u64 trace = args->trace_bytes ?: 4 * 1024 * 1024;

	if (!is_power_of_2(segment) || segment < 2 * PITRACE_MAX_RECORD || segment > 1024 * 1024 ||
	    mte > SZ_1G || trace > SZ_1G)
		return -EINVAL;
	s->segment_bytes = segment;
	s->mte_bytes = roundup_pow_of_two(max(mte, 4 * segment));
	s->trace_bytes = roundup_pow_of_two(max(trace, 4 * segment));
	return 0;
}

static int get_scope(struct session *s, const struct pitrace_session_args *args)
{
	struct task_struct *task;
	int err = 0;

	if (args->scope == PITRACE_SCOPE_SYSTEM)
		return args->pid ? -EINVAL : 0;
	if (args->scope != PITRACE_SCOPE_PROCESS || args->pid <= 0)
		return -EINVAL;
	s->pids = vzalloc(PITRACE_PIDS / 8);
	if (!s->pids)
		return -ENOMEM;
	s->root = find_get_pid(args->pid);
	if (!s->root)
		return -ESRCH;
	rcu_read_lock();
	task = pid_task(s->root, PIDTYPE_PID);
	if (task && task->tgid < PITRACE_PIDS)
		set_bit(task->tgid, s->pids);
	else
		err = -ESRCH;
	rcu_read_unlock();
	return err;
}

static int make_rings(struct session *s)
{
	struct pitrace_control *c;
	u32 stride = sizeof(struct pitrace_cpu);
	unsigned int cpu;

	s->ncpus = nr_cpu_ids;
	s->control_bytes = PAGE_ALIGN(PAGE_SIZE + (size_t)s->ncpus * stride);
	s->cpu = kcalloc(s->ncpus, sizeof(*s->cpu), GFP_KERNEL);
	s->seen = vzalloc(PITRACE_SEEN * sizeof(*s->seen));
	s->control = c = vmalloc_user(s->control_bytes);
	if (!s->cpu || !c || !s->seen)
		return -ENOMEM;
	c->size = sizeof(*c);
	c->version = PITRACE_ABI_VERSION;
	c->session = s->id;
	c->ncpus = s->ncpus;
	c->cpu_offset = PAGE_SIZE;
	c->cpu_stride = stride;
	c->segment_bytes = s->segment_bytes;
	c->mte_bytes = s->mte_bytes;
	c->trace_bytes = s->trace_bytes;
	c->data_offset = s->control_bytes;
	c->data_stride = s->mte_bytes + s->trace_bytes;
	c->mode = s->mode;
	c->clock = s->clock;
	c->clock_hz = clock_hz(s->clock);
	for_each_present_cpu(cpu) {
		struct session_cpu *sc = kzalloc_node(sizeof(*sc), GFP_KERNEL, cpu_to_node(cpu));

		if (!sc)
			return -ENOMEM;
		s->cpu[cpu] = sc;
		sc->page = (void *)c + c->cpu_offset + cpu * stride;
		sc->data = vmalloc_user(c->data_stride);
		if (!sc->data)
			return -ENOMEM;
		sc->page->present = 1;
		sc->page->online = cpu_online(cpu);
		ring_init(&sc->ring[PITRACE_RING_MTE], s, cpu, PITRACE_RING_MTE, sc->data,
			  s->mte_bytes, s->segment_bytes, sc->page);
		ring_init(&sc->ring[PITRACE_RING_TRACE], s, cpu, PITRACE_RING_TRACE,
			  sc->data + s->mte_bytes, s->trace_bytes, s->segment_bytes, sc->page);
		tprof_init(&sc->tprof, s, cpu);
		cond_resched();
	}
	return 0;
}

/* The pages are the caller's: counted against its limit of locked memory. More than half of the
 * machine's is refused before the allocator fights for it. */
static int charge(struct session *s)
{
	unsigned long pages = num_present_cpus() * ((s->mte_bytes + s->trace_bytes) >> PAGE_SHIFT);
	struct sysinfo machine;
	int err;

	si_meminfo(&machine);
	if (pages > machine.totalram / 2)
		return -ENOMEM;
	err = account_locked_vm(current->mm, pages, true);
	if (err)
		return err;
	s->charged = pages;
	s->mm = current->mm;
	mmgrab(s->mm);
	return 0;
}

struct session *session_create(const struct pitrace_session_args *args)
{
	struct session *s;
	int slot, err;

	if (args->mode != PITRACE_MODE_NORMAL && args->mode != PITRACE_MODE_CONTINUOUS)
		return ERR_PTR(args->mode == PITRACE_MODE_WRAP ? -EOPNOTSUPP : -EINVAL);
	if (args->scope > PITRACE_SCOPE_PROCESS || args->clock > PITRACE_CLOCK_MONOTONIC)
		return ERR_PTR(-EINVAL);
	s = kzalloc(sizeof(*s), GFP_KERNEL);
	if (!s)
		return ERR_PTR(-ENOMEM);

	mutex_lock(&sessions_lock);
	slot = find_first_zero_bit(&taken, PITRACE_MAX_SESSIONS);
	if (slot >= PITRACE_MAX_SESSIONS ||
	    (args->scope == PITRACE_SCOPE_SYSTEM && system_wide)) {
		mutex_unlock(&sessions_lock);
		kfree(s);
		return ERR_PTR(-EBUSY);
	}
	set_bit(slot, &taken);
	if (args->scope == PITRACE_SCOPE_SYSTEM)
		system_wide = true;
	mutex_unlock(&sessions_lock);

	s->id = slot + 1;
	s->mode = args->mode;
	s->scope = args->scope;
	s->clock = clock_pick(args->clock);
	s->rate = 997;
	s->dither = 100;
	__set_bit(PITRACE_TPROF, s->majors);
	mutex_init(&s->lock);
	mutex_init(&s->consumer);
	init_waitqueue_head(&s->wait);
	init_irq_work(&s->wake, wake_work);
	INIT_DELAYED_WORK(&s->sync, sync_work);
	INIT_WORK(&s->rescan, rescan_work);

	err = s->clock ? get_sizes(s, args) : -EOPNOTSUPP;
	if (!err)
		err = get_scope(s, args);
	if (!err)
		err = charge(s);
	if (!err)
		err = make_rings(s);
	if (err) {
		free_session(s);
		return ERR_PTR(err);
	}
	return s;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The state machine of the Performance Inspector's paper. On each CPU events cut time into pieces:
 * a dispatch, the begin and the end of an interrupt. At the event that ends a piece, the counters'
 * differences over the piece are added to its thread or CPU. All state belongs to one CPU and its
 * events come one at a time (interrupts are off), so no lock is needed.
 */
#include <linux/cpu.h>
#include <linux/kernel_stat.h>
#include <linux/smp.h>
#include "core/access.h"
#include "core/hooks.h"
#include "ptt/ptt.h"

struct ptt *ptts[PITRACE_MAX_PTTS];
unsigned long ptts_on;
DEFINE_PER_CPU(bool, ptt_quiet) = true;
DEFINE_PER_CPU(u64, ptt_switches);
/* Protects ptts[] against other writers and CPU hotplug. Taken within `changing` and by hotplug's
 * callbacks, so its holder must not take hotplug's lock. */
static DEFINE_MUTEX(ptts_lock);

/* Returns this CPU's part, if it is counting. */
static __always_inline struct ptt_cpu *here(const struct ptt *p)
{
	struct ptt_cpu *c = p->cpu[smp_processor_id()];

	return likely(c && c->on) ? c : NULL;
}

/* An interval ends. The sequences of both pages stay odd until the event's own additions are
 * done. */
static __always_inline void book_begin(const struct ptt *p, struct ptt_cpu *c)
{
	struct pitrace_ptt_thread *t = c->thread ? c->thread->page : NULL;
	struct pitrace_ptt_cpu *page = c->page;
	__u64 *bucket = page->bucket[c->in_interrupt ? PITRACE_PTT_INTERRUPTS : c->bucket];
	u32 i;

	ptt_write_begin(&page->sequence);
	if (t)
		ptt_write_begin(&t->sequence);
	for (i = 0; i < p->metrics; i++) {
		u64 now = counter_read(&p->counter[i]), used = now - page->last[i];

		page->last[i] = now;
		bucket[i] += used;
		if (!t)
			continue;
		t->metric[i].last = now;
		if (c->in_interrupt)
			t->metric[i].interrupt += used;
		else
			t->metric[i].value += used;
	}
}

/* counters that threads read themselves (user reads) */

static atomic_t user_read_ptts;                 /* ptts with metrics that threads read themselves */
static DEFINE_PER_CPU(bool, user_read_enabled); /* set by us, for the thread that runs here */

/*
 * While a thread has perf events of its own, the register belongs to perf, which may write it at
 * any time without our notice. The same holds, until the next interrupt, if the previous thread had
 * some: perf removes them after our hook. At an interrupt's end perf has finished its work in it.
 */
static bool may_enable_user_read(const struct task_struct *task)
{
	return !compat_has_perf_events(task);
}

static void publish_counters(const struct ptt *p, const struct ptt_cpu *c, bool yes)
{
	u32 i;

	for (i = 0; i < p->metrics; i++)
		if (p->counter[i].how == PITRACE_HOW_COUNTER)
			counter_publish(&p->counter[i], yes, &c->thread->page->metric[i]);
}

/* Interrupts are off. Access that perf granted is not removed. */
static void set_user_read(bool yes)
{
	if (!yes && !__this_cpu_read(user_read_enabled))
		return;
	__this_cpu_write(user_read_enabled, yes);
	arch_set_user_counters(yes);
}

/* Enables counter reads for the current thread if any ptt needs them. `end`: a ptt has stopped;
 * else perf's changes to the register stay until the thread is switched. */
static void update_user_read(bool end)
{
	struct ptt_cpu *c;
	struct ptt *p;
	bool yes = false;

	if (!ARCH_USER_COUNTERS || !atomic_read(&user_read_ptts) ||
	    (!end && !may_enable_user_read(current)))
		return;
	for_each_ptt(p) {
		c = here(p);
		yes |= c && c->thread && p->user_read;
	}
	set_user_read(yes && may_enable_user_read(current));
}

/* end of an interval */

/* The thread no longer runs here, or is no longer watched. */
static __always_inline void leave(const struct ptt *p, struct ptt_cpu *c)
{
	if (!c->thread)
		return;
	if (ARCH_USER_COUNTERS && unlikely(p->user_read))
		publish_counters(p, c, false);
	ptt_write_end(&c->thread->page->sequence);
}

/* The thread in c->thread keeps running. */
static __always_inline void book_end(const struct ptt *p, struct ptt_cpu *c, bool may)
{
	if (c->thread) {
		if (ARCH_USER_COUNTERS && unlikely(p->user_read))
			publish_counters(p, c, may);
		ptt_write_end(&c->thread->page->sequence);
	}
	ptt_write_end(&c->page->sequence);
}

/* `task` runs here from now on; the CPU's page is open for writing, no thread's is. */
static __always_inline void switch_to_task(const struct ptt *p, struct ptt_cpu *c,
					   const struct task_struct *task, bool dispatch)
{
	struct ptt_thread *thread = ptt_find(p, task);
	struct pitrace_ptt_thread *t;
	u32 i;

	/* A thread that gained credentials must not be shown to this owner. */
	if (thread && unlikely(p->cred) && !cred_covers_task_rcu(p->cred, task))
		thread = NULL;
	c->thread = thread;
	if (!thread) {
		c->bucket = is_idle_task(task) ? PITRACE_PTT_IDLE : PITRACE_PTT_OTHER;
		return;
	}
	c->bucket = PITRACE_PTT_THREADS;
	t = thread->page;
	ptt_write_begin(&t->sequence);
	t->dispatches += dispatch;
	t->cpu = smp_processor_id();
	for (i = 0; i < p->metrics; i++)
		t->metric[i].last = c->page->last[i];
}

static __always_inline bool quiet(const struct ptt_cpu *c)
{
	return !c->thread && !c->depth && c->bucket == PITRACE_PTT_OTHER;
}

/* The work of the CPU has changed for one of the ptts. */
static void update_quiet(void)
{
	bool all = true;
	struct ptt *p;

	for_each_ptt(p) {
		const struct ptt_cpu *c = here(p);

		all &= !c || quiet(c);
	}
	__this_cpu_write(ptt_quiet, all);
}

/* Switches that ptt_passes() skipped count too; the page is open. */
static __always_inline void book_switches(struct ptt_cpu *c)
{
	u64 now = __this_cpu_read(ptt_switches);

	c->page->dispatches += now - c->switches;
	c->switches = now;
}

/* An interval ends without an event, and the current thread is looked up again: it may have been
 * added or removed. On this CPU, interrupts off. */
static void look(const struct ptt *p, struct ptt_cpu *c)
{
	book_begin(p, c);
	leave(p, c);
	switch_to_task(p, c, current, false);
	book_end(p, c, may_enable_user_read(current));
	update_quiet();
}

/* ---- hooks ----------------------------------------------------------------------------------- */

void ptt_switch_slow(struct task_struct *prev, struct task_struct *next, bool dead)
{
	bool may = ARCH_USER_COUNTERS && may_enable_user_read(prev) && may_enable_user_read(next);
	bool any = false;
	bool all = true;
	struct ptt_cpu *c;
	struct ptt *p;

	__this_cpu_inc(ptt_switches);
	for_each_ptt(p) {
		c = here(p);
		if (c) {
			book_begin(p, c);
			leave(p, c);
			/* No switch happens within an interrupt: one that is still open has no exit
			 * hook. */
			c->depth = 0;
			c->in_interrupt = false;
			book_switches(c);
			switch_to_task(p, c, next, true);
			book_end(p, c, may);
			any |= c->thread && p->user_read;
			all &= quiet(c);
		}
		/* Removed on whatever CPU it is: its entry must be gone before the memory is
		 * reused. */
		if (unlikely(dead))
			ptt_ended(p, prev);
	}
	if (ARCH_USER_COUNTERS && unlikely(atomic_read(&user_read_ptts)))
		set_user_read(any && may);
	__this_cpu_write(ptt_quiet, all);
}

void ptt_interrupt_slow(bool entry)
{
	unsigned long flags;
	bool all = true;
	struct ptt_cpu *c;
	struct ptt *p;

	/* NMIs may interrupt anything, even a booking: their time stays with the interval that they
	 * hit. */
	if (in_nmi())
		return;
	raw_local_irq_save(flags);
	for_each_ptt(p) {
		c = here(p);
		if (!c)
			continue;
		/* Nested ones count once; an exit whose entry came before counting began is
		 * ignored. */
		if (entry ? c->depth++ : !c->depth || --c->depth) {
			all &= quiet(c);
			continue;
		}
		book_begin(p, c);
		c->in_interrupt = entry && !(READ_ONCE(p->flags) & PITRACE_PTT_CHARGE);
		c->page->interrupts += entry;
		if (c->thread)
			c->thread->page->interrupts += entry;
		book_end(p, c, ARCH_USER_COUNTERS && may_enable_user_read(current));
		all &= quiet(c);
	}
	__this_cpu_write(ptt_quiet, all);
	if (!entry)
		update_user_read(false);
	raw_local_irq_restore(flags);
}

/* start, stop, and requests to all CPUs */

static u64 stolen(void)
{
	return kcpustat_cpu(smp_processor_id()).cpustat[CPUTIME_STEAL];
}

/* Counts from before this CPU began to count belong to no bucket: `start` is moved up by them. */
static void cpu_begin(void *data)
{
	struct ptt *p = data;
	struct ptt_cpu *c = p->cpu[smp_processor_id()];
	u32 i;

	if (!c || c->on || c->stale || READ_ONCE(p->stopped))
		return;
	ptt_write_begin(&c->page->sequence);
	for (i = 0; i < p->metrics; i++) {
		u64 now = counter_read(&p->counter[i]);

		c->page->start[i] += now - c->page->last[i];
		c->page->last[i] = now;
	}
	c->stolen = stolen() - c->page->steal;
	c->switches = __this_cpu_read(ptt_switches);
	c->depth = 0;
	c->in_interrupt = false;
	switch_to_task(p, c, current, false);
	c->on = true;
	c->page->online = 1;
	book_end(p, c, may_enable_user_read(current));
	update_quiet();
	update_user_read(false);
}

static void cpu_end(void *data)
{
	struct ptt_cpu *c = here(data);

	if (!c)
		return;
	book_begin(data, c);
	leave(data, c);
	book_switches(c);
	c->thread = NULL;
	book_end(data, c, false);
	c->on = false;
	c->page->online = 0;
	update_quiet();
	update_user_read(true);
}

static void cpu_update(void *data)
{
	const struct ptt *p = data;
	struct ptt_cpu *c = here(p);

	if (!c)
		return;
	book_begin(p, c);
	book_switches(c);
	c->page->steal = stolen() - c->stolen;
	c->page->missing |= counters_missing(p->counter, p->metrics, smp_processor_id());
	book_end(p, c, may_enable_user_read(current));
	update_user_read(false);
}

static void cpu_look(void *data)
{
	struct ptt_cpu *c = here(data);

	if (!c)
		return;
	look(data, c);
	update_user_read(false);
}

static void on_all(smp_call_func_t f, struct ptt *p)
{
	cpus_read_lock();
	on_each_cpu(f, p, 1);
	cpus_read_unlock();
}

/* Does one of the owner's threads run there? That may change at once, by a dispatch, which
 * books. */
static bool runs_thread(int cpu, void *data)
{
	const struct ptt *p = data;
	const struct ptt_cpu *c = p->cpu[cpu];

	return !p->cred || (c && READ_ONCE(c->thread));
}

/* A member's call does not interrupt other CPUs, because a member sees nothing of them. */
void ptt_update(struct ptt *p)
{
	cpus_read_lock();
	on_each_cpu_cond(runs_thread, cpu_update, p, true);
	cpus_read_unlock();
}

void ptt_update_here(struct ptt *p)
{
	unsigned long flags;

	local_irq_save(flags);
	cpu_update(p);
	local_irq_restore(flags);
}

void ptt_look(struct ptt *p)
{
	on_all(cpu_look, p);
}

/*
 * A thread was just put into the table. From now on each dispatch finds it, so only the CPU on
 * which it may already be running has to look it up: moving to another CPU takes a dispatch.
 */
void ptt_look_at(struct ptt *p, struct task_struct *task)
{
	/* Orders the table before the read of the thread's CPU. */
	smp_mb();
	smp_call_function_single(task_cpu(task), cpu_look, p, 1);
}

static const unsigned long hooks[BITS_TO_LONGS(PITRACE_MAJORS)] = {
	[BIT_WORD(PITRACE_INTERRUPT)] = BIT_MASK(PITRACE_INTERRUPT),
};

static void set_on(struct ptt *p, bool on)
{
	mutex_lock(&ptts_lock);
	WRITE_ONCE(ptts[p->id], on ? p : NULL);
	WRITE_ONCE(ptts_on, on ? ptts_on | BIT(p->id) : ptts_on & ~BIT(p->id));
	mutex_unlock(&ptts_lock);
}

/* Creates counters on CPUs that are marked stale, and starts them. A CPU that comes online
 * meanwhile is marked again. */
static void make_counters(struct work_struct *work)
{
	struct ptt *p = container_of(work, struct ptt, make);
	struct counters_lack lack;
	unsigned int cpu;

	for (cpu = 0; cpu < p->ncpus; cpu++) {
		struct ptt_cpu *c = p->cpu[cpu];

		if (!c || !READ_ONCE(c->stale) || !cpu_online(cpu))
			continue;
		WRITE_ONCE(c->stale, false);
		/* Clears the mark before creating the counters: a CPU that comes online later marks
		 * itself again. */
		smp_mb();
		p->err = counters_make(p->counter, p->metrics, cpu, &lack);
		WRITE_ONCE(c->page->missing, c->page->missing | lack.missing);
		p->lack.missing &= lack.missing;
		if (lack.missing) {
			p->lack.which = lack.which;
			p->lack.why = lack.why;
		}
		if (p->err) {
			WRITE_ONCE(c->stale, true);
			return;
		}
		smp_call_function_single(cpu, cpu_begin, p, 1);
	}
}

/* Succeeds if each CPU that can have its counters has them, and each metric is counted
 * somewhere. */
static int start_counters(struct ptt *p, u32 *failed)
{
	p->lack.missing = BIT(p->metrics) - 1;
	queue_work(work_queue, &p->make);
	flush_work(&p->make);
	if (!p->err && !p->lack.missing)
		return 0;
	*failed = p->err ? p->lack.which : __ffs(p->lack.missing);
	return p->lack.why;
}

void ptt_init(struct ptt *p)
{
	raw_spin_lock_init(&p->lock);
	mutex_init(&p->changing);
	INIT_WORK(&p->make, make_counters);
}

int ptt_start(struct ptt *p, u32 *failed)
{
	unsigned int cpu;
	int err = hooks_get(hooks, false);

	if (err)
		return err;
	for (cpu = 0; cpu < p->ncpus; cpu++)
		if (p->cpu[cpu])
			p->cpu[cpu]->stale = p->events;
	atomic_add(p->user_read, &user_read_ptts);
	set_on(p, true);
	/* CPUs that come online from here on begin on their own. */
	if (!p->events) {
		on_all(cpu_begin, p);
		return 0;
	}
	err = start_counters(p, failed);
	if (err)
		ptt_stop(p);
	return err;
}

void ptt_stop(struct ptt *p)
{
	if (p->stopped)
		return;
	WRITE_ONCE(p->stopped, true);
	on_all(cpu_end, p);
	atomic_sub(p->user_read, &user_read_ptts);
	set_on(p, false);
	cancel_work_sync(&p->make);
	/* Every hook that saw the ptt has preemption off. */
	synchronize_rcu();
	hooks_put(hooks, false);
	p->control->flags |= PITRACE_PTT_STOPPED;
}

static void each_here(void (*what)(struct ptt *p, struct ptt_cpu *c))
{
	unsigned long flags;
	int i;

	mutex_lock(&ptts_lock);
	for (i = 0; i < PITRACE_MAX_PTTS; i++) {
		struct ptt_cpu *c = ptts[i] ? ptts[i]->cpu[smp_processor_id()] : NULL;

		if (!c)
			continue;
		local_irq_save(flags);
		what(ptts[i], c);
		local_irq_restore(flags);
	}
	mutex_unlock(&ptts_lock);
}

/* Events that were created for this CPU while it went offline are dead too. */
static void cpu_comes_online(struct ptt *p, struct ptt_cpu *c)
{
	if (p->events) {
		WRITE_ONCE(c->stale, true);
		queue_work(work_queue, &p->make);
	} else {
		cpu_begin(p);
	}
}

static void cpu_goes_offline(struct ptt *p, struct ptt_cpu *c)
{
	cpu_end(p);
	c->stale = p->events;
}

void ptts_cpu_online(unsigned int cpu)
{
	each_here(cpu_comes_online);
}

void ptts_cpu_offline(unsigned int cpu)
{
	each_here(cpu_goes_offline);
}

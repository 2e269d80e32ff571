/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A state machine: for each thread the start of its next run, and whether that is certain. Gaps are
 * those that the kernel reported (a flag of the thread's next record, a LOST record), those of the
 * file (pirecord.gaps), threads that appear on another CPU unexpectedly, and counts that do not fit
 * the addresses.
 */
#include "model/itrace_runs.h"

#include <string.h>

#include "record/record_as.h"

#define FLAGS (PITRACE_BRANCH_GAP | PITRACE_BRANCH_CROSS | PITRACE_BRANCH_STEP)

const char *itrace_doubt_word(enum itrace_doubt doubt)
{
	static const char *const words[ITRACE_DOUBTS] = {
		[ITRACE_SURE] = "",
		[ITRACE_SWITCHED] = "switch",
		[ITRACE_EXCEPTION] = "exception",
		[ITRACE_SIGNAL] = "signal",
		[ITRACE_SIGRETURN] = "sigreturn",
		[ITRACE_UNWOUND] = "unwound",
		[ITRACE_LONGJMP] = "longjmp",
		[ITRACE_EXEC] = "exec",
		[ITRACE_ENTRY] = "entry",
		[ITRACE_FIRST] = "first",
		[ITRACE_GAP] = "gap",
	};

	return words[doubt];
}

void itrace_begin(struct itrace *t, const char *machine)
{
	static const struct {
		const char *machine;
		uint8_t shortest, longest;
	} lengths[] = {
		{ "aarch64", 4, 4 },
		{ "ppc64le", 4, 8 },
		{ "s390x", 2, 6 },
	};
	size_t i;

	*t = (struct itrace){ .shortest = 1, .longest = 15 };
	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		if (!strcmp(lengths[i].machine, machine)) {
			t->shortest = lengths[i].shortest;
			t->longest = lengths[i].longest;
		}
	}
}

void itrace_free(struct itrace *t)
{
	free(t->thread);
	free(t->on_cpu);
	keys_free(&t->by_tid);
	*t = (struct itrace){ 0 };
}

/* ---- threads --------------------------------------------------------------------------------- */

static void doubt(struct itrace_thread *th, enum itrace_doubt why)
{
	if (th->doubt < why)
		th->doubt = why;
}

/* The thread's next address is unknown. */
static void lose(struct itrace_thread *th, enum itrace_doubt why)
{
	th->known = false;
	th->any_side = true;
	th->entered = false;
	doubt(th, why);
}

/* The start of the thread's next run is unknown. */
static void doubt_unknown(struct itrace_thread *th)
{
	doubt(th, th->entered ? ITRACE_ENTRY : th->doubt < ITRACE_ENTRY ? ITRACE_GAP : 0);
}

static struct itrace_thread *new_thread(struct itrace *t, uint32_t pid, uint32_t tid)
{
	struct itrace_thread *th;

	if (keys_next(&t->by_tid, hash_mix(tid, 3), t->thread, t->nthread, t->room_thread))
		return NULL;
	th = &t->thread[t->nthread++];
	*th = (struct itrace_thread){ .pid = pid, .tid = tid, .gaps = t->gaps };
	lose(th, t->gaps ? ITRACE_GAP : ITRACE_FIRST);
	return th;
}

static struct itrace_thread *get_thread(struct itrace *t, uint32_t pid, uint32_t tid)
{
	struct itrace_thread *th;
	uint32_t i = t->last;

	if (__builtin_expect(i >= t->nthread || t->thread[i].tid != tid, 0)) {
		i = keys_find(&t->by_tid, hash_mix(tid, 3), t->thread, e, e->tid == tid);
		if (i == NO_KEY)
			th = new_thread(t, pid, tid);
		else
			th = &t->thread[i];
		if (!th)
			return NULL;
		t->last = (uint32_t)(th - t->thread);
		i = t->last;
	}
	th = &t->thread[i];
	if (__builtin_expect(th->pid != pid, 0)) { /* another thread has this tid now */
		*th = (struct itrace_thread){ .pid = pid, .tid = tid, .gaps = t->gaps };
		lose(th, ITRACE_FIRST);
	}
	return th;
}

/* ---- a CPU's last thread --------------------------------------------------------------------- */

static int note_cpu(struct itrace *t, struct itrace_thread *th, uint32_t cpu)
{
	uint32_t me = (uint32_t)(th - t->thread) + 1;

	if (array_reach(t->on_cpu, t->ncpu, cpu))
		return -ENOMEM;
	if (t->on_cpu[cpu] && t->on_cpu[cpu] != me)
		doubt(th, ITRACE_SWITCHED);
	t->on_cpu[cpu] = me;
	return 0;
}

/* ---- records --------------------------------------------------------------------------------- */

/* Checks common to all records of a thread: gaps, and the thread's CPU. */
static void check_thread(const struct itrace *t, struct itrace_thread *th, const struct pirecord *r)
{
	bool moved = th->has_cpu && th->cpu != r->cpu && r->major != PITRACE_ITRACE_SWITCH;

	if (__builtin_expect(r->minor & PITRACE_BRANCH_GAP || th->gaps != t->gaps || moved, 0)) {
		/* The trace may contain no switch records. */
		if (moved && th->gaps == t->gaps && !t->gaps && !t->switches &&
		    !(r->minor & PITRACE_BRANCH_GAP))
			doubt(th, ITRACE_SWITCHED);
		else
			lose(th, ITRACE_GAP);
		th->gaps = t->gaps;
	}
	th->cpu = r->cpu;
	th->has_cpu = true;
}

/* Returns whether `count` instructions fit into `bytes` bytes. */
static bool fits(const struct itrace *t, uint64_t count, uint64_t bytes)
{
	return bytes <= count * t->longest && bytes >= count * t->shortest;
}

static void begin_run(struct itrace *t, struct itrace_thread *th, const struct pirecord *r,
		      uint64_t count, struct itrace_run *run)
{
	run->thread = (uint32_t)(th - t->thread);
	run->pid = th->pid;
	run->tid = th->tid;
	run->cpu = r->cpu;
	run->time = r->time;
	run->count = th->pending + count;
	run->number = 0;
	run->crosses = run->misfit = false;
	th->pending = 0;
	if (__builtin_expect(!th->any_side && th->kernel != run->kernel, 0)) {
		run->misfit = !run->kernel;
		lose(th, run->kernel ? ITRACE_ENTRY : ITRACE_GAP);
	}
	if (__builtin_expect(!th->known, 0))
		doubt_unknown(th);
	run->known = th->known;
	run->start = th->next;
}

/* A run of one instruction starts at that instruction regardless of its predecessor; an empty run
 * starts at its end. */
static void know_single(struct itrace_run *run, uint64_t count)
{
	if (run->known || run->count != count || !run->end)
		return;
	run->start = run->end;
	run->known = true;
}

/* The run's addresses contradict its count: the assumed start is wrong. */
static void misfit(struct itrace_thread *th, struct itrace_run *run)
{
	doubt(th, th->entered ? ITRACE_ENTRY : ITRACE_GAP);
	run->misfit = !th->entered;
	run->known = false;
}

static int end_run(struct itrace *t, struct itrace_thread *th, struct itrace_run *run)
{
	int rc = note_cpu(t, th, run->cpu);

	run->doubt = th->doubt;
	t->runs++;
	t->instructions += run->count;
	if (run->kernel)
		t->kernel_instructions += run->count;
	th->doubt = th->execed ? ITRACE_EXEC : ITRACE_SURE;
	th->execed = false;
	th->next = run->to;
	th->known = run->to != 0;
	th->any_side = false;
	th->kernel = run->kernel ^ run->crosses;
	th->entered = run->crosses && !run->kernel;
	return rc ? rc : 1;
}

/* Checks that an instruction follows the previous one in a run of several records. */
static void check_step(struct itrace_thread *th, const struct pitrace_branch *b, bool kernel)
{
	if (!th->any_side && th->kernel != kernel)
		lose(th, kernel ? ITRACE_ENTRY : ITRACE_GAP);
	if (th->pending && b->from != th->step)
		lose(th, ITRACE_GAP);
	if (!th->pending && !(th->known && b->from == th->next)) {
		if (th->known)
			lose(th, ITRACE_GAP);
		doubt_unknown(th);
		th->next = b->from;
		th->known = true;
	}
	th->kernel = kernel;
	th->any_side = false;
	th->step = b->to;
}

/* The thread of a malformed record is unknown, so any thread may miss a record. */
static int malformed(struct itrace *t, struct trace *books, const struct pirecord *r,
		     const char *what)
{
	trace_malformed(books, r, what);
	t->lost++;
	return 0;
}

static int branch_record(struct itrace *t, struct trace *books, const struct pirecord *r,
			 struct itrace_run *run)
{
	const struct pitrace_branch *b = RECORD_AS(r, struct pitrace_branch);
	uint32_t kind = r->minor & PITRACE_BRANCH_KIND;
	struct itrace_thread *th;

	if (!b || !kind || kind > PITRACE_BRANCH_UNDEFINED || !b->count ||
	    r->minor & ~(PITRACE_BRANCH_KIND | FLAGS))
		return malformed(t, books, r, "not a branch");

	th = get_thread(t, b->pid, b->tid);
	if (!th)
		return -ENOMEM;
	check_thread(t, th, r);
	run->kernel = r->major == PITRACE_BRANCH_KERNEL;
	if (b->count == 1 && (th->pending || r->minor & PITRACE_BRANCH_STEP))
		check_step(th, b, run->kernel);
	if (r->minor & PITRACE_BRANCH_STEP) {
		th->pending += b->count;
		return 0;
	}
	begin_run(t, th, r, b->count, run);
	run->end = b->from;
	run->to = b->to;
	run->what = ITRACE_BRANCH;
	run->type = (uint8_t)kind;
	run->cause = 0;
	run->crosses = r->minor & PITRACE_BRANCH_CROSS;
	if (run->known && !fits(t, run->count - 1, run->end - run->start))
		misfit(th, run);
	know_single(run, 1);
	return end_run(t, th, run);
}

static enum itrace_doubt doubt_after(const struct itrace_run *run)
{
	switch (run->cause) {
	case PITRACE_BREAK_SIGNAL:
		return ITRACE_SIGNAL;
	case PITRACE_BREAK_SIGRETURN:
		return ITRACE_SIGRETURN;
	case PITRACE_BREAK_EXEC:
		return ITRACE_EXEC;
	case PITRACE_BREAK_SYSCALL:
	case PITRACE_BREAK_OWN:
		return ITRACE_SURE;
	case PITRACE_BREAK_SWITCH:
		return ITRACE_SWITCHED;
	default:
		return run->to == run->end ? ITRACE_SURE : ITRACE_EXCEPTION;
	}
}

static int break_record(struct itrace *t, struct trace *books, const struct pirecord *r,
			struct itrace_run *run)
{
	const struct pitrace_break_rec *b = RECORD_AS(r, struct pitrace_break_rec);
	uint32_t kind = r->minor & PITRACE_BRANCH_KIND;
	struct itrace_thread *th;
	int rc;

	if (!b || !kind || kind > PITRACE_BREAK_LAST || r->minor & ~(PITRACE_BRANCH_KIND | FLAGS))
		return malformed(t, books, r, "not a break");

	th = get_thread(t, b->pid, b->tid);
	if (!th)
		return -ENOMEM;
	check_thread(t, th, r);
	run->kernel = r->major == PITRACE_BREAK_KERNEL;
	begin_run(t, th, r, b->count, run);
	run->end = b->at;
	run->to = b->to;
	run->number = b->number;
	run->what = ITRACE_BREAK;
	run->type = kind == PITRACE_BREAK_SYSCALL ? PITRACE_BRANCH_OTHER : ITRACE_INTERRUPTED;
	run->cause = (uint8_t)kind;
	run->crosses = r->minor & PITRACE_BRANCH_CROSS;
	/* System calls may be restarted, and `at` of an exec is in the old address space: these do
	 * not end the run. */
	if (run->known && (kind < PITRACE_BREAK_SIGRETURN || kind > PITRACE_BREAK_EXEC) &&
	    !fits(t, run->count, run->end - run->start))
		misfit(th, run);
	know_single(run, 0);
	rc = end_run(t, th, run);
	doubt(th, doubt_after(run));
	return rc;
}

static int mark_record(struct itrace *t, struct trace *books, const struct pirecord *r,
		       struct itrace_run *run)
{
	const struct pitrace_itrace_mark *m = RECORD_AS(r, struct pitrace_itrace_mark);
	uint32_t why = r->minor & PITRACE_BRANCH_KIND;
	bool stop = r->major == PITRACE_ITRACE_STOP;
	struct itrace_thread *th;
	int rc = 0;

	if (!m || !why || why > PITRACE_ITRACE_PROBE)
		return malformed(t, books, r, "not the start or stop of a trace");

	th = get_thread(t, m->pid, m->tid);
	if (!th)
		return -ENOMEM;
	if (stop) {
		check_thread(t, th, r);
		run->kernel = !th->any_side && th->kernel;
		if (th->pending + m->count) {
			begin_run(t, th, r, m->count, run);
			run->end = m->address;
			run->to = 0;
			run->what = ITRACE_STOP;
			run->type = PITRACE_BRANCH_OTHER;
			run->cause = (uint8_t)why;
			if (run->known && m->address && !fits(t, run->count, run->end - run->start))
				misfit(th, run);
			rc = end_run(t, th, run);
		}
	}
	th->pending = 0;
	th->gaps = t->gaps;
	th->cpu = r->cpu;
	th->has_cpu = !stop;
	th->doubt = ITRACE_SURE;
	lose(th, ITRACE_FIRST);
	if (!stop) {
		th->next = m->address;
		th->known = m->address != 0;
	}
	return rc;
}

static int switch_record(struct itrace *t, struct trace *books, const struct pirecord *r)
{
	const struct pitrace_itrace_switch *s = RECORD_AS(r, struct pitrace_itrace_switch);
	struct itrace_thread *th;
	bool elsewhere;

	if (!s)
		return malformed(t, books, r, "not a thread switch");

	th = get_thread(t, s->pid, s->tid);
	if (!th)
		return -ENOMEM;
	t->switches = true;
	elsewhere = th->has_cpu && th->cpu != s->from_cpu;
	check_thread(t, th, r);
	if (elsewhere)
		lose(th, ITRACE_GAP);
	doubt(th, ITRACE_SWITCHED);
	return 0;
}

/* exec starts a new program: its code does not follow from the current run. */
static void exec_record(struct itrace *t, const struct pirecord *r)
{
	const struct pitrace_mte_task *task = RECORD_AS(r, struct pitrace_mte_task);
	uint32_t i;

	if (!task || task->flags & PITRACE_TASK_WALK)
		return;
	i = keys_find(&t->by_tid, hash_mix(task->pid, 3), t->thread, e, e->tid == task->pid);
	if (i != NO_KEY)
		t->thread[i].execed = true;
}

int itrace_record(struct itrace *t, struct trace *books, const struct pirecord *r,
		  struct itrace_run *run)
{
	t->gaps = t->lost + r->gaps;
	switch (r->major) {
	case PITRACE_BRANCH_KERNEL:
	case PITRACE_BRANCH_USER:
		return branch_record(t, books, r, run);
	case PITRACE_BREAK_KERNEL:
	case PITRACE_BREAK_USER:
		return break_record(t, books, r, run);
	case PITRACE_ITRACE_START:
	case PITRACE_ITRACE_STOP:
		return mark_record(t, books, r, run);
	case PITRACE_ITRACE_SWITCH:
		return switch_record(t, books, r);
	case PITRACE_MTE:
		if (r->minor == PITRACE_MTE_PROCESS)
			exec_record(t, r);
		return 0;
	case PITRACE_LOST:
		t->lost += r->minor == PITRACE_LOST_BRANCH;
		return 0;
	default:
		return 0;
	}
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* Takes the state at one moment, or the difference of two: sorted threads, and CPUs. */
#include <cycles.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "monotonic.h"
#include "tool.h"

#define TRIES       100      /* to read all threads while no slot gets another thread, */
#define TRIES_WHOLE 50       /* ... and while no thread runs, */
#define PATIENCE    50000000 /* ... for so many ns */

const char *const bucket_names[] = {
	[PTTVIEW_THREADS] = "threads",
	[PTTVIEW_OTHER] = "other",
	[PTTVIEW_IDLE] = "idle",
	[PTTVIEW_INTERRUPTS] = "interrupts",
};

/* ---- taken ----------------------------------------------------------------------------------- */

static int make(struct dump *d, int rows, int cpus)
{
	d->row = calloc((size_t)rows + 1, sizeof(*d->row));
	d->cpu = calloc((size_t)cpus + 1, sizeof(*d->cpu));
	d->cpu_number = calloc((size_t)cpus + 1, sizeof(*d->cpu_number));
	return d->row && d->cpu && d->cpu_number ? 0 : -ENOMEM;
}

/* A thread that loses its slot meanwhile must be counted once, in the slot or among those that have
 * exited. d->torn: the number of these has changed. */
static void take_threads(struct dump *d, const struct pttview *v)
{
	int slots = pttview_slots(v);
	struct pttview_gone after;

	pttview_gone(v, &d->gone);
	d->rows = 0;
	for (int slot = 0; slot < slots; slot++) {
		d->row[d->rows].slot = slot;
		d->rows += pttview_thread(v, slot, &d->row[d->rows].t);
	}
	pttview_gone(v, &after);
	d->torn = after.threads != d->gone.threads;
}

/* Reads those threads again that may have run meanwhile. */
static void take_threads_again(struct dump *d, const struct pttview *v)
{
	struct pttview_gone after;

	for (int i = 0; i < d->rows; i++)
		if (!d->row[i].t.ended)
			pttview_thread(v, d->row[i].slot, &d->row[i].t);
	pttview_gone(v, &after);
	d->torn = after.threads != d->gone.threads;
}

static void take_cpus(struct dump *d, const struct pttview *v)
{
	int cpus = pttview_cpus(v);

	d->at = now_ns();
	d->cycles = GetCycles();
	d->cpus = 0;
	for (int i = 0; i < cpus; i++) {
		d->cpu_number[d->cpus] = i;
		d->cpus += pttview_cpu(v, i, &d->cpu[d->cpus]);
	}
}

/* Returns whether the threads' values add up to the CPUs' part for threads, which shows that both
 * were read at the same moment. */
static bool is_whole(const struct dump *d)
{
	for (uint32_t m = 0; m < d->info.metrics; m++) {
		uint64_t threads = d->gone.value[m], cpus = 0;

		for (int i = 0; i < d->rows; i++)
			threads += d->row[i].t.value[m];
		for (int c = 0; c < d->cpus; c++)
			cpus += d->cpu[c].bucket[PTTVIEW_THREADS][m];
		if (threads != cpus)
			return false;
	}
	return d->cpus && !d->torn;
}

int dump_take(struct dump *d, const struct pttview *v, uint64_t begun)
{
	uint64_t first = now_ns();
	int err;

	*d = (struct dump){ .cpi = { -1, -1 } };
	pttview_info(v, &d->info);
	d->charged = pttview_charged(v);
	err = make(d, pttview_slots(v), pttview_cpus(v));
	if (err)
		return err;
	d->torn = true;
	for (int i = 0; i < TRIES; i++) {
		take_cpus(d, v);
		if (d->torn)
			take_threads(d, v);
		else
			take_threads_again(d, v);
		d->whole = is_whole(d);
		if (d->whole ||
		    (!d->torn && (!d->cpus || i >= TRIES_WHOLE || now_ns() - first > PATIENCE)))
			break;
	}
	d->elapsed = d->at - begun;
	dump_name(d);
	return 0;
}

void dump_free(struct dump *d)
{
	for (uint32_t i = 0; i < d->cgroups; i++)
		free(d->cgroup[i]);
	free(d->cgroup);
	free(d->row);
	free(d->cpu);
	free(d->cpu_number);
	*d = (struct dump){ .row = NULL };
}

/* ---- between --------------------------------------------------------------------------------- */

static void subtract(uint64_t *value, const uint64_t *less)
{
	for (int i = 0; i < PTT_METRICS; i++)
		value[i] -= less[i];
}

static void thread_less(struct ptt_thread_data *t, const struct ptt_thread_data *before)
{
	t->dispatches -= before->dispatches;
	t->interrupts -= before->interrupts;
	subtract(t->value, before->value);
	subtract(t->interrupt, before->interrupt);
}

/* Subtracts the earlier values of a thread that has exited and is now counted in `gone`. */
static void gone_less_thread(struct pttview_gone *gone, const struct ptt_thread_data *before)
{
	gone->dispatches -= before->dispatches;
	gone->interrupts -= before->interrupts;
	subtract(gone->value, before->value);
	subtract(gone->interrupt, before->interrupt);
}

static void gone_less(struct pttview_gone *gone, const struct pttview_gone *before)
{
	gone->threads -= before->threads;
	gone->unwatched -= before->unwatched;
	gone->dispatches -= before->dispatches;
	gone->interrupts -= before->interrupts;
	subtract(gone->value, before->value);
	subtract(gone->interrupt, before->interrupt);
}

static void cpu_less(struct pttview_cpu *c, const struct pttview_cpu *before)
{
	c->dispatches -= before->dispatches;
	c->interrupts -= before->interrupts;
	c->steal -= before->steal;
	subtract(c->wall, before->wall);
	for (int b = 0; b < PTTVIEW_BUCKETS; b++)
		subtract(c->bucket[b], before->bucket[b]);
}

static bool same_thread(const struct ptt_row *a, const struct ptt_row *b)
{
	return a->slot == b->slot && a->t.generation == b->t.generation;
}

int dump_between(struct dump *d, const struct dump *before, const struct dump *now)
{
	int old = 0, err;

	*d = *now;
	err = make(d, now->rows, now->cpus);
	if (err)
		return err;
	d->elapsed = now->at - before->at;
	d->ticks = now->cycles - before->cycles;
	d->torn |= before->torn;
	d->whole &= before->whole;
	memcpy(d->row, now->row, (size_t)now->rows * sizeof(*d->row));
	gone_less(&d->gone, &before->gone);
	for (int i = 0; i < d->rows; i++) {
		for (; old < before->rows && before->row[old].slot < d->row[i].slot; old++)
			gone_less_thread(&d->gone, &before->row[old].t);
		if (old == before->rows || before->row[old].slot != d->row[i].slot)
			continue;
		if (same_thread(&before->row[old], &d->row[i]))
			thread_less(&d->row[i].t, &before->row[old].t);
		else
			gone_less_thread(&d->gone, &before->row[old].t);
		old++;
	}
	for (; old < before->rows; old++)
		gone_less_thread(&d->gone, &before->row[old].t);
	/* The set of possible CPUs never changes. */
	for (int i = 0; i < d->cpus; i++) {
		d->cpu_number[i] = now->cpu_number[i];
		d->cpu[i] = now->cpu[i];
		if (i < before->cpus && before->cpu_number[i] == d->cpu_number[i])
			cpu_less(&d->cpu[i], &before->cpu[i]);
	}
	return 0;
}

/* ---- some of it, in order -------------------------------------------------------------------- */

bool dump_used(const struct dump *d, const struct ptt_thread_data *t)
{
	uint64_t any = t->dispatches | t->interrupts;

	for (uint32_t i = 0; i < d->info.metrics; i++)
		any |= t->value[i] | t->interrupt[i];
	return any;
}

void dump_busy(struct dump *d)
{
	int kept = 0;

	for (int i = 0; i < d->rows; i++)
		if (dump_used(d, &d->row[i].t))
			d->row[kept++] = d->row[i];
	d->rows = kept;
}

static bool named_so(const struct ptt_thread_data *t, const char *word)
{
	char *end;
	long pid = strtol(word, &end, 10);

	if (!*end)
		return t->pid == pid;
	/* The kernel truncates names to this length. */
	return !strncmp(t->name, word, sizeof(t->name) - 1);
}

void dump_choose(struct dump *d, const char *chosen, void (*missed)(void *arg, const char *name),
		 void *arg)
{
	char *words = strdup(chosen), *rest = words, *word;
	bool *keep = calloc((size_t)d->rows + 1, sizeof(*keep));
	int kept = 0;

	while (words && keep && (word = strsep(&rest, ","))) {
		bool any = false;

		for (int i = 0; i < d->rows && *word; i++) {
			if (!named_so(&d->row[i].t, word))
				continue;
			any = true;
			for (int k = 0; k < d->rows; k++)
				keep[k] |= d->row[k].t.pid == d->row[i].t.pid;
		}
		if (!any && *word && missed)
			missed(arg, word);
	}
	for (int i = 0; i < d->rows && keep; i++)
		if (keep[i])
			d->row[kept++] = d->row[i];
	d->rows = kept;
	d->partly = true;
	free(words);
	free(keep);
}

struct order {
	enum sort sort;
	int by;
};

static int by_pid(const struct ptt_thread_data *a, const struct ptt_thread_data *b)
{
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	/* The main thread of a process comes first. */
	if ((a->tid == a->pid) != (b->tid == b->pid))
		return a->tid == a->pid ? -1 : 1;
	return (a->tid > b->tid) - (a->tid < b->tid);
}

static uint64_t key(const struct ptt_thread_data *t, const struct order *o)
{
	switch (o->sort) {
	case SORT_DISPATCHES:
		return t->dispatches;
	case SORT_INTERRUPTS:
		return t->interrupts;
	case SORT_METRIC:
		return t->value[o->by];
	default:
		return 0;
	}
}

static int in_order(const void *pa, const void *pb, void *arg)
{
	const struct ptt_thread_data *a = &((const struct ptt_row *)pa)->t;
	const struct ptt_thread_data *b = &((const struct ptt_row *)pb)->t;
	uint64_t x = key(a, arg), y = key(b, arg);

	if (x != y)
		return x > y ? -1 : 1;
	if (((const struct order *)arg)->sort == SORT_THREAD)
		return (a->tid > b->tid) - (a->tid < b->tid);
	return by_pid(a, b);
}

void dump_sort(struct dump *d, enum sort sort, int by)
{
	struct order o = { sort, by };

	qsort_r(d->row, (size_t)d->rows, sizeof(*d->row), in_order, &o);
}

bool dump_balanced(const struct dump *d)
{
	for (int c = 0; c < d->cpus; c++)
		for (uint32_t i = 0; i < d->info.metrics; i++) {
			uint64_t sum = 0;

			for (int b = 0; b < PTTVIEW_BUCKETS; b++)
				sum += d->cpu[c].bucket[b][i];
			if (sum != d->cpu[c].wall[i])
				return false;
		}
	return true;
}

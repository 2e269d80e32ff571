/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An entry opens a call, the exit with the same number closes it; other ends are counted apart. */
#include "model/syscalls.h"

#include "base/search.h"

#define MOST_ERRORS 4095        /* results from -4095 up are errors, as in the C library */
#define NO_NUMBER   0x3FFFFFFFu /* number in an exit whose registers were changed (sigreturn) */

static uint32_t get_row(struct syscalls *c, uint32_t thread, uint32_t call)
{
	struct syscall_row key = { .thread = thread, .call = call };
	uint64_t hash = hash_mix((uint64_t)thread << 32 | call, 5);
	uint32_t i = keys_find(&c->by_key, hash, c->row, e,
			       e->thread == key.thread && e->call == key.call);

	if (i != NO_KEY)
		return i;
	if (keys_next(&c->by_key, hash, c->row, c->nrow, c->room))
		return NO_KEY;
	c->row[c->nrow] = key;
	return c->nrow++;
}

static int count_error(struct syscalls *c, uint32_t row, uint32_t error, uint64_t count)
{
	struct syscall_error key = { .row = row, .error = error };
	uint64_t hash = hash_mix((uint64_t)row << 32 | error, 6);
	uint32_t i = keys_find(&c->by_error, hash, c->error, e,
			       e->row == key.row && e->error == key.error);

	if (i == NO_KEY) {
		if (keys_next(&c->by_error, hash, c->error, c->nerror, c->room_error))
			return -ENOMEM;
		i = c->nerror++;
		c->error[i] = key;
	}
	c->error[i].count += count;
	c->row[row].errors += count;
	return 0;
}

static struct syscall_open *open_of(struct syscalls *c, const struct sched_thread *t)
{
	uint32_t i = (uint32_t)(t - c->sched->thread);

	while (c->nopen <= i) {
		if (array_next(c->open, c->nopen, c->room_open))
			return NULL;
		c->open[c->nopen++] = (struct syscall_open){ .is_open = false };
	}
	return &c->open[i];
}

/* Finds the thread of a record, with its time accounted up to now if its state is known. */
static struct sched_thread *thread_now(struct syscalls *c, uint32_t pid, uint32_t tid,
				       uint64_t time)
{
	struct sched_thread *t = sched_thread(c->sched, pid, tid);

	if (!t || t->state == SCHED_UNKNOWN)
		return t;
	return sched_settle(c->sched, t, time) ? NULL : t;
}

int syscalls_enter(struct syscalls *c, const struct pirecord *r, const struct pitrace_sysenter *e)
{
	struct sched_thread *t = thread_now(c, e->pid, e->tid, r->time);
	struct syscall_open *o = t ? open_of(c, t) : NULL;
	uint32_t row = o ? sched_row_of(c->sched, t, r->time) : NO_KEY;

	if (row == NO_KEY)
		return -ENOMEM;
	if (o->is_open)
		c->row[o->row].cut++;
	*o = (struct syscall_open){
		.is_open = true,
		.row = get_row(c, row, r->minor),
		.since = r->time,
		.off = t->off_total,
		.wait = t->wait_total,
	};
	if (o->row != NO_KEY)
		return 0;
	o->is_open = false;
	return -ENOMEM;
}

int syscalls_exit(struct syscalls *c, const struct pirecord *r, const struct pitrace_sysexit *e)
{
	struct sched_thread *t = thread_now(c, e->pid, e->tid, r->time);
	struct syscall_open *o = t ? open_of(c, t) : NULL;
	uint32_t call = r->minor & ~PITRACE_EXIT;
	struct syscall_row *row;
	int rc;

	if (!o)
		return -ENOMEM;
	if (!o->is_open) {
		/* A child returns from a call that its parent made. */
		c->stray += !t->born;
		t->born = false;
		return 0;
	}
	row = &c->row[o->row];
	o->is_open = false;
	t->born = false;
	if (row->call != call && (call & NO_NUMBER) != NO_NUMBER) {
		row->cut++;
		c->stray++;
		return 0;
	}
	if (o->since < c->sched->gap) {
		row->cut++;
		return 0;
	}
	rc = spread_add(&row->time, r->time - o->since);
	row->off += t->off_total - o->off;
	row->wait += t->wait_total - o->wait;
	if (!rc && e->result < 0 && e->result >= -MOST_ERRORS)
		rc = count_error(c, o->row, (uint32_t)-e->result, 1);
	return rc;
}

void syscalls_thread_ends(struct syscalls *c, uint32_t tid)
{
	struct sched_thread *t = sched_find(c->sched, tid);
	uint32_t i = t ? (uint32_t)(t - c->sched->thread) : NO_KEY;

	if (i >= c->nopen || !c->open[i].is_open)
		return;
	c->row[c->open[i].row].no_return++;
	c->open[i].is_open = false;
}

void syscalls_end(struct syscalls *c)
{
	uint32_t i;

	for (i = 0; i < c->nopen; i++) {
		if (c->open[i].is_open)
			c->row[c->open[i].row].open++;
		c->open[i].is_open = false;
	}
}

static int compare_errors(const void *pa, const void *pb)
{
	const struct syscall_error *a = pa, *b = pb;

	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return a->error < b->error ? -1 : a->error > b->error;
}

static int group_row(struct syscalls *into, const struct syscall_row *r, uint32_t key, uint32_t *at)
{
	struct syscall_row *g;

	*at = get_row(into, key, r->call);
	if (*at == NO_KEY)
		return -ENOMEM;
	g = &into->row[*at];
	g->off += r->off;
	g->wait += r->wait;
	g->no_return += r->no_return;
	g->open += r->open;
	g->cut += r->cut;
	return spread_merge(&g->time, &r->time);
}

int syscalls_group(struct syscalls *into, const struct syscalls *from,
		   uint32_t (*key)(const struct names *n, uint32_t thread))
{
	uint32_t *map = calloc((size_t)from->nrow + 1, sizeof(*map)), i;
	int rc = map ? 0 : -ENOMEM;

	*into = (struct syscalls){ .sched = from->sched, .stray = from->stray };
	for (i = 0; i < from->nrow && !rc; i++)
		rc = group_row(into, &from->row[i], key(from->sched->names, from->row[i].thread),
			       &map[i]);
	for (i = 0; i < from->nerror && !rc; i++)
		rc = count_error(into, map[from->error[i].row], from->error[i].error,
				 from->error[i].count);
	free(map);
	if (rc)
		syscalls_free(into);
	else if (into->nerror)
		qsort(into->error, into->nerror, sizeof(*into->error), compare_errors);
	return rc;
}

const struct syscall_error *syscalls_errors(const struct syscalls *c, uint32_t row, uint32_t *count)
{
	uint32_t low = search_sorted(i, 0, c->nerror, c->error[i].row < row), end;

	for (end = low; end < c->nerror && c->error[end].row == row; end++)
		;
	*count = end - low;
	return *count ? c->error + low : NULL;
}

void syscalls_free(struct syscalls *c)
{
	uint32_t i;

	for (i = 0; i < c->nrow; i++)
		spread_free(&c->row[i].time);
	free(c->row);
	free(c->error);
	free(c->open);
	keys_free(&c->by_key);
	keys_free(&c->by_error);
	*c = (struct syscalls){ 0 };
}

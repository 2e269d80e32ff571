/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides which records pass the filter. */
#include "model/filter.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "model/wanted.h"
#include "record/record_as.h"

/* ---- options --------------------------------------------------------------------------------- */

static bool take_number(const char **text, uint64_t *value)
{
	char *end;

	if (!isdigit((unsigned char)**text))
		return false;
	errno = 0;
	*value = strtoull(*text, &end, 10);
	*text = end;
	return !errno;
}

static int by_start(const void *pa, const void *pb)
{
	const struct filter_range *a = pa, *b = pb;

	return a->from < b->from ? -1 : a->from > b->from;
}

/* Sorts and merges ranges, so that a look-up is a binary search. */
static void put_in_order(struct filter_list *list)
{
	uint32_t n = 0;

	qsort(list->range, list->count, sizeof(*list->range), by_start);
	for (uint32_t i = 1; i < list->count; i++) {
		const struct filter_range *r = &list->range[i];
		struct filter_range *last = &list->range[n];

		if (r->from > last->to && r->from - last->to > 1)
			list->range[++n] = *r;
		else if (r->to > last->to)
			last->to = r->to;
	}
	list->count = n + 1;
}

/* Returns 0, -EINVAL, -ERANGE (the range ends before it begins), or -EOVERFLOW: the number is too
 * great for a process, thread or CPU. */
static int take_range(const char **text, struct filter_range *r)
{
	if (!take_number(text, &r->from))
		return -EINVAL;
	r->to = r->from;
	if (**text == '-') {
		++*text;
		if (!take_number(text, &r->to))
			return -EINVAL;
	}
	if (r->from > UINT32_MAX || r->to > UINT32_MAX)
		return -EOVERFLOW;
	return r->to < r->from ? -ERANGE : 0;
}

int filter_numbers(const char *text, struct filter_list *list)
{
	do {
		int rc;

		if (array_next(list->range, list->count, list->room))
			return -ENOMEM;
		rc = take_range(&text, &list->range[list->count]);
		if (rc)
			return rc;
		list->count++;
	} while (*text++ == ',');
	put_in_order(list);
	return text[-1] ? -EINVAL : 0;
}

static int set_names(const char *text, const char **kept, struct name_list **list)
{
	struct name_list *l = name_list_of(text);

	if (!l)
		return -ENOMEM;
	name_list_free(*list);
	*list = l;
	*kept = text;
	return 0;
}

int filter_comm(const char *text, struct filter *f)
{
	return set_names(text, &f->comm, &f->comms);
}

int filter_symbols(const char *text, struct filter *f)
{
	return set_names(text, &f->symbol, &f->symbols);
}

int filter_cgroups(const char *text, struct filter *f)
{
	return set_names(text, &f->cgroup, &f->cgroups);
}

void filter_free(struct filter *f)
{
	free(f->pid.range);
	free(f->tid.range);
	free(f->cpu.range);
	name_list_free(f->comms);
	name_list_free(f->symbols);
	name_list_free(f->cgroups);
	*f = (struct filter){ 0 };
}

/* Parses seconds with up to nine digits after the point. */
static bool seconds(const char **text, uint64_t *ns)
{
	uint64_t unit = 100000000, s;

	if (!take_number(text, &s) || s > UINT64_MAX / 1000000000 - 1)
		return false;
	*ns = s * 1000000000;
	if (**text != '.')
		return true;
	for (++*text; isdigit((unsigned char)**text); ++*text, unit /= 10)
		*ns += (uint64_t)(**text - '0') * unit;
	return true;
}

int filter_time(const char *text, struct filter *f)
{
	const char *dash = strchr(text, '-');

	f->from = 0;
	f->to = UINT64_MAX;
	f->timed = true;
	if (!dash || (dash == text && !dash[1]))
		return -EINVAL;
	if (dash != text && (!seconds(&text, &f->from) || text != dash))
		return -EINVAL;
	text = dash + 1;
	if (*text && (!seconds(&text, &f->to) || *text))
		return -EINVAL;
	return f->to < f->from ? -ERANGE : 0;
}

/* ---- decisions ------------------------------------------------------------------------------- */

static bool listed(const struct filter_list *list, uint64_t value)
{
	uint32_t n = search_sorted(i, 0, list->count, list->range[i].from <= value);

	return n ? value <= list->range[n - 1].to : !list->count;
}

bool filter_symbol(const struct filter *f, const char *name, const char *raw)
{
	if (name_list_has(f->symbols, name) || (raw && name_list_has(f->symbols, raw)))
		return true;
	for (enum wanted_form form = WANTED_WHOLE + 1; form < WANTED_FORMS; form++)
		if (name_list_names(f->symbols, name, wanted_form(name, form)))
			return true;
	return raw && name_list_names(f->symbols, raw, wanted_form(raw, WANTED_BARE));
}

static bool has_cgroup(const struct filter *f, const struct cgroup *g)
{
	return name_list_has(f->cgroups, g->name) || name_list_has(f->cgroups, g->path);
}

static const struct cgroup *cgroup_of(const struct filtered *x, uint32_t pid, uint64_t time)
{
	const struct cgroups *c = &x->names->cgroups;

	return &c->list[cgroups_at(c, pid, time)];
}

bool filter_shows(const struct filter *f, const struct names *n, uint32_t thread)
{
	const struct trace_thread *t = &n->thread[thread];

	return listed(&f->pid, n->process[t->process].pid) && listed(&f->tid, t->tid) &&
	       name_list_has(f->comms, t->name) &&
	       (!f->cgroup || has_cgroup(f, &n->cgroups.list[n->process[t->process].cgroup]));
}

static bool passes_thread(const struct filtered *x, uint32_t pid, uint32_t tid, uint64_t time)
{
	const struct filter *f = x->filter;

	if (!listed(&f->pid, input_pid(x->base, pid)) || !listed(&f->tid, input_pid(x->base, tid)))
		return false;
	/* The idle task is in none. */
	if (f->cgroup && (!input_pid(x->base, pid) || !has_cgroup(f, cgroup_of(x, pid, time))))
		return false;
	if (!f->comm)
		return true;
	return name_list_has(f->comms, input_pid(x->base, pid) ?
					       a2n_thread_name(x->names->a2n, pid, tid, time) :
					       "Idle");
}

/* The fields that records of a thread start with. */
struct thread_ids {
	uint32_t pid, tid;
};

static bool passes_record(const struct filtered *x, const struct pirecord *r)
{
	const struct thread_ids *ids;

	switch (r->major) {
	case PITRACE_SYNC:
	case PITRACE_SYSINFO:
		return true;
	case PITRACE_LOST:
		return listed(&x->filter->cpu, r->cpu);
	}
	if (!listed(&x->filter->cpu, r->cpu))
		return false;
	if (x->filter->timed && (r->time < x->from || r->time > x->to))
		return false;
	if (!filter_threads(x->filter))
		return true;
	switch (r->major) {
	case PITRACE_DISPATCH:
	case PITRACE_WAKEUP:
	case PITRACE_INTERRUPT:
		return true;
	case PITRACE_TPROF:
		if ((r->minor & PITRACE_TPROF_KIND) == PITRACE_TPROF_IDLE)
			return passes_thread(x, 0, 0, r->time);
		break;
	}
	/* All other records start with their thread. */
	if (r->size < sizeof(*ids))
		return true;
	ids = r->data;
	return passes_thread(x, ids->pid, ids->tid, r->time);
}

/* Notes a sample that does not pass, for the message that no sample passes. Called until the first
 * one does. */
static void leave_out(struct filtered *x, const struct pirecord *r)
{
	bool idle = (r->minor & PITRACE_TPROF_KIND) == PITRACE_TPROF_IDLE;
	struct left_thread t = { .name = "Idle", .ticks = 1 + r->repeats };
	const struct pitrace_sample *s = r->data;
	struct left_out *l = &x->left;

	if (!idle && r->size >= sizeof(*s)) {
		t.pid = input_pid(x->base, s->pid);
		t.tid = input_pid(x->base, s->tid);
		if (t.pid) {
			t.name = a2n_thread_name(x->names->a2n, s->pid, s->tid, r->time);
			t.cgroup = cgroup_of(x, s->pid, r->time)->name;
		}
	}
	if (idle && r->size >= sizeof(struct pitrace_idle))
		t.ticks = ((const struct pitrace_idle *)r->data)->ticks;
	if (!l->ticks || r->time < l->first)
		l->first = r->time;
	if (r->time > l->last)
		l->last = r->time;
	l->ticks += t.ticks;
	left_out_cpu(l, r->cpu);
	left_out_thread(l, &t);
}

/* Returns whether a record passes. */
static bool passes(struct filtered *x, const struct pirecord *r)
{
	bool sample = r->major == PITRACE_TPROF && r->ring != PITRACE_RING_MTE;

	if (r->ring == PITRACE_RING_MTE || passes_record(x, r)) {
		x->left.over |= sample;
		return true;
	}
	/* -show does not resolve names, so it cannot note them. */
	if (sample && !x->left.over && x->names->a2n)
		leave_out(x, r);
	return false;
}

static const struct filtered *state_of(const struct input *in)
{
	return in->state;
}

static int filtered_begin(struct input *in, unsigned int what)
{
	struct filtered *x = in->state;

	x->left = (struct left_out){ .over = false };
	return x->base->reader->begin(x->base, what);
}

static int filtered_next(struct input *in, struct pirecord *r)
{
	struct filtered *x = in->state;
	int rc;

	do
		rc = x->base->reader->next(x->base, r);
	while (rc > 0 && !passes(x, r));
	return rc;
}

static void filtered_progress(const struct input *in, uint64_t *done, uint64_t *total)
{
	const struct input *base = state_of(in)->base;

	base->reader->progress(base, done, total);
}

static int filtered_section(struct input *in, size_t i, struct input_section *section)
{
	struct input *base = state_of(in)->base;

	return base->reader->section(base, i, section);
}

static bool filtered_place(const struct input *in, uint32_t origin, uint32_t number,
			   struct stack_place *place)
{
	const struct input *base = state_of(in)->base;

	return base->reader->place && base->reader->place(base, origin, number, place);
}

static uint64_t filtered_monotonic(struct input *in, uint64_t stamp)
{
	struct input *base = state_of(in)->base;

	return base->reader->monotonic(base, stamp);
}

static uint64_t filtered_realtime(struct input *in, uint64_t stamp)
{
	struct input *base = state_of(in)->base;

	return base->reader->realtime(base, stamp);
}

static void filtered_wall(struct input *in, uint32_t origin, struct input_wall *w)
{
	struct input *base = state_of(in)->base;

	*w = (struct input_wall){ 0 };
	if (base->reader->wall)
		base->reader->wall(base, origin, w);
}

static size_t filtered_faults(const struct input *in, const struct pifile_fault **list)
{
	const struct input *base = state_of(in)->base;

	return base->reader->faults(base, list);
}

static void filtered_close(struct input *in)
{
	(void)in; /* the caller closes the input below */
}

static int filtered_info(struct input *in, input_say say, void *arg)
{
	struct input *base = state_of(in)->base;

	return base->reader->info ? base->reader->info(base, say, arg) : 0;
}

static int filtered_check(struct input *in)
{
	struct input *base = state_of(in)->base;

	return base->reader->check ? base->reader->check(base) : 0;
}

/* The flags of the reader below are copied into this one. */
static const struct reader reader_filtered = {
	.begin = filtered_begin,
	.next = filtered_next,
	.progress = filtered_progress,
	.section = filtered_section,
	.place = filtered_place,
	.monotonic = filtered_monotonic,
	.realtime = filtered_realtime,
	.wall = filtered_wall,
	.info = filtered_info,
	.check = filtered_check,
	.faults = filtered_faults,
	.close = filtered_close,
};

void filter_input(struct input *in, struct filtered *state)
{
	const struct reader *base = state->base->reader;

	state->reader = reader_filtered;
	state->reader.name = base->name;
	state->reader.what = base->what;
	state->reader.numbers = base->numbers;
	state->reader.own = base->own;
	state->reader.frames = base->frames;
	*in = *state->base;
	in->reader = &state->reader;
	in->state = state;
}

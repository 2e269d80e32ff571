/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Items are numbered in the order in which they are found. Callers precede their callees. */
#include "export/html/html_tree.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "report/report.h"

/* ---- items in use ---------------------------------------------------------------------------- */

/* Returns the item's number in the page; NO_KEY: no memory, or not in the model. */
static uint32_t use(struct html_used *u, uint32_t i)
{
	if (i >= u->all)
		return NO_KEY;
	if (!u->number) {
		u->number = calloc((size_t)u->all + 1, sizeof(*u->number));
		if (!u->number)
			return NO_KEY;
	}
	if (!u->number[i]) {
		if (array_next(u->list, u->count, u->room))
			return NO_KEY;
		u->list[u->count++] = i;
		u->number[i] = u->count;
	}
	return u->number[i] - 1;
}

static void unuse(struct html_used *u)
{
	free(u->number);
	free(u->list);
}

static uint32_t use_frame(struct html_tree *t, uint32_t symbol, bool kernel)
{
	uint64_t hash = hash_mix(symbol, kernel);
	uint32_t i = keys_find(&t->by_frame, hash, t->frame, e,
			       e->symbol == symbol && e->kernel == kernel);

	if (i != NO_KEY)
		return i;
	if (keys_next(&t->by_frame, hash, t->frame, t->frames, t->room_frame))
		return NO_KEY;
	t->frame[t->frames] = (struct html_frame){ symbol, kernel };
	return t->frames++;
}

unsigned int html_tree_kind(const struct html_tree *t, const struct html_frame *f)
{
	const struct names *n = &t->job->model->names;
	const struct symbol *s = &n->symbols.symbol[f->symbol];
	unsigned int kind = f->kernel ? HTML_KERNEL : 0;

	if (n->has_idle && f->symbol == n->idle.symbol)
		return HTML_IDLE;
	if (s->inlined)
		kind |= HTML_INLINED;
	if (!strcmp(n->module[s->module].name, A2N_JITCODE))
		kind |= HTML_JIT;
	if (s->result != A2N_OK)
		kind |= HTML_UNKNOWN;
	return kind;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* Adds the page's call for a call of the model, below its caller's new one. */
static uint32_t add_call(struct html_tree *t, const struct call *from, uint32_t parent)
{
	const struct names *n = &t->job->model->names;
	uint32_t k, one = from->id;
	const uint32_t *list = &one;

	if (from->parent == NO_KEY)
		return calls_get(&t->calls, NO_KEY, n->process[from->id].group, false);
	k = n->lines.places ? profile_frames(n, from->id, &list) : 1;
	while (k-- > 0 && parent != NO_KEY)
		parent = calls_get(&t->calls, parent, list[k], from->kernel);
	return parent;
}

/* to: by call of the model, its call in the page. */
static int add_calls(struct html_tree *t, uint32_t *to)
{
	const struct calls *c = &t->job->stacks->calls;
	uint32_t i;

	t->calls = (struct calls){ .first = NO_KEY, .most = c->most };
	for (i = 0; i < c->ncall; i++) {
		const struct call *from = &c->call[i];

		to[i] = add_call(t, from, from->parent == NO_KEY ? NO_KEY : to[from->parent]);
		if (to[i] == NO_KEY)
			return -ENOMEM;
		t->calls.call[to[i]].self += from->self;
		t->calls.call[to[i]].times += from->times;
	}
	return 0;
}

static int number_calls(struct html_tree *t)
{
	uint32_t i;

	t->node = malloc(((size_t)t->calls.ncall + 1) * sizeof(*t->node));
	for (i = 0; t->node && i < t->calls.ncall; i++) {
		const struct call *c = &t->calls.call[i];
		bool root = c->parent == NO_KEY;

		t->node[i] = (struct html_node){
			.up = root ? 0 : i - c->parent,
			.what = root ? use(&t->processes, c->id) : use_frame(t, c->id, c->kernel),
			.times = c->times,
		};
		if (t->node[i].what == NO_KEY)
			return -ENOMEM;
	}
	return t->node ? 0 : -ENOMEM;
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* Copies the model's sums, by node and by group of threads. */
static int take_sums(struct html_tree *t, const uint32_t *to)
{
	const struct names *n = &t->job->model->names;
	const struct sums *from = &t->job->model->sums;
	uint32_t *number = malloc(((size_t)from->count + 1) * sizeof(*number)), i;
	int rc = number ? 0 : -ENOMEM;

	for (i = 0; i < from->count && !rc; i++) {
		struct sum s = from->sum[i];

		s.stack = to[s.stack];
		s.event = html_tree_event(t, s.event);
		s.thread = use(&t->threads, n->thread[s.thread].group);
		rc = s.thread == NO_KEY ? -ENOMEM : sums_add(&t->sums, &s);
		if (!rc)
			number[i] = t->sums.last;
		t->totals[s.event] += s.ticks;
	}
	if (!rc)
		rc = slices_renumber(&t->job->model->slices, number);
	t->total = t->totals[html_tree_event(t, 0)];
	free(number);
	return rc;
}

/* Without samples the sums are the calls' own values. */
static int take_selves(struct html_tree *t)
{
	uint32_t i;
	int rc = 0;

	for (i = 0; i < t->calls.ncall && !rc; i++) {
		struct sum s = { .stack = i, .thread = NO_KEY, .ticks = t->calls.call[i].self };

		if (s.ticks)
			rc = sums_add(&t->sums, &s);
		t->total += s.ticks;
	}
	return rc;
}

/* Replaces the threads and symbols of the model in the flow by those of the page. */
static int take_flow(struct html_tree *t)
{
	const struct names *n = &t->job->model->names;
	uint32_t i;
	int rc = html_flow_read(&t->flow, t->job);

	for (i = 0; i < t->flow.count && !rc; i++) {
		struct html_flow_line *l = &t->flow.line[i];
		bool known = l->symbol != NO_KEY;

		l->thread = use(&t->threads, n->thread[l->thread].group);
		l->symbol = known ? use_frame(t, l->symbol, l->kernel) : NO_KEY;
		if (l->thread == NO_KEY || (known && l->symbol == NO_KEY))
			rc = -ENOMEM;
	}
	return rc;
}

/* Replaces the threads of the model in tracks by those of the page. */
static int take_events(struct html_tree *t)
{
	const struct names *n = &t->job->model->names;
	struct html_events *e = &t->events;
	uint32_t i;

	for (i = 0; i < e->tracks; i++) {
		struct html_track *k = &e->track[i];

		if (k->thread != NO_KEY) {
			k->thread = use(&t->threads, n->thread[k->thread].group);
			if (k->thread == NO_KEY)
				return -ENOMEM;
		}
		if (k->other != NO_KEY) {
			k->other = use(&t->threads, n->thread[k->other].group);
			if (k->other == NO_KEY)
				return -ENOMEM;
		}
	}
	return 0;
}

struct reading_kind {
	struct model *model;
	uint32_t event;
	bool counted; /* take what the event counted */
};

static int take_sample(void *arg, const struct profile_sample *s)
{
	const struct reading_kind *k = arg;
	struct model *m = k->model;
	struct sum add = {
		.stack = s->stack,
		.thread = s->thread,
		.cpu = s->cpu,
		.event = k->event,
		.ticks = k->counted ? s->counted : s->ticks,
		.counted = s->counted,
	};
	int rc = sums_add(&m->sums, &add);

	return rc ? rc : slices_add(&m->slices, m->sums.last, s->time, s->time, add.ticks);
}

/* Reads the samples of other events than the chosen one, each in a pass of its own. */
static int read_kinds(struct html_tree *t)
{
	const struct events *e = &t->job->trace->events;
	struct job job = *t->job;
	unsigned int i;
	int rc = 0;

	t->kind[t->kinds++] = e->has_chosen ? e->chosen : 0;
	for (i = 0; i < EVENT_KINDS && t->kinds <= HTML_MORE && !rc; i++) {
		struct reading_kind k = { job.model, t->kinds, false };
		const struct profile_reader reader = { .sample = take_sample, .arg = &k };

		if (!e->kind[i].samples || i == t->kind[0])
			continue;
		job.read.event = e->kind[i].name;
		t->kind[t->kinds++] = i;
		rc = job_samples(&job, &reader);
	}
	return rc;
}

/* Reads the samples once more, for what they counted: the bytes of a heap profile. */
static int read_counted(struct html_tree *t)
{
	const char *unit = t->job->input->counted_unit;
	struct reading_kind k = { t->job->model, t->kinds, true };
	const struct profile_reader reader = { .sample = take_sample, .arg = &k };

	if (!*unit || t->kinds > HTML_MORE)
		return 0;
	t->counted = t->kinds;
	t->counted_first = !strcmp(unit, "bytes");
	t->kind[t->kinds++] = t->kind[0];
	return job_samples(t->job, &reader);
}

/* Reads events, which a trace without samples may have, too. */
static int read_events(struct html_tree *t)
{
	const struct job *job = t->job;
	struct names *n = &job->model->names;
	uint32_t had = n->nthread;
	int rc = 0;

	t->timed = job->model->slices.wanted;
	if (t->timed)
		rc = read_kinds(t);
	if (!rc && t->timed)
		rc = read_counted(t);
	if (!rc && t->timed)
		rc = html_events_read(&t->events, job, &t->texts);
	/* Threads without samples are new. */
	if (!rc && n->nthread > had)
		rc = names_group(n, &job->options->names);
	t->processes.all = n->nprocess;
	t->threads.all = n->nthread;
	return rc;
}

/* Adds the processes of all threads, even if they have no calls. */
static int use_processes(struct html_tree *t)
{
	const struct names *n = &t->job->model->names;
	uint32_t i, process;

	for (i = 0; i < t->threads.count; i++) {
		process = n->thread[t->threads.list[i]].process;
		if (use(&t->processes, n->process[process].group) == NO_KEY)
			return -ENOMEM;
	}
	return 0;
}

static void make_grid(struct html_tree *t)
{
	const struct slices *s = &t->job->model->slices, *e = &t->events.slices;
	uint32_t samples = slices_count(s), events = slices_count(e);
	struct html_grid *g = &t->grid;

	if (!t->timed)
		return;
	*g = (struct html_grid){ .from = s->from, .shift = s->shift };
	if (e->wanted) {
		g->from = t->events.from;
		g->shift = e->shift > s->shift ? e->shift : s->shift;
		g->before = samples ? (s->from - g->from) >> s->shift : 0;
	}
	/* Samples may start long after the events. */
	while (samples && (g->before + samples) >> (g->shift - s->shift) >= SLICES_MOST)
		g->shift++;
	if (samples)
		g->count = html_tree_slice(t, samples - 1) + 1;
	if (events && html_tree_event_slice(t, events - 1) >= g->count)
		g->count = html_tree_event_slice(t, events - 1) + 1;
}

static int check(const struct html_tree *t)
{
	if (t->total == t->job->stack_total)
		return 0;
	complain("internal error: the page sums to %" PRIu64 " of %" PRIu64 " %s", t->total,
		 t->job->stack_total, mode_unit(t->job));
	return REPORT_WRONG;
}

int html_tree_make(struct html_tree *t, const struct job *job)
{
	uint32_t *to = NULL;
	int rc;

	*t = (struct html_tree){ .job = job };
	rc = texts_open(&t->texts);
	if (!rc)
		rc = read_events(t);
	/* Other events may have had other calls. */
	if (!rc) {
		to = malloc(((size_t)job->stacks->calls.ncall + 1) * sizeof(*to));
		rc = to ? 0 : -ENOMEM;
	}
	if (!rc)
		rc = add_calls(t, to);
	if (!rc)
		rc = number_calls(t);
	if (!rc)
		rc = t->timed ? take_sums(t, to) : take_selves(t);
	if (!rc)
		rc = take_events(t);
	if (!rc && job->options->instructions)
		rc = take_flow(t);
	if (!rc)
		rc = use_processes(t);
	if (!rc)
		make_grid(t);
	free(to);
	return rc ? rc : check(t);
}

void html_tree_free(struct html_tree *t)
{
	texts_free(&t->texts);
	calls_free(&t->calls);
	unuse(&t->processes);
	unuse(&t->threads);
	free(t->frame);
	keys_free(&t->by_frame);
	free(t->node);
	sums_free(&t->sums);
	html_events_free(&t->events);
	html_flow_free(&t->flow);
}

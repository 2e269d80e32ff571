/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Samples come in time order. Each thread and process has a list of its spans that have begun; a
 * sample counts in all that have not ended yet, and the others leave the list.
 */
#include "report/span_symbols.h"

static int compare_begin(const void *pa, const void *pb)
{
	const struct span_watched *a = pa, *b = pb;

	return a->span->since < b->span->since ? -1 : a->span->since > b->span->since;
}

static uint64_t hash_span(const struct span_over *span)
{
	return hash_mix((uintptr_t)span, 9);
}

static int watch(struct span_symbols *s, const struct slowest *slowest, const uint32_t *names,
		 uint32_t count)
{
	uint32_t i, k;

	for (i = 0; i < count && i < SPAN_NAMES_MOST; i++) {
		if (names[i] >= slowest->names)
			continue;
		for (k = 0; k < slowest->of[names[i]].count; k++) {
			const struct span_over *span = &slowest->of[names[i]].list[k];

			if (span->within == SPAN_OF_PROCESSES || !span->inside.ticks)
				continue;
			if (array_next(s->watched, s->count, s->room))
				return -ENOMEM;
			s->watched[s->count++] = (struct span_watched){ .span = span };
		}
	}
	if (s->count)
		qsort(s->watched, s->count, sizeof(*s->watched), compare_begin);
	for (i = 0; i < s->count; i++) {
		if (keys_add(&s->by_span, hash_span(s->watched[i].span), i))
			return -ENOMEM;
	}
	return 0;
}

/* ---- samples --------------------------------------------------------------------------------- */

static uint64_t hash_owner(uint32_t id, bool process)
{
	return hash_mix(id, process);
}

static struct span_owner *find_owner(struct span_symbols *s, uint32_t id, bool process)
{
	uint32_t i = keys_find(&s->by_owner, hash_owner(id, process), s->owner, e,
			       e->id == id && e->process == process);

	return i == NO_KEY ? NULL : &s->owner[i];
}

static int begin_until(struct span_symbols *s, uint64_t time)
{
	for (; s->begun < s->count && s->watched[s->begun].span->since <= time; s->begun++) {
		const struct span_over *span = s->watched[s->begun].span;
		bool process = span->within == SPAN_OF_PROCESS;
		uint32_t id = process ? span->pid : span->tid;
		struct span_owner *o = find_owner(s, id, process);

		if (!o) {
			if (keys_next(&s->by_owner, hash_owner(id, process), s->owner, s->nowner,
				      s->room_owner))
				return -ENOMEM;
			o = &s->owner[s->nowner++];
			*o = (struct span_owner){ .id = id, .process = process };
		}
		s->watched[s->begun].next = o->open;
		o->open = s->begun + 1;
	}
	return 0;
}

static int count_hit(struct span_symbols *s, uint32_t span, uint32_t symbol, uint64_t ticks)
{
	uint64_t hash = hash_mix((uint64_t)span << 32 | symbol, 10);
	uint32_t i = keys_find(&s->by_hit, hash, s->hit, e, e->span == span && e->symbol == symbol);

	if (i == NO_KEY) {
		if (keys_next(&s->by_hit, hash, s->hit, s->nhit, s->room_hit))
			return -ENOMEM;
		i = s->nhit++;
		s->hit[i] = (struct span_hit){ .span = span, .symbol = symbol };
	}
	s->hit[i].ticks += ticks;
	return 0;
}

static int count_in(struct span_symbols *s, struct span_owner *o, const struct profile_sample *p)
{
	uint32_t *link = &o->open;
	int rc = 0;

	while (*link && !rc) {
		struct span_watched *w = &s->watched[*link - 1];

		if (w->span->until < p->time) {
			*link = w->next;
			continue;
		}
		rc = count_hit(s, *link - 1, p->symbol, p->ticks);
		link = &w->next;
	}
	return rc;
}

struct watching {
	struct span_symbols *s;
	const struct names *names;
};

static int sample(void *arg, const struct profile_sample *p)
{
	struct watching *w = arg;
	const struct trace_thread *t = &w->names->thread[p->thread];
	uint32_t pid = names_unique(&w->names->process[t->process]);
	struct span_owner *o;
	int rc = begin_until(w->s, p->time);

	if (rc || !t->tid)
		return rc;
	o = find_owner(w->s, names_unique_tid(w->names, p->thread), false);
	if (o)
		rc = count_in(w->s, o, p);
	o = rc ? NULL : find_owner(w->s, pid, true);
	return o ? count_in(w->s, o, p) : rc;
}

/* ---- top symbols ----------------------------------------------------------------------------- */

static void rank(struct span_watched *w, uint32_t symbol, uint64_t ticks)
{
	uint32_t at = w->symbols < SPAN_SYMBOLS_MOST ? w->symbols++ : SPAN_SYMBOLS_MOST;

	for (; at && ticks > w->ticks[at - 1]; at--) {
		if (at == SPAN_SYMBOLS_MOST)
			continue;
		w->symbol[at] = w->symbol[at - 1];
		w->ticks[at] = w->ticks[at - 1];
	}
	if (at == SPAN_SYMBOLS_MOST)
		return;
	w->symbol[at] = symbol;
	w->ticks[at] = ticks;
}

int span_symbols_read(struct span_symbols *s, const struct job *job, const uint32_t *names,
		      uint32_t count)
{
	struct watching w = { s, &job->model->names };
	const struct profile_reader reader = { .sample = sample, .arg = &w };
	uint32_t i;
	int rc;

	*s = (struct span_symbols){ .watched = NULL };
	rc = watch(s, &job->model->marks.slowest, names, count);
	if (!rc && s->count)
		rc = job_samples(job, &reader);
	for (i = 0; i < s->nhit; i++)
		rank(&s->watched[s->hit[i].span], s->hit[i].symbol, s->hit[i].ticks);
	if (rc)
		span_symbols_free(s);
	return rc;
}

const struct span_watched *span_symbols_of(const struct span_symbols *s,
					   const struct span_over *span)
{
	uint32_t i = keys_find(&s->by_span, hash_span(span), s->watched, e, e->span == span);

	return i == NO_KEY ? NULL : &s->watched[i];
}

void span_symbols_free(struct span_symbols *s)
{
	free(s->watched);
	free(s->owner);
	free(s->hit);
	keys_free(&s->by_span);
	keys_free(&s->by_owner);
	keys_free(&s->by_hit);
	*s = (struct span_symbols){ .watched = NULL };
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "log_rt.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "calibration_text.h"
#include "escape.h"
#include "metrics.h"

struct writing {
	FILE *out;
	struct log_rt *how;
	struct calibration calibration;
	struct value_spread *seen;      /* sum over all threads: SEQUENCES times metrics */
	uint64_t clamped[CALL_METRICS]; /* nodes */
	uint64_t small;                 /* calls too short to be shown */
	uint32_t deepest;
	struct {
		uint32_t node, level;
	} * waiting; /* stack of nodes, the next one last */
	size_t room;
	uint64_t entries, exits, unwinds, popped, live, unknown, too_deep, too_many, uncounted,
		backwards;
	int err;
};

static void learn(void *arg, const struct call_thread *t)
{
	struct writing *w = arg;

	if (t->minimum) {
		calibration_add(&w->calibration, t);
		for (size_t i = 0; i < (size_t)SEQUENCES * t->metrics; i++)
			if (t->minimum[i])
				spread_merge(&w->seen[i], &t->spread[i]);
	}
	w->entries += t->entries;
	w->exits += t->exits;
	w->unwinds += t->unwinds;
	w->popped += t->popped;
	w->live += t->depth;
	w->unknown += t->unknown;
	w->too_deep += t->too_deep;
	w->too_many += t->too_many;
	w->uncounted += t->uncounted;
	w->backwards += t->backwards;
	w->deepest = t->most_levels;
}

static void write_name(const struct writing *w, const struct call_thread *t,
		       const struct call_node *n)
{
	if (n == t->nodes) {
		escape_print(w->out, t->name ? t->name : "thread");
		fprintf(w->out, "_%d\n", (int)t->tid);
		return;
	}
	if (n == &t->nodes[t->beyond]) {
		fputs("beyond the tree's room\n", w->out);
		return;
	}
	if (w->how->types)
		fprintf(w->out,
			"%c:", sequence_types[w->how->static_types ? n->type : n->type & ~1u]);
	escape_print(w->out, w->how->source->name(n->method));
	fputc('\n', w->out);
}

/* ---- short calls ----------------------------------------------------------------------------- */

/* For each node: BASE and DELTA of each metric, including the nodes below that are not shown; and
 * BASE of the node and all below it. Parents precede their children. */
struct rt_sums {
	uint64_t *value, *all;
};

static void sums_free(struct rt_sums *s)
{
	free(s->value);
	free(s->all);
}

static bool is_small(const struct writing *w, const struct call_thread *t, const struct rt_sums *s,
		     uint32_t node)
{
	return node && node < t->used && w->how->least && s->all[node] < w->how->least;
}

/* Returns 0 or -ENOMEM. */
static int sums_of(const struct writing *w, const struct call_thread *t, struct rt_sums *s)
{
	uint32_t per = 2 * t->metrics, node, i;

	s->value = calloc((size_t)t->used * per, sizeof(*s->value));
	s->all = calloc(t->used, sizeof(*s->all));
	if (!s->value || !s->all) {
		sums_free(s);
		return -ENOMEM;
	}
	for (node = t->used; node--;) {
		uint64_t *value = s->value + (size_t)node * per, *parent;
		bool clamped;

		for (i = 0; i < t->metrics; i++) {
			uint64_t raw = t->raw[(size_t)node * t->metrics + i];
			uint64_t delta = calibration_delta(&w->calibration, t, node, i, &clamped);

			value[2 * i] += raw - delta;
			value[2 * i + 1] += delta;
			s->all[node] += i ? 0 : raw - delta;
		}
		if (!node)
			break;
		s->all[t->nodes[node].parent] += s->all[node];
		parent = s->value + (size_t)t->nodes[node].parent * per;
		for (i = 0; is_small(w, t, s, node) && i < per; i++)
			parent[i] += value[i];
	}
	return 0;
}

static void count_small(void *arg, const struct call_thread *t)
{
	struct writing *w = arg;
	struct rt_sums s;

	if (w->err)
		return;
	w->err = sums_of(w, t, &s);
	if (w->err)
		return;
	for (uint32_t node = 1; node < t->used; node++)
		if (is_small(w, t, &s, node))
			w->small += t->nodes[node].calls;
	sums_free(&s);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static void write_values(const struct writing *w, const struct call_thread *t,
			 const struct rt_sums *s, uint32_t node)
{
	for (uint32_t i = 0; i < t->metrics; i++) {
		uint64_t raw = t->raw[(size_t)node * t->metrics + i], base, delta;
		bool clamped;

		if (w->how->least && node < t->used) {
			base = s->value[((size_t)node * t->metrics + i) * 2];
			delta = s->value[((size_t)node * t->metrics + i) * 2 + 1];
		} else {
			delta = calibration_delta(&w->calibration, t, node, i, &clamped);
			base = raw - delta;
		}
		fprintf(w->out, " %14" PRIu64 " %14" PRIu64, base, delta);
	}
}

static void write_node(const struct writing *w, const struct call_thread *t,
		       const struct rt_sums *s, uint32_t node, uint32_t level)
{
	const struct call_node *n = &t->nodes[node];

	fprintf(w->out, "%3u %10" PRIu64 " %10" PRIu64, level, n->calls, n->calls_made);
	if (w->how->values) {
		write_values(w, t, s, node);
		if (metrics_switches)
			fprintf(w->out, " %3" PRIu32 " %3" PRIu32, n->dispatches, n->interrupts);
		else
			fputs("   -   -", w->out);
	}
	fputc(' ', w->out);
	write_name(w, t, n);
}

/* Writes parents before their children, and children in the order of their first calls. */
static void write_tree(void *arg, const struct call_thread *t)
{
	struct writing *w = arg;
	struct rt_sums s = { 0 };
	size_t n = 0;

	if (!w->err && w->how->least)
		w->err = sums_of(w, t, &s);
	if (w->err)
		return;
	w->err = array_next(w->waiting, n, w->room);
	if (!w->err) {
		w->waiting[n].level = 0;
		w->waiting[n++].node = 0;
	}
	while (n && !w->err) {
		uint32_t node = w->waiting[--n].node, level = w->waiting[n].level, c;

		write_node(w, t, &s, node, level);
		for (c = t->nodes[node].child; c && !w->err; c = t->nodes[c].next) {
			if (is_small(w, t, &s, c))
				continue;
			w->err = array_next(w->waiting, n, w->room);
			if (!w->err) {
				w->waiting[n].level = level + 1;
				w->waiting[n++].node = c;
			}
		}
	}
	sums_free(&s);
}

/* ---- the head -------------------------------------------------------------------------------- */

static void write_metrics(FILE *out)
{
	const char *note = NULL;

	for (uint32_t i = 0; i < metrics_count(); i++) {
		const struct metric *m = metrics_get(i);

		fputs("metric", out);
		if (metrics_count() > 1)
			fprintf(out, " %" PRIu32, i + 1);
		fputs(": ", out);
		escape_print(out, m->name);
		fprintf(out, " (%s) by %s, resolution %s", m->unit, m->source, m->resolution);
		/* PTT has one note for all of its metrics. */
		if (m->note && *m->note && m->note != note)
			fprintf(out, "; %s", m->note);
		note = m->note;
		fputc('\n', out);
	}
}

static void write_counts(const struct writing *w)
{
	const char *why = NULL;
	uint64_t refused = w->how->source->refused(&why);

	fprintf(w->out,
		"entries %" PRIu64 ", exits %" PRIu64 ", exception exits %" PRIu64
		", on the stack %" PRIu64,
		w->entries, w->exits, w->unwinds, w->live);
	if (w->popped)
		fprintf(w->out, ", popped %" PRIu64, w->popped);
	fputc('\n', w->out);
	if (w->unknown || w->too_deep || w->too_many || w->uncounted)
		fprintf(w->out,
			"not kept: ends of methods that began before %" PRIu64
			", calls deeper than %u %" PRIu64 ", calls beyond the tree's room %" PRIu64
			", events without a correction %" PRIu64 "\n",
			w->unknown, w->deepest, w->too_deep, w->too_many, w->uncounted);
	if (w->how->least)
		fprintf(w->out, "left out: calls that took less than %" PRIu64 ": %" PRIu64 "\n",
			w->how->least, w->small);
	if (w->backwards)
		fprintf(w->out, "values that went backwards, taken for 0: %" PRIu64 "\n",
			w->backwards);
	if (refused) {
		fprintf(w->out, "threads without a tree: %" PRIu64 ": ", refused);
		escape_print(w->out, why ? why : "");
		fputc('\n', w->out);
	}
}

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100.0 * (double)part / (double)all : 0;
}

/* Writes the calibration's key, its file, and its quality. */
static void write_calibration(const struct writing *w, uint32_t changed)
{
	const struct log_rt *how = w->how;
	const char *key = how->key;

	fputs("calibration: ", w->out);
	if (how->no_file) {
		fputs("of this run alone; ", w->out);
		escape_print(w->out, how->no_file);
	} else if (how->file) {
		escape_print(w->out, how->file->path);
		fprintf(w->out, ", minima that are new or less: %" PRIu32, changed);
	} else {
		fputs("of this run alone", w->out);
	}
	fputc('\n', w->out);
	while (key && *key) {
		int n = (int)strcspn(key, "\n");

		fprintf(w->out, "calibration of %.*s\n", n, key);
		key += n + (key[n] == '\n');
	}
	for (uint32_t i = 0; i < metrics_count(); i++) {
		struct calibration_quality q = calibration_judge(&w->calibration, w->seen, i);

		fputs("calibration by ", w->out);
		escape_print(w->out, metrics_get(i)->name);
		fprintf(w->out,
			": sequences trained %" PRIu32 ", untrained %" PRIu32
			", which hold %.1f %% of BASE; nodes over-calibrated %" PRIu64
			"; residual uncertainty %.1f %% of BASE",
			q.trained, q.untrained, percent(q.untrained_base, q.base), w->clamped[i],
			percent(q.uncertain, q.base));
		if (metrics_get(i)->step > 1)
			fprintf(w->out, "; minima evened, the clock has steps of %" PRIu64,
				metrics_get(i)->step);
		fputc('\n', w->out);
	}
}

static void write_columns(const struct writing *w)
{
	fputs("\n LV      CALLS        CEE", w->out);
	for (uint32_t i = 1; w->how->values && i <= metrics_count(); i++) {
		if (metrics_count() == 1)
			fputs("           BASE          DELTA", w->out);
		else
			fprintf(w->out, "          BASE%" PRIu32 "         DELTA%" PRIu32, i, i);
	}
	fputs(w->how->values ? "  DS  IN NAME\n" : " NAME\n", w->out);
}

/* ---- the log --------------------------------------------------------------------------------- */

static void count_clamped(void *arg, const struct call_thread *t)
{
	struct writing *w = arg;
	bool clamped;

	for (uint32_t node = 0; node < t->used; node++) {
		for (uint32_t i = 0; i < t->metrics; i++) {
			calibration_delta(&w->calibration, t, node, i, &clamped);
			w->clamped[i] += clamped;
		}
	}
}

static void set_steps(uint64_t step[CALL_METRICS])
{
	for (uint32_t i = 0; i < metrics_count(); i++)
		step[i] = metrics_get(i)->step;
}

/* Merges this run's minima into the file, and uses those of earlier runs for this log. */
static uint32_t share(struct writing *w)
{
	struct log_rt *how = w->how;
	struct calibration few = { 0 };
	uint64_t step[CALL_METRICS];
	uint32_t changed = 0, s;

	set_steps(step);
	w->err = calibration_init(&few, w->calibration.metrics);
	if (w->err)
		return 0;
	for (s = 0; s < SEQUENCES; s++)
		w->calibration.times[s] = w->seen[(size_t)s * w->calibration.metrics].times;
	calibration_even(&w->calibration, w->seen, step);
	calibration_take_few(&w->calibration, &few, w->seen, step);
	if (how->file && !calibration_file_merge(how->file, &w->calibration, how->key, &changed))
		how->no_file = how->file->why;
	memset(w->calibration.times, 0, SEQUENCES * sizeof(*w->calibration.times));
	if (how->trained)
		calibration_merge(&w->calibration, how->trained);
	calibration_fill(&w->calibration, &few);
	calibration_free(&few);
	return changed;
}

static void write_all(struct writing *w)
{
	uint32_t changed = 0;

	w->how->source->each(learn, w);
	if (w->how->values) {
		changed = share(w);
		if (!w->err)
			w->err = calibration_settle(&w->calibration, w->seen);
		if (w->err)
			return;
		w->how->source->each(count_clamped, w);
		if (w->how->least)
			w->how->source->each(count_small, w);
		if (w->err)
			return;
	}
	fputs("pitrace log-rt\n", w->out);
	if (w->how->values)
		write_metrics(w->out);
	else
		fputs("metric: none\n", w->out);
	write_counts(w);
	if (w->how->values)
		write_calibration(w, changed);
	write_columns(w);
	w->how->source->each(write_tree, w);
	if (!w->err && (fflush(w->out) || ferror(w->out)))
		w->err = errno ? -errno : -EIO;
}

int log_rt_write(FILE *out, struct log_rt *how)
{
	struct writing w = { .out = out, .how = how };

	w.err = calibration_init(&w.calibration, metrics_count());
	if (w.err)
		return w.err;
	w.seen = calloc((size_t)SEQUENCES * metrics_count(), sizeof(*w.seen));
	if (w.seen)
		write_all(&w);
	else
		w.err = -ENOMEM;
	free(w.waiting);
	free(w.seen);
	calibration_free(&w.calibration);
	return w.err;
}

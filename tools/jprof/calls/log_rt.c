/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "log_rt.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "calibration.h"
#include "escape.h"
#include "hooks.h"
#include "methods.h"

struct writing {
	FILE *out;
	const struct log_rt *how;
	struct calibration calibration;
	struct {
		uint32_t node, level;
	} * waiting; /* nodes, the next one last */
	size_t room;
	uint64_t entries, exits, unwinds, live, unknown, too_deep, too_many, uncounted;
	int err;
};

static void learn(void *arg, const struct call_thread *t)
{
	struct writing *w = arg;

	calibration_add(&w->calibration, t);
	w->entries += t->entries;
	w->exits += t->exits;
	w->unwinds += t->unwinds;
	w->live += t->depth;
	w->unknown += t->unknown;
	w->too_deep += t->too_deep;
	w->too_many += t->too_many;
	w->uncounted += t->uncounted;
}

static void write_name(const struct writing *w, const struct call_thread *t,
		       const struct call_node *n)
{
	static const char letters[] = "IiJjNnCO";

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
		fprintf(w->out, "%c:", letters[w->how->static_types ? n->type : n->type & ~1u]);
	escape_print(w->out, methods_get(n->method)->name);
	fputc('\n', w->out);
}

static void write_node(const struct writing *w, const struct call_thread *t, uint32_t node,
		       uint32_t level)
{
	const struct call_node *n = &t->nodes[node];

	fprintf(w->out, "%3u %10" PRIu64 " %10" PRIu64, level, n->calls, n->calls_made);
	if (w->how->values) {
		for (uint32_t i = 0; i < t->metrics; i++) {
			uint64_t raw = t->raw[(size_t)node * t->metrics + i];
			uint64_t delta = calibration_delta(&w->calibration, t, node, i);

			fprintf(w->out, " %14" PRId64 " %14" PRIu64, (int64_t)(raw - delta), delta);
		}
		fputs("   -   -", w->out);
	}
	fputc(' ', w->out);
	write_name(w, t, n);
}

/* Parents before their children, these in the order in which they were first called. */
static void write_tree(void *arg, const struct call_thread *t)
{
	struct writing *w = arg;
	size_t n = 0;

	if (w->err)
		return;
	w->err = array_next(w->waiting, n, w->room);
	if (!w->err) {
		w->waiting[n].level = 0;
		w->waiting[n++].node = 0;
	}
	while (n && !w->err) {
		uint32_t node = w->waiting[--n].node, level = w->waiting[n].level, c;

		write_node(w, t, node, level);
		for (c = t->nodes[node].child; c && !w->err; c = t->nodes[c].next) {
			w->err = array_next(w->waiting, n, w->room);
			if (!w->err) {
				w->waiting[n].level = level + 1;
				w->waiting[n++].node = c;
			}
		}
	}
}

int log_rt_write(FILE *out, const struct log_rt *how)
{
	struct writing w = { .out = out, .how = how };

	w.err = calibration_init(&w.calibration, 1);
	if (w.err)
		return w.err;
	hooks_each(learn, &w);
	fprintf(out,
		"pitrace log-rt\nmetric: %s\nentries %" PRIu64 ", exits %" PRIu64
		", exception exits %" PRIu64 ", on the stack %" PRIu64 "\n",
		how->values ? how->metric : "none", w.entries, w.exits, w.unwinds, w.live);
	if (w.unknown || w.too_deep || w.too_many || w.uncounted)
		fprintf(out,
			"not kept: ends of methods that began before %" PRIu64
			", calls deeper than %u %" PRIu64 ", calls beyond the tree's room %" PRIu64
			", events without a correction %" PRIu64 "\n",
			w.unknown, 131072u, w.too_deep, w.too_many, w.uncounted);
	fputs(how->values ?
		      "\n LV      CALLS        CEE           BASE          DELTA  DS  IN NAME\n" :
		      "\n LV      CALLS        CEE NAME\n",
	      out);
	hooks_each(write_tree, &w);
	free(w.waiting);
	calibration_free(&w.calibration);
	if (!w.err && (fflush(out) || ferror(out)))
		w.err = errno ? -errno : -EIO;
	return w.err;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * -html: one page that shows the trace without a server or network. The page's code is in viewer/;
 * this file writes its data, block by block. viewer/README.md describes the blocks.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export/html/html_block.h"
#include "export/html/html_code.h"
#include "export/html/html_facts.h"
#include "export/html/html_page.h"
#include "export/html/html_tree.h"
#include "report/report.h"

struct html_writing {
	struct html_tree tree;
	struct html_block block;
	uint32_t *cgroup; /* by process of the page, a text */
	FILE *out;
};

#define COLUMN(i, count, value)             \
	for ((i) = 0; (i) < (count); (i)++) \
	html_block_number(b, value)

static int begin(struct html_writing *w, const char *name, uint32_t rows)
{
	int rc = html_block_begin(&w->block, w->out, name);

	if (!rc)
		html_block_number(&w->block, rows);
	return rc;
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Names are added to the table in advance, so that a lack of memory shows early. */
static bool has_name(struct texts *texts, const char *name)
{
	return texts_name(texts, name) != NO_KEY;
}

static int name_all(struct html_tree *t)
{
	const struct names *n = &t->job->model->names;
	uint32_t i;

	for (i = 0; i < t->processes.count; i++) {
		if (!has_name(&t->texts, n->process[t->processes.list[i]].name))
			return -ENOMEM;
	}
	for (i = 0; i < t->threads.count; i++) {
		if (!has_name(&t->texts, n->thread[t->threads.list[i]].name))
			return -ENOMEM;
	}
	for (i = 0; i < t->frames; i++) {
		const struct symbol *s = &n->symbols.symbol[t->frame[i].symbol];

		if (!has_name(&t->texts, s->name) || !has_name(&t->texts, s->file) ||
		    !has_name(&t->texts, n->module[s->module].name))
			return -ENOMEM;
	}
	return 0;
}

static int name_cgroups(struct html_writing *w)
{
	struct html_tree *t = &w->tree;
	const struct names *names = &t->job->model->names;
	uint32_t i;

	w->cgroup = calloc((size_t)t->processes.count + 1, sizeof(*w->cgroup));
	for (i = 0; w->cgroup && i < t->processes.count; i++) {
		const struct trace_process *p = &names->process[t->processes.list[i]];
		const struct cgroup *g = &names->cgroups.list[p->cgroup];

		if (p->cgroup == CGROUP_UNKNOWN)
			continue;
		w->cgroup[i] = texts_name(&t->texts, *g->path ? g->path : g->name);
		if (w->cgroup[i] == NO_KEY)
			return -ENOMEM;
	}
	return w->cgroup ? 0 : -ENOMEM;
}

static int write_texts(struct html_writing *w)
{
	const struct texts *t = &w->tree.texts;
	uint32_t i;
	int rc = html_block_begin(&w->block, w->out, "texts");

	if (rc)
		return rc;
	/* No text contains a newline: escaping replaces it. */
	for (i = 0; i < t->count; i++) {
		if (i)
			html_block_bytes(&w->block, "\n", 1);
		html_block_bytes(&w->block, t->string[i], strlen(t->string[i]));
	}
	html_block_end(&w->block);
	return 0;
}

/* ---- processes, threads, functions, calls ---------------------------------------------------- */

/* Returns 0 for an id that the kernel shows as -1, and id + 1 for all others. */
static uint64_t id_written(uint32_t id)
{
	return (uint64_t)(id_shown(id) + 1);
}

static int write_processes(struct html_writing *w)
{
	const struct html_used *u = &w->tree.processes;
	const struct trace_process *p = w->tree.job->model->names.process;
	struct html_block *b = &w->block;
	uint32_t i;
	int rc = begin(w, "processes", u->count);

	if (rc)
		return rc;
	COLUMN(i, u->count, texts_name(&w->tree.texts, p[u->list[i]].name));
	COLUMN(i, u->count, id_written(p[u->list[i]].pid));
	COLUMN(i, u->count, w->cgroup[i]);
	html_block_end(b);
	return 0;
}

static int write_threads(struct html_writing *w)
{
	const struct html_used *u = &w->tree.threads;
	const struct names *n = &w->tree.job->model->names;
	const struct trace_thread *t = n->thread;
	struct html_block *b = &w->block;
	uint32_t i;
	int rc = begin(w, "threads", u->count);

	if (rc)
		return rc;
	COLUMN(i, u->count, texts_name(&w->tree.texts, t[u->list[i]].name));
	COLUMN(i, u->count, id_written(t[u->list[i]].tid));
	COLUMN(i, u->count, w->tree.processes.number[n->process[t[u->list[i]].process].group] - 1);
	html_block_end(b);
	return 0;
}

static int write_frames(struct html_writing *w)
{
	const struct names *n = &w->tree.job->model->names;
	const struct symbol *s = n->symbols.symbol;
	const struct html_frame *f = w->tree.frame;
	uint32_t count = w->tree.frames, i;
	struct html_block *b = &w->block;
	int rc = begin(w, "frames", count);

	if (rc)
		return rc;
	COLUMN(i, count, texts_name(&w->tree.texts, s[f[i].symbol].name));
	COLUMN(i, count, texts_name(&w->tree.texts, n->module[s[f[i].symbol].module].name));
	COLUMN(i, count, html_tree_kind(&w->tree, &f[i]));
	COLUMN(i, count, texts_name(&w->tree.texts, s[f[i].symbol].file));
	COLUMN(i, count, s[f[i].symbol].line);
	html_block_end(b);
	return 0;
}

static int write_nodes(struct html_writing *w)
{
	const struct html_node *n = w->tree.node;
	uint32_t count = w->tree.calls.ncall, i;
	struct html_block *b = &w->block;
	int rc = begin(w, "nodes", count);

	if (rc)
		return rc;
	COLUMN(i, count, n[i].up);
	COLUMN(i, count, n[i].what);
	COLUMN(i, count, n[i].times);
	html_block_end(b);
	return 0;
}

/* ---- sums ------------------------------------------------------------------------------------ */

static int write_sums(struct html_writing *w)
{
	const struct sum *s = w->tree.sums.sum;
	uint32_t count = w->tree.sums.count, i;
	struct html_block *b = &w->block;
	int rc = begin(w, "sums", count);

	if (rc)
		return rc;
	for (i = 0; i < count; i++)
		html_block_signed(b, (int64_t)s[i].stack - (i ? s[i - 1].stack : 0));
	COLUMN(i, count, s[i].thread == NO_KEY ? 0 : s[i].thread + 1);
	COLUMN(i, count, s[i].cpu);
	COLUMN(i, count, s[i].event);
	html_block_end(b);
	return 0;
}

/* Without times all values are in one slice. */
static int write_cells(struct html_writing *w)
{
	const struct html_tree *t = &w->tree;
	const struct slices_cell *c = t->job->model->slices.cell;
	const struct sum *s = w->tree.sums.sum;
	bool timed = w->tree.timed;
	uint32_t count = timed ? w->tree.job->model->slices.count : w->tree.sums.count, i;
	struct html_block *b = &w->block;
	int rc = begin(w, "cells", count);

	if (rc)
		return rc;
	COLUMN(i, count,
	       !timed ? 0 :
	       i      ? html_tree_slice(t, c[i].slice) - html_tree_slice(t, c[i - 1].slice) :
			html_tree_slice(t, c[i].slice));
	for (i = 0; i < count; i++)
		html_block_signed(b, !timed ? i != 0 : (int64_t)c[i].sum - (i ? c[i - 1].sum : 0));
	COLUMN(i, count, timed ? c[i].ticks : s[i].ticks);
	html_block_end(b);
	return 0;
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Returns a number + 1, or 0 for none. */
static uint64_t or_none(uint32_t number)
{
	return number == NO_KEY ? 0 : number + 1ull;
}

static int write_tracks(struct html_writing *w)
{
	const struct html_track *t = w->tree.events.track;
	uint32_t count = w->tree.events.tracks, i;
	struct html_block *b = &w->block;
	int rc = begin(w, "tracks", count);

	if (rc)
		return rc;
	COLUMN(i, count, t[i].kind);
	COLUMN(i, count, or_none(t[i].thread));
	COLUMN(i, count, or_none(t[i].other));
	COLUMN(i, count, or_none(t[i].cpu));
	COLUMN(i, count, t[i].name);
	COLUMN(i, count, t[i].count);
	COLUMN(i, count, t[i].ns);
	html_block_end(b);
	return 0;
}

static int write_parts(struct html_writing *w)
{
	const struct html_tree *t = &w->tree;
	const struct slices_cell *c = t->events.slices.cell;
	uint32_t count = t->events.slices.count, i;
	struct html_block *b = &w->block;
	int rc = begin(w, "parts", count);

	if (rc)
		return rc;
	COLUMN(i, count,
	       html_tree_event_slice(t, c[i].slice) -
		       (i ? html_tree_event_slice(t, c[i - 1].slice) : 0));
	for (i = 0; i < count; i++)
		html_block_signed(b, (int64_t)c[i].sum - (i ? c[i - 1].sum : 0));
	COLUMN(i, count, c[i].ticks);
	html_block_end(b);
	return 0;
}

static int write_stretches(struct html_writing *w)
{
	const struct html_events *e = &w->tree.events;
	const struct html_stretch *s = e->stretch;
	struct html_block *b = &w->block;
	uint32_t i;
	int rc = begin(w, "stretches", e->stretches);

	if (rc)
		return rc;
	COLUMN(i, e->stretches, s[i].from - (i ? s[i - 1].from : e->from));
	COLUMN(i, e->stretches, s[i].ns);
	COLUMN(i, e->stretches, s[i].track);
	html_block_end(b);
	return 0;
}

static int write_moments(struct html_writing *w)
{
	const struct html_events *e = &w->tree.events;
	const struct html_moment *m = e->moment;
	struct html_block *b = &w->block;
	uint32_t i;
	int rc = begin(w, "moments", e->moments);

	if (rc)
		return rc;
	COLUMN(i, e->moments, m[i].time - (i ? m[i - 1].time : e->from));
	COLUMN(i, e->moments, m[i].track);
	html_block_end(b);
	return 0;
}

static int write_flow(struct html_writing *w)
{
	const struct html_flow_line *l = w->tree.flow.line;
	uint32_t count = w->tree.flow.count, i;
	struct html_block *b = &w->block;
	int rc = w->tree.job->options->instructions ? begin(w, "flow", count) : 0;

	if (rc || !w->tree.job->options->instructions)
		return rc;
	COLUMN(i, count, l[i].thread);
	COLUMN(i, count, l[i].depth);
	COLUMN(i, count, or_none(l[i].symbol));
	COLUMN(i, count, l[i].count);
	COLUMN(i, count, l[i].doubt);
	html_block_end(b);
	return 0;
}

static int write_page(struct html_writing *w)
{
	static int (*const blocks[])(struct html_writing * w) = {
		write_texts, write_processes, write_threads, write_frames,
		write_nodes, write_sums,      write_cells,   write_tracks,
		write_parts, write_stretches, write_moments, write_flow,
	};
	size_t i;
	int rc = name_all(&w->tree);

	if (!rc)
		rc = name_cgroups(w);
	if (rc)
		return rc;
	fwrite(html_page_head, 1, html_page_head_size, w->out);
	rc = html_facts_write(&w->block, &w->tree, w->out);
	for (i = 0; i < sizeof(blocks) / sizeof(blocks[0]) && !rc; i++)
		rc = blocks[i](w);
	if (!rc)
		rc = html_code_write(&w->block, w->tree.job, w->out);
	fwrite(html_page_tail, 1, html_page_tail_size, w->out);
	return rc;
}

static int html_write(const struct job *job, FILE *out)
{
	struct html_writing *w = malloc(sizeof(*w));
	int rc;

	if (!w)
		return -ENOMEM;
	w->out = out;
	w->cgroup = NULL;
	rc = html_tree_make(&w->tree, job);
	if (!rc)
		rc = write_page(w);
	html_tree_free(&w->tree);
	free(w->cgroup);
	free(w);
	return rc;
}

const struct report report_html = {
	.name = "html",
	.usage =
		"  -html             one page for a browser: flame graph, callers, tables, time, to\n"
		"                    post.html\n",
	.kinds = REPORT_OF_SAMPLES | REPORT_OF_STACKS | REPORT_ONE_FORM,
	.path = "post.html",
	.mode = 0666,
	.needs = NEED_SAMPLES | NEED_STACKS | NEED_SUMS | NEED_SLICES | NEED_PLACES,
	.write = html_write,
};

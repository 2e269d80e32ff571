/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compare/gather.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "report/report.h"

struct gathering {
	struct comparison *to;
	uint32_t input;
	enum compare_key key;
	const struct job *job;
	uint32_t *name; /* of each symbol, in the comparison; NO_KEY: unset */
	uint32_t *path; /* buffer for the deepest call path */
	/* For each call: its process, and the root below which its stack was found, so that common
	 * callers are looked up once. */
	struct found_call {
		uint32_t process, root, at;
		bool known;
	} * found;
	uint32_t idle; /* symbol, or NO_KEY */
};

/* Returns the name as -folded writes it. */
static int symbol_name(struct gathering *g, uint32_t symbol, bool kernel, uint32_t *name)
{
	const struct symbol *s = &g->job->model->names.symbols.symbol[symbol];
	const char *end = kernel ? "_[k]" : s->inlined ? "_[i]" : "";
	size_t length = strlen(s->name) + strlen(end);
	char *text = malloc(length + 1);
	int rc;

	if (!text)
		return -ENOMEM;
	snprintf(text, length + 1, "%s%s", s->name, end);
	rc = comparison_name(g->to, text, length, name);
	free(text);
	return rc;
}

/* Returns the outermost process or thread; NO_KEY if only paths matter. */
static int outermost(struct gathering *g, uint32_t process, uint32_t thread, uint32_t *call)
{
	const struct names *n = &g->job->model->names;
	const char *text = g->key == BY_THREAD && thread != NO_KEY ? n->thread[thread].name :
								     n->process[process].name;
	uint32_t name;
	int rc;

	*call = NO_KEY;
	if (g->key == BY_PATH || g->key == BY_NAME)
		return 0;
	rc = comparison_name(g->to, text, strlen(text), &name);
	return rc ? rc : comparison_call(g->to, NO_KEY, name, false, call);
}

/* Adds the ticks of a process without any function. */
static int outermost_anyway(struct gathering *g, uint32_t process, uint32_t *call)
{
	const char *text = g->job->model->names.process[process].name;
	uint32_t name;
	int rc = comparison_name(g->to, text, strlen(text), &name);

	return rc ? rc : comparison_call(g->to, NO_KEY, name, false, call);
}

static int add_stack(struct gathering *g, uint32_t stack, uint32_t thread, uint64_t value)
{
	const struct call *call = g->job->stacks->calls.call;
	uint32_t n = 0, at, root, i;
	int rc;

	rc = outermost(g, g->found[stack].process, thread, &root);
	if (!rc && call[stack].parent == NO_KEY && root == NO_KEY)
		rc = outermost_anyway(g, call[stack].id, &root);
	for (i = stack; call[i].parent != NO_KEY; i = call[i].parent) {
		if (g->found[i].known && g->found[i].root == root)
			break;
		g->path[n++] = i;
	}
	at = call[i].parent != NO_KEY ? g->found[i].at : root;
	while (!rc && n) {
		const struct call *down = &call[g->path[--n]];
		uint32_t *name = &g->name[2 * (size_t)down->id + down->kernel];

		if (*name == NO_KEY)
			rc = symbol_name(g, down->id, down->kernel, name);
		if (!rc)
			rc = comparison_call(g->to, at, *name, true, &at);
		g->found[g->path[n]].root = root;
		g->found[g->path[n]].at = at;
		g->found[g->path[n]].known = true;
	}
	if (!rc && value > INT64_MAX)
		rc = -EOVERFLOW;
	return rc ? rc : comparison_add(g->to, at, g->input, (int64_t)value);
}

static int add_samples(struct gathering *g)
{
	const struct sums *s = &g->job->model->sums;
	const struct call *call = g->job->stacks->calls.call;
	int rc = 0;

	for (uint32_t i = 0; i < s->count && !rc; i++) {
		if (call[s->sum[i].stack].parent != NO_KEY && call[s->sum[i].stack].id == g->idle)
			g->to->input[g->input].idle += s->sum[i].ticks;
		else
			rc = add_stack(g, s->sum[i].stack, s->sum[i].thread, s->sum[i].ticks);
	}
	return rc;
}

/* Adds instructions, which have no known thread. */
static int add_instructions(struct gathering *g)
{
	const struct calls *c = &g->job->stacks->calls;
	int rc = 0;

	for (uint32_t i = 0; i < c->ncall && !rc; i++) {
		if (c->call[i].self)
			rc = add_stack(g, i, NO_KEY, c->call[i].self);
	}
	return rc;
}

static int begin(struct gathering *g)
{
	const struct job *job = g->job;
	const struct calls *c = &job->stacks->calls;
	size_t symbols = job->model->names.symbols.count;
	struct sample_place idle;
	int rc = 0;

	g->idle = NO_KEY;
	if (job->trace->idle) {
		rc = names_idle(&job->model->names, 0, &idle);
		g->idle = idle.symbol;
	}
	g->name = malloc((2 * symbols + 1) * sizeof(*g->name));
	g->path = malloc(((size_t)calls_deepest(c) + 1) * sizeof(*g->path));
	g->found = calloc((size_t)c->ncall + 1, sizeof(*g->found));
	if (!g->name || !g->path || !g->found)
		return -ENOMEM;
	for (uint32_t i = 0; i < c->ncall; i++) {
		uint32_t parent = c->call[i].parent;

		g->found[i].process = parent == NO_KEY ? c->call[i].id : g->found[parent].process;
	}
	memset(g->name, 0xff, (2 * symbols + 1) * sizeof(*g->name)); /* NO_KEY */
	return rc;
}

/* Describes the unit of the values. */
static int describe(struct gathering *g)
{
	const struct job *job = g->job;
	struct compared *in = &g->to->input[g->input];
	const char *event = mode_name(job->trace), *unit = mode_unit(job);
	char text[192];

	if (job->options->instructions)
		snprintf(text, sizeof(text), "%s",
			 job->input->calls ? "nanoseconds" : "instructions");
	else if (!event || !strcmp(event, unit) || !strcmp(event, "timer"))
		snprintf(text, sizeof(text), "%s", unit);
	else
		snprintf(text, sizeof(text), "%s of %s", unit, event);
	in->exact = job->options->instructions || job->input->values;
	in->unit = strdup(text);
	in->name = strdup(job->input->name);
	return in->unit && in->name ? 0 : -ENOMEM;
}

int gather_model(struct comparison *c, uint32_t input, enum compare_key key, const struct job *job)
{
	struct gathering *g = calloc(1, sizeof(*g));
	int rc;

	if (!g)
		return -ENOMEM;
	*g = (struct gathering){ .to = c, .input = input, .key = key, .job = job };
	rc = begin(g);
	if (!rc)
		rc = describe(g);
	if (!rc)
		rc = job->options->instructions ? add_instructions(g) : add_samples(g);
	free(g->name);
	free(g->path);
	free(g->found);
	free(g);
	return rc;
}

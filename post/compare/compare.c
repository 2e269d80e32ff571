/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the inputs one after the other, so that only one model is in memory, and writes the
 * result. */
#include "compare/compare.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/read_all.h"
#include "base/regular.h"
#include "compare/budget.h"
#include "compare/folded_read.h"
#include "compare/gather.h"
#include "compare/show_budget.h"
#include "complain.h"
#include "load_trace.h"
#include "report/report.h"

static int failed(const char *what, int rc)
{
	if (rc == -EOVERFLOW)
		complain("%s: its values are more than can be counted", what);
	else
		complain("%s: %s", what, output_error(rc));
	return EXIT_UNREADABLE;
}

static int worse(int a, int b)
{
	return a > b ? a : b;
}

/* ---- one input ------------------------------------------------------------------------------- */

static bool is_folded(const char *path)
{
	int fd = regular_open(path, 0, NULL);
	char head[INPUT_HEAD];
	size_t size = 0;

	if (fd < 0)
		return false;
	(void)pread_all(fd, head, sizeof(head), 0, &size);
	close(fd);
	return folded_probe(head, size);
}

/* Reads folded stacks, for which there is no reader. */
static int read_folded(struct compare *c, uint32_t i, const struct loaded *l,
		       struct pifile_fault *fault)
{
	int rc;

	if (!is_folded(l->input.path)) {
		input_complain(l->input.name, fault);
		return EXIT_UNREADABLE;
	}
	*fault = (struct pifile_fault){ .offset = NO_OFFSET };
	rc = folded_file(&c->all, i, c->how->key, l->input.path, l->input.name, fault);
	if (rc != -EINVAL)
		return rc ? failed(l->input.name, rc) : EXIT_CLEAN;
	input_complain(l->input.name, fault);
	return EXIT_UNREADABLE;
}

/* Reports damage for each input, as post does. */
static int print_damage(struct compare *c, uint32_t i, struct job *job)
{
	struct pifile_fault *faults = NULL;
	int rc = damage_gather(job, &faults);

	if (rc)
		return failed("faults", rc);
	damage_print(job);
	warnings_print(job);
	c->all.input[i].damaged = !damage_none(job);
	free(faults);
	return EXIT_CLEAN;
}

static int read_loaded(struct compare *c, uint32_t i, struct loaded *l)
{
	int code, rc;

	/* Traces of function entries and exits have no samples. */
	l->options->instructions |= l->input.calls;
	code = load_read(l, gather_needs(l->options->instructions));
	if (code)
		return code;
	rc = gather_model(&c->all, i, c->how->key, &l->job);
	return rc ? failed(l->input.name, rc) : print_damage(c, i, &l->job);
}

static int read_input(struct compare *c, uint32_t i, const char *path)
{
	bool instructions = c->options->instructions;
	struct loaded *l = calloc(1, sizeof(*l));
	struct pifile_fault fault;
	int code;

	if (!l)
		return failed(path, -ENOMEM);
	c->options->input = path;
	code = load_try(l, c->options, &fault);
	if (code && *fault.what)
		code = read_folded(c, i, l, &fault);
	else if (!code)
		code = read_loaded(c, i, l);
	load_close(l);
	free(l);
	c->options->instructions = instructions;
	return code;
}

/* ---- all inputs ------------------------------------------------------------------------------ */

static bool is_empty(const struct comparison *all, uint32_t input)
{
	for (uint32_t i = 0; i < all->calls; i++) {
		if (values_at(all, all->self, i)[input])
			return false;
	}
	return true;
}

static int read_inputs(struct compare *c, const char *const *paths, uint32_t n)
{
	int code = EXIT_CLEAN;

	c->all.inputs = n;
	for (uint32_t i = 0; i < n && code != EXIT_UNREADABLE; i++) {
		code = worse(code, read_input(c, i, paths[i]));
		if (code != EXIT_UNREADABLE && is_empty(&c->all, i)) {
			complain("%s: it has nothing to compare: no samples%s", paths[i],
				 c->options->instructions ? " and no instructions" :
							    " (instruction traces: -tree)");
			code = EXIT_UNREADABLE;
		}
		if (code != EXIT_UNREADABLE && c->all.input[i].damaged)
			code = EXIT_DAMAGED;
	}
	return code;
}

/* Decides whether values are exact counts or samples, which cannot be compared with each other. */
static int settle(struct compare *c)
{
	bool any = false, all = true;
	uint32_t i;

	for (i = 0; i < c->all.inputs; i++) {
		struct compared *in = &c->all.input[i];

		if (c->how->sure != SURE_AUTO)
			in->exact = c->how->sure == SURE_EXACT;
		any |= in->exact;
		all &= in->exact;
		if (strcmp(in->unit, c->all.input[0].unit) != 0 && !c->options->quiet)
			complain("%s has %s, %s has %s: at most their parts compare",
				 c->all.input[0].name, c->all.input[0].unit, in->name, in->unit);
	}
	if (any != all) {
		complain(
			"some of the inputs have samples, others exact counts: -sampled or -exact says what both are");
		return EXIT_UNREADABLE;
	}
	c->exact = all;
	c->parts = c->how->scale == SCALE_PARTS || (c->how->scale == SCALE_AUTO && !all);
	return EXIT_CLEAN;
}

static int combine(struct compare *c, uint32_t first)
{
	switch (c->how->what) {
	case COMPARE_ADDED:
		return comparison_combine(&c->all, first, COMBINE_ADD);
	case COMPARE_SUBTRACTED:
		return comparison_combine(&c->all, first, COMBINE_SUBTRACT);
	case COMPARE_LEAST:
		return comparison_combine(&c->all, first, COMBINE_MINIMUM);
	default:
		return 0;
	}
}

static int finish(struct compare *c, uint32_t first)
{
	int rc = combine(c, first);

	if (!rc)
		rc = comparison_finish(&c->all);
	if (!rc && (compare_by_name(c) || c->how->page))
		rc = comparison_functions(&c->all, &c->functions);
	return rc ? failed("values of the inputs", rc) : EXIT_CLEAN;
}

static void compare_free(struct compare *c)
{
	functions_compared_free(&c->functions);
	comparison_free(&c->all);
}

/* ---- outputs --------------------------------------------------------------------------------- */

static int show(const struct compare *c, FILE *out)
{
	if (c->how->folded)
		return show_folded(c, out);
	if (c->how->page)
		return show_page(c, out);
	if (c->how->what == COMPARE_DIFFERENCE)
		return show_difference(c, out);
	if (c->how->what == COMPARE_NEW_BUDGET)
		return budget_write(&c->all, &c->functions, c->options->clip, c->exact, out);
	return show_beside(c, out);
}

static struct opener_output output_of(const struct options *o)
{
	return (struct opener_output){ .path = o->output ? o->output : "-", .mode = 0666 };
}

static int write_out(const struct compare *c, const struct budget *b)
{
	struct opener_output to = output_of(c->options);
	struct output out = { 0 };
	int rc = opener_output(0, &to, &out), closed;

	if (rc)
		return failed(to.path, rc);
	rc = b ? show_budget(c, b, out.file) : show(c, out.file);
	closed = output_close(&out);
	return rc || closed ? failed(to.path, rc ? rc : closed) : EXIT_CLEAN;
}

static int compare_all(struct compare *c, const char *const *paths, uint32_t n)
{
	int code = read_inputs(c, paths, n);

	if (code != EXIT_UNREADABLE)
		code = worse(code, settle(c));
	if (code != EXIT_UNREADABLE)
		code = worse(code, finish(c, 0));
	return code == EXIT_UNREADABLE ? code : worse(code, write_out(c, NULL));
}

/* ---- budgets --------------------------------------------------------------------------------- */

static int read_budget(struct budget *b, const char *path)
{
	int fd = regular_open(path, 0, NULL), rc;
	char *text = NULL, what[128];
	uint32_t line = 0;
	size_t size;

	rc = fd < 0 ? -errno : read_all(fd, BUDGET_BYTES, &text, &size);
	if (fd >= 0)
		close(fd);
	if (rc)
		return failed(path, rc);
	rc = budget_read(b, text, size, &line, what);
	free(text);
	if (rc == -EINVAL)
		complain("%s: line %u: %s", path, line, what);
	else if (rc)
		return failed(path, rc);
	else if (!b->count)
		complain("%s: it has no budget: PATTERN METRIC LIMIT [TOLERANCE], a line each",
			 path);
	return rc || !b->count ? EXIT_UNREADABLE : EXIT_CLEAN;
}

/* Checks the lines of one event; reads the inputs for it. */
static int judge_event(struct compare *c, struct budget *b, const char *event,
		       const char *const *paths, uint32_t n)
{
	const char *chosen = c->options->event;
	uint32_t first = budget_needs_base(b) ? 1 : 0;
	int code, rc;

	c->options->event = event ? event : chosen;
	code = read_inputs(c, paths, n);
	c->options->event = chosen;
	if (code != EXIT_UNREADABLE)
		code = worse(code, settle(c));
	if (code != EXIT_UNREADABLE)
		code = worse(code, finish(c, first));
	if (code == EXIT_UNREADABLE)
		return code;
	rc = budget_judge(b, &c->all, event, c->parts, c->exact);
	return rc ? failed(c->how->budget, rc) : code;
}

static int wrong_inputs(const struct compare *c, const struct budget *b, uint32_t n)
{
	bool one = c->how->what == COMPARE_BESIDE || c->how->what == COMPARE_DIFFERENCE;
	uint32_t base = budget_needs_base(b);

	if (n <= base) {
		complain("%s: limits are 'base': the first input is the base, another one is judged",
			 c->how->budget);
		return EXIT_UNREADABLE;
	}
	if (one && n > base + 1) {
		complain("one input is judged by a budget%s, or what -add, -min, -subtract make of several",
			 base ? " beside the base" : "");
		return EXIT_UNREADABLE;
	}
	return EXIT_CLEAN;
}

static int judge_all(struct compare *c, const char *const *paths, uint32_t n)
{
	struct budget b = { NULL };
	int code = read_budget(&b, c->how->budget);
	uint32_t i;

	if (!code)
		code = wrong_inputs(c, &b, n);
	for (i = 0; i < b.count && code != EXIT_UNREADABLE; i++) {
		i = budget_next_event(&b, i);
		if (i == b.count)
			break;
		compare_free(c);
		code = worse(code, judge_event(c, &b, b.list[i].event, paths, n));
	}
	if (code != EXIT_UNREADABLE)
		code = worse(code, write_out(c, &b));
	for (i = 0; i < b.count && code == EXIT_CLEAN; i++)
		code = b.list[i].broken ? EXIT_DAMAGED : code;
	budget_free(&b);
	return code;
}

int compare_files(struct options *o, const struct compare_options *how, const char *const *paths,
		  uint32_t n)
{
	struct compare *c = calloc(1, sizeof(*c));
	struct opener_output output = output_of(o);
	int code;

	if (!c)
		return failed("inputs", -ENOMEM);
	c->options = o;
	c->how = how;
	load_shut_in(o, &output, 1);
	code = how->budget ? judge_all(c, paths, n) : compare_all(c, paths, n);
	opener_end();
	compare_free(c);
	free(c);
	return code;
}

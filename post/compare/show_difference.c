/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the difference of two inputs as text, JSON, CSV. */
#include <inttypes.h>
#include <json.h>
#include <stdlib.h>

#include "compare/difference.h"
#include "escape.h"
#include "report/table.h"

#define INDENTED 60 /* maximum indentation of nested calls */

static void name_text(const struct cell *x)
{
	const struct difference_line *l = x->value;
	const char *mark = l->significant ? (l->delta > 0 ? "  + " : "  - ") : "    ";

	fprintf(x->out, "%s%*s", mark, (int)(l->depth < INDENTED ? l->depth : INDENTED), "");
	if (l->depth > INDENTED)
		fprintf(x->out, "[%u] ", l->depth);
	escape_print(x->out, l->name);
}

static void change_text(const struct cell *x)
{
	const struct difference_line *l = x->value;

	if (l->has_change)
		fprintf(x->out, "%*.2f", x->column->width, l->change);
	else
		fprintf(x->out, "%*s", x->column->width, l->state ? l->state : "-");
}

/* Small values matter; fixed-point notation would show only zeros. */
static void p_text(const struct cell *x)
{
	fprintf(x->out, "%*.2g", x->column->width, *(const double *)x->value);
}

static void p_json(const struct cell *x)
{
	char digits[32];

	if (!x->value)
		return;
	snprintf(digits, sizeof(digits), "%.6g", *(const double *)x->value);
	json_number(x->json, x->column->name, digits);
}

static void p_csv(const struct cell *x)
{
	if (x->value)
		fprintf(x->out, "%.6g", *(const double *)x->value);
}

static const struct column_sort sort_name = { .text = name_text };
static const struct column_sort sort_change = { .text = change_text };
static const struct column_sort sort_p = { .text = p_text, .json = p_json, .csv = p_csv };

enum { SAMPLED = 1, EXACT = 2, PARTS = 4, ABSOLUTE = 8, TREE = 16 }; /* parts of the table */

#define AT(member)   COLUMN_AT(struct difference_line, member)
#define WHEN(member) COLUMN_WHEN(struct difference_line, member)
static const struct column columns[] = {
	{ "id", .parts = TREE, AT(id) },
	{ "parent", .parts = TREE, WHEN(has_parent), AT(parent) },
	{ "depth", .parts = TREE, AT(depth) },
	{ "name", AT(name) },
	{ "a", "A", NULL, 14, AT(a) },
	{ "b", "B", " ", 14, AT(b) },
	{ "a_percent", "A %", " ", 7, 2, .as = AS_PERCENT, AT(part_a) },
	{ "b_percent", "B %", " ", 7, 2, .as = AS_PERCENT, AT(part_b) },
	{ "delta", "DELTA %", " ", 8, 3, .as = AS_PERCENT, .parts = PARTS, AT(delta) },
	{ "delta", "DELTA", " ", 14, .parts = ABSOLUTE, AT(delta) },
	{ "error", "+-", " ", 7, 3, .as = AS_PERCENT, .parts = PARTS, WHEN(sampled), AT(error) },
	{ "error", "+-", " ", 9, 1, .parts = ABSOLUTE, WHEN(sampled), AT(error) },
	{ "change_percent", .as = AS_PERCENT, WHEN(has_change), AT(change) },
	{ .title = "CHANGE %", .before = " ", WIDE(9), .sort = &sort_change },
	{ "state", AT(state) },
	{ "p", .parts = SAMPLED, WHEN(tested), .sort = &sort_p, AT(p) },
	{ "adjusted_p", "P", " ", 8, .parts = SAMPLED, WHEN(tested), .sort = &sort_p,
	  AT(adjusted) },
	{ "significant", .as = AS_DIGIT, AT(significant) },
	{ .title = "    NAME", .sort = &sort_name },
	COLUMNS_END,
};
#undef AT
#undef WHEN

static unsigned int parts_of(const struct compare *c)
{
	return (c->exact ? EXACT : SAMPLED) | (c->parts ? PARTS : ABSOLUTE) |
	       (compare_by_name(c) ? 0 : TREE);
}

void difference_explain(const struct compare *c, const struct difference *d, FILE *out)
{
	fprintf(out, "%s by %s, B against A, %s.\n",
		c->how->totals ? "Values with all that is called" : "Own values",
		compare_by_name(c) ? "function" : "call",
		c->parts ? "as parts of all (-absolute: as they are)" :
			   "as they are (-ratio: as parts of all)");
	if (c->exact) {
		fprintf(out, "Each was counted: %u of %u lines differ.\n", d->significant,
			d->count);
		return;
	}
	fprintf(out,
		"%u of %u lines changed (+, -) by more than chance: exact tests of both sides of the %u\n"
		"that have enough samples, by Holm's correction, which is right for lines that depend\n"
		"on each other; of all lines together one is wrong in %g %% of comparisons at most.\n",
		d->significant, d->count, d->tested, 100 * COMPARE_LEVEL);
}

static bool clipped(const struct compare *c, const struct difference_line *l)
{
	double least = c->options->clip;

	return l->part_a < least && l->part_b < least && !l->significant;
}

static void write_lines(const struct compare *c, const struct difference *d, struct table *t,
			uint64_t most, uint64_t *left_out)
{
	uint32_t i;

	*left_out = 0;
	table_begin(t, columns, "lines");
	for (i = 0; i < d->count; i++) {
		if (clipped(c, &d->list[i]) || (most && i >= most && !d->list[i].significant))
			++*left_out;
		else
			table_row(t, &d->list[i]);
	}
	table_end(t);
}

static void difference_text(const struct compare *c, struct difference *d, FILE *out)
{
	struct table t = table_text(&(const struct job){ .options = c->options }, out);
	uint64_t left_out;

	t.part = parts_of(c);
	show_inputs(c, out);
	difference_explain(c, d, out);
	putc('\n', out);
	write_lines(c, d, &t, compare_by_name(c) ? c->how->rows : 0, &left_out);
	if (left_out)
		fprintf(out, "... and %" PRIu64 " more lines without a change that is sure\n",
			left_out);
}

static void difference_json(const struct compare *c, const struct difference *d, FILE *out)
{
	const struct job job = { .options = c->options };
	struct table t;
	struct json j;
	uint64_t left_out;

	json_document(&j, out, true);
	json_inputs(c, &j);
	json_string(&j, "values", c->how->totals ? "total" : "self");
	json_string(&j, "scale", c->parts ? "ratio" : "absolute");
	json_bool(&j, "exact", c->exact);
	json_fixed(&j, "level", COMPARE_LEVEL, 4);
	json_uint(&j, "tested", d->tested);
	json_uint(&j, "significant", d->significant);
	t = table_json(&job, &j);
	t.part = parts_of(c);
	write_lines(c, d, &t, 0, &left_out);
	json_end(&j, '}');
}

int show_difference(const struct compare *c, FILE *out)
{
	const struct job job = { .options = c->options };
	bool text = !c->options->json && !c->options->csv;
	struct table t = table_csv(&job, out);
	struct difference d;
	uint64_t left_out;
	int rc = difference_of(&d, c);

	if (!rc && !compare_by_name(c))
		rc = difference_as_tree(&d, c, text ? c->how->rows : 0);
	t.part = parts_of(c);
	if (!rc && c->options->json)
		difference_json(c, &d, out);
	else if (!rc && c->options->csv)
		write_lines(c, &d, &t, 0, &left_out);
	else if (!rc)
		difference_text(c, &d, out);
	difference_free(&d);
	return rc;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compare/show_budget.h"

#include <json.h>

#include "escape.h"
#include "report/table.h"

struct budget_row {
	const struct budget_line *of;
	const char *metric;
	double over; /* percent of the allowed value */
	bool has_over;
	const char *state;
};

static void pattern_text(const struct cell *x)
{
	const struct budget_row *r = x->value;

	escape_print(x->out, r->of->pattern);
	if (!r->of->matched)
		fputs(r->of->broken ? "  (no function has this name)" : "  (none)", x->out);
}

static void metric_text(const struct cell *x)
{
	const struct budget_row *r = x->value;

	if (r->of->event) {
		escape_print(x->out, r->of->event);
		putc(':', x->out);
	}
	fputs(r->metric, x->out);
}

static const struct column_sort sort_pattern = { .text = pattern_text };
static const struct column_sort sort_metric = { .text = metric_text };

#define AT(member) COLUMN_AT(struct budget_row, member)
#define OF(member) COLUMN_OF(struct budget_line, member)
static const struct column columns[] = {
	{ "line", "LINE", NULL, 6, OF(line) },
	{ "pattern", OF(pattern) },
	{ "event", OF(event) },
	{ "metric", AT(metric) },
	{ "value", "VALUE", " ", 16, 0, OF(value) },
	{ "allowed", "ALLOWED", " ", 16, 0, OF(allowed) },
	{ "over_percent", "OVER %", " ", 9, 2, .as = AS_PERCENT,
	  COLUMN_WHEN(struct budget_row, has_over), AT(over) },
	{ "matched", OF(matched) },
	{ "broken", OF(broken) },
	{ .title = "STATE", .before = "  ", .width = -6, AT(state) },
	{ .title = "PATTERN", .before = "  ", .sort = &sort_pattern },
	{ .title = "  METRIC", .before = "  ", .sort = &sort_metric },
	COLUMNS_END,
};
#undef AT
#undef OF

static uint32_t count_broken(const struct budget *b)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < b->count; i++)
		n += b->list[i].broken;
	return n;
}

static void write_rows(const struct budget *b, struct table *t, bool all)
{
	table_begin(t, columns, "budgets");
	for (uint32_t i = 0; i < b->count; i++) {
		const struct budget_line *l = &b->list[i];
		struct budget_row row = {
			.of = l,
			.metric = l->total ? "total" : "self",
			.state = l->broken ? "BROKEN" : "kept",
			.has_over = l->allowed > 0,
		};

		if (row.has_over)
			row.over = 100 * (l->value / l->allowed - 1);
		if (all || l->broken)
			table_row(t, &row);
	}
	table_end(t);
}

static void budget_json(const struct compare *c, const struct budget *b, FILE *out)
{
	const struct job job = { .options = c->options };
	struct table t;
	struct json j;

	json_document(&j, out, true);
	json_inputs(c, &j);
	json_string(&j, "budget", c->how->budget);
	json_string(&j, "scale", c->parts ? "ratio" : "absolute");
	json_bool(&j, "exact", c->exact);
	json_uint(&j, "broken", count_broken(b));
	t = table_json(&job, &j);
	write_rows(b, &t, true);
	json_end(&j, '}');
}

int show_budget(const struct compare *c, const struct budget *b, FILE *out)
{
	const struct job job = { .options = c->options };
	struct table text = table_text(&job, out), csv = table_csv(&job, out);
	uint32_t broken = count_broken(b);

	if (c->options->json) {
		budget_json(c, b, out);
	} else if (c->options->csv) {
		write_rows(b, &csv, true);
	} else {
		if (broken || c->options->verbose)
			write_rows(b, &text, c->options->verbose);
		escape_print(out, c->how->budget);
		fprintf(out, ": %u of %u budgets are broken\n", broken, b->count);
	}
	return 0;
}

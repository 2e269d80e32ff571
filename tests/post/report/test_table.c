/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of reports: one declaration of columns makes text, JSON and CSV. */
#include <stdlib.h>
#include <string.h>
#include "report/table.h"
#include "unit.h"

struct modelled {
	uint64_t part, whole;
	const char *name;
};

struct line {
	const struct modelled *of;
	uint64_t ns, address;
	int16_t level;
	bool has_level, right;
	double seconds;
};

static void pair_text(const struct cell *x)
{
	const struct modelled *m = x->value;

	fprintf(x->out, "%*d/%d", x->column->width, (int)m->part, (int)m->whole);
}

static void pair_json(const struct cell *x)
{
	if (x->value)
		json_uint(x->json, x->column->name, ((const struct modelled *)x->value)->whole);
}

static void pair_names(const struct cell *x)
{
	fprintf(x->out, "%s_1,%s_2", x->column->name, x->column->name);
}

static void pair_csv(const struct cell *x)
{
	const struct modelled *m = x->value;

	if (m)
		fprintf(x->out, "%d,%d", (int)m->part, (int)m->whole);
	else
		fputs(",", x->out);
}

static const struct column_sort sort_pair = { pair_text, pair_json, pair_names, pair_csv };

static const struct options options = { .per_cpu = true };
static const struct job job = { .options = &options };

#define AT(member) COLUMN_AT(struct line, member)
#define OF(member) COLUMN_OF(struct modelled, member)
#define WHEN       COLUMN_WHEN(struct line, has_level)
static const struct column columns[] = {
	{ "name", "NAME", "  ", .text_turn = 1, OF(name) },
	{ "took_ns", "TOOK ms", MS(9), .csv_turn = 1, AT(ns) },
	{ .title = "us", US(9), AT(ns) },
	{ .title = "%%%", PERCENT(7, 1), COLUMN_SHARE(struct modelled, part, whole) },
	{ "address", .as = AS_HEX, AT(address) },
	{ "level", "LEVEL", WIDE(6), WHEN, AT(level) },
	{ "nulled", .forms = IN_JSON, .null = true, WHEN, AT(level) },
	{ "right", COLUMN_OPTION(per_cpu), AT(right) },
	{ "digit", .forms = IN_CSV, .as = AS_DIGIT, AT(right) },
	{ "seconds", .digits = 3, AT(seconds) },
	{ "percent", PERCENT(0, 1), AT(seconds) },
	{ "never", "NEVER", COLUMN_OPTION(offsets), AT(ns) },
	{ "second", "SECOND", " ", .parts = 2, OF(whole) },
	{ "pair", "PAIR", WIDE(5), .of = true, .sort = &sort_pair },
	{ "pair_when", WHEN, .of = true, .sort = &sort_pair },
	COLUMNS_END,
};
#undef AT
#undef OF

static const struct modelled one = { 1, 8, "a,b\x1b" }, two = { 3, 0, "=c" };
static const struct line lines[] = {
	{ &one, 1234567, 0x1f, -3, true, true, 2.5 },
	{ &two, 5, 0, 7, false, false, 0.125 },
};

static void rows(struct table *t, unsigned int part)
{
	t->part = part;
	table_begin(t, columns, "lines");
	table_row(t, &lines[0]);
	table_row(t, &lines[1]);
	table_end(t);
}

static void expect(const char *what, char *have, const char *want)
{
	CU_ASSERT_STRING_EQUAL(have, want);
	if (strcmp(have, want) != 0)
		printf("# %s: have\n%s# want\n%s", what, have, want);
	free(have);
}

static void as_text(void)
{
	char *have;
	size_t size;
	FILE *out = open_memstream(&have, &size);
	struct table t = table_text(&job, out);

	rows(&t, 1);
	fclose(out);
	expect("text", have,
	       "  TOOK ms       us    %%% LEVEL PAIR  NAME\n"
	       "    1.234 1234.567   12.5    -3    1/8  a,b\\x1b\n"
	       "    0.000    0.005    0.0     -    3/0  =c\n");
}

static void as_json(void)
{
	char *have;
	size_t size;
	FILE *out = open_memstream(&have, &size);
	struct json j;
	struct table t = table_json(&job, &j);

	json_begin(&j, out, false);
	json_object(&j, NULL);
	rows(&t, 1);
	json_end(&j, '}');
	fclose(out);
	expect("JSON", have,
	       "{\"lines\":[{\"name\":\"a,b\\u001b\",\"took_ns\":1234567,\"address\":\"0x1f\","
	       "\"level\":-3,\"nulled\":-3,\"right\":true,\"seconds\":2.500,\"percent\":2.5000,"
	       "\"pair\":8,\"pair_when\":8},"
	       "{\"name\":\"=c\",\"took_ns\":5,\"address\":\"0x0\",\"nulled\":null,"
	       "\"right\":false,\"seconds\":0.125,\"percent\":0.1250,\"pair\":0}]}\n");
}

static void as_csv(void)
{
	char *have;
	size_t size;
	FILE *out = open_memstream(&have, &size);
	struct table t = table_csv(&job, out);

	rows(&t, 1);
	fclose(out);
	expect("CSV", have,
	       "name,address,level,right,digit,seconds,percent,pair_1,pair_2,pair_when_1,"
	       "pair_when_2,took_ns\n"
	       "\"a,b\\x1b\",0x1f,-3,true,1,2.500,2.5000,1,8,1,8,1234567\n"
	       "\"'=c\",0x0,,false,0,0.125,0.1250,3,0,,,5\n");
}

/* A part's own column, in its place. */
static void a_part(void)
{
	char *have;
	size_t size;
	FILE *out = open_memstream(&have, &size);
	struct table t = table_text(&job, out);

	t.part = 2;
	table_begin(&t, columns, NULL);
	table_row(&t, &lines[0]);
	fclose(out);
	expect("part", have,
	       "  TOOK ms       us    %%% LEVEL SECOND PAIR  NAME\n"
	       "    1.234 1234.567   12.5    -3 8    1/8  a,b\\x1b\n");
}

/* One row's members, of an object that the report has begun; whatever table was before. */
static void members(void)
{
	static const struct column few[] = {
		{ "took_ns", "TOOK ms", MS(9), COLUMN_AT(struct line, ns) },
		{},
	};
	static const char begin[] = "{\"took_ns\":1234567,\"lines\":[{",
			  end[] = "}],\"more\":{\"took_ns\":5}}\n";
	char *have;
	size_t size;
	FILE *out = open_memstream(&have, &size);
	struct json j;
	struct table t = table_json(&job, &j);

	json_begin(&j, out, false);
	json_object(&j, NULL);
	table_members(&t, few, &lines[0]);
	rows(&t, 0);
	json_object(&j, "more");
	table_members(&t, few, &lines[1]);
	json_end(&j, '}');
	json_end(&j, '}');
	fclose(out);
	CU_ASSERT(size > sizeof(end) && !strncmp(have, begin, sizeof(begin) - 1));
	CU_ASSERT(size > sizeof(end) && !strcmp(have + size - (sizeof(end) - 1), end));
	free(have);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "text", as_text }, { "json", as_json },    { "csv", as_csv },
		{ "part", a_part },  { "members", members }, { NULL, NULL },
	};

	return unit_run("table", tests);
}

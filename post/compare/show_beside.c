/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints inputs side by side, or their combination, as text, JSON, CSV, folded stacks. */
#include <inttypes.h>
#include <json.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare.h"
#include "escape.h"
#include "report/report.h"

#define INDENTED 60 /* maximum indentation of nested calls */

static char letter_of(uint32_t input)
{
	return (char)('A' + input % 26);
}

void show_inputs(const struct compare *c, FILE *out)
{
	for (uint32_t i = 0; i < c->all.inputs; i++) {
		const struct compared *in = &c->all.input[i];

		fprintf(out, "%c  ", letter_of(i));
		escape_print(out, in->name);
		fprintf(out, ": %" PRId64 " ", in->total);
		escape_print(out, in->unit);
		if (in->idle)
			fprintf(out, " (%" PRIu64 " of idle CPUs are left out)", in->idle);
		fputs(in->damaged ? "; DAMAGED, or records lost\n" : "\n", out);
	}
}

void json_inputs(const struct compare *c, struct json *j)
{
	static const char *const keys[] = { "name", "path", "process", "thread" };

	json_string(j, "generator", "pitrace " PITRACE_VERSION);
	json_string(j, "by", keys[c->how->key]);
	json_array(j, "inputs");
	for (uint32_t i = 0; i < c->all.inputs; i++) {
		const struct compared *in = &c->all.input[i];

		json_object(j, NULL);
		json_string(j, "file", in->name);
		json_string(j, "unit", in->unit);
		json_int(j, "total", in->total);
		json_uint(j, "idle", in->idle);
		json_bool(j, "exact", in->exact);
		json_bool(j, "clean", !in->damaged);
		json_end(j, '}');
	}
	json_end(j, ']');
}

/* ---- choice and order of lines --------------------------------------------------------------- */

static double greatest_of(const struct compare *c, uint32_t line)
{
	const int64_t *value = compare_values(c, line);
	double most = 0;

	for (uint32_t i = 0; i < c->all.inputs; i++) {
		double one = value[i] < 0 ? -(double)value[i] : (double)value[i];

		most = one > most ? one : most;
	}
	return most;
}

static bool has_value(const struct compare *c, uint32_t line)
{
	const int64_t *total = compare_total(c, line);

	for (uint32_t i = 0; i < c->all.inputs; i++) {
		double all = (double)c->all.input[i].total;
		double part = all ? 100 * (double)total[i] / all : 100;

		if (total[i] && (part < 0 ? -part : part) >= c->options->clip)
			return true;
	}
	return false;
}

static int by_value(const void *pa, const void *pb, void *arg)
{
	const struct compare *c = arg;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	double value_a = greatest_of(c, a), value_b = greatest_of(c, b);

	if (value_a != value_b)
		return value_a > value_b ? -1 : 1;
	return strcmp(compare_name(c, a), compare_name(c, b));
}

/* Returns *count lines, which the caller frees; NULL: no memory. */
static uint32_t *choose(const struct compare *c, uint32_t *count)
{
	uint32_t *line = malloc(((size_t)compare_lines(c) + 1) * sizeof(*line)), i, n = 0;

	*count = 0;
	if (!line)
		return NULL;
	if (compare_by_name(c)) {
		for (i = 0; i < c->all.names; i++) {
			if (has_value(c, i))
				line[n++] = i;
		}
		qsort_r(line, n, sizeof(*line), by_value, (void *)c);
	} else {
		for (i = comparison_next(&c->all, NO_KEY); i != NO_KEY;
		     i = comparison_next(&c->all, i)) {
			if (has_value(c, i))
				line[n++] = i;
		}
	}
	*count = n;
	return line;
}

static uint32_t depth_of(const struct compare *c, uint32_t line)
{
	return compare_by_name(c) ? 0 : c->all.call[line].depth;
}

/* ---- output formats -------------------------------------------------------------------------- */

static void beside_text(const struct compare *c, const uint32_t *line, uint32_t n, FILE *out)
{
	uint64_t most = c->how->rows && c->how->rows < n ? c->how->rows : n;
	uint32_t i, k, depth;
	char title[16];

	show_inputs(c, out);
	putc('\n', out);
	for (k = 0; k < c->all.inputs; k++) {
		snprintf(title, sizeof(title), "%c SELF", letter_of(k));
		fprintf(out, "%14s ", title);
		snprintf(title, sizeof(title), "%c TOTAL", letter_of(k));
		fprintf(out, "%14s ", title);
	}
	fputs(" NAME\n", out);
	for (i = 0; i < most; i++) {
		const int64_t *self = compare_self(c, line[i]), *total = compare_total(c, line[i]);

		for (k = 0; k < c->all.inputs; k++)
			fprintf(out, "%14" PRId64 " %14" PRId64 " ", self[k], total[k]);
		depth = depth_of(c, line[i]);
		fprintf(out, " %*s", (int)(depth < INDENTED ? depth : INDENTED), "");
		if (depth > INDENTED)
			fprintf(out, "[%u] ", depth);
		escape_print(out, compare_name(c, line[i]));
		putc('\n', out);
	}
	if (most < n)
		fprintf(out, "... and %" PRIu64 " more lines (-n 0 shows all)\n", n - most);
}

static void json_values(struct json *j, const char *key, const int64_t *value, uint32_t n)
{
	json_array(j, key);
	for (uint32_t k = 0; k < n; k++)
		json_int(j, NULL, value[k]);
	json_end(j, ']');
}

static void beside_json(const struct compare *c, const uint32_t *line, uint32_t n, FILE *out)
{
	struct json j;

	json_document(&j, out, true);
	json_inputs(c, &j);
	json_array(&j, "lines");
	for (uint32_t i = 0; i < n; i++) {
		json_object(&j, NULL);
		if (!compare_by_name(c)) {
			const struct merged_call *call = &c->all.call[line[i]];

			json_uint(&j, "id", line[i]);
			if (call->parent != NO_KEY)
				json_uint(&j, "parent", call->parent);
			json_uint(&j, "depth", call->depth);
		}
		json_string(&j, "name", compare_name(c, line[i]));
		json_values(&j, "self", compare_self(c, line[i]), c->all.inputs);
		json_values(&j, "total", compare_total(c, line[i]), c->all.inputs);
		json_end(&j, '}');
	}
	json_end(&j, ']');
	json_end(&j, '}');
}

static void beside_csv(const struct compare *c, const uint32_t *line, uint32_t n, FILE *out)
{
	uint32_t i, k;

	fputs(compare_by_name(c) ? "name" : "id,parent,depth,name", out);
	for (k = 1; k <= c->all.inputs; k++)
		fprintf(out, ",self_%u,total_%u", k, k);
	putc('\n', out);
	for (i = 0; i < n; i++) {
		const int64_t *self = compare_self(c, line[i]), *total = compare_total(c, line[i]);

		if (!compare_by_name(c)) {
			const struct merged_call *call = &c->all.call[line[i]];

			fprintf(out, call->parent == NO_KEY ? "%u," : "%u,%u", line[i],
				call->parent);
			fprintf(out, ",%u,", call->depth);
		}
		escape_csv(out, compare_name(c, line[i]));
		for (k = 0; k < c->all.inputs; k++)
			fprintf(out, ",%" PRId64 ",%" PRId64, self[k], total[k]);
		putc('\n', out);
	}
}

int show_beside(const struct compare *c, FILE *out)
{
	uint32_t n, *line = choose(c, &n);

	if (!line)
		return -ENOMEM;
	if (c->options->json)
		beside_json(c, line, n, out);
	else if (c->options->csv)
		beside_csv(c, line, n, out);
	else
		beside_text(c, line, n, out);
	free(line);
	return 0;
}

/* ---- folded ---------------------------------------------------------------------------------- */

static void print_path(const struct compare *c, uint32_t call, FILE *out, uint32_t *path)
{
	uint32_t n = 0;

	for (; call != NO_KEY; call = c->all.call[call].parent)
		path[n++] = c->all.call[call].name;
	while (n--) {
		escape_print(out, c->all.name[path[n]]);
		if (n)
			putc(';', out);
	}
}

static bool has_self(const struct compare *c, uint32_t line)
{
	const int64_t *self = compare_self(c, line);

	for (uint32_t k = 0; k < c->all.inputs; k++) {
		if (self[k])
			return true;
	}
	return false;
}

/* Prints own values, one per input: with two inputs this is the output of difffolded.pl. */
int show_folded(const struct compare *c, FILE *out)
{
	uint32_t *path = malloc(((size_t)c->all.calls + 1) * sizeof(*path)), n, i, k;
	uint32_t *line = choose(c, &n);

	if (!path || !line) {
		free(path);
		free(line);
		return -ENOMEM;
	}
	for (i = 0; i < n; i++) {
		if (!has_self(c, line[i]))
			continue;
		if (compare_by_name(c))
			escape_print(out, compare_name(c, line[i]));
		else
			print_path(c, line[i], out, path);
		for (k = 0; k < c->all.inputs; k++)
			fprintf(out, " %" PRId64, compare_self(c, line[i])[k]);
		putc('\n', out);
	}
	free(path);
	free(line);
	return 0;
}

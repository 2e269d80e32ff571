/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes tables: text, JSON and CSV from the same columns. */
#include "report/table.h"

#include <inttypes.h>
#include <string.h>

#include "escape.h"
#include "report/times_report.h"

#define PERCENT_DIGITS 4 /* in JSON and CSV */

static bool is_last(const struct column *c)
{
	return !c->name && !c->title && !c->forms;
}

static bool shown(const struct table *t, const struct column *c)
{
	unsigned int forms = c->forms ?
				     c->forms :
				     (c->name ? IN_JSON | IN_CSV : 0u) | (c->title ? IN_TEXT : 0u);

	if (c->option && !*((const bool *)t->job->options + c->option))
		return false;
	return forms & t->form && (!c->parts || c->parts & t->part);
}

static unsigned int turn_of(const struct table *t, const struct column *c)
{
	return t->form == IN_TEXT ? c->text_turn : t->form == IN_CSV ? c->csv_turn : 0;
}

/* Returns the column to show after this one, or the first; NULL: no more. */
static const struct column *next_shown(const struct table *t, const struct column *c)
{
	unsigned int turn = c ? turn_of(t, c) : 0;

	for (c = c ? c + 1 : t->column;; turn++, c = t->column) {
		bool later = false;

		for (; !is_last(c); c++) {
			if (turn_of(t, c) == turn && shown(t, c))
				return c;
		}
		for (c = t->column; !is_last(c); c++)
			later |= turn_of(t, c) > turn;
		if (!later)
			return NULL;
	}
}

/* ---- values ---------------------------------------------------------------------------------- */

static const void *value_of(const struct column *c, const void *row)
{
	const char *value = (const char *)(c->of ? *(const void *const *)row : row) + c->offset;

	if (c->when && !*((const bool *)row + c->when))
		return NULL;
	return c->type == COLUMN_TEXT && !*(const char *const *)value ? NULL : value;
}

/* The total is in the same struct as the part. */
static double share_of(const struct column *c, const void *value)
{
	const char *model = (const char *)value - c->offset;

	return percent_of(*(const uint64_t *)value, *(const uint64_t *)(model + c->whole));
}

static uint64_t unsigned_of(const struct column *c, const void *value)
{
	switch (c->size) {
	case sizeof(uint8_t):
		return *(const uint8_t *)value;
	case sizeof(uint16_t):
		return *(const uint16_t *)value;
	case sizeof(uint32_t):
		return *(const uint32_t *)value;
	default:
		return *(const uint64_t *)value;
	}
}

static int64_t signed_of(const struct column *c, const void *value)
{
	switch (c->size) {
	case sizeof(int16_t):
		return *(const int16_t *)value;
	case sizeof(int32_t):
		return *(const int32_t *)value;
	default:
		return *(const int64_t *)value;
	}
}

static int exact_digits(const struct column *c)
{
	return c->as == AS_PERCENT ? PERCENT_DIGITS : c->digits;
}

/* ---- text ------------------------------------------------------------------------------------ */

static void text_unsigned(FILE *out, const struct column *c, uint64_t value)
{
	switch (c->as) {
	case AS_MS:
		print_ms(out, c->width, value);
		break;
	case AS_US:
		print_us(out, c->width, value);
		break;
	case AS_HEX:
		fprintf(out, "%#*" PRIx64, c->width, value);
		break;
	default:
		fprintf(out, "%*" PRIu64, c->width, value);
		break;
	}
}

static void text_cell(const struct table *t, const struct column *c, const void *value)
{
	FILE *out = t->out;

	if (!value) {
		fprintf(out, "%*s", c->width, "-");
		return;
	}
	if (c->sort) {
		c->sort->text(&(struct cell){ out, NULL, t->job, c, value });
		return;
	}
	if (c->whole) {
		fprintf(out, "%*.*f", c->width, c->digits, share_of(c, value));
		return;
	}
	switch (c->type) {
	case COLUMN_UNSIGNED:
		text_unsigned(out, c, unsigned_of(c, value));
		break;
	case COLUMN_SIGNED:
		fprintf(out, "%*" PRId64, c->width, signed_of(c, value));
		break;
	case COLUMN_BOOL:
		fprintf(out, "%*s", c->width, *(const bool *)value ? "yes" : "no");
		break;
	case COLUMN_DOUBLE:
		fprintf(out, "%*.*f", c->width, c->digits, *(const double *)value);
		break;
	case COLUMN_TEXT:
		if (c->width)
			fprintf(out, "%*s", c->width, *(const char *const *)value);
		else
			escape_print(out, *(const char *const *)value);
		break;
	case COLUMN_OTHER:
		break;
	}
}

static void text_line(const struct table *t, const void *row)
{
	const struct column *c;

	for (c = next_shown(t, NULL); c; c = next_shown(t, c)) {
		fputs(c->before ? c->before : "", t->out);
		if (row)
			text_cell(t, c, value_of(c, row));
		else
			fprintf(t->out, "%*s", c->width, c->title);
	}
	putc('\n', t->out);
}

/* ---- CSV ------------------------------------------------------------------------------------- */

static void csv_name(const struct table *t, const struct column *c)
{
	if (c->sort && c->sort->names)
		c->sort->names(&(struct cell){ t->out, NULL, t->job, c, NULL });
	else
		fputs(c->name, t->out);
}

static void csv_cell(const struct table *t, const struct column *c, const void *value)
{
	FILE *out = t->out;

	if (c->sort) {
		c->sort->csv(&(struct cell){ out, NULL, t->job, c, value });
		return;
	}
	if (!value)
		return;
	switch (c->type) {
	case COLUMN_UNSIGNED:
		fprintf(out, c->as == AS_HEX ? "0x%" PRIx64 : "%" PRIu64, unsigned_of(c, value));
		break;
	case COLUMN_SIGNED:
		fprintf(out, "%" PRId64, signed_of(c, value));
		break;
	case COLUMN_BOOL:
		if (c->as == AS_DIGIT)
			putc(*(const bool *)value ? '1' : '0', out);
		else
			fputs(*(const bool *)value ? "true" : "false", out);
		break;
	case COLUMN_DOUBLE:
		fprintf(out, "%.*f", exact_digits(c), *(const double *)value);
		break;
	default:
		escape_csv(out, *(const char *const *)value);
		break;
	}
}

static void csv_line(const struct table *t, const void *row)
{
	const struct column *c, *first = next_shown(t, NULL);

	for (c = first; c; c = next_shown(t, c)) {
		if (c != first)
			putc(',', t->out);
		if (row)
			csv_cell(t, c, value_of(c, row));
		else
			csv_name(t, c);
	}
	putc('\n', t->out);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void json_member(const struct table *t, const struct column *c, const void *value)
{
	struct json *j = t->json;

	if (c->sort) {
		c->sort->json(&(struct cell){ NULL, j, t->job, c, value });
		return;
	}
	if (!value) {
		if (c->null)
			json_null(j, c->name);
		return;
	}
	switch (c->type) {
	case COLUMN_UNSIGNED:
		if (c->as == AS_HEX)
			json_hex(j, c->name, unsigned_of(c, value));
		else
			json_uint(j, c->name, unsigned_of(c, value));
		break;
	case COLUMN_SIGNED:
		json_int(j, c->name, signed_of(c, value));
		break;
	case COLUMN_BOOL:
		json_bool(j, c->name, *(const bool *)value);
		break;
	case COLUMN_DOUBLE:
		json_fixed(j, c->name, *(const double *)value, exact_digits(c));
		break;
	default:
		json_string(j, c->name, *(const char *const *)value);
		break;
	}
}

void table_members(struct table *t, const struct column *columns, const void *row)
{
	const struct column *c;

	t->column = columns;
	for (c = next_shown(t, NULL); c; c = next_shown(t, c))
		json_member(t, c, value_of(c, row));
}

/* ---- a table --------------------------------------------------------------------------------- */

void table_begin(struct table *t, const struct column *columns, const char *name)
{
	t->column = columns;
	if (t->form == IN_JSON)
		json_array(t->json, name);
	else if (t->form == IN_CSV)
		csv_line(t, NULL);
	else
		text_line(t, NULL);
}

void table_row(struct table *t, const void *row)
{
	if (t->form == IN_JSON) {
		json_object(t->json, NULL);
		table_members(t, t->column, row);
		json_end(t->json, '}');
	} else if (t->form == IN_CSV) {
		csv_line(t, row);
	} else {
		text_line(t, row);
	}
}

void table_end(struct table *t)
{
	if (t->form == IN_JSON)
		json_end(t->json, ']');
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports by class: of one dump, of the difference of two, of growth over several. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "hdump.h"
#include "json.h"
#include "rows.h"

struct totals {
	uint64_t objects, bytes, unreached, unreached_bytes, classes;
};

static struct totals totals_of(const struct heap *h)
{
	return (struct totals){ h->objects, h->bytes, h->objects - h->reached,
				h->bytes - h->reached_bytes, h->classes.count };
}

static int read_rows(struct hdump *o, const char *path, struct rows *r, struct totals *t)
{
	struct heap h;
	int code = hdump_read(o, &h, path, READ_CLASSES, 0);

	if (!code) {
		*t = totals_of(&h);
		if (rows_of(r, &h))
			code = hdump_failed(&h, path, -ENOMEM);
	}
	heap_close(&h);
	return code;
}

static void json_totals(struct json *j, const char *path, const struct totals *t)
{
	json_string(j, "file", path);
	json_uint(j, "objects", t->objects);
	json_uint(j, "bytes", t->bytes);
	json_uint(j, "unreachable_objects", t->unreached);
	json_uint(j, "unreachable_bytes", t->unreached_bytes);
}

static void text_totals(FILE *out, const char *path, const struct totals *t)
{
	escape_printf(out, "%s: %" PRIu64 " objects, %" PRIu64 " bytes\n", path, t->objects,
		      t->bytes);
	if (t->unreached)
		fprintf(out, "not reachable from a root: %" PRIu64 " objects, %" PRIu64 " bytes\n",
			t->unreached, t->unreached_bytes);
}

static void write_rows(struct hdump *o, struct json *j, const struct rows *r, bool sign)
{
	const char *number = sign ? "%+12" PRId64 " %+15" PRId64 " %+15" PRId64 "  " :
				    "%12" PRId64 " %15" PRId64 " %15" PRId64 "  ";
	uint64_t n = hdump_rows(o, r->count);

	if (o->form == FORM_JSON)
		json_array(j, "classes");
	else if (o->form == FORM_CSV)
		fputs("objects,bytes,retained,class\n", o->out);
	else
		fprintf(o->out, "\n%12s %15s %15s  %s\n", "OBJECTS", "BYTES", "RETAINED", "CLASS");
	for (uint64_t i = 0; i < n; i++) {
		const struct class_row *row = &r->list[i];

		if (o->form == FORM_JSON) {
			json_object(j, NULL);
			json_int(j, "objects", row->objects);
			json_int(j, "bytes", row->bytes);
			json_int(j, "retained", row->retained);
			json_string(j, "class", row->name);
			json_end(j, '}');
		} else if (o->form == FORM_CSV) {
			fprintf(o->out, "%" PRId64 ",%" PRId64 ",%" PRId64 ",", row->objects,
				row->bytes, row->retained);
			escape_csv(o->out, row->name);
			fputs("\n", o->out);
		} else {
			fprintf(o->out, number, row->objects, row->bytes, row->retained);
			escape_print(o->out, row->name);
			fputs("\n", o->out);
		}
	}
	if (o->form == FORM_JSON)
		json_end(j, ']');
	else if (o->form == FORM_WORDS && n < r->count)
		fprintf(o->out, "%" PRIu64 " classes more (-n 0 shows all)\n", r->count - n);
}

int show_classes(struct hdump *o)
{
	struct rows r = { 0 };
	struct totals t;
	struct json j;
	int code = read_rows(o, o->paths[0], &r, &t);

	if (!code)
		code = hdump_begin(o);
	if (!code) {
		rows_sort(&r, false);
		if (o->form == FORM_JSON) {
			json_document(&j, o->out, true);
			json_totals(&j, o->paths[0], &t);
		} else if (o->form == FORM_WORDS) {
			text_totals(o->out, o->paths[0], &t);
		}
		write_rows(o, &j, &r, false);
		if (o->form == FORM_JSON)
			json_end(&j, '}');
	}
	rows_free(&r);
	return code;
}

int show_difference(struct hdump *o)
{
	const bool reverse = o->what == SHOW_REVERSE;
	struct rows r[2] = { { 0 }, { 0 } }, differ = { 0 };
	struct totals t[2];
	struct json j;
	int code = 0;

	for (int i = 0; i < 2 && !code; i++)
		code = read_rows(o, o->paths[i], &r[i], &t[i]);
	if (!code && rows_differ(&differ, &r[reverse], &r[!reverse]))
		code = hdump_failed(NULL, o->paths[1], -ENOMEM);
	if (!code)
		code = hdump_begin(o);
	if (!code) {
		rows_sort(&differ, true);
		if (o->form == FORM_JSON) {
			json_document(&j, o->out, true);
			json_array(&j, "dumps");
			for (int i = 0; i < 2; i++) {
				json_object(&j, NULL);
				json_totals(&j, o->paths[i], &t[i]);
				json_end(&j, '}');
			}
			json_end(&j, ']');
		} else if (o->form == FORM_WORDS) {
			text_totals(o->out, o->paths[0], &t[0]);
			text_totals(o->out, o->paths[1], &t[1]);
			fprintf(o->out, "differences of the %s dump from the %s:\n",
				reverse ? "first" : "second", reverse ? "second" : "first");
		}
		write_rows(o, &j, &differ, true);
		if (o->form == FORM_JSON)
			json_end(&j, '}');
	}
	rows_free(&r[0]);
	rows_free(&r[1]);
	rows_free(&differ);
	return code;
}

/* ---- suspects -------------------------------------------------------------------------------- */

struct suspect {
	const struct class_row *last; /* in the last dump */
	int64_t objects, retained;    /* more than in the first */
	double weight;
};

static int by_weight(const void *one, const void *other)
{
	const struct suspect *a = one, *b = other;

	if (a->weight != b->weight)
		return a->weight < b->weight ? 1 : -1;
	return strcmp(a->last->name, b->last->name);
}

/* Returns whether objects and retained bytes grow from each dump to the next. */
static bool grows(const struct rows *r, int count, const char *name, struct suspect *s)
{
	const struct class_row *row = rows_find(&r[0], name), *next;

	*s = (struct suspect){ .objects = row ? -row->objects : 0,
			       .retained = row ? -row->retained : 0 };
	for (int i = 1; i < count; i++, row = next) {
		next = rows_find(&r[i], name);
		if (!next || next->objects <= (row ? row->objects : 0) ||
		    next->retained <= (row ? row->retained : 0))
			return false;
	}
	s->last = row;
	s->objects += row->objects;
	s->retained += row->retained;
	/* Java's own containers grow with their content and retain it. They count half, so that the
	 * program's classes that are stored in them are listed first. */
	s->weight = (double)s->retained * (row->own ? 2 : 1);
	return true;
}

static void write_suspects(struct hdump *o, const struct rows *r, const struct totals *t,
			   const struct suspect *list, uint32_t count)
{
	uint64_t n = hdump_rows(o, count);
	const struct class_row *row;
	struct json j;

	if (o->form == FORM_JSON) {
		json_document(&j, o->out, true);
		json_array(&j, "dumps");
		for (int i = 0; i < o->count; i++) {
			json_object(&j, NULL);
			json_totals(&j, o->paths[i], &t[i]);
			json_end(&j, '}');
		}
		json_end(&j, ']');
		json_array(&j, "suspects");
	} else if (o->form == FORM_CSV) {
		fputs("growth,retained,objects,class\n", o->out);
	} else {
		for (int i = 0; i < o->count; i++)
			text_totals(o->out, o->paths[i], &t[i]);
		fprintf(o->out, "\n%15s %15s %12s  %s\n", "GROWTH", "RETAINED", "OBJECTS", "CLASS");
	}
	for (uint64_t i = 0; i < n; i++) {
		row = list[i].last;
		if (o->form == FORM_JSON) {
			json_object(&j, NULL);
			json_int(&j, "growth", list[i].retained);
			json_int(&j, "retained", row->retained);
			json_array(&j, "objects");
			for (int k = 0; k < o->count; k++) {
				const struct class_row *of = rows_find(&r[k], row->name);

				json_int(&j, NULL, of ? of->objects : 0);
			}
			json_end(&j, ']');
			json_string(&j, "class", row->name);
			json_end(&j, '}');
		} else if (o->form == FORM_CSV) {
			fprintf(o->out, "%" PRId64 ",%" PRId64 ",%" PRId64 ",", list[i].retained,
				row->retained, row->objects);
			escape_csv(o->out, row->name);
			fputs("\n", o->out);
		} else {
			fprintf(o->out, "%+15" PRId64 " %15" PRId64 " %+12" PRId64 "  ",
				list[i].retained, row->retained, list[i].objects);
			escape_print(o->out, row->name);
			fputs("\n", o->out);
		}
	}
	if (o->form == FORM_JSON) {
		json_end(&j, ']');
		json_end(&j, '}');
	} else if (o->form == FORM_WORDS && !count) {
		fputs("no class grows from each dump to the next\n", o->out);
	} else if (o->form == FORM_WORDS && n < count) {
		fprintf(o->out, "%" PRIu64 " classes more (-n 0 shows all)\n", count - n);
	}
}

int show_suspects(struct hdump *o)
{
	struct rows *r = calloc((size_t)o->count, sizeof(*r)), *last;
	struct totals *t = calloc((size_t)o->count, sizeof(*t));
	struct suspect *list = NULL;
	uint32_t n = 0;
	int code = r && t ? 0 : hdump_failed(NULL, o->paths[0], -ENOMEM);

	for (int i = 0; i < o->count && !code; i++)
		code = read_rows(o, o->paths[i], &r[i], &t[i]);
	if (!code) {
		last = &r[o->count - 1];
		list = calloc((size_t)last->count + 1, sizeof(*list));
		for (uint32_t i = 0; list && i < last->count; i++)
			n += grows(r, o->count, last->list[i].name, &list[n]);
		if (list) {
			qsort(list, n, sizeof(*list), by_weight);
			code = hdump_begin(o);
			if (!code)
				write_suspects(o, r, t, list, n);
		} else {
			code = hdump_failed(NULL, o->paths[0], -ENOMEM);
		}
	}
	for (int i = 0; r && i < o->count; i++)
		rows_free(&r[i]);
	free(r);
	free(t);
	free(list);
	return code;
}

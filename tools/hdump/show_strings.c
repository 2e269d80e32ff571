/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports texts that several strings have. Keeps a hash of each array that is a string's value, and
 * the text itself only of those that are shown: these are compared byte by byte.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "escape.h"
#include "hdump.h"
#include "json.h"

#define TEXT_KEPT  65536 /* the most bytes that are compared */
#define TEXT_SHOWN 80    /* characters */

struct string_text {
	uint64_t hash;
	uint32_t units; /* size of its array */
};

/* Arrays with the same text. */
struct group {
	uint64_t hash, count, bytes, wasted;
	uint8_t *text;
	uint32_t length; /* of the whole text in bytes */
	uint8_t type;    /* of the array */
	bool wide;       /* two bytes per character */
	uint64_t others; /* arrays with another text and the same hash */
};

struct string_texts {
	struct heap h;          /* the first member: passes point to it */
	uint64_t *value, *wide; /* bits by object: a string's value; one of two-byte characters */
	uint32_t at, coder;     /* offsets of the fields "value" and "coder" in a string */
	struct string_text *list;
	uint64_t count, room;
	struct group *groups;
	uint64_t group_count, group_room;
	uint64_t bytes, wasted;
	uint64_t hash; /* of the array being read */
	uint8_t *kept; /* its first bytes, if needed: its hash is known only at its end */
	int (*done)(struct string_texts *t, const struct hprof_object *o, uint64_t length);
};

static struct string_texts *texts_of(struct hprof *p)
{
	return (struct string_texts *)heap_of(p);
}

static bool bit(const uint64_t *bits, uint32_t i)
{
	return bits[i / 64] >> i % 64 & 1;
}

/* ---- values of strings ----------------------------------------------------------------------- */

/* Finds the offsets of two fields in the bytes of a string. */
static bool find_fields(struct string_texts *t)
{
	const struct classes *c = &t->h.classes;
	const struct heap_class *k;
	uint32_t at = 0, n;
	const char *name;

	t->at = t->coder = NO_OBJECT;
	if (c->of_string == NO_CLASS || !c->list[c->of_string].resolved)
		return false;
	k = &c->list[c->of_string];
	for (uint32_t i = 0; i < k->field_count; i++) {
		name = classes_text(c, k->fields[i].name, &n);
		if (n == 5 && !memcmp(name, "value", 5) && k->fields[i].type == HPROF_REF)
			t->at = at;
		if (n == 5 && !memcmp(name, "coder", 5) && k->fields[i].type == HPROF_BYTE)
			t->coder = at;
		at += hprof_size(&t->h.h, k->fields[i].type);
	}
	return t->at != NO_OBJECT;
}

static int value_object(struct hprof *p, const struct hprof_object *o)
{
	struct string_texts *t = texts_of(p);

	p->wants = !o->type && heap_class_in(&t->h, o) == t->h.classes.of_string &&
		   o->count == t->h.classes.list[t->h.classes.of_string].bytes;
	return 0;
}

static int value_content(struct hprof *p, const struct hprof_object *o, uint64_t from,
			 const uint8_t *data, size_t n)
{
	struct string_texts *t = texts_of(p);
	uint32_t i;

	(void)o;
	if (from || t->at + p->id_size > n)
		return 0;
	i = ids_find(&t->h.ids, hprof_id(p, data + t->at));
	if (i == NO_OBJECT)
		return 0;
	t->value[i / 64] |= 1ull << i % 64;
	if (t->coder < n && data[t->coder] == 1)
		t->wide[i / 64] |= 1ull << i % 64;
	return 0;
}

static const struct hprof_sink value_sink = { .object = value_object, .content = value_content };

/* ---- their texts ----------------------------------------------------------------------------- */

static bool is_value(struct string_texts *t, const struct hprof_object *o, uint32_t *object)
{
	if (o->type != HPROF_BYTE && o->type != HPROF_CHAR)
		return false;
	*object = ids_find(&t->h.ids, o->id);
	return *object != NO_OBJECT && bit(t->value, *object);
}

/* FNV-1a: the data may be split anywhere. */
static uint64_t hash_on(uint64_t hash, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		hash = (hash ^ p[i]) * 0x100000001b3ull;
	return hash;
}

static uint64_t hash_begin(const struct string_texts *t, const struct hprof_object *o,
			   uint32_t object)
{
	const uint8_t kind[2] = { o->type, bit(t->wide, object) };

	return hash_on(0xcbf29ce484222325ull, kind, sizeof(kind));
}

static int hash_done(struct string_texts *t, const struct hprof_object *o, uint64_t length)
{
	uint64_t units = heap_size_of(&t->h, o, NO_CLASS) / UNIT;

	(void)length;
	if (array_next(t->list, t->count, t->room))
		return -ENOMEM;
	t->list[t->count++] = (struct string_text){ hash_mix(t->hash, o->count),
						    units > UINT32_MAX ? UINT32_MAX :
									 (uint32_t)units };
	return 0;
}

static int text_object(struct hprof *p, const struct hprof_object *o)
{
	struct string_texts *t = texts_of(p);
	uint32_t object;

	if (!is_value(t, o, &object))
		return 0;
	t->hash = hash_begin(t, o, object);
	if (!o->count)
		return t->done(t, o, 0);
	p->wants = true;
	return 0;
}

static int text_content(struct hprof *p, const struct hprof_object *o, uint64_t from,
			const uint8_t *data, size_t n)
{
	struct string_texts *t = texts_of(p);
	uint64_t all = (uint64_t)o->count * hprof_size(p, o->type);
	size_t room = t->kept && from < TEXT_KEPT ? TEXT_KEPT - (size_t)from : 0;

	t->hash = hash_on(t->hash, data, n);
	if (room)
		memcpy(t->kept + from, data, room < n ? room : n);
	return from + n == all ? t->done(t, o, all) : 0;
}

static const struct hprof_sink text_sink = { .object = text_object, .content = text_content };

static int by_hash(const void *one, const void *other)
{
	const struct string_text *a = one, *b = other;

	return a->hash < b->hash ? -1 : a->hash > b->hash;
}

static int by_waste(const void *one, const void *other)
{
	const struct group *a = one, *b = other;

	if (a->wasted != b->wasted)
		return a->wasted < b->wasted ? 1 : -1;
	return a->hash < b->hash ? -1 : a->hash > b->hash;
}

static int by_group(const void *one, const void *other)
{
	const struct group *a = one, *b = other;

	return a->hash < b->hash ? -1 : a->hash > b->hash;
}

static int group(struct string_texts *t, uint64_t most)
{
	uint64_t end;

	if (t->count)
		qsort(t->list, t->count, sizeof(*t->list), by_hash);
	for (uint64_t i = 0; i < t->count; i = end) {
		struct group g = { .hash = t->list[i].hash };

		for (end = i; end < t->count && t->list[end].hash == g.hash; end++)
			g.bytes += (uint64_t)t->list[end].units * UNIT;
		g.count = end - i;
		g.wasted = g.bytes - (uint64_t)t->list[i].units * UNIT;
		t->bytes += g.bytes;
		t->wasted += g.wasted;
		if (g.count < 2)
			continue;
		if (array_next(t->groups, t->group_count, t->group_room))
			return -ENOMEM;
		t->groups[t->group_count++] = g;
	}
	if (!t->group_count)
		return 0;
	qsort(t->groups, t->group_count, sizeof(*t->groups), by_waste);
	if (t->group_count > most)
		t->group_count = most;
	qsort(t->groups, t->group_count, sizeof(*t->groups), by_group);
	return 0;
}

/* ---- the shown texts ------------------------------------------------------------------------- */

static int text_done(struct string_texts *t, const struct hprof_object *o, uint64_t length)
{
	const struct group key = { .hash = hash_mix(t->hash, o->count) };
	struct group *g = t->group_count ?
				  bsearch(&key, t->groups, t->group_count, sizeof(key), by_group) :
				  NULL;
	size_t kept = length < TEXT_KEPT ? (size_t)length : TEXT_KEPT;

	if (!g)
		return 0;
	if (!g->text) {
		g->text = malloc(kept + 1);
		if (!g->text)
			return -ENOMEM;
		if (kept)
			memcpy(g->text, t->kept, kept);
		g->length = (uint32_t)length;
		g->type = o->type;
		g->wide = bit(t->wide, ids_find(&t->h.ids, o->id)) || o->type == HPROF_CHAR;
	} else if (g->length != (uint32_t)length || memcmp(g->text, t->kept, kept)) {
		g->others++;
	}
	return 0;
}

/* Converts Latin-1 or UTF-16 to UTF-8. UTF-16 in a byte[] has the VM's byte order, in a char[] the
 * file's. */
static char *utf8_of(const struct group *g)
{
	size_t n = g->length < TEXT_KEPT ? g->length : TEXT_KEPT, at = 0, step = g->wide ? 2 : 1;
	char *text = malloc(TEXT_SHOWN * 4 + 4), *to = text;
	uint32_t c, low;

	for (int shown = 0; text && at + step <= n && shown < TEXT_SHOWN; shown++, at += step) {
		const uint8_t *p = g->text + at;
		const bool big = g->type == HPROF_CHAR;

		c = !g->wide ? p[0] : big ? p[0] << 8 | p[1] : p[1] << 8 | p[0];
		low = g->wide && at + 4 <= n ? (big ? p[2] << 8 | p[3] : p[3] << 8 | p[2]) : 0;
		if (c >= 0xd800 && c < 0xdc00 && low >= 0xdc00 && low < 0xe000) {
			c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
			at += 2;
		}
		if (!c)
			c = 0xfffd; /* a NUL would end the text */
		if (c < 0x80) {
			*to++ = (char)c;
		} else if (c < 0x800) {
			*to++ = (char)(0xc0 | c >> 6);
			*to++ = (char)(0x80 | (c & 63));
		} else if (c < 0x10000) {
			*to++ = (char)(0xe0 | c >> 12);
			*to++ = (char)(0x80 | (c >> 6 & 63));
			*to++ = (char)(0x80 | (c & 63));
		} else {
			*to++ = (char)(0xf0 | c >> 18);
			*to++ = (char)(0x80 | (c >> 12 & 63));
			*to++ = (char)(0x80 | (c >> 6 & 63));
			*to++ = (char)(0x80 | (c & 63));
		}
	}
	if (text)
		strcpy(to, at + step <= n || n < g->length ? "..." : "");
	return text;
}

static int write_texts(struct hdump *o, const struct string_texts *t)
{
	struct json j;

	if (o->form == FORM_JSON) {
		json_document(&j, o->out, true);
		json_string(&j, "file", o->paths[0]);
		json_uint(&j, "texts", t->count);
		json_uint(&j, "bytes", t->bytes);
		json_uint(&j, "wasted", t->wasted);
		json_array(&j, "duplicates");
	} else if (o->form == FORM_CSV) {
		fputs("wasted,bytes,objects,text\n", o->out);
	} else {
		escape_printf(o->out,
			      "%s: %" PRIu64 " arrays of strings, %" PRIu64
			      " bytes; of these for duplicate texts: %" PRIu64 "\n",
			      o->paths[0], t->count, t->bytes, t->wasted);
		fprintf(o->out, "\n%12s %12s %10s  %s\n", "WASTED", "BYTES", "OBJECTS", "TEXT");
	}
	for (uint64_t i = 0; i < t->group_count; i++) {
		const struct group *g = &t->groups[i];
		uint64_t count = g->count - (g->others < g->count ? g->others : 0);
		char *text = g->text ? utf8_of(g) : strdup("");

		if (!text)
			return -ENOMEM;
		if (o->form == FORM_JSON) {
			json_object(&j, NULL);
			json_uint(&j, "wasted", g->wasted);
			json_uint(&j, "bytes", g->bytes);
			json_uint(&j, "objects", count);
			json_string(&j, "text", text);
			json_end(&j, '}');
		} else {
			fprintf(o->out,
				o->form == FORM_CSV ? "%" PRIu64 ",%" PRIu64 ",%" PRIu64 "," :
						      "%12" PRIu64 " %12" PRIu64 " %10" PRIu64 "  ",
				g->wasted, g->bytes, count);
			if (o->form == FORM_CSV)
				escape_csv(o->out, text);
			else
				escape_print(o->out, text);
			fputs("\n", o->out);
		}
		free(text);
	}
	if (o->form == FORM_JSON) {
		json_end(&j, ']');
		json_end(&j, '}');
	}
	return 0;
}

static int read_texts(struct string_texts *t,
		      int (*done)(struct string_texts *t, const struct hprof_object *o,
				  uint64_t length))
{
	t->done = done;
	return heap_pass(&t->h, &text_sink);
}

static int find_texts(struct string_texts *t, const struct hdump *o)
{
	uint64_t most = o->rows == HDUMP_ROWS ? 30 : o->rows ? o->rows : UINT64_MAX;
	size_t n = (size_t)t->h.ids.objects / 64 + 1;
	int rc = 0;

	t->value = calloc(n, sizeof(*t->value));
	t->wide = calloc(n, sizeof(*t->wide));
	if (!t->value || !t->wide)
		return -ENOMEM;
	/* The layout of fields is known after the second pass. */
	if (find_fields(t))
		rc = heap_pass(&t->h, &value_sink);
	if (!rc || rc == -EINVAL)
		rc = read_texts(t, hash_done);
	if (!rc || rc == -EINVAL)
		rc = group(t, most);
	t->kept = malloc(TEXT_KEPT);
	if (!rc)
		rc = t->kept ? read_texts(t, text_done) : -ENOMEM;
	if (t->group_count)
		qsort(t->groups, t->group_count, sizeof(*t->groups), by_waste);
	return rc == -EINVAL ? 0 : rc;
}

int show_strings(struct hdump *o)
{
	struct string_texts t = { 0 };
	int code = hdump_read(o, &t.h, o->paths[0], READ_GRAPH, 3), rc;

	if (!code) {
		rc = find_texts(&t, o);
		if (!o->damaged)
			hdump_report(o, &t.h, o->paths[0]);
		if (!rc)
			code = hdump_begin(o);
		if (!rc && !code)
			rc = write_texts(o, &t);
		if (rc)
			code = hdump_failed(NULL, o->paths[0], rc);
	}
	for (uint64_t i = 0; i < t.group_count; i++)
		free(t.groups[i].text);
	free(t.groups);
	free(t.list);
	free(t.value);
	free(t.wide);
	free(t.kept);
	heap_close(&t.h);
	return code;
}

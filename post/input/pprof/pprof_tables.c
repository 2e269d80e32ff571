/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the tables of a decompressed pprof profile, by number, and lays out its modules anew. */
#include "input/pprof/pprof_state.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "base/memstream.h"
#include "input/window.h"
#include "base/array.h"
#include "base/unpacked.h"

#define WINDOW       (1u << 20)
#define MESSAGE_MOST UINT32_MAX

void pprof_fault(struct pprof *p, uint64_t at, const char *format, ...)
{
	char what[sizeof(p->faults.list->what)];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	if (p->packed)
		faults_report(&p->faults, NO_OFFSET, "at byte %" PRIu64 " of the unpacked data: %s",
			      at, what);
	else
		faults_report(&p->faults, at, "%s", what);
}

/* ---- the file -------------------------------------------------------------------------------- */

#define GZIP_WINDOW 31

/* Unpacks as much as there is room for. */
static size_t unpack_head(const void *head, size_t size, void *room, size_t most)
{
	z_stream z = { .next_in = (void *)head, .avail_in = (unsigned int)size };

	if (inflateInit2(&z, GZIP_WINDOW) != Z_OK)
		return 0;
	z.next_out = room;
	z.avail_out = (unsigned int)most;
	inflate(&z, Z_SYNC_FLUSH);
	inflateEnd(&z);
	return most - z.avail_out;
}

static bool is_gzip(const uint8_t *p, size_t size)
{
	return size > 2 && p[0] == 0x1f && p[1] == 0x8b && p[2] == 8;
}

/* Returns whether the first fields in the buffer are those of a profile. */
static bool makes_sense(const void *data, size_t size)
{
	struct bytes b = bytes_of(data, size);
	struct protobuf_field f;
	unsigned int n;

	for (n = 0; n < 4 && protobuf_next(&b, &f); n++) {
		bool number = f.number >= PROFILE_DROP_FRAMES && f.number != PROFILE_PERIOD_TYPE &&
			      f.number != PROFILE_COMMENT;

		if (f.number > PROFILE_DEFAULT_TYPE + 2 ||
		    (number == f.is_bytes && f.number <= PROFILE_DEFAULT_TYPE))
			return false;
	}
	/* The first message may be longer than the buffer. */
	return n || (b.bad && size >= 64);
}

bool pprof_probe(const void *head, size_t size)
{
	uint8_t room[512];
	struct bytes b = bytes_of(head, size);
	struct protobuf_field f;

	if (is_gzip(head, size))
		return makes_sense(room, unpack_head(head, size, room, sizeof(room)));
	/* An uncompressed profile starts with a value type, as pprof writes it. */
	if (size < 4 || *(const uint8_t *)head != (PROFILE_SAMPLE_TYPE << 3 | 2) ||
	    !protobuf_next(&b, &f) || f.bytes.size > 64)
		return false;
	return makes_sense(head, size);
}

static int unpack(struct pprof *p, struct window *w)
{
	z_stream z = { 0 };
	uint64_t at = 0;
	size_t room = 0, have, most = unpacked_most(w->size);
	int rc = Z_OK;

	most = most < MESSAGE_MOST ? most : MESSAGE_MOST;

	if (inflateInit2(&z, GZIP_WINDOW) != Z_OK)
		return -ENOMEM;
	while (rc == Z_OK) {
		if (p->size == room) {
			if (room == most || array_room(p->data, room, p->size + WINDOW))
				break;
			room = room < most ? room : most;
		}
		if (!z.avail_in) {
			z.next_in = (void *)window_look(w, at, 1, &have);
			if (!z.next_in)
				break;
			z.avail_in = (unsigned int)have;
			at += have;
		}
		z.next_out = p->data + p->size;
		z.avail_out = (unsigned int)(room - p->size < WINDOW ? room - p->size : WINDOW);
		have = z.avail_out;
		rc = inflate(&z, Z_NO_FLUSH);
		p->size += have - z.avail_out;
		if (rc == Z_BUF_ERROR && at < w->size)
			rc = Z_OK;
	}
	if (rc != Z_STREAM_END)
		faults_report(&p->faults, at - z.avail_in < w->size ? at - z.avail_in : w->size,
			      rc == Z_OK && p->size == most ?
				      "what is unpacked is more than 4 GB, or than 16 MB and 32 times the file's size: the rest is left out" :
			      rc == Z_OK || rc == Z_BUF_ERROR ?
				      "the file ends within its compressed data" :
				      "the compressed data are damaged");
	inflateEnd(&z);
	return p->data || !w->size ? 0 : -ENOMEM;
}

int pprof_read_file(struct pprof *p, const char *path, uint64_t *size)
{
	struct window w;
	const uint8_t *head;
	size_t have = 0;
	int rc = window_open(&w, path, WINDOW);

	head = rc ? NULL : window_look(&w, 0, 3, &have);
	*size = w.size;
	if (head && is_gzip(head, have)) {
		p->packed = true;
		rc = unpack(p, &w);
	} else if (!rc) {
		p->data = w.size <= MESSAGE_MOST ? malloc(w.size + 1) : NULL;
		if (!p->data)
			rc = w.size <= MESSAGE_MOST ? -ENOMEM : -EFBIG;
		while (!rc && (head = window_look(&w, p->size, 1, &have))) {
			have = have < w.size - p->size ? have : w.size - p->size;
			if (!have)
				break;
			memcpy(p->data + p->size, head, have);
			p->size += have;
		}
	}
	window_close(&w);
	return rc;
}

/* ---- tables ---------------------------------------------------------------------------------- */

uint32_t pprof_find(const struct items *t, uint64_t id)
{
	return keys_find(&t->by_id, hash_mix(id, 0), t->item, e, e->id == id);
}

static struct pprof_part part_of(const struct pprof *p, const struct bytes *b)
{
	return (struct pprof_part){ b->size ? (uint32_t)(b->base - p->data) : 0,
				    (uint32_t)b->size };
}

/* Limits the number of entries: a valid profile has more bytes per entry. */
static bool may_add(struct pprof *p, uint64_t at)
{
	uint64_t most = ENTRIES_START + p->size / ENTRY_BYTES;

	if (p->entries == most) {
		pprof_fault(p, at,
			    "more strings and places than a profile of %zu bytes can have: the rest is left out",
			    p->size);
		p->entries++; /* counted once */
	}
	return p->entries < most && ++p->entries;
}

/* The id is field 1 of mappings, locations and functions. */
static int add_item(struct pprof *p, struct items *t, const struct protobuf_field *f)
{
	struct item new = { .part = part_of(p, &f->bytes) };
	struct bytes b = f->bytes;
	struct protobuf_field id;

	while (protobuf_next(&b, &id)) {
		if (id.number == 1)
			new.id = id.value;
	}
	if (!new.id || pprof_find(t, new.id) != NO_KEY) {
		pprof_fault(p, f->at, "field %u, %s: left out", f->number,
			    new.id ? "a duplicate number" : "without a number");
		return 0;
	}
	if (!may_add(p, f->at))
		return 0;
	if (keys_next(&t->by_id, hash_mix(new.id, 0), t->item, t->count, t->room))
		return -ENOMEM;
	t->item[t->count++] = new;
	return 0;
}

static int add_string(struct pprof *p, const struct protobuf_field *f)
{
	if (!may_add(p, f->at))
		return 0;
	if (array_next(p->string, p->strings, p->room_string))
		return -ENOMEM;
	p->string[p->strings++] = part_of(p, &f->bytes);
	return 0;
}

struct bytes pprof_string(const struct pprof *p, uint64_t i)
{
	return i < p->strings ? pprof_part(p, p->string[i]) : bytes_of("", 0);
}

bool pprof_is_string(const struct pprof *p, uint64_t i, const char *words)
{
	struct bytes s = pprof_string(p, i);

	return s.size == strlen(words) && !memcmp(s.base, words, s.size);
}

size_t pprof_text(struct bytes s, char *room, size_t size)
{
	size_t n = s.size < size - 1 ? s.size : size - 1, i;

	for (i = 0; i < n; i++)
		room[i] = s.base[i] == '\n' || !s.base[i] ? '?' : (char)s.base[i];
	room[n] = '\0';
	return n;
}

int pprof_read_tables(struct pprof *p)
{
	struct bytes b = bytes_of(p->data, p->size);
	struct protobuf_field f;
	int rc = 0;

	while (!rc && protobuf_next(&b, &f)) {
		switch (f.number) {
		case PROFILE_SAMPLE_TYPE:
			if (p->types < sizeof(p->type) / sizeof(p->type[0]))
				p->type[p->types++] = f.bytes;
			else if (p->types == p->types_all)
				pprof_fault(p, f.at,
					    "more than %u kinds of values: the rest is left out",
					    p->types);
			p->types_all++;
			break;
		case PROFILE_MAPPING:
			rc = add_item(p, &p->mappings, &f);
			break;
		case PROFILE_LOCATION:
			rc = add_item(p, &p->locations, &f);
			break;
		case PROFILE_FUNCTION:
			rc = add_item(p, &p->functions, &f);
			break;
		case PROFILE_STRING:
			rc = add_string(p, &f);
			break;
		case PROFILE_TIME:
			p->time = f.value;
			break;
		case PROFILE_DURATION:
			p->duration = f.value < INT64_MAX ? f.value : 0;
			break;
		case PROFILE_PERIOD:
			p->period = f.value;
			break;
		case PROFILE_DEFAULT_TYPE:
			p->default_type = f.value;
			break;
		}
	}
	/* Fields missing because of truncation have already been reported. */
	if (b.bad && !p->faults.count)
		pprof_fault(p, b.at, "a malformed field: the rest is omitted");
	return rc;
}

struct value_type {
	uint64_t type, unit;
	bool is_count;
};

static struct value_type value_type(const struct pprof *p, uint32_t i)
{
	struct bytes b = p->type[i];
	struct protobuf_field f;
	struct value_type v = { 0 };

	while (protobuf_next(&b, &f)) {
		v.type = f.number == VALUE_TYPE ? f.value : v.type;
		v.unit = f.number == VALUE_UNIT ? f.value : v.unit;
	}
	v.is_count = pprof_is_string(p, v.unit, "count");
	return v;
}

/* "inuse_objects" and "inuse_space" are of one kind: equal up to "_". */
static bool same_kind(const struct pprof *p, uint32_t i, uint32_t k)
{
	struct bytes a = pprof_string(p, value_type(p, i).type);
	struct bytes b = pprof_string(p, value_type(p, k).type);
	const char *end = a.size ? memchr(a.base, '_', a.size) : NULL;
	size_t n = end ? (size_t)(end - (const char *)a.base) + 1 : 0;

	return n && b.size > n && !memcmp(a.base, b.base, n);
}

/* Finds another value, with counts or without; of the same kind or any. -1: none. */
static int32_t other_type(const struct pprof *p, uint32_t of, bool count, bool same)
{
	for (uint32_t i = 0; i < p->types; i++) {
		uint32_t k = count ? i : p->types - 1 - i;

		if (k != of && value_type(p, k).is_count == count && (!same || same_kind(p, of, k)))
			return (int32_t)k;
	}
	return -1;
}

/* Takes the first of two values with counts as the number of samples. */
static void choose_counts(struct pprof *p, int32_t shown, int32_t other)
{
	p->ticks = shown < other || other < 0 ? shown : other;
	p->counted = other < 0 ? -1 : shown < other ? other : shown;
}

/* Chooses the values with the number of samples and with their counts: the profile's default type,
 * else the last one, and its counterpart. */
void pprof_choose_values(struct pprof *p)
{
	uint32_t shown = p->types ? p->types - 1 : 0, i;
	struct value_type v;

	p->ticks = p->counted = -1;
	for (i = 0; i < p->types && p->default_type; i++) {
		if (value_type(p, i).type == p->default_type)
			shown = i;
	}
	if (!p->types)
		return;
	if (!value_type(p, shown).is_count) {
		p->counted = (int32_t)shown;
		p->ticks = other_type(p, shown, true, true);
		if (p->ticks < 0)
			p->ticks = other_type(p, shown, true, false);
		if (p->ticks < 0)
			p->ticks = p->counted;
	} else {
		p->ticks = (int32_t)shown;
		p->counted = other_type(p, shown, false, true);
		if (p->counted < 0 && other_type(p, shown, true, true) >= 0)
			choose_counts(p, (int32_t)shown, other_type(p, shown, true, true));
		if (p->counted < 0)
			p->counted = other_type(p, shown, false, false);
		if (p->counted < 0)
			choose_counts(p, (int32_t)shown, other_type(p, shown, true, false));
	}
	if (p->counted < 0)
		return;
	v = value_type(p, (uint32_t)p->counted);
	p->has_event = !pprof_is_string(p, v.unit, "nanoseconds");
	pprof_text(pprof_string(p, v.type), p->event.name, sizeof(p->event.name));
	pprof_text(pprof_string(p, v.unit), p->unit, sizeof(p->unit));
}

static void read_modules(struct pprof *p)
{
	struct protobuf_field f;
	struct bytes b;
	uint32_t i;

	for (i = 0; i < p->mappings.count; i++) {
		struct pprof_module *m = &p->module[i];

		for (b = pprof_part(p, p->mappings.item[i].part); protobuf_next(&b, &f);) {
			switch (f.number) {
			case MAPPING_START:
				m->start = f.value;
				break;
			case MAPPING_LIMIT:
				m->limit = f.value;
				break;
			case MAPPING_OFFSET:
				m->offset = f.value;
				break;
			case MAPPING_FILE:
				m->file = pprof_string_number(p, f.value);
				break;
			case MAPPING_BUILD_ID:
				m->build_id = pprof_string_number(p, f.value);
				break;
			}
		}
	}
}

static uint32_t get_code(struct pprof *p, uint32_t module, uint32_t function)
{
	struct pprof_code c = { .module = module, .function = function };
	uint64_t hash = hash_mix((uint64_t)module << 32 | function, 1);
	uint32_t i = keys_find(&p->by_code, hash, p->code, e,
			       e->module == c.module && e->function == c.function);

	if (i != NO_KEY)
		return i;
	if (keys_next(&p->by_code, hash, p->code, p->codes, p->room_code))
		return NO_KEY;
	c.next = p->module[module].first;
	p->module[module].first = p->codes;
	p->code[p->codes] = c;
	return p->codes++;
}

static int add_place(struct pprof *p, const struct pprof_place *new)
{
	if (array_next(p->place, p->places, p->room_place))
		return -ENOMEM;
	p->place[p->places++] = *new;
	return 0;
}

/* Reads the functions of a location, innermost first. */
static int read_location(struct pprof *p, uint32_t i)
{
	uint32_t module = p->mappings.count, lines = 0, function;
	struct bytes b = pprof_part(p, p->locations.item[i].part), inner;
	struct protobuf_field f, l;
	struct pprof_place new = { .code = NO_KEY };
	uint64_t id, address = 0;
	int rc = 0;

	while (protobuf_next(&b, &f)) {
		if (f.number == LOCATION_ADDRESS)
			address = f.value;
		if (f.number == LOCATION_MAPPING && pprof_find(&p->mappings, f.value) != NO_KEY)
			module = pprof_find(&p->mappings, f.value);
	}
	module = module < MODULES ? module : p->mappings.count;
	for (b = pprof_part(p, p->locations.item[i].part); !rc && protobuf_next(&b, &f);) {
		if (f.number != LOCATION_LINE)
			continue;
		for (id = 0, inner = f.bytes; protobuf_next(&inner, &l);)
			id = l.number == LINE_FUNCTION ? l.value : id;
		function = pprof_find(&p->functions, id);
		if (function == NO_KEY || !may_add(p, (size_t)(b.base + f.at - p->data)))
			continue;
		new.code = get_code(p, module, function);
		if (new.code == NO_KEY)
			return -ENOMEM;
		new.at = p->code[new.code].places++;
		p->module[module].named = true;
		rc = add_place(p, &new);
		lines++;
	}
	if (!rc && !lines) {
		new = (struct pprof_place){ .code = NO_KEY, .at = address };
		rc = add_place(p, &new);
	}
	return rc;
}

uint64_t pprof_base(uint32_t module)
{
	return (uint64_t)(module % MODULES + 1) << MODULE_SHIFT;
}

/* Returns the path by which liba2n identifies the module (module_of_map). */
void pprof_path(const struct pprof *p, uint32_t module, char *room, size_t size)
{
	if (!pprof_text(pprof_string(p, p->module[module].file), room, size))
		snprintf(room, size, "NoModule");
}

/* Lays out functions in sequence, with a byte for each of their places; writes their names. */
static int lay_out(struct pprof *p)
{
	char path[4096], name[4096];
	struct protobuf_field f;
	struct bytes b;
	char *text = NULL;
	size_t size = 0;
	uint32_t m, i;
	FILE *out;
	int rc;

	for (i = 0; i < p->codes; i++) {
		p->code[i].base = p->module[p->code[i].module].used;
		p->module[p->code[i].module].used += STEP * p->code[i].places;
	}
	out = open_memstream(&text, &size);
	if (!out)
		return -ENOMEM;
	fputs("pitrace-msi 1\n", out);
	for (m = 0; m <= p->mappings.count; m++) {
		if (!p->module[m].named)
			continue;
		pprof_path(p, m, path, sizeof(path));
		fprintf(out, "MODULE %s\nSEGMENT 0 0 %" PRIx64 "\n", path, p->module[m].used);
		for (i = p->module[m].first; i != NO_KEY; i = p->code[i].next) {
			uint64_t words = 0;

			b = pprof_part(p, p->functions.item[p->code[i].function].part);
			while (protobuf_next(&b, &f))
				words = f.number == FUNCTION_NAME ? f.value : words;
			if (!pprof_text(pprof_string(p, words), name, sizeof(name)))
				strcpy(name, "?");
			fprintf(out, "SYMBOL %" PRIx64 " %" PRIx64 " 0 1 %s\n", p->code[i].base,
				p->code[i].base + STEP * p->code[i].places, name);
		}
	}
	rc = memstream_close(out, &text);
	p->symbols = blob_of(text, size);
	return rc;
}

int pprof_read_places(struct pprof *p)
{
	uint32_t i;
	int rc = 0;

	p->module = calloc((size_t)p->mappings.count + 1, sizeof(*p->module));
	p->first_place = calloc((size_t)p->locations.count + 1, sizeof(*p->first_place));
	if (!p->module || !p->first_place)
		return -ENOMEM;
	for (i = 0; i <= p->mappings.count; i++)
		p->module[i].first = NO_KEY;
	read_modules(p);
	for (i = 0; i < p->locations.count && !rc; i++) {
		p->first_place[i] = p->places;
		rc = read_location(p, i);
	}
	p->first_place[i] = p->places;
	return rc ? rc : lay_out(p);
}

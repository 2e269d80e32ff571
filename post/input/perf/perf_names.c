/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names for events that have none in the file, as in most pipes: generic events by number,
 * tracepoints by the formats in the file, each with perf's modifiers.
 */
#include "input/perf/perf_names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "input/perf/perf_bytes.h"
#include "base/keys.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- tracepoints ----------------------------------------------------------------------------- */

static const char *take_text(struct bytes *b)
{
	size_t left = bytes_left(b), length;
	const char *text = left ? (const char *)b->base + b->at : NULL;
	const char *nul = text ? memchr(text, 0, left) : NULL;

	return bytes_str(b, nul ? (size_t)(nul - text) + 1 : left, &length);
}

/* Reads a part that is preceded by its length. */
static bool take_part(struct bytes *b, struct bytes *part)
{
	uint64_t size = bytes_u64(b);
	const void *data = size <= bytes_left(b) ? bytes_take(b, (size_t)size) : NULL;

	if (!data) {
		b->bad = true;
		return false;
	}
	*part = bytes_of(data, (size_t)size);
	return true;
}

struct tracepoint {
	uint64_t id;
	char *name; /* with its system's name as a prefix */
};

struct tracepoints_named {
	struct tracepoint *list;
	uint32_t n, room;
};

/* Reads the lines "name: …" and "ID: …" of a format. */
static bool read_format(struct bytes format, uint64_t *id, char *name, size_t size)
{
	size_t left = bytes_left(&format), n;
	const char *line = bytes_take(&format, left), *end;
	const char *stop = line ? line + left : NULL;
	bool numbered = false;
	char number[24];

	*name = '\0';
	for (; line && line < stop && !(numbered && *name); line = end + 1) {
		end = memchr(line, '\n', (size_t)(stop - line));
		if (!end)
			break;
		n = (size_t)(end - line);
		if (n > 6 && !memcmp(line, "name: ", 6)) {
			snprintf(name, size, "%.*s", (int)(n - 6 < size ? n - 6 : size - 1),
				 line + 6);
		} else if (n > 4 && n < 4 + sizeof(number) && !memcmp(line, "ID: ", 4)) {
			snprintf(number, sizeof(number), "%.*s", (int)(n - 4), line + 4);
			*id = strtoull(number, NULL, 10);
			numbered = true;
		}
	}
	return numbered && *name;
}

static int add_tracepoint(struct tracepoints_named *t, const char *system, const char *name,
			  uint64_t id)
{
	char both[256];

	snprintf(both, sizeof(both), "%.120s:%s", system, name);
	if (array_next(t->list, t->n, t->room))
		return -ENOMEM;
	t->list[t->n] = (struct tracepoint){ .id = id, .name = strdup(both) };
	return t->list[t->n].name ? (t->n++, 0) : -ENOMEM;
}

static int by_id(const void *a, const void *b)
{
	const struct tracepoint *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

/* Reads the formats as in trace-cmd's files (version 0.5 and 0.6): headers of pages and events,
 * ftrace's own events, then those of each system. */
static int read_tracepoints(const struct perf_view *v, struct tracepoints_named *t)
{
	static const char magic[] = "\x17\x08\x44tracing";
	struct bytes b = bytes_of(v->data, v->size), part;
	const char *head = v->data ? bytes_take(&b, sizeof(magic) - 1) : NULL, *system;
	uint32_t n, systems;
	uint64_t id = 0;
	char name[128];
	int rc = 0;

	if (!head || memcmp(head, magic, sizeof(magic) - 1))
		return 0;
	take_text(&b); /* version */
	b.swap = (bytes_u8(&b) != 0) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	bytes_skip(&b, 1 + 4); /* sizes of a long and of a page */
	bytes_skip(&b, sizeof("header_page"));
	take_part(&b, &part);
	bytes_skip(&b, sizeof("header_event"));
	take_part(&b, &part);
	for (n = bytes_u32(&b); n && take_part(&b, &part); n--)
		;
	for (systems = bytes_u32(&b); systems && !b.bad && !rc; systems--) {
		system = take_text(&b);
		for (n = bytes_u32(&b); n && system && !rc && take_part(&b, &part); n--)
			if (read_format(part, &id, name, sizeof(name)))
				rc = add_tracepoint(t, system, name, id);
	}
	if (t->n)
		qsort(t->list, t->n, sizeof(*t->list), by_id);
	return rc;
}

static const char *tracepoint_name(const struct tracepoints_named *t, uint64_t id)
{
	uint32_t at = search_sorted(i, 0, t->n, t->list[i].id < id);

	return at < t->n && t->list[at].id == id ? t->list[at].name : NULL;
}

/* ---- all events ------------------------------------------------------------------------------ */

static bool cache_name(uint64_t config, char *text, size_t size)
{
	static const char *const caches[] = {
		"L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node",
	};
	static const char *const ops[][2] = {
		{ "load", "loads" },
		{ "store", "stores" },
		{ "prefetch", "prefetches" },
	};
	uint64_t cache = config & 0xff, op = config >> 8 & 0xff, result = config >> 16;

	if (cache >= COUNT(caches) || op >= COUNT(ops) || result > 1)
		return false;
	snprintf(text, size, result ? "%s-%s-misses" : "%s-%s", caches[cache], ops[op][!result]);
	return true;
}

/* Returns perf's name without modifiers. False: perf has no name, either. */
static bool plain_name(const struct perf_attr *a, char *text, size_t size)
{
	const char *generic = perf_generic_name(a->type, a->config);

	if (generic) {
		snprintf(text, size, "%s", generic);
		return true;
	}
	switch (a->type) {
	case PERF_TYPE_HW_CACHE:
		return cache_name(a->config, text, size);
	case PERF_TYPE_RAW:
		snprintf(text, size, "raw 0x%" PRIx64, a->config);
		return true;
	case PERF_TYPE_BREAKPOINT:
		snprintf(text, size, "mem:0x%" PRIx64 ":%s%s%s", a->config1,
			 a->bp_type & 1 ? "r" : "", a->bp_type & 2 ? "w" : "",
			 a->bp_type & 4 ? "x" : "");
		return true;
	}
	return false;
}

static bool has(const struct perf_attr *a, unsigned int bit)
{
	return a->flags >> bit & 1;
}

/* Writes the modifiers: kernel, user, hypervisor; precise; host or guest only. */
static void limits(const struct perf_attr *a, char text[16])
{
	bool modes = has(a, PERF_BIT_NO_USER) || has(a, PERF_BIT_NO_KERNEL) ||
		     has(a, PERF_BIT_NO_HV);
	bool hosts = has(a, PERF_BIT_NO_HOST) || has(a, PERF_BIT_NO_GUEST);

	snprintf(text, 16, "%s%s%s%.*s%s%s", modes && !has(a, PERF_BIT_NO_KERNEL) ? "k" : "",
		 modes && !has(a, PERF_BIT_NO_USER) ? "u" : "",
		 modes && !has(a, PERF_BIT_NO_HV) ? "h" : "",
		 (int)(a->flags >> PERF_BIT_PRECISE & 3), "ppp",
		 hosts && !has(a, PERF_BIT_NO_HOST) ? "H" : "",
		 hosts && !has(a, PERF_BIT_NO_GUEST) ? "G" : "");
}

static char *name_of(const struct perf_attr *a, const struct tracepoints_named *t)
{
	const char *tracepoint = a->type == PERF_TYPE_TRACEPOINT ? tracepoint_name(t, a->config) :
								   NULL;
	char name[64], limit[16], whole[96];

	if (tracepoint)
		return strdup(tracepoint);
	if (!plain_name(a, name, sizeof(name))) {
		snprintf(whole, sizeof(whole), "event %u/0x%" PRIx64, a->type, a->config);
		return strdup(whole);
	}
	limits(a, limit);
	snprintf(whole, sizeof(whole), "%s%s%s", name, *limit ? ":" : "", limit);
	return strdup(whole);
}

int perf_names_rest(struct perf *p)
{
	struct tracepoints_named t = { 0 };
	struct perf_view formats;
	bool wanted = false;
	uint32_t i;
	int rc = 0;

	for (i = 0; i < p->nattrs; i++)
		wanted |= !p->attr[i].name && p->attr[i].type == PERF_TYPE_TRACEPOINT;
	if (wanted) {
		formats = perf_feature(p, PERF_TRACING_DATA);
		rc = read_tracepoints(&formats, &t);
		perf_view_free(&formats);
	}
	for (i = 0; i < p->nattrs && !rc; i++) {
		if (!p->attr[i].name)
			p->attr[i].name = name_of(&p->attr[i], &t);
		rc = p->attr[i].name ? 0 : -ENOMEM;
	}
	for (i = 0; i < t.n; i++)
		free(t.list[i].name);
	free(t.list);
	return rc;
}

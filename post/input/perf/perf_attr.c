/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The events of a perf.data file: the attributes of each, the offsets of fields in its records, the
 * ids that connect records with it, its name.
 */
#include "input/perf/perf_attr.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "input/perf/perf_bytes.h"
#include "input/perf/perf_names.h"
#include "input/perf/perf_plain.h"

#define ATTR_OLD   64 /* PERF_ATTR_SIZE_VER0 */
#define ATTR_MAX   4096
#define EVENTS_MAX 100000 /* more mean a damaged file */

/* Offsets of a perf_event_attr's fields, and its flags. */
enum {
	AT_SIZE = 4,
	AT_FLAGS = 40,
	AT_WAKEUP = 48,
	AT_AUX_ACTION = 116,
};
#define FLAG_FREQ            (1ull << 10)
#define FLAG_ID_ALL          (1ull << 18)
#define FLAG_NO_CHAIN_KERNEL (1ull << 21)
#define FLAG_NO_CHAIN_USER   (1ull << 22)
#define FLAG_USE_CLOCK       (1ull << 25)
#define FLAG_BUILD_ID        (1ull << 34)

/* ---- events ---------------------------------------------------------------------------------- */

/* Bit-fields start at the lowest bit on little-endian machines, at the highest on others. */
static uint64_t flags_of(const struct perf *p, const uint8_t *at, unsigned int bits)
{
	bool big = p->swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	uint64_t flags = 0;
	unsigned int i;

	for (i = 0; i < bits; i++) {
		if (at[i / 8] >> (big ? 7 - i % 8 : i % 8) & 1)
			flags |= 1ull << i;
	}
	return flags;
}

static unsigned int words(uint64_t type, uint64_t of)
{
	return (unsigned int)__builtin_popcountll(type & of);
}

/* Sets the offsets of time and id in an event's records; 0: none. */
static void find_places(struct perf_attr *a)
{
	uint64_t type = a->shape.sample_type;
	uint64_t behind = PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
			  PERF_SAMPLE_IDENTIFIER;

	if (type & PERF_SAMPLE_TIME) {
		a->time_at = 8 + 8 * words(type, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
							 PERF_SAMPLE_TID);
		a->time_back = a->shape.id_all ? 8 + 8 * words(type, behind) : 0;
	}
	if (type & PERF_SAMPLE_IDENTIFIER) {
		a->id_at = 8;
		a->id_back = 8;
	} else if (type & PERF_SAMPLE_ID) {
		a->id_at = 8 + 8 * words(type, PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
						       PERF_SAMPLE_ADDR);
		a->id_back = 8 + 8 * words(type, PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU);
	}
	if (!a->shape.id_all)
		a->id_back = 0;
	perf_plain_find(a);
}

void perf_attr_read(const struct perf *p, const uint8_t *data, size_t size, struct perf_attr *a)
{
	uint8_t room[136] = { 0 };
	struct bytes b = perf_bytes(p, room, sizeof(room));

	memcpy(room, data, size < sizeof(room) ? size : sizeof(room));
	*a = (struct perf_attr){ .flags = flags_of(p, room + AT_FLAGS, 64) };
	a->type = bytes_u32(&b);
	a->size = bytes_u32(&b);
	a->config = bytes_u64(&b);
	a->period = bytes_u64(&b);
	a->shape.sample_type = bytes_u64(&b);
	a->shape.read_format = bytes_u64(&b);
	bytes_seek(&b, AT_WAKEUP);
	a->wakeup = bytes_u32(&b);
	a->bp_type = bytes_u32(&b);
	a->config1 = bytes_u64(&b);
	a->config2 = bytes_u64(&b);
	a->branch = bytes_u64(&b);
	a->shape.regs_user = bytes_u64(&b);
	a->stack_user = bytes_u32(&b);
	a->clock = (int32_t)bytes_u32(&b);
	a->shape.regs_intr = bytes_u64(&b);
	a->aux_watermark = bytes_u32(&b);
	a->max_stack = bytes_u16(&b);
	bytes_skip(&b, 2);
	a->aux_sample = bytes_u32(&b);
	a->aux_action = (uint32_t)flags_of(p, room + AT_AUX_ACTION, 32);
	bytes_skip(&b, 4);
	a->sig_data = bytes_u64(&b);
	a->freq = a->flags & FLAG_FREQ;
	a->shape.period = a->freq ? 0 : a->period;
	a->use_clock = a->flags & FLAG_USE_CLOCK;
	a->shape.id_all = a->flags & FLAG_ID_ALL;
	a->shape.build_id = a->flags & FLAG_BUILD_ID;
	a->shape.branch_type = a->branch;
	a->shape.swap = p->swap;
	find_places(a);
}

static int add_attr(struct perf *p, uint64_t at, const uint8_t *data, size_t size, uint64_t *ids,
		    uint32_t nids)
{
	struct perf_attr *new;

	if (array_next(p->attr, p->nattrs, p->room_attrs)) {
		free(ids);
		return -ENOMEM;
	}
	new = &p->attr[p->nattrs++];
	perf_attr_read(p, data, size, new);
	new->at = at;
	new->ids = ids;
	new->nids = nids;
	return 0;
}

/* Converts ids to native byte order. Returns NULL without memory. */
static uint64_t *copy_ids(const struct perf *p, const uint8_t *data, uint32_t n)
{
	uint64_t *ids = calloc(n + 1, sizeof(*ids));

	for (uint32_t i = 0; ids && i < n; i++)
		ids[i] = perf_u64(p, data + 8 * (size_t)i);
	return ids;
}

/* Returns the size of an event in the section: as in the header or, if that is invalid, as in the
 * first event. */
static uint64_t entry_size(struct perf *p, const struct blob *attrs)
{
	struct bytes b = perf_bytes(p, attrs->data, attrs->size);
	uint64_t entry = p->attr_size, own;

	if (!attrs->size || (entry && p->attrs.size % entry == 0))
		return entry;
	bytes_skip(&b, 4);
	own = bytes_u32(&b) + 16ull;
	if (b.bad || own < ATTR_OLD + 16 || own > ATTR_MAX || p->attrs.size % own)
		own = 0;
	perf_fault(p, 16, "%" PRIu64 " bytes an event do not divide their section of %" PRIu64 "%s",
		   entry, p->attrs.size, own ? ": the size in the first event is used" : "");
	return own ? own : entry;
}

int perf_attrs_read(struct perf *p)
{
	uint64_t left = p->file[0].size; /* limits the ids: each is in the file for one event */
	struct blob attrs = perf_part(p, p->attrs, (uint64_t)EVENTS_MAX * ATTR_MAX);
	uint64_t entry = entry_size(p, &attrs), n = entry ? p->attrs.size / entry : 0, i;
	const uint8_t *data = attrs.data;
	int rc = 0;

	if (entry < ATTR_OLD + 16 || entry > ATTR_MAX || n > EVENTS_MAX || (!data && n)) {
		perf_fault(p, 16, "no events: %" PRIu64 " entries of %" PRIu64 " bytes at %" PRIu64,
			   n, entry, p->attrs.offset);
		blob_free(&attrs);
		return 0;
	}
	for (i = 0; i < n && !rc; i++) {
		struct bytes b = perf_bytes(p, data + i * entry, entry);
		struct perf_section part;
		uint64_t *ids = NULL;
		struct blob raw;

		bytes_seek(&b, entry - 16);
		part.offset = bytes_u64(&b);
		part.size = bytes_u64(&b) & ~7ull;
		raw = perf_part(p, part,
				left < 8ull * EVENTS_MAX * 100 ? left : 8ull * EVENTS_MAX * 100);
		left -= raw.size;
		if (raw.data)
			ids = copy_ids(p, raw.data, (uint32_t)(raw.size / 8));
		else
			perf_fault(p, p->attrs.offset + i * entry,
				   "event %" PRIu64
				   ": its ids are not in the file, or are those of "
				   "others, too",
				   i);
		blob_free(&raw);
		rc = add_attr(p, p->attrs.offset + i * entry, data + i * entry, entry - 16, ids,
			      ids ? (uint32_t)(part.size / 8) : 0);
	}
	blob_free(&attrs);
	return rc;
}

/* ---- the event of a record ------------------------------------------------------------------- */

static uint32_t find_id(const struct perf *p, uint64_t id)
{
	return keys_find(&p->by_id, hash_mix(id, 0), p->id, e, e->id == id);
}

/* An id used by several attributes belongs to the last one. */
static int add_id(struct perf *p, uint64_t id, uint32_t attr)
{
	uint32_t at = find_id(p, id);

	if (at == NO_KEY) {
		if (keys_next(&p->by_id, hash_mix(id, 0), p->id, p->nids, p->room_ids))
			return -ENOMEM;
		at = p->nids++;
	}
	p->id[at] = (struct perf_id){ .id = id, .attr = attr };
	return 0;
}

/* Builds the hash table of ids, and names the events that EVENT_UPDATE records refer to by id. */
int perf_attrs_hash(struct perf *p)
{
	uint32_t i, k;

	for (i = 0; i < p->nattrs; i++) {
		for (k = 0; k < p->attr[i].nids; k++)
			if (add_id(p, p->attr[i].ids[k], i))
				return -ENOMEM;
	}
	for (i = 0; i < p->nupdates; i++) {
		struct perf_update *u = &p->update[i];

		k = perf_attr_by_id(p, u->id);
		if (k != UINT32_MAX && !p->attr[k].name) {
			p->attr[k].name = u->name;
			u->name = NULL;
		}
	}
	return 0;
}

uint32_t perf_attr_by_id(const struct perf *p, uint64_t id)
{
	uint32_t at = find_id(p, id);

	return at == NO_KEY ? UINT32_MAX : p->id[at].attr;
}

struct perf_id *perf_id_find(struct perf *p, uint64_t id)
{
	uint32_t at = find_id(p, id);

	return at == NO_KEY ? NULL : &p->id[at];
}

/* All events of a file have the id at the same offset; otherwise it could not be found. */
uint32_t perf_attr_of(struct perf *p, const uint8_t *record, uint32_t size, bool sample)
{
	const struct perf_attr *first = p->attr;
	uint32_t at, attr;

	if (p->nattrs < 2)
		return p->nattrs ? 0 : UINT32_MAX;
	at = sample ? first->id_at : first->id_back ? size - first->id_back : 0;
	if (!at || (sample ? at + 8 > size : first->id_back + 8 > size))
		return 0;
	attr = perf_attr_by_id(p, perf_u64(p, record + at));
	/* Records synthesized by perf have no id. */
	return attr == UINT32_MAX && !sample ? 0 : attr;
}

/* Returns the text after a record's header, up to its end. */
static char *rest_text(struct bytes *b)
{
	size_t left = bytes_left(b), length;
	const char *text = left ? bytes_str(b, left, &length) : NULL;

	return text ? strdup(text) : NULL;
}

/* Names an event by one of its ids (PERF_EVENT_UPDATE__NAME is 2). */
int perf_attr_update(struct perf *p, const struct perf_raw *raw)
{
	struct bytes b = perf_bytes(p, raw->data, raw->size);
	struct perf_update u;
	uint64_t kind;

	bytes_skip(&b, 8);
	kind = bytes_u64(&b);
	u.id = bytes_u64(&b);
	u.name = kind == 2 ? rest_text(&b) : NULL;
	if (!u.name)
		return 0;
	if (array_next(p->update, p->nupdates, p->room_updates)) {
		free(u.name);
		return -ENOMEM;
	}
	p->update[p->nupdates++] = u;
	return 0;
}

int perf_attr_record(struct perf *p, const struct perf_raw *raw)
{
	struct bytes b = perf_bytes(p, raw->data, raw->size);
	uint32_t size, n;
	uint64_t *ids;

	bytes_seek(&b, 8 + AT_SIZE);
	size = bytes_u32(&b);
	if (!size)
		size = ATTR_OLD;
	if (b.bad || size < ATTR_OLD || size > raw->size - 8 || p->nattrs == EVENTS_MAX) {
		perf_fault(p, raw->offset, "an event of %u bytes in a record of %u", size,
			   raw->size);
		return 0;
	}
	n = (raw->size - 8 - size) / 8;
	ids = copy_ids(p, raw->data + 8 + size, n);
	return ids ? add_attr(p, raw->offset + 8, raw->data + 8, size, ids, n) : -ENOMEM;
}

/* Reports events of a newer kernel once, rather than for each of their samples. */
static void report_unknown(struct perf *p)
{
	for (uint32_t i = 0; i < p->nattrs; i++) {
		struct perf_attr *a = &p->attr[i];
		const char *of;
		uint64_t bits = perf_shape_unknown(&a->shape, &of);

		a->unknown = bits;
		if (bits)
			perf_fault(p, a->at,
				   "event %.40s: its %s has bits 0x%" PRIx64 " that are not "
				   "known: the positions of fields in its samples are unknown, they are "
				   "left out",
				   a->name, of, bits);
	}
}

/* Call after the features have been read: names every event, and sets how its stacks are
 * decoded. */
int perf_attrs_finish(struct perf *p)
{
	bool any_build_id = false;
	uint32_t i;
	int rc;

	for (i = 0; i < p->nattrs; i++)
		any_build_id |= p->attr[i].shape.build_id;
	for (i = 0; i < p->nattrs; i++) {
		struct perf_attr *a = &p->attr[i];
		uint64_t type = a->shape.sample_type;
		bool copy = type & PERF_SAMPLE_STACK_USER && type & PERF_SAMPLE_REGS_USER;

		/* If no event has this flag, perf added the build ids. */
		a->shape.build_id |= !any_build_id;
		a->stacks = (struct perf_stacks){
			.depth = copy ? PITRACE_STACK_MAX : PERF_CHAIN_MAX,
			.most = a->max_stack,
			.regs = a->shape.regs_user,
			.copy = PERF_COPY_MAX,
			.registers = perf_registers_of(p->in->header.machine),
		};
		if (type & PERF_SAMPLE_CALLCHAIN)
			a->stacks.want = PITRACE_WANT_KERNEL | PITRACE_WANT_USER;
		if (a->flags & FLAG_NO_CHAIN_KERNEL)
			a->stacks.want &= ~(uint32_t)PITRACE_WANT_KERNEL;
		if (a->flags & FLAG_NO_CHAIN_USER)
			a->stacks.want &= ~(uint32_t)PITRACE_WANT_USER;
		if (copy)
			a->stacks.want |= PITRACE_WANT_COPY;
	}
	rc = perf_names_rest(p);
	if (!rc)
		report_unknown(p);
	return rc;
}

void perf_attrs_free(struct perf *p)
{
	uint32_t i;

	for (i = 0; i < p->nattrs; i++) {
		free(p->attr[i].name);
		free(p->attr[i].ids);
	}
	for (i = 0; i < p->nupdates; i++)
		free(p->update[i].name);
	free(p->attr);
	free(p->id);
	keys_free(&p->by_id);
	free(p->update);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a perf.data file says before and behind its records: who recorded which events, by which ids
 * their records are told apart; in a pipe the same comes as records.
 */
#include "formats/perf.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAGIC_1		"PERFFILE"
#define MAGIC_2		"PERFILE2"
#define MAGIC_SWAPPED	"2ELIFREP"
#define HEADER_OLD	72
#define HEADER_NEW	104
#define HEADER_PIPE	16
#define ATTR_OLD	64		/* the first that perf wrote */
#define ATTR_MAX	4096
#define EVENTS_MAX	100000		/* more are damage */
#define FORMATS_MAX	(256u << 20)

/* Where fields of an attr stand, and its flags. */
enum {
	AT_SIZE = 4, AT_FLAGS = 40, AT_WAKEUP = 48,
};
#define FLAG_FREQ		(1ull << 10)
#define FLAG_ID_ALL		(1ull << 18)
#define FLAG_NO_CHAIN_KERNEL	(1ull << 21)
#define FLAG_NO_CHAIN_USER	(1ull << 22)
#define FLAG_USE_CLOCK		(1ull << 25)
#define FLAG_BUILD_ID		(1ull << 34)

void perf_fault(struct perf *p, uint64_t offset, const char *format, ...)
{
	struct pifile_fault f = { .offset = offset };
	va_list ap;
	size_t i;

	va_start(ap, format);
	vsnprintf(f.what, sizeof(f.what), format, ap);
	va_end(ap);
	/* Each pass meets the same: all that were met stand in the order of their first pass. */
	for (i = 0; i < p->nfaults && i < PERF_FAULTS; i++) {
		if (p->fault[i].offset == offset && !strcmp(p->fault[i].what, f.what))
			return;
	}
	if (p->nfaults >= PERF_FAULTS) {
		p->nfaults++;
		return;
	}
	if (p->nfaults == p->room_faults) {
		size_t room = p->room_faults ? p->room_faults * 2 : 16;
		struct pifile_fault *more = realloc(p->fault, room * sizeof(*more));

		if (!more)
			return;
		p->fault = more;
		p->room_faults = room;
	}
	p->fault[p->nfaults++] = f;
}

void perf_fault_in(struct perf *p, uint32_t file, uint64_t offset, const char *what)
{
	const char *path = p->file[file].path;
	const char *base = path ? strrchr(path, '/') : NULL;

	perf_fault(p, offset, "%s%s%s", base ? base + 1 : "", base ? ": " : "", what);
}

struct bytes perf_bytes(const struct perf *p, const void *data, size_t size)
{
	struct bytes b = bytes_of(data, size);

	b.swap = p->swap;
	return b;
}

/* A part of the first file. NULL: it isn't there. */
static uint8_t *read_part(struct perf *p, struct perf_section part, uint64_t most)
{
	uint8_t *data;
	size_t n = 0;

	if (part.size > most || part.offset > p->file[0].size ||
	    part.size > p->file[0].size - part.offset)
		return NULL;
	data = malloc(part.size ? part.size : 1);
	while (data && n < part.size) {
		ssize_t got = pread(p->file[0].fd, data + n, part.size - n,
				    (off_t)(part.offset + n));

		if (got <= 0) {
			free(data);
			return NULL;
		}
		n += (size_t)got;
	}
	return data;
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Bit-fields begin at a byte's lowest bit on little-endian machines, at its highest on others. */
static uint64_t flags_of(const struct perf *p, const uint8_t *at)
{
	bool big = p->swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	uint64_t flags = 0;
	unsigned int i;

	for (i = 0; i < 64; i++) {
		if (at[i / 8] >> (big ? 7 - i % 8 : i % 8) & 1)
			flags |= 1ull << i;
	}
	return flags;
}

static unsigned int words(uint64_t type, uint64_t of)
{
	return (unsigned int)__builtin_popcountll(type & of);
}

/* Where time and id stand in records of such an event; 0: nowhere. */
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
		a->id_at = 8 + 8 * words(type, PERF_SAMPLE_IP | PERF_SAMPLE_TID |
					 PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR);
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
	*a = (struct perf_attr){ .flags = flags_of(p, room + AT_FLAGS) };
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
	a->regs_intr = bytes_u64(&b);
	a->aux_watermark = bytes_u32(&b);
	a->max_stack = bytes_u16(&b);
	bytes_skip(&b, 2);
	a->aux_sample = bytes_u32(&b);
	bytes_skip(&b, 4);
	a->sig_data = bytes_u64(&b);
	a->freq = a->flags & FLAG_FREQ;
	a->use_clock = a->flags & FLAG_USE_CLOCK;
	a->shape.id_all = a->flags & FLAG_ID_ALL;
	a->shape.build_id = a->flags & FLAG_BUILD_ID;
	a->shape.branch_index = a->branch & PERF_SAMPLE_BRANCH_HW_INDEX;
	a->shape.swap = p->swap;
	find_places(a);
}

static int add_attr(struct perf *p, const uint8_t *data, size_t size, uint64_t *ids, uint32_t nids)
{
	struct perf_attr *more = realloc(p->attr, (p->nattrs + 1) * sizeof(*more));

	if (!more) {
		free(ids);
		return -ENOMEM;
	}
	p->attr = more;
	perf_attr_read(p, data, size, &more[p->nattrs]);
	more[p->nattrs].ids = ids;
	more[p->nattrs++].nids = nids;
	return 0;
}

/* Ids in the file's order of bytes, copied in ours. NULL: no memory. */
static uint64_t *copy_ids(const struct perf *p, const uint8_t *data, uint32_t n)
{
	uint64_t *ids = calloc(n + 1, sizeof(*ids));

	for (uint32_t i = 0; ids && i < n; i++)
		ids[i] = perf_u64(p, data + 8 * (size_t)i);
	return ids;
}

static int read_attrs(struct perf *p)
{
	uint64_t entry = p->attr_size, n = entry ? p->attrs.size / entry : 0, i;
	uint8_t *data = read_part(p, p->attrs, (uint64_t)EVENTS_MAX * ATTR_MAX);
	int rc = 0;

	if (entry < ATTR_OLD + 16 || entry > ATTR_MAX || n > EVENTS_MAX || (!data && n)) {
		perf_fault(p, 16, "no events: %" PRIu64 " entries of %" PRIu64 " bytes at %" PRIu64,
			   n, entry, p->attrs.offset);
		free(data);
		return 0;
	}
	for (i = 0; i < n && !rc; i++) {
		struct bytes b = perf_bytes(p, data + i * entry, entry);
		struct perf_section part;
		uint64_t *ids = NULL;
		uint8_t *raw;

		bytes_seek(&b, entry - 16);
		part.offset = bytes_u64(&b);
		part.size = bytes_u64(&b) & ~7ull;
		raw = read_part(p, part, 8ull * EVENTS_MAX * 100);
		if (raw)
			ids = copy_ids(p, raw, (uint32_t)(part.size / 8));
		else
			perf_fault(p, p->attrs.offset + i * entry,
				   "event %" PRIu64 ": its ids are not in the file", i);
		free(raw);
		rc = add_attr(p, data + i * entry, entry - 16, ids,
			      ids ? (uint32_t)(part.size / 8) : 0);
	}
	free(data);
	return rc;
}

/* ---- which event a record is of -------------------------------------------------------------- */

static uint32_t place_of(const struct perf *p, uint64_t id)
{
	uint32_t i = (uint32_t)((id * 0x9E3779B97F4A7C15ull) >> 32) & (p->room_ids - 1);

	while (p->id[i].attr != UINT32_MAX && p->id[i].id != id)
		i = (i + 1) & (p->room_ids - 1);
	return i;
}

static int hash_ids(struct perf *p)
{
	uint64_t n = 0;
	uint32_t i, k;

	for (i = 0; i < p->nattrs; i++)
		n += p->attr[i].nids;
	for (p->room_ids = 64; p->room_ids < 2 * n; p->room_ids *= 2)
		;
	p->id = malloc(p->room_ids * sizeof(*p->id));
	if (!p->id)
		return -ENOMEM;
	for (i = 0; i < p->room_ids; i++)
		p->id[i].attr = UINT32_MAX;
	for (i = 0; i < p->nattrs; i++) {
		for (k = 0; k < p->attr[i].nids; k++)
			p->id[place_of(p, p->attr[i].ids[k])] = (struct perf_id){
				.id = p->attr[i].ids[k], .attr = i };
	}
	return 0;
}

uint32_t perf_attr_by_id(const struct perf *p, uint64_t id)
{
	return p->id[place_of(p, id)].attr;
}

struct perf_id *perf_id_find(struct perf *p, uint64_t id)
{
	struct perf_id *at = &p->id[place_of(p, id)];

	return at->attr == UINT32_MAX ? NULL : at;
}

/* All events of a file have the id in the same place, or there would be no finding it. */
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
	/* What perf made up itself has no id. */
	return attr == UINT32_MAX && !sample ? 0 : attr;
}

/* ---- features -------------------------------------------------------------------------------- */

const uint8_t *perf_feature(struct perf *p, unsigned int i, size_t *size, uint8_t **own)
{
	*own = NULL;
	if (!(p->feature_bits[i / 64] >> i % 64 & 1))
		return NULL;
	*size = p->feature[i].size;
	if (p->feature_data[i])
		return p->feature_data[i];
	if (p->pipe)
		return NULL;
	*own = read_part(p, p->feature[i], 1ull << 30);
	if (!*own)
		perf_fault(p, p->feature[i].offset, "feature %u of %" PRIu64
			   " bytes is not in the file", i, p->feature[i].size);
	return *own;
}

const char *perf_text(struct bytes *b)
{
	uint32_t room = bytes_u32(b);
	size_t length;

	return bytes_str(b, room, &length);
}

/* The table of features stands behind the data. */
static void read_features(struct perf *p)
{
	unsigned int i, n = 0, k = 0;
	struct perf_section table = { .offset = p->data.offset + p->data.size };
	struct bytes b;
	uint8_t *data;

	for (i = 0; i < 4; i++)
		n += (unsigned int)__builtin_popcountll(p->feature_bits[i]);
	table.size = 16 * n;
	if (!n)
		return;
	data = read_part(p, table, 16 * PERF_FEATURES);
	if (!data) {
		perf_fault(p, table.offset, "the table of features is not in the file");
		memset(p->feature_bits, 0, sizeof(p->feature_bits));
		p->in->complete = false;
		return;
	}
	b = perf_bytes(p, data, table.size);
	for (i = 0; i < PERF_FEATURES && k < n; i++) {
		if (!(p->feature_bits[i / 64] >> i % 64 & 1))
			continue;
		p->feature[i].offset = bytes_u64(&b);
		p->feature[i].size = bytes_u64(&b);
		k++;
		if (p->feature[i].offset > p->file[0].size ||
		    p->feature[i].size > p->file[0].size - p->feature[i].offset)
			perf_fault(p, table.offset + 16 * (k - 1),
				   "feature %u reaches beyond the file's end", i);
	}
	free(data);
}

static void feature_text(struct perf *p, unsigned int i, char *out, size_t size)
{
	uint8_t *own;
	size_t n;
	const uint8_t *data = perf_feature(p, i, &n, &own);
	struct bytes b = perf_bytes(p, data, n);
	const char *text = data ? perf_text(&b) : NULL;

	if (text)
		snprintf(out, size, "%s", text);
	free(own);
}

/* The events' names, by their ids or, where these are not told, by their order. */
static void event_names(struct perf *p)
{
	uint32_t i, k, count, size, nids;
	uint8_t *own;
	size_t n;
	const uint8_t *data = perf_feature(p, PERF_EVENT_DESC, &n, &own);
	struct bytes b = perf_bytes(p, data, n);

	if (!data)
		return;
	count = bytes_u32(&b);
	size = bytes_u32(&b);
	for (i = 0; i < count && !b.bad; i++) {
		const char *name;
		uint32_t attr = i < p->nattrs ? i : UINT32_MAX;

		bytes_skip(&b, size);
		nids = bytes_u32(&b);
		name = perf_text(&b);
		for (k = 0; k < nids && !b.bad; k++) {
			uint64_t id = bytes_u64(&b);

			if (!b.bad && perf_attr_by_id(p, id) != UINT32_MAX)
				attr = perf_attr_by_id(p, id);
		}
		if (name && attr != UINT32_MAX && !p->attr[attr].name)
			p->attr[attr].name = strdup(name);
	}
	if (b.bad)
		perf_fault(p, p->feature[PERF_EVENT_DESC].offset + b.at,
			   "the description of events is damaged");
	free(own);
}

/* Names of files before there was such a description: of an event's config. */
static void old_names(struct perf *p)
{
	uint8_t *data = p->types.size ? read_part(p, p->types, 72 * 10000) : NULL;
	struct bytes b = perf_bytes(p, data, data ? p->types.size : 0);

	while (bytes_left(&b) >= 72) {
		uint64_t config = bytes_u64(&b);
		size_t length;
		const char *name = bytes_str(&b, 64, &length);

		for (uint32_t i = 0; name && i < p->nattrs; i++) {
			if (!p->attr[i].name && p->attr[i].config == config)
				p->attr[i].name = strdup(name);
		}
	}
	free(data);
}

static const char *const hardware[] = {
	"cycles", "instructions", "cache-references", "cache-misses", "branches", "branch-misses",
	"bus-cycles", "stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles",
};
static const char *const software[] = {
	"cpu-clock", "task-clock", "page-faults", "context-switches", "cpu-migrations",
	"minor-faults", "major-faults", "alignment-faults", "emulation-faults", "dummy",
	"bpf-output", "cgroup-switches",
};

bool perf_event_named(const char *name, uint32_t *type, __u64 *config)
{
	size_t n = strcspn(name, ":"), i;

	for (i = 0; i < sizeof(hardware) / sizeof(hardware[0]); i++) {
		if (strlen(hardware[i]) == n && !memcmp(name, hardware[i], n)) {
			*type = PERF_TYPE_HARDWARE;
			*config = i;
			return true;
		}
	}
	for (i = 0; i < sizeof(software) / sizeof(software[0]); i++) {
		if (strlen(software[i]) == n && !memcmp(name, software[i], n)) {
			*type = PERF_TYPE_SOFTWARE;
			*config = i;
			return true;
		}
	}
	return false;
}

static const char *known_event(const struct perf_attr *a)
{
	if (a->type == PERF_TYPE_HARDWARE && a->config < sizeof(hardware) / sizeof(hardware[0]))
		return hardware[a->config];
	if (a->type == PERF_TYPE_SOFTWARE && a->config < sizeof(software) / sizeof(software[0]))
		return software[a->config];
	return NULL;
}

static int name_rest(struct perf *p)
{
	char text[64];

	for (uint32_t i = 0; i < p->nattrs; i++) {
		struct perf_attr *a = &p->attr[i];
		const char *known = known_event(a);

		snprintf(text, sizeof(text), "event %u/0x%" PRIx64, a->type, a->config);
		if (!a->name)
			a->name = strdup(known ? known : text);
		if (!a->name)
			return -ENOMEM;
	}
	return 0;
}

/* What stands behind a record's head. */
static int build_id(struct perf *p, struct bytes *b, uint16_t misc, bool has_pid)
{
	struct perf_build_id id = { .pid = -1, .misc = misc, .size = 20 };
	const uint8_t *bytes;
	const char *path;
	size_t length;

	if (has_pid)
		id.pid = (int32_t)bytes_u32(b);
	bytes = bytes_take(b, 24);
	if (bytes && misc & 0x8000)
		id.size = bytes[20] <= 20 ? bytes[20] : 20;
	path = bytes_str(b, bytes_left(b), &length);
	if (!bytes || !path)
		return -EBADMSG;
	memcpy(id.id, bytes, 20);
	if (p->nbuild_ids == p->room_build_ids) {
		uint32_t room = p->room_build_ids ? p->room_build_ids * 2 : 64;
		struct perf_build_id *more = realloc(p->build_id, room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		p->build_id = more;
		p->room_build_ids = room;
	}
	id.path = strdup(path);
	if (!id.path)
		return -ENOMEM;
	p->build_id[p->nbuild_ids++] = id;
	return 0;
}

/* Entries that look like records; old ones lack the pid, which shows in their texts. */
static int build_ids(struct perf *p)
{
	uint8_t *own;
	size_t n;
	const uint8_t *data = perf_feature(p, PERF_BUILD_ID, &n, &own);
	struct bytes b = perf_bytes(p, data, n);
	bool has_pid = !(n > 48 && data && !memcmp(data + 36, "nel.kallsyms]", 13));
	int rc = 0;

	while (data && bytes_left(&b) >= 8 && !rc) {
		size_t at = b.at;
		uint16_t misc, size;
		struct bytes entry;

		bytes_skip(&b, 4);
		misc = bytes_u16(&b);
		size = bytes_u16(&b);
		b.at = at;
		if (size < 36 || size > bytes_left(&b)) {
			rc = -EBADMSG;
			break;
		}
		entry = perf_bytes(p, bytes_take(&b, size), size);
		bytes_skip(&entry, 8);
		rc = build_id(p, &entry, misc, has_pid);
	}
	if (rc == -EBADMSG) {
		perf_fault(p, p->feature[PERF_BUILD_ID].offset + b.at,
			   "the table of build ids is damaged");
		rc = 0;
	}
	free(own);
	return rc;
}

static void clock_data(struct perf *p)
{
	uint8_t *own;
	size_t n;
	const uint8_t *data = perf_feature(p, PERF_CLOCK_DATA, &n, &own);
	struct bytes b = perf_bytes(p, data, n);

	if (data && bytes_u32(&b) == 1) {
		p->clock = bytes_u32(&b);
		p->clock_wall = bytes_u64(&b);
		p->clock_time = bytes_u64(&b);
		p->has_clock_data = !b.bad;
	}
	free(own);
}

/* ---- all of it ------------------------------------------------------------------------------- */

int perf_header_finish(struct perf *p)
{
	struct pifile_header *h = &p->in->header;
	bool any_build_id = false;
	uint8_t *own;
	const uint8_t *data;
	struct bytes b;
	uint32_t i;
	size_t n;
	int rc = hash_ids(p);

	if (rc)
		return rc;
	event_names(p);
	old_names(p);
	rc = name_rest(p);
	if (!rc)
		rc = build_ids(p);
	clock_data(p);
	feature_text(p, PERF_OSRELEASE, h->release, sizeof(h->release));
	feature_text(p, PERF_ARCH, h->machine, sizeof(h->machine));
	data = perf_feature(p, PERF_NRCPUS, &n, &own);
	b = perf_bytes(p, data, n);
	if (data)
		h->ncpus = bytes_u32(&b);	/* available, then online */
	free(own);
	for (i = 0; i < p->nattrs; i++)
		any_build_id |= p->attr[i].shape.build_id;
	for (i = 0; i < p->nattrs; i++) {
		struct perf_attr *a = &p->attr[i];
		uint64_t type = a->shape.sample_type;
		bool copy = type & PERF_SAMPLE_STACK_USER && type & PERF_SAMPLE_REGS_USER;

		/* Where no event asked for them perf has put them in. */
		a->shape.build_id |= !any_build_id;
		a->stacks = (struct perf_stacks){
			.depth = copy ? PITRACE_STACK_MAX : PERF_CHAIN_MAX, .most = a->max_stack,
			.regs = a->shape.regs_user,
			.copy = PERF_COPY_MAX, .registers = perf_registers_of(h->machine),
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
	return rc;
}

/* Text behind a record's head, to its end. */
static char *rest_text(struct bytes *b)
{
	size_t left = bytes_left(b), length;
	const char *text = left ? bytes_str(b, left, &length) : NULL;

	return text ? strdup(text) : NULL;
}

/* The name of an event, told by one of its ids (PERF_EVENT_UPDATE__NAME is 2). */
static void event_update(struct perf *p, struct bytes *b)
{
	uint64_t kind = bytes_u64(b), id = bytes_u64(b);
	uint32_t i, k;

	for (i = 0; i < p->nattrs && kind == 2; i++) {
		for (k = 0; k < p->attr[i].nids; k++) {
			if (p->attr[i].ids[k] != id || p->attr[i].name)
				continue;
			p->attr[i].name = rest_text(b);
			return;
		}
	}
}

static int header_attr(struct perf *p, const struct perf_raw *raw)
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
	return ids ? add_attr(p, raw->data + 8, size, ids, n) : -ENOMEM;
}

/* A feature that comes as a record: its number, its bytes. */
static int header_feature(struct perf *p, const struct perf_raw *raw)
{
	uint64_t i = raw->size >= 16 ? perf_u64(p, raw->data + 8) : PERF_FEATURES;
	uint32_t size = raw->size - 16;

	if (i >= PERF_FEATURES || p->feature_data[i])
		return 0;
	p->feature_data[i] = malloc(size + 1);
	if (!p->feature_data[i])
		return -ENOMEM;
	memcpy(p->feature_data[i], raw->data + 16, size);
	p->feature[i] = (struct perf_section){ raw->offset + 16, size };
	p->feature_bits[i / 64] |= 1ull << i % 64;
	return 0;
}

/* The formats of tracepoints stand behind their record. */
static int tracing_data(struct perf *p, const struct perf_raw *raw)
{
	struct perf_section part = { .offset = raw->offset + raw->size };
	unsigned int i = PERF_TRACING_DATA;
	struct bytes b = perf_bytes(p, raw->data, raw->size);

	bytes_skip(&b, 8);
	part.size = bytes_u32(&b);
	if (b.bad || p->feature_data[i])
		return 0;
	p->feature_data[i] = read_part(p, part, FORMATS_MAX);
	if (!p->feature_data[i])
		return 0;
	p->feature[i] = part;
	p->feature_bits[0] |= 1ull << i;
	return 0;
}

int perf_header_record(struct perf *p, const struct perf_raw *raw)
{
	struct bytes b = perf_bytes(p, raw->data, raw->size);
	int rc;

	bytes_skip(&b, 8);
	switch (raw->type) {
	case PERF_HEADER_ATTR:
		return p->pipe ? header_attr(p, raw) : 0;
	case PERF_HEADER_FEATURE:
		return p->pipe ? header_feature(p, raw) : 0;
	case PERF_HEADER_TRACING_DATA:
		return p->pipe ? tracing_data(p, raw) : 0;
	case PERF_EVENT_UPDATE:
		event_update(p, &b);
		return 0;
	case PERF_HEADER_BUILD_ID:
		rc = build_id(p, &b, raw->misc, true);
		if (rc == -EBADMSG)
			perf_fault(p, raw->offset, "a build id without a path");
		return rc == -ENOMEM ? rc : 0;
	case PERF_TIME_CONV:
		p->time_shift = (uint16_t)bytes_u64(&b);
		p->time_mult = (uint32_t)bytes_u64(&b);
		p->time_zero = bytes_u64(&b);
		p->time_conv = !b.bad && p->time_shift < 64;
		return 0;
	}
	return 0;
}

bool perf_probe(const void *head, size_t size)
{
	return size >= 8 && (!memcmp(head, MAGIC_2, 8) || !memcmp(head, MAGIC_SWAPPED, 8) ||
			     !memcmp(head, MAGIC_1, 8));
}

int perf_header_read(struct perf *p, struct pifile_fault *fault)
{
	struct perf_file *f = &p->file[0];
	struct perf_section whole = { 0, f->size < HEADER_NEW ? f->size : HEADER_NEW };
	uint8_t *data = read_part(p, whole, HEADER_NEW);
	struct bytes b;
	uint64_t turned;
	int rc;

	if (!data || whole.size < HEADER_PIPE) {
		free(data);
		fault->offset = whole.size;
		snprintf(fault->what, sizeof(fault->what),
			 "a perf.data file that ends in its header");
		return -EBADMSG;
	}
	/* A header's size is small: that tells the order of bytes, whatever the version. */
	p->version = memcmp(data, MAGIC_1, 8) ? 2 : 1;
	memcpy(&p->header_size, data + 8, 8);
	p->swap = p->header_size > UINT32_MAX;
	b = perf_bytes(p, data, whole.size);
	bytes_skip(&b, 8);
	p->header_size = bytes_u64(&b);
	p->pipe = p->header_size == HEADER_PIPE;
	if (p->pipe) {
		f->begin = HEADER_PIPE;
		f->end = f->size;
		free(data);
		return 0;
	}
	p->attr_size = bytes_u64(&b);
	p->attrs.offset = bytes_u64(&b);
	p->attrs.size = bytes_u64(&b);
	p->data.offset = bytes_u64(&b);
	p->data.size = bytes_u64(&b);
	p->types.offset = bytes_u64(&b);
	p->types.size = bytes_u64(&b);
	if (b.bad || p->header_size < HEADER_OLD) {
		free(data);
		fault->offset = 8;
		snprintf(fault->what, sizeof(fault->what), "a header of %" PRIu64
			 " bytes, or a file that ends in it: perf's have 72, 104 or 16 (a pipe's)",
			 p->header_size);
		return -EBADMSG;
	}
	for (unsigned int i = 0; i < 4 && p->header_size >= HEADER_NEW; i++)
		p->feature_bits[i] = bytes_u64(&b);
	/* A bitmap of words of 32 bits has its halves in the other places. */
	turned = p->feature_bits[0] << 32 | p->feature_bits[0] >> 32;
	if (p->swap && !(p->feature_bits[0] & 1u << PERF_HOSTNAME) && turned & 1u << PERF_HOSTNAME)
		p->feature_bits[0] = turned;
	free(data);
	f->begin = p->data.offset;
	if (p->data.offset > f->size) {
		perf_fault(p, 40, "its data begin at %" PRIu64 ", beyond its end", p->data.offset);
		f->begin = f->size;
		p->in->complete = false;
	}
	f->end = p->data.offset + p->data.size;
	if (!p->data.size && !p->directory) {
		f->end = f->size;
		p->in->complete = false;
		perf_fault(p, 48, "perf did not end this file: the length of its data is 0, all up "
			   "to its end are taken for them");
		memset(p->feature_bits, 0, sizeof(p->feature_bits));
	} else if (p->data.size > f->size - f->begin || f->end < f->begin) {
		perf_fault(p, f->size,
			   "the file ends here, %" PRIu64 " bytes of its data are missing",
			   p->data.size - (f->size - f->begin));
		f->end = f->size;
		p->in->complete = false;
		memset(p->feature_bits, 0, sizeof(p->feature_bits));
	}
	rc = read_attrs(p);
	if (!rc)
		read_features(p);
	return rc;
}

void perf_header_free(struct perf *p)
{
	uint32_t i;

	for (i = 0; i < p->nattrs; i++) {
		free(p->attr[i].name);
		free(p->attr[i].ids);
	}
	for (i = 0; i < p->nbuild_ids; i++)
		free(p->build_id[i].path);
	for (i = 0; i < PERF_FEATURES; i++)
		free(p->feature_data[i]);
	free(p->attr);
	free(p->id);
	free(p->build_id);
	free(p->fault);
}

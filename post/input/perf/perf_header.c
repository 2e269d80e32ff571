/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of a perf.data before and after its records: the location of the records, and the
 * features, which are records in a pipe.
 */
#include "input/perf/perf_header.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "input/perf/perf_attr.h"
#include "input/perf/perf_bytes.h"

#define MAGIC_1       "PERFFILE"
#define MAGIC_2       "PERFILE2"
#define MAGIC_SWAPPED "2ELIFREP"
#define HEADER_OLD    72
#define HEADER_NEW    104
#define HEADER_PIPE   16
#define ATTR_LEAST    64 /* PERF_ATTR_SIZE_VER0 */
#define FORMATS_MAX   (256u << 20)

/* ---- features -------------------------------------------------------------------------------- */

/* The table of features follows the data. */
static void read_features(struct perf *p)
{
	unsigned int i, n = 0, k = 0;
	struct perf_section table = { .offset = p->data.offset + p->data.size };
	struct blob data;
	struct bytes b;

	for (i = 0; i < 4; i++)
		n += (unsigned int)__builtin_popcountll(p->feature_bits[i]);
	table.size = 16 * n;
	if (!n)
		return;
	data = perf_part(p, table, 16 * PERF_FEATURES);
	if (!data.data) {
		perf_fault(p, table.offset, "the table of features is not in the file");
		memset(p->feature_bits, 0, sizeof(p->feature_bits));
		p->in->complete = false;
		return;
	}
	b = perf_bytes(p, data.data, data.size);
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
	blob_free(&data);
}

static void feature_text(struct perf *p, unsigned int i, char *out, size_t size)
{
	struct perf_view v = perf_feature(p, i);
	struct bytes b = perf_view_bytes(p, &v);
	const char *text = v.data ? perf_text(&b) : NULL;

	if (text)
		snprintf(out, size, "%s", text);
	perf_view_free(&v);
}

static void name_event(struct perf *p, uint32_t attr, const char *name)
{
	p->attr[attr].name = strdup(name);
	p->no_memory |= !p->attr[attr].name;
}

/* Names events by their ids, or by their order if they have no ids. */
static void event_names(struct perf *p)
{
	struct perf_view v = perf_feature(p, PERF_EVENT_DESC);
	struct bytes b = perf_view_bytes(p, &v);
	uint32_t i, k, count, size, nids;

	if (!v.data)
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
			name_event(p, attr, name);
	}
	if (b.bad)
		perf_fault(p, p->feature[PERF_EVENT_DESC].offset + b.at,
			   "the description of events is damaged");
	perf_view_free(&v);
}

/* Older files name events by their config. */
static void old_names(struct perf *p)
{
	struct blob data = perf_part(p, p->types, 72 * 10000);
	struct bytes b = perf_bytes(p, data.data, data.size);

	while (bytes_left(&b) >= 72) {
		uint64_t config = bytes_u64(&b);
		size_t length;
		const char *name = bytes_str(&b, 64, &length);

		for (uint32_t i = 0; name && i < p->nattrs; i++) {
			if (!p->attr[i].name && p->attr[i].config == config)
				name_event(p, i, name);
		}
	}
	blob_free(&data);
}

/* Parses a build id record after its header. */
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
	if (array_next(p->build_id, p->nbuild_ids, p->room_build_ids))
		return -ENOMEM;
	id.path = strdup(path);
	if (!id.path)
		return -ENOMEM;
	p->build_id[p->nbuild_ids++] = id;
	return 0;
}

/* Entries have the form of records; old ones lack the pid, which their texts reveal. */
static int build_ids(struct perf *p)
{
	struct perf_view v = perf_feature(p, PERF_BUILD_ID);
	struct bytes b = perf_view_bytes(p, &v);
	bool has_pid = !(v.size > 48 && !memcmp(v.data + 36, "nel.kallsyms]", 13));
	int rc = 0;

	while (bytes_left(&b) >= 8 && !rc) {
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
	perf_view_free(&v);
	return rc;
}

static void clock_data(struct perf *p)
{
	struct perf_view v = perf_feature(p, PERF_CLOCK_DATA);
	struct bytes b = perf_view_bytes(p, &v);

	if (v.data && bytes_u32(&b) == 1) {
		p->clock = bytes_u32(&b);
		p->clock_wall = bytes_u64(&b);
		p->clock_time = bytes_u64(&b);
		p->has_clock_data = !b.bad;
	}
	perf_view_free(&v);
}

/* Reads number and width of branch counters, from "name" "value" pairs of one PMU or several. */
static void branch_counters(struct perf *p, enum perf_feature feature)
{
	struct perf_view v = perf_feature(p, feature);
	struct bytes b = perf_view_bytes(p, &v);
	uint32_t pmus = feature == PERF_PMU_CAPS ? bytes_u32(&b) : 1, i, k, n;

	for (i = 0; i < pmus && v.data && !b.bad; i++) {
		n = bytes_u32(&b);
		for (k = 0; k < n && !b.bad; k++) {
			const char *name = perf_text(&b), *value = perf_text(&b);
			unsigned long number = name && value ? strtoul(value, NULL, 10) : 0;

			if (!number || number > 64)
				continue;
			if (!strcmp(name, "branch_counter_nr"))
				p->branch_counters = (uint32_t)number;
			else if (!strcmp(name, "branch_counter_width"))
				p->branch_bits = (uint32_t)number;
		}
		if (feature == PERF_PMU_CAPS)
			perf_text(&b);
	}
	perf_view_free(&v);
}

/* ---- the header ------------------------------------------------------------------------------ */

int perf_header_finish(struct perf *p)
{
	struct pifile_header *h = &p->in->header;
	struct perf_view v;
	struct bytes b;
	int rc = perf_attrs_hash(p);

	if (rc)
		return rc;
	event_names(p);
	old_names(p);
	rc = build_ids(p);
	clock_data(p);
	branch_counters(p, PERF_CPU_PMU_CAPS);
	branch_counters(p, PERF_PMU_CAPS);
	feature_text(p, PERF_OSRELEASE, h->release, sizeof(h->release));
	feature_text(p, PERF_ARCH, h->machine, sizeof(h->machine));
	v = perf_feature(p, PERF_NRCPUS);
	b = perf_view_bytes(p, &v);
	if (v.data)
		h->ncpus = bytes_u32(&b); /* available CPUs, then online ones */
	perf_view_free(&v);
	return rc ? rc : perf_attrs_finish(p);
}

/* Processes a feature record: its number and its bytes. */
static int header_feature(struct perf *p, const struct perf_raw *raw)
{
	uint64_t i = raw->size >= 16 ? perf_u64(p, raw->data + 8) : PERF_FEATURES;
	uint32_t size = raw->size - 16;

	if (i >= PERF_FEATURES || p->feature_data[i].data)
		return 0;
	p->feature_data[i] = blob_copy(raw->data + 16, size);
	if (!p->feature_data[i].data)
		return -ENOMEM;
	p->feature[i] = (struct perf_section){ raw->offset + 16, size };
	p->feature_bits[i / 64] |= 1ull << i % 64;
	return 0;
}

/* The formats of tracepoints follow their record. */
static int tracing_data(struct perf *p, const struct perf_raw *raw)
{
	struct perf_section part = { .offset = raw->offset + raw->size };
	unsigned int i = PERF_TRACING_DATA;
	struct bytes b = perf_bytes(p, raw->data, raw->size);

	bytes_skip(&b, 8);
	part.size = bytes_u32(&b);
	if (b.bad || p->feature_data[i].data)
		return 0;
	p->feature_data[i] = perf_part(p, part, FORMATS_MAX);
	if (!p->feature_data[i].data) {
		perf_fault(p, raw->offset,
			   "the formats of tracepoints, %" PRIu64 " bytes, are not in the file",
			   part.size);
		return 0;
	}
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
		return p->pipe ? perf_attr_record(p, raw) : 0;
	case PERF_HEADER_FEATURE:
		return p->pipe ? header_feature(p, raw) : 0;
	case PERF_HEADER_TRACING_DATA:
		return p->pipe ? tracing_data(p, raw) : 0;
	case PERF_EVENT_UPDATE:
		return p->pipe ? perf_attr_update(p, raw) : 0;
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

/* Returns whether this is a file by an older perf inject that read a pipe: it lacks the header and
 * starts with the record of an event. */
static bool is_bare(const void *head, size_t size)
{
	struct bytes b = bytes_of(head, size);
	uint32_t type = bytes_u32(&b), length, attr;

	bytes_skip(&b, 2); /* misc */
	length = bytes_u16(&b);
	bytes_skip(&b, 4);
	attr = bytes_u32(&b);
	return !b.bad && type == PERF_HEADER_ATTR && length % 8 == 0 && attr >= ATTR_LEAST &&
	       (uint64_t)attr + 8 <= length;
}

bool perf_probe(const void *head, size_t size)
{
	return is_bare(head, size) ||
	       (size >= 8 && (!memcmp(head, MAGIC_2, 8) || !memcmp(head, MAGIC_SWAPPED, 8) ||
			      !memcmp(head, MAGIC_1, 8)));
}

int perf_header_read(struct perf *p, struct pifile_fault *fault)
{
	struct perf_file *f = &p->file[0];
	struct perf_section whole = { 0, f->size < HEADER_NEW ? f->size : HEADER_NEW };
	struct blob data = perf_part(p, whole, HEADER_NEW);
	struct bytes b;
	uint64_t turned;
	int rc;

	if (data.size < HEADER_PIPE) {
		blob_free(&data);
		fault->offset = whole.size;
		snprintf(fault->what, sizeof(fault->what),
			 "a perf.data file that ends in its header");
		return -EBADMSG;
	}
	if (is_bare(data.data, data.size)) {
		blob_free(&data);
		p->version = 2;
		p->pipe = true;
		f->end = f->size;
		perf_fault(p, 0,
			   "the header of a pipe is missing, as perf 6.1 inject leaves it out");
		return 0;
	}
	/* The header's size is small, which shows the byte order for all versions. */
	p->version = memcmp(data.data, MAGIC_1, 8) ? 2 : 1;
	memcpy(&p->header_size, (uint8_t *)data.data + 8, 8);
	p->swap = p->header_size > UINT32_MAX;
	b = perf_bytes(p, data.data, data.size);
	bytes_skip(&b, 8);
	p->header_size = bytes_u64(&b);
	p->pipe = p->header_size == HEADER_PIPE;
	if (p->pipe) {
		f->begin = HEADER_PIPE;
		f->end = f->size;
		blob_free(&data);
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
		blob_free(&data);
		fault->offset = 8;
		snprintf(fault->what, sizeof(fault->what),
			 "a header of %" PRIu64
			 " bytes, or a file that ends in it: perf's have 72, 104 or 16 (a pipe's)",
			 p->header_size);
		return -EBADMSG;
	}
	for (unsigned int i = 0; i < 4 && p->header_size >= HEADER_NEW; i++)
		p->feature_bits[i] = bytes_u64(&b);
	/* A bitmap written as 64-bit words may have its 32-bit halves swapped. */
	turned = p->feature_bits[0] << 32 | p->feature_bits[0] >> 32;
	if (p->swap && !(p->feature_bits[0] & 1u << PERF_HOSTNAME) && turned & 1u << PERF_HOSTNAME)
		p->feature_bits[0] = turned;
	blob_free(&data);
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
		perf_fault(p, 48,
			   "perf did not end this file: the length of its data is 0, all up "
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
	rc = perf_attrs_read(p);
	if (!rc)
		read_features(p);
	return rc;
}

void perf_header_free(struct perf *p)
{
	uint32_t i;

	perf_attrs_free(p);
	for (i = 0; i < p->nbuild_ids; i++)
		free(p->build_id[i].path);
	for (i = 0; i < PERF_FEATURES; i++)
		blob_free(&p->feature_data[i]);
	free(p->build_id);
	free(p->fault);
}

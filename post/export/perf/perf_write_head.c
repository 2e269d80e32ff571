/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the header of a perf.data: attributes and features, in a file or as records of a pipe. */
#include "export/perf/perf_write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/profile.h"

#define ATTR 128 /* bytes of an attr */

/* Appends a text in the encoding of features. */
static void long_text(struct perf_out *o, const char *s)
{
	perf_write_u32(o, (uint32_t)((strlen(s) + 64) & ~(size_t)63));
	perf_write_text(o, s, 64);
}

static const char *event_name(const struct perf_writing *w, uint32_t i)
{
	return !w->kind[i]                 ? "cpu-clock" :
	       w->kind[i] == EVENT_UNNAMED ? "dummy" :
					     w->job->trace->events.kind[w->kind[i]].name;
}

/* Returns what restricts the event: as the file says it was opened, else by our own flags and the
 * modifiers in its name. */
static uint64_t limits_of(const struct perf_writing *w, uint32_t i)
{
	const struct event *e = &w->job->trace->events.kind[w->kind[i]];
	uint64_t flags;

	if (e->detailed)
		return e->how.flags;
	flags = perf_event_modifiers(event_name(w, i));
	if (e->flags & PITRACE_EVENT_USER)
		flags |= 1ull << PERF_BIT_NO_KERNEL | 1ull << PERF_BIT_NO_HV;
	if (e->flags & PITRACE_EVENT_KERNEL)
		flags |= 1ull << PERF_BIT_NO_USER | 1ull << PERF_BIT_NO_HV;
	return flags;
}

static void put_limits(struct perf_event_attr *a, uint64_t flags)
{
	a->pinned = flags >> PERF_BIT_PINNED & 1;
	a->exclusive = flags >> PERF_BIT_EXCLUSIVE & 1;
	a->exclude_user = flags >> PERF_BIT_NO_USER & 1;
	a->exclude_kernel = flags >> PERF_BIT_NO_KERNEL & 1;
	a->exclude_hv = flags >> PERF_BIT_NO_HV & 1;
	a->exclude_idle = flags >> PERF_BIT_NO_IDLE & 1;
	a->precise_ip = flags >> PERF_BIT_PRECISE & 3;
	a->exclude_host = flags >> PERF_BIT_NO_HOST & 1;
	a->exclude_guest = flags >> PERF_BIT_NO_GUEST & 1;
}

static void put_attr(struct perf_writing *w, uint32_t i)
{
	const struct event *e = &w->job->trace->events.kind[w->kind[i]];
	struct perf_event_attr a = {
		.size = ATTR,
		.sample_type = w->type | perf_write_details_type(w, i),
		.read_format = PERF_FORMAT_ID,
		.sample_period = e->period,
		.freq = !!(e->flags & PITRACE_EVENT_RATE),
		.disabled = 1,
		.inherit = 1,
		.mmap = i == 0,
		.comm = i == 0,
		.task = i == 0,
		.mmap2 = i == 0,
		.comm_exec = i == 0,
		.context_switch = i == 0,
		.sample_id_all = 1,
		.cgroup = i == 0,
		.namespaces = i == 0,
		.text_poke = i == 0,
	};
	uint32_t type;

	if (e->detailed && (e->how.type != PERF_TYPE_TRACEPOINT || w->formats.size)) {
		type = e->how.type;
		a.config = e->how.config;
		a.config1 = e->how.config1;
		a.config2 = e->how.config2;
		a.branch_sample_type = a.sample_type & PERF_SAMPLE_BRANCH_STACK ?
					       e->how.branch_type :
					       0;
	} else if (!perf_event_named(event_name(w, i), &type, &a.config)) {
		type = PERF_TYPE_SOFTWARE;
		a.config = PERF_COUNT_SW_DUMMY;
	}
	if (a.sample_type & PERF_SAMPLE_REGS_USER)
		a.sample_regs_user = e->how.regs_user;
	if (a.sample_type & PERF_SAMPLE_REGS_INTR)
		a.sample_regs_intr = e->how.regs_intr;
	a.type = type;
	put_limits(&a, limits_of(w, i));
	if (!w->kind[i]) {
		a.freq = 1;
		a.sample_freq = w->job->trace->rate;
	}
	if (w->job->input->reader->own) {
		a.use_clockid = 1;
		a.clockid = CLOCK_MONOTONIC;
	}
	perf_write_bytes(&w->o, &a, sizeof(a) < ATTR ? sizeof(a) : ATTR);
	perf_write_grow(&w->o, sizeof(a) < ATTR ? ATTR - sizeof(a) : 0);
}

static void put_fact(struct perf_writing *w, const char *key)
{
	const char *fact = trace_fact(w->job->trace, key);

	if (fact)
		long_text(&w->o, fact);
}

static void put_build_ids(struct perf_writing *w)
{
	const struct names *names = &w->job->model->names;

	if (w->kernel_ids.size)
		perf_write_bytes(&w->o, w->kernel_ids.data, w->kernel_ids.size);
	for (uint32_t i = 0; i < names->nmodule; i++) {
		const uint8_t *id;
		size_t n = profile_build_id(names, i, &id), size;
		const char *name = names->module[i].name;
		void *room;

		if (!n || n > 20 || name[0] == '[')
			continue;
		size = PERF_BUILD_ID_ENTRY(strlen(name) + 1);
		room = size <= UINT16_MAX ? perf_write_grow(&w->o, size) : NULL;
		w->too_long += size > UINT16_MAX;
		if (room)
			perf_build_id_entry(room, PERF_RECORD_MISC_USER, -1, id, n, name);
	}
}

static void put_event_desc(struct perf_writing *w)
{
	perf_write_u32(&w->o, w->nevents);
	perf_write_u32(&w->o, ATTR);
	for (uint32_t i = 0; i < w->nevents; i++) {
		put_attr(w, i);
		perf_write_u32(&w->o, 1);
		long_text(&w->o, event_name(w, i));
		perf_write_u64(&w->o, PERF_WRITE_FIRST_ID + i);
	}
}

/* Builds a feature's bytes; none if the trace lacks it. */
static void put_feature(struct perf_writing *w, unsigned int feature)
{
	const struct pifile_header *h = &w->job->input->header;
	char room[sizeof(h->release) + 1];
	const char *command;
	uint64_t wall;

	switch (feature) {
	case PERF_TRACING_DATA:
		if (!w->pipe && w->formats.size)
			perf_write_bytes(&w->o, w->formats.data, w->formats.size);
		break;
	case PERF_BUILD_ID:
		put_build_ids(w);
		break;
	case PERF_HOSTNAME:
		put_fact(w, "host");
		break;
	case PERF_OSRELEASE:
	case PERF_ARCH:
		snprintf(room, sizeof(room), "%.*s",
			 (int)(feature == PERF_ARCH ? sizeof(h->machine) : sizeof(h->release)),
			 feature == PERF_ARCH ? h->machine : h->release);
		if (*room)
			long_text(&w->o, room);
		break;
	case PERF_VERSION:
		long_text(&w->o, "pitrace " PITRACE_VERSION);
		break;
	case PERF_NRCPUS:
		perf_write_u32(&w->o, h->ncpus);
		perf_write_u32(&w->o,
			       w->job->trace->cpus_online ? w->job->trace->cpus_online : h->ncpus);
		break;
	case PERF_CPUDESC:
		put_fact(w, "cpu model");
		break;
	case PERF_CMDLINE:
		command = trace_fact(w->job->trace, "command");
		if (command) {
			perf_write_u32(&w->o, 1);
			long_text(&w->o, command);
		}
		break;
	case PERF_EVENT_DESC:
		put_event_desc(w);
		break;
	case PERF_SAMPLE_TIMES:
		if (!w->pipe) {
			perf_write_u64(&w->o, w->first);
			perf_write_u64(&w->o, w->last);
		}
		break;
	case PERF_CLOCK_DATA:
		wall = w->job->input->reader->own ? w->job->trace->start_realtime : 0;
		if (wall) {
			perf_write_u32(&w->o, 1);
			perf_write_u32(&w->o, CLOCK_MONOTONIC);
			perf_write_u64(&w->o, wall);
			perf_write_u64(&w->o, w->job->trace->on_at);
		}
		break;
	}
}

void perf_write_head(struct perf_writing *w, uint64_t data_size, uint64_t features)
{
	uint64_t attrs = 104 + 8 * w->nevents, data = attrs + w->nevents * (ATTR + 16), ignored = 0;
	uint32_t i;

	w->o.n = 0;
	perf_write_bytes(&w->o, "PERFILE2", 8);
	perf_write_u64(&w->o, 104);
	perf_write_u64(&w->o, ATTR + 16);
	perf_write_u64(&w->o, attrs);
	perf_write_u64(&w->o, w->nevents * (ATTR + 16));
	perf_write_u64(&w->o, data);
	perf_write_u64(&w->o, data_size);
	perf_write_u64(&w->o, 0);
	perf_write_u64(&w->o, 0);
	perf_write_u64(&w->o, features);
	for (i = 0; i < 3; i++)
		perf_write_u64(&w->o, 0);
	for (i = 0; i < w->nevents; i++)
		perf_write_u64(&w->o, PERF_WRITE_FIRST_ID + i);
	for (i = 0; i < w->nevents; i++) {
		put_attr(w, i);
		perf_write_u64(&w->o, 104 + 8 * i);
		perf_write_u64(&w->o, 8);
	}
	perf_write_flush(w, &ignored);
}

/* Writes the table of features after the data, then their contents. */
uint64_t perf_write_features(struct perf_writing *w)
{
	uint64_t at = 104 + 8 * w->nevents + w->nevents * (ATTR + 16) + w->written, bits = 0;
	uint64_t size[64] = { 0 }, n = 0, ignored = 0;
	struct perf_out table = { 0 };
	unsigned int i;

	w->o.n = 0;
	for (i = 1; i < 64; i++) {
		uint64_t before = w->o.n;

		put_feature(w, i);
		size[i] = w->o.n - before;
		if (size[i]) {
			bits |= 1ull << i;
			n++;
		}
	}
	at += 16 * n;
	for (i = 1; i < 64; i++) {
		if (!size[i])
			continue;
		perf_write_u64(&table, at);
		perf_write_u64(&table, size[i]);
		at += size[i];
	}
	if (table.no_memory || !table.data)
		w->rc = -ENOMEM;
	else
		fwrite_unlocked(table.data, 1, table.n, w->file);
	free(table.data);
	perf_write_flush(w, &ignored);
	return bits;
}

/* The formats of tracepoints are not included in the size of their record. */
static void put_pipe_formats(struct perf_writing *w)
{
	size_t n = w->formats.size, padded = (n + 7) & ~(size_t)7;

	if (!n)
		return;
	perf_write_begin(w, PERF_HEADER_TRACING_DATA, 0);
	perf_write_u32(&w->o, (uint32_t)padded);
	perf_write_u32(&w->o, 0);
	perf_write_end(w);
	perf_write_bytes(&w->o, w->formats.data, n);
	perf_write_grow(&w->o, padded - n);
	perf_write_flush(w, &w->written);
}

void perf_write_pipe_head(struct perf_writing *w)
{
	uint64_t ignored = 0;
	uint32_t i;

	perf_write_bytes(&w->o, "PERFILE2", 8);
	perf_write_u64(&w->o, 16);
	perf_write_flush(w, &ignored);
	for (i = 0; i < w->nevents; i++) {
		perf_write_begin(w, PERF_HEADER_ATTR, 0);
		put_attr(w, i);
		perf_write_u64(&w->o, PERF_WRITE_FIRST_ID + i);
		perf_write_end(w);
		perf_write_begin(w, PERF_EVENT_UPDATE, 0);
		perf_write_u64(&w->o, 2);
		perf_write_u64(&w->o, PERF_WRITE_FIRST_ID + i);
		perf_write_text(&w->o, event_name(w, i), 8);
		perf_write_end(w);
	}
	for (i = 1; i < 64; i++) {
		if (i == PERF_BUILD_ID)
			continue; /* written as records after the data */
		perf_write_begin(w, PERF_HEADER_FEATURE, 0);
		perf_write_u64(&w->o, i);
		put_feature(w, i);
		if (w->o.n > 16)
			perf_write_end(w);
	}
	put_pipe_formats(w);
}

/* Entries of the table are records without a type. */
void perf_write_pipe_build_ids(struct perf_writing *w)
{
	size_t at = 0;

	w->o.n = 0;
	put_build_ids(w);
	while (!w->o.no_memory && at < w->o.n) {
		uint32_t type = PERF_HEADER_BUILD_ID;
		uint16_t size;

		memcpy(w->o.data + at, &type, sizeof(type));
		memcpy(&size, w->o.data + at + 6, sizeof(size));
		at += size;
	}
	perf_write_flush(w, &w->written);
}

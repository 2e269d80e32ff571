/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Converts perf's records to ours, in time order. libperfutil does so for records that also occur
 * in a ring; this file handles what only a perf.data has: the kernel's mappings, processes that
 * perf found running at its start, whose times are 0, groups that are read with their leader.
 */
#include "input/perf/perf_convert.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "input/perf/perf_attr.h"
#include "input/perf/perf_build_ids.h"
#include "input/perf/perf_bytes.h"
#include "input/perf/perf_deferred.h"
#include "input/perf/perf_cgroups.h"
#include "input/perf/perf_details.h"
#include "input/perf/perf_info.h"
#include "input/perf/perf_kernel.h"
#include "input/perf/perf_pt.h"
#include "input/perf/perf_converted.h"
#include "record/detail.h"

#define TEXT_ROOM 4096
#define HEAD_ROOM 64
_Static_assert(sizeof(struct pitrace_mte_map) <= HEAD_ROOM &&
		       sizeof(struct detail_kernel_map) <= HEAD_ROOM &&
		       sizeof(struct detail_ksymbol) <= HEAD_ROOM,
	       "room for what stands before a text");

/* ---- names ----------------------------------------------------------------------------------- */

/* Puts a record that ends with a text, padded with NULs to whole words. */
static int put_with_text(struct perf_converted *t, uint16_t major, uint32_t minor, const void *head,
			 size_t size, const char *text, size_t n)
{
	uint8_t room[HEAD_ROOM + TEXT_ROOM + 4];

	memcpy(room, head, size);
	memset(room + size + (n & ~(size_t)3), 0, 4);
	memcpy(room + size, text, n);
	return perf_converted_put(t, major, minor, room, size + (n & ~(size_t)3) + 4, t->time);
}

static size_t text_bytes(const struct perf_item *i, size_t most)
{
	return i->text_len < most ? i->text_len : most;
}

static int put_kernel_range(struct perf_converted *t, const char *name, uint64_t start,
			    uint64_t length)
{
	const struct pitrace_mte_map map = {
		.flags = PITRACE_MAP_KERNEL | PITRACE_MAP_EXEC,
		.start = start,
		.length = length,
		.path_len = (uint32_t)strlen(name),
	};

	return put_with_text(t, PITRACE_MTE, PITRACE_MTE_MODULE, &map, sizeof(map), name,
			     strlen(name));
}

/* The same with perf's path and build id. */
static int put_kernel_map(struct perf_converted *t, const struct perf_item *i)
{
	struct detail_kernel_map map = {
		.start = i->start,
		.length = i->length,
		.offset = i->offset,
		.id_length = i->build_id ? i->build_id_size : 0,
	};

	if (i->build_id)
		memcpy(map.id, i->build_id, i->build_id_size);
	return put_with_text(t, DETAIL_RECORD, DETAIL_KERNEL_MAP, &map, sizeof(map), i->text,
			     text_bytes(i, TEXT_ROOM));
}

static int put_ksymbol(struct perf_converted *t, const struct perf_item *i)
{
	const struct detail_ksymbol symbol = {
		.start = i->start,
		.length = (uint32_t)i->length,
		.type = i->symbol_type,
		.flags = i->gone ? PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER : 0,
	};

	return put_with_text(t, DETAIL_RECORD, DETAIL_KSYMBOL, &symbol, sizeof(symbol), i->text,
			     text_bytes(i, 512));
}

static bool of_kernel(const struct perf_item *i)
{
	return (i->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL ||
	       i->of_pid == UINT32_MAX;
}

static int put_mapping(struct perf_converted *t, struct perf_item *i)
{
	uint32_t mode = i->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	const struct perf_build_id *b;
	struct pitrace_mte_buildid id;
	char name[256];
	int rc;

	if (of_kernel(i)) {
		rc = t->p->what & INPUT_DETAILS ? put_kernel_map(t, i) : 0;
		if (rc)
			return rc;
		if (strncmp(i->text, "[kernel", 7) &&
		    perf_kernel_module(i->text, name, sizeof(name)))
			return put_kernel_range(t, name, i->start, i->length);
		return 0;
	}
	if (mode == PERF_RECORD_MISC_GUEST_KERNEL || mode == PERF_RECORD_MISC_GUEST_USER)
		return 0;
	b = i->build_id ? NULL : perf_file_id(t->p, i->text, i->inode);
	if (b && i->inode) {
		rc = perf_put_name(i, perf_converted_put, t);
		id = (struct pitrace_mte_buildid){
			.dev_major = i->dev_major,
			.dev_minor = i->dev_minor,
			.inode = i->inode,
			.generation = i->generation,
			.length = b->size,
		};
		memcpy(id.id, b->id, b->size);
		return rc ? rc :
			    perf_converted_put(t, PITRACE_MTE, PITRACE_MTE_BUILDID, &id, sizeof(id),
					       t->time);
	}
	if (b) {
		i->build_id = b->id;
		i->build_id_size = b->size;
	}
	return perf_put_name(i, perf_converted_put, t);
}

/* ---- samples, losses, dispatches ------------------------------------------------------------- */

static int put_one(struct perf_converted *t, const struct perf_item *i, uint32_t attr)
{
	const struct perf_attr *a = &t->p->attr[attr];

	return perf_put_sample(i, &a->stacks, attr < EVENT_NUMBERS ? attr : EVENT_NUMBERS - 1,
			       perf_converted_put, t);
}

int perf_each_sample(struct perf *p, const struct perf_item *item, uint32_t attr,
		     int (*each)(void *arg, const struct perf_item *i, uint32_t attr), void *arg)
{
	const struct perf_attr *a = &p->attr[attr];
	uint64_t format = a->shape.read_format, k;
	struct perf_item i;
	int rc = 0;

	if (!(a->shape.sample_type & PERF_SAMPLE_READ) || !(format & PERF_FORMAT_ID))
		return each(arg, item, attr);
	i = *item;
	for (k = 0; k < item->nvalues && !rc; k++) {
		const uint8_t *value = item->values + 8 * k * item->value_words;
		uint64_t at = format & PERF_FORMAT_GROUP ?
				      1 :
				      1 + !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
					      !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
		struct perf_id *id = perf_id_find(p, perf_word(item, value, at));
		uint64_t now = perf_word(item, value, 0);

		if (!id)
			continue;
		/* the count since the last read; without one there is no sample */
		i.period = now - id->counted;
		id->counted = now;
		if (i.period)
			rc = each(arg, &i, id->attr);
	}
	return rc;
}

static int each_alone(void *arg, const struct perf_item *i, uint32_t attr)
{
	struct perf_converted *t = arg;
	struct perf *p = t->p;
	int rc = 0;

	if (p->what & INPUT_DETAILS)
		rc = perf_details_sample(p, i, attr, perf_converted_put, t);
	return rc ? rc : put_one(t, i, attr);
}

/* Converts a sample of a scheduler's tracepoint to a dispatch. */
static int put_sched(struct perf_converted *t, const struct perf_item *i, uint32_t attr)
{
	struct perf *p = t->p;
	int rc = p->sched ? perf_details_task(p->details, i->pid, i->tid) : 0;

	return rc || !p->sched ? rc : perf_details_sched(p, i, attr, t->cpu, perf_converted_put, t);
}

static int each_sample(void *arg, const struct perf_item *i, uint32_t attr)
{
	int rc = each_alone(arg, i, attr);

	return rc ? rc : put_sched(arg, i, attr);
}

/* Called with a sample and the stack that it waited for. */
static int waited(struct perf *p, const struct perf_waiting *w, const struct perf_item *item)
{
	struct perf_converted *t = p->converted;

	t->p = p;
	t->offset = w->offset;
	t->cpu = item->cpu < TRACE_MAX_CPUS ? item->cpu : 0;
	t->walk = false;
	t->time = w->time;
	return perf_each_sample(p, item, w->attr, each_alone, t);
}

/* Dispatches keep the time order, even while a sample waits for its stack. */
static int put_sample(struct perf_converted *t, const struct perf_item *i,
		      const struct perf_entry *e)
{
	int rc;

	if (!i->deferred)
		return perf_each_sample(t->p, i, e->held->attr, each_sample, t);
	rc = put_sched(t, i, e->held->attr);
	return rc ? rc : perf_deferred_wait(t->p, i, e, t->time, waited);
}

static int lose(struct perf_converted *t, enum pitrace_lost kind, uint64_t count)
{
	struct perf *p = t->p;
	struct pitrace_lost_rec r = { .count = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX };
	uint64_t *total;

	if (array_reach(p->lost_total, p->nlost, t->cpu))
		return -ENOMEM;
	total = &p->lost_total[t->cpu][kind == PITRACE_LOST_THROTTLED];
	r.total = *total += count;
	return perf_converted_put(t, PITRACE_LOST, kind, &r, sizeof(r), t->time);
}

/* Puts a dispatch with the stack of the preceding tracepoint sample. */
static int put_switch(void *arg, uint16_t major, uint32_t minor, const void *data, size_t size,
		      uint64_t time)
{
	struct perf_converted *t = arg;

	(void)major;
	(void)size;
	return perf_details_dispatch(t->p->details, t->cpu, minor, data, time, perf_converted_put,
				     t);
}

static int put_dispatch(struct perf_converted *t, const struct perf_item *i)
{
	struct perf *p = t->p;

	if (array_reach(p->running, p->nrunning, t->cpu))
		return -ENOMEM;
	return perf_put_dispatch(i, &p->running[t->cpu], put_switch, t);
}

/* ---- each record ----------------------------------------------------------------------------- */

int perf_convert(struct perf *p, const struct perf_entry *e)
{
	const struct perf_attr *a = &p->attr[e->held->attr];
	struct perf_converted *t = p->converted;
	const uint8_t *record = e->held->record;
	struct perf_item item;
	const char *why;
	uint32_t size = e->held->size;
	char what[128];
	int rc;

	if (a->unknown && perf_u32(p, record) == PERF_RECORD_SAMPLE)
		return 0;
	if (perf_decode(&a->shape, record, size, &item, &why)) {
		snprintf(what, sizeof(what), "%s, type %u: %s", perf_type_name(item.type),
			 item.type, why);
		perf_fault_in(p, e->held->file, e->held->offset, what);
		return 0;
	}
	if (p->pt && p->what & PIMERGE_TRACE && perf_pt_record(p, &item))
		return -ENOMEM;
	if (item.type == PERF_RECORD_EXIT && perf_deferred_thread_ends(p, item.of_tid))
		return -ENOMEM;
	t->p = p;
	t->offset = e->held->offset;
	t->cpu = item.cpu < TRACE_MAX_CPUS ? item.cpu : 0;
	t->walk = !e->time && item.type != PERF_RECORD_SAMPLE;
	t->time = perf_converted_time(p, e, item.type == PERF_RECORD_SAMPLE);
	switch (item.type) {
	case PERF_RECORD_SAMPLE:
		rc = perf_cgroups_sample(p, &item, e->held->attr, perf_converted_put, t);
		return rc || !(p->what & PIMERGE_TRACE) ? rc : put_sample(t, &item, e);
	case PERF_CALLCHAIN_DEFERRED:
		return perf_deferred_stack(p, &item);
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return put_mapping(t, &item);
	case PERF_RECORD_FORK:
		if (item.of_pid == item.of_tid)
			perf_cgroups_fork(p->cgroups, item.of_pid);
		/* fall through */
	case PERF_RECORD_COMM:
	case PERF_RECORD_EXIT:
		if (p->sched && perf_details_task(p->details, item.of_pid, item.of_tid))
			return -ENOMEM;
		return perf_put_name(&item, perf_converted_put, t);
	case PERF_RECORD_KSYMBOL:
		if (p->what & INPUT_DETAILS && put_ksymbol(t, &item))
			return -ENOMEM;
		return perf_put_name(&item, perf_converted_put, t);
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		return lose(t, PITRACE_LOST_TPROF, item.lost);
	case PERF_RECORD_UNTHROTTLE:
		return lose(t, PITRACE_LOST_THROTTLED, 1);
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return put_dispatch(t, &item);
	}
	rc = item.type == PERF_RECORD_CGROUP ? perf_cgroups_path(p, &item, perf_converted_put, t) :
					       0;
	return rc ? rc : perf_details_record(p, &item, perf_converted_put, t);
}

static int put_sync(struct perf *p, enum pitrace_sync_why why, uint64_t time)
{
	struct pitrace_sync s = {
		.stamp = time,
		.monotonic = time,
		.realtime = p->in->reader->realtime(p->in, time),
	};
	struct perf_converted *t = p->converted;

	t->p = p;
	t->time = time;
	t->offset = 0;
	t->cpu = 0;
	t->walk = false;
	return perf_converted_put(t, PITRACE_SYNC, why, &s, sizeof(s), time);
}

/* Emits the start of tracing, before the first record; then the events. */
int perf_convert_begin(struct perf *p)
{
	int rc = put_sync(p, PITRACE_SYNC_ON, p->first ? p->first - 1 : 0);

	for (uint32_t i = 0; i < p->nattrs && i < EVENT_NUMBERS - 1 && !rc; i++) {
		const struct perf_attr *a = &p->attr[i];
		struct pitrace_event_rec e = {
			.event = i,
			.flags = a->freq ? PITRACE_EVENT_RATE : 0,
			.period = a->period,
		};

		if (!a->samples)
			continue; /* only used for names and dispatches */
		snprintf(e.name, sizeof(e.name), "%s", a->name);
		rc = perf_converted_put(p->converted, PITRACE_SYSINFO, PITRACE_SYSINFO_EVENT, &e,
					sizeof(e), p->first);
		if (!rc)
			rc = perf_details_event(p, i, perf_converted_put, p->converted);
	}
	return rc;
}

int perf_convert_end(struct perf *p)
{
	int rc = perf_deferred_end(p);

	return rc ? rc : put_sync(p, PITRACE_SYNC_OFF, p->time);
}

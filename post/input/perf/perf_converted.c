/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Our records made from perf's, until they are returned. */
#include "input/perf/perf_converted.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "file/record_kinds.h"
#include "record/detail.h"

struct said {
	struct pirecord r;
	size_t at; /* offset of its data */
};

struct perf_converted *perf_converted_new(void)
{
	return calloc(1, sizeof(struct perf_converted));
}

void perf_converted_free(struct perf_converted *t)
{
	if (!t)
		return;
	free(t->said);
	free(t->data);
	free(t);
}

bool perf_converted_next(struct perf_converted *t, struct pirecord *r)
{
	if (t->next == t->n) {
		t->next = t->n = t->used = 0;
		return false;
	}
	*r = t->said[t->next].r;
	r->data = t->data + t->said[t->next++].at;
	return true;
}

bool perf_converted_any(const struct perf_converted *t)
{
	return t->next < t->n;
}

/* Returns whether a detail defines names: it then passes every filter. */
static bool is_name(uint32_t kind)
{
	return kind == DETAIL_EVENT || kind == DETAIL_KERNEL_MAP || kind == DETAIL_KSYMBOL;
}

int perf_converted_put(void *arg, uint16_t major, uint32_t minor, const void *data, size_t size,
		       uint64_t time)
{
	struct perf_converted *t = arg;
	struct said *s;

	(void)time;
	if (array_next(t->said, t->n, t->room) ||
	    array_room(t->data, t->room_data, t->used + size + 8))
		return -ENOMEM;
	s = &t->said[t->n++];
	s->at = t->used;
	memcpy(t->data + t->used, data, size);
	t->used += (size + 7) & ~(size_t)7;
	s->r = (struct pirecord){
		.stamp = t->time,
		.time = t->time,
		.cpu = t->cpu,
		.major = major,
		.ring = major == PITRACE_MTE || major == PITRACE_SYNC || major == PITRACE_SYSINFO ||
					(major == DETAIL_RECORD && is_name(minor & DETAIL_KIND)) ?
				PITRACE_RING_MTE :
				PITRACE_RING_TRACE,
		.type = PITRACE_TYPE_STRUCT,
		.minor = minor,
		.size = (uint32_t)size,
		.offset = t->offset,
	};
	if (t->walk && major == PITRACE_MTE &&
	    (minor == PITRACE_MTE_MODULE || minor == PITRACE_MTE_UNLOAD))
		((struct pitrace_mte_map *)(t->data + s->at))->flags |= PITRACE_MAP_WALK;
	else if (t->walk && major == PITRACE_MTE && minor != PITRACE_MTE_BUILDID &&
		 minor != MTE_CGROUP)
		((struct pitrace_mte_task *)(t->data + s->at))->flags |= PITRACE_TASK_WALK;
	return 0;
}

int perf_converted_alone(struct perf *p, uint16_t major, uint32_t minor, const void *data,
			 size_t size, uint64_t time, uint32_t cpu)
{
	struct perf_converted *t = p->converted;

	t->p = p;
	t->offset = 0;
	t->cpu = cpu;
	t->walk = false;
	if (time > p->time)
		p->time = time;
	t->time = p->time;
	return perf_converted_put(t, major, minor, data, size, t->time);
}

uint64_t perf_converted_time(struct perf *p, const struct perf_entry *e, bool sample)
{
	uint64_t time = e->time;

	/* Without times, records keep the order in the file. */
	if (!p->first)
		time = p->time + 1;
	else if (!e->time)
		time = p->time > p->first - 1 ? p->time : p->first - 1;
	/* Names keep the time order, even if the clocks of CPUs differ. */
	else if (time < p->time && !sample)
		time = p->time;
	if (time > p->time)
		p->time = time;
	return time;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Renumbers pids, CPUs and events of a record, which are unique only within one trace. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "file/record_kinds.h"
#include "input/merged_inner.h"
#include "record/call_record.h"
#include "record/detail.h"

uint32_t merged_cpu(struct merged *m, struct merged_part *p, uint32_t cpu)
{
	if (cpu >= TRACE_MAX_CPUS)
		return NO_CPU;
	if (cpu >= p->cpus) {
		if (array_room(p->cpu, p->room_cpus, cpu + 1)) {
			m->no_memory = true;
			return NO_CPU;
		}
		memset(p->cpu + p->cpus, 0xFF, (cpu + 1 - p->cpus) * sizeof(*p->cpu));
		/* Its switch-off record is sent with those of the others. */
		if (p->next_cpu == p->cpus)
			p->next_cpu = cpu + 1;
		p->cpus = cpu + 1;
	}
	if (p->cpu[cpu] == NO_CPU)
		p->cpu[cpu] = m->cpus++;
	return p->cpu[cpu];
}

/* Event number of samples whose event has no name or no free number: never a named event. */
#define UNNAMED EVENT_NUMBERS

/* Events of the same name in several traces are one event. Returns 0 if there are too many. */
static uint32_t event_number(struct merged *m, const char name[64])
{
	uint32_t i;

	for (i = 0; i < m->events && memcmp(m->named[i], name, 64) != 0; i++)
		;
	if (i == UNNAMED - 1)
		return 0;
	if (i == m->events)
		memcpy(m->named[m->events++], name, 64);
	return i + 1;
}

/* Overwrites a word of the record's data. */
static void patch(struct merged *m, const struct pirecord *r, size_t offset, uint32_t value)
{
	if (offset + sizeof(value) <= r->size)
		memcpy(m->room + offset, &value, sizeof(value));
}

static uint32_t word(const struct merged *m, const struct pirecord *r, size_t offset)
{
	uint32_t value = 0;

	if (offset + sizeof(value) <= r->size)
		memcpy(&value, m->room + offset, sizeof(value));
	return value;
}

static void patch_pid(struct merged *m, const struct pirecord *r, size_t offset)
{
	patch(m, r, offset, origin_pid(r->origin, word(m, r, offset)));
}

/* The idle task's tid is 0 in all traces. */
static void patch_tid(struct merged *m, const struct pirecord *r, size_t offset)
{
	if (word(m, r, offset))
		patch_pid(m, r, offset);
}

static void patch_both(struct merged *m, const struct pirecord *r, size_t pid, size_t tid)
{
	patch_pid(m, r, pid);
	patch_tid(m, r, tid);
}

static void patch_mte(struct merged *m, const struct pirecord *r)
{
	switch (r->minor) {
	case PITRACE_MTE_BUILDID:
		return;
	case MTE_CGROUP:
	case PITRACE_MTE_MODULE:
	case PITRACE_MTE_UNLOAD:
	case PITRACE_MTE_UNMAP:
		patch_pid(m, r, 0);
		return;
	case PITRACE_MTE_JIT:
	case PITRACE_MTE_JAVA_THREAD:
	case PITRACE_MTE_DECLARE:
		break;
	default:
		patch_pid(m, r, offsetof(struct pitrace_mte_task, ppid));
	}
	patch_both(m, r, 0, 4);
}

static void patch_system(struct merged *m, struct merged_part *p, struct pirecord *r)
{
	uint32_t number, own;

	if (r->minor == PITRACE_SYSINFO_INTERVAL) {
		/* A gap only concerns the CPUs of its own trace; cpus_online describes a single
		 * machine. */
		patch(m, r, offsetof(struct pitrace_interval, flags),
		      word(m, r, offsetof(struct pitrace_interval, flags)) |
			      PITRACE_INTERVAL_AGAIN);
		patch(m, r, offsetof(struct pitrace_interval, cpus_online), 0);
	}
	if (r->minor != PITRACE_SYSINFO_EVENT || r->size < sizeof(struct pitrace_event_rec))
		return;
	own = word(m, r, 0);
	if (own >= EVENT_NUMBERS)
		return;
	number = event_number(m, (const char *)m->room + offsetof(struct pitrace_event_rec, name));
	p->event[own + 1] = (uint8_t)number;
	patch(m, r, 0, number ? number - 1 : UINT32_MAX);
}

static void patch_sample(struct merged *m, struct merged_part *p, struct pirecord *r)
{
	uint32_t own = r->minor >> PITRACE_TPROF_EVENT_SHIFT, low, number;

	if (r->major == PITRACE_TPROF && (r->minor & PITRACE_TPROF_KIND) == PITRACE_TPROF_IDLE)
		return;
	patch_both(m, r, 0, 4);
	if (own && own <= EVENT_NUMBERS) {
		low = r->minor & ((1u << PITRACE_TPROF_EVENT_SHIFT) - 1);
		number = p->event[own] ? p->event[own] : UNNAMED;
		r->minor = low | number << PITRACE_TPROF_EVENT_SHIFT;
	}
}

static void patch_wakeup(struct merged *m, struct merged_part *p, const struct pirecord *r)
{
	size_t cpu = offsetof(struct pitrace_wakeup, cpu);

	patch_both(m, r, 0, 4);
	patch_both(m, r, 8, 12);
	patch(m, r, cpu, merged_cpu(m, p, word(m, r, cpu)));
}

static void patch_record(struct merged *m, struct merged_part *p, struct pirecord *r)
{
	switch (r->major) {
	case PITRACE_LOST:
		return;
	case PITRACE_SYNC:
		patch(m, r, 0, r->cpu);
		return;
	case PITRACE_SYSINFO:
		patch_system(m, p, r);
		return;
	case PITRACE_MTE:
		patch_mte(m, r);
		return;
	case PITRACE_TPROF:
	case DETAIL_RECORD:
		patch_sample(m, p, r);
		return;
	case PITRACE_DISPATCH:
		patch_both(m, r, 0, 4);
		patch_both(m, r, 8, 12);
		return;
	case PITRACE_WAKEUP:
		patch_wakeup(m, p, r);
		return;
	case PITRACE_INTERRUPT:
		patch_tid(m, r, 4);
		return;
	case PITRACE_CODE:
		patch_pid(m, r, 0);
		return;
	}
	/* All other records start with their thread. */
	if (r->type == PITRACE_TYPE_STRUCT || pifile_user_major(r->major))
		patch_both(m, r, 0, 4);
}

int merged_record(struct merged *m, struct merged_part *p, struct pirecord *r)
{
	*r = p->head;
	r->origin = (uint32_t)(p - m->part);
	r->cpu = merged_cpu(m, p, r->cpu);
	m->gaps += r->gaps - p->gaps;
	p->gaps = r->gaps;
	r->gaps = m->gaps;
	if (m->no_memory || array_room(m->room, m->size, r->size))
		return -ENOMEM;
	if (r->size) {
		memcpy(m->room, r->data, r->size);
		r->data = m->room;
	}
	patch_record(m, p, r);
	return m->no_memory ? -ENOMEM : 1;
}

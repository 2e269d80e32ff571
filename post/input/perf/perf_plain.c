/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fast path: in most files almost all samples have a few fields at fixed offsets, and become a
 * single record. Comparing the size is the only check they need.
 */
#include "input/perf/perf_plain.h"

#include "input/perf/perf_converted.h"

void perf_plain_find(struct perf_attr *a)
{
	/* In the order of perf_event_open(2). */
	static const uint64_t fields[] = {
		PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP,   PERF_SAMPLE_TID,
		PERF_SAMPLE_TIME,       PERF_SAMPLE_ADDR, PERF_SAMPLE_ID,
		PERF_SAMPLE_STREAM_ID,  PERF_SAMPLE_CPU,  PERF_SAMPLE_PERIOD,
	};
	uint64_t others = a->shape.sample_type;
	struct perf_plain f = { .size = sizeof(struct perf_event_header) };

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (!(others & fields[i]))
			continue;
		others &= ~fields[i];
		if (fields[i] == PERF_SAMPLE_IP)
			f.ip = f.size;
		else if (fields[i] == PERF_SAMPLE_TID)
			f.tid = f.size;
		else if (fields[i] == PERF_SAMPLE_CPU)
			f.cpu = f.size;
		else if (fields[i] == PERF_SAMPLE_PERIOD)
			f.period = f.size;
		f.size += sizeof(uint64_t);
	}
	if (others)
		f = (struct perf_plain){ 0 };
	a->plain = f;
}

bool perf_plain_convert(struct perf *p, const struct perf_entry *e, struct pirecord *r)
{
	const struct perf_held *h = e->held;
	const struct perf_plain *f = &p->attr[h->attr].plain;
	const uint8_t *at = h->record;
	uint32_t event = h->attr < EVENT_NUMBERS ? h->attr : EVENT_NUMBERS - 1, cpu, mode;
	uint64_t time, period;

	if (!f->size || h->size < f->size || perf_u32(p, at) != PERF_RECORD_SAMPLE || p->sched ||
	    p->what & INPUT_DETAILS)
		return false;
	time = perf_converted_time(p, e, true);
	cpu = f->cpu ? perf_u32(p, at + f->cpu) : 0;
	mode = perf_u16(p, at + 4) & PERF_RECORD_MISC_CPUMODE_MASK;
	period = f->period ? perf_u64(p, at + f->period) : p->attr[h->attr].shape.period;
	p->sample = (struct pitrace_sample){
		.pid = f->tid ? perf_u32(p, at + f->tid) : 0,
		.tid = f->tid ? perf_u32(p, at + f->tid + 4) : 0,
		.address = f->ip ? perf_u64(p, at + f->ip) : 0,
		.period = period < UINT32_MAX ? (uint32_t)period : UINT32_MAX,
	};
	*r = (struct pirecord){
		.stamp = time,
		.time = time,
		.cpu = cpu < TRACE_MAX_CPUS ? cpu : 0,
		.ring = PITRACE_RING_TRACE,
		.major = PITRACE_TPROF,
		.type = PITRACE_TYPE_STRUCT,
		.minor = (mode == PERF_RECORD_MISC_USER ? PITRACE_TPROF_USER :
							  PITRACE_TPROF_KERNEL) |
			 (event + 1) << PITRACE_TPROF_EVENT_SHIFT,
		.data = &p->sample,
		.size = sizeof(p->sample),
		.offset = h->offset,
	};
	return true;
}

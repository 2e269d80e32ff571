/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Facts and counters of a trace. Losses are counted twice, in the counters at the end (STATS) and
 * in the LOST records at the gaps: the greater number is used, so that a truncated file still has
 * the losses reported by its records. The totals in records are those of the session; losses before
 * the first record belong to an earlier file (files that rotate).
 */
#include "model/trace_books.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "record/record_as.h"

void trace_begin(struct trace *t, struct input *in, const char *event)
{
	*t = (struct trace){
		.start_realtime = in->header.start_realtime,
		.rate = in->header.rate,
		.dither = in->header.dither,
		.wraps = in->header.mode == PITRACE_MODE_WRAP,
		.to = UINT64_MAX,
	};
	events_begin(&t->events, event);
}

struct trace_cpu *trace_new_cpu(struct trace *t, uint32_t cpu)
{
	if (array_reach(t->cpu, t->ncpus, cpu))
		return NULL;
	t->cpu[cpu].seen = true;
	return &t->cpu[cpu];
}

void trace_malformed(struct trace *t, const struct pirecord *r, const char *what)
{
	if (t->malformed++)
		return;
	t->first_malformed.offset = r->offset;
	snprintf(t->first_malformed.what, sizeof(t->first_malformed.what),
		 "record %02x/%x of %u bytes: %s", r->major, r->minor, r->size, what);
}

static void raise_to(uint64_t *value, uint64_t least)
{
	if (*value < least)
		*value = least;
}

static uint64_t within(const struct trace *t, uint64_t time)
{
	return time < t->from ? t->from : time > t->to ? t->to : time;
}

static void switch_on(struct trace *t, struct input *in, const struct pirecord *r)
{
	if (t->is_on)
		return;
	t->is_on = true;
	t->on_at = within(t, r->time);
	if (t->intervals++ == 0) {
		uint64_t start = in->reader->realtime(in, r->stamp);

		if (start)
			t->start_realtime = start;
		t->began = r->time;
	}
}

static void switch_off(struct trace *t, uint64_t time)
{
	time = within(t, time);
	if (t->is_on && time > t->on_at)
		t->duration += time - t->on_at;
	t->is_on = false;
}

static int lost_record(struct trace *t, const struct pirecord *r)
{
	const struct pitrace_lost_rec *l = RECORD_AS(r, struct pitrace_lost_rec);
	struct trace_cpu *cpu;

	if (!l || r->minor >= PITRACE_LOST_KINDS) {
		trace_malformed(t, r, "not a loss");
		return 0;
	}
	cpu = trace_cpu(t, r->cpu);
	if (!cpu)
		return -ENOMEM;
	if (!(cpu->reported & 1u << r->minor)) {
		cpu->reported |= 1u << r->minor;
		cpu->lost_before[r->minor] = l->total > l->count ? l->total - l->count : 0;
	}
	if (l->total > cpu->lost_before[r->minor])
		raise_to(&cpu->lost[r->minor], l->total - cpu->lost_before[r->minor]);
	return 0;
}

static void sync_record(struct trace *t, struct input *in, const struct pirecord *r)
{
	switch (r->minor) {
	case PITRACE_SYNC_ON:
		t->synced = true;
		switch_on(t, in, r);
		break;
	case PITRACE_SYNC_OFF:
		switch_off(t, r->time);
		break;
	case PITRACE_SYNC_UNSTABLE:
		t->unstable_clock = true;
		break;
	}
}

static void interval_record(struct trace *t, struct input *in, const struct pirecord *r)
{
	const struct pitrace_interval *i = RECORD_AS(r, struct pitrace_interval);

	if (!i) {
		trace_malformed(t, r, "not an interval");
		return;
	}
	if (!t->synced)
		switch_on(t, in, r);
	t->interval = i->interval;
	t->rate = i->rate;
	t->dither = i->dither;
	t->cpus_online = i->cpus_online;
}

static void event_record(struct trace *t, const struct pirecord *r)
{
	const struct pitrace_event_rec *e = RECORD_AS(r, struct pitrace_event_rec);

	if (!e || !events_reported(&t->events, e))
		trace_malformed(t, r, "not an event, or one too many");
}

int trace_reported(struct trace *t, struct input *in, const struct pirecord *r)
{
	switch (r->major) {
	case PITRACE_SYNC:
		sync_record(t, in, r);
		break;
	case PITRACE_LOST:
		return lost_record(t, r);
	case PITRACE_SYSINFO:
		if (r->minor == PITRACE_SYSINFO_INTERVAL)
			interval_record(t, in, r);
		else if (r->minor == PITRACE_SYSINFO_EVENT)
			event_record(t, r);
		break;
	case DETAIL_RECORD:
		if (detail_is(r, DETAIL_EVENT) && detail_whole(r))
			events_detail(&t->events, r->minor >> PITRACE_TPROF_EVENT_SHIFT, r->data);
		break;
	}
	return 0;
}

/* Returns a copy without spaces at both ends. */
static char *copy_trimmed(const char *from, const char *to)
{
	while (from < to && (*from == ' ' || *from == '\t'))
		from++;
	while (to > from && (to[-1] == ' ' || to[-1] == '\t' || to[-1] == '\r'))
		to--;
	return strndup(from, (size_t)(to - from));
}

static int system_text(struct trace *t, const char *p, size_t size)
{
	const char *end = p + size, *line_end, *colon;
	struct trace_fact *fact;

	for (; p < end; p = line_end + 1) {
		line_end = memchr(p, '\n', (size_t)(end - p));
		if (!line_end)
			line_end = end;
		colon = memchr(p, ':', (size_t)(line_end - p));
		if (!colon)
			continue;
		if (array_next(t->facts, t->nfacts, t->room_facts))
			return -ENOMEM;
		fact = &t->facts[t->nfacts++];
		fact->key = copy_trimmed(p, colon);
		fact->value = copy_trimmed(colon + 1, line_end);
		if (!fact->key || !fact->value)
			return -ENOMEM;
	}
	return 0;
}

static int stats_table(struct trace *t, const char *p, size_t size)
{
	struct pifile_stats s;
	struct trace_cpu *cpu;
	unsigned int kind;

	t->counted = true;
	for (; size >= sizeof(s); p += sizeof(s), size -= sizeof(s)) {
		memcpy(&s, p, sizeof(s));
		if (s.cpu >= TRACE_MAX_CPUS)
			continue;
		cpu = trace_cpu(t, s.cpu);
		if (!cpu)
			return -ENOMEM;
		for (kind = 0; kind < PITRACE_LOST_KINDS; kind++)
			raise_to(&cpu->lost[kind], s.lost[kind]);
		raise_to(&cpu->out_of_scope, s.out_of_scope);
		if (s.stopped_by) {
			cpu->stopped_by = s.stopped_by;
			cpu->stop_pid = s.stop_pid;
		}
	}
	return 0;
}

/* Sequence numbers increase within a CPU: the first one is the number of lost sections. */
static int held(struct trace *t, const struct input_section *s)
{
	struct trace_cpu *cpu = s->cpu < TRACE_MAX_CPUS ? trace_cpu(t, s->cpu) : NULL;

	if (s->cpu >= TRACE_MAX_CPUS)
		return 0;
	if (!cpu)
		return -ENOMEM;
	if (!cpu->holds || s->sequence < cpu->older)
		cpu->older = s->sequence;
	cpu->holds = true;
	return 0;
}

int trace_section(struct trace *t, const struct input_section *s)
{
	if (t->wraps && s->type == PIFILE_SEC_SEGMENT && s->ring == PITRACE_RING_TRACE)
		return held(t, s);
	if (s->type == PIFILE_SEC_SYSTEM && s->data)
		return system_text(t, s->data, s->size);
	if (s->type == PIFILE_SEC_STATS && s->data)
		return stats_table(t, s->data, s->size);
	if (s->type == PIFILE_SEC_INTERRUPTS && s->data)
		return irq_names_read(&t->irqs, s->data, s->size);
	return 0;
}

void trace_end(struct trace *t)
{
	if (!t->intervals) { /* no record of "on": the trace begins with its first record */
		t->on_at = within(t, t->first);
		t->is_on = true;
	}
	switch_off(t, t->last); /* no record of "off": it ends with its last record */
}

void trace_free(struct trace *t)
{
	size_t i;

	for (i = 0; i < t->nfacts; i++) {
		free(t->facts[i].key);
		free(t->facts[i].value);
	}
	free(t->facts);
	free(t->cpu);
	irq_names_free(&t->irqs);
	*t = (struct trace){ 0 };
}

const char *trace_fact(const struct trace *t, const char *key)
{
	size_t i;

	for (i = 0; i < t->nfacts; i++) {
		if (strcasecmp(t->facts[i].key, key) == 0)
			return t->facts[i].value;
	}
	return NULL;
}

uint64_t trace_lost(const struct trace *t, unsigned int kind)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < t->ncpus; i++)
		sum += t->cpu[i].lost[kind];
	return sum;
}

bool trace_lossy(const struct trace *t)
{
	unsigned int kind;

	for (kind = 0; kind < PITRACE_LOST_KINDS; kind++) {
		if (kind != PITRACE_LOST_OVERRUN && trace_lost(t, kind))
			return true;
	}
	return false;
}

uint64_t trace_total(const struct trace *t)
{
	return t->samples + t->idle;
}

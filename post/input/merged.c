/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Merges several traces: sorts their records, and renumbers pids, CPUs and events. */
#include "input/merged.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "input/merged_inner.h"
#include "input/readers.h"

/* ns: traces of one boot differ by no more than the clock's corrections */
#define SAME_BOOT 1000000

/* ---- a pass ---------------------------------------------------------------------------------- */

static bool is_sync(const struct pirecord *r, uint32_t why)
{
	return r->major == PITRACE_SYNC && r->minor == why;
}

/* Reads the trace's next record and converts its time. An error ends only this trace. */
static int advance(struct merged *m, struct merged_part *p)
{
	int rc = p->in.reader->next(&p->in, &p->head);

	p->has = rc > 0;
	if (rc == -ENOMEM)
		return rc;
	if (rc < 0 && !p->failed)
		p->failed = rc;
	if (!p->has)
		return 0;
	p->head.time = origin_time(&m->origin[p - m->part], p->head.time);
	p->head.stamp = p->head.time;
	return 0;
}

static int merged_begin(struct input *in, unsigned int what)
{
	struct merged *m = in->state;
	uint32_t i;
	int rc;

	m->on = false;
	m->now = m->given = NULL;
	m->switching = false;
	memset(m->named, 0, sizeof(m->named));
	m->events = 0;
	for (i = 0; i < in->origins; i++) {
		struct merged_part *p = &m->part[i];

		p->off = true;
		p->begun = false;
		p->next_cpu = p->cpus;
		p->gaps = 0;
		memset(p->event, 0, sizeof(p->event));
		rc = p->in.reader->begin(&p->in, what);
		if (!rc)
			rc = advance(m, p);
		if (rc)
			return rc;
	}
	return 0;
}

/* Returns the trace with the next record; of equal times, the first trace. */
static struct merged_part *choose(struct merged *m, uint32_t n)
{
	struct merged_part *first = NULL, *p;

	if (m->now && m->now->has && m->now->head.time < m->until)
		return m->now;
	m->until = UINT64_MAX;
	for (p = m->part; p < m->part + n; p++) {
		if (!p->has)
			continue;
		if (!first || p->head.time < first->head.time) {
			if (first && first->head.time < m->until)
				m->until = first->head.time;
			first = p;
		} else if (p->head.time < m->until) {
			m->until = p->head.time;
		}
	}
	m->now = first;
	return first;
}

/* A trace that is off or has ended has no records of its CPUs: they are offline until it is on
 * again. */
static void switch_part(struct merged *m, struct merged_part *p, bool off, uint64_t time)
{
	p->off = off;
	p->switched_at = time;
	p->next_cpu = 0;
	m->switching = true;
}

static bool give_cpu(struct merged *m, struct merged_part *p, struct pirecord *r)
{
	while (p->next_cpu < p->cpus && p->cpu[p->next_cpu] == NO_CPU)
		p->next_cpu++;
	if (p->next_cpu == p->cpus)
		return false;
	m->sync = (struct pitrace_sync){
		.cpu = p->cpu[p->next_cpu++],
		.stamp = p->switched_at,
		.monotonic = p->switched_at,
	};
	*r = (struct pirecord){
		.stamp = p->switched_at,
		.time = p->switched_at,
		.cpu = m->sync.cpu,
		.ring = PITRACE_RING_MTE,
		.major = PITRACE_SYNC,
		.minor = p->off ? PITRACE_SYNC_CPU_OFFLINE : PITRACE_SYNC_CPU_ONLINE,
		.type = PITRACE_TYPE_STRUCT,
		.data = &m->sync,
		.size = sizeof(m->sync),
		.origin = (uint32_t)(p - m->part),
	};
	return true;
}

static bool give_cpus(struct merged *m, uint32_t n, struct pirecord *r)
{
	uint32_t i;

	for (i = 0; m->switching && i < n; i++) {
		if (give_cpu(m, &m->part[i], r))
			return true;
	}
	m->switching = false;
	return false;
}

/* The first trace that is on starts the merged trace; the CPUs of the others start offline. */
static void switch_all(struct merged *m, struct merged_part *p, uint32_t n)
{
	uint32_t i;

	m->on = p->begun = true;
	p->off = false;
	for (i = 0; i < n; i++) {
		if (&m->part[i] != p)
			switch_part(m, &m->part[i], true, p->head.time);
	}
}

/* Replaces the record returned last by the next one of its trace. */
static int step(struct merged *m)
{
	struct merged_part *p = m->given;
	uint64_t last;
	int rc;

	if (!p)
		return 0;
	m->given = NULL;
	last = p->head.time;
	rc = advance(m, p);
	if (!rc && !p->has && !p->off)
		switch_part(m, p, true, last);
	return rc;
}

static int merged_next(struct input *in, struct pirecord *r)
{
	struct merged *m = in->state;
	struct merged_part *p;
	bool on, off;
	int rc;

	for (;;) {
		if (give_cpus(m, in->origins, r))
			return 1;
		rc = step(m);
		if (rc)
			return rc;
		if (m->switching)
			continue;
		p = choose(m, in->origins);
		if (!p)
			return 0;
		on = is_sync(&p->head, PITRACE_SYNC_ON);
		off = is_sync(&p->head, PITRACE_SYNC_OFF);
		if (!m->on && (on || p->head.ring == PITRACE_RING_TRACE)) {
			m->given = p;
			switch_all(m, p, in->origins);
			return merged_record(m, p, r);
		}
		/* A trace without an ON record begins with its first record in a trace ring. */
		if (p->off && (on || (!p->begun && p->head.ring == PITRACE_RING_TRACE))) {
			p->begun = true;
			switch_part(m, p, false, p->head.time);
			continue;
		}
		m->given = p;
		if (off && !p->off)
			switch_part(m, p, true, p->head.time);
		if (!on && !off)
			return merged_record(m, p, r);
	}
}

static void merged_progress(const struct input *in, uint64_t *done, uint64_t *total)
{
	const struct merged *m = in->state;
	uint64_t a, b;
	uint32_t i;

	for (*done = *total = i = 0; i < in->origins; i++) {
		m->part[i].in.reader->progress(&m->part[i].in, &a, &b);
		*done += a;
		*total += b;
	}
}

/* ---- clocks ---------------------------------------------------------------------------------- */

static uint64_t merged_monotonic(struct input *in, uint64_t stamp)
{
	(void)in; /* stamps are already times */
	return stamp;
}

static bool merged_place(const struct input *in, uint32_t origin, uint32_t number,
			 struct stack_place *place)
{
	const struct merged *m = in->state;
	const struct input *part = origin < in->origins ? &m->part[origin].in : NULL;

	return part && part->reader->place && part->reader->place(part, 0, number, place);
}

static uint64_t merged_realtime(struct input *in, uint64_t stamp)
{
	const struct merged *m = in->state;

	return m->walls ? stamp + m->wall : 0;
}

/* The trace's times are shifted later here, so the offset to the time of day is smaller. */
static void merged_wall(struct input *in, uint32_t origin, struct input_wall *w)
{
	const struct merged *m = in->state;
	struct input *part = &m->part[origin].in;
	uint64_t shift = (uint64_t)m->origin[origin].shift;

	*w = (struct input_wall){ 0 };
	if (!part->reader->wall)
		return;
	part->reader->wall(part, 0, w);
	w->least = w->least ? w->least - shift : 0;
	w->most = w->most ? w->most - shift : 0;
}

/* Finds the first record in a trace ring: earlier ones have no meaningful time. */
static int look_at_clock(struct merged_part *p)
{
	struct pirecord r;
	uint64_t wall;
	int rc = p->in.reader->begin(&p->in, PIMERGE_MTE | PIMERGE_TRACE);

	while (!rc && (rc = p->in.reader->next(&p->in, &r)) > 0) {
		rc = 0;
		if (r.ring != PITRACE_RING_TRACE)
			continue;
		wall = p->in.reader->realtime(&p->in, r.stamp);
		p->first = r.time;
		p->timed = true;
		p->walls = wall > r.time;
		p->wall = wall - r.time;
		break;
	}
	return rc == -ENOMEM ? rc : 0;
}

static int set_clocks(struct input *in, struct merged *m)
{
	uint64_t least = UINT64_MAX;
	uint32_t i;
	int rc;

	m->walls = true;
	for (i = 0; i < in->origins; i++) {
		struct merged_part *p = &m->part[i];

		rc = look_at_clock(p);
		if (rc)
			return rc;
		if (!p->timed)
			continue;
		m->walls = m->walls && p->walls;
		if (p->walls && p->wall < least)
			least = p->wall;
	}
	m->walls = m->walls && least != UINT64_MAX;
	m->wall = m->walls ? least : 0;
	for (i = 0; i < in->origins; i++) {
		const struct merged_part *p = &m->part[i];
		uint64_t shift = m->walls ? p->wall - least : p->first;

		if (!p->timed || shift > INT64_MAX || (m->walls && shift < SAME_BOOT))
			continue;
		m->origin[i].shift = m->walls ? (int64_t)shift : -(int64_t)shift;
	}
	return 0;
}

/* ---- the merged input ------------------------------------------------------------------------ */

static void merged_close(struct input *in)
{
	struct merged *m = in->state;
	uint32_t i;

	for (i = 0; i < m->count; i++) {
		input_close(&m->part[i].in);
		free(m->part[i].cpu);
		free((char *)m->origin[i].label);
	}
	free(m->part);
	free(m->origin);
	free(m->room);
	free(m->section);
	free(m->system);
	free(m->faults);
	free(m->name);
	free(m);
	in->state = NULL;
}

static int merged_check(struct input *in)
{
	struct merged *m = in->state;
	uint32_t i;
	int rc = 0;

	for (i = 0; i < in->origins && rc != -ENOMEM; i++) {
		struct merged_part *p = &m->part[i];

		rc = p->in.reader->check ? p->in.reader->check(&p->in) : 0;
		if (rc < 0 && !p->failed)
			p->failed = rc;
	}
	return rc == -ENOMEM ? rc : 0;
}

static const struct reader reader_merged = {
	.name = "merged",
	.begin = merged_begin,
	.next = merged_next,
	.progress = merged_progress,
	.section = merged_section,
	.place = merged_place,
	.monotonic = merged_monotonic,
	.realtime = merged_realtime,
	.wall = merged_wall,
	.info = merged_info,
	.check = merged_check,
	.faults = merged_faults,
	.close = merged_close,
};

/* Merges the headers of all traces; adds up their counts. */
static void sum_up(struct input *in, const struct merged *m)
{
	struct pifile_header *all = &in->header;
	uint32_t i;

	in->complete = true;
	for (i = 0; i < in->origins; i++) {
		const struct input *one = &m->part[i].in;
		const struct pifile_header *h = &one->header;

		in->size += one->size;
		in->complete = in->complete && one->complete;
		in->calls = in->calls || one->calls;
		if (one->values && !in->values)
			memcpy(in->unit, one->unit, sizeof(in->unit));
		in->values = in->values || one->values;
		in->java_events = in->java_events || one->java_events;
		in->own_clock = in->own_clock || one->own_clock;
		if (!i) {
			*all = *h;
			continue;
		}
		if (memcmp(all->machine, h->machine, sizeof(h->machine)) != 0)
			memset(all->machine, 0, sizeof(h->machine));
		if (memcmp(all->release, h->release, sizeof(h->release)) != 0)
			memset(all->release, 0, sizeof(h->release));
		if (memcmp(all->collector, h->collector, sizeof(h->collector)) != 0)
			memcpy(all->collector, "several", sizeof("several"));
		if (h->mode == PITRACE_MODE_WRAP)
			all->mode = h->mode;
		if (h->start_realtime &&
		    (!all->start_realtime || h->start_realtime < all->start_realtime))
			all->start_realtime = h->start_realtime;
		if (all->rate != h->rate)
			all->rate = all->dither = 0;
	}
	all->clock = PITRACE_CLOCK_MONOTONIC;
	all->clock_hz = 1000000000;
	all->scope = PITRACE_SCOPE_SYSTEM;
	all->pid = 0;
	all->ncpus = m->cpus;
}

static void note_origin(struct origin *o, const struct input *in)
{
	const struct pifile_header *h = &in->header;

	o->path = in->path;
	o->frames = in->reader->frames;
	snprintf(o->machine, sizeof(o->machine), "%.*s", (int)sizeof(h->machine), h->machine);
}

/* Opens the traces; those that can be read come first, each with its index. */
static int open_parts(struct input *in, struct merged *m, const char *const *paths, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		struct merged_part *p = &m->part[in->origins];
		struct pifile_fault fault;
		int rc;

		p->in.program = in->program;
		p->in.descriptors = in->descriptors;
		p->in.inlined = in->inlined;
		rc = input_open(&p->in, paths[i], &fault);
		if (!rc) {
			note_origin(&m->origin[in->origins++], &p->in);
			continue;
		}
		input_close(&p->in);
		if (rc == -ENOMEM)
			return rc;
		input_complain(paths[i], &fault);
		m->missing++;
	}
	return in->origins ? 0 : -EINVAL;
}

static int number_cpus(struct input *in, struct merged *m)
{
	uint32_t i, k, n;

	for (i = 0; i < in->origins; i++) {
		struct merged_part *p = &m->part[i];

		n = p->in.header.ncpus;
		for (k = 0; k < n && k < TRACE_MAX_CPUS; k++) {
			if (merged_cpu(m, p, k) == NO_CPU)
				return -ENOMEM;
		}
	}
	return 0;
}

int merged_open(struct input *in, const char *const *paths, uint32_t count)
{
	struct merged *m = calloc(1, sizeof(*m));
	uint32_t i;
	int rc;

	if (!m)
		return -ENOMEM;
	*in = (struct input){ .spool = -1,
			      .program = in->program,
			      .descriptors = in->descriptors,
			      .inlined = in->inlined,
			      .path = "",
			      .state = m };
	m->part = calloc(count, sizeof(*m->part));
	m->origin = calloc(count, sizeof(*m->origin));
	m->count = m->part && m->origin ? count : 0;
	for (i = 0; i < m->count; i++)
		m->part[i].in.spool = -1;
	rc = m->count ? open_parts(in, m, paths, count) : -ENOMEM;
	if (!rc)
		rc = merged_labels(m, in->origins);
	if (!rc)
		rc = number_cpus(in, m);
	if (!rc)
		rc = set_clocks(in, m);
	if (!rc) {
		sum_up(in, m);
		rc = merged_texts(in, m);
	}
	if (rc) {
		merged_close(in);
		return rc;
	}
	in->reader = &reader_merged;
	in->origin = m->origin;
	in->name = m->name;
	return 0;
}

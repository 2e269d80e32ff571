/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A trace as perf.data: a file that perf reads, or, where the output is no file, what perf writes
 * into a pipe. Records stand in the order of time already, so a round ends every so many of them.
 */
#include "formats/perf.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "model/profile.h"
#include "model/record.h"
#include "report/report.h"

#define ROUND	32768			/* records */
#define ATTR	128			/* bytes of an attr */
#define FIRST_ID 1000			/* of the first event */

struct out {
	uint8_t *data;			/* a record, or a table, that is being made */
	size_t n, room;
	bool no_memory;
};

struct writing {
	const struct job *job;
	FILE *file;
	bool pipe;
	struct out o;
	uint64_t written;		/* bytes of the data */
	uint64_t records;
	uint64_t first, last;		/* of samples */
	uint64_t type;			/* of samples */
	uint32_t kind[EVENT_KINDS];	/* events by their number in the file */
	uint32_t nevents;
	uint8_t event_of[EVENT_KINDS];	/* … and the other way round */
	uint8_t now[EVENT_NUMBERS + 1];	/* what a sample's number means, as kinds */
	struct unwound unwound;
	int rc;
};

/* ---- bytes ----------------------------------------------------------------------------------- */

static void *grow(struct out *o, size_t n)
{
	uint8_t *p;

	if (o->n + n > o->room) {
		size_t room = (o->n + n) * 2 + 4096;
		uint8_t *more = realloc(o->data, room);

		if (!more) {
			o->no_memory = true;
			o->n = 0;
			if (n > o->room)
				return NULL;
		} else {
			o->data = more;
			o->room = room;
		}
	}
	p = o->data + o->n;
	memset(p, 0, n);
	o->n += n;
	return p;
}

static void bytes(struct out *o, const void *data, size_t n)
{
	void *p = grow(o, n);

	if (p && n)
		memcpy(p, data, n);
}

static void u16(struct out *o, uint16_t v)
{
	bytes(o, &v, sizeof(v));
}

static void u32(struct out *o, uint32_t v)
{
	bytes(o, &v, sizeof(v));
}

static void u64(struct out *o, uint64_t v)
{
	bytes(o, &v, sizeof(v));
}

/* With its NUL, to a multiple of `to`. */
static void text(struct out *o, const char *s, size_t to)
{
	size_t n = strlen(s) + 1;

	bytes(o, s, n);
	grow(o, (to - n % to) % to);
}

/* As features have them. */
static void long_text(struct out *o, const char *s)
{
	u32(o, (uint32_t)((strlen(s) + 64) & ~(size_t)63));
	text(o, s, 64);
}

static void begin(struct writing *w, uint32_t type, uint16_t misc)
{
	w->o.n = 0;
	u32(&w->o, type);
	u16(&w->o, misc);
	u16(&w->o, 0);
}

static void flush(struct writing *w, uint64_t *count)
{
	if (w->o.no_memory || !w->o.data)
		w->rc = -ENOMEM;
	else if (w->o.n)
		fwrite_unlocked(w->o.data, 1, w->o.n, w->file);
	*count += w->o.n;
	w->o.n = 0;
}

static void end(struct writing *w)
{
	uint16_t size = (uint16_t)w->o.n;

	if (w->o.n > UINT16_MAX) {		/* a path beyond all measure */
		w->o.n = 0;
		return;
	}
	if (w->o.data)
		memcpy(w->o.data + 6, &size, sizeof(size));
	flush(w, &w->written);
	w->records++;
}

/* ---- records --------------------------------------------------------------------------------- */

static void sample_id(struct writing *w, const struct pirecord *r, uint32_t pid, uint32_t tid)
{
	u32(&w->o, pid);
	u32(&w->o, tid);
	u64(&w->o, r->time);
	u32(&w->o, r->cpu);
	u32(&w->o, 0);
	u64(&w->o, FIRST_ID);
}

static void put_name(struct writing *w, const struct pirecord *r,
		     const struct pitrace_mte_task *t, bool exec)
{
	char name[17] = "", both[40] = "";

	if (!t->comm[0])
		return;
	memcpy(name, t->comm, 16);
	if (w->job->input->origins) {
		snprintf(both, sizeof(both), "%.14s:%.16s",
			 w->job->input->origin[r->origin].label, name);
		memcpy(name, both, 15);		/* perf has no more room */
		name[15] = '\0';
	}
	begin(w, PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
	u32(&w->o, t->pid);
	u32(&w->o, t->tid);
	text(&w->o, name, 8);
	sample_id(w, r, t->pid, t->tid);
	end(w);
}

static void put_fork(struct writing *w, const struct pirecord *r, const struct pitrace_mte_task *t,
		     bool walk)
{
	bool thread = t->pid != t->tid;
	uint32_t parent = thread ? t->pid : t->ppid;

	begin(w, r->minor == PITRACE_MTE_THREAD_EXIT ? PERF_RECORD_EXIT : PERF_RECORD_FORK,
	      walk ? PERF_RECORD_MISC_FORK_EXEC : 0);
	u32(&w->o, t->pid);
	u32(&w->o, parent);
	u32(&w->o, t->tid);
	u32(&w->o, parent);
	u64(&w->o, r->time);
	sample_id(w, r, t->pid, t->tid);
	end(w);
}

static void put_task(struct writing *w, const struct pirecord *r)
{
	const struct pitrace_mte_task *t = RECORD_AS(r, struct pitrace_mte_task);
	bool walk = t && t->flags & PITRACE_TASK_WALK;

	if (!t)
		return;
	switch (r->minor) {
	case PITRACE_MTE_PROCESS:
		if (walk)
			put_fork(w, r, t, true);
		put_name(w, r, t, !walk);
		break;
	case PITRACE_MTE_FORK:
	case PITRACE_MTE_CLONE:
	case PITRACE_MTE_THREAD:
		put_fork(w, r, t, false);
		put_name(w, r, t, false);
		break;
	case PITRACE_MTE_NAME:
		put_name(w, r, t, false);
		break;
	case PITRACE_MTE_THREAD_EXIT:
		put_fork(w, r, t, false);
		break;
	}
}

static void put_map(struct writing *w, const struct pirecord *r)
{
	const struct pitrace_mte_map *m = record_map(r);
	bool kernel = m && m->flags & PITRACE_MAP_KERNEL;
	char path[4200];

	if (!m)
		return;
	snprintf(path, sizeof(path), kernel ? "[%s]" : "%s%s", m->path,
		 m->flags & PITRACE_MAP_DELETED ? " (deleted)" : "");
	begin(w, kernel ? PERF_RECORD_MMAP : PERF_RECORD_MMAP2,
	      kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);
	u32(&w->o, kernel ? UINT32_MAX : m->pid);
	u32(&w->o, kernel ? 0 : m->pid);
	u64(&w->o, m->start);
	u64(&w->o, m->length);
	u64(&w->o, m->offset);
	if (!kernel) {
		u32(&w->o, m->dev_major);
		u32(&w->o, m->dev_minor);
		u64(&w->o, m->inode);
		u64(&w->o, m->generation);
		u32(&w->o, PROT_EXEC | (m->flags & PITRACE_MAP_READ ? PROT_READ : 0) |
		    (m->flags & PITRACE_MAP_WRITE ? PROT_WRITE : 0));
		u32(&w->o, m->flags & PITRACE_MAP_SHARED ? MAP_SHARED : MAP_PRIVATE);
	}
	text(&w->o, path, 8);
	sample_id(w, r, kernel ? UINT32_MAX : m->pid, kernel ? 0 : m->pid);
	end(w);
}

static void put_lost(struct writing *w, const struct pirecord *r)
{
	const struct pitrace_lost_rec *l = RECORD_AS(r, struct pitrace_lost_rec);

	if (!l || r->minor == PITRACE_LOST_OVERRUN)
		return;			/* that never was */
	begin(w, PERF_RECORD_LOST, 0);
	u64(&w->o, FIRST_ID);
	u64(&w->o, l->count);
	sample_id(w, r, 0, 0);
	end(w);
}

/* Both halves of it. */
static void put_dispatch(struct writing *w, const struct pirecord *r)
{
	const struct pitrace_dispatch *d = RECORD_AS(r, struct pitrace_dispatch);
	uint32_t left = r->minor & PITRACE_LEFT_MASK;

	if (!d)
		return;
	begin(w, PERF_RECORD_SWITCH_CPU_WIDE, PERF_RECORD_MISC_SWITCH_OUT |
	      (left <= PITRACE_LEFT_PREEMPTED ? PERF_RECORD_MISC_SWITCH_OUT_PREEMPT : 0));
	u32(&w->o, d->new_pid);
	u32(&w->o, d->new_tid);
	sample_id(w, r, d->old_pid, d->old_tid);
	end(w);
	begin(w, PERF_RECORD_SWITCH_CPU_WIDE, 0);
	u32(&w->o, d->old_pid);
	u32(&w->o, d->old_tid);
	sample_id(w, r, d->new_pid, d->new_tid);
	end(w);
}

/* ---- samples --------------------------------------------------------------------------------- */

/* The calls that a copy of the stack shows, if there is one. */
static int user_part(struct writing *w, const struct pirecord *r, uint32_t pid,
		     const struct stack *s, const uint64_t **user, uint32_t *n)
{
	struct model *m = w->job->model;
	int rc;

	if (!(s->head->flags & PITRACE_STACK_COPY) || !m->stacks.unwind)
		return 0;
	rc = unwind_stack(m->stacks.unwind, pid, r->time, names_epoch(&m->names, pid), s,
			  &w->unwound);
	if (!rc && w->unwound.count > *n) {
		*user = w->unwound.address;
		*n = w->unwound.count;
	}
	return rc;
}

static int put_chain(struct writing *w, const struct pirecord *r, const struct pitrace_sample *s,
		     bool kernel)
{
	const uint64_t *user = NULL;
	struct stack stack;
	uint32_t n = 0, k = 0, i;
	int rc = 0;

	if (r->minor & PITRACE_TPROF_STACK && stack_read(r, sizeof(*s), &stack)) {
		k = stack.head->kernel;
		n = stack.head->user;
		rc = user_part(w, r, s->pid, &stack, &user, &n);
	}
	if (!k && !n) {			/* what was hit alone */
		u64(&w->o, 2);
		u64(&w->o, kernel ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER);
		u64(&w->o, s->address);
		return rc;
	}
	u64(&w->o, (k ? k + 1 : 0) + (n ? n + 1 : 0));
	if (k)
		u64(&w->o, PERF_CONTEXT_KERNEL);
	for (i = 0; i < k; i++)
		u64(&w->o, stack.kernel[i]);
	if (n)
		u64(&w->o, PERF_CONTEXT_USER);
	for (i = 0; i < n; i++)
		u64(&w->o, user ? user[i] : stack.user[i]);
	return rc;
}

static int put_one(struct writing *w, const struct pirecord *r, const struct pitrace_sample *s,
		   uint32_t event, bool kernel)
{
	int rc = 0;

	begin(w, PERF_RECORD_SAMPLE, kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);
	u64(&w->o, FIRST_ID + event);
	u64(&w->o, s->address);
	u32(&w->o, s->pid);
	u32(&w->o, s->tid);
	u64(&w->o, r->time);
	u32(&w->o, r->cpu);
	u32(&w->o, 0);
	u64(&w->o, s->period ? s->period : 1);
	if (w->type & PERF_SAMPLE_CALLCHAIN)
		rc = put_chain(w, r, s, kernel);
	end(w);
	w->first = !w->first || r->time < w->first ? r->time : w->first;
	w->last = r->time > w->last ? r->time : w->last;
	return rc;
}

static int put_sample(struct writing *w, const struct pirecord *r)
{
	const struct pitrace_idle *idle = RECORD_AS(r, struct pitrace_idle);
	const struct pitrace_sample *s = RECORD_AS(r, struct pitrace_sample);
	uint32_t number = r->minor >> PITRACE_TPROF_EVENT_SHIFT, i;
	uint32_t event = number <= EVENT_NUMBERS ? w->event_of[w->now[number]] : UINT8_MAX;
	struct pitrace_sample none = { 0 };
	int rc = 0;

	if (event == UINT8_MAX)
		return 0;
	if ((r->minor & PITRACE_TPROF_KIND) == PITRACE_TPROF_IDLE) {
		if (idle && idle->ticks > PROFILE_TICKS_MOST)
			return -EFBIG;
		/* Ticks of a CPU that had nothing to do: the idle task's, nowhere. */
		for (i = 0; idle && i < idle->ticks && !rc; i++)
			rc = put_one(w, r, &none, event, true);
		return rc;
	}
	if (r->repeats >= PROFILE_TICKS_MOST)
		return -EFBIG;
	for (i = 0; s && i <= r->repeats && !rc; i++)
		rc = put_one(w, r, s, event,
			     (r->minor & PITRACE_TPROF_KIND) == PITRACE_TPROF_KERNEL);
	return rc;
}

/* Numbers of events mean kinds by their names, as in the trace's books (events.c). */
static void put_event(struct writing *w, const struct pirecord *r)
{
	const struct pitrace_event_rec *e = RECORD_AS(r, struct pitrace_event_rec);
	const struct events *events = &w->job->trace->events;
	char name[65] = "";

	if (!e || e->event >= EVENT_NUMBERS)
		return;
	memcpy(name, e->name, sizeof(e->name));
	for (uint32_t i = 1; i < events->kinds; i++) {
		if (!strcmp(events->kind[i].name, name))
			w->now[e->event + 1] = (uint8_t)i;
	}
}

static int put_record(struct writing *w, const struct pirecord *r)
{
	names_until(&w->job->model->names, r->time);
	if (r->ring == PITRACE_RING_MTE) {
		int rc = names_event(&w->job->model->names, r);

		if (rc)
			return rc;
	}
	switch (r->major) {
	case PITRACE_TPROF:
		return put_sample(w, r);
	case PITRACE_DISPATCH:
		put_dispatch(w, r);
		return 0;
	case PITRACE_LOST:
		put_lost(w, r);
		return 0;
	case PITRACE_SYSINFO:
		if (r->minor == PITRACE_SYSINFO_EVENT)
			put_event(w, r);
		return 0;
	case PITRACE_MTE:
		if (r->minor == PITRACE_MTE_MODULE)
			put_map(w, r);
		else
			put_task(w, r);
		return 0;
	}
	return 0;
}

static void put_round(struct writing *w)
{
	begin(w, PERF_FINISHED_ROUND, 0);
	end(w);
}

/* The kernel's text, by its own symbols. */
static void put_kernel(struct writing *w)
{
	struct input *in = w->job->input;
	struct input_section s;
	struct pirecord r = { 0 };
	uint64_t from = 0, to = 0;
	size_t i;

	for (i = 0; !from && in->format->section(in, i, &s) > 0; i++) {
		if (s.type != PIFILE_SEC_KALLSYMS || !s.data)
			continue;
		from = perf_kernel_address(s.data, s.size, "_text");
		to = perf_kernel_address(s.data, s.size, "_etext");
	}
	if (!from || to <= from)
		return;
	begin(w, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL);
	u32(&w->o, UINT32_MAX);
	u32(&w->o, 0);
	u64(&w->o, from);
	u64(&w->o, to - from);
	u64(&w->o, from);
	text(&w->o, "[kernel.kallsyms]_text", 8);
	sample_id(w, &r, 0, 0);
	end(w);
}

static int put_records(struct writing *w)
{
	struct input *in = w->job->input;
	struct pirecord r;
	int rc = in->format->begin(in, PIMERGE_MTE | PIMERGE_TRACE);

	names_rewind(&w->job->model->names);
	put_kernel(w);
	while (!rc && (rc = in->format->next(in, &r)) > 0) {
		rc = put_record(w, &r);
		if (w->records >= ROUND) {
			put_round(w);
			w->records = 0;
		}
		if (!rc)
			rc = w->rc;
	}
	put_round(w);
	return rc;
}

/* ---- the header ------------------------------------------------------------------------------ */

static void put_attr(struct writing *w, uint32_t i)
{
	const struct event *e = &w->job->trace->events.kind[w->kind[i]];
	struct perf_event_attr a = {
		.size = ATTR, .sample_type = w->type, .read_format = PERF_FORMAT_ID,
		.sample_period = e->period, .freq = !!(e->flags & PITRACE_EVENT_RATE),
		.disabled = 1, .inherit = 1, .mmap = i == 0, .comm = i == 0, .task = i == 0,
		.mmap2 = i == 0, .comm_exec = i == 0, .context_switch = i == 0,
		.sample_id_all = 1,
	};
	uint32_t type;

	if (!perf_event_named(w->kind[i] ? e->name : "cpu-clock", &type, &a.config)) {
		type = PERF_TYPE_SOFTWARE;
		a.config = PERF_COUNT_SW_DUMMY;
	}
	a.type = type;
	if (!w->kind[i]) {
		a.freq = 1;
		a.sample_freq = w->job->trace->rate;
	}
	if (w->job->input->format == &format_native) {
		a.use_clockid = 1;
		a.clockid = CLOCK_MONOTONIC;
	}
	bytes(&w->o, &a, sizeof(a) < ATTR ? sizeof(a) : ATTR);
	grow(&w->o, sizeof(a) < ATTR ? ATTR - sizeof(a) : 0);
}

static const char *event_name(const struct writing *w, uint32_t i)
{
	return w->kind[i] ? w->job->trace->events.kind[w->kind[i]].name : "cpu-clock";
}

static void put_fact(struct writing *w, const char *key)
{
	const char *fact = trace_fact(w->job->trace, key);

	if (fact)
		long_text(&w->o, fact);
}

static void put_build_ids(struct writing *w)
{
	const struct names *names = &w->job->model->names;

	for (uint32_t i = 0; i < names->nmodule; i++) {
		const uint8_t *id;
		size_t n = profile_build_id(names, i, &id), at = w->o.n;
		uint16_t size;

		if (!n || n > 20 || names->module[i].name[0] == '[')
			continue;
		u32(&w->o, 0);
		u16(&w->o, PERF_RECORD_MISC_USER | 0x8000);
		u16(&w->o, 0);
		u32(&w->o, UINT32_MAX);
		bytes(&w->o, id, n);
		grow(&w->o, 20 - n);
		u32(&w->o, (uint32_t)n);
		text(&w->o, names->module[i].name, 64);
		size = (uint16_t)(w->o.n - at);
		if (w->o.data && !w->o.no_memory)
			memcpy(w->o.data + at + 6, &size, sizeof(size));
	}
}

static void put_event_desc(struct writing *w)
{
	u32(&w->o, w->nevents);
	u32(&w->o, ATTR);
	for (uint32_t i = 0; i < w->nevents; i++) {
		put_attr(w, i);
		u32(&w->o, 1);
		long_text(&w->o, event_name(w, i));
		u64(&w->o, FIRST_ID + i);
	}
}

/* A feature's bytes; nothing: it isn't there. */
static void put_feature(struct writing *w, unsigned int feature)
{
	const struct pifile_header *h = &w->job->input->header;
	char room[sizeof(h->release) + 1];
	const char *command;
	uint64_t wall;

	switch (feature) {
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
		u32(&w->o, h->ncpus);
		u32(&w->o, w->job->trace->cpus_online ? w->job->trace->cpus_online : h->ncpus);
		break;
	case PERF_CPUDESC:
		put_fact(w, "cpu model");
		break;
	case PERF_CMDLINE:
		command = trace_fact(w->job->trace, "command");
		if (command) {
			u32(&w->o, 1);
			long_text(&w->o, command);
		}
		break;
	case PERF_EVENT_DESC:
		put_event_desc(w);
		break;
	case PERF_SAMPLE_TIMES:
		if (!w->pipe) {
			u64(&w->o, w->first);
			u64(&w->o, w->last);
		}
		break;
	case PERF_CLOCK_DATA:
		wall = w->job->input->format == &format_native ? w->job->trace->start_realtime : 0;
		if (wall) {
			u32(&w->o, 1);
			u32(&w->o, CLOCK_MONOTONIC);
			u64(&w->o, wall);
			u64(&w->o, w->job->trace->on_at);
		}
		break;
	}
}

static void put_head(struct writing *w, uint64_t data_size, uint64_t features)
{
	uint64_t attrs = 104 + 8 * w->nevents, data = attrs + w->nevents * (ATTR + 16), ignored = 0;
	uint32_t i;

	w->o.n = 0;
	bytes(&w->o, "PERFILE2", 8);
	u64(&w->o, 104);
	u64(&w->o, ATTR + 16);
	u64(&w->o, attrs);
	u64(&w->o, w->nevents * (ATTR + 16));
	u64(&w->o, data);
	u64(&w->o, data_size);
	u64(&w->o, 0);
	u64(&w->o, 0);
	u64(&w->o, features);
	for (i = 0; i < 3; i++)
		u64(&w->o, 0);
	for (i = 0; i < w->nevents; i++)
		u64(&w->o, FIRST_ID + i);
	for (i = 0; i < w->nevents; i++) {
		put_attr(w, i);
		u64(&w->o, 104 + 8 * i);
		u64(&w->o, 8);
	}
	flush(w, &ignored);
}

/* Behind the data: where each feature is, then all of them. */
static uint64_t put_features(struct writing *w)
{
	uint64_t at = 104 + 8 * w->nevents + w->nevents * (ATTR + 16) + w->written, bits = 0;
	uint64_t size[64] = { 0 }, n = 0, ignored = 0;
	struct out table = { 0 };
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
		u64(&table, at);
		u64(&table, size[i]);
		at += size[i];
	}
	if (table.no_memory || !table.data)
		w->rc = -ENOMEM;
	else
		fwrite_unlocked(table.data, 1, table.n, w->file);
	free(table.data);
	flush(w, &ignored);
	return bits;
}

static void put_pipe_head(struct writing *w)
{
	uint64_t ignored = 0;
	uint32_t i;

	bytes(&w->o, "PERFILE2", 8);
	u64(&w->o, 16);
	flush(w, &ignored);
	for (i = 0; i < w->nevents; i++) {
		begin(w, PERF_HEADER_ATTR, 0);
		put_attr(w, i);
		u64(&w->o, FIRST_ID + i);
		end(w);
		begin(w, PERF_EVENT_UPDATE, 0);
		u64(&w->o, 2);
		u64(&w->o, FIRST_ID + i);
		text(&w->o, event_name(w, i), 8);
		end(w);
	}
	for (i = 1; i < 64; i++) {
		if (i == PERF_BUILD_ID)
			continue;		/* by records, behind the last */
		begin(w, PERF_HEADER_FEATURE, 0);
		u64(&w->o, i);
		put_feature(w, i);
		if (w->o.n > 16)
			end(w);
	}
}

/* The table's entries are records but for the type. */
static void put_pipe_build_ids(struct writing *w)
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
	flush(w, &w->written);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool is_file(FILE *f)
{
	return fseeko(f, 0, SEEK_CUR) == 0 && lseek(fileno(f), 0, SEEK_CUR) >= 0;
}

static void number_events(struct writing *w)
{
	const struct events *e = &w->job->trace->events;

	memset(w->event_of, UINT8_MAX, sizeof(w->event_of));
	memset(w->now, EVENT_UNNAMED, sizeof(w->now));
	w->now[0] = 0;
	for (uint32_t i = 0; i < EVENT_KINDS; i++) {
		if (!e->kind[i].samples)
			continue;
		w->event_of[i] = (uint8_t)w->nevents;
		w->kind[w->nevents++] = i;
	}
}

int perf_write(const struct job *job, FILE *out)
{
	struct writing *w = calloc(1, sizeof(*w));
	uint64_t bits;
	int rc;

	if (!w)
		return -ENOMEM;
	w->job = job;
	w->file = out;
	w->pipe = !is_file(out);
	w->type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
		  PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
	if (job->model->stacks.with)
		w->type |= PERF_SAMPLE_CALLCHAIN;
	number_events(w);
	if (w->pipe)
		put_pipe_head(w);
	else
		put_head(w, 0, 0);
	w->written = 0;
	rc = put_records(w);
	if (!rc && w->pipe)
		put_pipe_build_ids(w);
	if (!rc && !w->pipe) {
		bits = put_features(w);
		if (fseeko(out, 0, SEEK_SET))
			rc = -errno;
		else
			put_head(w, w->written, bits);
	}
	if (!rc)
		rc = w->rc;
	free(w->o.data);
	free(w);
	return rc;
}

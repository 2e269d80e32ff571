/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writer of perf.data: a regular perf.data file, or perf's pipe format if the output is not a file.
 * Records are already in time order, so a round ends after a fixed number of them.
 */
#include "export/perf/perf_write.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "complain.h"
#include "export/writer.h"
#include "file/record_kinds.h"
#include "job.h"
#include "model/profile.h"
#include "record/detail.h"
#include "record/record_as.h"
#include "record/stack_place.h"
#include "report/calls_report.h"

#define ROUND 32768 /* records */

/* ---- records --------------------------------------------------------------------------------- */

static void put_name(struct perf_writing *w, const struct pirecord *r,
		     const struct pitrace_mte_task *t, bool exec)
{
	char name[17] = "", both[40] = "";

	if (!t->comm[0])
		return;
	memcpy(name, t->comm, 16);
	if (w->job->input->origins) {
		snprintf(both, sizeof(both), "%.14s:%.16s", w->job->input->origin[r->origin].label,
			 name);
		memcpy(name, both, 15); /* the length of perf's comm */
		name[15] = '\0';
	}
	perf_write_begin(w, PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
	perf_write_u32(&w->o, t->pid);
	perf_write_u32(&w->o, t->tid);
	perf_write_text(&w->o, name, 8);
	perf_write_sample_id(w, r, t->pid, t->tid);
	perf_write_end(w);
}

static void put_fork(struct perf_writing *w, const struct pirecord *r,
		     const struct pitrace_mte_task *t, bool walk)
{
	bool thread = t->pid != t->tid;
	uint32_t parent = thread ? t->pid : t->ppid;

	perf_write_begin(w,
			 r->minor == PITRACE_MTE_THREAD_EXIT ? PERF_RECORD_EXIT : PERF_RECORD_FORK,
			 walk ? PERF_RECORD_MISC_FORK_EXEC : 0);
	perf_write_u32(&w->o, t->pid);
	perf_write_u32(&w->o, parent);
	perf_write_u32(&w->o, t->tid);
	perf_write_u32(&w->o, parent);
	perf_write_u64(&w->o, r->time);
	perf_write_sample_id(w, r, t->pid, t->tid);
	perf_write_end(w);
}

static void put_task(struct perf_writing *w, const struct pirecord *r)
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

/* Writes generated kernel code, which has its own record type. */
static bool put_made_code(struct perf_writing *w, const struct pirecord *r,
			  const struct pitrace_mte_map *m, bool gone)
{
	bool bpf = !strncmp(m->path, "bpf_", 4);
	union {
		struct detail_ksymbol symbol;
		uint8_t room[sizeof(struct detail_ksymbol) + 516];
	} u;
	size_t n = strnlen(m->path, 511);

	if (!(m->flags & PITRACE_MAP_SYMBOL))
		return false;
	memset(&u, 0, sizeof(u));
	u.symbol = (struct detail_ksymbol){
		.start = m->start,
		.length = (uint32_t)m->length,
		.type = bpf ? PERF_RECORD_KSYMBOL_TYPE_BPF : PERF_RECORD_KSYMBOL_TYPE_OOL,
		.flags = gone ? PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER : 0,
	};
	memcpy(u.symbol.name, m->path, n);
	perf_write_ksymbol(w, r, &u.symbol);
	return true;
}

static void put_map(struct perf_writing *w, const struct pirecord *r)
{
	const struct pitrace_mte_map *m = record_map(r);
	bool kernel = m && m->flags & PITRACE_MAP_KERNEL;
	bool gone = r->minor == PITRACE_MTE_UNLOAD;
	char path[4200];

	if (!m)
		return;
	/* With kernel_maps the input's details include perf's own records of these. */
	if (kernel && (w->job->input->kernel_maps || put_made_code(w, r, m, gone) || gone))
		return;
	snprintf(path, sizeof(path), kernel ? "[%s]" : "%s%s", m->path,
		 m->flags & PITRACE_MAP_DELETED ? " (deleted)" : "");
	perf_write_begin(w, kernel ? PERF_RECORD_MMAP : PERF_RECORD_MMAP2,
			 kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);
	perf_write_u32(&w->o, kernel ? UINT32_MAX : m->pid);
	perf_write_u32(&w->o, kernel ? 0 : m->pid);
	perf_write_u64(&w->o, m->start);
	perf_write_u64(&w->o, m->length);
	perf_write_u64(&w->o, m->offset);
	if (!kernel) {
		perf_write_u32(&w->o, m->dev_major);
		perf_write_u32(&w->o, m->dev_minor);
		perf_write_u64(&w->o, m->inode);
		perf_write_u64(&w->o, m->generation);
		perf_write_u32(&w->o, PROT_EXEC | (m->flags & PITRACE_MAP_READ ? PROT_READ : 0) |
					      (m->flags & PITRACE_MAP_WRITE ? PROT_WRITE : 0));
		perf_write_u32(&w->o, m->flags & PITRACE_MAP_SHARED ? MAP_SHARED : MAP_PRIVATE);
	}
	perf_write_text(&w->o, path, 8);
	perf_write_sample_id(w, r, kernel ? UINT32_MAX : m->pid, kernel ? 0 : m->pid);
	perf_write_end(w);
}

static void put_lost(struct perf_writing *w, const struct pirecord *r)
{
	const struct pitrace_lost_rec *l = RECORD_AS(r, struct pitrace_lost_rec);

	if (!l || r->minor == PITRACE_LOST_OVERRUN)
		return; /* an event that never existed */
	perf_write_begin(w, PERF_RECORD_LOST, 0);
	perf_write_u64(&w->o, PERF_WRITE_FIRST_ID);
	perf_write_u64(&w->o, l->count);
	perf_write_sample_id(w, r, 0, 0);
	perf_write_end(w);
}

/* Writes both halves of a context switch. */
static void put_dispatch(struct perf_writing *w, const struct pirecord *r)
{
	const struct pitrace_dispatch *d = RECORD_AS(r, struct pitrace_dispatch);
	uint32_t left = r->minor & PITRACE_LEFT_MASK;

	if (!d)
		return;
	perf_write_begin(w, PERF_RECORD_SWITCH_CPU_WIDE,
			 PERF_RECORD_MISC_SWITCH_OUT |
				 (left <= PITRACE_LEFT_PREEMPTED ?
					  PERF_RECORD_MISC_SWITCH_OUT_PREEMPT :
					  0));
	perf_write_u32(&w->o, d->new_pid);
	perf_write_u32(&w->o, d->new_tid);
	perf_write_sample_id(w, r, d->old_pid, d->old_tid);
	perf_write_end(w);
	perf_write_begin(w, PERF_RECORD_SWITCH_CPU_WIDE, 0);
	perf_write_u32(&w->o, d->old_pid);
	perf_write_u32(&w->o, d->old_tid);
	perf_write_sample_id(w, r, d->new_pid, d->new_tid);
	perf_write_end(w);
}

/* ---- samples --------------------------------------------------------------------------------- */

/* Finds the user calls of a stack that is a place in a tree or has a memory copy. */
static int user_part(struct perf_writing *w, const struct pirecord *r, uint32_t pid,
		     const struct stack *s, const uint64_t **user, uint32_t *n)
{
	struct model *m = w->job->model;
	bool cut;
	int rc;

	if (s->head->flags & STACK_PLACE) {
		*n = stack_place_addresses(w->job->input, r->origin, s, w->place,
					   PERF_WRITE_DEEPEST, &cut);
		*n = whole_stacks_take(&w->whole, *n);
		*user = w->place;
		w->too_deep += cut;
		return 0;
	}
	if (!(s->head->flags & PITRACE_STACK_COPY) || !m->stacks.unwind)
		return 0;
	rc = stacks_unwind(&m->stacks, &m->names, pid, r->time, s, &w->unwound);
	if (!rc && w->unwound.count > *n) {
		*user = w->unwound.address;
		*n = w->unwound.count;
	}
	return rc;
}

static int put_chain(struct perf_writing *w, const struct pirecord *r,
		     const struct pitrace_sample *s, bool kernel)
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
	if (!k && !n) { /* only the sampled address */
		perf_write_u64(&w->o, 2);
		perf_write_u64(&w->o, kernel ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER);
		perf_write_u64(&w->o, s->address);
		return rc;
	}
	perf_write_u64(&w->o, (k ? k + 1 : 0) + (n ? n + 1 : 0));
	if (k)
		perf_write_u64(&w->o, PERF_CONTEXT_KERNEL);
	for (i = 0; i < k; i++)
		perf_write_u64(&w->o, stack.kernel[i]);
	if (n)
		perf_write_u64(&w->o, PERF_CONTEXT_USER);
	for (i = 0; i < n; i++)
		perf_write_u64(&w->o, user ? user[i] : stack.user[i]);
	return rc;
}

static int put_one(struct perf_writing *w, const struct pirecord *r, const struct pitrace_sample *s,
		   uint32_t event, uint64_t period, bool kernel)
{
	const struct event *e = &w->job->trace->events.kind[w->kind[event]];
	uint64_t type = perf_write_details_type(w, event);
	int rc = 0;

	w->how = &e->how;
	perf_write_details_of(w, r, s);
	perf_write_begin(w, PERF_RECORD_SAMPLE,
			 kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);
	perf_write_u64(&w->o, PERF_WRITE_FIRST_ID + event);
	perf_write_u64(&w->o, s->address);
	perf_write_u32(&w->o, s->pid);
	perf_write_u32(&w->o, s->tid);
	perf_write_u64(&w->o, r->time);
	perf_write_details_address(w, type);
	perf_write_u32(&w->o, r->cpu);
	perf_write_u32(&w->o, 0);
	perf_write_u64(&w->o, period);
	if (w->type & PERF_SAMPLE_CALLCHAIN)
		rc = put_chain(w, r, s, kernel);
	perf_write_details_raw(w, type);
	perf_write_details_rest(w, type);
	perf_write_end(w);
	w->first = !w->first || r->time < w->first ? r->time : w->first;
	w->last = r->time > w->last ? r->time : w->last;
	return rc;
}

static int put_sample(struct perf_writing *w, const struct pirecord *r)
{
	const struct pitrace_idle *idle = RECORD_AS(r, struct pitrace_idle);
	const struct pitrace_sample *s = RECORD_AS(r, struct pitrace_sample);
	uint32_t number = r->minor >> PITRACE_TPROF_EVENT_SHIFT, i;
	uint32_t event = number <= EVENT_NUMBERS ? w->event_of[w->now[number]] : UINT8_MAX;
	struct pitrace_sample none = { 0 };
	bool kernel;
	int rc = 0;

	if (event == UINT8_MAX)
		return 0;
	if ((r->minor & PITRACE_TPROF_KIND) == PITRACE_TPROF_IDLE) {
		if (idle && idle->ticks > PROFILE_TICKS_MOST)
			return -EFBIG;
		/* Ticks of an idle CPU become samples of the idle task without an address. */
		for (i = 0; idle && i < idle->ticks && !rc; i++)
			rc = put_one(w, r, &none, event, 1, true);
		return rc;
	}
	kernel = (r->minor & PITRACE_TPROF_KIND) == PITRACE_TPROF_KERNEL;
	/* The value of a call is one sample's period. */
	if (s && w->job->input->values && number)
		return put_one(w, r, s, event, 1 + r->repeats, kernel);
	if (r->repeats >= PROFILE_TICKS_MOST)
		return -EFBIG;
	for (i = 0; s && i <= r->repeats && !rc; i++)
		rc = put_one(w, r, s, event, s->period ? s->period : 1, kernel);
	return rc;
}

/* Maps event numbers to kinds by name, as the model does (event_kinds.c). */
static void put_event(struct perf_writing *w, const struct pirecord *r)
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

static int put_record(struct perf_writing *w, const struct pirecord *r)
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
	case DETAIL_RECORD:
		return perf_write_detail(w, r);
	case PITRACE_SYSINFO:
		if (r->minor == PITRACE_SYSINFO_EVENT)
			put_event(w, r);
		return 0;
	case PITRACE_MTE:
		if (r->minor == PITRACE_MTE_MODULE || r->minor == PITRACE_MTE_UNLOAD)
			put_map(w, r);
		else if (r->minor != MTE_CGROUP)
			put_task(w, r);
		return 0;
	}
	return 0;
}

static void put_round(struct perf_writing *w)
{
	perf_write_begin(w, PERF_FINISHED_ROUND, 0);
	perf_write_end(w);
}

/* Writes the mapping of the kernel's text, from its own symbols. */
static void put_kernel(struct perf_writing *w)
{
	struct input *in = w->job->input;
	struct input_section s;
	struct pirecord r = { 0 };
	uint64_t from = 0, to = 0;
	size_t i;

	if (in->kernel_maps)
		return;
	for (i = 0; !from && in->reader->section(in, i, &s) > 0; i++) {
		if (s.type != PIFILE_SEC_KALLSYMS || !s.data)
			continue;
		from = perf_kernel_address(s.data, s.size, "_text");
		to = perf_kernel_address(s.data, s.size, "_etext");
	}
	if (!from || to <= from)
		return;
	perf_write_begin(w, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL);
	perf_write_u32(&w->o, UINT32_MAX);
	perf_write_u32(&w->o, 0);
	perf_write_u64(&w->o, from);
	perf_write_u64(&w->o, to - from);
	perf_write_u64(&w->o, from);
	perf_write_text(&w->o, "[kernel.kallsyms]_text", 8);
	perf_write_sample_id(w, &r, 0, 0);
	perf_write_end(w);
}

static int put_records(struct perf_writing *w)
{
	struct input *in = w->job->input;
	struct pirecord r;
	int rc = in->reader->begin(in, PIMERGE_MTE | PIMERGE_TRACE | INPUT_DETAILS);

	names_rewind(&w->job->model->names);
	put_kernel(w);
	while (!rc && (rc = in->reader->next(in, &r)) > 0) {
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

/* ---- the file -------------------------------------------------------------------------------- */

static bool is_file(FILE *f)
{
	return fseeko(f, 0, SEEK_CUR) == 0 && lseek(fileno(f), 0, SEEK_CUR) >= 0;
}

static void number_events(struct perf_writing *w)
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
	/* Names and dispatches also need an event. */
	if (!w->nevents)
		w->kind[w->nevents++] = EVENT_UNNAMED;
}

static int perf_write(const struct job *job, FILE *out)
{
	struct perf_writing *w = calloc(1, sizeof(*w));
	uint64_t bits;
	int rc;

	if (!w)
		return -ENOMEM;
	w->job = job;
	w->whole = whole_stacks(job->input->size);
	w->file = out;
	w->pipe = !is_file(out);
	w->type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
		  PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
	if (job->model->stacks.with)
		w->type |= PERF_SAMPLE_CALLCHAIN;
	number_events(w);
	rc = perf_write_details_begin(w);
	if (!rc && w->pipe)
		perf_write_pipe_head(w);
	else if (!rc)
		perf_write_head(w, 0, 0);
	w->written = 0;
	if (!rc)
		rc = put_records(w);
	if (!rc && w->pipe)
		perf_write_pipe_build_ids(w);
	if (!rc && !w->pipe) {
		bits = perf_write_features(w);
		if (fseeko(out, 0, SEEK_SET))
			rc = -errno;
		else
			perf_write_head(w, w->written, bits);
	}
	if (!rc)
		rc = w->rc;
	if (!rc && w->too_long) {
		complain("--format perf.data: %" PRIu64
			 " record%s left out: longer than 64 KB, which perf.data has no room for",
			 w->too_long, w->too_long == 1 ? "" : "s");
		rc = REPORT_WRONG;
	}
	if (!rc && w->too_deep) {
		complain("--format perf.data: %" PRIu64
			 " stack%s cut after %d calls, as perf.data has no room for more",
			 w->too_deep, w->too_deep == 1 ? "" : "s", PERF_WRITE_DEEPEST);
		rc = REPORT_WRONG;
	}
	if (!rc)
		rc = whole_stacks_announced(&w->whole, "perf.data");
	perf_write_details_end(w);
	free(w->o.data);
	free(w);
	return rc;
}

const struct writer writer_perf = {
	.name = "perf.data",
	.what = "what perf record writes: a file, a folder, a pipe",
	.write = perf_write,
	.path = "post.data",
	.addresses = true,
	.needs = NEED_NAMES | NEED_SAMPLES | NEED_STACKS,
	.whole = true,
};

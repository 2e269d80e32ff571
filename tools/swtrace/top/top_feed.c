/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Applies the records of the trace file to the model. */
#include "top_feed.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cursor.h"
#include "file/file_follow.h"
#include "monotonic.h"
#include "top_names.h"

struct top_feed {
	top_feed_path *path;
	void *arg;
	struct pifile *file;
	uint32_t number; /* of the file */
	struct top_names *names;
	size_t read; /* sections read so far */
	void *payload;
	/* The part being read: sections from `read` up to `end`. */
	enum { AT_END, LEARNS, COUNTS } state;
	size_t end;
	bool last;             /* the file has no part after this one */
	uint64_t taken;        /* records of trace rings read of the part */
	struct pimerge *merge; /* in the states LEARNS and COUNTS */
};

#define PIECE 16 /* records between readings of the clock */

struct top_feed *top_feed_open(top_feed_path *path, void *arg)
{
	struct top_feed *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->path = path;
	f->arg = arg;
	return f;
}

static void close_file(struct top_feed *f)
{
	pimerge_close(f->merge);
	pifile_close(f->file);
	top_names_close(f->names);
	f->merge = NULL;
	f->file = NULL;
	f->names = NULL;
	f->state = AT_END;
	f->read = 0;
}

void top_feed_close(struct top_feed *f)
{
	if (!f)
		return;
	close_file(f);
	free(f->payload);
	free(f);
}

void top_feed_place(const struct top_feed *f, struct top_part *part)
{
	*part = (struct top_part){ .file = f->number, .first = f->read, .end = f->read };
}

struct pifile *top_feed_file(const struct top_feed *f, uint32_t *number)
{
	*number = f->number;
	return f->file;
}

/* ---- records --------------------------------------------------------------------------------- */

/* Returns the number of functions of a sample: those of its stack, else the sampled one. */
static uint32_t take_stack(struct top_feed *f, struct top_model *m, const struct pitrace_sample *s,
			   const struct pirecord *r, uint32_t *functions)
{
	bool kernel = (r->minor & PITRACE_TPROF_KIND) == PITRACE_TPROF_KERNEL;
	struct bytes b = bytes_of(r->data, r->size);
	const struct pitrace_stack *stack = NULL;
	struct pitrace_stack h = { 0 };
	uint32_t n = 0;

	functions[n] = top_names_function(f->names, m, s->pid, r->time, s->address,
					  kernel ? TOP_KERNEL : TOP_USER);
	if (functions[n] == NO_KEY)
		return 0;
	n++;
	bytes_take(&b, sizeof(*s));
	if (r->minor & PITRACE_TPROF_STACK)
		stack = bytes_take(&b, sizeof(h));
	if (stack)
		memcpy(&h, stack, sizeof(h));
	for (uint32_t i = 0; i < (uint32_t)h.kernel + h.user && n < TOP_FRAMES; i++) {
		bool user = i >= h.kernel, first = i == 0 || i == h.kernel;
		const uint64_t *at = bytes_take(&b, sizeof(*at));
		uint64_t address;

		if (!at)
			break;
		memcpy(&address, at, sizeof(address));
		/* This frame is the sampled address, which is in already; here it may be hidden. */
		if (first && user == !kernel)
			continue;
		functions[n] = top_names_function(f->names, m, s->pid, r->time, address - !first,
						  user ? TOP_USER : TOP_KERNEL);
		if (functions[n] == NO_KEY)
			break;
		n++;
	}
	return n;
}

static void take_sample(struct top_feed *f, struct top_model *m, const struct pirecord *r)
{
	uint32_t functions[TOP_FRAMES], n, generation, thread;
	struct pitrace_sample s;

	if (r->size < sizeof(s))
		return;
	memcpy(&s, r->data, sizeof(s));
	generation = m->function.generation;
	n = take_stack(f, m, &s, r, functions);
	/* The table was compacted meanwhile, which moved rows: half of them are free now. */
	if (generation != m->function.generation)
		n = take_stack(f, m, &s, r, functions);
	thread = top_names_thread(f->names, m, s.pid, s.tid, r->time);
	top_model_tick(m, thread, functions, n);
}

static void take_dispatch(struct top_feed *f, struct top_model *m, const struct pirecord *r)
{
	struct pitrace_dispatch d;
	uint32_t at;

	if (r->size < sizeof(d))
		return;
	memcpy(&d, r->data, sizeof(d));
	/* One of the two threads of a switch may belong to a process that is not traced. */
	if (d.new_tid && top_names_traced(f->names, d.new_pid)) {
		at = top_names_thread(f->names, m, d.new_pid, d.new_tid, r->time);
		if (at != NO_KEY)
			top_model_come(m, at, r->time);
	}
	if (d.old_tid && top_names_traced(f->names, d.old_pid)) {
		at = top_names_thread(f->names, m, d.old_pid, d.old_tid, r->time);
		if (at != NO_KEY)
			top_model_leave(m, at, r->time,
					(r->minor & PITRACE_LEFT_MASK) == PITRACE_LEFT_DEAD);
	}
}

static void take_record(struct top_feed *f, struct top_model *m, const struct pirecord *r)
{
	struct pitrace_lost_rec lost;
	struct pitrace_idle idle;

	if (r->ring == PITRACE_RING_MTE && r->major != PITRACE_LOST) {
		top_names_pass(f->names, r);
		return;
	}
	switch (r->major) {
	case PITRACE_TPROF:
		if ((r->minor & PITRACE_TPROF_KIND) != PITRACE_TPROF_IDLE) {
			take_sample(f, m, r);
		} else if (r->size >= sizeof(idle)) {
			memcpy(&idle, r->data, sizeof(idle));
			top_model_idle(m, idle.ticks);
		}
		break;
	case PITRACE_DISPATCH:
		take_dispatch(f, m, r);
		break;
	case PITRACE_LOST:
		if (r->size >= sizeof(lost)) {
			memcpy(&lost, r->data, sizeof(lost));
			top_model_lost(m, lost.count);
		}
		break;
	default:
		break;
	}
}

/* ---- intervals ------------------------------------------------------------------------------- */

/* Feeds sections without records to the names: perf maps after the records, others before. */
static int take_sections(struct top_feed *f, size_t first, size_t end, bool perf_maps)
{
	for (size_t i = first; i < end; i++) {
		const struct pifile_section *s = pifile_section(f->file, i);
		uint32_t type = s->type;
		const void *payload;
		size_t size;

		if (perf_maps ? type != PIFILE_SEC_PERFMAP :
				type != PIFILE_SEC_KALLSYMS && type != PIFILE_SEC_MODULES &&
					type != PIFILE_SEC_VDSO)
			continue;
		payload = pifile_payload(f->file, i, &f->payload, &size);
		if (payload && top_names_section(f->names, type, payload, size))
			return -ENOMEM;
	}
	return 0;
}

/* Returns the records of trace rings in the part being read, according to section headers. */
static uint64_t samples_in(struct top_feed *f)
{
	uint64_t n = 0;

	for (size_t i = f->read; i < f->end; i++) {
		const struct pifile_section *s = pifile_section(f->file, i);

		if (s->type == PIFILE_SEC_SEGMENT && s->ring == PITRACE_RING_TRACE)
			n += s->records;
	}
	return n;
}

/* Reads records of the part until that time. Returns 1 if there are more, 0 at the end, or
 * -errno. */
static int take_merged(struct top_feed *f, struct top_model *m, uint64_t until)
{
	struct pirecord r;
	int rc = 0;

	for (uint32_t n = 1; !rc; n++) {
		/* Read at least PIECE - 1 records, so that every call makes progress. */
		if (n % PIECE == 0 && now_ns() >= until)
			return 1;
		if (pimerge_next(f->merge, &r) <= 0)
			break;
		if (f->state == LEARNS) {
			rc = top_names_learn(f->names, &r);
		} else {
			f->taken += r.ring == PITRACE_RING_TRACE;
			take_record(f, m, &r);
		}
	}
	pimerge_close(f->merge);
	f->merge = NULL;
	return rc;
}

static int begin_merge(struct top_feed *f, unsigned int what)
{
	f->merge = follow_merge(f->file, what, f->read);
	return f->merge ? 0 : -ENOMEM;
}

static int begin_part(struct top_feed *f)
{
	size_t first;
	int rc;

	/* Checked first: if the file is complete now, no part follows this one. */
	f->last = pifile_complete(f->file);
	f->taken = 0;
	rc = follow_more(f->file, &first);
	f->end = pifile_sections(f->file);
	if (!rc)
		rc = take_sections(f, f->read, f->end, false);
	if (!rc)
		rc = begin_merge(f, PIMERGE_MTE);
	if (!rc)
		f->state = LEARNS;
	return rc;
}

static void end_part(struct top_feed *f)
{
	f->read = f->end;
	f->state = AT_END;
}

static void skip_samples(struct top_feed *f, struct top_model *m)
{
	uint64_t n = samples_in(f);

	pimerge_close(f->merge);
	f->merge = NULL;
	/* A header may claim fewer records than there are. */
	if (n > f->taken)
		top_model_skip(m, n - f->taken);
	top_names_forget(f->names);
	end_part(f);
}

/* Returns 1 if time is up, 0 if the part is read, or -errno. Names are never skipped. */
static int take_part(struct top_feed *f, struct top_model *m, uint64_t until, bool skip)
{
	int rc = f->state == AT_END ? begin_part(f) : 0;

	if (!rc && f->state == LEARNS) {
		rc = take_merged(f, m, until);
		if (!rc)
			rc = take_sections(f, f->read, f->end, true);
		if (!rc && !skip)
			rc = begin_merge(f, PIMERGE_MTE | PIMERGE_TRACE);
		if (!rc)
			f->state = COUNTS;
	}
	if (rc)
		return rc;
	if (skip) {
		skip_samples(f, m);
		return 0;
	}
	rc = take_merged(f, m, until);
	if (!rc)
		end_part(f);
	return rc;
}

/* The tracer may rename the file while it is opened, because names of complete files get a number:
 * opens it again until the name is the same before and after. */
static int open_file(struct top_feed *f, char *why, size_t room)
{
	struct pifile_fault fault = { .what = "" };
	char path[PATH_MAX], after[PATH_MAX];
	enum top_file state = f->path(f->arg, f->number, path, sizeof(path));

	while (state == TOP_FILE_THERE) {
		pifile_close(f->file);
		f->file = follow_open(path, &fault);
		state = f->path(f->arg, f->number, after, sizeof(after));
		if (!strcmp(path, after))
			break;
		memcpy(path, after, sizeof(path));
	}
	if (state == TOP_FILE_LATER)
		return -EAGAIN;
	if (state == TOP_FILE_GONE)
		return -ENOENT;
	f->names = f->file ? top_names_open() : NULL;
	if (f->names)
		return 0;
	snprintf(why, room, "%s: offset %llu: %s", path, (unsigned long long)fault.offset,
		 f->file ? "no memory" : fault.what);
	return f->file ? -ENOMEM : -EIO;
}

/* Skips files that were created and removed since; each counts as one lost record. */
static int open_next(struct top_feed *f, struct top_model *m, uint32_t number, char *why,
		     size_t room)
{
	int rc;

	close_file(f);
	for (f->number = number; (rc = open_file(f, why, room)) == -ENOENT; f->number++)
		top_model_lost(m, 1);
	return rc;
}

int top_feed_more(struct top_feed *f, struct top_model *m, uint64_t until, bool skip, char *why,
		  size_t room)
{
	int rc = f->file ? 0 : open_next(f, m, f->number, why, room);

	while (!rc) {
		rc = take_part(f, m, until, skip);
		if (rc < 0)
			snprintf(why, room, "%s", strerror(-rc));
		else if (!rc && f->last)
			rc = open_next(f, m, f->number + 1, why, room);
		else if (!rc && !pifile_complete(f->file))
			return 0;
		/* A reader that cannot keep up must not follow a file that grows further. */
		if (!rc && skip)
			return 0;
		if (!rc && now_ns() >= until)
			return 1;
	}
	/* -EAGAIN: the next file does not exist yet. */
	return rc == -EAGAIN ? 0 : rc;
}

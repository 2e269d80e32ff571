/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What records mean for the model. */
#include "top_feed.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cursor.h"
#include "file/file_follow.h"
#include "top_names.h"

struct top_feed {
	top_feed_path *path;
	void *arg;
	struct pifile *file;
	uint32_t number; /* of it */
	struct top_names *names;
	size_t read; /* sections */
	void *payload;
};

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
	pifile_close(f->file);
	top_names_close(f->names);
	f->file = NULL;
	f->names = NULL;
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

/* The functions of a stack; or the one of the sample, if no stack follows. */
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
		/* The sample itself; its address may be hidden. */
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
	/* Rows have changed their places while the stack was read: half of them are free now. */
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
	/* On a CPU threads of others come before and behind those that are traced. */
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

/* Sections that are none of records, before and after those. */
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

static int learn(struct top_feed *f, size_t first)
{
	struct pimerge *names = follow_merge(f->file, PIMERGE_MTE, first);
	struct pirecord r;
	int rc = 0;

	if (!names)
		return -ENOMEM;
	while (!rc && pimerge_next(names, &r) > 0)
		rc = top_names_learn(f->names, &r);
	pimerge_close(names);
	return rc;
}

static int take_records(struct top_feed *f, struct top_model *m, size_t first)
{
	struct pimerge *all = follow_merge(f->file, PIMERGE_MTE | PIMERGE_TRACE, first);
	struct pirecord r;

	if (!all)
		return -ENOMEM;
	while (pimerge_next(all, &r) > 0)
		take_record(f, m, &r);
	pimerge_close(all);
	return 0;
}

static int take_new(struct top_feed *f, struct top_model *m)
{
	size_t first, end;
	int rc = follow_more(f->file, &first);

	first = f->read;
	end = pifile_sections(f->file);
	if (!rc)
		rc = take_sections(f, first, end, false);
	if (!rc)
		rc = learn(f, first);
	if (!rc)
		rc = take_sections(f, first, end, true);
	if (!rc)
		rc = take_records(f, m, first);
	f->read = end;
	return rc;
}

/* While it is opened it may get another name: a file that is finished has a number in it. */
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

/* Files that were made and removed since are left out, and counted as a loss. */
static int open_next(struct top_feed *f, struct top_model *m, uint32_t number, char *why,
		     size_t room)
{
	int rc;

	close_file(f);
	for (f->number = number; (rc = open_file(f, why, room)) == -ENOENT; f->number++)
		top_model_lost(m, 1);
	return rc;
}

int top_feed_more(struct top_feed *f, struct top_model *m, char *why, size_t room)
{
	int rc = f->file ? 0 : open_next(f, m, f->number, why, room);

	while (!rc) {
		/* What is finished has nothing more after this look. */
		bool finished = pifile_complete(f->file);

		rc = take_new(f, m);
		if (rc)
			snprintf(why, room, "%s", strerror(-rc));
		else if (finished)
			rc = open_next(f, m, f->number + 1, why, room);
		else if (!pifile_complete(f->file))
			return 0;
	}
	/* The next file will come. */
	return rc == -EAGAIN ? 0 : rc;
}

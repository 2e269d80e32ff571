/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The files of a session: created, filled, ended; and copies on request. In continuous and wrap
 * mode one file grows while tracing is on; in wrap mode with MTE only, so that names never wrap,
 * and the trace rings are added at the end. A file written on request meanwhile is a copy of that
 * file up to now, or (normal mode, where all data are still in the rings) made from the rings.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "file/file_write.h"
#include "hook/hookfile.h"
#include "image/file_copies.h"
#include "image/kernel_modules.h"
#include "base/now.h"
#include "base/rc.h"
#include "session/sysinfo.h"
#include "session/tracer_inner.h"

#define LAST_READS 256 /* reads of hook files at the end: more than all of them can require */

struct filling {
	struct tracer *tracer;
	struct tracer_out *out, *next; /* next: names only, or NULL */
	bool module;                   /* a module was loaded */
	int error;                     /* the first error */
};

/* NULL: not recorded, or not allowed for this user. */
static struct kernel_code *code_begin(const struct tracer *t)
{
	return t->config.majors[0] >> PITRACE_BRANCH_KERNEL & 1 ? kernel_code_new("/proc/kcore") :
								  NULL;
}

/* Copies must not fill a file that ends at a size. */
static uint64_t copies_most(const struct tracer *t)
{
	uint64_t part = t->rotate_bytes / 8;

	return t->rotate_bytes && part < FILE_COPIES_MOST ? part : FILE_COPIES_MOST;
}

int out_begin(struct tracer *t, struct tracer_out *o, const struct folder *folder, const char *leaf)
{
	struct pifile_header header;
	struct trace_info info;
	int err;

	*o = (struct tracer_out){ 0 };
	session_info(t, &info);
	sysinfo_header(&header, &t->config, t->collector->name, &info,
		       t->collector->clock_hz(t->backend));
	o->writer = file_create(folder, leaf, &header);
	if (!o->writer)
		return -errno;
	o->scanned = now_ns();
	err = sysinfo_write(o->writer, &t->config, t->command, &info, &o->modules);
	pifile_set_compression(o->writer, t->compression);
	o->ids = buildids_new(t->collector->drain_reads_build_ids, t->user);
	o->maps = perfmaps_new(t->user);
	o->cgroups = drain_cgroups_new();
	o->copies = file_copies_new(copies_most(t), t->user);
	o->code = code_begin(t);
	if (!err && (!o->ids || !o->maps || !o->cgroups || !o->copies))
		err = -ENOMEM;
	return err;
}

static int put_segment(const struct tracer *t, struct tracer_out *o, const void *segment,
		       size_t size, uint64_t interval)
{
	int err = o->copies ?
			  file_copies_scan(o->copies, o->writer, t->compression, segment, size) :
			  0;

	if (o->ids)
		buildids_scan(o->ids, segment, size);
	if (o->maps)
		perfmaps_scan(o->maps, segment, size);
	if (o->cgroups)
		drain_cgroups_scan(o->cgroups, segment, size);
	if (o->code)
		kernel_code_scan(o->code, segment, size);
	return err ? err : pifile_write_segment(o->writer, segment, size, interval);
}

/* A failed file does not stop the collector: the rest is consumed, and the writer counts it. */
static int keep_segment(void *arg, const void *segment, size_t size)
{
	const struct pitrace_segment *h = segment;
	struct filling *f = arg;
	struct tracer *t = f->tracer;
	struct trace_info info;
	int err;

	if (t->collector->modules == MODULES_ITS_OWN && !f->module)
		f->module = kernel_modules_loaded(segment, size);
	t->collector->info(t->backend, &info);
	err = put_segment(t, f->out, segment, size, info.interval);
	if (!err && f->next && f->next->writer && h->ring == PITRACE_RING_MTE)
		err = put_segment(t, f->next, segment, size, info.interval);
	if (!f->error)
		f->error = err;
	return 0;
}

/* Writes what the drain itself found. */
static int flush(struct tracer_out *o, bool last)
{
	int err = buildids_flush(o->ids, o->writer);

	if (!err)
		err = drain_cgroups_flush(o->cgroups, o->writer);
	if (!err && o->code)
		err = kernel_code_flush(o->code, o->writer);
	return err ? err : perfmaps_flush(o->maps, o->writer, last);
}

/* A module unloaded before the end had names while it was loaded. `module_loaded`: one was loaded
 * just now. */
static int update_modules(struct tracer *t, struct tracer_out *o, bool module_loaded)
{
	bool by_drain = t->collector->modules == MODULES_BY_DRAIN;
	uint64_t now = now_ns(), then = o->scanned;

	if (by_drain ? now - then < OUT_UPDATE_MS * 1000000ull : !module_loaded)
		return 0;
	o->scanned = now;
	return sysinfo_update(o->writer, t->compression, &o->modules, then, by_drain ? now : 0);
}

/* Writes the programs' own records; names come before what they name. */
static int fill_hooks(struct tracer *t, struct filling *f, int ring, bool all)
{
	bool normal = t->config.mode == PITRACE_MODE_NORMAL;
	int err = 0;

	if (t->hooks && ring == PITRACE_RING_MTE)
		err = hooks_collect(t->hooks);
	/* In normal mode all are handed over at once, each time. */
	for (int n = 0; t->hooks && normal && ring == PITRACE_RING_MTE && n < LAST_READS && !err &&
			hooks_pending(t->hooks);
	     n++)
		err = hooks_collect(t->hooks);
	if (t->hooks && !err)
		err = hooks_drain(t->hooks, ring, all, keep_segment, f);
	return err;
}

static int fill(struct tracer *t, struct tracer_out *o, struct tracer_out *next, bool all)
{
	struct filling f = { t, o, next, false, 0 };
	int err = fill_hooks(t, &f, PITRACE_RING_MTE, all), n;
	bool last;

	if (!err)
		err = t->collector->drain(t->backend, all, keep_segment, &f);
	if (!err)
		err = fill_hooks(t, &f, PITRACE_RING_TRACE, all);
	/* This is the last drain: reads everything that is waiting. */
	last = t->hooks && all && t->config.mode != PITRACE_MODE_NORMAL &&
	       !hooks_listening(t->hooks);
	for (n = 0; n < LAST_READS && last && !err && hooks_pending(t->hooks); n++) {
		err = fill_hooks(t, &f, PITRACE_RING_MTE, all);
		if (!err)
			err = fill_hooks(t, &f, PITRACE_RING_TRACE, all);
	}
	if (!err)
		err = f.error;
	if (!err)
		err = flush(o, false);
	if (!err)
		err = update_modules(t, o, f.module);
	if (!err && next && next->writer)
		err = update_modules(t, next, f.module);
	return err || !next || !next->writer ? err : flush(next, false);
}

static void count_written(struct tracer *t)
{
	uint64_t records;

	t->written = t->before_bytes + pifile_written(t->file.writer, &records);
	t->records = t->before_records + records;
	t->unwritten = file_unwritten(t->file.writer);
}

int out_update(struct tracer *t)
{
	int err = update_modules(t, &t->file, false);

	return err || !t->next.writer ? err : update_modules(t, &t->next, false);
}

int out_drain(struct tracer *t, bool all)
{
	int err = fill(t, &t->file, &t->next, all);

	count_written(t);
	return err;
}

static int scan_code(void *arg, const void *segment, size_t size)
{
	kernel_code_scan(arg, segment, size);
	return 0;
}

static int normal_code(struct tracer *t)
{
	int err;

	kernel_code_free(t->code);
	t->code = code_begin(t);
	if (!t->code)
		return 0;
	err = t->collector->drain(t->backend, true, scan_code, t->code);
	return err ? err : kernel_code_flush(t->code, NULL);
}

int out_code(struct tracer *t)
{
	struct kernel_code *code = t->file.code;
	int err;

	if (t->config.mode == PITRACE_MODE_NORMAL)
		return normal_code(t);
	if (!code)
		return 0;
	err = t->config.mode == PITRACE_MODE_WRAP ? t->collector->mark(t->backend) : 0;
	if (!err)
		err = out_drain(t, true);
	if (err)
		return err;
	if (t->config.mode != PITRACE_MODE_WRAP)
		return kernel_code_check(code, t->file.writer);
	err = t->collector->window(t->backend, scan_code, code);
	return err ? err : kernel_code_flush(code, t->file.writer);
}

int out_window(struct tracer *t, struct tracer_out *o)
{
	struct filling f = { t, o, NULL, false, 0 };
	int err = t->collector->window(t->backend, keep_segment, &f);

	return err ? err : f.error;
}

/* ---- the end --------------------------------------------------------------------------------- */

/* Subtracts the counts from before the file began. */
static void subtract(struct pifile_stats *s, const struct pifile_stats *before, int n)
{
	while (n-- > 0) {
		if (before[n].cpu != s->cpu)
			continue;
		for (int k = 0; k < PITRACE_LOST_KINDS; k++)
			s->lost[k] -= before[n].lost[k];
		s->ticks -= before[n].ticks;
		s->idle_ticks -= before[n].idle_ticks;
		s->late -= before[n].late;
		s->out_of_scope -= before[n].out_of_scope;
		s->mte_bytes -= before[n].mte_bytes;
		s->trace_bytes -= before[n].trace_bytes;
	}
}

/* Sets the base of the next file's counts: from now on, but for names since its walk. */
static int count_from_here(struct tracer_out *next, const struct pifile_stats *now, int n)
{
	struct pifile_stats *before = malloc((size_t)n * sizeof(*now));

	if (!before)
		return -ENOMEM;
	memcpy(before, now, (size_t)n * sizeof(*now));
	for (int i = 0; i < n && i < next->nbefore; i++) {
		before[i].lost[PITRACE_LOST_MTE] = next->before[i].lost[PITRACE_LOST_MTE];
		before[i].mte_bytes = next->before[i].mte_bytes;
	}
	free(next->before);
	next->before = before;
	next->nbefore = n;
	return 0;
}

int out_stats(struct tracer *t, struct pifile_stats **stats)
{
	int n = t->collector->stats(t->backend, stats);

	for (int i = 0; i < n && t->hooks; i++)
		if ((*stats)[i].cpu == 0)
			(*stats)[i].lost[PITRACE_LOST_USER] += hooks_lost(t->hooks);
	return n;
}

static int put_stats(struct tracer *t, struct tracer_out *o, struct tracer_out *next)
{
	struct trace_info info = { 0 };
	struct pifile_stats *stats = NULL;
	int n = out_stats(t, &stats), err = n == -ENOMEM ? n : 0;

	if (n > 0 && next)
		err = count_from_here(next, stats, n);
	t->collector->info(t->backend, &info);
	for (int i = 0; i < n; i++) {
		subtract(&stats[i], o->before, o->nbefore);
		if (t->stopped && stats[i].cpu == info.stop_cpu) {
			stats[i].stopped_by = info.stop_ring + 1;
			stats[i].stop_pid = (uint32_t)info.stop_pid;
		}
	}
	if (n > 0 && !err)
		err = pifile_write_section(o->writer, PIFILE_SEC_STATS, stats,
					   (size_t)n * sizeof(*stats));
	free(stats);
	return err;
}

static void forget(struct tracer_out *o)
{
	buildids_free(o->ids);
	perfmaps_free(o->maps);
	drain_cgroups_free(o->cgroups);
	file_copies_free(o->copies);
	kernel_code_free(o->code);
	free(o->modules);
	free(o->before);
	*o = (struct tracer_out){ 0 };
}

static int write_end_info(struct tracer *t, struct tracer_out *o)
{
	char text[256] = "";

	t->collector->facts(t->backend, text, sizeof(text));
	return *text ? pifile_write_section(o->writer, PIFILE_SEC_SYSTEM, text, strlen(text)) : 0;
}

int out_end(struct tracer *t, struct tracer_out *o, struct tracer_out *next)
{
	int err, end;

	pifile_set_compression(o->writer, 0);
	err = sysinfo_final(o->writer, &o->modules);
	if (!err && t->collector->facts)
		err = write_end_info(t, o);
	/* Not for a copy: the original file has it. */
	if (!err && o->ids && o->maps && o->cgroups)
		err = flush(o, true);
	if (!err)
		err = put_stats(t, o, next);
	if (o == &t->file)
		count_written(t);
	if (next)
		file_no_sync(o->writer);
	end = pifile_finish(o->writer);
	forget(o);
	return err ? err : end;
}

void out_undo(struct tracer_out *o)
{
	if (o->writer)
		file_take_back(o->writer);
	forget(o);
}

/* ---- on request ----------------------------------------------------------------------------- */

/* Normal mode: writes from the rings, which hold everything. */
static int from_rings(struct tracer *t, const struct folder *folder, const char *leaf)
{
	struct tracer_out o;
	int err = out_begin(t, &o, folder, leaf), end;

	/* The drain thread may accept programs meanwhile. */
	pthread_mutex_lock(&t->lock);
	if (!err)
		err = fill(t, &o, NULL, true);
	pthread_mutex_unlock(&t->lock);
	if (!err && t->code)
		err = kernel_code_write(t->code, o.writer);
	if (!o.writer)
		return err;
	t->got = pifile_written(o.writer, &t->got_records);
	t->unwritten = file_unwritten(o.writer);
	end = out_end(t, &o, NULL);
	return err ? err : end;
}

/* While tracing is on: copies the file as it is, and in wrap mode adds the trace rings. The lock is
 * held only to record where all data end: the rings must not fill up meanwhile. */
static int from_file(struct tracer *t, const struct folder *folder, const char *leaf)
{
	bool wrap = t->config.mode == PITRACE_MODE_WRAP;
	struct tracer_out o = { 0 };
	int err, end;

	pthread_mutex_lock(&t->lock);
	err = t->error;
	if (!err && wrap)
		err = t->collector->mark(t->backend);
	if (!err)
		err = out_drain(t, true);
	if (!err) {
		o.writer = file_fork(t->file.writer);
		o.modules = t->file.modules ? strdup(t->file.modules) : NULL;
		err = o.writer ? 0 : -ENOMEM;
	}
	if (!err && t->file.nbefore) {
		o.before = malloc((size_t)t->file.nbefore * sizeof(*o.before));
		if (o.before)
			memcpy(o.before, t->file.before,
			       (size_t)t->file.nbefore * sizeof(*o.before));
		o.nbefore = o.before ? t->file.nbefore : 0;
	}
	pthread_mutex_unlock(&t->lock);
	if (err) {
		forget(&o);
		return err;
	}
	err = file_settle(o.writer, folder, leaf);
	if (err) {
		o.writer = NULL;
		forget(&o);
		return err;
	}
	if (wrap) {
		o.code = code_begin(t);
		err = out_window(t, &o);
	}
	if (!err && o.code)
		err = kernel_code_flush(o.code, o.writer);
	t->got = pifile_written(o.writer, &t->got_records);
	end = out_end(t, &o, NULL);
	return err ? err : end;
}

/* Finds an unused name beside the session's file. */
static void free_name(const struct tracer *t, char *name, size_t room)
{
	unsigned int i = 0;
	struct stat st;

	do
		snprintf(name, room, "%s.%u", t->path, ++i);
	while (!folder_stat(&t->folder, folder_leaf(name), &st) && i < 100000);
}

static int write_to(struct tracer *t, const struct folder *folder, bool own)
{
	const char *leaf = folder_leaf(t->got_file);
	int err = 0;

	if (t->config.mode == PITRACE_MODE_NORMAL)
		return from_rings(t, folder, leaf);
	if (t->on && !own)
		return from_file(t, folder, leaf);
	if (t->on) {
		pthread_mutex_lock(&t->lock);
		err = t->error ? t->error : out_drain(t, true);
		pthread_mutex_unlock(&t->lock);
	}
	t->got = t->written;
	t->got_records = t->records;
	return own ? err : file_copy(&t->folder, folder_leaf(t->path), folder, leaf);
}

int out_write(struct tracer *t, const char *path)
{
	bool own = !path || !strcmp(path, t->path), wrap = t->config.mode == PITRACE_MODE_WRAP;
	struct folder other = { .fd = -1 };
	int err = 0;

	if (path && own && wrap && t->on)
		return rc_fail(PI_INVALID_ARGUMENT,
			       "%s is being written: give another name, or none", path);
	snprintf(t->got_file, sizeof(t->got_file), "%s", path ? path : t->path);
	t->got = t->got_records = 0;
	if (!own) {
		err = folder_open(&other, path, t->user);
	} else if (wrap && t->on) {
		free_name(t, t->got_file, sizeof(t->got_file));
		own = false;
	}
	if (!err)
		err = write_to(t, other.fd >= 0 ? &other : &t->folder, own);
	folder_close(&other);
	if (err) {
		rc_errno(err, "%s", t->got_file);
		return PI_FILE_ERROR;
	}
	return PI_OK;
}

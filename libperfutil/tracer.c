/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A session in this process: collector, drain thread, file. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <tracer.h>
#include "backend.h"
#include "buildid.h"
#include "file_write.h"
#include "rc.h"
#include "sysinfo.h"

#define FLUSH_MS	1000	/* what a kill may cost: open segments are closed this often */
#define PAUSE_US	10000	/* between drains: each asks every CPU to close its MTE segment */

struct tracer {
	const struct collector *collector;
	struct backend *backend;
	struct trace_config config;
	char *path, *command;
	uid_t owner;
	gid_t group;
	int compression;

	bool on;
	bool stopped;			/* the last interval ended by itself */
	pthread_t thread;
	bool draining;			/* the thread runs */
	int wake;			/* eventfd: the thread shall end */
	int news;			/* eventfd: stopped by itself, or the file failed */
	/* The thread's while it runs: */
	struct pifile_writer *file;
	struct buildids *ids;
	char *modules;
	int error;			/* -errno of the file or the collector */
	uint64_t written, records;
};

void tracer_defaults(struct tracer_options *o)
{
	*o = (struct tracer_options){
		.mode = TRACE_CONTINUOUS, .scope = TRACE_SYSTEM, .rate = TRACE_DEFAULT_RATE,
		.dither = 100, .owner = (uid_t)-1, .group = (gid_t)-1,
	};
}

static uint64_t random_seed(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_nsec << 32 ^ (uint64_t)t.tv_sec ^ (uint64_t)getpid() << 16;
}

struct tracer *tracer_open(const struct tracer_options *o, int *rc)
{
	struct tracer *t = calloc(1, sizeof(*t));
	char why[400] = "";

	if (!t) {
		*rc = rc_fail(PI_NO_MEMORY, "no memory");
		return NULL;
	}
	t->wake = t->news = -1;
	t->collector = &collector_driver;
	t->owner = o->owner;
	t->group = o->group;
	t->compression = o->compression;
	t->path = strdup(o->file ? o->file : TRACE_DEFAULT_NAME);
	t->command = strdup(o->command ? o->command : "");
	t->config = (struct trace_config){
		.mode = (uint32_t)o->mode, .scope = (uint32_t)o->scope, .pid = o->pid,
		.clock = o->clock, .rate = o->rate ? o->rate : TRACE_DEFAULT_RATE,
		.dither = o->dither, .seed = o->seed ? o->seed : random_seed(),
		.mte_bytes = o->mte_bytes ? o->mte_bytes : 2 << 20,
		.trace_bytes = o->trace_bytes ? o->trace_bytes : 4 << 20,
		.segment_bytes = o->section_bytes ? o->section_bytes : 64 << 10,
	};
	if (o->mode == TRACE_WRAP) {
		*rc = rc_fail(PI_NOT_SUPPORTED, "wrap mode is not there yet; use normal or continuous");
		goto fail;
	}
	t->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	t->news = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (!t->path || !t->command || t->wake < 0 || t->news < 0) {
		*rc = rc_errno(errno, "setting up a session");
		goto fail;
	}
	t->backend = t->collector->open(&t->config, rc, why, sizeof(why));
	if (!t->backend) {
		rc_fail(*rc, "%s", *why ? why : RcToString(*rc));
		goto fail;
	}
	*rc = PI_OK;
	return t;
fail:
	tracer_close(t);
	return NULL;
}

void tracer_close(struct tracer *t)
{
	if (!t)
		return;
	if (t->on)
		tracer_off(t);
	if (t->backend)
		t->collector->close(t->backend);
	if (t->wake >= 0)
		close(t->wake);
	if (t->news >= 0)
		close(t->news);
	free(t->path);
	free(t->command);
	free(t);
}

int tracer_enable(struct tracer *t, int major, bool on)
{
	uint64_t bit;

	if (major < 0 || major >= PITRACE_MAJORS)
		return rc_fail(PI_INVALID_ARGUMENT, "majors are 0 to %d", PITRACE_MAJORS - 1);
	if (t->on)
		return rc_fail(PI_INCORRECT_STATE, "majors are enabled and disabled while tracing is off");
	bit = 1ull << (major & 63);
	if (on)
		t->config.majors[major / 64] |= bit;
	else
		t->config.majors[major / 64] &= ~bit;
	return PI_OK;
}

int tracer_rate(struct tracer *t, int rate)
{
	if (rate < 1 || rate > TRACE_MAX_RATE)
		return rc_fail(PI_INVALID_ARGUMENT, "rates are 1 to %d ticks a second", TRACE_MAX_RATE);
	if (t->on)
		return rc_fail(PI_INCORRECT_STATE, "the rate is set while tracing is off");
	t->config.rate = (uint32_t)rate;
	return PI_OK;
}

/* ---- the file -------------------------------------------------------------------------------- */

static int begin_file(struct tracer *t, const char *path)
{
	struct pifile_header header;
	struct trace_info info = { 0 };
	int err;

	t->collector->info(t->backend, &info);
	sysinfo_header(&header, &t->config, t->collector->name, info.clock,
		       t->collector->clock_hz(t->backend));
	t->file = pifile_create(path, &header);
	if (!t->file)
		return -errno;
	err = t->owner != (uid_t)-1 ? file_give(t->file, t->owner, t->group) : 0;
	if (!err)
		err = sysinfo_write(t->file, &t->config, t->command, &t->modules);
	pifile_set_compression(t->file, t->compression);
	t->ids = buildids_new();
	if (!err && !t->ids)
		err = -ENOMEM;
	return err;
}

static int keep_segment(void *arg, const void *segment, size_t size)
{
	struct tracer *t = arg;
	struct trace_info info;

	buildids_scan(t->ids, segment, size);
	t->collector->info(t->backend, &info);
	return pifile_write_segment(t->file, segment, size, info.interval);
}

static int drain(struct tracer *t, bool all)
{
	int err = t->collector->drain(t->backend, all, keep_segment, t);

	if (!err)
		err = buildids_flush(t->ids, t->file);
	t->written = pifile_written(t->file, &t->records);
	return err;
}

static int end_file(struct tracer *t)
{
	struct pifile_stats *stats = NULL;
	struct trace_info info = { 0 };
	int err, n;

	pifile_set_compression(t->file, 0);
	err = sysinfo_again(t->file, &t->modules);
	n = t->collector->stats(t->backend, &stats);
	t->collector->info(t->backend, &info);
	for (int i = 0; i < n; i++)
		if (t->stopped && stats[i].cpu == info.stop_cpu)
			stats[i].stopped_by = info.stop_ring + 1;
	if (n > 0 && !err)
		err = pifile_write_section(t->file, PIFILE_SEC_STATS, stats,
					   (size_t)n * sizeof(*stats));
	free(stats);
	t->written = pifile_written(t->file, &t->records);
	n = pifile_finish(t->file);
	t->file = NULL;
	buildids_free(t->ids);
	t->ids = NULL;
	free(t->modules);
	t->modules = NULL;
	return err ? err : n;
}

static void tell(int fd)
{
	uint64_t one = 1;

	while (write(fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Continuous mode: drain what is full, and each second also what is open. Normal mode: wait until
 * the session stops itself. */
static void *drain_thread(void *arg)
{
	struct tracer *t = arg;
	bool continuous = t->config.mode == PITRACE_MODE_CONTINUOUS;
	struct pollfd p[2] = {
		{ .fd = t->collector->fd(t->backend), .events = continuous ? POLLIN : 0 },
		{ .fd = t->wake, .events = POLLIN },
	};
	int64_t flushed = now_ms(), now;

	for (;;) {
		int n = poll(p, 2, continuous ? FLUSH_MS : -1);

		if (n < 0 && errno == EINTR)
			continue;
		if (p[1].revents)
			return NULL;
		if (p[0].revents & (POLLHUP | POLLERR)) {
			t->stopped = true;
			tell(t->news);
			return NULL;
		}
		if (!continuous)
			continue;
		usleep(PAUSE_US);
		now = now_ms();
		t->error = drain(t, now - flushed >= FLUSH_MS);
		if (now - flushed >= FLUSH_MS)
			flushed = now;
		if (t->error) {
			tell(t->news);
			return NULL;
		}
	}
}

static void end_thread(struct tracer *t)
{
	uint64_t n;

	if (!t->draining)
		return;
	tell(t->wake);
	pthread_join(t->thread, NULL);
	t->draining = false;
	if (read(t->wake, &n, sizeof(n)) < 0)
		n = 0;
}

/* ---- on and off ------------------------------------------------------------------------------ */

static int start_thread(struct tracer *t)
{
	sigset_t all, old;
	int err;

	/* Signals are the main thread's. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&t->thread, NULL, drain_thread, t);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	t->draining = !err;
	return -err;
}

int tracer_on(struct tracer *t)
{
	uint64_t any = 0;
	int err = 0;

	if (t->on)
		return rc_fail(PI_INCORRECT_STATE, "tracing is on already");
	for (unsigned int i = 0; i < PITRACE_MAJORS / 64; i++)
		any |= t->config.majors[i];
	if (!any)
		t->config.majors[PITRACE_TPROF / 64] |= 1ull << (PITRACE_TPROF & 63);
	t->stopped = false;
	t->error = 0;
	t->written = t->records = 0;
	if (t->config.mode == PITRACE_MODE_CONTINUOUS)
		err = begin_file(t, t->path);
	if (err) {
		if (t->file)
			end_file(t);
		return rc_errno(err, "%s", t->path) == PI_NO_MEMORY ? PI_NO_MEMORY : PI_FILE_ERROR;
	}
	/* It drains while live tasks are written: they may be more than the buffer holds. */
	err = start_thread(t);
	if (!err) {
		err = t->collector->on(t->backend, &t->config);
		if (err)
			end_thread(t);
	}
	if (err) {
		if (t->file)
			end_file(t);
		if (err == -ENOBUFS)
			return rc_fail(PI_BUFFER_FULL, "the MTE buffer is too small for the processes of this machine: make it larger (-sm), or trace in continuous mode");
		if (err == -EOPNOTSUPP)
			return rc_fail(PI_NOT_SUPPORTED, "the collector has no records of an enabled major");
		return rc_errno(err, "turning tracing on");
	}
	t->on = true;
	return PI_OK;
}

int tracer_off(struct tracer *t)
{
	uint64_t n;
	int err;

	if (!t->on)
		return rc_fail(PI_INCORRECT_STATE, "tracing is not on");
	end_thread(t);
	err = t->collector->off(t->backend);
	if (err == -EALREADY)
		err = 0;
	if (t->file) {
		if (!err && !t->error)
			t->error = drain(t, true);
		if (!t->error)
			t->error = err;
		err = end_file(t);
		if (!t->error)
			t->error = err;
	}
	t->on = false;
	memset(t->config.majors, 0, sizeof(t->config.majors));
	if (read(t->news, &n, sizeof(n)) < 0)
		n = 0;
	if (t->error)
		return rc_errno(t->error, "%s", t->path);
	return err ? rc_errno(err, "turning tracing off") : PI_OK;
}

int tracer_suspend(struct tracer *t, bool suspend)
{
	int err;

	if (!t->on)
		return rc_fail(PI_INCORRECT_STATE, "tracing is not on");
	err = t->collector->suspend(t->backend, suspend);
	return err ? rc_errno(err, suspend ? "suspending" : "resuming") : PI_OK;
}

int tracer_write(struct tracer *t, const char *path)
{
	struct trace_info info = { 0 };
	int err, end;

	if (t->on)
		return rc_fail(PI_INCORRECT_STATE, "turn tracing off first");
	if (!path)
		path = t->path;
	t->collector->info(t->backend, &info);
	if (!info.interval)
		return rc_fail(PI_INCORRECT_STATE, "nothing was traced yet");
	if (t->config.mode == PITRACE_MODE_CONTINUOUS) {
		if (!strcmp(path, t->path))
			return PI_OK;
		return rc_fail(PI_INCORRECT_STATE, "in continuous mode the trace is in %s already", t->path);
	}
	err = begin_file(t, path);
	if (!t->file) {
		rc_errno(err, "%s", path);
		return PI_FILE_ERROR;
	}
	if (!err)
		err = drain(t, true);
	end = end_file(t);
	if (err || end) {
		rc_errno(err ? err : end, "%s", path);
		return PI_FILE_ERROR;
	}
	return PI_OK;
}

void tracer_info(struct tracer *t, struct trace_info *info)
{
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	info->version = 1;
	t->collector->info(t->backend, info);
	info->mode = t->config.mode;
	info->scope = t->config.scope;
	info->pid = t->config.pid;
	info->rate = t->config.rate;
	info->dither = t->config.dither;
	info->stopped = t->stopped;
	info->holder = getpid();
	info->file_error = (uint32_t)-t->error;
	info->written = t->written;
	info->records = t->records;
	memcpy(info->majors, t->config.majors, sizeof(info->majors));
	snprintf(info->collector, sizeof(info->collector), "%s", t->collector->name);
	snprintf(info->file, sizeof(info->file), "%s", t->path);
}

int tracer_fd(struct tracer *t)
{
	return t->news;
}

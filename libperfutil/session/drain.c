/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The thread that drains the buffers while tracing is on, and the rotation of files.
 *
 * A file that begins while tracing is on must name what exists already: the collector is requested
 * to write all live tasks again, and until it has, names go to both files and samples to the old
 * one. Then the old file takes what is in the buffers, and all later records go to the new one: no
 * record is missing, no sample is in both.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "hook/hookfile.h"
#include "base/newfile.h"
#include "base/now.h"
#include "session/tracer_inner.h"

#define FLUSH_MS 1000  /* maximum loss at a kill: open segments are closed this often */
#define PAUSE_US 10000 /* between drains: each makes every CPU close its MTE segment */
#define WALK_MS  50    /* … and interval of polls for the end of a walk */

int64_t drain_clock(void)
{
	return (int64_t)now_ns();
}

static void notify(int fd)
{
	uint64_t one = 1;

	while (write(fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

/* ---- rotation -------------------------------------------------------------------------------- */

static void name_of(const struct tracer *t, const char *suffix, unsigned int number, char *name,
		    size_t room)
{
	const char *leaf = folder_leaf(t->path);

	if (number)
		snprintf(name, room, "%s.%u%s", leaf, number, suffix);
	else
		snprintf(name, room, "%s%s", leaf, suffix);
}

void drain_forget_oldest(struct tracer *t)
{
	char old[4200];

	if (!t->rotate_keep || t->files <= t->rotate_keep)
		return;
	name_of(t, "", t->files - t->rotate_keep, old, sizeof(old));
	folder_remove(&t->folder, old);
}

/* An older file with this number is renamed, as in rotation. In wrap mode snapshots have numbers
 * too: uses the next free one. */
static int next_number(struct tracer *t, unsigned int *number, char *name, size_t room)
{
	struct stat st;

	*number = t->files;
	do
		name_of(t, "", ++*number, name, room);
	while (t->config.mode == PITRACE_MODE_WRAP && *number < 100000 &&
	       !folder_stat(&t->folder, name, &st));
	return newfile_aside(&t->folder, name);
}

int drain_number_last(struct tracer *t)
{
	const char *leaf = folder_leaf(t->path);
	unsigned int number;
	char name[4200];
	struct stat st;
	int err;

	/* It may have been renamed or removed: then nothing is lost. */
	if (!t->complete || folder_stat(&t->folder, leaf, &st))
		return 0;
	err = next_number(t, &number, name, sizeof(name));
	if (!err)
		err = folder_rename(&t->folder, leaf, name);
	if (err)
		return err;
	t->before_number = t->files;
	t->files = number;
	t->numbered = true;
	return 0;
}

void drain_number_undo(struct tracer *t)
{
	char name[4200];

	if (!t->numbered)
		return;
	name_of(t, "", t->files, name, sizeof(name));
	folder_rename(&t->folder, name, folder_leaf(t->path));
	t->files = t->before_number;
	t->numbered = false;
}

static bool due(struct tracer *t)
{
	return (t->rotate_bytes && t->written - t->before_bytes >= t->rotate_bytes) ||
	       (t->rotate_ns && drain_clock() - t->begun >= (int64_t)t->rotate_ns);
}

static int prepare(struct tracer *t)
{
	char name[4200];
	int err;

	name_of(t, ".new", 0, name, sizeof(name));
	err = out_begin(t, &t->next, &t->folder, name);
	if (!err) {
		int n = out_stats(t, &t->next.before);

		t->next.nbefore = n > 0 ? n : 0;
		err = n < 0 ? n : t->collector->rescan(t->backend, &t->ticket);
		if (!err && t->hooks)
			err = hooks_again(t->hooks);
	}
	if (err)
		out_undo(&t->next);
	/* The session has stopped on its own: no new file is needed. */
	return err == -EINVAL ? 0 : err;
}

static int change(struct tracer *t)
{
	char from[4200], to[4200], leaf[4200];
	int err = out_drain(t, true);

	if (!err)
		err = out_end(t, &t->file, &t->next);
	if (err)
		return err;
	name_of(t, "", t->files + 1, to, sizeof(to));
	err = newfile_aside(&t->folder, to);
	if (err)
		return err;
	t->files++;
	t->before_bytes = t->written;
	t->before_records = t->records;
	name_of(t, ".new", 0, from, sizeof(from));
	name_of(t, "", 0, leaf, sizeof(leaf));
	err = folder_rename(&t->folder, leaf, to);
	if (!err)
		err = folder_rename(&t->folder, from, leaf);
	if (err)
		return err;
	drain_forget_oldest(t);
	t->file = t->next;
	t->next = (struct tracer_out){ 0 };
	t->begun = drain_clock();
	return 0;
}

static int rotate(struct tracer *t)
{
	if (t->next.writer)
		return t->collector->rescanned(t->backend, t->ticket) ? change(t) : 0;
	return due(t) ? prepare(t) : 0;
}

/* Discards the next file. */
static void stop_rotation(struct tracer *t)
{
	out_undo(&t->next);
}

/* ---- the thread ------------------------------------------------------------------------------ */

static int drain_once(struct tracer *t, bool all)
{
	int err;

	pthread_mutex_lock(&t->lock);
	err = out_drain(t, all);
	if (!err)
		err = rotate(t);
	pthread_mutex_unlock(&t->lock);
	return err;
}

/* Needless wakeups disturb what is measured. */
static int pause_ms(const struct tracer *t)
{
	return t->collector->modules == MODULES_BY_DRAIN ? OUT_UPDATE_MS : FLUSH_MS;
}

static int update_files(struct tracer *t)
{
	int err;

	pthread_mutex_lock(&t->lock);
	err = out_update(t);
	pthread_mutex_unlock(&t->lock);
	return err;
}

/* New programs that write records are accepted at once: in normal mode they have exited when their
 * records are read. */
static bool accept_programs(struct tracer *t)
{
	pthread_mutex_lock(&t->lock);
	t->error = hooks_accept(t->hooks);
	pthread_mutex_unlock(&t->lock);
	if (t->error)
		notify(t->stop_fd);
	return t->error;
}

/* Waits before draining, so that drains are PAUSE_US apart. Programs that fill their slots get them
 * back in between, and the wait is longer while nothing else is pending: a reused slot is warm in
 * the cache, and the records can be sorted later. */
static int pause_drain(struct tracer *t, const struct pollfd *others)
{
	struct pollfd full = { .fd = t->hooks ? hooks_full_fd(t->hooks) : -1, .events = POLLIN };
	struct pollfd first[2] = { others[0], others[1] };
	int64_t begun = drain_clock(), from = begun, left;
	int err = 0;

	while (!err && (left = PAUSE_US * 1000LL - (drain_clock() - from)) > 0) {
		const struct timespec most = { .tv_nsec = left };

		if (ppoll(&full, 1, &most, NULL) <= 0)
			continue;
		pthread_mutex_lock(&t->lock);
		err = hooks_collect(t->hooks);
		pthread_mutex_unlock(&t->lock);
		if (!err && poll(first, 2, 0) <= 0 && !hooks_hold_much(t->hooks) &&
		    drain_clock() - begun < FLUSH_MS * 1000000LL)
			from = drain_clock();
	}
	return err;
}

/* Continuous and wrap mode: drains full segments, and each second open ones too. Normal mode: waits
 * until the session stops on its own. */
static void *drain_thread(void *arg)
{
	struct tracer *t = arg;
	bool filled = t->config.mode != PITRACE_MODE_NORMAL;
	struct pollfd p[5] = {
		{ .fd = t->collector->fd(t->backend), .events = filled ? POLLIN : 0 },
		{ .fd = t->wake, .events = POLLIN },
		{ .events = POLLIN },
		{ .events = POLLIN },
		{ .events = POLLIN },
	};
	int64_t flushed = drain_clock(), now;

	for (;;) {
		int n;
		bool all;

		p[2].fd = t->hooks ? hooks_fd(t->hooks) : -1;
		/* In normal mode programs' records are read at the end. */
		p[3].fd = t->hooks && filled ? hooks_full_fd(t->hooks) : -1;
		p[4].fd = t->hooks ? hooks_door_fd(t->hooks) : -1;
		n = poll(p, 5, !filled ? -1 : t->next.writer ? WALK_MS : pause_ms(t));

		if (n < 0 && errno == EINTR)
			continue;
		if (p[1].revents)
			return NULL;
		if (p[0].revents & (POLLHUP | POLLERR)) {
			t->stopped = true;
			notify(t->stop_fd);
			return NULL;
		}
		if ((p[2].revents || p[4].revents) && accept_programs(t))
			return NULL;
		if (!filled)
			continue;
		if (n)
			t->error = pause_drain(t, p);
		now = drain_clock();
		all = now - flushed >= FLUSH_MS * 1000000LL;
		if (all)
			flushed = now;
		if (!t->error)
			t->error = n || all || t->next.writer ? drain_once(t, all) :
								update_files(t);
		if (t->error) {
			notify(t->stop_fd);
			return NULL;
		}
	}
}

int drain_start(struct tracer *t)
{
	sigset_t all, old;
	int err;

	t->begun = drain_clock();
	/* Signals go to the main thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&t->thread, NULL, drain_thread, t);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	t->draining = !err;
	return -err;
}

void drain_end(struct tracer *t)
{
	uint64_t n;

	if (!t->draining)
		return;
	notify(t->wake);
	pthread_join(t->thread, NULL);
	t->draining = false;
	if (read(t->wake, &n, sizeof(n)) < 0)
		n = 0;
	stop_rotation(t);
}

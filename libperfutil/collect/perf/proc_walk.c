/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Walks /proc for live tasks. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/array.h"
#include "base/now.h"
#include "base/search.h"
#include "base/proc_lines.h"
#include "base/proc_text.h"
#include "collect/perf/proc_walk.h"

#define PF_KTHREAD 0x00200000 /* a kernel thread, in the flags of /proc/PID/stat */

struct task {
	pid_t pid, ppid;
	uint32_t flags; /* PITRACE_TASK_* */
	uint64_t start; /* ns, to a tick's precision */
	char comm[16];
};

struct proc_walk {
	struct task *list;
	size_t n, room;
	perf_put put;
	void *arg;
};

/* 0, -ENOMEM or -ESRCH: the task no longer exists, or cannot be read. */
static int read_task(const char *path, struct task *t)
{
	struct proc_task parsed;
	char text[1024];
	FILE *f = fopen(path, "re");
	size_t n;

	if (!f)
		return errno == ENOMEM ? -ENOMEM : -ESRCH;
	n = fread(text, 1, sizeof(text), f);
	fclose(f);
	if (!proc_task_parse(text, n, &parsed))
		return -ESRCH;
	t->pid = (pid_t)parsed.pid;
	t->ppid = (pid_t)parsed.ppid;
	t->flags = PITRACE_TASK_WALK | (parsed.flags & PF_KTHREAD ? PITRACE_TASK_KTHREAD : 0);
	t->start = parsed.start;
	memcpy(t->comm, parsed.comm, sizeof(t->comm));
	return 0;
}

uint32_t proc_pid_of(uint32_t tid)
{
	char path[64], line[256];
	uint32_t pid = tid;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/status", tid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Tgid: %u", &pid) == 1)
			break;
	if (f)
		fclose(f);
	return pid;
}

static int put_task(struct proc_walk *w, uint32_t minor, pid_t pid, const struct task *t,
		    uint32_t flags, uint64_t time)
{
	struct pitrace_mte_task r = {
		.pid = (uint32_t)pid,
		.tid = (uint32_t)t->pid,
		.ppid = (uint32_t)t->ppid,
		.flags = t->flags | flags,
		.start = t->start,
	};

	memcpy(r.comm, t->comm, sizeof(r.comm));
	return w->put(w->arg, PITRACE_MTE, minor, &r, sizeof(r), time);
}

/* Writes a line of /proc/PID/maps in the way that perf's records report a new mapping. */
static int put_map(struct proc_walk *w, pid_t pid, const char *line, size_t length, uint64_t time)
{
	union {
		struct pitrace_mte_map map;
		uint8_t room[sizeof(struct pitrace_mte_map) + PATH_MAX + 4];
	} u;
	struct proc_map m;
	size_t n;

	if (!proc_map_parse(line, length, &m))
		return 0;
	n = m.path_len < PATH_MAX ? m.path_len : PATH_MAX;
	u.map = (struct pitrace_mte_map){
		.pid = (uint32_t)pid,
		.flags = PITRACE_MAP_WALK | m.flags,
		.start = m.start,
		.length = m.end - m.start,
		.offset = m.offset,
		.inode = m.inode,
		.dev_major = m.dev_major,
		.dev_minor = m.dev_minor,
		.path_len = (uint32_t)n,
	};
	memset(u.map.path + (n & ~(size_t)3), 0, 4);
	memcpy(u.map.path, m.path, n);
	return w->put(w->arg, PITRACE_MTE, PITRACE_MTE_MODULE, &u.map,
		      sizeof(u.map) + (n & ~(size_t)3) + 4, time);
}

static int put_maps(struct proc_walk *w, pid_t pid, uint64_t time)
{
	char path[64], *line = NULL;
	size_t room = 0;
	ssize_t got;
	int err = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	f = fopen(path, "re");
	if (!f)
		return errno == ENOMEM ? -ENOMEM : 0;
	while (!err && (got = getline(&line, &room, f)) > 0)
		err = put_map(w, pid, line, (size_t)got - (line[got - 1] == '\n'), time);
	err = err ? err : getline_error(f);
	free(line);
	fclose(f);
	return err;
}

static int put_threads(struct proc_walk *w, pid_t pid, uint64_t time)
{
	struct dirent *e;
	char path[320];
	int err = 0;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	d = opendir(path);
	if (!d)
		return errno == ENOMEM ? -ENOMEM : 0;
	while (!err && (e = readdir(d))) {
		struct task t;

		if (e->d_name[0] == '.' || atoi(e->d_name) == pid)
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%s/stat", pid, e->d_name);
		err = read_task(path, &t);
		err = err == -ESRCH ? 0 :
		      err           ? err :
				      put_task(w, PITRACE_MTE_THREAD, pid, &t, 0, time);
	}
	closedir(d);
	return err;
}

static int by_pid(const void *a, const void *b)
{
	const struct task *x = a, *y = b;

	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

static const struct task *find(const struct proc_walk *w, pid_t pid)
{
	size_t at = search_sorted(i, 0, w->n, w->list[i].pid < pid);

	return at < w->n && w->list[at].pid == pid ? &w->list[at] : NULL;
}

/* Checks whether the task is `scope` or a descendant of it. Chains are short; the limit ends a walk
 * through a pid that is reused meanwhile. */
static bool is_descendant(const struct proc_walk *w, const struct task *t, pid_t scope)
{
	for (int depth = 0; t && depth < 256; depth++) {
		if (t->pid == scope)
			return true;
		t = find(w, t->ppid);
	}
	return false;
}

static int list_all(struct proc_walk *w)
{
	DIR *d = opendir("/proc");
	struct dirent *e;
	int err = 0;

	if (!d)
		return -errno;
	while (err != -ENOMEM && (e = readdir(d))) {
		char path[300];

		if (e->d_name[0] < '1' || e->d_name[0] > '9')
			continue;
		err = array_next(w->list, w->n, w->room);
		snprintf(path, sizeof(path), "/proc/%s/stat", e->d_name);
		err = err ? err : read_task(path, &w->list[w->n]);
		w->n += !err;
	}
	closedir(d);
	if (err == -ENOMEM)
		return err;
	qsort(w->list, w->n, sizeof(*w->list), by_pid);
	return 0;
}

static int put_ancestors(struct proc_walk *w, pid_t scope)
{
	const struct task *t = find(w, scope);
	int err = 0;

	for (int depth = 0; t && !err && depth < 64; depth++) {
		t = find(w, t->ppid);
		if (t)
			err = put_task(w, PITRACE_MTE_PROCESS, t->pid, t, PITRACE_TASK_ANCESTOR,
				       now_ns());
	}
	return err;
}

int proc_walk(pid_t scope, perf_put put, void (*visit)(void *arg, pid_t pid), void *arg)
{
	struct proc_walk w = { .put = put, .arg = arg };
	int err = list_all(&w);

	if (!err && scope)
		err = put_ancestors(&w, scope);
	for (size_t i = 0; i < w.n && !err; i++) {
		uint64_t time = now_ns();
		struct task t;
		char path[64];

		if (scope && !is_descendant(&w, &w.list[i], scope))
			continue;
		/* Writes the name and parent that it has at this stamp. */
		snprintf(path, sizeof(path), "/proc/%d/stat", w.list[i].pid);
		err = read_task(path, &t);
		if (err) {
			err = err == -ENOMEM ? err : 0;
			continue;
		}
		if (visit)
			visit(arg, t.pid);
		err = put_task(&w, PITRACE_MTE_PROCESS, t.pid, &t, 0, time);
		if (!err && !(t.flags & PITRACE_TASK_KTHREAD))
			err = put_maps(&w, t.pid, time);
		if (!err)
			err = put_threads(&w, t.pid, time);
	}
	free(w.list);
	return err;
}

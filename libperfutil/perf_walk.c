/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The walk through /proc. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>
#include "perf_walk.h"

#define PF_KTHREAD	0x00200000	/* the kernel's, in /proc/PID/stat's flags */

struct task {
	pid_t pid, ppid;
	uint32_t flags;			/* PITRACE_TASK_* */
	uint64_t start;			/* ns, to a tick's precision */
	char comm[16];
};

struct walk {
	struct task *list;
	size_t n, room;
	perf_put put;
	void *arg;
};

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* "pid (name) S ppid … flags … starttime …": the name may hold anything but a NUL. */
static bool read_task(const char *path, struct task *t)
{
	unsigned long long start;
	char text[1024], *name, *end;
	unsigned int flags;
	FILE *f = fopen(path, "re");
	size_t n;

	if (!f)
		return false;
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = 0;
	name = strchr(text, '(');
	end = strrchr(text, ')');
	if (!name || !end || end < name ||
	    sscanf(end + 1, " %*c %d %*d %*d %*d %*d %u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
		   &t->ppid, &flags, &start) != 3)
		return false;
	t->pid = (pid_t)strtol(text, NULL, 10);
	t->flags = PITRACE_TASK_WALK | (flags & PF_KTHREAD ? PITRACE_TASK_KTHREAD : 0);
	t->start = start * (1000000000u / (uint64_t)sysconf(_SC_CLK_TCK));
	n = (size_t)(end - name - 1);
	memset(t->comm, 0, sizeof(t->comm));
	memcpy(t->comm, name + 1, n < 15 ? n : 15);
	return true;
}

static int put_task(struct walk *w, uint32_t minor, pid_t pid, const struct task *t, uint32_t flags,
		    uint64_t time)
{
	struct pitrace_mte_task r = {
		.pid = (uint32_t)pid, .tid = (uint32_t)t->pid, .ppid = (uint32_t)t->ppid,
		.flags = t->flags | flags, .start = t->start,
	};

	memcpy(r.comm, t->comm, sizeof(r.comm));
	return w->put(w->arg, PITRACE_MTE, minor, &r, sizeof(r), time);
}

/* A line of /proc/PID/maps, told as perf tells a new mapping. */
static int put_map(struct walk *w, pid_t pid, const char *line, uint64_t time)
{
	static const char deleted[] = " (deleted)";
	union {
		struct pitrace_mte_map map;
		uint8_t room[sizeof(struct pitrace_mte_map) + PATH_MAX + 4];
	} u;
	unsigned long long start, end, offset, inode;
	unsigned int major, minor;
	char bits[5];
	const char *path;
	int skip = 0;
	size_t n;

	if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %n", &start, &end, bits, &offset, &major,
		   &minor, &inode, &skip) != 7 || !strchr(bits, 'x'))
		return 0;
	path = line + skip;
	n = strcspn(path, "\n");
	if (!n) {
		path = "//anon";
		n = strlen(path);
	}
	if (n > PATH_MAX)
		n = PATH_MAX;
	u.map = (struct pitrace_mte_map){
		.pid = (uint32_t)pid, .start = start, .length = end - start, .offset = offset,
		.inode = inode, .dev_major = major, .dev_minor = minor,
		.flags = PITRACE_MAP_WALK | PITRACE_MAP_EXEC |
			 (bits[0] == 'r' ? PITRACE_MAP_READ : 0) |
			 (bits[1] == 'w' ? PITRACE_MAP_WRITE : 0) |
			 (bits[3] == 's' ? PITRACE_MAP_SHARED : 0),
	};
	if (!inode) {
		u.map.flags |= PITRACE_MAP_ANON;
		u.map.offset = 0;
		if (n == 6 && !memcmp(path, "[vdso]", 6))
			u.map.flags |= PITRACE_MAP_VDSO;
	} else if (n > sizeof(deleted) - 1 &&
		   !memcmp(path + n - (sizeof(deleted) - 1), deleted, sizeof(deleted) - 1)) {
		u.map.flags |= PITRACE_MAP_DELETED;
		n -= sizeof(deleted) - 1;
	}
	u.map.path_len = (uint32_t)n;
	memset(u.map.path + (n & ~(size_t)3), 0, 4);
	memcpy(u.map.path, path, n);
	return w->put(w->arg, PITRACE_MTE, PITRACE_MTE_MODULE, &u.map,
		      sizeof(u.map) + (n & ~(size_t)3) + 4, time);
}

static int put_maps(struct walk *w, pid_t pid, uint64_t time)
{
	char path[64], *line = NULL;
	size_t room = 0;
	int err = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	f = fopen(path, "re");
	while (f && !err && getline(&line, &room, f) > 0)
		err = put_map(w, pid, line, time);
	free(line);
	if (f)
		fclose(f);
	return err;
}

static int put_threads(struct walk *w, pid_t pid, uint64_t time)
{
	struct dirent *e;
	char path[320];
	int err = 0;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	d = opendir(path);
	while (d && !err && (e = readdir(d))) {
		struct task t;

		if (e->d_name[0] == '.' || atoi(e->d_name) == pid)
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%s/stat", pid, e->d_name);
		if (read_task(path, &t))
			err = put_task(w, PITRACE_MTE_THREAD, pid, &t, 0, time);
	}
	if (d)
		closedir(d);
	return err;
}

static int by_pid(const void *a, const void *b)
{
	const struct task *x = a, *y = b;

	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

static const struct task *find(const struct walk *w, pid_t pid)
{
	struct task key = { .pid = pid };

	return bsearch(&key, w->list, w->n, sizeof(*w->list), by_pid);
}

/* Is it, or does it come from, that one? Chains are short; a walk that sees a pid change hands
 * meanwhile must still end. */
static bool comes_from(const struct walk *w, const struct task *t, pid_t scope)
{
	for (int depth = 0; t && depth < 256; depth++) {
		if (t->pid == scope)
			return true;
		t = find(w, t->ppid);
	}
	return false;
}

static int list_all(struct walk *w)
{
	DIR *d = opendir("/proc");
	struct dirent *e;

	if (!d)
		return -errno;
	while ((e = readdir(d))) {
		char path[300];

		if (e->d_name[0] < '1' || e->d_name[0] > '9')
			continue;
		if (w->n == w->room) {
			size_t room = w->room ? 2 * w->room : 256;
			void *more = realloc(w->list, room * sizeof(*w->list));

			if (!more) {
				closedir(d);
				return -ENOMEM;
			}
			w->list = more;
			w->room = room;
		}
		snprintf(path, sizeof(path), "/proc/%s/stat", e->d_name);
		if (read_task(path, &w->list[w->n]))
			w->n++;
	}
	closedir(d);
	qsort(w->list, w->n, sizeof(*w->list), by_pid);
	return 0;
}

static int put_ancestors(struct walk *w, pid_t scope)
{
	const struct task *t = find(w, scope);
	int err = 0;

	for (int depth = 0; t && !err && depth < 64; depth++) {
		t = find(w, t->ppid);
		if (t)
			err = put_task(w, PITRACE_MTE_PROCESS, t->pid, t, PITRACE_TASK_ANCESTOR,
				       now());
	}
	return err;
}

int perf_walk(pid_t scope, perf_put put, void (*visit)(void *arg, pid_t pid), void *arg)
{
	struct walk w = { .put = put, .arg = arg };
	int err = list_all(&w);

	if (!err && scope)
		err = put_ancestors(&w, scope);
	for (size_t i = 0; i < w.n && !err; i++) {
		uint64_t time = now();
		struct task t;
		char path[64];

		if (scope && !comes_from(&w, &w.list[i], scope))
			continue;
		/* Its name and parent as they are at this stamp. */
		snprintf(path, sizeof(path), "/proc/%d/stat", w.list[i].pid);
		if (!read_task(path, &t))
			continue;
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

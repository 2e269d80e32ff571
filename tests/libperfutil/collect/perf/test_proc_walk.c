// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The walk of live tasks, over a /proc of the test's own: all of it, or a process with its
 * descendants and its ancestors' names; who ends meanwhile is left out; an error ends it at once
 * and comes back. (Linked with --wrap=opendir,fopen64,realloc,__getdelim.)
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include "collect/perf/proc_walk.h"
#include "unit.h"

static char proc[] = "/tmp/test_proc_walk.XXXXXX";
static unsigned int opens, open_gone; /* this file can no longer be opened */
static unsigned int reallocs, realloc_fails;
static unsigned int requests, request_fails; /* for memory, by the C library for it */
static bool no_proc;

DIR *__real_opendir(const char *path);
DIR *__wrap_opendir(const char *path);
FILE *__real_fopen64(const char *path, const char *mode);
FILE *__wrap_fopen64(const char *path, const char *mode);
void *__real_realloc(void *p, size_t n);
void *__wrap_realloc(void *p, size_t n);
ssize_t __real___getdelim(char **line, size_t *size, int end, FILE *f);
ssize_t __wrap___getdelim(char **line, size_t *size, int end, FILE *f);

static bool refused(void)
{
	if (++requests != request_fails)
		return false;
	errno = ENOMEM;
	return true;
}

static const char *there(const char *path)
{
	static char to[PATH_MAX];

	CU_ASSERT(!strncmp(path, "/proc", 5));
	snprintf(to, sizeof(to), "%s%s", proc, path + 5);
	return to;
}

DIR *__wrap_opendir(const char *path)
{
	if (no_proc && !strcmp(path, "/proc")) {
		errno = EACCES;
		return NULL;
	}
	if (refused())
		return NULL;
	return __real_opendir(strncmp(path, "/proc/self/", 11) ? there(path) : path);
}

FILE *__wrap_fopen64(const char *path, const char *mode)
{
	if (++opens == open_gone)
		return NULL;
	return refused() ? NULL : __real_fopen64(there(path), mode);
}

ssize_t __wrap___getdelim(char **line, size_t *size, int end, FILE *f)
{
	return refused() ? -1 : __real___getdelim(line, size, end, f);
}

void *__wrap_realloc(void *p, size_t n)
{
	return ++reallocs == realloc_fails ? NULL : __real_realloc(p, n);
}

/* ---- a /proc --------------------------------------------------------------------------------- */

static void put_text(const char *path, const char *text)
{
	FILE *f = __real_fopen64(path, "we");

	CU_ASSERT_FATAL(f != NULL);
	fputs(text, f);
	fclose(f);
}

static void task(int pid, int tid, int ppid, const char *name, unsigned int flags)
{
	char path[300], text[400];

	snprintf(path, sizeof(path), "%s/%d", proc, pid);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%d/task", proc, pid);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%d/task/%d", proc, pid, tid);
	mkdir(path, 0700);
	snprintf(text, sizeof(text), "%d (%s) S %d 1 1 0 -1 %u 0 0 0 0 0 0 0 0 20 0 1 0 500 0 0\n",
		 tid, name, ppid, flags);
	snprintf(path, sizeof(path), "%s/%d/task/%d/stat", proc, pid, tid);
	put_text(path, text);
	if (pid != tid)
		return;
	snprintf(path, sizeof(path), "%s/%d/stat", proc, pid);
	put_text(path, text);
}

static void maps(int pid, const char *text)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/%d/maps", proc, pid);
	put_text(path, text);
}

static void begin(void)
{
	strcpy(proc + strlen(proc) - 6, "XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(proc));
	opens = open_gone = reallocs = realloc_fails = 0;
	no_proc = false;
	task(1, 1, 0, "init", 0);
	task(2, 2, 0, "kthreadd", 0x00200040);
	maps(2, "1000-2000 r-xp 00000000 fe:01 5 /of/no/kernel/thread\n");
	task(10, 10, 1, "shell", 0);
	task(20, 20, 10, "prog", 0);
	task(20, 21, 10, "worker", 0);
	task(20, 22, 10, "worker2", 0);
	maps(20,
	     "1000-3000 r-xp 00001000 fe:01 5 /lib/a\n3000-4000 rw-p 00000000 fe:01 5 /lib/a\n"
	     "5000-6000 rwxp 00000000 00:00 0 \n7000-8000 r-xs 00000000 fe:01 6 /lib/abc (deleted)");
	task(30, 30, 20, "child", 0);
	task(31, 31, 30, "grandchild", 0);
	task(40, 40, 10, "sibling", 0);
}

static void end(void)
{
	char command[200];

	snprintf(command, sizeof(command), "rm -r %s", proc);
	CU_ASSERT_EQUAL(system(command), 0);
}

/* ---- what is put ----------------------------------------------------------------------------- */

static struct got {
	uint32_t minor, size, visited; /* visits by then */
	uint64_t time;
	union {
		struct pitrace_mte_task task;
		struct pitrace_mte_map map;
		uint8_t data[200];
	};
} got[1000];
static unsigned int n, visits, put_fails;
static int visit[1000];

static int put(void *arg, uint16_t major, uint32_t minor, const void *data, size_t size,
	       uint64_t time)
{
	CU_ASSERT(arg == &n && major == PITRACE_MTE && n < 1000);
	memset(&got[n], 0xff, sizeof(got[n]));
	got[n].minor = minor;
	got[n].size = (uint32_t)size;
	got[n].time = time;
	got[n].visited = visits;
	memcpy(got[n].data, data, size < sizeof(got[n].data) ? size : sizeof(got[n].data));
	return ++n == put_fails ? -EIO : 0;
}

static void on_visit(void *arg, pid_t pid)
{
	CU_ASSERT(arg == &n && visits < 1000);
	visit[visits++] = pid;
}

static int walk(pid_t scope)
{
	n = visits = 0;
	return proc_walk(scope, put, on_visit, &n);
}

static const struct got *find(uint32_t minor, uint32_t pid, uint32_t tid)
{
	for (unsigned int i = 0; i < n; i++)
		if (got[i].minor == minor &&
		    (minor == PITRACE_MTE_MODULE ?
			     got[i].map.pid == pid && got[i].map.start == tid :
			     got[i].task.pid == pid && got[i].task.tid == tid))
			return &got[i];
	return NULL;
}

#define PROCESS PITRACE_MTE_PROCESS
#define THREAD  PITRACE_MTE_THREAD
#define MODULE  PITRACE_MTE_MODULE

static void all(void)
{
	const struct got *t;

	begin();
	CU_ASSERT_EQUAL(walk(0), 0);
	CU_ASSERT(n == 7 + 2 + 3 && visits == 7);
	for (unsigned int i = 0; i < visits; i++)
		CU_ASSERT(!i || visit[i] > visit[i - 1]);
	t = find(PROCESS, 20, 20);
	CU_ASSERT_FATAL(t != NULL);
	CU_ASSERT(t->task.ppid == 10 && t->task.flags == PITRACE_TASK_WALK && t->task.start);
	CU_ASSERT(t->time && t->size == sizeof(t->task) && visit[t->visited - 1] == 20);
	CU_ASSERT_STRING_EQUAL(t->task.comm, "prog");
	t = find(PROCESS, 2, 2);
	CU_ASSERT(t && t->task.flags == (PITRACE_TASK_WALK | PITRACE_TASK_KTHREAD));
	CU_ASSERT_PTR_NULL(find(MODULE, 2, 0x1000));
	t = find(THREAD, 20, 22);
	CU_ASSERT_FATAL(t != NULL);
	CU_ASSERT_STRING_EQUAL(t->task.comm, "worker2");
	CU_ASSERT_EQUAL(t->time, find(PROCESS, 20, 20)->time);
	CU_ASSERT(find(THREAD, 20, 21) && !find(THREAD, 20, 20));
	/* Mappings of code, their paths padded with zeros. */
	t = find(MODULE, 20, 0x1000);
	CU_ASSERT_FATAL(t != NULL);
	CU_ASSERT(t->map.length == 0x2000 && t->map.offset == 0x1000 && t->map.inode == 5);
	CU_ASSERT(t->map.dev_major == 0xfe && t->map.dev_minor == 1 && t->map.path_len == 6);
	CU_ASSERT_EQUAL(t->map.flags, PITRACE_MAP_WALK | PITRACE_MAP_READ | PITRACE_MAP_EXEC);
	CU_ASSERT_EQUAL(t->size, sizeof(struct pitrace_mte_map) + 8);
	CU_ASSERT(!memcmp(t->map.path, "/lib/a\0", 8));
	t = find(MODULE, 20, 0x5000);
	CU_ASSERT(t && t->map.flags & PITRACE_MAP_ANON && t->map.flags & PITRACE_MAP_WRITE);
	t = find(MODULE, 20, 0x7000);
	CU_ASSERT_FATAL(t != NULL);
	CU_ASSERT(t->map.flags & PITRACE_MAP_DELETED && t->map.flags & PITRACE_MAP_SHARED);
	CU_ASSERT(t->map.path_len == 8 && t->size == sizeof(struct pitrace_mte_map) + 12);
	CU_ASSERT(!memcmp(t->map.path, "/lib/abc\0\0\0", 12));
	/* The callback may be NULL. */
	n = 0;
	CU_ASSERT_EQUAL(proc_walk(0, put, NULL, &n), 0);
	CU_ASSERT_EQUAL(n, 12);
	end();
}

static void scoped(void)
{
	const struct got *t;

	begin();
	CU_ASSERT_EQUAL(walk(20), 0);
	CU_ASSERT(visits == 3 && visit[0] == 20 && visit[1] == 30 && visit[2] == 31);
	CU_ASSERT_EQUAL(n, 2 + 3 + 2 + 3);
	/* Its ancestors first, the nearest of them first. */
	CU_ASSERT(got[0].task.pid == 10 && got[1].task.pid == 1);
	CU_ASSERT(got[0].task.tid == 10 && got[0].minor == PROCESS && got[0].time);
	CU_ASSERT_EQUAL(got[0].task.flags, PITRACE_TASK_WALK | PITRACE_TASK_ANCESTOR);
	t = find(PROCESS, 30, 30);
	CU_ASSERT(t && t->task.flags == PITRACE_TASK_WALK);
	CU_ASSERT(!find(PROCESS, 40, 40) && find(THREAD, 20, 21) && find(MODULE, 20, 0x1000));
	/* A process that does not exist has no threads. */
	CU_ASSERT_EQUAL(walk(999), 0);
	CU_ASSERT_EQUAL(n, 0);
	/* A pid that was used again makes rings of parents: there is an end to it. */
	task(50, 50, 51, "a", 0);
	task(51, 51, 50, "b", 0);
	CU_ASSERT_EQUAL(walk(31), 0);
	CU_ASSERT_EQUAL(visits, 1);
	CU_ASSERT_EQUAL(walk(51), 0);
	CU_ASSERT(visits == 2 && n == 64 + 2);
	end();
	/* As far down as 256. */
	begin();
	for (int i = 0; i < 300; i++)
		task(1000 + i, 1000 + i, i ? 999 + i : 20, "deep", 0);
	CU_ASSERT_EQUAL(walk(20), 0);
	CU_ASSERT_EQUAL(visits, 3 + 255);
	end();
}

/* More than the table has room for at first. */
static void many(void)
{
	begin();
	for (int i = 0; i < 600; i++)
		task(1000 + i, 1000 + i, 1, "one of many", 0);
	CU_ASSERT_EQUAL(walk(0), 0);
	CU_ASSERT(visits == 607 && n == 612);
	CU_ASSERT(reallocs > 2);
	for (unsigned int k = 1; k <= 3; k++) {
		reallocs = 0;
		realloc_fails = k;
		CU_ASSERT_EQUAL(walk(0), -ENOMEM);
		CU_ASSERT(!n && !visits);
	}
	end();
}

/* A process that cannot be read any more counts as gone. */
static void goes(void)
{
	unsigned int most;

	begin();
	CU_ASSERT_EQUAL(walk(20), 0);
	most = opens;
	for (unsigned int k = 1; k <= most; k++) {
		opens = 0;
		open_gone = k;
		CU_ASSERT_EQUAL(walk(20), 0);
		CU_ASSERT(n < 10 || opens == most);
	}
	open_gone = 0;
	no_proc = true;
	CU_ASSERT_EQUAL(walk(0), -EACCES);
	end();
}

/* A part is not taken for the whole. */
static void no_memory(void)
{
	begin();
	for (int scope = 0; scope <= 20; scope += 20) {
		unsigned int most, all, whole = 0;

		requests = request_fails = 0;
		CU_ASSERT_EQUAL(walk(scope), 0);
		most = requests;
		all = n;
		CU_ASSERT(most > 15);
		for (request_fails = 1; request_fails <= most; request_fails++) {
			int err;

			requests = 0;
			err = walk(scope);
			CU_ASSERT(err ? err == -ENOMEM && requests == request_fails : n == all);
			whole += !err;
		}
		/* The last line of a file has no end: there are no more, that is known. */
		CU_ASSERT_EQUAL(whole, 1);
		request_fails = 0;
	}
	end();
}

static void put_error(void)
{
	unsigned int most;

	begin();
	for (int scope = 0; scope <= 20; scope += 20) {
		put_fails = 0;
		CU_ASSERT_EQUAL(walk(scope), 0);
		most = n;
		for (put_fails = 1; put_fails <= most; put_fails++) {
			CU_ASSERT_EQUAL(walk(scope), -EIO);
			CU_ASSERT_EQUAL(n, put_fails);
		}
	}
	put_fails = 0;
	end();
}

/* A path as long as one may be, and longer: cut. */
static void long_paths(void)
{
	static char text[3 * PATH_MAX];

	for (size_t extra = 0; extra < 3; extra++) {
		const struct got *t;
		char *at = text + sprintf(text, "1000-2000 r-xp 00000000 fe:01 5 ");

		begin();
		memset(at, 'x', PATH_MAX - 1 + extra);
		*at = '/';
		strcpy(at + PATH_MAX - 1 + extra, "\n");
		maps(30, text);
		CU_ASSERT_EQUAL(walk(30), 0);
		t = find(MODULE, 30, 0x1000);
		CU_ASSERT_FATAL(t != NULL);
		CU_ASSERT_EQUAL(t->map.path_len, extra ? PATH_MAX : PATH_MAX - 1);
		CU_ASSERT_EQUAL(t->size,
				sizeof(struct pitrace_mte_map) + PATH_MAX + (extra ? 4 : 0));
		end();
	}
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "all", all },
		{ "scoped", scoped },
		{ "many", many },
		{ "no_memory", no_memory },
		{ "goes", goes },
		{ "put_error", put_error },
		{ "long_paths", long_paths },
		{},
	};

	return unit_run("proc_walk", tests);
}

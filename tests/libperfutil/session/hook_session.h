/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A session with hook files in this process: it begins, ends, and reads what was written.
 */
#ifndef HOOK_SESSION_H
#define HOOK_SESSION_H

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "hook/hookfile.h"
#include "file/record_walk.h"
#include "base/now.h"
#include "unit.h"

#define MAJOR   0xD2
#define MINOR   5
#define THREADS 8

static const uint64_t
	majors[4] = { [MAJOR / 64] = 1ull << MAJOR % 64 | 1ull << PITRACE_NAMED % 64, [2] = ~0ull };
static char top[] = "/tmp/trace_hook.XXXXXX", folder[64], socket_path[64], page[64];

/* ---- a session ------------------------------------------------------------------------------- */

static struct hooks *hooks;
static uint64_t records, lost;

/* Records hold a writer and a number. */
static struct arrival {
	uint64_t stamp, who, number;
	uint32_t pid, tid;
} * arrivals;
static size_t narrivals;
#define ARRIVALS 2000000

static inline int sink(void *arg, const void *segment, size_t size)
{
	struct pitrace_segment h;
	struct pitrace_user u;
	struct record_walk w;
	struct record r;

	(void)arg;
	if (record_walk_begin(&w, segment, size, &h))
		return -EBADMSG;
	while (record_next(&w, &r) > 0) {
		struct arrival a = { .stamp = r.stamp };

		if (r.major != MAJOR)
			continue;
		records++;
		memcpy(&u, r.data, sizeof(u));
		if (u.ints != 2 || narrivals == ARRIVALS)
			continue;
		a.pid = u.pid;
		a.tid = u.tid;
		memcpy(&a.who, (const char *)r.data + sizeof(u), 2 * sizeof(a.who));
		arrivals[narrivals++] = a;
	}
	return 0;
}

/* A test may take the records itself. */
static segment_sink session_sink = sink;

static inline void drain(bool all)
{
	do {
		CU_ASSERT_EQUAL(hooks_collect(hooks), 0);
		CU_ASSERT_EQUAL(hooks_drain(hooks, PITRACE_RING_MTE, all, session_sink, NULL), 0);
		CU_ASSERT_EQUAL(hooks_drain(hooks, PITRACE_RING_TRACE, all, session_sink, NULL), 0);
	} while (all && hooks_pending(hooks));
}

/* As `swtrace init` of this size, and on. */
static inline void begin_with(uint64_t bytes)
{
	records = narrivals = 0;
	hooks = hooks_new(folder, (uid_t)-1, bytes, 1);
	if (!hooks)
		printf("# hooks_new: %s (%s)\n", strerror(errno), TraceLastError());
	CU_ASSERT_PTR_NOT_NULL_FATAL(hooks);
	CU_ASSERT_EQUAL(hooks_listen(hooks, majors), 0);
}

static inline void begin(void)
{
	begin_with(TRACER_TRACE_BYTES);
}

static inline void end(void)
{
	CU_ASSERT_EQUAL(hooks_listen(hooks, NULL), 0);
	drain(true);
	lost = hooks_lost(hooks);
	hooks_free(hooks);
	hooks = NULL;
}

static inline int by_stamp(const void *a, const void *b)
{
	const struct arrival *x = a, *y = b;

	return x->stamp < y->stamp ? -1 : x->stamp > y->stamp;
}

/* Records that come after a later one of their writer. */
static inline uint64_t disorder(void)
{
	static uint64_t next[4096];
	uint64_t n = 0;

	memset(next, 0, sizeof(next));
	qsort(arrivals, narrivals, sizeof(*arrivals), by_stamp);
	for (size_t i = 0; i < narrivals; i++) {
		n += arrivals[i].who >= 4096 || arrivals[i].number < next[arrivals[i].who % 4096];
		next[arrivals[i].who % 4096] = arrivals[i].number + 1;
	}
	return n;
}

static inline int write_one(uint64_t who, uint64_t number)
{
	return TraceHook(0, MAJOR, MINOR, 2, 0, (uint64_t[]){ who, number }, NULL, NULL);
}

/* A child's status; -1: it hung. */
static inline int outcome(pid_t pid, unsigned int seconds)
{
	int status;

	for (unsigned int i = 0; i < seconds * 100; i++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return status;
		usleep(10000);
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return -1;
}

/* All tests of a program, in a folder of their own; there is no socket of a session there yet. */
static inline int hook_session_run(const char *name, const struct unit_test *tests)
{
	int code;

	arrivals = calloc(ARRIVALS, sizeof(*arrivals));
	if (!arrivals || !mkdtemp(top))
		return 1;
	snprintf(socket_path, sizeof(socket_path), "%s/s", top);
	snprintf(folder, sizeof(folder), "%s/s.hooks", top);
	snprintf(page, sizeof(page), "%s/s.listen", top);
	setenv("PITRACE_SOCKET", socket_path, 1);
	unsetenv(HOOKFILE_ENV);
	code = unit_run(name, tests);
	unlink(page);
	rmdir(folder);
	rmdir(top);
	return code;
}

#endif

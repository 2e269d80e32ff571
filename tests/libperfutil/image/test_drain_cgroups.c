/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cgroups that the drain reads: for each process once, in order although segments are not. */
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/proc_cgroup.h"
#include "file/record_kinds.h"
#include "file/segment.h"
#include "image/drain_cgroups.h"
#include "unit.h"

#define NOBODY 0x500000u /* no process has this number */

static struct drain_cgroups *cgroups;
static struct segment_out out;
static char own[PROC_CGROUP_ROOM]; /* this process's */

static int scan(void *arg, const void *segment, size_t size)
{
	(void)arg;
	drain_cgroups_scan(cgroups, segment, size);
	return 0;
}

static void begin(uint16_t ring)
{
	cgroups = drain_cgroups_new();
	CU_ASSERT_PTR_NOT_NULL_FATAL(cgroups);
	out = (struct segment_out){ .session = 1, .ring = ring, .size = 65536 };
}

static void task(uint32_t minor, uint32_t pid, uint32_t ppid, size_t size, uint64_t stamp)
{
	const struct pitrace_mte_task t = { .pid = pid, .tid = pid, .ppid = ppid };
	int err = 0;
	void *p = segment_put(&out, PITRACE_MTE, minor, PITRACE_TYPE_STRUCT, size, stamp, scan,
			      NULL, &err);

	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	memcpy(p, &t, size);
}

/* Another CPU's segment: its stamps begin anew. */
static void next_segment(void)
{
	CU_ASSERT_EQUAL(segment_close(&out, scan, NULL), 0);
}

/* Returns "PID:STAMP ..." of the records that are written. */
static const char *found(void)
{
	static char text[4096];
	int fd = memfd_create("trace", MFD_CLOEXEC);
	struct pifile_writer *w =
		pifile_create_fd(dup(fd),
				 &(struct pifile_header){ .clock = PITRACE_CLOCK_MONOTONIC });
	struct mte_cgroup g;
	struct pirecord r;
	struct pimerge *m;
	struct pifile *f;
	size_t n = 0;

	*text = '\0';
	next_segment();
	CU_ASSERT_EQUAL(drain_cgroups_flush(cgroups, w), 0);
	CU_ASSERT_EQUAL(drain_cgroups_flush(cgroups, w), 0); /* nothing is written again */
	CU_ASSERT_EQUAL(pifile_finish(w), 0);
	snprintf(text, sizeof(text), "/proc/self/fd/%d", fd);
	f = pifile_open(text, NULL);
	*text = '\0';
	m = f ? pimerge_open(f, PIMERGE_MTE) : NULL;
	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	while (pimerge_next(m, &r)) {
		CU_ASSERT_EQUAL_FATAL(r.minor, MTE_CGROUP);
		CU_ASSERT_FATAL(r.size > sizeof(g));
		memcpy(&g, r.data, sizeof(g));
		CU_ASSERT_FATAL(r.size > sizeof(g) + g.path_len);
		CU_ASSERT_STRING_EQUAL((const char *)r.data + sizeof(g), own);
		CU_ASSERT_EQUAL(g.path_len, strlen(own));
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s:%llu", n ? " " : "",
				      g.pid == (uint32_t)getpid() ? "own" : "other",
				      (unsigned long long)r.stamp);
	}
	pimerge_close(m);
	pifile_close(f);
	close(fd);
	return text;
}

static void finish(void)
{
	segment_free(&out);
	drain_cgroups_free(cgroups);
}

static void path(void)
{
	int unified;

	CU_ASSERT(proc_cgroup((uint32_t)getpid(), own, sizeof(own), &unified) > 0);
	CU_ASSERT_EQUAL(own[0], '/');
	CU_ASSERT_PTR_NULL(strchr(own, '\n'));
	CU_ASSERT_EQUAL(proc_cgroup(NOBODY, own, sizeof(own), &unified), 0);
	CU_ASSERT_EQUAL(own[0], '\0');
	CU_ASSERT_EQUAL(proc_cgroup((uint32_t)getpid(), own, 2, &unified), 1);
	CU_ASSERT_STRING_EQUAL(own, "/");
	CU_ASSERT(proc_cgroup((uint32_t)getpid(), own, sizeof(own), &unified) > 0);
	CU_ASSERT_EQUAL(proc_cgroup_id("/../x"), 0);
	CU_ASSERT_EQUAL(proc_cgroup_id("/no/such/group"), 0);
	CU_ASSERT(!unified || proc_cgroup_id(own) > 0);
}

static void once(void)
{
	uint32_t pid = (uint32_t)getpid();

	begin(PITRACE_RING_MTE);
	task(PITRACE_MTE_PROCESS, pid, 1, sizeof(struct pitrace_mte_task), 100);
	task(PITRACE_MTE_PROCESS, pid, 1, sizeof(struct pitrace_mte_task), 200);
	/* Its child is in the same, and executes a program there. */
	task(PITRACE_MTE_FORK, NOBODY, pid, sizeof(struct pitrace_mte_task), 300);
	task(PITRACE_MTE_PROCESS, NOBODY, pid, sizeof(struct pitrace_mte_task), 400);
	CU_ASSERT_STRING_EQUAL(found(), "own:100");
	task(PITRACE_MTE_PROCESS, pid, 1, sizeof(struct pitrace_mte_task), 500);
	CU_ASSERT_STRING_EQUAL(found(), "");
	/* The number again, as the child of a process that nobody knows. */
	task(PITRACE_MTE_FORK, pid, NOBODY + 1, sizeof(struct pitrace_mte_task), 600);
	task(PITRACE_MTE_PROCESS, pid, NOBODY + 1, sizeof(struct pitrace_mte_task), 700);
	CU_ASSERT_STRING_EQUAL(found(), "own:700");
	/* One that has ended before: in its parent's. */
	task(PITRACE_MTE_PROCESS, NOBODY + 2, pid, sizeof(struct pitrace_mte_task), 800);
	task(PITRACE_MTE_PROCESS, NOBODY + 3, NOBODY + 4, sizeof(struct pitrace_mte_task), 900);
	CU_ASSERT_STRING_EQUAL(found(), "other:800");
	task(PITRACE_MTE_PROCESS, NOBODY + 5, NOBODY + 2, sizeof(struct pitrace_mte_task), 950);
	CU_ASSERT_STRING_EQUAL(found(), "other:950");
	finish();
}

/* Two records: stamps, and how they are written. */
static void two(uint64_t others, uint64_t own_stamp, const char *want)
{
	uint32_t pid = (uint32_t)getpid();
	pid_t child = fork();

	if (!child) {
		pause();
		_exit(0);
	}
	begin(PITRACE_RING_MTE);
	task(PITRACE_MTE_PROCESS, (uint32_t)child, 1, sizeof(struct pitrace_mte_task), others);
	next_segment();
	segment_free(&out);
	out = (struct segment_out){ .session = 1, .ring = PITRACE_RING_MTE, .size = 65536 };
	task(PITRACE_MTE_PROCESS, pid, 1, sizeof(struct pitrace_mte_task), own_stamp);
	CU_ASSERT_STRING_EQUAL(found(), want);
	finish();
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static void in_order(void)
{
	two(9ull << 32, 5, "own:5 other:38654705664");
	/* The lower half of the stamps begins anew between them. */
	two((1ull << 32) + 3, (1ull << 32) - 7, "own:4294967289 other:4294967299");
}

/* No process: other records, a record that is cut, another ring, the idle task. */
static void others(void)
{
	uint32_t pid = (uint32_t)getpid();

	begin(PITRACE_RING_MTE);
	task(PITRACE_MTE_THREAD, pid, 1, sizeof(struct pitrace_mte_task), 1);
	task(PITRACE_MTE_PROCESS, pid, 1, sizeof(struct pitrace_mte_task) - 4, 2);
	task(PITRACE_MTE_PROCESS, 0, 0, sizeof(struct pitrace_mte_task), 3);
	task(PITRACE_MTE_PROCESS, NOBODY, 0, sizeof(struct pitrace_mte_task), 4);
	CU_ASSERT_STRING_EQUAL(found(), "");
	finish();
	begin(PITRACE_RING_TRACE);
	task(PITRACE_MTE_PROCESS, pid, 1, sizeof(struct pitrace_mte_task), 1);
	CU_ASSERT_STRING_EQUAL(found(), "");
	finish();
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "path", path },     { "once", once }, { "in_order", in_order },
		{ "others", others }, { NULL, NULL },
	};

	return unit_run("drain_cgroups", tests);
}

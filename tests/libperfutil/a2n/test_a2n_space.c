/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Address spaces over time: what was mapped where when, through fork, clone, exec, pid reuse, map
 * over map and unmap; names of processes and threads. Checked case by case, then against a plain
 * model that keeps every state there ever was.
 */
#include <errno.h>
#include <stdlib.h>

#include "a2n.h"
#include "unit.h"

static struct a2n *a;

static void begin(void)
{
	if (a)
		a2n_close(a);
	a = a2n_open(NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(a);
}

static void map_flags(uint64_t time, uint32_t pid, uint64_t start, uint64_t length,
		      const char *path, uint32_t flags)
{
	const struct a2n_map map = { .start = start,
				     .length = length,
				     .path = path,
				     .flags = flags };

	CU_ASSERT_EQUAL(a2n_add_map(a, time, pid, &map), 0);
}

static void map(uint64_t time, uint32_t pid, uint64_t start, uint64_t length, const char *path)
{
	map_flags(time, pid, start, length, path, 0);
}

static const char *at(uint32_t pid, uint64_t time, uint64_t address)
{
	struct a2n_answer r;

	a2n_resolve(a, pid, time, address, false, &r);
	CU_ASSERT_PTR_NOT_NULL_FATAL(r.module);
	CU_ASSERT_PTR_NOT_NULL_FATAL(r.symbol);
	CU_ASSERT_PTR_EQUAL(r.symbol->module, r.module);
	if (r.result == A2N_RESULT_NO_MODULE)
		CU_ASSERT_STRING_EQUAL(r.module->name, A2N_NO_MODULE);
	return r.module->name;
}

static bool unsure(uint32_t pid, uint64_t time)
{
	struct a2n_answer r;

	a2n_resolve(a, pid, time, 0x1000, false, &r);
	return r.unsure;
}

#define IS(pid, time, address, name) CU_ASSERT_STRING_EQUAL(at(pid, time, address), name)
#define NONE(pid, time, address)     IS(pid, time, address, A2N_NO_MODULE)

static void test_edges(void)
{
	begin();
	a2n_process(a, 10, 1, 5);
	map(20, 1, 0x1000, 0x1000, "/a");
	NONE(1, 19, 0x1800);
	NONE(1, 20, 0xfff);
	IS(1, 20, 0x1000, "/a");
	IS(1, 1000, 0x1fff, "/a");
	NONE(1, 20, 0x2000);
	NONE(1, 5, 0x1000);
	NONE(2, 20, 0x1000);
	/* The last pages there are. */
	map(30, 1, 0x7ffffffffffff000, 0x1000, "/top");
	IS(1, 30, 0x7fffffffffffffff, "/top");
	map(30, 1, 0x7fffffffffffe000, UINT64_MAX, "/huge");
	IS(1, 30, 0x7fffffffffffffff, "/huge");
	map(30, 1, 0x5000, 0, "/nothing");
	NONE(1, 30, 0x5000);
}

static void test_map_over_map(void)
{
	begin();
	a2n_process(a, 10, 1, 5);
	map(20, 1, 0x1000, 0x4000, "/a");
	map(30, 1, 0x2000, 0x1000, "/b");
	IS(1, 29, 0x2800, "/a");
	IS(1, 30, 0x1fff, "/a");
	IS(1, 30, 0x2000, "/b");
	IS(1, 30, 0x2fff, "/b");
	IS(1, 30, 0x3000, "/a");
	IS(1, 30, 0x4fff, "/a");
	a2n_unmap(a, 40, 1, 0x1800, 0x1000);
	IS(1, 40, 0x17ff, "/a");
	NONE(1, 40, 0x1800);
	NONE(1, 40, 0x27ff);
	IS(1, 40, 0x2800, "/b");
	IS(1, 39, 0x2000, "/b");
}

static void test_offsets(void)
{
	struct a2n_map m = { .start = 0x10000, .length = 0x3000, .offset = 0x2000, .path = "/a" };
	struct a2n_answer r;

	begin();
	a2n_process(a, 10, 1, 5);
	a2n_add_map(a, 20, 1, &m);
	a2n_unmap(a, 30, 1, 0x11000, 0x1000);
	a2n_resolve(a, 1, 30, 0x12010, false, &r);
	CU_ASSERT_EQUAL(r.result, A2N_RESULT_NO_SYMBOLS);
	CU_ASSERT_EQUAL(r.module_offset, 0x4010);
	CU_ASSERT_EQUAL(r.symbol_offset, 0x4010);
	/* mprotect splits: told again in parts, nothing changes. */
	m.start += 0x2000, m.offset += 0x2000, m.length = 0x1000;
	a2n_add_map(a, 40, 1, &m);
	a2n_resolve(a, 1, 50, 0x12010, false, &r);
	CU_ASSERT_EQUAL(r.module_offset, 0x4010);
	/* The same file elsewhere is the same module. */
	m.start = 0x900000;
	a2n_add_map(a, 40, 2, &m);
	CU_ASSERT_STRING_EQUAL(at(2, 40, 0x900000), "/a");
	{
		struct a2n_answer other;

		a2n_resolve(a, 2, 40, 0x900010, false, &other);
		CU_ASSERT_PTR_EQUAL(other.module, r.module);
		CU_ASSERT_PTR_EQUAL(other.symbol, r.symbol);
		/* Another inode is another file. */
		m.inode = 7;
		a2n_add_map(a, 50, 2, &m);
		a2n_resolve(a, 2, 50, 0x900010, false, &other);
		CU_ASSERT_PTR_NOT_EQUAL(other.module, r.module);
	}
}

static void test_reused_address(void)
{
	uint64_t t;

	begin();
	a2n_process(a, 10, 1, 5);
	for (t = 100; t < 200; t += 10) {
		map(t, 1, 0x5000, 0x1000, t % 20 ? "/odd" : "/even");
		a2n_unmap(a, t + 5, 1, 0x5000, 0x1000);
	}
	for (t = 100; t < 200; t += 10) {
		NONE(1, t - 1, 0x5800);
		IS(1, t, 0x5800, t % 20 ? "/odd" : "/even");
		IS(1, t + 4, 0x5800, t % 20 ? "/odd" : "/even");
		NONE(1, t + 5, 0x5800);
	}
}

static void test_fork(void)
{
	begin();
	a2n_process(a, 10, 1, 5);
	map(20, 1, 0x1000, 0x3000, "/a");
	a2n_fork(a, 30, 1, 2, 30);
	map(40, 1, 0x1000, 0x1000, "/parent");
	map(50, 2, 0x2000, 0x1000, "/child");
	a2n_unmap(a, 60, 2, 0x3000, 0x1000);
	NONE(2, 29, 0x1000);
	IS(2, 30, 0x1000, "/a");
	IS(2, 70, 0x1000, "/a");
	IS(1, 70, 0x1000, "/parent");
	IS(1, 70, 0x2000, "/a");
	IS(2, 49, 0x2000, "/a");
	IS(2, 50, 0x2fff, "/child");
	IS(2, 59, 0x3000, "/a");
	NONE(2, 60, 0x3000);
	IS(1, 70, 0x3000, "/a");
	/* The parent going away takes nothing from the child. */
	a2n_unmap(a, 80, 1, 0, UINT64_MAX);
	a2n_exit(a, 80, 1, 1);
	IS(2, 90, 0x1000, "/a");
	NONE(1, 80, 0x2000);
}

static void test_fork_same_time(void)
{
	begin();
	a2n_process(a, 10, 1, 5);
	map(10, 1, 0x1000, 0x1000, "/before");
	a2n_fork(a, 10, 1, 2, 10);
	map(10, 1, 0x1000, 0x1000, "/after");
	IS(1, 10, 0x1000, "/after");
	IS(2, 10, 0x1000, "/before");
	map(10, 2, 0x1000, 0x1000, "/child");
	IS(1, 10, 0x1000, "/after");
	IS(2, 10, 0x1000, "/child");
}

static void test_fork_deep(void)
{
	uint32_t pid;

	begin();
	a2n_process(a, 10, 1, 5);
	map(20, 1, 0x1000, 0x1000, "/root");
	for (pid = 2; pid < 3000; pid++) {
		a2n_fork(a, pid * 100, pid - 1, pid, pid);
		if (pid % 3)
			map(pid * 100 + 10, pid, 0x10000 + pid * 0x1000, 0x1000, "/own");
		a2n_exit(a, pid * 100 + 20, pid - 1, pid - 1);
	}
	for (pid = 4; pid < 3000; pid += 7) {
		IS(pid, pid * 100, 0x1000, "/root");
		IS(pid, pid * 100 + 50, 0x10000 + (pid - pid % 3 + 1) * 0x1000,
		   pid % 3 ? "/own" : A2N_NO_MODULE);
		if (pid > 20)
			IS(pid, pid * 100, 0x10000 + 10 * 0x1000, "/own");
		NONE(pid, pid * 100, 0x10000 + 9 * 0x1000);
	}
}

static void test_clone_shares(void)
{
	begin();
	a2n_process(a, 10, 1, 5);
	a2n_clone(a, 20, 1, 2, 20);
	map(30, 1, 0x1000, 0x1000, "/a");
	map(40, 2, 0x2000, 0x1000, "/b");
	IS(2, 30, 0x1000, "/a");
	IS(1, 40, 0x2000, "/b");
	/* vfork, then exec: the parent keeps what it has. */
	a2n_process(a, 50, 2, 20);
	map(60, 2, 0x1000, 0x1000, "/c");
	NONE(2, 55, 0x1000);
	IS(2, 60, 0x1000, "/c");
	IS(1, 70, 0x1000, "/a");
	IS(2, 49, 0x2000, "/b");
}

static void test_exec(void)
{
	begin();
	a2n_process(a, 10, 1, 5);
	map(10, 1, 0x1000, 0x1000, "/old");
	a2n_process(a, 20, 1, 5);
	map(20, 1, 0x2000, 0x1000, "/new");
	IS(1, 19, 0x1000, "/old");
	NONE(1, 20, 0x1000);
	IS(1, 20, 0x2000, "/new");
	NONE(1, 19, 0x2000);
	CU_ASSERT_EQUAL(a2n_process_serial(a, 1, 15), a2n_process_serial(a, 1, 25));
}

static void test_pid_reuse(void)
{
	uint64_t first, second, third;

	begin();
	a2n_process(a, 10, 7, 5);
	a2n_name(a, 10, 7, 7, "first");
	map(10, 7, 0x1000, 0x1000, "/first");
	a2n_exit(a, 20, 7, 7);
	IS(7, 25, 0x1000, "/first");
	CU_ASSERT_STRING_EQUAL(a2n_process_name(a, 7, 29), "first");
	a2n_process(a, 30, 1, 1);
	a2n_name(a, 30, 1, 1, "shell");
	a2n_fork(a, 30, 1, 7, 30);
	NONE(7, 30, 0x1000);
	CU_ASSERT_STRING_EQUAL(a2n_process_name(a, 7, 30), "shell");
	a2n_name(a, 31, 7, 7, "second");
	/* No exit and no fork was recorded: the start time shows it. */
	a2n_process(a, 40, 7, 40);
	CU_ASSERT_STRING_EQUAL(a2n_process_name(a, 7, 39), "second");
	CU_ASSERT_STRING_EQUAL(a2n_process_name(a, 7, 40), A2N_UNKNOWN);
	first = a2n_process_serial(a, 7, 29);
	second = a2n_process_serial(a, 7, 30);
	third = a2n_process_serial(a, 7, 40);
	CU_ASSERT(first && second && third && first != second && second != third);
	CU_ASSERT_EQUAL(a2n_process_serial(a, 8, 40), 0);
	/* Nobody knows start times: the exit tells. */
	a2n_process(a, 40, 70, 0);
	a2n_process(a, 41, 70, 0);
	a2n_exit(a, 42, 70, 70);
	a2n_process(a, 43, 70, 0);
	CU_ASSERT_EQUAL(a2n_process_serial(a, 70, 40), a2n_process_serial(a, 70, 42));
	CU_ASSERT_NOT_EQUAL(a2n_process_serial(a, 70, 42), a2n_process_serial(a, 70, 43));
	CU_ASSERT_EQUAL(a2n_process_serial(a, 7, 39), second);
	/* Facts about the pid's first owner do not apply before the owner was created. */
	a2n_fork(a, 50, 1, 9, 50);
	CU_ASSERT_EQUAL(a2n_process_serial(a, 9, 49), 0);
	CU_ASSERT_STRING_EQUAL(a2n_process_name(a, 9, 49), A2N_UNKNOWN);
}

static void test_walk(void)
{
	begin();
	/* Seen alive by the walk at 50; sampled before. */
	a2n_process(a, 50, 1, 5);
	a2n_name(a, 50, 1, 1, "old");
	map_flags(51, 1, 0x1000, 0x2000, "/a", A2N_MAP_WALK);
	IS(1, 0, 0x1000, "/a");
	IS(1, 60, 0x1000, "/a");
	CU_ASSERT_STRING_EQUAL(a2n_process_name(a, 1, 0), "old");
	CU_ASSERT_NOT_EQUAL(a2n_process_serial(a, 1, 0), 0);

	/* Hooks saw it do something before the walk came. */
	map(10, 2, 0x1000, 0x1000, "/early");
	a2n_unmap(a, 20, 2, 0x1000, 0x800);
	map_flags(50, 2, 0x1000, 0x800, "/late", A2N_MAP_WALK);
	map_flags(50, 2, 0x1800, 0x800, "/early", A2N_MAP_WALK);
	map_flags(50, 2, 0x2000, 0x1000, "/quiet", A2N_MAP_WALK);
	NONE(2, 9, 0x1000);
	IS(2, 10, 0x1000, "/early");
	NONE(2, 49, 0x1000);
	IS(2, 50, 0x1000, "/late");
	IS(2, 49, 0x1800, "/early");
	IS(2, 0, 0x2000, "/quiet");

	/* Back to its exec, not further. */
	a2n_process(a, 5, 3, 1);
	map(5, 3, 0x1000, 0x1000, "/before-exec");
	a2n_process(a, 30, 3, 1);
	map_flags(50, 3, 0x2000, 0x1000, "/image", A2N_MAP_WALK);
	IS(3, 30, 0x2000, "/image");
	NONE(3, 29, 0x2000);

	/* A child made before the walk came to its parent. */
	a2n_process(a, 50, 4, 1);
	CU_ASSERT_EQUAL(a2n_fork(a, 50, 4, 5, 20), 0);
	map_flags(60, 4, 0x1000, 0x1000, "/inherited", A2N_MAP_WALK);
	map_flags(60, 5, 0x3000, 0x1000, "/own", A2N_MAP_WALK);
	IS(5, 50, 0x1000, "/inherited");
	IS(5, 50, 0x3000, "/own");
	NONE(5, 49, 0x1000);

	/* An exec is not a walk: nothing is known of the time before. */
	a2n_process(a, 50, 6, 1);
	a2n_name(a, 50, 6, 6, "new");
	map(50, 6, 0x1000, 0x1000, "/a");
	NONE(6, 49, 0x1000);
	CU_ASSERT_STRING_EQUAL(a2n_process_name(a, 6, 49), A2N_UNKNOWN);
	CU_ASSERT_EQUAL(a2n_process_serial(a, 6, 49), a2n_process_serial(a, 6, 50));

	/* Told of by a thread before the walk described it. */
	a2n_thread(a, 10, 8, 81);
	a2n_process(a, 50, 8, 1);
	map_flags(50, 8, 0x1000, 0x1000, "/a", A2N_MAP_WALK);
	IS(8, 20, 0x1000, "/a");

	/* Known in part when the walk came, and again when records had been lost. */
	map(10, 9, 0x1000, 0x1000, "/mapped");
	a2n_seen(a, 50, 9, 1);
	map_flags(50, 9, 0x1000, 0x1000, "/mapped", A2N_MAP_WALK);
	map_flags(50, 9, 0x2000, 0x1000, "/program", A2N_MAP_WALK);
	a2n_unmap(a, 60, 9, 0x1000, 0x1000);
	a2n_seen(a, 90, 9, 1);
	map_flags(90, 9, 0x1000, 0x1000, "/again", A2N_MAP_WALK);
	map_flags(90, 9, 0x3000, 0x1000, "/lost", A2N_MAP_WALK);
	IS(9, 20, 0x2000, "/program");
	NONE(9, 9, 0x1000 - 1);
	NONE(9, 60, 0x1000);
	IS(9, 90, 0x1000, "/again");
	IS(9, 60, 0x3000, "/lost");
	IS(9, 60, 0x2000, "/program");
	NONE(9, 90, 0x2000);
}

static void test_names(void)
{
	begin();
	CU_ASSERT_STRING_EQUAL(a2n_process_name(a, 1, 5), A2N_UNKNOWN);
	CU_ASSERT_STRING_EQUAL(a2n_thread_name(a, 1, 1, 5), A2N_UNKNOWN);
	a2n_process(a, 10, 1, 5);
	CU_ASSERT_STRING_EQUAL(a2n_process_name(a, 1, 10), A2N_UNKNOWN);
	a2n_name(a, 10, 1, 1, "bash");
	a2n_thread(a, 20, 1, 12);
	a2n_name(a, 30, 1, 12, "worker");
	a2n_name(a, 40, 1, 1, "renamed");
	a2n_fork(a, 50, 1, 2, 50);
	CU_ASSERT_STRING_EQUAL(a2n_process_name(a, 1, 39), "bash");
	CU_ASSERT_STRING_EQUAL(a2n_process_name(a, 1, 40), "renamed");
	CU_ASSERT_STRING_EQUAL(a2n_thread_name(a, 1, 1, 40), "renamed");
	CU_ASSERT_STRING_EQUAL(a2n_thread_name(a, 1, 12, 20), "bash");
	CU_ASSERT_STRING_EQUAL(a2n_thread_name(a, 1, 12, 30), "worker");
	CU_ASSERT_STRING_EQUAL(a2n_thread_name(a, 1, 12, 90), "worker");
	CU_ASSERT_STRING_EQUAL(a2n_thread_name(a, 1, 13, 90), A2N_UNKNOWN);
	CU_ASSERT_STRING_EQUAL(a2n_process_name(a, 2, 50), "renamed");
	a2n_exit(a, 60, 1, 12);
	a2n_exit(a, 60, 1, 1);
	CU_ASSERT_STRING_EQUAL(a2n_thread_name(a, 1, 12, 70), "worker");
	CU_ASSERT_STRING_EQUAL(a2n_process_name(a, 1, 70), "renamed");
	/* A thread id comes back in another process. */
	a2n_thread(a, 80, 2, 12);
	CU_ASSERT_STRING_EQUAL(a2n_thread_name(a, 2, 12, 80), "renamed");
	CU_ASSERT_STRING_EQUAL(a2n_thread_name(a, 1, 12, 79), "worker");
	CU_ASSERT_STRING_EQUAL(a2n_thread_name(a, 2, 12, 79), A2N_UNKNOWN);
	/* At one time the later call counts. */
	a2n_name(a, 90, 2, 2, "x");
	a2n_name(a, 90, 2, 2, "y");
	CU_ASSERT_STRING_EQUAL(a2n_process_name(a, 2, 90), "y");
	a2n_name(a, 95, 2, 2, "odd \n\xff name");
	CU_ASSERT_STRING_EQUAL(a2n_process_name(a, 2, 95), "odd \n\xff name");
	a2n_name(a, 96, 2, 2, NULL);
	CU_ASSERT_STRING_EQUAL(a2n_process_name(a, 2, 96), "");
}

static void test_unsure(void)
{
	begin();
	a2n_process(a, 10, 1, 5);
	a2n_process(a, 10, 2, 5);
	CU_ASSERT_FALSE(unsure(1, 100));
	a2n_unsure(a, 20, 1);
	CU_ASSERT_FALSE(unsure(1, 19));
	CU_ASSERT_TRUE(unsure(1, 20));
	CU_ASSERT_FALSE(unsure(2, 100));
	a2n_fork(a, 25, 1, 3, 25);
	CU_ASSERT_TRUE(unsure(3, 25));
	a2n_process(a, 30, 1, 5);
	CU_ASSERT_TRUE(unsure(1, 29));
	CU_ASSERT_FALSE(unsure(1, 30));
	a2n_unsure(a, 40, 0);
	CU_ASSERT_FALSE(unsure(2, 39));
	CU_ASSERT_TRUE(unsure(1, 40));
	CU_ASSERT_TRUE(unsure(2, 40));
	a2n_fork(a, 45, 2, 4, 45);
	CU_ASSERT_TRUE(unsure(4, 45));
	a2n_process(a, 50, 2, 5);
	CU_ASSERT_FALSE(unsure(2, 50));
	a2n_unsure(a, 60, 0);
	CU_ASSERT_FALSE(unsure(2, 59));
	CU_ASSERT_TRUE(unsure(2, 60));
	/* Somebody nobody told of. */
	CU_ASSERT_FALSE(unsure(77, 39));
	CU_ASSERT_TRUE(unsure(77, 40));
}

static void test_odd_order(void)
{
	begin();
	/* Unmap of what is unknown, exit of nobody, events of a process never announced. */
	CU_ASSERT_EQUAL(a2n_unmap(a, 10, 1, 0x1000, 0x1000), 0);
	CU_ASSERT_EQUAL(a2n_exit(a, 10, 1, 1), 0);
	map(20, 1, 0x1000, 0x1000, "/a");
	IS(1, 20, 0x1000, "/a");
	NONE(1, 19, 0x1000);
	/* A time before the newest counts as the newest. */
	map(15, 1, 0x2000, 0x1000, "/b");
	NONE(1, 19, 0x2000);
	IS(1, 20, 0x2000, "/b");
	/* Its own parent. */
	CU_ASSERT_EQUAL(a2n_fork(a, 30, 1, 1, 5), 0);
	IS(1, 30, 0x1000, "/a");
	/* A child the walk saw before the fork was told. */
	a2n_process(a, 40, 2, 33);
	map_flags(40, 2, 0x9000, 0x1000, "/w", A2N_MAP_WALK);
	a2n_fork(a, 41, 1, 2, 33);
	IS(2, 50, 0x9000, "/w");
}

static void test_special_names(void)
{
	struct a2n_answer r;

	begin();
	a2n_process(a, 10, 1, 5);
	map_flags(20, 1, 0x1000, 0x1000, "//anon", A2N_MAP_ANON);
	map_flags(20, 1, 0x2000, 0x1000, "[vdso]", A2N_MAP_VDSO);
	map_flags(20, 1, 0x100002000, 0x1000, "[vdso]", A2N_MAP_VDSO);
	map_flags(20, 1, 0x3000, 0x1000, "/tmp/x y\n\xfe (deleted)", A2N_MAP_DELETED);
	map_flags(20, 1, 0x4000, 0x1000, NULL, 0);
	map_flags(20, 1, 0x5000, 0x1000, "[heap]", 0);
	IS(1, 20, 0x1000, A2N_JITCODE);
	IS(1, 20, 0x2000, A2N_VDSO_32);
	IS(1, 20, 0x100002000, A2N_VDSO);
	IS(1, 20, 0x3000, "/tmp/x y\n\xfe");
	IS(1, 20, 0x4000, A2N_JITCODE);
	IS(1, 20, 0x5000, "[heap]");
	a2n_resolve(a, 1, 20, 0x1234, false, &r);
	CU_ASSERT_EQUAL(r.result, A2N_RESULT_JIT_UNKNOWN);
	CU_ASSERT_EQUAL(r.module_offset, 0x1234);
	CU_ASSERT_STRING_EQUAL(r.symbol->name, A2N_JIT_UNKNOWN);
	a2n_resolve(a, 1, 20, 0x9234, false, &r);
	CU_ASSERT_EQUAL(r.result, A2N_RESULT_NO_MODULE);
	CU_ASSERT_STRING_EQUAL(r.symbol->name, A2N_NO_MODULE);
	CU_ASSERT_EQUAL(r.symbol_offset, 0x9234);
}

/* ---- against a model ------------------------------------------------------------------------- */

enum { PIDS = 6, CELLS = 48, EVENTS = 4000, MODULES = 5 };

static uint8_t history[EVENTS + 1][PIDS][CELLS]; /* 0: nothing, else module number */
static uint64_t times[EVENTS + 1];
static uint64_t seed;

static uint32_t rnd(uint32_t n)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(seed >> 33) % n;
}

static void test_model(void)
{
	static const char *const names[] = { A2N_NO_MODULE, "/1", "/2", "/3", "/4", "/5" };
	uint32_t round, i, k, wrong = 0;

	for (round = 0; round < 12; round++) {
		uint32_t shared[PIDS];

		begin();
		seed = round + 1;
		memset(history, 0, sizeof(history));
		for (i = 0; i < PIDS; i++)
			shared[i] = i; /* clones: whose cells they really are */
		for (i = 1; i <= EVENTS; i++) {
			uint32_t pid = rnd(PIDS), what = rnd(100), start = rnd(CELLS), length, to;

			times[i] = times[i - 1] + (rnd(3) ? rnd(10) : 0);
			memcpy(history[i], history[i - 1], sizeof(history[i]));
			length = 1 + rnd(rnd(4) ? 6 : CELLS - start);
			if (start + length > CELLS)
				length = CELLS - start;
			if (what < 60) {
				uint32_t m = 1 + rnd(MODULES);

				map(times[i], pid + 1, 0x1000ull * (start + 1), 0x1000ull * length,
				    names[m]);
				memset(history[i][shared[pid]] + start, (int)m, length);
			} else if (what < 85) {
				a2n_unmap(a, times[i], pid + 1, 0x1000ull * (start + 1),
					  0x1000ull * length);
				memset(history[i][shared[pid]] + start, 0, length);
			} else if (what < 95) {
				to = rnd(PIDS);
				for (k = 0; k < PIDS; k++)
					if (k != to && shared[k] == to)
						to = pid; /* others still use its cells */
				if (to == pid)
					continue;
				a2n_fork(a, times[i], pid + 1, to + 1, 0);
				shared[to] = to;
				memcpy(history[i][to], history[i][shared[pid]], CELLS);
			} else {
				for (k = 0; k < PIDS; k++)
					if (k != pid && shared[k] == pid)
						break;
				if (k < PIDS)
					continue;
				a2n_process(a, times[i], pid + 1, 0);
				shared[pid] = pid;
				memset(history[i][pid], 0, CELLS);
			}
			for (k = 0; k < PIDS; k++)
				if (shared[k] != k)
					memcpy(history[i][k], history[i][shared[k]], CELLS);
			if (what >= 95 || rnd(50))
				continue;
			/* Begin to share: pid with a process nobody shares with. */
			to = rnd(PIDS);
			for (k = 0; k < PIDS; k++)
				if ((k != to && shared[k] == to) || to == pid)
					break;
			if (k < PIDS)
				continue;
			a2n_clone(a, times[i], pid + 1, to + 1, 0);
			shared[to] = shared[pid];
			memcpy(history[i][to], history[i][shared[pid]], CELLS);
		}
		for (i = 0; i < 60000; i++) {
			uint32_t event = 1 + rnd(EVENTS), pid = rnd(PIDS), cell = rnd(CELLS);

			/* The last of several events at the same time counts. */
			while (event < EVENTS && times[event + 1] == times[event])
				event++;
			if (strcmp(at(pid + 1, times[event], 0x1000ull * (cell + 1) + rnd(0x1000)),
				   names[history[event][pid][cell]]))
				wrong++;
		}
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

static void test_many_pieces(void)
{
	uint32_t i, wrong = 0;

	begin();
	a2n_process(a, 0, 1, 1);
	/* From the middle outwards, each with a gap. */
	for (i = 0; i < 50000; i++)
		map(i, 1, 0x100000000ull + (i % 2 ? -1 : 1) * (int64_t)(i * 0x2000ull), 0x1000,
		    "/a");
	for (i = 0; i < 50000; i++) {
		uint64_t where = 0x100000000ull + (i % 2 ? -1 : 1) * (int64_t)(i * 0x2000ull);

		wrong += strcmp(at(1, 50000, where), "/a") != 0;
		wrong += strcmp(at(1, 50000, where + 0x1000), A2N_NO_MODULE) != 0;
		if (i)
			wrong += strcmp(at(1, i - 1, where), A2N_NO_MODULE) != 0;
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

static void take_frames(void *arg, size_t i, const struct a2n_frame *frames, size_t n)
{
	(void)i;
	(void)frames;
	*(size_t *)arg += n;
}

/* Each function refuses a NULL where something must be, and nothing has changed then. */
static void test_nothing_given(void)
{
	void *volatile none = NULL; /* the compiler would see it */
	const struct a2n_map no_id = { .start = 0x1000,
				       .length = 8,
				       .path = "/x",
				       .build_id_size = 3 };
	static const struct a2n_jit_line line = { 0x1000, 7, "f" };
	static const uint64_t offset;
	struct a2n_answer r;
	char path[8];
	size_t got = 0;

	begin();
	map(1, 7, 0x1000, 0x1000, "/a");
	CU_ASSERT_EQUAL(a2n_add_map(a, 2, 7, none), -EINVAL);
	CU_ASSERT_EQUAL(a2n_add_map(a, 2, 7, &no_id), -EINVAL);
	CU_ASSERT_EQUAL(a2n_jit_load(a, 2, 7, 0x1000, 8, none, 1), -EINVAL);
	CU_ASSERT_EQUAL(a2n_jit_load_late(a, 1, 2, 7, 0x1000, 8, none, 1), -EINVAL);
	CU_ASSERT_EQUAL(a2n_jit_map(a, 1, 2, 7, 0x1000, 8, none, 1), -EINVAL);
	CU_ASSERT_EQUAL(a2n_jit_lines(a, none, 1), -EINVAL);
	CU_ASSERT_EQUAL(a2n_build_id(a, 8, 1, 5, 0, none, 1), -EINVAL);
	CU_ASSERT_EQUAL(a2n_kallsyms(a, none, 1), -EINVAL);
	CU_ASSERT_EQUAL(a2n_modules(a, none, 1), -EINVAL);
	CU_ASSERT_EQUAL(a2n_symbols(a, none, 1), -EINVAL);
	CU_ASSERT_EQUAL(a2n_kernel_load(a, 2, none, 0x1000, 8), -EINVAL);
	CU_ASSERT_EQUAL(a2n_kernel_code(a, 2, none, 0x1000, 8), -EINVAL);
	CU_ASSERT_EQUAL(a2n_kernel_code_gone(a, 2, none, 0x1000, 8), -EINVAL);
	CU_ASSERT_EQUAL(a2n_kernel_unload(a, 2, none), -EINVAL);
	CU_ASSERT_EQUAL(a2n_vdso(a, none, 1), -EINVAL);
	CU_ASSERT_EQUAL(a2n_machines(a, 0), -EINVAL);
	a2n_resolve(a, 7, 3, 0x1800, false, &r);
	CU_ASSERT_STRING_EQUAL(r.module->name, "/a");
	CU_ASSERT_EQUAL(a2n_module_open(a, none, A2N_FILE_CODE, path, sizeof(path)), -EINVAL);
	CU_ASSERT_EQUAL(a2n_module_open(a, r.module, A2N_FILE_CODE, none, 8), -EINVAL);
	CU_ASSERT_EQUAL(a2n_lines(a, none, &offset, 1, true, take_frames, &got), -EINVAL);
	CU_ASSERT_EQUAL(a2n_lines(a, r.module, none, 1, true, take_frames, &got), -EINVAL);
	CU_ASSERT_EQUAL(a2n_lines(a, r.module, &offset, 1, true, none, &got), -EINVAL);
	CU_ASSERT_EQUAL(got, 0);
	/* Nothing of no length is nothing, and an empty name is one. */
	CU_ASSERT_EQUAL(a2n_jit_lines(a, none, 0), 0);
	CU_ASSERT_EQUAL(a2n_kallsyms(a, none, 0), 0);
	CU_ASSERT_EQUAL(a2n_modules(a, none, 0), 0);
	CU_ASSERT_EQUAL(a2n_kernel_load(a, 2, "m", 0x1000, 0), 0);
	CU_ASSERT_EQUAL(a2n_kernel_code(a, 2, "m", 0x1000, 0), 0);
	CU_ASSERT_EQUAL(a2n_kernel_code_gone(a, 2, "m", 0x1000, 0), 0);
	CU_ASSERT_EQUAL(a2n_jit_load(a, 2, 7, 0x1000, 0, "f", 1), 0);
	CU_ASSERT_EQUAL(a2n_jit_map(a, 1, 2, 7, 0x1000, 0, "f", 1), 0);
	CU_ASSERT_STRING_EQUAL(at(7, 3, 0x1000), "/a");
	CU_ASSERT_EQUAL(a2n_jit_load(a, 2, 7, 0x1000, 8, none, 0), 0);
	CU_ASSERT_EQUAL(a2n_jit_lines(a, &line, 1), 0);
	CU_ASSERT_STRING_EQUAL(at(7, 3, 0x1000), A2N_JITCODE);
	CU_ASSERT_EQUAL(a2n_unmap(a, 4, 7, 0x1000, 0), 0);
	CU_ASSERT_STRING_EQUAL(at(7, 5, 0x1800), "/a");
}

int main(void)
{
	static const struct unit_test tests[] = { { "edges", test_edges },
						  { "map_over_map", test_map_over_map },
						  { "offsets", test_offsets },
						  { "reused_address", test_reused_address },
						  { "fork", test_fork },
						  { "fork_same_time", test_fork_same_time },
						  { "fork_deep", test_fork_deep },
						  { "clone_shares", test_clone_shares },
						  { "exec", test_exec },
						  { "pid_reuse", test_pid_reuse },
						  { "walk", test_walk },
						  { "names", test_names },
						  { "unsure", test_unsure },
						  { "odd_order", test_odd_order },
						  { "special_names", test_special_names },
						  { "model", test_model },
						  { "many_pieces", test_many_pieces },
						  { "nothing_given", test_nothing_given },
						  { NULL, NULL } };
	int r = unit_run("a2n_space", tests);

	a2n_close(a);
	return r;
}

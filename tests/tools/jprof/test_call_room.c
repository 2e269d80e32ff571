/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The memory of trees grows as it is used: in processes that lock all of theirs, before a tree
 * begins and after; where little may be locked; many trees at once; to the last frame and node.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "call_thread.h"
#include "unit.h"

#define MB    (1024.0 * 1024)
#define AGAIN 3000 /* nodes: more than there is room for at first */

/* The memory of a tree with few counts: mostly room for spreads, all of which exist. */
#define EMPTY 7

static double resident(void)
{
	unsigned long size, pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (f && fscanf(f, "%lu %lu", &size, &pages) != 2)
		pages = 0;
	if (f)
		fclose(f);
	return (double)pages * (double)sysconf(_SC_PAGESIZE) / MB;
}

static uint64_t now;

static bool calls(struct call_thread *t, uint32_t nodes)
{
	uint32_t used = t->used;

	for (uint32_t i = used; i < used + nodes; i++) {
		now += 10;
		call_enter(t, i, TYPE_JITTED, &now);
		now += 10;
		call_leave(t, i, &now);
	}
	return t->used == used + nodes && !t->too_many && t->nodes[t->used - 1].calls == 1;
}

static bool deep_calls(struct call_thread *t, uint32_t levels)
{
	for (uint32_t i = 0; i < levels; i++)
		call_enter(t, 0, TYPE_JITTED, NULL);
	for (uint32_t i = 0; i < levels; i++)
		call_leave(t, 0, NULL);
	return !t->depth && !t->unknown;
}

/* In a process of its own; its exit code, 77: this user may not lock. */
static int apart(int (*what)(void))
{
	int status = 0;
	pid_t child = fork();

	if (!child)
		_exit(what());
	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ?
		       WEXITSTATUS(status) :
		       126;
}

/* Which step of it fails. */
static int locked_before(void)
{
	struct call_thread *t;
	double before;

	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		return 77;
	before = resident();
	t = call_thread_new(1);
	if (!t || t->most_nodes < 4000000 || resident() - before > EMPTY)
		return 1;
	if (!calls(t, AGAIN) || !deep_calls(t, 10000) || t->too_deep)
		return 2;
	if (resident() - before > EMPTY + 3)
		return 3;
	call_empty(t);
	if (t->used != 1 || t->nodes[1].calls || t->raw[1] || !calls(t, AGAIN))
		return 4;
	call_thread_free(t);
	return resident() - before > 1 ? 5 : 0;
}

static int locked_after(void)
{
	struct call_thread *t = call_thread_new(1);
	double before = resident();

	if (!t || !calls(t, 10))
		return 1;
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		return 77;
	/* All else of the process is locked, too: its libraries. */
	if (resident() - before > EMPTY + 20)
		return 2;
	before = resident();
	return !calls(t, AGAIN) || resident() - before > 3 ? 3 : 0;
}

/* 64 MB are less than what a tree reserves. */
static int little(void)
{
	const struct rlimit may = { 64 << 20, 64 << 20 };
	struct call_thread *t;

	if (setrlimit(RLIMIT_MEMLOCK, &may) || (!getuid() && setuid(65534)) || mlockall(MCL_FUTURE))
		return 77;
	t = call_thread_new(1);
	if (!t || t->most_nodes > 4000000)
		return 1;
	return !calls(t, AGAIN);
}

static void locked(void)
{
#ifdef __SANITIZE_ADDRESS__
	/* Its shadow of all memory would be locked. */
	CU_PASS("left out");
#else
	static int (*const all[])(void) = { locked_before, locked_after, little };
	const struct rlimit any = { RLIM_INFINITY, RLIM_INFINITY };
	bool may = !setrlimit(RLIMIT_MEMLOCK, &any);

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		int code = apart(all[i]);

		if (code && (code != 77 || may))
			printf("# step %d of case %zu\n", code, i);
		CU_ASSERT(!code || (code == 77 && !may));
	}
#endif
}

static unsigned int mappings(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned int n = 0;
	int c;

	while (f && (c = getc(f)) != EOF)
		n += c == '\n';
	if (f)
		fclose(f);
	return n;
}

/* A process may have 65,530 mappings: these trees leave more than half of them. */
static void many(void)
{
	static struct call_thread *t[4000];
	size_t n = sizeof(t) / sizeof(t[0]), i;

	for (i = 0; i < n; i++) {
		t[i] = call_thread_new(1);
		CU_ASSERT_PTR_NOT_NULL_FATAL(t[i]);
	}
	CU_ASSERT(mappings() < 30000);
	CU_ASSERT(calls(t[0], AGAIN) && calls(t[n - 1], AGAIN));
	for (i = 0; i < n; i++)
		call_thread_free(t[i]);
	CU_ASSERT(mappings() < 300);
	t[0] = call_thread_new(1);
	CU_ASSERT_FATAL(t[0] && t[0]->in_parts);
	call_thread_free(t[0]);
}

/* All frames that are kept, and one more; fewer by an option. */
static void to_the_end(void)
{
	struct call_thread *t = call_thread_new(2);

	CU_ASSERT_PTR_NOT_NULL_FATAL(t);
	CU_ASSERT(deep_calls(t, 131072) && !t->too_deep && t->deepest == 131072);
	CU_ASSERT(deep_calls(t, 131073) && t->too_deep == 1);
	call_thread_levels(t, 5);
	t->too_deep = 0;
	CU_ASSERT(deep_calls(t, 7) && t->too_deep == 2);
	call_thread_free(t);
	t = call_thread_new(1);
	CU_ASSERT_PTR_NOT_NULL_FATAL(t);
	call_thread_levels(t, 100000);
	CU_ASSERT(deep_calls(t, 100001) && t->too_deep == 1);
	call_thread_free(t);
	t = call_thread_new(1);
	CU_ASSERT_PTR_NOT_NULL_FATAL(t);
	t->most_nodes = 2000;
	CU_ASSERT(!calls(t, AGAIN) && t->used == 2000 && t->too_many == AGAIN - 1999);
	CU_ASSERT_EQUAL(t->nodes[t->beyond].calls, AGAIN - 1999);
	call_thread_free(t);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "locked", locked },
		{ "many", many },
		{ "to_the_end", to_the_end },
		{ NULL, NULL },
	};

	return unit_run("call_room", tests);
}

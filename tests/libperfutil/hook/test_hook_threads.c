/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Threads of a process in a pid namespace of its own have their numbers here, by those that they
 * have there: each of several, one that has ended, one that was never seen; those of a process
 * without one stay.
 */
#include "hook/hook_threads.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include "unit.h"

#define THREADS 20

static int says[2], ends[2]; /* pipes: inner numbers of threads; each byte ends one */

static void *rests(void *arg)
{
	int tid = gettid();
	char byte;

	(void)arg;
	if (write(says[1], &tid, sizeof(tid)) != sizeof(tid) || read(ends[0], &byte, 1) != 1)
		_exit(1);
	tid = -1;
	if (write(says[1], &tid, sizeof(tid)) != sizeof(tid))
		_exit(1);
	return NULL;
}

/* The first process of its namespace: its threads have numbers from 2 on. */
static void inside(void)
{
	pthread_t thread;

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&thread, NULL, rests, NULL))
			_exit(1);
	pause();
	_exit(0);
}

/* The process as it is numbered here; 0: no namespace can be made. */
static pid_t begin(pid_t *middle)
{
	int to_us[2];
	pid_t pid = 0;

	CU_ASSERT_FATAL(!pipe(to_us) && !pipe(says) && !pipe(ends));
	*middle = fork();
	CU_ASSERT_FATAL(*middle >= 0);
	if (!*middle) {
		if (unshare(CLONE_NEWPID) && unshare(CLONE_NEWUSER | CLONE_NEWPID))
			_exit(0);
		pid = fork();
		if (!pid)
			inside();
		if (write(to_us[1], &pid, sizeof(pid)) != sizeof(pid))
			_exit(1);
		waitpid(pid, NULL, 0);
		_exit(0);
	}
	close(to_us[1]);
	if (read(to_us[0], &pid, sizeof(pid)) != sizeof(pid))
		pid = 0;
	close(to_us[0]);
	return pid;
}

static int hear(void)
{
	int tid = 0;

	return read(says[0], &tid, sizeof(tid)) == sizeof(tid) ? tid : 0;
}

/* As /proc has it, of a thread by its number here. */
static bool is_inner(pid_t pid, uint32_t here, uint32_t inner)
{
	char path[64], line[256];
	unsigned int last = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%u/status", pid, here);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, "NSpid:", 6))
			last = (unsigned int)strtoul(strrchr(line, '\t') + 1, NULL, 10);
	if (f)
		fclose(f);
	return last == inner;
}

static void end(pid_t pid, pid_t middle)
{
	kill(pid, SIGKILL);
	waitpid(middle, NULL, 0);
	for (int i = 0; i < 2; i++) {
		close(says[i]);
		close(ends[i]);
	}
}

static void inner_and_here(void)
{
	uint32_t inner[THREADS], here[THREADS], ended = 0;
	struct hook_threads t = { 0 };
	pid_t middle, pid = begin(&middle);

	if (!pid) {
		unit_left_out = "no namespaces can be made";
		end(middle, middle);
		return;
	}
	for (int i = 0; i < THREADS; i++)
		inner[i] = (uint32_t)hear();
	CU_ASSERT_EQUAL(hook_threads_here(&t, pid, 1, 1), (uint32_t)pid);
	for (int i = 0; i < THREADS; i++) {
		here[i] = hook_threads_here(&t, pid, inner[i], 1);
		CU_ASSERT(inner[i] >= 2 && here[i] != inner[i]);
		CU_ASSERT(is_inner(pid, here[i], inner[i]));
	}
	CU_ASSERT(t.nested && t.looks == 1);
	/* A number that does not exist costs one look-up per scan. */
	CU_ASSERT_EQUAL(hook_threads_here(&t, pid, 4000000, 1), 4000000);
	CU_ASSERT_EQUAL(t.looks, 1);
	CU_ASSERT_EQUAL(hook_threads_here(&t, pid, 4000000, 2), 4000000);
	CU_ASSERT_EQUAL(hook_threads_here(&t, pid, 4000001, 2), 4000001);
	CU_ASSERT_EQUAL(t.looks, 2);
	/* One of them ends, and is known for the records that it has left. */
	CU_ASSERT_FATAL(write(ends[1], "", 1) == 1 && hear() == -1);
	for (int i = 0; i < 200 && !ended; i++) {
		usleep(5000);
		for (uint32_t k = 0; k < THREADS; k++)
			if (!is_inner(pid, here[k], inner[k]))
				ended = k + 1;
	}
	CU_ASSERT_FATAL(ended > 0);
	for (int i = 0; i < THREADS; i++)
		CU_ASSERT_EQUAL(hook_threads_here(&t, pid, inner[i], 3), here[i]);
	CU_ASSERT_EQUAL(t.looks, 3);
	for (uint64_t scan = 4; scan < 7; scan++)
		(void)hook_threads_here(&t, pid, 4000000, scan);
	CU_ASSERT_EQUAL(hook_threads_here(&t, pid, inner[ended - 1], 7), inner[ended - 1]);
	end(pid, middle);
	hook_threads_free(&t);
	CU_ASSERT(!t.known && !t.list);
}

/* The number may be another thread's by then: what is known is looked at anew in each scan. */
static void another(void)
{
	struct hook_threads t = { 0 };
	pid_t middle, pid = begin(&middle);
	uint32_t inner, here;

	if (!pid) {
		unit_left_out = "no namespaces can be made";
		end(middle, middle);
		return;
	}
	inner = (uint32_t)hear();
	here = hook_threads_here(&t, pid, inner, 1);
	CU_ASSERT(is_inner(pid, here, inner));
	for (uint32_t i = 0; i < t.n; i++)
		if (t.list[i].inner == inner)
			t.list[i].here = 4000000;
	CU_ASSERT_EQUAL(hook_threads_here(&t, pid, inner, 1), 4000000);
	CU_ASSERT_EQUAL(hook_threads_here(&t, pid, inner, 2), here);
	end(pid, middle);
	hook_threads_free(&t);
}

static void in_ours(void)
{
	struct hook_threads t = { 0 };

	CU_ASSERT_EQUAL(hook_threads_here(&t, getpid(), 77, 1), 77);
	CU_ASSERT(t.known && !t.nested && !t.looks);
	hook_threads_free(&t);
	/* The process does not exist. */
	CU_ASSERT_EQUAL(hook_threads_here(&t, 0x7ffffff0, 78, 1), 78);
	CU_ASSERT(t.known && !t.nested);
	hook_threads_free(&t);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "inner_and_here", inner_and_here },
		{ "another", another },
		{ "in_ours", in_ours },
		{ NULL, NULL },
	};

	return unit_run("hook_threads", tests);
}

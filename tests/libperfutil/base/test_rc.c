/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words of codes, and the sentence of a thread's last failure: whose it is, what it takes. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/rc.h"
#include "unit.h"

/* One code comes from PTT, ITrace, AboveIdle and counters as well as from a trace. */
static void words_are_of_no_family(void)
{
	for (int rc = PI_BAD_PRIVILEGE; rc < PI_OK; rc++) {
		CU_ASSERT_PTR_NULL(strstr(RcToString(rc), "trace"));
		CU_ASSERT_PTR_NULL(strstr(RcToString(rc), "session"));
	}
	CU_ASSERT_STRING_EQUAL(RcToString(PI_OK), "ok");
	CU_ASSERT_STRING_NOT_EQUAL(RcToString(1), "ok");
	CU_ASSERT_PTR_NOT_NULL(strstr(RcToString(1), "no error"));
	CU_ASSERT_STRING_EQUAL(RcToString(1), RcToString(INT32_MAX));
}

static sem_t failed, seen;

static void *fails(void *arg)
{
	const char **text = arg;

	*text = TraceLastError();
	CU_ASSERT_STRING_EQUAL(*text, "");
	rc_fail(PI_ERROR, "thread");
	*text = TraceLastError();
	sem_post(&failed);
	sem_wait(&seen);
	CU_ASSERT_STRING_EQUAL(TraceLastError(), "thread");
	return NULL;
}

static void each_thread_has_its_own(void)
{
	const char *text = NULL;
	pthread_t t;

	sem_init(&failed, 0, 0);
	sem_init(&seen, 0, 0);
	rc_fail(PI_ERROR, "main");
	pthread_create(&t, NULL, fails, &text);
	sem_wait(&failed);
	CU_ASSERT_STRING_EQUAL(text, "thread");
	CU_ASSERT_STRING_EQUAL(TraceLastError(), "main");
	sem_post(&seen);
	pthread_join(t, NULL);
	CU_ASSERT_STRING_EQUAL(TraceLastError(), "main");
}

static void a_child_keeps_it(void)
{
	int status;
	pid_t child;

	rc_fail(PI_ERROR, "before");
	child = fork();
	if (!child)
		_exit(strcmp(TraceLastError(), "before") || rc_fail(7, "after") != 7 ||
		      strcmp(TraceLastError(), "after"));
	CU_ASSERT_EQUAL(waitpid(child, &status, 0), child);
	CU_ASSERT_EQUAL(status, 0);
	CU_ASSERT_STRING_EQUAL(TraceLastError(), "before");
}

static void errno_stays(void)
{
	errno = ERANGE;
	rc_fail(PI_ERROR, "x");
	CU_ASSERT_EQUAL(errno, ERANGE);
	CU_ASSERT_EQUAL(rc_errno(-EPERM, "y"), PI_NO_PERMISSION);
	CU_ASSERT_EQUAL(errno, EPERM);
	CU_ASSERT_PTR_NOT_NULL(strstr(TraceLastError(), "y: "));
}

static void long_ones_are_cut(void)
{
	char longest[5000];

	memset(longest, 'a', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = 0;
	rc_fail(PI_ERROR, "%s", longest);
	CU_ASSERT(strlen(TraceLastError()) >= 1000);
	CU_ASSERT(strlen(TraceLastError()) < sizeof(longest) - 1);
	rc_errno(EPERM, "%s", longest);
	CU_ASSERT(strlen(TraceLastError()) < sizeof(longest) - 1);
}

static size_t pages(void)
{
	size_t n = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	CU_ASSERT(f && fscanf(f, "%zu", &n) == 1);
	if (f)
		fclose(f);
	return n;
}

static void *fails_and_ends(void *arg)
{
	rc_fail(PI_ERROR, "thread");
	return arg;
}

/* 2,000 threads one after another take no more than the first ones. LeakSanitizer, which also sees
 * what they leak, keeps a page of its own for each. */
static void memory_is_given_back(void)
{
	size_t before = 0;
	pthread_t t;

	for (int i = 0; i < 2100; i++) {
		pthread_create(&t, NULL, fails_and_ends, NULL);
		pthread_join(t, NULL);
		if (i == 100)
			before = pages();
	}
	CU_ASSERT(pages() < before + (__lsan_do_recoverable_leak_check ? 4000 : 500));
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "words_are_of_no_family", words_are_of_no_family },
		{ "each_thread_has_its_own", each_thread_has_its_own },
		{ "a_child_keeps_it", a_child_keeps_it },
		{ "errno_stays", errno_stays },
		{ "long_ones_are_cut", long_ones_are_cut },
		{ "memory_is_given_back", memory_is_given_back },
		{ 0 },
	};

	return unit_run("rc", tests);
}

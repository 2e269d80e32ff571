/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The cost of a record in instructions, because times are noise on a busy machine. A child writes
 * records while it is single-stepped.
 */
#include <sys/ptrace.h>
#include <trace_event.h>
#include "hook_session.h"

#define RECORDS 4
#define TRIES   20

enum { NONE, HOOK, EVENT, HOOK_TEXT, EVENT_TEXT, KINDS };

TRACE_EVENT(two_numbers, (u64, first), (u64, second));
TRACE_EVENT(with_text, (u64, number), (str, text));

static __attribute__((noipa)) int nothing(const uint64_t *values)
{
	return (int)values[0];
}

static __attribute__((noipa)) int by_hook(const uint64_t *values)
{
	return TraceHook(0, MAJOR, MINOR, 2, 0, values, NULL, NULL);
}

static __attribute__((noipa)) int by_event(const uint64_t *values)
{
	return TraceEvent(two_numbers, values[0], values[1]);
}

static __attribute__((noipa)) int hook_text(const uint64_t *values)
{
	const char *text = "some text";

	return TraceHook(0, MAJOR, MINOR, 1, 1, values, NULL, &text);
}

static __attribute__((noipa)) int event_text(const uint64_t *values)
{
	return TraceEvent(with_text, values[0], "some text");
}

/* It stops when its file is there, and before and after those that count. */
static void child(int (*write_it)(const uint64_t *))
{
	const uint64_t values[] = { 0, 2 };
	int rc = 0;

	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	for (int stop = 0; stop < 3; stop++) {
		for (int i = 0; i < RECORDS; i++)
			rc |= write_it(values);
		raise(SIGSTOP);
	}
	_exit(rc != 0);
}

static void wait_for_stop(pid_t pid)
{
	int status;

	CU_ASSERT_EQUAL_FATAL(waitpid(pid, &status, 0), pid);
	CU_ASSERT_FATAL(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
}

/* Instructions of one. */
static long cost(int (*write_it)(const uint64_t *))
{
	long steps = 0;
	int status;
	pid_t pid = fork();

	if (!pid)
		child(write_it);
	wait_for_stop(pid);
	/* Its file is opened while it lives. */
	drain(false);
	CU_ASSERT_EQUAL(ptrace(PTRACE_CONT, pid, NULL, NULL), 0);
	wait_for_stop(pid);
	do {
		steps++;
		CU_ASSERT_EQUAL_FATAL(ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL), 0);
		CU_ASSERT_EQUAL_FATAL(waitpid(pid, &status, 0), pid);
	} while (WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP);
	CU_ASSERT_FATAL(WIFSTOPPED(status));
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
	CU_ASSERT_EQUAL(status, 0);
	return steps / RECORDS;
}

#define QUICKEST 150 /* as long as there is the processor's clock, and nothing is sanitized */

static bool is_quick(const long n[KINDS])
{
	return n[HOOK] - n[NONE] <= QUICKEST &&
	       2 * (n[EVENT] - n[NONE]) <= 3 * (n[HOOK] - n[NONE]) &&
	       2 * (n[EVENT_TEXT] - n[NONE]) <= 3 * (n[HOOK_TEXT] - n[NONE]) &&
	       n[HOOK_TEXT] - n[NONE] <= 5 * (n[HOOK] - n[NONE]);
}

/* The quick way is where programs can read the clock that the kernel keeps time by. */
static bool is_tsc(void)
{
	char name[16] = "";
	FILE *f = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");

	if (f) {
		if (!fgets(name, sizeof(name), f))
			*name = 0;
		fclose(f);
	}
	return !strcmp(name, "tsc\n");
}

/* One that is moved to another CPU in between needs more: the least of several tries. */
static void test_cost(void)
{
	static int (*const kinds[KINDS])(const uint64_t *) = { nothing, by_hook, by_event,
							       hook_text, event_text };
	long n[KINDS], least[KINDS] = { 0 };

	begin();
	for (int i = 0; i < TRIES; i++) {
		for (int k = 0; k < KINDS; k++) {
			n[k] = cost(kinds[k]);
			if (!least[k] || n[k] < least[k])
				least[k] = n[k];
		}
		if (is_quick(least))
			break;
	}
	end();
	printf("# instructions: TraceHook %ld, TraceEvent %ld; with a string %ld, %ld\n",
	       least[HOOK] - least[NONE], least[EVENT] - least[NONE],
	       least[HOOK_TEXT] - least[NONE], least[EVENT_TEXT] - least[NONE]);
	CU_ASSERT_EQUAL(lost, 0);
	CU_ASSERT(records > 0);
	if (!is_tsc())
		unit_skip("no_tsc", "the kernel does not keep time by the TSC: TraceHook asks it");
	else if (least[HOOK] - least[NONE] > QUICKEST)
		unit_skip(NULL, "TraceHook is not at its quickest here");
	else
		CU_ASSERT(is_quick(least));
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "cost", test_cost },
		{ NULL, NULL },
	};

	return hook_session_run("hook_cost", tests);
}

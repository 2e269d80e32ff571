/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program that switches its own instruction trace around eight calls, twice, and prints between
 * them: for tests/libperfutil/itrace/test_itrace_switches.sh. How it does so is its argument.
 */
#include <itrace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline))

static volatile int sum;

static APART void work_one(int n)
{
	sum += n;
}

static APART void work_two(int n)
{
	sum -= n;
}

/* Calls and what they return; a compiler that makes a jump of the last call is another case. */
static APART int tail_off(void)
{
	return ITraceOff();
}

struct how {
	const char *name;
	int (*on)(void), (*off)(void), (*again)(void), (*last)(void);
};

static const struct how hows[] = {
	{ "itrace", ITraceOn, ITraceOff, ITraceOn, ITraceOff },
	{ "trace", TraceOn, TraceSuspend, TraceResume, TraceOff },
	{ "tail", ITraceOn, tail_off, ITraceOn, ITraceTerminate },
};

static APART int eight(int (*off)(void))
{
	for (int i = 0; i < 4; i++) {
		work_one(i);
		work_two(i);
	}
	return off();
}

static int check(const char *what, int rc)
{
	if (rc)
		fprintf(stderr, "%s: %s: %s\n", what, RcToString(rc), TraceLastError());
	return rc;
}

/* The calls are direct ones, as programs have them, but for the last mode's. */
static int by_name(void)
{
	int on, off;

	on = ITraceOn();
	for (int i = 0; i < 4; i++) {
		work_one(i);
		work_two(i);
	}
	off = ITraceOff();
	puts("between");
	if (check("ITraceOn", on) || check("ITraceOff", off))
		return 1;
	on = ITraceOn();
	for (int i = 0; i < 4; i++) {
		work_one(i);
		work_two(i);
	}
	off = ITraceOff();
	return check("ITraceOn", on) || check("ITraceOff", off);
}

static int by_pointer(const struct how *how)
{
	int on, off;

	if (!strcmp(how->name, "trace") && check("ITraceInstall", ITraceInstall()))
		return 1;
	on = how->on();
	off = eight(how->off);
	puts("between");
	if (check("on", on) || check("off", off))
		return 1;
	on = how->again();
	off = eight(how->last);
	return check("again", on) || check("last", off);
}

int main(int argc, char **argv)
{
	const struct how *how = hows;
	int rc;

	if (argc != 3)
		return 2;
	puts("begun");
	while (strcmp(how->name, argv[1]) != 0)
		if (++how == hows + sizeof(hows) / sizeof(hows[0]))
			return 2;
	/* Under swtrace run the trace has a name. */
	if (*argv[2] && check("TraceSetName", TraceSetName(argv[2])))
		return 1;
	if (check("ITraceInit", ITraceInit(ITRACE_USER)))
		return 1;
	rc = how == hows ? by_name() : by_pointer(how);
	puts("done");
	if (how->last != ITraceTerminate)
		rc |= check("ITraceTerminate", ITraceTerminate());
	return rc != 0;
}

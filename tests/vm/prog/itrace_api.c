/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * itrace_api FILE TIMES: what a program does that traces itself: on and off around a function, so
 * many times, while a second thread switches nothing and is not traced; refusals in words.
 */
#include <itrace.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile unsigned int sum;
static int failures;

__attribute__((noinline)) static void wanted(unsigned int n)
{
	while (n--)
		sum += n;
}

__attribute__((noinline)) static void unwanted(unsigned int n)
{
	while (n--)
		sum += 2 * n;
}

static void is(const char *name, int have, int want)
{
	if (have == want) {
		printf("ok itrace_api_%s\n", name);
		return;
	}
	printf("not ok itrace_api_%s is %d (%s), not %d: %s\n", name, have, RcToString(have), want,
	       TraceLastError());
	failures++;
}

static void *other(void *arg)
{
	volatile int *go = arg;

	while (*go)
		unwanted(10);
	return NULL;
}

static void refusals(void)
{
	int list[PITRACE_ITRACE_LIST + 1] = { 1 };

	is("before_init", ITraceOn(), PI_NOT_INITIALIZED);
	is("enable_before_init", ITraceEnableAll(), PI_NOT_INITIALIZED);
	is("no_such_flag", ITraceInit(0x4000), PI_INVALID_ARGUMENT);
	is("init", ITraceInit(ITRACE_USER), PI_OK);
	is("no_such_pid", ITraceEnablePid(0), PI_INVALID_ARGUMENT);
	is("empty_list", ITraceEnableList(0, list), PI_INVALID_ARGUMENT);
	is("long_list", ITraceEnableList(PITRACE_ITRACE_LIST + 1, list), PI_INVALID_ARGUMENT);
	is("no_range", ITraceEnableRange(7, 6), PI_INVALID_ARGUMENT);
	is("no_file", ITraceSetFrom("/nowhere/at/all", 1), PI_INVALID_ARGUMENT);
	is("dead", ITraceEnablePid(1 << 22), PI_OK);
	is("on_dead", ITraceOn() < 0, 1);
	is("terminated", ITraceTerminate(), PI_OK);
	is("once_more", ITraceTerminate(), PI_NOT_INITIALIZED);
}

/* From a thread that is not the first. */
static void *trace(void *arg)
{
	int times = atoi(arg), rc = PI_OK;

	is("init_again", ITraceInit(ITRACE_USER), PI_OK);
	is("current", ITraceEnableCurrent(), PI_OK);
	is("on", ITraceOn(), PI_OK);
	is("on_is_on", ITraceOn(), PI_OK);
	for (int i = 0; i < times && !rc; i++) {
		wanted(20);
		rc = ITraceOff();
		unwanted(1000);
		if (!rc)
			rc = ITraceOn();
	}
	is("switched", rc, PI_OK);
	is("install_while_on", ITraceInstall(), PI_INCORRECT_STATE);
	is("terminate", ITraceTerminate(), PI_OK);
	is("no_session", IsTraceActive(), 0);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t beside, tracing;
	volatile int go = 1;

	if (argc != 3)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	refusals();
	TraceSetName(argv[1]);
	if (pthread_create(&beside, NULL, other, (void *)&go) ||
	    pthread_create(&tracing, NULL, trace, argv[2]))
		return 2;
	pthread_join(tracing, NULL);
	go = 0;
	pthread_join(beside, NULL);
	return failures != 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An application with a trace session of its own, for test_holder.sh. Each call prints
 * its name and what it returned.
 */
#include <itrace.h>
#include <perfutil.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int say(const char *what, int rc)
{
	printf("%s %d\n", what, rc);
	if (rc < 0)
		printf("%s: %s\n", what, TraceLastError());
	fflush(stdout);
	return rc;
}

static int mark(const char *text)
{
	return TraceHook(0, PITRACE_USER_FIRST, 1, 0, 1, NULL, NULL, &text);
}

static void begin(const char *file, int mode)
{
	TraceSetMode(mode);
	TraceSetName(file);
	TraceSetScope(TRACE_PROCESS, getpid());
	if (say("init", TraceInit(0)))
		exit(1);
}

/* So many intervals, each with a mark of its own. */
static int intervals(const char *file, int n, int mode)
{
	char text[32];

	begin(file, mode);
	for (int i = 1; i <= n; i++) {
		TraceEnable(PITRACE_USER_FIRST);
		say("on", TraceOn());
		snprintf(text, sizeof(text), "interval-%d.", i);
		say("mark", mark(text));
		say("off", TraceOff());
	}
	return say("terminate", TraceTerminate());
}

/* The traced command uses ITrace too. */
static int itrace(void)
{
	say("init", ITraceInit(ITRACE_USER));
	say("enable", ITraceEnableCurrent());
	say("terminate", ITraceTerminate());
	say("again", ITraceInit(ITRACE_USER));
	return say("once_more", ITraceTerminate());
}

/* Processes that begin a session at once. */
static int race(int n)
{
	int gate[2], status, won = 0;
	char byte;

	if (pipe(gate))
		return 1;
	for (int i = 0; i < n; i++) {
		if (fork())
			continue;
		close(gate[1]);
		TraceSetScope(TRACE_PROCESS, getppid());
		if (read(gate[0], &byte, 1))
			_exit(9);
		_exit(-TraceInit(0));
	}
	close(gate[0]);
	close(gate[1]);
	while (wait(&status) > 0) {
		won += status == 0;
		if (status && WEXITSTATUS(status) != -PI_BUSY)
			printf("exit %x\n", (unsigned int)status);
	}
	say("won", won);
	say("terminate", TraceTerminate());
	return say("again", TraceTerminate()) == PI_NOT_INITIALIZED ? 0 : 1;
}

static int large(size_t bytes)
{
	char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);
	struct trace_info info;

	if (memory == MAP_FAILED)
		return 1;
	memset(memory, 1, bytes);
	TraceSetScope(TRACE_PROCESS, getpid());
	say("init", TraceInit(0));
	if (TraceGetInfo(&info))
		return 1;
	printf("holder %d\n", info.holder);
	fflush(stdout);
	pause();
	return 0;
}

/* With gained rights: who calls it may not choose what is executed by them. */
static int gained(void)
{
	const char *address = getenv("PITRACE_SOCKET");

	printf("as %d\n", (int)geteuid());
	TraceSetScope(TRACE_PROCESS, getpid());
	say("init", TraceInit(0));
	printf("took %d\n", address && !access(address, F_OK));
	return say("terminate", TraceTerminate());
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "intervals") && argc == 5)
		return intervals(argv[2], atoi(argv[3]), atoi(argv[4]));
	if (!strcmp(what, "itrace"))
		return itrace();
	if (!strcmp(what, "race") && argc == 3)
		return race(atoi(argv[2]));
	if (!strcmp(what, "large") && argc == 3)
		return large(strtoul(argv[2], NULL, 0));
	if (!strcmp(what, "gained"))
		return gained();
	if (!strcmp(what, "size") && argc == 3)
		return say("init", TraceInit(strtoull(argv[2], NULL, 0))) != PI_OK;
	return 2;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* swtrace on, off, get, setrate: the state of a session. */
#include <stdio.h>
#include "swtrace.h"

int cmd_on(int argc, char **argv)
{
	int rc;

	(void)argv;
	if (argc > 1)
		return USAGE;
	rc = TraceOn();
	return rc ? fail_rc(rc) : 0;
}

/* A session that stopped itself says where. */
static void tell_stop(void)
{
	struct trace_info i;

	if (!TraceGetInfo(&i) && i.stopped)
		printf("tracing had stopped: the %s buffer of CPU %u filled\n", ring_name((int)i.stop_ring),
		       i.stop_cpu);
}

int cmd_off(int argc, char **argv)
{
	struct trace_info i;
	int rc;

	(void)argv;
	if (argc > 1)
		return USAGE;
	/* What filled its buffer is off already, and that is no error. */
	if (!TraceGetInfo(&i) && i.stopped && i.state == PITRACE_STATE_OFF) {
		tell_stop();
		return 0;
	}
	rc = TraceOff();
	if (rc)
		return fail_rc(rc);
	tell_stop();
	return 0;
}

int cmd_get(int argc, char **argv)
{
	struct trace_info i;
	int rc;

	if (argc > 2)
		return USAGE;
	rc = TraceWriteBufferToFile(argc > 1 ? argv[1] : NULL);
	if (rc)
		return fail_rc(rc);
	if (!TraceGetInfo(&i))
		fprintf(stderr, "%s: %.1f MB, %llu records\n", argc > 1 ? argv[1] : i.file,
			(double)i.written / 1e6, (unsigned long long)i.records);
	return 0;
}

int cmd_setrate(int argc, char **argv)
{
	long rate;
	int rc;

	if (argc != 2)
		return USAGE;
	if (!number("setrate", argv[1], 1, TRACE_MAX_RATE, &rate))
		return EXIT_SWTRACE;
	rc = IsTraceActive();
	/* Nothing would remember it: the rate is the session's. */
	if (rc == 0)
		return fail("%s", RcToString(PI_NOT_INITIALIZED));
	rc = SetProfilerRate((int)rate);
	return rc ? fail_rc(rc) : 0;
}

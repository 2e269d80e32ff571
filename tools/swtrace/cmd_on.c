/* SPDX-License-Identifier: GPL-3.0-or-later */
/* swtrace on, off, suspend, resume, discard, get, setrate: change the state of a session. */
#include <stdio.h>
#include <string.h>
#include "fit.h"
#include "option_store.h"
#include "swtrace.h"

static int simple(int argc, int (*call)(void))
{
	int rc;

	if (argc > 1)
		return USAGE;
	rc = call();
	return rc ? fail_rc(rc) : 0;
}

int cmd_on(int argc, char **argv)
{
	(void)argv;
	return simple(argc, TraceOn);
}

int cmd_suspend(int argc, char **argv)
{
	(void)argv;
	return simple(argc, TraceSuspend);
}

int cmd_resume(int argc, char **argv)
{
	(void)argv;
	return simple(argc, TraceResume);
}

int cmd_discard(int argc, char **argv)
{
	(void)argv;
	return simple(argc, TraceDiscard);
}

/* Prints why a session stopped itself. */
static int print_stop(const struct trace_info *i)
{
	char why[128];

	stop_reason(i, why, sizeof(why));
	if (i->stopped)
		fit_printf(stdout, "tracing had stopped: %s\n", why);
	print_refused(stdout, "", i);
	return i->file_error ? fail("%s: %s; tracing is off, what was written stays readable",
				    i->file, strerror((int)i->file_error)) :
			       0;
}

int cmd_off(int argc, char **argv)
{
	struct trace_info i;
	int rc;

	(void)argv;
	if (argc > 1)
		return USAGE;
	/* A session with a full buffer or disk is off already. */
	if (!TraceGetInfo(&i) && (i.stopped || i.file_error) && i.state == PITRACE_STATE_OFF)
		return print_stop(&i);
	rc = TraceOff();
	if (rc)
		return fail_rc(rc);
	return TraceGetInfo(&i) ? 0 : print_stop(&i);
}

int cmd_get(int argc, char **argv)
{
	struct trace_info i;
	int rc;

	if (argc > 2)
		return USAGE;
	if (argc > 1 && !strcmp(argv[1], "-"))
		return fail(
			"get: '-' is not a file's name: a trace goes to a file, not to standard output");
	rc = TraceWriteBufferToFile(argc > 1 ? argv[1] : NULL);
	if (rc)
		return fail_rc(rc);
	if (!TraceGetInfo(&i))
		fit_printf(stderr, "%s: %.1f MB, %llu records\n", i.got_file, (double)i.got / 1e6,
			   (unsigned long long)i.got_records);
	return 0;
}

int cmd_setrate(int argc, char **argv)
{
	uint64_t rate;
	int rc;

	if (argc != 2)
		return USAGE;
	if (!number_of("setrate", argv[1], 1, TRACE_MAX_RATE, &rate))
		return EXIT_SWTRACE;
	rc = IsTraceActive();
	/* Without a session there is no rate to set. */
	if (rc == 0)
		return fail("there is no trace session (swtrace init begins one)");
	rc = SetProfilerRate((int)rate);
	return rc ? fail_rc(rc) : 0;
}

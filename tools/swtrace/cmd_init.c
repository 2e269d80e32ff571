/* SPDX-License-Identifier: GPL-3.0-or-later */
/* swtrace init and free: begin and end a session. */
#include <stdlib.h>
#include <unistd.h>
#include "tool_collectors.h"
#include "session_options.h"
#include "stack_choice.h"
#include "swtrace.h"

struct init_options {
	struct tracer_options t; /* what the options set */
	const char *events;
	uint64_t count;
};

static const struct option_row rows[] = {
	{ { "-f" },
	  "FILE",
	  "trace file (swtrace.nrm2)",
	  option_file,
	  OPTION_TO(struct init_options, t.file),
	  .complete = "@file" },
	{ { "-e" },
	  "EVENT[,EVENT]",
	  "sample by events instead of the timer (swtrace event list lists "
	  "them)",
	  option_text,
	  OPTION_TO(struct init_options, events),
	  .complete = "@events" },
	{ { "-c" },
	  "COUNT",
	  "take a sample every so many events",
	  option_number,
	  OPTION_TO(struct init_options, count),
	  .least = 1 },
	{ { "-B" },
	  "COLLECTOR",
	  "use this one: %s (default: the first that works)",
	  option_text,
	  OPTION_TO(struct init_options, t.collector),
	  .completions = collectors_of_sessions },
	OPTION_ROWS_END
};
static const struct option_part parts[] = { { session_rows, offsetof(struct init_options, t) },
					    { rows, 0 },
					    { NULL, 0 } };
const struct option_table cmd_init_table = { .parts = parts };

/* Passes the settings to the library; those that were not given keep their defaults. */
static int set_up(const struct init_options *s)
{
	const struct tracer_options *o = &s->t;
	int rc = TraceSetMode(o->mode);

	if (!rc && o->mte_bytes)
		rc = TraceSetMteSize(o->mte_bytes);
	if (!rc && o->section_bytes)
		rc = TraceSetSectionSize(o->section_bytes);
	if (!rc && o->file)
		rc = TraceSetName(o->file);
	if (!rc && o->collector)
		rc = TraceSetCollector(o->collector);
	if (!rc && o->pid)
		rc = TraceSetScope(TRACE_PROCESS, o->pid);
	if (!rc)
		rc = TraceSetTprofEvent(-1, s->events, s->count, TRACE_PRIV_ANY);
	if (!rc)
		rc = TraceSetStacks((int)o->stacks, (int)o->depth, (int)o->copy);
	if (!rc)
		rc = TraceSetRotation(o->rotate_bytes, o->rotate_ns / 1000000000,
				      (int)o->rotate_keep);
	return rc ? rc : TraceInit(o->trace_bytes);
}

static int busy(void)
{
	return fail(
		"busy: a trace session exists already (swtrace info shows it, swtrace free ends it)");
}

int cmd_init(int argc, char **argv)
{
	struct init_options s = { .t.mode = TRACE_NORMAL };
	struct option_rest rest;
	int code, rc;

	/* Check for an existing session before anything is set. */
	if (IsTraceActive() != 0)
		return busy();
	if (!take_options(&cmd_init_table, &s, argc, argv, &rest, &code))
		return code;
	if (rest.count)
		return USAGE;
	if (!session_rotation_fits(&s.t))
		return EXIT_SWTRACE;
	if (s.count && !s.events)
		return fail("-c needs -e: it is the number of events from a sample to the next");
	stacks_settle(&s.t, true);
	rc = set_up(&s);
	/* Another process began a session in between. */
	if (rc == PI_INCORRECT_STATE)
		return busy();
	return rc ? fail_rc(rc) : 0;
}

int cmd_free(int argc, char **argv)
{
	int rc;

	(void)argv;
	if (argc > 1)
		return USAGE;
	rc = TraceTerminate();
	return rc ? fail_rc(rc) : 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* swtrace event: lists events, their meanings and whether this machine counts them; sets the events
 * by which the session samples. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "escape.h"
#include "list.h"
#include "option_store.h"
#include "swtrace.h"

static const struct option_row rows[] = {
	{ { "-c" },
	  "COUNT",
	  "take a sample every so many events (default: as setrate says)",
	  option_number,
	  .size = sizeof(uint64_t),
	  .least = 1 },
	OPTION_ROWS_END
};
static const struct option_part parts[] = { { rows, 0 }, { NULL, 0 } };
const struct option_table cmd_event_table = {
	.parts = parts,
	.operands = "list",
	.notes =
		"list prints the names, or those with WORD in them. For a NAME its meaning is printed; a session\n"
		"that exists samples by it from the next tracing on; timer: by the timer again.",
};

static int list(const char *word)
{
	struct event_list l = { .word = word };

	event_list_print(&l);
	if (!l.shown)
		return l.bad ? EXIT_SWTRACE :
			       fail("no event has '%s' in its name or description", word);
	if (event_list_no_hardware())
		puts("The timer serves instead, and the software events above.");
	puts("\nAlso raw events (r and a hexadecimal config), tracepoints (system:name), and with :u or :k\n"
	     "behind it user code or the kernel only.");
	return l.bad ? EXIT_SWTRACE : 0;
}

static void explain(const struct pitrace_event_args *e)
{
	escape_printf(stdout, "%s: type %" PRIu32 ", config 0x%" PRIx64, e->name, e->type,
		      (uint64_t)e->config);
	if (e->config1)
		printf(", config1 0x%" PRIx64, (uint64_t)e->config1);
	if (e->config2)
		printf(", config2 0x%" PRIx64, (uint64_t)e->config2);
	if (e->flags & PITRACE_EVENT_USER)
		fputs(", user code only", stdout);
	if (e->flags & PITRACE_EVENT_KERNEL)
		fputs(", kernel only", stdout);
	puts(TraceCanCount(e) ? "" : "; not counted on this machine, or not for this user");
}

/* Sets the session's events; *code is the exit code. Returns false if there is no session. */
static bool set(const char *names, uint64_t count, int *code)
{
	struct trace_info i;
	int rc = IsTraceActive();

	if (rc != 1)
		return false;
	rc = TraceSetTprofEvent(-1, names, count, TRACE_PRIV_ANY);
	*code = rc ? fail_rc(rc) : 0;
	if (!rc && !TraceGetInfo(&i))
		escape_printf(stdout, "the session samples by %s\n", i.sampler);
	return true;
}

static int choose(const char *names, uint64_t count)
{
	struct pitrace_event_args events[PITRACE_EVENTS];
	bool timer = is_timer(names);
	int n = timer ? 0 : TraceFindEvents(names, count, 1, TRACE_PRIV_ANY, events), code = 0;

	if (n < 0)
		return fail_rc(n);
	for (int i = 0; i < n; i++)
		explain(&events[i]);
	if (!set(timer ? NULL : names, count, &code) && (count || timer))
		return fail("no session: swtrace init begins one, whose events this sets");
	return code;
}

int cmd_event(int argc, char **argv)
{
	struct option_rest rest;
	uint64_t count = 0;
	int code;

	if (!take_options(&cmd_event_table, &count, argc, argv, &rest, &code))
		return code;
	argv = rest.words;
	argc = rest.count;
	if (argc < 1 || argc > 2)
		return USAGE;
	if (!strcmp(argv[0], "list"))
		return count ? USAGE : list(argc > 1 ? argv[1] : NULL);
	return argc > 1 || (count && is_timer(argv[0])) ? USAGE : choose(argv[0], count);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* swtrace event: the events' names, what they mean here, and whether this machine counts them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "escape.h"
#include "swtrace.h"

struct listing {
	const char *word;
	char source[4096];		/* of the last line */
	uint64_t shown;
	bool bad;
};

static void show(void *arg, const char *source, const char *name, const char *what)
{
	static const char *const heads[][2] = {
		{ "kernel", "The kernel's own names" },
		{ "pmu", "In the PMUs' folders of this kernel (/sys/bus/event_source/devices)" },
		{ "libpfm4", "Known to libpfm4, of this machine's PMUs" },
	};
	struct listing *l = arg;
	const char *head = source;

	/* A file that is not understood. */
	if (!strcmp(source, "bad")) {
		fail("%s: %s", name, what);
		l->bad = true;
		return;
	}
	if (l->word && !strcasestr(name, l->word) && !strcasestr(what, l->word))
		return;
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		if (!strcmp(heads[i][0], source))
			head = heads[i][1];
	if (strcmp(l->source, source)) {
		printf("%s%s%s:\n", l->shown ? "\n" : "", head == source ? "Of the file " : "", head);
		snprintf(l->source, sizeof(l->source), "%s", source);
	}
	l->shown++;
	printf("  %-34s ", name);
	escape_print(stdout, what);
	putchar('\n');
}

static int list(const char *word)
{
	struct listing l = { .word = word };
	struct pitrace_event_args cycles;

	TraceListEvents(show, &l);
	if (!l.shown)
		return l.bad ? EXIT_SWTRACE : fail("no event has '%s' in its name or its words", word);
	if (TraceFindEvents("cycles", 0, 1, TRACE_PRIV_ANY, &cycles) == 1 && !TraceCanCount(&cycles))
		puts("\nThis machine has no hardware counters, or does not show them: hardware events are not\n"
		     "counted here. The timer serves instead, and the software events above.");
	puts("\nAlso raw events (r and a hexadecimal config), tracepoints (system:name), and with :u or :k\n"
	     "behind it user code or the kernel only.");
	return l.bad ? EXIT_SWTRACE : 0;
}

static void explain(const struct pitrace_event_args *e)
{
	printf("%s: type %" PRIu32 ", config 0x%" PRIx64, e->name, e->type, (uint64_t)e->config);
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

int cmd_event(int argc, char **argv)
{
	struct pitrace_event_args events[PITRACE_EVENTS];
	int n;

	if (argc < 2 || argc > 3)
		return USAGE;
	if (!strcmp(argv[1], "list"))
		return list(argc > 2 ? argv[2] : NULL);
	if (argc > 2)
		return USAGE;
	n = TraceFindEvents(argv[1], 0, 1, TRACE_PRIV_ANY, events);
	if (n < 0)
		return fail_rc(n);
	for (int i = 0; i < n; i++)
		explain(&events[i]);
	return 0;
}

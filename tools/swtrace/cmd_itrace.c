/* SPDX-License-Identifier: GPL-3.0-or-later */
/* swtrace it_install and it_remove: instruction traces in the session that init began. */
#include <itrace.h>
#include <stdlib.h>
#include <string.h>
#include "place.h"
#include "run.h"

#define REPORTED 1 /* not one of the library's codes: failed, after a message */

enum { SCOPE = 1 }; /* group of options that exclude one another */

struct install {
	uint32_t flags; /* ITRACE_* */
	uint64_t skip, limit;
	const char *from, *until;
	char which;      /* the option's letter: p, t, g; 0: none */
	const char *ids; /* its argument */
};

static bool store_scope(const struct option_given *given, void *to)
{
	struct install *i = to;

	i->which = given->name[1];
	i->ids = given->text;
	return true;
}

static bool store_kernel_only(const struct option_given *given, void *to)
{
	struct install *i = to;

	(void)given;
	i->flags = (i->flags & ~(uint32_t)ITRACE_USER) | ITRACE_KERNEL;
	return true;
}

static bool store_nothing(const struct option_given *given, void *to)
{
	(void)given, (void)to;
	return true;
}

#define FLAG(of) option_flags, OPTION_TO(struct install, flags), .value = (of)

static const struct option_row rows[] = {
	{ { "-p" },
	  "PID[,PID]...",
	  "trace these processes",
	  .store = store_scope,
	  .complete = "@process",
	  .group = SCOPE },
	{ { "-t" },
	  "TID[,TID]...",
	  "trace these threads",
	  .store = store_scope,
	  .complete = "@process",
	  .group = SCOPE },
	{ { "-g" },
	  "PID[,LAST]",
	  "trace processes from this pid on, up to that one",
	  .store = store_scope,
	  .complete = "@process",
	  .group = SCOPE },
	{ { "-c" },
	  "COUNT",
	  "skip so many instructions of each thread at first",
	  option_instructions,
	  OPTION_TO(struct install, skip) },
	{ { "-n" },
	  "COUNT",
	  "trace no more instructions of each thread than these",
	  option_instructions,
	  OPTION_TO(struct install, limit),
	  .value = NO_LIMIT },
	{ { "--from" },
	  "FILE:PLACE",
	  "begin where this is reached: a symbol or address of the file",
	  option_text,
	  OPTION_TO(struct install, from) },
	{ { "--until" },
	  "FILE:PLACE",
	  "stop where this is reached",
	  option_text,
	  OPTION_TO(struct install, until) },
	{ { "-k" }, NULL, "also trace the kernel's side of system calls", FLAG(ITRACE_KERNEL) },
	{ { "-K" },
	  NULL,
	  "trace only the kernel's side of system calls",
	  .store = store_kernel_only },
	{ { "-a" },
	  NULL,
	  "record addresses that are read and written too, on machines that can",
	  FLAG(ITRACE_LOAD_STORE) },
	{ { "-f" },
	  NULL,
	  "also trace the processes that the traced ones create",
	  FLAG(ITRACE_FOLLOW) },
	{ { "--no-threads" },
	  NULL,
	  "do not trace the threads that the traced ones create",
	  FLAG(ITRACE_NO_THREADS) },
	{ { "-l" },
	  NULL,
	  "drop and count records if the file cannot keep up; never wait",
	  FLAG(ITRACE_LOSSY) },
	{ { "-i" },
	  NULL,
	  "accepted without effect: instruction counts are always recorded",
	  .store = store_nothing },
	{ { "-ss" }, NULL, "record each instruction", FLAG(ITRACE_STEPS) },
	OPTION_ROWS_END
};
static const struct option_part parts[] = { { rows, 0 }, { NULL, 0 } };
const struct option_table cmd_it_install_table = {
	.parts = parts,
	.strict = 1 << SCOPE,
	.notes = "Without -p, -t and -g it traces all that the session may trace.",
};

/* Parses comma-separated numbers. Returns how many, or 0 after a message. */
static int list_of(const char *option, const char *text, int *list, int most)
{
	int n = 0;

	while (n < most) {
		char *end;
		long value = strtol(text, &end, 10);

		if (end == text || value < 1 || value > 1 << 30 || (*end && *end != ','))
			break;
		list[n++] = (int)value;
		if (!*end)
			return n;
		text = end + 1;
	}
	fail("%s: invalid list '%s': expected 1 to %d numbers with commas between them", option,
	     text, most);
	return 0;
}

static int scope(char which, const char *text)
{
	int list[PITRACE_ITRACE_LIST], n;
	const char option[] = { '-', which, 0 };

	n = list_of(option, text, list, which == 'g' ? 2 : PITRACE_ITRACE_LIST);
	if (!n)
		return REPORTED;
	if (which == 'p')
		return ITraceEnableList(n, list);
	if (which == 't')
		return ITraceEnableThreads(n, list);
	return n == 1 ? ITraceEnableGreater(list[0]) : ITraceEnableRange(list[0], list[1]);
}

static int place(const char *option, const char *text, int (*set)(const char *, uint64_t))
{
	char file[1024];
	uint64_t offset;

	if (!text)
		return PI_OK;
	if (!place_find(option, text, NULL, file, sizeof(file), &offset))
		return REPORTED;
	return set(file, offset);
}

int cmd_it_install(int argc, char **argv)
{
	struct install i = { .flags = ITRACE_USER };
	struct option_rest rest;
	int code, rc;

	if (!take_options(&cmd_it_install_table, &i, argc, argv, &rest, &code))
		return code;
	if (rest.count)
		return USAGE;
	if (!IsTraceActive())
		return fail(
			"no session: swtrace init begins one (with -t cont, so that what is traced need not fit into the buffers)");
	rc = ITraceInit((int)i.flags);
	if (!rc)
		rc = i.which ? scope(i.which, i.ids) : ITraceEnableAll();
	if (!rc)
		rc = ITraceSetSkipCount(i.skip);
	if (!rc)
		rc = ITraceSetLimit(i.limit);
	if (!rc)
		rc = place("--from", i.from, ITraceSetFrom);
	if (!rc)
		rc = place("--until", i.until, ITraceSetUntil);
	if (!rc)
		rc = ITraceInstall();
	return rc == REPORTED ? EXIT_SWTRACE : rc ? fail_rc(rc) : 0;
}

int cmd_it_remove(int argc, char **argv)
{
	int rc;

	(void)argv;
	if (argc > 1)
		return USAGE;
	if (!IsTraceActive())
		return fail("no session");
	rc = ITraceInit(ITRACE_USER);
	if (!rc)
		rc = ITraceTerminate();
	return rc ? fail_rc(rc) : 0;
}

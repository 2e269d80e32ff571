/* SPDX-License-Identifier: GPL-3.0-or-later */
/* swtrace it_install and it_remove: instruction traces in the session that init began. */
#include <itrace.h>
#include <stdlib.h>
#include <string.h>
#include "next_option.h"
#include "place.h"
#include "run.h"

#define TOLD	1		/* beside the library's codes: it failed, in words that were said */

const char cmd_it_install_options[] =
	"  -p PID[,PID]... these processes\n"
	"  -t TID[,TID]... these threads\n"
	"  -g PID       processes from this pid on; -g PID,LAST up to that one\n"
	"  -c COUNT     instructions of each thread that are skipped at first\n"
	"  -n COUNT     no more instructions of each thread than these\n"
	"  --from FILE:PLACE, --until FILE:PLACE   begin, stop where this is reached: a symbol or\n"
	"               address of the file\n"
	"  -k, -K       the kernel's side of system calls too; it alone\n"
	"  -a           addresses that are read and written too, on machines that can\n"
	"  -f           the processes too that the traced ones begin\n"
	"  --no-threads not the threads that the traced ones begin\n"
	"  -l           drop records, counted, when the file is behind; never wait\n"
	"  -i           instruction counts: they are always there\n"
	"  -ss          a record of each instruction\n\n"
	"Without -p, -t and -g all that the session may trace.";

/* Numbers with commas between them; 0 after words. */
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
	fail("%s: '%s' is no list of 1 to %d numbers", option, text, most);
	return 0;
}

static int scope(char which, const char *text)
{
	int list[PITRACE_ITRACE_LIST], n;
	const char option[] = { '-', which, 0 };

	n = list_of(option, text, list, which == 'g' ? 2 : PITRACE_ITRACE_LIST);
	if (!n)
		return TOLD;
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
		return TOLD;
	return set(file, offset);
}

int cmd_it_install(int argc, char **argv)
{
	static const struct option options[] = {
		{ "p", required_argument, NULL, 'p' }, { "t", required_argument, NULL, 't' },
		{ "g", required_argument, NULL, 'g' }, { "c", required_argument, NULL, 'c' },
		{ "n", required_argument, NULL, 'n' }, { "from", required_argument, NULL, 'F' },
		{ "until", required_argument, NULL, 'U' }, { "k", no_argument, NULL, 'k' },
		{ "K", no_argument, NULL, 'K' }, { "a", no_argument, NULL, 'a' },
		{ "f", no_argument, NULL, 'f' }, { "l", no_argument, NULL, 'l' },
		{ "no-threads", no_argument, NULL, 'T' },
		{ "i", no_argument, NULL, 'i' }, { "ss", no_argument, NULL, 's' },
		{ NULL, 0, NULL, 0 }
	};
	const char *from = NULL, *until = NULL, *who = NULL;
	uint64_t skip = 0, limit = 0;
	int flags = ITRACE_USER, c, rc;
	char which = 0;

	optind = 1;
	while ((c = next_option(argc, argv, "", options)) != -1) {
		switch (c) {
		case 'p':
		case 't':
		case 'g':
			if (which)
				return fail("one of -p, -t and -g");
			which = (char)c;
			who = optarg;
			break;
		case 'c':
			if (!run_itrace_count("-c", optarg, &skip))
				return EXIT_SWTRACE;
			break;
		case 'n':
			if (!run_itrace_count("-n", optarg, &limit))
				return EXIT_SWTRACE;
			break;
		case 'F':
			from = optarg;
			break;
		case 'U':
			until = optarg;
			break;
		case 'k':
			flags |= ITRACE_KERNEL;
			break;
		case 'K':
			flags = (flags & ~ITRACE_USER) | ITRACE_KERNEL;
			break;
		case 'a':
			flags |= ITRACE_LOAD_STORE;
			break;
		case 'f':
			flags |= ITRACE_FOLLOW;
			break;
		case 'T':
			flags |= ITRACE_NO_THREADS;
			break;
		case 'l':
			flags |= ITRACE_LOSSY;
			break;
		case 's':
			flags |= ITRACE_STEPS;
			break;
		case 'i':
			break;
		default:
			return USAGE;
		}
	}
	if (optind < argc)
		return USAGE;
	if (!IsTraceActive())
		return fail("no session: swtrace init begins one (with -t cont, so that what is traced need not fit into the buffers)");
	rc = ITraceInit(flags);
	if (!rc)
		rc = which ? scope(which, who) : ITraceEnableAll();
	if (!rc)
		rc = ITraceSetSkipCount(skip);
	if (!rc)
		rc = ITraceSetLimit(limit);
	if (!rc)
		rc = place("--from", from, ITraceSetFrom);
	if (!rc)
		rc = place("--until", until, ITraceSetUntil);
	if (!rc)
		rc = ITraceInstall();
	return rc == TOLD ? EXIT_SWTRACE : rc ? fail_rc(rc) : 0;
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

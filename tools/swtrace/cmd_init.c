/* SPDX-License-Identifier: GPL-3.0-or-later */
/* swtrace init and free: a session begins and ends. */
#include <getopt.h>
#include <stdlib.h>
#include <unistd.h>
#include "swtrace.h"

int cmd_init(int argc, char **argv)
{
	static const struct option options[] = {
		{ "s", required_argument, NULL, 's' }, { "sm", required_argument, NULL, 'm' },
		{ "ss", required_argument, NULL, 'S' }, { "t", required_argument, NULL, 't' },
		{ "f", required_argument, NULL, 'f' }, { "p", required_argument, NULL, 'p' },
		{ NULL, 0, NULL, 0 }
	};
	uint64_t trace = 0, bytes;
	long pid;
	int c, mode, rc = 0;

	/* Before anything is set: is there a session already? */
	if (IsTraceActive() != 0)
		return fail("busy: a trace session exists already (swtrace info shows it, swtrace free ends it)");
	optind = 1;
	while ((c = getopt_long_only(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 's':
			if (!size_of("-s", optarg, 1 << 20, &trace))
				return EXIT_SWTRACE;
			break;
		case 'm':
			if (!size_of("-sm", optarg, 1 << 20, &bytes))
				return EXIT_SWTRACE;
			rc = TraceSetMteSize(bytes);
			break;
		case 'S':
			if (!size_of("-ss", optarg, 1 << 10, &bytes))
				return EXIT_SWTRACE;
			rc = TraceSetSectionSize(bytes);
			break;
		case 't':
			if (!mode_of(optarg, &mode))
				return EXIT_SWTRACE;
			rc = TraceSetMode(mode);
			break;
		case 'f':
			rc = TraceSetName(optarg);
			break;
		case 'p':
			if (!number("-p", optarg, 1, 1 << 30, &pid))
				return EXIT_SWTRACE;
			rc = TraceSetScope(TRACE_PROCESS, (int)pid);
			break;
		default:
			return USAGE;
		}
		if (rc)
			return fail_rc(rc);
	}
	if (optind < argc)
		return USAGE;
	rc = TraceInit(trace);
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

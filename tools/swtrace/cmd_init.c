/* SPDX-License-Identifier: GPL-3.0-or-later */
/* swtrace init and free: a session begins and ends. */
#include <stdlib.h>
#include <unistd.h>
#include "next_option.h"
#include "swtrace.h"
#include "units.h"

const char cmd_init_options[] =
	"  -s MB, -sm MB, -ss KB   trace buffer (4) and MTE buffer (2) of each CPU, section (64)\n"
	"  -t MODE      norm: stop when a buffer fills (default); cont: write while tracing;\n"
	"               wrap: keep the newest\n"
	"  --rotate-size MB, --rotate-time TIME, --rotate-keep N\n"
	"               cont: begin a new file by size or time; older ones are FILE.1, FILE.2 ...\n"
	"  -f FILE      trace file (swtrace.nrm2)\n"
	"  -p PID       this process and its children alone\n"
	"  -g[=HOW]     call stacks too: fp (default), dwarf[,BYTES], kernel, user, switches\n"
	"  --stack-depth N   at most so many addresses of the kernel, and of user code (127)\n"
	"  -e EVENT[,EVENT]   sample by events instead of the timer (swtrace event list shows them)\n"
	"  -c COUNT     a sample each so many events\n"
	"  -B COLLECTOR take this one: driver or perf (default: the first that works)";

int cmd_init(int argc, char **argv)
{
	static const struct option options[] = {
		{ "s", required_argument, NULL, 's' }, { "sm", required_argument, NULL, 'm' },
		{ "ss", required_argument, NULL, 'S' }, { "t", required_argument, NULL, 't' },
		{ "g", optional_argument, NULL, 'g' },
		{ "stack-depth", required_argument, NULL, 'G' },
		{ "f", required_argument, NULL, 'f' }, { "p", required_argument, NULL, 'p' },
		{ "rotate-size", required_argument, NULL, 'R' },
		{ "rotate-time", required_argument, NULL, 'T' },
		{ "rotate-keep", required_argument, NULL, 'N' },
		{ "B", required_argument, NULL, 'B' }, { "e", required_argument, NULL, 'e' },
		{ "c", required_argument, NULL, 'c' },
		{ NULL, 0, NULL, 0 }
	};
	struct tracer_options o = { .mode = TRACE_NORMAL };	/* what is said of rotation */
	uint64_t trace = 0, bytes, count = 0;
	const char *events = NULL;
	uint32_t stacks = 0, copy = 0;
	long pid, keep, depth = 0;
	int c, rc = 0;

	/* Before anything is set: is there a session already? */
	if (IsTraceActive() != 0)
		return fail("busy: a trace session exists already (swtrace info shows it, swtrace free ends it)");
	optind = 1;
	while ((c = next_option(argc, argv, "", options)) != -1) {
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
			if (!mode_of(optarg, &o.mode))
				return EXIT_SWTRACE;
			rc = TraceSetMode(o.mode);
			break;
		case 'f':
			rc = TraceSetName(optarg);
			break;
		case 'e':
			events = optarg;
			break;
		case 'c':
			if (!unit_count(optarg, &count) || !count)
				return fail("-c: '%s' is no number of events", optarg);
			break;
		case 'B':
			rc = TraceSetCollector(optarg);
			break;
		case 'p':
			if (!number("-p", optarg, 1, 1 << 30, &pid))
				return EXIT_SWTRACE;
			rc = TraceSetScope(TRACE_PROCESS, (int)pid);
			break;
		case 'g':
			if (!stacks_of(optarg, &stacks, &copy))
				return EXIT_SWTRACE;
			break;
		case 'G':
			if (!number("--stack-depth", optarg, 1, PITRACE_STACK_MAX, &depth))
				return EXIT_SWTRACE;
			break;
		case 'R':
			if (!size_of("--rotate-size", optarg, 1 << 20, &o.rotate_bytes))
				return EXIT_SWTRACE;
			break;
		case 'T':
			if (!rotate_time(optarg, &o.rotate_ns))
				return EXIT_SWTRACE;
			break;
		case 'N':
			if (!number("--rotate-keep", optarg, 1, 1000000, &keep))
				return EXIT_SWTRACE;
			o.rotate_keep = (uint32_t)keep;
			break;
		default:
			return USAGE;
		}
		if (rc)
			return fail_rc(rc);
	}
	if (optind < argc)
		return USAGE;
	if (!rotation_of(&o))
		return EXIT_SWTRACE;
	if (count && !events)
		return fail("-c counts the events of -e");
	rc = TraceSetTprofEvent(-1, events, count, TRACE_PRIV_ANY);
	if (!rc)
		rc = TraceSetStacks((int)stacks, (int)depth, (int)copy);
	if (!rc)
		rc = TraceSetRotation(o.rotate_bytes, o.rotate_ns / 1000000000, (int)o.rotate_keep);
	if (!rc)
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

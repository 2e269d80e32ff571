/* SPDX-License-Identifier: GPL-3.0-or-later */
/* swtrace mark: a record of its own into the trace, for scripts. */
#include <errno.h>
#include <stdlib.h>
#include "next_option.h"
#include "swtrace.h"

#define INTS	64

/* A whole number of 64 bits, also negative. */
static bool integer(const char *text, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = *text == '-' ? (uint64_t)strtoll(text, &end, 0) : strtoull(text, &end, 0);
	if (!errno && end != text && !*end)
		return true;
	fail("-i: '%s' is no number", text);
	return false;
}

int cmd_mark(int argc, char **argv)
{
	static const struct option none[] = { { NULL, 0, NULL, 0 } };
	long major = PITRACE_HOOKIT, minor = 0;
	uint64_t ints[INTS];
	int c, rc, n = 0;

	optind = 1;
	while ((c = next_option(argc, argv, "+M:m:i:", none)) != -1) {
		bool ok = false;

		switch (c) {
		case 'M':
			ok = number("-M", optarg, 0, PITRACE_MAJORS - 1, &major);
			break;
		case 'm':
			ok = number("-m", optarg, 0, 0x7FFFFFFF, &minor);
			break;
		case 'i':
			if (n == INTS)
				return fail("-i: no more than %d numbers", INTS);
			ok = integer(optarg, &ints[n++]);
			break;
		default:
			return USAGE;
		}
		if (!ok)
			return EXIT_SWTRACE;
	}
	rc = TraceHook(0, (int)major, (int)minor, n, argc - optind, ints, NULL,
		       (const char *const *)argv + optind);
	if (rc == TRACE_NOBODY)
		return 1;
	if (rc == PI_BUFFER_FULL)
		return fail("no room: the record is lost, and counted as such");
	return rc ? fail_rc(rc) : 0;
}

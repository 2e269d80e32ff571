/* SPDX-License-Identifier: GPL-3.0-or-later */
/* swtrace enable, disable, maj: what is recorded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "swtrace.h"

static const struct {
	int major;
	const char *name, *what;
	bool always;
} majors[] = {
	{ PITRACE_TPROF, "tprof", "samples: where each CPU is, at each tick", false },
	{ PITRACE_MTE, "mte", "processes, threads, mappings: what names need", true },
};

static bool major_of(const char *text, int *major)
{
	char *end;
	long n;

	for (size_t i = 0; i < sizeof(majors) / sizeof(*majors); i++)
		if (!strcmp(text, majors[i].name)) {
			*major = majors[i].major;
			return true;
		}
	n = strtol(text, &end, 0);
	if (*text && !*end && n >= 0 && n < PITRACE_MAJORS) {
		*major = (int)n;
		return true;
	}
	fail("'%s' is no major; swtrace maj lists them", text);
	return false;
}

int cmd_enable(int argc, char **argv)
{
	int major, rc;

	if (argc == 1) {
		rc = TraceEnable(PITRACE_TPROF);
		return rc ? fail_rc(rc) : 0;
	}
	for (int i = 1; i < argc; i++) {
		if (!major_of(argv[i], &major))
			return EXIT_SWTRACE;
		rc = TraceEnable(major);
		if (rc)
			return fail_rc(rc);
	}
	return 0;
}

int cmd_disable(int argc, char **argv)
{
	int major, rc;

	for (major = 0; argc == 1 && major < PITRACE_MAJORS; major++) {
		rc = TraceQueryMajor(major);
		if (rc > 0 && major != PITRACE_MTE)
			rc = TraceDisable(major);
		if (rc < 0)
			return fail_rc(rc);
	}
	for (int i = 1; i < argc; i++) {
		if (!major_of(argv[i], &major))
			return EXIT_SWTRACE;
		rc = TraceDisable(major);
		if (rc)
			return fail_rc(rc);
	}
	return 0;
}

int cmd_maj(int argc, char **argv)
{
	bool active;

	(void)argv;
	if (argc > 1)
		return USAGE;
	active = IsTraceActive() == 1;
	for (size_t i = 0; i < sizeof(majors) / sizeof(*majors); i++) {
		const char *state = "-";

		if (majors[i].always)
			state = "always";
		else if (active)
			state = TraceQueryMajor(majors[i].major) == 1 ? "enabled" : "disabled";
		printf("0x%02X  %-8s %-9s %s\n", (unsigned int)majors[i].major, majors[i].name,
		       state, majors[i].what);
	}
	return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* swtrace enable, disable, maj: choose what is recorded. Majors are given by name or number. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "swtrace.h"

static const struct {
	int major;
	const char *what;
} majors[] = {
	{ PITRACE_TPROF, "samples: where each CPU is, at each tick" },
	{ PITRACE_DISPATCH, "which thread each CPU runs, and why the one before left" },
	{ PITRACE_WAKEUP, "which thread wakes which" },
	{ PITRACE_INTERRUPT, "devices, softirqs, timers, other CPUs: begin and end" },
	{ PITRACE_SYSCALL, "system calls: begin and end" },
	{ PITRACE_FAULT, "page faults" },
	{ PITRACE_BRANCH_USER, "ITrace: taken branches of user code (see it_install)" },
	{ PITRACE_BRANCH_KERNEL, "ITrace: of the kernel, on threads' behalf" },
	{ PITRACE_LOAD_STORE, "ITrace: addresses that are read and written" },
	{ PITRACE_HOOKIT, "records that programs write (0xB0, 0xD0 to 0xFF)" },
	{ PITRACE_NAMED, "named events of programs (TraceEvent); user has them, too" },
	{ PITRACE_MTE, "processes, threads, mappings: what names need" },
};
#define N (sizeof(majors) / sizeof(*majors))

static bool in(const uint64_t set[PITRACE_MAJORS / 64], int major)
{
	return set[major / 64] >> (major & 63) & 1;
}

static void add(uint64_t set[PITRACE_MAJORS / 64], int major)
{
	set[major / 64] |= 1ull << (major & 63);
}

/* Adds all majors of this name: "user" stands for several. */
static bool by_name(const char *name, uint64_t set[PITRACE_MAJORS / 64])
{
	bool found = false;

	for (size_t i = 0; i < N; i++) {
		if (strcmp(name, TraceMajorName(majors[i].major)))
			continue;
		for (int m = 0; m < PITRACE_MAJORS; m++)
			if (TraceMajorName(m) && !strcmp(name, TraceMajorName(m)))
				add(set, m);
		found = true;
	}
	return found;
}

bool majors_of(const char *list, uint64_t set[PITRACE_MAJORS / 64])
{
	char word[32], *end;
	long n;

	do {
		size_t length = strcspn(list, ",");

		snprintf(word, sizeof(word), "%.*s", (int)length, list);
		list += length;
		if (by_name(word, set))
			continue;
		n = strtol(word, &end, 0);
		if (!*word || *end || n < 0 || n >= PITRACE_MAJORS) {
			fail("unknown major '%s'; swtrace maj lists them", word);
			return false;
		}
		add(set, (int)n);
	} while (*list++);
	return true;
}

const char *majors_names(void)
{
	static char out[256];
	size_t used = 0;

	for (size_t i = 0; i < N && used < sizeof(out); i++)
		if (majors[i].major != PITRACE_MTE)
			used += (size_t)snprintf(out + used, sizeof(out) - used, "%s%s",
						 used ? "," : "", TraceMajorName(majors[i].major));
	return out;
}

static int set_all(const uint64_t set[PITRACE_MAJORS / 64], int (*call)(int major))
{
	for (int major = 0; major < PITRACE_MAJORS; major++) {
		int rc = in(set, major) ? call(major) : PI_OK;

		if (rc)
			return fail_rc(rc);
	}
	return 0;
}

static bool arguments(char **argv, uint64_t set[PITRACE_MAJORS / 64])
{
	while (*++argv)
		if (!majors_of(*argv, set))
			return false;
	return true;
}

int cmd_enable(int argc, char **argv)
{
	uint64_t set[PITRACE_MAJORS / 64] = { 0 };

	if (argc == 1)
		add(set, PITRACE_TPROF);
	return arguments(argv, set) ? set_all(set, TraceEnable) : EXIT_SWTRACE;
}

int cmd_disable(int argc, char **argv)
{
	uint64_t set[PITRACE_MAJORS / 64] = { 0 };
	struct trace_info info;
	int rc;

	if (argc == 1) {
		rc = TraceGetInfo(&info);
		if (rc)
			return fail_rc(rc);
		memcpy(set, info.majors, sizeof(set));
	}
	return arguments(argv, set) ? set_all(set, TraceDisable) : EXIT_SWTRACE;
}

int cmd_maj(int argc, char **argv)
{
	struct trace_info info;
	bool active;

	(void)argv;
	if (argc > 1)
		return USAGE;
	active = TraceGetInfo(&info) == PI_OK;
	for (size_t i = 0; i < N; i++) {
		int major = majors[i].major;
		const char *state = "-";

		if (major == PITRACE_MTE)
			state = "always";
		else if (active)
			state = !in(info.available, major) ? "absent" :
				in(info.majors, major)     ? "enabled" :
							     "disabled";
		printf("0x%02X  %-9s  %-8s  %s\n", (unsigned int)major, TraceMajorName(major),
		       state, majors[i].what);
	}
	if (active)
		printf("absent: the collector %s has none of these here\n", info.collector);
	return 0;
}

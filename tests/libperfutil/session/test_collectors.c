/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The choice of a collector: which records each can make, what is said of one that lacks some, and
 * why none can be had, against what each says of this machine itself.
 */
#include <stdlib.h>

#include "collect/collectors.h"
#include "unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const names[] = { "driver", "perf", "timer", "ptrace" };

static void named(void)
{
	CU_ASSERT_PTR_NULL(collectors[COUNT(names)]);
	for (size_t i = 0; i < COUNT(names); i++) {
		CU_ASSERT_PTR_EQUAL(collector_named(names[i]), collectors[i]);
		CU_ASSERT_STRING_EQUAL(collectors[i]->name, names[i]);
	}
	CU_ASSERT_PTR_NULL(collector_named("drive"));
	CU_ASSERT_PTR_NULL(collector_named("drivers"));
	CU_ASSERT_PTR_NULL(collector_named(""));
}

/* The table of swtrace(1). */
static bool makes(size_t i, unsigned int major)
{
	switch (major) {
	case PITRACE_MTE:
	case PITRACE_SYSINFO:
	case PITRACE_HOOKIT:
	case PITRACE_NAMED:
		return true;
	case PITRACE_TPROF:
		return i < 3;
	case PITRACE_DISPATCH:
	case PITRACE_SYSCALL:
	case PITRACE_WAKEUP:
		return i < 2;
	case PITRACE_BRANCH_USER:
	case PITRACE_BREAK_USER:
	case PITRACE_ITRACE_START:
	case PITRACE_ITRACE_STOP:
		return i == 0 || i == 3;
	}
	return i == 0 || major >= PITRACE_USER_FIRST;
}

static void set(struct trace_config *c, unsigned int major)
{
	c->majors[major / 64] |= 1ull << major % 64;
}

/* By name: each alone, and behind one that all have. */
static void majors(void)
{
	char why[200], want[200];

	for (size_t i = 0; i < COUNT(names); i++) {
		for (unsigned int major = 0; major < PITRACE_MAJORS; major++) {
			struct trace_config config = { 0 };
			int rc = 99;
			const struct collector *c;

			set(&config, major);
			set(&config, PITRACE_MTE);
			c = collector_choose(names[i], &config, &rc, why, sizeof(why));
			CU_ASSERT_EQUAL(TraceCollectorHas(names[i], (int)major), makes(i, major));
			if (makes(i, major)) {
				CU_ASSERT(c == collectors[i] && rc == PI_OK && !*why);
				continue;
			}
			CU_ASSERT(!c && rc == PI_NOT_SUPPORTED);
			snprintf(want, sizeof(want), "the collector %s has no records of ",
				 names[i]);
			CU_ASSERT(!strncmp(why, want, strlen(want)));
			snprintf(want, sizeof(want), "(0x%02X): these need the collector driver",
				 major);
			CU_ASSERT(strstr(why, want) != NULL);
			CU_ASSERT(strstr(why, " (see swtrace check)") != NULL);
		}
	}
}

/* Others that have them are all named; the first major that is lacking is. */
static void lacking(void)
{
	struct trace_config config = { 0 };
	char why[200];
	int rc;

	set(&config, PITRACE_DISPATCH);
	set(&config, PITRACE_FAULT);
	CU_ASSERT_PTR_NULL(collector_choose("timer", &config, &rc, why, sizeof(why)));
	CU_ASSERT(strstr(why, "driver or perf (see") || strstr(why, "collector driver (see"));
	config = (struct trace_config){ 0 };
	set(&config, PITRACE_TPROF);
	CU_ASSERT_PTR_NULL(collector_choose("ptrace", &config, &rc, why, sizeof(why)));
	CU_ASSERT(strstr(why, "these need the collector driver or perf or timer (see") != NULL);
	collector_lacks(collectors[3], PITRACE_TPROF, why, 20);
	CU_ASSERT_EQUAL(strlen(why), 19);
	CU_ASSERT_PTR_NULL(collector_choose("nobody", &config, &rc, why, sizeof(why)));
	CU_ASSERT_EQUAL(rc, PI_INVALID_ARGUMENT);
	CU_ASSERT_STRING_EQUAL(why, "unknown collector 'nobody'");
}

/* Nobody named: the first that has them and works; else each with its reason, in their order. */
static void chosen(unsigned int major, uint32_t scope)
{
	struct trace_config config = { .scope = scope, .pid = getpid(), .rate = 100 };
	const struct collector *c, *first = NULL;
	bool refused = false;
	char why[2000];
	int rc = 99;

	set(&config, major);
	for (size_t i = 0; i < COUNT(names); i++) {
		struct collector_check check = { .state = COLLECTOR_ABSENT };

		if (makes(i, major))
			collectors[i]->check(&config, &check);
		if (!first && check.state == COLLECTOR_WORKS)
			first = collectors[i];
		refused |= check.state == COLLECTOR_REFUSED;
	}
	c = collector_choose(NULL, &config, &rc, why, sizeof(why));
	CU_ASSERT_PTR_EQUAL(c, first);
	if (first) {
		CU_ASSERT_EQUAL(rc, PI_OK);
		return;
	}
	CU_ASSERT_EQUAL(rc, refused ? PI_NO_PERMISSION : PI_NOT_SUPPORTED);
	CU_ASSERT(!strncmp(why, "driver: ", 8));
	for (size_t i = 1; i < COUNT(names); i++) {
		bool follows = !makes(i, major) && i > 1 && !makes(i - 1, major);
		bool followed = !makes(i, major) && i + 1 < COUNT(names) && !makes(i + 1, major);
		char head[32];

		snprintf(head, sizeof(head), "%s %s%s", follows ? "," : ";", names[i],
			 followed ? ", " : ": ");
		CU_ASSERT(strstr(why, head) != NULL);
		snprintf(head, sizeof(head), ": no records of %s (0x%02X); ",
			 TraceMajorName((int)major), major);
		CU_ASSERT(makes(i, major) || strstr(why, head) != NULL);
	}
	CU_ASSERT(strstr(why, "; what mends it: swtrace check") != NULL);
	for (size_t room = 1; room < 100; room++) {
		memset(why, 'x', sizeof(why));
		CU_ASSERT_PTR_NULL(collector_choose(NULL, &config, &rc, why, room));
		CU_ASSERT(memchr(why, 0, room) && why[room] == 'x');
	}
}

static void choices(void)
{
	static const unsigned int list[] = { PITRACE_TPROF, PITRACE_DISPATCH, PITRACE_SYSCALL,
					     PITRACE_BRANCH_USER, PITRACE_BRANCH_KERNEL };

	for (size_t i = 0; i < COUNT(list); i++) {
		chosen(list[i], PITRACE_SCOPE_PROCESS);
		chosen(list[i], PITRACE_SCOPE_SYSTEM);
	}
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "named", named },     { "majors", majors }, { "lacking", lacking },
		{ "choices", choices }, { NULL, NULL },
	};

	return unit_run("collectors", tests);
}

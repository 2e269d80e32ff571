/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of events: each source, privileges, lists, what is no name; a PMU's folder made up. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "events.h"
#include "unit.h"

static char folder[] = "/tmp/events.XXXXXX";

static void put(const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (!text) {
		CU_ASSERT_EQUAL_FATAL(mkdir(path, 0700), 0);
		return;
	}
	f = fopen(path, "w");
	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	fprintf(f, "%s\n", text);
	fclose(f);
}

/* The terms' bits lie apart, as on some x86 models. */
static void make_pmu(void)
{
	put("cpu", NULL);
	put("cpu/type", "42");
	put("cpu/format", NULL);
	put("cpu/format/event", "config:0-7,32-35");
	put("cpu/format/umask", "config:8-15");
	put("cpu/format/inv", "config:23");
	put("cpu/format/ldlat", "config1:0-15");
	put("cpu/format/all", "config2:0-63");
	put("cpu/format/odd", "config7:0-7");
	put("cpu/events", NULL);
	put("cpu/events/slow-loads", "event=0xcd,umask=0x1,ldlat=3");
	put("cpu/events/slow-loads.unit", "things");
	put("cpu/events/parameter", "event=?");
	events_devices = folder;
}

static int find(const char *name, struct pitrace_event_args *e)
{
	char why[300] = "";
	int err = event_find(name, e, why, sizeof(why));

	CU_ASSERT_EQUAL(err != 0, *why != 0);
	return err;
}

static void generic_names(void)
{
	struct pitrace_event_args e;

	CU_ASSERT_EQUAL(find("cycles", &e), 0);
	CU_ASSERT_EQUAL(e.type, PERF_TYPE_HARDWARE);
	CU_ASSERT_EQUAL(e.config, PERF_COUNT_HW_CPU_CYCLES);
	CU_ASSERT_EQUAL(e.flags, 0);
	CU_ASSERT_STRING_EQUAL(e.name, "cycles");
	CU_ASSERT_EQUAL(find("page-faults:u", &e), 0);
	CU_ASSERT_EQUAL(e.type, PERF_TYPE_SOFTWARE);
	CU_ASSERT_EQUAL(e.flags, PITRACE_EVENT_USER);
	CU_ASSERT_EQUAL(find("cs:k", &e), 0);
	CU_ASSERT_EQUAL(e.flags, PITRACE_EVENT_KERNEL);
	CU_ASSERT_EQUAL(find("cs:uk", &e), 0);
	CU_ASSERT_EQUAL(e.flags, 0);
	CU_ASSERT_EQUAL(find("r1A8", &e), 0);
	CU_ASSERT_EQUAL(e.type, PERF_TYPE_RAW);
	CU_ASSERT_EQUAL(e.config, 0x1A8);
	CU_ASSERT_EQUAL(find("rffffffffffffffff", &e), 0);
	CU_ASSERT_EQUAL(e.config, UINT64_MAX);
}

static void pmu_names(void)
{
	struct pitrace_event_args e;

	CU_ASSERT_EQUAL(find("slow-loads", &e), 0);
	CU_ASSERT_EQUAL(e.type, 42);
	CU_ASSERT_EQUAL(e.config, 0x1cd);
	CU_ASSERT_EQUAL(e.config1, 3);
	CU_ASSERT_EQUAL(find("cpu/slow-loads,ldlat=9/u", &e), -EINVAL);
	CU_ASSERT_EQUAL(find("cpu/slow-loads/:u", &e), 0);
	CU_ASSERT_EQUAL(e.flags, PITRACE_EVENT_USER);
	/* The high bits of a term lie elsewhere. */
	CU_ASSERT_EQUAL(find("cpu/event=0xabc,inv/", &e), 0);
	CU_ASSERT_EQUAL(e.config, 0xA008000BCull);
	CU_ASSERT_EQUAL(find("cpu/all=0xffffffffffffffff/", &e), 0);
	CU_ASSERT_EQUAL(e.config2, UINT64_MAX);
	CU_ASSERT_EQUAL(find("cpu/config=0x77,config1=2/", &e), 0);
	CU_ASSERT_EQUAL(e.config, 0x77);
	CU_ASSERT_EQUAL(e.config1, 2);
}

static void no_names(void)
{
	static const char *const wrong[] = {
		"", "no-such-event", "r", "r12g", "r11223344556677889", "cpu/", "cpu//", "/x/",
		"cpu/umask=0x100/", "cpu/event=0x1abc0/", "cpu/odd=1/", "cpu/nothing=1/",
		"cpu/event=/", "cpu/event=1x/", "cpu/parameter/", "cpu/../type/", "../cpu/event=1/",
		"nopmu/event=1/", "slow-loads.unit", "no:such", ":u",
	};
	struct pitrace_event_args e;
	char longest[400];

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (find(wrong[i], &e) == 0)
			CU_FAIL(wrong[i]);
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = 0;
	CU_ASSERT_NOT_EQUAL(find(longest, &e), 0);
}

static void lists(void)
{
	struct pitrace_event_args list[PITRACE_EVENTS];
	char why[300] = "";

	CU_ASSERT_EQUAL(events_find("cycles,cpu/event=1,umask=2/:k,cs", list, why, sizeof(why)), 3);
	CU_ASSERT_EQUAL(list[1].config, 0x201);
	CU_ASSERT_EQUAL(list[1].flags, PITRACE_EVENT_KERNEL);
	CU_ASSERT_EQUAL(list[2].config, PERF_COUNT_SW_CONTEXT_SWITCHES);
	CU_ASSERT_EQUAL(events_find("r1,r2,r3,r4,r5,r6,r7,r8", list, why, sizeof(why)), 8);
	CU_ASSERT_EQUAL(events_find("r1,r2,r3,r4,r5,r6,r7,r8,r9", list, why, sizeof(why)), -E2BIG);
	CU_ASSERT(events_find("cycles,", list, why, sizeof(why)) < 0);
	CU_ASSERT(events_find("cycles,nothing", list, why, sizeof(why)) < 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(why, "nothing"));
}

static void count_it(void *arg, const char *source, const char *name, const char *what)
{
	unsigned int *seen = arg;

	(void)what;
	*seen |= !strcmp(source, "kernel") && !strcmp(name, "cpu-clock") ? 1 : 0;
	*seen |= !strcmp(name, "cpu/slow-loads/") ? 2 : 0;
	*seen |= strstr(name, ".unit") ? 4 : 0;
}

static void listing(void)
{
	unsigned int seen = 0;

	events_list(count_it, &seen);
	CU_ASSERT_EQUAL(seen, 3);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "make_pmu", make_pmu },
		{ "generic_names", generic_names },
		{ "pmu_names", pmu_names },
		{ "no_names", no_names },
		{ "lists", lists },
		{ "listing", listing },
		{ NULL, NULL }
	};
	char command[300];
	int rc;

	if (!mkdtemp(folder))
		return 1;
	rc = unit_run("events", tests);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command) || rc;
}

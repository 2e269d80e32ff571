/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of events: each source, privileges, lists, what is not a name; a PMU's folder made up. */
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>
#include "events/event_names.h"
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

/* The terms' bits are not contiguous, as on some x86 models. */
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
	/* The high bits of a term are elsewhere. */
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
		"",
		"no-such-event",
		"r",
		"r12g",
		"r11223344556677889",
		"cpu/",
		"cpu//",
		"/x/",
		"cpu/umask=0x100/",
		"cpu/event=0x1abc0/",
		"cpu/odd=1/",
		"cpu/nothing=1/",
		"cpu/event=/",
		"cpu/event=1x/",
		"cpu/parameter/",
		"cpu/../type/",
		"../cpu/event=1/",
		"nopmu/event=1/",
		"slow-loads.unit",
		"no:such",
		":u",
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

/* ---- event files ----------------------------------------------------------------------------- */

static void put_json(const char *file, const char *text)
{
	struct utsname u;
	char name[200];

	uname(&u);
	snprintf(name, sizeof(name), "%s/%s", !strcmp(u.machine, "aarch64") ? "arm64" : u.machine,
		 file);
	put(name, text);
}

#define FILE_OF(cpu, events) \
	"{ \"cpus\": [\"" cpu "\"], \"source\": \"a book\",\n\"events\": [\n" events "\n] }"

/* A file of this CPU, one of another, and names that others have too. */
static void file_names(void)
{
	struct pitrace_event_args e;

	events_folder = folder;
	events_cpu = "Maker-6-8F";
	put_json("", NULL);
	put_json("a.json",
		 FILE_OF("maker-6-8?",
			 "{\"name\": \"WAITS\", \"encoding\": \"r1a8\", \"unit\": \"cycles\", \"description\": \"waits\"},\n"
			 "{\"name\": \"cycles\", \"encoding\": \"r7\"},\n"
			 "{\"name\": \"TWICE\", \"encoding\": \"r1\"},\n"
			 "{\"name\": \"NO_PMU\", \"encoding\": \"nothing/event=1/\"},\n"
			 "{\"name\": \"FAR\", \"encoding\": \"cpu/event=0x1cd,ldlat=3/\"}"));
	put_json("b.json", FILE_OF("*", "{\"name\": \"TWICE\", \"encoding\": \"r2\"}"));
	put_json("other.json",
		 FILE_OF("Maker-6-9*", "{\"name\": \"OTHERS\", \"encoding\": \"r3\"}"));
	CU_ASSERT_EQUAL(find("WAITS:u", &e), 0);
	CU_ASSERT_EQUAL(e.type, PERF_TYPE_RAW);
	CU_ASSERT_EQUAL(e.config, 0x1a8);
	CU_ASSERT_EQUAL(e.flags, PITRACE_EVENT_USER);
	CU_ASSERT_STRING_EQUAL(e.name, "WAITS:u");
	CU_ASSERT_EQUAL(find("FAR", &e), 0);
	CU_ASSERT_EQUAL(e.type, 42);
	CU_ASSERT_EQUAL(e.config, 0x1000000cdull);
	CU_ASSERT_EQUAL(e.config1, 3);
	CU_ASSERT_EQUAL(find("TWICE", &e), 0);
	CU_ASSERT_EQUAL(e.config, 1);
	CU_ASSERT_EQUAL(find("cycles", &e), 0);
	CU_ASSERT_EQUAL(e.type, PERF_TYPE_HARDWARE);
	CU_ASSERT_EQUAL(find("NO_PMU", &e), -ENODEV);
	CU_ASSERT_EQUAL(find("OTHERS", &e), -ENOENT);
	CU_ASSERT_EQUAL(find("waits", &e), -ENOENT);
}

struct told {
	char path[400], what[400], bad[800];
	unsigned int twice, others;
};

static void tell_it(void *arg, const char *source, const char *name, const char *what)
{
	struct told *t = arg;

	if (!strcmp(name, "WAITS")) {
		snprintf(t->path, sizeof(t->path), "%s", source);
		snprintf(t->what, sizeof(t->what), "%s", what);
	}
	t->twice += !strcmp(name, "TWICE");
	t->others += !strcmp(name, "OTHERS");
	if (!strcmp(source, "bad"))
		snprintf(t->bad, sizeof(t->bad), "%s: %s", name, what);
}

static void file_listing(void)
{
	struct told t = { 0 };

	events_list(tell_it, &t);
	CU_ASSERT_PTR_NOT_NULL(strstr(t.path, "/a.json"));
	CU_ASSERT_STRING_EQUAL(t.what, "waits (unit: cycles)");
	CU_ASSERT_EQUAL(t.twice, 2);
	CU_ASSERT_EQUAL(t.others, 0);
	CU_ASSERT_STRING_EQUAL(t.bad, "");
}

/* Errors have file, line and cause; events of other files remain. */
static void file_errors(void)
{
	static const struct {
		const char *text, *where, *cause;
	} wrong[] = {
		{ "", "/z.json:2: ", "'[' or '{' expected" },
		{ "{\n\"cpus\": [],\n oops", "/z.json:3: ", "string or '}' expected" },
		{ "{\"cpus\": [],\n\"cpus\": []}", "/z.json:2: ", "duplicate" },
		{ "[]", "/z.json:1: ", "expected is {\"cpus\"" },
		{ "{\"cpus\": [\"*\"], \"events\": []}", "/z.json:1: ", "\"source\"" },
		{ "{\"cpus\": [7], \"source\": \"\", \"events\": []}",
		  "/z.json:1: ", "cpus must be strings" },
		{ FILE_OF("*", "{\"name\": \"A\", \"encoding\": \"r1\"},\n\n{\"name\": \"{\\\"\"}"),
		  "/z.json:5: ", "name: only letters" },
		{ FILE_OF("*", "{\"name\": \"A\"}"), "/z.json:3: ", "encoding: expected r and" },
		{ FILE_OF("*", "{\"name\": \"A\", \"encoding\": \"cycles\"}"),
		  "/z.json:3: ", "encoding: expected r and" },
		{ FILE_OF("*", "{\"name\": \"A\", \"encoding\": \"r\"}"),
		  "/z.json:3: ", "encoding: expected r and" },
		{ FILE_OF("*", "{\"name\": \"A\", \"encoding\": \"/x/\"}"),
		  "/z.json:3: ", "encoding: expected r and" },
		{ FILE_OF("*", "{\"name\": 5, \"encoding\": \"r1\"}"), "/z.json:3: ", "strings" },
		{ FILE_OF("*", "{\"name\": \"A\", \"encoding\": \"r1\", \"text\": \"\"}"),
		  "/z.json:3: ", "no other" },
		{ FILE_OF("*", "{\"name\": \"A\", \"encoding\": \"r1\"},\n\"B\""),
		  "/z.json:", "an object" },
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct pitrace_event_args e;
		struct told t = { 0 };
		char why[500] = "";

		put_json("z.json", wrong[i].text);
		events_list(tell_it, &t);
		if (!strstr(t.bad, wrong[i].where) || !strstr(t.bad, wrong[i].cause)) {
			printf("# wanted %s ... %s, told: %s\n", wrong[i].where, wrong[i].cause,
			       t.bad);
			CU_FAIL("another file, line or cause");
		}
		CU_ASSERT_EQUAL(t.twice, 2);
		CU_ASSERT_EQUAL(event_find("UNKNOWN", &e, why, sizeof(why)), -ENOENT);
		CU_ASSERT_PTR_NOT_NULL(strstr(why, wrong[i].where));
		CU_ASSERT_EQUAL(find("WAITS", &e), 0);
	}
}

/* A file whose path is as long as may be, and one that is longer. */
static void long_paths(void)
{
	const size_t most = PATH_MAX - 1;
	struct pitrace_event_args e;
	char path[PATH_MAX + 1], why[600];
	struct utsname u;
	size_t rest, n;

	uname(&u);
	rest = strlen(!strcmp(u.machine, "aarch64") ? "arm64" : u.machine) + strlen("//long.json");
	put_json("long.json", FILE_OF("*", "{\"name\": \"LONG\", \"encoding\": \"r1\"}"));
	for (size_t over = 0; over < 2; over++) {
		const size_t length = most + over - rest;

		/* The same folder: FOLDER/./././. */
		n = (size_t)snprintf(path, sizeof(path), "%s", folder);
		if ((length - n) % 2)
			path[n++] = '/';
		for (; n < length; n += 2)
			memcpy(path + n, "/.", 2);
		path[length] = 0;
		events_folder = path;
		*why = 0;
		CU_ASSERT_EQUAL(event_find("LONG", &e, why, sizeof(why)), over ? -ENOENT : 0);
		CU_ASSERT_EQUAL(!strstr(why, "File name too long"), !over);
	}
	events_folder = folder;
}

/* The event files of the project can be parsed, also those of another CPU than this one. */
static void files_brought(void)
{
	struct pitrace_event_args e;
	struct utsname u;
	char link[300], target[300];

	uname(&u);
	if (!getcwd(target, sizeof(target) - 40))
		CU_FAIL_FATAL("no folder");
	strcat(target, "/libperfutil/events/arm64");
	snprintf(link, sizeof(link), "%s/brought", folder);
	CU_ASSERT_EQUAL_FATAL(mkdir(link, 0700), 0);
	events_folder = strdup(link);
	snprintf(link, sizeof(link), "%s/%s", events_folder,
		 !strcmp(u.machine, "aarch64") ? "arm64" : u.machine);
	CU_ASSERT_EQUAL_FATAL(symlink(target, link), 0);
	events_cpu = "0x00000000411fd070";
	CU_ASSERT_EQUAL(find("L2D_CACHE_REFILL", &e), 0);
	CU_ASSERT_EQUAL(e.config, 0x17);
	events_cpu = "0x00000000410FD080";
	CU_ASSERT_EQUAL(find("BR_INDIRECT_SPEC", &e), 0);
	CU_ASSERT_EQUAL(e.config, 0x7a);
	events_cpu = "0x00000000410fd030";
	CU_ASSERT_EQUAL(find("L2D_CACHE_REFILL", &e), -ENOENT);
	free((char *)events_folder);
}

/* One that is there; one that is not; and a folder that this user is not shown, where all names
 * that look like one may be. */
static void tracepoints(void)
{
	const char *const were[] = { events_tracing[0], events_tracing[1] };
	struct pitrace_event_args e;
	char shown[100], hidden[100], why[300];
	int status = -1;
	pid_t child;

	put("t", NULL);
	put("t/events", NULL);
	put("t/events/sched", NULL);
	put("t/events/sched/sched_switch", NULL);
	put("t/events/sched/sched_switch/id", "314");
	put("h", NULL);
	snprintf(shown, sizeof(shown), "%s/t", folder);
	snprintf(hidden, sizeof(hidden), "%s/h", folder);
	CU_ASSERT_EQUAL(chmod(hidden, 0), 0);
	CU_ASSERT_EQUAL(chmod(folder, 0755), 0);
	events_tracing[0] = shown;
	events_tracing[1] = hidden;
	CU_ASSERT_EQUAL(find("sched:sched_switch", &e), 0);
	CU_ASSERT_EQUAL(e.type, PERF_TYPE_TRACEPOINT);
	CU_ASSERT_EQUAL(e.config, 314);
	events_tracing[0] = hidden;
	fflush(NULL);
	child = fork();
	if (!child) {
		/* root would be shown it. */
		bool ok = !(geteuid() == 0 && setresuid(65534, 65534, 65534));

		ok &= event_find("sched:sched_switch", &e, why, sizeof(why)) == -ENOENT &&
		      strstr(why, "not shown the kernel's tracepoints") && strstr(why, hidden) &&
		      strstr(why, "sudo");
		/* A name that is not a tracepoint's is not an event. */
		ok &= event_find("nothing", &e, why, sizeof(why)) == -ENOENT &&
		      strstr(why, "there is no event");
		_exit(!ok);
	}
	CU_ASSERT_EQUAL(waitpid(child, &status, 0), child);
	CU_ASSERT_EQUAL(status, 0);
	/* A folder that is shown is believed, whatever the other hides. */
	events_tracing[0] = shown;
	CU_ASSERT_EQUAL(event_find("sched:none", &e, why, sizeof(why)), -ENOENT);
	CU_ASSERT_PTR_NOT_NULL(strstr(why, "there is no event"));
	CU_ASSERT_EQUAL(chmod(hidden, 0700), 0);
	events_tracing[0] = were[0];
	events_tracing[1] = were[1];
}

/* ---- in several threads ---------------------------------------------------------------------- */

static pthread_barrier_t all_here;

static void *look_up(void *found)
{
	struct pitrace_event_args e;
	char why[300];

	pthread_barrier_wait(&all_here);
	*(bool *)found = !event_find("perf::CPU-CLOCK", &e, why, sizeof(why));
	return NULL;
}

/* The first look-up loads libpfm4: a process each, in which four threads are the first. */
static void by_threads(void)
{
	for (int i = 0; i < 60; i++) {
		pid_t child = fork();
		pthread_t thread[4];
		bool found[4];
		int status;

		if (!child) {
			pthread_barrier_init(&all_here, NULL, 4);
			for (int t = 0; t < 4; t++)
				pthread_create(&thread[t], NULL, look_up, &found[t]);
			for (int t = 0; t < 4; t++)
				pthread_join(thread[t], NULL);
			/* All find it, or it is not there for any of them. */
			_exit(found[0] != found[1] || found[0] != found[2] || found[0] != found[3]);
		}
		waitpid(child, &status, 0);
		CU_ASSERT_EQUAL(status, 0);
	}
}

int main(void)
{
	static const struct unit_test tests[] = { { "by_threads", by_threads },
						  { "make_pmu", make_pmu },
						  { "generic_names", generic_names },
						  { "pmu_names", pmu_names },
						  { "tracepoints", tracepoints },
						  { "no_names", no_names },
						  { "lists", lists },
						  { "listing", listing },
						  { "file_names", file_names },
						  { "file_listing", file_listing },
						  { "file_errors", file_errors },
						  { "long_paths", long_paths },
						  { "files_brought", files_brought },
						  { NULL, NULL } };
	char command[300];
	int rc;

	if (!mkdtemp(folder))
		return 1;
	rc = unit_run("events", tests);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command) || rc;
}

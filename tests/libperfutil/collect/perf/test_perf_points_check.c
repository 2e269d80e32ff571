/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether a user may have the kernel's tracepoints: which ones a configuration needs, how each is
 * opened, and what is said of those that cannot be read or are refused. Their files and the
 * kernel's answers are the test's own.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collect/perf/perf_points.h"
#include "events/event_names.h"
#include "unit.h"

#define DISPATCH 1u
#define WAKEUP   2u
#define SYSCALL  4u

/* ---- the kernel ---- */

static struct {
	const char *pids; /* the namespace; NULL: not to be read */
	int paranoid;
	int refused, error; /* the open of that number is, by this -errno */
	int opened;
	struct perf_event_attr attr[PERF_POINTS];
	pid_t pid[PERF_POINTS];
	int cpu[PERF_POINTS];
} kernel;

ssize_t __real_readlink(const char *path, char *to, size_t size);
ssize_t __wrap_readlink(const char *path, char *to, size_t size);
ssize_t __wrap_readlink(const char *path, char *to, size_t size)
{
	if (strcmp(path, "/proc/self/ns/pid") != 0)
		return __real_readlink(path, to, size);
	CU_ASSERT_EQUAL(size, 63);
	memset(to, 'x', size);
	if (!kernel.pids)
		return -1;
	memcpy(to, kernel.pids, strlen(kernel.pids));
	return (ssize_t)strlen(kernel.pids);
}

int __wrap_perf_paranoid(void);
int __wrap_perf_paranoid(void)
{
	return kernel.paranoid;
}

void __wrap_perf_why(int err, const struct trace_config *config, struct collector_check *check);
void __wrap_perf_why(int err, const struct trace_config *config, struct collector_check *check)
{
	(void)config;
	*check = (struct collector_check){ .state = COLLECTOR_ABSENT, .cure = "another" };
	snprintf(check->why, sizeof(check->why), "error %d", -err);
}

int __wrap_perf_open(struct perf_event_attr *a, pid_t pid, int cpu);
int __wrap_perf_open(struct perf_event_attr *a, pid_t pid, int cpu)
{
	CU_ASSERT_FATAL(kernel.opened < PERF_POINTS);
	kernel.attr[kernel.opened] = *a;
	kernel.pid[kernel.opened] = pid;
	kernel.cpu[kernel.opened] = cpu;
	return ++kernel.opened == kernel.refused ? kernel.error : dup(0);
}

/* ---- its files ---- */

static char folder[] = "/tmp/pitrace-test-XXXXXX";

static const struct {
	const char *group, *name, *fields[5];
} events[PERF_POINTS] = {
	[PERF_POINT_SWITCH] = { "sched",
				"sched_switch",
				{ "prev_prio", "prev_state", "next_prio" } },
	[PERF_POINT_WAKING] = { "sched",
				"sched_waking",
				{ "pid", "prio", "target_cpu", "common_flags" } },
	[PERF_POINT_WAKEUP_NEW] = { "sched",
				    "sched_wakeup_new",
				    { "pid", "prio", "target_cpu", "common_flags" } },
	[PERF_POINT_ENTER] = { "raw_syscalls", "sys_enter", { "id", "args" } },
	[PERF_POINT_EXIT] = { "raw_syscalls", "sys_exit", { "id", "ret" } },
};

static const char *place(const char *group, const char *name, const char *file)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/events/%s%s%s%s%s", folder, group, *name ? "/" : "", name,
		 *file ? "/" : "", file);
	return path;
}

static void put_format(int i, bool whole)
{
	FILE *f = fopen(place(events[i].group, events[i].name, "format"), "w");

	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	fprintf(f, "ID: %d\n", 70 + i);
	for (int k = 0; k < 5 && events[i].fields[k] && (whole || k); k++)
		fprintf(f, "\tfield:int %s;\toffset:%d;\tsize:4;\tsigned:1;\n", events[i].fields[k],
			8 * k);
	fclose(f);
}

static void begin(void)
{
	memset(&kernel, 0, sizeof(kernel));
	kernel.pids = "pid:[4026531836]";
	kernel.paranoid = 2;
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
	events_tracing[0] = folder;
	events_tracing[1] = "/nonexistent";
	mkdir(place("", "", ""), 0700);
	for (int i = 0; i < PERF_POINTS; i++) {
		mkdir(place(events[i].group, "", ""), 0700);
		mkdir(place(events[i].group, events[i].name, ""), 0700);
		put_format(i, true);
	}
}

static void end(void)
{
	for (int i = 0; i < PERF_POINTS; i++) {
		unlink(place(events[i].group, events[i].name, "format"));
		rmdir(place(events[i].group, events[i].name, ""));
	}
	rmdir(place("sched", "", ""));
	rmdir(place("raw_syscalls", "", ""));
	rmdir(place("", "", ""));
	CU_ASSERT_EQUAL(rmdir(folder), 0);
}

static struct trace_config asked(unsigned int what, uint32_t scope, uint32_t stacks)
{
	static const unsigned int majors[] = { PITRACE_DISPATCH, PITRACE_WAKEUP, PITRACE_SYSCALL };
	struct trace_config c = { .scope = scope, .pid = 77, .stacks = stacks };

	for (int i = 0; i < 3; i++)
		if (what & 1u << i)
			c.majors[majors[i] / 64] |= 1ull << (majors[i] & 63);
	return c;
}

static bool check(unsigned int what, struct collector_check *c)
{
	const struct trace_config config = asked(what, PITRACE_SCOPE_PROCESS,
						 PITRACE_WANT_DISPATCH);

	kernel.opened = 0;
	*c = (struct collector_check){ .state = COLLECTOR_WORKS };
	return perf_points_check(&config, c);
}

/* ---- tests ---- */

static void needed(void)
{
	static const struct {
		unsigned int what;
		uint32_t stacks, needed;
	} cases[] = {
		{ 0, PITRACE_WANT_DISPATCH, 0 },
		{ DISPATCH, 0, 0 },
		{ DISPATCH, PITRACE_WANT_DISPATCH, 1u << PERF_POINT_SWITCH },
		{ WAKEUP, 0, 1u << PERF_POINT_WAKING | 1u << PERF_POINT_WAKEUP_NEW },
		{ SYSCALL, 0, 1u << PERF_POINT_ENTER | 1u << PERF_POINT_EXIT },
		{ 7, PITRACE_WANT_DISPATCH, 31 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct trace_config c = asked(cases[i].what, PITRACE_SCOPE_PROCESS,
						    cases[i].stacks);

		CU_ASSERT_EQUAL(perf_points_needed(&c), cases[i].needed);
	}
}

/* Wake-ups are of a process's threads, calls of the system of all CPUs. */
static void opened(void)
{
	struct collector_check c;
	struct trace_config config;

	begin();
	CU_ASSERT_TRUE(check(7, &c));
	CU_ASSERT(c.state == COLLECTOR_WORKS && !*c.why && kernel.opened == 5);
	for (int i = 0; i < PERF_POINTS; i++) {
		bool calls = i == PERF_POINT_ENTER || i == PERF_POINT_EXIT;

		CU_ASSERT(kernel.attr[i].type == PERF_TYPE_TRACEPOINT &&
			  kernel.attr[i].config == 70u + (unsigned int)i &&
			  kernel.attr[i].sample_period == 1 && !kernel.attr[i].exclude_kernel &&
			  kernel.attr[i].sample_type & PERF_SAMPLE_RAW);
		CU_ASSERT_EQUAL(kernel.attr[i].context_switch, i == PERF_POINT_SWITCH);
		CU_ASSERT(kernel.pid[i] == (calls ? 77 : -1) && kernel.cpu[i] == (calls ? -1 : 0));
		CU_ASSERT_EQUAL((kernel.attr[i].sample_type & PERF_SAMPLE_REGS_USER) != 0,
				calls && perf_user_registers());
		CU_ASSERT_EQUAL(calls ? __builtin_popcountll(kernel.attr[i].sample_regs_user) : 0,
				calls && perf_user_registers() ? 1 : 0);
	}
	kernel.opened = 0;
	config = asked(SYSCALL, PITRACE_SCOPE_SYSTEM, 0);
	CU_ASSERT_TRUE(perf_points_check(&config, &c));
	CU_ASSERT(kernel.opened == 2 && kernel.pid[0] == -1 && kernel.cpu[0] == 0 &&
		  kernel.attr[0].config == 70 + PERF_POINT_ENTER);
	CU_ASSERT_TRUE(check(0, &c));
	CU_ASSERT_EQUAL(kernel.opened, 0);
	end();
}

static void containers(void)
{
	struct collector_check c;

	begin();
	kernel.pids = "pid:[4026531837]";
	CU_ASSERT_FALSE(check(WAKEUP, &c));
	CU_ASSERT(c.state == COLLECTOR_REFUSED && !kernel.opened);
	CU_ASSERT_STRING_EQUAL(c.why,
			       "the kernel's tracepoints of wake-ups number threads as the host does: not in a container");
	CU_ASSERT_STRING_EQUAL(c.cure, "run it outside of the container");
	/* Access to one's own threads does not imply access to others'. */
	CU_ASSERT_TRUE(check(DISPATCH | SYSCALL, &c));
	/* A kernel without namespaces has one. */
	kernel.pids = NULL;
	CU_ASSERT_TRUE(check(WAKEUP, &c));
	end();
}

static void unreadable(void)
{
	struct collector_check c;
	char want[512];

	begin();
	put_format(PERF_POINT_WAKEUP_NEW, false);
	CU_ASSERT_FALSE(check(7, &c));
	snprintf(want, sizeof(want),
		 "records of wake-ups need the kernel's tracepoints: %s/events/sched/sched_wakeup_new/format: a field is missing",
		 folder);
	CU_ASSERT_STRING_EQUAL(c.why, want);
	CU_ASSERT(c.state == COLLECTOR_ABSENT && !*c.cure && kernel.opened == 2);
	/* The others serve. */
	CU_ASSERT_TRUE(check(DISPATCH | SYSCALL, &c));
	unlink(place("sched", "sched_switch", "format"));
	CU_ASSERT_FALSE(check(DISPATCH, &c));
	snprintf(want, sizeof(want),
		 "stacks at dispatches need the kernel's tracepoints: there is no sched/sched_switch in %s",
		 folder);
	CU_ASSERT_STRING_EQUAL(c.why, want);
	CU_ASSERT_STRING_EQUAL(c.cure, "sudo mount -t tracefs nodev /sys/kernel/tracing");
	CU_ASSERT_EQUAL(c.state, COLLECTOR_ABSENT);
	/* A folder in the file's place. */
	mkdir(place("sched", "sched_switch", "format"), 0700);
	CU_ASSERT_FALSE(check(DISPATCH, &c));
	CU_ASSERT_PTR_NOT_NULL(strstr(c.why, "/events/sched/sched_switch/format: Is a directory"));
	rmdir(place("sched", "sched_switch", "format"));
	end();
	events_tracing[0] = "/nonexistent";
	CU_ASSERT_FALSE(check(SYSCALL, &c));
	CU_ASSERT_STRING_EQUAL(c.why,
			       "records of system calls need the kernel's tracepoints: this kernel has no /nonexistent (CONFIG_TRACING)");
	CU_ASSERT(c.state == COLLECTOR_ABSENT && !*c.cure);
}

static void refused(void)
{
	struct collector_check c;

	begin();
	for (int error = EPERM; error <= EACCES; error += EACCES - EPERM) {
		kernel.refused = 2;
		kernel.error = -error;
		CU_ASSERT_FALSE(check(SYSCALL, &c));
		CU_ASSERT_STRING_EQUAL(c.why,
				       "records of system calls need the kernel's tracepoints: perf_event_paranoid 2 does not show them to this user");
		CU_ASSERT_STRING_EQUAL(c.cure, "run it as root (sudo)");
		CU_ASSERT_EQUAL(kernel.opened, 2);
	}
	kernel.paranoid = 0;
	CU_ASSERT_FALSE(check(WAKEUP, &c));
	CU_ASSERT_STRING_EQUAL(c.why,
			       "records of wake-ups need the kernel's tracepoints: perf_event_paranoid 0 does not show them to this user");
	/* Where it is not that, perf says why. */
	kernel.paranoid = -1;
	CU_ASSERT_FALSE(check(WAKEUP, &c));
	CU_ASSERT_STRING_EQUAL(c.why, "error 13");
	CU_ASSERT_STRING_EQUAL(c.cure, "another");
	kernel.paranoid = 2;
	kernel.error = -ENOENT;
	CU_ASSERT_FALSE(check(WAKEUP, &c));
	CU_ASSERT_STRING_EQUAL(c.why, "error 2");
	end();
}

/* Reads everything that can be read, and reports the first error. */
static void as_far_as_possible(void)
{
	struct perf_points p = { .known = 0 };

	begin();
	unlink(place("sched", "sched_waking", "format"));
	put_format(PERF_POINT_ENTER, false);
	CU_ASSERT_EQUAL(perf_points_read(&p, 31), -ENOENT);
	CU_ASSERT_EQUAL(p.known, 1u << PERF_POINT_SWITCH | 1u << PERF_POINT_WAKEUP_NEW |
					 1u << PERF_POINT_EXIT);
	CU_ASSERT_EQUAL(p.id[PERF_POINT_EXIT], 70 + PERF_POINT_EXIT);
	CU_ASSERT(p.field[PERF_POINT_WAKEUP_NEW][3].offset == 24 &&
		  p.field[PERF_POINT_WAKEUP_NEW][3].size == 4);
	/* A known format is not read again, and one that was not requested is never read. */
	unlink(place("sched", "sched_switch", "format"));
	CU_ASSERT_EQUAL(perf_points_read(&p, 1u << PERF_POINT_SWITCH), 0);
	put_format(PERF_POINT_WAKING, true);
	put_format(PERF_POINT_ENTER, true);
	CU_ASSERT_EQUAL(perf_points_read(&p, 1u << PERF_POINT_ENTER), 0);
	CU_ASSERT_EQUAL(p.known & 1u << PERF_POINT_WAKING, 0);
	end();
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "needed", needed },
		{ "opened", opened },
		{ "containers", containers },
		{ "unreadable", unreadable },
		{ "refused", refused },
		{ "as_far_as_possible", as_far_as_possible },
		{ NULL, NULL },
	};

	return unit_run("perf_points_check", tests);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Looks an event's name up in the sources; the kernel's generic events. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "events/event_names.h"

static const struct {
	const char *name;
	uint32_t type;
	uint64_t config;
	const char *what;
} generic[] = {
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "CPU cycles" },
	{ "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "CPU cycles" },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, "instructions retired" },
	{ "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES,
	  "accesses of the last-level cache" },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES,
	  "misses of the last-level cache" },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
	  "branch instructions retired" },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES,
	  "branches predicted wrongly" },
	{ "bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, "bus cycles" },
	{ "stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND,
	  "cycles in which nothing was issued" },
	{ "stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND,
	  "cycles in which nothing was retired" },
	{ "ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES,
	  "cycles at the CPU's nominal speed" },
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, "ns of the CPU's time" },
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, "ns of the thread's time" },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, "page faults" },
	{ "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, "page faults" },
	{ "minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN,
	  "page faults without reading a disk" },
	{ "major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ,
	  "page faults with reading a disk" },
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, "dispatches" },
	{ "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, "dispatches" },
	{ "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS,
	  "threads moved to another CPU" },
	{ "alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS,
	  "unaligned accesses that the kernel mended" },
	{ "emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS,
	  "instructions that the kernel emulated" },
};
#define GENERIC (sizeof(generic) / sizeof(generic[0]))

static int of_raw(const char *name, struct pitrace_event_args *e)
{
	char *end;

	if (name[0] != 'r' || !name[1] || name[1 + strspn(name + 1, "0123456789abcdefABCDEF")])
		return -ENOENT;
	e->type = PERF_TYPE_RAW;
	e->config = strtoull(name + 1, &end, 16);
	return strlen(name) > 17 ? -EINVAL : 0;
}

static int of_generic(const char *name, struct pitrace_event_args *e)
{
	for (size_t i = 0; i < GENERIC; i++)
		if (!strcmp(generic[i].name, name)) {
			e->type = generic[i].type;
			e->config = generic[i].config;
			return 0;
		}
	return -ENOENT;
}

/* A file's encoding is itself a raw or PMU name. */
static int of_file(const char *name, struct pitrace_event_args *e, char *bad, size_t room)
{
	char encoding[256];
	int err = event_of_file(name, encoding, sizeof(encoding), bad, room);

	if (!err)
		err = of_raw(encoding, e);
	else
		return err;
	if (err == -ENOENT)
		err = event_of_kernel(encoding, e);
	/* The name is known here, so no other source is tried. */
	return err == -ENOENT ? -ENODEV : err;
}

/* Removes :u, :k, :uk at the end; libpfm's own modifiers look alike. */
static void take_privilege(char *name, struct pitrace_event_args *e)
{
	char *colon = strrchr(name, ':');

	if (!colon || !colon[1] || colon[1 + strspn(colon + 1, "uk")])
		return;
	if (!strchr(colon, 'k'))
		e->flags |= PITRACE_EVENT_USER;
	if (!strchr(colon, 'u'))
		e->flags |= PITRACE_EVENT_KERNEL;
	*colon = 0;
}

int event_find(const char *wanted, struct pitrace_event_args *e, char *why, size_t room)
{
	static int (*const sources[])(const char *name, struct pitrace_event_args *e) = {
		of_raw,
		of_generic,
		event_of_kernel,
	};
	char name[256], bad[400] = "";
	bool hidden = false;
	int err = -ENOENT;

	*e = (struct pitrace_event_args){ .size = sizeof(*e), .version = PITRACE_ABI_VERSION };
	if (strlen(wanted) >= sizeof(name) || !*wanted) {
		snprintf(why, room, "invalid event name '%.40s'", wanted);
		return -EINVAL;
	}
	snprintf(name, sizeof(name), "%s", wanted);
	/* Copies the name, truncated if necessary, with a NUL. */
	snprintf(e->name, sizeof(e->name), "%.63s", wanted);
	take_privilege(name, e);
	for (size_t i = 0; err == -ENOENT && i < sizeof(sources) / sizeof(sources[0]); i++)
		err = sources[i](name, e);
	/* Other sources may have names that look like a tracepoint's. */
	hidden = err == -EACCES;
	if (hidden)
		err = -ENOENT;
	if (err == -ENOENT)
		err = of_file(name, e, bad, sizeof(bad));
	if (err == -ENOENT)
		err = event_of_pfm(name, e);
	if (err == -ENOENT && hidden)
		snprintf(why, room,
			 "event '%.60s': this user is not shown the kernel's tracepoints (%s): run swtrace as root (sudo)",
			 wanted, events_tracing[0]);
	else if (err == -ENOENT)
		snprintf(why, room,
			 "there is no event '%.60s' on this machine; swtrace event list shows them%s%s",
			 wanted, *bad ? "; " : "", bad);
	else if (err)
		snprintf(why, room, "event '%s': %s", wanted, strerror(-err));
	return err;
}

int events_find(const char *names, struct pitrace_event_args *list, char *why, size_t room)
{
	char *copy = strdup(names), *at = copy;
	int n = 0, err = copy ? 0 : -ENOMEM;
	bool inside = false;

	for (char *p = copy; !err; p++) {
		bool end = !*p;

		inside ^= *p == '/';
		if (!end && (*p != ',' || inside))
			continue;
		*p = 0;
		if (n == PITRACE_EVENTS) {
			snprintf(why, room, "at most %d events at a time", PITRACE_EVENTS);
			err = -E2BIG;
		} else {
			err = event_find(at, &list[n++], why, room);
		}
		at = p + 1;
		if (end)
			break;
	}
	free(copy);
	return err ? err : n;
}

/* Counts this thread in user mode: any user who may count at all may do that. */
static int open_own(const struct pitrace_event_args *e, bool disabled)
{
	struct perf_event_attr a = {
		.type = e->type,
		.size = sizeof(a),
		.config = e->config,
		.config1 = e->config1,
		.config2 = e->config2,
		.disabled = disabled,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int event_try(const struct pitrace_event_args *e)
{
	int fd = open_own(e, true);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

bool event_counts(const struct pitrace_event_args *e)
{
	uint64_t count = 0;
	int fd = open_own(e, false);

	if (fd < 0)
		return false;
	for (volatile int i = 0; i < 10000; i++)
		;
	if (read(fd, &count, sizeof(count)) != (ssize_t)sizeof(count))
		count = 0;
	close(fd);
	return count != 0;
}

uint32_t events_rate(const struct pitrace_event_args *list, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (list[i].flags & PITRACE_EVENT_RATE)
			return (uint32_t)list[i].period;
	return 0;
}

void events_list(event_each each, void *arg)
{
	for (size_t i = 0; i < GENERIC; i++)
		each(arg, "kernel", generic[i].name, generic[i].what);
	events_of_kernel(each, arg);
	events_of_files(each, arg);
	events_of_pfm(each, arg);
}

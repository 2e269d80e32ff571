/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opens the collector's perf events, and explains why one cannot be opened. */
#include <errno.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "collect/perf/perf_open.h"
#include "collect/perf/perf_points.h"

#define NS_PER_SEC 1000000000u
#define WAKE_BYTES 65536 /* watermark that wakes the drain */
#define PARANOID   "/proc/sys/kernel/perf_event_paranoid"
#define MAX_STACK  "/proc/sys/kernel/perf_event_max_stack"
#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

static int read_number(const char *path, int otherwise)
{
	FILE *f = fopen(path, "re");
	int n = otherwise;

	if (f) {
		if (fscanf(f, "%d", &n) != 1)
			n = otherwise;
		fclose(f);
	}
	return n;
}

int perf_paranoid(void)
{
	return read_number(PARANOID, INT_MIN);
}

/* Checks an effective capability of this process. */
static bool capable(unsigned int number)
{
	struct __user_cap_header_struct h = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct d[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	return !syscall(SYS_capget, &h, d) && d[number / 32].effective >> (number & 31) & 1;
}

/* ---- attributes ------------------------------------------------------------------------------ */

void perf_attr_stacks(struct perf_event_attr *a, const struct trace_config *config)
{
	uint32_t depth = config->depth ? config->depth : PITRACE_STACK_MAX;
	int most = read_number(MAX_STACK, PITRACE_STACK_MAX);
	bool kernel = config->stacks & PITRACE_WANT_KERNEL;
	bool user = config->stacks & PITRACE_WANT_USER;

	if (kernel || user) {
		a->sample_type |= PERF_SAMPLE_CALLCHAIN;
		a->exclude_callchain_kernel = !kernel;
		a->exclude_callchain_user = !user;
		depth *= kernel && user ? 2 : 1;
		a->sample_max_stack = (uint16_t)(depth < (uint32_t)most ? depth : (uint32_t)most);
	}
	if (config->stacks & PITRACE_WANT_COPY) {
		a->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		a->sample_regs_user = perf_user_registers();
		a->sample_stack_user = config->copy ? config->copy & ~7u : PITRACE_STACK_COPY_MAX;
	}
}

void perf_attr_event(struct perf_event_attr *a, const struct pitrace_event_args *e)
{
	a->type = e->type;
	a->config = e->config;
	a->config1 = e->config1;
	a->config2 = e->config2;
	a->exclude_kernel = !!(e->flags & PITRACE_EVENT_USER);
	a->exclude_user = !!(e->flags & PITRACE_EVENT_KERNEL);
	a->exclude_guest = e->type != PERF_TYPE_SOFTWARE && e->type != PERF_TYPE_TRACEPOINT;
}

static void want_samples(struct perf_event_attr *a, const struct trace_config *config,
			 unsigned int number, bool user_only)
{
	a->sample_type |= PERF_SAMPLE_IP;
	/* With a fixed count of 1, a software event with PERF_SAMPLE_PERIOD records a sample each
	 * time. */
	if (!perf_counts(config))
		a->sample_type |= PERF_SAMPLE_PERIOD;
	if (config->nevents) {
		const struct pitrace_event_args *e = &config->events[number];

		perf_attr_event(a, e);
		a->freq = !!(e->flags & PITRACE_EVENT_RATE);
		a->sample_period = e->period;
	} else {
		a->config = PERF_COUNT_SW_CPU_CLOCK;
		a->sample_period = NS_PER_SEC / config->rate;
	}
	if (user_only)
		a->exclude_kernel = a->exclude_hv = 1;
	perf_attr_stacks(a, config);
	if (user_only)
		a->exclude_callchain_kernel = 1;
}

void perf_attr(struct perf_event_attr *a, const struct trace_config *config, enum perf_use use,
	       unsigned int number, bool user_only)
{
	*a = (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(*a),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CPU,
		.read_format = PERF_FORMAT_LOST,
		.disabled = 1,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = WAKE_BYTES,
		/* Switches and wake-ups are recorded for whole CPUs, whichever process runs. */
		.inherit = config->scope == PITRACE_SCOPE_PROCESS && use != PERF_SWITCHES &&
			   use != PERF_WAKEUPS,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	switch (use) {
	case PERF_NAMES:
		/* attr.build_id is not used. It replaces the file's inode in the record, and
		 * kernels up to at least 6.18 set its flag in the same record for other users: perf
		 * record then takes the inode for a build id and crashes. */
		a->mmap = a->mmap2 = a->comm = a->comm_exec = a->task = a->ksymbol = 1;
		/* Files are identified while they are mapped. */
		a->wakeup_watermark = 1;
		break;
	case PERF_SWITCHES:
		a->context_switch = 1;
		break;
	case PERF_SAMPLES:
		a->exclude_kernel = a->exclude_hv = 0;
		want_samples(a, config, number, user_only);
		break;
	default:
		break; /* tracepoints: perf_points_attr() */
	}
}

int perf_open(struct perf_event_attr *a, pid_t pid, int cpu)
{
	for (;;) {
		int fd = (int)syscall(SYS_perf_event_open, a, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

		if (fd >= 0)
			return fd;
		/* Kernels before 6.0 report losses only by records; those before 5.1 do not report
		 * generated code. */
		if (errno == EINVAL && a->read_format & PERF_FORMAT_LOST)
			a->read_format &= ~(uint64_t)PERF_FORMAT_LOST;
		else if (errno == EINVAL && a->ksymbol)
			a->ksymbol = 0;
		else
			return -errno;
	}
}

/* ---- permissions ---------------------------------------------------------------------------- */

static bool filtered(void)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[256];
	int mode = 0;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Seccomp: %d", &mode) == 1)
			break;
	if (f)
		fclose(f);
	return mode == 2;
}

static bool locked_down(void)
{
	FILE *f = fopen("/sys/kernel/security/lockdown", "re");
	char line[128] = "";

	if (f) {
		if (!fgets(line, sizeof(line), f))
			line[0] = 0;
		fclose(f);
	}
	return strstr(line, "[confidentiality]") != NULL;
}

static void copy_text(char *to, size_t room, const char *text)
{
	snprintf(to, room, "%s", text);
}

#define WHY(text)  copy_text(check->why, sizeof(check->why), text)
#define CURE(text) copy_text(check->cure, sizeof(check->cure), text)

static void refused(const struct trace_config *config, struct collector_check *check)
{
	bool system = config->scope == PITRACE_SCOPE_SYSTEM;
	int paranoid = perf_paranoid(), wanted = system ? 0 : 2;

	if (locked_down()) {
		WHY("the kernel is locked down (confidentiality)");
		return;
	}
	/* 3 is Debian's extension: nothing without the capability. */
	if (paranoid > wanted && !capable(CAP_PERFMON) && !capable(CAP_SYS_ADMIN)) {
		snprintf(check->why, sizeof(check->why),
			 "perf_event_paranoid is %d, and this user has no CAP_PERFMON: %s",
			 paranoid,
			 system ? "the whole system may not be traced" :
				  "no process may be traced");
		snprintf(check->cure, sizeof(check->cure),
			 "sudo sysctl kernel.perf_event_paranoid=%d%s", system ? 0 : 1,
			 system ? ", or run it as root (sudo)" : "");
		return;
	}
	if (filtered()) {
		WHY("a system call filter (seccomp) refuses perf_event_open, as container runtimes do");
		CURE("start the container with a filter that permits perf_event_open: docker run --cap-add PERFMON --security-opt seccomp=unconfined");
		return;
	}
	if (!system && config->pid) {
		snprintf(check->why, sizeof(check->why),
			 "process %d is another user's, or has privileges that this user lacks",
			 config->pid);
		CURE("run it as root (sudo)");
		return;
	}
	WHY("the kernel refuses perf events to this user (a security module?)");
	CURE("run it as root (sudo)");
}

void perf_why(int err, const struct trace_config *config, struct collector_check *check)
{
	*check = (struct collector_check){ .state = COLLECTOR_REFUSED };
	switch (-err) {
	case EACCES:
	case EPERM:
		refused(config, check);
		break;
	case ENOSYS:
		/* A seccomp filter may return this too. */
		if (perf_paranoid() != INT_MIN || filtered()) {
			WHY("a system call filter (seccomp) hides perf_event_open");
			CURE("start the container with a filter that permits perf_event_open");
		} else {
			check->state = COLLECTOR_ABSENT;
			WHY("this kernel has no perf events (CONFIG_PERF_EVENTS)");
		}
		break;
	case ENOENT:
	case EOPNOTSUPP:
	case ENODEV:
		check->state = COLLECTOR_ABSENT;
		snprintf(check->why, sizeof(check->why), "this machine cannot sample the event %s",
			 config->nevents ? config->events[0].name : "cpu-clock");
		CURE("take one that swtrace event list shows, or none: the timer samples then");
		break;
	case ESRCH:
		snprintf(check->why, sizeof(check->why), "no process %d", config->pid);
		break;
	case EMFILE:
	case ENFILE:
		WHY("too many open files: each thread takes several on each CPU");
		CURE("ulimit -n unlimited");
		break;
	default:
		snprintf(check->why, sizeof(check->why), "perf_event_open: %s", strerror(-err));
	}
}

bool perf_in_kernel(const struct pitrace_event_args *e)
{
	return e->flags & PITRACE_EVENT_KERNEL || e->type == PERF_TYPE_TRACEPOINT ||
	       (e->type == PERF_TYPE_SOFTWARE && (e->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
						  e->config == PERF_COUNT_SW_CPU_MIGRATIONS));
}

/* Requests that need kernel samples, from a user who may not see the kernel: the event would open
 * and stay empty. */
static bool kernel_only(const struct trace_config *config, struct collector_check *check)
{
	const uint32_t code = PITRACE_WANT_KERNEL | PITRACE_WANT_USER | PITRACE_WANT_COPY;
	const struct pitrace_event_args *e = config->events, *end = e + config->nevents;

	while (e < end && !perf_in_kernel(e))
		e++;
	if (e == end && (config->stacks & code) != PITRACE_WANT_KERNEL)
		return false;
	check->state = COLLECTOR_REFUSED;
	if (e < end)
		snprintf(check->why, sizeof(check->why),
			 "the event %s is counted in the kernel's code, which perf_event_paranoid %d does not show to this user",
			 e->name, perf_paranoid());
	else
		snprintf(check->why, sizeof(check->why),
			 "stacks of the kernel alone: perf_event_paranoid %d does not show them to this user",
			 perf_paranoid());
	CURE("sudo sysctl kernel.perf_event_paranoid=1, or run it as root (sudo)");
	return true;
}

/* Dispatches are recorded for whole CPUs, which needs the permission for a system-wide trace. */
static bool no_switches(const struct trace_config *config, struct collector_check *check)
{
	struct trace_config system = *config;
	struct perf_event_attr a;
	int fd;

	if (!(config->majors[PITRACE_DISPATCH / 64] >> PITRACE_DISPATCH % 64 & 1))
		return false;
	perf_attr(&a, config, PERF_SWITCHES, 0, false);
	fd = perf_open(&a, -1, 0);
	if (fd >= 0) {
		close(fd);
		return false;
	}
	system.scope = PITRACE_SCOPE_SYSTEM;
	perf_why(fd, &system, check);
	if (perf_paranoid() > 0 && (fd == -EACCES || fd == -EPERM)) {
		char why[sizeof(check->why)];

		snprintf(why, sizeof(why), "dispatch records are of whole CPUs: %.300s",
			 check->why);
		WHY(why);
	}
	return true;
}

void perf_check(const struct trace_config *config, struct collector_check *check, bool *user_only)
{
	bool system = config->scope == PITRACE_SCOPE_SYSTEM;
	pid_t pid = system ? -1 : config->pid;
	struct perf_event_attr a;
	int fd;

	*user_only = false;
	*check = (struct collector_check){ .state = COLLECTOR_WORKS };
	if (config->stacks & PITRACE_WANT_COPY && !perf_user_registers()) {
		check->state = COLLECTOR_ABSENT;
		WHY("user stacks are not copied on this architecture");
		return;
	}
	for (;;) {
		perf_attr(&a, config, PERF_SAMPLES, 0, *user_only);
		fd = perf_open(&a, pid, system ? 0 : -1);
		if (fd >= 0) {
			close(fd);
			break;
		}
		if (fd != -EACCES || *user_only || system) {
			perf_why(fd, config, check);
			return;
		}
		*user_only = true;
	}
	if ((*user_only && kernel_only(config, check)) || no_switches(config, check) ||
	    !perf_points_check(config, check))
		return;
	if (*user_only) {
		snprintf(check->why, sizeof(check->why),
			 "user code only: perf_event_paranoid is %d", perf_paranoid());
		CURE("sudo sysctl kernel.perf_event_paranoid=1");
	}
}

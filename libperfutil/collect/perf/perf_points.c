/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Uses tracepoints in place of the driver's hooks. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "collect/perf/perf_points.h"
#include "events/event_names.h"

#define NUMBERS (~(PITRACE_EXIT | PITRACE_SYSCALL_COMPAT))
#define BIT(n)  (1u << (n))

/* Bits of common_flags. */
#define IN_HARDIRQ 0x08
#define IN_SOFTIRQ 0x10
#define IN_NMI     0x40

/* The initial pid namespace has this link in every kernel. */
#define FIRST_PIDS "pid:[4026531836]"

enum { OLD_PRIORITY, OLD_STATE, NEW_PRIORITY };
enum { WOKEN, WOKEN_PRIORITY, WOKEN_CPU, WAKE_FLAGS };
enum { CALL, ARGUMENTS };
enum { RESULT = ARGUMENTS };

static const struct {
	const char *name;
	const char *field[PERF_POINT_FIELDS];
} points[PERF_POINTS] = {
	[PERF_POINT_SWITCH] = { "sched/sched_switch", { "prev_prio", "prev_state", "next_prio" } },
	[PERF_POINT_WAKING] = { "sched/sched_waking",
				{ "pid", "prio", "target_cpu", "common_flags" } },
	[PERF_POINT_WAKEUP_NEW] = { "sched/sched_wakeup_new",
				    { "pid", "prio", "target_cpu", "common_flags" } },
	[PERF_POINT_ENTER] = { "raw_syscalls/sys_enter", { "id", "args" } },
	[PERF_POINT_EXIT] = { "raw_syscalls/sys_exit", { "id", "ret" } },
};

/* required tracepoints, and their permissions */

static bool wants(const struct trace_config *config, unsigned int major)
{
	return config->majors[major / 64] >> (major & 63) & 1;
}

uint32_t perf_points_needed(const struct trace_config *config)
{
	uint32_t needed = 0;

	if (wants(config, PITRACE_DISPATCH) && config->stacks & PITRACE_WANT_DISPATCH)
		needed |= BIT(PERF_POINT_SWITCH);
	if (wants(config, PITRACE_WAKEUP))
		needed |= BIT(PERF_POINT_WAKING) | BIT(PERF_POINT_WAKEUP_NEW);
	if (wants(config, PITRACE_SYSCALL))
		needed |= BIT(PERF_POINT_ENTER) | BIT(PERF_POINT_EXIT);
	return needed;
}

int perf_points_read(struct perf_points *p, uint32_t wanted)
{
	int first = 0;

	for (int i = 0; i < PERF_POINTS; i++) {
		size_t n = 0;
		int err;

		if (!(wanted & ~p->known & BIT(i)))
			continue;
		while (n < PERF_POINT_FIELDS && points[i].field[n])
			n++;
		err = tracepoint_read(points[i].name, points[i].field, n, &p->id[i], p->field[i]);
		if (!err)
			p->known |= BIT(i);
		else if (!first)
			first = err;
	}
	return first;
}

void perf_points_attr(struct perf_event_attr *a, const struct perf_points *p, enum perf_point point,
		      const struct trace_config *config)
{
	uint64_t registers = perf_user_registers();

	a->type = PERF_TYPE_TRACEPOINT;
	a->config = p->id[point];
	a->sample_period = 1;
	a->sample_type |= PERF_SAMPLE_RAW;
	/* Otherwise the event would see only uprobes. */
	a->exclude_kernel = 0;
	if (point == PERF_POINT_SWITCH) {
		a->context_switch = 1;
		if (config->stacks & PITRACE_WANT_DISPATCH)
			perf_attr_stacks(a, config);
	}
	/* The ABI word, 32-bit or not, is only sampled together with a register. */
	if ((point == PERF_POINT_ENTER || point == PERF_POINT_EXIT) && registers) {
		a->sample_type |= PERF_SAMPLE_REGS_USER;
		a->sample_regs_user = registers & -registers;
	}
}

static const char *what_needs(enum perf_point point)
{
	switch (point) {
	case PERF_POINT_SWITCH:
		return "stacks at dispatches";
	case PERF_POINT_WAKING:
	case PERF_POINT_WAKEUP_NEW:
		return "records of wake-ups";
	default:
		return "records of system calls";
	}
}

static void cure(struct collector_check *check, const char *text)
{
	snprintf(check->cure, sizeof(check->cure), "%s", text);
}

static void not_readable(struct collector_check *check, enum perf_point point, int err)
{
	int n = snprintf(check->why, sizeof(check->why),
			 "%s need the kernel's tracepoints: ", what_needs(point));
	char *rest = check->why + n;
	size_t room = sizeof(check->why) - (size_t)n;

	check->state = err == -EACCES ? COLLECTOR_REFUSED : COLLECTOR_ABSENT;
	if (err == -EACCES) {
		snprintf(rest, room, "this user may not read %s", events_tracing[0]);
		cure(check, "run it as root (sudo)");
	} else if (err == -ENOENT && access(events_tracing[0], F_OK)) {
		snprintf(rest, room, "this kernel has no %s (CONFIG_TRACING)", events_tracing[0]);
	} else if (err == -ENOENT) {
		snprintf(rest, room, "there is no %s in %s", points[point].name, events_tracing[0]);
		cure(check, "sudo mount -t tracefs nodev /sys/kernel/tracing");
	} else {
		snprintf(rest, room, "%s/events/%s/format: %s", events_tracing[0],
			 points[point].name,
			 err == -EBADMSG ? "a field is missing" : strerror(-err));
	}
}

static void refused(const struct trace_config *config, struct collector_check *check,
		    enum perf_point point, int err)
{
	int paranoid = perf_paranoid();

	perf_why(err, config, check);
	if ((err != -EACCES && err != -EPERM) || paranoid < 0)
		return;
	snprintf(check->why, sizeof(check->why),
		 "%s need the kernel's tracepoints: perf_event_paranoid %d does not show them to this user",
		 what_needs(point), paranoid);
	cure(check, "run it as root (sudo)");
}

/* Thread ids in a tracepoint's data are those of the initial pid namespace. */
static bool sees_all_pids(void)
{
	char link[64];
	ssize_t n = readlink("/proc/self/ns/pid", link, sizeof(link) - 1);

	link[n > 0 ? n : 0] = 0;
	return !*link || !strcmp(link, FIRST_PIDS);
}

bool perf_points_check(const struct trace_config *config, struct collector_check *check)
{
	uint32_t needed = perf_points_needed(config);
	struct perf_points p = { 0 };

	if (wants(config, PITRACE_WAKEUP) && !sees_all_pids()) {
		check->state = COLLECTOR_REFUSED;
		snprintf(check->why, sizeof(check->why),
			 "the kernel's tracepoints of wake-ups number threads as the host does: not in a container");
		cure(check, "run it outside of the container");
		return false;
	}
	for (int i = 0; i < PERF_POINTS; i++) {
		bool calls = i == PERF_POINT_ENTER || i == PERF_POINT_EXIT;
		bool whole = !calls || config->scope == PITRACE_SCOPE_SYSTEM;
		struct perf_event_attr a;
		int fd, err;

		if (!(needed & BIT(i)))
			continue;
		err = perf_points_read(&p, BIT(i));
		if (err) {
			not_readable(check, i, err);
			return false;
		}
		perf_attr(&a, config, calls ? PERF_SYSCALLS : PERF_WAKEUPS, 0, false);
		perf_points_attr(&a, &p, i, config);
		fd = perf_open(&a, whole ? -1 : config->pid, whole ? 0 : -1);
		if (fd < 0) {
			refused(config, check, i, fd);
			return false;
		}
		close(fd);
	}
	return true;
}

/* ---- dispatches ------------------------------------------------------------------------------ */

static bool value(const struct perf_points *p, enum perf_point point, unsigned int field,
		  const struct perf_item *item, int64_t *to)
{
	return tracepoint_value(&p->field[point][field], 0, item->raw, item->nraw, to);
}

void perf_points_left(struct perf_left *l, const struct perf_points *p,
		      const struct perf_item *item, const struct perf_stacks *stacks)
{
	static const struct perf_stacks none;
	int64_t old, state, new;

	l->valid = false;
	if (!(stacks->want & PITRACE_WANT_DISPATCH))
		stacks = &none;
	if (value(p, PERF_POINT_SWITCH, OLD_PRIORITY, item, &old) &&
	    value(p, PERF_POINT_SWITCH, OLD_STATE, item, &state) &&
	    value(p, PERF_POINT_SWITCH, NEW_PRIORITY, item, &new))
		perf_left_take(l, item, (uint64_t)state, (int16_t)old, (int16_t) new, stacks);
}

/* ---- wake-ups and system calls --------------------------------------------------------------- */

bool perf_point_wakeup(const struct perf_points *p, enum perf_point point,
		       const struct perf_item *item, struct pitrace_wakeup *w, uint32_t *minor)
{
	int64_t tid, priority, cpu, flags;

	if (!value(p, point, WOKEN, item, &tid) ||
	    !value(p, point, WOKEN_PRIORITY, item, &priority) ||
	    !value(p, point, WOKEN_CPU, item, &cpu) || !value(p, point, WAKE_FLAGS, item, &flags))
		return false;
	*w = (struct pitrace_wakeup){
		.tid = (uint32_t)tid,
		.waker_pid = item->pid,
		.waker_tid = item->tid,
		.cpu = (uint32_t)cpu,
		.priority = (int16_t)priority,
	};
	*minor = point == PERF_POINT_WAKEUP_NEW ? PITRACE_WAKE_NEW : 0;
	if (flags & (IN_HARDIRQ | IN_SOFTIRQ | IN_NMI))
		*minor |= PITRACE_WAKE_INTERRUPT;
	return true;
}

/* The call numbers of x32 programs have the bit COMPAT. */
static uint32_t call_minor(const struct perf_item *item, int64_t number)
{
	uint32_t minor = (uint32_t)number & NUMBERS;

	if (item->abi == PERF_SAMPLE_REGS_ABI_32 ||
	    (number >= 0 && number & PITRACE_SYSCALL_COMPAT))
		minor |= PITRACE_SYSCALL_COMPAT;
	return minor;
}

int perf_put_syscall(const struct perf_points *p, enum perf_point point,
		     const struct perf_item *item, perf_put put, void *arg)
{
	const struct tracepoint_place *arguments = &p->field[PERF_POINT_ENTER][ARGUMENTS];
	struct pitrace_sysenter enter = { .pid = item->pid, .tid = item->tid };
	struct pitrace_sysexit leave = { .pid = item->pid, .tid = item->tid };
	int64_t number, result;

	if (!value(p, point, CALL, item, &number))
		return -EBADMSG;
	if (point == PERF_POINT_EXIT) {
		if (!value(p, point, RESULT, item, &result))
			return -EBADMSG;
		leave.result = result;
		return put(arg, PITRACE_SYSCALL, call_minor(item, number) | PITRACE_EXIT, &leave,
			   sizeof(leave), item->time);
	}
	for (uint32_t i = 0; i < 3; i++) {
		if (!tracepoint_value(arguments, i, item->raw, item->nraw, &result))
			return -EBADMSG;
		enter.arguments[i] = (uint64_t)result;
	}
	return put(arg, PITRACE_SYSCALL, call_minor(item, number), &enter, sizeof(enter),
		   item->time);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counters by perf events. Each is pinned: it has a counter all the time or an error state, never a
 * share. Inherited counters of a process can get into that state unseen; a software event counted
 * beside them measures the time for which they should have counted.
 */
#include <counters.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "base/array.h"
#include "collect/perf/perf_open.h"
#include "base/rc.h"

#define REFERENCE UINT32_MAX

/* PERF_FORMAT_TOTAL_TIME_ENABLED | _RUNNING */
struct reading {
	uint64_t value, enabled, running;
};
struct counter {
	int fd;
	uint32_t event; /* or REFERENCE, before the events of its thread */
	uint32_t cpu;   /* index in the options' list */
	/* values when it was reset; if unreadable, the previous ones */
	struct reading reset;
};
struct counters {
	struct counters_options o;
	struct pitrace_event_args events[PITRACE_EVENTS];
	bool user_only[PITRACE_EVENTS];
	int32_t *cpus;
	struct counter *list;
	size_t n, room;
};
/* ---- opening --------------------------------------------------------------------------------- */

static int refused(const struct counters *c, const struct pitrace_event_args *e, int err)
{
	struct trace_config config = {
		.scope = c->o.scope == COUNTERS_CPUS ? PITRACE_SCOPE_SYSTEM : PITRACE_SCOPE_PROCESS,
		.pid = c->o.pid,
	};
	struct collector_check check;

	switch (-err) {
	case ENOENT:
	case EOPNOTSUPP:
	case ENODEV:
		return rc_fail(PI_EVENT_UNSUPPORTED,
			       "event %s: this machine has no counter for it (many virtual machines have none), or the CPU is offline",
			       e->name);
	case EINVAL:
		return rc_fail(PI_EVENT_UNSUPPORTED,
			       "event %s: the kernel does not count it like this (some PMUs count whole CPUs only)",
			       e->name);
	}
	perf_why(err, &config, &check);
	return rc_fail(rc_of_errno(err), "event %s: %s%s%s", e->name, check.why,
		       *check.cure ? ": " : "", check.cure);
}

static int keep(struct counters *c, int fd, uint32_t event, uint32_t cpu)
{
	if (array_next(c->list, c->n, c->room)) {
		close(fd);
		return rc_fail(PI_NO_MEMORY, "no memory for counters");
	}
	c->list[c->n++] = (struct counter){ .fd = fd, .event = event, .cpu = cpu };
	return PI_OK;
}

static struct perf_event_attr attr_of(const struct counters *c)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(struct perf_event_attr),
		.config = PERF_COUNT_SW_DUMMY,
		.disabled = 1,
		.pinned = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.inherit = c->o.scope == COUNTERS_PROCESS || c->o.scope == COUNTERS_COMMAND,
		.enable_on_exec = c->o.scope == COUNTERS_COMMAND,
	};
}

static int open_reference(struct counters *c, pid_t tid)
{
	struct perf_event_attr a = attr_of(c);
	int fd;

	a.exclude_kernel = a.exclude_hv = 1;
	fd = perf_open(&a, tid, -1);
	if (fd < 0)
		return fd == -ESRCH ? fd : refused(c, &c->events[0], fd);
	return keep(c, fd, REFERENCE, 0);
}

/* -ESRCH: the thread has ended. */
static int open_event(struct counters *c, uint32_t number, pid_t tid, uint32_t place)
{
	const struct pitrace_event_args *e = &c->events[number];
	struct perf_event_attr a = attr_of(c);
	int cpu = c->o.scope == COUNTERS_CPUS ? c->cpus[place] : -1, fd;

	perf_attr_event(&a, e);
	if (c->user_only[number])
		a.exclude_kernel = a.exclude_hv = 1;
	fd = perf_open(&a, tid, cpu);
	if (fd == -EACCES && cpu < 0 && !a.exclude_kernel && !perf_in_kernel(e)) {
		a.exclude_kernel = a.exclude_hv = 1;
		fd = perf_open(&a, tid, cpu);
		c->user_only[number] = fd >= 0;
	}
	if (fd == -EACCES && perf_in_kernel(e))
		return rc_fail(PI_NO_PERMISSION,
			       "event %s is counted in the kernel's code, which perf_event_paranoid %d does not show to this user: sudo sysctl kernel.perf_event_paranoid=%d, or run it as root (sudo)",
			       e->name, perf_paranoid(), c->o.scope == COUNTERS_CPUS ? 0 : 1);
	return fd == -ESRCH ? fd : fd < 0 ? refused(c, e, fd) : keep(c, fd, number, place);
}

static int open_thread(struct counters *c, pid_t tid)
{
	int rc = open_reference(c, tid);

	for (uint32_t i = 0; i < c->o.nevents && !rc; i++)
		rc = open_event(c, i, tid, 0);
	return rc;
}

/* Opens events for all present threads; later threads inherit them. */
static int open_process(struct counters *c)
{
	struct dirent *e;
	char path[64];
	bool any = false;
	int rc = 0;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", c->o.pid);
	d = opendir(path);
	while (d && !rc && (e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		rc = open_thread(c, atoi(e->d_name));
		any |= !rc;
		/* This thread has ended; others may remain. */
		if (rc == -ESRCH)
			rc = 0;
	}
	if (d)
		closedir(d);
	return rc ? rc : any ? PI_OK : rc_fail(PI_NO_PROCESS, "no process %d", c->o.pid);
}

static int open_all(struct counters *c)
{
	int rc = PI_OK;

	switch (c->o.scope) {
	case COUNTERS_PROCESS:
		return open_process(c);
	case COUNTERS_THREAD:
	case COUNTERS_COMMAND:
		rc = open_thread(c, c->o.pid);
		return rc == -ESRCH ? rc_fail(PI_NO_PROCESS, "no thread %d", c->o.pid) : rc;
	}
	for (uint32_t p = 0; p < c->o.ncpus && !rc; p++)
		for (uint32_t i = 0; i < c->o.nevents && !rc; i++)
			rc = open_event(c, i, -1, p);
	return rc;
}

struct counters *counters_open(const struct counters_options *o, int *rc)
{
	bool cpus = o && o->scope == COUNTERS_CPUS;
	struct counters *c;

	if (!o || !o->events || (cpus && !o->cpus)) {
		*rc = rc_null(!o ? "options" : !o->events ? "events" : "CPUs");
		return NULL;
	}
	if (o->scope < COUNTERS_CPUS || o->scope > COUNTERS_COMMAND || !o->nevents ||
	    (cpus ? !o->ncpus || o->ncpus > INT32_MAX / PITRACE_EVENTS : o->pid <= 0)) {
		*rc = rc_fail(PI_INVALID_ARGUMENT, "no events, or no CPUs to count on");
		return NULL;
	}
	if (o->nevents > PITRACE_EVENTS) {
		*rc = rc_fail(PI_TOO_MANY_METRICS, "at most %d events at a time", PITRACE_EVENTS);
		return NULL;
	}
	c = calloc(1, sizeof(*c));
	if (c && cpus)
		c->cpus = calloc(o->ncpus, sizeof(*c->cpus));
	if (!c || (cpus && !c->cpus)) {
		free(c);
		*rc = rc_fail(PI_NO_MEMORY, "no memory for counters");
		return NULL;
	}
	c->o = *o;
	c->o.events = c->events;
	c->o.cpus = NULL;
	memcpy(c->events, o->events, o->nevents * sizeof(*o->events));
	for (uint32_t i = 0; cpus && i < o->ncpus; i++)
		c->cpus[i] = (int32_t)o->cpus[i];
	*rc = open_all(c);
	if (!*rc)
		return c;
	counters_close(c);
	return NULL;
}

void counters_close(struct counters *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n; i++)
		close(c->list[i].fd);
	free(c->list);
	free(c->cpus);
	free(c);
}

/* ---- counting -------------------------------------------------------------------------------- */

/* References are enabled last and disabled first: an event that always has a counter counts for
 * longer than its reference. */
static int set(struct counters *c, bool on)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct counter *one = &c->list[on ? c->n - 1 - i : i];

		if (ioctl(one->fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0))
			return rc_errno(-errno, "counters");
	}
	return PI_OK;
}

int counters_on(struct counters *c)
{
	struct reading r;
	int rc = set(c, true);

	if (rc || c->o.scope != COUNTERS_CPUS)
		return rc;
	/* A CPU's event is scheduled at once, a thread's when it runs. */
	for (size_t i = 0; i < c->n; i++)
		if (read(c->list[i].fd, &r, sizeof(r)) != (ssize_t)sizeof(r)) {
			set(c, false);
			return rc_fail(PI_EVENT_UNSUPPORTED,
				       "event %s: CPU %d has no counter free for it beside the others and other users': count fewer events at a time",
				       c->events[c->list[i].event].name, c->cpus[c->list[i].cpu]);
		}
	return PI_OK;
}

int counters_off(struct counters *c)
{
	return set(c, false);
}

/* The kernel's reset keeps the counts of exited threads and the times. */
static bool read_since(const struct counter *from, struct reading *r)
{
	if (read(from->fd, r, sizeof(*r)) != (ssize_t)sizeof(*r))
		return false;
	r->value -= from->reset.value;
	r->enabled -= from->reset.enabled;
	r->running -= from->reset.running;
	return true;
}

int counters_reset(struct counters *c)
{
	struct reading r;

	for (size_t i = 0; i < c->n; i++)
		if (read(c->list[i].fd, &r, sizeof(r)) == (ssize_t)sizeof(r))
			c->list[i].reset = r;
	return PI_OK;
}

static void add(struct counters *c, struct counter_value *v, const struct counter *from,
		uint64_t wanted)
{
	struct reading r;

	if (!read_since(from, &r)) {
		v->state = COUNTER_NO_ROOM;
		return;
	}
	v->value += r.value;
	v->wanted += c->o.scope == COUNTERS_CPUS ? r.enabled : wanted;
	v->counted += r.running;
}

/* These always have a counter. */
static bool is_clock(const struct pitrace_event_args *e)
{
	return e->type == PERF_TYPE_SOFTWARE &&
	       (e->config == PERF_COUNT_SW_TASK_CLOCK || e->config == PERF_COUNT_SW_CPU_CLOCK);
}

/* Before Linux 6.2 the hardware events of a thread have their own clock, which starts and stops
 * slightly apart from the reference's at each dispatch: smaller differences are insignificant. */
static uint64_t unsure(const struct counters *c, const struct pitrace_event_args *e,
		       uint64_t wanted)
{
	bool same = c->o.scope == COUNTERS_CPUS || e->type == PERF_TYPE_SOFTWARE ||
		    e->type == PERF_TYPE_TRACEPOINT || e->type == PERF_TYPE_BREAKPOINT;

	return same ? 0 : wanted / 32;
}

int counters_read(struct counters *c, struct counter_value *list, unsigned int room)
{
	bool cpus = c->o.scope == COUNTERS_CPUS;
	unsigned int n = c->o.nevents * (cpus ? c->o.ncpus : 1);
	struct reading r = { 0 };

	if (!list && room)
		return rc_null("memory for values");
	for (unsigned int i = 0; i < n && i < room; i++) {
		uint32_t event = cpus ? i / c->o.ncpus : i;

		list[i] = (struct counter_value){
			.cpu = cpus ? c->cpus[i % c->o.ncpus] : -1,
			.user_only = c->user_only[event] && !is_clock(&c->events[event]),
		};
		memcpy(list[i].name, c->events[event].name, sizeof(list[i].name) - 1);
	}
	for (size_t i = 0; i < c->n; i++) {
		const struct counter *from = &c->list[i];
		unsigned int place = from->event * (cpus ? c->o.ncpus : 1) + from->cpu;

		if (from->event == REFERENCE) {
			if (!read_since(from, &r))
				return rc_fail(PI_ERROR, "a counter cannot be read");
		} else if (place < room) {
			add(c, &list[place], from, r.enabled);
		}
	}
	for (unsigned int i = 0; i < n && i < room; i++) {
		struct counter_value *v = &list[i];
		const struct pitrace_event_args *e = &c->events[cpus ? i / c->o.ncpus : i];

		if (v->state == COUNTER_COUNTED && v->counted + unsure(c, e, v->wanted) < v->wanted)
			v->state = COUNTER_PARTLY;
	}
	return (int)n;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * AboveIdle by /proc. /proc/stat has the time of each CPU in clock ticks: on most kernels idle time
 * is measured; interrupt time is measured, sampled by the tick or unknown, depending on the
 * kernel's configuration. The rest is busy. Dispatches are counted by perf, else by the scheduler's
 * statistics.
 */
#include <counters.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "ai/ai_source.h"
#include "base/now.h"
#include "base/proc_lines.h"
#include "base/proc_text.h"
#include "base/rc.h"

static struct {
	uint64_t tick;       /* ns */
	struct ai_raw *list; /* being filled in, */
	uint32_t n, room;
	uint64_t now;
	bool device_time; /* some CPU ever had time of device interrupts */
	/* dispatches by perf, on these CPUs; counted so far; in the previous reading */
	bool by_perf, by_sched;
	struct counters *counters;
	unsigned int cpus[AI_CPUS];
	uint32_t ncpus;
	uint64_t before[AI_CPUS];
	/* destination of each column of a table */
	uint32_t column[AI_CPUS];
	uint32_t columns;
	uint64_t sum[AI_CPUS];
} p;

static struct ai_raw *find(uint32_t cpu)
{
	for (uint32_t i = 0; i < p.n; i++)
		if (p.list[i].cpu == cpu)
			return &p.list[i];
	return NULL;
}

/* ---- time ------------------------------------------------------------------------------------ */

static bool stat_line(void *arg, const char *text, size_t length)
{
	struct proc_cpu c;

	(void)arg;
	if (!proc_cpu_parse(text, length, &c))
		/* The first line is the sum of all CPUs. */
		return !strncmp(text, "cpu ", 4);
	p.device_time |= c.irq != 0;
	/* CPU numbers ascend. */
	if (c.cpu < AI_CPUS && p.n < p.room && (!p.n || c.cpu > p.list[p.n - 1].cpu))
		p.list[p.n++] = (struct ai_raw){
			.cpu = c.cpu,
			.online = true,
			.whole = true,
			.wall = p.now,
			.idle = (c.idle + c.iowait) * p.tick,
			.interrupt = (c.irq + c.softirq) * p.tick,
			.steal = c.steal * p.tick,
			.dispatches = AI_UNKNOWN,
		};
	return true;
}

static int read_times(struct ai_raw *list, uint32_t room)
{
	int err;

	p.list = list;
	p.room = room;
	p.n = 0;
	p.now = now_ns();
	err = proc_lines("/proc/stat", stat_line, NULL);
	if (!err && p.n)
		return PI_OK;
	return err ? rc_errno(err, "/proc/stat") :
		     rc_fail(PI_NOT_SUPPORTED, "/proc/stat has no CPUs");
}

/* ---- interrupts ------------------------------------------------------------------------------ */

static bool table_line(void *arg, const char *text, size_t length)
{
	(void)arg;
	if (p.columns)
		proc_counts_add(text, length, p.sum, p.columns);
	else if (!proc_heads_parse(text, length, p.column, AI_CPUS, &p.columns))
		return false;
	return true;
}

/* Without this table all values are zero. */
static void read_table(const char *path)
{
	struct ai_raw *r;

	memset(p.sum, 0, sizeof(p.sum));
	p.columns = 0;
	proc_lines(path, table_line, NULL);
	for (uint32_t i = 0; i < p.columns; i++) {
		r = find(p.column[i]);
		if (r)
			r->interrupts += p.sum[i];
	}
}

/* ---- dispatches ------------------------------------------------------------------------------ */

static bool same_cpus(void)
{
	bool same = p.n == p.ncpus;

	for (uint32_t i = 0; same && i < p.n; i++)
		same = p.cpus[i] == p.list[i].cpu;
	return same;
}

/* Opens counters on the online CPUs. */
static int count_dispatches(void)
{
	struct pitrace_event_args event;
	struct counters_options options = {
		.scope = COUNTERS_CPUS,
		.cpus = p.cpus,
		.nevents = 1,
		.events = &event,
	};
	int rc = TraceFindEvents("context-switches", 0, 1, TRACE_PRIV_ANY, &event);

	if (rc != 1)
		return rc;
	for (p.ncpus = 0; p.ncpus < p.n; p.ncpus++)
		p.cpus[p.ncpus] = p.list[p.ncpus].cpu;
	options.ncpus = p.ncpus;
	p.counters = counters_open(&options, &rc);
	return p.counters ? counters_on(p.counters) : rc;
}

static void read_counted(void)
{
	struct counter_value *v = calloc(p.ncpus, sizeof(*v));
	struct ai_raw *r;

	if (v && counters_read(p.counters, v, p.ncpus) == (int)p.ncpus)
		for (uint32_t i = 0; i < p.ncpus; i++) {
			r = find(p.cpus[i]);
			if (r)
				r->dispatches = p.before[r->cpu] + v[i].value;
		}
	free(v);
}

static void keep_counted(void)
{
	for (uint32_t i = 0; i < p.n; i++)
		if (p.list[i].dispatches != AI_UNKNOWN)
			p.before[p.list[i].cpu] = p.list[i].dispatches;
		else
			p.list[i].dispatches = p.before[p.list[i].cpu];
}

static bool sched_line(void *arg, const char *text, size_t length)
{
	struct proc_sched s;
	struct ai_raw *r = proc_sched_parse(text, length, &s) ? find(s.cpu) : NULL;

	(void)arg;
	if (r)
		r->dispatches = s.dispatches;
	return true;
}

static void read_dispatches(void)
{
	if (p.by_perf) {
		read_counted();
		if (same_cpus())
			return;
		/* A CPU's counters end when it goes offline. */
		counters_close(p.counters);
		keep_counted();
		p.by_perf = !count_dispatches();
	} else if (p.by_sched) {
		proc_lines("/proc/schedstat", sched_line, NULL);
	}
}

/* ---- open, read ------------------------------------------------------------------------------ */

static void close_proc(void)
{
	counters_close(p.counters);
	memset(&p, 0, sizeof(p));
}

static bool scheduler_counts(void)
{
	for (uint32_t i = 0; i < p.n; i++)
		if (p.list[i].dispatches == AI_UNKNOWN)
			return false;
	return p.n != 0;
}

static int open_proc(struct ai_info *info)
{
	struct ai_raw *list = calloc(AI_CPUS, sizeof(*list));
	long hz = sysconf(_SC_CLK_TCK);
	const char *dispatches = "";
	int rc;

	memset(&p, 0, sizeof(p));
	p.tick = 1000000000u / (uint64_t)(hz > 0 ? hz : 100);
	rc = list ? read_times(list, AI_CPUS) : rc_fail(PI_NO_MEMORY, "no memory for CPUs");
	if (!rc) {
		p.by_perf = !count_dispatches();
		if (!p.by_perf) {
			counters_close(p.counters);
			p.counters = NULL;
			proc_lines("/proc/schedstat", sched_line, NULL);
			p.by_sched = scheduler_counts();
			info->dispatches = p.by_sched;
			dispatches =
				p.by_sched ?
					"; dispatches to idle are not counted" :
					"; dispatches are unknown: this user may not count them (run it as root), and /proc/schedstat is missing";
		}
		snprintf(info->note, sizeof(info->note),
			 "as the kernel accounts for it, in steps of %u ms; %s%s",
			 (unsigned int)(p.tick / 1000000),
			 p.device_time ?
				 "interrupts' time as it measures or samples it" :
				 "of interrupts' time only what the clock's tick met in softirqs: the rest is in busy",
			 dispatches);
	}
	p.list = NULL;
	free(list);
	return rc;
}

static int read_proc(struct ai_raw *list, uint32_t room)
{
	int rc = read_times(list, room);

	if (rc)
		return rc;
	read_table("/proc/interrupts");
	read_table("/proc/softirqs");
	read_dispatches();
	p.list = NULL;
	return (int)p.n;
}

const struct ai_source ai_proc = { "proc", open_proc, read_proc, close_proc };

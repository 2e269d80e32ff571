// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Sampling by perf events: software events, which any machine has, to the last one; a counter of
 * cycles where the machine has one.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <linux/perf_event.h>
#include "abi.h"
#include "work.h"

static struct pitrace_event_args software(uint64_t config, uint64_t period)
{
	struct pitrace_event_args args = {
		.size = sizeof(args),
		.version = PITRACE_ABI_VERSION,
		.type = PERF_TYPE_SOFTWARE,
		.config = config,
		.period = period,
	};

	snprintf(args.name, sizeof(args.name), "software %llu", (unsigned long long)config);
	return args;
}

static int refuse(int error, int fd, struct pitrace_event_args args)
{
	errno = 0;
	return ioctl(fd, PITRACE_IOC_EVENT, &args) < 0 && errno == error ? 0 : -1;
}

#define REFUSE(error, ...)                                                                    \
	({                                                                                    \
		struct pitrace_event_args args = software(PERF_COUNT_SW_PAGE_FAULTS, 1);      \
		__VA_ARGS__;                                                                  \
		if (refuse(error, fd, args))                                                  \
			wrong("%s: %s, not %s", #__VA_ARGS__,                                 \
			      errno ? strerrorname_np(errno) : "ok", strerrorname_np(error)); \
	})

void test_event_fields(void)
{
	struct pitrace_event_args good = software(PERF_COUNT_SW_CPU_CLOCK, 1000000);
	struct pitrace_session_args session_args = plain();
	int fd = want(0, session(&session_args)), i;

	want(EFAULT, ioctl(fd, PITRACE_IOC_EVENT, NULL));
	REFUSE(EINVAL, args.version = 0);
	REFUSE(EINVAL, args.size = 4);
	for (i = 4; i < 32; i++)
		REFUSE(EINVAL, args.flags = 1u << i);
	REFUSE(EINVAL, args.flags = PITRACE_EVENT_USER | PITRACE_EVENT_KERNEL);
	REFUSE(EINVAL, args.period = 0);
	REFUSE(EINVAL, args.period = ~0ull);
	REFUSE(EINVAL, args.flags = PITRACE_EVENT_RATE; args.period = PITRACE_MAX_RATE + 1);
	REFUSE(EINVAL, memset(args.name, 'x', sizeof(args.name)));
	REFUSE(EINVAL, args.type = PITRACE_EVENT_NONE);
	REFUSE(EINVAL, args.type = PITRACE_EVENT_NONE;
	       args.flags = PITRACE_EVENT_CLEAR | PITRACE_EVENT_RATE);
	REFUSE(EOPNOTSUPP, args.type = PERF_TYPE_TRACEPOINT);
	REFUSE(EOPNOTSUPP, args.type = PERF_TYPE_BREAKPOINT);
	/* perf's own answers. */
	REFUSE(ENOENT, args.config = 12345);
	REFUSE(ENOENT, args.type = 0x7FFFFFFF);

	/* No more than there are, and again after they are forgotten. */
	for (i = 0; i < PITRACE_EVENTS; i++)
		want(0, ioctl(fd, PITRACE_IOC_EVENT, &good));
	REFUSE(ENOSPC, args.period = 1);
	good.flags = PITRACE_EVENT_CLEAR;
	want(0, ioctl(fd, PITRACE_IOC_EVENT, &good));
	good.flags = PITRACE_EVENT_RATE;
	good.period = PITRACE_MAX_RATE;
	want(0, ioctl(fd, PITRACE_IOC_EVENT, &good));
	good.flags = PITRACE_EVENT_CLEAR;
	good.type = PITRACE_EVENT_NONE;
	want(0, ioctl(fd, PITRACE_IOC_EVENT, &good));

	/* While on it is too late. */
	want(0, ioctl(fd, PITRACE_IOC_ON));
	REFUSE(EBUSY, args.period = 1);
	want(0, ioctl(fd, PITRACE_IOC_OFF));
	close(fd);
	no_session_left();
}

/* ---- counts ---------------------------------------------------------------------------------- */

struct count {
	uint32_t event; /* whose samples */
	unsigned long samples, others;
	uint64_t periods, least, most;
	unsigned long names; /* SYSINFO EVENT records of it */
	struct pitrace_event_rec said;
};

static void count(const struct pitrace_rec *rec, void *arg)
{
	const struct pitrace_sample *s = (const void *)(rec + 1);
	struct count *c = arg;

	if (rec->major == PITRACE_SYSINFO && rec->minor == PITRACE_SYSINFO_EVENT) {
		const struct pitrace_event_rec *e = (const void *)(rec + 1);

		if (e->event == c->event) {
			c->names++;
			c->said = *e;
		}
	}
	if (rec->major != PITRACE_TPROF)
		return;
	if (rec->minor >> PITRACE_TPROF_EVENT_SHIFT != c->event + 1) {
		c->others++;
		return;
	}
	if (s->pid != (uint32_t)getpid())
		return;
	c->samples++;
	c->periods += s->period;
	if (s->period > c->most)
		c->most = s->period;
	if (!c->least || s->period < c->least)
		c->least = s->period;
}

static struct count counted(const struct view *v, uint32_t event)
{
	struct count c = { .event = event };

	each_record(v, PITRACE_RING_MTE, count, &c);
	each_record(v, PITRACE_RING_TRACE, count, &c);
	return c;
}

static bool open_own(struct view *v)
{
	struct pitrace_session_args args = plain();

	args.scope = PITRACE_SCOPE_PROCESS;
	args.pid = getpid();
	args.trace_bytes = 8 * MB;
	return begin(v, args, 1000);
}

/* Touches memory for the first time, page by page, to cause so many faults. */
static void touch(unsigned long pages)
{
	size_t size = pages * (size_t)getpagesize(), at;
	volatile char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
				0);

	madvise((void *)p, size, MADV_NOHUGEPAGE);
	for (at = 0; at < size; at += (size_t)getpagesize())
		p[at] = 1;
	munmap((void *)p, size);
}

/* Returns this process's switches so far, by the kernel's own count. */
static unsigned long switches_so_far(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	return (unsigned long)(r.ru_nvcsw + r.ru_nivcsw);
}

void test_event_software(void)
{
	struct pitrace_event_args faults = software(PERF_COUNT_SW_PAGE_FAULTS, 10);
	struct pitrace_event_args switches = software(PERF_COUNT_SW_CONTEXT_SWITCHES, 1);
	struct count c;
	struct view v;
	int i;

	if (!open_own(&v))
		return;
	want(0, ioctl(v.fd, PITRACE_IOC_EVENT, &faults));
	want(0, ioctl(v.fd, PITRACE_IOC_EVENT, &switches));
	for (i = 0; i < 3; i++) {
		unsigned long all = switches_so_far(), certain;

		want(0, ioctl(v.fd, PITRACE_IOC_ON));
		certain = switches_so_far();
		for (int k = 0; k < 100; k++) {
			touch(10);
			nap(1);
		}
		certain = switches_so_far() - certain;
		want(0, ioctl(v.fd, PITRACE_IOC_SUSPEND));
		touch(500);
		want(0, ioctl(v.fd, PITRACE_IOC_RESUME));
		want(0, ioctl(v.fd, PITRACE_IOC_OFF));
		all = switches_so_far() - all;
		c = counted(&v, 0);
		printf("# %lu samples of 10 faults, %llu faults", c.samples,
		       (unsigned long long)c.periods);
		/* Faults of others move the tenth one; those of a pause do not count. */
		check(c.samples >= 90 && c.samples <= 130 && c.periods <= 1400);
		/* Told at on and when the pause is over. */
		check(c.names == 2 && c.said.period == 10 && !c.said.flags);
		check(!strcmp(c.said.name, faults.name));
		c = counted(&v, 1);
		printf(", %lu switches of %lu to %lu\n", c.samples, certain, all);
		check(c.samples >= certain && c.samples <= all && c.least == 1);
		check(c.names == 2 && !strcmp(c.said.name, switches.name));
		check(lost(&v, PITRACE_LOST_THROTTLED) == 0);
	}
	unview(&v);

	/* With none it is the timer again. */
	if (!open_own(&v))
		return;
	want(0, ioctl(v.fd, PITRACE_IOC_EVENT, &faults));
	faults.flags = PITRACE_EVENT_CLEAR;
	faults.type = PITRACE_EVENT_NONE;
	want(0, ioctl(v.fd, PITRACE_IOC_EVENT, &faults));
	want(0, ioctl(v.fd, PITRACE_IOC_ON));
	spin(100);
	want(0, ioctl(v.fd, PITRACE_IOC_OFF));
	c = counted(&v, 0);
	check(c.samples == 0 && c.others > 5 && c.names == 0);
	unview(&v);
	no_session_left();
}

/* More than perf allows: throttling is reported. */
void test_event_throttled(void)
{
	struct pitrace_event_args clock = software(PERF_COUNT_SW_CPU_CLOCK, 100000);
	FILE *limit = fopen("/proc/sys/kernel/perf_event_max_sample_rate", "r+");
	struct count c;
	struct view v;
	int old = 0;

	check(limit && fscanf(limit, "%d", &old) == 1);
	if (!limit || !open_own(&v))
		return;
	rewind(limit);
	check(fprintf(limit, "1000\n") > 0 && !fflush(limit));
	want(0, ioctl(v.fd, PITRACE_IOC_EVENT, &clock));
	want(0, ioctl(v.fd, PITRACE_IOC_ON));
	spin(1000);
	want(0, ioctl(v.fd, PITRACE_IOC_OFF));
	c = counted(&v, 0);
	printf("# %lu samples, held back %llu times\n", c.samples,
	       (unsigned long long)lost(&v, PITRACE_LOST_THROTTLED));
	/* A few each tick of the system's clock, instead of 10,000. */
	check(c.samples > 50 && c.samples < 2500);
	check(lost(&v, PITRACE_LOST_THROTTLED) > 20);
	unview(&v);
	rewind(limit);
	fprintf(limit, "%d\n", old);
	fclose(limit);
	no_session_left();
}

/* ---- counters -------------------------------------------------------------------------------- */

void test_event_cycles(void)
{
	struct pitrace_event_args cycles = {
		.size = sizeof(cycles),
		.version = PITRACE_ABI_VERSION,
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.period = 100000,
		.name = "cycles",
	};
	struct count c;
	struct view v;

	if (!open_own(&v))
		return;
	errno = 0;
	if (ioctl(v.fd, PITRACE_IOC_EVENT, &cycles)) {
		/* A machine without a counter says so, and the timer is still there. */
		check(errno == ENOENT || errno == EOPNOTSUPP);
		printf("# no counter of cycles: %s\n", strerrorname_np(errno));
	} else {
		want(0, ioctl(v.fd, PITRACE_IOC_ON));
		turns(5000000);
		want(0, ioctl(v.fd, PITRACE_IOC_OFF));
		c = counted(&v, 0);
		printf("# %lu samples of %llu to %llu cycles, %llu in all\n", c.samples,
		       (unsigned long long)c.least, (unsigned long long)c.most,
		       (unsigned long long)c.periods);
		check(c.samples >= 20);
		/* Where a cycle is an instruction overflows are where they belong, but for what
		 * runs with interrupts off. */
		if (getenv("PITRACE_ICOUNT"))
			check(c.samples >= 100 && c.samples <= 102 && c.least > 95000 &&
			      labs((long)c.periods - 100000 * (long)c.samples) < 5000);

		/* User code only, and the kernel only. */
		cycles.flags = PITRACE_EVENT_CLEAR | PITRACE_EVENT_USER;
		want(0, ioctl(v.fd, PITRACE_IOC_EVENT, &cycles));
		cycles.flags = PITRACE_EVENT_KERNEL;
		want(0, ioctl(v.fd, PITRACE_IOC_EVENT, &cycles));
	}
	unview(&v);
	no_session_left();
}

/* ---- CPUs that come and go ------------------------------------------------------------------- */

bool cpu1(const char *on)
{
	int fd = open("/sys/devices/system/cpu/cpu1/online", O_WRONLY | O_CLOEXEC);
	bool done = fd >= 0 && write(fd, on, 1) == 1;

	close(fd);
	return done;
}

static unsigned long touch_on_cpu1(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(1, &set);
	if (sched_setaffinity(0, sizeof(set), &set)) {
		wrong("CPU 1 is not there");
		return 0;
	}
	touch(1000);
	CPU_SET(0, &set);
	sched_setaffinity(0, sizeof(set), &set);
	return 1000;
}

void test_event_cpus(void)
{
	struct pitrace_event_args faults = software(PERF_COUNT_SW_PAGE_FAULTS, 10);
	unsigned long expected = 0;
	struct count c;
	struct view v;
	int i;

	if (!cpu1("0")) {
		printf("# one CPU only\n");
		return;
	}
	cpu1("1");
	if (!open_own(&v))
		return;
	want(0, ioctl(v.fd, PITRACE_IOC_EVENT, &faults));
	want(0, ioctl(v.fd, PITRACE_IOC_ON));
	for (i = 0; i < 5; i++) {
		expected += touch_on_cpu1();
		check(cpu1("0"));
		check(cpu1("1"));
		/* The counter is made a moment later, by a worker. */
		nap(100);
	}
	/* On while it is off, and it comes meanwhile. */
	want(0, ioctl(v.fd, PITRACE_IOC_OFF));
	c = counted(&v, 0);
	printf("# %llu faults of %lu\n", (unsigned long long)c.periods, expected);
	check(c.periods >= expected * 95 / 100);
	check(cpu1("0"));
	want(0, ioctl(v.fd, PITRACE_IOC_ON));
	check(cpu1("1"));
	nap(100);
	expected = touch_on_cpu1();
	check(cpu1("0"));
	want(0, ioctl(v.fd, PITRACE_IOC_OFF));
	c = counted(&v, 0);
	printf("# %llu faults of %lu\n", (unsigned long long)c.periods, expected);
	check(c.periods >= expected * 95 / 100);
	check(cpu1("1"));
	unview(&v);
	no_session_left();
}

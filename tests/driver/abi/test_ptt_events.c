// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * PTT's metrics that are events of perf: exact counts to whom they belong, books that balance in
 * each metric, what is refused, CPUs that go and come back with new counters.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "ptt.h"
#include "work.h"

#define N 100 /* pages, calls */

static struct pitrace_metric event(uint32_t type, uint64_t config, uint32_t flags)
{
	return (struct pitrace_metric){ .type = type, .config = config, .flags = flags };
}

/* Cycles are metric 0, these come behind it. */
static struct pitrace_ptt_args with(const struct pitrace_metric *metrics, uint32_t count)
{
	struct pitrace_ptt_args args = ptt_args();

	memcpy(args.metric + 1, metrics, count * sizeof(*metrics));
	args.metrics = 1 + count;
	return args;
}

static void refused(int error, struct pitrace_metric metric)
{
	struct pitrace_ptt_args args = with(&metric, 1);

	want(error, ptt_open(&args));
	if (args.failed != 1)
		wrong("refused for metric %u", args.failed);
}

/* Probes are events with types of their own, and addresses of what to probe. */
static void probes(int error)
{
	static const char *const kinds[] = { "kprobe", "uprobe" };
	struct pitrace_metric m = event(0, 0, PITRACE_METRIC_USER);
	char path[64];
	FILE *f;

	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", kinds[i]);
		f = fopen(path, "r");
		if (!f)
			continue;
		check(fscanf(f, "%u", &m.type) == 1);
		fclose(f);
		m.config1 = (uintptr_t) "schedule";
		refused(error, m);
		m.config1 = 0;
		m.config2 = 0xFFFFFFFF81000000;
		refused(error, m);
	}
}

static void refused_to_member(int unused)
{
	struct pitrace_metric faults = event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 0);
	struct pitrace_ptt_args args;
	struct ptt p;

	(void)unused;
	refused(EPERM, faults);
	faults.flags = PITRACE_METRIC_KERNEL;
	refused(EPERM, faults);
	faults.flags = PITRACE_METRIC_USER;
	faults.config1 = 1;
	refused(EPERM, faults);
	faults.config1 = 0;
	refused(EPERM, event(PERF_TYPE_RAW, 0xC0, PITRACE_METRIC_USER));
	probes(EPERM);
	args = with(&faults, 1);
	if (ptt_view(&p, want(0, ptt_open(&args))))
		ptt_close(&p);
}

/* Hardware counters of whole CPUs are for whom perf lets have them. */
#define PARANOID "/proc/sys/kernel/perf_event_paranoid"

static void paranoid(const char *level)
{
	int fd = open(PARANOID, O_WRONLY);

	check(fd >= 0 && write(fd, level, strlen(level)) > 0);
	close(fd);
}

static void counters_kept(int unused)
{
	(void)unused;
	refused(EPERM, event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, PITRACE_METRIC_USER));
	refused(EPERM, event(PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_L1D, PITRACE_METRIC_USER));
}

/* Whether this machine has any is another matter. */
static void counters_let(int unused)
{
	struct pitrace_metric m = event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS,
					PITRACE_METRIC_USER);
	struct pitrace_ptt_args args = with(&m, 1);
	int fd = ptt_open(&args);

	(void)unused;
	check(fd >= 0 || (errno != EPERM && errno != EACCES));
	if (fd >= 0)
		close(fd);
}

void test_ptt_paranoid(void)
{
	char before[16] = "";
	int fd = open(PARANOID, O_RDONLY);

	check(fd >= 0 && read(fd, before, sizeof(before) - 1) > 0);
	close(fd);
	paranoid("1");
	as_member(counters_kept, 0);
	paranoid("2");
	as_member(counters_kept, 0);
	paranoid("0");
	as_member(counters_let, 0);
	paranoid("-1");
	as_member(counters_let, 0);
	paranoid("2");
	as_member(counters_kept, 0);
	paranoid(before);
	no_ptt_left();
}

void test_ptt_event_fields(void)
{
	const uint32_t software = PERF_TYPE_SOFTWARE, faults = PERF_COUNT_SW_PAGE_FAULTS;

	refused(EINVAL, event(software, faults, PITRACE_METRIC_USER | PITRACE_METRIC_KERNEL));
	refused(EINVAL, event(software, faults, 0x4));
	refused(EOPNOTSUPP, event(PERF_TYPE_TRACEPOINT, 1, 0));
	refused(EOPNOTSUPP, event(PERF_TYPE_BREAKPOINT, 0, 0));
	refused(EOPNOTSUPP, event(0x80000000, 0, 0));
	refused(EOPNOTSUPP, event(software, PERF_COUNT_SW_CPU_CLOCK, PITRACE_METRIC_USER));
	refused(ENOENT, event(software, 0xFFFF, 0));
	refused(ENOENT, event(12345, 0, 0));
	probes(EOPNOTSUPP);
	as_member(refused_to_member, 0);
	no_ptt_left();
}

/* ---- counts ---------------------------------------------------------------------------------- */

static char *fresh(void)
{
	char *at = mmap(NULL, N * WORK_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			-1, 0);

	if (at == MAP_FAILED) {
		wrong("no memory");
		return NULL;
	}
	madvise(at, N * WORK_PAGE, MADV_NOHUGEPAGE);
	return at;
}

static void touch(char *at)
{
	for (int i = 0; i < N; i++)
		((volatile char *)at)[i * WORK_PAGE] = 1;
}

static struct pitrace_ptt_thread here(const struct ptt *p, long slot)
{
	want(0, ioctl(p->fd, PITRACE_IOC_PTT_UPDATE_HERE));
	return ptt_copy(ptt_thread(p, slot));
}

enum { CYCLES, ALL, USER, KERNEL, CLOCK, COUNT };
static const struct pitrace_metric faults[] = {
	{ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS },
	{ .type = PERF_TYPE_SOFTWARE,
	  .config = PERF_COUNT_SW_PAGE_FAULTS,
	  .flags = PITRACE_METRIC_USER },
	{ .type = PERF_TYPE_SOFTWARE,
	  .config = PERF_COUNT_SW_PAGE_FAULTS,
	  .flags = PITRACE_METRIC_KERNEL },
	{ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK },
};

static bool faults_are(const char *what, const struct pitrace_ptt_thread *before,
		       const struct pitrace_ptt_thread *after, const unsigned int *expected)
{
	unsigned int got[COUNT];
	bool right = true;

	for (int m = ALL; m <= KERNEL; m++) {
		got[m] = after->metric[m].value - before->metric[m].value;
		right &= got[m] == expected[m];
	}
	printf("# %s: %u faults, %u by the program, %u by the kernel\n", what, got[ALL], got[USER],
	       got[KERNEL]);
	return right;
}

static void balance(const struct ptt *p)
{
	want(0, ioctl(p->fd, PITRACE_IOC_PTT_STOP));
	for (uint32_t m = 0; m < p->control->metrics; m++)
		check(ptt_books(p, m) == ptt_all(p, m));
	for (unsigned int cpu = 0; cpu < p->control->ncpus; cpu++)
		check(!ptt_copy_cpu(ptt_cpu(p, cpu)).missing);
}

/* Faults of untouched pages, compared with another process that has as many. */
void test_ptt_faults(void)
{
	static const unsigned int by_program[] = { [ALL] = N - 1, [USER] = N - 1, [KERNEL] = 0 };
	static const unsigned int by_kernel[] = { [ALL] = N, [USER] = 0, [KERNEL] = N };
	struct pitrace_ptt_args args = with(faults, 4);
	struct pitrace_ptt_thread before, after;
	char *written = fresh(), *read_into = fresh();
	FILE *zero = fopen("/dev/zero", "r");
	int64_t cycles, clock;
	bool same = false;
	struct ptt p;
	pid_t other;
	long slot;

	if (!written || !read_into || !zero || !ptt_view(&p, want(0, ptt_open(&args))))
		return;
	check(p.control->metrics == 5);
	fflush(stdout);
	other = fork();
	if (!other)
		for (;;) {
			char *at = fresh();

			touch(at);
			munmap(at, N * WORK_PAGE);
		}
	/* Calls the functions below in advance, and copies the pages that the fork shares, also the
	 * one that the kernel writes at a dispatch. */
	nap(10);
	written[0] = 1;
	check(read(fileno(zero), written, 1) == 1);
	slot = want(0, ptt_add(p.fd, 0, 0));
	check(ptt_thread(&p, slot)->metric[ALL].how == PITRACE_HOW_NOT);
	before = here(&p, slot);
	check(faults_are("nothing", &before, &before, (unsigned int[COUNT]){ 0 }));
	before = here(&p, slot);
	touch(written);
	after = here(&p, slot);
	check(faults_are("written", &before, &after, by_program));
	before = here(&p, slot);
	for (int i = 0; i < N; i++)
		check(read(fileno(zero), read_into + i * WORK_PAGE, 1) == 1);
	after = here(&p, slot);
	check(faults_are("read into", &before, &after, by_kernel));

	/* One clock in both: perf's in ns. One is read after the other, and a host may halt its
	 * emulator between: not every time. */
	for (int i = 0; i < 20 && !same; i++) {
		before = here(&p, slot);
		spin(100);
		after = here(&p, slot);
		cycles = to_ns(&p, after.metric[CYCLES].value - before.metric[CYCLES].value);
		clock = (int64_t)(after.metric[CLOCK].value - before.metric[CLOCK].value);
		printf("# %lld ns by cycles, %lld by perf's clock\n", (long long)cycles,
		       (long long)clock);
		same = clock > cycles / 1000 * 995 && clock < cycles / 1000 * 1005;
	}
	check(same);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	balance(&p);
	ptt_close(&p);
	fclose(zero);
	munmap(written, N * WORK_PAGE);
	munmap(read_into, N * WORK_PAGE);
	no_ptt_left();
}

/* A CPU's own counter, where it has one: all books balance, user code is a part of all. */
void test_ptt_hardware(void)
{
	struct pitrace_metric metrics[] = {
		event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0),
		event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, PITRACE_METRIC_USER),
	};
	struct pitrace_ptt_args args = with(metrics, 2);
	struct pitrace_ptt_thread before, after;
	uint64_t all, user;
	struct ptt p;
	long slot;
	int fd = ptt_open(&args);

	if (fd < 0) {
		check(errno == ENOENT || errno == ENODEV || errno == EOPNOTSUPP);
		printf("# no counters here: %s\n", strerror(errno));
		check(args.failed == 1);
		return;
	}
	if (!ptt_view(&p, fd))
		return;
	slot = want(0, ptt_add(p.fd, 0, 0));
	before = here(&p, slot);
	spin(200);
	after = here(&p, slot);
	all = after.metric[1].value - before.metric[1].value;
	user = after.metric[2].value - before.metric[2].value;
	printf("# 200 ms: %llu cycles, %llu of user code\n", (unsigned long long)all,
	       (unsigned long long)user);
	/* QEMU's POWER10 counts the kernel's as the user's; the second is read after the first. */
	check(user <= all + all / 500 && user > all / 2);
	balance(&p);
	ptt_close(&p);
	no_ptt_left();
}

/* The maximum number of users of a counter: the next one is told which counter is missing. */
void test_ptt_too_many(void)
{
	struct pitrace_metric cycles = event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0);
	struct pitrace_ptt_args args = with(&cycles, 1);
	struct ptt p[PITRACE_MAX_PTTS];
	int fd = -1, n;

	for (n = 0; n < PITRACE_MAX_PTTS; n++) {
		fd = ptt_open(&args);
		if (fd < 0 || !ptt_view(&p[n], fd))
			break;
	}
	if (n) {
		printf("# %d times cycles, then: %s\n", n, fd < 0 ? strerror(errno) : "enough");
		check(fd >= 0 || (errno == EADDRINUSE && args.failed == 1));
	} else {
		printf("# no counters here: %s\n", strerror(errno));
	}
	while (n--)
		ptt_close(&p[n]);
	no_ptt_left();
}

/* ---- CPUs that go and come ------------------------------------------------------------------- */

void test_ptt_event_cpus(void)
{
	struct pitrace_ptt_args args = with(faults, 4);
	struct pitrace_ptt_thread before, after;
	struct ptt p;
	long slot;

	if (!cpu1("0")) {
		printf("# one CPU only\n");
		return;
	}
	if (!ptt_view(&p, want(0, ptt_open(&args))))
		return;
	slot = want(0, ptt_add(p.fd, 0, 0));
	for (int i = 0; i < 5; i++) {
		char *at = fresh();

		check(cpu1("1"));
		/* Its events are made behind the CPU's back. */
		for (int ms = 0; ms < 5000 && !ptt_copy_cpu(ptt_cpu(&p, 1)).online; ms++)
			nap(1);
		check(ptt_copy_cpu(ptt_cpu(&p, 1)).online);
		on_cpu(1);
		before = here(&p, slot);
		touch(at);
		after = here(&p, slot);
		check(after.metric[ALL].value - before.metric[ALL].value == N);
		check(after.cpu == 1);
		on_cpu(0);
		munmap(at, N * WORK_PAGE);
		check(cpu1("0"));
		check(!ptt_cpu(&p, 1)->online);
	}
	check(cpu1("1"));
	on_all_cpus();
	balance(&p);
	ptt_close(&p);
	no_ptt_left();
}

// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The collector `perf` on a kernel of the test's own: which events it opens and how, what it says
 * where the kernel refuses, how it turns them on and off, what its modes keep and hand over, and
 * that after an error nothing stays open. (Linked with --wrap: perf_event_open(2) gives files in
 * memory.)
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include "base/now.h"
#include "base/rc.h"
#include "collect/collectors.h"
#include "collect/perf/perf_session.h"
#include "collect/perf/proc_walk.h"
#include "perf_rings.h"
#include "records.h"

#define EVENTS_MAX 256
#define FILE_BYTES (4u << 20)
#define SECOND     1000000000ull

/* ---- the kernel ------------------------------------------------------------------------------ */

struct fake_event {
	struct perf_event_attr attr;
	pid_t pid;
	int cpu, fd, output; /* whose ring it writes to; -1: its own */
	uint64_t id, lost;
	unsigned int on, turned; /* is it; how often was it turned on or off */
	int bell;                /* rings where the kernel wakes who polls it */
	struct perf_ring ring;
};

static struct fake_event event[EVENTS_MAX];
static unsigned int nevents, opened, watched;
static long conf = 2;   /* CPUs */
static int offline;     /* this one is; -1: none */
static size_t lockable; /* bytes of a ring; 0: any */
static bool old_kernel; /* refuses READ_LOST and ksymbol */
static int (*refuses)(const struct perf_event_attr *a, pid_t pid, int cpu); /* an errno */
static int fails_alloc, fails_id, fails_output, fails_epoll, fails_eventfd, fails_socketpair,
	fails_mmap; /* at this call */
static uint64_t capabilities;
static const char *paranoid, *max_stack, *status, *lockdown, *kallsyms; /* NULL: no such file */
static unsigned int walks;
static int walk_fails;
static uint32_t walk_maps;
static unsigned int fake_clock; /* ms that time is ahead */

static struct fake_event *of_fd(int fd)
{
	for (unsigned int i = 0; i < nevents; i++)
		if (event[i].fd == fd)
			return &event[i];
	return NULL;
}

/* The nth call fails. */
static bool fails(int *left)
{
	return *left && !--*left;
}

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
int __real_ioctl(int fd, unsigned long request, unsigned long arg);
int __wrap_ioctl(int fd, unsigned long request, ...);
int __real_epoll_ctl(int epfd, int op, int fd, struct epoll_event *e);
int __wrap_epoll_ctl(int epfd, int op, int fd, struct epoll_event *e);
ssize_t __real_read(int fd, void *to, size_t n);
ssize_t __wrap_read(int fd, void *to, size_t n);
void *__real_mmap64(void *at, size_t n, int prot, int flags, int fd, off_t offset);
void *__wrap_mmap64(void *at, size_t n, int prot, int flags, int fd, off_t offset);
long __real_sysconf(int name);
long __wrap_sysconf(int name);
int __real_close(int fd);
int __wrap_close(int fd);
FILE *__real_fopen64(const char *path, const char *mode);
FILE *__wrap_fopen64(const char *path, const char *mode);
int __real_eventfd(unsigned int count, int flags);
int __wrap_eventfd(unsigned int count, int flags);
int __real_socketpair(int domain, int type, int protocol, int fds[2]);
int __wrap_socketpair(int domain, int type, int protocol, int fds[2]);
int __real_clock_gettime(clockid_t clock, struct timespec *t);
int __wrap_clock_gettime(clockid_t clock, struct timespec *t);
int __wrap_proc_walk(pid_t scope, perf_put put, void (*visit)(void *arg, pid_t pid), void *arg);

static long perf_event_open(const struct perf_event_attr *a, pid_t pid, int cpu)
{
	struct fake_event *e = &event[nevents];
	int err = refuses ? refuses(a, pid, cpu) : 0;

	opened++;
	if (!err && old_kernel && (a->read_format & PERF_FORMAT_LOST || a->ksymbol))
		err = EINVAL;
	if (!err && cpu >= 0 && cpu == offline)
		err = ENODEV;
	if (err) {
		errno = err;
		return -1;
	}
	CU_ASSERT_FATAL(nevents < EVENTS_MAX);
	memset(e, 0, sizeof(*e));
	e->attr = *a;
	e->pid = pid;
	e->cpu = cpu;
	e->output = -1;
	e->id = 1000 + nevents;
	e->fd = memfd_create("event", MFD_CLOEXEC);
	CU_ASSERT_FATAL(e->fd >= 0 && !ftruncate(e->fd, FILE_BYTES));
	nevents++;
	return e->fd;
}

long __wrap_syscall(long number, ...)
{
	long a[6];
	va_list ap;

	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (number == SYS_perf_event_open) {
		CU_ASSERT((int)a[3] == -1 && a[4] == PERF_FLAG_FD_CLOEXEC);
		return perf_event_open((const struct perf_event_attr *)a[0], (pid_t)a[1],
				       (int)a[2]);
	}
	if (number == SYS_capget) {
		struct __user_cap_data_struct *d = (struct __user_cap_data_struct *)a[1];

		d[0].effective = (uint32_t)capabilities;
		d[1].effective = (uint32_t)(capabilities >> 32);
		return 0;
	}
	return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	struct fake_event *e = of_fd(fd);
	unsigned long arg;
	va_list ap;

	va_start(ap, request);
	arg = va_arg(ap, unsigned long);
	va_end(ap);
	if (!e)
		return __real_ioctl(fd, request, arg);
	switch (request) {
	case PERF_EVENT_IOC_ID:
		if (fails(&fails_id)) {
			errno = ENOTTY;
			return -1;
		}
		*(uint64_t *)arg = e->id;
		return 0;
	case PERF_EVENT_IOC_SET_OUTPUT:
		if (fails(&fails_output)) {
			errno = EINVAL;
			return -1;
		}
		e->output = (int)arg;
		return 0;
	case PERF_EVENT_IOC_ENABLE:
	case PERF_EVENT_IOC_DISABLE:
		e->on = request == PERF_EVENT_IOC_ENABLE;
		e->turned++;
		return 0;
	}
	return -1;
}

int __wrap_epoll_ctl(int epfd, int op, int fd, struct epoll_event *e)
{
	if (!of_fd(fd))
		return __real_epoll_ctl(epfd, op, fd, e);
	CU_ASSERT(op == EPOLL_CTL_ADD && e->events == (EPOLLIN | EPOLLET));
	if (fails(&fails_epoll)) {
		errno = ENOSPC;
		return -1;
	}
	watched++;
	of_fd(fd)->bell = __real_eventfd(0, EFD_CLOEXEC);
	return __real_epoll_ctl(epfd, op, of_fd(fd)->bell, e);
}

ssize_t __wrap_read(int fd, void *to, size_t n)
{
	struct fake_event *e = of_fd(fd);
	const uint64_t got[2] = { 5, e ? e->lost : 0 };

	if (!e)
		return __real_read(fd, to, n);
	if (!(e->attr.read_format & PERF_FORMAT_LOST)) {
		memcpy(to, got, 8);
		return 8;
	}
	memcpy(to, got, n < sizeof(got) ? n : sizeof(got));
	return 16;
}

void *__wrap_mmap64(void *at, size_t n, int prot, int flags, int fd, off_t offset)
{
	struct fake_event *e = fd >= 0 ? of_fd(fd) : NULL;
	size_t page = (size_t)__real_sysconf(_SC_PAGESIZE);
	void *p;

	if (e && fails(&fails_mmap)) {
		errno = EACCES;
		return MAP_FAILED;
	}
	if (e && lockable && n > lockable + page) {
		errno = EPERM;
		return MAP_FAILED;
	}
	p = __real_mmap64(at, n, prot, flags, fd, offset);
	/* The test writes where the kernel does. */
	if (e && p != MAP_FAILED)
		e->ring = (struct perf_ring){ .page = p, .bytes = n - page };
	return p;
}

long __wrap_sysconf(int name)
{
	return name == _SC_NPROCESSORS_CONF ? conf : __real_sysconf(name);
}

/* A number that is used again is another file. */
int __wrap_close(int fd)
{
	struct fake_event *e = of_fd(fd);

	if (e) {
		if (e->bell > 0)
			__real_close(e->bell);
		e->bell = 0;
		e->fd = -1;
	}
	return __real_close(fd);
}

/* One that stays open is seen. */
static FILE *text_file(const char *text)
{
	int fd;

	if (!text) {
		errno = ENOENT;
		return NULL;
	}
	fd = memfd_create("text", MFD_CLOEXEC);
	CU_ASSERT_FATAL(fd >= 0);
	CU_ASSERT_EQUAL(pwrite(fd, text, strlen(text), 0), (ssize_t)strlen(text));
	return fdopen(fd, "r");
}

FILE *__wrap_fopen64(const char *path, const char *mode)
{
	if (!strcmp(path, "/proc/sys/kernel/perf_event_paranoid"))
		return text_file(paranoid);
	if (!strcmp(path, "/proc/sys/kernel/perf_event_max_stack"))
		return text_file(max_stack);
	if (!strcmp(path, "/proc/self/status"))
		return text_file(status);
	if (!strcmp(path, "/sys/kernel/security/lockdown"))
		return text_file(lockdown);
	if (!strcmp(path, "/proc/kallsyms"))
		return text_file(kallsyms);
	return __real_fopen64(path, mode);
}

void *__real_malloc(size_t n);
void *__wrap_malloc(size_t n);
void *__real_calloc(size_t n, size_t each);
void *__wrap_calloc(size_t n, size_t each);
void *__real_realloc(void *p, size_t n);
void *__wrap_realloc(void *p, size_t n);

void *__wrap_malloc(size_t n)
{
	return fails(&fails_alloc) ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t each)
{
	return fails(&fails_alloc) ? NULL : __real_calloc(n, each);
}

void *__wrap_realloc(void *p, size_t n)
{
	return fails(&fails_alloc) ? NULL : __real_realloc(p, n);
}

int __wrap_eventfd(unsigned int count, int flags)
{
	if (fails(&fails_eventfd)) {
		errno = EMFILE;
		return -1;
	}
	return __real_eventfd(count, flags);
}

int __wrap_socketpair(int domain, int type, int protocol, int fds[2])
{
	if (fails(&fails_socketpair)) {
		errno = EMFILE;
		return -1;
	}
	return __real_socketpair(domain, type, protocol, fds);
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *t)
{
	int err = __real_clock_gettime(clock, t);

	t->tv_sec += fake_clock / 1000;
	t->tv_nsec += (long)(fake_clock % 1000) * 1000000;
	if (t->tv_nsec >= 1000000000) {
		t->tv_nsec -= 1000000000;
		t->tv_sec++;
	}
	return err;
}

int __wrap_proc_walk(pid_t scope, perf_put put_one, void (*visit)(void *arg, pid_t pid), void *arg)
{
	struct pitrace_mte_task task = { .pid = 70 };

	(void)scope;
	walks++;
	visit(arg, 70);
	for (uint32_t i = 0; i <= walk_maps; i++)
		put_one(arg, PITRACE_MTE, PITRACE_MTE_PROCESS, &task, sizeof(task), 1);
	return walk_fails;
}

/* ---- a session ------------------------------------------------------------------------------- */

static struct trace_config config;
static struct backend *b;
static char why[500];
static int rc;

static void set(uint64_t *majors, unsigned int major)
{
	majors[major / 64] |= 1ull << (major & 63);
}

static void begin(void)
{
	memset(event, 0, sizeof(event));
	for (unsigned int i = 0; i < EVENTS_MAX; i++)
		event[i].fd = -1;
	nevents = opened = watched = walks = 0;
	conf = 2;
	offline = -1;
	lockable = 0;
	old_kernel = false;
	refuses = NULL;
	fails_alloc = fails_id = fails_output = fails_epoll = fails_eventfd = fails_socketpair =
		fails_mmap = 0;
	capabilities = 0;
	paranoid = "1\n";
	max_stack = "127\n";
	status = "Name:\tx\nSeccomp:\t0\n";
	lockdown = NULL;
	kallsyms = "ffffffff81000000 T do_idle\nffffffff81000100 T after\n";
	walk_fails = 0;
	walk_maps = 0;
	fake_clock = 0;
	records_forget();
	memset(&config, 0, sizeof(config));
	config.mode = PITRACE_MODE_CONTINUOUS;
	config.rate = 1000;
	config.segment_bytes = 4096;
	config.mte_bytes = 65536;
	config.trace_bytes = 131072;
	set(config.majors, PITRACE_TPROF);
}

static void open_it(void)
{
	*why = 0;
	rc = 1;
	b = collector_perf.open(&config, &rc, why, sizeof(why));
	CU_ASSERT_FATAL(b != NULL);
	CU_ASSERT_EQUAL(rc, PI_OK);
}

static unsigned int still_open(void)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < nevents; i++)
		n += event[i].fd >= 0;
	return n;
}

/* Rings that are mapped. */
static unsigned int mapped(void)
{
	FILE *f = __real_fopen64("/proc/self/maps", "re");
	unsigned int n = 0;
	char line[400];

	while (f && fgets(line, sizeof(line), f))
		n += strstr(line, "memfd:event") != NULL;
	if (f)
		fclose(f);
	return n;
}

/* Threads of this process; those that block signals. */
static unsigned int threads(bool blocking)
{
	unsigned int n = 0;
	DIR *d = opendir("/proc/self/task");
	struct dirent *e;

	while (d && (e = readdir(d))) {
		unsigned long blocked = 0;
		char path[300], line[200];
		FILE *f;

		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/self/task/%s/status", e->d_name);
		f = __real_fopen64(path, "re");
		while (f && fgets(line, sizeof(line), f))
			sscanf(line, "SigBlk: %lx", &blocked);
		if (f)
			fclose(f);
		n += !blocking || blocked >> (SIGUSR1 - 1) & 1;
	}
	if (d)
		closedir(d);
	return n;
}

static unsigned int others; /* threads of the test's own */

static void close_it(void)
{
	collector_perf.close(b);
	CU_ASSERT_EQUAL(still_open(), 0);
	CU_ASSERT_EQUAL(mapped(), 0);
	CU_ASSERT_EQUAL(threads(false), 1 + others);
}

static const struct trace_info *info(void)
{
	static struct trace_info i;

	memset(&i, 0xff, sizeof(i));
	collector_perf.info(b, &i);
	return &i;
}

/* The nth open event of that kind on that CPU. */
static struct fake_event *find(int cpu, enum perf_use use, unsigned int n)
{
	for (unsigned int i = 0; i < nevents; i++) {
		struct fake_event *e = &event[i];
		enum perf_use is = e->attr.context_switch ? PERF_SWITCHES :
				   e->attr.mmap2          ? PERF_NAMES :
							    PERF_SAMPLES;

		if (e->fd >= 0 && e->cpu == cpu && is == use && !n--)
			return e;
	}
	return NULL;
}

static unsigned int on(enum perf_use use)
{
	struct fake_event *e;
	unsigned int sum = 0;

	for (int cpu = 0; cpu < conf; cpu++)
		for (unsigned int n = 0; (e = find(cpu, use, n)); n++)
			sum += e->on;
	return sum;
}

/* ---- attributes ------------------------------------------------------------------------------ */

static struct perf_event_attr attr(enum perf_use use, unsigned int number, bool user_only)
{
	struct perf_event_attr a;

	memset(&a, 0x55, sizeof(a));
	perf_attr(&a, &config, use, number, user_only);
	CU_ASSERT(a.disabled && a.sample_id_all && a.use_clockid && a.clockid == CLOCK_MONOTONIC);
	CU_ASSERT(a.watermark && a.wakeup_watermark == (use == PERF_NAMES ? 1 : 65536));
	CU_ASSERT(a.size == sizeof(a) && a.read_format == PERF_FORMAT_LOST);
	CU_ASSERT((a.sample_type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				    PERF_SAMPLE_CPU)) ==
		  (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU));
	return a;
}

static void attributes(void)
{
	struct pitrace_event_args *e = config.events;
	struct perf_event_attr a;

	begin();
	a = attr(PERF_NAMES, 0, false);
	CU_ASSERT(a.mmap && a.mmap2 && a.comm && a.comm_exec && a.task && a.ksymbol);
	CU_ASSERT(!a.build_id && !a.context_switch && !a.inherit);
	CU_ASSERT(a.exclude_kernel && a.exclude_hv && a.config == PERF_COUNT_SW_DUMMY &&
		  a.type == PERF_TYPE_SOFTWARE && !a.sample_period);
	a = attr(PERF_SWITCHES, 0, false);
	CU_ASSERT(a.context_switch && !a.mmap && !a.mmap2 && !a.comm && !a.task && !a.inherit);
	a = attr(PERF_SAMPLES, 0, false);
	CU_ASSERT(!a.exclude_kernel && !a.exclude_hv && !a.exclude_callchain_kernel);
	CU_ASSERT(a.config == PERF_COUNT_SW_CPU_CLOCK && a.sample_period == 1000000 && !a.freq);
	CU_ASSERT(a.sample_type & PERF_SAMPLE_IP && a.sample_type & PERF_SAMPLE_PERIOD);
	CU_ASSERT(!(a.sample_type & (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER)));
	a = attr(PERF_SAMPLES, 0, true);
	CU_ASSERT(a.exclude_kernel && a.exclude_hv && a.exclude_callchain_kernel);
	config.scope = PITRACE_SCOPE_PROCESS;
	CU_ASSERT(attr(PERF_NAMES, 0, false).inherit);
	CU_ASSERT(attr(PERF_SAMPLES, 0, false).inherit);
	CU_ASSERT(!attr(PERF_SWITCHES, 0, false).inherit);

	/* Events, by rate and by count. */
	config.nevents = 2;
	e[0] = (struct pitrace_event_args){ .flags = PITRACE_EVENT_RATE | PITRACE_EVENT_USER,
					    .type = PERF_TYPE_HARDWARE,
					    .config = 7,
					    .config1 = 8,
					    .config2 = 9,
					    .period = 500 };
	e[1] = (struct pitrace_event_args){ .flags = PITRACE_EVENT_RATE | PITRACE_EVENT_KERNEL,
					    .type = PERF_TYPE_TRACEPOINT,
					    .config = 3,
					    .period = 600 };
	a = attr(PERF_SAMPLES, 0, false);
	CU_ASSERT(a.type == PERF_TYPE_HARDWARE && a.config == 7 && a.config1 == 8 &&
		  a.config2 == 9);
	CU_ASSERT(a.freq && a.sample_freq == 500 && a.exclude_kernel && !a.exclude_user);
	CU_ASSERT(a.exclude_guest && a.sample_type & PERF_SAMPLE_PERIOD);
	a = attr(PERF_SAMPLES, 1, false);
	CU_ASSERT(a.type == PERF_TYPE_TRACEPOINT && a.config == 3 && a.sample_freq == 600);
	CU_ASSERT(!a.exclude_kernel && a.exclude_user && !a.exclude_guest);
	e[0].flags = 0;
	e[0].type = PERF_TYPE_SOFTWARE;
	a = attr(PERF_SAMPLES, 0, false);
	CU_ASSERT(!a.freq && a.sample_period == 500 && !a.exclude_guest);
	CU_ASSERT(!(a.sample_type & PERF_SAMPLE_PERIOD));
}

static void stack_attributes(void)
{
	static const struct {
		uint32_t stacks, depth;
		const char *most;
		unsigned int want;
	} tries[] = {
		{ PITRACE_WANT_USER, 0, "127\n", 127 },
		{ PITRACE_WANT_USER, 5, "127\n", 5 },
		{ PITRACE_WANT_KERNEL, 5, "127\n", 5 },
		{ PITRACE_WANT_KERNEL | PITRACE_WANT_USER, 5, "127\n", 10 },
		{ PITRACE_WANT_KERNEL | PITRACE_WANT_USER, 0, "200\n", 200 },
		{ PITRACE_WANT_KERNEL | PITRACE_WANT_USER, 0, "254\n", 254 },
		{ PITRACE_WANT_KERNEL | PITRACE_WANT_USER, 0, "255\n", 254 },
		{ PITRACE_WANT_USER, 50, NULL, 50 },
		{ PITRACE_WANT_USER | PITRACE_WANT_KERNEL, 0, NULL, 127 },
		{ PITRACE_WANT_USER, 50, "many\n", 50 },
	};
	struct perf_event_attr a;

	for (size_t i = 0; i < sizeof(tries) / sizeof(*tries); i++) {
		begin();
		config.stacks = tries[i].stacks;
		config.depth = tries[i].depth;
		max_stack = tries[i].most;
		a = attr(PERF_SAMPLES, 0, false);
		CU_ASSERT(a.sample_type & PERF_SAMPLE_CALLCHAIN);
		CU_ASSERT_EQUAL(a.sample_max_stack, tries[i].want);
		CU_ASSERT_EQUAL(!a.exclude_callchain_kernel,
				!!(tries[i].stacks & PITRACE_WANT_KERNEL));
		CU_ASSERT_EQUAL(!a.exclude_callchain_user, !!(tries[i].stacks & PITRACE_WANT_USER));
		CU_ASSERT(!(a.sample_type & (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)));
	}
	config.stacks = PITRACE_WANT_COPY;
	a = attr(PERF_SAMPLES, 0, false);
	CU_ASSERT(a.sample_type & PERF_SAMPLE_REGS_USER && a.sample_type & PERF_SAMPLE_STACK_USER);
	CU_ASSERT(!(a.sample_type & PERF_SAMPLE_CALLCHAIN) && !a.sample_max_stack);
	CU_ASSERT(a.sample_stack_user == PITRACE_STACK_COPY_MAX);
	CU_ASSERT(a.sample_regs_user == perf_user_registers());
	config.copy = 1023;
	CU_ASSERT_EQUAL(attr(PERF_SAMPLES, 0, false).sample_stack_user, 1016);
	config.stacks = PITRACE_WANT_DISPATCH;
	a = attr(PERF_SAMPLES, 0, false);
	CU_ASSERT(!(a.sample_type & (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER)));
}

/* What an older kernel does not know is left out, one after the other, and nothing else is. */
static int knows;

static int refuse_known(const struct perf_event_attr *a, pid_t pid, int cpu)
{
	(void)pid;
	(void)cpu;
	if (knows < 1 && a->ksymbol)
		return EINVAL;
	if (knows < 2 && a->read_format & PERF_FORMAT_LOST)
		return EINVAL;
	return knows == 4 ? EINVAL : knows == 5 ? EACCES : 0;
}

static void older_kernels(void)
{
	static const int gives[] = { 0, 0, 0, 0, -EINVAL, -EACCES };

	for (knows = 0; knows < 6; knows++) {
		struct perf_event_attr a;
		int fd;

		begin();
		a = attr(PERF_NAMES, 0, false);
		refuses = refuse_known;
		fd = perf_open(&a, 5, 1);
		CU_ASSERT_EQUAL(fd < 0 ? fd : 0, gives[knows]);
		if (fd >= 0) {
			CU_ASSERT(event[0].pid == 5 && event[0].cpu == 1);
			CU_ASSERT_EQUAL(!!a.ksymbol, knows > 0);
			CU_ASSERT_EQUAL(!!(a.read_format & PERF_FORMAT_LOST), knows > 1);
			close(fd);
		}
	}
	CU_ASSERT_EQUAL(opened, 1); /* EACCES: at once */
}

/* ---- what is refused ------------------------------------------------------------------------- */

static int refuse_with, refuse_switches, refuse_kernel;

static int refuse(const struct perf_event_attr *a, pid_t pid, int cpu)
{
	(void)pid;
	(void)cpu;
	if (a->context_switch)
		return refuse_switches;
	if (refuse_kernel && !a->exclude_kernel)
		return refuse_kernel;
	return refuse_with;
}

static struct collector_check check;

static bool says(const char *words, const char *cure)
{
	bool is = words ? strstr(check.why, words) != NULL : !*check.why;

	is = is && (cure ? strstr(check.cure, cure) != NULL : !*check.cure);
	if (!is)
		printf("# %s; %s\n", check.why, check.cure);
	return is;
}

static void refusals(void)
{
	static const struct {
		int err;
		uint32_t scope;
		int pid;
		const char *paranoid;
		uint64_t caps;
		const char *status, *lockdown;
		enum collector_state state;
		const char *why, *cure;
	} tries[] = {
		{ EACCES, 0, 0, "1", 0, "", NULL, COLLECTOR_REFUSED,
		  "perf_event_paranoid is 1, and this user has no CAP_PERFMON: the whole system may not be traced",
		  "perf_event_paranoid=0, or run it as root (sudo)" },
		{ EPERM, 1, 5, "3", 0, "", NULL, COLLECTOR_REFUSED,
		  "perf_event_paranoid is 3, and this user has no CAP_PERFMON: no process may be traced",
		  "perf_event_paranoid=1" },
		{ EPERM, 1, 5, "2", 0, "", NULL, COLLECTOR_REFUSED, "process 5 is another user's",
		  "sudo" },
		{ EPERM, 1, 0, "2", 0, "", NULL, COLLECTOR_REFUSED, "a security module?", "sudo" },
		{ EPERM, 0, 0, "0", 0, "", NULL, COLLECTOR_REFUSED, "a security module?", "sudo" },
		{ EPERM, 0, 5, "0", 0, "", NULL, COLLECTOR_REFUSED, "a security module?", "sudo" },
		{ EPERM, 0, 0, "4", 1ull << 38, "", NULL, COLLECTOR_REFUSED, "a security module?",
		  "sudo" },
		{ EPERM, 0, 0, "4", 1ull << CAP_SYS_ADMIN, "", NULL, COLLECTOR_REFUSED,
		  "a security module?", "sudo" },
		{ EPERM, 0, 0, "4", 1ull << 37 | 1ull << 39 | 1 << 6, "", NULL, COLLECTOR_REFUSED,
		  "perf_event_paranoid is 4", "sysctl" },
		{ EPERM, 0, 0, "0", 0, "A: 1\nSeccomp:\t2\nSeccomp_filters: 3\n", NULL,
		  COLLECTOR_REFUSED, "a system call filter (seccomp) refuses", "docker run" },
		{ EPERM, 0, 0, "0", 0, "A: 1\nSeccomp:\t1\n", NULL, COLLECTOR_REFUSED,
		  "a security module?", "sudo" },
		{ EPERM, 0, 0, "0", 0, NULL, NULL, COLLECTOR_REFUSED, "a security module?",
		  "sudo" },
		{ EPERM, 0, 0, "4", 0, "", "none integrity [confidentiality]\n", COLLECTOR_REFUSED,
		  "the kernel is locked down", NULL },
		{ EPERM, 0, 0, "4", 0, "", "none [integrity] confidentiality\n", COLLECTOR_REFUSED,
		  "perf_event_paranoid is 4", "sysctl" },
		{ EPERM, 0, 0, "4", 0, "", "", COLLECTOR_REFUSED, "perf_event_paranoid is 4",
		  "sysctl" },
		{ ENOSYS, 0, 0, "2", 0, "", NULL, COLLECTOR_REFUSED, "hides perf_event_open",
		  "filter" },
		{ ENOSYS, 0, 0, NULL, 0, "Seccomp: 2\n", NULL, COLLECTOR_REFUSED,
		  "hides perf_event_open", "filter" },
		{ ENOSYS, 0, 0, NULL, 0, "", NULL, COLLECTOR_ABSENT,
		  "no perf events (CONFIG_PERF_EVENTS)", NULL },
		{ ENOSYS, 0, 0, "x", 0, "", NULL, COLLECTOR_ABSENT, "no perf events", NULL },
		{ ENOENT, 0, 0, "2", 0, "", NULL, COLLECTOR_ABSENT,
		  "cannot sample the event cpu-clock", "swtrace event list" },
		{ EOPNOTSUPP, 0, 0, "2", 0, "", NULL, COLLECTOR_ABSENT, "cannot sample the event",
		  "swtrace event list" },
		{ ENODEV, 0, 0, "2", 0, "", NULL, COLLECTOR_ABSENT, "cannot sample the event",
		  "swtrace event list" },
		{ ESRCH, 1, 777, "2", 0, "", NULL, COLLECTOR_REFUSED, "no process 777", NULL },
		{ EMFILE, 0, 0, "2", 0, "", NULL, COLLECTOR_REFUSED, "too many open files",
		  "ulimit -n" },
		{ ENFILE, 0, 0, "2", 0, "", NULL, COLLECTOR_REFUSED, "too many open files",
		  "ulimit -n" },
		{ EIO, 0, 0, "2", 0, "", NULL, COLLECTOR_REFUSED,
		  "perf_event_open: Input/output error", NULL },
	};

	for (size_t i = 0; i < sizeof(tries) / sizeof(*tries); i++) {
		begin();
		refuses = refuse;
		refuse_with = tries[i].err;
		refuse_kernel = refuse_switches = 0;
		config.scope = tries[i].scope;
		config.pid = tries[i].pid;
		paranoid = tries[i].paranoid;
		capabilities = tries[i].caps;
		status = tries[i].status;
		lockdown = tries[i].lockdown;
		collector_perf.check(&config, &check);
		if (check.state != tries[i].state)
			printf("# refusal %zu\n", i);
		CU_ASSERT_EQUAL(check.state, tries[i].state);
		CU_ASSERT(says(tries[i].why, tries[i].cure));
		/* It is not opened then, with the same words. */
		b = collector_perf.open(&config, &rc, why, sizeof(why));
		CU_ASSERT_PTR_NULL(b);
		CU_ASSERT_EQUAL(rc, check.state == COLLECTOR_REFUSED ? PI_NO_PERMISSION :
								       PI_NOT_SUPPORTED);
		CU_ASSERT(strstr(why, check.why) && strstr(why, check.cure));
		CU_ASSERT(fcntl(0, F_GETFD) >= 0); /* nothing else was closed */
		CU_ASSERT_EQUAL(strstr(why, "; ") != NULL && *check.cure, !!*check.cure);
	}
	begin();
	refuses = refuse;
	refuse_with = ENOENT;
	config.nevents = 1;
	strcpy(config.events[0].name, "bus-cycles");
	collector_perf.check(&config, &check);
	CU_ASSERT(says("cannot sample the event bus-cycles", "swtrace"));
}

/* A user to whom the kernel's code is not shown. */
static void user_only(void)
{
	struct pitrace_event_args *e = config.events;
	bool only;

	begin();
	refuses = refuse;
	refuse_with = refuse_switches = 0;
	refuse_kernel = EACCES;
	paranoid = "2\n";
	config.scope = PITRACE_SCOPE_PROCESS;
	config.pid = 77;
	perf_check(&config, &check, &only);
	CU_ASSERT(only && check.state == COLLECTOR_WORKS);
	CU_ASSERT(says("user code only: perf_event_paranoid is 2", "perf_event_paranoid=1"));
	CU_ASSERT(event[0].pid == 77 && event[0].cpu == -1 && !still_open());
	/* The stacks of both: the user's part is left. */
	config.stacks = PITRACE_WANT_KERNEL | PITRACE_WANT_USER;
	perf_check(&config, &check, &only);
	CU_ASSERT(only && check.state == COLLECTOR_WORKS);
	config.stacks = PITRACE_WANT_KERNEL | PITRACE_WANT_COPY;
	perf_check(&config, &check, &only);
	CU_ASSERT(check.state == COLLECTOR_WORKS);
	config.stacks = PITRACE_WANT_KERNEL | PITRACE_WANT_DISPATCH;
	perf_check(&config, &check, &only);
	CU_ASSERT(check.state == COLLECTOR_REFUSED);
	CU_ASSERT(says("stacks of the kernel alone: perf_event_paranoid 2", "sudo"));
	config.stacks = 0;
	/* Events that count in the kernel alone. */
	config.nevents = 2;
	e[1] = (struct pitrace_event_args){ .type = PERF_TYPE_SOFTWARE, .name = "second" };
	e[0] = e[1];
	perf_check(&config, &check, &only);
	CU_ASSERT(check.state == COLLECTOR_WORKS);
	for (int how = 0; how < 6; how++) {
		e[1].flags = how == 0 ? PITRACE_EVENT_KERNEL : 0;
		e[1].type = how == 1 || how == 5 ? PERF_TYPE_TRACEPOINT : PERF_TYPE_SOFTWARE;
		e[1].config = how == 2 ? PERF_COUNT_SW_CONTEXT_SWITCHES :
			      how == 3 ? PERF_COUNT_SW_CPU_MIGRATIONS :
					 PERF_COUNT_SW_PAGE_FAULTS;
		perf_check(&config, &check, &only);
		CU_ASSERT_EQUAL(check.state, how == 4 ? COLLECTOR_WORKS : COLLECTOR_REFUSED);
		CU_ASSERT_EQUAL(perf_in_kernel(&e[1]), how != 4);
		CU_ASSERT(
			how == 4 ||
			says("the event second is counted in the kernel's code, which perf_event_paranoid 2",
			     "sudo"));
	}
	config.nevents = 0;
	e[1].type = PERF_TYPE_HARDWARE;
	e[1].config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	CU_ASSERT(!perf_in_kernel(&e[1]));
	/* Of the whole system there is no such half. */
	config.scope = PITRACE_SCOPE_SYSTEM;
	perf_check(&config, &check, &only);
	CU_ASSERT(!only && check.state == COLLECTOR_REFUSED);
	CU_ASSERT(event[nevents - 1].pid == 77);
	/* And who is refused in both ways is. */
	config.scope = PITRACE_SCOPE_PROCESS;
	refuse_with = EACCES;
	perf_check(&config, &check, &only);
	CU_ASSERT(check.state == COLLECTOR_REFUSED);
	/* Another error is no sign of that. */
	refuse_kernel = EPERM;
	refuse_with = 0;
	perf_check(&config, &check, &only);
	CU_ASSERT(check.state == COLLECTOR_REFUSED);
	refuse_kernel = 0;
	perf_check(&config, &check, &only);
	CU_ASSERT(!only && check.state == COLLECTOR_WORKS && says(NULL, NULL));
	CU_ASSERT_EQUAL(still_open(), 0);
	config.clock = PITRACE_CLOCK_TSC;
	collector_perf.check(&config, &check);
	CU_ASSERT(check.state == COLLECTOR_ABSENT && says("not with the TSC", NULL));
}

static void dispatches_refused(void)
{
	bool only;

	for (int how = 0; how < 7; how++) {
		begin();
		refuses = refuse;
		refuse_with = 0;
		refuse_kernel = how == 6 ? EACCES : 0;
		refuse_switches = how == 2 ? EMFILE : how == 4 ? EPERM : EACCES;
		config.scope = PITRACE_SCOPE_PROCESS;
		config.pid = 77;
		paranoid = how == 3 ? "0\n" : how == 5 ? "1\n" : "2\n";
		if (how)
			set(config.majors, PITRACE_DISPATCH);
		perf_check(&config, &check, &only);
		CU_ASSERT_EQUAL(check.state, how ? COLLECTOR_REFUSED : COLLECTOR_WORKS);
		CU_ASSERT_EQUAL(strstr(check.why, "dispatch records are of whole CPUs: ") ==
					check.why,
				how == 1 || how >= 4);
		CU_ASSERT_EQUAL(strstr(check.why, "the whole system may not be traced") != NULL,
				how == 1 || how >= 4);
		CU_ASSERT_EQUAL(still_open(), 0);
	}
	refuse_switches = 0;
	perf_check(&config, &check, &only);
	CU_ASSERT(check.state == COLLECTOR_WORKS && !still_open());
	/* Of the whole system: on the first CPU, all threads. */
	CU_ASSERT(event[nevents - 1].attr.context_switch && event[nevents - 1].pid == -1 &&
		  event[nevents - 1].cpu == 0);
}

/* ---- events and rings ------------------------------------------------------------------------ */

static void turn_on(void)
{
	CU_ASSERT_EQUAL(collector_perf.on(b, &config), 0);
}

static void drain(bool all)
{
	CU_ASSERT_EQUAL(collector_perf.drain(b, all, records_take, NULL), 0);
}

static void tick(int cpu, uint64_t time)
{
	put_sample(&find(cpu, PERF_SAMPLES, 0)->ring, PERF_RECORD_MISC_USER, 1, 70, 0x1000, time,
		   1000000);
}

static int goes_offline(const struct perf_event_attr *a, pid_t pid, int cpu)
{
	(void)pid;
	return cpu == 1 && !a->mmap2 ? ENODEV : 0;
}

/* Names, then pairs that take turns; the first of a kind has the ring. */
static void system_events(void)
{
	struct fake_event *first;

	struct rlimit r, low;

	begin();
	conf = 4;
	offline = 1;
	config.dither = 50;
	CU_ASSERT_EQUAL(getrlimit(RLIMIT_NOFILE, &r), 0);
	low = (struct rlimit){ r.rlim_max - 1, r.rlim_max };
	CU_ASSERT_EQUAL(setrlimit(RLIMIT_NOFILE, &low), 0);
	open_it();
	CU_ASSERT(!getrlimit(RLIMIT_NOFILE, &low) && low.rlim_cur == r.rlim_max);
	CU_ASSERT_EQUAL(setrlimit(RLIMIT_NOFILE, &r), 0);
	CU_ASSERT_EQUAL(info()->ncpus, 3);
	CU_ASSERT_EQUAL(still_open(), 9);
	CU_ASSERT_EQUAL(watched, 9);
	for (int cpu = 0; cpu < 4; cpu++) {
		if (cpu == 1)
			continue;
		first = find(cpu, PERF_NAMES, 0);
		CU_ASSERT_FATAL(first && !find(cpu, PERF_NAMES, 1));
		CU_ASSERT(first->ring.bytes == 65536 && first->pid == -1);
		first = find(cpu, PERF_SAMPLES, 0);
		CU_ASSERT_FATAL(first && find(cpu, PERF_SAMPLES, 1) && !find(cpu, PERF_SAMPLES, 2));
		CU_ASSERT_EQUAL(first->ring.bytes, 131072);
		CU_ASSERT_EQUAL(find(cpu, PERF_SAMPLES, 1)->output, first->fd);
		CU_ASSERT_PTR_NULL(find(cpu, PERF_SAMPLES, 1)->ring.page);
		CU_ASSERT_EQUAL(first->attr.sample_period, perf_dither_period(&config, 0, 0));
		CU_ASSERT_EQUAL(find(cpu, PERF_SAMPLES, 1)->attr.sample_period,
				perf_dither_period(&config, 0, 1));
	}
	CU_ASSERT(info()->mte_bytes == 65536 && info()->trace_bytes == 131072);
	CU_ASSERT_STRING_EQUAL(info()->note, "");
	close_it();

	/* One that goes offline just then leaves nothing, and its place to the next. */
	begin();
	conf = 3;
	refuses = goes_offline;
	open_it();
	CU_ASSERT(info()->ncpus == 2 && still_open() == 4 && watched == 4);
	turn_on();
	tick(2, now_ns());
	drain(true);
	CU_ASSERT(info()->ticks == 1 && told[ntold - 1].cpu == 2);
	close_it();

	/* Clocks by a rate, in turns: of fixed periods. */
	begin();
	config.dither = 50;
	config.nevents = 1;
	config.events[0] = (struct pitrace_event_args){ .flags = PITRACE_EVENT_RATE,
							.type = PERF_TYPE_SOFTWARE,
							.config = PERF_COUNT_SW_TASK_CLOCK,
							.period = 1000 };
	open_it();
	CU_ASSERT(still_open() == 6 && !find(0, PERF_SAMPLES, 0)->attr.freq);
	CU_ASSERT_EQUAL(find(0, PERF_SAMPLES, 1)->attr.sample_period,
			perf_dither_period(&config, 0, 1));
	turn_on();
	CU_ASSERT_EQUAL(threads(false), 2);
	CU_ASSERT_EQUAL(threads(true), 1);
	CU_ASSERT_EQUAL(collector_perf.off(b), 0);
	CU_ASSERT_EQUAL(threads(false), 1);
	close_it();

	/* Many events: the table grows. */
	begin();
	conf = 20;
	config.nevents = 7;
	for (unsigned int i = 0; i < 7; i++) {
		config.events[i].period = 100 + i;
		sprintf(config.events[i].name, "e%u", i);
	}
	open_it();
	CU_ASSERT_EQUAL(still_open(), 160);
	for (unsigned int i = 0; i < 7; i++)
		CU_ASSERT_EQUAL(find(19, PERF_SAMPLES, i)->attr.sample_period, 100 + i);
	close_it();
}

/* Of each of its threads, on each CPU. */
static void *sleeper(void *arg)
{
	char c;

	return __real_read(*(int *)arg, &c, 1) < 0 ? arg : NULL;
}

static int gone_thread;

static int refuse_thread(const struct perf_event_attr *a, pid_t pid, int cpu)
{
	(void)a;
	(void)cpu;
	return pid == gone_thread || gone_thread == -1 ? ESRCH : 0;
}

static void process_events(void)
{
	pthread_t thread[3];
	int ends[2];

	begin();
	CU_ASSERT_EQUAL_FATAL(pipe(ends), 0);
	others = 3;
	for (int i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, sleeper, &ends[0]);
	config.scope = PITRACE_SCOPE_PROCESS;
	config.pid = getpid();
	open_it();
	CU_ASSERT_EQUAL(info()->ncpus, 2);
	CU_ASSERT_EQUAL(still_open(), 2 * 4 * 2);
	CU_ASSERT_EQUAL(find(1, PERF_SAMPLES, 3)->output, find(1, PERF_SAMPLES, 0)->fd);
	CU_ASSERT_EQUAL(find(1, PERF_NAMES, 3)->output, find(1, PERF_NAMES, 0)->fd);
	close_it();
	/* One that ended meanwhile is left out; if all did, it is gone. */
	refuses = refuse_thread;
	gone_thread = event[nevents - 1].pid;
	nevents = 0;
	open_it();
	CU_ASSERT(info()->ncpus == 2 && still_open() == 2 * 3 * 2);
	close_it();
	gone_thread = -1;
	b = collector_perf.open(&config, &rc, why, sizeof(why));
	CU_ASSERT_PTR_NULL(b);
	refuses = NULL;
	config.pid = 1 << 29;
	b = collector_perf.open(&config, &rc, why, sizeof(why));
	CU_ASSERT_PTR_NULL(b);
	CU_ASSERT_PTR_NOT_NULL(strstr(why, "no process"));
	CU_ASSERT_EQUAL(still_open(), 0);
	CU_ASSERT_EQUAL(write(ends[1], "abc", 3), 3);
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	others = 0;
	close(ends[0]);
	close(ends[1]);
}

/* Whatever fails, it says so and leaves nothing. */
static void open_fails(void)
{
	int *const knobs[] = { &fails_alloc,   &fails_id,         &fails_output, &fails_epoll,
			       &fails_eventfd, &fails_socketpair, &fails_mmap };

	for (size_t k = 0; k < sizeof(knobs) / sizeof(*knobs); k++)
		for (int at = 1; at < (k ? 8 : 40); at++) {
			begin();
			config.dither = 50;
			*knobs[k] = at;
			b = collector_perf.open(&config, &rc, why, sizeof(why));
			/* It came to that call. */
			CU_ASSERT(b ? *knobs[k] || !k : !*knobs[k]);
			CU_ASSERT(b || (rc != PI_OK && *why));
			if (b)
				close_it();
			CU_ASSERT_EQUAL(still_open(), 0);
		}
	begin();
	refuses = refuse;
	refuse_kernel = 0;
	refuse_with = EMFILE;
	config.clock = PITRACE_CLOCK_TSC;
	CU_ASSERT_PTR_NULL(collector_perf.open(&config, &rc, why, sizeof(why)));
	CU_ASSERT_EQUAL(rc, PI_NOT_SUPPORTED);
	CU_ASSERT_EQUAL(opened, 0);
}

/* Rings as large as the user may lock, 64 KB at least. */
static void ring_sizes(void)
{
	static const struct {
		uint64_t wanted;
		size_t lockable, got;
	} tries[] = {
		{ 1 << 20, 0, 1 << 20 }, { (1 << 20) + 1, 0, 2 << 20 }, { 1 << 20, 200000, 131072 },
		{ 1, 0, 65536 },         { 65536, 65536, 65536 },       { 65537, 65536, 65536 },
		{ 1 << 20, 65535, 0 },
	};

	for (size_t i = 0; i < sizeof(tries) / sizeof(*tries); i++) {
		begin();
		config.trace_bytes = tries[i].wanted;
		lockable = tries[i].lockable;
		b = collector_perf.open(&config, &rc, why, sizeof(why));
		CU_ASSERT_EQUAL(b != NULL, tries[i].got > 0);
		if (!b)
			continue;
		CU_ASSERT_EQUAL(info()->trace_bytes, tries[i].got);
		CU_ASSERT_EQUAL(strstr(info()->note, "more this user may not lock") != NULL,
				tries[i].got < tries[i].wanted);
		if (tries[i].got < tries[i].wanted)
			CU_ASSERT_PTR_NOT_NULL(strstr(info()->note, tries[i].got == 65536 ?
									    "rings of 64 KB" :
									    "rings of 128 KB"));
		close_it();
	}
}

static void notes(void)
{
	begin();
	config.stacks = PITRACE_WANT_DISPATCH;
	open_it();
	CU_ASSERT_STRING_EQUAL(info()->note, "no stacks at dispatches");
	close_it();
	begin();
	config.stacks = PITRACE_WANT_DISPATCH | PITRACE_WANT_USER;
	config.scope = PITRACE_SCOPE_PROCESS;
	config.pid = getpid();
	refuses = refuse;
	refuse_kernel = EACCES;
	refuse_with = refuse_switches = 0;
	lockable = 65536;
	paranoid = "2";
	open_it();
	CU_ASSERT_STRING_EQUAL(info()->note,
			       "user code only: perf_event_paranoid is 2; no stacks at dispatches; "
			       "rings of 64 KB a CPU: more this user may not lock (ulimit -l)");
	CU_ASSERT(find(0, PERF_SAMPLES, 0)->attr.exclude_kernel);
	close_it();
}

/* ---- on and off ------------------------------------------------------------------------------ */

static void on_off(void)
{
	const struct told *t;

	begin();
	config.nevents = 2;
	config.events[0] = (struct pitrace_event_args){ .period = 300, .flags = 2, .name = "one" };
	config.events[1] = (struct pitrace_event_args){ .period = 400, .name = "two" };
	open_it();
	CU_ASSERT_EQUAL(collector_perf.off(b), -EALREADY);
	CU_ASSERT(!info()->driver_have && !info()->driver_missing);
	CU_ASSERT(info()->state == PITRACE_STATE_OFF && info()->interval == 0);
	CU_ASSERT_EQUAL(collector_perf.fd(b) >= 0, 1);
	turn_on();
	CU_ASSERT_EQUAL(collector_perf.on(b, &config), -EBUSY);
	CU_ASSERT(info()->state == PITRACE_STATE_ON && info()->interval == 1);
	CU_ASSERT(on(PERF_NAMES) == 2 && on(PERF_SAMPLES) == 4 && !on(PERF_SWITCHES));
	CU_ASSERT_EQUAL(walks, 1);
	tick(0, now_ns());
	drain(true);
	CU_ASSERT_EQUAL(told[0].major, PITRACE_SYNC);
	CU_ASSERT_EQUAL(records_count(PITRACE_SYNC, PITRACE_SYNC_ON), 1);
	CU_ASSERT_EQUAL(records_count(PITRACE_MTE, PITRACE_MTE_PROCESS), 1);
	t = records_nth(PITRACE_SYSINFO, PITRACE_SYSINFO_INTERVAL, 0);
	CU_ASSERT_FATAL(t != NULL);
	CU_ASSERT(t->interval.interval == 1 && !t->interval.flags && !t->interval.dither);
	CU_ASSERT(t->interval.cpus_present == 2 && t->interval.cpus_online);
	for (unsigned int i = 0; i < 2; i++) {
		t = records_nth(PITRACE_SYSINFO, PITRACE_SYSINFO_EVENT, i);
		CU_ASSERT_FATAL(t != NULL);
		CU_ASSERT(t->event.event == i && t->event.period == 300 + 100 * i);
		CU_ASSERT_EQUAL(t->event.flags, i ? 0 : 2);
		CU_ASSERT_STRING_EQUAL(t->event.name, i ? "two" : "one");
	}
	CU_ASSERT(info()->ticks == 1 && info()->ncpus == 2);
	CU_ASSERT_EQUAL(collector_perf.off(b), 0);
	CU_ASSERT_EQUAL(info()->state, PITRACE_STATE_OFF);
	CU_ASSERT(!on(PERF_NAMES) && !on(PERF_SAMPLES));
	CU_ASSERT_EQUAL(walks, 1);
	drain(true);
	CU_ASSERT_EQUAL(records_count(PITRACE_SYNC, PITRACE_SYNC_OFF), 1);
	/* Again; what the rings held in between is not of this interval. */
	tick(0, now_ns());
	turn_on();
	records_forget();
	drain(true);
	CU_ASSERT_EQUAL(records_count(PITRACE_TPROF, UINT32_MAX), 0);
	CU_ASSERT_EQUAL(records_nth(PITRACE_SYSINFO, PITRACE_SYSINFO_INTERVAL, 0)->interval.interval,
			2);
	CU_ASSERT(info()->interval == 2 && !info()->ticks);
	CU_ASSERT_EQUAL(opened, 1 + 2 * 3 + 1);
	/* Others are opened anew. */
	CU_ASSERT_EQUAL(collector_perf.off(b), 0);
	config.events[1].period = 500;
	turn_on();
	CU_ASSERT_EQUAL(find(0, PERF_SAMPLES, 1)->attr.sample_period, 500);
	CU_ASSERT_EQUAL(collector_perf.off(b), 0);
	config.nevents = 1;
	turn_on();
	CU_ASSERT_PTR_NULL(find(0, PERF_SAMPLES, 1));
	CU_ASSERT_EQUAL(collector_perf.off(b), 0);
	config.nevents = 0;
	turn_on();
	CU_ASSERT_EQUAL(collector_perf.off(b), 0);
	opened = 0;
	turn_on();
	CU_ASSERT_EQUAL(collector_perf.off(b), 0);
	CU_ASSERT_EQUAL(opened, 0);
	config.rate = 500;
	turn_on();
	CU_ASSERT_EQUAL(find(0, PERF_SAMPLES, 0)->attr.sample_period, 2000000);
	records_forget();
	drain(true);
	CU_ASSERT_EQUAL(records_nth(PITRACE_SYSINFO, PITRACE_SYSINFO_INTERVAL, 0)->interval.rate,
			500);
	CU_ASSERT_EQUAL(collector_perf.clock_hz(b), SECOND);
	close_it();
}

/* Only what is asked for is on; switches have rings once they are. */
static void majors(void)
{
	for (int how = 0; how < 4; how++) {
		begin();
		memset(config.majors, 0, sizeof(config.majors));
		open_it();
		if (how & 1)
			set(config.majors, PITRACE_TPROF);
		if (how & 2)
			set(config.majors, PITRACE_DISPATCH);
		turn_on();
		CU_ASSERT_EQUAL(on(PERF_NAMES), 2);
		CU_ASSERT_EQUAL(on(PERF_SAMPLES), how & 1 ? 2 : 0);
		CU_ASSERT_EQUAL(on(PERF_SWITCHES), how & 2 ? 2 : 0);
		CU_ASSERT_EQUAL(find(1, PERF_SWITCHES, 0) != NULL, !!(how & 2));
		if (how & 2) {
			CU_ASSERT(find(1, PERF_SWITCHES, 0)->pid == -1);
			CU_ASSERT_EQUAL(find(1, PERF_SWITCHES, 0)->ring.bytes, 131072);
			put_switch(&find(1, PERF_SWITCHES, 0)->ring, 1, 2, now_ns());
			drain(true);
			CU_ASSERT_EQUAL(records_count(PITRACE_DISPATCH, UINT32_MAX), 1);
		}
		CU_ASSERT_EQUAL(collector_perf.suspend(b, true), 0);
		CU_ASSERT(!on(PERF_SAMPLES) && !on(PERF_SWITCHES) && on(PERF_NAMES) == 2);
		CU_ASSERT_EQUAL(collector_perf.suspend(b, false), 0);
		CU_ASSERT_EQUAL(on(PERF_SAMPLES), how & 1 ? 2 : 0);
		CU_ASSERT_EQUAL(on(PERF_SWITCHES), how & 2 ? 2 : 0);
		CU_ASSERT_EQUAL(collector_perf.off(b), 0);
		CU_ASSERT(!on(PERF_NAMES) && !on(PERF_SAMPLES) && !on(PERF_SWITCHES));
		turn_on();
		CU_ASSERT_EQUAL(on(PERF_SWITCHES), how & 2 ? 2 : 0);
		CU_ASSERT_PTR_NULL(find(1, PERF_SWITCHES, 1));
		close_it();
	}
}

static void on_fails(void)
{
	begin();
	open_it();
	walk_fails = -ESRCH;
	CU_ASSERT_EQUAL(collector_perf.on(b, &config), -ESRCH);
	CU_ASSERT(!on(PERF_NAMES) && !on(PERF_SAMPLES) && info()->state == PITRACE_STATE_OFF);
	walk_fails = 0;
	refuses = refuse;
	refuse_switches = EMFILE;
	refuse_with = refuse_kernel = 0;
	set(config.majors, PITRACE_DISPATCH);
	CU_ASSERT_EQUAL(collector_perf.on(b, &config), -EMFILE);
	CU_ASSERT(!on(PERF_NAMES) && info()->state == PITRACE_STATE_OFF);
	refuse_switches = 0;
	turn_on();
	CU_ASSERT_EQUAL(collector_perf.off(b), 0);
	/* New events that cannot be opened; then they can. */
	refuse_with = EMFILE;
	config.rate = 300;
	CU_ASSERT_EQUAL(collector_perf.on(b, &config), -EMFILE);
	CU_ASSERT_EQUAL(info()->state, PITRACE_STATE_OFF);
	CU_ASSERT_EQUAL(collector_perf.on(b, &config), -EMFILE);
	refuse_with = 0;
	turn_on();
	CU_ASSERT(on(PERF_NAMES) == 2 && on(PERF_SAMPLES) == 2);
	CU_ASSERT_EQUAL(find(0, PERF_SAMPLES, 0)->attr.sample_period, SECOND / 300);
	close_it();
	/* Turns that cannot begin. */
	begin();
	config.dither = 50;
	open_it();
	fails_eventfd = 1;
	CU_ASSERT_EQUAL(collector_perf.on(b, &config), -EMFILE);
	CU_ASSERT(!on(PERF_NAMES) && info()->state == PITRACE_STATE_OFF);
	turn_on();
	CU_ASSERT_EQUAL(on(PERF_SAMPLES), 2);
	records_forget();
	drain(true);
	CU_ASSERT_EQUAL(records_nth(PITRACE_SYSINFO, PITRACE_SYSINFO_INTERVAL, 0)->interval.dither,
			50);
	CU_ASSERT_EQUAL(collector_perf.off(b), 0);
	CU_ASSERT_EQUAL(on(PERF_SAMPLES), 0);
	close_it();
}

static void suspended(void)
{
	begin();
	open_it();
	CU_ASSERT_EQUAL(collector_perf.suspend(b, true), -EINVAL);
	CU_ASSERT_EQUAL(collector_perf.suspend(b, false), -EINVAL);
	turn_on();
	tick(0, now_ns());
	drain(true);
	CU_ASSERT_EQUAL(collector_perf.suspend(b, false), 0);
	CU_ASSERT_EQUAL(find(0, PERF_SAMPLES, 0)->turned, 1);
	CU_ASSERT_EQUAL(collector_perf.suspend(b, true), 0);
	CU_ASSERT_EQUAL(info()->state, PITRACE_STATE_SUSPENDED);
	CU_ASSERT_EQUAL(collector_perf.suspend(b, true), 0);
	records_forget();
	drain(true);
	CU_ASSERT_EQUAL(records_count(PITRACE_SYSINFO, UINT32_MAX), 0);
	CU_ASSERT_EQUAL(collector_perf.suspend(b, false), 0);
	CU_ASSERT_EQUAL(info()->state, PITRACE_STATE_ON);
	/* The pause is no gap, but an interval's beginning. */
	tick(0, now_ns() + 5 * SECOND);
	drain(true);
	CU_ASSERT_EQUAL(records_count(PITRACE_SYSINFO, PITRACE_SYSINFO_INTERVAL), 1);
	CU_ASSERT_EQUAL(records_lost(PITRACE_LOST_OVERRUN), 0);
	CU_ASSERT_EQUAL(info()->ticks, 2);
	close_it();
}

/* What events count themselves as lost, beyond what records tell. */
static void counted_lost(void)
{
	struct pifile_stats *stats;

	begin();
	set(config.majors, PITRACE_DISPATCH);
	open_it();
	turn_on();
	CU_ASSERT_EQUAL(collector_perf.off(b), 0);
	find(0, PERF_SAMPLES, 0)->lost = 100; /* of before */
	find(1, PERF_SWITCHES, 0)->lost = 50;
	turn_on();
	find(0, PERF_SAMPLES, 0)->lost = 103;
	find(1, PERF_SWITCHES, 0)->lost = 54;
	find(1, PERF_NAMES, 0)->lost = 5;
	put_lost(&find(0, PERF_SAMPLES, 0)->ring, 7, now_ns());
	put_lost(&find(1, PERF_NAMES, 0)->ring, 2, now_ns());
	tick(1, now_ns());
	drain(true);
	CU_ASSERT(info()->lost[PITRACE_LOST_DISPATCH] == 0 && info()->lost[PITRACE_LOST_MTE] == 2);
	CU_ASSERT_EQUAL(walks, 3); /* names were lost: all again */
	CU_ASSERT_EQUAL(collector_perf.off(b), 0);
	CU_ASSERT_EQUAL(info()->lost[PITRACE_LOST_TPROF], 7); /* records told of more */
	CU_ASSERT_EQUAL(info()->lost[PITRACE_LOST_DISPATCH], 4);
	CU_ASSERT_EQUAL(info()->lost[PITRACE_LOST_MTE], 5);
	find(1, PERF_SWITCHES, 0)->lost = 60;
	drain(true);
	CU_ASSERT_EQUAL(info()->lost[PITRACE_LOST_DISPATCH], 10);
	CU_ASSERT_EQUAL_FATAL(collector_perf.stats(b, &stats), 2);
	CU_ASSERT(stats[0].cpu == 0 && stats[1].cpu == 1 && stats[0].online && stats[1].online);
	CU_ASSERT(stats[0].lost[PITRACE_LOST_TPROF] == 7 && stats[1].lost[PITRACE_LOST_MTE] == 5);
	CU_ASSERT(stats[1].ticks == 1 && !stats[0].ticks && !stats[0].idle_ticks);
	CU_ASSERT_EQUAL(stats[1].trace_bytes, 4096);
	CU_ASSERT(stats[0].mte_bytes >= 2 * 4096 && stats[0].mte_bytes % 4096 == 0);
	free(stats);
	close_it();
	/* Names lost while it goes off: once more then. */
	begin();
	old_kernel = true;
	open_it();
	turn_on();
	find(0, PERF_NAMES, 0)->lost = 9; /* it does not know */
	drain(true);
	put_lost(&find(1, PERF_NAMES, 0)->ring, 2, now_ns());
	CU_ASSERT_EQUAL(collector_perf.off(b), 0);
	CU_ASSERT_EQUAL(walks, 1);
	drain(true);
	CU_ASSERT_EQUAL(walks, 1); /* it is off: of no use */
	CU_ASSERT_EQUAL(info()->lost[PITRACE_LOST_MTE], 2);
	close_it();
}

/* ---- drains ---------------------------------------------------------------------------------- */

static bool readable(void)
{
	struct pollfd p = { .fd = collector_perf.fd(b), .events = POLLIN };

	return poll(&p, 1, 0) > 0;
}

static void continuous(void)
{
	begin();
	open_it();
	drain(true);
	CU_ASSERT_EQUAL(ntold, 0);
	turn_on();
	drain(true);
	records_forget();
	/* A drain in between reads what is much; that of each second all. */
	tick(0, now_ns());
	drain(false);
	CU_ASSERT_EQUAL(ntold, 0);
	for (int i = 0; i < 600; i++)
		tick(0, now_ns());
	CU_ASSERT(find(0, PERF_SAMPLES, 0)->ring.page->data_head -
			  find(0, PERF_SAMPLES, 0)->ring.page->data_tail >=
		  32768);
	drain(false);
	CU_ASSERT(records_count(PITRACE_TPROF, UINT32_MAX) > 400 &&
		  records_count(PITRACE_TPROF, UINT32_MAX) < 601);
	drain(true);
	CU_ASSERT_EQUAL(records_count(PITRACE_TPROF, UINT32_MAX), 601);
	/* Clock syncs: each second, about. */
	CU_ASSERT_EQUAL(records_count(PITRACE_SYNC, UINT32_MAX), 0);
	fake_clock += 600;
	drain(false);
	drain(true);
	CU_ASSERT_EQUAL(records_count(PITRACE_SYNC, PITRACE_SYNC_SECOND), 1);
	fake_clock += 300;
	drain(true);
	CU_ASSERT_EQUAL(records_count(PITRACE_SYNC, PITRACE_SYNC_SECOND), 1);
	sink_fails = nsegments + 1;
	tick(0, now_ns());
	CU_ASSERT_EQUAL(collector_perf.drain(b, true, records_take, NULL), -EIO);
	CU_ASSERT_EQUAL(collector_perf.off(b), 0);
	fake_clock += 2000;
	records_forget();
	drain(true);
	CU_ASSERT_EQUAL(records_count(PITRACE_SYNC, PITRACE_SYNC_SECOND), 0);
	close_it();
}

static void ring(unsigned int n)
{
	uint64_t one = 1;

	for (unsigned int i = 0; n && i < nevents; i++)
		if (event[i].fd >= 0) {
			CU_ASSERT_EQUAL(write(event[i].bell, &one, sizeof(one)), 8);
			n--;
		}
	CU_ASSERT_EQUAL(n, 0);
}

/* What woke it does so again only when more comes, however many events did. */
static void wakes(void)
{
	begin();
	conf = 60;
	open_it();
	turn_on();
	for (unsigned int k = 1; k < 120; k += 7) {
		CU_ASSERT(!readable());
		ring(k);
		CU_ASSERT(readable());
		drain(false);
	}
	CU_ASSERT(!readable());
	close_it();
}

/* Exactly as much as makes a drain worth while, and 8 bytes less. */
static void enough(void)
{
	for (int use = 0; use < 3; use++)
		for (int less = 0; less < 2; less++) {
			struct perf_ring *r;

			begin();
			set(config.majors, PITRACE_DISPATCH);
			open_it();
			turn_on();
			drain(true);
			records_forget();
			r = &find(1,
				  use == 0 ? PERF_NAMES :
				  use == 1 ? PERF_SAMPLES :
					     PERF_SWITCHES,
				  0)
				     ->ring;
			/* One record, of a kind that nobody asks for. */
			for (unsigned int left = 32768 - 8 * (unsigned int)less; left;) {
				unsigned int n = left > 4096 ? 4096 : left;

				body_length = n - 8 - 32;
				put_id(r, 99, 0, 70, now_ns());
				left -= n;
			}
			drain(false);
			CU_ASSERT_EQUAL(r->page->data_tail == r->page->data_head, !less);
			close_it();
		}
}

/* Wrap: names at once, of the samples the newest. */
static void wrap(void)
{
	unsigned int seen;

	begin();
	config.mode = PITRACE_MODE_WRAP;
	config.trace_bytes = 3 * 4096;
	open_it();
	turn_on();
	/* Some 80 to a segment: CPU 0 fills many, CPU 1 one. */
	tick(1, 5);
	for (unsigned int i = 0; i < 900; i++)
		tick(0, 10 + i);
	drain(true);
	CU_ASSERT(records_count(PITRACE_MTE, UINT32_MAX) == 1 &&
		  records_count(PITRACE_SYNC, UINT32_MAX) == 1);
	CU_ASSERT_EQUAL(records_count(PITRACE_TPROF, UINT32_MAX), 0);
	records_forget();
	CU_ASSERT_EQUAL(collector_perf.mark(b), 0);
	CU_ASSERT_EQUAL(collector_perf.window(b, records_take, NULL), 0);
	CU_ASSERT_EQUAL(nsegments, 4);
	seen = records_count(PITRACE_TPROF, UINT32_MAX);
	CU_ASSERT(seen > 150 && seen < 400);
	CU_ASSERT_EQUAL(told[ntold - 1].cpu == 1 || told[0].cpu == 1, 1);
	for (unsigned int i = 0, last = 909 - (seen - 1); i < ntold; i++)
		if (told[i].cpu == 0) {
			CU_ASSERT_EQUAL(told[i].stamp, ++last);
		}
	/* It keeps them. */
	records_forget();
	CU_ASSERT_EQUAL(collector_perf.window(b, records_take, NULL), 0);
	CU_ASSERT_EQUAL(nsegments, 4);
	records_forget();
	sink_fails = 2;
	CU_ASSERT_EQUAL(collector_perf.window(b, records_take, NULL), -EIO);
	CU_ASSERT_EQUAL(nsegments, 2);
	/* Thrown away. */
	tick(0, 2000);
	CU_ASSERT_EQUAL(collector_perf.discard(b), 0);
	records_forget();
	CU_ASSERT_EQUAL(collector_perf.window(b, records_take, NULL), 0);
	CU_ASSERT_EQUAL(nsegments, 0);
	tick(0, 3000);
	tick(1, 3000);
	drain(true);
	CU_ASSERT_EQUAL(collector_perf.window(b, records_take, NULL), 0);
	CU_ASSERT_EQUAL(records_count(PITRACE_TPROF, UINT32_MAX), 2);
	/* An interval's beginning forgets the last one's. */
	CU_ASSERT_EQUAL(collector_perf.off(b), 0);
	turn_on();
	records_forget();
	CU_ASSERT_EQUAL(collector_perf.window(b, records_take, NULL), 0);
	CU_ASSERT_EQUAL(nsegments, 0);
	sink_fails = 1;
	CU_ASSERT_EQUAL(collector_perf.drain(b, true, records_take, NULL), -EIO);
	close_it();
}

static void wait_for(uint32_t state)
{
	for (int i = 0; i < 2000 && info()->state != state; i++)
		usleep(5000);
	CU_ASSERT_EQUAL(info()->state, state);
}

/* Normal: all is kept until a CPU's buffer is full. */
static void normal(void)
{
	unsigned int names;

	begin();
	config.mode = PITRACE_MODE_NORMAL;
	config.mte_bytes = 65536;
	config.trace_bytes = 3 * 4096;
	open_it();
	CU_ASSERT(!readable());
	turn_on();
	CU_ASSERT(threads(false) == 2 && threads(true) == 1);
	ring(3);
	tick(0, now_ns());
	tick(1, now_ns());
	drain(true);
	names = records_count(PITRACE_MTE, UINT32_MAX) + records_count(PITRACE_SYNC, UINT32_MAX);
	CU_ASSERT(names >= 2);
	CU_ASSERT_EQUAL(told[0].ring, PITRACE_RING_MTE);
	CU_ASSERT_EQUAL(told[ntold - 1].ring, PITRACE_RING_TRACE);
	CU_ASSERT_EQUAL(records_count(PITRACE_TPROF, UINT32_MAX), 2);
	/* Each time from the beginning. */
	records_forget();
	drain(true);
	CU_ASSERT_EQUAL(records_count(PITRACE_TPROF, UINT32_MAX), 2);
	for (unsigned int k = 1; k <= 2; k++) {
		records_forget();
		sink_fails = k;
		CU_ASSERT_EQUAL(collector_perf.drain(b, false, records_take, NULL), -EIO);
		CU_ASSERT_EQUAL(nsegments, k);
	}
	CU_ASSERT(!readable());
	/* Full: it stops by itself, and who waits for it is woken. */
	for (unsigned int i = 0; i < 400; i++)
		tick(1, now_ns());
	wait_for(PITRACE_STATE_STOPPED);
	CU_ASSERT(readable());
	CU_ASSERT(info()->stop_cpu == 1 && info()->stop_ring == PITRACE_RING_TRACE);
	CU_ASSERT(!on(PERF_SAMPLES));
	records_forget();
	drain(true);
	CU_ASSERT_EQUAL(records_count(PITRACE_TPROF, UINT32_MAX) > 150, 1);
	for (unsigned int i = 0, n = 0; i < nsegments; i++)
		CU_ASSERT(++n <= 3 + 1 + 8);
	CU_ASSERT_EQUAL(collector_perf.off(b), 0);
	CU_ASSERT_EQUAL(threads(false), 1);
	CU_ASSERT(!readable());
	names = nsegments;
	records_forget();
	drain(true);
	CU_ASSERT(records_count(PITRACE_TPROF, UINT32_MAX) > 150);
	/* What comes then is of no interval. */
	tick(0, now_ns());
	names = ntold;
	records_forget();
	drain(true);
	CU_ASSERT_EQUAL(ntold, names);
	/* The next interval begins with empty buffers. */
	turn_on();
	tick(0, now_ns());
	CU_ASSERT_EQUAL(collector_perf.off(b), 0);
	records_forget();
	drain(true);
	CU_ASSERT_EQUAL(records_count(PITRACE_TPROF, UINT32_MAX), 1);
	CU_ASSERT_EQUAL(records_count(PITRACE_SYNC, PITRACE_SYNC_OFF), 1);
	close_it();
}

/* The names of what lives already fill it: it cannot be turned on. */
static void normal_full(void)
{
	begin();
	config.mode = PITRACE_MODE_NORMAL;
	open_it();
	walk_maps = 2000;
	CU_ASSERT_EQUAL(collector_perf.on(b, &config), -ENOBUFS);
	CU_ASSERT_EQUAL(info()->stop_ring, PITRACE_RING_MTE);
	CU_ASSERT(info()->state == PITRACE_STATE_OFF && !on(PERF_NAMES));
	close_it();
	/* Exactly as many segments as it has room for; each CPU by itself. */
	for (uint32_t room = 2; room < 6; room++) {
		begin();
		config.mode = PITRACE_MODE_NORMAL;
		config.trace_bytes = room * 4096;
		conf = room == 4 ? 1 : 2;
		config.segment_bytes = 4096;
		open_it();
		turn_on();
		drain(true);
		for (unsigned int i = 0; i < 900; i++)
			tick(0, now_ns());
		wait_for(PITRACE_STATE_STOPPED);
		records_forget();
		drain(true);
		unsigned int names = 0;
		for (unsigned int i = 0; i < ntold; i++)
			if (told[i].ring == PITRACE_RING_TRACE &&
			    (!i || told[i].segment != told[i - 1].segment))
				names++;
		CU_ASSERT_EQUAL(names, room);
		CU_ASSERT_EQUAL(info()->stop_cpu, 0);
		CU_ASSERT_EQUAL(collector_perf.off(b), 0);
		close_it();
	}
}

/* Its thread writes a clock sync each second, and what the rings hold before they are full. */
static void normal_keeps(void)
{
	begin();
	config.mode = PITRACE_MODE_NORMAL;
	open_it();
	turn_on();
	tick(0, now_ns());
	fake_clock = 1500;
	for (int i = 0; i < 2000 && find(0, PERF_SAMPLES, 0)->ring.page->data_tail !=
					    find(0, PERF_SAMPLES, 0)->ring.page->data_head;
	     i++)
		usleep(5000);
	CU_ASSERT_EQUAL(find(0, PERF_SAMPLES, 0)->ring.page->data_tail,
			find(0, PERF_SAMPLES, 0)->ring.page->data_head);
	drain(true);
	CU_ASSERT_EQUAL(records_count(PITRACE_SYNC, PITRACE_SYNC_SECOND), 1);
	CU_ASSERT_EQUAL(collector_perf.suspend(b, true), 0);
	fake_clock = 4500;
	for (int i = 0; i < 2000 && records_count(PITRACE_SYNC, PITRACE_SYNC_SECOND) < 2; i++) {
		usleep(5000);
		records_forget();
		drain(true);
	}
	CU_ASSERT_EQUAL(records_count(PITRACE_SYNC, PITRACE_SYNC_SECOND), 2);
	CU_ASSERT_EQUAL(collector_perf.suspend(b, false), 0);
	CU_ASSERT_EQUAL(collector_perf.off(b), 0);
	close_it();
}

static void rescan(void)
{
	uint64_t ticket = 77;

	begin();
	open_it();
	CU_ASSERT_EQUAL(collector_perf.rescan(b, &ticket), -EINVAL);
	turn_on();
	drain(true);
	records_forget();
	CU_ASSERT_EQUAL(collector_perf.rescan(b, &ticket), 0);
	CU_ASSERT(ticket == 0 && collector_perf.rescanned(b, ticket));
	drain(true);
	CU_ASSERT_EQUAL(walks, 2);
	CU_ASSERT_EQUAL(records_count(PITRACE_MTE, PITRACE_MTE_PROCESS), 1);
	CU_ASSERT_EQUAL(records_count(PITRACE_SYNC, PITRACE_SYNC_SECOND), 1);
	CU_ASSERT_EQUAL(records_nth(PITRACE_SYSINFO, PITRACE_SYSINFO_INTERVAL, 0)->interval.flags,
			PITRACE_INTERVAL_AGAIN);
	walk_fails = -ENOMEM;
	CU_ASSERT_EQUAL(collector_perf.rescan(b, &ticket), -ENOMEM);
	close_it();
}

/* Of the whole system, by the timer, the idle loop is known. */
static void idle_loop(void)
{
	for (int how = 0; how < 3; how++) {
		begin();
		config.nevents = how == 1;
		config.scope = how == 2 ? PITRACE_SCOPE_PROCESS : PITRACE_SCOPE_SYSTEM;
		config.pid = getpid();
		open_it();
		turn_on();
		put_sample(&find(0, PERF_SAMPLES, 0)->ring, PERF_RECORD_MISC_KERNEL, 1, 0,
			   0xffffffff81000080, now_ns(), 1000000);
		drain(true);
		CU_ASSERT(info()->idle_ticks == !how && info()->ticks == !!how);
		CU_ASSERT_EQUAL(info()->late, 0);
		CU_ASSERT_EQUAL(info()->segment_bytes, 4096);
		CU_ASSERT_EQUAL(info()->clock, PITRACE_CLOCK_MONOTONIC);
		close_it();
	}
}

/* A process's session counts who belongs to it. */
static void process_scope(void)
{
	begin();
	config.scope = PITRACE_SCOPE_PROCESS;
	config.pid = getpid();
	set(config.majors, PITRACE_DISPATCH);
	open_it();
	turn_on(); /* the walk shows process 70 */
	put_switch(&find(0, PERF_SWITCHES, 0)->ring, 70, 5, now_ns());
	put_switch(&find(0, PERF_SWITCHES, 0)->ring, 5, 6, now_ns());
	drain(true);
	CU_ASSERT_EQUAL(records_count(PITRACE_DISPATCH, UINT32_MAX), 1);
	close_it();
}

/* Stacks as they were asked for, and as the kernel cuts them. */
static void stacks(void)
{
	struct perf_ring *r;

	begin();
	config.stacks = PITRACE_WANT_USER;
	config.depth = 2;
	open_it();
	turn_on();
	r = &find(0, PERF_SAMPLES, 0)->ring;
	u64(1);
	u64(0x1000);
	u32(70);
	u32(70);
	u64(now_ns());
	u64(0);
	u64(1000000);
	u64(3);
	u64(PERF_CONTEXT_USER);
	u64(0x1000);
	u64(0x2000);
	put_rec(r, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	drain(true);
	CU_ASSERT_EQUAL(records_count(PITRACE_TPROF, PITRACE_TPROF_USER | PITRACE_TPROF_STACK), 1);
	CU_ASSERT_EQUAL(told[ntold - 1].size,
			sizeof(struct pitrace_sample) + sizeof(struct pitrace_stack) + 16);
	CU_ASSERT_EQUAL(((struct pitrace_stack *)(told[ntold - 1].data +
						  sizeof(struct pitrace_sample)))
				->flags,
			PITRACE_STACK_CUT_U);
	close_it();
	/* To whom the kernel is not shown: no part of it, whatever the ring holds. */
	begin();
	refuses = refuse;
	refuse_kernel = EACCES;
	refuse_with = refuse_switches = 0;
	config.stacks = PITRACE_WANT_USER | PITRACE_WANT_KERNEL;
	config.scope = PITRACE_SCOPE_PROCESS;
	config.pid = getpid();
	open_it();
	turn_on();
	u64(1);
	u64(0x1000);
	u32(70);
	u32(70);
	u64(now_ns());
	u64(0);
	u64(1000000);
	u64(4);
	u64(PERF_CONTEXT_KERNEL);
	u64(0xffffffff81000000);
	u64(PERF_CONTEXT_USER);
	u64(0x1000);
	put_rec(&find(0, PERF_SAMPLES, 0)->ring, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	drain(true);
	CU_ASSERT_EQUAL(told[ntold - 1].size,
			sizeof(struct pitrace_sample) + sizeof(struct pitrace_stack) + 8);
	close_it();
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "attributes", attributes },
		{ "stack_attributes", stack_attributes },
		{ "older_kernels", older_kernels },
		{ "refusals", refusals },
		{ "user_only", user_only },
		{ "dispatches_refused", dispatches_refused },
		{ "system_events", system_events },
		{ "process_events", process_events },
		{ "open_fails", open_fails },
		{ "ring_sizes", ring_sizes },
		{ "notes", notes },
		{ "on_off", on_off },
		{ "majors", majors },
		{ "on_fails", on_fails },
		{ "suspended", suspended },
		{ "counted_lost", counted_lost },
		{ "continuous", continuous },
		{ "wakes", wakes },
		{ "enough", enough },
		{ "wrap", wrap },
		{ "normal", normal },
		{ "normal_full", normal_full },
		{ "normal_keeps", normal_keeps },
		{ "rescan", rescan },
		{ "idle_loop", idle_loop },
		{ "process_scope", process_scope },
		{ "stacks", stacks },
		{},
	};

	return unit_run("backend_perf", tests);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A kernel whose perf events, rings and /proc are the test's own, by --wrap, and a session of the
 * collector `perf` on it.
 */
#ifndef FAKE_PERF_H
#define FAKE_PERF_H

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

static inline struct fake_event *of_fd(int fd)
{
	for (unsigned int i = 0; i < nevents; i++)
		if (event[i].fd == fd)
			return &event[i];
	return NULL;
}

/* The nth call fails. */
static inline bool fails(int *left)
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

static inline long perf_event_open(const struct perf_event_attr *a, pid_t pid, int cpu)
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
static inline FILE *text_file(const char *text)
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

static inline void set(uint64_t *majors, unsigned int major)
{
	majors[major / 64] |= 1ull << (major & 63);
}

static inline void begin(void)
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

static inline void open_it(void)
{
	*why = 0;
	rc = 1;
	b = collector_perf.open(&config, &rc, why, sizeof(why));
	CU_ASSERT_FATAL(b != NULL);
	CU_ASSERT_EQUAL(rc, PI_OK);
}

static inline unsigned int still_open(void)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < nevents; i++)
		n += event[i].fd >= 0;
	return n;
}

/* Rings that are mapped. */
static inline unsigned int mapped(void)
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
static inline unsigned int threads(bool blocking)
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

static inline void close_it(void)
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
static inline struct fake_event *find(int cpu, enum perf_use use, unsigned int n)
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

static inline unsigned int on(enum perf_use use)
{
	struct fake_event *e;
	unsigned int sum = 0;

	for (int cpu = 0; cpu < conf; cpu++)
		for (unsigned int n = 0; (e = find(cpu, use, n)); n++)
			sum += e->on;
	return sum;
}

static inline void tick(int cpu, uint64_t time)
{
	put_sample(&find(cpu, PERF_SAMPLES, 0)->ring, PERF_RECORD_MISC_USER, 1, 70, 0x1000, time,
		   1000000);
}

static inline void drain(bool all)
{
	CU_ASSERT_EQUAL(collector_perf.drain(b, all, records_take, NULL), 0);
}

static inline void turn_on(void)
{
	CU_ASSERT_EQUAL(collector_perf.on(b, &config), 0);
}

static int refuse_with, refuse_switches, refuse_kernel;

static inline int refuse(const struct perf_event_attr *a, pid_t pid, int cpu)
{
	(void)pid;
	(void)cpu;
	if (a->context_switch)
		return refuse_switches;
	if (refuse_kernel && !a->exclude_kernel)
		return refuse_kernel;
	return refuse_with;
}

static inline struct perf_event_attr attr(enum perf_use use, unsigned int number, bool user_only)
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

#endif

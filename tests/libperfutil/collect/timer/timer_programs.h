/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs under the collector `timer` that the test plays: time, /proc, which of them live, and
 * their rings.
 */
#ifndef TIMER_PROGRAMS_H
#define TIMER_PROGRAMS_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include "base/now.h"
#include "base/rc.h"
#include "collect/collectors.h"
#include "collect/timer/preload/rings.h"
#include "collect/timer/timer_session.h"
#include "records.h"

#define MS     1000000ull
#define SECOND (1000 * MS)
#define PID    50000000u /* no kernel has such processes */
#define LIB    "1000-3000 r-xp 00000000 fe:01 7 /x/" TIMER_LIBRARY "\n"

/* ---- the machine ----------------------------------------------------------------------------- */

static uint64_t ahead; /* ns that time is ahead, */
static uint64_t still; /* … of this moment, a ns later each time; 0: of now */
static uint64_t dead;  /* a bit for each process from PID on */
static long tick = 4 * MS;
static const char *maps_text, *comm_text; /* of all processes; NULL: none */
static unsigned int maps_read, maps_tries;
static bool no_timers;

int __real_clock_gettime(clockid_t clock, struct timespec *t);
int __wrap_clock_gettime(clockid_t clock, struct timespec *t);
int __wrap_clock_getres(clockid_t clock, struct timespec *t);
int __wrap_kill(pid_t pid, int signal);
FILE *__real_fopen64(const char *path, const char *mode);
FILE *__wrap_fopen64(const char *path, const char *mode);
int __real_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);
long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

int __wrap_clock_gettime(clockid_t clock, struct timespec *t)
{
	int err = __real_clock_gettime(clock, t);
	uint64_t ns = (uint64_t)t->tv_sec * SECOND + (uint64_t)t->tv_nsec;

	ns = ahead + (still && clock == CLOCK_MONOTONIC ? still++ : ns);
	t->tv_sec = (time_t)(ns / SECOND);
	t->tv_nsec = (long)(ns % SECOND);
	return err;
}

int __wrap_clock_getres(clockid_t clock, struct timespec *t)
{
	CU_ASSERT_EQUAL(clock, CLOCK_MONOTONIC_COARSE);
	*t = (struct timespec){ 0, tick };
	return 0;
}

int __wrap_kill(pid_t pid, int number)
{
	CU_ASSERT(!number && (uint32_t)pid >= PID);
	errno = ESRCH;
	return dead >> ((uint32_t)pid - PID) & 1 ? -1 : 0;
}

FILE *__wrap_fopen64(const char *path, const char *mode)
{
	if (strncmp(path, "/proc/5", 7))
		return __real_fopen64(path, mode);
	maps_tries++;
	if (!maps_text)
		return NULL;
	maps_read++;
	return fmemopen((void *)maps_text, strlen(maps_text), "r");
}

int __wrap_open64(const char *path, int flags, ...)
{
	int fd;

	if (strncmp(path, "/proc/5", 7))
		return __real_open64(path, flags, 0600);
	if (!comm_text)
		return -1;
	fd = memfd_create("comm", MFD_CLOEXEC);
	CU_ASSERT_EQUAL(pwrite(fd, comm_text, strlen(comm_text), 0), (ssize_t)strlen(comm_text));
	return fd;
}

long __wrap_syscall(long number, ...)
{
	(void)number;
	return no_timers ? -1 : 0;
}

/* ---- a session ------------------------------------------------------------------------------- */

static struct trace_config config;
static struct backend *b;
static char why[600];
static int rc;
static char folder[512];
static const struct timer_control *control; /* as programs see it */
static const char library[] = "/tmp/test_backend_timer.so";

static void configure(void)
{
	memset(&config, 0, sizeof(config));
	config.mode = PITRACE_MODE_CONTINUOUS;
	config.scope = PITRACE_SCOPE_PROCESS;
	config.rate = 100;
	config.dither = 1;
	config.segment_bytes = 65536;
	config.user = geteuid();
	config.majors[0] = 1ull << PITRACE_TPROF;
	ahead = dead = still = 0;
	still = now_ns(); /* however long the machine takes */
	tick = 4 * MS;
	maps_text = comm_text = NULL;
	maps_read = maps_tries = 0;
	no_timers = false;
	records_forget();
	setenv("PITRACE_TIMER_LIBRARY", library, 1);
	unsetenv("LD_PRELOAD");
}

static void free_all(char **v)
{
	for (char **at = v; at && *at; at++)
		free(*at);
	free(v);
}

static void open_it(void)
{
	char path[600], **v;
	int fd;

	b = collector_timer.open(&config, &rc, why, sizeof(why));
	CU_ASSERT_FATAL(b != NULL);
	CU_ASSERT_EQUAL(collector_timer.environment(b, &v), 0);
	CU_ASSERT_FATAL(!strncmp(v[1], "PITRACE_TIMER=", 14) && !v[2]);
	snprintf(folder, sizeof(folder), "%s", v[1] + 14);
	free_all(v);
	snprintf(path, sizeof(path), "%s/control", folder);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	CU_ASSERT_FATAL(fd >= 0);
	control = mmap(NULL, sizeof(*control), PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	CU_ASSERT_FATAL(control != MAP_FAILED);
}

static void on(void)
{
	CU_ASSERT_EQUAL(collector_timer.on(b, &config), 0);
}

static void begin(void)
{
	configure();
	open_it();
	on();
}

static void drain(bool all)
{
	CU_ASSERT_EQUAL(collector_timer.drain(b, all, records_take, NULL), 0);
}

/* Advances time until everything is old enough. */
static void settle(void)
{
	drain(false);
	ahead += 101 * MS;
	drain(true);
}

static void end(void)
{
	struct stat st;

	collector_timer.close(b);
	CU_ASSERT(stat(folder, &st) && errno == ENOENT);
	munmap((void *)control, sizeof(*control));
}

static const struct trace_info *info(void)
{
	static struct trace_info i;

	memset(&i, 0xff, sizeof(i));
	collector_timer.info(b, &i);
	return &i;
}

/* ---- a program's rings ----------------------------------------------------------------------- */

static const char *ring_path(uint32_t pid, uint64_t image, uint32_t number)
{
	static char path[700];

	snprintf(path, sizeof(path), "%s/%u-%lx-%u", folder, pid, (unsigned long)image, number);
	return path;
}

static struct timer_file *ring(uint32_t pid, uint64_t image, uint32_t number)
{
	uint32_t events = number ? 0 : control->event_bytes;
	size_t size = TIMER_DATA + events + control->sample_bytes;
	int fd = open(ring_path(pid, image, number), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	struct timer_file *f;

	CU_ASSERT_FATAL(fd >= 0 && !ftruncate(fd, (off_t)size));
	f = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	CU_ASSERT_FATAL(f != MAP_FAILED);
	f->magic = TIMER_MAGIC;
	f->version = TIMER_VERSION;
	f->pid = pid;
	f->number = number;
	f->image = image;
	f->event_bytes = events;
	f->sample_bytes = control->sample_bytes;
	return f;
}

static void leave(struct timer_file *f)
{
	munmap(f, TIMER_DATA + f->event_bytes + f->sample_bytes);
}

static bool put(struct timer_file *f, bool event, enum timer_kind kind, uint32_t tid,
		uint64_t stamp, const void *data, size_t bytes)
{
	struct timer_ring *to = event ? &f->events : &f->samples;
	uint8_t *at = (uint8_t *)f + TIMER_DATA + (event ? 0 : f->event_bytes);
	uint32_t size = (uint32_t)(sizeof(struct timer_record) + bytes);
	struct timer_record *r = ring_room(to, at, event ? f->event_bytes : f->sample_bytes, size);

	if (!r)
		return false;
	r->kind = (uint16_t)kind;
	r->tid = tid;
	r->stamp = stamp;
	if (bytes)
		memcpy(r + 1, data, bytes);
	memset((uint8_t *)(r + 1) + bytes, 0, -bytes & 7);
	ring_done(to, r, size);
	return true;
}

static void text(struct timer_file *f, enum timer_kind kind, uint64_t stamp, const char *t)
{
	CU_ASSERT(put(f, true, kind, f->pid, stamp, t, strlen(t)));
}

static void look(struct timer_file *f, uint64_t stamp, uint32_t lines)
{
	CU_ASSERT(put(f, true, TIMER_SCAN, f->pid, stamp, &lines, sizeof(lines)));
}

static void sample(struct timer_file *f, uint32_t tid, uint64_t stamp, uint64_t address)
{
	struct timer_sample s = { .address = address, .flags = TIMER_FINE };

	CU_ASSERT(put(f, false, TIMER_SAMPLE, tid, stamp, &s, sizeof(s)));
}

/* A program begins, with its library. */
static struct timer_file *program(uint32_t pid, uint64_t image)
{
	struct timer_file *f = ring(pid, image, 0);

	text(f, TIMER_START, now_ns(), "1 (prog) S 5 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 77 ");
	text(f, TIMER_MAP, now_ns(), "1000-3000 r-xp 00000000 fe:01 7 /x/" TIMER_LIBRARY);
	look(f, now_ns(), 1);
	return f;
}

#endif

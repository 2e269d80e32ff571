/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * TraceHook: finds the destination of a program's record, and whether anybody records it. A mapped
 * page answers that without a system call. The destination is looked up at the first call and,
 * while nobody listens, once a second: PITRACE_HOOKS (set by swtrace run for its command), the
 * driver (by the device or, if that may not be opened, by a descriptor from the session's holder),
 * the hook files of this user's holder. State of the process lies in a page that is wiped at fork,
 * so that a child starts anew, however it was forked.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <tracer.h>
#include "collect/driver/driver_hook.h"
#include "session/holder.h"
#include "hook/hookfile.h"
#include "base/rc.h"

#define SEARCH_NS 1000000000ull /* between two attempts */
#define HEADERS   (sizeof(struct pitrace_rec) + sizeof(struct pitrace_user))
#define DATA_MAX  (PITRACE_USER_MAX - HEADERS)

struct target {
	struct target *next;
	const __u64 *majors; /* mapped permanently */
	int fd;              /* the driver's hook, or -1: */
	const struct hookfile_control *control;
	char *folder;
};

/* State of this process only. */
static struct state {
	struct target *target;
	struct hookfile *file; /* of the target's folder */
	/* earliest time of the next search, of the next file */
	uint64_t next_search, next_make;
	/* cycles() at the last clock read that was too early */
	uint64_t searched;
	uint32_t searching; /* the thread that is searching; 0: none */
	int refused;        /* the device exists and may not be opened */
} * state;

/* Grows only, one entry per session found: another thread may be using any of them. Children
 * inherit them. */
static struct target *targets;

static void make_state(void)
{
	void *p = mmap(NULL, sizeof(*state), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);

	if (p != MAP_FAILED && !madvise(p, sizeof(*state), MADV_WIPEONFORK))
		__atomic_store_n(&state, p, __ATOMIC_RELEASE);
}

static bool wants(const struct target *t, unsigned int major)
{
	return __atomic_load_n(&t->majors[major / 64], __ATOMIC_RELAXED) >> (major & 63) & 1;
}

/* One thread searches at a time. False: this thread does already, a signal handler interrupted it.
 * */
static bool lock(void)
{
	uint32_t self = (uint32_t)gettid(), none = 0;

	while (!__atomic_compare_exchange_n(&state->searching, &none, self, false, __ATOMIC_ACQUIRE,
					    __ATOMIC_RELAXED)) {
		if (none == self)
			return false;
		none = 0;
		sched_yield();
	}
	return true;
}

static void unlock(void)
{
	__atomic_store_n(&state->searching, 0, __ATOMIC_RELEASE);
}

/* ---- targets ------------------------------------------------------------------------------ */

static struct target *add(const struct target *wanted)
{
	struct target *t = malloc(sizeof(*t));

	if (!t)
		return NULL;
	*t = *wanted;
	t->next = targets;
	targets = t;
	return t;
}

/* Recognises a hook descriptor of the driver by what it maps. */
static struct target *driver_target(int fd)
{
	const struct pitrace_hook_page *page;

	page = mmap(NULL, sizeof(*page), PROT_READ, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		return NULL;
	if (page->size < sizeof(*page) || page->version != PITRACE_ABI_VERSION) {
		munmap((void *)page, sizeof(*page));
		return NULL;
	}
	return add(&(struct target){ .majors = page->majors, .fd = fd });
}

static struct target *device_target(void)
{
	struct target *t;
	int fd;

	for (t = targets; t; t = t->next)
		if (t->fd >= 0)
			return t;
	fd = driver_hook_open();
	state->refused = fd < 0 && (errno == EACCES || errno == EPERM);
	if (state->refused) {
		fd = holder_hook();
		state->refused = fd < 0;
	}
	if (fd < 0)
		return NULL;
	t = driver_target(fd);
	if (!t)
		close(fd);
	return t;
}

static struct target *folder_target(const char *folder)
{
	struct target *t, new = { .fd = -1 };

	for (t = targets; t; t = t->next)
		if (t->control && !t->control->gone && !strcmp(t->folder, folder))
			return t;
	new.control = hookfile_control(folder);
	if (!new.control)
		return NULL;
	new.majors = (const __u64 *)new.control->majors;
	new.folder = strdup(folder);
	t = new.folder ? add(&new) : NULL;
	if (!t) {
		munmap((void *)new.control, sizeof(*new.control));
		free(new.folder);
	}
	return t;
}

/* Only PITRACE_HOOKS counts, if it is set and valid. */
static bool named_target(struct target **t)
{
	const char *named = secure_getenv(HOOKFILE_ENV);

	*t = NULL;
	if (named && *named == '/')
		*t = folder_target(named);
	return *t != NULL;
}

static struct target *find(unsigned int major)
{
	char folder[4096];
	struct target *t;

	if (named_target(&t))
		return wants(t, major) ? t : NULL;
	t = device_target();
	if (t && wants(t, major))
		return t;
	holder_hooks(folder, sizeof(folder));
	t = folder_target(folder);
	return t && wants(t, major) ? t : NULL;
}

static uint64_t coarse_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Reading the clock costs more than all else while nobody listens: after a read it is skipped for
 * so many cycles, a thousandth of a second or less. */
#ifdef __x86_64__
static const uint64_t soon = 1000000;
static inline uint64_t cycles(void)
{
	return __builtin_ia32_rdtsc();
}
#elif defined(__aarch64__)
static const uint64_t soon = 1000;
static inline uint64_t cycles(void)
{
	uint64_t now;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(now));
	return now;
}
#else
static const uint64_t soon;
static inline uint64_t cycles(void)
{
	return 0;
}
#endif

static inline bool too_soon(const struct state *s)
{
	return cycles() - __atomic_load_n(&s->searched, __ATOMIC_RELAXED) < soon;
}

/* No known target records it: search for another one. */
static __attribute__((noinline)) struct target *find_target(unsigned int major)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct target *t = NULL;
	uint64_t now;

	if (!state)
		pthread_once(&once, make_state);
	if (!state)
		return NULL;
	now = coarse_ns();
	if (now < __atomic_load_n(&state->next_search, __ATOMIC_RELAXED)) {
		__atomic_store_n(&state->searched, cycles(), __ATOMIC_RELAXED);
		return NULL;
	}
	if (!lock())
		return NULL;
	if (!state->target || !wants(state->target, major)) {
		t = find(major);
		if (!t)
			__atomic_store_n(&state->next_search, now + SEARCH_NS, __ATOMIC_RELAXED);
		else if (t != state->target) {
			state->file = NULL;
			__atomic_store_n(&state->target, t, __ATOMIC_RELEASE);
		}
	} else {
		t = state->target;
	}
	unlock();
	return t;
}

/* ---- the record ------------------------------------------------------------------------------ */

static int by_driver(struct target *t, const struct pitrace_hook_args *args)
{
	if (!ioctl(t->fd, PITRACE_IOC_HOOK, args))
		return PI_OK;
	switch (errno) {
	case ENODATA:
		return TRACE_NOBODY;
	case ENOBUFS:
		return PI_BUFFER_FULL;
	case EBADF:
	case ENOTTY:
		/* The program closed a descriptor that it did not know. */
		t->fd = -2;
		__atomic_store_n(&state->target, NULL, __ATOMIC_RELEASE);
		return TRACE_NOBODY;
	}
	return rc_errno(errno, "writing a record");
}

static struct hookfile *file_of(struct target *t)
{
	struct hookfile *f = __atomic_load_n(&state->file, __ATOMIC_ACQUIRE);

	if (f)
		return f;
	errno = EAGAIN;
	if (coarse_ns() < state->next_make || !lock())
		return NULL;
	if (!state->file && state->target == t) {
		f = hookfile_make(t->folder, t->control);
		if (!f)
			state->next_make = coarse_ns() + SEARCH_NS;
		__atomic_store_n(&state->file, f, __ATOMIC_RELEASE);
	}
	f = state->file;
	unlock();
	return f;
}

static int by_file(struct target *t, const struct pitrace_hook_args *a, const void *data,
		   size_t bytes)
{
	struct hookfile *f = file_of(t);
	struct pitrace_user who;
	int cpu = sched_getcpu(), err;

	if (!f)
		return rc_errno(errno, "a hook file in %s", t->folder);
	/* The reader fills in pid and uid. */
	who = (struct pitrace_user){
		.tid = (uint32_t)gettid(),
		.cpu = cpu < 0 ? 0 : (uint32_t)cpu,
		.ints = (uint16_t)a->ints,
		.strs = (uint16_t)a->strs,
	};
	err = hookfile_put(f, (uint16_t)a->major, a->minor, &who, data, bytes);
	return err ? PI_BUFFER_FULL : PI_OK;
}

static bool is_users(int major, int minor)
{
	if (major == PITRACE_MTE)
		return minor == PITRACE_MTE_JIT || minor == PITRACE_MTE_JAVA_THREAD;
	return major == PITRACE_HOOKIT || (major >= PITRACE_USER_FIRST && major < PITRACE_MAJORS);
}

static __attribute__((noinline)) int put(struct target *t, int major, int minor, int int_count,
					 int str_count, const uint64_t ints[], const int lens[],
					 const char *const strs[])
{
	uint64_t words[PITRACE_USER_MAX / sizeof(uint64_t)];
	struct pitrace_hook_args args;
	uint8_t *p = (uint8_t *)words;
	size_t at, length_at;

	if (int_count < 0 || str_count < 0)
		return rc_fail(PI_INVALID_ARGUMENT, "negative count");
	length_at = (size_t)int_count * sizeof(uint64_t);
	at = length_at + (size_t)str_count * sizeof(uint32_t);
	if (at > DATA_MAX)
		goto too_long;
	if (int_count)
		memcpy(p, ints, length_at);
	for (int i = 0; i < str_count; i++) {
		size_t length = lens ? (size_t)lens[i] : strlen(strs[i]);
		uint32_t length32 = (uint32_t)length;

		if ((lens && lens[i] < 0) || length > DATA_MAX - at)
			goto too_long;
		memcpy(p + length_at + (size_t)i * sizeof(uint32_t), &length32, sizeof(length32));
		memcpy(p + at, strs[i], length);
		at += length;
	}
	args = (struct pitrace_hook_args){
		.size = sizeof(args),
		.version = PITRACE_ABI_VERSION,
		.major = (uint32_t)major,
		.minor = (uint32_t)minor,
		.ints = (uint32_t)int_count,
		.strs = (uint32_t)str_count,
		.values = (uintptr_t)p,
		.lengths = (uintptr_t)(p + length_at),
		.strings = (uintptr_t)(p + length_at + (size_t)str_count * sizeof(uint32_t)),
	};
	return t->control ? by_file(t, &args, p, at) : by_driver(t, &args);
too_long:
	return rc_fail(PI_HOOK_TOO_LONG, "a record has at most %d bytes with its headers",
		       PITRACE_USER_MAX);
}

int TraceHook(int cpu, int major, int minor, int int_count, int str_count, const uint64_t ints[],
	      const int lens[], const char *const strs[])
{
	struct state *s = __atomic_load_n(&state, __ATOMIC_ACQUIRE);
	struct target *t = s ? __atomic_load_n(&s->target, __ATOMIC_ACQUIRE) : NULL;

	(void)cpu;
	if (!is_users(major, minor))
		return rc_fail(PI_INVALID_ARGUMENT,
			       "programs write records of major 0xB0 and 0xD0 to 0xFF");
	if (!t || !wants(t, (unsigned int)major)) {
		t = s && too_soon(s) ? NULL : find_target((unsigned int)major);
		if (!t && state && state->refused)
			return rc_fail(PI_NO_PERMISSION, PITRACE_DEVICE
				       " may not be opened; its "
				       "group may: sudo usermod -aG pitrace $USER, then log in again");
		if (!t)
			return TRACE_NOBODY;
	}
	return put(t, major, minor, int_count, str_count, ints, lens, strs);
}

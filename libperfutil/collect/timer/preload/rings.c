/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rings: files in the collector's folder, a thread's timer, the process's events. */
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/now.h"
#include "collect/timer/preload/fine.h"

static uint32_t lock;
static uint32_t own_pid, parent;
static uint64_t image;

bool timer_active(void)
{
	if (!timer_control || __atomic_load_n(&timer_sandboxed, __ATOMIC_RELAXED))
		return false;
	return timer_rings[0].file && (uint32_t)syscall(SYS_getpid) == own_pid &&
	       timer_load(&timer_control->state) != TIMER_OVER;
}

/* ---- files */

static char *put_number(char *at, uint64_t n, unsigned int base)
{
	char digits[24];
	int i = 0;

	do
		digits[i++] = "0123456789abcdef"[n % base];
	while (n /= base);
	while (i)
		*at++ = digits[--i];
	return at;
}

/* An empty file left behind shows the collector that there was no space. */
static struct timer_file *make_file(uint32_t number)
{
	uint32_t events = number ? 0 : timer_control->event_bytes;
	size_t size = TIMER_DATA + events + timer_control->sample_bytes;
	char path[PATH_MAX], *at = path;
	struct timer_file *f = NULL;
	int fd;

	at = stpcpy(at, timer_folder);
	*at++ = '/';
	at = put_number(at, own_pid, 10);
	*at++ = '-';
	at = put_number(at, image, 16);
	*at++ = '-';
	at = put_number(at, number, 10);
	*at = 0;
	fd = (int)syscall(SYS_openat, AT_FDCWD, path,
			  O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return NULL;
	/* Reserves space now: in the handler a full file system would raise SIGBUS. */
	if (!syscall(SYS_fallocate, fd, 0, (off_t)0, (off_t)size)) {
		f = (void *)syscall(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
				    (off_t)0);
		if (f == MAP_FAILED)
			f = NULL;
	} else {
		syscall(SYS_ftruncate, fd, (off_t)0);
	}
	syscall(SYS_close, fd);
	if (!f)
		return NULL;
	f->pid = own_pid;
	f->parent = parent;
	f->number = number;
	f->image = image;
	f->event_bytes = events;
	f->sample_bytes = timer_control->sample_bytes;
	f->version = TIMER_VERSION;
	__atomic_store_n(&f->magic, TIMER_MAGIC, __ATOMIC_RELEASE);
	return f;
}

/* ---- timers */

static uint64_t chance(uint64_t below)
{
	uint64_t x = now_ns() ^ (uint64_t)syscall(SYS_gettid) << 40 ^ (uintptr_t)&x << 16;

	x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
	x = (x ^ x >> 27) * 0x94D049BB133111EBull;
	return (x ^ x >> 31) % below;
}

/*
 * The kernel checks CPU timers only at its tick: a thread that runs for less than a tick is hit
 * with a probability in proportion to its time. The first interval is shortened at random by up to
 * a tick more, so that threads and processes shorter than an interval are sampled in proportion
 * too.
 */
static bool start_timer(struct thread_ring *r)
{
	struct sigevent e = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = TIMER_SIGNAL };
	uint64_t first = chance(timer_control->interval), interval = timer_control->interval;
	uint64_t own = 1ull << (TIMER_SIGNAL - 1);
	struct itimerspec when;

	first = first > timer_control->tick ? first - timer_control->tick : 1;
	when = (struct itimerspec){
		.it_interval = { (time_t)(interval / 1000000000u), (long)(interval % 1000000000u) },
		.it_value = { (time_t)(first / 1000000000u), (long)(first % 1000000000u) },
	};
	e.sigev_value.sival_ptr = r;
	e._sigev_un._tid = (pid_t)r->tid;
	if (syscall(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &e, &r->timer))
		return false;
	fine_begin(r, first);
	__atomic_store_n(&r->active, 1, __ATOMIC_RELAXED);
	/* The parent may have started this program with all signals blocked. */
	syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &own, NULL, sizeof(own));
	return !syscall(SYS_timer_settime, r->timer, 0, &when, NULL);
}

/* The main thread's stack begins at the program's strings and may grow down to its limit. No other
 * memory is in this range. */
static void know_main_stack(struct thread_ring *r)
{
	struct rlimit limit;
	size_t size = 8u << 20;

	r->stack_top = (uintptr_t)getauxval(AT_RANDOM) & ~(uintptr_t)7;
	if (!getrlimit(RLIMIT_STACK, &limit) && limit.rlim_cur < (128u << 20))
		size = limit.rlim_cur;
	r->stack_low = r->stack_top > size ? r->stack_top - size : 0;
}

static void know_thread_stack(struct thread_ring *r)
{
	pthread_attr_t attr;
	size_t size;
	void *low;

	r->stack_low = r->stack_top = 0;
	if (!timer_control->stacks || pthread_getattr_np(pthread_self(), &attr))
		return;
	if (!pthread_attr_getstack(&attr, &low, &size)) {
		r->stack_low = (uintptr_t)low;
		r->stack_top = (uintptr_t)low + size;
	}
	pthread_attr_destroy(&attr);
}

static bool begin_thread(struct thread_ring *r)
{
	r->tid = (uint32_t)syscall(SYS_gettid);
	if (start_timer(r))
		return true;
	__atomic_store_n(&r->active, 0, __ATOMIC_RELAXED);
	__atomic_fetch_add(&timer_rings[0].file->unsampled, 1, __ATOMIC_RELAXED);
	return false;
}

/* ---- a process's rings */

static void write_stat(enum timer_kind kind)
{
	char text[1024];
	long n = 0, fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/stat", O_RDONLY | O_CLOEXEC);

	if (fd >= 0) {
		n = syscall(SYS_read, fd, text, sizeof(text));
		syscall(SYS_close, fd);
	}
	rings_event(kind, text, n > 0 ? (size_t)n : 0);
}

bool rings_begin(enum timer_kind kind)
{
	struct thread_ring *r = &timer_rings[0];

	parent = kind == TIMER_FORKED ? own_pid : 0;
	own_pid = (uint32_t)syscall(SYS_getpid);
	image = now_ns();
	r->file = make_file(0);
	if (!r->file)
		return false;
	timer_ring_count = 1;
	r->taken = 1;
	write_stat(kind);
	return true;
}

void rings_begin_first(enum timer_kind kind)
{
	struct thread_ring *r = &timer_rings[0];

	/* In a forked child the stack is the parent's. */
	if (kind == TIMER_START)
		know_main_stack(r);
	begin_thread(r);
}

void rings_forget(const struct thread_ring *own)
{
	uintptr_t low = own ? own->stack_low : 0, top = own ? own->stack_top : 0;

	for (uint32_t i = 0; i < timer_ring_count; i++) {
		struct timer_file *f = timer_rings[i].file;

		if (f)
			syscall(SYS_munmap, f, TIMER_DATA + f->event_bytes + f->sample_bytes);
	}
	memset(timer_rings, 0, timer_ring_count * sizeof(*timer_rings));
	timer_ring_count = 0;
	lock = 0;
	timer_rings[0].stack_low = low;
	timer_rings[0].stack_top = top;
}

struct thread_ring *rings_take(void)
{
	uint32_t n = __atomic_load_n(&timer_ring_count, __ATOMIC_ACQUIRE), i, none = 0;
	struct thread_ring *r;

	for (i = 0; i < n; i++, none = 0)
		if (__atomic_load_n(&timer_rings[i].file, __ATOMIC_ACQUIRE) &&
		    __atomic_compare_exchange_n(&timer_rings[i].taken, &none, 1, false,
						__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			break;
	if (i == n) {
		i = __atomic_fetch_add(&timer_ring_count, 1, __ATOMIC_ACQ_REL);
		if (i >= TIMER_RINGS) {
			__atomic_store_n(&timer_ring_count, TIMER_RINGS, __ATOMIC_RELAXED);
			goto none;
		}
		timer_rings[i].taken = 1;
		__atomic_store_n(&timer_rings[i].file, make_file(i), __ATOMIC_RELEASE);
		if (!timer_rings[i].file)
			goto none;
	}
	r = &timer_rings[i];
	know_thread_stack(r);
	if (begin_thread(r))
		return r;
	__atomic_store_n(&r->taken, 0, __ATOMIC_RELEASE);
	return NULL;
none:
	__atomic_fetch_add(&timer_rings[0].file->unsampled, 1, __ATOMIC_RELAXED);
	return NULL;
}

/* The timer's last signal may be pending: it is blocked from now on. */
void rings_release(struct thread_ring *r)
{
	uint64_t own = 1ull << (TIMER_SIGNAL - 1);
	char name[16] = "";
	struct timer_record *record;
	uint32_t bytes = sizeof(*record) + sizeof(name);
	struct timer_file *f = r->file;

	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &own, NULL, sizeof(own));
	__atomic_store_n(&r->active, 0, __ATOMIC_RELAXED);
	syscall(SYS_timer_delete, r->timer);
	fine_end(r);
	record = ring_room(&f->samples, (uint8_t *)f + TIMER_DATA + f->event_bytes, f->sample_bytes,
			   bytes);
	if (record) {
		syscall(SYS_prctl, PR_GET_NAME, name);
		record->kind = TIMER_THREAD_EXIT;
		record->tid = r->tid;
		record->stamp = now_ns();
		memcpy(record + 1, name, sizeof(name));
		ring_done(&f->samples, record, bytes);
	}
	__atomic_store_n(&r->taken, 0, __ATOMIC_RELEASE);
}

/* ---- events */

void rings_lock(uint64_t *signals)
{
	uint64_t all = ~0ull;

	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, signals, sizeof(all));
	while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
		syscall(SYS_sched_yield);
}

void rings_unlock(uint64_t signals)
{
	__atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &signals, NULL, sizeof(signals));
}

bool rings_event(enum timer_kind kind, const void *data, size_t bytes)
{
	struct timer_file *f = timer_rings[0].file;
	uint32_t size = (uint32_t)(sizeof(struct timer_record) + bytes);
	struct timer_record *r = ring_room(&f->events, (uint8_t *)f + TIMER_DATA, f->event_bytes,
					   size);

	if (!r)
		return false;
	r->kind = (uint16_t)kind;
	r->tid = (uint32_t)syscall(SYS_gettid);
	r->stamp = now_ns();
	memcpy(r + 1, data, bytes);
	/* Zeroes the rest of the last 8 bytes, which terminates texts. */
	memset((uint8_t *)(r + 1) + bytes, 0, -bytes & 7);
	ring_done(&f->events, r, size);
	return true;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * PTT by the driver: a page per thread, mapped permanently at one address, so that a reader that
 * runs while PTT ends reads zeros.
 */
#include <errno.h>
#include <pthread.h>
#include <pttread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "counters/pmu_read.h"
#include "ptt/ptt_pages.h"
#include "base/rc.h"

static struct {
	int fd;
	const struct pitrace_ptt_control *control;
	uint32_t slots;
	size_t stride;
} ptt = { .fd = -1 };

/* State of all possible slots; another thread may read it at any time. */
static char *area;
static struct {
	int tid; /* 0: not in use here */
	uint64_t generation;
	struct ptt_own *own; /* the thread that uses it as its own page; NULL: none yet */
} given[PITRACE_PTT_SLOTS];
static pthread_mutex_t owners = PTHREAD_MUTEX_INITIALIZER; /* protects given[] and own */
static pthread_key_t ending;
static pthread_once_t once = PTHREAD_ONCE_INIT;

__thread struct ptt_own PttOwn __attribute__((tls_model("initial-exec")));

/* which thread knows which page as its own: readers do not check more */

static void forget(long slot)
{
	struct ptt_own *own = given[slot].own;

	given[slot].own = NULL;
	if (!own)
		return;
	__atomic_store_n(&own->cycles, NULL, __ATOMIC_RELAXED);
	__atomic_store_n(&own->page, NULL, __ATOMIC_RELAXED);
}

/* The thread's thread-local memory is freed with it. */
static void thread_ends(void *own)
{
	pthread_mutex_lock(&owners);
	for (long i = 0; i < PITRACE_PTT_SLOTS; i++)
		if (given[i].own == own)
			given[i].own = NULL;
	pthread_mutex_unlock(&owners);
}

static bool made;

static void make_key(void)
{
	made = !pthread_key_create(&ending, thread_ends);
}

/* The library may be unloaded before the threads end. */
static __attribute__((destructor)) void drop_key(void)
{
	if (made)
		pthread_key_delete(ending);
}

static const struct pitrace_ptt_thread *page_of(long slot)
{
	return (const void *)(area + (size_t)slot * ptt.stride);
}

/* Finds the slot that was assigned to a thread, if it was not reused since. */
static long slot_of(int tid)
{
	for (long i = 0; i < (long)ptt.slots; i++)
		if (given[i].tid == tid && page_of(i)->generation == given[i].generation)
			return i;
	return -1;
}

/* Sets the calling thread's slot; the thread must not be notified of a previous one. */
static void know(long slot)
{
	const struct pitrace_ptt_thread *page = page_of(slot);

	if (!made || pthread_setspecific(ending, &PttOwn))
		return;
	for (long i = 0; i < (long)ptt.slots; i++)
		if (given[i].own == &PttOwn)
			given[i].own = NULL;
	given[slot].own = &PttOwn;
	PttOwn.page = page;
	PttOwn.cycles = page->metric[0].how == PITRACE_HOW_CYCLES ? page : NULL;
}

static int not_added(int tid)
{
	return rc_fail(PI_NO_PROCESS, "thread %d was not added: call PttInitThread", tid);
}

/* The calling thread does not know its slot yet. Another thread may have added it. */
static __attribute__((noinline)) bool look_up(void)
{
	long slot;

	pthread_mutex_lock(&owners);
	slot = slot_of(gettid());
	if (slot >= 0)
		know(slot);
	pthread_mutex_unlock(&owners);
	if (!PttOwn.page)
		not_added(gettid());
	return PttOwn.page;
}

/* ---- init and term -------------------------------------------------------------------------- */

static void driver_term(void)
{
	pthread_mutex_lock(&owners);
	for (long i = 0; i < PITRACE_PTT_SLOTS; i++)
		forget(i);
	memset(given, 0, sizeof(given));
	pthread_mutex_unlock(&owners);
	if (area)
		ptt_map(area, PITRACE_PTT_SLOTS * ptt_page_size(), -1, 0);
	if (ptt.control)
		munmap((void *)ptt.control, ptt_page_size());
	if (ptt.fd >= 0)
		close(ptt.fd);
	ptt.fd = -1;
	ptt.control = NULL;
}

/* A child does not inherit the mappings, and only this thread exists. */
static void driver_forked(void)
{
	pthread_mutex_init(&owners, NULL);
	for (long i = 0; i < PITRACE_PTT_SLOTS; i++)
		if (given[i].own != &PttOwn)
			given[i].own = NULL;
	ptt.control = NULL;
	if (area)
		munmap(area, PITRACE_PTT_SLOTS * ptt_page_size());
	area = NULL;
	driver_term();
}

static int driver_init(const struct ptt_config *config)
{
	int rc = ptt_device(config, &ptt.fd);

	if (rc)
		return rc;
	pthread_once(&once, make_key);
	ptt.control = ptt_map(NULL, ptt_page_size(), ptt.fd, 0);
	if (ptt.control) {
		ptt.slots = ptt.control->slots;
		ptt.stride = ptt.control->thread_stride;
	}
	if (!area)
		area = ptt_map(NULL, PITRACE_PTT_SLOTS * ptt_page_size(), -1, 0);
	if (ptt.control && area &&
	    ptt_map(area, ptt.slots * ptt.stride, ptt.fd, ptt.control->thread_offset))
		return PI_OK;
	rc = rc_errno(-errno, "PTT's pages cannot be mapped");
	driver_term();
	return rc;
}

/* ---- threads --------------------------------------------------------------------------------- */

static int driver_add(int tid)
{
	long slot = ptt_call(ptt.fd, PITRACE_IOC_PTT_ADD, tid, 0);

	if (slot < 0 && errno == ENOSPC)
		return rc_fail(PI_BUFFER_FULL,
			       "PTT has room for %u threads, all are in use: raise it by PttSetThreads",
			       ptt.slots);
	if (slot < 0 && errno == EPERM)
		return rc_fail(PI_NO_PERMISSION, "this user may not watch thread %d", tid);
	if (slot < 0)
		return errno == ESRCH ? rc_fail(PI_NO_PROCESS, "no thread %d", tid) :
					rc_errno(-errno, "thread %d", tid);
	pthread_mutex_lock(&owners);
	if (given[slot].tid != tid || given[slot].generation != page_of(slot)->generation)
		forget(slot);
	given[slot].tid = tid;
	given[slot].generation = page_of(slot)->generation;
	if (tid == gettid())
		know(slot);
	pthread_mutex_unlock(&owners);
	return PI_OK;
}

static int driver_remove(int tid)
{
	long slot = slot_of(tid);

	if (slot < 0)
		return not_added(tid);
	pthread_mutex_lock(&owners);
	given[slot].tid = 0;
	forget(slot);
	pthread_mutex_unlock(&owners);
	if (ptt_call(ptt.fd, PITRACE_IOC_PTT_REMOVE, (int)slot, PITRACE_PTT_SLOT) < 0 &&
	    errno != ESRCH)
		return rc_errno(-errno, "thread %d", tid);
	return PI_OK;
}

static int driver_charge(bool charged)
{
	uint32_t flags = charged ? PITRACE_PTT_CHARGE : 0;

	return ioctl(ptt.fd, PITRACE_IOC_PTT_CHARGE, &flags) ? rc_errno(-errno, "PTT") : PI_OK;
}

/* ---- values ---------------------------------------------------------------------------------- */

static int driver_read(int tid, struct ptt_thread_data *data)
{
	bool self = tid == gettid();
	long slot;

	if (ioctl(ptt.fd, self ? PITRACE_IOC_PTT_UPDATE_HERE : PITRACE_IOC_PTT_UPDATE))
		return rc_errno(-errno, "PTT");
	slot = slot_of(tid);
	if (slot < 0)
		return not_added(tid);
	ptt_take(data, page_of(slot));
	data->tid = tid;
	return PI_OK;
}

/* ---- reads by the thread itself ----------------------------------------------------------- */

static __attribute__((noinline)) int read_first(uint64_t *values)
{
	return look_up() ? PttReadInline(values) : PI_NO_PROCESS;
}

static int read_cycles(uint64_t *values)
{
	return __builtin_expect(!PttOwn.cycles, 0) ? read_first(values) : PttReadInline(values);
}

/* For counters that user code cannot read, at least not now: the kernel updates the page. */
static int read_by_call(uint64_t *values)
{
	const volatile struct pitrace_ptt_thread *t;
	uint64_t sequence;

	if (!values)
		return rc_null("memory for values");
	if (!PttOwn.page && !look_up())
		return PI_NO_PROCESS;
	t = PttOwn.page;
	if (ioctl(ptt.fd, PITRACE_IOC_PTT_UPDATE_HERE))
		return rc_errno(-errno, "PTT");
	do {
		sequence = t->sequence;
		for (uint32_t i = 0; i < t->metrics; i++)
			values[i] = t->metric[i].value;
	} while (t->sequence != sequence);
	return PI_OK;
}

#ifdef PMU_USUAL
/* False: not readable at the moment. */
static inline __attribute__((always_inline)) bool read_one(const struct pitrace_ptt_value *m,
							   uint64_t *value)
{
	if (m->how == PITRACE_HOW_CYCLES)
		*value = m->value + (ReadCycles() - m->last);
	else if (__builtin_expect(m->index != 0, 1))
		*value = m->value + pmu_since(m->index, m->last, m->width);
	else
		return false;
	return true;
}

static inline __attribute__((always_inline)) int read_n(uint64_t *values, uint32_t n)
{
	const struct pitrace_ptt_thread *t;
	uint64_t sequence;

	if (__builtin_expect(!PttOwn.page, 0) && !look_up())
		return PI_NO_PROCESS;
	t = PttOwn.page;
	n = n ? n : t->metrics;
	do {
		PTT_IN_ORDER;
		sequence = t->sequence;
		PTT_IN_ORDER;
		for (uint32_t i = 0; i < n; i++)
			if (!read_one(&t->metric[i], &values[i]))
				return read_by_call(values);
		PTT_IN_ORDER;
	} while (__builtin_expect(t->sequence != sequence, 0));
	return PI_OK;
}

static __attribute__((noinline)) int read_other(uint64_t *values)
{
	return read_n(values, 1);
}

/* One counter of the usual width. */
static int read_counter(uint64_t *values)
{
	const struct pitrace_ptt_thread *t = PttOwn.page;
	uint64_t sequence, value;

	if (__builtin_expect(!t, 0))
		return read_other(values);
	do {
		PTT_IN_ORDER;
		sequence = t->sequence;
		PTT_IN_ORDER;
		if (__builtin_expect(t->metric[0].index != PMU_USUAL, 0))
			return read_other(values);
		value = t->metric[0].value + pmu_since(PMU_USUAL, t->metric[0].last, PMU_WIDTH);
		PTT_IN_ORDER;
	} while (__builtin_expect(t->sequence != sequence, 0));
	*values = value;
	return PI_OK;
}

static int read_two(uint64_t *values)
{
	return read_n(values, 2);
}

static int read_many(uint64_t *values)
{
	return read_n(values, 0);
}
#endif

/* Checks whether a thread can read all metrics itself. */
static bool all_readable(const struct ptt_config *config)
{
	for (int i = 0; i < config->metrics; i++)
		switch (page_of(0)->metric[i].how) {
		case PITRACE_HOW_CYCLES:
			break;
#ifdef PMU_USUAL
		case PITRACE_HOW_COUNTER:
			break;
#endif
		default:
			return false;
		}
	return true;
}

static int (*driver_reader(const struct ptt_config *config))(uint64_t *values)
{
	if (!all_readable(config))
		return read_by_call;
#ifdef PMU_USUAL
	if (config->metrics > 2)
		return read_many;
	if (config->metrics == 2)
		return read_two;
	if (!config->metric[0].cycles)
		return page_of(0)->metric[0].width == PMU_WIDTH ? read_counter : read_other;
#endif
	return read_cycles;
}

static void driver_info(const struct ptt_config *config, struct ptt_info *info)
{
	const char *note = ptt_note(ptt.control);

	info->apart = !(ptt.control->flags & PITRACE_PTT_BLIND);
	info->fast = all_readable(config);
	if (!note && !info->fast)
		note = "this program may not read these counters itself: each read is a system call, which is in the values";
	if (note)
		strcpy(info->note, note);
}

const struct ptt_collector ptt_by_driver = {
	.name = "driver",
	.init = driver_init,
	.term = driver_term,
	.add = driver_add,
	.remove = driver_remove,
	.charge = driver_charge,
	.read = driver_read,
	.reader = driver_reader,
	.info = driver_info,
	.forked = driver_forked,
};

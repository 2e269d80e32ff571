// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * PTT without the driver: perf events of each thread, read from their mapped pages where the kernel
 * allows it, else by a system call. They keep counting in interrupts, and dispatches are not
 * reported.
 */
#include <cycles.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "collect/perf/perf_open.h"
#include "counters/perf_page.h"
#include "ptt/ptt_inner.h"
#include "base/rc.h"

struct thread {
	int tid;             /* 0: free */
	int fd[PTT_METRICS]; /* -1: none */
	uint64_t previous;   /* last value read, of ns */
};

static struct ptt_config config;
static struct thread *threads; /* config.threads of them */
static char *pages;            /* one for each metric of each */
static size_t pages_bytes;
static bool user_only; /* the kernel's part is not for this user to see */
static bool fast;      /* threads read all of their own without a call */

static __thread struct {
	struct thread *thread;
	uint32_t session; /* generation in which this is valid */
	int tid;
} own __attribute__((tls_model("initial-exec")));

/* ---- opening --------------------------------------------------------------------------------- */

static void *page_of(const struct thread *t, int metric)
{
	return pages +
	       (size_t)((t - threads) * config.metrics + metric) * (size_t)sysconf(_SC_PAGESIZE);
}

static void shut(struct thread *t)
{
	for (int i = 0; i < config.metrics; i++) {
		perf_page_unmap(page_of(t, i));
		if (t->fd[i] >= 0)
			close(t->fd[i]);
	}
	t->tid = 0;
}

/* Cycles are derived from the time that an event was enabled: no counter is needed. */
static struct perf_event_attr attr_of(const struct ptt_metric *m)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.pinned = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED,
	};

	if (!m->cycles)
		perf_attr_event(&attr, &m->event);
	if (user_only)
		attr.exclude_kernel = attr.exclude_hv = 1;
	return attr;
}

static int refused(const struct ptt_metric *m, int err)
{
	struct trace_config with = { .scope = PITRACE_SCOPE_PROCESS };
	struct collector_check check;

	if (err != -EACCES && err != -EPERM)
		return ptt_refused(m, err);
	perf_why(err, &with, &check);
	return rc_fail(PI_NO_PERMISSION, "metric %s: %s%s%s", m->event.name, check.why,
		       *check.cure ? ": " : "", check.cure);
}

#ifdef __aarch64__
/* bit of config1 (arm64): lets the thread read the counter itself */
#define USER_READ 2
#else
#define USER_READ 0
#endif

static int open_event(const struct ptt_metric *m, struct perf_event_attr *attr, int tid)
{
	int fd;

	*attr = attr_of(m);
	if (USER_READ && (attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_RAW)) {
		attr->config1 |= USER_READ;
		fd = perf_open(attr, tid, -1);
		if (fd >= 0)
			return fd;
		*attr = attr_of(m);
	}
	return perf_open(attr, tid, -1);
}

static int open_one(const struct ptt_metric *m, int tid)
{
	struct perf_event_attr attr;
	int fd = open_event(m, &attr, tid);

	/* The kernel's part is hidden from this user; a clock has no parts. */
	if (fd == -EACCES && !attr.exclude_kernel && (m->cycles || !perf_in_kernel(&m->event))) {
		user_only = true;
		fd = open_event(m, &attr, tid);
	}
	return fd;
}

static int open_all(struct thread *t, int tid)
{
	int i, fd;

	for (i = 0; i < config.metrics; i++)
		t->fd[i] = -1;
	for (i = 0; i < config.metrics; i++) {
		fd = open_one(&config.metric[i], tid);
		if (fd < 0) {
			shut(t);
			return fd == -ESRCH ? rc_fail(PI_NO_PROCESS, "no thread %d", tid) :
					      refused(&config.metric[i], fd);
		}
		t->fd[i] = fd;
		if (fast)
			perf_page_map(page_of(t, i), fd);
	}
	t->previous = 0;
	t->tid = tid;
	return PI_OK;
}

static void perf_term(void)
{
	for (int i = 0; threads && i < config.threads; i++)
		if (threads[i].tid)
			shut(&threads[i]);
	/* Another thread may be reading: close its descriptors, keep its memory until then. */
}

/* Reads this thread's own page. */
static bool read_page(const struct thread *t, int metric, uint64_t *value)
{
	return config.metric[metric].cycles ? perf_page_time(page_of(t, metric), value) :
					      perf_page_count(page_of(t, metric), value);
}

/* The caller is the thread itself: it reads either all without a system call, or none. */
static bool reads_pages(const struct thread *t)
{
	uint64_t value;

	for (int i = 0; i < config.metrics; i++)
		if (!read_page(t, i, &value))
			return false;
	return true;
}

static int allocate(void)
{
	free(threads);
	if (pages)
		munmap(pages, pages_bytes);
	pages_bytes = (size_t)(config.threads * config.metrics) * (size_t)sysconf(_SC_PAGESIZE);
	pages = mmap(NULL, pages_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
		     0);
	if (pages == MAP_FAILED)
		pages = NULL;
	threads = calloc((size_t)config.threads, sizeof(*threads));
	return threads && pages ? PI_OK :
				  rc_fail(PI_NO_MEMORY, "no memory for %d threads", config.threads);
}

static int perf_init(const struct ptt_config *wanted)
{
	int rc;

	config = *wanted;
	user_only = false;
	rc = allocate();
	fast = true;
	if (!rc)
		rc = open_all(threads, 0);
	if (rc)
		return rc;
	fast = reads_pages(threads);
	shut(threads);
	return PI_OK;
}

/* ---- threads --------------------------------------------------------------------------------- */

static struct thread *find(int tid)
{
	for (int i = 0; i < config.threads; i++)
		if (threads[i].tid == tid)
			return &threads[i];
	return NULL;
}

static int perf_add(int tid)
{
	struct thread *t = find(tid);
	int rc = PI_OK;

	if (!t) {
		t = find(0);
		rc = t ? open_all(t, tid) :
			 rc_fail(PI_BUFFER_FULL,
				 "PTT has room for %d threads: raise it by PttSetThreads",
				 config.threads);
	}
	if (!rc && tid == gettid()) {
		own.thread = t;
		own.tid = tid;
		own.session = ptt_session;
	}
	return rc;
}

static int not_added(int tid)
{
	return rc_fail(PI_NO_PROCESS, "thread %d was not added: call PttInitThread", tid);
}

static int perf_remove(int tid)
{
	struct thread *t = find(tid);

	if (!t)
		return not_added(tid);
	if (tid == gettid())
		own.thread = NULL;
	shut(t);
	return PI_OK;
}

static int perf_charge(bool charged)
{
	/* Interrupts are always included: they cannot be counted apart. */
	(void)charged;
	return PI_OK;
}

/* ---- values ---------------------------------------------------------------------------------- */

static uint64_t cycles_of(uint64_t ns)
{
	return (uint64_t)((double)ns * 1e-9 * CyclesPerSecond());
}

static int read_thread(const struct thread *t, uint64_t *values)
{
	struct {
		uint64_t count, enabled;
	} now;

	for (int i = 0; i < config.metrics; i++) {
		ssize_t n = read(t->fd[i], &now, sizeof(now));

		if (n < 0)
			return rc_errno(-errno, "metric %s", config.metric[i].event.name);
		if (n != sizeof(now))
			return rc_fail(PI_BUSY,
				       "metric %s: the counter was not available all the time",
				       config.metric[i].event.name);
		values[i] = config.metric[i].cycles ? cycles_of(now.enabled) : now.count;
	}
	return PI_OK;
}

static int perf_read(int tid, struct ptt_thread_data *data)
{
	const struct thread *t = find(tid);

	if (!t)
		return not_added(tid);
	data->tid = tid;
	return read_thread(t, data->value);
}

static struct thread *find_own(void)
{
	if (!own.thread || own.session != ptt_session || own.thread->tid != own.tid) {
		own.tid = gettid();
		own.thread = find(own.tid);
		own.session = ptt_session;
	}
	return own.thread;
}

static int read_own(uint64_t *values)
{
	const struct thread *t = find_own();

	return t ? read_thread(t, values) : not_added(gettid());
}

static int read_own_pages(uint64_t *values)
{
	struct thread *t = find_own();

	if (!t)
		return not_added(gettid());
	for (int i = 0; i < config.metrics; i++) {
		/* A counter in error state: the kernel reports it. */
		if (!read_page(t, i, &values[i]))
			return read_thread(t, values);
		if (!config.metric[i].cycles)
			continue;
		/* The kernel's sum of clock intervals may be some ns less. */
		if (values[i] < t->previous)
			values[i] = t->previous;
		t->previous = values[i];
		values[i] = cycles_of(values[i]);
	}
	return PI_OK;
}

static int (*perf_reader(const struct ptt_config *unused))(uint64_t *values)
{
	(void)unused;
	return fast ? read_own_pages : read_own;
}

static void perf_info(const struct ptt_config *unused, struct ptt_info *info)
{
	(void)unused;
	info->fast = fast;
	strcpy(info->note,
	       "without the pitrace module interrupts are in the values, and dispatches and interrupts are not counted");
	if (!fast)
		strcat(info->note, "; each read is a system call, which is in the values too");
	if (user_only)
		strcat(info->note,
		       "; of events the kernel's part is not shown to this user (perf_event_paranoid)");
}

/* The descriptors are the parent's counters; the memory is a copy. */
static void perf_forked(void)
{
	perf_term();
}

const struct ptt_collector ptt_by_perf = {
	.name = "perf",
	.init = perf_init,
	.term = perf_term,
	.add = perf_add,
	.remove = perf_remove,
	.charge = perf_charge,
	.read = perf_read,
	.reader = perf_reader,
	.info = perf_info,
	.forked = perf_forked,
};

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * PTT without the driver: perf events of each thread, read from their mapped pages where the kernel
 * allows it, else by a system call. They keep counting in interrupts, and dispatches are not
 * reported. The values of an ended thread are kept, without its events, until another thread needs
 * its place.
 */
#include <cycles.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "counters/perf_page.h"
#include "ptt/ptt_group.h"
#include "base/proc_lines.h"
#include "base/proc_text.h"
#include "base/rc.h"

struct perf_thread {
	int tid; /* 0: free */
	int pid;
	char name[16];
	uint64_t generation;    /* number of threads that had this place */
	uint64_t ended;         /* 0: alive; else its rank in the order of detected endings */
	struct ptt_group group; /* while it is alive */
	bool watched;           /* its group reports when it has ended */
	uint64_t start;         /* its start time, if the group does not report it */
	uint64_t previous;      /* last value read, of ns */
	int rc;                 /* of the last read of an ended thread */
	uint64_t value[PTT_METRICS];
};

static struct ptt_config config;
static struct perf_thread *threads; /* config.threads of them */
static char *pages;                 /* one for each metric of each thread */
static size_t pages_bytes;
static double cycles_per_ns;
static bool user_only; /* this user may not see the kernel's part */
static bool fast;      /* threads read all their values without a system call */
static uint64_t endings;
/* Threads with events: now; at the last search for ended ones; and added since. */
static int living, lived, added;

static __thread struct {
	struct perf_thread *thread;
	uint32_t session; /* ptt_session for which this is valid */
	int tid;
} own __attribute__((tls_model("initial-exec")));

/* ---- a thread's events ----------------------------------------------------------------------- */

static void *page_of(const struct perf_thread *t, int metric)
{
	return pages +
	       (size_t)((t - threads) * config.metrics + metric) * (size_t)sysconf(_SC_PAGESIZE);
}

static void shut(struct perf_thread *t)
{
	for (int i = 0; i < config.metrics; i++)
		if (i ? fast && t->group.fd[i] >= 0 : t->watched)
			perf_page_unmap(page_of(t, i));
	ptt_group_close(&t->group, &config);
	living--;
}

/* Maps the first page in any case: it also shows the thread's end. */
static void show(struct perf_thread *t)
{
	t->watched = !perf_page_map(page_of(t, 0), t->group.fd[0]);
	for (int i = 1; fast && i < config.metrics; i++)
		if (t->group.fd[i] >= 0)
			perf_page_map(page_of(t, i), t->group.fd[i]);
}

static void drop(struct perf_thread *t)
{
	if (t->tid && !t->ended)
		shut(t);
	t->tid = 0;
}

/* Reads this thread's own page. Cycles are the time of the first event. */
static bool read_page(const struct perf_thread *t, int metric, uint64_t *value)
{
	return config.metric[metric].cycles ? perf_page_time(page_of(t, 0), value) :
					      perf_page_count(page_of(t, metric), value);
}

/* The caller is the thread itself: it reads either all without a system call, or none. */
static bool reads_pages(const struct perf_thread *t)
{
	uint64_t value;

	for (int i = 0; i < config.metrics; i++)
		if (!read_page(t, i, &value))
			return false;
	return true;
}

/* Derives cycles from the thread's clock. The kernel's sum of its intervals may be some ns less
 * than the page's time. */
static uint64_t cycles_of(struct perf_thread *t, uint64_t ns)
{
	if (ns > t->previous)
		t->previous = ns;
	return (uint64_t)((double)t->previous * cycles_per_ns);
}

static int read_thread(struct perf_thread *t, uint64_t *values)
{
	int rc = ptt_group_read(&t->group, &config, values);

	for (int i = 0; i < config.metrics && !rc; i++)
		if (config.metric[i].cycles)
			values[i] = cycles_of(t, values[i]);
	return rc;
}

/* their threads */

/* 0: no such thread. */
static int process_of(int tid)
{
	char path[64], line[128];
	int pid = 0;
	FILE *f;

	if (!syscall(SYS_tgkill, getpid(), tid, 0))
		return getpid();
	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Tgid: %d", &pid) == 1)
			break;
	if (f)
		fclose(f);
	return pid;
}

/* Reads the name again, because threads may change it. */
static void take_name(struct perf_thread *t)
{
	char path[64], name[sizeof(t->name) + 1] = "";
	FILE *f;

	if (t->tid == gettid()) {
		prctl(PR_GET_NAME, t->name, 0, 0, 0);
		return;
	}
	snprintf(path, sizeof(path), "/proc/%d/comm", t->tid);
	f = fopen(path, "re");
	if (f && fgets(name, sizeof(name), f)) {
		name[strcspn(name, "\n")] = 0;
		memcpy(t->name, name, sizeof(t->name));
	}
	if (f)
		fclose(f);
}

/* ---- threads that have ended ----------------------------------------------------------------- */

static bool take_start(void *arg, const char *text, size_t length)
{
	struct proc_task task;

	if (proc_task_parse(text, length, &task))
		*(uint64_t *)arg = task.start;
	return false;
}

/* 0: no such thread. */
static uint64_t start_of(int tid)
{
	uint64_t start = 0;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	proc_lines(path, take_start, &start);
	return start;
}

/* Another thread may have its id by now, but its events are its own. */
static bool is_over(const struct perf_thread *t)
{
	return t->ended || (t->watched ? ptt_group_ended(&t->group) : start_of(t->tid) != t->start);
}

static bool has_ended(struct perf_thread *t)
{
	if (t->ended || !is_over(t))
		return t->ended;
	t->rc = read_thread(t, t->value);
	shut(t);
	t->ended = ++endings;
	return true;
}

static void find_ended(void)
{
	for (int i = 0; i < config.threads; i++)
		if (threads[i].tid)
			has_ended(&threads[i]);
	added = 0;
	lived = living;
}

/* Returns a free place, or that of the thread that ended first. */
static struct perf_thread *find_place(void)
{
	struct perf_thread *oldest = NULL;

	for (int i = 0; i < config.threads; i++) {
		struct perf_thread *t = &threads[i];

		if (!t->tid)
			return t;
		if (t->ended && (!oldest || t->ended < oldest->ended))
			oldest = t;
	}
	return oldest;
}

/* A joined thread may still be exiting for a moment. */
static struct perf_thread *make_place(void)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	struct perf_thread *t = NULL;

	/* Keeps few events of ended threads open, because these would make adding slow. */
	if (++added > 8 && added > lived)
		find_ended();
	for (int i = 0; i < 10; i++) {
		t = find_place();
		if (t)
			break;
		if (i)
			nanosleep(&moment, NULL);
		find_ended();
	}
	return t ? t : find_place();
}

/* ---- init and term --------------------------------------------------------------------------- */

static void perf_term(void)
{
	for (int i = 0; threads && i < config.threads; i++)
		drop(&threads[i]);
	/* Another thread may be reading: its descriptors are closed, but its memory is kept until
	 * then. */
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
	living = lived = added = 0;
	return threads && pages ? PI_OK :
				  rc_fail(PI_NO_MEMORY, "no memory for %d threads", config.threads);
}

static int perf_init(const struct ptt_config *wanted)
{
	int rc;

	config = *wanted;
	user_only = false;
	cycles_per_ns = 0;
	/* The rate may have to be measured: not during a thread's read. */
	for (int i = 0; i < config.metrics; i++)
		if (config.metric[i].cycles)
			cycles_per_ns = CyclesPerSecond() * 1e-9;
	rc = allocate();
	if (!rc)
		rc = ptt_group_open(&threads->group, &config, 0, &user_only);
	if (rc)
		return rc;
	living++;
	fast = true;
	show(threads);
	fast = reads_pages(threads);
	shut(threads);
	return PI_OK;
}

/* ---- threads --------------------------------------------------------------------------------- */

static struct perf_thread *find(int tid)
{
	for (int i = 0; i < config.threads; i++)
		if (threads[i].tid == tid)
			return &threads[i];
	return NULL;
}

static int begin(int tid, struct perf_thread **place)
{
	struct ptt_group group;
	struct perf_thread *t = *place;
	int rc = ptt_group_open(&group, &config, tid, &user_only);

	if (rc)
		return rc;
	if (!t)
		t = make_place();
	if (!t) {
		ptt_group_close(&group, &config);
		return rc_fail(PI_BUFFER_FULL,
			       "PTT has room for %d threads, all are in use: raise it by PttSetThreads",
			       config.threads);
	}
	*t = (struct perf_thread){ .tid = tid, .group = group, .generation = t->generation + 1 };
	t->pid = process_of(tid);
	take_name(t);
	living++;
	show(t);
	if (!t->watched)
		t->start = start_of(tid);
	*place = t;
	return PI_OK;
}

static int perf_add(int tid)
{
	struct perf_thread *t = find(tid);
	int rc = PI_OK;

	if (!t || has_ended(t))
		rc = begin(tid, &t);
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
	struct perf_thread *t = find(tid);

	if (!t)
		return not_added(tid);
	if (tid == gettid())
		own.thread = NULL;
	drop(t);
	return PI_OK;
}

static int perf_charge(bool charged)
{
	/* Interrupts are always included: they cannot be counted separately. */
	(void)charged;
	return PI_OK;
}

/* ---- values ---------------------------------------------------------------------------------- */

static int perf_read(int tid, struct ptt_thread_data *data)
{
	struct perf_thread *t = find(tid);
	int rc;

	if (!t)
		return not_added(tid);
	if (has_ended(t)) {
		memcpy(data->value, t->value, sizeof(data->value));
		rc = t->rc ? rc_fail(t->rc, "thread %d ended when a counter was not available",
				     tid) :
			     PI_OK;
	} else {
		take_name(t);
		rc = read_thread(t, data->value);
	}
	data->tid = tid;
	data->pid = t->pid;
	data->ended = !!t->ended;
	data->generation = t->generation;
	memcpy(data->name, t->name, sizeof(data->name));
	return rc;
}

static struct perf_thread *find_own(void)
{
	if (!own.thread || own.session != ptt_session || own.thread->tid != own.tid) {
		own.tid = gettid();
		own.thread = find(own.tid);
		own.session = ptt_session;
		/* An earlier thread had its id. */
		if (own.thread && is_over(own.thread))
			own.thread = NULL;
	}
	return own.thread;
}

static int read_own(uint64_t *values)
{
	struct perf_thread *t = find_own();

	if (!values)
		return rc_null("memory for values");
	return t ? read_thread(t, values) : not_added(gettid());
}

static int read_own_pages(uint64_t *values)
{
	struct perf_thread *t = find_own();

	if (!values)
		return rc_null("memory for values");
	if (!t)
		return not_added(gettid());
	for (int i = 0; i < config.metrics; i++) {
		/* The counter is in error state: the system call reports it. */
		if (!read_page(t, i, &values[i]))
			return read_thread(t, values);
		if (config.metric[i].cycles)
			values[i] = cycles_of(t, values[i]);
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

/* The descriptors are the parent's counters, the memory is a copy, and something else may now be
 * mapped at the addresses of their pages. */
static void perf_forked(void)
{
	for (int i = 0; threads && i < config.threads; i++) {
		if (threads[i].tid && !threads[i].ended)
			ptt_group_close(&threads[i].group, &config);
		threads[i].tid = 0;
	}
	pages = NULL;
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

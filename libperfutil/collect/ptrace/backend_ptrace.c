/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The collector `ptrace`: instruction traces of user code where the driver is missing, or cannot
 * trace (as on arm64). Its own thread, the worker, traces the command; to the kernel only that
 * thread is the tracer, so other threads send it requests by flags and a signal that interrupts its
 * wait. Full segments wait in a queue for the drain; when the drain is behind, the worker waits,
 * and the command with it. It is slow: each instruction costs two switches between the command and
 * the worker.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/now.h"
#include "collect/ptrace/ptrace_session.h"
#include "base/rc.h"

#define QUEUE   64             /* maximum number of segments */
#define LIMIT   10000000       /* default limit of instructions per thread */
#define KICK    (SIGRTMIN + 5) /* signal that interrupts the worker's wait */
#define KICK_NS 10000000

struct queued {
	struct queued *next;
	uint8_t segment[];
};

enum request { REQUEST_OFF = 0x1, REQUEST_FLUSH = 0x2, REQUEST_SUSPEND = 0x4 };

struct backend {
	struct ptrace_session s;
	uint32_t state; /* enum pitrace_state, atomic */
	uint64_t on_stamp;
	bool over;
	pthread_t worker;
	bool working;            /* the thread can be joined */
	struct sigaction kicked; /* the previous action of KICK */
	/* Under the lock: */
	pthread_mutex_t lock;
	pthread_cond_t change;
	struct queued *first, **last;
	unsigned int queued;
	unsigned int requests; /* enum request */
	int ready;             /* 1: tracing; -errno: it failed */
	bool suspended;        /* the suspend request is done */
	bool idle;             /* no thread is traced any more */
	bool ended;            /* the command has ended, */
	int status;            /* … with this status */
	uint64_t waits, waited;
	int queue_fd; /* eventfd: something is queued */
};

/* ---- the queue ------------------------------------------------------------------------------- */

static int enqueue(void *arg, const void *segment, size_t size)
{
	struct backend *b = arg;
	struct queued *q = malloc(sizeof(*q) + size);
	uint64_t one = 1;

	if (!q)
		return -ENOMEM;
	q->next = NULL;
	memcpy(q->segment, segment, size);
	pthread_mutex_lock(&b->lock);
	if (b->queued >= QUEUE && !(b->requests & REQUEST_OFF)) {
		uint64_t begun = now_ns();

		b->waits++;
		while (b->queued >= QUEUE && !(b->requests & REQUEST_OFF))
			pthread_cond_wait(&b->change, &b->lock);
		b->waited += now_ns() - begun;
	}
	*b->last = q;
	b->last = &q->next;
	b->queued++;
	pthread_mutex_unlock(&b->lock);
	while (write(b->queue_fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
	return 0;
}

static struct queued *dequeue(struct backend *b)
{
	struct queued *q;

	pthread_mutex_lock(&b->lock);
	q = b->first;
	if (q) {
		b->first = q->next;
		if (!b->first)
			b->last = &b->first;
		b->queued--;
		pthread_cond_broadcast(&b->change);
	}
	pthread_mutex_unlock(&b->lock);
	return q;
}

/* the worker thread */

/* Passes the command's wait status to its starter, which queries it at a SIGCHLD: the kernel's
 * SIGCHLD may have come before the worker had the status. */
static void command_ended(void *arg, int status)
{
	struct backend *b = arg;

	pthread_mutex_lock(&b->lock);
	b->ended = true;
	b->status = status;
	pthread_mutex_unlock(&b->lock);
	kill(getpid(), SIGCHLD);
}

static unsigned int requests(struct backend *b)
{
	unsigned int w;

	pthread_mutex_lock(&b->lock);
	w = b->requests;
	pthread_mutex_unlock(&b->lock);
	return w;
}

static void flushed(struct backend *b)
{
	user_rings_flush(&b->s.out);
	pthread_mutex_lock(&b->lock);
	b->requests &= ~REQUEST_FLUSH;
	pthread_cond_broadcast(&b->change);
	pthread_mutex_unlock(&b->lock);
}

static void switched(struct backend *b, bool on)
{
	ptrace_switch(&b->s, on);
	pthread_mutex_lock(&b->lock);
	b->suspended = !on;
	pthread_cond_broadcast(&b->change);
	pthread_mutex_unlock(&b->lock);
}

static void set_ready(struct backend *b, int ready)
{
	pthread_mutex_lock(&b->lock);
	b->ready = ready;
	pthread_cond_broadcast(&b->change);
	pthread_mutex_unlock(&b->lock);
}

static int attach_all(struct ptrace_session *s)
{
	const struct tracer_itrace *i = &s->config.itrace;
	int err = 0;

	if (i->scope != PITRACE_ITRACE_PIDS)
		return ptrace_attach(s, s->config.pid);
	for (uint32_t k = 0; k < i->listed && !err; k++)
		err = ptrace_attach(s, i->list[k]);
	return err;
}

static void *work(void *arg)
{
	struct backend *b = arg;
	struct ptrace_session *s = &b->s;
	uint64_t second = b->on_stamp;
	unsigned int turns = 0;
	sigset_t kick;
	int err;

	sigemptyset(&kick);
	sigaddset(&kick, KICK);
	pthread_sigmask(SIG_UNBLOCK, &kick, NULL);
	s->out.steps = TIMER_STEPS;
	user_rings_sync(&s->out, PITRACE_SYNC_ON, b->on_stamp);
	user_rings_interval(&s->out, &s->config, 0, b->on_stamp);
	err = attach_all(s);
	set_ready(b, err ? err : 1);
	while (!err || err == -EINTR) {
		bool polled = err || turns++ % 64 == 0;
		unsigned int w = polled ? requests(b) : 0;

		if (w & REQUEST_OFF)
			break;
		if (polled)
			s->out.steps = TIMER_STEPS;
		if (w & REQUEST_FLUSH)
			flushed(b);
		if (polled && !(w & REQUEST_SUSPEND) != s->on)
			switched(b, !(w & REQUEST_SUSPEND));
		if (polled && s->last - second >= 1000000000) {
			second = s->last;
			user_rings_sync(&s->out, PITRACE_SYNC_SECOND, ptrace_stamp(s));
		}
		err = ptrace_turn(s);
	}
	ptrace_detach_all(s);
	user_rings_sync(&s->out, PITRACE_SYNC_OFF, ptrace_stamp(s));
	user_rings_flush(&s->out);
	pthread_mutex_lock(&b->lock);
	b->idle = true;
	b->requests = 0;
	pthread_cond_broadcast(&b->change);
	pthread_mutex_unlock(&b->lock);
	/* Others can wait for the released process now; they may have tried too early. */
	kill(getpid(), SIGCHLD);
	return NULL;
}

static void on_kick(int number)
{
	(void)number;
}

/* The lock is held. The worker may be just about to wait, so it is signalled again until it
 * answers. */
static void kick(struct backend *b)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += KICK_NS;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_kill(b->worker, KICK);
	pthread_cond_timedwait(&b->change, &b->lock, &until);
}

/* ---- open and close -------------------------------------------------------------------------- */

static void refuse(struct collector_check *c, enum collector_state state, const char *why,
		   const char *cure)
{
	c->state = state;
	snprintf(c->why, sizeof(c->why), "%s", why);
	snprintf(c->cure, sizeof(c->cure), "%s", cure);
}

static bool records_major(const struct trace_config *config, int major)
{
	return config->majors[major / 64] >> (major & 63) & 1;
}

static void check(const struct trace_config *config, struct collector_check *c)
{
	const struct tracer_itrace *i = &config->itrace;

	*c = (struct collector_check){ .state = COLLECTOR_WORKS };
	if (!records_major(config, PITRACE_BRANCH_USER))
		refuse(c, COLLECTOR_ABSENT,
		       "the collector ptrace records instruction traces and nothing else",
		       "swtrace run --itrace");
	else if (config->clock == PITRACE_CLOCK_TSC)
		refuse(c, COLLECTOR_ABSENT,
		       "the collector ptrace stamps with CLOCK_MONOTONIC, not with the TSC", "");
	else if (config->mode != PITRACE_MODE_CONTINUOUS)
		refuse(c, COLLECTOR_REFUSED,
		       "the collector ptrace writes while it traces: it has neither normal nor wrap mode",
		       "use -t cont");
	else if (config->nevents || config->stacks)
		refuse(c, COLLECTOR_ABSENT, "the collector ptrace takes no samples", "");
	else if (i->scope == PITRACE_ITRACE_RANGE)
		refuse(c, COLLECTOR_ABSENT,
		       "the collector ptrace cannot wait for processes by their numbers: that takes the driver",
		       "name the processes");
	else if (config->scope == PITRACE_SCOPE_SYSTEM && i->scope != PITRACE_ITRACE_PIDS)
		refuse(c, COLLECTOR_ABSENT,
		       "the collector ptrace traces the command that swtrace run starts, or processes that are named, not the whole system",
		       "give a command, or -p PID");
}

static void ptrace_close(struct backend *b)
{
	struct queued *q;

	if (!b)
		return;
	if (b->working) {
		pthread_mutex_lock(&b->lock);
		b->requests |= REQUEST_OFF;
		while (!b->idle)
			kick(b);
		pthread_mutex_unlock(&b->lock);
		pthread_join(b->worker, NULL);
	}
	sigaction(KICK, &b->kicked, NULL);
	while ((q = dequeue(b)))
		free(q);
	ptrace_free(&b->s);
	user_rings_close(&b->s.out);
	if (b->queue_fd >= 0)
		close(b->queue_fd);
	pthread_cond_destroy(&b->change);
	pthread_mutex_destroy(&b->lock);
	free(b);
}

static struct backend *ptrace_open(const struct trace_config *config, int *rc, char *why,
				   size_t room)
{
	const struct sigaction kicked = { .sa_handler = on_kick };
	struct trace_config with = *config;
	struct collector_check c;
	struct backend *b;

	/* Majors and scope may be set later. */
	with.majors[0] |= 1ull << PITRACE_BRANCH_USER;
	if (with.itrace.scope == PITRACE_ITRACE_NONE && with.scope == PITRACE_SCOPE_SYSTEM)
		with.itrace.scope = PITRACE_ITRACE_PIDS;
	check(&with, &c);
	if (c.state != COLLECTOR_WORKS) {
		*rc = PI_NOT_SUPPORTED;
		snprintf(why, room, "%s%s%s", c.why, *c.cure ? ": " : "", c.cure);
		return NULL;
	}
	*rc = PI_NO_MEMORY;
	b = calloc(1, sizeof(*b));
	if (!b)
		return NULL;
	b->s.config = *config;
	b->s.ended = command_ended;
	b->s.arg = b;
	b->last = &b->first;
	pthread_mutex_init(&b->lock, NULL);
	pthread_cond_init(&b->change, NULL);
	sigaction(KICK, &kicked, &b->kicked);
	b->queue_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (b->queue_fd >= 0 && !user_rings_open(&b->s.out, config->segment_bytes)) {
		b->s.out.sink = enqueue;
		b->s.out.arg = b;
		return b;
	}
	ptrace_close(b);
	return NULL;
}

/* ---- on and off ------------------------------------------------------------------------------ */

static int ptrace_on(struct backend *b, const struct trace_config *config)
{
	/* Without SA_NOCLDSTOP each stop of each thread would raise a SIGCHLD. */
	struct sigaction quiet = { .sa_handler = SIG_DFL, .sa_flags = SA_NOCLDSTOP }, old;
	sigset_t all, mask;
	int err;

	if (!records_major(config, PITRACE_BRANCH_USER) ||
	    (config->scope == PITRACE_SCOPE_SYSTEM && config->itrace.scope != PITRACE_ITRACE_PIDS))
		return -EOPNOTSUPP;
	/* Only one interval: released threads cannot be traced again. */
	if (b->over || b->working)
		return -EALREADY;
	if (!sigaction(SIGCHLD, NULL, &old) && !(old.sa_flags & SA_NOCLDSTOP)) {
		quiet = old;
		quiet.sa_flags |= SA_NOCLDSTOP;
		sigaction(SIGCHLD, &quiet, NULL);
	}
	b->s.config = *config;
	if (!b->s.config.itrace.limit)
		b->s.config.itrace.limit = LIMIT;
	b->s.on = true;
	b->on_stamp = ptrace_stamp(&b->s);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &mask);
	err = -pthread_create(&b->worker, NULL, work, b);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	if (err)
		return err;
	b->working = true;
	pthread_mutex_lock(&b->lock);
	while (!b->ready)
		pthread_cond_wait(&b->change, &b->lock);
	err = b->ready < 0 ? b->ready : 0;
	pthread_mutex_unlock(&b->lock);
	if (!err)
		__atomic_store_n(&b->state, PITRACE_STATE_ON, __ATOMIC_RELEASE);
	return err;
}

static int ptrace_off(struct backend *b)
{
	if (b->over || !b->working)
		return -EALREADY;
	b->over = true;
	pthread_mutex_lock(&b->lock);
	b->requests |= REQUEST_OFF;
	pthread_cond_broadcast(&b->change);
	while (!b->idle)
		kick(b);
	pthread_mutex_unlock(&b->lock);
	pthread_join(b->worker, NULL);
	b->working = false;
	__atomic_store_n(&b->state, PITRACE_STATE_OFF, __ATOMIC_RELEASE);
	return 0;
}

static int ptrace_suspend(struct backend *b, bool suspend)
{
	pthread_mutex_lock(&b->lock);
	b->requests = suspend ? b->requests | REQUEST_SUSPEND : b->requests & ~REQUEST_SUSPEND;
	while (b->working && !b->idle && b->suspended != suspend)
		kick(b);
	pthread_mutex_unlock(&b->lock);
	__atomic_store_n(&b->state, suspend ? PITRACE_STATE_SUSPENDED : PITRACE_STATE_ON,
			 __ATOMIC_RELEASE);
	return 0;
}

static bool ptrace_ended(struct backend *b, pid_t child, int *status)
{
	bool ended, ours;

	pthread_mutex_lock(&b->lock);
	ended = b->ended;
	*status = b->status;
	/* Waits for the child only if nobody else did so before or will do so. */
	ours = b->working && !b->idle;
	pthread_mutex_unlock(&b->lock);
	return ended || ((!ours || b->s.released) && waitpid(child, status, WNOHANG) == child);
}

/* ---- the drain ------------------------------------------------------------------------------- */

static int ptrace_drain(struct backend *b, bool all, segment_sink sink, void *arg)
{
	struct queued *q;
	uint64_t n;
	int err = 0;

	if (read(b->queue_fd, &n, sizeof(n)) < 0)
		n = 0;
	if (all) {
		pthread_mutex_lock(&b->lock);
		if (b->working && !b->idle) {
			b->requests |= REQUEST_FLUSH;
			kick(b);
		}
		pthread_mutex_unlock(&b->lock);
	}
	while (!err && (q = dequeue(b))) {
		err = sink(arg, q->segment, b->s.config.segment_bytes);
		free(q);
	}
	return err ? err : b->s.out.err;
}

static int ptrace_fd(struct backend *b)
{
	return b->queue_fd;
}

static void ptrace_info(struct backend *b, struct trace_info *info)
{
	uint64_t limit = b->s.config.itrace.limit;

	info->state = __atomic_load_n(&b->state, __ATOMIC_ACQUIRE);
	info->segment_bytes = b->s.config.segment_bytes;
	info->mte_bytes = info->trace_bytes = 0; /* rings are read into segments immediately */
	info->rate = 0;                          /* no timer samples */
	info->interval = b->on_stamp ? 1 : 0;
	info->clock = PITRACE_CLOCK_MONOTONIC;
	memcpy(info->available, collector_majors("ptrace"), sizeof(info->available));
	snprintf(info->note, sizeof(info->note),
		 "the slow one: each instruction is a stop; user code only");
	if (!limit || limit == LIMIT) {
		size_t n = strlen(info->note);

		snprintf(info->note + n, sizeof(info->note) - n,
			 "; no more than %d million instructions of a thread (-n)",
			 LIMIT / 1000000);
	}
	if (b->s.hidden) {
		size_t n = strlen(info->note);

		snprintf(info->note + n, sizeof(info->note) - n,
			 "; %u program%s that gained rights left out", b->s.hidden,
			 b->s.hidden == 1 ? "" : "s");
	}
	info->ncpus = 1;
	info->ticks = info->idle_ticks = info->late = 0;
	memset(info->lost, 0, sizeof(info->lost));
	info->instructions = b->s.instructions;
	info->branches = b->s.branches;
	pthread_mutex_lock(&b->lock);
	info->taken = 0;
	info->waits = b->waits;
	info->waited = b->waited;
	pthread_mutex_unlock(&b->lock);
}

static uint64_t ptrace_clock_hz(struct backend *b)
{
	(void)b;
	return 1000000000;
}

static int ptrace_stats(struct backend *b, struct pifile_stats **stats)
{
	*stats = malloc(b->s.out.ncpus * sizeof(**stats));
	if (!*stats)
		return -ENOMEM;
	memcpy(*stats, b->s.out.stats, b->s.out.ncpus * sizeof(**stats));
	return (int)b->s.out.ncpus;
}

const struct collector collector_ptrace = {
	.name = "ptrace",
	.what = "single steps by ptrace: every instruction of user code, slowly",
	.drain_reads_build_ids = true,
	.check = check,
	.open = ptrace_open,
	.close = ptrace_close,
	.on = ptrace_on,
	.off = ptrace_off,
	.suspend = ptrace_suspend,
	.ended = ptrace_ended,
	.hook_files = true,
	.drain = ptrace_drain,
	.fd = ptrace_fd,
	.info = ptrace_info,
	.clock_hz = ptrace_clock_hz,
	.stats = ptrace_stats,
};

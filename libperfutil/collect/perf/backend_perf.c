/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The collector `perf`: the kernel's own perf events, for systems without the module. In continuous
 * mode the drain empties the rings. In normal mode a thread empties them and keeps the segments
 * until a CPU's buffer is full; in wrap mode the drain keeps the newest trace segments of each CPU.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include "events/event_names.h"
#include "base/now.h"
#include "collect/perf/perf_mapped.h"
#include "collect/perf/perf_session.h"
#include "base/rc.h"

#define NS_PER_SEC  1000000000u
#define DRAIN_BYTES 32768 /* tolerance of the one second interval */
#define KEEP_MS     100
#define PAUSE_US    10000 /* between scans of new mappings */

struct kept_segment {
	struct pitrace_segment *segment;
	struct kept_segment *next;
};

struct backend {
	struct perf_session s;
	pthread_mutex_t lock; /* protects everything that the pump uses */
	int epoll;            /* readable when a ring is filled beyond its watermark */
	uint32_t state;       /* enum pitrace_state */
	uint64_t interval;
	char note[200];
	bool stale; /* set while opening for check only */
	struct kept_segment *first[PITRACE_RINGS], **last[PITRACE_RINGS];
	/* Normal mode. */
	int ends[2]; /* socket pair, shut down when a buffer is full */
	int quit;    /* eventfd: makes the thread end */
	pthread_t thread;
	bool keeping; /* the thread is running */
	uint32_t stop_cpu, stop_ring;
	/* Wrap mode: where the current drain hands over names. */
	segment_sink sink;
	void *arg;
};

static bool normal(const struct backend *b)
{
	return b->s.config.mode == PITRACE_MODE_NORMAL;
}

/* ---- open and close -------------------------------------------------------------------------- */

static void check(const struct trace_config *config, struct collector_check *check)
{
	bool user_only;

	if (config->clock == PITRACE_CLOCK_TSC) {
		*check = (struct collector_check){ .state = COLLECTOR_ABSENT };
		snprintf(check->why, sizeof(check->why),
			 "perf events are stamped with CLOCK_MONOTONIC, not with the TSC");
		return;
	}
	perf_check(config, check, &user_only);
}

static void drop_one(struct backend *b, int ring, struct kept_segment **at)
{
	struct kept_segment *k = *at;

	*at = k->next;
	if (!k->next)
		b->last[ring] = at;
	free(k->segment);
	free(k);
}

static void drop_kept(struct backend *b, int ring)
{
	while (b->first[ring])
		drop_one(b, ring, &b->first[ring]);
	b->last[ring] = &b->first[ring];
}

static void perf_close(struct backend *b)
{
	drop_kept(b, PITRACE_RING_MTE);
	drop_kept(b, PITRACE_RING_TRACE);
	perf_session_close(&b->s);
	known_files_free(b->s.files);
	for (int i = 0; i < 2; i++)
		if (b->ends[i] >= 0)
			close(b->ends[i]);
	if (b->epoll >= 0)
		close(b->epoll);
	if (b->quit >= 0)
		close(b->quit);
	pthread_mutex_destroy(&b->lock);
	free(b);
}

static int watch(struct backend *b)
{
	b->epoll = epoll_create1(EPOLL_CLOEXEC);
	b->quit = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (b->epoll < 0 || b->quit < 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, b->ends))
		return -errno;
	return 0;
}

/* Events that write to another event's ring never signal; polling them is harmless. */
static int watch_events(struct backend *b)
{
	struct epoll_event e = { .events = EPOLLIN | EPOLLET };

	for (size_t i = 0; i < b->s.nevents; i++)
		if (epoll_ctl(b->epoll, EPOLL_CTL_ADD, b->s.event[i].fd, &e))
			return -errno;
	return 0;
}

static void note(struct backend *b, const struct collector_check *check)
{
	size_t n = (size_t)snprintf(b->note, sizeof(b->note), "%s", check->why);

	if (b->s.ncpus && b->s.cpu[0].ring[PERF_SAMPLES].bytes < b->s.config.trace_bytes &&
	    n < sizeof(b->note))
		snprintf(b->note + n, sizeof(b->note) - n,
			 "%srings of %zu KB a CPU: more this user may not lock (ulimit -l)",
			 n ? "; " : "", b->s.cpu[0].ring[PERF_SAMPLES].bytes >> 10);
}

static bool wanted(const struct trace_config *config, unsigned int major)
{
	return config->majors[major / 64] >> (major & 63) & 1;
}

/* Opens the events and rings of this configuration in place of the current ones. */
static int open_session(struct backend *b, const struct trace_config *config)
{
	bool system = config->scope == PITRACE_SCOPE_SYSTEM;
	struct collector_check c;
	int err = -ENOMEM;

	perf_session_close(&b->s);
	b->s.config = *config;
	perf_check(config, &c, &b->s.user_only);
	if (!system)
		b->s.scope = calloc(1, PERF_PIDS / 8);
	b->s.stacks = (struct perf_stacks){
		.want = config->stacks,
		.regs = perf_user_registers(),
		.depth = config->depth ? config->depth : PITRACE_STACK_MAX,
		.copy = PITRACE_STACK_COPY_MAX,
		.registers = perf_registers_here(),
	};
	if (b->s.user_only)
		b->s.stacks.want &= ~PITRACE_WANT_KERNEL;
	if (system || b->s.scope)
		err = wanted(config, PITRACE_SYSCALL) ?
			      perf_points_read(&b->s.points, perf_points_needed(config)) :
			      0;
	if (!err)
		err = perf_session_open(&b->s);
	if (!err)
		err = watch_events(b);
	if (!err && system && !config->nevents)
		perf_idle_read(&b->s.idle);
	if (!err)
		note(b, &c);
	b->stale = err;
	return err;
}

/* Do the open events record what is requested now? Inherited events keep their period, and the
 * kernel swaps the events of parents and children: a new rate needs new events. */
static bool same_events(const struct trace_config *a, const struct trace_config *b)
{
	return a->nevents == b->nevents && (a->nevents || a->rate == b->rate) &&
	       (!wanted(a, PITRACE_SYSCALL) || wanted(b, PITRACE_SYSCALL)) &&
	       !memcmp(a->events, b->events, a->nevents * sizeof(*a->events));
}

static struct backend *perf_backend_open(const struct trace_config *config, int *rc, char *why,
					 size_t room)
{
	struct backend *b = calloc(1, sizeof(*b));
	struct collector_check c;
	int err = -ENOMEM;

	*rc = PI_NO_MEMORY;
	if (!b)
		return NULL;
	b->epoll = b->quit = b->ends[0] = b->ends[1] = -1;
	pthread_mutex_init(&b->lock, NULL);
	b->s.files = known_files_new();
	pthread_mutex_init(&b->s.turns_lock, NULL);
	for (int i = 0; i < PITRACE_RINGS; i++)
		b->last[i] = &b->first[i];
	check(config, &c);
	if (c.state == COLLECTOR_WORKS) {
		err = b->s.files ? watch(b) : -ENOMEM;
		if (!err)
			err = open_session(b, config);
		if (!err) {
			*rc = PI_OK;
			return b;
		}
		perf_why(err, config, &c);
		*rc = rc_of_errno(err);
	} else {
		*rc = c.state == COLLECTOR_REFUSED ? PI_NO_PERMISSION : PI_NOT_SUPPORTED;
	}
	snprintf(why, room, "%s%s%s", c.why, *c.cure ? "; " : "", c.cure);
	perf_close(b);
	return NULL;
}

/* kept segments */

/* Enables or disables everything except names. */
static void enable_records(struct backend *b, bool on)
{
	static const struct {
		enum perf_use use;
		unsigned int major;
	} uses[] = {
		{ PERF_SAMPLES, PITRACE_TPROF },
		{ PERF_SWITCHES, PITRACE_DISPATCH },
		{ PERF_WAKEUPS, PITRACE_WAKEUP },
		{ PERF_SYSCALLS, PITRACE_SYSCALL },
	};

	for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++)
		if (!on || wanted(&b->s.config, uses[i].major))
			perf_session_enable(&b->s, uses[i].use, on);
}

static void stop_itself(struct backend *b, const struct pitrace_segment *s)
{
	if (b->state == PITRACE_STATE_STOPPED)
		return;
	b->stop_cpu = s->cpu;
	b->stop_ring = s->ring;
	b->state = PITRACE_STATE_STOPPED;
	enable_records(b, false);
	shutdown(b->ends[1], SHUT_RDWR);
}

static struct perf_cpu *cpu_of(struct backend *b, uint32_t cpu)
{
	for (uint32_t i = 0; i < b->s.ncpus; i++)
		if (b->s.cpu[i].cpu == cpu)
			return &b->s.cpu[i];
	return NULL;
}

static int append(struct backend *b, const struct pitrace_segment *segment, size_t size)
{
	struct kept_segment *k = malloc(sizeof(*k));

	if (k)
		k->segment = malloc(size);
	if (!k || !k->segment) {
		free(k);
		return -ENOMEM;
	}
	memcpy(k->segment, segment, size);
	k->next = NULL;
	*b->last[segment->ring] = k;
	b->last[segment->ring] = &k->next;
	return 0;
}

/* Normal mode: keeps segments until the requested buffer size is reached. */
static int keep(void *arg, const void *segment, size_t size)
{
	const struct pitrace_segment *s = segment;
	struct backend *b = arg;
	struct perf_cpu *c = cpu_of(b, s->cpu);
	bool names = s->ring == PITRACE_RING_MTE;
	uint64_t *bytes = names ? &c->mte_bytes : &c->trace_bytes;

	if (*bytes + size > (names ? b->s.config.mte_bytes : b->s.config.trace_bytes)) {
		stop_itself(b, s);
		return 0;
	}
	*bytes += size;
	return append(b, s, size);
}

/* Wrap mode: passes names on and keeps the newest of the other segments. */
static int keep_newest(void *arg, const void *segment, size_t size)
{
	const struct pitrace_segment *s = segment;
	struct backend *b = arg;
	struct perf_cpu *c = cpu_of(b, s->cpu);
	struct kept_segment **k = &b->first[PITRACE_RING_TRACE];

	if (s->ring == PITRACE_RING_MTE)
		return b->sink(b->arg, segment, size);
	while (*k && c->trace_bytes + size > b->s.config.trace_bytes) {
		if ((*k)->segment->cpu == s->cpu) {
			drop_one(b, PITRACE_RING_TRACE, k);
			c->trace_bytes -= size;
		} else {
			k = &(*k)->next;
		}
	}
	c->trace_bytes += size;
	return append(b, s, size);
}

/* Clears pending readiness, so that only new data are signalled. */
static void forget_edges(struct backend *b)
{
	struct epoll_event seen[64];

	while (epoll_wait(b->epoll, seen, 64, 0) == 64)
		;
}

static void *keep_thread(void *arg)
{
	struct backend *b = arg;
	struct pollfd p[2] = {
		{ .fd = b->quit, .events = POLLIN },
		{ .fd = b->epoll, .events = POLLIN },
	};
	uint64_t kept = 0;

	while (poll(p, 2, KEEP_MS) >= 0 && !p[0].revents) {
		pthread_mutex_lock(&b->lock);
		forget_edges(b);
		perf_files_identify(&b->s);
		if (now_ns() - kept < KEEP_MS * 1000000ull) {
			pthread_mutex_unlock(&b->lock);
			usleep(PAUSE_US);
			continue;
		}
		kept = now_ns();
		if (b->state == PITRACE_STATE_ON || b->state == PITRACE_STATE_SUSPENDED) {
			if (now_ns() - b->s.synced > NS_PER_SEC)
				perf_emit_sync(&b->s, PITRACE_SYNC_SECOND);
			/* Keeps segments open: otherwise the few names of each second would take a
			 * whole segment. */
			perf_pump_full(&b->s, keep, b);
		}
		pthread_mutex_unlock(&b->lock);
	}
	return NULL;
}

static int start_keeping(struct backend *b)
{
	sigset_t all, old;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&b->thread, NULL, keep_thread, b);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	b->keeping = !err;
	return -err;
}

static void end_keeping(struct backend *b)
{
	uint64_t one = 1;

	if (!b->keeping)
		return;
	if (write(b->quit, &one, sizeof(one)) < 0)
		return;
	pthread_join(b->thread, NULL);
	b->keeping = false;
	if (read(b->quit, &one, sizeof(one)) < 0)
		return;
}

/* ---- on and off ------------------------------------------------------------------------------ */

static int emit_interval(struct backend *b, uint32_t flags)
{
	const struct trace_config *c = &b->s.config;
	struct pitrace_interval i = {
		.flags = flags,
		.interval = b->interval,
		.rate = c->nevents ? events_rate(c->events, c->nevents) : c->rate,
		.dither = perf_dither_of(c),
		.cpus_present = (uint32_t)sysconf(_SC_NPROCESSORS_CONF),
		.cpus_online = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN),
	};
	uint64_t now = now_ns();
	int err = perf_emit(&b->s, PITRACE_SYSINFO, PITRACE_SYSINFO_INTERVAL, &i, sizeof(i), now);

	for (uint32_t k = 0; k < b->s.config.nevents && !err; k++) {
		const struct pitrace_event_args *e = &b->s.config.events[k];
		struct pitrace_event_rec r = {
			.event = k,
			.flags = e->flags,
			.period = e->period,
		};

		memcpy(r.name, e->name, sizeof(r.name));
		err = perf_emit(&b->s, PITRACE_SYSINFO, PITRACE_SYSINFO_EVENT, &r, sizeof(r), now);
	}
	return err;
}

static void all_off(struct backend *b)
{
	enable_records(b, false);
	perf_session_enable(&b->s, PERF_NAMES, false);
}

static int turn_on(struct backend *b)
{
	int err;

	perf_pump_reset(&b->s);
	perf_session_count_lost(&b->s, true);
	drop_kept(b, PITRACE_RING_MTE);
	drop_kept(b, PITRACE_RING_TRACE);
	b->interval++;
	err = perf_emit_sync(&b->s, PITRACE_SYNC_ON);
	perf_session_enable(&b->s, PERF_NAMES, true);
	if (!err)
		err = perf_emit_walk(&b->s);
	if (!err)
		err = emit_interval(b, 0);
	b->state = PITRACE_STATE_ON;
	/* Checks whether the walk of live tasks alone overflows the buffer. */
	if (!err && normal(b))
		err = perf_pump(&b->s, false, keep, b);
	if (!err && b->state == PITRACE_STATE_STOPPED)
		err = -ENOBUFS;
	if (!err && normal(b))
		err = start_keeping(b);
	if (!err && wanted(&b->s.config, PITRACE_TPROF))
		err = perf_turns_begin(&b->s);
	if (err) {
		all_off(b);
		b->state = PITRACE_STATE_OFF;
		return err;
	}
	enable_records(b, true);
	return 0;
}

static int perf_on(struct backend *b, const struct trace_config *config)
{
	int err = 0;

	if (b->state != PITRACE_STATE_OFF)
		return -EBUSY;
	pthread_mutex_lock(&b->lock);
	if (b->stale || !same_events(config, &b->s.config))
		err = open_session(b, config);
	if (err) {
		pthread_mutex_unlock(&b->lock);
		return err;
	}
	memcpy(b->s.config.majors, config->majors, sizeof(config->majors));
	if (wanted(config, PITRACE_DISPATCH))
		err = perf_session_open_whole(&b->s, PERF_SWITCHES);
	if (!err && wanted(config, PITRACE_WAKEUP))
		err = perf_session_open_whole(&b->s, PERF_WAKEUPS);
	if (!err)
		err = turn_on(b);
	pthread_mutex_unlock(&b->lock);
	return err;
}

static int perf_off(struct backend *b)
{
	int err;

	if (b->state == PITRACE_STATE_OFF)
		return -EALREADY;
	end_keeping(b);
	perf_turns_end(&b->s);
	pthread_mutex_lock(&b->lock);
	enable_records(b, false);
	/* After a loss of names, writes all live tasks again, now that the ring has space. */
	err = b->s.names_lost ? perf_emit_walk(&b->s) : 0;
	if (!err)
		err = perf_emit_sync(&b->s, PITRACE_SYNC_OFF);
	all_off(b);
	if (!err && normal(b))
		err = perf_pump(&b->s, true, keep, b);
	if (b->state == PITRACE_STATE_STOPPED) {
		/* The drain of the next interval polls this end again. */
		close(b->ends[0]);
		close(b->ends[1]);
		b->ends[0] = b->ends[1] = -1;
		if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, b->ends) && !err)
			err = -errno;
	}
	/* Otherwise done after the last drain: the rings' remaining records report some of the
	 * losses. */
	if (normal(b))
		perf_session_count_lost(&b->s, false);
	b->state = PITRACE_STATE_OFF;
	pthread_mutex_unlock(&b->lock);
	return err;
}

static int perf_suspend(struct backend *b, bool suspend)
{
	uint32_t to = suspend ? PITRACE_STATE_SUSPENDED : PITRACE_STATE_ON;
	int err = 0;

	pthread_mutex_lock(&b->lock);
	if (b->state != PITRACE_STATE_ON && b->state != PITRACE_STATE_SUSPENDED) {
		err = -EINVAL;
	} else if (b->state != to) {
		/* Earlier records were cut off: a new session number keeps readers from joining
		 * them to the later ones. */
		if (!suspend)
			err = emit_interval(b, 0);
		enable_records(b, !suspend);
		/* The pause is not a gap in the trace. */
		for (uint32_t i = 0; i < b->s.ncpus; i++)
			b->s.cpu[i].due = 0;
		b->state = to;
	}
	pthread_mutex_unlock(&b->lock);
	return err;
}

/* ---- the drain ------------------------------------------------------------------------------- */

static bool much(const struct perf_session *s)
{
	for (uint32_t i = 0; i < s->ncpus; i++) {
		const struct perf_cpu *c = &s->cpu[i];

		for (int use = 0; use < PERF_USES; use++)
			if (perf_ring_head(&c->ring[use]) - c->ring[use].at >= DRAIN_BYTES)
				return true;
	}
	return false;
}

static int replay(struct backend *b, int ring, segment_sink sink, void *arg)
{
	int err = 0;

	for (const struct kept_segment *k = b->first[ring]; k && !err; k = k->next)
		err = sink(arg, k->segment, b->s.config.segment_bytes);
	return err;
}

static int perf_drain(struct backend *b, bool all, segment_sink sink, void *arg)
{
	int err = 0;

	if (normal(b)) {
		pthread_mutex_lock(&b->lock);
		/* Records in open segments are in no list yet. */
		if (all && (b->state == PITRACE_STATE_ON || b->state == PITRACE_STATE_SUSPENDED))
			err = perf_pump(&b->s, true, keep, b);
		if (!err)
			err = replay(b, PITRACE_RING_MTE, sink, arg);
		if (!err)
			err = replay(b, PITRACE_RING_TRACE, sink, arg);
		pthread_mutex_unlock(&b->lock);
		return err;
	}
	forget_edges(b);
	pthread_mutex_lock(&b->lock);
	perf_files_identify(&b->s);
	if (all && b->state != PITRACE_STATE_OFF && now_ns() - b->s.synced > NS_PER_SEC / 2)
		err = perf_emit_sync(&b->s, PITRACE_SYNC_SECOND);
	b->sink = sink;
	b->arg = arg;
	if (!err && (all || much(&b->s)))
		err = b->s.config.mode == PITRACE_MODE_WRAP ?
			      perf_pump(&b->s, all, keep_newest, b) :
			      perf_pump(&b->s, all, sink, arg);
	if (!err && b->s.names_lost && b->state == PITRACE_STATE_ON)
		err = perf_emit_walk(&b->s);
	if (all && b->state == PITRACE_STATE_OFF)
		perf_session_count_lost(&b->s, false);
	pthread_mutex_unlock(&b->lock);
	return err;
}

/* The next drain keeps the data up to then, and window hands it over. */
static int perf_mark(struct backend *b)
{
	(void)b;
	return 0;
}

static int perf_window(struct backend *b, segment_sink sink, void *arg)
{
	int err;

	pthread_mutex_lock(&b->lock);
	err = replay(b, PITRACE_RING_TRACE, sink, arg);
	pthread_mutex_unlock(&b->lock);
	return err;
}

static int perf_discard(struct backend *b)
{
	pthread_mutex_lock(&b->lock);
	perf_pump_discard(&b->s);
	drop_kept(b, PITRACE_RING_TRACE);
	pthread_mutex_unlock(&b->lock);
	return 0;
}

static int perf_rescan(struct backend *b, uint64_t *ticket)
{
	int err;

	*ticket = 0;
	pthread_mutex_lock(&b->lock);
	err = b->state == PITRACE_STATE_OFF ? -EINVAL : 0;
	/* Writes everything that a file that begins here needs. */
	if (!err)
		err = perf_emit_sync(&b->s, PITRACE_SYNC_SECOND);
	if (!err)
		err = emit_interval(b, PITRACE_INTERVAL_AGAIN);
	if (!err)
		err = perf_emit_walk(&b->s);
	pthread_mutex_unlock(&b->lock);
	return err;
}

/* The walk is complete when rescan returns. */
static bool perf_rescanned(struct backend *b, uint64_t ticket)
{
	(void)b;
	(void)ticket;
	return true;
}

static int perf_fd(struct backend *b)
{
	return normal(b) ? b->ends[0] : b->epoll;
}

/* Sinks call this within the pump, so the counts are read without the lock. */
static void perf_info(struct backend *b, struct trace_info *info)
{
	info->state = b->state;
	info->stop_cpu = b->stop_cpu;
	info->stop_ring = b->stop_ring;
	info->mte_bytes = b->s.ncpus ? b->s.cpu[0].ring[PERF_NAMES].bytes : 0;
	info->trace_bytes = b->s.ncpus ? b->s.cpu[0].ring[PERF_SAMPLES].bytes : 0;
	info->segment_bytes = b->s.config.segment_bytes;
	info->interval = b->interval;
	info->clock = PITRACE_CLOCK_MONOTONIC;
	info->driver_have = info->driver_missing = 0;
	memcpy(info->available, collector_majors("perf"), sizeof(info->available));
	info->ncpus = b->s.ncpus;
	info->ticks = info->idle_ticks = info->late = 0;
	memset(info->lost, 0, sizeof(info->lost));
	for (uint32_t i = 0; i < b->s.ncpus; i++) {
		info->ticks += b->s.cpu[i].ticks;
		info->idle_ticks += b->s.cpu[i].idle_ticks;
		for (int k = 0; k < PITRACE_LOST_KINDS; k++)
			info->lost[k] += b->s.cpu[i].lost[k];
	}
	snprintf(info->note, sizeof(info->note), "%s", b->note);
}

static uint64_t perf_clock_hz(struct backend *b)
{
	(void)b;
	return NS_PER_SEC;
}

static int perf_stats(struct backend *b, struct pifile_stats **out)
{
	struct pifile_stats *s = calloc(b->s.ncpus, sizeof(*s));

	if (!s)
		return -ENOMEM;
	for (uint32_t i = 0; i < b->s.ncpus; i++) {
		const struct perf_cpu *c = &b->s.cpu[i];

		s[i] = (struct pifile_stats){
			.cpu = c->cpu,
			.online = 1,
			.ticks = c->ticks,
			.idle_ticks = c->idle_ticks,
			.mte_bytes = c->mte.sequence * c->mte.size,
			.trace_bytes = c->trace.sequence * c->trace.size,
		};
		memcpy(s[i].lost, c->lost, sizeof(s[i].lost));
	}
	*out = s;
	return (int)b->s.ncpus;
}

const struct collector collector_perf = {
	.name = "perf",
	.hook_files = true,
	.what = "the kernel's perf events (perf_event_open); distances of ticks vary by 5 %",
	.dither = PERF_DITHER,
	.dither_of = perf_dither_of,
	.drain_reads_build_ids = true,
	.modules = MODULES_BY_DRAIN,
	.check = check,
	.checks_majors = true,
	.open = perf_backend_open,
	.close = perf_close,
	.on = perf_on,
	.off = perf_off,
	.suspend = perf_suspend,
	.drain = perf_drain,
	.mark = perf_mark,
	.window = perf_window,
	.discard = perf_discard,
	.rescan = perf_rescan,
	.rescanned = perf_rescanned,
	.fd = perf_fd,
	.info = perf_info,
	.clock_hz = perf_clock_hz,
	.stats = perf_stats,
};

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The collector `timer`, for users who may use neither the module nor perf events. A library
 * preloaded into the command (preload/) samples its threads by timers on their own CPU time, user
 * code only. This file reads their rings, sorts the items by time (held back a little, because
 * rings are read one after the other), and writes the same records as any collector.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
#include "base/now.h"
#include "base/rc.h"
#include "collect/timer/timer_session.h"

#define DRAIN_NS 50000000     /* pause between two reads of the rings */
#define HOLD_NS  100000000ull /* younger items wait for others that may still arrive */
/* maximum reads of the rings at the end, while something is left */
#define LAST_READS   64
#define EVENT_BYTES  (128u << 10)
#define SAMPLE_BYTES (64u << 10)
#define STACK_BYTES  (512u << 10) /* sample rings with stacks … */
#define COPY_BYTES   (2u << 20)   /* … and with copies of them */

struct backend {
	struct timer_session s;
	struct trace_config config;
	uint64_t on_stamp;
	uint32_t state;     /* enum pitrace_state, atomic */
	uint32_t published; /* enum timer_state; PAUSED if on without tprof */
	uint32_t rate;
	bool began, over;
	int clock; /* timerfd */
};

/* ---- open and close -------------------------------------------------------------------------- */

/* The kernel checks CPU timers at its tick. With slightly more than a tick between two samples, two
 * are hardly ever due at once. */
static void choose_rate(const struct trace_config *config, struct timer_control *c)
{
	struct timespec coarse = { 0, 4000000 };

	clock_getres(CLOCK_MONOTONIC_COARSE, &coarse);
	c->tick = (uint64_t)coarse.tv_nsec;
	c->interval = TIMER_SECOND / config->rate;
	if (c->interval < c->tick + c->tick / 20)
		c->interval = c->tick + c->tick / 20;
}

static void timer_close(struct backend *b)
{
	if (!b)
		return;
	timer_folder_remove(&b->s.folder);
	timer_items_free(&b->s);
	timer_processes_free(&b->s.all);
	user_rings_close(&b->s.out);
	if (b->clock >= 0)
		close(b->clock);
	free(b);
}

static struct backend *timer_open(const struct trace_config *config, int *rc, char *why,
				  size_t room)
{
	struct timer_control control = {
		.magic = TIMER_MAGIC,
		.version = TIMER_VERSION,
		.state = TIMER_PAUSED,
		.stacks = config->stacks & (PITRACE_WANT_USER | PITRACE_WANT_COPY),
		.event_bytes = EVENT_BYTES,
		.sample_bytes = SAMPLE_BYTES,
		.depth = config->depth ? config->depth : PITRACE_STACK_MAX,
		.fine = config->dither != 0,
	};
	struct itimerspec often = { { 0, DRAIN_NS }, { 0, DRAIN_NS } };
	struct collector_check check;
	struct backend *b;

	timer_check(config, &check);
	if (check.state != COLLECTOR_WORKS) {
		*rc = check.state == COLLECTOR_ABSENT ? PI_FILE_ERROR : PI_NOT_SUPPORTED;
		snprintf(why, room, "%s%s%s; what the other collectors need: swtrace check",
			 check.why, *check.cure ? ": " : "", check.cure);
		return NULL;
	}
	choose_rate(config, &control);
	if (control.stacks) {
		control.sample_bytes = STACK_BYTES;
		if (control.stacks & PITRACE_WANT_COPY) {
			control.sample_bytes = COPY_BYTES;
			control.copy = config->copy ? config->copy : PITRACE_STACK_COPY_MAX;
		}
	}
	b = calloc(1, sizeof(*b));
	*rc = PI_NO_MEMORY;
	if (!b)
		return NULL;
	b->config = *config;
	b->rate = (uint32_t)((TIMER_SECOND + control.interval / 2) / control.interval);
	b->s.folder.fd = b->s.folder.control_fd = -1;
	b->clock = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (b->clock >= 0 && !timerfd_settime(b->clock, 0, &often, NULL) &&
	    !user_rings_open(&b->s.out, config->segment_bytes)) {
		int err = timer_folder_make(&b->s.folder, &control, config->user, why, room);

		if (!err)
			return b;
		*rc = rc_of_errno(err);
	}
	timer_close(b);
	return NULL;
}

static int timer_environment(struct backend *b, char ***variables)
{
	const char *old = getenv("LD_PRELOAD");
	char library[PATH_MAX], **v = calloc(3, sizeof(*v));

	*variables = NULL;
	if (!v)
		return -ENOMEM;
	if (!timer_find_library(library)) {
		free(v);
		return -errno;
	}
	/* Each string is one allocation: the caller frees the strings and their array. */
	if (asprintf(&v[0], "LD_PRELOAD=%s%s%s", library, old && *old ? ":" : "", old ? old : "") <
	    0)
		v[0] = NULL;
	if (!v[0] || asprintf(&v[1], TIMER_VARIABLE "=%s", b->s.folder.path) < 0) {
		free(v[0]);
		free(v);
		return -ENOMEM;
	}
	*variables = v;
	return 0;
}
/* ---- on and off ------------------------------------------------------------------------------ */

static void set_state(struct backend *b, uint32_t state, uint32_t published)
{
	__atomic_store_n(&b->state, state, __ATOMIC_RELEASE);
	timer_folder_state(&b->s.folder, published);
}

static int timer_on(struct backend *b, const struct trace_config *config)
{
	b->published = config->majors[PITRACE_TPROF / 64] >> PITRACE_TPROF % 64 & 1 ? TIMER_ON :
										      TIMER_PAUSED;
	/* The command's environment can be set only once. */
	if (b->over)
		return -EALREADY;
	b->on_stamp = b->s.floor = now_ns();
	b->s.second = b->on_stamp + TIMER_SECOND;
	set_state(b, PITRACE_STATE_ON, b->published);
	return 0;
}

static int timer_off(struct backend *b)
{
	if (b->over)
		return -EALREADY;
	b->over = true;
	set_state(b, PITRACE_STATE_OFF, TIMER_OVER);
	b->s.off_stamp = now_ns();
	return 0;
}

static int timer_suspend(struct backend *b, bool suspend)
{
	set_state(b, suspend ? PITRACE_STATE_SUSPENDED : PITRACE_STATE_ON,
		  suspend ? TIMER_PAUSED : b->published);
	return 0;
}

/* ---- the drain ------------------------------------------------------------------------------- */

/* Reads what can change unnoticed: names, and mappings made or removed without the loader. */
static void refresh(struct timer_session *s, struct timer_process *p)
{
	if (!p->sampled || p->gone)
		return;
	p->sampled = false;
	timer_process_names(p, &s->out, s->floor);
	timer_rescan(s, p);
}

static int timer_drain(struct backend *b, bool all, segment_sink sink, void *arg)
{
	uint32_t state = __atomic_load_n(&b->state, __ATOMIC_ACQUIRE);
	uint64_t expirations, now = now_ns();

	if (read(b->clock, &expirations, sizeof(expirations)) < 0)
		expirations = 0;
	if (!b->on_stamp || (state == PITRACE_STATE_OFF && !b->over))
		return 0;
	b->s.out.sink = sink;
	b->s.out.arg = arg;
	b->s.out.err = 0;
	if (!b->began) {
		b->began = true;
		user_rings_sync(&b->s.out, PITRACE_SYNC_ON, b->on_stamp);
		user_rings_interval(&b->s.out, &b->config, b->rate, b->on_stamp);
	}
	b->s.out.steps = TIMER_STEPS;
	timer_read_all(&b->s);
	if (b->over) {
		/* Only previously known processes can be found to have exited. */
		for (int n = 0; n < LAST_READS && (n < 2 || b->s.rest); n++)
			timer_read_all(&b->s);
		timer_write_until(&b->s, UINT64_MAX);
		user_rings_sync(&b->s.out, PITRACE_SYNC_OFF, b->s.off_stamp);
	} else {
		b->s.floor = now - HOLD_NS > b->s.floor ? now - HOLD_NS : b->s.floor;
		timer_write_until(&b->s, b->s.floor);
		if (all)
			timer_each_process(&b->s, refresh);
	}
	if (all)
		user_rings_flush(&b->s.out);
	return b->s.out.err;
}

static int timer_fd(struct backend *b)
{
	return b->clock;
}

static void format_note(const struct backend *b, char *note, size_t room)
{
	size_t n = (size_t)snprintf(note, room, "user code only");

	if (b->rate < b->config.rate)
		n += (size_t)snprintf(note + n, room - n, "; this kernel's tick allows %u a second",
				      b->rate);
	if (b->config.dither && b->s.at_tick)
		n += (size_t)snprintf(note + n, room - n,
				      "; %" PRIu64 " of %" PRIu64 " samples by the kernel's tick",
				      b->s.at_tick, b->s.at_tick + b->s.fine);
	if (b->config.stacks & PITRACE_WANT_DISPATCH)
		n += (size_t)snprintf(note + n, room - n, "; no stacks at dispatches");
	if (b->s.unsampled_threads)
		n += (size_t)
			snprintf(note + n, room - n,
				 "; NOT SAMPLED: %u threads (no room for more, or no timer: see ulimit -i)",
				 b->s.unsampled_threads);
	if (b->s.unsampled_processes)
		snprintf(note + n, room - n, "; NOT SAMPLED: %u processes (no room for more)",
			 b->s.unsampled_processes);
}

static void timer_info(struct backend *b, struct trace_info *info)
{
	info->state = __atomic_load_n(&b->state, __ATOMIC_ACQUIRE);
	info->segment_bytes = b->config.segment_bytes;
	info->mte_bytes = info->trace_bytes = 0; /* one ring per thread, of its own size */
	info->rate = b->rate;
	info->interval = b->on_stamp ? 1 : 0;
	info->clock = PITRACE_CLOCK_MONOTONIC;
	memcpy(info->available, collector_majors("timer"), sizeof(info->available));
	format_note(b, info->note, sizeof(info->note));
	info->ncpus = b->s.out.ncpus;
	info->ticks = info->idle_ticks = info->late = 0;
	memset(info->lost, 0, sizeof(info->lost));
	for (uint32_t i = 0; i < b->s.out.ncpus; i++) {
		info->ticks += b->s.out.stats[i].ticks;
		for (int k = 0; k < PITRACE_LOST_KINDS; k++)
			info->lost[k] += b->s.out.stats[i].lost[k];
	}
}

static void timer_facts(struct backend *b, char *text, size_t room)
{
	if (b->config.dither && b->s.at_tick)
		snprintf(text, room,
			 "ticks in step: %" PRIu64 " of %" PRIu64 ", by the kernel's tick\n",
			 b->s.at_tick, b->s.at_tick + b->s.fine);
}

static uint64_t timer_clock_hz(struct backend *b)
{
	(void)b;
	return TIMER_SECOND;
}

static int timer_stats(struct backend *b, struct pifile_stats **stats)
{
	*stats = malloc(b->s.out.ncpus * sizeof(**stats));
	if (!*stats)
		return -ENOMEM;
	memcpy(*stats, b->s.out.stats, b->s.out.ncpus * sizeof(**stats));
	return (int)b->s.out.ncpus;
}

const struct collector collector_timer = {
	.name = "timer",
	.what = "timers of each thread's CPU time in the traced programs: user code only",
	.dither = 1000,
	.dither_of = timer_dither,
	.drain_reads_build_ids = true,
	.check = timer_check,
	.open = timer_open,
	.close = timer_close,
	.environment = timer_environment,
	.on = timer_on,
	.off = timer_off,
	.suspend = timer_suspend,
	.hook_files = true,
	.drain = timer_drain,
	.fd = timer_fd,
	.info = timer_info,
	.clock_hz = timer_clock_hz,
	.facts = timer_facts,
	.stats = timer_stats,
};

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Moves records from perf's rings to segments. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/array.h"
#include "base/now.h"
#include "collect/perf/perf_mapped.h"
#include "collect/perf/perf_session.h"
#include "collect/perf/proc_walk.h"

/* The destination of a CPU's records. */
struct out {
	struct perf_session *s;
	struct perf_cpu *c;
	segment_sink sink;
	void *arg;
};

/* the collector's own records */

struct queued_record {
	uint64_t time;
	uint32_t size, minor;
	uint16_t major;
};

int perf_emit(struct perf_session *s, uint16_t major, uint32_t minor, const void *data, size_t size,
	      uint64_t time)
{
	struct queued_record r = {
		.time = time,
		.size = (uint32_t)size,
		.minor = minor,
		.major = major,
	};
	struct perf_queue *q = &s->queue;

	if (array_room(q->data, q->room, q->used + sizeof(r) + size))
		return -ENOMEM;
	memcpy(q->data + q->used, &r, sizeof(r));
	memcpy(q->data + q->used + sizeof(r), data, size);
	q->used += sizeof(r) + size;
	return 0;
}

int perf_emit_sync(struct perf_session *s, enum pitrace_sync_why why)
{
	struct pitrace_sync sync = { .cpu = s->cpu[0].cpu };

	sync.stamp = sync.monotonic = s->synced = now_ns();
	sync.boottime = clock_ns(CLOCK_BOOTTIME);
	sync.realtime = clock_ns(CLOCK_REALTIME);
	return perf_emit(s, PITRACE_SYNC, why, &sync, sizeof(sync), sync.stamp);
}

/* Remembers the process of this thread. */
static void has_task(struct perf_session *s, uint32_t pid, uint32_t tid)
{
	if (s->tasks && tid < PERF_PIDS)
		s->tasks[tid] = pid;
}

static bool is_task(uint32_t minor)
{
	return minor == PITRACE_MTE_PROCESS || minor == PITRACE_MTE_THREAD ||
	       minor == PITRACE_MTE_FORK;
}

static int emit_record(void *arg, uint16_t major, uint32_t minor, const void *data, size_t size,
		       uint64_t time)
{
	struct perf_session *s = arg;

	if (major == PITRACE_MTE && minor == PITRACE_MTE_MODULE)
		known_files_identify(s->files, data);
	if (major == PITRACE_MTE && is_task(minor)) {
		const struct pitrace_mte_task *task = data;

		has_task(s, task->pid, task->tid);
	}
	return perf_emit(s, major, minor, data, size, time);
}

static void in_scope(void *arg, pid_t pid)
{
	struct perf_session *s = arg;

	if (s->scope && (uint32_t)pid < PERF_PIDS)
		s->scope[pid / 8] |= (uint8_t)(1u << (pid & 7));
}

static bool has_scope(const struct perf_session *s, uint32_t pid)
{
	return !s->scope || (pid < PERF_PIDS && s->scope[pid / 8] >> (pid & 7) & 1);
}

int perf_emit_walk(struct perf_session *s)
{
	pid_t scope = s->config.scope == PITRACE_SCOPE_PROCESS ? s->config.pid : 0;

	s->names_lost = false;
	/* A file that begins here needs the walk. */
	known_files_reset(s->files);
	return proc_walk(scope, emit_record, in_scope, s);
}

/* ---- putting records ------------------------------------------------------------------------- */

static int put_to(struct segment_out *to, struct out *o, uint16_t major, uint32_t minor,
		  const void *data, size_t size, uint64_t time)
{
	int err;
	void *p = segment_put(to, major, minor, PITRACE_TYPE_STRUCT, size, time, o->sink, o->arg,
			      &err);

	if (p)
		memcpy(p, data, size);
	return err;
}

static int put_mte(void *arg, uint16_t major, uint32_t minor, const void *data, size_t size,
		   uint64_t time)
{
	struct out *o = arg;

	return put_to(&o->c->mte, o, major, minor, data, size, time);
}

/* Puts a name record, preceded by its file's id if known. */
static int put_name(void *arg, uint16_t major, uint32_t minor, const void *data, size_t size,
		    uint64_t time)
{
	struct out *o = arg;

	if (major == PITRACE_MTE && minor == PITRACE_MTE_MODULE)
		return perf_files_put(o->s, data, size, time, put_mte, o);
	return put_mte(o, major, minor, data, size, time);
}

static int put_trace(void *arg, uint16_t major, uint32_t minor, const void *data, size_t size,
		     uint64_t time)
{
	struct out *o = arg;

	return put_to(&o->c->trace, o, major, minor, data, size, time);
}

/* A LOST record marks the position of the gap. */
static int lose(struct out *o, perf_put put, enum pitrace_lost kind, uint64_t count, uint64_t time)
{
	struct segment_out *to = kind == PITRACE_LOST_MTE ? &o->c->mte : &o->c->trace;
	struct pitrace_lost_rec r;

	if (!count)
		return 0;
	o->c->lost[kind] += count;
	to->lost += count;
	r = (struct pitrace_lost_rec){
		.count = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX,
		.total = o->c->lost[kind],
	};
	return put(o, PITRACE_LOST, kind, &r, sizeof(r), time);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Puts the queued records up to a time. */
static int put_queued(struct out *o, uint64_t until)
{
	struct perf_queue *q = &o->s->queue;
	struct queued_record r;
	int err = 0;

	while (q->at < q->used && !err) {
		memcpy(&r, q->data + q->at, sizeof(r));
		if (r.time > until)
			return 0;
		err = put_name(o, r.major, r.minor, q->data + q->at + sizeof(r), r.size, r.time);
		q->at += sizeof(r) + r.size;
	}
	if (q->at == q->used) {
		free(q->data);
		*q = (struct perf_queue){ 0 };
	}
	return err;
}

static int put_names(struct out *o)
{
	struct perf_session *s = o->s;
	struct perf_cpu *c = o->c;
	uint64_t until = perf_ring_head(&c->ring[PERF_NAMES]);
	const struct perf_event_header *h;
	struct perf_item item;
	const char *why;
	int err = 0;

	while (!err && (h = perf_ring_peek(&c->ring[PERF_NAMES], until))) {
		if (perf_decode(&s->shape[PERF_NAMES], h, h->size, &item, &why)) {
			err = lose(o, put_mte, PITRACE_LOST_MTE, 1, c->mte.last);
			perf_ring_next(&c->ring[PERF_NAMES], h);
			continue;
		}
		if (c == s->cpu)
			err = put_queued(o, item.time);
		if (!err && item.type == PERF_RECORD_LOST) {
			err = lose(o, put_mte, PITRACE_LOST_MTE, item.lost, item.time);
			s->names_lost = true;
		} else if (!err) {
			if (item.type == PERF_RECORD_FORK) {
				in_scope(s, (pid_t)item.of_pid);
				has_task(s, item.of_pid, item.of_tid);
			}
			err = perf_put_name(&item, put_name, o);
		}
		perf_ring_next(&c->ring[PERF_NAMES], h);
	}
	perf_ring_done(&c->ring[PERF_NAMES]);
	if (!err && c == s->cpu)
		err = put_queued(o, UINT64_MAX);
	return err;
}

/* ---- samples, dispatches, system calls --------------------------------------------------------
 */

static int put_idle(struct out *o)
{
	struct perf_cpu *c = o->c;
	struct pitrace_idle idle = { .ticks = c->idle_count, .since = c->idle_since };

	if (!c->idle_count)
		return 0;
	c->idle_ticks += c->idle_count;
	c->idle_count = 0;
	return put_trace(o, PITRACE_TPROF, PITRACE_TPROF_IDLE, &idle, sizeof(idle), c->idle_last);
}

static uint32_t number_of(const struct perf_session *s, uint64_t id)
{
	const struct perf_event *e = s->config.nevents > 1 ? perf_session_event(s, id) : NULL;

	return e ? e->number : s->config.nevents ? 0 : UINT32_MAX;
}

/*
 * perf's clock keeps its phase: a tick is delivered when it is due or later, and ticks that became
 * due meanwhile are dropped. Their number is known only for whole CPUs; a process's clock stops
 * with it. Losses that LOST or THROTTLE records reported since the last sample are not counted
 * again. At the start of another event's turn, part of an interval of each event is between two
 * ticks: allows one tick more.
 */
static int missed(struct out *o, const struct perf_item *item)
{
	struct perf_cpu *c = o->c;
	uint64_t period = item->period ? item->period : 1000000000u / o->s->config.rate;
	uint64_t ticks, lost = c->reported, time = item->time;
	bool throttled = c->throttled, turn = c->due && c->due_of != item->id;
	int err;

	if (o->s->config.nevents || o->s->config.scope != PITRACE_SCOPE_SYSTEM)
		return 0;
	c->reported = 0;
	c->throttled = 0;
	c->due_of = item->id;
	ticks = c->due && time > c->due ? (time - c->due) / period : 0;
	/* The clock restarted, or the tick came earlier than expected: the previous one was
	 * late. */
	if (!ticks || throttled || turn)
		c->due = time;
	else
		c->due += ticks * period;
	lost += turn;
	if (ticks < 2 + lost)
		return 0;
	err = put_idle(o);
	return err ? err :
		     lose(o, put_trace, throttled ? PITRACE_LOST_THROTTLED : PITRACE_LOST_OVERRUN,
			  ticks - 1 - lost, time);
}

static int put_sample(struct out *o, const struct perf_item *item)
{
	struct perf_session *s = o->s;
	struct perf_cpu *c = o->c;
	uint32_t number = number_of(s, item->id);
	struct perf_item counted;
	int err = missed(o, item);

	if (err)
		return err;
	if (perf_counts(&s->config)) {
		counted = *item;
		counted.period = s->config.events[number].period;
		item = &counted;
	}
	if (!item->pid && !item->tid && !s->config.nevents && perf_idle_at(&s->idle, item->ip)) {
		if (!c->idle_count++)
			c->idle_since = item->time - item->period;
		c->idle_last = item->time;
		return 0;
	}
	err = put_idle(o);
	c->ticks++;
	return err ? err : perf_put_sample(item, &s->stacks, number, put_trace, o);
}

/* The number of samples that a throttled event dropped is known only for clocks of whole CPUs, from
 * the next tick; for others it is only known that some are missing. */
static int unthrottle(struct out *o, uint64_t time)
{
	struct perf_session *s = o->s;
	uint64_t since = o->c->throttled, count = 1;
	int err;

	if (!s->config.nevents && s->config.scope == PITRACE_SCOPE_SYSTEM)
		return 0;
	if (since && time > since && !s->config.nevents)
		count = (time - since) * s->config.rate / 1000000000u;
	o->c->throttled = 0;
	err = put_idle(o);
	return err ? err : lose(o, put_trace, PITRACE_LOST_THROTTLED, count ? count : 1, time);
}

static int put_from_samples(struct out *o, const struct perf_item *item)
{
	int err;

	switch (item->type) {
	case PERF_RECORD_SAMPLE:
		return put_sample(o, item);
	case PERF_RECORD_THROTTLE:
		o->c->throttled = item->time;
		return 0;
	case PERF_RECORD_UNTHROTTLE:
		return unthrottle(o, item->time);
	case PERF_RECORD_LOST:
		err = put_idle(o);
		o->c->reported += item->lost;
		return err ? err : lose(o, put_trace, PITRACE_LOST_TPROF, item->lost, item->time);
	}
	return 0;
}

/* Puts a dispatch if either thread is in scope. */
static int put_switch(void *arg, uint16_t major, uint32_t minor, const void *data, size_t size,
		      uint64_t time)
{
	const struct pitrace_dispatch *d = data;
	struct out *o = arg;
	int err;

	has_task(o->s, d->old_pid, d->old_tid);
	has_task(o->s, d->new_pid, d->new_tid);
	if (!has_scope(o->s, d->old_pid) && !has_scope(o->s, d->new_pid)) {
		if (o->c->left)
			o->c->left->valid = false;
		return 0;
	}
	err = put_idle(o);
	if (err)
		return err;
	if (o->c->left)
		return perf_left_put(o->c->left, minor, d, time, put_trace, o);
	return put_trace(o, major, minor, data, size, time);
}

/* Records other than samples were lost before this one. */
static int put_lost(struct out *o, enum perf_use use, const struct perf_item *item)
{
	int err = put_idle(o);

	return err ? err : lose(o, put_trace, perf_lost_of(use), item->lost, item->time);
}

static int put_from_switches(struct out *o, const struct perf_item *item)
{
	struct perf_cpu *c = o->c;

	if (item->type == PERF_RECORD_LOST) {
		c->running.known = false;
		if (c->left)
			c->left->valid = false;
		return put_lost(o, PERF_SWITCHES, item);
	}
	if (item->type == PERF_RECORD_SAMPLE && c->left)
		perf_points_left(c->left, &o->s->points, item, &o->s->stacks);
	return perf_put_dispatch(item, &c->running, put_switch, o);
}

static uint32_t pid_of(struct perf_session *s, uint32_t tid)
{
	if (tid >= PERF_PIDS || !s->tasks)
		return tid;
	if (!s->tasks[tid])
		s->tasks[tid] = proc_pid_of(tid);
	return s->tasks[tid];
}

/* Returns the tracepoint of this sample. */
static enum perf_point point_of(const struct perf_session *s, uint64_t id)
{
	const struct perf_event *e = perf_session_event(s, id);

	return e && e->number < PERF_POINTS ? (enum perf_point)e->number : PERF_POINTS;
}

/* Puts a wake-up if either thread is in scope. */
static int put_from_wakeups(struct out *o, const struct perf_item *item)
{
	enum perf_point point = point_of(o->s, item->id);
	struct pitrace_wakeup w;
	uint32_t minor;
	int err;

	if (item->type == PERF_RECORD_LOST)
		return put_lost(o, PERF_WAKEUPS, item);
	if (item->type != PERF_RECORD_SAMPLE ||
	    (point != PERF_POINT_WAKING && point != PERF_POINT_WAKEUP_NEW))
		return 0;
	if (!perf_point_wakeup(&o->s->points, point, item, &w, &minor))
		return lose(o, put_trace, PITRACE_LOST_WAKEUP, 1, item->time);
	has_task(o->s, item->pid, item->tid);
	w.pid = pid_of(o->s, w.tid);
	if (!has_scope(o->s, w.pid) && !has_scope(o->s, w.waker_pid))
		return 0;
	err = put_idle(o);
	return err ? err : put_trace(o, PITRACE_WAKEUP, minor, &w, sizeof(w), item->time);
}

static int put_from_syscalls(struct out *o, const struct perf_item *item)
{
	enum perf_point point = point_of(o->s, item->id);
	int err;

	if (item->type == PERF_RECORD_LOST)
		return put_lost(o, PERF_SYSCALLS, item);
	if (item->type != PERF_RECORD_SAMPLE ||
	    (point != PERF_POINT_ENTER && point != PERF_POINT_EXIT))
		return 0;
	err = put_idle(o);
	if (!err)
		err = perf_put_syscall(&o->s->points, point, item, put_trace, o);
	return err == -EBADMSG ? lose(o, put_trace, PITRACE_LOST_SYSCALL, 1, item->time) : err;
}

/* The next record of a ring, decoded; `at` is NULL after the last one. */
struct next_record {
	const struct perf_event_header *at;
	struct perf_item item;
};

/* A malformed record counts as lost. */
static int read_next(struct out *o, enum perf_use use, struct next_record *n)
{
	struct perf_ring *r = &o->c->ring[use];
	const char *why;
	int err = 0;

	while (!err && (n->at = perf_ring_peek(r, o->c->until[use]))) {
		if (!perf_decode(&o->s->shape[use], n->at, n->at->size, &n->item, &why))
			return 0;
		err = lose(o, put_trace, perf_lost_of(use), 1, o->c->trace.last);
		perf_ring_next(r, n->at);
	}
	return err;
}

/* Merges all rings except that of names by time. */
static int put_records(struct out *o)
{
	static int (*const put[PERF_USES])(struct out * o, const struct perf_item *item) = {
		[PERF_SAMPLES] = put_from_samples,
		[PERF_SWITCHES] = put_from_switches,
		[PERF_WAKEUPS] = put_from_wakeups,
		[PERF_SYSCALLS] = put_from_syscalls,
	};
	struct next_record next[PERF_USES] = { 0 };
	int err = 0;

	for (int use = PERF_SAMPLES; use < PERF_USES && !err; use++)
		err = read_next(o, use, &next[use]);
	while (!err) {
		int first = PERF_USES;

		for (int use = PERF_SAMPLES; use < PERF_USES; use++)
			if (next[use].at &&
			    (first == PERF_USES || next[use].item.time < next[first].item.time))
				first = use;
		if (first == PERF_USES)
			break;
		err = put[first](o, &next[first].item);
		perf_ring_next(&o->c->ring[first], next[first].at);
		if (!err)
			err = read_next(o, first, &next[first]);
	}
	for (int use = PERF_SAMPLES; use < PERF_USES; use++)
		perf_ring_done(&o->c->ring[use]);
	return err;
}

/* ---- the pump -------------------------------------------------------------------------------- */

/* Discards the content of the rings from this one on. */
static void skip_rings(struct perf_cpu *c, enum perf_use from)
{
	for (int use = from; use < PERF_USES; use++) {
		c->ring[use].at = perf_ring_head(&c->ring[use]);
		perf_ring_done(&c->ring[use]);
	}
	if (c->left)
		c->left->valid = false;
}

void perf_pump_reset(struct perf_session *s)
{
	for (uint32_t i = 0; i < s->ncpus; i++) {
		struct perf_cpu *c = &s->cpu[i];
		struct segment_out fresh = { .session = 1,
					     .cpu = c->cpu,
					     .size = s->config.segment_bytes };

		skip_rings(c, PERF_NAMES);
		segment_free(&c->mte);
		segment_free(&c->trace);
		c->mte = c->trace = fresh;
		c->mte.ring = PITRACE_RING_MTE;
		c->trace.ring = PITRACE_RING_TRACE;
		memset(c->lost, 0, sizeof(c->lost));
		c->ticks = c->idle_ticks = c->due = c->throttled = c->reported = 0;
		c->mte_bytes = c->trace_bytes = 0;
		c->idle_count = 0;
		c->running.known = false;
	}
	s->queue.used = s->queue.at = 0;
}

void perf_pump_discard(struct perf_session *s)
{
	for (uint32_t i = 0; i < s->ncpus; i++) {
		struct perf_cpu *c = &s->cpu[i];

		skip_rings(c, PERF_SAMPLES);
		segment_free(&c->trace);
		c->trace_bytes = c->due = 0;
		c->idle_count = 0;
	}
}

static int pump(struct perf_session *s, bool names, bool all, segment_sink sink, void *arg)
{
	struct out o = { .s = s, .sink = sink, .arg = arg };
	int err = 0;

	/* The names that a sample needs were written before it: records the end of the samples
	 * first, then reads names. */
	for (uint32_t i = 0; i < s->ncpus; i++)
		for (int use = PERF_SAMPLES; use < PERF_USES; use++)
			s->cpu[i].until[use] = perf_ring_head(&s->cpu[i].ring[use]);
	for (uint32_t i = 0; i < s->ncpus && !err; i++) {
		o.c = &s->cpu[i];
		err = put_names(&o);
	}
	for (uint32_t i = 0; i < s->ncpus && names && !err; i++)
		err = segment_close(&s->cpu[i].mte, sink, arg);
	for (uint32_t i = 0; i < s->ncpus && !err; i++) {
		o.c = &s->cpu[i];
		err = put_records(&o);
		if (!err && all)
			err = put_idle(&o);
		if (!err && all)
			err = segment_close(&s->cpu[i].trace, sink, arg);
	}
	return err;
}

int perf_pump(struct perf_session *s, bool all, segment_sink sink, void *arg)
{
	return pump(s, true, all, sink, arg);
}

int perf_pump_full(struct perf_session *s, segment_sink sink, void *arg)
{
	return pump(s, false, false, sink, arg);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * XRay logs: function entries and exits of many threads. A log consists of parts, each in time
 * order; parts are opened in the order of their starts and merged, so that only overlapping ones
 * are in memory.
 */
#include "input/xray/xray_state.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "input/xray/xray_basic.h"
#include "input/xray/xray_fdr.h"
#include "input/xray/xray_map.h"
#include "input/xray/xray_parts.h"

#define WINDOW       (1u << 20)
#define CURSOR_ROOM  (1u << 16) /* bytes of a part to read at once */
#define VERSIONS     99         /* a greater version is not an XRay log */
#define FDR_NEWEST   5
#define BASIC_NEWEST 3

/* ---- the header ------------------------------------------------------------------------------ */

static bool xray_probe(const void *head, size_t size)
{
	const uint8_t *p = head;

	if (size < 4)
		return false;
	if (!p[0] && !p[2]) /* the other byte order, or not a log */
		return p[1] && p[1] <= VERSIONS && p[3] <= 15;
	return p[0] && p[0] <= VERSIONS && !p[1] && p[2] <= 15 && !p[3];
}

static int read_header(struct xray *x, struct pifile_fault *fault)
{
	const uint8_t *p;
	unsigned int type, newest;
	size_t have;

	p = window_look(&x->w, 0, XRAY_HEADER, &have);
	if (!p || have < XRAY_HEADER) {
		fault->offset = p ? have : 0;
		snprintf(fault->what, sizeof(fault->what),
			 "the file ends within the header of an XRay log");
		return -EINVAL;
	}
	x->big = !p[0];
	x->swap = x->big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	x->version = x->big ? p[1] : p[0];
	type = x->big ? p[3] : p[2];
	x->basic = !type;
	fault->offset = 2;
	if (type > 1) {
		snprintf(fault->what, sizeof(fault->what),
			 "an XRay log of type %u, which is neither basic nor FDR", type);
		return -EINVAL;
	}
	newest = x->basic ? BASIC_NEWEST : FDR_NEWEST;
	if (x->version > newest) {
		faults_report(&x->faults, 0, "version %u is not known: read as version %u",
			      x->version, newest);
		x->version = (uint16_t)newest;
	}
	x->frequency = xray_u64(x, p + 8);
	if (!x->frequency)
		faults_report(&x->faults, 8,
			      "the header has no clock frequency: each tick counts as a nanosecond");
	x->buffer_size = xray_u64(x, p + 16);
	return 0;
}

/* ---- parts and threads ----------------------------------------------------------------------- */

static int by_begin(const void *pa, const void *pb)
{
	const struct xray_part *a = pa, *b = pb;

	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static int by_thread(const void *pa, const void *pb)
{
	const struct xray_thread *a = pa, *b = pb;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

/* Old logs lack the process id, which usually is that of its first thread. */
static void find_process(struct xray *x)
{
	uint32_t i, first = UINT32_MAX;

	for (i = 0; i < x->nthreads; i++) {
		if (!x->thread[i].pid && x->thread[i].tid < first)
			first = x->thread[i].tid;
	}
	for (i = 0; i < x->nthreads; i++) {
		if (!x->thread[i].pid)
			x->thread[i].pid = first;
	}
	for (i = 0; i < x->nparts; i++) {
		if (!x->part[i].pid)
			x->part[i].pid = first;
	}
	x->nobody = first;
	x->begin = UINT64_MAX;
	for (i = 0; i < x->nparts; i++)
		x->begin = x->part[i].first < x->begin ? x->part[i].first : x->begin;
	if (!x->nparts)
		x->begin = 0;
	if (x->nthreads)
		qsort(x->thread, x->nthreads, sizeof(*x->thread), by_thread);
	if (x->nparts)
		qsort(x->part, x->nparts, sizeof(*x->part), by_begin);
}

/* Logs are named xray-log.NAME.XXXXXX. */
static void name_program(struct xray *x, const struct input *in)
{
	const char *name = in->program ? in->program : in->name ? in->name : in->path, *slash, *dot;

	slash = strrchr(name, '/');
	name = slash && slash[1] ? slash + 1 : name;
	if (!in->program && !strncmp(name, "xray-log.", 9)) {
		name += 9;
		dot = strrchr(name, '.');
		snprintf(x->program, sizeof(x->program), "%.*s",
			 (int)(dot && dot > name ? dot - name : (ptrdiff_t)strlen(name)), name);
	} else {
		snprintf(x->program, sizeof(x->program), "%s", in->program ? name : "xray");
	}
}

/* ---- opening --------------------------------------------------------------------------------- */

static void free_cursor(struct xray_cursor *c)
{
	if (!c)
		return;
	free(c->room);
	free(c->event);
	free(c);
}

static void end_pass(struct xray *x)
{
	while (x->nheap)
		free_cursor(x->heap[--x->nheap]);
}

static void xray_close(struct input *in)
{
	struct xray *x = in->state;

	end_pass(x);
	free_cursor(x->spare);
	free(x->heap);
	free(x->part);
	free(x->thread);
	keys_free(&x->by_thread);
	free(x->faults.list);
	xray_map_free(&x->map);
	window_close(&x->w);
	free(x);
	in->state = NULL;
}

static int open_log(struct input *in, struct xray *x, struct pifile_fault *fault)
{
	int rc = window_open(&x->w, in->path, WINDOW);

	if (!rc)
		rc = read_header(x, fault);
	if (!rc && in->program) {
		rc = xray_map_read(&x->map, in->program, fault->what, sizeof(fault->what));
		fault->offset = NO_OFFSET;
	}
	if (!rc)
		rc = x->basic ? xray_basic_index(x) : xray_fdr_index(x);
	return rc;
}

static int xray_open(struct input *in, struct pifile_fault *fault)
{
	struct xray *x = calloc(1, sizeof(*x));
	int rc;

	if (!x)
		return -ENOMEM;
	x->w.fd = -1;
	in->state = x;
	rc = open_log(in, x, fault);
	if (rc) {
		if (!fault->what[0]) {
			fault->offset = NO_OFFSET;
			snprintf(fault->what, sizeof(fault->what), "%s", strerror(-rc));
		}
		xray_close(in);
		return rc;
	}
	find_process(x);
	name_program(x, in);
	/* The window is no longer needed: parts have their own. */
	free(x->w.room);
	x->w.room = NULL;
	in->size = x->w.size;
	in->complete = true;
	in->calls = true;
	in->header = (struct pifile_header){
		.clock = PITRACE_CLOCK_TSC,
		.clock_hz = x->frequency ? x->frequency : 1000000000,
		.scope = PITRACE_SCOPE_PROCESS,
		.collector = "xray",
		.pid = x->nthreads ? (int32_t)x->thread[0].pid : 0,
	};
	return 0;
}

/* Converts in two steps, since 128-bit divisions are slow. */
static uint64_t monotonic(const struct xray *x, uint64_t stamp)
{
	bool back = stamp < x->wall_stamp;
	uint64_t n = back ? x->wall_stamp - stamp : stamp - x->wall_stamp, whole;

	if (x->frequency && x->frequency != 1000000000) {
		whole = n / x->frequency;
		if (whole > INT64_MAX / 1000000000)
			n = INT64_MAX;
		else
			n = whole * 1000000000 +
			    (uint64_t)((double)(n % x->frequency) * 1e9 / (double)x->frequency);
	}
	if (back)
		return n > x->wall ? 0 : x->wall - n;
	return n > INT64_MAX - x->wall ? INT64_MAX : n + x->wall;
}

/* ---- cursors --------------------------------------------------------------------------------- */

static struct xray_cursor *open_part(struct xray *x, uint32_t number)
{
	const struct xray_part *part = &x->part[number];
	uint64_t size = part->end - part->offset;
	size_t bytes = size < CURSOR_ROOM ? (size_t)size : CURSOR_ROOM;
	struct xray_cursor *c = x->spare;

	x->spare = NULL;
	if (!c)
		c = calloc(1, sizeof(*c));
	if (c && array_room(c->room, c->bytes, bytes)) {
		free_cursor(c);
		return NULL;
	}
	if (!c)
		return NULL;
	c->part = part;
	c->number = number;
	c->have = c->used = 0;
	c->at = part->offset;
	c->base = 0;
	c->stamp = 0;
	c->cpu = 0;
	c->call.call.pid = part->pid;
	c->call.call.tid = part->tid;
	return c;
}

static void close_part(struct xray *x, struct xray_cursor *c)
{
	x->done += c->part->end - c->part->offset;
	if (x->spare)
		free_cursor(c);
	else
		x->spare = c;
}

/* Reads the cursor's next record. Returns 1; 0: no more; -ENOMEM. */
static inline int advance(struct xray *x, struct xray_cursor *c)
{
	int rc = x->basic ? xray_basic_next(x, c) : xray_fdr_next(x, c);

	if (c->base > c->stamp)
		c->stamp = c->base;
	return rc;
}

/* ---- the merge ------------------------------------------------------------------------------- */

static inline bool before(const struct xray_cursor *a, const struct xray_cursor *b)
{
	return a->stamp < b->stamp || (a->stamp == b->stamp && a->number < b->number);
}

static void sift_down(struct xray *x)
{
	struct xray_cursor *c = x->heap[0];
	uint32_t i = 0, child;

	while ((child = 2 * i + 1) < x->nheap) {
		if (child + 1 < x->nheap && before(x->heap[child + 1], x->heap[child]))
			child++;
		if (!before(x->heap[child], c))
			break;
		x->heap[i] = x->heap[child];
		i = child;
	}
	x->heap[i] = c;
}

static int push(struct xray *x, struct xray_cursor *c)
{
	uint32_t i = x->nheap;

	if (array_next(x->heap, x->nheap, x->room_heap)) {
		free_cursor(c);
		return -ENOMEM;
	}
	for (x->nheap++; i && before(c, x->heap[(i - 1) / 2]); i = (i - 1) / 2)
		x->heap[i] = x->heap[(i - 1) / 2];
	x->heap[i] = c;
	return 0;
}

/* Opens the parts that may have the next record; it is then first in the heap. */
static int open_parts(struct xray *x)
{
	struct xray_cursor *c;
	int rc;

	while (x->opened < x->nparts &&
	       (!x->nheap || x->part[x->opened].first <= x->heap[0]->stamp)) {
		c = open_part(x, x->opened++);
		if (!c)
			return -ENOMEM;
		rc = advance(x, c);
		if (rc > 0)
			rc = push(x, c);
		else
			close_part(x, c);
		if (rc < 0)
			return rc;
	}
	x->limit = x->opened < x->nparts ? x->part[x->opened].first - 1 : UINT64_MAX;
	if (x->opened < x->nparts && !x->part[x->opened].first)
		x->limit = 0;
	if (x->nheap > 1 && x->heap[1]->stamp <= x->limit)
		x->limit = x->heap[1]->stamp ? x->heap[1]->stamp - 1 : 0;
	if (x->nheap > 2 && x->heap[2]->stamp <= x->limit)
		x->limit = x->heap[2]->stamp ? x->heap[2]->stamp - 1 : 0;
	return 0;
}

static int give(struct xray *x, struct pirecord *r)
{
	struct xray_cursor *c = x->heap[0];
	bool call = c->major == CALL_RECORD;
	uint64_t time = monotonic(x, c->stamp);
	uint32_t function;

	if (call) {
		function = c->call.call.function - 1;
		c->call.call.address = function < x->map.count ? x->map.address[function] : 0;
		if (!c->call.call.pid)
			c->call.call.pid = x->nobody;
	}
	x->last = time > x->last ? time : x->last;
	*r = (struct pirecord){
		.stamp = c->base,
		.time = x->last,
		.cpu = c->cpu,
		.ring = PITRACE_RING_TRACE,
		.major = c->major,
		.minor = c->minor,
		.offset = c->offset,
		.type = call ? PITRACE_TYPE_STRUCT : PITRACE_TYPE_MIXED,
		.data = call ? (const void *)&c->call : c->event,
		.size = call ? (uint32_t)sizeof(c->call.call) + 8 * c->call.call.arguments :
			       (uint32_t)c->event_size,
	};
	return 1;
}

/* ---- a pass ---------------------------------------------------------------------------------- */

static int xray_begin(struct input *in, unsigned int what)
{
	struct xray *x = in->state;

	end_pass(x);
	x->what = what;
	x->given = x->step = 0;
	x->opened = what & PIMERGE_TRACE ? 0 : x->nparts;
	x->last = monotonic(x, x->begin); /* stamps may be earlier */
	x->done = 0;
	x->limit = 0;
	return 0;
}

/* Returns the records that names need: each process with its program, each thread. */
static bool give_name(struct xray *x, struct pirecord *r)
{
	const struct xray_thread *t;
	struct pitrace_mte_map *m;
	uint32_t step;

	for (; x->given < x->nthreads; x->given++, x->step = 0) {
		t = &x->thread[x->given];
		if (x->given && t->pid == t[-1].pid && !x->step)
			x->step = x->map.nsegment + 1;
		*r = (struct pirecord){
			.ring = PITRACE_RING_MTE,
			.major = PITRACE_MTE,
			.type = PITRACE_TYPE_STRUCT,
			.data = &x->task,
			.size = sizeof(x->task),
			.stamp = x->begin,
			.time = x->last,
		};
		x->task = (struct pitrace_mte_task){ .pid = t->pid, .tid = t->pid };
		memcpy(x->task.comm, x->program, sizeof(x->task.comm) - 1);
		step = x->step++;
		if (!step) {
			r->minor = PITRACE_MTE_PROCESS;
			return true;
		}
		if (step <= x->map.nsegment) {
			m = x->map.segment[step - 1];
			m->pid = t->pid;
			r->minor = PITRACE_MTE_MODULE;
			r->data = m;
			r->size = (uint32_t)((sizeof(*m) + m->path_len + 4) & ~3ul);
			return true;
		}
		if (step == x->map.nsegment + 1 && t->tid != t->pid) {
			x->task.tid = t->tid;
			r->minor = PITRACE_MTE_THREAD;
			return true;
		}
	}
	return false;
}

static int xray_next(struct input *in, struct pirecord *r)
{
	struct xray *x = in->state;
	struct xray_cursor *c;
	int rc;

	if (__builtin_expect(x->what & PIMERGE_MTE, 0)) {
		if (give_name(x, r))
			return 1;
		x->what &= ~(unsigned int)PIMERGE_MTE;
	}
	if (__builtin_expect(x->nheap > 0, 1) && x->heap[0]->given) {
		c = x->heap[0];
		c->given = false;
		rc = advance(x, c);
		if (rc < 0)
			return rc;
		if (rc && c->stamp <= x->limit) {
			c->given = true;
			return give(x, r);
		}
		if (!rc) {
			close_part(x, c);
			x->heap[0] = x->heap[--x->nheap];
		}
		if (x->nheap)
			sift_down(x);
	}
	rc = open_parts(x);
	if (rc)
		return rc;
	if (!x->nheap) {
		x->faults.all |= x->opened == x->nparts && x->what & PIMERGE_TRACE;
		return 0;
	}
	x->heap[0]->given = true;
	return give(x, r);
}

static void xray_progress(const struct input *in, uint64_t *done, uint64_t *total)
{
	const struct xray *x = in->state;

	*done = x->done;
	*total = x->w.size;
}

static int xray_section(struct input *in, size_t i, struct input_section *section)
{
	(void)in;
	(void)i;
	(void)section;
	return 0;
}

static uint64_t xray_monotonic(struct input *in, uint64_t stamp)
{
	return monotonic(in->state, stamp);
}

/* The log's clock is CLOCK_MONOTONIC: no date is recorded. */
static uint64_t xray_realtime(struct input *in, uint64_t stamp)
{
	(void)in;
	(void)stamp;
	return 0;
}

static size_t xray_faults(const struct input *in, const struct pifile_fault **list)
{
	const struct xray *x = in->state;

	*list = x->faults.list;
	return x->faults.count;
}

const struct reader reader_xray = {
	.name = "xray",
	.what = "XRay logs of clang's runtime, FDR and basic",
	.numbers = true,
	.probe = xray_probe,
	.open = xray_open,
	.begin = xray_begin,
	.next = xray_next,
	.progress = xray_progress,
	.section = xray_section,
	.monotonic = xray_monotonic,
	.realtime = xray_realtime,
	.faults = xray_faults,
	.close = xray_close,
};

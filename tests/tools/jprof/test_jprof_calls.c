/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Call trees of made-up events, whose counts and times are added up by hand; their calibration;
 * which methods a filter takes. In a VM: test_jprof_calls.sh.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calibration.h"
#include "call_ended.h"
#include "call_fast.h"
#include "method_filter.h"
#include "method_id.h"
#include "unit.h"

static struct call_thread *t;

/* Each event comes so long after the end of the one before, and takes 1,000 itself. */
static uint64_t clock_now;

static uint64_t *after(uint64_t time)
{
	clock_now += time;
	return &clock_now;
}

static void done(void)
{
	clock_now += 1000;
	t->last[0] = clock_now;
}

static void enter(uint32_t method, uint32_t type, uint64_t time)
{
	call_enter(t, method, type, after(time));
	done();
}

static void leave(uint32_t method, uint64_t time)
{
	call_leave(t, method, after(time));
	done();
}

static void unwind(uint32_t method, uint64_t time)
{
	call_unwind(t, method, after(time));
	done();
}

static void caught(uint32_t method, uint64_t time)
{
	call_caught(t, method, after(time));
	done();
}

static void begin(void)
{
	t = call_thread_new(1);
	CU_ASSERT_PTR_NOT_NULL_FATAL(t);
	clock_now = 5000;
	t->last[0] = clock_now;
}

static const struct call_node *node(uint32_t number)
{
	return &t->nodes[number];
}

static uint64_t delta(const struct calibration *c, uint32_t number)
{
	bool clamped = true;
	uint64_t value = calibration_delta(c, t, number, 0, &clamped);

	CU_ASSERT_FALSE(clamped);
	return value;
}

/* The event path's promise. */
static void sizes(void)
{
	CU_ASSERT(sizeof(struct call_node) <= 96);
}

static void tree(void)
{
	begin();
	enter(1, TYPE_JITTED, 10);     /* thread: 10 */
	enter(2, TYPE_JITTED, 20);     /* 1: 20 */
	leave(2, 30);                  /* 2: 30 */
	enter(2, TYPE_JITTED, 21);     /* 1: 21 */
	enter(2, TYPE_INTERPRETED, 5); /* 2: 5, another node by its type */
	leave(2, 6);                   /* the inner 2: 6 */
	leave(2, 31);                  /* 2: 31 */
	leave(1, 22);                  /* 1: 22 */
	enter(3, TYPE_JITTED + 1, 11); /* thread: 11 */
	CU_ASSERT_EQUAL(t->used, 5);
	CU_ASSERT_EQUAL(t->raw[0], 21);
	CU_ASSERT_EQUAL(t->raw[1], 63);
	CU_ASSERT_EQUAL(t->raw[2], 66);
	CU_ASSERT_EQUAL(t->raw[3], 6);
	CU_ASSERT(node(1)->calls == 1 && node(1)->calls_made == 2 && node(1)->parent == 0);
	CU_ASSERT(node(2)->calls == 2 && node(2)->calls_made == 1 && node(2)->parent == 1);
	CU_ASSERT(node(3)->calls == 1 && node(3)->calls_made == 0 && node(3)->parent == 2);
	CU_ASSERT(node(3)->type == TYPE_INTERPRETED && node(3)->method == 2);
	CU_ASSERT(node(0)->calls == 0 && node(0)->calls_made == 2);
	CU_ASSERT(t->entries == 5 && t->exits == 4 && t->unwinds == 0 && t->depth == 1);
	call_thread_free(t);
}

/* Frames that end without a word are found to be over: by an end, or a handler, of one beneath. */
static void silent_ends(void)
{
	begin();
	enter(1, TYPE_JITTED, 1);
	enter(2, TYPE_JITTED, 1);
	enter(3, TYPE_JITTED, 1);
	caught(1, 7);
	CU_ASSERT(t->depth == 1 && t->top == 1 && t->unwinds == 2);
	CU_ASSERT_EQUAL(t->raw[3], 7);
	caught(1, 8); /* it goes on: nothing ends */
	CU_ASSERT(t->depth == 1 && t->unwinds == 2 && t->raw[1] == 1 + 8);
	enter(2, TYPE_JITTED, 1);
	enter(3, TYPE_JITTED, 1);
	unwind(2, 1);
	CU_ASSERT(t->depth == 1 && t->unwinds == 4);
	enter(2, TYPE_JITTED, 1);
	leave(1, 1);
	CU_ASSERT(t->depth == 0 && t->top == 0 && t->unwinds == 5 && t->exits == 1);
	CU_ASSERT_EQUAL(t->entries, t->exits + t->unwinds + t->depth);
	/* A method whose entry was not seen has no frame. */
	leave(9, 5);
	caught(9, 6);
	unwind(9, 7);
	CU_ASSERT(t->depth == 0 && t->unknown == 3 && t->unwinds == 5 && t->exits == 1);
	CU_ASSERT_EQUAL(t->raw[0], 1 + 5 + 6 + 7);
	call_thread_free(t);
}

/* Compiled code jumps: what it has left was popped, not left by an exception. */
static void popped(void)
{
	struct sequence_parts p;

	begin();
	t->pops = true;
	enter(1, TYPE_FUNCTION, 1);
	enter(2, TYPE_FUNCTION, 1);
	enter(3, TYPE_FUNCTION, 1);
	call_popped(t, 1, EVENT_POPPED, after(7));
	done();
	CU_ASSERT(t->depth == 1 && t->top == 1 && t->popped == 2 && t->unwinds == 0);
	CU_ASSERT(t->raw[3] == 7 && t->raw[1] == 1);
	p = sequence_parts(t->sequence);
	CU_ASSERT(p.went == EVENT_POPPED && p.top == TYPE_FUNCTION);
	enter(2, TYPE_FUNCTION, 50);
	CU_ASSERT_EQUAL(t->raw[1], 1 + 50);
	call_popped(t, 1, EVENT_UNWIND, after(8));
	done();
	CU_ASSERT(t->popped == 2 && t->unwinds == 1 && t->raw[2] == 1 + 8);
	CU_ASSERT_EQUAL(sequence_parts(t->sequence).went, EVENT_UNWIND);
	enter(2, TYPE_FUNCTION, 1);
	enter(3, TYPE_FUNCTION, 1);
	call_forget(t, 2);
	leave(1, 1);
	CU_ASSERT(t->popped == 4 && t->unwinds == 1 && t->exits == 1);
	CU_ASSERT_EQUAL(t->entries, t->exits + t->unwinds + t->popped + t->depth);
	call_thread_free(t);
}

/* Deeper than frames are kept, and back. */
static void deep(void)
{
	uint64_t raw = 0;
	uint32_t i;

	begin();
	t->deepest = 3;
	for (i = 0; i < 5; i++)
		enter(i + 1, TYPE_JITTED, 1);
	CU_ASSERT(t->depth == 5 && t->too_deep == 2 && t->used == 4 && t->top == 3);
	for (i = 5; i > 0; i--)
		leave(i, 1);
	CU_ASSERT(t->depth == 0 && t->exits == 5 && t->top == 0 && t->unknown == 0);
	for (i = 0; i < t->used; i++)
		raw += t->raw[i];
	CU_ASSERT_EQUAL(raw, 10);
	call_thread_free(t);
}

/* Room for frames grows with the depth: none is left out, and each finds its end. */
static void far_down(void)
{
	const uint32_t most = 20000;
	uint32_t i, wrong = 0;

	begin();
	for (i = 0; i < most; i++)
		enter(i + 1, TYPE_JITTED, 1);
	CU_ASSERT(t->depth == most && t->used == most + 1 && !t->too_deep && t->top == most);
	for (i = most; i > 0; i--)
		leave(i, 2);
	CU_ASSERT(!t->depth && !t->unknown && !t->unwinds && !t->top);
	for (i = 1; i <= most; i++)
		wrong += node(i)->parent != i - 1 || t->raw[i] != (i == most ? 2 : 3);
	CU_ASSERT_EQUAL(wrong, 0);
	call_thread_free(t);
}

/* Dispatches and interrupts since the last event are those of the method that runs. */
static void switched(void)
{
	begin();
	enter(1, TYPE_JITTED, 10);
	enter(2, TYPE_JITTED, 20);
	t->dispatches = 100;
	t->interrupts = 7;
	call_switched(t, 103, 9);
	leave(2, 30);
	t->dispatches = 103;
	t->interrupts = 9;
	call_switched(t, 104, 9);
	call_switched(t, 103, 14);
	CU_ASSERT(node(2)->dispatches == 3 && node(2)->interrupts == 2);
	CU_ASSERT(node(1)->dispatches == 1 && node(1)->interrupts == 5);
	CU_ASSERT(node(0)->dispatches == 0 && node(0)->interrupts == 0);
	call_thread_free(t);
}

/* Many nodes, found again, in tables that grow; and no room for more. */
static void many(void)
{
	uint32_t i, turn;

	begin();
	enter(0, TYPE_JITTED, 1);
	for (turn = 0; turn < 2; turn++) {
		for (i = 1; i < 5000; i++) {
			enter(i, TYPE_JITTED, 1);
			leave(i, 1);
		}
	}
	CU_ASSERT_EQUAL(t->used, 5001);
	for (i = 1; i < 5000; i++)
		CU_ASSERT_FATAL(node(i + 1)->method == i && node(i + 1)->calls == 2);
	t->room = t->used;
	enter(6000, TYPE_JITTED, 1);
	CU_ASSERT(t->too_many == 1 && t->top == t->beyond && node(0)->child == t->beyond);
	/* The methods are kept apart, so that ends find their begins. */
	enter(6001, TYPE_JITTED, 2);
	enter(6000, TYPE_JITTED, 3);
	unwind(6001, 4);
	CU_ASSERT(t->too_many == 3 && t->depth == 2 && node(t->beyond)->calls == 3);
	CU_ASSERT_EQUAL(t->raw[t->beyond], 2 + 3 + 4);
	leave(6000, 5);
	enter(1, TYPE_JITTED, 6);
	CU_ASSERT(t->top == 2 && node(2)->calls == 3 && t->unknown == 0 && t->unwinds == 2);
	call_thread_free(t);
}

/* Figure 6: within a sequence DELTA is a multiple; raw is BASE and DELTA. More kinds of
 * sequences than a node has room for. */
static void calibrated(void)
{
	struct calibration c;
	uint32_t i, j;

	begin();
	enter(1, TYPE_JITTED, 50);
	for (i = 0; i < 10; i++) {
		enter(2, TYPE_JITTED,
		      40 + i);    /* first after enter, then after leave: at least 41 */
		leave(2, 13 + i); /* at least 13 */
	}
	leave(1, 60);
	CU_ASSERT_EQUAL_FATAL(calibration_init(&c, 1), 0);
	calibration_add(&c, t);
	/* Each sequence, at its least. */
	CU_ASSERT_EQUAL(delta(&c, 2), 10 * 13);
	CU_ASSERT_EQUAL(delta(&c, 1), 40 + 9 * 41 + 60);
	CU_ASSERT_EQUAL(t->raw[2] - delta(&c, 2), 45);
	calibration_free(&c);
	call_thread_free(t);
	/* All eight types call and are called. */
	begin();
	for (i = 0; i < TYPES; i++) {
		for (j = 0; j < TYPES; j++) {
			enter(7, TYPE_JITTED, 100);
			enter(10 + i, i, 100);
			enter(20 + j, j, 100);
			leave(20 + j, 100);
			leave(10 + i, 100);
			leave(7, 100);
		}
	}
	CU_ASSERT_EQUAL_FATAL(calibration_init(&c, 1), 0);
	calibration_add(&c, t);
	for (i = 0; i < t->used; i++) {
		const struct call_node *n = node(i);
		uint64_t times = 0;

		for (j = 0; j < NODE_SEQUENCES; j++)
			times += n->times[j];
		for (j = n->more; j; j = t->more[j].next)
			times += t->more[j].times;
		/* Each call, and each call that it made, ends once. */
		CU_ASSERT_EQUAL(times, n->calls + n->calls_made);
		CU_ASSERT(delta(&c, i) <= t->raw[i]);
		if (n->method >= 10)
			CU_ASSERT_EQUAL(delta(&c, i), times * 100);
	}
	calibration_free(&c);
	call_thread_free(t);
}

/* Ends without an event teach nothing, and nothing is subtracted. */
static void unlearnt(void)
{
	struct calibration c;

	begin();
	enter(1, TYPE_JITTED, 50);
	enter(2, TYPE_JITTED, 50);
	leave(1, 70);
	CU_ASSERT_EQUAL_FATAL(calibration_init(&c, 1), 0);
	calibration_add(&c, t);
	CU_ASSERT_EQUAL(delta(&c, 2), 0);
	CU_ASSERT_EQUAL(delta(&c, 1), 50);
	calibration_free(&c);
	call_thread_free(t);
}

/* ---- in line --------------------------------------------------------------------------------- */

static uint32_t chance(uint32_t n)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005 + 1442695040888963407;
	return (uint32_t)(state >> 33) % n;
}

static void same_trees(const struct call_thread *a, const struct call_thread *b)
{
	CU_ASSERT(a->depth == b->depth && a->top == b->top && a->used == b->used);
	CU_ASSERT(a->entries == b->entries && a->exits == b->exits && a->unwinds == b->unwinds);
	CU_ASSERT(a->too_deep == b->too_deep && a->too_many == b->too_many &&
		  a->unknown == b->unknown && a->backwards == b->backwards);
	CU_ASSERT_EQUAL(memcmp(a->nodes, b->nodes, a->used * sizeof(*a->nodes)), 0);
	CU_ASSERT_EQUAL(memcmp(&a->nodes[a->beyond], &b->nodes[b->beyond], sizeof(*a->nodes)), 0);
	CU_ASSERT_EQUAL(memcmp(a->raw, b->raw, a->used * a->metrics * sizeof(*a->raw)), 0);
	CU_ASSERT_EQUAL(memcmp(&a->raw[a->beyond * a->metrics], &b->raw[b->beyond * a->metrics],
			       a->metrics * sizeof(*a->raw)),
			0);
	CU_ASSERT_EQUAL(memcmp(a->minimum, b->minimum,
			       SEQUENCES * a->metrics * sizeof(*a->minimum)),
			0);
	CU_ASSERT_EQUAL(memcmp(a->spread, b->spread, SEQUENCES * a->metrics * sizeof(*a->spread)),
			0);
	CU_ASSERT_EQUAL_FATAL(a->more_used, b->more_used);
	CU_ASSERT_EQUAL(memcmp(a->more, b->more, a->more_used * sizeof(*a->more)), 0);
}

/* call_fast.h behaves like the functions of call_thread.h: for random events, among them some too
 * deep, without room, backwards, and ends of a method that is not the innermost. */
static void in_line_by(uint32_t metrics)
{
	uint32_t count = metrics ? metrics : 1, stack[64], depth = 0, fast = 0, i;
	struct call_thread *a = call_thread_new(count), *b = call_thread_new(count);
	uint64_t now[CALL_METRICS] = { 1000 };
	const uint64_t *v = metrics ? now : NULL;
	struct call_reads r = { metrics, now };

	CU_ASSERT_FATAL(a && b);
	a->deepest = b->deepest = 12;
	a->most_nodes = b->most_nodes = 3000;
	for (i = 0; i < 200000; i++) {
		uint32_t what = chance(100), m = chance(3), type = chance(3) ? TYPE_JITTED : m;
		bool done = false;

		for (uint32_t j = 0; j < count; j++)
			now[j] += chance(50) ? chance(300) : -(uint64_t)chance(3);
		if (what < 48 && depth < 20) {
			stack[depth++] = m;
			call_enter(a, m, type, v);
			done = call_enter_again(b, m, type, r);
			if (!done)
				call_enter(b, m, type, v);
		} else if (what < 96) {
			m = depth ? stack[--depth] : m;
			call_leave(a, m, v);
			done = call_leave_again(b, m, r);
			if (!done)
				call_leave(b, m, v);
		} else {
			call_unwind(a, m, v);
			call_unwind(b, m, v);
			depth = a->depth;
		}
		fast += done;
		for (uint32_t j = 0; j < count; j++)
			a->last[j] = b->last[j] = now[j] += chance(100);
	}
	call_settle(a);
	call_settle(b);
	same_trees(a, b);
	CU_ASSERT(a->too_deep && a->too_many && a->unknown && !a->backwards == !metrics);
	CU_ASSERT(fast > 20000 && fast < 190000);
	call_thread_free(a);
	call_thread_free(b);
}

static void in_line(void)
{
	in_line_by(0);
	in_line_by(1);
	in_line_by(2);
	in_line_by(CALL_METRICS);
}

#define PAIRS 16

static __attribute__((noinline)) void pairs_of(struct call_reads r)
{
	bool done = true;

	for (int i = 0; i < PAIRS; i++) {
		done &= call_enter_again(t, 1, TYPE_JITTED, r);
		done &= call_leave_again(t, 1, r);
	}
	if (!done)
		_exit(1);
}

static const uint64_t later[CALL_METRICS] = { 9000, 9001, 9002, 9003, 9004, 9005, 9006, 9007 };

/* With the number of metrics known to the compiler as one, as for the code that reads only
 * cycles. */
static void pairs_in_line(void)
{
	bool done = true;

	for (int i = 0; i < PAIRS; i++) {
		done &= call_enter_again(t, 1, TYPE_JITTED, (struct call_reads){ 1, later });
		done &= call_leave_again(t, 1, (struct call_reads){ 1, later });
	}
	if (!done)
		_exit(1);
}

static void pairs_of_all(void)
{
	pairs_of((struct call_reads){ t->metrics, later });
}

static void pairs_called(void)
{
	for (int i = 0; i < PAIRS; i++) {
		call_enter(t, 1, TYPE_JITTED, later);
		call_leave(t, 1, later);
	}
}

static void wait_for_stop(pid_t pid)
{
	int status;

	CU_ASSERT_EQUAL_FATAL(waitpid(pid, &status, 0), pid);
	CU_ASSERT_FATAL(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
}

/* Instructions of a pair: a child is stepped through some. */
static long cost_of(void (*pairs)(void))
{
	long steps = 0;
	int status;
	pid_t pid = fork();

	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		pairs();
		raise(SIGSTOP);
		_exit(0);
	}
	wait_for_stop(pid);
	do {
		steps++;
		CU_ASSERT_EQUAL_FATAL(ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL), 0);
		CU_ASSERT_EQUAL_FATAL(waitpid(pid, &status, 0), pid);
	} while (WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP);
	CU_ASSERT(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	CU_ASSERT(waitpid(pid, &status, 0) == pid && status == 0);
	return steps;
}

static void nothing(void) { }

static long pair_takes(uint32_t metrics, void (*pairs)(void))
{
	long takes;

	t = call_thread_new(metrics);
	CU_ASSERT_PTR_NOT_NULL_FATAL(t);
	pairs_called();
	pairs_called();
	takes = (cost_of(pairs) - cost_of(nothing)) / PAIRS;
	call_thread_free(t);
	return takes;
}

/* Inlined events take less than called ones; each further metric is charged twice per pair, by a
 * few instructions. */
static void cost(void)
{
	long in_line_takes = pair_takes(1, pairs_in_line),
	     called_takes = pair_takes(1, pairs_called);
	long two = pair_takes(2, pairs_of_all), all = pair_takes(CALL_METRICS, pairs_of_all);
	long called_all = pair_takes(CALL_METRICS, pairs_called);

	printf("# instructions of a pair: %ld in line, %ld called; of two metrics %ld, of %d %ld, %ld called\n",
	       in_line_takes, called_takes, two, CALL_METRICS, all, called_all);
	CU_ASSERT(in_line_takes > 20 && in_line_takes < called_takes && all < called_all);
	CU_ASSERT((all - two) / (CALL_METRICS - 2) <= 2 * 40);
}

/* The place of a value counts with the next event, or when none follows. */
static void settled(void)
{
	const struct value_spread *s;

	begin();
	enter(1, TYPE_JITTED, 10);
	leave(1, 3);
	s = &t->spread[t->sequence];
	CU_ASSERT(s->times == 1 && s->sum == 3 && s->place[3] == 0);
	call_settle(t);
	call_settle(t);
	CU_ASSERT(s->times == 1 && s->place[3] == 1);
	call_thread_free(t);
}

/* Checks the next events that the reader of a ring finds: "e1 l1 …", a letter and the method; lost
 * ones as "#3". */
static void expect_events(struct call_ring *r, const char *want)
{
	char have[256] = "";
	uint64_t at = atomic_load(&r->tail), head = atomic_load(&r->head);

	while (at != head) {
		uint64_t first = *ring_at(r, at++);
		size_t n = strlen(have);

		snprintf(have + n, sizeof(have) - n, "%s%c%u", n ? " " : "",
			 "eluc?#"[first & RING_EVENT], (unsigned int)(first >> RING_METHOD));
		if ((first & RING_EVENT) != RING_LOST)
			at += 2 * r->metrics;
	}
	atomic_store(&r->tail, at);
	CU_ASSERT_STRING_EQUAL(have, want);
}

/* Frames that end without an event: a reader is told of popped ones, the innermost first. */
static void silent_in_ring(void)
{
	struct call_ring *r = call_ring_new(1);

	CU_ASSERT_PTR_NOT_NULL_FATAL(r);
	begin();
	t->ring = r;
	for (int pops = 0; pops < 2; pops++) {
		t->pops = pops;
		for (uint32_t i = 1; i <= 4; i++)
			enter(i, TYPE_JITTED, 1);
		leave(2, 1);
		leave(1, 1);
		expect_events(r, pops ? "e1 e2 e3 e4 ?4 ?3 l2 l1" : "e1 e2 e3 e4 l2 l1");
	}
	CU_ASSERT(t->unwinds == 2 && t->popped == 2);
	t->ring = NULL;
	call_thread_free(t);
}

/* A ring that is full loses whole events, and says so where they are missing. */
static void ring(void)
{
	struct call_ring *r = call_ring_new(1);
	uint32_t i;

	CU_ASSERT_PTR_NOT_NULL_FATAL(r);
	r->words = 16;
	begin();
	t->ring = r;
	enter(1, TYPE_JITTED, 10);
	enter(2, TYPE_JITTED, 20);
	CU_ASSERT(*ring_at(r, 4) == 20 && *ring_at(r, 5) == 0);
	leave(2, 30);
	expect_events(r, "e1 e2 l2");
	CU_ASSERT_EQUAL(*ring_at(r, 0) >> RING_TYPE & 0xff, TYPE_JITTED);
	for (i = 0; i < 5; i++) {
		enter(3, TYPE_JITTED, 40);
		leave(3, 50);
	}
	/* Five of three words each, in room for sixteen, one of which is kept for what is lost. */
	expect_events(r, "e3 l3 e3 l3 e3");
	CU_ASSERT_EQUAL(atomic_load(&r->lost), 5);
	enter(4, TYPE_JITTED, 1);
	unwind(4, 1);
	caught(1, 1);
	expect_events(r, "#5 e4 u4 c1");
	CU_ASSERT_EQUAL(r->lost_here, 0);
	/* The least of before is the cost: leaving 2 took 30. */
	enter(3, TYPE_JITTED, 7);
	leave(3, 60);
	i = (uint32_t)atomic_load(&r->head);
	CU_ASSERT(*ring_at(r, i - 2) == 60 && *ring_at(r, i - 1) == 30);
	t->ring = NULL;
	call_thread_free(t);
}

static void filters(void)
{
	struct method_filter f = { 0 };

	CU_ASSERT(filter_takes(&f, "a/B.c()V"));
	CU_ASSERT_EQUAL(filter_set(&f, "a/*+-a/B.*+a/B.d*rest", 6), 0);
	CU_ASSERT(filter_takes(&f, "a/B.c()V") && !filter_takes(&f, "b/B.c()V"));
	CU_ASSERT_EQUAL(filter_set(&f, "a/*+-a/B.*+a/B.d*", 17), 0);
	CU_ASSERT(!filter_takes(&f, "a/B.c()V") && filter_takes(&f, "a/C.c()V"));
	CU_ASSERT(filter_takes(&f, "a/B.d()V") && !filter_takes(&f, "x/a/C"));
	CU_ASSERT_EQUAL(filter_set(&f, "-java/*", 7), 0);
	CU_ASSERT(filter_takes(&f, "a/B.c()V") && !filter_takes(&f, "java/lang/Object.<init>()V"));
	CU_ASSERT_EQUAL(filter_set(&f, "*.ab*b", 6), 0);
	CU_ASSERT(filter_takes(&f, "x.abb") && filter_takes(&f, "x.abcbcb") &&
		  !filter_takes(&f, "x.ab"));
	CU_ASSERT_EQUAL(filter_set(&f, "", 0), -EINVAL);
	CU_ASSERT_EQUAL(filter_set(&f, "a+", 2), -EINVAL);
	CU_ASSERT_EQUAL(filter_set(&f, "+a", 2), -EINVAL);
	CU_ASSERT_EQUAL(filter_set(&f, "a+-", 3), -EINVAL);
	CU_ASSERT_EQUAL(filter_set(&f, "-", 1), -EINVAL);
	filter_free(&f);
}

static void ids(void)
{
	uint32_t most = METHODS_MOST - 1, id;

	id = (uint32_t)method_id(most, true, false);
	CU_ASSERT(id <= INT32_MAX && method_number(id) == most);
	CU_ASSERT_EQUAL(method_type(id, false), TYPE_JITTED + 1);
	CU_ASSERT_EQUAL(method_type(id, true), TYPE_INTERPRETED + 1);
	CU_ASSERT_EQUAL(method_type((uint32_t)method_id(5, false, false), false), TYPE_JITTED);
	CU_ASSERT_EQUAL(method_type((uint32_t)method_id(5, false, false), true), TYPE_INTERPRETED);
	CU_ASSERT_EQUAL(method_type((uint32_t)method_id(5, false, true), true), TYPE_NATIVE);
	CU_ASSERT_EQUAL(method_type((uint32_t)method_id(5, true, true), false), TYPE_NATIVE + 1);
	CU_ASSERT_EQUAL(method_number((uint32_t)method_id(5, true, true)), 5);
}

/* Events at random, some beyond the tree's room. */
static void make_events(struct call_thread *to, uint32_t n)
{
	uint64_t now = 1000;

	to->room = 500;
	while (n--) {
		uint32_t m = chance(4);

		now += chance(300);
		if (chance(5) < 3)
			call_enter(to, m, chance(2) ? TYPE_JITTED : TYPE_NATIVE, &now);
		else if (chance(2))
			call_leave(to, m, &now);
		else
			call_unwind(to, m, &now);
		to->last[0] = now;
	}
}

/* A thread that has ended has the same tree, with the same corrections. */
static void ended(void)
{
	struct call_thread *to;
	struct calibration c;
	bool clamped;
	uint32_t i;

	begin();
	make_events(t, 20000);
	CU_ASSERT(t->too_many > 0 && t->more_used > 1 && t->nodes[0].child == t->beyond);
	to = call_ended(t);
	CU_ASSERT_PTR_NOT_NULL_FATAL(to);
	CU_ASSERT_FATAL(to->used == t->used && to->beyond == to->used && to->metrics == 1);
	CU_ASSERT(to->entries == t->entries && to->exits == t->exits && to->unwinds == t->unwinds);
	CU_ASSERT(to->depth == t->depth && to->too_many == t->too_many &&
		  to->unknown == t->unknown && to->tid == t->tid);
	CU_ASSERT_EQUAL(memcmp(to->nodes + 1, t->nodes + 1, (t->used - 1) * sizeof(*t->nodes)), 0);
	CU_ASSERT_EQUAL(memcmp(&to->nodes[to->beyond], &t->nodes[t->beyond], sizeof(*t->nodes)), 0);
	CU_ASSERT_EQUAL(to->nodes[0].child, to->beyond);
	CU_ASSERT_EQUAL(to->raw[to->beyond], t->raw[t->beyond]);
	CU_ASSERT(t->raw[t->beyond] > 0);
	CU_ASSERT_EQUAL_FATAL(calibration_init(&c, 1), 0);
	calibration_add(&c, t);
	for (i = 0; i < t->used; i++) {
		CU_ASSERT_EQUAL(to->raw[i], t->raw[i]);
		CU_ASSERT_EQUAL(calibration_delta(&c, to, i, 0, &clamped),
				calibration_delta(&c, t, i, 0, &clamped));
	}
	call_settle(to);
	CU_ASSERT_PTR_NULL(to->minimum);
	calibration_free(&c);
	call_thread_free(to);
	call_thread_free(t);
}

/* If several threads have learnt a value, one of them keeps it. */
static void learnt(void)
{
	struct call_thread *a = call_thread_new(1), *b = call_thread_new(1),
			   *all = call_thread_new(1);
	uint64_t seen = 0;

	CU_ASSERT_FATAL(a && b && all);
	make_events(a, 3000);
	make_events(b, 3000);
	call_settle(a);
	call_settle(b);
	call_learn(all, a);
	CU_ASSERT_EQUAL(memcmp(all->minimum, a->minimum, SEQUENCES * sizeof(*a->minimum)), 0);
	CU_ASSERT_EQUAL(memcmp(all->spread, a->spread, SEQUENCES * sizeof(*a->spread)), 0);
	call_learn(all, b);
	for (uint32_t i = 0; i < SEQUENCES; i++) {
		uint64_t one = a->minimum[i], two = b->minimum[i],
			 least = !one || (two && two < one) ? two : one, places = 0;

		CU_ASSERT_EQUAL(all->minimum[i], least);
		CU_ASSERT_EQUAL(all->spread[i].times, a->spread[i].times + b->spread[i].times);
		CU_ASSERT_EQUAL(all->spread[i].sum, a->spread[i].sum + b->spread[i].sum);
		for (uint32_t j = 0; j < SPREAD_PLACES; j++)
			places += all->spread[i].place[j];
		CU_ASSERT_EQUAL(places, all->spread[i].times);
		seen += places;
	}
	CU_ASSERT_EQUAL(seen, 6000);
	call_thread_free(a);
	call_thread_free(b);
	call_thread_free(all);
}

static void named(void)
{
	int32_t first = methods_add("a/Bx", 3, "cx", 1, "()Vx", 3), i;

	CU_ASSERT_EQUAL(first, 0);
	CU_ASSERT_STRING_EQUAL(methods_get(0)->name, "a/B.c()V");
	for (i = 1; i < 5000; i++)
		CU_ASSERT_EQUAL_FATAL(methods_add("D", 1, "e", 1, "()V", 3), i);
	CU_ASSERT_EQUAL(methods_count(), 5000);
	CU_ASSERT_STRING_EQUAL(methods_get(0)->name, "a/B.c()V");
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "sizes", sizes },
		{ "tree", tree },
		{ "silent_ends", silent_ends },
		{ "popped", popped },
		{ "deep", deep },
		{ "far_down", far_down },
		{ "switched", switched },
		{ "many", many },
		{ "calibrated", calibrated },
		{ "unlearnt", unlearnt },
		{ "ring", ring },
		{ "silent_in_ring", silent_in_ring },
		{ "filters", filters },
		{ "in_line", in_line },
		{ "settled", settled },
		{ "cost", cost },
		{ "ended", ended },
		{ "learnt", learnt },
		{ "ids", ids },
		{ "named", named },
		{ NULL, NULL },
	};

	return unit_run("jprof_calls", tests);
}

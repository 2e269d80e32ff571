/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The stack as reported by the VM's probes: missing ends are found by the stack pointer, and frames
 * whose code was replaced are found again. In a VM: test_jprof_probes.sh.
 */
#include "probe_frames.h"
#include "unit.h"

static struct call_thread *t;
static uint64_t now;

static void begin(void)
{
	t = call_thread_new(1);
	CU_ASSERT_PTR_NOT_NULL_FATAL(t);
	now = 100;
	t->last[0] = now;
}

static void enter(uint32_t method, uintptr_t frame, uintptr_t site)
{
	now++;
	probe_enter(t, NULL, method, TYPE_JITTED, (struct call_place){ frame, site }, &now);
	t->last[0] = now;
}

static void end(uint32_t method, enum call_event went, uintptr_t frame)
{
	now++;
	probe_end(t, method, went, frame, &now);
	t->last[0] = now;
}

static void leave(uint32_t method, uintptr_t frame)
{
	end(method, EVENT_LEAVE, frame);
}

static void ends(void)
{
	CU_ASSERT(t->depth == 0 && t->top == 0 && t->unknown == 0);
	CU_ASSERT_EQUAL(t->entries, t->exits + t->unwinds);
	call_thread_free(t);
}

static void plain(void)
{
	begin();
	enter(1, 1000, 10);
	enter(2, 900, 20);
	leave(2, 900);
	enter(2, 900, 20);
	leave(2, 900);
	leave(1, 1000);
	CU_ASSERT(t->unwinds == 0 && t->exits == 3 && t->nodes[2].calls == 2);
	ends();
}

/* 2 and 3 are inlined in 1; an exception leaves 3, then 2 and 3, and 1 goes on. */
static void inlined(void)
{
	begin();
	enter(1, 1000, 10);
	for (int i = 0; i < 1000; i++) {
		enter(2, 1000, 20);
		enter(3, 1000, 30);
		CU_ASSERT_EQUAL_FATAL(t->depth, 3);
	}
	leave(2, 1000);
	enter(3, 1000, 31); /* another call of it: beside it there is no frame */
	enter(4, 900, 40);
	leave(4, 900);
	leave(1, 1000);
	CU_ASSERT(t->exits == 3 && t->unwinds == 2000);
	CU_ASSERT_EQUAL(t->nodes[3].calls, 1000);
	ends();
}

/* A recursive method: the outer call ends although the inner one's end was not reported. */
static void recursion(void)
{
	begin();
	enter(1, 1000, 10);
	enter(1, 900, 10);
	enter(1, 800, 10);
	leave(1, 900);
	CU_ASSERT(t->depth == 1 && t->unwinds == 1);
	leave(1, 1000);
	ends();
}

/* The interpreter's frame became a compiled one, higher or lower; its stack pointer is another. */
static void replaced(void)
{
	begin();
	enter(1, 1000, 10);
	enter(2, 800, 20);
	enter(3, 850, 30); /* from the frame of 2 that is smaller now */
	leave(3, 850);
	leave(2, 900);
	CU_ASSERT(t->depth == 1 && t->unwinds == 0);
	enter(2, 800, 20);
	leave(2, 700);
	leave(1, 1010);
	CU_ASSERT(t->unwinds == 0 && t->exits == 4);
	ends();
}

/* Interpreted, and calling itself until the stack is full: the last call ends and has not begun. */
static void no_room(void)
{
	begin();
	enter(1, 1001, 10);
	enter(1, 901, 10);
	end(1, EVENT_UNWIND, 801);
	CU_ASSERT(t->depth == 2 && t->unknown == 0 && t->exits == 0 && t->unwinds == 0);
	end(1, EVENT_UNWIND, 901);
	/* The interpreter's frame became a compiled one, and that the interpreter's again. */
	leave(1, 991);
	CU_ASSERT(t->unwinds == 1 && t->exits == 1);
	ends();
}

static void unknown(void)
{
	begin();
	leave(5, 2000);
	CU_ASSERT(t->unknown == 1 && t->depth == 0);
	enter(1, 1000, 10);
	leave(5, 2000);
	CU_ASSERT(t->unknown == 2 && t->depth == 1 && t->top == 1);
	call_thread_free(t);
}

/* Deeper than frames are kept. */
static void deep(void)
{
	begin();
	t->deepest = 3;
	for (uint32_t i = 0; i < 6; i++)
		enter(i, 1000 - i, i);
	for (uint32_t i = 6; i > 0; i--)
		leave(i - 1, 1000 - i + 1);
	CU_ASSERT_EQUAL(t->too_deep, 3);
	ends();
}

static uint32_t chance(uint32_t n)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005 + 1442695040888963407;
	return (uint32_t)(state >> 33) % n;
}

/* Inlined code behaves like the functions: for a random stack with inlined methods, frames that end
 * without an event, and frames that have moved when they end. */
static void in_line(void)
{
	static const char known[8];
	struct call_thread *a = call_thread_new(1), *b = call_thread_new(1);
	uintptr_t sp[100] = { 100000 };
	uint32_t method[100], depth = 0, fast = 0;

	CU_ASSERT_FATAL(a && b);
	now = 1000;
	for (uint32_t i = 0; i < 100000; i++) {
		bool done;

		now += chance(200);
		if (depth < 1 || (depth < 30 && chance(100) < 47)) {
			uint32_t m = chance(8);
			struct call_place at = { sp[depth] - 16 * !!chance(8), chance(3) };

			probe_enter(a, &known[m], m, TYPE_JITTED, at, &now);
			done = probe_enter_again(b, &known[m], m, TYPE_JITTED, at,
						 (struct call_reads){ 1, &now });
			if (!done)
				probe_enter(b, &known[m], m, TYPE_JITTED, at, &now);
			method[depth++] = m;
			sp[depth] = at.frame;
		} else {
			uint32_t m = method[depth - 1];
			uintptr_t frame = sp[depth] + 16 * !chance(16);

			depth--;
			probe_end(a, m, EVENT_LEAVE, frame, &now);
			done = probe_leave_again(b, &known[m], frame,
						 (struct call_reads){ 1, &now });
			if (!done)
				probe_end(b, m, EVENT_LEAVE, frame, &now);
			if (depth && !chance(16))
				depth--;
		}
		fast += done;
		a->last[0] = b->last[0] = now;
		CU_ASSERT_FATAL(a->depth == b->depth && a->top == b->top);
	}
	CU_ASSERT(a->used == b->used && a->exits == b->exits && a->unwinds == b->unwinds);
	CU_ASSERT_EQUAL(memcmp(a->nodes, b->nodes, a->used * sizeof(*a->nodes)), 0);
	CU_ASSERT_EQUAL(memcmp(a->raw, b->raw, a->used * sizeof(*a->raw)), 0);
	CU_ASSERT(a->unwinds > 1000 && fast > 10000 && fast < 95000);
	call_thread_free(a);
	call_thread_free(b);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "plain", plain },       { "inlined", inlined }, { "recursion", recursion },
		{ "replaced", replaced }, { "unknown", unknown }, { "deep", deep },
		{ "no_room", no_room },   { "in_line", in_line }, { NULL, NULL },
	};

	return unit_run("probe_frames", tests);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of compiled code among Java's frames: which of them end, and when. */
#include "function_frames.h"
#include "joined_calls.h"
#include "unit.h"

#define JAVA UINT32_C(100)

static struct call_thread *t;
static uint64_t now;

static const uint64_t *later(void)
{
	now += 10;
	return &now;
}

static void enter(uint32_t number, uintptr_t sp, bool anew)
{
	function_enter(t, number, sp, anew, later());
	*t->last = now;
}

static void end(uint32_t number, uintptr_t sp)
{
	function_end(t, number, sp, later());
	*t->last = now;
}

static void java(uint32_t method)
{
	call_enter(t, method, TYPE_JITTED, later());
	*t->last = now;
}

static void begin(void)
{
	t = call_thread_new(1);
	CU_ASSERT_PTR_NOT_NULL_FATAL(t);
	now = 0;
	*t->last = 0;
}

static void finish(void)
{
	CU_ASSERT_EQUAL(t->entries, t->exits + t->unwinds + t->popped + t->depth);
	call_thread_free(t);
}

/* C calls Java, which calls C. */
static void mixed(void)
{
	begin();
	java(JAVA);
	enter(1, 0x9000, false);
	java(JAVA + 1);
	enter(2, 0x5000, false);
	CU_ASSERT_EQUAL(t->depth, 4);
	end(2, 0x5000);
	call_leave(t, JAVA + 1, later());
	end(1, 0x8f00);
	CU_ASSERT(t->depth == 1 && t->exits == 3 && t->unknown == 0);
	/* A frame of Java's above what is entered is not over. */
	t->frames[0].at.frame = 0x10;
	enter(1, 0x9000, true);
	CU_ASSERT_EQUAL(t->depth, 2);
	finish();
}

/* Frames that a jump has left end at the next function that is entered above them, if they are
 * Java's. */
static void left(void)
{
	begin();
	enter(1, 0x9000, false);
	java(JAVA);
	enter(2, 0x5000, false);
	enter(3, 0x4000, false);
	enter(4, 0x4800, false);
	CU_ASSERT(t->depth == 4 && t->unwinds == 1);
	/* One that is inlined has its caller's stack pointer; a first instruction's is anew. */
	enter(5, 0x4800, false);
	CU_ASSERT_EQUAL(t->depth, 5);
	enter(6, 0x4800, true);
	CU_ASSERT(t->depth == 4 && t->frames[3].method == 6 && t->frames[2].method == 2);
	function_popped(t, 0x9fff, false, later());
	CU_ASSERT(t->depth == 2 && t->popped == 2);
	function_popped(t, 0x9fff, true, later());
	CU_ASSERT(t->depth == 2 && t->popped == 2);
	enter(7, 0x100, false);
	function_popped(t, 0x200, true, later());
	CU_ASSERT(t->depth == 2 && t->popped == 2);
	finish();
}

/* The same function twice: its caller's frame is above the one that ends. By the stack pointer
 * alone it would be the same one. */
static void itself(void)
{
	begin();
	enter(1, 0x9000, false);
	enter(1, 0x8000, false);
	enter(2, 0x7000, false);
	/* The inner ones have ended without an event. */
	end(1, 0x9008);
	CU_ASSERT(t->depth == 0 && t->exits == 1 && t->unwinds == 2);
	enter(1, 0x9000, false);
	enter(1, 0x8000, false);
	end(1, 0x7fff);
	CU_ASSERT_EQUAL(t->depth, 1);
	enter(2, 0x7000, true);
	end(JOINED_ANY, 0x9000);
	CU_ASSERT_EQUAL(t->depth, 0);
	end(JOINED_ANY, 0x9000);
	CU_ASSERT(t->depth == 0 && t->unknown == 0);
	end(3, 0x9000);
	CU_ASSERT(t->depth == 0 && t->unknown == 1);
	finish();
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "mixed", mixed },
		{ "left", left },
		{ "itself", itself },
		{ NULL, NULL },
	};

	return unit_run("function_frames", tests);
}

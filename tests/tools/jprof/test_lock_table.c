/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The counts of monitors, and their report. */
#include <CUnit/CUnit.h>
#include <stdlib.h>
#include <string.h>

#include "lock_table.h"
#include "lock_thread.h"
#include "unit.h"

static char *text;

static void show(const struct lock_table *t)
{
	size_t size;
	FILE *out;

	free(text);
	text = NULL;
	out = open_memstream(&text, &size);
	if (!out)
		abort();
	lock_table_write(t, out, 2000000000);
	fclose(out);
}

static void counts(void)
{
	struct lock_table t;
	uint32_t one, two;
	const char *first, *second;

	CU_ASSERT_EQUAL_FATAL(lock_table_init(&t, 3), 0);
	one = lock_table_add(&t, "A@1", LOCK_MONITOR);
	two = lock_table_add(&t, "B\033@2", LOCK_MONITOR);
	CU_ASSERT(one == 1 && two == 2);
	CU_ASSERT_EQUAL(lock_table_add(&t, "C@3", LOCK_MONITOR), 0);
	lock_blocked(lock_table_get(&t, one), 1000000);
	lock_blocked(lock_table_get(&t, two), 2000000);
	lock_blocked(lock_table_get(&t, two), 5000000);
	lock_waited(lock_table_get(&t, one), 7000000);
	lock_blocked(lock_table_get(&t, 0), 1);
	show(&t);
	CU_ASSERT_PTR_NOT_NULL(
		strstr(text, "contended enters: 4, blocked 8.000 ms; monitors: 3\n"));
	first = strstr(text, "B\\x1b@2\n");
	second = strstr(text, "A@1\n");
	CU_ASSERT(first && second && first < second);
	CU_ASSERT_PTR_NOT_NULL(
		strstr(text,
		       "        2      -      -         -        7.000        5.000        0        0.000 B"));
	CU_ASSERT_PTR_NOT_NULL(
		strstr(text,
		       "        1      -      -         -        1.000        1.000        1        7.000 A"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "monitors without room\n"));
	lock_table_reset(&t);
	show(&t);
	CU_ASSERT_PTR_NULL(strstr(text, "A@1"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "contended enters: 0"));
	lock_blocked(lock_table_get(&t, one), 1);
	show(&t);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "A@1\n"));
	lock_table_free(&t);
}

static void stacks(void)
{
	struct lock_table t;
	struct lock_record *r;
	unsigned int wanted = 0;
	uint32_t number;
	char name[16];

	CU_ASSERT_EQUAL_FATAL(lock_table_init(&t, 10), 0);
	number = lock_table_add(&t, "A@1", LOCK_MONITOR);
	r = lock_table_get(&t, number);
	for (int i = 0; i < 640; i++)
		wanted += lock_wants_stack(r);
	CU_ASSERT_EQUAL(wanted, 8 + 9);
	lock_add_stack(r, "w", "h");
	lock_add_stack(r, "w", "h");
	lock_add_stack(r, "w", "");
	for (int i = 0; i < 5; i++) {
		snprintf(name, sizeof(name), "w%d", i);
		lock_add_stack(r, name, "h");
	}
	show(&t);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "    2 times blocked: w\n      held by: h\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "    1 times blocked: w\n      held by: not known\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "    1 times blocked: w1\n"));
	CU_ASSERT_PTR_NULL(strstr(text, "blocked: w2\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "    3 times with other stacks\n"));
	lock_table_free(&t);
	free(text);
	text = NULL;
}

/* The columns of the one whose name that is, with single blanks. */
static const char *row(const char *name)
{
	static char line[256];
	char *at = strstr(text, name), *to = line;

	*line = 0;
	if (!at)
		return line;
	while (at > text && at[-1] != '\n')
		at--;
	for (; *at != '\n' && to < line + sizeof(line) - 1; at++)
		if (*at != ' ' || (to > line && to[-1] != ' '))
			*to++ = *at;
	*to = 0;
	return line;
}

static void gets_and_holds(void)
{
	struct lock_table t;
	uint32_t held, parks, both;

	CU_ASSERT_EQUAL_FATAL(lock_table_init(&t, 10), 0);
	t.gets = true;
	held = lock_table_add(&t, "held@1", LOCK_MONITOR);
	parks = lock_table_add(&t, "parks@2", LOCK_PARKS);
	both = lock_table_add(&t, "both@3", LOCK_PARKS);
	for (int i = 0; i < 8; i++)
		lock_got(lock_table_get(&t, held), false);
	for (int i = 0; i < 3; i++)
		lock_got(lock_table_get(&t, held), true);
	lock_held(lock_table_get(&t, held), 100000000);
	lock_held(lock_table_get(&t, held), 20000000);
	lock_blocked(lock_table_get(&t, held), 4000000);
	lock_blocked(lock_table_get(&t, parks), 1000000);
	lock_waited(lock_table_get(&t, parks), 2000000);
	lock_got(lock_table_get(&t, both), false);
	lock_held(lock_table_get(&t, both), 1500);
	show(&t);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\nJLM: "));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "gets: 12; contended enters: 2, blocked 5.000 ms"));
	CU_ASSERT_STRING_EQUAL(row("held@1"),
			       "12.5 11 8 1 3 6.0 15.00ms 4.000 4.000 0 0.000 held@1");
	CU_ASSERT_STRING_EQUAL(row("parks@2"), "- - - 1 - - - 1.000 1.000 1 2.000 parks@2");
	CU_ASSERT_STRING_EQUAL(row("both@3"), "0.0 1 1 0 0 0.0 1.50us 0.000 0.000 0 0.000 both@3");
	lock_table_reset(&t);
	show(&t);
	CU_ASSERT_STRING_EQUAL(row("held@1"), "");
	lock_got(lock_table_get(&t, parks), true);
	lock_blocked(lock_table_get(&t, held), 1000000);
	lock_held(lock_table_get(&t, both), 999);
	lock_got(lock_table_get(&t, both), false);
	show(&t);
	/* Entered by who calls no hook: blocked, and no get. */
	CU_ASSERT_STRING_EQUAL(row("held@1"), "- 0 0 1 0 0.0 - 1.000 1.000 0 0.000 held@1");
	CU_ASSERT_PTR_NULL(strstr(text, "counted gets"));
	CU_ASSERT_STRING_EQUAL(row("parks@2"), "- 1 0 0 1 0.0 - 0.000 0.000 0 0.000 parks@2");
	CU_ASSERT_STRING_EQUAL(row("both@3"), "0.0 1 1 0 0 0.0 999ns 0.000 0.000 0 0.000 both@3");
	/* The shares are unknown then, the average of what was counted is not. */
	lock_unseen(lock_table_get(&t, held));
	lock_unseen(lock_table_get(&t, both));
	lock_blocked(lock_table_get(&t, both), 2000000);
	show(&t);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\n2 of these are no counted gets: "));
	CU_ASSERT_STRING_EQUAL(row("held@1"), "- 0 0 1 0 - - 1.000 1.000 0 0.000 held@1");
	CU_ASSERT_STRING_EQUAL(row("both@3"), "- 1 1 1 0 - 999ns 2.000 2.000 0 0.000 both@3");
	lock_table_free(&t);
}

/* More than a chunk: those that are there stay where they are. Of too many rows the last are left
 * out. */
static void many(void)
{
	const uint32_t most = 12000;
	struct lock_record *first;
	struct lock_table t;
	char name[16];
	uint32_t n = 0;

	CU_ASSERT_EQUAL_FATAL(lock_table_init(&t, most + 1), 0);
	t.gets = true;
	lock_table_add(&t, "first", LOCK_MONITOR);
	first = lock_table_get(&t, 1);
	for (uint32_t i = 2; i <= most; i++) {
		snprintf(name, sizeof(name), "m@%x.", i);
		n = lock_table_add(&t, name, LOCK_MONITOR);
		for (uint32_t k = 0; k < i % 3 + 1; k++)
			lock_got(lock_table_get(&t, n), false);
	}
	CU_ASSERT_EQUAL(n, most);
	CU_ASSERT_EQUAL(lock_table_add(&t, "x", LOCK_MONITOR), 0);
	CU_ASSERT(first == lock_table_get(&t, 1) && !strcmp(first->name, "first"));
	CU_ASSERT(!strcmp(lock_table_get(&t, 1024)->name, "m@400.") &&
		  !strcmp(lock_table_get(&t, 1023)->name, "m@3ff."));
	show(&t);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\nand 1999 more, with fewer gets\n"));
	lock_table_free(&t);
}

static struct lock_id id(uint32_t number, uint32_t hash)
{
	return (struct lock_id){ number, hash };
}

static void threads(void)
{
	struct lock_thread t = { .recording = 0 };
	uint64_t ns = 0;

	lock_thread_anew(&t, 7);
	CU_ASSERT_EQUAL(t.recording, 7);
	/* About to enter, and it blocks: held since it has entered. */
	CU_ASSERT(!lock_thread_enter(&t, id(1, 0), 100));
	CU_ASSERT(lock_thread_blocked(&t, id(1, 0), 190));
	lock_thread_entered(&t, 200);
	CU_ASSERT(lock_thread_enter(&t, id(1, 0), 210));
	lock_thread_entered(&t, 215);
	/* The same number, another object. */
	CU_ASSERT(!lock_thread_enter(&t, id(1, 5), 220));
	CU_ASSERT(!lock_thread_leave(&t, id(1, 0), 230, &ns));
	/* Out of order. */
	CU_ASSERT(lock_thread_leave(&t, id(1, 0), 250, &ns) && ns == 50);
	CU_ASSERT(lock_thread_leave(&t, id(1, 5), 260, &ns) && ns == 40);
	CU_ASSERT_EQUAL(t.held_count, 0);
	/* Events of a monitor that the thread does not hold. */
	CU_ASSERT(!lock_thread_leave(&t, id(1, 0), 270, &ns));
	CU_ASSERT(!lock_thread_wait(&t, id(1, 0), 270, &ns));
	CU_ASSERT(lock_thread_blocked(&t, id(1, 0), 270));
	lock_thread_back(&t, id(1, 0), 270);
	lock_thread_entered(&t, 270);
	CU_ASSERT_EQUAL(t.held_count, 0);
	/* A wait gives it up, and its end is not a get. */
	CU_ASSERT(!lock_thread_enter(&t, id(2, 0), 300));
	lock_thread_entered(&t, 300);
	CU_ASSERT(lock_thread_wait(&t, id(2, 0), 310, &ns) && ns == 10);
	lock_thread_back(&t, id(2, 0), 400);
	CU_ASSERT(!lock_thread_blocked(&t, id(2, 0), 420));
	CU_ASSERT(lock_thread_leave(&t, id(2, 0), 425, &ns) && ns == 5);
	/* One that was left stays the one that is being entered. */
	lock_thread_enter(&t, id(3, 0), 500);
	lock_thread_enter(&t, id(4, 0), 510);
	CU_ASSERT(!lock_thread_may_hold(&t, id(5, 0)));
	CU_ASSERT(lock_thread_may_hold(&t, id(3, 0)));
	CU_ASSERT(lock_thread_blocked(&t, id(4, 0), 520));
	CU_ASSERT(!lock_thread_blocked(&t, id(3, 0), 520));
	lock_thread_anew(&t, 8);
	CU_ASSERT(!lock_thread_leave(&t, id(3, 0), 530, &ns));
}

static void too_many_held(void)
{
	struct lock_thread t = { .recording = 0 };
	uint64_t ns = 0;

	for (uint32_t i = 0; i < LOCK_HELD + 2; i++)
		CU_ASSERT(!lock_thread_enter(&t, id(i, 0), i));
	CU_ASSERT_EQUAL(t.held_count, LOCK_HELD);
	lock_thread_entered(&t, 1000);
	CU_ASSERT(!lock_thread_leave(&t, id(LOCK_HELD + 1, 0), 100, &ns));
	for (uint32_t i = 0; i < LOCK_HELD; i++)
		CU_ASSERT(lock_thread_leave(&t, id(i, 0), 100, &ns) && ns == 100 - i);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "counts", counts }, { "stacks", stacks },   { "gets_and_holds", gets_and_holds },
		{ "many", many },     { "threads", threads }, { "too_many_held", too_many_held },
		{ NULL, NULL },
	};

	return unit_run("lock_table", tests);
}

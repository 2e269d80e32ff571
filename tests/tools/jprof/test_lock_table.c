/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is counted of monitors, and how it is shown. */
#include <CUnit/CUnit.h>
#include <stdlib.h>
#include <string.h>

#include "lock_table.h"
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
	one = lock_table_add(&t, "A@1");
	two = lock_table_add(&t, "B\033@2");
	CU_ASSERT(one == 1 && two == 2);
	CU_ASSERT_EQUAL(lock_table_add(&t, "C@3"), 0);
	lock_blocked(&t.record[one], 1000000);
	lock_blocked(&t.record[two], 2000000);
	lock_blocked(&t.record[two], 5000000);
	lock_waited(&t.record[one], 7000000);
	lock_blocked(&t.record[0], 1);
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
	lock_blocked(&t.record[one], 1);
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
	number = lock_table_add(&t, "A@1");
	r = &t.record[number];
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
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "    3 times otherwise\n"));
	lock_table_free(&t);
	free(text);
	text = NULL;
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "counts", counts },
		{ "stacks", stacks },
		{ NULL, NULL },
	};

	return unit_run("lock_table", tests);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers of functions: each has one of its own, also in a child that was forked while threads gave
 * them. */
#include "hook_functions.h"
#include "unit.h"

#define MET 1000

static struct hook_function *meet(uintptr_t address)
{
	bool mine;
	struct hook_function *f = functions_add(address, &mine);

	CU_ASSERT_FATAL(f != NULL && mine);
	return f;
}

/* All that are met are found, and no two have one number. */
static void numbered(uint32_t n)
{
	CU_ASSERT_EQUAL_FATAL(functions_count(), n);
	for (uint32_t i = 0; i < n; i++) {
		const struct hook_function *f = functions_find(16 * (i + 1));

		CU_ASSERT_PTR_NOT_NULL_FATAL(f);
		CU_ASSERT(f->number >= 1 && f->number <= n);
		CU_ASSERT_PTR_EQUAL(functions_get(f->number - 1), f);
		CU_ASSERT_EQUAL(f->was, 16 * (i + 1));
	}
}

static void forked(void)
{
	uint32_t n;
	bool mine;

	CU_ASSERT_FATAL(functions_begin());
	for (n = 0; n < MET; n++)
		functions_number(meet(16 * (n + 1)));
	numbered(n);
	functions_forked();
	numbered(n);
	/* Two that had no number yet, and one whose number could not be known yet. */
	meet(16 * ++n);
	meet(16 * ++n);
	meet(16 * ++n);
	functions_number(functions_add(16 * n, &mine));
	atomic_store(&functions_add(16 * n, &mine)->number, 0);
	CU_ASSERT_PTR_NULL(functions_find(16 * n));
	functions_forked();
	numbered(n);
	functions_number(meet(16 * ++n));
	numbered(n);
}

int main(void)
{
	static const struct unit_test tests[] = { { "forked", forked }, { NULL, NULL } };

	return unit_run("hook_functions", tests);
}

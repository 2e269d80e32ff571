/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The table of records: each of its rows is found by its own minor, and no two of its fields lie
 * over each other.
 */
#include "file/record_kinds.h"
#include "unit.h"

#define NOBODYS 0xdead0f0fu /* a minor that no kind has */

static const struct record_kind *kinds_of(uint16_t major)
{
	return record_layout(major, NOBODYS);
}

static void each_is_found(void)
{
	unsigned int n = 0;

	for (uint16_t major = 0; major < PITRACE_MAJORS; major++) {
		for (const struct record_kind *k = kinds_of(major); k && k->name; k++, n++) {
			CU_ASSERT_EQUAL(k->minor & ~k->mask, 0);
			if (record_kind(major, k->minor) != k) {
				printf("# major %#x, minor %#x: %s\n", major, k->minor, k->name);
				CU_FAIL("a kind is hidden by one before it");
			}
		}
		CU_ASSERT(!kinds_of(major) || record_major_name(major));
	}
	CU_ASSERT(n > 60);
}

static bool lie_apart(const struct field *a, const struct field *b)
{
	return !a->width || !b->width || a->offset + a->width <= b->offset ||
	       b->offset + b->width <= a->offset;
}

static void fields_lie_apart(void)
{
	for (uint16_t major = 0; major < PITRACE_MAJORS; major++)
		for (const struct record_kind *k = kinds_of(major); k && k->name; k++)
			for (const struct field *f = k->fields; f && f->type; f++)
				for (const struct field *g = k->fields; g != f; g++)
					if (!lie_apart(f, g)) {
						printf("# %s: %s, %s\n", k->name, f->name, g->name);
						CU_FAIL("a field lies over another");
					}
}

/* Where a major has one kind that its records are not told apart by, or one and its change. */
static void of_one_kind(void)
{
	static const struct {
		uint16_t major;
		uint32_t minor;
		const char *name;
	} known[] = {
		{ PITRACE_CODE, 0, "code" },
		{ PITRACE_CODE, PITRACE_CODE_CHANGED, "changed" },
		{ PITRACE_ITRACE_SWITCH, 0, "switch" },
		{ PITRACE_LOST, 0, "lost" },
		{ PITRACE_LOST, NOBODYS, "lost" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		const struct record_kind *k = record_kind(known[i].major, known[i].minor);

		CU_ASSERT_FATAL(k != NULL);
		CU_ASSERT_STRING_EQUAL(k->name, known[i].name);
	}
	CU_ASSERT_PTR_NULL(record_kind(PITRACE_CODE, NOBODYS));
	CU_ASSERT_PTR_NULL(record_kind(PITRACE_MAJORS, 0));
	CU_ASSERT_PTR_NULL(record_layout(PITRACE_MAJORS, 0));
	CU_ASSERT_PTR_NULL(record_major_name(PITRACE_MAJORS));
	CU_ASSERT_PTR_NULL(record_major_name(-1));
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "each_is_found", each_is_found },
		{ "fields_lie_apart", fields_lie_apart },
		{ "of_one_kind", of_one_kind },
		{},
	};

	return unit_run("record_kinds", tests);
}

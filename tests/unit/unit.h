/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A unit test program's main: runs a table of tests as one CUnit suite and says of each `ok NAME`
 * or `not ok NAME why` or `skip NAME why`, as tests/runner reads it. Passed means: it ran, and
 * nothing in it failed.
 */
#ifndef UNIT_H
#define UNIT_H

#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <stdio.h>
#include <string.h>

struct unit_test {
	const char *name;
	void (*run)(void);
};

static const char *unit_suite;
static unsigned int unit_ran;
static const char *unit_left_out;

static inline void unit_done(const CU_pTest test, const CU_pSuite suite,
			     const CU_pFailureRecord failure)
{
	(void)suite;
	unit_ran++;
	if (failure)
		printf("not ok %s_%s %s:%u: %s\n", unit_suite, test->pName, failure->strFileName,
		       failure->uiLineNumber, failure->strCondition);
	else if (unit_left_out)
		printf("skip %s_%s %s\n", unit_suite, test->pName, unit_left_out);
	else
		printf("ok %s_%s\n", unit_suite, test->pName);
	unit_left_out = NULL;
	fflush(stdout);
}

/* The test that runs cannot be made here; or, by a name of its own, a part of it. */
static inline void unit_skip(const char *part, const char *why)
{
	if (part)
		printf("skip %s_%s %s\n", unit_suite, part, why);
	else
		unit_left_out = why;
}

static inline int unit_run(const char *name, const struct unit_test *tests)
{
	CU_pSuite suite;

	unit_suite = name;
	if (CU_initialize_registry() != CUE_SUCCESS)
		return 1;
	suite = CU_add_suite(name, NULL, NULL);
	for (; suite && tests->name; tests++)
		if (!CU_add_test(suite, tests->name, tests->run))
			return 1;
	CU_set_test_complete_handler(unit_done);
	if (CU_run_all_tests() != CUE_SUCCESS || !unit_ran)
		return 1;
	return CU_get_number_of_failure_records() != 0;
}

#endif

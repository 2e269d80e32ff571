/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A unit test program's main: runs a table of tests as one CUnit suite and says of each `ok NAME`
 * or `not ok NAME why` or `skip NAME why`, as tests/runner reads it. Passed means: it ran,
 * nothing in it failed and it left no file open; `NAME_leaks` means that no memory was leaked.
 */
#ifndef UNIT_H
#define UNIT_H

#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct unit_test {
	const char *name;
	void (*run)(void);
};

static const char *unit_suite;
static unsigned int unit_ran;
static const char *unit_left_out;
static bool unit_left_files, unit_keeps_files;

/* LeakSanitizer's, where the program is linked with it. */
extern int __lsan_do_recoverable_leak_check(void) __attribute__((weak));

/* How many files are open that were not before; what one of them is. From now on they are known. */
static inline int unit_new_files(char *one, size_t size)
{
	static bool known[1024];
	bool open[1024] = { false };
	DIR *d = opendir("/proc/self/fd");
	struct dirent *e;
	int n = 0, fd;
	ssize_t len;

	*one = 0;
	while (d && (e = readdir(d))) {
		if (sscanf(e->d_name, "%d", &fd) != 1 || fd == dirfd(d) || fd >= 1024)
			continue;
		open[fd] = true;
		if (known[fd])
			continue;
		n++;
		len = readlinkat(dirfd(d), e->d_name, one, size - 1);
		one[len < 0 ? 0 : len] = 0;
	}
	if (d)
		closedir(d);
	memcpy(known, open, sizeof(known));
	return n;
}

static inline void unit_done(const CU_pTest test, const CU_pSuite suite,
			     const CU_pFailureRecord failure)
{
	char one[256];
	int files = unit_new_files(one, sizeof(one));

	(void)suite;
	unit_ran++;
	if (!failure && files && !unit_keeps_files) {
		printf("not ok %s_%s leaves %d files open, one is %s\n", unit_suite, test->pName,
		       files, one);
		unit_left_files = true;
	} else if (failure)
		printf("not ok %s_%s %s:%u: %s\n", unit_suite, test->pName, failure->strFileName,
		       failure->uiLineNumber, failure->strCondition);
	else if (unit_left_out)
		printf("skip %s_%s %s\n", unit_suite, test->pName, unit_left_out);
	else
		printf("ok %s_%s\n", unit_suite, test->pName);
	unit_left_out = NULL;
	unit_keeps_files = false;
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

/* Files that the running test has opened are for the tests after it. */
static inline void unit_keep_files(void)
{
	unit_keeps_files = true;
}

/* The holder program is the build's: of build/tests/unit/test_x build/lib/pitrace. */
static inline void unit_set_holder(void)
{
	char exe[4096], path[4200];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	for (int up = 0; up < 3 && n > 0; up++)
		while (n > 0 && exe[--n] != '/')
			;
	snprintf(path, sizeof(path), "%.*s/lib/pitrace/pitrace-holder", n > 0 ? (int)n : 0, exe);
	setenv("PITRACE_HOLDER", path, 0);
}

static inline int unit_run(const char *name, const struct unit_test *tests)
{
	CU_pSuite suite;
	char one[256];
	bool leaks = false;

	unit_set_holder();

	unit_suite = name;
	if (CU_initialize_registry() != CUE_SUCCESS)
		return 1;
	suite = CU_add_suite(name, NULL, NULL);
	for (; suite && tests->name; tests++)
		if (!CU_add_test(suite, tests->name, tests->run))
			return 1;
	CU_set_test_complete_handler(unit_done);
	unit_new_files(one, sizeof(one));
	if (CU_run_all_tests() != CUE_SUCCESS || !unit_ran)
		return 1;
	if (__lsan_do_recoverable_leak_check) {
		leaks = __lsan_do_recoverable_leak_check();
		printf("%s %s_leaks\n", leaks ? "not ok" : "ok", unit_suite);
	}
	return CU_get_number_of_failure_records() != 0 || unit_left_files || leaks;
}

#endif

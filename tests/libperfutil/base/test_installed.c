/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds files relative to the library's own file: from any working folder, but not with gained
 * rights. */
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>
#include "base/installed.h"
#include "unit.h"

static bool gained;

unsigned long __real_getauxval(unsigned long what);
unsigned long __wrap_getauxval(unsigned long what);
unsigned long __wrap_getauxval(unsigned long what)
{
	return what == AT_SECURE && gained ? 1 : __real_getauxval(what);
}

/* This program is the file that the library is linked into. */
static const char *const near[] = { "none-such", "../unit/test_installed", "test_installed", NULL };
static const char *const none[] = { "none-such", "../none-such", NULL };

static void beside_the_program(void)
{
	char path[PATH_MAX], self[PATH_MAX];

	CU_ASSERT(installed_near(near, path));
	CU_ASSERT_PTR_NOT_NULL(realpath("/proc/self/exe", self));
	CU_ASSERT_STRING_EQUAL(path, self);
	CU_ASSERT(!installed_near(none, path));
}

static void from_any_folder(void)
{
	char path[PATH_MAX], before[PATH_MAX];

	CU_ASSERT_PTR_NOT_NULL(getcwd(before, sizeof(before)));
	CU_ASSERT_EQUAL(chdir("/"), 0);
	CU_ASSERT(installed_near(near, path));
	CU_ASSERT_EQUAL(chdir(before), 0);
}

static void not_with_gained_rights(void)
{
	char path[PATH_MAX];

	gained = true;
	CU_ASSERT(!installed_near(near, path));
	gained = false;
	CU_ASSERT(installed_near(near, path));
}

static const struct unit_test tests[] = {
	{ "beside_the_program", beside_the_program },
	{ "from_any_folder", from_any_folder },
	{ "not_with_gained_rights", not_with_gained_rights },
	{ 0 },
};

int main(void)
{
	return unit_run("installed", tests);
}

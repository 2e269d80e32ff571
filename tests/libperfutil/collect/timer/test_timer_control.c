/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which folder the timer's library takes for the collector's: one whose control file is of its
 * version and not over, and none in a program with another's rights. (Linked with
 * --wrap=getauxval.)
 */
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collect/timer/preload/timer_control.h"
#include "unit.h"

static bool secure;

unsigned long __real_getauxval(unsigned long type);
unsigned long __wrap_getauxval(unsigned long type);
unsigned long __wrap_getauxval(unsigned long type)
{
	return type == AT_SECURE ? secure : __real_getauxval(type);
}

static void put_control(const char *folder, const struct timer_control *c)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/control", folder);
	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	CU_ASSERT_FATAL(fd >= 0 && write(fd, c, sizeof(*c)) == sizeof(*c));
	close(fd);
}

static void folders(void)
{
	struct timer_control c = { .magic = TIMER_MAGIC,
				   .version = TIMER_VERSION,
				   .state = TIMER_PAUSED };
	char folder[] = "/tmp/test_timer_control.XXXXXX", path[100], target[100], longest[PATH_MAX];
	const struct timer_control *got;

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
	unsetenv(TIMER_VARIABLE);
	CU_ASSERT_PTR_NULL(control_map());
	setenv(TIMER_VARIABLE, folder, 1);
	CU_ASSERT_PTR_NULL(control_map()); /* no control file */
	put_control(folder, &c);
	got = control_map();
	CU_ASSERT_FATAL(got != NULL);
	CU_ASSERT(got->magic == TIMER_MAGIC);
	CU_ASSERT_STRING_EQUAL(timer_folder, folder);
	munmap((void *)got, sizeof(*got));
	/* A program with another's rights follows nobody. */
	secure = true;
	CU_ASSERT_PTR_NULL(control_map());
	secure = false;
	for (int how = 0; how < 4; how++) {
		struct timer_control bad = c;

		bad.magic += how == 0;
		bad.version += how == 1;
		bad.state = how == 2 ? TIMER_OVER : TIMER_ON;
		put_control(folder, &bad);
		got = control_map();
		CU_ASSERT_EQUAL(got != NULL, how == 3);
		if (got)
			munmap((void *)got, sizeof(*got));
	}
	/* No link. */
	snprintf(path, sizeof(path), "%s/control", folder);
	snprintf(target, sizeof(target), "%s/other", folder);
	CU_ASSERT(!rename(path, target) && !symlink(target, path));
	CU_ASSERT_PTR_NULL(control_map());
	CU_ASSERT(!unlink(path) && !rename(target, path));
	/* A path as long as there is room, and one longer. */
	for (size_t n = PATH_MAX - 66; n < PATH_MAX - 62; n++) {
		memset(longest, '/', n);
		memcpy(longest, folder, strlen(folder));
		longest[n] = 0;
		setenv(TIMER_VARIABLE, longest, 1);
		got = control_map();
		CU_ASSERT_EQUAL(got != NULL, n < PATH_MAX - 64);
		if (got)
			munmap((void *)got, sizeof(*got));
	}
	unsetenv(TIMER_VARIABLE);
	unlink(path);
	CU_ASSERT_EQUAL(rmdir(folder), 0);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "folders", folders },
		{},
	};

	return unit_run("timer_control", tests);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Places where perf and debuginfod keep files by their build ids, as the environment says. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "a2n/module/kept_files.h"
#include "unit.h"

static const struct build_id id = { .size = 4, .id = { 0x0a, 0xbc, 0xde, 0xf0 } };
static char folder[] = "/tmp/kept_files.XXXXXX";

static void environment(const char *home, const char *cache, const char *all_caches)
{
	static const char *const names[] = { "HOME", "DEBUGINFOD_CACHE_PATH", "XDG_CACHE_HOME" };
	const char *const values[] = { home, cache, all_caches };

	for (int i = 0; i < 3; i++) {
		if (values[i])
			setenv(names[i], values[i], 1);
		else
			unsetenv(names[i]);
	}
}

/* "none": there is no such place. */
static const char *place(enum kept_kind kind, unsigned int i)
{
	static char path[200];

	strcpy(path, "before");
	return kept_path(kind, &id, i, path, sizeof(path)) ? path : "none";
}

static void by_perf(void)
{
	environment("/home/me", NULL, NULL);
	CU_ASSERT_STRING_EQUAL(place(KEPT_CODE, 0), "/home/me/.debug/.build-id/0a/bcdef0/elf");
	CU_ASSERT_STRING_EQUAL(place(KEPT_DEBUG, 0), "/home/me/.debug/.build-id/0a/bcdef0/debug");
	CU_ASSERT_STRING_EQUAL(place(KEPT_CODE, 1), "/home/me/.debug/.build-id/0a/bcdef0");
	CU_ASSERT_STRING_EQUAL(place(KEPT_DEBUG, 1), "/home/me/.debug/.build-id/0a/bcdef0");
	environment(NULL, NULL, NULL);
	CU_ASSERT_STRING_EQUAL(place(KEPT_CODE, 0), "");
	environment("", NULL, NULL);
	CU_ASSERT_STRING_EQUAL(place(KEPT_CODE, 1), "");
}

static void by_debuginfod(void)
{
	char old[80], want[120];

	environment("/home/me", NULL, NULL);
	CU_ASSERT_STRING_EQUAL(place(KEPT_CODE, 2),
			       "/home/me/.cache/debuginfod_client/0abcdef0/executable");
	CU_ASSERT_STRING_EQUAL(place(KEPT_DEBUG, 2),
			       "/home/me/.cache/debuginfod_client/0abcdef0/debuginfo");
	environment("/home/me", NULL, "/caches");
	CU_ASSERT_STRING_EQUAL(place(KEPT_CODE, 2),
			       "/caches/debuginfod_client/0abcdef0/executable");
	environment("/home/me", "/own", "/caches");
	CU_ASSERT_STRING_EQUAL(place(KEPT_CODE, 2), "/own/0abcdef0/executable");
	environment(NULL, "/own", NULL);
	CU_ASSERT_STRING_EQUAL(place(KEPT_DEBUG, 2), "/own/0abcdef0/debuginfo");
	environment("/home/me", "", NULL);
	CU_ASSERT_STRING_EQUAL(place(KEPT_CODE, 2), "");
	environment(NULL, NULL, NULL);
	CU_ASSERT_STRING_EQUAL(place(KEPT_CODE, 2), "");
	/* As early versions had it, while it is there. */
	snprintf(old, sizeof(old), "%s/.debuginfod_client_cache", folder);
	snprintf(want, sizeof(want), "%s/0abcdef0/executable", old);
	environment(folder, NULL, "/caches");
	CU_ASSERT_STRING_EQUAL(place(KEPT_CODE, 2),
			       "/caches/debuginfod_client/0abcdef0/executable");
	CU_ASSERT_EQUAL_FATAL(mkdir(old, 0700), 0);
	CU_ASSERT_STRING_EQUAL(place(KEPT_CODE, 2), want);
	environment(folder, "/own", NULL);
	CU_ASSERT_STRING_EQUAL(place(KEPT_CODE, 2), "/own/0abcdef0/executable");
	CU_ASSERT_EQUAL(rmdir(old), 0);
}

static void limits(void)
{
	static const char longest[] = "/home/me/.debug/.build-id/0a/bcdef0";
	struct build_id small = { .size = 1, .id = { 7 } }, least = { .size = 2, .id = { 7, 8 } };
	char path[200];

	environment("/home/me", NULL, NULL);
	CU_ASSERT_STRING_EQUAL(place(KEPT_CODE, 3), "none");
	CU_ASSERT(!kept_path(KEPT_CODE, &small, 1, path, sizeof(path)));
	CU_ASSERT(kept_path(KEPT_CODE, &least, 1, path, sizeof(path)));
	CU_ASSERT_STRING_EQUAL(path, "/home/me/.debug/.build-id/07/08");
	/* A path that does not fit is none. */
	CU_ASSERT(kept_path(KEPT_CODE, &id, 1, path, sizeof(longest)));
	CU_ASSERT_STRING_EQUAL(path, longest);
	CU_ASSERT(kept_path(KEPT_CODE, &id, 1, path, sizeof(longest) - 1));
	CU_ASSERT_STRING_EQUAL(path, "");
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "by_perf", by_perf },
		{ "by_debuginfod", by_debuginfod },
		{ "limits", limits },
		{},
	};
	int rc;

	if (!mkdtemp(folder))
		return 1;
	rc = unit_run("kept_files", tests);
	rmdir(folder);
	return rc;
}

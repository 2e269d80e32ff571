/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The folders are those of perf-buildid-cache(1) and debuginfod_find_debuginfo(3). */
#include "a2n/module/kept_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Builds a path below the folder in an environment variable. */
static bool below(const char *variable, const char *rest, char *path, size_t size)
{
	const char *folder = getenv(variable);

	return folder && *folder && snprintf(path, size, "%s%s", folder, rest) < (int)size;
}

static bool of_perf(const char *hex, const char *name, char *path, size_t size)
{
	char rest[256];

	snprintf(rest, sizeof(rest), "/.debug/.build-id/%.2s/%s%s", hex, hex + 2, name);
	return below("HOME", rest, path, size);
}

static bool of_debuginfod(const char *hex, const char *name, char *path, size_t size)
{
	char rest[256], old[4096];

	snprintf(rest, sizeof(rest), "/%s/%s", hex, name);
	if (getenv("DEBUGINFOD_CACHE_PATH"))
		return below("DEBUGINFOD_CACHE_PATH", rest, path, size);
	/* The folder of early versions is used while it exists. */
	if (below("HOME", "/.debuginfod_client_cache", old, sizeof(old)) && !access(old, F_OK))
		return snprintf(path, size, "%s%s", old, rest) < (int)size;
	snprintf(rest, sizeof(rest), "%s/debuginfod_client/%s/%s",
		 getenv("XDG_CACHE_HOME") ? "" : "/.cache", hex, name);
	return below(getenv("XDG_CACHE_HOME") ? "XDG_CACHE_HOME" : "HOME", rest, path, size);
}

bool kept_path(enum kept_kind kind, const struct build_id *id, unsigned int i, char *path,
	       size_t size)
{
	char hex[2 * BUILD_ID_MAX + 1];
	bool is;

	if (id->size < 2 || i > 2)
		return false;
	for (uint32_t k = 0; k < id->size; k++)
		snprintf(hex + 2 * k, 3, "%02x", id->id[k]);
	if (i == 0)
		is = of_perf(hex, kind == KEPT_CODE ? "/elf" : "/debug", path, size);
	else if (i == 1) /* as in old versions of perf, without a folder */
		is = of_perf(hex, "", path, size);
	else
		is = of_debuginfod(hex, kind == KEPT_CODE ? "executable" : "debuginfo", path, size);
	if (!is)
		*path = '\0'; /* not a file */
	return true;
}

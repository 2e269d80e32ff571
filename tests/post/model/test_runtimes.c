/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which runtime a process has: by the file it maps, and the last one it mapped. */
#include <string.h>

#include "model/runtimes.h"
#include "unit.h"

static struct runtimes r;

static void maps(uint32_t pid, const char *path)
{
	union {
		struct pitrace_mte_map map;
		char room[sizeof(struct pitrace_mte_map) + 64];
	} u = { .map = { .pid = pid, .path_len = (uint32_t)strlen(path) } };

	strcpy(u.room + sizeof(u.map), path);
	CU_ASSERT_EQUAL(runtimes_mapping(&r, &u.map), 0);
}

static bool is(uint32_t pid, const char *want)
{
	const char *name = runtimes_of(&r, pid);

	if (!name || !want)
		return name == want;
	return !strcmp(name, want);
}

static void files(void)
{
	static const struct {
		const char *path, *name;
	} rows[] = {
		{ "/usr/lib/jvm/lib/server/libjvm.so", "Java" },
		{ "/libjvm.so", "Java" },
		{ "libjvm.so", NULL },
		{ "/usr/lib/libjvm.so.1", NULL },
		{ "/usr/bin/node", "node" },
		{ "/usr/bin/nodes", NULL },
		{ "/usr/lib/libnode.so.108", "node" },
		{ "/usr/lib/libnode.s", NULL },
		{ "/usr/lib/libpython3.11.so.1.0", "Python" },
		{ "/usr/lib/libpython2.7.so.1.0", NULL },
		{ "/usr/bin/python3", "Python" },
		{ "/usr/bin/python3.11", "Python" },
		{ "/usr/bin/python33", NULL },
		{ "/usr/bin/python2", NULL },
		{ "/python3/x", NULL },
		{ "//anon", NULL },
		{ "", NULL },
	};

	for (uint32_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		maps(100 + i, rows[i].path);
		CU_ASSERT(is(100 + i, rows[i].name));
	}
	/* Each keeps its own. */
	for (uint32_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		CU_ASSERT(is(100 + i, rows[i].name));
	runtimes_free(&r);
}

static void the_last(void)
{
	maps(7, "/usr/bin/python3");
	maps(8, "/usr/bin/node");
	for (int i = 0; i < 5; i++)
		maps(7, "/usr/lib/libpython3.11.so");
	CU_ASSERT_EQUAL(r.n, 2);
	maps(7, "/usr/bin/node");
	CU_ASSERT(is(7, "node") && is(8, "node") && is(9, NULL));
	maps(7, "/usr/bin/sh");
	CU_ASSERT(is(7, "node"));
	maps(7, "/usr/bin/python3");
	CU_ASSERT(is(7, "Python") && is(8, "node"));
	CU_ASSERT_EQUAL(r.n, 4);
	runtimes_free(&r);
	CU_ASSERT(is(7, NULL) && !r.n);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "files", files },
		{ "the_last", the_last },
		{},
	};

	return unit_run("runtimes", tests);
}

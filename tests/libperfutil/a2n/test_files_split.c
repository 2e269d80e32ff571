/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the .dwo of a name is looked for, which was compiled in some folder: names and folders that
 * are whole paths or parts of some, what lies beside the program, paths that are too long.
 */
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "a2n/module/files.h"
#include "unit.h"

static char top[] = "/tmp/pitrace-split-XXXXXX";

static void put(const char *name)
{
	char path[100];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", top, name);
	f = fopen(path, "w");
	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	fputs("DWO", f);
	fclose(f);
}

static void make_files(void)
{
	static const char *const folders[] = { "bin", "bin/sub", "made" };
	char path[100];

	for (int i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/%s", top, folders[i]);
		CU_ASSERT_EQUAL_FATAL(mkdir(path, 0700), 0);
	}
	put("bin/x.dwo");
	put("bin/sub/x.dwo");
	put("made/x.dwo");
}

struct offered {
	char paths[400]; /* without `top` */
	int wanted;      /* this one is taken; 0: none */
	int count;
};

static bool take(void *arg, const char *file, int fd, const struct stat *st, bool live)
{
	struct offered *o = arg;
	size_t n = strlen(o->paths);

	(void)live;
	CU_ASSERT_EQUAL(st->st_size, 3);
	CU_ASSERT_EQUAL_FATAL(strncmp(file, top, strlen(top)), 0);
	snprintf(o->paths + n, sizeof(o->paths) - n, "%s%s", n ? " " : "", file + strlen(top) + 1);
	close(fd);
	return ++o->count == o->wanted;
}

/* In that order, until one is taken. A % stands for `top`. */
static void places(void)
{
	static const struct {
		const char *folder, *name, *offered;
	} cases[] = {
		{ "%/made", "x.dwo", "made/x.dwo bin/x.dwo" },
		{ "%", "made/x.dwo", "made/x.dwo bin/x.dwo" },
		{ "%/bin", "%/made/x.dwo", "made/x.dwo bin/x.dwo" },
		{ "", "%/made/x.dwo", "made/x.dwo bin/x.dwo" },
		{ "sub", "%/made/x.dwo", "made/x.dwo bin/x.dwo" },
		{ "sub", "x.dwo", "bin/sub/x.dwo bin/x.dwo" },
		{ "", "sub/x.dwo", "bin/sub/x.dwo bin/x.dwo" },
		{ ".", "sub/x.dwo", "bin/./sub/x.dwo bin/x.dwo" },
		{ "../made", "x.dwo", "bin/../made/x.dwo bin/x.dwo" },
		{ "%/none", "x.dwo", "bin/x.dwo" },
		{ "none", "made/x.dwo", "bin/x.dwo" },
		{ "", "%/none/x.dwo", "bin/x.dwo" },
		{ "%/made", "none.dwo", "" },
	};
	char near[100], folder[100], name[100];
	struct roots roots = { 0 };

	CU_ASSERT_EQUAL_FATAL(roots_open(&roots, NULL), 0);
	snprintf(near, sizeof(near), "%s/bin/program", top);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *f = cases[i].folder, *n = cases[i].name, *second;

		snprintf(folder, sizeof(folder), "%s%s", *f == '%' ? top : "", f + (*f == '%'));
		snprintf(name, sizeof(name), "%s%s", *n == '%' ? top : "", n + (*n == '%'));
		for (int wanted = 0; wanted < 3; wanted++) {
			struct offered o = { .wanted = wanted };
			bool taken = files_split(&roots, near, folder, name, take, &o);
			char want[100];

			snprintf(want, sizeof(want), "%s", cases[i].offered);
			second = strchr(want, ' ');
			if (second && wanted == 1)
				want[second - want] = 0;
			if (strcmp(o.paths, want) != 0)
				printf("# %s, %s: %s\n", f, n, o.paths);
			CU_ASSERT_STRING_EQUAL(o.paths, want);
			CU_ASSERT_EQUAL(taken, wanted && o.count == wanted);
		}
	}
	roots_close(&roots);
}

/* Paths of one byte less than may be, as many, and one more: these are not cut off. */
static void long_paths(void)
{
	static char folder[PATH_MAX + 100];
	char near[100];
	struct roots roots = { 0 };

	CU_ASSERT_EQUAL_FATAL(roots_open(&roots, NULL), 0);
	snprintf(near, sizeof(near), "%s/bin/program", top);
	for (size_t length = PATH_MAX - 2; length <= PATH_MAX + 1; length++) {
		const size_t rest = strlen("/x.dwo");
		struct offered o = { .wanted = 1 };
		size_t n = (size_t)snprintf(folder, sizeof(folder), "%s/made", top);

		if ((length - rest - n) % 2)
			folder[n++] = '/';
		for (; n < length - rest; n += 2)
			memcpy(folder + n, "/.", 2);
		folder[length - rest] = 0;
		CU_ASSERT_TRUE(files_split(&roots, near, folder, "x.dwo", take, &o));
		CU_ASSERT_EQUAL(!strcmp(o.paths, "bin/x.dwo"), length >= PATH_MAX);
	}
	/* The name itself. */
	memset(folder, 'x', PATH_MAX);
	folder[PATH_MAX] = 0;
	CU_ASSERT_FALSE(files_split(&roots, near, "", folder, take, &(struct offered){ 0 }));
	CU_ASSERT_FALSE(files_split(&roots, "program", "", folder, take, &(struct offered){ 0 }));
	roots_close(&roots);
}

/* Below a folder that stands for / only what is in it is looked at, by its path and by its name. */
static void climbing(void)
{
	static const struct {
		const char *path, *offered;
	} cases[] = {
		{ "/made/x.dwo", "made/x.dwo" },
		{ "/bin/sub/x.dwo", "bin/sub/x.dwo" },
		{ "/else/x", "bin/x" },
		{ "/made../x.dwo", "made../x.dwo" },
		{ "/..made/x.dwo", "..made/x.dwo" },
		{ "/made/x..", "made/x.." },
		{ "/bin/../made/x.dwo", "" },
		{ "/made/..", "" },
		{ "/../made/x.dwo", "" },
		{ "/..made/../made/x.dwo", "" },
		{ "made/x.dwo", "" },
	};
	char path[100], sympath[100];
	struct roots roots = { 0 };
	const char *why;

	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", top, i ? "..made" : "made..");
		CU_ASSERT_EQUAL_FATAL(mkdir(path, 0700), 0);
		put(i ? "..made/x.dwo" : "made../x.dwo");
	}
	put("made/x..");
	put("bin/x");
	/* A name alone is looked for in the folders themselves: the second one. */
	snprintf(sympath, sizeof(sympath), "%s:%s/bin", top, top);
	CU_ASSERT_EQUAL_FATAL(roots_open(&roots, sympath), 0);
	CU_ASSERT_EQUAL(roots.n, 3);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct offered o = { .wanted = 1 };
		bool taken;

		why = NULL;
		taken = files_candidates(&roots, cases[i].path, take, &o, &why);
		if (strcmp(o.paths, cases[i].offered) != 0)
			printf("# %s: %s\n", cases[i].path, o.paths);
		CU_ASSERT_STRING_EQUAL(o.paths, cases[i].offered);
		CU_ASSERT_EQUAL(taken, *cases[i].offered != 0);
	}
	CU_ASSERT_STRING_EQUAL(why, "not a file");
	CU_ASSERT_FALSE(files_candidates(&roots, "/none/none", take, &(struct offered){ 0 }, &why));
	CU_ASSERT_STRING_EQUAL(why, "no such file");
	CU_ASSERT_FALSE(files_candidates(&roots, "/dev/null", take, &(struct offered){ 0 }, &why));
	CU_ASSERT_STRING_EQUAL(why, "not a regular file");
	roots_close(&roots);
}

static bool take_here(void *arg, const char *file, int fd, const struct stat *st, bool live)
{
	CU_ASSERT(live && st->st_size == 3);
	close(fd);
	snprintf(arg, 100, "%s", file);
	return true;
}

/* A program without a folder in its name: what is beside it is in the working folder. */
static void beside(void)
{
	struct roots roots = { 0 };
	char here[400], folder[100], found[100] = "";

	CU_ASSERT_EQUAL_FATAL(roots_open(&roots, NULL), 0);
	CU_ASSERT_PTR_NOT_NULL_FATAL(getcwd(here, sizeof(here)));
	snprintf(folder, sizeof(folder), "%s/bin", top);
	CU_ASSERT_EQUAL_FATAL(chdir(folder), 0);
	CU_ASSERT_TRUE(files_split(&roots, "program", "", "x.dwo", take_here, found));
	CU_ASSERT_STRING_EQUAL(found, "x.dwo");
	CU_ASSERT_TRUE(files_split(&roots, "sub/program", "", "x.dwo", take_here, found));
	CU_ASSERT_STRING_EQUAL(found, "sub/x.dwo");
	CU_ASSERT_TRUE(files_split(&roots, "p", "/nowhere", "none/x.dwo", take_here, found));
	CU_ASSERT_STRING_EQUAL(found, "x.dwo");
	CU_ASSERT_EQUAL(chdir(here), 0);
	roots_close(&roots);
}

/* Slashes behind a folder and empty ones do not matter; / is always the last. */
static void folders(void)
{
	static const struct {
		const char *sympath;
		uint32_t n;
		const char *first;
	} cases[] = {
		{ NULL, 1, "" },      { "", 1, "" },       { "/", 1, "" },
		{ ":::", 1, "" },     { "/a", 2, "/a" },   { "/a//", 2, "/a" },
		{ "/a:/b", 3, "/a" }, { ":/a:", 2, "/a" }, { "a/b/:c", 3, "a/b" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct roots roots = { 0 };

		CU_ASSERT_EQUAL_FATAL(roots_open(&roots, cases[i].sympath), 0);
		CU_ASSERT_EQUAL_FATAL(roots.n, cases[i].n);
		CU_ASSERT_STRING_EQUAL(roots.root[0], cases[i].first);
		CU_ASSERT_STRING_EQUAL(roots.root[roots.n - 1], "");
		roots_close(&roots);
	}
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "files", make_files }, { "places", places },   { "long_paths", long_paths },
		{ "beside", beside },    { "folders", folders }, { "climbing", climbing },
		{ NULL, NULL },
	};
	char command[64];
	int rc;

	if (!mkdtemp(top))
		return 1;
	rc = unit_run("files_split", tests);
	snprintf(command, sizeof(command), "rm -rf %s", top);
	return system(command) || rc;
}

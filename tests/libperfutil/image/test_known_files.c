/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files are identified once, by device and inode; ids are returned once a round. */
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>
#include "image/known_files.h"
#include "unit.h"

#define FILES_MOST 65536

static struct known_files *known;
static char folder[32];
static _Alignas(8) char room[sizeof(struct pitrace_mte_map) + 256];
static struct pitrace_mte_map *const map = (void *)room;

static const char *in_folder(const char *name)
{
	static char path[2][128];
	static int turn;

	turn = !turn;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", folder, name);
	return path[turn];
}

/* A mapping of this process of the file that has that path now. */
static struct pitrace_mte_map *of(const char *path)
{
	struct stat st = { 0 };

	if (stat(path, &st))
		st.st_ino = 0;
	*map = (struct pitrace_mte_map){
		.pid = (uint32_t)getpid(),
		.flags = PITRACE_MAP_EXEC,
		.start = 0x1000,
		.length = 0x1000,
		.inode = st.st_ino,
		.dev_major = major(st.st_dev),
		.dev_minor = minor(st.st_dev),
		.path_len = (uint32_t)strlen(path),
	};
	strcpy(map->path, path);
	return map;
}

static void make(const char *name, const char *text)
{
	int fd = open(in_folder(name), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	CU_ASSERT_FATAL(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
}

static void begin(void)
{
	strcpy(folder, "/tmp/test_known.XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
	CU_ASSERT_EQUAL(chmod(folder, 0755), 0);
	make("a", "first");
	make("b", "second");
	known = known_files_new();
	CU_ASSERT_PTR_NOT_NULL_FATAL(known);
}

static void end(void)
{
	static const char *const names[] = { "a", "b", "link", "sub/a" };

	known_files_free(known);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		unlink(in_folder(names[i]));
	rmdir(in_folder("sub"));
	CU_ASSERT_EQUAL(rmdir(folder), 0);
}

static bool is_of(const struct pitrace_mte_buildid *id, const char *path)
{
	struct stat st;

	return id && !stat(path, &st) && id->inode == st.st_ino &&
	       id->dev_major == major(st.st_dev) && id->dev_minor == minor(st.st_dev);
}

/* Each file once a round, whatever its path and process. */
static void once(void)
{
	begin();
	CU_ASSERT(is_of(known_files_take_id(known, of(in_folder("a"))), in_folder("a")));
	CU_ASSERT_PTR_NULL(known_files_take_id(known, of(in_folder("a"))));
	CU_ASSERT(is_of(known_files_take_id(known, of(in_folder("b"))), in_folder("b")));
	CU_ASSERT_EQUAL(link(in_folder("a"), in_folder("link")), 0);
	CU_ASSERT_PTR_NULL(known_files_take_id(known, of(in_folder("link"))));
	known_files_reset(known);
	CU_ASSERT(is_of(known_files_take_id(known, of(in_folder("link"))), in_folder("a")));
	CU_ASSERT_PTR_NULL(known_files_take_id(known, of(in_folder("a"))));
	/* Another generation of an inode is another file, which is not here any more. */
	map->generation = 7;
	CU_ASSERT_PTR_NULL(known_files_take_id(known, map));
	end();
}

/* The id is that of the time of the mapping. What was not identified then is not found later. */
static void before_it_goes(void)
{
	const struct pitrace_mte_buildid *id;
	struct pitrace_mte_buildid first;
	int held;

	begin();
	id = known_files_take_id(known, of(in_folder("a")));
	CU_ASSERT_PTR_NOT_NULL_FATAL(id);
	first = *id;
	known_files_reset(known);
	known_files_free(known);
	known = known_files_new();
	known_files_identify(known, of(in_folder("a")));
	held = open(in_folder("a"), O_RDONLY | O_CLOEXEC);
	CU_ASSERT_EQUAL(unlink(in_folder("a")), 0);
	make("a", "another");
	id = known_files_take_id(known, map);
	CU_ASSERT(id && !memcmp(id, &first, sizeof(first)));
	of(in_folder("b"));
	CU_ASSERT_EQUAL(unlink(in_folder("b")), 0);
	CU_ASSERT_PTR_NULL(known_files_take_id(known, map));
	CU_ASSERT_PTR_NULL(known_files_path(known, map));
	close(held);
	end();
}

static void not_files(void)
{
	begin();
	of(in_folder("a"))->flags |= PITRACE_MAP_ANON;
	CU_ASSERT_PTR_NULL(known_files_take_id(known, map));
	of(in_folder("a"))->flags |= PITRACE_MAP_KERNEL;
	CU_ASSERT_PTR_NULL(known_files_take_id(known, map));
	of(in_folder("a"))->inode = 0;
	CU_ASSERT_PTR_NULL(known_files_take_id(known, map));
	of(in_folder("a"));
	strcpy(map->path, "[vdso]");
	CU_ASSERT_PTR_NULL(known_files_take_id(known, map));
	CU_ASSERT_PTR_NULL(known_files_take_id(NULL, of(in_folder("a"))));
	CU_ASSERT_PTR_NULL(known_files_add_id(NULL, map, "id", 2));
	known_files_reset(NULL);
	known_files_free(NULL);
	CU_ASSERT(is_of(known_files_take_id(known, map), in_folder("a")));
	end();
}

/* Whether that is an id of these bytes for the mapping. */
static bool has(const struct pitrace_mte_buildid *id, const char *bytes, size_t n)
{
	return id && id->length == n && !memcmp(id->id, bytes, n) && id->inode == map->inode &&
	       id->dev_major == map->dev_major && id->dev_minor == map->dev_minor &&
	       id->generation == map->generation;
}

/* Ids that processes report: the last one counts, unless the file itself was read. */
static void reported(void)
{
	static const char long_id[PITRACE_BUILDID_MAX + 1] = "0123456789";

	begin();
	of(in_folder("none"))->inode = 1234;
	map->dev_minor = 5;
	map->generation = 3;
	CU_ASSERT_PTR_NULL(known_files_take_id(known, map));
	CU_ASSERT_PTR_NULL(known_files_add_id(known, map, "id", 0));
	CU_ASSERT_PTR_NULL(known_files_add_id(known, map, long_id, sizeof(long_id)));
	CU_ASSERT(has(known_files_add_id(known, map, "first", 5), "first", 5));
	CU_ASSERT_PTR_NULL(known_files_add_id(known, map, "first", 5));
	CU_ASSERT(has(known_files_add_id(known, map, "fir", 3), "fir", 3));
	CU_ASSERT(has(known_files_add_id(known, map, "other", 5), "other", 5));
	CU_ASSERT_PTR_NULL(known_files_take_id(known, map));
	known_files_reset(known);
	CU_ASSERT(has(known_files_add_id(known, map, "other", 5), "other", 5));
	CU_ASSERT_PTR_NULL(known_files_add_id(known, map, "other", 5));
	CU_ASSERT(has(known_files_add_id(known, map, long_id, sizeof(long_id) - 1), long_id,
		      sizeof(long_id) - 1));
	map->inode = 0;
	CU_ASSERT_PTR_NULL(known_files_add_id(known, map, "other", 5));

	CU_ASSERT_PTR_NOT_NULL(known_files_take_id(known, of(in_folder("a"))));
	CU_ASSERT_PTR_NULL(known_files_add_id(known, map, "other", 5));
	end();
}

/* More than that are not kept; those that are remain known. */
static void at_most(void)
{
	bool all = true;

	begin();
	of(in_folder("none"));
	for (map->inode = 1; map->inode <= FILES_MOST; map->inode++)
		all &= known_files_add_id(known, map, &map->inode, 8) != NULL;
	CU_ASSERT(all);
	CU_ASSERT_PTR_NULL(known_files_add_id(known, map, "id", 2));
	CU_ASSERT_PTR_NULL(known_files_take_id(known, of(in_folder("a"))));
	known_files_reset(known);
	of(in_folder("none"))->inode = FILES_MOST;
	CU_ASSERT(has(known_files_take_id(known, map), (const char *)&map->inode, 8));
	end();
}

/* A process of another root: its paths are not this process's. */
static void places(void)
{
	const char *place;
	int ready[2];
	pid_t pid;
	char c;

	begin();
	CU_ASSERT_PTR_NULL(known_files_path(known, of(in_folder("a"))));
	if (geteuid()) {
		unit_skip(NULL, "a run without root");
		end();
		return;
	}
	CU_ASSERT(!mkdir(in_folder("sub"), 0755) && !link(in_folder("a"), in_folder("sub/a")));
	CU_ASSERT_EQUAL_FATAL(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		if (chroot(folder) || write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	CU_ASSERT_EQUAL_FATAL(read(ready[0], &c, 1), 1);
	of(in_folder("a"))->pid = (uint32_t)pid;
	strcpy(map->path, "/a");
	map->path_len = 2;
	place = known_files_path(known, map);
	CU_ASSERT(place && !strcmp(place, in_folder("a")));
	CU_ASSERT_PTR_EQUAL(known_files_path(known, map), place);
	/* By another of its paths: looked up anew. */
	strcpy(map->path, "/sub/a");
	map->path_len = 6;
	place = known_files_path(known, map);
	CU_ASSERT(place && !strcmp(place, in_folder("sub/a")));
	CU_ASSERT_PTR_NULL(known_files_path(known, of(in_folder("a"))));
	kill(pid, SIGKILL);
	CU_ASSERT_EQUAL(waitpid(pid, NULL, 0), pid);
	close(ready[0]);
	close(ready[1]);
	end();
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "once", once },
		{ "before_it_goes", before_it_goes },
		{ "not_files", not_files },
		{ "reported", reported },
		{ "at_most", at_most },
		{ "places", places },
		{ NULL, NULL },
	};

	return unit_run("known_files", tests);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where here a file is that a process of other mounts or of another root has mapped: a child makes
 * itself such a view, and what it calls the file is translated.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pitrace.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "image/mapped_place.h"
#include "unit.h"

static char folder[32];

static const char *in_folder(const char *name)
{
	static char path[16][256];
	static unsigned int turn;

	turn = (turn + 1) % 16;
	snprintf(path[turn], sizeof(path[turn]), "%s%s", folder, name);
	return path[turn];
}

static const char *const folders[] = { "/inner", "/inner/sub", "/second", "/other",
				       "/oth",   "/a b\\c",    NULL };
static const char *const files[] = { "/inner/file", "/inner/sub/file", "/second/file", NULL };

static void make_files(void)
{
	strcpy(folder, "/tmp/test_mapped.XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
	CU_ASSERT_EQUAL(chmod(folder, 0755), 0);
	for (const char *const *f = folders; *f; f++)
		CU_ASSERT_EQUAL(mkdir(in_folder(*f), 0755), 0);
	for (const char *const *f = files; *f; f++) {
		int fd = open(in_folder(*f), O_WRONLY | O_CREAT | O_EXCL, 0644);

		CU_ASSERT(fd >= 0);
		close(fd);
	}
}

static void remove_files(void)
{
	size_t n = 0;

	for (const char *const *f = files; *f; f++)
		CU_ASSERT_EQUAL(unlink(in_folder(*f)), 0);
	for (const char *const *f = folders; *f; f++)
		n++;
	while (n--)
		CU_ASSERT_EQUAL(rmdir(in_folder(folders[n])), 0);
	CU_ASSERT_EQUAL(rmdir(folder), 0);
}

/* ---- what a child sees ----------------------------------------------------------------------- */

static bool show(const char *what, const char *where)
{
	return !mount(in_folder(what), in_folder(where), NULL, MS_BIND, NULL);
}

static bool as_it_is(void)
{
	return true;
}

static bool one_mount(void)
{
	return show("/second", "/oth") && show("/inner", "/other") && show("/second", "/a b\\c");
}

static bool mount_over_mount(void)
{
	return show("/inner", "/other") && show("/second", "/other");
}

static bool mount_in_mount(void)
{
	return show("/inner", "/other") && show("/second", "/other/sub");
}

/* The longer one comes first. */
static bool mount_around_mount(void)
{
	return show("/second", "/other") && show("/inner", "/inner") &&
	       show("/second", "/inner/sub");
}

static bool other_root(void)
{
	return !chroot(in_folder("/inner")) && !chdir("/");
}

/* /proc/PID/root is "/". */
static bool other_tree(void)
{
	return show("/inner", "/inner") && !chdir(in_folder("/inner")) &&
	       !syscall(SYS_pivot_root, ".", ".") && !umount2(".", MNT_DETACH);
}

static bool file_system_of_its_own(void)
{
	int fd;

	if (mount("none", in_folder("/other"), "tmpfs", 0, NULL))
		return false;
	fd = open(in_folder("/other/file"), O_WRONLY | O_CREAT, 0644);
	return fd >= 0 && !close(fd);
}

static bool own_mounts(void)
{
	if (unshare(geteuid() ? CLONE_NEWUSER | CLONE_NEWNS : CLONE_NEWNS))
		return false;
	return !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

struct seen {
	bool made;
	struct stat st;
};

static pid_t child(bool (*view)(void), const char *path, struct seen *seen)
{
	int ends[2];
	pid_t pid;

	CU_ASSERT_EQUAL_FATAL(pipe(ends), 0);
	pid = fork();
	CU_ASSERT_FATAL(pid >= 0);
	if (!pid) {
		memset(seen, 0, sizeof(*seen));
		seen->made = own_mounts() && view() && !stat(path, &seen->st);
		if (write(ends[1], seen, sizeof(*seen)) == sizeof(*seen))
			pause();
		_exit(1);
	}
	close(ends[1]);
	CU_ASSERT_EQUAL(read(ends[0], seen, sizeof(*seen)), sizeof(*seen));
	close(ends[0]);
	return pid;
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	CU_ASSERT_EQUAL(waitpid(pid, NULL, 0), pid);
}

static union {
	struct pitrace_mte_map map;
	char room[sizeof(struct pitrace_mte_map) + 256];
} mapping;

/* NULL: nowhere, or under its own name. */
static const char *place_of(pid_t pid, const char *path, const struct stat *st, size_t size)
{
	static char place[PATH_MAX];

	mapping.map = (struct pitrace_mte_map){ .pid = (uint32_t)pid };
	snprintf(mapping.map.path, 256, "%s", path);
	memset(place, 'x', sizeof(place));
	return mapped_place(&mapping.map, st, place, size) ? place : NULL;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static bool may_mount(void)
{
	struct seen seen;

	end_child(child(as_it_is, "/", &seen));
	if (!seen.made)
		unit_skip(NULL, "this user may not make mounts of his own");
	return seen.made;
}

static void views(void)
{
	static const struct {
		bool (*view)(void);
		const char *path, *place; /* below the folder; of a path with !: as it stands */
	} cases[] = {
		{ as_it_is, "/inner/file", NULL },
		{ one_mount, "/other/file", "/inner/file" },
		{ one_mount, "/other/sub/file", "/inner/sub/file" },
		{ one_mount, "/oth/file", "/second/file" },
		{ one_mount, "/a b\\c/file", "/second/file" },
		{ one_mount, "/inner/file", NULL },
		{ mount_over_mount, "/other/file", "/second/file" },
		{ mount_in_mount, "/other/file", "/inner/file" },
		{ mount_in_mount, "/other/sub/file", "/second/file" },
		{ mount_around_mount, "/inner/sub/file", "/second/file" },
		{ mount_around_mount, "/other/file", "/second/file" },
		{ other_root, "!/file", "/inner/file" },
		{ other_root, "!/sub/file", "/inner/sub/file" },
		{ other_tree, "!/file", "/inner/file" },
		{ other_tree, "!/sub/file", "/inner/sub/file" },
		{ file_system_of_its_own, "/other/file", NULL },
	};

	if (!may_mount())
		return;
	make_files();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *path = *cases[i].path == '!' ? cases[i].path + 1 :
							   in_folder(cases[i].path);
		const char *want = cases[i].place ? in_folder(cases[i].place) : NULL, *place;
		struct seen seen;
		pid_t pid = child(cases[i].view, path, &seen);

		CU_ASSERT(seen.made);
		place = place_of(pid, path, &seen.st, PATH_MAX);
		CU_ASSERT(want ? place && !strcmp(place, want) : !place);
		end_child(pid);
	}
	remove_files();
}

/* The file found there must be the same one; a path ends with NUL. */
static void no_place(void)
{
	static bool (*const views[])(void) = { one_mount, other_root, other_tree };
	struct seen seen;
	struct stat st;

	if (!may_mount())
		return;
	make_files();
	for (int i = 0; i < 3; i++) {
		const char *path = i ? "/file" : in_folder("/other/file");
		const char *want = in_folder("/inner/file"), *place;
		pid_t pid = child(views[i], path, &seen);

		place = place_of(pid, path, &seen.st, strlen(want) + 1);
		CU_ASSERT(place && !strcmp(place, want));
		CU_ASSERT_PTR_NULL(place_of(pid, path, &seen.st, strlen(want)));
		st = seen.st;
		st.st_ino++;
		CU_ASSERT_PTR_NULL(place_of(pid, path, &st, PATH_MAX));
		st = seen.st;
		st.st_dev++;
		CU_ASSERT_PTR_NULL(place_of(pid, path, &st, PATH_MAX));
		end_child(pid);
		CU_ASSERT_PTR_NULL(place_of(pid, path, &seen.st, PATH_MAX));
	}
	remove_files();
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "views", views },
		{ "no_place", no_place },
		{ NULL, NULL },
	};

	return unit_run("mapped_place", tests);
}

// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Files of others: a name that changes between a file and a FIFO while it is opened (the FIFO
 * stands for a device: inotify tells whether it was opened); and, as root, rights that are taken
 * and given back.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/fsuid.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <perfmap.h>
#include "a2n/module/files.h"
#include "base/folder.h"
#include "base/regular.h"
#include "base/newfile.h"
#include "base/rights.h"
#include "collect/timer/timer_program.h"
#include "unit.h"

#define TURNS 20000
#define USER  61301

static char folder[64], name[80], other[80];
static atomic_bool stop;

static void begin(void)
{
	strcpy(folder, "/tmp/test_rights.XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
	snprintf(name, sizeof(name), "%s/name", folder);
	snprintf(other, sizeof(other), "%s/other", folder);
}

static void end(void)
{
	unlink(name);
	unlink(other);
	rmdir(folder);
}

static void put(const char *path, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, mode);

	CU_ASSERT(fd >= 0 && write(fd, "text", 4) == 4 && !fchmod(fd, mode));
	close(fd);
}

static void *exchange(void *arg)
{
	(void)arg;
	while (!stop)
		syscall(SYS_renameat2, AT_FDCWD, name, AT_FDCWD, other, 2 /* RENAME_EXCHANGE */);
	return NULL;
}

/* Opens of what is watched since the last look. */
static unsigned int opens(int watch)
{
	char text[4096] __attribute__((aligned(8)));
	unsigned int count = 0;
	ssize_t n;

	while ((n = read(watch, text, sizeof(text))) > 0)
		for (char *p = text; p < text + n;
		     p += sizeof(struct inotify_event) + ((struct inotify_event *)p)->len)
			count++;
	return count;
}

static int by_regular(void)
{
	struct stat st;
	int fd = regular_open(name, O_NOFOLLOW, &st);

	if (fd < 0)
		return 0;
	close(fd);
	return S_ISREG(st.st_mode) ? 1 : -1;
}

static int by_a2n(void)
{
	const char *why;
	struct stat st;
	int fd = file_open_regular(name, &st, &why);

	if (fd < 0)
		return 0;
	close(fd);
	return 1;
}

static int by_perfmap(void)
{
	struct perfmap *map;
	const char *why;

	if (perfmap_open(&map, name, (uid_t)-1, &why))
		return 0;
	perfmap_close(map);
	return 1;
}

static int by_timer(void)
{
	char why[400], cure[400];

	return timer_can_enter(name, why, sizeof(why), cure, sizeof(cure));
}

/* opener: 1 it was the file, 0 it was none. */
static void races(int (*opener)(void), bool tells)
{
	int watch = inotify_init1(IN_NONBLOCK), files = 0, others = 0;
	pthread_t thread;

	begin();
	put(name, 0600);
	CU_ASSERT_EQUAL_FATAL(mkfifo(other, 0600), 0);
	CU_ASSERT(inotify_add_watch(watch, other, IN_OPEN) >= 0);
	close(open(other, O_RDONLY | O_NONBLOCK));
	CU_ASSERT_EQUAL(opens(watch), 1);
	stop = false;
	CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, exchange, NULL), 0);
	for (int i = 0; i < TURNS || (tells && (!files || !others) && i < 50 * TURNS); i++) {
		int was = opener();

		CU_ASSERT(was >= 0);
		files += was;
		others += !was;
	}
	stop = true;
	pthread_join(thread, NULL);
	CU_ASSERT(!tells || (files > 0 && others > 0));
	CU_ASSERT_EQUAL(opens(watch), 0);
	close(watch);
	end();
}

static void test_device(void)
{
	races(by_regular, true);
	races(by_a2n, true);
	races(by_perfmap, true);
	races(by_timer, false);
}

static void test_link(void)
{
	begin();
	put(name, 0600);
	CU_ASSERT_EQUAL(symlink(name, other), 0);
	CU_ASSERT_EQUAL(regular_open(other, O_NOFOLLOW, NULL), -1);
	CU_ASSERT_EQUAL(errno, ELOOP);
	CU_ASSERT_EQUAL(close(regular_open(other, 0, NULL)), 0);
	CU_ASSERT_EQUAL(regular_open(folder, 0, NULL), -1);
	CU_ASSERT_EQUAL(errno, EINVAL);
	end();
}

/* Without root, the process opens files with its own rights and keeps them. */
static void test_own(void)
{
	struct rights r;
	struct rights_saved kept;
	gid_t before[100], after[100];
	int n = getgroups(100, before);

	CU_ASSERT_EQUAL(rights_of_process(getpid(), &r), 0);
	CU_ASSERT_EQUAL(r.uid, getuid());
	CU_ASSERT_EQUAL(rights_take(&r, &kept), 0);
	rights_restore(&kept);
	CU_ASSERT_EQUAL(rights_take(NULL, &kept), 0);
	rights_restore(&kept);
	CU_ASSERT_EQUAL(getgroups(100, after), n);
	CU_ASSERT_EQUAL(memcmp(before, after, (size_t)n * sizeof(gid_t)), 0);
	CU_ASSERT_NOT_EQUAL(rights_of_process(99999999, &r), 0);
}

static int sleeps(void)
{
	pause();
	return 0;
}

/* Takes the rights of a process with an additional group: that group's file opens, root's does not;
 * afterwards it does. */
static void test_taken(void)
{
	struct folder f;
	struct rights r;
	struct stat st;
	int fd, status;
	pid_t pid;

	if (geteuid())
		return;
	begin();
	chmod(folder, 0755);
	put(name, 0600);
	put(other, 0640);
	CU_ASSERT_EQUAL(chown(other, 0, 4242), 0);
	pid = fork();
	if (!pid) {
		gid_t group = 4242;

		if (setgroups(1, &group) || setresgid(USER, USER, USER) ||
		    setresuid(USER, USER, USER))
			_exit(99);
		_exit(sleeps());
	}
	for (int i = 0; i < 1000; i++) {
		if (!rights_of_process(pid, &r) && r.uid == USER)
			break;
		usleep(1000);
	}
	CU_ASSERT_EQUAL(r.uid, USER);
	CU_ASSERT_EQUAL(r.gid, USER);
	CU_ASSERT(r.ngroups == 1 && r.groups[0] == 4242);
	CU_ASSERT_EQUAL(r.capabilities, 0);
	CU_ASSERT_EQUAL(rights_open_below(&r, -1, name, &st), -1);
	CU_ASSERT_EQUAL(errno, EACCES);
	fd = rights_open_below(&r, -1, other, &st);
	CU_ASSERT(fd >= 0);
	close(fd);
	/* Rights are also checked for a file that root opened. */
	CU_ASSERT_EQUAL(rights_reopen(&r, open(name, O_PATH), &st), -1);
	CU_ASSERT_EQUAL(errno, EACCES);
	CU_ASSERT_EQUAL(folder_open(&f, name, &r), -EACCES);
	r.ngroups = 0;
	CU_ASSERT_EQUAL(rights_open_below(&r, -1, other, &st), -1);
	CU_ASSERT_EQUAL(setfsuid((uid_t)-1), 0);
	CU_ASSERT_EQUAL(setfsgid((gid_t)-1), (int)getegid());
	fd = open(name, O_RDONLY);
	CU_ASSERT(fd >= 0);
	close(fd);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	end();
}

/* A set-user-ID program has the rights of its caller: here one that is root only for files. */
static void test_gained(void)
{
	struct rights r;
	int ready[2], status;
	pid_t pid;
	char c;

	if (geteuid())
		return;
	CU_ASSERT_EQUAL_FATAL(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		if (setgroups(0, NULL) || setresgid(USER, 0, 0) || setresuid(USER, 0, 0) ||
		    write(ready[1], "x", 1) != 1)
			_exit(99);
		_exit(sleeps());
	}
	CU_ASSERT_EQUAL(read(ready[0], &c, 1), 1);
	CU_ASSERT_EQUAL(rights_of_process(pid, &r), 0);
	CU_ASSERT_EQUAL(r.uid, USER);
	CU_ASSERT_EQUAL(r.gid, USER);
	CU_ASSERT_EQUAL(r.capabilities, 0);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	close(ready[0]);
	close(ready[1]);
}

/* A process like this; it waits. Its write end is closed as soon as it is so. */
struct user_process {
	uid_t uid, effective;
	gid_t gid, effective_gid;
	mode_t program; /* another one, with this mode; 0: the test's */
	bool keeps;     /* capabilities */
	bool gained;
};

static void become(const struct user_process *u, int ready)
{
	char *const args[] = { name, (char *)"1000", NULL };

	if ((u->keeps && prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0)) || setgroups(0, NULL) ||
	    setresgid(u->gid, u->effective_gid, u->effective_gid) ||
	    setresuid(u->uid, u->effective, u->effective))
		_exit(99);
	if (u->program)
		_exit(execv(name, args));
	close(ready);
	_exit(sleeps());
}

/* Rights beyond those of its user: other ids, capabilities, a program that the user cannot read. */
static void test_more_rights(void)
{
	static const struct user_process cases[] = {
		{ 0, 0, 0, 0, 0, false, false },
		{ 0, 0, 0, 0, 0711, false, false }, /* root reads any file */
		{ USER, USER, USER, USER, 0, false, false },
		{ USER, USER, USER, USER, 0, true, true },
		{ USER, 0, USER, USER, 0, false, true },
		{ USER, USER, USER, 0, 0, false, true },
		{ USER, USER, USER, USER, 0711, false, true },
		{ USER, USER, USER, USER, 0715, false, false },
	};
	char text[200];

	CU_ASSERT_FALSE(rights_gained(getpid()));
	CU_ASSERT_TRUE(rights_gained(99999999));
	if (geteuid())
		return;
	begin();
	CU_ASSERT_EQUAL(chmod(folder, 0711), 0);
	snprintf(text, sizeof(text), "cp /bin/sleep %s", name);
	CU_ASSERT_EQUAL(system(text), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int ready[2], status;
		pid_t pid;
		char c;

		CU_ASSERT_EQUAL(chmod(name, cases[i].program), 0);
		CU_ASSERT_EQUAL_FATAL(pipe2(ready, O_CLOEXEC), 0);
		pid = fork();
		if (!pid)
			become(&cases[i], ready[1]);
		close(ready[1]);
		CU_ASSERT_EQUAL(read(ready[0], &c, 1), 0);
		CU_ASSERT_EQUAL(waitpid(pid, &status, WNOHANG), 0);
		if (rights_gained(pid) != cases[i].gained) {
			printf("# case %zu\n", i);
			CU_FAIL("rights");
		}
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		close(ready[0]);
	}
	end();
}

/* The folder stays the one that was opened. */
static void test_folder(void)
{
	char moved[90], path[100];
	struct newfile made;
	struct folder f;
	struct stat st;

	begin();
	snprintf(moved, sizeof(moved), "%s/moved", folder);
	CU_ASSERT_EQUAL(mkdir(name, 0700), 0);
	snprintf(path, sizeof(path), "%s/t", name);
	CU_ASSERT_EQUAL_FATAL(folder_open(&f, path, NULL), 0);
	CU_ASSERT_EQUAL(rename(name, moved), 0);
	CU_ASSERT_EQUAL(symlink("/nonexistent", name), 0);
	CU_ASSERT_EQUAL(newfile_open_in(&made, &f, folder_leaf(path), 0, 0600), 0);
	close(made.fd);
	newfile_keep(&made);
	/* An existing one is moved aside, and restored. */
	CU_ASSERT_EQUAL(newfile_open_in(&made, &f, "t", 0, 0600), 0);
	CU_ASSERT_EQUAL(folder_stat(&f, "t.old", &st), 0);
	newfile_undo(&made);
	CU_ASSERT_EQUAL(folder_stat(&f, "t.old", &st), -ENOENT);
	CU_ASSERT_EQUAL(folder_rename(&f, "t", "u"), 0);
	CU_ASSERT_EQUAL(folder_stat(&f, "t", &st), -ENOENT);
	CU_ASSERT_EQUAL(symlinkat("u", f.fd, "l"), 0);
	CU_ASSERT_EQUAL(folder_read(&f, "l", &st), -ELOOP);
	CU_ASSERT_EQUAL(folder_remove(&f, "l"), 0);
	CU_ASSERT_EQUAL(folder_remove(&f, "u"), 0);
	folder_close(&f);
	CU_ASSERT_EQUAL(rmdir(moved), 0);
	CU_ASSERT_EQUAL(folder_open(&f, path, NULL), -ENOENT);
	end();
}

static const struct unit_test tests[] = {
	{ "device", test_device }, { "link", test_link },
	{ "own", test_own },       { "taken", test_taken },
	{ "gained", test_gained }, { "more_rights", test_more_rights },
	{ "folder", test_folder }, { 0 },
};

int main(void)
{
	return unit_run("rights", tests);
}

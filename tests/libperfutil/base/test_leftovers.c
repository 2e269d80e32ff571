/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Removes from a shared folder what a killed process has left there, and nothing else. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/leftovers.h"
#include "unit.h"

static char base[] = "/tmp/test-leftovers-XXXXXX";

static const char *in(const char *name)
{
	static char path[2][256];
	static int turn;

	turn = !turn;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", base, name);
	return path[turn];
}

static bool is_there(const char *name)
{
	struct stat st;

	return !lstat(in(name), &st);
}

static void put_file(const char *name)
{
	int fd = open(in(name), O_WRONLY | O_CREAT, 0600);

	CU_ASSERT(fd >= 0 && !close(fd));
}

static int put_folder(const char *name, bool claimed)
{
	char file[128];
	int fd;

	CU_ASSERT_EQUAL(mkdir(in(name), 0700), 0);
	snprintf(file, sizeof(file), "%s/file", name);
	put_file(file);
	fd = open(in(name), O_RDONLY | O_DIRECTORY);
	CU_ASSERT(fd >= 0);
	if (claimed)
		CU_ASSERT(leftovers_claim(fd));
	return fd;
}

static atomic_bool removing;

static void *remove_always(void *arg)
{
	while (atomic_load(&removing))
		leftovers_remove_folders(base, "made.", (uid_t)-1);
	return arg;
}

/* Others remove leftovers all the time: a folder that was made stays. */
static void made_while_others_remove(void)
{
	char path[256];
	pthread_t others[2];
	unsigned int there = 0, last = 0;

	atomic_store(&removing, true);
	for (int i = 0; i < 2; i++)
		CU_ASSERT_EQUAL_FATAL(pthread_create(&others[i], NULL, remove_always, NULL), 0);
	for (int i = 0; i < 2000; i++) {
		struct stat st;
		int folder;

		snprintf(path, sizeof(path), "%s/made.XXXXXX", base);
		folder = leftovers_make_folder(path);
		there += folder >= 0 && !stat(path, &st);
		last += folder >= 0 && !rmdir(path) && !close(folder);
	}
	atomic_store(&removing, false);
	for (int i = 0; i < 2; i++)
		pthread_join(others[i], NULL);
	CU_ASSERT_EQUAL(there, 2000);
	CU_ASSERT_EQUAL(last, 2000);
	snprintf(path, sizeof(path), "%s/none/made.XXXXXX", base);
	CU_ASSERT_EQUAL(leftovers_make_folder(path), -ENOENT);
}

static void unclaimed_folders(void)
{
	int before = open(".", O_RDONLY), live, left;

	close(before);
	live = put_folder("own-live", true);
	left = put_folder("own-left", false);
	close(put_folder("others-left", false));
	close(left);
	leftovers_remove_folders(base, "own-", (uid_t)-1);
	CU_ASSERT(!is_there("own-left"));
	CU_ASSERT(is_there("own-live/file"));
	CU_ASSERT(is_there("others-left/file"));
	/* Its maker ends, and its descriptor with it. */
	close(live);
	leftovers_remove_folders(base, "own-", (uid_t)-1);
	CU_ASSERT(!is_there("own-live"));
	/* No descriptor stays open. */
	CU_ASSERT_EQUAL(open(".", O_RDONLY), before);
	close(before);
}

/* A folder that is removed meanwhile, or is being removed, cannot be claimed. */
static void claimed_too_late(void)
{
	int fd = put_folder("late-1", false), other;

	leftovers_remove_folders(base, "late-", (uid_t)-1);
	CU_ASSERT(!leftovers_claim(fd));
	close(fd);
	fd = put_folder("late-2", false);
	other = open(in("late-2"), O_RDONLY | O_DIRECTORY);
	CU_ASSERT_EQUAL(flock(other, LOCK_EX), 0);
	CU_ASSERT(!leftovers_claim(fd));
	close(other);
	CU_ASSERT(leftovers_claim(fd));
	close(fd);
	leftovers_remove_folders(base, "late-", (uid_t)-1);
}

static void nothing_followed(void)
{
	close(put_folder("target", false));
	CU_ASSERT_EQUAL(symlink("target", in("link-1")), 0);
	put_file("link-2");
	CU_ASSERT_EQUAL(mkdir(in("link-3"), 0700), 0);
	close(put_folder("link-3/inner", false));
	CU_ASSERT_EQUAL(symlink("../target", in("link-3/out")), 0);
	leftovers_remove_folders(base, "link-", (uid_t)-1);
	CU_ASSERT(is_there("target/file"));
	CU_ASSERT(is_there("link-1"));
	CU_ASSERT(is_there("link-2"));
	/* Files that no collector creates stay. */
	CU_ASSERT(is_there("link-3/inner/file"));
	CU_ASSERT(!is_there("link-3/out"));
	leftovers_remove_folders("/nowhere", "link-", (uid_t)-1);
}

static void others_folders(void)
{
	const uid_t other = 61303;

	if (geteuid())
		return;
	close(put_folder("user-1", false));
	CU_ASSERT_EQUAL(chown(in("user-1"), other, (gid_t)-1), 0);
	leftovers_remove_folders(base, "user-", (uid_t)-1);
	leftovers_remove_folders(base, "user-", other + 1);
	CU_ASSERT(is_there("user-1/file"));
	leftovers_remove_folders(base, "user-", other);
	CU_ASSERT(!is_there("user-1"));
}

static int bound(const char *name, bool listens)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);

	snprintf(a.sun_path, sizeof(a.sun_path), "%s", in(name));
	CU_ASSERT_EQUAL(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	if (listens)
		CU_ASSERT_EQUAL(listen(fd, 1), 0);
	return fd;
}

static void sockets(void)
{
	char gone[64], answers[64], alive[64], file[64], page[64], others[64];
	pid_t pid = fork();
	int fd;

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	snprintf(gone, sizeof(gone), "s-%d.sock", pid);
	snprintf(alive, sizeof(alive), "s-%d.sock", getpid());
	snprintf(file, sizeof(file), "s-0%d.sock", pid);
	snprintf(page, sizeof(page), "s-%d.sock.listen", pid);
	snprintf(others, sizeof(others), "s-%d.socket", pid);
	put_file(page);
	put_file(others);
	close(bound(gone, true));
	close(bound(alive, true));
	close(bound("s-.sock", true));
	close(bound("t-1.sock", true));
	close(bound(file, true));
	leftovers_remove_sockets(base, "s-", (uid_t)-1);
	CU_ASSERT(!is_there(gone));
	CU_ASSERT(!is_there(page));
	CU_ASSERT(is_there(others));
	CU_ASSERT(is_there(alive));
	CU_ASSERT(is_there("s-.sock"));
	CU_ASSERT(is_there("t-1.sock"));
	CU_ASSERT(is_there(file));
	/* The owner is a process that exists, but is not visible. */
	snprintf(answers, sizeof(answers), "s-%d.sock", pid);
	fd = bound(answers, true);
	put_file(page);
	leftovers_remove_sockets(base, "s-", (uid_t)-1);
	CU_ASSERT(is_there(answers));
	CU_ASSERT(is_there(page));
	close(fd);
	unlink(in(answers));
	/* A page whose socket went before. */
	leftovers_remove_sockets(base, "s-", (uid_t)-1);
	CU_ASSERT(!is_there(page));
	/* No socket. */
	put_file(gone);
	leftovers_remove_sockets(base, "s-", (uid_t)-1);
	CU_ASSERT(is_there(gone));
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "made_while_others_remove", made_while_others_remove },
		{ "unclaimed_folders", unclaimed_folders },
		{ "claimed_too_late", claimed_too_late },
		{ "nothing_followed", nothing_followed },
		{ "others_folders", others_folders },
		{ "sockets", sockets },
		{ NULL, NULL },
	};
	char command[64];
	int code;

	if (!mkdtemp(base))
		return 1;
	code = unit_run("leftovers", tests);
	snprintf(command, sizeof(command), "rm -rf %s", base);
	return system(command) ? 1 : code;
}

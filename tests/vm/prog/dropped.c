// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A daemon that root begins, which drops root's rights and then writes records.
 *	dropped UID RECORDS [early] [chroot FOLDER] [close] [worker] [wait FILE]
 *		[stay FILE]
 * early: a record before it drops them; close: all descriptors are closed then, as daemons do;
 * worker: a child that is forked afterwards writes; wait: until the file exists, when the rights
 * are gone (its folder is opened before); stay: until it exists, at the end.
 * The last line is: PID written N nobody N other N
 */
#include <fcntl.h>
#include <grp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <perfutil.h>

#define MAJOR 0xD1

static int wait_in = -1, stay_in = -1;
static const char *wait_for, *stay_for;

static int put(uint64_t number)
{
	return TraceHook(0, MAJOR, 1, 1, 0, &number, NULL, NULL);
}

static void records(unsigned long n)
{
	unsigned long written = 0, nobody = 0, other = 0;

	while (wait_for && faccessat(wait_in, wait_for, F_OK, 0))
		usleep(10000);
	for (unsigned long i = 0; i < n; i++) {
		int rc = put(i);

		if (rc == PI_OK)
			written++;
		else if (rc == TRACE_NOBODY)
			nobody++;
		else if (!other++)
			fprintf(stderr, "%d: %s\n", rc, TraceLastError());
	}
	printf("%d written %lu nobody %lu other %lu\n", getpid(), written, nobody, other);
	fflush(stdout);
	while (stay_for && faccessat(stay_in, stay_for, F_OK, 0))
		usleep(10000);
}

static int folder_of(const char *path, const char **leaf)
{
	const char *slash = strrchr(path, '/');
	int fd = open(strndupa(path, (size_t)(slash - path)), O_PATH | O_CLOEXEC);

	*leaf = slash + 1;
	return fd;
}

/* Those that it needs no more. */
static void close_all(void)
{
	for (int fd = 3; fd < 256; fd++)
		if (fd != wait_in && fd != stay_in)
			close(fd);
}

int main(int argc, char **argv)
{
	uid_t uid = argc > 2 ? (uid_t)atoi(argv[1]) : 0;
	const char *root = NULL;
	bool close_them = false, worker = false;

	for (int i = 3; i < argc; i++) {
		if (!strcmp(argv[i], "early"))
			put(0);
		else if (!strcmp(argv[i], "close"))
			close_them = true;
		else if (!strcmp(argv[i], "worker"))
			worker = true;
		else if (!strcmp(argv[i], "chroot") && ++i < argc)
			root = argv[i];
		else if (!strcmp(argv[i], "wait") && ++i < argc)
			wait_in = folder_of(argv[i], &wait_for);
		else if (!strcmp(argv[i], "stay") && ++i < argc)
			stay_in = folder_of(argv[i], &stay_for);
	}
	if (argc < 3 || (root && (chroot(root) || chdir("/"))) || setgroups(0, NULL) ||
	    setresgid(uid, uid, uid) || setresuid(uid, uid, uid))
		return 3;
	if (close_them)
		close_all();
	if (!worker || !fork())
		records(strtoul(argv[2], NULL, 10));
	else
		wait(NULL);
	return 0;
}
